#!/usr/bin/env python3
"""Solver iterations here and in MuJoCo 3.4.0, at the models' own tolerance: mean per step over islands, in equal states.

    tools/iterations.py [MODEL.xml ...]     # the constrained scenes of this repository by default
"""
import argparse
import itertools
import pathlib

import mujoco
import numpy as np

import corten.mujoco as corten

SCENES = pathlib.Path(__file__).resolve().parent.parent / "scenes"
CONSTRAINED = "humanoid quadruped box_stack mixed_pile linkage tendon_finger arm_gripper".split()
SOLVERS = {"Newton": 2, "CG": 1, "PGS": 0}
STATE = "qpos qvel act ctrl qacc_warmstart mocap_pos mocap_quat eq_active".split()
STEPS = 100


def measure(path, solver, cone):
    a, b = mujoco.MjModel.from_xml_path(str(path)), corten.MjModel.from_xml_path(str(path))
    for m in (a, b):
        m.opt.solver, m.opt.cone = solver, cone
    da, db = mujoco.MjData(a), corten.MjData(b)
    if a.nkey:
        mujoco.mj_resetDataKeyframe(a, da, 0)
    rng = np.random.default_rng(1)
    counts, equal = np.zeros(2), 0
    for i in range(STEPS):
        if i % 10 == 0:
            da.ctrl[:] = 0.3 * rng.standard_normal(a.nu)
        for field in STATE:
            getattr(db, field)[:] = getattr(da, field)
        mujoco.mj_step(a, da)
        corten.mj_step(b, db)
        found = [int(np.sum(d.solver_niter)) for d in (da, db)]
        counts += found
        equal += found[0] == found[1]
    return *(counts / STEPS), equal


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("models", nargs="*", type=pathlib.Path)
    paths = arguments.parse_args().models or [SCENES / f"{name}.xml" for name in CONSTRAINED]
    print("| scene | " + " | ".join(f"{s}, {c}" for s, c in itertools.product(SOLVERS, ("pyramidal", "elliptic"))) + " |")
    print("|---|" + "---|" * 6)
    for path in paths:
        cells = []
        for solver, cone in itertools.product(SOLVERS.values(), (0, 1)):
            theirs, ours, equal = measure(path, solver, cone)
            cells.append(f"{ours:.2f} / {theirs:.2f} ({equal} %)")
        print(f"| `{path.stem}` | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
