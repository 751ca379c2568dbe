"""Which friction and which stiffness let a quadruped stand best on a slope? A sweep of parameters over all cores.

    python sweep.py [--workers N]                  processes of this machine
    python sweep.py --dask tcp://SCHEDULER:8786    a Dask cluster (pip install distributed)

Every worker takes rows of the grid as worlds of a batch, each with its own parameters: `concurrent.futures` and Dask have the
same `map`, and the table is the same for any number of workers.
"""
import argparse
import concurrent.futures
import os
import pathlib

import numpy as np

import corten

SCENE = pathlib.Path(__file__).parents[1] / "scenes" / "quadruped.xml"
FRICTION = np.linspace(0.1, 0.8, 8)
STIFFNESS = np.linspace(20, 120, 6)
SECONDS, SLOPE = 2.0, np.radians(15)


def slide(friction):
    """How far the robot moves in a while, for all stiffnesses: a batch with one world each."""
    model = corten.load_model(SCENE)
    batch = corten.BatchSim(model, len(STIFFNESS), threads=1, keyframe="stand")
    feet = [model.geom(f"{leg}_foot").id for leg in ("fl", "fr", "rl", "rr")]
    batch.parameter("geom_friction")[:, feet, 0] = friction
    batch.parameter("opt.gravity")[:] = 9.81 * np.array([-np.sin(SLOPE), 0, -np.cos(SLOPE)])
    # A servo pulls with kp (ctrl - q): its gain, and its bias the other way.
    batch.parameter("actuator_gainprm")[:, :, 0] = STIFFNESS[:, None]
    batch.parameter("actuator_biasprm")[:, :, 1] = -STIFFNESS[:, None]
    start = batch.qpos[:, :3].copy()
    batch.step(round(SECONDS / model.opt.timestep))
    return np.linalg.norm(batch.qpos[:, :3] - start, axis=1)


def sweep(pool):
    """Distances by friction and stiffness, from anything that has `map`."""
    return np.array(list(pool.map(slide, FRICTION)))


def dask(address):
    """A Dask cluster as something that has `map` and ends like a pool."""
    from distributed import Client
    return Client(address).get_executor()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    parser.add_argument("--dask", metavar="ADDRESS", help="of a scheduler")
    arguments = parser.parse_args()
    pool = dask(arguments.dask) if arguments.dask else concurrent.futures.ProcessPoolExecutor(arguments.workers)
    with pool:
        distances = sweep(pool)
    print("metres in", SECONDS, "s\nfriction" + "".join(f"{k:8.0f}" for k in STIFFNESS), " N m/rad")
    for friction, row in zip(FRICTION, distances):
        print(f"{friction:8.2f}" + "".join(f"{x:8.3f}" for x in row))
    return distances


if __name__ == "__main__":
    main()
