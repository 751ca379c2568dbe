"""Random constrained models, written as MJCF: every kind of row, in combinations nobody thought of.

Geometry is kept to spheres, capsules, boxes and a plane, so that a difference comes from the rows or the solvers. The
same seed gives the same text on every machine.
"""
import numpy as np


def numbers(values):
    return " ".join(repr(float(v)) for v in np.atleast_1d(values))


class Writer:
    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)
        self.bodies, self.sites, self.joints, self.scalars, self.geoms = [], [], [], [], []

    def chance(self, p):
        return self.rng.random() < p

    def among(self, *choices):
        return choices[self.rng.integers(len(choices))]

    def uniform(self, low, high, n=1):
        return self.rng.uniform(low, high, n)

    # Attributes that rows of every kind share.
    def solver_attributes(self, suffix=""):
        out = ""
        if self.chance(0.5):
            if self.chance(0.3):
                out += f' solref{suffix}="{numbers([-self.uniform(50, 2000)[0], -self.uniform(1, 60)[0]])}"'
            else:
                out += f' solref{suffix}="{numbers([self.uniform(0.001, 0.08)[0], self.uniform(0.3, 1.6)[0]])}"'
        if self.chance(0.5):
            low, high = np.sort(self.uniform(0.3, 0.999, 2))
            width = self.among(0.0, 0.001, 0.01, 0.2)
            out += f' solimp{suffix}="{numbers([low, high, width, self.uniform(0.1, 0.9)[0], self.among(1, 2, 3.5)])}"'
        return out

    def joint(self, kind):
        name = f"j{len(self.joints)}"
        self.joints.append(name)
        out = f'<joint name="{name}" type="{kind}"'
        if kind in ("hinge", "slide"):
            self.scalars.append(name)
            out += f' axis="{numbers(self.rng.standard_normal(3))}" pos="{numbers(self.uniform(-0.05, 0.05, 3))}"'
        if kind != "free":
            if self.chance(0.5):
                if kind == "ball":
                    out += f' limited="true" range="0 {numbers(self.uniform(0.1, 0.6))}"'
                else:
                    out += f' limited="true" range="{numbers(np.sort(self.uniform(-0.5, 0.5, 2)))}"'
                if self.chance(0.5):
                    out += f' margin="{numbers(self.uniform(0, 0.3))}"'
                out += self.solver_attributes("limit")
            if self.chance(0.4):
                out += f' frictionloss="{numbers(self.uniform(0.01, 3))}"' + self.solver_attributes("friction")
            if self.chance(0.3):
                out += f' stiffness="{numbers(self.uniform(1, 20))}"'
        if self.chance(0.5):
            out += f' damping="{numbers(self.uniform(0.01, 1))}"'
        if self.chance(0.4):
            out += f' armature="{numbers(self.uniform(0.001, 0.3))}"'
        return out + "/>"

    def geom(self, scale=1.0):
        name = f"g{len(self.geoms)}"
        self.geoms.append(name)
        kind = self.among("sphere", "capsule", "box", "sphere")
        size = {"sphere": 1, "capsule": 2, "box": 3}[kind]
        out = f'<geom name="{name}" type="{kind}" size="{numbers(scale * self.uniform(0.05, 0.15, size))}"'
        out += f' pos="{numbers(self.uniform(-0.05, 0.05, 3))}" quat="{numbers(self.rng.standard_normal(4))}"'
        out += f' condim="{self.among(1, 3, 4, 6)}" friction="{numbers(self.uniform([0.1, 0.001, 0.0001], [1.5, 0.1, 0.05], 3))}"'
        if self.chance(0.3):
            margin = self.uniform(0, 0.05)[0]
            out += f' margin="{margin}" gap="{self.among(0.0, 0.3, 0.8) * margin}"'
        if self.chance(0.2):
            out += f' priority="{self.rng.integers(3)}"'
        if self.chance(0.3):
            out += f' solmix="{numbers(self.uniform(0.1, 2))}"'
        return out + self.solver_attributes() + "/>"

    def body(self, depth, root):
        name = f"b{len(self.bodies)}"
        self.bodies.append(name)
        place = [*self.uniform(-0.4, 0.4, 2), self.uniform(0.05, 0.35)[0]] if root else self.uniform(-0.2, 0.2, 3)
        out = f'<body name="{name}" pos="{numbers(place)}" quat="{numbers(self.rng.standard_normal(4))}">'
        if root and self.chance(0.6):
            out += self.joint("free")
        else:
            for kind in self.among(["hinge"], ["hinge"], ["slide"], ["ball"], ["slide", "hinge"], ["hinge", "ball"]):
                out += self.joint(kind)
        out += self.geom()
        if self.chance(0.2):
            out += self.geom()
        site = f"s{len(self.sites)}"
        self.sites.append(site)
        out += f'<site name="{site}" pos="{numbers(self.uniform(-0.1, 0.1, 3))}" quat="{numbers(self.rng.standard_normal(4))}"/>'
        if depth > 0:
            for _ in range(self.rng.integers(0, 3)):
                out += self.body(depth - 1, False)
        return out + "</body>"

    def tendons(self):
        out = ""
        count = self.rng.integers(0, 4)
        for t in range(count):
            spatial = not self.scalars or self.chance(0.5)
            out += f'<{"spatial" if spatial else "fixed"} name="t{t}"'
            if self.chance(0.6):
                out += f' limited="true" range="{numbers(np.sort(self.uniform(0, 0.8, 2)))}"'
                if self.chance(0.5):
                    out += f' margin="{numbers(self.uniform(0, 0.2))}"'
                out += self.solver_attributes("limit")
            if self.chance(0.5):
                out += f' frictionloss="{numbers(self.uniform(0.01, 2))}"' + self.solver_attributes("friction")
            if self.chance(0.3):
                out += f' stiffness="{numbers(self.uniform(1, 50))}" damping="{numbers(self.uniform(0, 2))}"'
            if self.chance(0.2):
                out += f' armature="{numbers(self.uniform(0.01, 0.3))}"'
            out += ">"
            if spatial:
                for s in self.rng.choice(len(self.sites), min(len(self.sites), 3), replace=False):
                    out += f'<site site="{self.sites[s]}"/>'
            else:
                for j in self.rng.choice(len(self.scalars), min(len(self.scalars), 2), replace=False):
                    out += f'<joint joint="{self.scalars[j]}" coef="{numbers(self.uniform(-1.5, 1.5))}"/>'
            out += f'</{"spatial" if spatial else "fixed"}>'
        return count, out

    def equalities(self, tendons):
        out = ""
        pick = lambda names, n: [names[i] for i in self.rng.choice(len(names), n, replace=False)]
        for _ in range(self.rng.integers(0, 4)):
            kind = self.among("connect", "weld", "joint", "tendon", "connect", "weld")
            tail = self.solver_attributes() + (' active="false"' if self.chance(0.1) else "") + "/>"
            if kind in ("connect", "weld"):
                if self.chance(0.4) and len(self.sites) > 1:
                    a, b = pick(self.sites, 2)
                    out += f'<{kind} site1="{a}" site2="{b}"'
                else:
                    pair = pick(self.bodies, min(2, len(self.bodies)))
                    out += f"<{kind}" + "".join(f' body{i + 1}="{b}"' for i, b in enumerate(pair))
                    if kind == "connect" or self.chance(0.5):
                        out += f' anchor="{numbers(self.uniform(-0.2, 0.2, 3))}"'
                    if kind == "weld" and self.chance(0.4):
                        out += f' relpose="{numbers(self.uniform(-0.2, 0.2, 3))} {numbers(self.rng.standard_normal(4))}"'
                if kind == "weld" and self.chance(0.5):
                    out += f' torquescale="{numbers(self.uniform(0.1, 3))}"'
                out += tail
            elif kind == "joint" and self.scalars:
                pair = pick(self.scalars, min(self.rng.integers(1, 3), len(self.scalars)))
                out += "<joint" + "".join(f' joint{i + 1}="{j}"' for i, j in enumerate(pair))
                out += f' polycoef="{numbers(self.uniform(-0.5, 0.5, 5))}"' + tail
            elif kind == "tendon" and tendons:
                pair = pick([f"t{t}" for t in range(tendons)], min(self.rng.integers(1, 3), tendons))
                out += "<tendon" + "".join(f' tendon{i + 1}="{t}"' for i, t in enumerate(pair))
                out += f' polycoef="{numbers(self.uniform(-0.5, 0.5, 5))}"' + tail
        return out


def model_text(seed):
    """MJCF of a random model, without solver options: those are for the test to choose."""
    w = Writer(seed)
    bodies = "".join(w.body(w.rng.integers(0, 3), True) for _ in range(w.rng.integers(1, 6)))
    tendons, tendon_text = w.tendons()
    equality_text = w.equalities(tendons)
    pairs = ""
    if w.chance(0.3) and len(w.geoms) > 1:
        a, b = w.rng.choice(len(w.geoms), 2, replace=False)
        pairs = f'<pair geom1="g{min(a, b)}" geom2="g{max(a, b)}" condim="{w.among(1, 3, 4, 6)}"'
        pairs += f' friction="{numbers(w.uniform(0.1, 1.0, 5))}" margin="0.05"'
        if w.chance(0.5):
            pairs += f' solreffriction="{numbers(w.uniform(0.005, 0.05, 2))}"'
        pairs += w.solver_attributes() + "/>"
    impratio = w.among(1.0, 1.0, 0.3, 10.0)
    floor = f'<geom type="plane" size="3 3 .1" condim="{w.among(1, 3, 4, 6)}" friction="0.8 0.01 0.003"/>'
    return f"""<mujoco><compiler angle="radian"/><size memory="20M"/>
<option timestep="{w.among(0.001, 0.002, 0.005)}" impratio="{impratio}"/>
<worldbody>{floor}{bodies}</worldbody>
<contact>{pairs}</contact><tendon>{tendon_text}</tendon><equality>{equality_text}</equality></mujoco>"""


def states(mj, m, seed, count=3):
    """Positions and velocities about the initial ones, with some forces applied."""
    rng = np.random.default_rng([seed, 1])
    for k in range(count):
        qpos = np.array(m.qpos0)
        mj.mj_integratePos(m, qpos, (0.0 if k == 0 else 0.2) * rng.standard_normal(m.nv), 1.0)
        yield dict(qpos=qpos, qvel=0.5 * rng.standard_normal(m.nv), qfrc_applied=rng.standard_normal(m.nv))
