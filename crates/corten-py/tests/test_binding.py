"""The layer between Python and the engine: attributes of classes, identity of objects, lists of structs, text as bytes."""
import copy
import gc
import pickle
import weakref

import corten.mujoco as corten
import numpy as np
import pytest

BOX = """<mujoco><option cone="elliptic"/><worldbody><geom name="floor" type="plane" size="1 1 1"/>
<body name="box" pos="0 0 .09"><freejoint name="free"/><geom name="g" type="box" size=".1 .1 .1"/></body></worldbody>
<keyframe><key/></keyframe></mujoco>"""


@pytest.fixture
def simulation():
    m = corten.MjModel.from_xml_string(BOX)
    d = corten.MjData(m)
    corten.mj_forward(m, d)
    return m, d


def public(cls):
    return {n for n in dir(cls) if not n.startswith("_")}


def test_classes_know_their_fields():
    mujoco = pytest.importorskip("mujoco")
    for name in ("MjModel", "MjData", "MjOption", "MjContact", "MjsGeom", "MjsBody", "MjsJoint", "MjsActuator", "MjWarningStat"):
        missing = public(getattr(mujoco, name)) - public(getattr(corten, name))
        # Plugins have a place of their own.
        assert not {n for n in missing if "plugin" not in n}, name
    for name in ("nq", "qpos0", "names"):
        assert getattr(corten.MjModel, name).__name__ == name
    assert corten.MjData.qM.__name__ == "qM" and corten.MjsGeom.size.__name__ == "size"


def test_fields_are_the_same_object_at_each_access(simulation):
    m, d = simulation
    for name in ("names", "paths", "qpos0", "geom_size", "opt", "vis", "stat"):
        assert getattr(m, name) is getattr(m, name), name
    for name in ("qpos", "qM", "ten_J", "ten_J_colind", "bvh_active", "plugin", "energy", "solver_niter", "contact", "warning",
                 "solver", "timer", "efc_J", "plugin_data", "maxuse_threadstack"):
        assert getattr(d, name) is getattr(d, name), name
    assert d.geom("g") is d.geom(1) is d.geom(np.int64(1)) is d.geom(b"g")
    assert d.geom("g").xpos is d.geom(1).xpos and m.geom("g").size is m.geom(1).size
    # Weak references live as long as the simulation.
    reference = weakref.ref(d.qM)
    corten.mj_step(m, d)
    assert reference() is d.qM
    with pytest.raises(AttributeError):
        m.nq = 3
    with pytest.raises(AttributeError):
        d.unknown = 3


def test_views_outlive_the_simulation():
    m = corten.MjModel.from_xml_string(BOX)
    d = corten.MjData(m)
    corten.mj_forward(m, d)
    held = d.geom("g"), d.contact, d.qpos, m.geom("g"), d.contact[0], d.contact[:1]
    _ = len(d.contact)
    del d, m
    assert held[0].xpos.shape == (3,) and held[3].size.shape == (3,) and held[2].shape == (7,)
    assert held[4].pos.shape == (3,) and len(held[5]) == 1 and len(held[1]) == 4


def test_nothing_keeps_a_simulation_but_its_user():
    """Views, lists and named access make no cycles: memory is freed without the collector."""
    m = corten.MjModel.from_xml_string("<mujoco><worldbody><body name='b'><geom size='1'/></body></worldbody></mujoco>")
    d = corten.MjData(m)
    _ = d.body("b").xpos, m.body("b").mass, d.contact, m.opt.timestep, d.warning[0].number
    dead = weakref.ref(d), weakref.ref(m)
    gc.disable()
    try:
        del d
        assert dead[0]() is None
        del m
        assert dead[1]() is None
    finally:
        gc.enable()


def test_lists(simulation):
    m, d = simulation
    part = d.contact[:2]
    assert type(part) is type(d.contact) and len(part) == 2 and part.geom1.shape == (2,)
    np.testing.assert_array_equal(d.contact[::-1].pos, d.contact.pos[::-1])
    assert d.contact[0] == d.contact[0] and d.contact[0] != d.contact[1] and d.contact != d.warning and d.contact != 5
    other = corten.MjData(m)
    corten.mj_forward(m, other)
    assert d.contact == other.contact and d.contact != other.contact[:2] and d.warning == other.warning
    for duplicate in (copy.copy(d.contact[0]), copy.deepcopy(d.contact[0]), pickle.loads(pickle.dumps(d.contact[0]))):
        assert duplicate == d.contact[0]
        duplicate.dist = 7.0
        assert d.contact[0].dist != 7.0
    for duplicate in (copy.copy(d.contact), copy.deepcopy(d.contact), pickle.loads(pickle.dumps(d.contact))):
        assert duplicate == d.contact
        duplicate.dist[:] = 7.0
        assert d.contact.dist[0] != 7.0
    d.contact[0] = d.contact[1]
    assert d.contact[0] == d.contact[1]
    assert isinstance(d.contact[0], corten.MjContact)
    assert [c.dim for c in d.contact] == list(d.contact.dim)


def test_hessians_of_contacts_can_be_written(simulation):
    m, d = simulation
    for i, contact in enumerate(d.contact):
        contact.H = np.full(36, float(i))
    np.testing.assert_array_equal(d.contact.H[:, 0], [0, 1, 2, 3])
    np.testing.assert_array_equal(d.contact[1:3].H[:, 0], [1, 2])
    corten.mj_forward(m, d)
    assert not np.array_equal(d.contact.H[:, 0], [0, 1, 2, 3])
    own = corten.MjContact()
    own.H[3] = 1
    assert own != corten.MjContact()


def test_text_as_bytes():
    m = corten.MjModel.from_xml_string(BOX.encode())
    assert corten.mj_name2id(m, corten.mjtObj.mjOBJ_BODY, b"box") == 1
    assert corten.mju_str2Type(b"geom") == corten.mju_str2Type("geom")
    assert m.body(b"box").id == 1
    with pytest.raises(ValueError, match="UTF-8"):
        m.body(b"\xff")


OBJ = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"


@pytest.mark.parametrize("key, file, folder", [
    ("A.obj", "A.obj", "sub"), ("A.obj", "sub/A.obj", ""), ("A.obj", "a.obj", ""), ("A.obj", "a.obj", "sub"),
    ("sub/a.obj", "a.obj", ""), ("t/a.obj", "t/a.obj", "sub"), ("sub/a.obj", "a.obj", "../sub")])
def test_assets_are_found_by_their_last_name_in_lower_case(key, file, folder):
    xml = f"<mujoco><compiler meshdir='{folder}'/><asset><mesh name='m' file='{file}'/></asset></mujoco>"
    for module in (pytest.importorskip("mujoco"), corten):
        assert module.MjModel.from_xml_string(xml, {key: OBJ}).nmeshvert == 4


def test_repeated_assets_are_refused():
    with pytest.raises(ValueError, match="Repeated"):
        corten.MjModel.from_xml_string("<mujoco/>", {"asset.xml": b"1", "path/asset.xml": b"2"})


def test_warnings_go_to_whoever_asked_for_them():
    m = corten.MjModel.from_xml_string("<mujoco><worldbody><body><joint/><geom size='1'/></body></worldbody></mujoco>")
    d = corten.MjData(m)
    heard = []
    corten.set_mju_user_warning(heard.append)
    try:
        assert corten.get_mju_user_warning() is not None
        d.qpos[0] = np.nan
        corten.mj_step(m, d)
    finally:
        corten.set_mju_user_warning(None)
    assert len(heard) == 1 and "MjData.warning" in heard[0]
    with pytest.raises(TypeError, match="Optional"):
        corten.set_mjcb_control(3)


def test_errors_are_mujocos():
    m = corten.MjModel.from_xml_string(BOX)
    d = corten.MjData(m)
    with pytest.raises(corten.FatalError, match=r"mj_setKeyframe: index must be smaller than 1"):
        corten.mj_setKeyframe(m, d, 1)
    with pytest.raises(TypeError, match="No constructor defined"):
        corten.MjModel()


def test_every_function_has_a_docstring():
    silent = [n for n in dir(corten) if n.startswith(("mj_", "mju_", "mjd_", "set_mj", "get_mj")) and not getattr(corten, n).__doc__]
    assert not silent


def test_schema_dependencies_and_skins(tmp_path):
    assert "mujoco" in corten.mj_printSchema(False, False) and "<table>" in corten.mj_printSchema(True, True)
    (tmp_path / "meshes").mkdir()
    (tmp_path / "part.xml").write_text("<mujoco><asset><mesh file='b.obj'/></asset></mujoco>")
    main = tmp_path / "main.xml"
    main.write_text("<mujoco><compiler meshdir='meshes'/><asset><mesh file='a.obj'/></asset><include file='part.xml'/></mujoco>")
    found = corten.mju_getXMLDependencies(str(main))
    assert found == [str(main), str(tmp_path / "meshes/a.obj"), str(tmp_path / "part.xml"), str(tmp_path / "meshes/b.obj")]
    vertices = np.array([[0, 0, 1], [1, 0, 1], [0, 1, 1]], np.float32)
    nearest = np.zeros(1, np.int32)
    distance = corten.mju_raySkin(1, 3, np.array([[0, 1, 2]]), vertices, [0.6, 0.2, 0], [0, 0, 1], nearest)
    assert distance == pytest.approx(1.0) and nearest[0] == 1
    assert corten.mju_raySkin(1, 3, np.array([[0, 1, 2]]), vertices, [2, 2, 0], [0, 0, 1], nearest) == -1


def test_modules_that_others_look_into():
    from corten.mujoco import _enums, _functions, _specs, _structs
    assert _enums.mjtObj is corten.mjtObj and _structs._MjContactList is type(corten.MjData(corten.MjSpec().compile()).contact)
    assert _functions.mj_step is corten.mj_step and _specs.MjSpec is corten.MjSpec
    with pytest.raises(AttributeError):
        _structs.no_such_thing


def test_room_for_contacts_and_rows():
    d = corten.MjData(corten.MjSpec().compile())
    corten._functions._realloc_con_efc(d, ncon=13, nefc=17, nJ=21)
    assert len(d.contact) == 13 and d.efc_id.shape == (17,) and d.efc_J.shape == (21,) and d.efc_KBIP.shape == (17, 4)
    with pytest.raises(corten.FatalError, match="Insufficient arena memory"):
        corten._functions._realloc_con_efc(d, 100000000, 100000000)
    assert len(d.contact) == 0 and d.nefc == 0
