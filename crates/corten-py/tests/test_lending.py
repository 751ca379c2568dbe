"""What callbacks may do with the model and the data that the engine is using, and with what they keep of them."""
import copy
import gc
import pickle
import threading
import weakref

import numpy as np
import pytest

import corten.mujoco as corten
from scenes import load

mujoco = pytest.importorskip("mujoco")
SCENE = """
<mujoco>
  <option timestep="0.002"><flag energy="enable"/></option>
  <worldbody>
    <geom name="floor" type="plane" size="5 5 .1"/>
    <body name="ball" pos="0 0 .09"><freejoint/><geom name="ball" size=".1"/></body>
    <body name="other" pos="1 0 .09"><freejoint/><geom size=".1"/></body>
    <body pos="2 0 1"><joint name="j" axis="0 1 0" damping=".1"/><geom size=".1" pos=".3 0 0"/></body>
  </worldbody>
  <actuator><motor joint="j"/></actuator>
  <sensor><user dim="1" needstage="vel"/></sensor>
  <keyframe><key name="start"/></keyframe>
</mujoco>
"""


@pytest.fixture(autouse=True)
def no_callbacks_left():
    yield
    corten.mj_resetCallbacks()
    mujoco.set_mjcb_control(None)


def fresh():
    m = load(SCENE)
    return m, corten.MjData(m)


def test_options_written_in_a_callback_count_from_the_next_call():
    m, d = fresh()
    gravity, seen = m.opt.gravity, []
    gravity[2] = -10

    def control(m, d):
        m.opt.timestep = 0.004
        m.opt.gravity[2] = gravity[2] + 1.0
        seen.append((m.opt.timestep, m.opt.gravity[2]))

    corten.set_mjcb_control(control)
    corten.mj_step(m, d, 2)
    corten.set_mjcb_control(None)
    assert seen == [(0.004, -9), (0.004, -8)]
    assert d.time == 0.004, "both steps with the options of the call"
    assert m.opt.timestep == 0.004 and gravity[2] == -8
    corten.mj_step(m, d)
    assert d.time == 0.008
    other = load(SCENE)
    other.opt.gravity = [0, 0, -8]
    e, f = corten.MjData(other), corten.MjData(m)
    corten.mj_forward(other, e)
    corten.mj_forward(m, f)
    np.testing.assert_array_equal(e.qacc, f.qacc)


@pytest.mark.parametrize("which", ["control", "passive", "sensor", "contactfilter"])
def test_arrays_written_in_a_callback(which):
    m, d = fresh()
    count = []

    def write(m, d, *more):
        count.append(len(d.contact))
        d.userdata[...] = 1
        d.qfrc_applied[:] = 0.25
        m.body_mass[1] = 2.0
        d.energy[0] = 7.0
        d.warning[0].number = 3
        d.time = 1.0
        if d.ncon:
            d.contact[0].friction = [2, 2, 1, 1, 1]
        d.efc_force[...] = 1.0
        d.solver_niter[3] = 9
        return 0

    getattr(corten, f"set_mjcb_{which}")(write)
    corten.mj_forward(m, d)
    assert count and max(count) >= 2
    assert np.all(d.qfrc_applied == 0.25) and m.body_mass[1] == 2.0 and d.warning[0].number == 3 and d.time == 1.0


def test_what_a_callback_keeps():
    m, d = fresh()
    kept = {}

    def control(m, d):
        kept.update(model=m, data=d, qpos=d.qpos, mass=m.body_mass, gravity=m.opt.gravity, energy=d.energy,
                    force=d.efc_force, contact=d.contact, first=d.contact[0], body=d.body("ball"), opt=m.opt,
                    warning=d.warning.number, center=m.stat.center, timer=d.timer.number)

    corten.set_mjcb_control(control)
    corten.mj_step(m, d, 3)
    corten.mj_resetCallbacks()
    assert kept["model"] is m and kept["data"] is d
    for view, now in ((kept["qpos"], d.qpos), (kept["mass"], m.body_mass), (kept["gravity"], m.opt.gravity),
                      (kept["energy"], d.energy), (kept["center"], m.stat.center)):
        assert np.shares_memory(view, now)
    kept["qpos"][0] = 0.5
    kept["gravity"][:] = 0
    kept["body"].xpos[0] = 3.0
    assert d.qpos[0] == 0.5 and d.xpos[1, 0] == 3.0
    corten.mj_forward(m, d)
    assert d.xpos[1, 0] == 0.5 and d.qfrc_bias[2] == 0
    corten.mj_step(m, d, 20)
    gone = weakref.ref(m), weakref.ref(d)
    for name in ("model", "data", "contact", "first", "body", "opt"):
        kept.pop(name)
    del m, d, now
    gc.collect()
    assert gone[0]() is None and gone[1]() is None
    for view in kept.values():
        view[...] = 1
        assert np.all(view == 1)


def test_a_step_inside_of_a_step():
    """A callback that steps the data it was given, to some depth, in both packages."""
    ends = []
    for mj in (mujoco, corten):
        m = mj.MjModel.from_xml_string(SCENE)
        d = mj.MjData(m)
        depth, calls = [0], []

        def control(m, d):
            calls.append(depth[0])
            d.ctrl[0] = 0.1 * depth[0]
            if depth[0] < 3:
                depth[0] += 1
                mj.mj_step(m, d)
                mj.mj_forward(m, d)
                depth[0] -= 1

        mj.set_mjcb_control(control)
        mj.mj_step(m, d, 2)
        mj.set_mjcb_control(None)
        ends.append((d.time, d.qpos.copy(), d.qvel.copy(), calls))
    assert ends[0][3] == ends[1][3] and len(ends[1][3]) > 20
    assert ends[0][0] == pytest.approx(ends[1][0])
    np.testing.assert_allclose(ends[1][1], ends[0][1], atol=1e-9)
    np.testing.assert_allclose(ends[1][2], ends[0][2], atol=1e-9)


def test_other_simulations_inside_of_a_step():
    m, d = fresh()
    e = corten.MjData(m)

    def control(model, data):
        if data is d:
            data.qpos[0] += 0.0
            corten.mj_step(m, e)
            corten.mj_copyState(m, d, e, corten.mjtState.mjSTATE_QVEL)
            assert copy.copy(d).time == d.time

    corten.set_mjcb_control(control)
    corten.mj_step(m, d, 5)
    assert d.time == pytest.approx(0.01) and e.time == pytest.approx(0.01)


@pytest.mark.parametrize("change", [
    lambda m, d: corten.mj_setTotalmass(m, 3.0),
    lambda m, d: corten.mj_setConst(m, d),
    lambda m, d: corten.mj_setKeyframe(m, d, 0),
])
def test_functions_that_change_the_model_are_refused_in_callbacks(change):
    m, d = fresh()
    corten.set_mjcb_passive(change)
    mass = m.body_mass.copy()
    with pytest.raises(RuntimeError, match="a callback cannot do this"):
        corten.mj_step(m, d)
    np.testing.assert_array_equal(m.body_mass, mass)
    corten.set_mjcb_passive(lambda model, data: change(other, corten.MjData(other)))
    other = load(SCENE)
    corten.mj_step(m, d)
    corten.mj_resetCallbacks()
    change(m, d)
    corten.mj_step(m, d)


def test_a_clock_that_looks_at_the_simulation():
    m, d = fresh()
    qpos, seen = d.qpos, []
    corten.set_mjcb_time(lambda: seen.append(float(qpos[2]) + m.nq + m.opt.timestep + m.body_mass[1]) or 0.0)
    corten.mj_step(m, d)
    assert seen
    corten.set_mjcb_time(lambda: d.time)
    with pytest.raises(RuntimeError, match="a callback cannot do this"):
        corten.mj_step(m, d)
    corten.set_mjcb_time(None)
    corten.mj_step(m, d)


def test_settings_reach_everything_that_uses_the_model():
    m, d = fresh()
    m.opt.jacobian = corten.mjtJacobian.mjJAC_SPARSE
    assert corten.mj_isSparse(m) == 1
    gravity, center = m.opt.gravity, m.stat.center
    gravity[:] = [1, 2, 3]
    for other in (copy.copy(m), pickle.loads(pickle.dumps(m))):
        assert other.opt.gravity.tolist() == [1, 2, 3] and other.opt == m.opt
        other.opt.gravity[0] = 9
    assert gravity[0] == 1
    m.body_pos[1, 0] = 50.0
    m.qpos0[0] = 50.0
    corten.mj_setConst(m, d)
    assert center[0] > 10 and np.shares_memory(center, m.stat.center) and gravity[1] == 2
    m.stat.meanmass = 4.0
    corten.mj_forward(m, d)
    assert m.stat.meanmass == 4.0 and copy.copy(m).stat.meanmass == 4.0
    fall = corten.MjData(m)
    corten.mj_forward(m, fall)
    assert fall.qfrc_bias[6] == pytest.approx(-m.body_mass[2])
    record = corten.MjOption()
    record.timestep = 0.5
    m.opt.wind = np.array([1, 1, 1])
    assert record.wind.tolist() == [0, 0, 0] and m.opt.timestep == 0.002


def test_options_written_by_another_thread():
    m, d = fresh()
    m.opt.gravity[2] = -1.0
    started = threading.Event()
    corten.set_mjcb_control(lambda m, d: started.set())
    thread = threading.Thread(target=corten.mj_step, args=(m, d, 400))
    thread.start()
    started.wait()
    for k in range(50):
        m.opt.gravity[2] = -1.0 - k
        m.opt.timestep = 0.001
    thread.join()
    assert d.time == pytest.approx(0.8), "a call keeps its options"
    corten.mj_step(m, d)
    assert d.time == pytest.approx(0.801)
