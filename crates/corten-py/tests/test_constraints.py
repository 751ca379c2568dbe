"""Constraint rows, solvers, islands and consistency, side by side with MuJoCo 3.4.0.

Rows are compared field by field and in order, to 1e-9. Solutions to 1e-6, converged; those of conjugate gradients, which
creep towards the solution of a hard problem and leave an error in both engines, by MuJoCo's cost; and so all that are
found at the model's own options (see `solution.py`).
"""
import itertools
from pathlib import Path

import numpy as np
import pytest

import corten.mujoco as corten
import random_models

mujoco = pytest.importorskip("mujoco")
from solution import CG, NEWTON, PGS, converge, excess_cost

SCENES = Path(__file__).resolve().parents[3] / "scenes"
NO_WARMSTART, NO_ISLAND = 1 << 9, 1 << 18
ROW_FIELDS = """efc_type efc_id efc_pos efc_margin efc_frictionloss efc_diagApprox efc_KBIP efc_D efc_R efc_vel
efc_aref""".split()
ISLAND_FIELDS = "tree_island dof_island efc_island island_nv island_nefc island_ne island_nf".split()
INPUTS = "qpos qvel act ctrl qfrc_applied qacc_warmstart mocap_pos mocap_quat eq_active".split()


def error(want, found):
    want, found = (np.asarray(x, dtype=float).ravel() for x in (want, found))
    assert want.shape == found.shape
    if not want.size:
        return 0.0
    assert np.all(np.isfinite(found))
    return np.max(np.abs(want - found)) / max(1.0, np.max(np.abs(want)))


def dense_jacobian(mj, m, d):
    values = np.array(d.efc_J).ravel()
    if not mj.mj_isSparse(m):
        return values[: d.nefc * m.nv].reshape(d.nefc, m.nv)
    out = np.zeros((d.nefc, m.nv))
    for i in range(d.nefc):
        entries = slice(d.efc_J_rowadr[i], d.efc_J_rowadr[i] + d.efc_J_rownnz[i])
        out[i, np.array(d.efc_J_colind[entries])] = values[entries]
    return out


def data(mj, m, inputs):
    d = mj.MjData(m)
    for field, value in inputs.items():
        getattr(d, field)[:] = value
    return d


def forward(reference, ours, inputs):
    """Data of both engines after a forward pass from the same state."""
    a, b = data(mujoco, reference, inputs), data(corten, ours, inputs)
    mujoco.mj_forward(reference, a)
    corten.mj_forward(ours, b)
    return a, b


def check_cost(reference, inputs, a, b, case):
    """`a` and `b` hold solutions of the two engines at the same options."""
    kept = reference.opt.solver, reference.opt.tolerance, reference.opt.iterations
    converge(reference, NEWTON)
    best = data(mujoco, reference, inputs)
    mujoco.mj_forward(reference, best)
    reference.opt.solver, reference.opt.tolerance, reference.opt.iterations = kept
    assert excess_cost(reference, a, np.array(a.qacc), b.qacc, best.qacc) <= 1, case


def check_solution(reference, inputs, a, b, case):
    """`a` and `b` hold the converged solutions of the two engines."""
    if reference.opt.solver == CG:
        check_cost(reference, inputs, a, b, case)
    else:
        assert error(a.qacc, b.qacc) < 1e-6, case


def models(seed):
    """The next seed whose model MuJoCo accepts, so that every number gives a test."""
    while True:
        text = random_models.model_text(seed)
        try:
            return seed, mujoco.MjModel.from_xml_string(text), corten.MjModel.from_xml_string(text)
        except ValueError:
            seed += 10_000


@pytest.mark.parametrize("number", range(16))
def test_random_models(number):
    seed, reference, ours = models(number)
    rng = np.random.default_rng([seed, 2])
    for k, inputs in enumerate(random_models.states(mujoco, reference, seed)):
        for solver, cone, sparse in itertools.product((PGS, CG, NEWTON), (0, 1), (0, 1)):
            noslip = 5 if rng.random() < 0.15 else 0
            flags = NO_ISLAND * int(rng.integers(2)) | NO_WARMSTART * int(rng.integers(2))
            for m in (reference, ours):
                m.opt.solver, m.opt.cone, m.opt.jacobian, m.opt.disableflags = solver, cone, sparse, flags
                m.opt.noslip_iterations, m.opt.noslip_tolerance = noslip, 1e-16
            own = reference.opt.tolerance, reference.opt.iterations
            a, b = forward(reference, ours, inputs)
            case = f"seed {seed} state {k} solver {solver} cone {cone} sparse {sparse} noslip {noslip} flags {flags}"
            assert (a.ne, a.nf, a.nl, a.nefc, a.ncon) == (b.ne, b.nf, b.nl, b.nefc, b.ncon), case
            for field in ROW_FIELDS:
                assert error(getattr(a, field), getattr(b, field)) < 1e-9, (case, field)
            jacobians = dense_jacobian(mujoco, reference, a), dense_jacobian(corten, ours, b)
            assert error(*jacobians) < 1e-9, case
            assert a.nisland == b.nisland, case
            if a.nisland:
                for field in ISLAND_FIELDS:
                    assert np.array_equal(getattr(a, field), getattr(b, field)), (case, field)
            if solver != PGS and not noslip:
                check_cost(reference, inputs, a, b, case)
            for m in (reference, ours):
                converge(m)
            a, b = forward(reference, ours, inputs)
            # Noslip stops unfinished, and magnifies what CG left over.
            if not (noslip and solver == CG):
                check_solution(reference, inputs, a, b, case)
            for m in (reference, ours):
                m.opt.tolerance, m.opt.iterations = own


def in_motion(m):
    """A state in which the scene's constraints are at work."""
    d = mujoco.MjData(m)
    if m.nkey:
        mujoco.mj_resetDataKeyframe(m, d, 0)
    rng = np.random.default_rng(1)
    for i in range(120):
        if i % 10 == 0:
            d.ctrl[:] = 0.3 * rng.standard_normal(m.nu)
        mujoco.mj_step(m, d)
    return {field: np.array(getattr(d, field)) for field in INPUTS}


CONSTRAINED = "humanoid quadruped box_stack mixed_pile linkage tendon_finger arm_gripper".split()


@pytest.mark.parametrize("scene", CONSTRAINED)
def test_every_solver_cone_integrator_and_jacobian(scene):
    path = str(SCENES / f"{scene}.xml")
    reference, ours = mujoco.MjModel.from_xml_path(path), corten.MjModel.from_xml_path(path)
    first = in_motion(reference)
    for solver, cone, integrator, sparse in itertools.product((PGS, CG, NEWTON), (0, 1), range(4), (0, 1)):
        for m in (reference, ours):
            converge(m, solver)
            m.opt.cone, m.opt.integrator, m.opt.jacobian = cone, integrator, sparse
        inputs = first
        for k in range(2):
            a, b = forward(reference, ours, inputs)
            case = f"{scene} solver {solver} cone {cone} integrator {integrator} sparse {sparse} step {k}"
            assert a.nefc > 0 and a.nisland == b.nisland, case
            check_solution(reference, inputs, a, b, case)
            # The step goes where the acceleration leads: 1e-6 in qacc is h·1e-6 in qvel.
            mujoco.mj_step(reference, a)
            corten.mj_step(ours, b)
            assert error(a.qvel, b.qvel) < 2e-6, case
            inputs = {field: np.array(getattr(a, field)) for field in INPUTS}


@pytest.mark.parametrize("scene", CONSTRAINED)
@pytest.mark.parametrize("solver", [CG, NEWTON])
def test_islands_on_equals_islands_on(scene, solver):
    """At the model's own tolerance, where the path of the iterations shows: equal counts, island by island."""
    path = str(SCENES / f"{scene}.xml")
    reference, ours = mujoco.MjModel.from_xml_path(path), corten.MjModel.from_xml_path(path)
    inputs = in_motion(reference)
    for cone, flags in itertools.product((0, 1), (0, NO_ISLAND)):
        for m in (reference, ours):
            m.opt.solver, m.opt.cone, m.opt.disableflags = solver, cone, flags
        a, b = forward(reference, ours, inputs)
        case = f"{scene} solver {solver} cone {cone} flags {flags}"
        assert a.nisland == b.nisland and (a.nisland > 0) == (flags == 0), case
        for field in ISLAND_FIELDS if a.nisland else []:
            assert np.array_equal(getattr(a, field), getattr(b, field)), (case, field)
        assert error(a.qacc, b.qacc) < 1e-6, case
        assert np.array_equal(a.solver_niter, b.solver_niter), (case, a.solver_niter, b.solver_niter)


@pytest.mark.parametrize("scene", CONSTRAINED)
@pytest.mark.parametrize("solver", [PGS, CG, NEWTON])
def test_iterations_along_a_path(scene, solver):
    """Step by step from MuJoCo's states, at the model's own tolerance: as many iterations, the same acceleration. Where
    a solver stops at its tolerance, rounding may move the end by an iteration now and then."""
    path = str(SCENES / f"{scene}.xml")
    for cone in (0, 1):
        reference, ours = mujoco.MjModel.from_xml_path(path), corten.MjModel.from_xml_path(path)
        for m in (reference, ours):
            m.opt.solver, m.opt.cone = solver, cone
        a, b = mujoco.MjData(reference), corten.MjData(ours)
        if reference.nkey:
            mujoco.mj_resetDataKeyframe(reference, a, 0)
        rng = np.random.default_rng(1)
        counts = []
        for i in range(100):
            if i % 10 == 0:
                a.ctrl[:] = 0.3 * rng.standard_normal(reference.nu)
            for field in INPUTS:
                getattr(b, field)[:] = getattr(a, field)
            mujoco.mj_step(reference, a)
            corten.mj_step(ours, b)
            counts.append([int(np.sum(d.solver_niter)) for d in (a, b)])
            # What a solver may leave at its tolerance.
            assert error(a.qacc, b.qacc) < 1e-4, (scene, solver, cone, i, counts[-1])
        theirs, here = np.array(counts).T
        assert np.sum(theirs != here) <= 3 and abs(np.sum(here) - np.sum(theirs)) <= 0.02 * np.sum(theirs), (cone, counts)


@pytest.mark.parametrize("scene", CONSTRAINED)
def test_forward_and_inverse_agree_as_well_as_in_mujoco(scene):
    path = str(SCENES / f"{scene}.xml")
    reference, ours = mujoco.MjModel.from_xml_path(path), corten.MjModel.from_xml_path(path)
    inputs = in_motion(reference)
    for solver, cone, integrator in itertools.product((CG, NEWTON), (0, 1), (0, 2, 3)):
        for m in (reference, ours):
            m.opt.solver, m.opt.cone, m.opt.integrator = solver, cone, integrator
            m.opt.enableflags |= int(mujoco.mjtEnableBit.mjENBL_FWDINV)
        a, b = data(mujoco, reference, inputs), data(corten, ours, inputs)
        worst = np.zeros(2), np.zeros(2)
        for _ in range(50):
            for field in INPUTS:
                getattr(b, field)[:] = getattr(a, field)
            mujoco.mj_step(reference, a)
            corten.mj_step(ours, b)
            for w, d in zip(worst, (a, b)):
                np.maximum(w, d.solver_fwdinv, out=w)
        case = f"{scene} solver {solver} cone {cone} integrator {integrator}: MuJoCo {worst[0]}, here {worst[1]}"
        # Where CG stops is a matter of rounding; the size of what it leaves is not.
        assert np.all(worst[1] <= 1.25 * worst[0] + 1e-9), case


CHAIN = """<mujoco><option solver="CG" iterations="{iterations}" tolerance="1e-12" {option}/><worldbody><geom type="plane" size="5 5 .1"/>
  <body pos="0 0 .095"><freejoint/><geom type="box" size=".1 .1 .1"/></body>
  <body pos=".03 .02 .292"><freejoint/><geom type="box" size=".1 .1 .1"/></body>
  <body pos="2 0 1"><joint name="j" axis="0 1 0" limited="true" range="-20 20"/><geom size=".1" pos=".5 0 0"/></body></worldbody>
  <tendon><fixed name="t" limited="true" range="-.2 .2"><joint joint="j" coef=".5"/></fixed></tendon></mujoco>"""


def test_forces_of_limits():
    m = corten.MjModel.from_xml_string(CHAIN.format(iterations=100, option=""))
    d = corten.MjData(m)
    assert d.jnt_limit_frc.shape == (m.njnt,) and d.ten_limit_frc.shape == (m.ntendon,)
    d.qpos[-1] = 0.5
    corten.mj_forward(m, d)
    limits = {int(kind): d.efc_force[row] for row, kind in enumerate(d.efc_type) if kind in (3, 4)}
    assert len(limits) == 2 and max(limits.values()) > 0
    assert list(d.jnt_limit_frc) == [0, 0, limits[3]] and list(d.ten_limit_frc) == [limits[4]]


def test_conjugate_gradients_that_do_not_converge(recwarn):
    m = corten.MjModel.from_xml_string(CHAIN.format(iterations=2, option=""))
    d = corten.MjData(m)
    with pytest.warns(RuntimeWarning, match="limit of iterations"):
        corten.mj_step(m, d, 3)
    count = d.solver_unconverged
    assert count >= 3
    corten.mj_step(m, d, 3)
    assert d.solver_unconverged > count
    corten.mj_resetData(m, d)
    assert d.solver_unconverged == 0
    corten.mj_step(m, d)
    assert not [w for w in recwarn if "limit of iterations" in str(w.message)], "it is told once"


def test_the_strict_solver_raises():
    m = corten.MjModel.from_xml_string(CHAIN.format(iterations=2, option='cortenforge:solver="cgstrict"'))
    d = corten.MjData(m)
    for function in (corten.mj_step, corten.mj_forward):
        with pytest.raises(RuntimeError, match="did not converge within 2 iterations"):
            function(m, d)
    assert d.time == 0
    m.opt.iterations = 200
    corten.mj_step(m, d)
    assert d.time > 0
