"""Editing of specs: the same edits in MuJoCo give the same model."""
import io
import gc

import numpy as np
import pytest

import corten.mujoco as corten
from scenes import EVERYTHING

mujoco = pytest.importorskip("mujoco")
BOTH = [mujoco, corten]
IDS = ["mujoco", "corten"]


def same(want, found, tolerance=1e-9, but=()):
    """Whether two compiled models agree in every array, with exceptions."""
    for size in found._size_fields:
        if size not in ("nbuffer", *but) and hasattr(want, size):
            assert getattr(found, size) == getattr(want, size), size
    for name in found._array_fields:
        a, b = getattr(want, name), getattr(found, name)
        if name in but:
            continue
        # Hulls and bounding volumes may be numbered otherwise.
        if isinstance(a, bytes) or "bvh" in name or name.startswith(("mesh_graph", "mesh_poly", "mesh_face")):
            continue
        np.testing.assert_allclose(b, a, rtol=tolerance, atol=tolerance, err_msg=name)
    assert found.names == want.names


def build(function):
    """Runs an edit in both packages, compares the models, and returns what it gave here."""
    results = [function(mj) for mj in BOTH]
    models = [r if hasattr(r, "nq") else r.compile() for r in results]
    same(*models)
    return models[1]


def robot(mj):
    s = mj.MjSpec()
    s.modelname = "robot"
    s.option.timestep = 0.004
    s.option.gravity[2] = -3
    s.compiler.degree = 0
    s.stat.meansize = 0.3
    s.visual.global_.fovy = 30
    s.visual.headlight.ambient[:] = 0.25
    s.nuserdata = 4
    red = s.add_default("red", s.default)
    red.geom.rgba = [1, 0, 0, 1]
    red.joint.damping = 0.5
    s.worldbody.add_geom(name="floor", type=mj.mjtGeom.mjGEOM_PLANE, size=[5, 5, 0.1])
    s.worldbody.add_light(name="sun", pos=[0, 0, 5], dir=[0, 0.1, -1])
    s.worldbody.add_camera(name="eye", pos=[0, -3, 1], euler=[1.2, 0, 0], fovy=60)
    torso = s.worldbody.add_body(name="torso", pos=[0, 0, 1], userdata=[1, 2])
    torso.add_freejoint(name="root")
    torso.add_geom(name="trunk", type=mj.mjtGeom.mjGEOM_CYLINDER, fromto=[0, 0, -0.2, 0, 0, 0.2], size=[0.1, 0, 0])
    torso.add_site(name="imu", pos=[0, 0, 0.1], zaxis=[0, 1, 1])
    for i, side in enumerate((-1, 1)):
        leg = torso.add_body(name=f"leg{i}", pos=[0, 0.15 * side, -0.2], childclass="red")
        hip = leg.add_joint(name=f"hip{i}", axis=[0, 1, 0], range=[-1, 1])
        hip.stiffness = 2.0
        leg.add_geom(name=f"thigh{i}", type=mj.mjtGeom.mjGEOM_BOX, size=[0.05, 0.05, 0.2], pos=[0, 0, -0.2])
        foot = leg.add_frame(pos=[0, 0, -0.4], axisangle=[0, 0, 1, 0.3])
        ankle = foot.add_body(name=f"foot{i}")
        ankle.add_joint(red, name=f"ankle{i}", axis=[1, 0, 0])
        ankle.add_geom(red, name=f"sole{i}", type=mj.mjtGeom.mjGEOM_ELLIPSOID, size=[0.1, 0.05, 0.03])
        foot.add_site(name=f"heel{i}", pos=[-0.05, 0, 0])
        motor = s.add_actuator(name=f"motor{i}", target=f"hip{i}", trntype=mj.mjtTrn.mjTRN_JOINT)
        motor.gainprm[0] = 10
        motor.ctrlrange = [-1, 1]
        servo = s.add_actuator(name=f"servo{i}", target=f"ankle{i}", trntype=mj.mjtTrn.mjTRN_JOINT)
        servo.set_to_position(kp=5, kv=1, timeconst=0.1)
    muscle = s.add_actuator(name="muscle", target="cord", trntype=mj.mjtTrn.mjTRN_TENDON, lengthrange=[0.1, 1])
    muscle.gaintype = mj.mjtGain.mjGAIN_AFFINE
    cord = s.add_tendon(name="cord", stiffness=1.0, range=[0, 2])
    cord.wrap_site("heel0")
    cord.wrap_geom("trunk", "imu")
    cord.wrap_site("heel1")
    coupling = s.add_tendon(name="coupling")
    coupling.wrap_joint("hip0", 1.5)
    coupling.wrap_joint("hip1", -1.0)
    s.add_sensor(name="gyro", type=mj.mjtSensor.mjSENS_GYRO, objtype=mj.mjtObj.mjOBJ_SITE, objname="imu")
    s.add_sensor(name="angle", type=mj.mjtSensor.mjSENS_JOINTPOS, objtype=mj.mjtObj.mjOBJ_JOINT, objname="hip0", cutoff=2)
    s.add_equality(name="mirror", type=mj.mjtEq.mjEQ_JOINT, name1="hip0", name2="hip1", objtype=mj.mjtObj.mjOBJ_JOINT)
    s.add_exclude(name="apart", bodyname1="leg0", bodyname2="leg1")
    s.add_pair(name="touch", geomname1="sole0", geomname2="floor", condim=4)
    s.add_numeric(name="gains", data=[1, 2, 3], size=3)
    s.add_text(name="note", data="hello")
    s.add_tuple(name="group", objtype=[mj.mjtObj.mjOBJ_BODY] * 2, objname=["leg0", "leg1"], objprm=[1, 2])
    s.add_key(name="home", time=2.0, qpos=[0, 0, 1, 1, 0, 0, 0, 0.1, 0.2, -0.1, -0.2])
    return s


def test_a_robot_from_nothing():
    m = build(robot)
    assert m.nu == 5 and m.nbody == 6
    assert m.opt.gravity[2] == -3 and m.stat.meansize == 0.3


def test_the_text_of_a_spec_gives_the_same_model():
    spec = robot(corten)
    text = spec.to_xml()
    same(mujoco.MjModel.from_xml_string(text), corten.MjSpec.from_string(text).compile())
    same(mujoco.MjModel.from_xml_string(robot(mujoco).to_xml()), corten.MjModel.from_xml_string(text), 1e-5)


def test_meshes_and_textures_from_arrays():
    def edit(mj):
        s = mj.MjSpec()
        mesh = s.add_mesh(name="tetra")
        mesh.uservert = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]).ravel()
        mesh.userface = [0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2]
        s.worldbody.add_geom(type=mj.mjtGeom.mjGEOM_MESH, meshname="tetra", material="paint")
        s.add_hfield(name="hills", size=[1, 1, 1, 0.1], nrow=2, ncol=3, userdata=[0, 1, 0, 1, 0, 1])
        s.worldbody.add_geom(type=mj.mjtGeom.mjGEOM_HFIELD, hfieldname="hills", pos=[0, 0, -3])
        texture = s.add_texture(name="check", type=mj.mjtTexture.mjTEXTURE_2D, width=2, height=2, nchannel=3)
        texture.data = bytes(range(12))
        paint = s.add_material(name="paint", rgba=[1, 1, 0, 1])
        paint.textures[mj.mjtTextureRole.mjTEXROLE_RGB] = "check"
        paint.texrepeat = [2, 3]
        return s
    m = build(edit)
    assert m.nmesh == 1 and m.nhfield == 1 and m.mat_texid[0].max() == 0


def test_builtin_meshes():
    def edit(mj):
        s = mj.MjSpec()
        s.add_mesh(name="ball").make_sphere(subdivision=2)
        s.add_mesh(name="half").make_hemisphere(resolution=3)
        for name in ("ball", "half"):
            body = s.worldbody.add_body(name=name)
            body.add_geom(type=mj.mjtGeom.mjGEOM_MESH, meshname=name)
        return s
    build(edit)


def test_values_read_back():
    for mj in BOTH:
        s = mj.MjSpec()
        body = s.worldbody.add_body()
        assert body.name == "" and body.quat.tolist() == [1, 0, 0, 0]
        body.name = "one"
        body.pos = [4, 2, 3]
        assert body.pos.shape == (3,) and body.pos.dtype == np.float64
        body.pos[0] = 1
        assert body.pos.tolist() == [1, 2, 3]
        view = body.pos
        view += 1
        np.multiply(view, 2, out=view)
        assert body.pos.tolist() == [4, 6, 8] and s.compile().body_pos[1].tolist() == [4, 6, 8]
        view[1:] = 0
        assert s.compile().body_pos[1].tolist() == [4, 0, 0]
        site = body.add_site(name="s", type=mj.mjtGeom.mjGEOM_BOX, userdata=[7, 2])
        assert site.type == mj.mjtGeom.mjGEOM_BOX and isinstance(site.type, mj.mjtGeom)
        site.userdata[0] = 1
        assert list(site.userdata) == [1, 2] and s.compile().site_user[0].tolist() == [1, 2]
        site.userdata = [3, 4, 5]
        assert list(site.userdata) == [3, 4, 5]
        geom = body.add_geom()
        assert np.isnan(geom.mass) and np.isnan(geom.fromto[0]) and geom.rgba.dtype == np.float32
        assert list(s.compiler.eulerseq) == ["x", "y", "z"]
        s.compiler.eulerseq = ["z", "y", "x"]
        s.compiler.eulerseq[0] = "y"
        assert "".join(s.compiler.eulerseq) == "yyx"
        with pytest.raises(IndexError):
            s.compiler.eulerseq[3] = "x"
        assert s.option.timestep == 0.002 and np.isnan(s.stat.extent)


def test_every_attribute_of_every_element():
    """Names, types and defaults of all elements are MuJoCo's."""
    left_out = {"plugin", "signature", "info", "id", "needsdf", "classname", "parent", "frame", "alt", "ialt", "path"}

    def elements(mj):
        s = mj.MjSpec()
        b = s.worldbody.add_body(name="b")
        yield "body", b
        for kind in ("geom", "joint", "site", "camera", "light", "frame"):
            yield kind, getattr(b, f"add_{kind}")()
        for kind in ("mesh", "hfield", "flex", "skin", "texture", "material", "pair", "exclude", "equality", "tendon", "actuator",
                     "sensor", "numeric", "text", "tuple", "key", "plugin"):
            yield kind, getattr(s, f"add_{kind}")()
        yield "compiler", s.compiler
        yield "option", s.option
        yield "spec", s

    for (kind, want), (_, found) in zip(elements(mujoco), elements(corten)):
        for name in dir(want):
            if name.startswith("_") or name in left_out:
                continue
            if (kind, name) in {("spec", "copy_during_attach")}:
                continue
            a, b = getattr(want, name), getattr(found, name, None)
            if callable(a):
                continue
            assert hasattr(found, name) or name in ("nemax", "hasImplicitPluginElem"), (kind, name)
            if isinstance(a, np.ndarray):
                assert (b.dtype, b.shape) == (a.dtype, a.shape), (kind, name)
                np.testing.assert_array_equal(a, b, err_msg=f"{kind}.{name}")
            elif isinstance(a, (int, float, str)) and not isinstance(a, bool) and b is not None:
                assert a == b or a != a, (kind, name)
                if isinstance(a, float):
                    assert isinstance(b, float), (kind, name)


def test_methods_of_spec_and_elements():
    s, t = mujoco.MjSpec(), corten.MjSpec()
    missing = {n for n in dir(s) if not n.startswith("_")} - {n for n in dir(t)}
    assert missing <= {"hasImplicitPluginElem", "nemax"}
    a, b = s.worldbody.add_body(), t.worldbody.add_body()
    assert {n for n in dir(a) if not n.startswith("_")} <= set(dir(b))


@pytest.mark.parametrize("mj", BOTH, ids=IDS)
def test_lists_and_finders(mj):
    s = robot(mj)
    assert [b.name for b in s.bodies] == ["world", "torso", "leg0", "foot0", "leg1", "foot1"]
    assert s.body("leg1").parent is s.body("torso")
    assert s.body("nobody") is None and s.find_default("none") is None
    torso = s.body("torso")
    assert [b.name for b in torso.bodies] == ["leg0", "leg1"]
    assert torso.first_body().name == "leg0" and torso.next_body(torso.first_body()).name == "leg1"
    assert torso.next_body(s.body("leg1")) is None
    assert len(torso.find_all("geom")) == 5 and len(torso.find_all(mj.mjtObj.mjOBJ_BODY)) == 4
    assert torso.find_child("foot1").name == "foot1"
    assert s.geom("sole0").classname.name == "red" and s.geom("floor").classname.name == "main"
    assert s.joint("hip0") is s.joint("hip0") and len(s.joints) == 5
    assert s.site("heel0").frame is s.body("foot0").frame
    assert s.actuators[0].id == 0 and s.geom("floor").id == -1
    s.compile()
    assert s.geom("floor").id == 0 and s.body("leg1").id == 4
    path = s.tendon("cord").path
    assert len(path) == 3 and path[1].target is s.geom("trunk") and path[1].sidesite is s.site("imu")
    assert path[0].type == mj.mjtWrap.mjWRAP_SITE and path[0].sidesite is None
    assert s.tendon("coupling").path[0].coef == 1.5


def test_deleting():
    def edit(mj):
        s = robot(mj)
        extra = s.body("leg0").add_geom(size=[0.3, 0, 0])
        s.compile()
        extra.delete() if mj is corten else s.delete(extra)
        s.delete(s.key("home"))
        s.delete(s.tuple("group"))
        s.delete(s.body("leg1"))
        s.delete(s.sensor("angle"))
        return s
    m = build(edit)
    assert m.nbody == 4 and m.nsensor == 1


@pytest.mark.parametrize("mj", BOTH, ids=IDS)
def test_default_classes(mj):
    s = mj.MjSpec()
    red = s.add_default("red", s.default)
    assert s.add_default("red", s.default) is None
    red.geom.rgba[:] = [1, 0, 0, 1]
    red.geom.type = mj.mjtGeom.mjGEOM_BOX
    child = s.add_default("child", red)
    geom = s.worldbody.add_geom(child, size=[1, 1, 1])
    assert geom.rgba.tolist() == [1, 0, 0, 1] and geom.type == mj.mjtGeom.mjGEOM_BOX
    assert geom.classname.name == "child" and s.find_default("red").name == "red"
    geom.classname = red
    assert geom.classname.name == "red"
    s.delete(child)
    assert s.find_default("child") is None
    with pytest.raises(ValueError, match="main"):
        s.delete(s.default)


def test_frames():
    def edit(mj):
        s = mj.MjSpec()
        outer = s.worldbody.add_frame(pos=[1, 0, 0], name="outer")
        inner = outer.add_frame(euler=[0, 0, 90])
        body = inner.add_body(name="b", pos=[0, 1, 0])
        body.add_geom(size=[0.1, 0, 0])
        geom = s.worldbody.add_geom(size=[0.2, 0, 0])
        geom.set_frame(inner)
        assert geom.frame is inner and inner.frame is outer and outer.frame is None
        tool = body.add_body(name="tool", pos=[0, 0, 1])
        tool.add_geom(size=[0.3, 0, 0])
        frame = tool.to_frame()
        assert frame.pos.tolist() == [0, 0, 1]
        return s
    m = build(edit)
    assert m.nbody == 2 and m.ngeom == 3


def test_attaching_a_body():
    def edit(mj):
        parent, child = mj.MjSpec(), robot(mj)
        parent.compiler.degree = 1
        frame = parent.worldbody.add_frame(pos=[0, 0, 2], euler=[0, 0, 90])
        body = child.body("torso")
        attached = frame.attach_body(body, "a_", "_z")
        assert attached.name == "a_torso_z" and attached is body
        body.pos = [1, 1, 1]
        return parent
    m = build(edit)
    assert m.body("a_leg0_z").id == 2 and m.nu == 5


def test_attaching_a_spec():
    def edit(mj):
        parent = mj.MjSpec()
        site = parent.worldbody.add_site(name="here", pos=[1, 2, 3], quat=[0, 0, 0, 1])
        parent.worldbody.add_frame(name="there", pos=[0, 0, 5])
        child = robot(mj)
        assert parent.attach(child, site=site, prefix="one/") is not None
        assert child.parent is parent
        other = robot(mj)
        parent.attach(other, frame="there", suffix="-two")
        for wrong in ({"site": "nowhere"}, {"frame": "nowhere"}, {}, {"site": site, "frame": "there"}):
            with pytest.raises(ValueError):
                parent.attach(robot(mj), **wrong)
        return parent
    m = build(edit)
    assert m.nbody == 11 and m.nkey == 2


def test_attaching_a_frame():
    def edit(mj):
        parent, child = mj.MjSpec(), mj.MjSpec()
        base = parent.worldbody.add_body(name="base")
        base.add_geom(size=[0.1, 0, 0])
        frame = child.worldbody.add_frame(name="f", pos=[1, 0, 0])
        frame.add_body(name="in").add_geom(size=[0.1, 0, 0])
        child.worldbody.add_body(name="out").add_geom(size=[0.1, 0, 0])
        base.attach_frame(frame, "x_", "")
        return parent
    m = build(edit)
    assert m.nbody == 3


def test_copies_within_a_spec():
    def edit(mj):
        s = mj.MjSpec()
        s.copy_during_attach = True
        wheel = s.worldbody.add_body(name="wheel")
        wheel.add_joint(name="axle")
        wheel.add_geom(size=[0.1, 0, 0])
        for i in range(3):
            s.worldbody.add_frame(pos=[i + 1, 0, 0]).attach_body(wheel, "", str(i))
        return s
    m = build(edit)
    assert m.nbody == 5


@pytest.mark.parametrize("mj", BOTH, ids=IDS)
def test_recompiling_keeps_the_state(mj):
    s = robot(mj)
    m = s.compile()
    d = mj.MjData(m)
    d.ctrl[:] = np.arange(m.nu)
    mj.mj_step(m, d, 20)
    ball = s.worldbody.add_body(name="ball", pos=[3, 0, 1])
    ball.add_freejoint()
    ball.add_geom(size=[0.1, 0, 0])
    s.delete(s.tuple("group"))
    s.delete(s.body("leg0"))
    n, e = s.recompile(m, d)
    assert e.time == d.time and n.nbody == m.nbody - 1
    np.testing.assert_array_equal(e.joint("hip1").qpos, d.joint("hip1").qpos)
    np.testing.assert_array_equal(e.joint("root").qvel, d.joint("root").qvel)
    if mj is corten:
        # MuJoCo mixes up actuators when one before them was deleted.
        np.testing.assert_array_equal(e.actuator("servo1").ctrl, d.actuator("servo1").ctrl)
        np.testing.assert_array_equal(e.actuator("servo1").act, d.actuator("servo1").act)
    np.testing.assert_array_equal(e.qpos[-7:], [3, 0, 1, 1, 0, 0, 0])


@pytest.mark.parametrize("mj", BOTH, ids=IDS)
def test_binding(mj):
    s = robot(mj)
    m = s.compile()
    d = mj.MjData(m)
    mj.mj_forward(m, d)
    hips = [s.joint("hip0"), s.joint("hip1")]
    assert m.bind(s.joint("hip0")).qposadr == m.joint("hip0").qposadr
    d.bind(hips).qpos = np.array([1, 2])
    assert [float(x) for x in d.bind(hips).qpos] == [1, 2]
    assert list(m.bind([]).qposadr) == []
    np.testing.assert_array_equal(d.bind(s.body("torso")).xpos, d.body("torso").xpos)
    other = mj.MjSpec()
    other.worldbody.add_body(name="x")
    with pytest.raises(ValueError, match="does not match"):
        m.bind(other.body("x"))
    with pytest.raises(AttributeError):
        m.bind(hips).nothing


@pytest.mark.parametrize("mj", BOTH, ids=IDS)
def test_errors_say_what_is_wrong(mj):
    s = mj.MjSpec()
    with pytest.raises(TypeError, match="Invalid colour keyword argument"):
        s.worldbody.add_geom(colour=3)
    with pytest.raises(ValueError, match="size"):
        s.worldbody.add_geom(size=[1])
    with pytest.raises(ValueError, match="name should be a string"):
        s.worldbody.add_geom(name=3)
    s = mj.MjSpec()
    geom = s.worldbody.add_geom(name="twice", size=[1, 1, 1])
    with pytest.raises(AttributeError, match="no attribute 'sise'"):
        geom.sise = 3
    with pytest.raises((TypeError, ValueError)):
        geom.pos = [1, 2]
    s.worldbody.add_geom(name="twice", size=[1, 1, 1])
    with pytest.raises(ValueError, match="twice"):
        s.compile()
    with pytest.raises(ValueError):
        mj.MjSpec.from_string("<mujoco><nothing/></mujoco>")


@pytest.mark.parametrize("mj", BOTH, ids=IDS)
@pytest.mark.parametrize("value", [2**40, 2**70, -2**31 - 1, 2.5], ids=str)
def test_numbers_that_do_not_fit_are_refused(mj, value):
    s = mj.MjSpec()
    for owner, field in [(s.worldbody.add_geom(), "group"), (s.option, "iterations"), (s.visual.quality, "shadowsize"), (s, "nuserdata")]:
        before = getattr(owner, field)
        with pytest.raises(TypeError):
            setattr(owner, field, value)
        assert getattr(owner, field) == before


def test_what_was_deleted_says_so():
    s = corten.MjSpec()
    body = s.worldbody.add_body()
    geom = body.add_geom(name="g")
    held = geom.pos
    body.delete()
    with pytest.raises(ValueError, match="deleted"):
        geom.size
    held[:] = 3
    s.compile()
    with pytest.raises(ValueError, match="world"):
        s.delete(s.worldbody)


def test_copies_are_independent():
    for mj in BOTH:
        s = robot(mj)
        t = s.copy()
        t.body("torso").pos[2] = 9
        s.delete(s.body("leg0"))
        assert s.body("torso").pos[2] == 1 and len(t.bodies) == 6
        assert s._address != t._address


def test_assets_and_archives():
    obj = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n"

    def edit(mj):
        s = mj.MjSpec()
        s.assets = {"tetra.obj": obj}
        s.add_mesh(file="tetra.obj")
        s.worldbody.add_geom(type=mj.mjtGeom.mjGEOM_MESH, meshname="tetra")
        assert s.mesh("tetra") is s.meshes[0]
        return s
    build(edit)
    archive = io.BytesIO()
    edit(corten).to_zip(archive)
    archive.seek(0)
    assert corten.MjSpec.from_zip(archive).compile().nmesh == 1

    def attached(mj):
        parent = mj.MjSpec()
        parent.attach(edit(mj), frame=parent.worldbody.add_frame(), prefix="p-")
        return parent
    m = build(attached)
    assert m.nmesh == 1


def test_orientations():
    def edit(mj):
        s = mj.MjSpec()
        for i, kind in enumerate(("euler", "axisangle", "xyaxes", "zaxis")):
            value = {"euler": [10, 20, 30], "axisangle": [1, 1, 0, 40], "xyaxes": [1, 1, 0, -1, 1, 0], "zaxis": [1, 0, 1]}[kind]
            s.worldbody.add_body(name=kind, pos=[i, 0, 0], **{kind: value}).add_geom(size=[0.1, 0, 0])
        body = s.worldbody.add_body(name="set")
        body.alt.type = mj.mjtOrientation.mjORIENTATION_EULER
        body.alt.euler = [0, 0, 45]
        return s
    build(edit)
    body = corten.MjSpec().worldbody.add_body(euler=[0, 0, 90])
    quat = corten.MjSpec.resolve_orientation(degree=True, sequence=["x", "y", "z"], orientation=body.alt)
    np.testing.assert_allclose(quat, [np.sqrt(0.5), 0, 0, np.sqrt(0.5)])


def test_a_model_from_a_file_can_be_edited():
    def edit(mj):
        s = mj.MjSpec.from_string(EVERYTHING)
        s.body("arm").pos[0] = 0.1
        s.geom("box").size = [0.2, 0.2, 0.2]
        s.joint("hinge").range[:] = [-2, 2]
        s.body("hand").add_site(name="palm", pos=[0, 0, 0.1])
        s.add_sensor(name="where", type=mj.mjtSensor.mjSENS_FRAMEPOS, objtype=mj.mjtObj.mjOBJ_SITE, objname="palm")
        s.option.integrator = mj.mjtIntegrator.mjINT_IMPLICITFAST
        return s
    m = build(edit)
    assert m.opt.integrator == 3 and m.jnt_range[2].tolist() == [-2, 2] or m.nsite == 2


def test_elements_outlive_their_names():
    s = corten.MjSpec()
    body = s.worldbody.add_body(name="a")
    for _ in range(200):
        s.worldbody.add_body()
    gc.collect()
    body.pos[0] = 3
    assert s.body("a").pos[0] == 3 and s.body("a") is body


def test_a_deleted_frame_leaves_its_members_in_place():
    s = corten.MjSpec()
    frame = s.worldbody.add_frame(pos=[0, 0, 5])
    geom = s.worldbody.add_geom(size=[0.1, 0, 0])
    geom.set_frame(frame)
    s.delete(frame)
    assert not s.frames and s.compile().geom_pos[0, 2] == 5
    assert corten.MjModel.from_xml_string(s.to_xml()).geom_pos[0, 2] == 5


def test_long_chains():
    s = corten.MjSpec()
    body = s.worldbody
    for i in range(3000):
        body = body.add_body(pos=[0.1, 0, 0])
        body.add_geom(size=[0.01, 0, 0])
    assert len(s.worldbody.find_all("body")) == 3000
    top = s.worldbody.bodies[0]
    parent = corten.MjSpec()
    parent.worldbody.add_frame().attach_body(top, "x", "")
    assert len(parent.bodies) == 3001
    parent.delete(parent.bodies[1])
    assert len(parent.bodies) == 1


def test_deep_classes():
    """Files nest less deep than specs; what cannot be written says so."""
    s = corten.MjSpec()
    default = s.default
    for i in range(600):
        default = s.add_default(f"class{i}", default)
        default.geom.group = i % 5
    s.worldbody.add_geom(default, size=[0.1, 0, 0])
    assert s.compile().geom_group[0] == 4
    with pytest.raises(ValueError, match="nested"):
        s.to_xml()
    s.delete(s.find_default("class400"))
    corten.MjModel.from_xml_string(s.to_xml())
