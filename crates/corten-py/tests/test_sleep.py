"""Sleep, side by side with MuJoCo 3.4.0: states step by step, what sleeping objects keep, who wakes whom.

Scenes in which rounding does not decide are followed from the start; the pile, where it does, from equal states.
"""
import numpy as np
import pytest

import corten
import corten.mujoco as ours

mujoco = pytest.importorskip("mujoco")

STATES = "tree_asleep tree_awake body_awake".split()
LISTS = {"body_awake_ind": "nbody_awake", "parent_awake_ind": "nparent_awake", "dof_awake_ind": "nv_awake"}

FLOOR = "<geom type='plane' size='5 5 .1'/>"
OPTION = "<option><flag sleep='enable'/></option>"

# Boxes at rest, a pendulum that never is, a box under water that a damper brakes, and sensors of each.
MIXED = f"""<mujoco><option density="1000" viscosity=".1"><flag sleep="enable" energy="enable"/></option><worldbody>{FLOOR}
  <body name="a" pos="0 0 .1"><freejoint/><geom name="a" type="box" size=".1 .1 .1" density="4000"/><site name="a" pos=".1 0 0"/></body>
  <body name="b" pos="1 0 .1"><freejoint/><geom name="b" type="box" size=".1 .1 .1" density="4000"/></body>
  <body name="p" pos="0 2 1"><joint name="p" axis="0 1 0"/><geom size=".05" pos=".3 0 0" density="4000"/><site name="p" pos=".3 0 0"/></body>
  <body name="s" pos="0 -2 1"><joint name="s" type="slide" damping="9" stiffness="5" springref=".1"/>
    <geom size=".05" density="4000"/></body>
</worldbody>
<tendon>
  <fixed name="slide" stiffness="2" springlength=".2"><joint joint="s" coef="1.5"/></fixed>
  <spatial name="half" limited="true" range="0 9"><site site="a"/><site site="p"/></spatial>
</tendon>
<sensor>
  <accelerometer site="a"/><gyro site="a"/><framepos objtype="body" objname="a"/><framelinvel objtype="geom" objname="b"/>
  <jointpos joint="s"/><jointvel joint="s"/><tendonpos tendon="slide"/><tendonvel tendon="slide"/>
  <tendonpos tendon="half"/><tendonvel tendon="half"/><framepos objtype="body" objname="a" reftype="body" refname="p"/>
  <touch site="a"/><e_potential/><e_kinetic/><clock/>
</sensor></mujoco>"""


def pair(xml):
    both = []
    for mj in (mujoco, ours):
        m = mj.MjModel.from_xml_string(xml)
        both += [m, mj.MjData(m)]
    return both


def same_states(want, found, when):
    for name in STATES:
        assert np.array_equal(getattr(want, name), getattr(found, name)), (name, when)
    assert want.ntree_awake == found.ntree_awake, when
    for name, count in LISTS.items():
        n = getattr(want, count)
        assert n == getattr(found, count), (name, when)
        assert np.array_equal(getattr(want, name)[:n], getattr(found, name)[:n]), (name, when)


def close(want, found, tolerance, what):
    want, found = np.asarray(want), np.asarray(found)
    error = np.max(np.abs(want - found), initial=0) / max(1, np.max(np.abs(want), initial=0))
    assert error < tolerance, (what, error)


def follow(xml, steps, prepare=lambda m, d, t: None, tolerance=1e-9):
    """Steps both engines; returns how many trees slept after each step."""
    m0, d0, m1, d1 = pair(xml)
    asleep = []
    for t in range(steps):
        for m, d in ((m0, d0), (m1, d1)):
            prepare(m, d, t)
        mujoco.mj_step(m0, d0)
        ours.mj_step(m1, d1)
        same_states(d0, d1, t)
        for name in "qpos qvel qacc qfrc_bias qfrc_passive cvel sensordata energy".split():
            close(getattr(d0, name), getattr(d1, name), tolerance, (name, t))
        asleep.append(m0.ntree - d0.ntree_awake)
    return np.array(asleep)


def test_what_sleeps_keeps_its_sensors_and_the_rest_moves_on():
    asleep = follow(MIXED, 1200)
    assert asleep[0] == 0 and asleep[-1] == 3, "all but the pendulum"
    # Tendons of two trees are whole if one end is awake; sensors of what sleeps keep their last value.
    m, d = pair(MIXED)[2:]
    ours.mj_step(m, d, 1200)
    at = {s: m.sensor_adr[s] for s in range(m.nsensor)}
    sensors = [(before := d.sensordata.copy()), ours.mj_step(m, d, 5), d.sensordata.copy()][::2]
    frozen = [0, 1, 2, 3, 4, 5, 6, 7]
    for s in frozen:
        a, n = at[s], m.sensor_dim[s]
        assert np.array_equal(*[x[a : a + n] for x in sensors]), s
    for s in (8, 9, 10, 14):
        a, n = at[s], m.sensor_dim[s]
        assert not np.array_equal(*[x[a : a + n] for x in sensors]), s
    assert np.all(np.isfinite(before)) and np.any(before[:3] != 0)


@pytest.mark.parametrize("what", ["xfrc_applied", "qfrc_applied", "qvel", "qpos", "negative zero"])
def test_users_wake_what_they_touch(what):
    def touch(m, d, t):
        if t != 400:
            return
        if what == "qpos":
            d.qpos[0] += 1e-3
        elif what == "negative zero":
            d.qfrc_applied[0] = -0.0
        elif what == "xfrc_applied":
            d.xfrc_applied[1, 2] = 1e-9
        else:
            getattr(d, what)[0] = 1e-9

    asleep = follow(MIXED, 450, touch)
    assert asleep[399] >= 2 and asleep[400] == asleep[399] - 1, asleep[398:402]


def test_contact_wakes_the_island_in_the_same_step():
    bodies = "".join(
        f"<body pos='{x} 0 {z}'><freejoint/><geom type='box' size='.1 .1 .1'/></body>" for x, z in ((0, 0.1), (0, 0.29999), (1, 0.1))
    )
    ball = "<body pos='0 0 3'><freejoint/><geom size='.1' density='5000'/></body>"
    m, d = pair(f"<mujoco>{OPTION}<worldbody>{FLOOR}{bodies}{ball}</worldbody></mujoco>")[2:]
    slept = False
    for _ in range(1000):
        before = d.tree_asleep.copy()
        ours.mj_step(m, d)
        slept |= (before[:3] >= 0).all()
        if slept and (d.tree_asleep[:2] < 0).any():
            break
    assert slept, "the stack has not fallen asleep before the ball came"
    assert (d.tree_asleep[:2] < 0).all() and d.tree_asleep[2] >= 0, "the stack wakes as one; the box apart sleeps on"


def test_a_tendon_wakes_the_sleeping_end():
    xml = f"""<mujoco>{OPTION}<worldbody>
      <body pos="0 0 1" gravcomp="1"><joint type="slide" axis="1 0 0" damping="1"/><geom size=".1"/><site name="a"/></body>
      <body pos="1 0 1" gravcomp="1"><joint type="slide" axis="0 0 1" damping="1"/><geom size=".1"/><site name="b"/></body>
    </worldbody><tendon><spatial limited="true" range="0 1.2"><site site="a"/><site site="b"/></spatial></tendon></mujoco>"""

    def pull(m, d, t):
        if t == 40:
            d.qvel[0] = -1.0

    asleep = follow(xml, 400, pull)
    assert asleep[39] == 2 and asleep[40] == 1, "the moved end is awake"
    assert 0 in asleep[41:], "the tendon is taut: the other end wakes"


def test_an_equality_couples_what_sleeps():
    xml = f"""<mujoco>{OPTION}<worldbody>
      <body name="a" pos="0 0 1" gravcomp="1"><freejoint/><geom size=".1"/></body>
      <body name="b" pos="1 0 1" gravcomp="1"><freejoint/><geom size=".1"/></body></worldbody>
      <equality><connect body1="a" body2="b" anchor=".5 0 0" active="false"/></equality></mujoco>"""

    def couple(m, d, t):
        if t == 50:
            d.eq_active[0] = 1

    asleep = follow(xml, 200, couple)
    assert asleep[49] == 2 and asleep[50] == 0, "two cycles that are coupled wake"
    assert asleep[-1] == 2


def test_policies_and_initial_sleep():
    xml = f"""<mujoco>{OPTION}<worldbody>{FLOOR}
      <body pos="0 0 .1" sleep="init"><freejoint/><geom type="box" size=".1 .1 .1"/></body>
      <body pos="1 0 .1" sleep="never"><freejoint/><geom type="box" size=".1 .1 .1"/></body>
      <body pos="2 0 .1"><freejoint/><geom type="box" size=".1 .1 .1"/></body>
      <body pos="3 0 .1" sleep="allowed"><joint name="j" type="slide"/><geom type="box" size=".1 .1 .1"/></body>
      <body pos="4 0 .1"><joint name="k" type="slide"/><geom type="box" size=".1 .1 .1"/></body>
    </worldbody><actuator><motor joint="j"/><motor joint="k"/></actuator></mujoco>"""
    m0, d0, m1, d1 = pair(xml)
    assert np.array_equal(m0.tree_sleep_policy, m1.tree_sleep_policy)
    same_states(d0, d1, "start")
    assert d1.tree_asleep[0] == 0
    for m, d, mj in ((m0, d0, mujoco), (m1, d1, ours)):
        mj.mj_step(m, d, 300)
    same_states(d0, d1, "end")
    assert list(d1.tree_awake) == [0, 1, 0, 0, 1]

    stack = """<body pos='0 0 .1' sleep='init'><freejoint/><geom type='box' size='.1 .1 .1'/></body>
      <body name='upper' pos='0 0 .29999'><freejoint/><geom type='box' size='.1 .1 .1'/></body>"""
    text = f"<mujoco>{OPTION}<worldbody>{FLOOR}{stack}</worldbody></mujoco>"
    with pytest.raises(ValueError, match="'upper', which starts awake"):
        ours.MjModel.from_xml_string(text)


@pytest.mark.filterwarnings("error")
def test_sleep_under_runge_kutta_is_a_warning():
    xml = f"<mujoco><option integrator='RK4'><flag sleep='enable'/></option><worldbody>{FLOOR}</worldbody></mujoco>"
    with pytest.warns(Warning, match="nothing sleeps"):
        corten.load_model(xml)
    corten.load_model(xml.replace("RK4", "implicit"))


def test_worlds_of_a_batch_sleep_on_their_own():
    xml = f"""<mujoco>{OPTION}<worldbody>{FLOOR}
      <body pos="0 0 .1"><freejoint/><geom type="box" size=".1 .1 .1"/></body></worldbody></mujoco>"""
    m = corten.load_model(xml)
    batch = corten.BatchSim(m, 3, outputs=["tree_awake"])
    for _ in range(100):
        batch.qvel[1, 0] = 1.0
        batch.step()
    assert list(np.ravel(batch.tree_awake)) == [0, 1, 0]
    assert np.all(batch.qvel[[0, 2]] == 0)
