"""Scenes, cameras, perturbations and selection, compared with MuJoCo's."""
import copy
import importlib.util
import pathlib
import pickle

import mujoco
import numpy as np
import pytest

import corten.mujoco as corten

ROOT = pathlib.Path(__file__).resolve().parents[3]
SCENES = sorted(p for p in [*(ROOT / "scenes").glob("*.xml"), *(ROOT / "scenes" / "flex").glob("*.xml")])

_spec = importlib.util.spec_from_file_location("compare_scenes", ROOT / "tools" / "compare_scenes.py")
compare_scenes = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(compare_scenes)

DRAWN = """
<mujoco>
  <visual><map force="0.1"/></visual>
  <asset>
    <texture name="t" type="2d" builtin="checker" rgb1="0 0 0" rgb2="1 1 1" width="32" height="32"/>
    <material name="grid" texture="t" texrepeat="2 3" reflectance="0.2"/>
    <mesh name="m" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/>
  </asset>
  <worldbody>
    <light pos="0 0 3" dir="0 0.1 -1"/>
    <light type="directional" dir="1 0 -1" castshadow="false"/>
    <camera name="c" pos="2 0 1" xyaxes="0 1 0 -1 0 2"/>
    <camera name="intrinsic" pos="0 2 1" sensorsize="0.02 0.01" resolution="640 480" focal="0.01 0.02" principal="0.001 0.002"/>
    <geom name="floor" type="plane" size="0 0 .1" material="grid"/>
    <geom type="mesh" mesh="m" pos="3 0 0"/>
    <site name="high" pos="0 0 2"/>
    <site name="ray" pos="0.2 0 3" zaxis="0 0 -1"/>
    <body name="a" pos="0 0 0.2">
      <freejoint/>
      <geom name="box" type="box" size=".2 .1 .21"/>
      <site name="on" pos=".1 0 .1"/>
      <body pos="0 0 .5"><joint name="h" axis="0 1 0" range="-10 10"/><geom type="capsule" size=".05 .2"/><site name="tip" pos="0 0 .3"/></body>
    </body>
    <body name="mocap" mocap="true" pos="1 1 1"><geom size=".1" contype="0" conaffinity="0"/></body>
  </worldbody>
  <tendon><spatial name="string" limited="true" range="0 4"><site site="high"/><site site="on"/></spatial></tendon>
  <equality><connect body1="a" body2="mocap" anchor="0 0 0" active="true"/></equality>
  <actuator><motor name="motor" joint="h" ctrlrange="-1 1"/><general site="tip" gear="1 0 0 0 0 0"/></actuator>
  <sensor><rangefinder site="ray"/></sensor>
</mujoco>
"""


@pytest.mark.parametrize("path", SCENES, ids=lambda p: p.stem)
def test_scenes_equal_mujocos(path):
    assert compare_scenes.compare(path, steps=20, maxgeom=5000) == {}


def test_every_kind_of_decoration_equals_mujocos(tmp_path):
    path = tmp_path / "drawn.xml"
    path.write_text(DRAWN)
    assert compare_scenes.compare(path, steps=60, maxgeom=2000) == {}


def both(xml=DRAWN, steps=30):
    """The two engines with models, data in the same state, and scenes."""
    made = []
    for mj in (mujoco, corten):
        m = mj.MjModel.from_xml_string(xml)
        d = mj.MjData(m)
        made.append((mj, m, d, mj.MjvScene(m, 1000), mj.MjvCamera(), mj.MjvOption(), mj.MjvPerturb()))
    real, own = made
    for _ in range(steps):
        mujoco.mj_step(real[1], real[2])
    own[2].qpos[:], own[2].qvel[:] = real[2].qpos, real[2].qvel
    for mj, m, d, scene, cam, opt, pert in made:
        mj.mj_forward(m, d)
        mj.mjv_defaultFreeCamera(m, cam)
        mj.mjv_updateScene(m, d, opt, pert, cam, 7, scene)
    return made


def same(*pair, tolerance=1e-9):
    np.testing.assert_allclose(pair[1], pair[0], atol=tolerance, rtol=tolerance)


@pytest.mark.parametrize("action", range(1, 8))
def test_cameras_and_models_move_as_mujocos(action):
    made = both()
    for mj, m, d, scene, cam, opt, pert in made:
        mj.mjv_moveCamera(m, action, 0.1, -0.07, scene, cam)
        scene.enabletransform = 1
        scene.translate[:] = 0.1, 0.2, 0.3
        mj.mjv_moveModel(m, action, 0.1, -0.07, np.array([0.0, 0, 1]), scene)
    (_, _, _, scene, cam, *_), (_, _, _, own_scene, own_cam, *_) = made
    for name in ("lookat", "distance", "azimuth", "elevation"):
        same(getattr(cam, name), getattr(own_cam, name))
    for name in ("translate", "rotate", "scale"):
        same(getattr(scene, name), getattr(own_scene, name), tolerance=1e-6)


@pytest.mark.parametrize("action", range(1, 8))
@pytest.mark.parametrize("paused", [0, 1])
def test_perturbations_equal_mujocos(action, paused):
    made = both()
    for mj, m, d, scene, cam, opt, pert in made:
        pert.select = 2
        pert.localpos = 0.01, 0.02, 0.03
        mj.mjv_initPerturb(m, d, scene, pert)
        pert.active = 3
        mj.mjv_movePerturb(m, d, action, 0.3, 0.2, scene, pert)
        mj.mjv_applyPerturbPose(m, d, pert, paused)
        mj.mjv_applyPerturbForce(m, d, pert)
    (_, _, d, _, _, _, pert), (_, _, own_d, _, _, _, own) = made
    for name in ("refpos", "refquat", "refselpos", "localmass", "scale"):
        same(getattr(pert, name), getattr(own, name), tolerance=1e-6)
    same(d.qpos, own_d.qpos, tolerance=1e-6)
    same(d.xfrc_applied, own_d.xfrc_applied, tolerance=1e-5)


def test_mocap_bodies_follow_a_perturbation():
    made = both()
    for mj, m, d, scene, cam, opt, pert in made:
        pert.select = 3
        mj.mjv_initPerturb(m, d, scene, pert)
        pert.active = 1
        mj.mjv_movePerturb(m, d, 3, 0.1, 0.1, scene, pert)
        mj.mjv_applyPerturbPose(m, d, pert, 0)
    same(made[0][2].mocap_pos, made[1][2].mocap_pos, tolerance=1e-6)
    assert abs(made[1][2].mocap_pos - 1).max() > 0.01


def test_selection_equals_mujocos():
    made = both()
    found = []
    for mj, m, d, scene, cam, opt, pert in made:
        hits = []
        cam.lookat[:], cam.distance, cam.elevation = (0, 0, 0.4), 1.6, -15
        mj.mjv_updateScene(m, d, opt, pert, cam, 7, scene)
        for x in np.linspace(0.05, 0.95, 9):
            for y in np.linspace(0.05, 0.95, 9):
                point, ids = np.zeros(3), [np.zeros(1, np.int32) for _ in range(3)]
                body = mj.mjv_select(m, d, opt, 1.5, x, y, scene, point, *ids)
                hits.append([body, *(int(i[0]) for i in ids), *(point if body >= 0 else np.zeros(3))])
        found.append(np.array(hits))
    assert len({tuple(hit[:2]) for hit in found[0].tolist()}) > 2, "several things are hit"
    same(*found, tolerance=1e-6)


def test_cameras_in_room_and_model():
    results = []
    for mj, m, d, scene, cam, opt, pert in both():
        scene.enabletransform = 1
        scene.translate[:], scene.rotate[:], scene.scale = (1, 2, 3), (0.6, 0.8, 0, 0), 2
        out = [np.zeros(3) for _ in range(3)]
        mj.mjv_cameraInModel(*out, scene)
        room = [np.zeros(3) for _ in range(3)]
        mj.mjv_cameraInRoom(*room, scene)
        pos, quat, back, turn = np.zeros(3), np.zeros(4), np.zeros(3), np.zeros(4)
        mj.mjv_room2model(pos, quat, np.array([0.1, 0.2, 0.3]), np.array([0.8, 0, 0.6, 0]), scene)
        mj.mjv_model2room(back, turn, pos, quat, scene)
        aligned = np.zeros(3)
        mj.mjv_alignToCamera(aligned, np.array([1.0, 2, 3]), np.array([0.3, 0.4, 5]))
        cam.type, cam.fixedcamid = 2, 1
        frame = [np.zeros(3) for _ in range(4)]
        mj.mjv_cameraFrame(*frame, d, cam)
        frustum = [np.zeros(2, np.float32) for _ in range(3)]
        mj.mjv_cameraFrustum(*frustum, m, cam)
        mean = mj.mjv_averageCamera(scene.camera[0], scene.camera[1])
        results.append(np.concatenate([*out, *room, pos, quat, back, turn, aligned, *frame, *frustum, mean.pos, mean.forward,
                                       mean.up, [mj.mjv_frustumHeight(scene)]]))
    same(*results, tolerance=1e-6)


def test_structs_look_like_mujocos():
    for name in ("MjvCamera", "MjvOption", "MjvPerturb", "MjvGeom", "MjvLight", "MjvGLCamera", "MjvFigure", "MjvScene"):
        real, own = getattr(mujoco, name), getattr(corten, name)
        fields = [f for f in dir(real) if not f.startswith("_")]
        assert fields == [f for f in dir(own) if not f.startswith("_")]
        a, b = real(), own()
        for field in fields:
            x, y = getattr(a, field), getattr(b, field)
            assert np.shape(x) == np.shape(y) and type(x) in (type(y), tuple), (name, field)
            if isinstance(x, np.ndarray):
                assert x.dtype == y.dtype
            if not isinstance(x, tuple):
                np.testing.assert_array_equal(x, y, err_msg=f"{name}.{field}")
        if name not in ("MjvScene", "MjvFigure"):
            assert repr(a) == repr(b)
        assert own() == own() and copy.copy(b) == b and pickle.loads(pickle.dumps(b)) == b and (own() != 3)


def test_structs_are_memory():
    geom = corten.MjvGeom()
    geom.label = "abc"
    assert geom.label == "abc" and geom.rgba is geom.rgba
    with pytest.raises(ValueError, match="cannot exceed 99"):
        geom.label = "x" * 100
    with pytest.raises(AttributeError):
        geom.nothing = 1
    with pytest.raises(ValueError):
        geom.rgba = [1, 2, 3]
    with pytest.raises(TypeError):
        geom.type = "box"
    other = copy.deepcopy(geom)
    other.rgba[0] = 0.9
    assert geom.rgba[0] == 0.5 and geom != other


def test_users_add_geoms():
    for mj, m, d, scene, cam, opt, pert in both():
        before = scene.ngeom
        geom = scene.geoms[before]
        mj.mjv_initGeom(geom, int(mj.mjtGeom.mjGEOM_SPHERE), np.array([0.1, 0, 0]), np.ones(3), np.eye(3).ravel(), np.ones(4, np.float32))
        mj.mjv_connector(scene.geoms[before + 1], int(mj.mjtGeom.mjGEOM_CAPSULE), 0.05, np.zeros(3), np.array([0, 1.0, 1]))
        scene.ngeom += 2
        mj.mjv_addGeoms(m, d, opt, pert, 7, scene)
        assert scene.ngeom == 2 * before + 2
        assert scene.geoms[before].size[1] == np.float32(0.1) and scene.geoms[before + 1].type == 3


def test_what_cannot_be_is_said():
    _, (mj, m, d, scene, cam, opt, pert) = both()
    cam.type, cam.fixedcamid = 2, 99
    with pytest.raises(corten.FatalError, match="camera id"):
        mj.mjv_updateCamera(m, d, cam, scene)
    with pytest.raises(corten.FatalError, match="mouse"):
        mj.mjv_moveCamera(m, 77, 0, 0, scene, corten.MjvCamera())
    with pytest.raises(corten.FatalError, match="connector"):
        mj.mjv_connector(corten.MjvGeom(), 6, 0.1, np.zeros(3), np.ones(3))
    with pytest.raises(TypeError, match="MjvOption"):
        mj.mjv_updateScene(m, d, pert, pert, corten.MjvCamera(), 7, scene)
    small = corten.MjvScene(m, 3)
    mj.mjv_updateScene(m, d, opt, None, corten.MjvCamera(), 7, small)
    assert small.ngeom == 3 and small.status == 1 and d.warning[int(mj.mjtWarning.mjWARN_VGEOMFULL)].number == 1
    flexible = corten.MjModel.from_xml_path(str(next(p for p in SCENES if p.parent.name == "flex")))
    with pytest.raises(corten.FatalError, match="make the scene for this model"):
        mj.mjv_updateScene(flexible, corten.MjData(flexible), opt, None, corten.MjvCamera(), 7, scene)
