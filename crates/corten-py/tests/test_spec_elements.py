"""Every kind of element that a spec can hold, added by the same program to both engines.

The compiled models must agree in every array, and so must what each engine makes of the text that the other writes.
"""
import numpy as np
import pytest

import corten.mujoco as corten
from test_spec import BOTH, build, same

mujoco = pytest.importorskip("mujoco")
CUBE = [[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
# Equalities keep numbers that have no effect and no place in a file.
WRITTEN_IN_PART = ("eq_data", "eq_objtype")
FACES = [0, 1, 3, 0, 3, 2, 4, 6, 7, 4, 7, 5, 0, 4, 5, 0, 5, 1, 2, 3, 7, 2, 7, 6, 0, 2, 6, 0, 6, 4, 1, 5, 7, 1, 7, 3]


def stage(mj):
    """Two arms, a free body and a mocap body, with sites, a camera and a tendon, for others to refer to."""
    s = mj.MjSpec()
    s.worldbody.add_geom(name="floor", type=mj.mjtGeom.mjGEOM_PLANE, size=[5, 5, 0.1])
    s.worldbody.add_camera(name="eye", pos=[0, -2, 1], resolution=[4, 3])
    for i in range(2):
        upper = s.worldbody.add_body(name=f"upper{i}", pos=[i, 0, 1])
        upper.add_joint(name=f"shoulder{i}", axis=[0, 1, 0], range=[-90, 90])
        upper.add_geom(name=f"bone{i}", type=mj.mjtGeom.mjGEOM_CAPSULE, fromto=[0, 0, 0, 0.4, 0, 0], size=[0.04, 0, 0])
        upper.add_site(name=f"elbow{i}", pos=[0.4, 0, 0.1])
        lower = upper.add_body(name=f"lower{i}", pos=[0.4, 0, 0])
        lower.add_joint(name=f"wrist{i}", type=mj.mjtJoint.mjJNT_BALL)
        lower.add_geom(name=f"palm{i}", type=mj.mjtGeom.mjGEOM_BOX, size=[0.05, 0.04, 0.03])
        lower.add_site(name=f"tip{i}", pos=[0.05, 0, 0], size=[0.02] * 3)
    loose = s.worldbody.add_body(name="loose", pos=[0, 1, 1])
    loose.add_freejoint(name="free")
    loose.add_geom(name="ball", size=[0.1, 0, 0])
    loose.add_site(name="mark", type=mj.mjtGeom.mjGEOM_BOX, size=[0.1, 0.1, 0.1])
    s.worldbody.add_body(name="hand", mocap=True, pos=[0, 0, 2])
    rail = s.worldbody.add_body(name="cart", pos=[3, 0, 0])
    rail.add_joint(name="rail", type=mj.mjtJoint.mjJNT_SLIDE, axis=[1, 0, 0])
    rail.add_geom(name="hub", type=mj.mjtGeom.mjGEOM_CYLINDER, size=[0.1, 0.1, 0])
    rail.add_site(name="start", pos=[-0.3, 0, 0.2])
    rail.add_site(name="side", pos=[0, 0.3, 0])
    cord = s.add_tendon(name="cord")
    cord.wrap_site("elbow0")
    cord.wrap_site("tip0")
    fixed = s.add_tendon(name="fixed", range=[-1, 1])
    fixed.wrap_joint("shoulder0", 2)
    return s


def agree(edit):
    """The same edit gives the same model, before and after it was written as text."""
    model = build(edit)
    ours, theirs = edit(corten), edit(mujoco)
    text = ours.to_xml()
    theirs.compile()
    same(mujoco.MjModel.from_xml_string(text), corten.MjModel.from_xml_string(text))
    same(model, corten.MjModel.from_xml_string(text), but=WRITTEN_IN_PART)
    try:
        read = mujoco.MjModel.from_xml_string(theirs.to_xml())
    except ValueError:
        return model  # MuJoCo does not read all that it writes.
    same(read, corten.MjModel.from_xml_string(theirs.to_xml()))
    return model


def on_stage(add):
    """A stage with something added."""
    def edit(mj):
        s = stage(mj)
        add(mj, s)
        return s
    return edit


# The tree.

SHAPES = {
    "plane": dict(size=[1, 2, 0.1]), "sphere": dict(size=[0.1, 0, 0]), "capsule": dict(size=[0.1, 0.2, 0]),
    "ellipsoid": dict(size=[0.1, 0.2, 0.3]), "cylinder": dict(size=[0.1, 0.2, 0]), "box": dict(size=[0.1, 0.2, 0.3]),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_geoms(shape):
    def add(mj, s):
        kind = getattr(mj.mjtGeom, "mjGEOM_" + shape.upper())
        inside = s.worldbody if shape == "plane" else s.body("loose")
        inside.add_geom(type=kind, name="added", pos=[0.1, 0.2, 0.3], euler=[10, 20, 30], contype=2, conaffinity=3,
                        condim=4, group=2, priority=1, friction=[0.5, 0.01, 0.002], solmix=0.5, solref=[0.01, 0.9],
                        solimp=[0.8, 0.9, 0.01, 0.4, 3], margin=0.01, gap=0.005, density=500, rgba=[0.1, 0.2, 0.3, 0.4],
                        fluid_ellipsoid=0 if shape == "plane" else 1, fluid_coefs=[0.4, 0.3, 1.2, 0.9, 1.1],
                        userdata=[1, 2, 3], **SHAPES[shape])
        if shape != "plane":
            inside.add_geom(type=kind, name="heavy", mass=2, typeinertia=mj.mjtGeomInertia.mjINERTIA_SHELL, **SHAPES[shape])
            inside.add_site(type=kind, name="spot", rgba=[1, 0, 0, 1], group=1, userdata=[4], **SHAPES[shape])
    assert agree(on_stage(add)).geom("added").friction[0] == 0.5


@pytest.mark.parametrize("kind", ["hinge", "slide", "ball", "free"])
def test_joints(kind):
    def add(mj, s):
        body = s.worldbody.add_body(name="new", pos=[1, 2, 3], gravcomp=0.5, mass=2, ipos=[0.1, 0, 0], inertia=[1, 1.5, 2],
                                    iquat=[1, 1, 0, 0], explicitinertial=True, userdata=[5])
        plain = dict() if kind == "free" else dict(
            pos=[0.1, 0, 0], axis=[1, 1, 0], stiffness=3, springref=10, range=[0, 45] if kind != "slide" else [-0.5, 0.5],
            limited=mj.mjtLimited.mjLIMITED_AUTO, margin=0.01, armature=0.1, frictionloss=0.2, damping=0.3, ref=5,
            actfrcrange=[-1, 1], actgravcomp=1, solref_limit=[0.01, 1], solimp_limit=[0.8, 0.9, 0.01, 0.5, 2],
            solref_friction=[0.02, 0.9], solimp_friction=[0.7, 0.9, 0.01, 0.5, 2], userdata=[1, 2])
        body.add_joint(name="joint", type=getattr(mj.mjtJoint, "mjJNT_" + kind.upper()), group=3, **plain)
        if kind == "hinge":
            body.add_joint(name="spring", axis=[0, 0, 1], springdamper=[0.5, 0.9])
    agree(on_stage(add))


def test_bodies():
    def add(mj, s):
        s.worldbody.add_body(name="full", mass=1, fullinertia=[1, 1.1, 1.2, 0.1, 0.05, 0.02], explicitinertial=True,
                             pos=[1, 0, 0]).add_freejoint(align=mj.mjtAlignFree.mjALIGNFREE_TRUE if hasattr(mj, "mjtAlignFree") else 1)
        s.worldbody.add_body(name="turned", mass=1, inertia=[1, 1.1, 1.2], ieuler=[30, 0, 0], explicitinertial=True,
                             xyaxes=[0, 1, 0, -1, 0, 0])
        quiet = s.worldbody.add_body(name="quiet", sleep=mj.mjtSleepPolicy.mjSLEEP_NEVER)
        quiet.add_freejoint(name="quietly", group=2)
        quiet.add_geom(size=[0.1, 0, 0])
    assert agree(on_stage(add)).body("full").mass == 1


def test_cameras_and_lights():
    def add(mj, s):
        modes = mj.mjtCamLight
        for i, mode in enumerate((modes.mjCAMLIGHT_FIXED, modes.mjCAMLIGHT_TRACK, modes.mjCAMLIGHT_TRACKCOM,
                                  modes.mjCAMLIGHT_TARGETBODY, modes.mjCAMLIGHT_TARGETBODYCOM)):
            target = dict(targetbody="upper1") if i > 2 else {}
            s.body("lower0").add_camera(name=f"camera{i}", mode=mode, pos=[0, 0, 0.1], euler=[0, 30, 0], fovy=30 + i,
                                        ipd=0.05, orthographic=i % 2, userdata=[1], **target)
            s.body("lower0").add_light(name=f"light{i}", mode=mode, pos=[0, 0, 0.1], dir=[1, 0, -1], active=1, castshadow=0,
                                       type=list(mj.mjtLightType.__members__.values())[i % 3] if i % 3 < 3 else 0,
                                       bulbradius=0.03, intensity=2, range=5, attenuation=[1, 0.1, 0.01], cutoff=40,
                                       exponent=5, ambient=[0.1] * 3, diffuse=[0.5] * 3, specular=[0.2] * 3, **target)
        s.worldbody.add_camera(name="lens", resolution=[640, 480], sensor_size=[0.004, 0.003], focal_length=[0.005, 0.005],
                               principal_length=[0.0001, 0])
        s.worldbody.add_camera(name="pixels", resolution=[640, 480], sensor_size=[0.004, 0.003], focal_pixel=[600, 610],
                               principal_pixel=[3, 4])
    agree(on_stage(add))


def test_frames_within_frames():
    def add(mj, s):
        outer = s.worldbody.add_frame(name="outer", pos=[1, 2, 3], axisangle=[0, 0, 1, 90])
        inner = outer.add_frame(name="inner", pos=[1, 0, 0], zaxis=[1, 1, 0])
        body = inner.add_body(name="framed", pos=[0, 0, 1])
        body.add_geom(size=[0.1, 0, 0])
        inner.add_geom(name="stone", size=[0.1, 0, 0], pos=[0.5, 0, 0])
        outer.add_site(name="flag")
        inner.add_camera(name="view")
        inner.add_light(name="lamp")
        body.add_frame(pos=[0, 0.1, 0], euler=[0, 90, 0]).add_joint(name="framed", axis=[1, 0, 0], pos=[0, 0, 1])
    agree(on_stage(add))


# Assets.

MADE = {
    "hemisphere": [(3,), (7,)], "cone": [(5, 0.5), (3, 0.2)], "plate": [([4, 3],), ([2, 2],)], "sphere": [(1,), (3,)],
    "supersphere": [(6, 0.5, 1.5), (8, 1, 1)], "supertorus": [(8, 0.4, 1, 1), (6, 0.3, 0.8, 1.2)],
    "wedge": [([4, 3], [30, 20], 0.5), ([5, 5], [40, 60], 0)],
}


@pytest.mark.parametrize("name", MADE)
def test_meshes_that_are_made(name):
    def add(mj, s):
        for i, arguments in enumerate(MADE[name]):
            mesh = s.add_mesh(name=f"{name}{i}", scale=[0.1, 0.2, 0.3])
            if name in ("plate", "wedge"):
                mesh.inertia = mj.mjtMeshInertia.mjMESH_INERTIA_SHELL
            getattr(mesh, f"make_{name}")(*arguments)
            if name == "plate":
                # Only a sensor can use a flat mesh.
                s.add_sensor(type=mj.mjtSensor.mjSENS_TACTILE, objtype=mj.mjtObj.mjOBJ_MESH, objname=mesh.name,
                             reftype=mj.mjtObj.mjOBJ_GEOM, refname="ball")
            else:
                s.worldbody.add_body(pos=[i, 0, 0]).add_geom(type=mj.mjtGeom.mjGEOM_MESH, meshname=mesh.name)
    model = build(on_stage(add))
    assert model.nmesh == 2


@pytest.mark.parametrize("inertia", ["CONVEX", "EXACT", "LEGACY", "SHELL"])
def test_meshes_from_vertices(inertia):
    def add(mj, s):
        mesh = s.add_mesh(name="cube", uservert=np.ravel(CUBE) * 0.1, userface=FACES, scale=[1, 2, 0.5], refpos=[0.1, 0, 0],
                          refquat=[1, 0, 1, 0], inertia=getattr(mj.mjtMeshInertia, "mjMESH_INERTIA_" + inertia),
                          usertexcoord=np.arange(16) / 16, maxhullvert=-1)
        mesh.smoothnormal = 1
        s.add_mesh(name="points", uservert=np.ravel(CUBE) * 0.2)
        s.body("loose").add_geom(type=mj.mjtGeom.mjGEOM_MESH, meshname="cube", pos=[1, 0, 0])
        s.body("loose").add_geom(type=mj.mjtGeom.mjGEOM_BOX, meshname="points", fitscale=1.1)
        s.body("loose").add_geom(type=mj.mjtGeom.mjGEOM_CAPSULE, meshname="points")
    agree(on_stage(add))


def test_height_fields_textures_and_materials():
    def add(mj, s):
        s.add_hfield(name="hills", nrow=3, ncol=2, size=[1, 1, 0.5, 0.1], userdata=[0, 1, 2, 3, 4, 5])
        s.worldbody.add_geom(type=mj.mjtGeom.mjGEOM_HFIELD, hfieldname="hills")
        t = mj.mjtTexture
        s.add_texture(name="flat", type=t.mjTEXTURE_2D, builtin=mj.mjtBuiltin.mjBUILTIN_CHECKER, width=8, height=8,
                      rgb1=[1, 0, 0], rgb2=[0, 0, 1], mark=mj.mjtMark.mjMARK_CROSS, markrgb=[0, 1, 0])
        s.add_texture(name="cube", type=t.mjTEXTURE_CUBE, builtin=mj.mjtBuiltin.mjBUILTIN_GRADIENT, width=4, height=4,
                      mark=mj.mjtMark.mjMARK_EDGE)
        s.add_texture(name="sky", type=t.mjTEXTURE_SKYBOX, builtin=mj.mjtBuiltin.mjBUILTIN_FLAT, width=4, height=4,
                      mark=mj.mjtMark.mjMARK_RANDOM, random=0.2)
        data = s.add_texture(name="data", type=t.mjTEXTURE_2D, width=2, height=2, nchannel=3,
                             colorspace=mj.mjtColorSpace.mjCOLORSPACE_SRGB)
        data.data = bytes(range(12))
        skin = s.add_material(name="skin", emission=0.1, specular=0.2, shininess=0.3, reflectance=0.4, metallic=0.5,
                              roughness=0.6, texrepeat=[2, 3], texuniform=1, rgba=[0.1, 0.2, 0.3, 0.4])
        skin.textures[mj.mjtTextureRole.mjTEXROLE_RGB] = "flat"
        s.geom("ball").material = "skin"
        s.tendon("cord").material = "skin"
    model = build(on_stage(add))
    assert model.ntex == 4 and model.nhfield == 1


def test_skins():
    def add(mj, s):
        s.add_skin(name="sleeve", vert=np.ravel(CUBE).tolist(), face=FACES, texcoord=np.linspace(0, 1, 16).tolist(),
                   bodyname=["upper0", "lower0"], bindpos=[0, 0, 0, 0.4, 0, 0], bindquat=[1, 0, 0, 0, 1, 0, 0, 0],
                   vertid=[[0, 1, 2, 3, 4], [4, 5, 6, 7]], vertweight=[[1, 1, 1, 1, 0.5], [0.5, 1, 1, 1]], inflate=0.01,
                   rgba=[1, 0, 0, 1], group=2)
    assert build(on_stage(add)).nskin == 1


# What refers to the tree.

def test_pairs_and_excludes():
    def add(mj, s):
        s.add_pair(name="touch", geomname1="palm0", geomname2="palm1", condim=6, margin=0.01, gap=0.002,
                   friction=[1, 1, 0.5, 0.01, 0.02], solref=[0.01, 1], solreffriction=[0.02, 1], solimp=[0.8, 0.9, 0.01, 0.5, 2])
        s.add_pair(geomname1="ball", geomname2="floor")
        s.add_exclude(name="apart", bodyname1="upper0", bodyname2="loose")
        s.add_exclude(bodyname1="world", bodyname2="lower1")
    assert agree(on_stage(add)).npair == 2


EQUALITIES = {
    "CONNECT": [dict(objtype="BODY", name1="lower0", name2="lower1", data=[0.1, 0.2, 0.3] + [0] * 8),
                dict(objtype="SITE", name1="tip0", name2="tip1"), dict(objtype="BODY", name1="loose", data=[0.1] * 3 + [0] * 8)],
    "WELD": [dict(objtype="BODY", name1="lower0", name2="loose"), dict(objtype="SITE", name1="tip0", name2="mark"),
             dict(objtype="BODY", name1="lower1", name2="loose", data=[0.1, 0, 0, 0.2, 0, 0, 1, 0, 0, 0, 0.5])],
    "JOINT": [dict(objtype="JOINT", name1="shoulder0", name2="shoulder1", data=[0.1, 1, 0.2, 0, 0] + [0] * 6),
              dict(objtype="JOINT", name1="rail")],
    "TENDON": [dict(objtype="TENDON", name1="cord", name2="fixed", data=[0, 1, 0, 0, 0] + [0] * 6),
               dict(objtype="TENDON", name1="fixed")],
}


@pytest.mark.parametrize("kind", EQUALITIES)
def test_equalities(kind):
    def add(mj, s):
        for i, values in enumerate(EQUALITIES[kind]):
            values = dict(values, objtype=getattr(mj.mjtObj, "mjOBJ_" + values["objtype"]))
            if kind == "WELD" and "data" not in values:
                values["data"] = [0] * 10 + [1]
            s.add_equality(name=f"bond{i}", type=getattr(mj.mjtEq, "mjEQ_" + kind), active=i % 2, solref=[0.03, 1],
                           solimp=[0.7, 0.8, 0.01, 0.5, 2], **values)
    agree(on_stage(add))


def test_tendons():
    def add(mj, s):
        red = s.add_default("red", s.default)
        red.tendon.rgba = [1, 0, 0, 1]
        rope = s.add_tendon(red, name="rope", stiffness=2, damping=0.5, frictionloss=0.1, springlength=[0.2, 0.5],
                            range=[0, 4], limited=1, margin=0.01, group=2, width=0.01, actfrcrange=[-2, 2],
                            solref_limit=[0.01, 1], solref_friction=[0.03, 1], userdata=[1, 2])
        rope.wrap_site("start")
        rope.wrap_geom("hub", "side")
        rope.wrap_site("tip0")
        rope.wrap_pulley(2)
        rope.wrap_site("elbow0")
        rope.wrap_geom("ball", "")
        rope.wrap_site("tip1")
        both = s.add_tendon(name="both", armature=0.2)
        both.wrap_joint("shoulder0", 1)
        both.wrap_joint("rail", -2)
    assert agree(on_stage(add)).ntendon == 4


ACTUATORS = {
    "motor": {}, "position": dict(kp=20, kv=2, timeconst=0.1), "velocity": dict(kv=3), "damper": dict(kv=4),
    "intvelocity": dict(kp=5, kv=1), "cylinder": dict(timeconst=0.5, bias=0.1, area=2),
}


@pytest.mark.parametrize("kind", ACTUATORS)
def test_actuators(kind):
    def add(mj, s):
        for name, target in (("JOINT", "shoulder0"), ("TENDON", "cord")):
            act = s.add_actuator(name=name, target=target, trntype=getattr(mj.mjtTrn, "mjTRN_" + name), gear=[2, 0, 0, 0, 0, 0],
                                 group=1, userdata=[1, 2], ctrlrange=[0, 1], forcerange=[-5, 5])
            if kind == "intvelocity":
                act.actrange = [-1, 1]
            getattr(act, f"set_to_{kind}")(**ACTUATORS[kind])
    agree(on_stage(add))


def test_muscles():
    """MuJoCo's package cannot make them, but reads them."""
    values = dict(tausmooth=0.1, force=100, scale=150, lmin=0.4, lmax=1.5, vmax=1.4, fpmax=1.2, fvmax=1.1)
    s = stage(corten)
    muscle = s.add_actuator(name="a", target="cord", trntype=corten.mjtTrn.mjTRN_TENDON, lengthrange=[0.1, 1])
    muscle.set_to_muscle(timeconst=[0.02, 0.05], range=[0.8, 1.1], **values)
    words = " ".join(f'{name}="{value}"' for name, value in values.items())
    line = f'<actuator><muscle name="a" tendon="cord" lengthrange="0.1 1" timeconst="0.02 0.05" range="0.8 1.1" {words}/></actuator>'
    same(mujoco.MjModel.from_xml_string(stage(corten).to_xml().replace("</mujoco>", line + "</mujoco>")), s.compile())


def test_transmissions():
    def add(mj, s):
        t = mj.mjtTrn
        s.add_actuator(name="a", target="wrist0", trntype=t.mjTRN_JOINT, gear=[1, 2, 3, 0, 0, 0])
        s.add_actuator(name="b", target="wrist0", trntype=t.mjTRN_JOINTINPARENT, gear=[1, 2, 3, 0, 0, 0])
        s.add_actuator(name="c", target="tip0", trntype=t.mjTRN_SITE, gear=[1, 2, 3, 4, 5, 6])
        s.add_actuator(name="d", target="tip0", refsite="mark", trntype=t.mjTRN_SITE, gear=[1, 0, 0, 0, 0, 1])
        s.add_actuator(name="e", target="tip1", slidersite="elbow1", cranklength=0.5, trntype=t.mjTRN_SLIDERCRANK)
        grip = s.add_actuator(name="f", target="loose", trntype=t.mjTRN_BODY, ctrlrange=[0, 1])
        grip.set_to_adhesion(gain=3)
        servo = s.add_actuator(name="g", target="shoulder0", trntype=t.mjTRN_JOINT, inheritrange=0.9)
        servo.set_to_position(kp=3, dampratio=0.7)
        own = s.add_actuator(name="h", target="rail", trntype=t.mjTRN_JOINT, dyntype=mj.mjtDyn.mjDYN_FILTEREXACT,
                             gaintype=mj.mjtGain.mjGAIN_AFFINE, biastype=mj.mjtBias.mjBIAS_AFFINE, actlimited=1,
                             actrange=[-2, 2], actearly=1)
        own.gainprm[:3] = [1, 2, 3]
        own.biasprm[:3] = [4, 5, 6]
        own.dynprm[0] = 0.3
    assert agree(on_stage(add)).nu == 8


def sensors(mj):
    """Every type of sensor with what it measures: type, object, reference."""
    body, xbody, site = mj.mjtObj.mjOBJ_BODY, mj.mjtObj.mjOBJ_XBODY, mj.mjtObj.mjOBJ_SITE
    joint, tendon, act = mj.mjtObj.mjOBJ_JOINT, mj.mjtObj.mjOBJ_TENDON, mj.mjtObj.mjOBJ_ACTUATOR
    geom, camera = mj.mjtObj.mjOBJ_GEOM, mj.mjtObj.mjOBJ_CAMERA
    at = (site, "tip0")
    frame = ["FRAMEPOS", "FRAMEQUAT", "FRAMEXAXIS", "FRAMEYAXIS", "FRAMEZAXIS", "FRAMELINVEL", "FRAMEANGVEL"]
    objects = [(body, "loose"), (xbody, "loose"), (geom, "ball"), (site, "mark"), (camera, "eye")]
    yield from ((k, at, None) for k in ("TOUCH", "ACCELEROMETER", "VELOCIMETER", "GYRO", "FORCE", "TORQUE", "MAGNETOMETER",
                                        "RANGEFINDER"))
    yield "CAMPROJECTION", at, (camera, "eye")
    yield from ((k, (joint, "shoulder0"), None) for k in ("JOINTPOS", "JOINTVEL", "JOINTACTFRC", "JOINTLIMITPOS",
                                                          "JOINTLIMITVEL", "JOINTLIMITFRC"))
    yield from ((k, (tendon, "fixed"), None) for k in ("TENDONPOS", "TENDONVEL", "TENDONACTFRC", "TENDONLIMITPOS",
                                                       "TENDONLIMITVEL", "TENDONLIMITFRC"))
    yield from ((k, (act, "push"), None) for k in ("ACTUATORPOS", "ACTUATORVEL", "ACTUATORFRC"))
    yield from ((k, (joint, "wrist0"), None) for k in ("BALLQUAT", "BALLANGVEL"))
    yield from ((k, o, r) for k in frame for o in objects for r in (None, (body, "upper0"), (site, "tip1")))
    yield from ((k, o, None) for k in ("FRAMELINACC", "FRAMEANGACC") for o in objects)
    yield from ((k, (body, "upper0"), None) for k in ("SUBTREECOM", "SUBTREELINVEL", "SUBTREEANGMOM"))
    yield "INSIDESITE", (geom, "ball"), (site, "mark")
    for k in ("GEOMDIST", "GEOMNORMAL", "GEOMFROMTO"):
        yield k, (geom, "palm0"), (geom, "palm1")
        yield k, (body, "lower0"), (geom, "ball")
        yield k, (body, "lower0"), (body, "loose")
    yield from ((k, None, None) for k in ("E_POTENTIAL", "E_KINETIC", "CLOCK"))


def test_sensors():
    def add(mj, s):
        s.add_actuator(name="push", target="shoulder0", trntype=mj.mjtTrn.mjTRN_JOINT)
        for i, (kind, of, to) in enumerate(sensors(mj)):
            values = dict(objtype=of[0], objname=of[1]) if of else {}
            if to:
                values |= dict(reftype=to[0], refname=to[1])
            if kind.startswith("GEOM"):
                values["cutoff"] = 2
            s.add_sensor(name=f"{kind}{i}", type=getattr(mj.mjtSensor, "mjSENS_" + kind), noise=0.1, userdata=[i], **values)
        s.add_sensor(name="own", type=mj.mjtSensor.mjSENS_USER, dim=3, needstage=mj.mjtStage.mjSTAGE_VEL,
                     datatype=mj.mjtDataType.mjDATATYPE_POSITIVE, objtype=mj.mjtObj.mjOBJ_BODY, objname="loose")
        contact = s.add_sensor(name="hit", type=mj.mjtSensor.mjSENS_CONTACT, objtype=mj.mjtObj.mjOBJ_GEOM, objname="ball")
        contact.intprm[:3] = [3, 1, 2]
        other = s.add_sensor(name="hits", type=mj.mjtSensor.mjSENS_CONTACT, objtype=mj.mjtObj.mjOBJ_BODY, objname="loose",
                             reftype=mj.mjtObj.mjOBJ_XBODY, refname="upper0")
        other.intprm[:3] = [127, 3, 1]
        assert contact.get_data_size() == 8 and other.get_data_size() == 17
    model = agree(on_stage(add))
    assert {int(t) for t in model.sensor_type} >= set(range(48)) - {int(corten.mjtSensor.mjSENS_PLUGIN),
                                                                    int(corten.mjtSensor.mjSENS_TACTILE)}


def test_custom_data_and_keyframes():
    def add(mj, s):
        s.add_numeric(name="n", data=[1, 2, 3], size=5)
        s.add_text(name="t", data="a < b & c")
        s.add_tuple(name="u", objtype=[mj.mjtObj.mjOBJ_BODY, mj.mjtObj.mjOBJ_SITE], objname=["loose", "tip0"], objprm=[1.5, 2.5])
        s.add_actuator(name="push", target="shoulder0", trntype=mj.mjtTrn.mjTRN_JOINT).set_to_cylinder(1, 0, 1)
        s.add_key(name="all", time=1.5, qpos=np.linspace(0.1, 1, 18), qvel=np.arange(15), act=[0.5], ctrl=[0.25],
                  mpos=[1, 2, 3], mquat=[1, 1, 0, 0])
        s.add_key(name="some", qvel=np.arange(15))
    model = agree(on_stage(add))
    assert model.nkey == 2 and model.key_mpos[0].tolist() == [1, 2, 3]


def test_default_classes_of_every_element():
    def edit(mj):
        s = mj.MjSpec()
        one = s.add_default("one", s.default)
        one.geom.friction[:] = [0.1, 0.2, 0.3]
        one.joint.damping = 2
        one.site.group = 2
        one.camera.fovy = 33
        one.light.diffuse = [0.1] * 3
        one.mesh.scale = [2, 2, 2]
        one.material.specular = 0.9
        one.pair.condim = 4
        one.equality.solref = [0.5, 1]
        one.tendon.width = 0.5
        one.actuator.gear[0] = 7
        # A class starts from its parent as it is at the time.
        two = s.add_default("two", one)
        two.geom.rgba = [1, 0, 0, 1]
        two.joint.armature = 3
        one.geom.condim = 1
        body = s.worldbody.add_body(childclass="two")
        body.add_geom(name="g", size=[0.1, 0, 0])
        body.add_geom(one, name="h", size=[0.1, 0, 0])
        body.add_joint(name="j")
        body.add_site(name="s")
        body.add_camera(name="c")
        body.add_light(name="l")
        s.add_material(two, name="m")
        s.add_mesh(two, name="me", uservert=np.ravel(CUBE))
        s.add_pair(two, geomname1="g", geomname2="floor")
        s.worldbody.add_geom(s.default, name="floor", type=mj.mjtGeom.mjGEOM_PLANE, size=[1, 1, 1])
        s.add_equality(two, type=mj.mjtEq.mjEQ_JOINT, objtype=mj.mjtObj.mjOBJ_JOINT, name1="j")
        s.add_tendon(two, name="t").wrap_joint("j", 1)
        s.add_actuator(two, target="j", trntype=mj.mjtTrn.mjTRN_JOINT)
        return s
    model = agree(edit)
    assert model.geom("g").friction[0] == 0.1 and model.actuator_gear[0, 0] == 7


def test_settings():
    def add(mj, s):
        s.modelname = "settings"
        s.compiler.inertiafromgeom = mj.mjtInertiaFromGeom.mjINERTIAFROMGEOM_TRUE
        s.compiler.settotalmass = 10
        s.compiler.boundmass = 0.01
        s.compiler.boundinertia = 0.001
        s.compiler.balanceinertia = 1
        s.compiler.alignfree = 1
        s.compiler.inertiagrouprange = [0, 4]
        s.compiler.LRopt.mode = 2
        s.option.integrator = mj.mjtIntegrator.mjINT_RK4
        s.option.cone = mj.mjtCone.mjCONE_ELLIPTIC
        s.option.disableflags = int(mj.mjtDisableBit.mjDSBL_GRAVITY)
        s.option.wind = [1, 2, 3]
        s.visual.quality.shadowsize = 1024
        s.visual.map.znear = 0.02
        s.visual.scale.jointlength = 2
        s.visual.rgba.haze = [0.1, 0.2, 0.3, 1]
        s.stat.extent = 3
        s.stat.center = [1, 2, 3]
        s.nuser_geom, s.nuser_body, s.nuserdata, s.nkey = 3, 2, 7, 4
        s.memory = 1 << 20
    model = agree(on_stage(add))
    assert model.nuserdata == 7 and model.vis.map.znear == np.float32(0.02)


# Deleting.

STATE = """<mujoco><worldbody>
<body name="a" pos="0 0 1"><freejoint name="fa"/><geom size=".1"/></body>
<body name="b"><joint name="jb"/><geom size=".1"/><body name="b2"><joint name="jb2" type="ball"/><geom size=".1"/></body></body>
<body name="m1" mocap="true" pos="1 2 3"/>
<body name="c"><joint name="jc" type="slide"/><geom size=".1"/></body>
<body name="m2" mocap="true" pos="4 5 6"/>
</worldbody>
<actuator><motor name="ab" joint="jb"/><cylinder name="ac" joint="jc"/><general name="ac2" joint="jc" dyntype="filter"/>
<cylinder name="ab2" joint="jb"/></actuator>
<keyframe>
<key name="k" time="2" qpos="0 0 2 1 0 0 0 .5 0 1 0 0 .25" qvel="1 2 3 4 5 6 7 8 9 10 11" ctrl="1 2 3 4" act="11 12 13"
 mpos="1 1 1 2 2 2" mquat="0 1 0 0 0 0 1 0"/>
<key name="k2" qpos="0 0 3 1 0 0 0 .5 0 1 0 0 .75"/>
<key name="k3" time="3"/>
</keyframe></mujoco>"""


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("names", ["a", "b", "b2", "c", "m1", "m2", "b c", "a m1", "b2 b"])
def test_keyframes_lose_what_belongs_to_deleted_bodies(names, compiled):
    def edit(mj):
        s = mj.MjSpec.from_string(STATE)
        if compiled:
            s.compile()
        for name in names.split():
            s.delete(s.body(name))
        assert not list(s.keys)
        s.compile()
        assert [k.name for k in s.keys] == ["k", "k2", "k3"]
        return s
    model = agree(edit)
    assert len(edit(corten).key("k").qpos) == model.nq and len(edit(corten).key("k").mpos) == 3 * model.nmocap


@pytest.mark.parametrize("kind, name", [("joint", "jb2"), ("joint", "fa"), ("actuator", "ab"), ("actuator", "ac")])
def test_keyframes_that_no_longer_fit_are_refused(kind, name):
    for mj in BOTH:
        s = mj.MjSpec.from_string(STATE)
        if kind == "joint" and name == "jb2":
            s.delete(s.joint("jb2"))
        else:
            s.delete(getattr(s, kind)(name))
        with pytest.raises(ValueError, match="k"):
            s.compile()


def test_keyframes_follow_joints_that_are_added():
    def edit(mj):
        s = mj.MjSpec.from_string(STATE)
        s.delete(s.body("b"))
        body = s.worldbody.add_body(name="new", pos=[9, 9, 9])
        body.add_freejoint()
        body.add_geom(size=[0.1, 0, 0])
        return s

    def short(mj):
        s = mj.MjSpec.from_string(STATE)
        body = s.worldbody.add_body(name="new", pos=[9, 9, 9])
        body.add_freejoint()
        body.add_geom(size=[0.1, 0, 0])
        s.worldbody.add_body(name="hinged").add_joint(ref=10)
        s.body("hinged").add_geom(size=[0.1, 0, 0])
        return s

    def later(mj):
        s = short(mj)
        s.compile()
        s.add_key(name="short", qpos=[1, 2])
        return s
    for function in (edit, short, later):
        agree(function)


# Compiling.

FUSED = """<mujoco><compiler fusestatic="true"/><worldbody>
<body name="d"><joint name="jd"/><geom name="gd" size=".1"/><site name="pd"/></body>
<body name="s1" pos="1 0 0"><geom name="g1" size=".1"/><site name="p1"/></body>
<body name="a"><joint name="ja"/><geom name="ga" size=".1"/><site name="pa"/>
 <body name="s2" pos="0 1 0"><geom name="gs2" size=".2"/><site name="ps2"/>
  <body name="b"><joint name="jb"/><geom name="gb" size=".1"/></body></body>
 <body name="c"><joint name="jc"/><geom name="gc" size=".1"/></body></body>
<body name="e"><joint name="je"/><geom name="ge" size=".1"/></body>
<body><geom name="gn" size=".1"/><site name="pn"/></body>
</worldbody>%s</mujoco>"""


@pytest.mark.parametrize("extra", [
    "", '<sensor><framepos objtype="geom" objname="gd"/><framepos objtype="site" objname="pa"/></sensor>',
    '<sensor><framepos objtype="body" objname="e"/></sensor>', '<sensor><framepos objtype="body" objname="b"/></sensor>',
    '<sensor><force site="ps2"/><torque site="pn"/></sensor>', '<contact><pair geom1="gd" geom2="gc"/></contact>',
    '<contact><exclude body1="s1" body2="c"/></contact>', '<equality><weld body1="c" body2="e"/></equality>'])
@pytest.mark.filterwarnings("ignore::corten.ModelWarning")
def test_fused_bodies_and_what_refers_to_them(extra):
    # MuJoCo leaves room for bounding volumes of bodies that are gone.
    same(*(mj.MjModel.from_xml_string(FUSED % extra) for mj in BOTH), but=("nbvh", "nbvhstatic"))


def test_textures_of_default_classes():
    textures = "".join(f'<texture name="t{i}" type="2d" builtin="flat" width="4" height="4"/>' for i in range(3))
    for default in ('<material texture="t0"/>', '<material><layer texture="t0" role="normal"/></material>',
                    '<material texture="none"/>', ""):
        for material in ("<material name='m'/>", "<material name='m' texture='t1'/>", "<material name='m' texture=''/>",
                         "<material name='m'><layer role='normal' texture='t2'/></material>"):
            text = f"<mujoco><default>{default}</default><asset>{textures}{material}</asset></mujoco>"
            found = []
            for mj in BOTH:
                try:
                    found.append(mj.MjModel.from_xml_string(text).mat_texid.tolist())
                except ValueError:
                    found.append(None)
            assert found[0] == found[1], text


DISCARDED = """<mujoco><compiler discardvisual="true"/><asset><material name="m"/>
<mesh name="flat" vertex="0 0 0 1 0 0 0 1 0 0 0 1" face="0 2 1 0 1 3 0 3 2 1 2 3" texcoord="0 0 1 0 0 1 1 1"/>%s</asset>
<worldbody>%s<geom name="seen" size=".1" contype="0" conaffinity="0"/><geom name="felt" type="mesh" mesh="flat"/></worldbody>
</mujoco>"""


@pytest.mark.parametrize("asset, inside", [
    ("", ""), ("", '<geom size=".1" material="m"/>'), ("", '<site material="m"/>'), ("", '<site material="none"/>'),
    ('<mesh name="ball" builtin="sphere" params="1" material="m"/>', '<geom type="mesh" mesh="ball"/>')])
def test_materials_of_what_is_discarded(asset, inside):
    found = []
    for mj in BOTH:
        try:
            found.append(mj.MjModel.from_xml_string(DISCARDED % (asset, inside)))
        except ValueError:
            found.append(None)
    assert (found[0] is None) == (found[1] is None)
    if found[0] is not None:
        same(*found)
        assert found[1].nmeshtexcoord == 4


def test_zero_quaternions_in_keyframes():
    text = """<mujoco><worldbody><body mocap="true"/><body><joint type="ball"/><geom size=".1"/></body></worldbody>
    <keyframe><key mquat="0 0 0 0" qpos="0 0 0 0"/></keyframe></mujoco>"""
    same(*(mj.MjModel.from_xml_string(text) for mj in BOTH))


@pytest.mark.parametrize("values", [
    dict(pos="pos"), dict(pos=[0, 1]), dict(type="type"), dict(userdata=""), dict(vel="vel"), dict(euler=[1]),
    dict(axisangle=[1, 2, 3]), dict(axisangle=[1, 2, 3, 4], euler=[1, 2, 3]),
], ids=str)
def test_keywords_are_refused_in_mujocos_words(values):
    told = []
    for engine in (mujoco, corten):
        with pytest.raises((TypeError, ValueError)) as error:
            engine.MjSpec().worldbody.add_geom(**values)
        told.append((error.type, str(error.value)))
    assert told[1] == told[0]


@pytest.mark.parametrize("values", [
    dict(intprm=[1, 0, 0]), dict(intprm=[0, 0, 1]), dict(intprm=[1 << 10, 0, 1]), dict(intprm=[(1 << 10) | 1, 0, 1]),
    dict(intprm=[1, 4, 1]), dict(objtype="CAMERA", objname="cam"), dict(reftype="CAMERA", refname="cam"),
], ids=str)
def test_contact_sensors_are_refused_in_mujocos_words(values):
    told = []
    for engine in (mujoco, corten):
        spec = engine.MjSpec()
        spec.worldbody.add_camera(name="cam")
        kinds = {k: getattr(engine.mjtObj, f"mjOBJ_{values[k]}") for k in ("objtype", "reftype") if k in values}
        spec.add_sensor(type=engine.mjtSensor.mjSENS_CONTACT, **{**values, **kinds})
        with pytest.raises(ValueError) as error:
            spec.compile()
        told.append(str(error.value).splitlines()[0].removesuffix(" in sensor"))
    # Where MuJoCo adds what it found, the finding below says so here.
    assert told[0].startswith(told[1])
