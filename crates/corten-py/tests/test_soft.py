"""Bodies of particles in Python: alone, in models, in batches and rollouts; laws of models by name."""
import copy
import pickle

import numpy as np
import pytest

import corten
import corten.mujoco as mj
from corten import soft

G = 9.81
KINDS = {soft.Cloth: lambda name: soft.Cloth.grid((0, 0, 0), (4, 4), 0.05, name),
         soft.SoftBody: lambda name: soft.SoftBody.grid((0, 0, 0), (3, 3, 3), 0.05, name),
         soft.CapsuleChain: lambda name: soft.CapsuleChain.straight((0, 0, 0), (1, 0, 0), 8, name)}


@pytest.mark.parametrize("kind, count", [(soft.Cloth, 6), (soft.SoftBody, 6), (soft.CapsuleChain, 4)])
def test_every_preset_hangs(kind, count):
    assert len(kind.presets()) == count
    for name in kind.presets():
        body = KINDS[kind](name)
        assert isinstance(body, kind) and isinstance(body, soft.Deformable)
        body.pin(0)
        soft.XpbdSolver(20, damping=2).step(body, 0.01, count=20)
        assert np.isfinite(body.positions).all() and body.positions[:, 2].min() < -0.01
        np.testing.assert_array_equal(body.positions[0], [0, 0, 0])
    with pytest.raises(ValueError, match=kind.presets()[0]):
        KINDS[kind]("granite")


def test_materials():
    assert len(soft.Material.names()) == 14
    steel = soft.Material.named("steel")
    assert steel.young > soft.Material.named("rubber").young
    assert soft.Material(steel.young, steel.poisson, steel.density, steel.friction, steel.damping).young == steel.young
    with pytest.raises(ValueError, match="rubber"):
        soft.Material.named("granite")
    with pytest.raises(ValueError, match="poisson"):
        soft.Material(1e6, 0.6, 1000)


def pendulum():
    rod = soft.Constraint.distance((0, 1), 1)
    return soft.Deformable([[0, 0, 0], [1, 0, 0]], [0, 1], [rod], "steel", radius=0.02)


def test_bodies_of_ones_own():
    body = pendulum()
    solver = soft.XpbdSolver(50)
    twin = body.copy()
    for _ in range(20):
        solver.step(body, 0.01)
    solver.step(twin, 0.01, count=20)
    np.testing.assert_array_equal(body.positions, twin.positions)
    assert abs(body.kinetic_energy + G * body.positions[1, 2]) < 0.02 * body.kinetic_energy
    assert body.constraints[0].kind == "distance" and abs(body.constraints[0].value(body.positions)) < 1e-3
    body.add_constraint(soft.Constraint.collision(1, (0, 0, 1), -0.5, friction=0.3))
    solver.step(body, 0.01, count=300)
    assert body.positions[1, 2] > -0.501
    body.velocities = np.zeros((2, 3))
    with pytest.raises(ValueError, match="shape"):
        body.velocities = np.zeros((3, 3))
    with pytest.raises(IndexError, match="particle 7"):
        body.pin(7)
    with pytest.raises(ValueError, match="particle"):
        soft.Deformable([[0, 0, 0]], [1], [soft.Constraint.distance((0, 1), 1)], "steel")
    with pytest.raises(TypeError, match=r"\(n, 3\)"):
        soft.Deformable([0, 0, 0], [1], [], "steel")
    with pytest.raises(ValueError, match="time step"):
        solver.step(body, 0)
    with pytest.raises(ValueError, match="a million"):
        soft.XpbdSolver(2**40).step(body, 0.01)


def test_every_kind_of_constraint():
    c = soft.Constraint
    some = [c.distance((0, 1), 1), c.angle((0, 1, 2)), c.dihedral((0, 1), (2, 3)), c.volume((0, 1, 2, 3), 0.2),
            c.stretch((0, 1, 2), (1, 0)), c.shear((0, 1, 2), (1, 0), (0, 1)), c.twist((0, 1, 2, 3)), c.collision(0, (0, 0, 1), 0)]
    kinds = [x.kind for x in some]
    assert kinds == ["distance", "bending", "bending", "volume", "stretch", "shear", "twist", "collision"]
    corner = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1.0]])
    assert some[0].value(corner) == 0 and abs(some[3].value(corner) - (1 / 6 - 0.2)) < 1e-15
    with pytest.raises(IndexError):
        some[3].value(corner[:2])


def test_a_body_at_rest_sleeps():
    body = pendulum()
    body.positions = [[0, 0, 0], [0, 0, -1]]
    solver = soft.XpbdSolver(5, sleep_speed=1e-3, sleep_after=0.1)
    solver.step(body, 0.01, count=30)
    assert solver.is_asleep(body)
    body.wake()
    assert not solver.is_asleep(body)


def scene():
    spec = mj.MjSpec.from_string("""<mujoco><option timestep=".004"/><worldbody><geom type="plane" size="1 1 1"/>
      <body name="table" pos="0 0 .3"><geom name="table" type="box" size=".2 .2 .02"/></body></worldbody></mujoco>""")
    spec.option.coupling_iterations = 2
    cloth = soft.Cloth.grid((-0.1, -0.1, 0.06), (5, 5), 0.05, "leather")
    cloth.radius = 0.01
    spec.register_deformable("cloth", cloth, parent="table")
    spec.register_deformable("rope", soft.CapsuleChain.straight((0.5, 0, 0.1), (0.8, 0, 0.1), 6, "rope"))
    return spec


@pytest.mark.parametrize("kind", KINDS)
def test_every_preset_in_a_model(kind):
    mujoco = pytest.importorskip("mujoco")
    for name in kind.presets():
        spec = mj.MjSpec.from_string('<mujoco><worldbody><geom type="plane" size="1 1 1"/></worldbody></mujoco>')
        spec.register_deformable(name, KINDS[kind](name))
        model = mj.MjModel.from_xml_string(spec.to_xml())
        data = mj.MjData(model)
        mj.mj_step(model, data, nstep=20)
        assert np.isfinite(data.qpos).all() and np.any(data.qpos), name
        with pytest.warns(corten.ModelWarning, match=name):
            assert mujoco.MjModel.from_xml_string(spec.to_xml(plain=True)).nv == model.nv


def test_bodies_in_models():
    spec = scene()
    model = spec.compile()
    assert model.nv == 3 * (25 + 7)
    data = mj.MjData(model)
    for _ in range(250):
        mj.mj_step(model, data)
    assert data.ncon > 10
    height = data.body("cloth_12").xpos[2]
    assert 0.325 < height < 0.335, "it lies on the table"
    # A file has them, and a copy of the spec.
    for again in (mj.MjModel.from_xml_string(spec.to_xml()), copy.copy(spec).compile(), pickle.loads(pickle.dumps(model))):
        other = mj.MjData(again)
        for _ in range(250):
            mj.mj_step(again, other)
        np.testing.assert_allclose(other.qpos, data.qpos, atol=1e-6)
    with pytest.raises(ValueError, match="already"):
        spec.register_deformable("rope", pendulum())
    with pytest.raises(ValueError, match="parent"):
        spec.register_deformable("p", pendulum(), parent="nowhere")
    spec.register_deformable("p", pendulum(), parent=spec.body("table"))
    assert spec.compile().nv == model.nv + 3


def test_the_way_back_to_mujoco():
    """MuJoCo loads the particles, without what holds them together."""
    mujoco = pytest.importorskip("mujoco")
    spec = scene()
    with pytest.warns(corten.ModelWarning) as told:
        text = spec.to_xml(plain=True)
    told = [str(item.message) for item in told]
    assert any("cloth" in item for item in told) and any("rope" in item for item in told), told
    assert mujoco.MjModel.from_xml_string(text).nv == spec.compile().nv


def test_bodies_in_batches_and_rollouts():
    model = scene().compile()
    data = mj.MjData(model)
    batch = corten.BatchSim(model, 6, threads=2)
    start = np.zeros(mj.mj_stateSize(model, mj.mjtState.mjSTATE_FULLPHYSICS))
    mj.mj_getState(model, data, start, mj.mjtState.mjSTATE_FULLPHYSICS)
    states, _ = mj.rollout.rollout(model, data, np.tile(start, (4, 1)), nstep=60)
    alone = mj.MjData(model)
    for _ in range(60):
        mj.mj_step(model, alone)
    batch.step(60)
    for world in range(6):
        np.testing.assert_array_equal(batch.qpos[world], alone.qpos)
    for path in states:
        np.testing.assert_array_equal(path[-1, 1:1 + model.nq], alone.qpos)


def test_laws_by_name():
    model = corten.load_model("""<mujoco><option timestep=".001"/><worldbody><geom type="plane" size="1 1 1"/>
      <flexcomp name="cloth" type="grid" count="4 4 1" spacing=".1 .1 .1" pos="0 0 .1" dim="2" mass=".2" radius=".01">
        <contact selfcollide="none"/><elasticity young="2e4" poisson=".2" thickness=".005" elastic2d="both"/>
      </flexcomp></worldbody></mujoco>""")

    def end(threads=None):
        batch = corten.BatchSim(model, 3, threads=2)
        batch.qpos[:] += 0.01 * np.sin(np.arange(model.nq))
        data = model.make_data()
        data.qpos[:] += 0.01 * np.sin(np.arange(model.nq))
        data.step(150)
        batch.step(150)
        np.testing.assert_array_equal(batch.qpos[2], data.qpos)
        return data.qpos.copy()

    ends = [end()]
    model.set_flex_bending("cloth", "bridson")
    ends.append(end())
    model.set_flex_elasticity(0, "neo_hookean")
    ends.append(end())
    model.set_contact_solver("xpbd", substeps=2)
    ends.append(end())
    assert all(not np.array_equal(a, b) for i, a in enumerate(ends) for b in ends[:i])
    model.set_flex_bending(0, "cotangent")
    model.set_flex_elasticity("cloth", "linear")
    model.set_contact_solver("newton")
    np.testing.assert_array_equal(end(), ends[0])
    with pytest.raises(ValueError, match="bridson"):
        model.set_flex_bending(0, "origami")
    with pytest.raises(ValueError, match="xpbd"):
        model.set_contact_solver("magic")
    for substeps in (0, -3):
        with pytest.raises(ValueError, match="at least one part"):
            model.set_contact_solver("xpbd", substeps)


def test_contacts_are_fitted():
    fit = corten.Compliance(8000, 1).fit(mass=0.5, load=0.5 * G, speed=0.1)
    assert 0 < fit.misfit < 0.2 and len(fit.solref) == 2 and len(fit.solimp) == 5
    mujoco = pytest.importorskip("mujoco")
    model = mujoco.MjModel.from_xml_string(f"""<mujoco><worldbody><geom type="plane" size="1 1 1"/><body pos="0 0 .099"><freejoint/>
      <geom size=".1" mass=".5" priority="1" condim="1" solref="{' '.join(map(str, fit.solref))}" solimp="{' '.join(map(str, fit.solimp))}"/>
      </body></worldbody></mujoco>""")
    data = mujoco.MjData(model)
    for _ in range(4000):
        mujoco.mj_step(model, data)
    assert abs((0.1 - data.qpos[2]) * 8000 / (0.5 * G) - 1) < 0.01, "MuJoCo sinks as deep as the stiffness says"
    with pytest.raises(ValueError, match="mass"):
        corten.Compliance(8000).fit(0, 1)
