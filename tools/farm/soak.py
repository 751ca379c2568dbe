"""A job of the child that runs models for a long time, with faults: numbers that are none, resets, worlds of a batch that go bad.

Good worlds keep their bits whatever happens beside them, data that were reset are those of a fresh start, and memory does not grow.
"""
import pathlib
import random
import resource
import time
import warnings

import numpy as np

import scenes

STEPS, WORLDS = 100, 9
FAULTS = [float("nan"), float("inf"), -float("inf"), 1e200, -1e30]
# Megabytes, after every model has been there once.
GROWTH = 64


def single(mj, m, rng):
    """Steps with faults; afterwards a reset leads to where fresh data are."""
    d, fresh = mj.MjData(m), mj.MjData(m)
    for step in range(STEPS):
        d.ctrl[:] = [rng.uniform(-1, 1) for _ in range(m.nu)]
        if rng.random() < 0.03:
            a = getattr(d, rng.choice(["qpos", "qvel", "act", "ctrl", "qfrc_applied", "xfrc_applied"]))
            if a.size:
                a.flat[rng.randrange(a.size)] = rng.choice(FAULTS)
        if rng.random() < 0.02:
            mj.mj_resetData(m, d)
        mj.mj_step(m, d)
    mj.mj_resetData(m, d)
    for x in (d, fresh):
        mj.mj_step(m, x, nstep=5)
    return np.array_equal(d.qpos, fresh.qpos, equal_nan=True)


def batch(corten, m, rng):
    """Two batches, one with bad worlds: the others agree to the last bit."""
    worlds = [corten.BatchSim(m, WORLDS, threads=2) for _ in range(2)]
    bad = rng.sample(range(WORLDS), 3)
    for step in range(10):
        if step in (2, 6):
            for world in bad:
                worlds[1].qvel[world, rng.randrange(m.nv)] = rng.choice(FAULTS)
        for w in worlds:
            w.step(5)
    good = [k for k in range(WORLDS) if k not in bad]
    return np.array_equal(worlds[0].qpos[good], worlds[1].qpos[good], equal_nan=True)


def run(job, mark):
    import corten
    import corten.mujoco as mj

    warnings.simplefilter("ignore")
    found, end, round, first = [], time.monotonic() + job["seconds"], 0, None
    paths = [str(p) for folder in job.get("folders", []) for p in sorted(pathlib.Path(folder).rglob("*.xml"))]
    texts = [scenes.scene(seed) for seed in range(60)]
    memory = lambda: int(open("/proc/self/statm").read().split()[1]) * resource.getpagesize() >> 20
    while time.monotonic() < end:
        for k, source in enumerate(texts + paths):
            mark(f"corten: model {k} of round {round}")
            rng = random.Random(f"{job['seed']} {round} {k}")
            try:
                m = mj.MjModel.from_xml_path(source) if isinstance(source, str) else mj.MjModel.from_xml_string(*source)
            except ValueError:
                continue
            if not single(mj, m, rng):
                found.append(f"model {k}, round {round}: a reset leads elsewhere")
            if not isinstance(source, str) and not source[1] and not batch(corten, corten.load_model(source[0]), rng):
                found.append(f"model {k}, round {round}: a good world of a batch has changed")
            if time.monotonic() > end:
                break
        round += 1
        first = first or memory()
    grown = memory() - first
    if grown > GROWTH:
        found.append(f"memory has grown by {grown} MB")
    return {"found": found, "rounds": round, "memory": [first, memory()]}
