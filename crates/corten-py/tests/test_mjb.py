"""Binary models of MuJoCo 3.4.0: written here and loaded there, and the reverse."""
import pathlib

import mujoco
import numpy as np
import pytest

import corten.mujoco as corten

SCENES = pathlib.Path(__file__).parents[3] / "scenes"
# Volumes of collision and of signed distances are our own; what they are for is equal.
OWN_NUMBERS = {"bvh_aabb", "bvh_child", "bvh_depth", "bvh_nodeid", "oct_aabb", "oct_child", "oct_coeff", "oct_depth"}
MODELS = sorted(p for p in SCENES.glob("*.xml") if "cortenforge:" not in p.read_text(encoding="utf-8"))


def loads(path):
    """Whether both engines load a scene."""
    try:
        return mujoco.MjModel.from_xml_path(str(path)), corten.MjModel.from_xml_path(str(path))
    except ValueError:
        return None


def walk(engine, model, steps=20):
    data = engine.MjData(model)
    for _ in range(steps):
        engine.mj_step(model, data)
    return np.concatenate([data.qpos, data.qvel, data.act, data.sensordata, [data.time]])


@pytest.mark.parametrize("path", MODELS, ids=lambda p: p.stem)
def test_files_of_either_are_read_by_both(path, tmp_path):
    pair = loads(path)
    if pair is None:
        pytest.skip("only one of the two loads this scene")
    theirs, ours = pair
    there, here = str(tmp_path / "there.mjb"), str(tmp_path / "here.mjb")
    mujoco.mj_saveModel(theirs, there)
    corten.mj_saveModel(ours, here)
    # MuJoCo's file comes back byte for byte.
    read = corten.MjModel.from_binary_path(there)
    again = np.zeros(corten.mj_sizeModel(read), np.uint8)
    corten.mj_saveModel(read, None, again)
    assert again.tobytes() == pathlib.Path(there).read_bytes()
    # Our file is the same model in MuJoCo.
    loaded = mujoco.MjModel.from_binary_path(here)
    assert mujoco.mj_sizeModel(loaded) == corten.mj_sizeModel(ours) == pathlib.Path(here).stat().st_size
    assert (loaded.narena, loaded.nbuffer) == (ours.narena, ours.nbuffer) == (theirs.narena, theirs.nbuffer)
    np.testing.assert_array_equal(walk(corten, corten.MjModel.from_binary_path(here)), walk(corten, ours))
    np.testing.assert_array_equal(walk(mujoco, mujoco.MjModel.from_binary_path(there)), walk(mujoco, theirs))
    for name in ours._array_fields:
        if hasattr(loaded, name) and name not in OWN_NUMBERS:
            np.testing.assert_array_equal(getattr(loaded, name), getattr(ours, name), err_msg=name)
    mujoco.mj_forward(loaded, mujoco.MjData(loaded))


TEXT = """<mujoco><worldbody><body name="a"><joint name="j"/><geom size="1"/></body></worldbody>
<keyframe><key qpos="1"/></keyframe></mujoco>"""


def test_hostile_files_are_refused():
    model = corten.MjModel.from_xml_string(TEXT)
    file = model.to_mjb()
    rng = np.random.default_rng(0)

    def attempt(content):
        try:
            m = corten.MjModel.from_binary_path("x.mjb", {"x.mjb": bytes(content)})
        except ValueError:
            return False
        corten.mj_step(m, corten.MjData(m))
        return True

    assert attempt(file)
    for end in rng.integers(0, len(file), 50):
        assert not attempt(file[:end])
    assert not attempt(file + b"\0")
    for _ in range(300):
        damaged = bytearray(file)
        damaged[rng.integers(len(damaged))] ^= 1 << rng.integers(8)
        try:
            attempt(damaged)
        except (corten.FatalError, MemoryError, RuntimeError):
            pass


def test_what_mujoco_lacks_is_not_lost_in_silence(tmp_path):
    model = corten.MjModel.from_xml_string(TEXT)
    model.geom_compliance[0] = 1e3, 0
    with pytest.raises(corten.FatalError, match="geom_compliance.*save the model as .cfa"):
        corten.mj_saveModel(model, str(tmp_path / "m.mjb"))
    corten.mj_saveModel(model, str(tmp_path / "m.cfa"))
    assert corten.MjModel.from_binary_path(str(tmp_path / "m.cfa")).geom_compliance[0, 0] == 1e3


def test_other_versions_are_named(tmp_path):
    file = bytearray(corten.MjModel.from_xml_string(TEXT).to_mjb())
    file[8] += 1
    with pytest.raises(ValueError, match="another version of MuJoCo than 3.4.0"):
        corten.MjModel.from_binary_path("x", {"x": bytes(file)})


def test_by_its_name_like_any_model(tmp_path):
    path = str(tmp_path / "m.mjb")
    corten.mj_saveModel(corten.MjModel.from_xml_string(TEXT), path)
    assert corten.MjModel.from_xml_path(path).nq == 1
