"""Functions of a model and its data against MuJoCo's own, in the same states."""
import numpy as np
import pytest

import corten.mujoco as corten
from scenes import EVERYTHING, PENDULUM, load, reference, shake

mujoco = pytest.importorskip("mujoco")


@pytest.fixture(scope="module")
def pair():
    """The same state in both packages, with contacts."""
    a, b = mujoco.MjData(reference(EVERYTHING)), corten.MjData(load(EVERYTHING))
    for mj, d in ((mujoco, a), (corten, b)):
        shake(mj, d.model, d)
        d.qpos[2] = 0.28
        mj.mj_forward(d.model, d)
    assert a.ncon == b.ncon > 0
    return a, b


def both(pair, call, shapes, tol=1e-9):
    """Runs a function with zeroed outputs in both packages and compares what it writes and returns."""
    results = []
    for mj, d in zip((mujoco, corten), pair):
        outputs = [np.zeros(s) if not isinstance(s, np.ndarray) else s.copy() for s in shapes]
        results.append((call(mj, d.model, d, *outputs), outputs))
    (want, a), (found, b) = results
    if want is not None:
        assert found == pytest.approx(want, abs=tol)
    for x, y in zip(a, b):
        np.testing.assert_allclose(y, x, atol=tol)


POINT = np.array([0.1, -0.2, 0.4])
NV = 11


@pytest.mark.parametrize("name,args", [
    ("mj_jac", (POINT, 3)), ("mj_jacBody", (3,)), ("mj_jacBodyCom", (2,)), ("mj_jacGeom", (3,)), ("mj_jacSite", (0,)),
    ("mj_jacPointAxis", (POINT, np.array([0, 0, 1.0]), 3)), ("mj_jacDot", (POINT, 3)),
])
def test_jacobians(pair, name, args):
    both(pair, lambda mj, m, d, p, r: getattr(mj, name)(m, d, p, r, *args), [(3, NV), (3, NV)])
    both(pair, lambda mj, m, d, p: getattr(mj, name)(m, d, p, None, *args), [(3, NV)])
    with pytest.raises(TypeError, match=r"must have shape \(3, 11\)"):
        getattr(corten, name)(pair[1].model, pair[1], np.zeros((3, 2)), None, *args)
    with pytest.raises(TypeError, match="is 99"):
        getattr(corten, name)(pair[1].model, pair[1], None, None, *args[:-1], 99)


def test_subtree_jacobians(pair):
    both(pair, lambda mj, m, d, p: mj.mj_jacSubtreeCom(m, d, p, 1), [(3, NV)])
    both(pair, lambda mj, m, d, p: mj.mj_angmomMat(m, d, p, 1), [(3, NV)])


def test_mass_matrix(pair):
    v = np.linspace(-1, 1, NV)
    both(pair, lambda mj, m, d, M: mj.mj_fullM(m, M, d.qM), [(NV, NV)])
    both(pair, lambda mj, m, d, x: mj.mj_mulM(m, d, x, v), [NV])
    both(pair, lambda mj, m, d, x: mj.mj_mulM2(m, d, x, v), [NV])
    both(pair, lambda mj, m, d, x: mj.mj_solveM(m, d, x, np.vstack([v, 2 * v])), [(2, NV)])
    both(pair, lambda mj, m, d, x: mj.mj_rne(m, d, 0, x), [NV])
    both(pair, lambda mj, m, d, x: mj.mj_rne(m, d, 1, x), [NV], tol=1e-5)
    for m, d, mj in ((pair[0].model, pair[0], mujoco), (pair[1].model, pair[1], corten)):
        nM = m.nM
    results = []
    for mj, d in zip((mujoco, corten), pair):
        m = d.model
        values, nnz = np.zeros(nM), np.array(m.M_rownnz)
        mj.mj_addM(m, d, values, nnz, np.array(m.M_rowadr), np.array(m.M_colind))
        results.append(values)
    np.testing.assert_allclose(results[1], results[0], atol=1e-9)


def test_forces(pair):
    both(pair, lambda mj, m, d, q: mj.mj_applyFT(m, d, POINT, 2 * POINT, -POINT, 3, q), [NV])
    for i in range(pair[0].ncon):
        both(pair, lambda mj, m, d, f: mj.mj_contactForce(m, d, i, f), [6], tol=1e-4)
    both(pair, lambda mj, m, d, x: mj.mj_mulJacVec(m, d, x, np.arange(NV) * 0.1), [pair[0].nefc], tol=1e-7)
    both(pair, lambda mj, m, d, x: mj.mj_mulJacTVec(m, d, x, np.ones(pair[0].nefc)), [NV], tol=1e-7)


def test_motion(pair):
    for kind, count in ((1, 6), (2, 6), (5, 7), (6, 1), (7, 1)):
        for i in range(count):
            for local in (0, 1):
                both(pair, lambda mj, m, d, v: mj.mj_objectVelocity(m, d, kind, i, v, local), [6])
    q, v = np.array(pair[0].qpos), np.linspace(-1, 1, NV)
    both(pair, lambda mj, m, d, x: mj.mj_integratePos(m, x, v, 0.3), [q])
    both(pair, lambda mj, m, d, x: mj.mj_differentiatePos(m, x, 0.3, q, np.array(m.qpos0)), [NV])
    both(pair, lambda mj, m, d, x: mj.mj_normalizeQuat(m, x), [q * 1.1])
    both(pair, lambda mj, m, d, p, r: mj.mj_local2Global(d, p, r, POINT, np.array([1.0, 0, 0, 0]), 3, 0), [3, 9])
    with pytest.raises(corten.FatalError):
        corten.mj_objectVelocity(pair[1].model, pair[1], 1, 99, np.zeros(6), 0)
    with pytest.raises(TypeError, match="must have 13 elements"):
        corten.mj_integratePos(pair[1].model, np.zeros(3), v, 0.3)


def test_rays(pair):
    for vec in ([0, 0, -1.0], [1.0, 0.1, -0.5], [0, 0, 1.0]):
        for exclude in (-1, 1):
            both(pair, lambda mj, m, d: mj.mj_ray(m, d, POINT + [0, 0, 2], vec, None, 1, exclude, np.zeros(1, np.int32)), [])
    group = np.array([0, 1, 0, 0, 0, 0], np.uint8)
    assert corten.mj_ray(pair[1].model, pair[1], POINT, [0, 0, -1.0], group, 1, -1, None) == -1
    rays = np.random.default_rng(0).standard_normal((9, 3))
    results = []
    for mj, d in zip((mujoco, corten), pair):
        geom, dist = np.zeros(9, np.int32), np.zeros(9)
        mj.mj_multiRay(d.model, d, POINT + [0, 0, 1], rays.ravel(), None, 1, -1, geom, dist, 9, 1e10)
        results.append((geom, dist))
    np.testing.assert_array_equal(results[0][0], results[1][0])
    np.testing.assert_allclose(results[0][1], results[1][1], atol=1e-9)
    mat, size = np.eye(3).ravel(), np.array([0.3, 0.2, 0.1])
    for kind in (0, 2, 3, 4, 5, 6):
        want = mujoco.mju_rayGeom(np.zeros(3), mat, size, [0, 0.05, 2], [0, 0, -1], kind)
        assert corten.mju_rayGeom(np.zeros(3), mat, size, [0, 0.05, 2], [0, 0, -1], kind) == pytest.approx(want)


def test_distances(pair):
    for g1, g2 in ((1, 3), (2, 5), (0, 1), (3, 5)):
        both(pair, lambda mj, m, d, f: mj.mj_geomDistance(m, d, g1, g2, 10.0, f), [6], tol=1e-6)


def test_states(pair):
    for sig in (1, 2, 15, 8191, corten.mjtState.mjSTATE_PHYSICS.value):
        n = mujoco.mj_stateSize(pair[0].model, sig)
        assert corten.mj_stateSize(pair[1].model, sig) == n
        both(pair, lambda mj, m, d, s: mj.mj_getState(m, d, s, sig), [n], tol=1e-6)
    m, d = pair[1].model, pair[1]
    state = np.zeros(corten.mj_stateSize(m, 8191))
    corten.mj_getState(m, d, state, 8191)
    other = corten.MjData(m)
    corten.mj_setState(m, other, state, 8191)
    np.testing.assert_array_equal(other.qpos, d.qpos)
    part = np.zeros(m.nq)
    corten.mj_extractState(m, state, 8191, part, corten.mjtState.mjSTATE_QPOS)
    np.testing.assert_array_equal(part, d.qpos)
    corten.mj_copyState(m, d, other, 8191)
    with pytest.raises(TypeError):
        corten.mj_getState(m, d, np.zeros(3), 8191)
    with pytest.raises(corten.FatalError):
        corten.mj_stateSize(m, 1 << 20)


def test_constants_of_the_reference_pose():
    pairs = []
    for mj, m in ((mujoco, reference(EVERYTHING)), (corten, load(EVERYTHING))):
        m.body_mass[1] = 3.0
        m.body_inertia[1] = [0.1, 0.2, 0.3]
        d = mj.MjData(m)
        mj.mj_setConst(m, d)
        pairs.append(m)
        assert mj.mj_getTotalmass(m) > 3
    for name in ("body_subtreemass", "body_invweight0", "dof_invweight0", "dof_M0", "actuator_acc0", "tendon_invweight0"):
        np.testing.assert_allclose(getattr(pairs[1], name), getattr(pairs[0], name), rtol=1e-8, err_msg=name)
    for mj, m in zip((mujoco, corten), pairs):
        mj.mj_setTotalmass(m, 5.0)
    np.testing.assert_allclose(pairs[1].body_mass, pairs[0].body_mass, rtol=1e-12)


def test_defaults():
    for name in ("MjLROpt", "MjOption"):
        a, b = getattr(mujoco, name)(), getattr(corten, name)()
        call = {"MjLROpt": "mj_defaultLROpt", "MjOption": "mj_defaultOption"}[name]
        getattr(mujoco, call)(a)
        getattr(corten, call)(b)
        for field in [f for f in dir(a) if not f.startswith("_")]:
            np.testing.assert_allclose(getattr(b, field), getattr(a, field), err_msg=field)
    for name in ("MjContact", "MjSolverStat", "MjWarningStat", "MjTimerStat"):
        a, b = getattr(mujoco, name)(), getattr(corten, name)()
        for field in [f for f in dir(a) if not f.startswith("_")]:
            assert np.shape(getattr(a, field)) == np.shape(getattr(b, field))


def test_keyframes():
    m = load(EVERYTHING)
    d = corten.MjData(m)
    d.qpos[0], d.time = 7, 3
    corten.mj_setKeyframe(m, d, 1)
    assert m.key("away").qpos[0] == 7 and m.key_time[1] == 3
    corten.mj_resetDataKeyframe(m, d, 0)
    assert d.time == 1
    corten.mj_resetDataKeyframe(m, d, 99)
    assert d.time == 0


def test_stages_make_up_the_pipeline(pair):
    m, d = pair[1].model, corten.MjData(pair[1].model)
    corten.mj_copyState(m, pair[1], d, corten.mjtState.mjSTATE_INTEGRATION)
    whole = corten.MjData(m)
    corten.mj_copyState(m, pair[1], whole, corten.mjtState.mjSTATE_INTEGRATION)
    corten.mj_forward(m, whole)
    for name in ("mj_fwdPosition", "mj_sensorPos", "mj_fwdVelocity", "mj_sensorVel", "mj_fwdActuation",
                 "mj_fwdAcceleration", "mj_fwdConstraint", "mj_sensorAcc"):
        getattr(corten, name)(m, d)
    np.testing.assert_array_equal(d.qacc, whole.qacc)
    np.testing.assert_array_equal(d.sensordata, whole.sensordata)
    corten.mj_Euler(m, d)
    assert d.time > whole.time


def test_printing(tmp_path):
    m = load(PENDULUM)
    d = corten.MjData(m)
    corten.mj_printModel(m, str(tmp_path / "model.txt"))
    corten.mj_printData(m, d, str(tmp_path / "data.txt"))
    assert "body_mass" in (tmp_path / "model.txt").read_text()
    assert "qpos" in (tmp_path / "data.txt").read_text()


@pytest.mark.parametrize("centred", [0, 1])
def test_transition_derivatives(centred):
    pairs = []
    for mj, m in ((mujoco, reference(EVERYTHING)), (corten, load(EVERYTHING))):
        d = mj.MjData(m)
        shake(mj, m, d)
        d.qpos[2] = 1.0
        nx = 2 * m.nv + m.na
        out = [np.zeros((nx, nx)), np.zeros((nx, m.nu)), np.zeros((m.nsensordata, nx)), np.zeros((m.nsensordata, m.nu))]
        mj.mjd_transitionFD(m, d, 1e-6, centred, *out)
        nv = m.nv
        inverse = [np.zeros((nv, n)) for n in (nv, nv, nv, m.nsensordata, m.nsensordata, m.nsensordata, m.nM)]
        mj.mjd_inverseFD(m, d, 1e-6, 0, *inverse)
        pairs.append((out, inverse))
    for a, b in zip(pairs[0][0] + pairs[0][1], pairs[1][0] + pairs[1][1]):
        np.testing.assert_allclose(b, a, atol=1e-5 * max(1, np.abs(a).max()))
    m = load(PENDULUM)
    with pytest.raises(TypeError, match="A must have shape"):
        corten.mjd_transitionFD(m, corten.MjData(m), 1e-6, 0, np.zeros((3, 3)), None, None, None)
    corten.mjd_transitionFD(m, corten.MjData(m), 1e-6, 0, None, None, None, None)
