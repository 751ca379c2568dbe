#!/usr/bin/env python3
"""Times attribute access, named access and calls from Python, beside MuJoCo's binding: tools/access_speed.py [EXPRESSION...].

Both packages take turns in one process; the best of several rounds counts. Prints nanoseconds and how many times as fast.
"""
import importlib
import sys
import timeit

XML = """<mujoco><worldbody><geom type='plane' size='1 1 1'/><body name='x' pos='0 0 .09'><freejoint name='j'/>
<geom name='g' size='.1'/></body></worldbody></mujoco>"""
EXPRESSIONS = (
    "m.nq", "m.geom_size", "m.names", "m.opt.timestep", "m.opt.gravity", "m.stat.extent", "m.vis.global_.fovy",
    "d.qpos", "d.time", "d.qM", "d.ncon", "d.nefc", "d.energy", "d.efc_J", "d.model",
    "d.contact", "d.contact[0]", "d.contact[0].dist", "d.contact[0].frame", "d.contact.dist", "d.warning[0].number",
    "c.dist", "c.frame", "d.body('x')", "d.body('x').xpos", "m.body('x').id", "m.body('x').mass", "d.joint(0).qpos",
    "g.size", "g.type", "g.name", "s.worldbody", "s.geoms", "M.mjtGeom.mjGEOM_BOX", "int(M.mjtGeom.mjGEOM_BOX)",
    "M.mj_name2id(m, 1, 'x')", "M.mj_id2name(m, 1, 1)", "setattr(d, 'time', 0)", "setattr(d, 'qpos', 1)",
    "setattr(m.opt, 'timestep', .001)", "d.qpos[:]", "M.mju_mulQuat(q, q, q)", "M.mj_step(m, d)", "M.mj_forward(m, d)",
)
ROUNDS, CALLS = 9, 2000


def names(package):
    M = importlib.import_module(package)
    m = M.MjModel.from_xml_string(XML)
    d = M.MjData(m)
    M.mj_step(m, d, 3)
    s = M.MjSpec.from_string(XML)
    import numpy as np
    return dict(M=M, m=m, d=d, s=s, g=s.geom("g"), c=d.contact[0], q=np.array([1.0, 0, 0, 0]))


def main():
    packages = {package: names(package) for package in ("mujoco", "corten.mujoco")}
    print(f"{'expression':34} {'mujoco':>8} {'corten':>8} {'ratio':>6}")
    for expression in sys.argv[1:] or EXPRESSIONS:
        best = dict.fromkeys(packages, float("inf"))
        for _ in range(ROUNDS):
            for package, known in packages.items():
                seconds = timeit.Timer(expression, globals=known).timeit(CALLS)
                best[package] = min(best[package], 1e9 * seconds / CALLS)
        theirs, ours = best.values()
        print(f"{expression:34} {theirs:8.0f} {ours:8.0f} {theirs / ours:6.2f}")


if __name__ == "__main__":
    main()
