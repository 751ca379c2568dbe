"""Enumerations, constants, the list of functions and their arguments."""
import copy
import inspect
import pickle

import numpy as np
import pytest

import corten.mujoco as corten

mujoco = pytest.importorskip("mujoco")


@pytest.mark.parametrize("name", [n for n in dir(mujoco) if n.startswith("mjt")])
def test_enumerations(name):
    want, found = getattr(mujoco, name), getattr(corten, name)
    assert {k: int(v) for k, v in want.__members__.items()} == {k: int(v) for k, v in found.__members__.items()}
    for k, v in want.__members__.items():
        w = getattr(found, k)
        if getattr(want, k).name == k == w.name:
            assert repr(w) == repr(v) and str(w) == str(v)
        assert w == int(v) and w.value == v.value and found(int(v)) == w
        assert pickle.loads(pickle.dumps(w)) is w


def test_members_are_integers():
    bit = corten.mjtDisableBit.mjDSBL_CONTACT
    assert bit | corten.mjtDisableBit.mjDSBL_GRAVITY == 16 + 128
    assert np.zeros(20)[bit] == 0 and int(bit) == 16 and bit == 16 and hash(bit) == hash(16)


def test_enumerations_are_containers():
    types = corten.mjtGeom
    assert types["mjGEOM_BOX"] is types(6) is types(np.int32(6)) is types.mjGEOM_BOX and 6 in types and 99 not in types
    assert [int(t) for t in types][:3] == [0, 1, 2] and len(list(types)) == len(types)
    assert f"{types.mjGEOM_BOX:>20}" == "  mjtGeom.mjGEOM_BOX" and copy.deepcopy(types.mjGEOM_BOX) is types.mjGEOM_BOX
    for wrong in (99, "mjGEOM_BOX", None, []):
        with pytest.raises(ValueError, match="is not a valid mjtGeom"):
            types(wrong)
    with pytest.raises(AttributeError):
        types.mjGEOM_BOX = 3
    with pytest.raises(AttributeError):
        del types.mjGEOM_BOX


def test_constants():
    for name in dir(mujoco):
        value = getattr(mujoco, name)
        if name.startswith("mj") and isinstance(value, (int, float, str, tuple)):
            assert getattr(corten, name) == value, name
    assert corten.__version__ == mujoco.__version__
    assert corten.mj_version() == mujoco.mj_version() and corten.mj_versionString() == mujoco.mj_versionString()


FUNCTIONS = [n for n in dir(mujoco) if n.startswith(("mj_", "mjd_", "mju_")) and hasattr(corten, n)]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_argument_names(name):
    line = getattr(mujoco, name).__doc__.split("\n")[0]
    want = [p.split(":")[0].strip() for p in split(line[line.index("(") + 1:line.rindex(")")])]
    assert list(inspect.signature(getattr(corten, name)).parameters) == want
    assert getattr(corten, name).__doc__ or name.startswith("mju_")


def split(arguments):
    depth, parts, start = 0, [], 0
    for i, c in enumerate(arguments + ","):
        depth += (c in "[(") - (c in "])")
        if c == "," and depth == 0:
            parts.append(arguments[start:i])
            start = i + 1
    return [p for p in parts if p.strip()]
