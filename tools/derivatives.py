#!/usr/bin/env python3
"""Fluid forces and velocity derivatives against MuJoCo 3.4.0 and against differences, on a corpus and at size.

    tools/derivatives.py CORPUS [--match TEXT]   # per model that exceeds a limit, and the worst of all
    tools/derivatives.py --time                  # chains of 300 to 500 degrees of freedom in water: time and agreement

CORPUS is a folder with MODELS.txt. Every rigid model is put into random states, as it is and in a medium with wind.
Errors are relative to the largest value of the field, or 1:
  fluid    qfrc_fluid against MuJoCo's
  qDeriv   the derivative of the smooth forces by velocity, after mj_implicit, against MuJoCo's
  diff     the same against central differences of our own forces, at most 40 columns per state; and MuJoCo's against its
           own. What the derivative leaves out in both (the bias of tendon armature, the corner of a drag law) shows in both.
Limits of forces are off: at a limit there is no derivative.
"""
import argparse
import pathlib
import time

import mujoco
import numpy as np

import corten.mujoco as corten

IMPLICIT = 2
STEP = 1e-6
COLUMNS = 40
MEDIA = {"as it is": None, "in a medium": (1.2, 2e-3, (1.0, 0.5, -0.2))}


def error(want, found):
    want, found = np.asarray(want, dtype=float), np.asarray(found, dtype=float)
    if want.shape != found.shape:
        return np.inf
    return float(np.max(np.abs(want - found), initial=0.0) / max(1.0, np.max(np.abs(want), initial=0.0)))


def states(m, seed=0, count=2):
    rng = np.random.default_rng(seed)
    for _ in range(count):
        d = mujoco.MjData(m)
        if m.nkey:
            mujoco.mj_resetDataKeyframe(m, d, 0)
        mujoco.mj_integratePos(m, d.qpos, 0.3 * rng.standard_normal(m.nv), 1.0)
        d.qvel[:] = 0.5 * rng.standard_normal(m.nv)
        limited = m.actuator_ctrllimited.astype(bool)
        d.ctrl[:] = rng.uniform(np.where(limited, m.actuator_ctrlrange[:, 0], -1), np.where(limited, m.actuator_ctrlrange[:, 1], 1))
        d.act[:] = rng.uniform(0, 1, m.na)
        yield {f: np.array(getattr(d, f)) for f in "qpos qvel ctrl act mocap_pos mocap_quat".split()}


def put(mj, m, state):
    d = mj.MjData(m)
    for field, value in state.items():
        getattr(d, field)[:] = value
    return d


def dense(m, values):
    out = np.zeros((m.nv, m.nv))
    for i in range(m.nv):
        entries = slice(m.D_rowadr[i], m.D_rowadr[i] + m.D_rownnz[i])
        out[i, m.D_colind[entries]] = values[entries]
    return out


def smooth_force(mj, m, d, velocity):
    d.qvel[:] = velocity
    mj.mj_fwdVelocity(m, d)
    mj.mj_fwdActuation(m, d)
    return np.array(d.qfrc_passive) + np.array(d.qfrc_actuator) - np.array(d.qfrc_bias)


def measure(mj, m, state, columns):
    """Fluid force, derivative, and its distance from differences."""
    d = put(mj, m, state)
    mj.mj_forward(m, d)
    fluid = np.array(d.qfrc_fluid)
    mj.mj_implicit(m, d)
    values = np.array(d.qDeriv)
    matrix = dense(m, values)
    d = put(mj, m, state)
    mj.mj_forward(m, d)
    differences = np.zeros((m.nv, len(columns)))
    for k, column in enumerate(columns):
        offset = np.zeros(m.nv)
        offset[column] = STEP
        up, down = (smooth_force(mj, m, d, state["qvel"] + s * offset) for s in (1, -1))
        differences[:, k] = (up - down) / (2 * STEP)
    # The pattern of the derivative is that of the mass matrix: forces across it are left out.
    inside = np.zeros((m.nv, m.nv), dtype=bool)
    for i in range(m.nv):
        inside[i, m.D_colind[m.D_rowadr[i] : m.D_rowadr[i] + m.D_rownnz[i]]] = True
    differences[~inside[:, columns]] = 0.0
    return fluid, values, error(differences, matrix[:, columns])


def check(path):
    worst = np.zeros(4)
    for medium in MEDIA.values():
        models = mujoco.MjModel.from_xml_path(str(path)), corten.MjModel.from_xml_path(str(path))
        for m in models:
            m.opt.integrator, m.opt.disableflags = IMPLICIT, m.opt.disableflags | int(mujoco.mjtDisableBit.mjDSBL_CONSTRAINT)
            # At a limit, forces have no derivative.
            for limited in (m.actuator_forcelimited, m.jnt_actfrclimited, m.tendon_actfrclimited):
                limited[:] = 0
            if medium:
                m.opt.density, m.opt.viscosity = medium[:2]
                m.opt.wind[:] = medium[2]
        reference = models[0]
        columns = np.sort(np.random.default_rng(1).permutation(reference.nv)[:COLUMNS])
        for state in states(reference):
            a, b = (measure(mj, m, state, columns) for mj, m in zip((mujoco, corten), models))
            worst = np.maximum(worst, [error(a[0], b[0]), error(a[1], b[1]), b[2], a[2]])
    return worst


def sweep(corpus, match):
    rows = [line.split() for line in open(corpus / "MODELS.txt") if line.strip()]
    rigid = [r[0] for r in rows if "nflex=0" in r and "nplugin=0" in r and match in r[0]]
    total, count, beyond = np.zeros(4), 0, 0
    for name in rigid:
        if not mujoco.MjModel.from_xml_path(str(corpus / name)).nv:
            continue
        fluid, derivative, ours, theirs = worst = check(corpus / name)
        count += 1
        if fluid > 1e-10 or derivative > 1e-10 or ours > max(1e-5, 1.1 * theirs):
            print(f"BEYOND {name}: fluid {fluid:.1e} qDeriv {derivative:.1e} diff {ours:.1e} (MuJoCo's own {theirs:.1e})", flush=True)
        if ours > 1e-5:
            beyond += 1
            print(f"  {name}: differences {ours:.1e}, MuJoCo's own {theirs:.1e}", flush=True)
        total = np.maximum(total, [fluid, derivative, ours if ours <= 1e-5 else 0.0, 0.0])
    print(f"{count} models: qfrc_fluid {total[0]:.1e}, qDeriv {total[1]:.1e} from MuJoCo; {total[2]:.1e} from differences on {count - beyond}")


def chain(n):
    """Bodies in a row, each with a ball joint: one long branch; density and viscosity of water."""
    body = "".join(f'<body pos=".1 0 0"><joint type="ball" damping=".01"/><geom type="ellipsoid" size=".05 .02 .03" fluidshape="ellipsoid"/>' for _ in range(n))
    return f'<mujoco><option density="1000" viscosity="9e-4" integrator="implicitfast"/><worldbody>{body}{"</body>" * n}</worldbody></mujoco>'


def forest(n):
    """Free bodies: as many degrees of freedom, no branch longer than six."""
    bodies = "".join(f'<body pos="{i} 0 0"><freejoint/><geom type="ellipsoid" size=".05 .02 .03" fluidshape="ellipsoid"/></body>' for i in range(n))
    return f'<mujoco><option density="1000" viscosity="9e-4" integrator="implicitfast"/><worldbody>{bodies}</worldbody></mujoco>'


def clock():
    print(f'{"scene":28s} {"nv":>4s} {"entries of qDeriv":>18s} {"ours, us":>10s} {"MuJoCo, us":>11s} {"ratio":>6s} {"qDeriv error":>13s}')
    for name, make, sizes in (("chain of ball joints", chain, (100, 133, 166)), ("free bodies", forest, (50, 66, 83))):
        for size in sizes:
            found = []
            for mj in (mujoco, corten):
                m = mj.MjModel.from_xml_string(make(size))
                d = mj.MjData(m)
                rng = np.random.default_rng(2)
                d.qvel[:] = 0.1 * rng.standard_normal(m.nv)
                mj.mj_forward(m, d)
                mj.mj_implicit(m, d)
                kept, best = np.array(d.qDeriv), np.inf
                velocity = np.array(d.qvel)
                for _ in range(3):
                    start = time.thread_time()
                    mj.mj_implicit(m, d)
                    best = min(best, time.thread_time() - start)
                    d.qvel[:] = velocity
                found.append((kept, best * 1e6))
            (want, theirs), (have, ours) = found
            print(f"{name:28s} {m.nv:4d} {want.size:18d} {ours:10.1f} {theirs:11.1f} {theirs / ours:6.2f} {error(want, have):13.1e}")


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("corpus", type=pathlib.Path, nargs="?")
    ap.add_argument("--match", default="")
    ap.add_argument("--time", action="store_true")
    a = ap.parse_args()
    if a.corpus:
        sweep(a.corpus, a.match)
    if a.time:
        clock()


if __name__ == "__main__":
    main()
