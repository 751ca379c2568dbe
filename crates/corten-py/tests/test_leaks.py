"""Nothing that is made and thrown away thousands of times stays in memory; CORTEN_CYCLES says how many times."""
import copy
import gc
import os
import pickle
import subprocess
import sys

import pytest

import corten
import corten.mujoco as mj

XML = """<mujoco><worldbody><geom type='plane' size='1 1 1'/><body name='x' pos='0 0 .09'><freejoint/><geom name='g' size='.1'/></body>
</worldbody><actuator><motor joint='j'/></actuator></mujoco>""".replace("<freejoint/>", "<joint name='j' type='slide' axis='0 0 1'/>")
MODEL = mj.MjModel.from_xml_string(XML)
DATA = mj.MjData(MODEL)
mj.mj_step(MODEL, DATA, 5)
CYCLES = int(os.environ.get("CORTEN_CYCLES", "2000"))
# In kilobytes: what the allocator may take for itself, once. The smallest object of ours, leaked each time, is more.
ROOM = 2000
KEPT = []


def models():
    mj.MjModel.from_xml_string(XML)


def data():
    mj.mj_step(MODEL, mj.MjData(MODEL))


def views():
    d = mj.MjData(MODEL)
    return d.qpos, d.body("x").xpos, d.contact, MODEL.geom("g").size


def copies():
    copy.copy(DATA), copy.deepcopy(DATA.contact)


def pickles():
    pickle.loads(pickle.dumps(DATA))


def errors():
    with pytest.raises(ValueError):
        mj.MjModel.from_xml_string("<mujoco><worldbody><geom size='a'/></worldbody></mujoco>")


def specs():
    spec = mj.MjSpec()
    body = spec.worldbody.add_body(name="b")
    body.add_geom(size=[0.1, 0, 0]).rgba[:] = 0.5
    return spec.geoms, spec.compile()


def callbacks():
    def control(m, d):
        raise KeyError
    mj.set_mjcb_control(control)
    try:
        with pytest.raises(KeyError):
            mj.mj_step(MODEL, DATA)
    finally:
        mj.set_mjcb_control(None)


def batches():
    batch = corten.BatchSim(MODEL, 4, threads=1, outputs=["xpos"])
    batch.parameter("body_mass")[:] = 1
    batch.step()


def memory():
    """Resident memory, in kilobytes."""
    gc.collect()
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4


def keeps():
    KEPT.append(mj.MjData(MODEL))


def growth(cycle):
    for _ in range(500):
        cycle()
    before = memory()
    for _ in range(CYCLES):
        cycle()
    return memory() - before


def growth_apart(cycle):
    """In a process of its own, where nothing that others have freed can be used again."""
    return int(subprocess.run([sys.executable, __file__, cycle.__name__], stdout=subprocess.PIPE, text=True, check=True).stdout)


pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")


@pytest.mark.parametrize("cycle", [models, data, views, copies, pickles, errors, specs, callbacks, batches], ids=lambda f: f.__name__)
def test_no_growth(cycle):
    assert growth_apart(cycle) < ROOM


def test_growth_would_show():
    assert growth_apart(keeps) > ROOM


if __name__ == "__main__":
    print(growth(globals()[sys.argv[1]]))
