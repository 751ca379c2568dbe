#!/usr/bin/env python3
"""Time of collision detection alone, against MuJoCo 3.4.0 at the same states in one process.

    tools/collision_bench.py --root CORPUS        # the scenes listed in CORPUS/BENCH.txt
    tools/collision_bench.py MODEL.xml ...

MuJoCo simulates each scene, settling first, with noise on the controls. The states are replayed in
bursts, the engines taking turns: bodies are placed, then `mj_collision` alone is timed. Next to MuJoCo's default
its time without marking visited bounding boxes (`vis.global_.bvactive`) is given, which it does for
drawing only. Times are those of the processor, less the time of a call that finds contacts disabled. Ratios are MuJoCo's time by ours: above 1, ours is faster.
"""
import argparse, pathlib, statistics, time
import numpy as np
import mujoco
import corten as corten_package
import corten.mujoco as corten

assert mujoco.__version__ == "3.4.0", "the reference is MuJoCo 3.4.0"


# States that one engine runs through before the other does.
BURST = 20


def place(mj, m, d, qpos, mocap_pos, mocap_quat):
    d.qpos[:] = qpos
    if m.nmocap:
        d.mocap_pos[:], d.mocap_quat[:] = mocap_pos, mocap_quat
    mj.mj_kinematics(m, d)
    mj.mj_comPos(m, d)


def overhead(mj, m, d):
    """Seconds of a call that finds nothing to do."""
    kept, m.opt.disableflags = m.opt.disableflags, m.opt.disableflags | mj.mjtDisableBit.mjDSBL_CONTACT
    times = []
    for _ in range(300):
        t = time.thread_time()
        mj.mj_collision(m, d)
        times.append(time.thread_time() - t)
    m.opt.disableflags = kept
    return statistics.median(times)


def measure(path, warm, states):
    """Seconds per detection: MuJoCo, MuJoCo without marks, ours; and contacts per state."""
    ma, mb = mujoco.MjModel.from_xml_path(str(path)), corten.MjModel.from_xml_path(str(path))
    run, da, db = mujoco.MjData(ma), mujoco.MjData(ma), corten.MjData(mb)
    if ma.nkey:
        mujoco.mj_resetDataKeyframe(ma, run, 0)
    mujoco.mj_step(ma, run, warm)
    rng = np.random.default_rng(1)
    times, contacts = np.zeros((states, 3)), 0
    for start in range(0, states, BURST):
        burst = []
        for _ in range(start, min(start + BURST, states)):
            run.ctrl[:] += 0.05 * rng.standard_normal(ma.nu)
            mujoco.mj_step(ma, run)
            burst.append((run.qpos.copy(), run.mocap_pos.copy(), run.mocap_quat.copy()))
        counts = np.zeros((len(burst), 3), int)
        for j in np.roll(range(3), start // BURST):
            mj, m, d = [(mujoco, ma, da), (mujoco, ma, da), (corten, mb, db)][j]
            if mj is mujoco:
                m.vis.global_.bvactive = j == 0
            for k, state in enumerate(burst):
                place(mj, m, d, *state)
                t = time.thread_time()
                mj.mj_collision(m, d)
                times[start + k, j] = time.thread_time() - t
                counts[k, j] = d.ncon
        contacts += counts[:, 0].sum()
        if (counts[:, 0] != counts[:, 2]).any():
            print(f"  {path}: numbers of contacts differ in states {start} and following")
    # Marks are cleared in any call: that is part of the time with marks.
    ma.vis.global_.bvactive = False
    empty = np.array([overhead(mujoco, ma, da)] * 2 + [overhead(corten, mb, db)])
    return np.median(times, axis=0) - empty, contacts / states


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("models", nargs="*", type=pathlib.Path)
    ap.add_argument("--root", type=pathlib.Path)
    ap.add_argument("--states", type=int, default=400)
    ap.add_argument("--match", default="")
    a = ap.parse_args()
    todo = [(p, p.name, 500) for p in a.models]
    if a.root:
        rows = [line.split() for line in open(a.root / "BENCH.txt") if line.strip()]
        todo += [(a.root / p, p, min(500, 2 * int(n))) for p, n in rows if a.match in p]
    ratios = []
    print(f"{'scene':44} {'contacts':>8} {'MuJoCo us':>10} {'unmarked':>9} {'ours us':>8} {'ratio':>6} {'unmarked':>8}")
    for path, name, warm in todo:
        states = a.states if warm > 100 else max(40, a.states // 10)
        try:
            (marked, bare, ours), contacts = measure(path, warm, states)
        except corten_package.ModelError as e:
            print(f"{name:44} {str(e).splitlines()[0]}")
            continue
        ratios.append(marked / ours)
        print(f"{name:44} {contacts:8.1f} {1e6 * marked:10.2f} {1e6 * bare:9.2f} {1e6 * ours:8.2f} "
              f"{marked / ours:5.2f}x {bare / ours:7.2f}x", flush=True)
    print(f"geometric mean {statistics.geometric_mean(ratios):.2f}x, lowest {min(ratios):.2f}x")


if __name__ == "__main__":
    main()
