#!/usr/bin/env python3
"""How well a model determines its own results: what MuJoCo does to itself when its input changes by rounding.

    tools/sensitivity.py [--steps N] MODEL.xml ...

Takes the states of the conformance judge and prints, per model, the largest over all states of:
  force      the largest constraint force
  residual   M·qacc + bias − all forces − Jᵀf(qacc), with the solver converged: MuJoCo's, ours
  inverse    the difference of the two qfrc_inverse, as the judge measures it: each from its own acceleration, and both
             from MuJoCo's
  path       the difference of the two engines after 100 steps (--steps), and of MuJoCo from itself when positions and velocities
             start one unit in the last place away (largest of six)
A difference of the engines that the reference's own residual or its own difference from itself covers is rounding.

    tools/sensitivity.py --stages MODEL.xml ...

Lets the judge compare, stage by stage, the two engines, and MuJoCo with itself when positions and velocities of every state are changed by up to one
unit in the last place (largest of --copies). Where conjugate gradients solve, MuJoCo is also compared with its own Newton method: from both it stops where
the cost does not fall any more, which leaves the solution free in half of its digits. Prints the stages that the judge does not pass: our difference, MuJoCo's,
and their ratio; fails where one is above ten. --no-contact is the judge's.
"""
import argparse
import importlib.util
import os
import sys
import types

import mujoco
import numpy as np

import corten.mujoco as corten

ORACLE = os.environ.get("CORTEN_ORACLE", "../shared/oracle/compare.py")


def load(path):
    spec = importlib.util.spec_from_file_location("compare", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def largest(x):
    return float(np.max(np.abs(x), initial=0.0))


def residuals(judge, a, b, states):
    worst = np.zeros(5)
    kept = a.opt.tolerance, a.opt.iterations
    for m in (a, b):
        m.opt.tolerance, m.opt.iterations = 1e-16, 300
    for state in states:
        da, db = judge.put(mujoco, a, state), judge.put(corten, b, state)
        mujoco.mj_forward(a, da)
        corten.mj_forward(b, db)
        force = largest(np.array(da.efc_force))
        applied = np.array(state["qfrc_applied"]) + np.array(da.qfrc_actuator)
        for body in range(1, a.nbody):
            f = state["xfrc_applied"][body]
            mujoco.mj_applyFT(a, da, f[:3], f[3:], da.xipos[body], body, applied)
        mujoco.mj_inverse(a, da)
        corten.mj_inverse(b, db)
        found = [
            force,
            largest(da.qfrc_inverse - applied),
            largest(np.array(db.qfrc_inverse) - applied),
            judge.err(da.qfrc_inverse, db.qfrc_inverse),
        ]
        db.qacc[:] = da.qacc
        corten.mj_inverse(b, db)
        found.append(judge.err(da.qfrc_inverse, db.qfrc_inverse))
        worst = np.maximum(worst, found)
    for m in (a, b):
        m.opt.tolerance, m.opt.iterations = kept
    return worst


def paths(judge, a, b, states, steps, copies=6):
    worst = np.zeros(2)
    for state in states[:2]:
        da, db = judge.put(mujoco, a, state), judge.put(corten, b, state)
        near = []
        for seed in range(copies):
            rng = np.random.default_rng(seed)
            d = judge.put(mujoco, a, state)
            for x in (d.qpos, d.qvel):
                x[:] *= 1 + np.finfo(float).eps * rng.integers(-1, 2, x.size)
            near.append(d)
        for _ in range(steps):
            mujoco.mj_step(a, da)
            corten.mj_step(b, db)
            for d in near:
                mujoco.mj_step(a, d)
        differ = lambda d: max(judge.err(da.qpos, d.qpos), judge.err(da.qvel, d.qvel))
        worst = np.maximum(worst, [differ(db), max(map(differ, near))])
    return worst


def nudged(state, seed):
    """The state with positions and velocities up to one unit in the last place away."""
    rng = np.random.default_rng(seed)
    change = lambda x: x * (1 + np.finfo(float).eps * rng.integers(-1, 2, x.shape))
    return {**state, **{name: change(state[name]) for name in ("qpos", "qvel")}}


def compare_with_itself(judge, path, seed, *options):
    """What the judge says of MuJoCo as its own candidate, from nudged states."""
    candidate = types.SimpleNamespace(**vars(mujoco))
    put = judge.put
    judge.put = lambda mj, m, state: put(mj, m, nudged(state, seed) if mj is candidate else state)
    try:
        return judge.compare(mujoco, candidate, path, *options)
    finally:
        judge.put = put


def compare_with_newton(judge, path, *options):
    """What the judge says of the solutions of MuJoCo's Newton method where the model asks for conjugate gradients."""

    def forward(m, d):
        chosen = m.opt.solver
        m.opt.solver = mujoco.mjtSolver.mjSOL_NEWTON
        mujoco.mj_forward(m, d)
        m.opt.solver = chosen

    candidate = types.SimpleNamespace(**{**vars(mujoco), "mj_forward": forward})
    return {"solve": judge.compare(mujoco, candidate, path, *options)["solve"]}


def stages(judge, path, copies, no_contact, count=5, steps=100):
    """Prints the stages that differ, with MuJoCo's own change beside; whether one differs by more than ten times that."""
    options = count, steps, no_contact
    ours = judge.compare(mujoco, corten, path, *options)
    differ = [stage for stage in judge.STAGES if not ours[stage]["ok"]]
    if not differ:
        print(f"{path[-60:]:60s} passes every stage", flush=True)
        return False
    theirs = [compare_with_itself(judge, path, seed, *options) for seed in range(copies)]
    if "solve" in differ and mujoco.MjModel.from_xml_path(path).opt.solver == mujoco.mjtSolver.mjSOL_CG:
        theirs.append(compare_with_newton(judge, path, *options))
    worse = False
    for stage in differ:
        own = max(result[stage]["worst"] for result in theirs if stage in result)
        found = ours[stage]["worst"]
        ratio = found / own if own > 0 else np.inf
        worse |= not ratio <= 10
        print(f'{path[-60:]:60s} {stage:8s} {ours[stage]["field"]:26s} {found:9.1e} {own:9.1e} {ratio:7.2f}', flush=True)
    return worse


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("models", nargs="+")
    arguments.add_argument("--steps", type=int, default=100)
    arguments.add_argument("--stages", action="store_true", help="compare stage by stage")
    arguments.add_argument("--copies", type=int, default=6, help="with --stages: nudged runs of MuJoCo")
    arguments.add_argument("--no-contact", action="store_true", help="with --stages: without contacts")
    args = arguments.parse_args()
    judge = load(ORACLE)
    if args.stages:
        print(f'{"model":60s} {"stage":8s} {"field":26s} {"ours":>9s} {"MuJoCo":>9s} {"ratio":>7s}')
        return any([stages(judge, path, args.copies, args.no_contact) for path in args.models])
    print(f'{"model":60s} {"force":>8s} {"residual: MuJoCo, ours":>24s} {"inverse: own, same":>19s} {"path: ours, MuJoCo":>20s}')
    for path in args.models:
        a, b = mujoco.MjModel.from_xml_path(path), corten.MjModel.from_xml_path(path)
        states = judge.states(mujoco, a, path, 5)
        force, theirs, ours, inverse, same = residuals(judge, a, b, states)
        found, own = paths(judge, a, b, states, args.steps)
        print(f"{path[-60:]:60s} {force:8.0e} {theirs:13.1e} {ours:10.1e} {inverse:9.1e} {same:9.1e} {found:10.1e} {own:9.1e}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
