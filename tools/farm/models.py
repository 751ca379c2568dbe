"""Jobs of the child that judge random models."""
import sys

import numpy as np

from case import Case


def case_of(job):
    if "path" in job:
        return Case.load(job["path"])
    import generate

    return generate.model(job["seed"])


def run(job, mark):
    import mujoco

    import corten.mujoco as corten
    import judge

    assert mujoco.__version__ == "3.4.0", f"the reference is MuJoCo 3.4.0, found {mujoco.__version__}"
    case = case_of(job)
    if job.get("alone"):
        return alone(corten, case, mark)
    return judge.judge(mujoco, corten, case, job.get("states", 3), mark)


def alone(mj, case, mark):
    """A model with which MuJoCo dies."""
    mark("corten: load")
    try:
        m = mj.MjModel.from_xml_string(case.text(), case.assets())
    except Exception as e:
        return {"corten refuses": f"{type(e).__name__}: {e}"[:300]}
    mark("corten: run")
    d = mj.MjData(m)
    mj.mj_forward(m, d)
    d.ctrl[:] = np.linspace(-1, 1, m.nu)
    for _ in range(100):
        mj.mj_step(m, d)
    mj.mj_inverse(m, d)
    return {"alone": True}
