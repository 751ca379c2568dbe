"""Requests that no machine can serve: exceptions, or the first contacts, never the end of the process."""
import subprocess
import sys

import numpy as np
import pytest

import corten
from corten import mujoco as MJ

# Bodies in one place, which all touch each other.
HEAP = "<mujoco><worldbody><replicate count='{}'><body><freejoint/><geom size='.1'/></body></replicate></worldbody></mujoco>"
CONTACTFULL = int(MJ.mjtWarning.mjWARN_CONTACTFULL)


def test_limits_of_a_load():
    with pytest.raises(corten.ModelError, match="limit 'elements'"):
        corten.load_model(HEAP.format(100), limits={"elements": 100})
    with pytest.raises(corten.ModelError, match="limit 'elements'"):
        MJ.MjModel.from_xml_string(HEAP.format(100), limits={"elements": 100})
    with pytest.raises(ValueError, match="no limit 'bodies'; the limits are files"):
        corten.load_model(HEAP.format(3), limits={"bodies": 100})
    assert corten.default_limits()["elements"] == 1_000_000


def test_first_contacts_are_kept():
    m = MJ.MjModel.from_xml_string(HEAP.format(60), limits={"data_bytes": 200_000})
    d = MJ.MjData(m)
    assert d.memory_limit == 200_000
    MJ.mj_step(m, d)
    assert d.warning[CONTACTFULL].number == 1
    assert 0 < d.ncon < 200 and d.time > 0
    d.set_memory_limit(1 << 30)
    MJ.mj_forward(m, d)
    assert d.ncon == 60 * 59 // 2


def test_step_of_a_model_beyond_its_limit():
    m = corten.load_model(HEAP.format(60), limits={"data_bytes": 200_000})
    d = m.make_data()
    before = d.qpos.copy()
    with pytest.raises(corten.StepError, match="200000 bytes"):
        d.step()
    assert d.time == 0 and np.array_equal(d.qpos, before)


def test_batches():
    m = corten.load_model("<mujoco><worldbody><body><joint/><geom size='.1'/></body></worldbody></mujoco>")
    for count in (10**12, 2**62):
        with pytest.raises(MemoryError, match="limit 'worlds'"):
            corten.BatchSim(m, count)
    assert corten.BatchSim(m, 2, threads=10**6).threads == 2


HOSTILE = f"""
import resource
resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))
from corten import mujoco as MJ
m = MJ.MjModel.from_xml_string({HEAP.format(3000)!r})
d = MJ.MjData(m)
MJ.mj_step(m, d)
assert d.warning[{CONTACTFULL}].number, "contacts are cut"
peak = int(next(line for line in open("/proc/self/status") if line.startswith("VmHWM")).split()[1]) >> 10
assert peak < 3000, f"{{peak}} MB"
"""


def test_a_heap_of_three_thousand():
    """In a process of its own, which an allocation failure would end."""
    subprocess.run([sys.executable, "-c", HOSTILE], check=True, timeout=300)
