"""Fields of MjModel and MjData: names, types, shapes, views, copies."""
import copy
import gc
import pickle
import threading
from operator import attrgetter

import numpy as np
import pytest

import corten.mujoco as corten
from scenes import EVERYTHING, PENDULUM, load, reference, shake

MODELS = [EVERYTHING, PENDULUM]
# What tells about MuJoCo's own memory management and threads.
OWN = {"narena", "nbuffer", "nstack", "signature", "parena", "pbase", "pstack", "threadpool", "maxuse_arena",
       "maxuse_stack", "maxuse_threadstack", "plugin_data", "nnames_map", "names_map"}


def fields(o):
    return [n for n in dir(o) if not n.startswith("_") and n not in OWN and not callable(getattr(o, n))]


@pytest.mark.parametrize("xml", MODELS)
def test_every_field_of_the_model(xml):
    want, found = reference(xml), load(xml)
    for name in fields(want):
        a, b = getattr(want, name), getattr(found, name)
        if isinstance(a, np.ndarray):
            assert isinstance(b, np.ndarray), name
            assert (b.dtype, b.shape) == (a.dtype, a.shape), name
            assert b.flags.writeable and not (b.size and b.flags.owndata), name
        elif isinstance(a, (int, bytes)):
            assert type(b) is type(a), name
        assert name in dir(found)


@pytest.mark.parametrize("xml", MODELS)
def test_every_field_of_the_data(xml):
    mujoco = pytest.importorskip("mujoco")
    want, found = mujoco.MjData(reference(xml)), corten.MjData(load(xml))
    for mj, d in ((mujoco, want), (corten, found)):
        shake(mj, d.model, d)
        mj.mj_step(d.model, d, 50)
        mj.mj_forward(d.model, d)
    for name in fields(want):
        a, b = getattr(want, name), getattr(found, name)
        if isinstance(a, np.ndarray):
            assert isinstance(b, np.ndarray), name
            assert (b.dtype, b.shape) == (a.dtype, a.shape), name
        elif isinstance(a, (int, float)):
            assert type(b) is type(a), name
        assert name in dir(found)


@pytest.mark.parametrize("record", ["opt", "stat", "vis.global_", "vis.quality", "vis.headlight", "vis.map", "vis.scale", "vis.rgba"])
def test_records(record):
    want, found = reference(EVERYTHING), load(EVERYTHING)
    for part in record.split("."):
        want, found = getattr(want, part), getattr(found, part)
    for name in fields(want):
        a, b = getattr(want, name), getattr(found, name)
        assert type(a) is type(b), name
        if record == "vis.rgba" and name in ("bv", "bvactive"):
            # MuJoCo keeps these colours too, but its package shows them as empty.
            assert a.size == 0 and b.shape == (4,), name
            continue
        if isinstance(a, np.ndarray):
            assert (b.dtype, b.shape) == (a.dtype, a.shape), name
            assert b.flags.writeable and not (b.size and b.flags.owndata), name
        np.testing.assert_allclose(b, a, rtol=1e-9, err_msg=name)
    assert repr(found).splitlines()[0] == repr(want).splitlines()[0]


def test_views_write_through():
    m = load(PENDULUM)
    d = corten.MjData(m)
    v = d.qpos
    v[0] = 0.5
    assert d.qpos is v and d.qpos[0] == 0.5
    corten.mj_kinematics(m, d)
    before = d.xmat[1].copy()
    d.qpos = [1.0]
    assert v[0] == 1.0
    corten.mj_kinematics(m, d)
    assert not np.array_equal(before, d.xmat[1])
    with pytest.raises(ValueError, match="broadcast"):
        d.qpos = [1.0, 2.0]
    m.body_mass[1] = 7.0
    assert m.body("pole").mass[0] == 7.0
    m.body_mass = 3.0
    assert m.body("pole").mass[0] == 3.0


def test_options_write_through():
    m = load(PENDULUM)
    d = corten.MjData(m)
    m.opt.timestep = 0.125
    m.opt.gravity[2] = 0.0
    m.opt.gravity[0] = -1.0
    corten.mj_step(m, d)
    assert d.time == 0.125
    assert d.qvel[0] != 0.0
    m.opt.gravity = 0.0
    assert np.all(m.opt.gravity == 0.0)
    m.opt.integrator = corten.mjtIntegrator.mjINT_RK4
    assert m.opt.integrator == corten.mjtIntegrator.mjINT_RK4 and type(m.opt.integrator) is int
    for option in ("integrator", "solver", "cone", "jacobian"):
        before = getattr(m.opt, option)
        # MuJoCo accepts any integer here and stops the process' work at the next step.
        with pytest.raises(ValueError, match=f"{option}: 99 is not one of the values"):
            setattr(m.opt, option, 99)
        assert getattr(m.opt, option) == before
    with pytest.raises(AttributeError, match="no attribute 'grvity'"):
        m.opt.grvity = 0
    with pytest.raises(TypeError):
        m.opt.timestep = "fast"


def test_records_of_their_own():
    o = corten.MjOption()
    assert o.timestep == 0.002
    o.gravity[:] = 1, 2, 3
    p = copy.copy(o)
    p.gravity[0] = 9
    assert o.gravity[0] == 1 and p.gravity[0] == 9
    assert pickle.loads(pickle.dumps(o)) == o and o != p
    vis = copy.deepcopy(load(PENDULUM).vis)
    assert vis == pickle.loads(pickle.dumps(vis))
    vis.global_.fovy = 10
    assert vis.global_.fovy == 10


def test_views_outlive_their_owners():
    d = corten.MjData(load(PENDULUM))
    d.qpos[0] = 0.25
    views = [d.qpos, d.xpos, d.energy, d.model.body_mass, d.model.opt.gravity]
    values = [v.copy() for v in views]
    del d
    gc.collect()
    noise = [corten.MjData(load(PENDULUM)) for _ in range(20)]
    for view, value in zip(views, values):
        np.testing.assert_array_equal(view, value)
    assert len(noise) == 20
    fresh = corten.MjData(load(PENDULUM)).qpos
    gc.collect()
    fresh[0] = 3.0
    assert fresh[0] == 3.0


def test_a_view_does_not_keep_its_object_alive_in_a_cycle():
    import weakref
    d = corten.MjData(load(PENDULUM))
    view, ref = d.qpos, weakref.ref(d)
    del d
    assert ref() is None and view.shape == (1,)


def test_copies_share_nothing():
    m = load(EVERYTHING)
    d = corten.MjData(m)
    shake(corten, m, d)
    corten.mj_step(m, d, 10)
    shallow, deep = copy.copy(d), copy.deepcopy(d)
    assert shallow.model is m and deep.model is not m
    assert type(shallow) is corten.MjData
    for e in (shallow, deep):
        corten.mj_step(e.model, e, 20)
    corten.mj_step(m, d, 20)
    np.testing.assert_array_equal(shallow.qpos, d.qpos)
    np.testing.assert_array_equal(deep.qpos, d.qpos)
    deep.model.body_mass[1] = 99
    assert m.body_mass[1] != 99
    n = copy.copy(m)
    n.opt.timestep = 1
    assert m.opt.timestep == 0.004


def test_pickling_continues_bit_for_bit():
    m = load(EVERYTHING)
    d = corten.MjData(m)
    shake(corten, m, d)
    corten.mj_step(m, d, 30)
    e = pickle.loads(pickle.dumps(d))
    assert type(e) is corten.MjData and type(e.model) is corten.MjModel
    for name in d._array_fields:
        np.testing.assert_array_equal(getattr(e, name), getattr(d, name), err_msg=name)
    assert e.ncon == d.ncon and e.time == d.time
    np.testing.assert_array_equal(e.contact.pos, d.contact.pos)
    for data in (d, e):
        corten.mj_step(data.model, data, 30)
    np.testing.assert_array_equal(e.qpos, d.qpos)
    np.testing.assert_array_equal(e.qvel, d.qvel)
    n = pickle.loads(pickle.dumps(m))
    for name in [*m._array_fields, *m._own_fields]:
        both = [attrgetter(name)(model) for model in (n, m)]
        np.testing.assert_array_equal(*both, err_msg=name)
    assert n.body("arm").id == m.body("arm").id and n.opt == m.opt and n.vis == m.vis


def test_damaged_pickles_are_refused():
    m = load(PENDULUM)
    d = corten.MjData(m)
    with pytest.raises(ValueError):
        corten.MjData(m, b"nonsense")
    with pytest.raises(ValueError):
        corten.MjData(load(EVERYTHING), d.to_bytes())


def test_another_model_is_refused():
    a, b = load(PENDULUM), load(EVERYTHING)
    d = corten.MjData(a)
    with pytest.raises(ValueError, match="made for another model: its nq is 1"):
        corten.mj_step(b, d)
    corten.mj_step(load(PENDULUM), d)
    with pytest.raises(TypeError):
        corten.mj_step(a, 3)
    with pytest.raises(TypeError):
        corten.MjData(3)


def test_contacts():
    mujoco = pytest.importorskip("mujoco")
    want, found = mujoco.MjData(reference(EVERYTHING)), corten.MjData(load(EVERYTHING))
    assert len(found.contact) == 0 and found.contact.geom.shape == (0, 2)
    for mj, d in ((mujoco, want), (corten, found)):
        d.qpos[2] = 0.29
        mj.mj_forward(d.model, d)
    assert len(found.contact) == len(want.contact) == found.ncon > 0
    for name in [n for n in dir(want.contact) if not n.startswith("_") and n != "H"]:
        a, b = getattr(want.contact, name), getattr(found.contact, name)
        assert (b.dtype, b.shape) == (a.dtype, a.shape), name
        np.testing.assert_allclose(b, a, atol=1e-7, err_msg=name)
        a, b = getattr(want.contact[0], name), getattr(found.contact[0], name)
        assert np.shape(a) == np.shape(b), name
    first = found.contact[0]
    first.dist = -0.5
    assert found.contact[0].dist == -0.5 and found.contact.dist[0] == -0.5
    first.friction = [1, 2, 3, 4, 5]
    np.testing.assert_array_equal(found.contact.friction[0], [1, 2, 3, 4, 5])
    with pytest.raises(ValueError, match="could not broadcast"):
        first.friction = [1, 2]
    with pytest.raises(IndexError):
        found.contact[99]
    assert found.contact[-1].dist == found.contact.dist[-1]
    assert [c.dim for c in found.contact] == list(found.contact.dim)
    with pytest.raises(AttributeError, match="no attribute 'distance'"):
        found.contact.distance


def test_statistics():
    mujoco = pytest.importorskip("mujoco")
    want, found = mujoco.MjData(reference(PENDULUM)), corten.MjData(load(PENDULUM))
    for name in ("warning", "timer", "solver"):
        a, b = getattr(want, name), getattr(found, name)
        assert len(a) == len(b)
        for field in [n for n in dir(a) if not n.startswith("_")]:
            assert getattr(a, field).shape == getattr(b, field).shape, (name, field)
    found.qpos[0] = np.nan
    corten.mj_step(found.model, found)
    assert found.warning[corten.mjtWarning.mjWARN_BADQPOS].number > 0


def test_other_threads_run_while_stepping():
    m = load(EVERYTHING)
    datas = [corten.MjData(m) for _ in range(4)]
    for d in datas:
        shake(corten, m, d)
    alone = copy.copy(datas[0])
    corten.mj_step(m, alone, 200)
    threads = [threading.Thread(target=corten.mj_step, args=(m, d, 200)) for d in datas]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    for d in datas:
        np.testing.assert_array_equal(d.qpos, alone.qpos)


def test_one_data_in_two_threads_takes_turns():
    m = load(PENDULUM)
    d, alone = corten.MjData(m), corten.MjData(m)
    threads = [threading.Thread(target=corten.mj_step, args=(m, d, 500)) for _ in range(4)]
    for t in threads:
        t.start()
    while any(t.is_alive() for t in threads):
        assert d.time >= 0.0
    for t in threads:
        t.join()
    corten.mj_step(m, alone, 2000)
    assert d.time == alone.time and d.qpos[0] == alone.qpos[0]


def test_nonsense_in_the_model_is_no_crash():
    for field, value in [("jnt_type", 77), ("body_parentid", -5), ("geom_dataid", 1 << 30), ("dof_bodyid", 1 << 30),
                         ("actuator_trnid", 1 << 30), ("sensor_objid", -9), ("jnt_qposadr", 1 << 30), ("M_rowadr", -1)]:
        m = load(EVERYTHING)
        d = corten.MjData(m)
        getattr(m, field)[...] = value
        for f in (corten.mj_forward, corten.mj_step, corten.mj_inverse, corten.mj_resetData):
            try:
                f(m, d)
            except RuntimeError as e:
                assert "engine failed" in str(e) or "incomplete" in str(e)
        assert d.qpos.shape == (m.nq,) and d.sensordata.sum() is not None
        try:
            corten.MjData(m)
        except RuntimeError:
            pass
