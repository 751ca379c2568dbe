"""What is written to arrays of a model between steps counts in the next step, as in MuJoCo."""
import copy

import numpy as np
import pytest

import corten.mujoco as corten
from corten.mujoco import rollout
from scenes import load, reference

SCENE = """
<mujoco>
  <worldbody>
    <geom name="floor" type="plane" size="2 2 1"/>
    <body name="arm" pos="0 0 .5">
      <joint name="shoulder" axis="0 1 0" damping=".1"/>
      <geom name="upper" type="capsule" fromto="0 0 0 .3 0 0" size=".04"/>
      <site name="middle" pos=".3 0 .05"/>
      <body name="hand" pos=".3 0 0">
        <joint name="elbow" axis="0 1 0" damping=".1"/>
        <geom name="lower" type="capsule" fromto="0 0 0 .3 0 0" size=".04"/>
        <site name="tip" pos=".3 0 0"/>
      </body>
    </body>
    <body name="ball" pos=".2 0 .1"><freejoint/><geom name="ball" size=".06"/><site name="on_ball"/></body>
  </worldbody>
  <tendon>
    <spatial stiffness="5" springlength=".1"><site site="middle"/><site site="on_ball"/></spatial>
    <fixed stiffness="2"><joint joint="shoulder" coef="1"/><joint joint="elbow" coef="-.5"/></fixed>
  </tendon>
  <actuator>
    <motor joint="shoulder" gear="2"/>
    <position joint="elbow" kp="3"/>
    <motor site="tip" gear="0 0 1 0 0 0"/>
  </actuator>
  <sensor><framepos objtype="site" objname="tip"/><jointpos joint="elbow"/><touch site="on_ball"/></sensor>
</mujoco>
"""


def masks(m):
    m.geom_contype[:] = 0
    m.geom_conaffinity[:] = 0


def swap_targets(m):
    m.actuator_trnid[0, 0], m.actuator_trnid[1, 0] = 1, 0


def make_integrator(m):
    m.actuator_biastype[1] = 0
    m.actuator_gainprm[1, 0] = 0.5


def ellipsoid(m):
    m.geom_type[3] = 4
    m.geom_size[3] = [.06, .05, .04]


def named(m):
    m.geom("ball").contype = 0
    m.geom("ball").conaffinity = 0


WRITES = {
    "masses": lambda m: m.body_mass.__imul__(2),
    "masks": masks,
    "masks by name": named,
    "geom type": ellipsoid,
    "site's body": lambda m: m.site_bodyid.__setitem__(1, 1),
    "actuator's joint": swap_targets,
    "actuator's kind": make_integrator,
    "tendon's coefficient": lambda m: m.wrap_prm.__setitem__(-1, 2.0),
    "tendon's site": lambda m: m.wrap_objid.__setitem__(0, 1),
    "sensor": lambda m: m.sensor_objid.__setitem__(1, 0),
}


def start(mj, m):
    d = mj.MjData(m)
    d.ctrl[:] = [.1, .2, .3]
    mj.mj_step(m, d, 100)
    return d


@pytest.mark.parametrize("what", WRITES)
def test_between_steps(what):
    mujoco = pytest.importorskip("mujoco")
    write = WRITES[what]
    results, untouched = [], None
    for mj, m in ((mujoco, reference(SCENE)), (corten, load(SCENE))):
        d = start(mj, m)
        other = copy.copy(d)
        write(m)
        steps = []
        for _ in range(20):
            mj.mj_step(m, d)
            steps.append(np.concatenate([d.qpos, d.qvel, d.sensordata, d.actuator_length, [d.ncon]]))
        results.append(np.array(steps))
        plain = (reference if mj is mujoco else load)(SCENE)
        for _ in range(20):
            mj.mj_step(plain, other)
        untouched = np.concatenate([other.qpos, other.qvel, other.sensordata, other.actuator_length, [other.ncon]])
    np.testing.assert_allclose(results[1], results[0], atol=1e-7)
    assert np.abs(results[1][-1] - untouched).max() > 1e-4


def test_in_the_middle_of_a_step():
    """Parameters count at once, masks in the next step."""
    mujoco = pytest.importorskip("mujoco")
    velocities = []
    for mj, m in ((mujoco, reference(SCENE)), (corten, load(SCENE))):
        d = start(mj, m)

        def heavier(m, d):
            m.opt.gravity[:] = [0, 0, -3]
            m.dof_damping[:] = 1.5
            masks(m)

        mj.set_mjcb_control(heavier)
        try:
            mj.mj_step(m, d)
            velocities.append(d.qvel.copy())
            assert d.ncon > 0
            mj.mj_step(m, d)
            assert d.ncon == 0
        finally:
            mj.set_mjcb_control(None)
        velocities.append(d.qvel.copy())
    np.testing.assert_allclose(velocities[2:], velocities[:2], atol=1e-7)


def test_views_that_were_taken_long_ago():
    m = load(SCENE)
    contype, affinity = m.geom_contype, m.geom_conaffinity
    d = start(corten, m)
    assert d.ncon > 0
    for on in (0, 1, 0, 1):
        contype[:] = on
        affinity[:] = on
        corten.mj_forward(m, d)
        assert (d.ncon > 0) == bool(on)


def test_a_copy_is_another_model():
    m = load(SCENE)
    d = start(corten, m)
    other = copy.copy(m)
    masks(other)
    corten.mj_forward(m, d)
    assert d.ncon > 0
    corten.mj_forward(other, d)
    assert d.ncon == 0
    corten.mj_forward(m, d)
    assert d.ncon > 0


def test_models_of_other_sizes_are_refused():
    m, other = load(SCENE), load(SCENE.replace("<sensor>", '<sensor><jointvel joint="elbow"/>'))
    d = start(corten, m)
    with pytest.raises(ValueError, match="its nsensor is 3, the given model's is 4"):
        corten.mj_step(other, d)
    corten.mj_step(m, d)


def test_rollout_over_a_list_of_models():
    """Each trajectory has the model of its place in the list, whatever ran on the same data before."""
    models = []
    for k in range(9):
        m = load(SCENE) if k % 2 else copy.copy(models[0] if models else load(SCENE))
        if k % 3 == 1:
            masks(m)
        m.body_mass[1:] *= 1 + 0.1 * k
        m.geom_size[3] *= 1 + 0.02 * k
        models.append(m)
    state = np.zeros((9, corten.mj_stateSize(models[0], corten.mjtState.mjSTATE_FULLPHYSICS)))
    corten.mj_getState(models[0], start(corten, models[0]), state[0], corten.mjtState.mjSTATE_FULLPHYSICS)
    state[1:] = state[0]
    control = np.random.default_rng(3).uniform(-1, 1, (9, 30, 3))
    datas = [corten.MjData(models[0]) for _ in range(2)]
    found, sensors = rollout.rollout(models, datas, state, control)
    for k, m in enumerate(models):
        one, its_sensors = rollout.rollout(m, corten.MjData(m), state[k:k + 1], control[k:k + 1])
        np.testing.assert_array_equal(one[0], found[k])
        np.testing.assert_array_equal(its_sensors[0], sensors[k])
