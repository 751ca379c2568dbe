"""Learns to balance a pole by random search: 256 worlds, each with a linear policy and a pole of its own.

    python policy_search.py

Every world tries another policy. Masses and friction differ between worlds, so that what is learned does not depend
on them; the best policies of a round are the mean of the next.
"""
import pathlib

import numpy as np

import corten

WORLDS, ELITE, ROUNDS, STEPS = 256, 32, 12, 300
SCENE = pathlib.Path(__file__).parents[1] / "scenes" / "cartpole.xml"


def main():
    rng = np.random.default_rng(0)
    model = corten.load_model(SCENE)
    batch = corten.BatchSim(model, WORLDS)

    batch.parameter("body_mass")[:] *= rng.uniform(0.7, 1.3, (WORLDS, model.nbody))
    batch.parameter("dof_damping")[:] *= rng.uniform(0.5, 2, (WORLDS, model.nv))
    batch.derive_constants()

    size = model.nq + model.nv
    mean, spread = np.zeros(size), 4 * np.ones(size)
    low, high = model.actuator_ctrlrange[0]
    for iteration in range(ROUNDS):
        policies = mean + spread * rng.standard_normal((WORLDS, size))
        batch.reset()
        batch.qpos[:, 1] = rng.uniform(-0.1, 0.1, WORLDS)
        rewards, alive = np.zeros(WORLDS), np.ones(WORLDS, dtype=bool)
        for _ in range(STEPS):
            observations = np.hstack([batch.qpos, batch.qvel])
            batch.ctrl[:, 0] = np.clip(np.sum(policies * observations, axis=1), low, high)
            batch.step(4)
            alive &= (np.abs(batch.qpos[:, 1]) < 0.3) & (np.abs(batch.qpos[:, 0]) < 1) & ~batch.failed
            rewards += alive
        best = policies[np.argsort(rewards)[-ELITE:]]
        mean, spread = best.mean(axis=0), best.std(axis=0) + 0.05
        print(f"round {iteration:2d}: mean reward {rewards.mean():6.1f}, best {rewards.max():4.0f} of {STEPS}")
    return rewards.mean()


if __name__ == "__main__":
    main()
