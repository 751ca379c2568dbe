"""Random models: every kind of element, in combinations nobody thought of. The same seed gives the same files everywhere."""
import xml.etree.ElementTree as ET

import assets
import bodies
import relations
from case import Case
from draw import Draw, element, numbers

# Without nativeccd MuJoCo measures with another library, which docs/compatibility.md compares.
DISABLED = ["equality", "frictionloss", "limit", "contact", "spring", "damper", "gravity", "clampctrl", "warmstart", "filterparent", "actuation",
            "refsafe", "sensor", "midphase", "eulerdamp", "island"]
ENABLED = ["energy", "fwdinv", "invdiscrete", "override", "multiccd"]


def options(d, root):
    c = element(root, "compiler", angle=d.pick(["degree", "degree", "radian"]))
    d.maybe(c, 0.1, balanceinertia=lambda: "true", boundmass=lambda: d.value(0, 0.1), boundinertia=lambda: d.value(0, 0.01),
            settotalmass=lambda: d.value(1, 20), inertiagrouprange=lambda: "0 3", fusestatic=lambda: d.switch(), discardvisual=lambda: d.switch(),
            alignfree=lambda: d.switch(), inertiafromgeom=lambda: d.pick(["auto", "true"]), eulerseq=lambda: d.pick(["xyz", "ZYX", "XyZ"]))
    o = element(root, "option")
    d.maybe(o, 0.4, timestep=lambda: d.pick([0.0005, 0.001, 0.002, 0.005, d.value(0.0005, 0.008)]), integrator=lambda: d.pick(
        ["Euler", "RK4", "implicit", "implicitfast"]), solver=lambda: d.pick(["PGS", "CG", "Newton", "Newton"]),
        cone=lambda: d.pick(["pyramidal", "elliptic"]), jacobian=lambda: d.pick(["dense", "sparse", "auto"]))
    d.maybe(o, 0.15, impratio=lambda: d.value(0.3, 10), iterations=lambda: str(d.pick([1, 3, 20, 50, 100])), tolerance=lambda: d.pick(["1e-6", "1e-10", "0"]),
            ls_iterations=lambda: str(d.pick([5, 20, 50])), noslip_iterations=lambda: str(d.pick([1, 3, 20])), gravity=lambda: d.normal(5),
            wind=lambda: d.normal(2), density=lambda: d.value(0, 100), viscosity=lambda: d.value(0, 1), magnetic=lambda: d.normal())
    d.maybe(o, 0.06, o_margin=lambda: d.value(0, 0.02), o_solref=lambda: "0.03 0.9", o_friction=lambda: d.values(0.1, 1, 5), ccd_iterations=lambda: "20",
            actuatorgroupdisable=lambda: "1", sdf_iterations=lambda: "12")
    flag = element(o, "flag")
    for name in DISABLED:
        if d.chance(0.05):
            flag.set(name, "disable")
    for name in ENABLED:
        if d.chance(0.08):
            flag.set(name, "enable")
    d.sleep = d.chance(0.1)
    if d.sleep:
        flag.set("sleep", "enable")
        d.maybe(o, 0.5, sleep_tolerance=lambda: d.value(1e-4, 0.1))
    size = element(root, "size", memory="50M")
    d.maybe(size, 0.1, nuserdata=lambda: "3", nuser_body=lambda: "2")


def prune(root):
    """Without sections that are empty."""
    for section in [s for s in root if len(s) == 0 and not s.attrib and s.tag != "worldbody"]:
        root.remove(section)


def model(seed):
    d = Draw([seed, 20])
    root = ET.Element("mujoco", model=f"farm {seed}")
    options(d, root)
    default = element(root, "default")
    bodies.classes(d, default)
    assets.assets(d, root)
    bodies.world(d, root)
    if not d.known("body"):
        bodies.body(d, root.find("worldbody"), 0, True)
    relations.tendons(d, root)
    relations.actuators(d, root)
    relations.equalities(d, root)
    relations.pairs(d, root)
    relations.sensors(d, root)
    relations.keyframes(d, root)
    if d.chance(0.05):
        custom = element(root, "custom")
        element(custom, "numeric", name="n", data="1 2 3")
        element(custom, "text", name="words", data="a b")
    if d.known("flex"):
        # Rows of spin between geoms and flexes are not initialised in MuJoCo where Jacobians are sparse.
        for e in root.iter():
            if e.get("condim") in ("4", "6"):
                e.set("condim", "3")
    prune(root)
    return Case(root, d.files)
