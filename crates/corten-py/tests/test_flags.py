"""Every disable and enable flag, and disabled actuator groups: trajectories against MuJoCo's.

A flag is set in a scene where it changes the motion, or else the output it governs, which the tests check in MuJoCo;
then ten steps must give MuJoCo's accelerations to 1e-10. Solvers run to convergence, so that both engines are at the
solution and not on the way to it.
"""
import numpy as np
import pytest

import corten.mujoco as corten

mujoco = pytest.importorskip("mujoco")
from solution import converge

# Every kind of constraint, springs, dampers, actuators with limits, and sensors; bodies that touch their parents.
SCENE = """
<mujoco>
  <option timestep="0.002" density="1.2" viscosity="0.01" {option}/>
  <size memory="10M"/>
  <asset>
    <mesh name="wedge" vertex="-.1 -.1 -.1  .1 -.1 -.1  -.1 .1 -.1  .1 .1 -.1  -.05 -.05 .12  .06 -.05 .1  -.05 .07 .11"/>
  </asset>
  <worldbody>
    <geom name="floor" type="plane" size="5 5 .1"/>
    <body pos="0 0 .145">
      <freejoint/>
      <geom type="box" size=".2 .15 .1" pos="0 0 -.05" friction=".6 .01 .001"/>
      <site name="imu"/>
      <body pos="0 0 .16">
        <joint name="waist" axis="0 1 0" limited="true" range="-10 10" stiffness="3" damping=".4" springref="20"/>
        <geom type="capsule" size=".06" fromto="0 0 -.1 0 0 .2" mass=".7"/>
        <body pos="0 0 .25">
          <joint name="neck" type="ball" damping=".05" stiffness=".2" limited="true" range="0 15"/>
          <geom type="sphere" size=".06" mass=".3" fluidshape="ellipsoid"/>
        </body>
      </body>
      <body pos=".3 0 0">
        <joint name="arm" axis="0 1 0" frictionloss=".3" damping="2" armature=".01"/>
        <geom type="capsule" size=".03" fromto="0 0 0 .3 0 0" mass=".2"/>
        <body pos=".3 0 0">
          <joint name="wrist" axis="0 1 0" stiffness="40" damping=".1"/>
          <geom type="capsule" size=".03" fromto="0 0 0 .2 0 0" mass=".1"/>
        </body>
      </body>
    </body>
    <body pos="1 .5 .2"><freejoint/><geom type="mesh" mesh="wedge" mass=".4"/></body>
    <body pos="1.05 .52 .39"><freejoint/><geom type="mesh" mesh="wedge" mass=".3"/></body>
    <body pos="-1 0 .095"><freejoint/><geom size=".1" mass=".5"/></body>
    <body pos="-1 1 .5">
      <joint name="slide_a" type="slide" axis="0 0 1" damping=".3"/><geom size=".05" mass=".4" contype="0" conaffinity="0"/>
    </body>
    <body pos="-1.3 1 .5">
      <joint name="slide_b" type="slide" axis="0 0 1"/><geom size=".05" mass=".2" contype="0" conaffinity="0"/>
    </body>
  </worldbody>
  <equality><joint joint1="slide_a" joint2="slide_b" polycoef="0.05 1.2" solref=".001 1"/></equality>
  <tendon>
    <fixed name="cord" frictionloss=".1" stiffness="5" damping=".2" limited="true" range="-.5 .5">
      <joint joint="arm" coef="1"/><joint joint="wrist" coef="-.5"/>
    </fixed>
  </tendon>
  <actuator>
    <motor joint="waist" ctrllimited="true" ctrlrange="-.5 .5" gear="2" group="1"/>
    <position joint="arm" kp="8" group="2"/>
    <general joint="slide_a" dyntype="filter" dynprm=".05" gainprm="6" group="1"/>
    <general tendon="cord" dyntype="integrator" actlimited="true" actrange="-.02 .02" gainprm="30" group="31"/>
  </actuator>
  <sensor><accelerometer site="imu"/><jointpos joint="arm"/><gyro site="imu"/><subtreecom body="world"/></sensor>
</mujoco>
"""

DISABLE = [n[7:] for n in dir(mujoco.mjtDisableBit) if n.startswith("mjDSBL_")]
ENABLE = [n[7:] for n in dir(mujoco.mjtEnableBit) if n.startswith("mjENBL_")]
FIELDS = "qacc qpos qvel act actuator_force qfrc_passive qfrc_bias qfrc_constraint sensordata energy".split()

# Flags that do not govern the motion of this scene at converged solvers; a test of their own shows what they do.
QUIET = {"WARMSTART", "MIDPHASE", "SENSOR", "ISLAND", "AUTORESET", "ENERGY", "FWDINV", "INVDISCRETE", "MULTICCD", "SLEEP"}


def prepare(mj, option, disable=0, enable=0, groups=0):
    m = mj.MjModel.from_xml_string(SCENE.format(option=option))
    converge(m)
    m.opt.disableflags |= disable
    m.opt.enableflags |= enable
    m.opt.disableactuator = groups
    # Stiffer than two time steps, which is what the safety of references prevents.
    m.opt.o_solref[:] = [0.004, 1]
    m.opt.o_margin = 0.001
    m.jnt_solref[:] = [0.0015, 1]
    d = mj.MjData(m)
    rng = np.random.default_rng(7)
    d.qpos[m.joint("waist").qposadr[0]] = 0.2
    d.qvel[:] = 0.3 * rng.standard_normal(m.nv)
    d.ctrl[:] = [2.0, 0.4, 0.5, 1.0]
    return m, d


def steps(mj, m, d, count=10):
    out = []
    for _ in range(count):
        mj.mj_step(m, d)
        out.append({f: np.array(getattr(d, f)) for f in FIELDS} | {"fwdinv": np.array(d.solver_fwdinv), "ncon": np.array(d.ncon)})
    return out


def assert_equal(want, found):
    for k, (a, b) in enumerate(zip(want, found)):
        for f in FIELDS:
            scale = max(1, np.abs(a[f]).max())
            np.testing.assert_allclose(b[f] / scale, a[f] / scale, atol=1e-10, rtol=0, err_msg=f"{f} at step {k}")
        assert a["ncon"] == b["ncon"]


@pytest.fixture(scope="module")
def plain():
    return steps(mujoco, *prepare(mujoco, ""))


def differs(a, b, fields):
    return any(not np.array_equal(x[f], y[f]) for x, y in zip(a, b) for f in fields)


@pytest.mark.parametrize("name", DISABLE)
def test_disable(name, plain):
    bit = int(getattr(mujoco.mjtDisableBit, "mjDSBL_" + name))
    want = steps(mujoco, *prepare(mujoco, "", disable=bit))
    if name not in QUIET:
        assert differs(plain, want, ["qacc"]), "the scene does not depend on the flag"
    assert_equal(want, steps(corten, *prepare(corten, "", disable=bit)))


@pytest.mark.parametrize("name", ENABLE)
def test_enable(name, plain):
    bit = int(getattr(mujoco.mjtEnableBit, "mjENBL_" + name))
    want = steps(mujoco, *prepare(mujoco, "", enable=bit))
    if name not in QUIET:
        assert differs(plain, want, ["qacc"]), "the scene does not depend on the flag"
    if name == "ENERGY":
        assert differs(plain, want, ["energy"])
    if name == "FWDINV":
        assert any(x["fwdinv"].any() for x in want)
    assert_equal(want, steps(corten, *prepare(corten, "", enable=bit)))


def test_all_flags_are_known():
    assert len(DISABLE) == 19 and len(ENABLE) == 6
    for kind, names in (("mjtDisableBit", DISABLE), ("mjtEnableBit", ENABLE)):
        prefix = "mjDSBL_" if kind == "mjtDisableBit" else "mjENBL_"
        for name in names:
            assert int(getattr(getattr(corten, kind), prefix + name)) == int(getattr(getattr(mujoco, kind), prefix + name))
    m = corten.MjModel.from_xml_string("<mujoco/>")
    assert m.opt.disableflags == 0 and m.opt.enableflags == 0


@pytest.mark.parametrize("groups", [1 << 1, 1 << 2, 1 << 1 | 1 << 2, 1 << 30])
def test_actuator_groups(groups, plain):
    want = steps(mujoco, *prepare(mujoco, "", groups=groups))
    if groups != 1 << 30:
        assert differs(plain, want, ["actuator_force"])
    assert_equal(want, steps(corten, *prepare(corten, "", groups=groups)))


@pytest.mark.parametrize("option", ['integrator="implicit"', 'integrator="implicitfast"', 'integrator="RK4"', 'cone="elliptic"',
                                    'jacobian="sparse"', 'impratio="3" cone="elliptic"'])
@pytest.mark.parametrize("name", ["SPRING", "DAMPER", "EULERDAMP", "ACTUATION", "CLAMPCTRL", "GRAVITY", "CONTACT"])
def test_flags_with_other_options(option, name):
    bit = int(getattr(mujoco.mjtDisableBit, "mjDSBL_" + name))
    results = [steps(mj, *prepare(mj, option, disable=bit)) for mj in (mujoco, corten)]
    assert_equal(*results)


def test_flags_together():
    rng = np.random.default_rng(0)
    bits = [int(getattr(mujoco.mjtDisableBit, "mjDSBL_" + n)) for n in DISABLE]
    for _ in range(20):
        disable = int(np.bitwise_or.reduce(rng.choice(bits, 3, replace=False)))
        assert_equal(*[steps(mj, *prepare(mj, "", disable=disable)) for mj in (mujoco, corten)])


def test_every_quiet_flag_has_a_test():
    own = {"SENSOR": test_sensors_stay_when_disabled, "AUTORESET": test_no_automatic_reset, "WARMSTART": test_warm_starts_change_iterations,
           "ISLAND": test_islands, "MIDPHASE": test_midphase_finds_what_all_pairs_find, "INVDISCRETE": test_discrete_inverse,
           "MULTICCD": test_several_contacts_of_convex_shapes, "SLEEP": test_sleep_flag, "ENERGY": test_enable, "FWDINV": test_enable}
    assert set(own) == QUIET


def test_warm_starts_change_iterations():
    counts = {}
    for mj in (mujoco, corten):
        for cold in (False, True):
            m, d = prepare(mj, "", disable=int(mj.mjtDisableBit.mjDSBL_WARMSTART) if cold else 0)
            m.opt.tolerance, m.opt.iterations = 1e-8, 100
            counts[mj, cold] = 0
            for _ in range(10):
                mj.mj_step(m, d)
                counts[mj, cold] += d.solver_niter.sum()
    for cold in (False, True):
        assert abs(counts[corten, cold] - counts[mujoco, cold]) <= 2, counts
    assert abs(counts[corten, False] - counts[corten, True]) > 10, "in this scene, starting cold takes fewer"


def test_islands():
    for mj in (mujoco, corten):
        for off in (False, True):
            m, d = prepare(mj, "", disable=int(mj.mjtDisableBit.mjDSBL_ISLAND) if off else 0)
            mj.mj_forward(m, d)
            assert d.nisland == (0 if off else 4)


# Bodies of many geoms, which bounding volumes sort out.
PILE = """<mujoco><worldbody>""" + "".join(
    f"<body pos='{0.05 * k} {0.03 * k} {0.25 * k}' euler='{20 * k} {10 * k} 0'><freejoint/>"
    + "".join(f"<geom size='.06' pos='{0.1 * i - 0.3} {0.1 * j - 0.2} 0'/>" for i in range(7) for j in range(5)) + "</body>"
    for k in range(3)) + """<geom type='plane' size='5 5 .1' pos='0 0 -.1'/></worldbody></mujoco>"""


def test_midphase_finds_what_all_pairs_find():
    found = {}
    for mj in (mujoco, corten):
        for off in (False, True):
            m = mj.MjModel.from_xml_string(PILE)
            m.opt.disableflags |= int(mj.mjtDisableBit.mjDSBL_MIDPHASE) if off else 0
            d = mj.MjData(m)
            d.qpos[9] -= 0.18
            d.qpos[16] -= 0.36
            mj.mj_forward(m, d)
            found[mj, off] = sorted((*d.contact.geom[i], *np.round(d.contact.pos[i], 9)) for i in range(d.ncon))
    assert len(found[corten, False]) > 20
    assert found[corten, False] == found[corten, True] == found[mujoco, True] == found[mujoco, False]


def test_discrete_inverse():
    forces = {}
    for mj in (mujoco, corten):
        for discrete in (False, True):
            m, d = prepare(mj, 'integrator="implicit"', enable=int(mj.mjtEnableBit.mjENBL_INVDISCRETE) if discrete else 0)
            mj.mj_forward(m, d)
            mj.mj_inverse(m, d)
            forces[mj, discrete] = np.array(d.qfrc_inverse)
    for discrete in (False, True):
        np.testing.assert_allclose(forces[corten, discrete], forces[mujoco, discrete], rtol=1e-9, atol=1e-8)
    assert np.abs(forces[corten, True] - forces[corten, False]).max() > 1e-3


def test_several_contacts_of_convex_shapes():
    cube = " ".join(f"{x} {y} {z}" for x in (-.1, .1) for y in (-.1, .1) for z in (-.1, .1))
    xml = f"""<mujoco><asset><mesh name="cube" vertex="{cube}"/></asset><worldbody>
      <body><geom type="mesh" mesh="cube"/></body>
      <body pos="0 0 .199"><freejoint/><geom type="mesh" mesh="cube"/></body></worldbody></mujoco>"""
    for several, count in ((False, 1), (True, 4)):
        contacts = []
        for mj in (mujoco, corten):
            m = mj.MjModel.from_xml_string(xml)
            m.opt.enableflags |= int(mj.mjtEnableBit.mjENBL_MULTICCD) if several else 0
            d = mj.MjData(m)
            mj.mj_forward(m, d)
            assert d.ncon == count
            contacts.append(np.concatenate([d.contact.pos.ravel(), d.contact.dist]))
        np.testing.assert_allclose(*contacts, atol=1e-9)


def test_sleep_flag():
    xml = """<mujoco><option gravity="0 0 0"/><worldbody><body><freejoint/><geom size=".1"/></body></worldbody></mujoco>"""
    for mj in (mujoco, corten):
        for on in (False, True):
            m = mj.MjModel.from_xml_string(xml)
            m.opt.enableflags |= int(mj.mjtEnableBit.mjENBL_SLEEP) if on else 0
            d = mj.MjData(m)
            mj.mj_step(m, d, 20)
            assert d.ntree_awake == (0 if on else 1)


def test_sensors_stay_when_disabled():
    for mj in (mujoco, corten):
        m, d = prepare(mj, "", disable=int(mj.mjtDisableBit.mjDSBL_SENSOR))
        d.sensordata[:] = 17
        mj.mj_step(m, d)
        assert (d.sensordata == 17).all()


def test_no_automatic_reset():
    for reset in (True, False):
        states = []
        for mj in (mujoco, corten):
            m, d = prepare(mj, "", disable=0 if reset else int(mj.mjtDisableBit.mjDSBL_AUTORESET))
            mj.mj_step(m, d)
            d.qvel[3] = 1e11
            try:
                mj.mj_step(m, d)
            except Exception as e:  # MuJoCo has no errors here
                pytest.fail(str(e))
            states.append((d.time, [w.number for w in d.warning], [w.lastinfo for w in d.warning], np.isfinite(d.qpos).all()))
        assert states[0] == states[1]
