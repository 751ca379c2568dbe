"""Every array is a writable view of the engine's memory that outlives its owner."""
import copy
import gc
import weakref

import numpy as np
import pytest

import corten.mujoco as corten
from scenes import EVERYTHING, load, reference

# A floor that more and more balls fall onto, with tendons, in dense and sparse form.
BALLS = """
<mujoco>
  <option jacobian="{jacobian}" cone="{cone}" solver="{solver}"/>
  <worldbody>
    <geom name="floor" type="plane" size="5 5 .1"/>
    {bodies}
  </worldbody>
  <tendon><spatial name="cord" stiffness="5" damping="1"><site site="s0"/><site site="s1"/></spatial></tendon>
</mujoco>
"""


def balls(jacobian="dense", cone="pyramidal", solver="Newton", n=6):
    bodies = "".join(
        f'<body pos="{0.3 * i} 0 {0.09 + 0.4 * i}"><freejoint/><geom size=".1"/><site name="s{i}"/></body>' for i in range(n))
    return BALLS.format(jacobian=jacobian, cone=cone, solver=solver, bodies=bodies)


VARIANTS = [("dense", "pyramidal", "Newton"), ("sparse", "pyramidal", "Newton"), ("dense", "elliptic", "PGS"),
            ("sparse", "elliptic", "PGS"), ("sparse", "elliptic", "CG")]


def lists(d):
    return [(name, field) for name in ("contact", "solver", "warning", "timer")
            for field in dir(getattr(d, name)) if not field.startswith("_") and field != "H"]


def arrays(d):
    """Name and access of every array of a simulation."""
    yield from ((name, lambda d, name=name: getattr(d, name)) for name in d._array_fields)
    yield from ((f"{a}.{b}", lambda d, a=a, b=b: getattr(getattr(d, a), b)) for a, b in lists(d))


def changed(value):
    """An array that differs everywhere."""
    return np.where(value == 1, 0, 1).astype(value.dtype)


@pytest.mark.parametrize("variant", VARIANTS, ids="-".join)
def test_every_array_of_the_data_is_a_view(variant):
    m = load(balls(*variant))
    d = corten.MjData(m)
    corten.mj_forward(m, d)
    assert d.nefc > 0 and d.ncon > 0
    for name, get in arrays(d):
        e = copy.copy(d)
        first = get(e)
        assert first.flags.writeable and first.flags.aligned and not (first.size and first.flags.owndata), name
        want = changed(first)
        first[...] = want
        np.testing.assert_array_equal(get(e), want, err_msg=name)
        gone = weakref.ref(e)
        del e
        assert gone() is None, name
        noise = corten.MjData(m)
        np.testing.assert_array_equal(first, want, err_msg=name)
        del noise
    # The original was never touched.
    assert not np.array_equal(d.qpos, changed(d.qpos))


def test_every_array_of_the_model_is_a_view():
    for name in load(EVERYTHING)._array_fields:
        m = load(EVERYTHING)
        first = getattr(m, name)
        if isinstance(first, bytes):
            continue
        assert first.flags.writeable and not (first.size and first.flags.owndata), name
        want = changed(first)
        first[...] = want
        np.testing.assert_array_equal(getattr(m, name), want, err_msg=name)
        gone = weakref.ref(m)
        del m
        assert gone() is None, name
        np.testing.assert_array_equal(first, want, err_msg=name)


@pytest.mark.parametrize("variant", VARIANTS, ids="-".join)
def test_views_survive_whatever_happens_to_the_data(variant):
    m = load(balls(*variant))
    d = corten.MjData(m)
    held = []
    for i in range(200):
        corten.mj_step(m, d)
        if i % 20 == 0:
            held += [(name, get(d)) for name, get in arrays(d)]
        if i % 50 == 30:
            corten.mj_resetData(m, d)
            d.qpos[2::7] = np.where(np.arange(6) <= i // 50, 0.09, 3.0)
    assert d.maxuse_con > 3
    for name, view in held:
        view[...] = 1
        np.testing.assert_array_equal(view, np.ones_like(view), err_msg=name)
    # Nonsense in index arrays is an error at worst.
    for f in (corten.mj_fwdConstraint, corten.mj_step, corten.mj_forward, corten.mj_inverse):
        try:
            f(m, d)
        except RuntimeError as e:
            assert "engine failed" in str(e) or "incomplete" in str(e)
    for _, view in held:
        view[...] = 1
    del d, m
    gc.collect()
    assert sum(view.size for _, view in held) > 0 and all(np.all(view == 1) for _, view in held)


def test_views_of_fixed_length_show_the_present():
    m = load(balls())
    d = corten.MjData(m)
    inertia, tendon, time_of = d.qM, d.ten_J, d.timer.number
    corten.mj_step(m, d, 3)
    np.testing.assert_array_equal(inertia, d.qM)
    assert inertia.any() and tendon.any() and d.qM.base is not None
    np.testing.assert_array_equal(tendon, d.ten_J)
    assert np.shares_memory(inertia, d.qM) and np.shares_memory(tendon, d.ten_J)
    assert np.shares_memory(time_of, d.timer.number)


def both(variant):
    mujoco = pytest.importorskip("mujoco")
    xml = balls(*variant)
    pair = [(mujoco, mujoco.MjData(reference(xml))), (corten, corten.MjData(load(xml)))]
    for mj, d in pair:
        d.qvel[:] = np.linspace(-1, 1, d.model.nv)
        d.model.opt.disableflags |= int(mj.mjtDisableBit.mjDSBL_ISLAND)
        mj.mj_forward(d.model, d)
    return pair


def edit_aref(d):
    d.efc_aref[:] += 3


def edit_softness(d):
    d.efc_R[:] *= 2
    d.efc_D[:] /= 2


def edit_jacobian(d):
    d.efc_J[...] *= 1.5


def edit_jacobian_of_one_row(d):
    d.efc_J.reshape(-1)[2] += 0.25


def edit_friction(d):
    d.contact.mu[:] = 0.03
    d.contact.friction[:, :2] = 0.03
    d.contact[0].friction[:2] = 0.04


@pytest.mark.parametrize("edit", [edit_aref, edit_softness, edit_jacobian, edit_jacobian_of_one_row, edit_friction])
@pytest.mark.parametrize("variant", [v for v in VARIANTS if v[2] != "PGS"], ids="-".join)
def test_the_solver_sees_what_was_written(variant, edit):
    (mj, want), (_, found) = both(variant)
    before = found.qacc.copy()
    for package, d in ((mj, want), (corten, found)):
        edit(d)
        package.mj_fwdConstraint(d.model, d)
    np.testing.assert_allclose(found.qacc, want.qacc, rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(found.efc_force, want.efc_force, rtol=1e-5, atol=1e-6)
    if not (edit is edit_friction and variant[1] == "pyramidal"):
        assert not np.allclose(before, found.qacc)


@pytest.mark.parametrize("variant", VARIANTS, ids="-".join)
def test_forces_and_contacts_that_were_written_are_used(variant):
    (mj, want), (_, found) = both(variant)
    for package, d in ((mj, want), (corten, found)):
        d.efc_force[:] = np.arange(d.nefc)
        d.contact.friction[:] *= 2
        package.mj_rnePostConstraint(d.model, d)
    np.testing.assert_allclose(found.cfrc_ext, want.cfrc_ext, atol=1e-9)
    forces = np.zeros(6), np.zeros(6)
    mj.mj_contactForce(want.model, want, 0, forces[0])
    corten.mj_contactForce(found.model, found, 0, forces[1])
    np.testing.assert_allclose(forces[1], forces[0], atol=1e-12)
    for package, d in ((mj, want), (corten, found)):
        d.contact.dist[:] -= 0.01
        d.contact[0].solref = [0.05, 1]
        d.contact[0].frame[:] = np.eye(3).ravel()
        package.mj_makeConstraint(d.model, d)
    for name in ("efc_pos", "efc_R", "efc_KBIP", "efc_J"):
        np.testing.assert_allclose(getattr(found, name), getattr(want, name), atol=1e-9, err_msg=name)


@pytest.mark.parametrize("jacobian", ["dense", "sparse"])
def test_the_tendon_jacobian_that_was_written_is_used(jacobian):
    (mj, want), (_, found) = both((jacobian, "pyramidal", "Newton"))
    for package, d in ((mj, want), (corten, found)):
        d.ten_J[...] *= 3
        package.mj_passive(d.model, d)
    np.testing.assert_allclose(found.qfrc_passive, want.qfrc_passive, atol=1e-9)
    assert found.qfrc_passive.any()


def test_elements_of_lists_keep_their_memory():
    m = load(balls())
    d = corten.MjData(m)
    corten.mj_forward(m, d)
    contact = d.contact[0]
    frame, dist = contact.frame, contact.dist
    assert dist < 0 and frame.flags.writeable
    corten.mj_resetData(m, d)
    assert d.ncon == 0 and contact.dist == dist
    del d
    gc.collect()
    contact.dist = 5
    assert contact.dist == 5.0 and frame.shape == (9,)
    with pytest.raises(AttributeError, match="no attribute 'distance'"):
        contact.distance


def test_arrays_that_grow_can_be_assigned():
    m = load(balls())
    d = corten.MjData(m)
    corten.mj_forward(m, d)
    d.efc_force = 2.0
    assert np.all(d.efc_force == 2.0)
    d.qM = np.arange(m.nM)
    np.testing.assert_array_equal(d.qM, np.arange(m.nM))
    d.contact.dist = -0.5
    assert d.contact[0].dist == -0.5
    for bad in ("nefc", "qpo"):
        with pytest.raises(AttributeError, match="writable|no attribute"):
            setattr(d, bad, 3)


def test_views_of_growing_arrays_are_kept_while_they_are_right():
    m = load(balls())
    d = corten.MjData(m)
    corten.mj_forward(m, d)
    for name in ("efc_force", "efc_J", "iefc_D"):
        assert getattr(d, name) is getattr(d, name), name
    held, rows = d.efc_force, {d.nefc}
    for _ in range(300):
        corten.mj_step(m, d)
        rows.add(d.nefc)
        assert d.efc_force.shape == d.efc_pos.shape == (d.nefc,) and d.efc_J.size == d.nefc * m.nv
        assert len(d.contact.dist) == d.ncon and d.contact.geom.shape == (d.ncon, 2)
        corten.mj_forward(m, d)
        # Views that lag behind would not agree.
        np.testing.assert_allclose(d.efc_J.reshape(d.nefc, m.nv) @ d.qvel, d.efc_vel, atol=1e-12)
    assert len(rows) > 3
    held[...] = 1
    assert np.all(held == 1)


def test_threads_do_not_change_a_bit():
    """Islands on several threads; not part of MuJoCo's interface."""
    m = load(balls(n=12))
    ends = []
    for threads in (1, 2, 8):
        d = corten.MjData(m)
        d.set_threads(threads)
        d.qpos[2::7] = 0.09
        d.qpos[0::7] = 0.3 * np.arange(12)
        for _ in range(100):
            corten.mj_step(m, d)
        assert d.nisland > 3
        ends.append([d.qpos.tobytes(), d.qvel.tobytes(), d.efc_force.tobytes(), d.solver.improvement.tobytes()])
    assert ends[0] == ends[1] == ends[2]
    with pytest.raises(ValueError, match="one thread"):
        d.set_threads(0)
