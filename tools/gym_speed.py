#!/usr/bin/env python3
"""Steps per second of vector environments, beside Gymnasium's on MuJoCo: tools/gym_speed.py [TASK...] [--envs N] [--steps N].

Single-threaded `corten.gym` against `SyncVectorEnv`, two threads against `AsyncVectorEnv`, in turns in one process.
"""
import argparse
import time

import gymnasium
import numpy as np

import corten.gym

TASKS = ("HalfCheetah-v5", "Ant-v5", "Humanoid-v5")


def rate(envs, actions):
    """Steps of environments per second."""
    start = time.perf_counter()
    for action in actions:
        envs.step(action)
    return len(actions) * envs.num_envs / (time.perf_counter() - start)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tasks", nargs="*", default=TASKS)
    parser.add_argument("--envs", type=int, default=16)
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    print(f"{'task':18} {'sync':>8} {'corten 1':>9} {'ratio':>6} {'async':>8} {'corten 2':>9} {'ratio':>6}")
    for task in arguments.tasks:
        made = {
            "sync": gymnasium.make_vec(task, arguments.envs, "sync"),
            "one": corten.gym.make_vec(task, arguments.envs, threads=1),
            "async": gymnasium.make_vec(task, arguments.envs, "async"),
            "two": corten.gym.make_vec(task, arguments.envs, threads=2),
        }
        space = made["one"].action_space
        space.seed(0)
        actions = [space.sample() for _ in range(arguments.steps)]
        best = dict.fromkeys(made, 0.0)
        for envs in made.values():
            envs.reset(seed=0)
        for _ in range(arguments.rounds):
            for name, envs in made.items():
                best[name] = max(best[name], rate(envs, actions))
        for envs in made.values():
            envs.close()
        one, two = best["one"] / best["sync"], best["two"] / best["async"]
        print(f"{task:18} {best['sync']:8.0f} {best['one']:9.0f} {one:6.2f} {best['async']:8.0f} {best['two']:9.0f} {two:6.2f}")


if __name__ == "__main__":
    np.seterr(all="ignore")
    main()
