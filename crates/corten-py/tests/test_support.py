"""Support functions and single stages on random models, against MuJoCo's functions of the same names."""
import numpy as np
import pytest

import corten.mujoco as corten
from test_smooth import FORCE, PASSIVE, POSITION, VELOCITY, check, error, pair

mujoco = pytest.importorskip("mujoco")
SEEDS = range(600, 606)


@pytest.fixture(params=SEEDS)
def both(request):
    """Both packages with the same computed state; body accelerations included."""
    result = []
    for mj, d in zip((mujoco, corten), pair(request.param)):
        mj.mj_forward(d.model, d)
        mj.mj_rnePostConstraint(d.model, d)
        mj.mj_subtreeVel(d.model, d)
        result.append((mj, d.model, d))
    return result


def agree(both, call, *shapes, tolerance=1e-10):
    """Calls with zeroed arrays in both packages; compares the arrays and what is returned."""
    outputs = []
    for mj, m, d in both:
        arrays = [np.zeros(s) for s in shapes]
        value = call(mj, m, d, *arrays)
        outputs.append((arrays, value))
    (a, x), (b, y) = outputs
    assert (x is None) == (y is None)
    if x is not None:
        np.testing.assert_allclose(y, x, atol=tolerance)
    for want, found in zip(a, b):
        assert error(want, found) < tolerance


def test_jacobians(both):
    _, m, d = both[0]
    nv = m.nv
    rng = np.random.default_rng(0)
    for body in range(m.nbody):
        point, axis = rng.standard_normal(3), rng.standard_normal(3)
        agree(both, lambda mj, m, d, p, r: mj.mj_jac(m, d, p, r, point, body), (3, nv), (3, nv))
        agree(both, lambda mj, m, d, p, r: mj.mj_jacBody(m, d, p, r, body), (3, nv), (3, nv))
        agree(both, lambda mj, m, d, p, r: mj.mj_jacBodyCom(m, d, p, r, body), (3, nv), (3, nv))
        agree(both, lambda mj, m, d, p, r: mj.mj_jacDot(m, d, p, r, point, body), (3, nv), (3, nv))
        agree(both, lambda mj, m, d, p, r: mj.mj_jacPointAxis(m, d, p, r, point, axis, body), (3, nv), (3, nv))
        agree(both, lambda mj, m, d, p: mj.mj_jacSubtreeCom(m, d, p, body), (3, nv))
        agree(both, lambda mj, m, d, p: mj.mj_angmomMat(m, d, p, body), (3, nv))
        force, torque = rng.standard_normal((2, 3))
        agree(both, lambda mj, m, d, q: mj.mj_applyFT(m, d, force, torque, point, body, q), nv)
    for geom in range(m.ngeom):
        agree(both, lambda mj, m, d, p, r: mj.mj_jacGeom(m, d, p, r, geom), (3, nv), (3, nv))
    for site in range(m.nsite):
        agree(both, lambda mj, m, d, p, r: mj.mj_jacSite(m, d, p, r, site), (3, nv), (3, nv))


def test_objects_in_motion(both):
    _, m, _ = both[0]
    kinds = mujoco.mjtObj
    counts = {kinds.mjOBJ_BODY: m.nbody, kinds.mjOBJ_XBODY: m.nbody, kinds.mjOBJ_GEOM: m.ngeom, kinds.mjOBJ_SITE: m.nsite,
              kinds.mjOBJ_CAMERA: m.ncam}
    for kind, count in counts.items():
        for i in range(count):
            for local in (0, 1):
                agree(both, lambda mj, m, d, v: mj.mj_objectVelocity(m, d, int(kind), i, v, local), 6)
                agree(both, lambda mj, m, d, v: mj.mj_objectAcceleration(m, d, int(kind), i, v, local), 6, tolerance=1e-9)


def test_local_frames(both):
    _, m, _ = both[0]
    rng = np.random.default_rng(1)
    for body in range(m.nbody):
        pos, quat = rng.standard_normal(3), rng.standard_normal(4)
        for sameframe in range(5):
            agree(both, lambda mj, m, d, p, r: mj.mj_local2Global(d, p, r, pos, quat, body, sameframe), 3, 9)


def test_mass_matrix(both):
    _, m, d = both[0]
    rng = np.random.default_rng(2)
    vec, rows = rng.standard_normal(m.nv), rng.standard_normal((3, m.nv))
    scale = np.ones((m.nv, 1))
    agree(both, lambda mj, m, d, M: mj.mj_fullM(m, M, d.qM), (m.nv, m.nv))
    agree(both, lambda mj, m, d, r: mj.mj_mulM(m, d, r, vec), m.nv)
    agree(both, lambda mj, m, d, r: mj.mj_mulM2(m, d, r, vec), m.nv)
    agree(both, lambda mj, m, d, r: mj.mj_solveM(m, d, r, rows), (3, m.nv), tolerance=1e-8)
    agree(both, lambda mj, m, d, r: mj.mj_solveM2(m, d, r, rows, np.sqrt(np.array(d.qLDiagInv)).reshape(-1, 1) * scale), (3, m.nv),
          tolerance=1e-8)
    agree(both, lambda mj, m, d, r: mj.mj_rne(m, d, 0, r), m.nv, tolerance=1e-9)
    agree(both, lambda mj, m, d, r: mj.mj_rne(m, d, 1, r), m.nv, tolerance=1e-9)


def test_configurations(both):
    _, m, _ = both[0]
    rng = np.random.default_rng(3)
    velocity = rng.standard_normal(m.nv)

    def move(mj, m, d, q, v):
        q[:] = d.qpos
        mj.mj_integratePos(m, q, velocity, 0.7)
        mj.mj_differentiatePos(m, v, 0.3, np.array(d.qpos), q)

    agree(both, move, m.nq, m.nv)

    def normalize(mj, m, d, q):
        q[:] = 2 * np.array(d.qpos)
        mj.mj_normalizeQuat(m, q)

    agree(both, normalize, m.nq)


def test_quaternion_derivatives():
    rng = np.random.default_rng(4)
    for scale in (1e-9, 0.1, 1.0, 3.0):
        vel, h = scale * rng.standard_normal(3), 0.4
        qa, qb = rng.standard_normal((2, 4))
        qa, qb = qa / np.linalg.norm(qa), qb / np.linalg.norm(qb)
        results = []
        for mj in (mujoco, corten):
            a, b, c, da, db = np.zeros(9), np.zeros(9), np.zeros(3), np.zeros((3, 3)), np.zeros((3, 3))
            mj.mjd_quatIntegrate(vel, h, a, b, c)
            mj.mjd_subQuat(qa, qb, da, db)
            results.append((a, b, c, da, db))
        for want, found in zip(*results):
            np.testing.assert_allclose(found, want, atol=1e-12)


STAGES = ["mj_kinematics", "mj_comPos", "mj_camlight", "mj_tendon", "mj_crb", "mj_makeM", "mj_factorM", "mj_collision", "mj_makeConstraint",
          "mj_island", "mj_projectConstraint", "mj_transmission", "mj_sensorPos", "mj_energyPos", "mj_fwdVelocity", "mj_comVel", "mj_passive",
          "mj_referenceConstraint", "mj_sensorVel", "mj_energyVel", "mj_fwdActuation", "mj_fwdAcceleration", "mj_fwdConstraint", "mj_sensorAcc"]


@pytest.mark.parametrize("seed", SEEDS)
def test_stage_by_stage(seed):
    """The pipeline called piece by piece."""
    da, db = pair(seed)
    for mj, d in ((mujoco, da), (corten, db)):
        for stage in STAGES:
            getattr(mj, stage)(d.model, d)
    check(da, db, POSITION, 1e-12)
    check(da, db, VELOCITY + PASSIVE + FORCE, 1e-9)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("integrator", range(4))
def test_half_steps(seed, integrator):
    da, db = pair(seed, constraints=seed % 2 == 1, integrator=integrator)
    for k in range(3):
        for mj, d in ((mujoco, da), (corten, db)):
            mj.mj_step1(d.model, d)
            d.ctrl[:] = np.cos(np.arange(d.model.nu) + k)
            mj.mj_step2(d.model, d)
    check(da, db, ["qpos", "qvel", "act", "sensordata"], 1e-9)


@pytest.mark.parametrize("skip", [0, 1, 2])
def test_skipping_stages(skip):
    da, db = pair(601)
    for mj, d in ((mujoco, da), (corten, db)):
        mj.mj_forward(d.model, d)
        d.qvel[:] = 0.1
        d.ctrl[:] = 0.2
        mj.mj_forwardSkip(d.model, d, skip, 0)
    check(da, db, VELOCITY + PASSIVE + FORCE, 1e-9)
    for mj, d in ((mujoco, da), (corten, db)):
        d.qacc[:] = 0.3
        mj.mj_inverseSkip(d.model, d, skip, 1)
    check(da, db, ["qfrc_inverse"], 1e-9)
