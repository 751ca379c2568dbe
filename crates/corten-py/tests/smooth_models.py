"""Random models that combine joints, tendons, transmissions, actuators, sensors, fluid, cameras and lights."""
import numpy as np


def numbers(values):
    return " ".join(f"{float(x):.6g}" for x in np.atleast_1d(values))


class Generator:
    """Writes one model; the same seed gives the same text."""

    def __init__(self, seed, constraints=False):
        self.rng = np.random.default_rng(seed)
        self.constraints = constraints
        self.joints, self.scalar, self.balls = [], [], []
        self.sites, self.geoms, self.round, self.bodies, self.cameras = ["ground"], [], [], [], []
        self.limited = []
        self.last = None

    def chance(self, p):
        return self.rng.random() < p

    def vec(self, scale=1.0, n=3):
        return numbers(scale * self.rng.standard_normal(n))

    def uniform(self, low, high, n=1):
        return numbers(self.rng.uniform(low, high, n))

    def pick(self, items):
        return items[self.rng.integers(len(items))]

    def orientation(self):
        return self.pick(["", f'quat="{self.vec(1, 4)}"', f'axisangle="{self.vec()} {self.uniform(-180, 180)}"',
                          f'euler="{self.uniform(-90, 90, 3)}"', f'zaxis="{self.vec()}"'])

    def joint(self, kind, name):
        a = [f'name="{name}" type="{kind}"']
        if kind in ("hinge", "slide"):
            a.append(f'axis="{self.vec()}"')
        if kind != "free":
            if self.chance(0.5):
                a.append(f'pos="{self.vec(0.1)}"')
        if kind in ("hinge", "slide") and self.chance(0.3):
            a.append(f'ref="{self.uniform(-0.5, 0.5)}"')
        if kind in ("hinge", "slide") and self.chance(0.3):
            a.append(f'springref="{self.uniform(-0.5, 0.5)}"')
        if self.chance(0.5):
            a.append(f'stiffness="{self.uniform(0.1, 5)}"')
        if self.chance(0.6):
            a.append(f'damping="{self.uniform(0.01, 1)}"')
        if self.chance(0.4):
            a.append(f'armature="{self.uniform(0.01, 0.3)}"')
        if kind in ("hinge", "slide") and self.chance(0.3):
            a.append(f'actuatorfrcrange="{self.uniform(-2, -0.1)} {self.uniform(0.1, 2)}"')
        if self.chance(0.3):
            a.append('actuatorgravcomp="true"')
        if self.constraints and kind != "free":
            if self.chance(0.4):
                low = "0" if kind == "ball" else self.uniform(-40, -5) if kind == "hinge" else self.uniform(-0.3, 0)
                high = self.uniform(5, 40) if kind != "slide" else self.uniform(0, 0.3)
                a.append(f'limited="true" range="{low} {high}"')
                if kind in ("hinge", "slide"):
                    self.limited.append(name)
            if self.chance(0.3):
                a.append(f'frictionloss="{self.uniform(0.05, 0.5)}"')
        self.joints.append(name)
        if kind in ("hinge", "slide"):
            self.scalar.append(name)
        if kind == "ball":
            self.balls.append(name)
        return f'<joint {" ".join(a)}/>'

    def geom(self, body):
        kind = self.pick(["sphere", "capsule", "cylinder", "ellipsoid", "box"])
        size = {"sphere": 1, "capsule": 2, "cylinder": 2, "ellipsoid": 3, "box": 3}[kind]
        name = f"g{len(self.geoms)}"
        a = f'name="{name}" type="{kind}" size="{self.uniform(0.03, 0.15, size)}" pos="{self.vec(0.1)}" {self.orientation()}'
        a += ' contype="0" conaffinity="0"'
        if self.chance(0.5):
            a += ' fluidshape="ellipsoid"'
            if self.chance(0.5):
                a += f' fluidcoef="{self.uniform(0.1, 2, 5)}"'
        if self.chance(0.3):
            a += f' mass="{self.uniform(0.1, 3)}"'
        self.geoms.append(name)
        if kind in ("sphere", "cylinder"):
            self.round.append(name)
        return f"<geom {a}/>"

    def site(self):
        name = f"s{len(self.sites)}"
        self.sites.append(name)
        kind = self.pick(["sphere", "box", "capsule", "ellipsoid", "cylinder"])
        return f'<site name="{name}" type="{kind}" size="{self.uniform(0.02, 0.1, 3)}" pos="{self.vec(0.15)}" {self.orientation()}/>'

    def camera(self):
        mode = self.pick(["fixed", "track", "trackcom", "targetbody", "targetbodycom"])
        name = f"c{len(self.cameras)}"
        self.cameras.append(name)
        target = f'target="{self.pick(self.bodies)}"' if mode.startswith("target") else ""
        return f'<camera name="{name}" mode="{mode}" {target} pos="{self.vec()}" {self.orientation()}/>'

    def light(self):
        mode = self.pick(["fixed", "track", "trackcom", "targetbody", "targetbodycom"])
        target = f'target="{self.pick(self.bodies)}"' if mode.startswith("target") else ""
        return f'<light mode="{mode}" {target} pos="{self.vec()}" dir="{self.vec()}"/>'

    def body(self, depth, top):
        name = f"b{len(self.bodies)}"
        self.bodies.append(name)
        gravcomp = f'gravcomp="{self.uniform(0, 1.2)}"' if self.chance(0.3) else ""
        out = [f'<body name="{name}" pos="{self.vec(0.4)}" {self.orientation()} {gravcomp}>']
        if top and self.chance(0.4):
            kinds = ["free"]
        else:
            kinds = self.pick([["hinge"], ["slide"], ["ball"], ["hinge", "hinge"], ["slide", "hinge"], ["slide", "ball"],
                               ["hinge", "slide", "hinge"], []])
        for k, kind in enumerate(kinds):
            out.append(self.joint(kind, f"{name}j{k}"))
        if self.chance(0.25):
            inertia = np.sort(self.rng.uniform(0.02, 0.04, 3))
            out.append(f'<inertial pos="{self.vec(0.05)}" mass="{self.uniform(0.2, 3)}" diaginertia="{numbers(inertia)}" {self.orientation()}/>')
        for _ in range(self.rng.integers(1, 4)):
            out.append(self.geom(name))
        for _ in range(self.rng.integers(1, 4)):
            out.append(self.site())
        if self.chance(0.5):
            out.append(self.camera())
        if self.chance(0.5):
            out.append(self.light())
        if depth > 0:
            for _ in range(self.rng.integers(0, 3)):
                out.append(self.body(depth - 1, False))
        out.append("</body>")
        return "\n".join(out)

    def path_site(self):
        """A site other than the one before."""
        self.last = self.pick([s for s in self.sites if s != self.last])
        return f'<site site="{self.last}"/>'

    def tendons(self):
        out = []
        self.tendon_names = []
        for k in range(self.rng.integers(1, 5)):
            a = [f'name="t{k}"']
            for attribute, low, high, p in [("stiffness", 0.1, 5, 0.5), ("damping", 0.01, 1, 0.5)]:
                if self.chance(p):
                    a.append(f'{attribute}="{self.uniform(low, high)}"')
            if self.chance(0.4):
                low = self.rng.uniform(0, 0.4)
                a.append(f'springlength="{numbers([low, low + self.rng.uniform(0, 0.3)])}"')
            if self.chance(0.3):
                a.append(f'actuatorfrcrange="{self.uniform(-1, -0.1)} {self.uniform(0.1, 1)}"')
            if self.constraints and self.chance(0.4):
                a.append(f'limited="true" range="0 {self.uniform(0.2, 1)}"')
            if self.constraints and self.chance(0.3):
                a.append(f'frictionloss="{self.uniform(0.05, 0.5)}"')
            if self.scalar and self.chance(0.4):
                count = min(len(self.scalar), self.rng.integers(1, 4))
                path = [f'<joint joint="{j}" coef="{self.uniform(-2, 2)}"/>' for j in self.rng.choice(self.scalar, count, replace=False)]
                if self.chance(0.5):
                    a.append(f'armature="{self.uniform(0.01, 0.2)}"')
                out.append(f'<fixed {" ".join(a)}>{"".join(path)}</fixed>')
            else:
                path = [self.path_site()]
                wraps = False
                for _ in range(self.rng.integers(1, 4)):
                    if self.round and self.chance(0.6):
                        side = f'sidesite="{self.pick(self.sites)}"' if self.chance(0.5) else ""
                        path.append(f'<geom geom="{self.pick(self.round)}" {side}/>')
                        wraps = True
                    path.append(self.path_site())
                    if self.chance(0.25):
                        path.append(f'<pulley divisor="{self.uniform(1, 3)}"/>{self.path_site()}{self.path_site()}')
                if not wraps and self.chance(0.3):
                    a.append(f'armature="{self.uniform(0.01, 0.2)}"')
                out.append(f'<spatial {" ".join(a)}>{"".join(path)}</spatial>')
            self.tendon_names.append(f"t{k}")
        return "\n".join(out)

    def transmission(self, site=True):
        gear = f'gear="{self.uniform(-2, 2, 6)}"'
        kinds = ["tendon", "crank"] + (["site", "refsite"] if site else []) + (["joint", "parent"] if self.joints else [])
        kind = self.pick(kinds)
        if kind == "joint":
            return f'joint="{self.pick(self.joints)}" {gear}'
        if kind == "parent":
            return f'jointinparent="{self.pick(self.joints)}" {gear}'
        if kind == "tendon":
            return f'tendon="{self.pick(self.tendon_names)}" gear="{self.uniform(-2, 2)}"'
        if kind == "crank":
            return f'cranksite="{self.pick(self.sites)}" slidersite="{self.pick(self.sites)}" cranklength="{self.uniform(0.1, 1)}" gear="{self.uniform(-2, 2)}"'
        ref = f'refsite="{self.pick(self.sites)}"' if kind == "refsite" else ""
        return f'site="{self.pick(self.sites)}" {ref} {gear}'

    def actuators(self):
        out = []
        self.actuator_names = []
        for k in range(self.rng.integers(1, 9)):
            kind = self.pick(["motor", "position", "velocity", "intvelocity", "damper", "cylinder", "muscle", "general", "general"])
            a = [f'name="a{k}"', self.transmission(kind not in ("muscle", "cylinder")), f'group="{self.rng.integers(0, 4)}"']
            if self.chance(0.4):
                a.append(f'ctrllimited="true" ctrlrange="{self.uniform(-0.8, 0)} {self.uniform(0.1, 0.8)}"')
            if self.chance(0.4):
                a.append(f'forcelimited="true" forcerange="{self.uniform(-2, -0.1)} {self.uniform(0.1, 2)}"')
            if kind == "position":
                a.append(f'kp="{self.uniform(0.5, 10)}" kv="{self.uniform(0, 1)}"' + (f' timeconst="{self.uniform(0.01, 0.1)}"' if self.chance(0.3) else ""))
            elif kind == "velocity":
                a.append(f'kv="{self.uniform(0.1, 2)}"')
            elif kind == "intvelocity":
                a.append(f'kp="{self.uniform(0.5, 5)}" actrange="{self.uniform(-1, 0)} {self.uniform(0.1, 1)}"')
            elif kind == "damper":
                a = [x for x in a if not x.startswith("ctrllimited")]
                a.append(f'kv="{self.uniform(0.1, 2)}" ctrlrange="0 {self.uniform(0.5, 2)}"')
            elif kind == "cylinder":
                a.append(f'timeconst="{self.uniform(0.1, 1)}" bias="{self.uniform(-1, 1, 3)}" area="{self.uniform(0.5, 2)}"')
            elif kind == "muscle":
                # The force that follows from a moment close to zero is a matter of rounding.
                force = "" if "joint" in a[1] and self.chance(0.5) else f'force="{self.uniform(1, 20)}"'
                smooth = self.pick(["", f'tausmooth="{self.uniform(0.1, 0.5)}"'])
                a.append(f'lengthrange="{self.uniform(-0.5, 0.3)} {self.uniform(0.5, 2)}" {force} {smooth} scale="{self.uniform(1, 20)}"')
            elif kind == "general":
                dyn = self.pick(["none", "integrator", "filter", "filterexact", "muscle"])
                a.append(f'dyntype="{dyn}" dynprm="{self.uniform(0.02, 0.5, 3)}"')
                a.append(f'gaintype="{self.pick(["fixed", "affine"])}" gainprm="{self.uniform(-2, 2, 3)}"')
                a.append(f'biastype="{self.pick(["none", "affine"])}" biasprm="{self.uniform(-2, 2, 3)}"')
                if dyn != "none":
                    if self.chance(0.5):
                        a.append('actearly="true"')
                    if self.chance(0.5):
                        a.append(f'actlimited="true" actrange="{self.uniform(-0.5, 0.1)} {self.uniform(0.2, 0.8)}"')
            out.append(f'<{kind} {" ".join(a)}/>')
            self.actuator_names.append(f"a{k}")
        return "\n".join(out)

    def frame(self):
        choices = [("body", self.bodies), ("xbody", self.bodies), ("geom", self.geoms), ("site", self.sites)]
        if self.cameras:
            choices.append(("camera", self.cameras))
        kind, names = self.pick(choices)
        return kind, self.pick(names)

    def sensors(self):
        out = []

        def add(kind, **attributes):
            a = " ".join(f'{k}="{v}"' for k, v in attributes.items())
            cut = f' cutoff="{self.uniform(0.05, 2)}"' if self.chance(0.2) and kind not in ("framequat", "ballquat", "framexaxis", "frameyaxis", "framezaxis", "magnetometer", "distance", "normal", "fromto") else ""
            noise = f' noise="{self.uniform(0, 0.1)}"' if self.chance(0.2) else ""
            out.append(f"<{kind} {a}{cut}{noise}/>")

        for kind in ["accelerometer", "velocimeter", "gyro", "force", "torque", "magnetometer", "touch", "rangefinder"]:
            if self.chance(0.7):
                add(kind, site=self.pick(self.sites))
        if self.cameras and self.chance(0.7):
            out.append(f'<camprojection site="{self.pick(self.sites)}" camera="{self.pick(self.cameras)}"/>')
        for kind in ["jointpos", "jointvel", "jointactuatorfrc"]:
            if self.scalar and self.chance(0.8):
                add(kind, joint=self.pick(self.scalar))
        for kind in ["jointlimitpos", "jointlimitvel", "jointlimitfrc"]:
            if self.limited and self.chance(0.5):
                add(kind, joint=self.pick(self.limited))
        for kind in ["tendonpos", "tendonvel", "tendonactuatorfrc"]:
            add(kind, tendon=self.pick(self.tendon_names))
        for kind in ["actuatorpos", "actuatorvel", "actuatorfrc"]:
            add(kind, actuator=self.pick(self.actuator_names))
        for kind in ["ballquat", "ballangvel"]:
            if self.balls:
                add(kind, joint=self.pick(self.balls))
        for kind in ["framepos", "framequat", "framexaxis", "frameyaxis", "framezaxis", "framelinvel", "frameangvel"]:
            for _ in range(2):
                objtype, objname = self.frame()
                reference = {}
                if self.chance(0.6):
                    reftype, refname = self.frame()
                    reference = dict(reftype=reftype, refname=refname)
                add(kind, objtype=objtype, objname=objname, **reference)
        for kind in ["framelinacc", "frameangacc"]:
            objtype, objname = self.frame()
            add(kind, objtype=objtype, objname=objname)
        for kind in ["subtreecom", "subtreelinvel", "subtreeangmom"]:
            add(kind, body=self.pick(self.bodies))
        if self.chance(0.5):
            objtype, objname = self.frame()
            add("insidesite", site=self.pick(self.sites), objtype=objtype, objname=objname)
        for kind in ["distance", "normal", "fromto"]:
            if self.chance(0.5) and len(self.geoms) > 1:
                g1, g2 = self.rng.choice(self.geoms, 2, replace=False)
                out.append(f'<{kind} geom1="{g1}" geom2="{g2}" cutoff="{self.uniform(0.1, 3)}"/>')
        for kind in ["e_potential", "e_kinetic", "clock"]:
            if self.chance(0.4):
                add(kind)
        self.rng.shuffle(out)
        return "\n".join(out)

    def equalities(self):
        out = []
        if len(self.scalar) > 1 and self.chance(0.5):
            a, b = self.rng.choice(self.scalar, 2, replace=False)
            out.append(f'<joint joint1="{a}" joint2="{b}" polycoef="{self.uniform(-0.5, 0.5, 5)}"/>')
        if len(self.tendon_names) > 1 and self.chance(0.4):
            a, b = self.rng.choice(self.tendon_names, 2, replace=False)
            out.append(f'<tendon tendon1="{a}" tendon2="{b}" polycoef="{self.uniform(-0.5, 0.5, 5)}"/>')
        if len(self.bodies) > 1 and self.chance(0.4):
            a, b = self.rng.choice(self.bodies, 2, replace=False)
            out.append(f'<connect body1="{a}" body2="{b}" anchor="{self.vec(0.2)}"/>')
        if len(self.bodies) > 1 and self.chance(0.4):
            a, b = self.rng.choice(self.bodies, 2, replace=False)
            out.append(f'<weld body1="{a}" body2="{b}" torquescale="{self.uniform(0.3, 2)}"/>')
        return f'<equality>{"".join(out)}</equality>' if out else ""

    def model(self):
        option = f'timestep="{self.uniform(0.0005, 0.004)}" gravity="{self.vec(5)}" magnetic="{self.vec()}"'
        if self.chance(0.6):
            option += f' density="{self.uniform(0.5, 100)}" viscosity="{self.uniform(0, 1)}"'
            if self.chance(0.6):
                option += f' wind="{self.vec(2)}"'
        trees = "\n".join(self.body(3, True) for _ in range(self.rng.integers(1, 4)))
        mocap = ""
        if self.chance(0.4):
            self.bodies.append("handle")
            mocap = f'<body name="handle" mocap="true" pos="{self.vec()}" {self.orientation()}>{self.geom("handle")}{self.site()}{self.camera()}</body>'
        tendons, actuators = self.tendons(), self.actuators()
        equalities = self.equalities() if self.constraints else ""
        return f"""<mujoco>
<option {option}><flag energy="enable"/></option>
<worldbody><site name="ground" pos="{self.vec()}" {self.orientation()}/>
{trees}
{mocap}
</worldbody>
<tendon>{tendons}</tendon>
<actuator>{actuators}</actuator>
{equalities}
<sensor>{self.sensors()}</sensor>
</mujoco>"""


def model(seed, constraints=False):
    return Generator(seed, constraints).model()
