"""Plugins: fields, specs, saving and results against MuJoCo; gain models of the package's own."""
import os
import pathlib
import warnings

import mujoco
import numpy as np
import pytest

import corten
import corten.mujoco as mj

FIELDS = ("nplugin", "npluginattr", "npluginstate", "plugin", "plugin_attr", "plugin_attradr", "plugin_stateadr",
          "plugin_statenum", "body_plugin", "geom_plugin", "actuator_plugin", "sensor_plugin", "name_pluginadr", "sensor_dim",
          "sensor_adr", "sensor_needstage", "nsensordata", "na", "actuator_actadr", "actuator_actnum")

SERVOS = """<mujoco><option timestep="0.005"/>
  <extension>
    <plugin plugin="mujoco.pid">
      <instance name="slow"><config key="kp" value="30"/><config key="kd" value="4"/></instance>
      <instance name="both"><config key="ki" value="20"/><config key="kp" value="30"/><config key="slewmax" value="2"/>
        <config key="imax" value="3"/></instance>
    </plugin>
    <plugin plugin="mujoco.sensor.touch_grid"/>
  </extension>
  <worldbody>
    <geom type="plane" size="2 2 .1"/>
    <body pos="0 0 .5"><joint name="a" axis="0 1 0" damping=".2"/><geom type="capsule" size=".04" fromto="0 0 0 .3 0 0"/>
      <body pos=".3 0 0"><joint name="b" axis="0 1 0" damping=".2"/><geom type="capsule" size=".04" fromto="0 0 0 .3 0 -.1"/>
        <site name="eye" pos=".3 0 -.1" zaxis="0 0 1"/></body></body>
    <body pos=".5 .1 .1"><freejoint/><geom type="box" size=".1 .1 .1"/></body>
  </worldbody>
  <actuator>
    <plugin joint="a" instance="slow"/>
    <plugin joint="b" instance="both" actdim="2" ctrlrange="-1 1"/>
    <plugin joint="b" plugin="mujoco.pid" dyntype="filter" dynprm=".05" actdim="2" actearly="true"><config key="kp" value="3"/>
      <config key="ki" value="1"/></plugin>
  </actuator>
  <sensor>
    <plugin plugin="mujoco.sensor.touch_grid" objtype="site" objname="eye" cutoff="8"><config key="size" value="9 7"/>
      <config key="fov" value="80 70"/><config key="gamma" value=".4"/><config key="nchannel" value="6"/></plugin>
  </sensor></mujoco>"""

CABLES = """<mujoco><option timestep="0.001"/>
  <extension><plugin plugin="mujoco.elasticity.cable"/></extension>
  <worldbody>
    <composite prefix="c" type="cable" curve="cos(s) sin(s) s" count="12 1 1" size="0.3 0.1 4" initial="none">
      <plugin plugin="mujoco.elasticity.cable"><config key="twist" value="1e7"/><config key="bend" value="4e6"/></plugin>
      <joint kind="main" damping="0.015"/><geom type="capsule" size=".005" density="1000"/></composite>
    <composite prefix="d" type="cable" curve="s 0 0" count="9 1 1" size="1" offset="0 0 1" initial="free">
      <plugin plugin="mujoco.elasticity.cable"><config key="twist" value="5e5"/><config key="bend" value="4e5"/>
        <config key="flat" value="true"/></plugin>
      <joint kind="main" damping="0.015"/><geom type="box" size=".01 .02 .004"/></composite>
  </worldbody></mujoco>"""


def agree(xml, steps, tolerance):
    """Equal fields, and equal trajectories for so many steps."""
    a, b = mujoco.MjModel.from_xml_string(xml), mj.MjModel.from_xml_string(xml)
    for name in FIELDS:
        np.testing.assert_array_equal(getattr(a, name), getattr(b, name), err_msg=name)
    x, y = mujoco.MjData(a), mj.MjData(b)
    np.testing.assert_array_equal(x.plugin, y.plugin)
    for k in range(steps):
        u = np.sin(0.05 * k + np.arange(a.nu))
        x.ctrl[:], y.ctrl[:] = u, u
        mujoco.mj_step(a, x)
        mj.mj_step(b, y)
    for name in ("qpos", "qvel", "act", "actuator_force", "sensordata", "qfrc_passive"):
        want, found = getattr(x, name), getattr(y, name)
        np.testing.assert_allclose(found, want, rtol=0, atol=tolerance * max(1, np.abs(want).max(initial=0)), err_msg=name)
    return b, y


def test_servos_and_touch_grids():
    model, data = agree(SERVOS, 300, 1e-7)
    assert np.any(data.sensordata), "it touches something"


def test_cables():
    agree(CABLES, 50, 1e-9)


@pytest.mark.parametrize("xml", [SERVOS, CABLES])
def test_saving(xml):
    """What is written is read again, here and by MuJoCo."""
    spec = mj.MjSpec.from_string(xml)
    text = spec.to_xml()
    want = mujoco.MjModel.from_xml_string(xml)
    for again in (mj.MjModel.from_xml_string(text), mujoco.MjModel.from_xml_string(text), spec.compile()):
        for name in ("plugin", "plugin_attr", "body_plugin", "actuator_plugin", "sensor_plugin"):
            np.testing.assert_array_equal(getattr(again, name), getattr(want, name), err_msg=name)


def test_specs():
    def build(mj):
        s = mj.MjSpec()
        s.activate_plugin("mujoco.elasticity.cable")
        plugin = s.add_plugin(name="steel", plugin_name="mujoco.elasticity.cable", active=True, info="a note")
        plugin.config = {"twist": "10", "bend": "1"}
        assert plugin.config == {"twist": "10", "bend": "1"} and plugin.info == "a note"
        body = s.worldbody.add_body()
        body.plugin = plugin
        body.plugin.name = "steel"
        body.plugin.active = True
        body.add_geom(type=mj.mjtGeom.mjGEOM_BOX, size=[1, 1, 1])
        return s

    models = [build(m).compile() for m in (mujoco, mj)]
    for name in FIELDS:
        np.testing.assert_array_equal(getattr(models[0], name), getattr(models[1], name), err_msg=name)
    s = build(mj)
    body = s.bodies[1]
    assert body.plugin.plugin_name == "mujoco.elasticity.cable" and body.plugin.config["bend"] == "1" and body.plugin.id == 0
    assert s.plugin("steel") is s.plugins[0]
    s.plugins[0].config = {"wrong": "1"}
    with pytest.raises(ValueError, match="has no attribute 'wrong'"):
        s.compile()
    s.delete(body)
    assert s.compile().nplugin == 0, "what nothing uses goes along"
    t = mj.MjSpec.from_string("<mujoco><extension><plugin plugin='mujoco.pid'><instance name='p'/></plugin></extension></mujoco>")
    t.delete(t.plugins[0])
    assert t.compile().nplugin == 0


def test_specs_with_instances_of_their_own():
    s = mj.MjSpec.from_string(SERVOS)
    own = s.actuators[2]
    assert own.plugin.active and own.plugin.name == "" and own.plugin.config == {"kp": "3", "ki": "1"}
    own.plugin.config = {"kp": "5", "ki": "2"}
    model = s.compile()
    assert b"5\x002\x00" in model.plugin_attr.astype("u1").tobytes()
    with pytest.raises(TypeError, match="Invalid zork keyword"):
        s.add_plugin(zork=1)


@pytest.mark.parametrize("change, message", [
    (('key="kp" value="30"', 'key="kp" value="thirty"'), "is not a number"),
    (('<config key="kp" value="30"/>', '<config key="kP" value="30"/>'), "has no attribute 'kP'"),
    (('instance="slow"', 'instance="none"'), "there is no instance 'none'"),
    (('plugin="mujoco.pid"', 'plugin="my.pid"'), "there is no plugin 'my.pid'"),
    (('actdim="2" ctrlrange', 'ctrlrange'), 'actdim="2"'),
    (('value="9 7"', 'value="9"'), "'size' must give two"),
])
def test_errors(change, message):
    with pytest.raises(ValueError, match=message):
        mj.MjModel.from_xml_string(SERVOS.replace(*change))


def test_sleeping_batches_rollouts_and_pickles_have_them():
    import pickle
    model = corten.load_model(SERVOS)
    data = model.make_data()
    data.ctrl[:] = 0.3, 0.5, 0.2
    again = pickle.loads(pickle.dumps(model))
    other = again.make_data()
    other.ctrl[:] = data.ctrl
    batch = corten.BatchSim(model, 5)
    batch.ctrl[:] = data.ctrl
    for _ in range(40):
        data.step()
        other.step()
        batch.step()
    np.testing.assert_array_equal(data.qpos, other.qpos)
    for world in range(5):
        np.testing.assert_array_equal(batch.qpos[world], data.qpos)
        np.testing.assert_array_equal(batch.act[world], data.act)


# Gain models.

ARM = """<mujoco><option gravity="0 0 0"/>
  <worldbody><body><joint name="hip" axis="0 1 0"/><geom size=".1" pos=".5 0 0"/></body></worldbody>
  <actuator>
    <general name="sea" joint="hip" gaintype="custom" cortenforge:gain_model="series_elastic" cortenforge:gain_params="100 2 1"/>
    <motor name="motor" joint="hip"/>
  </actuator></mujoco>"""


def test_series_elastic_actuators():
    model = corten.load_model(ARM)
    data = model.make_data()
    data.qpos[0], data.qvel[0], data.ctrl[0] = 0.1, 0.2, 0.3
    data.forward()
    np.testing.assert_allclose(data.actuator_force[0], 100 * (0.3 - 0.1) - 2 * 0.2)
    model.set_actuator_gain("sea", corten.SeriesElastic(k_spring=50, damping=0, gear_ratio=2))
    data.forward()
    np.testing.assert_allclose(data.actuator_force[0], 50 * (0.6 - 0.1))
    copy = model.copy()
    twin = copy.make_data()
    twin.qpos[0], twin.ctrl[0] = 0.1, 0.3
    twin.forward()
    np.testing.assert_allclose(twin.actuator_force[0], 25)
    with pytest.raises(ValueError, match="activations"):
        model.set_actuator_gain("motor", corten.DcMotor(1, 1, 0.01))
    with pytest.raises(ValueError, match="negative"):
        model.set_actuator_gain("sea", corten.SeriesElastic(-1, 0, 1))
    model.set_actuator_gain("motor", mj.mjtGain.mjGAIN_FIXED)
    import pickle
    data = pickle.loads(pickle.dumps(model)).make_data()
    data.qpos[0], data.ctrl[0] = 0.1, 0.3
    data.forward()
    np.testing.assert_allclose(data.actuator_force[0], 25)


def test_gain_models_in_specs_and_batches():
    spec = mj.MjSpec.from_string(ARM)
    motor = spec.actuators[1]
    motor.gaintype, motor.gain_model, motor.gain_params = mj.mjtGain.mjGAIN_USER, "dc_motor", [0.5, 1, 0.01]
    model = spec.compile()
    assert model.na == 2
    data = mj.MjData(model)
    data.ctrl[:] = 0.1, 2
    batch = corten.BatchSim(model, 3)
    batch.ctrl[:] = data.ctrl
    for _ in range(50):
        mj.mj_step(model, data)
        batch.step()
    assert data.act[1] > 0.1
    for world in range(3):
        np.testing.assert_array_equal(batch.act[world], data.act)


def test_the_way_back():
    """Plain text is what MuJoCo loads; it tells what is lost."""
    spec = mj.MjSpec.from_string(ARM)
    with pytest.warns(corten.ModelWarning, match="series_elastic"):
        text = spec.to_xml(plain=True)
    assert mujoco.MjModel.from_xml_string(text).nu == 2
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        text = mj.MjSpec.from_string(SERVOS).to_xml(plain=True)
    assert mujoco.MjModel.from_xml_string(text).nplugin == 4


CORPUS = pathlib.Path(os.environ.get("CORTEN_CORPUS", pathlib.Path(__file__).resolve().parents[4] / "shared/corpus"))


@pytest.mark.skipif(not (CORPUS / "MODELS.txt").exists(), reason="no corpus at hand")
def test_plugins_of_public_models_survive_the_way_back():
    """Every public model with plugins, written as plain text, is loaded by MuJoCo as what it was."""
    lines = [line.split() for line in (CORPUS / "MODELS.txt").read_text().splitlines() if line]
    paths = [CORPUS / line[0] for line in lines if "nplugin=0" not in line]
    assert len(paths) == 15
    for path in paths:
        spec = mj.MjSpec.from_file(str(path))
        for folder in ("meshdir", "texturedir"):
            setattr(spec, folder, str(path.parent / getattr(spec, folder)))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            text = spec.to_xml(plain=True)
        want, found = mujoco.MjModel.from_xml_path(str(path)), mujoco.MjModel.from_xml_string(text)
        for name in FIELDS:
            np.testing.assert_array_equal(getattr(want, name), getattr(found, name), err_msg=f"{path.name}: {name}")


# Signed distance fields.

def shape(kind, config="", body=""):
    return f"""<mujoco><extension><plugin plugin="mujoco.sdf.{kind}"><instance name="s">{config}</instance></plugin></extension>
      <asset><mesh name="s"><plugin instance="s"/></mesh></asset>
      <worldbody><body pos="0 0 2">{body}<geom type="sdf" mesh="s"><plugin instance="s"/></geom></body></worldbody></mujoco>"""


@pytest.mark.parametrize("kind, config", [
    ("torus", ""), ("bowl", ""), ("bolt", ""), ("nut", ""), ("gear", ""),
    ("bowl", '<config key="thickness" value=".004"/><config key="height" value=".5"/>'),
    ("gear", '<config key="alpha" value="15"/><config key="teeth" value="12"/><config key="innerdiameter" value=".4"/>'),
])
def test_shapes_become_the_meshes_of_mujoco(kind, config):
    xml = shape(kind, config)
    a, b = mujoco.MjModel.from_xml_string(xml), mj.MjModel.from_xml_string(xml)
    for name in ("mesh_face", "mesh_vert", "mesh_normal", "mesh_pos", "mesh_quat", "geom_aabb", "geom_size", "body_mass",
                 "body_inertia", "geom_plugin", "plugin_attr"):
        want, found = getattr(a, name), getattr(b, name)
        assert want.shape == found.shape, name
        np.testing.assert_allclose(found, want, rtol=1e-6, atol=1e-6 * max(1, np.abs(want).max()), err_msg=name)


def test_shapes_touch_as_in_mujoco():
    """Gradients are difference quotients: contacts agree to their noise."""
    xml = shape("torus", body="<freejoint/>").replace(
        "</worldbody>", """<body pos=".3 0 2.2"><freejoint/><geom size=".15"/></body>
        <body pos="-.3 .05 2.22"><freejoint/><geom type="box" size=".1 .1 .1"/></body>
        <body pos="0 .3 2.2"><freejoint/><geom type="capsule" size=".05 .2"/></body>
        <geom type="plane" size="3 3 .1" pos="0 0 1.88"/></worldbody>""")
    a, b = mujoco.MjModel.from_xml_string(xml), mj.MjModel.from_xml_string(xml)
    x, y = mujoco.MjData(a), mj.MjData(b)
    mujoco.mj_forward(a, x)
    mj.mj_forward(b, y)
    assert x.ncon == y.ncon > 10
    for name in ("geom1", "geom2", "dist", "pos", "frame"):
        np.testing.assert_allclose(getattr(y.contact, name), getattr(x.contact, name), rtol=0, atol=1e-6, err_msg=name)


@pytest.mark.parametrize("subgrid", [0, 1, 2, 3, 6])
@pytest.mark.parametrize("count", [4, 9])
def test_the_skin_of_a_cable(subgrid, count):
    """Bones, vertices and bicubic weights of a ribbon; MuJoCo keeps weights of 1e-16 that rounding leaves where others vanish."""
    text = f"""<mujoco><worldbody><composite type="cable" curve="s" count="{count} 1 1" size="1" initial="none">
      <joint kind="main" damping=".1"/><geom type="box" size=".05 .1 .01"/>
      <skin texcoord="true" subgrid="{subgrid}" rgba=".8 .2 .1 1"/></composite></worldbody></mujoco>"""
    want, found = (package.MjModel.from_xml_string(text) for package in (mujoco, mj))

    def weights(m):
        dense = np.zeros((m.nskinbone, m.nskinvert))
        bone = np.repeat(np.arange(m.nskinbone), m.skin_bonevertnum)
        dense[bone, m.skin_bonevertid] = m.skin_bonevertweight
        return dense

    np.testing.assert_allclose(weights(found), weights(want), rtol=1e-6, atol=1e-7)
    exact = subgrid in (0, 1, 3)
    for name in found._array_fields:
        if name.startswith("skin_") and (exact or not name.startswith("skin_bonevert")):
            np.testing.assert_allclose(getattr(found, name), getattr(want, name), rtol=1e-6, atol=1e-7, err_msg=name)


def test_a_ribbon_beyond_the_limit_is_refused():
    text = """<mujoco><worldbody><composite type="cable" curve="s" count="9 1 1" size="1" initial="none">
      <geom type="box" size=".05 .1 .01"/><skin subgrid="2000000000"/></composite></worldbody></mujoco>"""
    with pytest.raises(ValueError, match="points"):
        mj.MjModel.from_xml_string(text)
