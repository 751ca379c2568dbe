"""The tree: bodies, joints, geoms, sites, cameras, lights, frames, copies, attached models, cables and flexes."""
import numpy as np

from draw import element, numbers

SIZES = {"sphere": 1, "capsule": 2, "cylinder": 2, "ellipsoid": 3, "box": 3}
DOFS = {"hinge": 1, "slide": 1, "ball": 3, "free": 6}
MOST_DOFS = 45


def classes(d, parent, kinds=("geom", "joint", "site")):
    """Default classes, nested."""
    for _ in range(d.integer(0, 2)):
        default = element(parent, "default", class_=d.name("class"))
        if d.chance(0.5):
            g = element(default, "geom")
            d.maybe(g, 0.4, friction=lambda: d.values(0.1, 1, 3), condim=lambda: d.pick(["1", "3", "4", "6"]),
                    density=lambda: d.value(100, 5000), margin=lambda: d.value(0, 0.02))
            d.row_attributes(g)
        if d.chance(0.5):
            j = element(default, "joint")
            d.maybe(j, 0.4, damping=lambda: d.value(0, 1), armature=lambda: d.value(0.001, 0.2), stiffness=lambda: d.value(0, 5),
                    frictionloss=lambda: d.value(0, 0.3))
        if d.chance(0.3):
            element(default, "site", size=d.values(0.01, 0.1, 1))
        if d.chance(0.3):
            classes(d, default)


def joint(d, body, kind):
    name = d.name("joint")
    d.dofs += DOFS[kind]
    if kind == "free" and d.chance(0.7):
        e = element(body, "freejoint", name=name)
        d.maybe(e, 0.2, align=lambda: d.pick(["auto", "true", "false"]))
        return
    e = element(body, "joint", name=name, type=kind)
    if d.known("class"):
        d.maybe(e, 0.2, class_=lambda: d.any("class"))
        if "class_" in e.attrib:
            e.set("class", e.attrib.pop("class_"))
    if kind in ("hinge", "slide"):
        d.names.setdefault("scalar", []).append(name)
        e.set("axis", d.normal() if d.chance(0.7) else d.pick(["1 0 0", "0 1 0", "0 0 1"]))
        angle = 57.3 if kind == "hinge" else 1
        d.maybe(e, 0.15, ref=lambda: d.value(-0.5, 0.5) * angle, springref=lambda: d.value(-0.5, 0.5) * angle)
        d.maybe(e, 0.15, actuatorfrcrange=lambda: d.around_zero(20), springdamper=lambda: d.values(0.05, 1, 2))
    if kind == "ball":
        d.names.setdefault("ball", []).append(name)
    d.maybe(e, 0.3, damping=lambda: d.value(0, 2), armature=lambda: d.value(0.0005, 0.3))
    if kind != "free":
        d.maybe(e, 0.3, pos=lambda: d.values(-0.1, 0.1, 3), stiffness=lambda: d.value(0, 20))
        d.maybe(e, 0.2, frictionloss=lambda: d.value(0, 0.5))
        if d.chance(0.35):
            d.names.setdefault("limited", []).append(name)
            high = 60 if kind != "slide" else 0.3
            e.set("range", f"0 {d.value(5, 90)!r}" if kind == "ball" else d.around_zero(high))
            if d.chance(0.3):
                e.set("limited", "true")
            d.maybe(e, 0.3, margin=lambda: d.value(0, 0.1))
            d.row_attributes(e, "limit")
        if "frictionloss" in e.attrib:
            d.row_attributes(e, "friction")
        d.maybe(e, 0.1, actuatorgravcomp=lambda: d.switch(), group=lambda: str(d.integer(0, 5)))


def geom(d, parent, static=False):
    e = element(parent, "geom")
    if d.chance(0.85):
        e.set("name", d.name("geom"))
    if d.known("class"):
        d.maybe(e, 0.15, **{"class": lambda: d.any("class")})
    kinds = list(SIZES) + (["mesh", "mesh"] if d.known("mesh") else []) + (["plane"] if static else [])
    kinds += ["hfield", "hfield"] if static and d.known("hfield") else []
    kind = d.pick(kinds)
    e.set("type", kind)
    if kind in ("mesh", "hfield"):
        e.set(kind, d.any(kind))
    elif kind == "plane":
        e.set("size", d.pick(["3 3 .1", "0 0 1", "1 2 3"]))
    elif d.known("mesh") and kind != "cylinder" and d.chance(0.1):
        e.set("mesh", d.any("mesh"))
        d.maybe(e, 0.3, fitscale=lambda: d.value(0.6, 1.2))
    else:
        if kind in ("capsule", "cylinder", "box", "ellipsoid") and d.chance(0.2):
            e.set("fromto", d.values(-0.12, 0.12, 6))
            e.set("size", d.values(0.02, 0.08, 2 if kind in ("box", "ellipsoid") else 1))
        else:
            e.set("size", d.values(0.03, 0.14, SIZES[kind]))
        if kind in ("sphere", "cylinder") and "name" in e.attrib:
            d.names.setdefault("round", []).append(e.get("name"))
    if "fromto" not in e.attrib:
        d.maybe(e, 0.5, pos=lambda: d.values(-0.12, 0.12, 3))
        d.orientation(e, 0.3)
    d.maybe(e, 0.3, condim=lambda: d.pick(["1", "3", "4", "6"]), friction=lambda: " ".join(
        [d.values(0, 1.8, 1), d.values(0, 0.1, 1), d.values(0, 0.03, 1)]))
    d.maybe(e, 0.12, priority=lambda: str(d.integer(-1, 2)), solmix=lambda: d.pick([0.0, 1.0, d.value(0, 5)]),
            contype=lambda: str(d.integer(0, 3)), conaffinity=lambda: str(d.integer(0, 3)), group=lambda: str(d.integer(0, 5)),
            margin=lambda: d.value(0, 0.03), gap=lambda: d.value(0, 0.01), mass=lambda: d.pick([0.0, d.value(0.1, 5)]))
    d.maybe(e, 0.12, density=lambda: d.value(50, 8000), shellinertia=lambda: d.switch() if kind not in ("mesh", "plane", "hfield") else "false",
            fluidshape=lambda: d.pick(["ellipsoid", "none"]), rgba=lambda: d.values(0, 1, 4))
    if d.known("material"):
        d.maybe(e, 0.2, material=lambda: d.any("material"))
    d.row_attributes(e, p=0.15)


def site(d, parent):
    kind = d.pick(["sphere", "capsule", "cylinder", "ellipsoid", "box"])
    e = element(parent, "site", name=d.name("site"), type=kind, pos=d.values(-0.2, 0.2, 3))
    d.maybe(e, 0.5, size=lambda: d.values(0.01, 0.15, 3))
    d.orientation(e, 0.4)


def camera(d, parent, kind):
    """A camera or a light."""
    e = element(parent, kind, name=d.name(kind), pos=d.values(-1, 1, 3))
    modes = ["fixed", "track", "trackcom"] + (["targetbody", "targetbodycom"] if d.known("body") else [])
    e.set("mode", d.pick(modes))
    if e.get("mode").startswith("target"):
        e.set("target", d.any("body"))
    if kind == "light":
        d.maybe(e, 0.5, dir=lambda: d.normal())
    else:
        d.orientation(e, 0.5)
        d.maybe(e, 0.2, fovy=lambda: d.value(20, 100), ipd=lambda: d.value(0.01, 0.1), resolution=lambda: "16 9")


def framed(d, parent, p=0.12):
    """The parent, or a frame within it."""
    if not d.chance(p):
        return parent
    e = element(parent, "frame")
    d.maybe(e, 0.6, pos=lambda: d.values(-0.2, 0.2, 3))
    d.orientation(e, 0.6)
    if d.known("class"):
        d.maybe(e, 0.2, childclass=lambda: d.any("class"))
    return framed(d, e, p)


def body(d, parent, depth, top):
    name = d.name("body")
    e = element(framed(d, parent), "body", name=name)
    e.set("pos", numbers([d.value(-0.7, 0.7), d.value(-0.7, 0.7), d.value(0, 1.2)]) if top else d.values(-0.25, 0.25, 3))
    d.orientation(e, 0.4)
    d.maybe(e, 0.12, gravcomp=lambda: d.value(-0.5, 1.3))
    if d.known("class"):
        d.maybe(e, 0.12, childclass=lambda: d.any("class"))
    if top and d.chance(0.12):
        e.set("mocap", "true")
        d.names.setdefault("mocap", []).append(name)
        kinds = []
    elif top and d.chance(0.5):
        kinds = ["free"]
        if d.sleep:
            d.maybe(e, 0.4, sleep=lambda: d.pick(["auto", "never", "allowed", "init"]))
    else:
        kinds = d.pick([["hinge"], ["hinge"], ["slide"], ["ball"], ["hinge", "hinge"], ["slide", "hinge"], ["slide", "ball"],
                        ["hinge", "slide", "hinge"], ["slide", "slide", "slide"], []])
    for kind in kinds:
        joint(d, e, kind)
    inertial = d.chance(0.12)
    if inertial:
        principal = np.sort(d.rng.uniform(0.02, 0.039, 3))
        i = element(e, "inertial", pos=d.values(-0.05, 0.05, 3), mass=d.value(0.1, 5))
        if d.chance(0.3):
            i.set("fullinertia", numbers([*principal, *d.rng.uniform(-0.003, 0.003, 3)]))
        else:
            i.set("diaginertia", numbers(principal))
            d.orientation(i, 0.5)
    for _ in range(d.integer(0 if inertial else 1, 3)):
        geom(d, framed(d, e))
    for _ in range(d.integer(0, 2)):
        site(d, framed(d, e))
    for kind in ("camera", "light"):
        if d.chance(0.08):
            camera(d, framed(d, e), kind)
    if depth > 0 and d.dofs < MOST_DOFS:
        for _ in range(d.pick([0, 0, 1, 1, 2])):
            body(d, e, depth - 1, False)


def replicate(d, world):
    e = element(world, "replicate", count=str(d.integer(1, 5)))
    d.maybe(e, 0.7, offset=lambda: d.values(-0.3, 0.3, 3))
    d.maybe(e, 0.4, euler=lambda: d.values(-60, 60, 3), sep=lambda: d.pick(["-", "_", "x"]))
    kept = {k: list(v) for k, v in d.names.items()}
    if d.chance(0.7):
        b = element(e, "body", pos=numbers([d.value(-0.5, 0.5), d.value(-0.5, 0.5), d.value(0.1, 1)]))
        joint(d, b, d.pick(["free", "free", "hinge", "slide"]))
        geom(d, b)
        if d.chance(0.3):
            site(d, b)
        d.dofs += 6 * int(e.get("count"))
    elif d.chance(0.5):
        geom(d, e, static=True)
    else:
        inner = element(e, "replicate", count="2", offset="0 .3 0")
        site(d, inner)
    # Names inside are suffixed in the copies: nobody refers to them.
    used = {k: len(v) for k, v in d.names.items()}
    d.names = kept
    for kind, count in used.items():
        known = d.names.setdefault("gone", [])
        known += ["-"] * (count - len(d.names.get(kind, [])))


def cable(d, world):
    e = element(world, "composite", prefix=f"cable{len(d.known('cable'))}", type="cable", curve=d.pick(["s", "cos(s) sin(s) s", "s 0 0"]),
                count=f"{d.integer(4, 8)} 1 1", size=".5 .1 .2", offset=d.values(0, 1, 3), initial=d.pick(["none", "free", "ball"]))
    d.name("cable")
    d.dofs += 24
    element(e, "joint", kind="main", damping=d.value(0.001, 0.1), armature=d.value(0.0001, 0.01))
    element(e, "geom", type=d.pick(["capsule", "box", "cylinder"]), size=".02 .03 .02", rgba="1 0 0 1")


def flexcomp(d, world):
    kind = d.pick(["grid", "grid", "square", "circle", "box", "direct"])
    name = d.name("flex")
    e = element(world, "flexcomp", name=name, pos=numbers([d.value(-0.3, 0.3), d.value(-0.3, 0.3), d.value(0.3, 1)]), mass=d.value(0.05, 1),
                radius=d.value(0.005, 0.02))
    dim = 2
    if kind == "grid":
        dim = d.integer(1, 3)
        e.set("type", "grid")
        e.set("count", {1: f"{d.integer(3, 6)} 1 1", 2: f"{d.integer(2, 4)} 3 1", 3: "2 3 2"}[dim])
        e.set("spacing", ".08 .09 .1")
    elif kind in ("square", "box"):
        dim = 2 if kind == "square" else 3
        e.set("type", kind)
        e.set("count", "3 3 2" if kind == "box" else "3 3 1")
        e.set("spacing", ".08 .09 .1")
    elif kind == "circle":
        dim = 1
        e.set("type", "circle")
        e.set("count", "5 1 1")
        e.set("spacing", ".08 .08 .08")
    else:
        dim = 3
        e.set("type", "direct")
        e.set("point", "0 0 0 .1 0 0 0 .1 0 0 0 .1 .1 .1 .1")
        e.set("element", "0 1 2 3 1 2 3 4")
    e.set("dim", str(dim))
    d.orientation(e, 0.3)
    if d.chance(0.3):
        element(e, "pin", id="0")
    if dim > 1 and d.chance(0.3):
        e.set("dof", d.pick(["full", "radial", "trilinear"] if dim == 3 and kind != "direct" else ["full", "radial"]))
    edge = element(e, "edge")
    if "dof" not in e.attrib and d.chance(0.5):
        edge.set("equality", "true")
    else:
        d.maybe(edge, 0.4 if dim == 1 else 0, stiffness=lambda: d.value(1, 100))
    d.maybe(edge, 0.4, damping=lambda: d.value(0.01, 0.5))
    if dim > 1 and edge.get("equality") != "true" and d.chance(0.7):
        element(e, "elasticity", young=d.value(1e2, 1e4), poisson=d.value(0, 0.4), thickness=d.value(0.002, 0.01), damping=d.value(0, 0.01),
                **({"elastic2d": d.pick(["none", "bend", "stretch", "both"])} if dim == 2 else {}))
    c = element(e, "contact")
    d.maybe(c, 0.3, selfcollide=lambda: d.pick(["none", "auto", "narrow", "bvh", "sap"]), internal=lambda: "false",
            condim=lambda: d.pick(["1", "3"]), margin=lambda: d.value(0, 0.01))


def attach(d, root, world):
    """A model of its own, attached as a whole or in part."""
    file = f"child{len(d.files)}.xml"
    name = d.name("model")
    element(root.find("asset"), "model", name=name, file=file)
    frame = element(world, "frame", pos=numbers([d.value(-0.5, 0.5), d.value(-0.5, 0.5), d.value(0.2, 1)]))
    prefix = f"x{len(d.files)}_"
    e = element(frame, "attach", model=name, prefix=prefix)
    part = d.chance(0.6)
    if part:
        e.set("body", "base")
    text = (
        f'<mujoco model="{name}"><compiler angle="{d.pick(["degree", "radian"])}"/><option timestep="{d.pick([0.001, 0.003])}"/>'
        f'<default><geom density="{d.value(200, 900)!r}"/><default class="inner"><geom condim="4"/></default></default>'
        f'<worldbody><body name="base" pos="{d.values(-0.2, 0.2, 3)}"><joint name="j" axis="{d.normal()}" damping="1" range="-1 1.2"/>'
        f'<geom name="g" type="box" size="{d.values(0.03, 0.06, 3)}"/><site name="s"/>'
        f'<body name="tip" pos="0 0 .2"><joint name="k" type="slide"/><geom class="inner" size=".05"/></body></body></worldbody>'
        f'<contact><exclude body1="base" body2="tip"/></contact><tendon><fixed name="t"><joint joint="j" coef=".5"/><joint joint="k" coef="1"/></fixed></tendon>'
        f'<equality><joint joint1="j" joint2="k" active="{d.switch()}"/></equality>'
        f'<actuator><motor name="m" joint="j"/><position name="p" tendon="t" kp="3"/></actuator>'
        f'<sensor><jointpos joint="j"/><framepos objtype="site" objname="s"/></sensor>'
        f'<keyframe><key name="k" qpos=".1 .02" ctrl=".3 .1"/></keyframe></mujoco>')
    d.files[file] = text.encode()
    d.dofs += 2
    for kind, inner in [("body", "base"), ("body", "tip"), ("joint", "j"), ("scalar", "k"), ("joint", "k"), ("geom", "g"), ("site", "s")]:
        d.names.setdefault(kind, []).append(prefix + inner)


def world(d, root):
    w = element(root, "worldbody")
    if d.chance(0.75):
        floor = element(w, "geom", name="floor", type="plane", size="5 5 .1")
        d.maybe(floor, 0.3, margin=lambda: d.value(0, 0.02), condim=lambda: d.pick(["1", "3", "4", "6"]))
        d.names.setdefault("geom", []).append("floor")
    for _ in range(d.pick([0, 0, 1, 2])):
        geom(d, framed(d, w), static=True)
    site(d, w)
    for _ in range(d.integer(1, 5)):
        if d.dofs < MOST_DOFS:
            body(d, w, d.integer(0, 3), True)
    if d.chance(0.12):
        replicate(d, w)
    if d.chance(0.1):
        attach(d, root, w)
    if d.chance(0.04):
        cable(d, w)
    if d.chance(0.08):
        flexcomp(d, w)
    if d.chance(0.15):
        camera(d, w, "camera")
    return w
