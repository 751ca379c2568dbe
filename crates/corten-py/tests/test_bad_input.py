"""Numbers that make no sense: warning counters and resets as in MuJoCo, and never a crash."""
import itertools
import warnings

import numpy as np
import pytest

import corten.mujoco as corten

mujoco = pytest.importorskip("mujoco")

XML = """
<mujoco>
  <option {option}/>
  <worldbody>
    <geom type="plane" size="5 5 .1"/>
    <body pos="0 0 .5"><freejoint/><geom type="box" size=".1 .1 .1"/><site name="imu"/>
      <body pos=".2 0 0"><joint name="elbow" axis="0 1 0" damping=".1" range="-60 60"/><geom type="capsule" size=".03 .1"/></body>
    </body>
    <body pos="1 0 .3"><joint name="ball" type="ball" stiffness="1"/><geom size=".1" pos="0 0 -.2"/></body>
    <body name="handle" mocap="true" pos="2 0 1"><geom size=".1"/></body>
    <body name="held" pos="2 0 1.3"><freejoint/><geom size=".1"/></body>
  </worldbody>
  <equality><weld body1="handle" body2="held"/></equality>
  <actuator>
    <motor joint="elbow" ctrlrange="-1 1" ctrllimited="true"/><position joint="elbow" kp="3"/><general joint="elbow" dyntype="integrator"/>
  </actuator>
  <sensor><accelerometer site="imu"/><gyro site="imu"/></sensor>
</mujoco>
"""
OPTIONS = ["", 'integrator="RK4"', 'integrator="implicit"', 'integrator="implicitfast"', 'solver="CG"', 'solver="PGS"', 'cone="elliptic"']
BAD = [np.nan, np.inf, -np.inf, 1e11, 1e300]
PLACES = [("qpos", 0), ("qpos", 3), ("qpos", 7), ("qpos", 9), ("qvel", 0), ("qvel", 4), ("qvel", 8), ("ctrl", 0), ("ctrl", 1), ("ctrl", 2),
          ("act", 0), ("qfrc_applied", 2), ("qfrc_applied", 6), ("xfrc_applied", 8), ("xfrc_applied", 0), ("mocap_pos", 0), ("mocap_quat", 1)]


def run(mj, option, change_model=None, change_data=None, steps=2):
    m = mj.MjModel.from_xml_string(XML.format(option=option))
    if change_model:
        change_model(m)
    d = mj.MjData(m)
    if change_data:
        for _ in range(3):
            mj.mj_step(m, d)
        change_data(d)
    out = []
    for _ in range(steps):
        mj.mj_step(m, d)
        counters = [w.number for w in d.warning], [w.lastinfo for w in d.warning]
        out.append((*counters, d.time, np.array(d.qpos), np.array(d.qvel), np.array(d.act)))
    return out


def test_first_bad_number_is_a_warning():
    """MuJoCo prints the first of them; here Python's filters decide."""
    m = corten.MjModel.from_xml_string(XML.format(option=""))
    d = corten.MjData(m)
    d.ctrl[1] = np.nan
    with pytest.warns(RuntimeWarning, match="control 1"):
        corten.mj_step(m, d, nstep=3)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        d.ctrl[1] = np.nan
        corten.mj_step(m, d)
    corten.mj_resetData(m, d)
    d.qvel[6] = np.inf
    with pytest.warns(RuntimeWarning, match="elbow"):
        corten.mj_step(m, d)


@pytest.mark.parametrize("option", OPTIONS)
@pytest.mark.parametrize("field,index", PLACES)
def test_state_and_inputs(option, field, index):
    """Counters, the index that they name, time and the state after the reset. A geom at a bad position touches nothing
    here and everything in MuJoCo, so that the index of the first bad acceleration is another for `mocap_pos`."""
    for bad in BAD:
        def spoil(d):
            np.asarray(getattr(d, field)).reshape(-1)[index] = bad

        for want, found in zip(run(mujoco, option, change_data=spoil), run(corten, option, change_data=spoil)):
            assert want[0] == found[0] and want[2] == found[2], (bad, want[:3], found[:3])
            assert want[1] == found[1] or field == "mocap_pos", (bad, want[:3], found[:3])
            for a, b in zip(want[3:], found[3:]):
                np.testing.assert_allclose(b, a, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("option", OPTIONS)
def test_bodies_without_inertia(option):
    """Written into a compiled model; MuJoCo ends the program if the matrix of `implicit` cannot be factored."""
    for body, mass, inertia in itertools.product([1, 2, 3], [0, 1e-17], [0, 1e-17, None]):
        def spoil(m):
            m.body_mass[body] = mass
            if inertia is not None:
                m.body_inertia[body] = inertia

        found = run(corten, option, change_model=spoil, steps=4)
        try:
            want = run(mujoco, option, change_model=spoil, steps=4)
        except mujoco.FatalError:
            continue
        # Which acceleration is the first bad one is a matter of rounding.
        assert [(w[0], w[2]) for w in want] == [(f[0], f[2]) for f in found], (body, mass, inertia)


def test_out_of_range_controls_are_clamped():
    for mj in (mujoco, corten):
        m = mj.MjModel.from_xml_string(XML.format(option=""))
        d = mj.MjData(m)
        d.ctrl[0] = 17
        mj.mj_step(m, d)
        assert d.actuator_force[0] == 1 and not any(w.number for w in d.warning) and d.ctrl[0] == 17
