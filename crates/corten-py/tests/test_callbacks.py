"""Callbacks, and functions beside the pipeline: the same in MuJoCo."""
import gc
import itertools

import numpy as np
import pytest

import corten.mujoco as corten
from scenes import EVERYTHING, PENDULUM, load

mujoco = pytest.importorskip("mujoco")
BOTH = [mujoco, corten]
USER = """
<mujoco>
  <worldbody>
    <geom name="floor" type="plane" size="5 5 .1"/>
    <body name="ball" pos="0 0 .09"><freejoint/><geom name="ball" size=".1"/></body>
    <body pos="2 0 1"><joint name="j" axis="0 1 0" damping=".1"/><geom size=".1" pos=".3 0 0"/></body>
  </worldbody>
  <actuator>
    <general name="user" joint="j" dyntype="user" gaintype="user" biastype="user" actdim="1"/>
    <motor name="motor" joint="j"/>
  </actuator>
  <sensor><user name="mine" dim="2" needstage="vel"/><jointpos joint="j"/></sensor>
</mujoco>
"""


def clear(mj):
    for name in dir(mj):
        if name.startswith("set_mjcb_"):
            getattr(mj, name)(None)


@pytest.fixture(autouse=True)
def no_callbacks_left():
    yield
    for mj in BOTH:
        clear(mj)
        assert mj.get_mjcb_control() is None


def simulate(setup, xml=USER, steps=20):
    """The state after some steps with the callbacks that `setup` sets, in both packages."""
    ends = []
    for mj in BOTH:
        m = mj.MjModel.from_xml_string(xml)
        d = mj.MjData(m)
        setup(mj)
        mj.mj_step(m, d, steps)
        mj.mj_forward(m, d)
        ends.append(d)
        clear(mj)
    for name in ("qpos", "qvel", "act", "ctrl", "sensordata", "actuator_force", "qfrc_passive"):
        np.testing.assert_allclose(getattr(ends[1], name), getattr(ends[0], name), atol=1e-9, err_msg=name)
    assert ends[1].ncon == ends[0].ncon
    return ends[1]


def test_control():
    def control(m, d):
        d.ctrl[1] = -d.qvel[6] + 0.3

    d = simulate(lambda mj: mj.set_mjcb_control(control))
    assert d.ctrl[1] != 0


def test_passive_forces():
    def passive(m, d):
        d.qfrc_passive[6] += 2.0 - d.qpos[7]

    simulate(lambda mj: mj.set_mjcb_passive(passive))


def test_sensors():
    def sensor(m, d, stage):
        if stage == 2:
            d.sensordata[:2] = d.time, d.qvel[6]

    d = simulate(lambda mj: mj.set_mjcb_sensor(sensor))
    assert d.sensordata[0] > 0


def test_actuators():
    def setup(mj):
        mj.set_mjcb_act_dyn(lambda m, d, i: 1.5 - d.act[0])
        mj.set_mjcb_act_gain(lambda m, d, i: 2.0 + d.time)
        mj.set_mjcb_act_bias(lambda m, d, i: -0.1 * d.actuator_velocity[i])

    d = simulate(setup)
    assert d.act[0] > 0


def test_contact_filter():
    d = simulate(lambda mj: mj.set_mjcb_contactfilter(lambda m, d, g1, g2: 1))
    assert d.ncon == 0


def test_callbacks_may_call_functions_and_look_at_everything():
    seen = []

    def control(m, d):
        jacobian = np.zeros((3, m.nv))
        corten.mj_jacBody(m, d, jacobian, None, 1)
        seen.append((d.body("ball").xpos.copy(), m.body_mass.sum(), d.efc_force.shape, len(d.contact), jacobian.any()))
        m.opt.timestep = 0.003
        d.ctrl = 0.1

    corten.set_mjcb_control(control)
    m = load(USER)
    d = corten.MjData(m)
    corten.mj_step(m, d, 3)
    assert len(seen) == 3 and seen[0][4] and d.ctrl[0] == 0.1
    assert d.xpos.shape == (m.nbody, 3) and d.qpos.shape == (m.nq,)


def test_exceptions_come_back():
    def control(m, d):
        raise KeyError("nothing")

    corten.set_mjcb_control(control)
    m = load(PENDULUM)
    d = corten.MjData(m)
    with pytest.raises(KeyError, match="nothing"):
        corten.mj_step(m, d, 5)
    corten.mj_resetCallbacks()
    assert corten.get_mjcb_control() is None
    corten.mj_step(m, d)
    with pytest.raises(TypeError):
        corten.set_mjcb_passive(3)
    with pytest.raises(NotImplementedError):
        corten.set_mju_user_malloc(lambda message: None)


def timers(mj, integrator=0, disable=0, enable=0, calls=(("mj_step",),), xml=EVERYTHING):
    """Numbers and durations of all timers after some calls, by a clock that counts how often it is read."""
    m = mj.MjModel.from_xml_string(xml)
    m.opt.integrator = integrator
    m.opt.disableflags |= disable
    m.opt.enableflags |= enable
    d = mj.MjData(m)
    reads = itertools.count()
    mj.set_mjcb_time(lambda: float(next(reads)))
    for name, *arguments in calls:
        getattr(mj, name)(m, d, *arguments)
    mj.set_mjcb_time(None)
    return {t: (d.timer[t].number, d.timer[t].duration) for t in range(int(mj.mjtTimer.mjNTIMER))}


STEP, FORWARD, INVERSE, POSITION, VELOCITY, ACTUATION, CONSTRAINT, ADVANCE = range(8)


@pytest.mark.parametrize("case", [
    {}, {"integrator": 1}, {"integrator": 2}, {"integrator": 3},
    {"calls": (("mj_step1",), ("mj_step2",))},
    {"calls": (("mj_step1",), ("mj_step2",)), "integrator": 1},
    {"calls": (("mj_forward",), ("mj_inverse",), ("mj_step", 3))},
    {"disable": int(mujoco.mjtDisableBit.mjDSBL_CONTACT)},
    {"disable": int(mujoco.mjtDisableBit.mjDSBL_ACTUATION)},
    {"enable": int(mujoco.mjtEnableBit.mjENBL_FWDINV)},
    {"xml": "<mujoco/>"}, {"xml": PENDULUM},
])
def test_timers(case):
    expected, found = timers(mujoco, **case), timers(corten, **case)
    assert {t: n for t, (n, _) in found.items()} == {t: n for t, (n, _) in expected.items()}
    for t, (_, duration) in found.items():
        assert (duration > 0) == (expected[t][1] > 0), t
    time = {t: duration for t, (_, duration) in found.items()}
    if "calls" not in case:
        assert time[STEP] == 0 or time[STEP] > time[POSITION] + time[VELOCITY] + time[CONSTRAINT]


def test_timers_rest_without_a_clock():
    m = load(PENDULUM)
    d = corten.MjData(m)
    corten.mj_step(m, d)
    assert not np.any(d.timer.number) and not np.any(d.timer.duration)
    corten.set_mjcb_time(lambda: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        corten.mj_step(m, d)


def test_callbacks_in_threads():
    import threading
    count = []
    corten.set_mjcb_control(lambda m, d: count.append(float(d.qpos[0])))
    m = load(PENDULUM)
    threads = [threading.Thread(target=corten.mj_step, args=(m, corten.MjData(m), 50)) for _ in range(3)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert len(count) == 150


def test_added_contacts():
    for mj in BOTH:
        m = mj.MjModel.from_xml_string(USER)
        d = mj.MjData(m)
        mj.mj_forward(m, d)
        n = d.ncon
        contact = mj.MjContact()
        contact.dist, contact.dim, contact.mu = -0.01, 3, 0.5
        contact.pos = [0, 0, 0.5]
        contact.frame = np.eye(3).ravel()
        contact.geom = [0, 1]
        contact.friction = [1, 1, 0.1, 0.1, 0.1]
        contact.solref = [0.02, 1]
        contact.solimp = [0.9, 0.95, 0.001, 0.5, 2]
        mj.mj_addContact(m, d, contact)
        assert d.ncon == n + 1 and d.contact[n].dist == -0.01 and d.contact.pos[n, 2] == 0.5
        mj.mj_makeConstraint(m, d)
        assert d.contact[n].efc_address >= 0


def test_parts_of_inverse_dynamics():
    ends = []
    for mj in BOTH:
        m = mj.MjModel.from_xml_string(EVERYTHING)
        d = mj.MjData(m)
        d.qvel[:] = 0.1
        mj.mj_invPosition(m, d)
        mj.mj_invVelocity(m, d)
        ends.append(np.concatenate([d.qfrc_bias, d.efc_aref, d.xpos.ravel()]))
    np.testing.assert_allclose(ends[1], ends[0], atol=1e-9)


def test_the_last_xml(tmp_path):
    path = str(tmp_path / "last.xml")
    m = load(EVERYTHING)
    corten.mj_saveLastXML(path, m)
    again = corten.MjModel.from_xml_path(path)
    assert again.nv == m.nv and again.names == m.names


def test_binary_models(tmp_path):
    m = load(EVERYTHING)
    path = str(tmp_path / "model.cfa")
    corten.mj_saveModel(m, path)
    n = corten.MjModel.from_binary_path(path)
    for name in m._array_fields:
        np.testing.assert_array_equal(getattr(n, name), getattr(m, name), err_msg=name)
    buffer = np.zeros(corten.mj_sizeModel(m), np.uint8)
    corten.mj_saveModel(m, None, buffer)
    assert corten.MjModel.from_binary_path("x", {"x": buffer.tobytes()}).nq == m.nq
    with pytest.raises(ValueError, match="XML"):
        corten.MjModel.from_binary_path("x", {"x": EVERYTHING.encode()})
    with pytest.raises(ValueError, match="No such file"):
        corten.MjModel.from_binary_path(str(tmp_path / "nothing.cfa"))
    content = bytearray(open(path, "rb").read())
    rng = np.random.default_rng(1)
    for _ in range(100):
        damaged = bytearray(content)
        damaged[rng.integers(len(damaged))] ^= 1 << rng.integers(8)
        with pytest.raises(ValueError):
            corten.MjModel.from_binary_path("x", {"x": bytes(damaged)})


def test_named_access_is_kept_with_the_model():
    m = load(PENDULUM)
    d = corten.MjData(m)
    for _ in range(3):
        assert d.joint("hinge").id == 0 and m.body("pole").id == 1
    with pytest.raises(KeyError, match="Invalid name"):
        d.joint("hing")
    gc.collect()
    assert corten.MjData(load(EVERYTHING)).joint("hinge").id == 2


def test_hessians_of_cones():
    xml = USER.replace("<worldbody>", '<option cone="elliptic" solver="Newton"/><worldbody>', 1)
    ends = []
    for mj in BOTH:
        m = mj.MjModel.from_xml_string(xml)
        d = mj.MjData(m)
        d.qvel[0] = 3
        mj.mj_step(m, d, 3)
        mj.mj_forward(m, d)
        ends.append((d.contact.H.copy(), d.efc_state.copy(), d.contact[0].H.copy()))
    np.testing.assert_array_equal(ends[0][1], ends[1][1])
    assert 4 in ends[1][1]
    np.testing.assert_allclose(ends[1][0][:, :9], ends[0][0][:, :9], rtol=1e-6, atol=1e-9)
    np.testing.assert_array_equal(ends[1][2], ends[1][0][0])


def test_small_functions():
    assert corten.MjModel.bind_scalar is corten.MjModel.bind
    solref, solimp = np.zeros(2), np.zeros(5)
    corten.mj_defaultSolRefImp(solref, solimp)
    assert solref.tolist() == [0.02, 1.0] and solimp[0] == 0.9
    m = load(PENDULUM)
    assert m.signature == load(PENDULUM).signature != load(EVERYTHING).signature
