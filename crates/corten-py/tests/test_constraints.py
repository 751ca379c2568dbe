"""Constraint rows, solvers, islands and consistency, side by side with MuJoCo 3.4.0.

What is compared with what: rows, field by field and in order, to 1e-9. Solutions to 1e-6, with the solvers run until
they can improve no more. Newton and PGS get there in both engines. CG stops where the cost is flat to rounding, in both
engines at the same place if their inputs have the same bits; if these differ in the last one, each leaves an error of
the same size, which MuJoCo's CG shows against its Newton.
"""
import itertools
from pathlib import Path

import numpy as np
import pytest

import corten.mujoco as corten
import random_models

mujoco = pytest.importorskip("mujoco")

SCENES = Path(__file__).resolve().parents[3] / "scenes"
PGS, CG, NEWTON = 0, 1, 2
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


def converge(m, solver):
    m.opt.solver = solver
    m.opt.tolerance = 0.0
    m.opt.iterations = {PGS: 5000, CG: 1000, NEWTON: 200}[solver]


def check_solution(reference, ours, inputs, a, b, case, slack=3):
    """`a` and `b` hold the solutions of the two engines. Conjugate gradients stop short of the solution in hard problems:
    there the engines may differ by `slack` times what MuJoCo lacks."""
    if reference.opt.solver != CG:
        assert error(a.qacc, b.qacc) < 1e-6, case
        return
    kept = reference.opt.noslip_iterations
    converge(reference, NEWTON)
    exact = data(mujoco, reference, inputs)
    mujoco.mj_forward(reference, exact)
    converge(reference, CG)
    own = error(exact.qacc, a.qacc)
    assert error(exact.qacc, b.qacc) < 1e-6 + 3 * own, (case, own)
    assert error(a.qacc, b.qacc) < 1e-6 + slack * own, (case, own)
    reference.opt.noslip_iterations = kept


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
                converge(m, solver)
                m.opt.cone, m.opt.jacobian, m.opt.disableflags = cone, sparse, flags
                m.opt.noslip_iterations, m.opt.noslip_tolerance = noslip, 0.0
            a, b = data(mujoco, reference, inputs), data(corten, ours, inputs)
            mujoco.mj_forward(reference, a)
            corten.mj_forward(ours, b)
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
            # The friction pass stops unfinished, and magnifies what CG left over.
            if not (noslip and solver == CG):
                check_solution(reference, ours, inputs, a, b, case)


STIFF = """<mujoco><option solver="{solver}" cone="{cone}" jacobian="{jacobian}" tolerance="0" iterations="200">
<flag island="{island}"/></option><worldbody><geom type="sphere" size=".1"/>
<body><joint/><geom type="sphere" size=".1"/></body>
<body pos=".01 .02 .03"><geom type="sphere" size=".1"/><body><joint type="ball"/><geom type="capsule" size=".1 .05"/>
<body pos=".1 0 0"><joint axis="1 2 3"/><geom type="box" size=".1 .05 .06"/></body></body></body>
<body pos=".2 0 .1"><freejoint/><geom type="ellipsoid" size=".1 .2 .15"/></body>
<body pos=".2 .2 .1"><freejoint/><geom type="sphere" size=".1" condim="6"/></body>
<body pos=".3 .2 .1"><freejoint/><geom type="sphere" size=".1" condim="4"/></body></worldbody></mujoco>"""


@pytest.mark.parametrize("solver", ["CG", "Newton"])
@pytest.mark.parametrize("cone", ["pyramidal", "elliptic"])
@pytest.mark.parametrize("jacobian", ["dense", "sparse"])
@pytest.mark.parametrize("island", ["enable", "disable"])
def test_zero_tolerance_ends_in_the_same_bits(solver, cone, jacobian, island):
    """Bodies that cannot move overlap: forces reach 1e17, and what they cancel to is rounding. Every number of every
    iteration is MuJoCo's."""
    text = STIFF.format(solver=solver, cone=cone, jacobian=jacobian, island=island)
    reference, ours = mujoco.MjModel.from_xml_string(text), corten.MjModel.from_xml_string(text)
    rng = np.random.default_rng(5)
    for state in range(4):
        a, b = mujoco.MjData(reference), corten.MjData(ours)
        mujoco.mj_integratePos(reference, a.qpos, 0.1 * rng.standard_normal(reference.nv), 1.0)
        a.qvel[:] = 0.5 * rng.standard_normal(reference.nv)
        a.xfrc_applied[1:] = rng.standard_normal((reference.nbody - 1, 6))
        for field in "qpos qvel xfrc_applied".split():
            getattr(b, field)[:] = getattr(a, field)
        mujoco.mj_forward(reference, a)
        corten.mj_forward(ours, b)
        assert a.nefc > 10
        for field in "qfrc_smooth qacc_smooth efc_J efc_D efc_aref efc_b efc_force qfrc_constraint qacc".split():
            assert np.array_equal(getattr(a, field), getattr(b, field)), (state, field)
        assert np.array_equal(a.solver_niter, b.solver_niter)
        for island_number in range(max(1, a.nisland)):
            for i in range(a.solver_niter[island_number]):
                x, y = (d.solver[island_number * mujoco.mjNSOLVER + i] for d in (a, b))
                for field in "improvement gradient lineslope nactive nchange neval".split():
                    assert getattr(x, field) == getattr(y, field), (state, island_number, i, field)
        mujoco.mj_inverse(reference, a)
        corten.mj_inverse(ours, b)
        assert np.array_equal(a.qfrc_inverse, b.qfrc_inverse), state


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
            a, b = data(mujoco, reference, inputs), data(corten, ours, inputs)
            mujoco.mj_forward(reference, a)
            corten.mj_forward(ours, b)
            case = f"{scene} solver {solver} cone {cone} integrator {integrator} sparse {sparse} step {k}"
            assert a.nefc > 0 and a.nisland == b.nisland, case
            check_solution(reference, ours, inputs, a, b, case, slack=0)
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
        a, b = data(mujoco, reference, inputs), data(corten, ours, inputs)
        mujoco.mj_forward(reference, a)
        corten.mj_forward(ours, b)
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
