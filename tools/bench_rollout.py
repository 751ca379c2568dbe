#!/usr/bin/env python3
"""Throughput of rollouts against mujoco.rollout, in one process, alternating, on the same inputs.

    tools/bench_rollout.py [--threads 2] MODEL.xml ...

Trajectories start from the first keyframe, or the reference pose, with noise in the velocities, and apply random
controls of 0.3 of their range. Figures per environment and step: wall time of both, the median of the ratios over
the rounds with their range, and the ratio of processor times, which a busy machine disturbs less.
"""
import argparse
import statistics
import time

import numpy as np
import mujoco
from mujoco import rollout as theirs

import corten.mujoco
from corten.mujoco import rollout as ours


def inputs(model, count, steps):
    rng = np.random.default_rng(1)
    data = mujoco.MjData(model)
    if model.nkey:
        mujoco.mj_resetDataKeyframe(model, data, 0)
    state = np.zeros((count, mujoco.mj_stateSize(model, mujoco.mjtState.mjSTATE_FULLPHYSICS.value)))
    for row in state:
        data.qvel[:] = 0.01 * rng.standard_normal(model.nv)
        mujoco.mj_getState(model, data, row, mujoco.mjtState.mjSTATE_FULLPHYSICS.value)
    low, high = np.where(model.actuator_ctrllimited[:, None], model.actuator_ctrlrange, [-1.0, 1.0]).T
    noise = rng.uniform(-1, 1, (count, steps // 20 + 1, model.nu)).repeat(20, axis=1)[:, :steps]
    return state, data.ctrl + 0.3 * 0.5 * (high - low) * noise


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="+")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--count", type=int, default=32, help="trajectories")
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=7)
    args = parser.parse_args()
    print(f"{'scene':44s} {'mujoco':>8s} {'corten':>8s} {'ratio':>7s} {'range':>11s} {'cpu':>7s}  difference")
    logs = []
    for path in args.models:
        engines = []
        for mj, module in ((mujoco, theirs), (corten.mujoco, ours)):
            model = mj.MjModel.from_xml_path(path)
            engines.append((model, [mj.MjData(model) for _ in range(args.threads)],
                            module.Rollout(nthread=args.threads if args.threads > 1 else 0)))
        state, control = inputs(engines[0][0], args.count, args.steps)
        wall, cpu, results = ([], []), ([], []), [None, None]
        for turn in range(args.rounds + 1):
            for k in ((0, 1) if turn % 2 else (1, 0)):
                model, datas, runner = engines[k]
                start = time.perf_counter(), time.process_time()
                results[k] = runner.rollout(model, datas, state, control)
                if turn:
                    wall[k].append(time.perf_counter() - start[0])
                    cpu[k].append(time.process_time() - start[1])
        ratios = sorted(a / b for a, b in zip(*wall))
        ratio = statistics.median(ratios)
        cpu_ratio = statistics.median(a / b for a, b in zip(*cpu))
        logs.append((np.log(ratio), np.log(cpu_ratio)))
        scale = 1e6 / (args.count * args.steps)
        difference = np.max(np.abs(results[0][0][:, :10] - results[1][0][:, :10]))
        print(f"{'/'.join(path.split('/')[-2:]):44s} {scale * min(wall[0]):6.2f}us {scale * min(wall[1]):6.2f}us {ratio:6.2f}x "
              f"{ratios[0]:5.2f}-{ratios[-1]:<5.2f} {cpu_ratio:6.2f}x  {difference:.0e}", flush=True)
    means = np.exp(np.mean(logs, axis=0))
    print(f"geometric mean: {means[0]:.2f}x, by processor time {means[1]:.2f}x")


if __name__ == "__main__":
    main()
