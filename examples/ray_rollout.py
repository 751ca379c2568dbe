"""Rolls out many worlds of a model on the machines of a Ray cluster, or on this one.

    pip install ray
    python ray_rollout.py [MODEL] [--worlds 64] [--actors 4] [--segments 5] [--steps 50] [--lose]

Each actor holds a `corten.BatchSim` and has some of the worlds. A segment of their trajectories is a function of the
states that the segment before ended in: Ray keeps those states in its object store, and where a worker or a machine is
lost, it starts the actor anew and calls the function again, so that these worlds go on from their last saved state.
`--lose` kills a worker in the middle, to see it happen. A world's controls are drawn from its own number, and worlds of a
batch do not influence each other: results are the same bits for any number of actors.
"""
import argparse
import hashlib
import os
import pathlib
import signal

import numpy as np
import ray

import corten

SCENE = pathlib.Path(__file__).parents[1] / "scenes" / "quadruped.xml"


def controls(model, seed, world, segment, steps):
    """Inputs of a world: noise within the limits of its actuators, new every ten steps."""
    rng = np.random.default_rng([seed, world, segment])
    low, high = np.where(model.actuator_ctrllimited[:, None], model.actuator_ctrlrange, [-1.0, 1.0]).T
    return np.repeat(rng.uniform(low, high, (-(-steps // 10), model.nu)), 10, axis=0)[:steps]


@ray.remote(max_restarts=-1, max_task_retries=-1)
class Worlds:
    """Some worlds of a model: those of `numbers`."""

    def __init__(self, stored, numbers, seed, threads):
        self.model, self.numbers, self.seed = ray.get(stored["model"]), numbers, seed
        self.batch = corten.BatchSim(self.model, len(numbers), threads=threads)

    def advance(self, state, segment, steps):
        """The trajectories of a segment, a world per row, and the state that it ends in.

        Nothing else is kept between calls, so that a call can be repeated by another process.
        """
        batch = self.batch
        if state is None:
            batch.reset()
        else:
            for name, values in state.items():
                getattr(batch, name)[...] = values
        inputs = np.stack([controls(self.model, self.seed, world, segment, steps) for world in self.numbers])
        positions = np.empty((len(batch), steps, self.model.nq))
        for step in range(steps):
            batch.ctrl[...] = inputs[:, step]
            batch.step()
            positions[:, step] = batch.qpos
        return positions, {name: np.array(getattr(batch, name)) for name in batch.array_names()}

    def process(self):
        """The process that this actor runs in."""
        return os.getpid()


def rollout(model, worlds, actors, segments, steps, *, seed=0, threads=1, lose=False):
    """Positions of all worlds, `(worlds, segments * steps, nq)`. `threads` is per actor."""
    # The model is stored once; each machine fetches one copy of it. It stays as long as this function runs, and actors that
    # are started anew fetch it again.
    stored = {"model": ray.put(model)}
    parts = np.array_split(np.arange(worlds), actors)
    crew = [Worlds.options(num_cpus=threads).remote(stored, part, seed, threads) for part in parts]
    victim = ray.get(crew[0].process.remote()) if lose else None
    states, results = [None] * actors, [[] for _ in crew]
    for segment in range(segments):
        for i, actor in enumerate(crew):
            # What a call gives is a promise; the next call waits for it, and so nobody waits here.
            positions, states[i] = actor.advance.options(num_returns=2).remote(states[i], segment, steps)
            results[i].append(positions)
        if lose and segment == segments // 2:
            ray.wait([results[0][segment - 1]])
            os.kill(victim, signal.SIGKILL)
    return np.concatenate([np.concatenate(ray.get(parts), axis=1) for parts in results])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", nargs="?", default=SCENE)
    parser.add_argument("--worlds", type=int, default=64)
    parser.add_argument("--actors", type=int, default=4)
    parser.add_argument("--segments", type=int, default=5)
    parser.add_argument("--steps", type=int, default=50)
    parser.add_argument("--threads", type=int, default=1, help="of each actor")
    parser.add_argument("--lose", action="store_true", help="kill a worker in the middle")
    arguments = parser.parse_args()
    ray.init(ignore_reinit_error=True, log_to_driver=False)
    positions = rollout(corten.load_model(arguments.model), arguments.worlds, arguments.actors, arguments.segments,
                        arguments.steps, threads=arguments.threads, lose=arguments.lose)
    print(f"{positions.shape[0]} worlds, {positions.shape[1]} steps on {arguments.actors} actors: "
          f"{hashlib.sha256(positions.tobytes()).hexdigest()[:16]}")
    ray.shutdown()


if __name__ == "__main__":
    main()
