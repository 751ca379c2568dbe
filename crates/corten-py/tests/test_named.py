"""Objects by name and index."""
import numpy as np
import pytest

import corten.mujoco as corten
from scenes import EVERYTHING, load, reference, shake

KINDS = """actuator body cam camera eq equality exclude geom hfield jnt joint key keyframe light mat material mesh numeric
pair sensor site tendon tex texture tuple""".split()
DATA_KINDS = "actuator body cam camera geom jnt joint light sensor site ten tendon".split()
COUNT = dict(actuator="nu", body="nbody", cam="ncam", camera="ncam", eq="neq", equality="neq", exclude="nexclude",
             geom="ngeom", hfield="nhfield", jnt="njnt", joint="njnt", key="nkey", keyframe="nkey", light="nlight",
             mat="nmat", material="nmat", mesh="nmesh", numeric="nnumeric", pair="npair", sensor="nsensor", site="nsite",
             ten="ntendon", tendon="ntendon", tex="ntex", texture="ntex", tuple="ntuple")


# MuJoCo's own views of these start at the wrong place (rows of `cdof`, sparse `moment`), or depend on
# whether its matrices are sparse.
UNLIKE = {"cdof", "cdof_dot", "moment", "J", "J_colind", "J_rownnz", "J_rowadr"}


def compare(want, found):
    assert type(found).__name__ == type(want).__name__
    for name in [n for n in dir(want) if not n.startswith("_")]:
        a, b = getattr(want, name), getattr(found, name)
        if isinstance(a, np.ndarray):
            assert (b.dtype, b.shape) == (a.dtype, a.shape), name
            if name not in UNLIKE:
                np.testing.assert_allclose(b, a, rtol=1e-9, atol=1e-9, err_msg=name)
        else:
            assert a == b and type(a) is type(b), name


@pytest.mark.parametrize("kind", KINDS)
def test_models(kind):
    want, found = reference(EVERYTHING), load(EVERYTHING)
    n = getattr(found, COUNT[kind])
    assert n > 0
    for i in range(n):
        a = getattr(want, kind)(i)
        compare(a, getattr(found, kind)(i))
        if a.name:
            compare(a, getattr(found, kind)(a.name))


@pytest.mark.parametrize("kind", DATA_KINDS)
def test_data(kind):
    mujoco = pytest.importorskip("mujoco")
    want, found = mujoco.MjData(reference(EVERYTHING)), corten.MjData(load(EVERYTHING))
    for mj, d in ((mujoco, want), (corten, found)):
        shake(mj, d.model, d)
        mj.mj_forward(d.model, d)
    for i in range(getattr(found.model, COUNT[kind])):
        compare(getattr(want, kind)(i), getattr(found, kind)(i))


def test_rows_of_matrices():
    m = load(EVERYTHING)
    d = corten.MjData(m)
    shake(corten, m, d)
    corten.mj_forward(m, d)
    start = m.joint("ball").dofadr[0]
    np.testing.assert_array_equal(d.joint("ball").cdof, d.cdof[start:start + 3])
    np.testing.assert_allclose(d.actuator("motor").moment, np.eye(m.nv)[m.joint("hinge").dofadr[0]])
    np.testing.assert_allclose(d.tendon("cord").J @ d.qvel, d.tendon("cord").velocity)


def test_writing():
    m = load(EVERYTHING)
    d = corten.MjData(m)
    m.geom("box").friction = [1, 2, 3]
    np.testing.assert_array_equal(m.geom_friction[m.geom("box").id], [1, 2, 3])
    m.geom("box").friction[1] = 5
    assert m.geom_friction[m.geom("box").id, 1] == 5
    d.joint("ball").qvel[:] = 7
    assert np.count_nonzero(d.qvel == 7) == 3
    d.joint("root").qpos[2] = 4
    assert d.qpos[2] == 4
    d.actuator("servo").ctrl = 2
    assert d.ctrl[1] == 2
    m.texture("tex").data[0, 0] = [9, 8, 7]
    np.testing.assert_array_equal(m.tex_data[:3], [9, 8, 7])
    with pytest.raises(AttributeError, match="not writable"):
        m.geom("box").id = 3
    with pytest.raises(AttributeError, match="does not exist"):
        m.geom("box").colour = 3


def test_unknown_objects():
    m = load(EVERYTHING)
    d = corten.MjData(m)
    with pytest.raises(KeyError, match=r"Invalid name 'leg'. Valid names: \['arm', 'free', 'hand', 'handle', 'slider', 'world'\]"):
        m.body("leg")
    with pytest.raises(KeyError, match="Valid names"):
        d.geom("leg")
    with pytest.raises(KeyError, match="Invalid name ''"):
        m.body()
    with pytest.raises(IndexError, match="Invalid index 99. Valid indices from 0 to 5"):
        m.body(99)
    with pytest.raises(IndexError):
        m.body(-1)
    with pytest.raises(TypeError, match="name or an index"):
        m.body(1.5)
    assert m.body(np.int64(1)).name == "free"
    assert "mass: array" in repr(m.body(1)) and "name: 'free'" in repr(m.body(1))


def test_names_and_ids():
    want, found = reference(EVERYTHING), load(EVERYTHING)
    mujoco = pytest.importorskip("mujoco")
    for kind in range(0, 26):
        for i in range(-1, 12):
            assert corten.mj_id2name(found, kind, i) == mujoco.mj_id2name(want, kind, i), (kind, i)
        for name in ("arm", "box", "hinge", "nothing", ""):
            assert corten.mj_name2id(found, kind, name) == mujoco.mj_name2id(want, kind, name), (kind, name)
