"""What refers to the tree: tendons, actuators, sensors, equalities, pairs, keyframes."""
from draw import element, numbers


def tendons(d, root):
    section = element(root, "tendon")
    for _ in range(d.pick([0, 0, 1, 2, 3])):
        fixed = d.known("scalar") and d.chance(0.4)
        if not fixed and len(d.known("site")) < 2:
            return
        e = element(section, "fixed" if fixed else "spatial", name=d.name("tendon"))
        d.maybe(e, 0.3, stiffness=lambda: d.value(0, 50) if fixed or d.chance(0.7) else d.values(0, 50, 1), damping=lambda: d.value(0, 3))
        d.maybe(e, 0.2, frictionloss=lambda: d.value(0, 0.5), springlength=lambda: d.pick([numbers(d.value(0.1, 1)), d.range(0.1, 1)]),
                actuatorfrcrange=lambda: d.around_zero(10))
        if d.chance(0.3):
            e.set("range", d.range(-0.5, 0.5) if fixed else d.range(0.05, 1.2))
            d.names.setdefault("bound", []).append(e.get("name"))
            d.maybe(e, 0.3, margin=lambda: d.value(0, 0.1))
            d.row_attributes(e, "limit")
        if "frictionloss" in e.attrib:
            d.row_attributes(e, "friction")
        if fixed:
            d.maybe(e, 0.2, armature=lambda: d.value(0.01, 0.2))
            count = min(len(d.known("scalar")), d.integer(1, 4))
            for k in d.rng.choice(len(d.known("scalar")), count, replace=False):
                element(e, "joint", joint=d.known("scalar")[k], coef=d.value(-2, 2))
        else:
            path(d, e)


def path(d, e):
    """Sites, now and then around a geom, in branches of a pulley."""
    wraps = False
    for branch in range(d.pick([1, 1, 1, 2])):
        if branch or d.chance(0.1):
            element(e, "pulley", divisor=d.value(1, 4))
        last = d.any("site")
        element(e, "site", site=last)
        for _ in range(d.integer(1, 3)):
            if d.known("round") and d.chance(0.4):
                g = element(e, "geom", geom=d.any("round"))
                d.maybe(g, 0.5, sidesite=lambda: d.any("site"))
                wraps = True
            last = d.pick([s for s in d.known("site") if s != last])
            element(e, "site", site=last)
    if not wraps:
        d.maybe(e, 0.15, armature=lambda: d.value(0.01, 0.2))


def transmission(d, e, sites=True):
    kinds = ["joint", "jointinparent"] * bool(d.known("joint")) + ["tendon", "tendon"] * bool(d.known("tendon"))
    if sites and len(d.known("site")) > 1:
        kinds += ["site", "refsite", "crank"]
    if not kinds:
        return False
    kind = d.pick(kinds)
    gear = 6
    if kind in ("joint", "jointinparent"):
        e.set(kind, d.any("joint"))
    elif kind == "tendon":
        e.set(kind, d.any("tendon"))
        gear = 1
    elif kind == "crank":
        a, b = d.pair("site")
        e.set("cranksite", a)
        e.set("slidersite", b)
        e.set("cranklength", numbers(d.value(0.1, 1.5)))
        gear = 1
    else:
        a, b = d.pair("site")
        e.set("site", a)
        if kind == "refsite":
            e.set("refsite", b)
    if gear == 6 and kind in ("site", "refsite") or d.chance(0.4):
        e.set("gear", d.values(-2, 2, gear))
    return True


def actuators(d, root):
    section = element(root, "actuator")
    for _ in range(d.pick([0, 1, 2, 3, 5])):
        kind = d.pick(["motor", "position", "velocity", "intvelocity", "damper", "cylinder", "muscle", "general", "general", "adhesion"])
        e = element(section, kind, name=d.name("actuator"))
        if kind == "adhesion":
            e.set("body", d.any("body"))
            e.set("ctrlrange", f"0 {d.value(0.1, 3)!r}")
            e.set("gain", numbers(d.value(1, 30)))
            continue
        if not transmission(d, e, kind not in ("muscle", "position")):
            section.remove(e)
            d.known("actuator").pop()
            continue
        if kind != "damper":
            d.maybe(e, 0.3, ctrlrange=lambda: d.around_zero(2))
        d.maybe(e, 0.25, forcerange=lambda: d.around_zero(10))
        d.maybe(e, 0.1, group=lambda: str(d.integer(0, 5)))
        if kind == "position":
            e.set("kp", numbers(d.value(0.5, 50)))
            d.maybe(e, 0.4, kv=lambda: d.value(0, 3), timeconst=lambda: d.value(0.01, 0.3))
            if "kv" not in e.attrib:
                d.maybe(e, 0.3, dampratio=lambda: d.value(0.2, 1.5))
        elif kind == "velocity":
            e.set("kv", numbers(d.value(0.1, 3)))
        elif kind == "intvelocity":
            e.set("kp", numbers(d.value(0.5, 20)))
            e.set("actrange", d.around_zero(2))
        elif kind == "damper":
            e.set("kv", numbers(d.value(0.1, 3)))
            e.set("ctrlrange", f"0 {d.value(0.2, 2)!r}")
        elif kind == "cylinder":
            e.set("timeconst", numbers(d.value(0.05, 1)))
            d.maybe(e, 0.4, bias=lambda: d.values(-1, 1, 3), area=lambda: d.value(0.1, 2))
        elif kind == "muscle":
            low = d.value(-0.4, 0.4)
            e.set("lengthrange", numbers([low, low + d.value(0.1, 1)]))
            d.maybe(e, 0.5, force=lambda: d.value(1, 50))
            d.maybe(e, 0.3, scale=lambda: d.value(10, 300), tausmooth=lambda: d.value(0, 0.5), timeconst=lambda: d.values(0.005, 0.1, 2),
                    fpmax=lambda: d.value(0.5, 2), fvmax=lambda: d.value(1.05, 2))
        elif kind == "general":
            dynamics = d.pick(["none", "none", "integrator", "filter", "filterexact", "muscle"])
            e.set("dyntype", dynamics)
            d.maybe(e, 0.6, gaintype=lambda: d.pick(["fixed", "affine"]), gainprm=lambda: d.values(-3, 3, 3),
                    biastype=lambda: d.pick(["none", "affine"]), biasprm=lambda: d.values(-3, 1, 3))
            if dynamics != "none":
                e.set("dynprm", d.values(0.02, 0.5, 3))
                d.maybe(e, 0.3, actrange=lambda: d.around_zero(1), actearly=lambda: d.switch())


def frame(d):
    """The type and name of something that has a pose."""
    kinds = [(t, k) for t, k in [("body", "body"), ("xbody", "body"), ("geom", "geom"), ("site", "site"), ("camera", "camera")] if d.known(k)]
    kind, names = d.pick(kinds)
    return kind, d.any(names)


POSED = ["framepos", "framequat", "framexaxis", "frameyaxis", "framezaxis", "framelinvel", "frameangvel", "framelinacc", "frameangacc"]
AT_SITES = ["accelerometer", "velocimeter", "gyro", "force", "torque", "magnetometer", "touch", "rangefinder"]


def sensors(d, root):
    section = element(root, "sensor")
    for _ in range(d.pick([0, 2, 4, 8])):
        kind = d.pick(["site"] * 3 + ["posed"] * 4 + ["scalar", "ball", "limit", "tendon", "actuator", "subtree", "distance", "contact", "whole",
                                                        "inside", "camera", "bound"])
        e = sensor(d, section, kind)
        if e is None:
            continue
        if e.tag not in ("clock", "framequat", "framexaxis", "frameyaxis", "framezaxis", "ballquat", "distance", "normal", "fromto", "contact", "insidesite"):
            d.maybe(e, 0.1, cutoff=lambda: d.value(0.1, 5))
        d.maybe(e, 0.1, noise=lambda: d.value(0, 0.2), name=lambda: d.name("sensor"))


def sensor(d, section, kind):
    site, scalar = d.known("site"), d.known("scalar")
    if kind == "site" and site:
        return element(section, d.pick(AT_SITES), site=d.any("site"))
    if kind == "posed":
        tag = d.pick(POSED)
        objtype, objname = frame(d)
        e = element(section, tag, objtype=objtype, objname=objname)
        if not tag.endswith("acc") and d.chance(0.5):
            reftype, refname = frame(d)
            e.set("reftype", reftype)
            e.set("refname", refname)
        return e
    if kind == "scalar" and scalar:
        return element(section, d.pick(["jointpos", "jointvel", "jointactuatorfrc"]), joint=d.any("scalar"))
    if kind == "ball" and d.known("ball"):
        return element(section, d.pick(["ballquat", "ballangvel"]), joint=d.any("ball"))
    if kind == "limit" and d.known("limited"):
        return element(section, d.pick(["jointlimitpos", "jointlimitvel", "jointlimitfrc"]), joint=d.any("limited"))
    if kind == "bound" and d.known("bound"):
        return element(section, d.pick(["tendonlimitpos", "tendonlimitvel", "tendonlimitfrc"]), tendon=d.any("bound"))
    if kind == "tendon" and d.known("tendon"):
        return element(section, d.pick(["tendonpos", "tendonvel", "tendonactuatorfrc"]), tendon=d.any("tendon"))
    if kind == "actuator" and d.known("actuator"):
        return element(section, d.pick(["actuatorpos", "actuatorvel", "actuatorfrc"]), actuator=d.any("actuator"))
    if kind == "subtree":
        return element(section, d.pick(["subtreecom", "subtreelinvel", "subtreeangmom"]), body=d.any("body"))
    if kind == "distance" and len(d.known("geom")) > 1:
        e = element(section, d.pick(["distance", "normal", "fromto"]), cutoff=d.value(0.1, 3))
        a, b = d.pair("geom")
        for side, g in (("1", a), ("2", b)):
            if d.chance(0.2) and d.known("body"):
                e.set("body" + side, d.any("body"))
            else:
                e.set("geom" + side, g)
        return e
    if kind == "contact":
        e = element(section, "contact", num=str(d.integer(1, 3)), data=d.pick(
            ["found", "force", "found force torque dist pos normal tangent", "dist normal", "pos"]),
            reduce=d.pick(["none", "mindist", "maxforce", "netforce"]))
        if d.chance(0.7):
            what = d.pick([k for k in ("geom", "body", "subtree", "site") if k != "site" or site])
            if what == "site":
                e.set("site", d.any("site"))
            elif what == "geom" and d.known("geom"):
                e.set("geom1", d.any("geom"))
            else:
                e.set({"geom": "body1", "body": "body1", "subtree": "subtree1"}[what], d.any("body"))
        return e
    if kind == "whole":
        return element(section, d.pick(["clock", "e_potential", "e_kinetic"]))
    if kind == "inside" and site:
        objtype, objname = frame(d)
        return element(section, "insidesite", site=d.any("site"), objtype=objtype, objname=objname)
    if kind == "camera" and d.known("camera") and site:
        return element(section, "camprojection", site=d.any("site"), camera=d.any("camera"))
    return None


def equalities(d, root):
    section = element(root, "equality")
    for _ in range(d.pick([0, 0, 0, 1, 2, 3])):
        kind = d.pick(["connect", "weld", "joint", "tendon", "connect", "weld"])
        if kind in ("connect", "weld"):
            e = element(section, kind)
            if len(d.known("site")) > 1 and d.chance(0.4):
                a, b = d.pair("site")
                e.set("site1", a)
                e.set("site2", b)
            else:
                e.set("body1", d.any("body"))
                if len(d.known("body")) > 1 and d.chance(0.6):
                    e.set("body2", d.pick([b for b in d.known("body") if b != e.get("body1")]))
                if kind == "connect" or d.chance(0.4):
                    e.set("anchor", d.values(-0.2, 0.2, 3))
                if kind == "weld":
                    d.maybe(e, 0.3, relpose=lambda: d.values(-0.2, 0.2, 3) + " " + d.normal(1, 4))
            if kind == "weld":
                d.maybe(e, 0.3, torquescale=lambda: d.value(0, 3))
        elif kind == "joint" and d.known("scalar"):
            e = element(section, "joint", joint1=d.any("scalar"))
            others = [j for j in d.known("scalar") if j != e.get("joint1")]
            if others and d.chance(0.7):
                e.set("joint2", d.pick(others))
            d.maybe(e, 0.7, polycoef=lambda: d.values(-0.5, 0.5, 5))
        elif kind == "tendon" and d.known("tendon"):
            e = element(section, "tendon", tendon1=d.any("tendon"))
            others = [t for t in d.known("tendon") if t != e.get("tendon1")]
            if others and d.chance(0.7):
                e.set("tendon2", d.pick(others))
            d.maybe(e, 0.7, polycoef=lambda: d.values(-0.5, 0.5, 5))
        else:
            continue
        d.row_attributes(e)
        d.maybe(e, 0.1, active=lambda: "false")


def pairs(d, root):
    section = element(root, "contact")
    if len(d.known("geom")) > 1 and d.chance(0.2):
        a, b = d.pair("geom")
        e = element(section, "pair", geom1=a, geom2=b)
        d.maybe(e, 0.4, condim=lambda: d.pick(["1", "3", "4", "6"]), friction=lambda: d.values(0.01, 1.5, 5), margin=lambda: d.value(0, 0.05),
                gap=lambda: d.value(0, 0.02), solreffriction=lambda: numbers([d.value(0.005, 0.05), d.value(0.5, 1.5)]))
        d.row_attributes(e)
    if len(d.known("body")) > 1 and d.chance(0.15):
        a, b = d.pair("body")
        element(section, "exclude", body1=a, body2=b)


def keyframes(d, root):
    """Times and controls; positions would need the compiled sizes."""
    if d.chance(0.1):
        key = element(element(root, "keyframe"), "key", time=d.value(0, 2))
        actuators = len(d.known("actuator"))
        if actuators and not d.known("model"):
            key.set("ctrl", d.values(-1, 1, actuators))
        if len(d.known("mocap")) == 1:
            key.set("mpos", d.values(-0.5, 0.5, 3))
