"""Jobs of the child that step from states nobody should be in: numbers that are none, huge or tiny, in every array of the data."""
import random
import warnings

import numpy as np

import scenes

VALUES = [float("nan"), float("inf"), -float("inf"), 1e308, -1e308, 1e200, 1e30, -1e10, 1e6, 5e-324, 1e-200, 0.0, -0.0, 1.0]


def one(mj, seed):
    rng = random.Random(seed)
    m = mj.MjModel.from_xml_string(*scenes.scene(seed))
    m.opt.integrator, m.opt.solver = rng.randrange(4), rng.randrange(3)
    if rng.random() < 0.3:
        m.opt.disableflags |= 1 << 16  # no automatic reset
    d, other = mj.MjData(m), mj.MjData(m)
    mj.mj_step(m, d, nstep=rng.randrange(3))
    fields = [f for f in dir(d) if isinstance(getattr(d, f, None), np.ndarray) and getattr(d, f).dtype.kind == "f" and getattr(d, f).size]
    written = []
    for _ in range(rng.choice([1, 1, 2, 5])):
        field, value = rng.choice(["qpos", "qvel", "ctrl", "qacc_warmstart"] + fields), rng.choice(VALUES)
        a = getattr(d, field)
        if not a.size or not a.flags.writeable:
            continue
        if rng.random() < 0.3:
            a[...] = value
        else:
            a.flat[rng.randrange(a.size)] = value
        written.append(f"{field} = {value}")
    try:
        for _ in range(4):
            mj.mj_step(m, d)
        mj.mj_forward(m, d)
        mj.mj_inverse(m, d)
    except mj.FatalError:
        pass
    except Exception as error:
        return f"{type(error).__name__}: {error} after {written}"
    try:
        mj.mj_resetData(m, d)
        mj.mj_step(m, d, nstep=3)
        mj.mj_step(m, other, nstep=3)
    except mj.FatalError:
        return None
    if not np.array_equal(d.qpos, other.qpos, equal_nan=True):
        return f"a reset leads elsewhere after {written}"
    return None


def run(job, mark):
    import corten.mujoco as mj

    warnings.simplefilter("ignore")
    found = []
    for seed in range(job["seed"], job["seed"] + job["count"]):
        mark(f"corten: state {seed}")
        wrong = one(mj, seed)
        if wrong:
            found.append(f"state {seed}: {wrong}")
    return {"found": found}
