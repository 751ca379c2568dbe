"""Flexes through the drop-in: arrays in MuJoCo's form, and rollouts."""
import pathlib

import mujoco
import numpy as np
import pytest

import corten.mujoco as corten
from corten.mujoco import rollout

SCENES = pathlib.Path(__file__).resolve().parents[2] / "corten-sim/tests/flex"
NAMES = ["lines", "sheets", "solids", "bricks"]


def model(mj, name, jacobian=mujoco.mjtJacobian.mjJAC_AUTO):
    m = mj.MjModel.from_xml_path(str(SCENES / f"{name}.xml"))
    m.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT
    m.opt.jacobian, m.opt.timestep = jacobian, 1e-5
    return m


def shaken(mj, m):
    rng = np.random.default_rng(3)
    d = mj.MjData(m)
    d.qpos[:] += 0.003 * rng.standard_normal(m.nq)
    d.qvel[:] = 0.3 * rng.standard_normal(m.nv)
    return d


def placed(mj, name, jacobian):
    m = model(mj, name, jacobian)
    d = shaken(mj, m)
    for stage in (mj.mj_kinematics, mj.mj_comPos, mj.mj_flex):
        stage(m, d)
    return m, d


def test_vertices_and_bounds():
    for name in NAMES:
        (_, want), (_, got) = [placed(mj, name, mujoco.mjtJacobian.mjJAC_AUTO) for mj in (mujoco, corten)]
        for field in ("flexvert_xpos", "flexedge_length", "flexelem_aabb", "bvh_aabb_dyn"):
            np.testing.assert_allclose(getattr(got, field), getattr(want, field), atol=1e-13)


@pytest.mark.parametrize("name", NAMES)
def test_edge_jacobian(name):
    (_, want), (m, got) = [placed(mj, name, mujoco.mjtJacobian.mjJAC_DENSE) for mj in (mujoco, corten)]
    assert np.shape(got.flexedge_J) == (m.nflexedge, m.nv)
    np.testing.assert_allclose(np.ravel(got.flexedge_J), np.ravel(want.flexedge_J), atol=1e-13)


@pytest.mark.parametrize("name", NAMES)
def test_sparse_edge_jacobian(name):
    """The rows of the dense one, in MuJoCo's layout. Its addresses begin anew after a flex that nothing acts upon, and
    later rows overwrite the first ones: there, ours follow each other."""
    sparse, dense = mujoco.mjtJacobian.mjJAC_SPARSE, mujoco.mjtJacobian.mjJAC_DENSE
    (_, want), (m, got) = [placed(mj, name, sparse) for mj in (mujoco, corten)]
    count, address = np.array(got.flexedge_J_rownnz), np.array(got.flexedge_J_rowadr)
    np.testing.assert_array_equal(count, want.flexedge_J_rownnz)
    np.testing.assert_array_equal(address[count > 0], (np.cumsum(count) - count)[count > 0])
    columns, values = np.ravel(got.flexedge_J_colind), np.ravel(got.flexedge_J)
    rows = np.zeros((m.nflexedge, m.nv))
    for row, n, start in zip(rows, count, address):
        row[columns[start:start + n]] = values[start:start + n]
    np.testing.assert_allclose(rows.ravel(), np.ravel(placed(mujoco, name, dense)[1].flexedge_J), atol=1e-13)
    if np.array_equal(address, want.flexedge_J_rowadr):
        used = count.sum()
        np.testing.assert_array_equal(columns[:used], np.ravel(want.flexedge_J_colind)[:used])
        np.testing.assert_allclose(values[:used], np.ravel(want.flexedge_J)[:used], atol=1e-13)
    else:
        assert name == "lines"


@pytest.mark.parametrize("name", NAMES)
def test_kept_views_follow(name):
    m = model(corten, name)
    d = shaken(corten, m)
    corten.mj_forward(m, d)
    rows = d.flexedge_J
    corten.mj_step(m, d)
    corten.mj_forward(m, d)
    np.testing.assert_array_equal(rows, d.flexedge_J)


@pytest.mark.parametrize("name", NAMES)
def test_rollouts_have_the_bits_of_steps(name):
    m = model(corten, name)
    d = shaken(corten, m)
    size = corten.mj_stateSize(m, corten.mjtState.mjSTATE_FULLPHYSICS)
    start = np.zeros(size)
    corten.mj_getState(m, d, start, corten.mjtState.mjSTATE_FULLPHYSICS)
    states, _ = rollout.rollout(m, [corten.MjData(m) for _ in range(2)], np.tile(start, (6, 1)), nstep=5)
    for _ in range(5):
        corten.mj_step(m, d)
    end = np.zeros(size)
    corten.mj_getState(m, d, end, corten.mjtState.mjSTATE_FULLPHYSICS)
    for world in states:
        np.testing.assert_array_equal(world[-1], end)


@pytest.mark.parametrize("name", NAMES)
def test_rays_meet_flexes(name):
    rng, hits = np.random.default_rng(5), 0
    pair = [(mj, *placed(mj, name, mujoco.mjtJacobian.mjJAC_AUTO)) for mj in (mujoco, corten)]
    for _ in range(120):
        flex, parts = rng.integers(pair[0][1].nflex), rng.integers(0, 2, 4)
        target = pair[0][2].flexvert_xpos[rng.integers(pair[0][1].nflexvert)]
        start = target + rng.standard_normal(3)
        found = []
        for mj, m, d in pair:
            vertex = np.zeros(1, np.int32)
            found.append((mj.mju_rayFlex(m, d, 0, *parts, flex, start, target - start, vertex), vertex[0]))
        assert found[0][0] == pytest.approx(found[1][0], abs=1e-12) and found[0][1] == found[1][1]
        hits += found[0][0] >= 0
    assert hits > 3


def test_contacts_name_their_sides():
    def contacts(mj):
        m = mj.MjModel.from_xml_path(str(SCENES.parent / "flex_contact/crossing.xml"))
        d = mj.MjData(m)
        mj.mj_forward(m, d)
        return [np.array(getattr(d.contact, f)) for f in ("geom", "flex", "elem", "vert", "exclude", "dim")]

    expected, found = contacts(mujoco), contacts(corten)
    assert len(expected[0]) > 10
    for a, b in zip(expected, found):
        np.testing.assert_array_equal(a, b)
