"""The viewer: what its page gets, what comes back, and who is kept out. No browser is needed."""
import threading, time

import numpy as np
import pytest

import corten.mujoco as mujoco
from corten.mujoco import viewer
from pages import Page, get

MODEL = """
<mujoco>
  <asset>
    <texture name="paint" type="2d" builtin="flat" rgb1="1 0 0" width="4" height="4"/>
    <material name="paint" texture="paint"/>
    <mesh name="wedge" vertex="0 0 0  1 0 0  0 1 0  0 0 1"/>
    <hfield name="hills" nrow="3" ncol="3" size="1 1 .1 .1"/>
  </asset>
  <worldbody>
    <light pos="0 0 3"/>
    <geom name="floor" type="plane" size="2 2 .1" material="paint"/>
    <geom name="hill" type="hfield" hfield="hills" pos="4 0 0"/>
    <body name="ball" pos="0 0 1"><freejoint/><geom size=".1"/></body>
    <body name="arm" pos="1 0 1"><joint name="hinge" axis="0 1 0"/><geom type="mesh" mesh="wedge" contype="0" conaffinity="0"/></body>
    <body name="target" mocap="true" pos="0 1 1"><geom size=".05" contype="0" conaffinity="0"/></body>
  </worldbody>
  <equality><joint joint1="hinge" active="false"/></equality>
  <actuator><motor name="push" joint="hinge" ctrlrange="-1 1"/></actuator>
  <keyframe><key name="up" time="3"/></keyframe>
</mujoco>
"""
VIEW = {"pos": [0, -3, 1], "forward": [0, 1, 0], "up": [0, 0, 1], "half": 0.4, "aspect": 1.5}


@pytest.fixture(autouse=True)
def built(monkeypatch):
    """As if the page had been made: these tests need none."""
    monkeypatch.setattr(viewer._corten, "page_is_built", lambda: True)


@pytest.fixture
def shown():
    model = mujoco.MjModel.from_xml_string(MODEL)
    data = mujoco.MjData(model)
    with viewer.launch_passive(model, data, browser=False) as handle:
        with Page(handle.url) as page:
            page.until()
            yield handle, page


def until(condition):
    """Waits for what another thread does."""
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


def synced(handle, condition):
    def done():
        handle.sync()
        return condition()
    until(done)


def test_a_page_shows_what_is_synced(shown):
    handle, page = shown
    assert page.model["bodies"] == ["world", "ball", "arm", "target"] and page.model["keys"] == ["up"]
    for _ in range(20):
        mujoco.mj_step(handle.m, handle.d)
    assert handle.m is not None and handle.d.time > 0
    handle.sync()
    assert page.until(lambda state: state["time"] == handle.d.time)["ncon"] == handle.d.ncon
    handle.d.qpos[2] = 2
    mujoco.mj_forward(handle.m, handle.d)
    handle.sync(state_only=True)
    page.send("select_body", id=1)
    selected = lambda state: state["selection"] and state["selection"]["pos"][2] == 2
    assert page.until(selected)["selection"]["name"] == "ball"
    handle.m.geom_rgba[2] = [0, 1, 0, 1]
    handle.sync()
    colour = np.array([0, 1, 0, 1], dtype=np.float32).tobytes()
    page.until(lambda state: colour in page.frame)


def test_what_pages_ask_for_comes_with_sync(shown):
    handle, page = shown
    d, m = handle.d, handle.m
    page.send("ctrl", id=0, value=0.5)
    synced(handle, lambda: d.ctrl[0] == 0.5)
    page.send("clear_ctrl")
    synced(handle, lambda: d.ctrl[0] == 0)
    page.send("joint", id=1, value=0.25)
    synced(handle, lambda: d.qpos[7] == 0.25)
    page.send("key", id=0)
    synced(handle, lambda: d.time == 3)
    page.send("reset")
    synced(handle, lambda: d.time == 0 and d.qpos[7] == 0)
    page.send("equality", id=0, on=True)
    synced(handle, lambda: d.eq_active[0] == 1)
    gravity = int(mujoco.mjtDisableBit.mjDSBL_GRAVITY)
    page.send("disable", bit=gravity, on=True)
    synced(handle, lambda: m.opt.disableflags & gravity)
    page.send("actuators", group=0, on=False)
    synced(handle, lambda: m.opt.disableactuator == 1)
    # Nonsense changes nothing.
    for nonsense in ({"do": "ctrl", "id": 99, "value": 1}, {"do": "key", "id": 99}, {"do": "joint", "id": 0, "value": 1}):
        page.send(**nonsense)
    page.send("ctrl", id=0, value=1)
    synced(handle, lambda: d.ctrl[0] == 1)
    assert d.time == 0 and d.qpos[0] == 0


def test_options_cameras_and_flags_go_both_ways(shown):
    handle, page = shown
    contacts = int(mujoco.mjtVisFlag.mjVIS_CONTACTPOINT)
    handle.opt.flags[contacts] = True
    handle.sync()
    page.until(lambda state: state["opt"]["vis"][contacts] == 1)
    page.send("vis", id=0, on=True)
    synced(handle, lambda: handle.opt.flags[0] == 1)
    assert handle.opt.flags[contacts] == 1
    handle.cam.distance = 7.5
    handle.sync()
    assert page.until(lambda state: state.get("camera"))["camera"]["distance"] == 7.5
    page.send("camera", type=1, fixed=-1, tracked=1, lookat=[1, 2, 3], distance=4, azimuth=5, elevation=6)
    synced(handle, lambda: handle.cam.azimuth == 5)
    assert list(handle.cam.lookat) == [1, 2, 3] and handle.cam.trackbodyid == 1
    wire = int(mujoco.mjtRndFlag.mjRND_WIREFRAME)
    handle.user_scn.flags[wire] = 1
    handle.sync()
    page.until(lambda state: state["opt"]["render"][wire] == 1)
    page.send("render", id=wire, on=False)
    synced(handle, lambda: handle.user_scn.flags[wire] == 0)
    page.send("viewport", width=640, height=480)
    until(lambda: handle.viewport.width == 640)


def test_a_body_is_pulled_by_the_mouse(shown):
    handle, page = shown
    page.send("select_body", id=1)
    page.send("pull", view=VIEW, bits=1)
    page.send("move", view=VIEW, action=3, dx=0.0, dy=-0.3)
    synced(handle, lambda: handle.d.xfrc_applied[1].any())
    assert handle.perturb.select == 1 and handle.perturb.active == 1
    assert handle.d.xfrc_applied[1, 2] > 0
    page.send("release")
    synced(handle, lambda: not handle.d.xfrc_applied.any())
    page.send("select_body", id=3)
    page.send("pull", view=VIEW, bits=1)
    page.send("move", view=VIEW, action=3, dx=0.0, dy=-0.3)
    synced(handle, lambda: handle.d.mocap_pos[0, 2] > 1.01)


def test_overlays(shown):
    handle, page = shown
    handle.set_texts((None, None, "left", None))
    over = lambda state: state["overlays"]
    assert page.until(lambda state: over(state)["texts"])["overlays"]["texts"] == [[150, 0, "left", ""]]
    handle.clear_texts()
    page.until(lambda state: not over(state)["texts"])
    figure = mujoco.MjvFigure()
    figure.title = "height"
    figure.linepnt[0] = 2
    figure.linedata[0][:4] = [0, 1, 2, 3]
    handle.set_figures((mujoco.MjrRect(1, 2, 200, 100), figure))
    rect, drawn = page.until(lambda state: over(state)["figures"])["overlays"]["figures"][0]
    assert rect == [1, 2, 200, 100] and drawn["title"] == "height" and drawn["lines"][0]["points"] == [[0, 1], [2, 3]]
    handle.clear_figures()
    image = np.arange(24, dtype=np.uint8).reshape(2, 4, 3)
    handle.set_images([(mujoco.MjrRect(0, 0, 4, 2), image)])
    page.until(lambda state: over(state)["images"] == [[0, 0, 4, 2]])
    assert page.asset("image", 0) == (200, image.tobytes())
    with pytest.raises(ValueError, match="does not match target shape"):
        handle.set_images((mujoco.MjrRect(0, 0, 5, 2), image))
    handle.clear_images()
    page.until(lambda state: not over(state)["images"])
    assert page.asset("image", 0)[0] == 404


def test_geoms_of_the_caller(shown):
    handle, page = shown
    before = page.geoms()
    mujoco.mjv_initGeom(handle.user_scn.geoms[0], mujoco.mjtGeom.mjGEOM_SPHERE, [0.1] * 3, [0, 0, 2], np.eye(3).ravel(), [1, 0, 0, 1])
    handle.user_scn.ngeom = 1
    handle.sync()
    page.until(lambda state: page.geoms() == before + 1)


def test_tendons_are_drawn():
    model = mujoco.MjModel.from_xml_string("""
      <mujoco><worldbody><site name="a" pos="0 0 1"/><body><joint/><geom size=".1"/><site name="b" pos=".5 0 0"/></body></worldbody>
      <tendon><spatial><site site="a"/><site site="b"/></spatial></tendon></mujoco>""")
    with viewer.launch_passive(model, mujoco.MjData(model), browser=False) as handle, Page(handle.url) as page:
        tendons = int(mujoco.mjtVisFlag.mjVIS_TENDON)
        page.until(lambda state: state["opt"]["vis"][tendons] == 1)
        drawn = page.geoms()
        page.send("vis", id=tendons, on=False)
        page.until(lambda state: state["opt"]["vis"][tendons] == 0)
        assert page.geoms() == drawn - 1


def test_meshes_height_fields_and_textures_are_updated(shown):
    handle, page = shown
    handle.m.tex_data[:] = 7
    handle.update_texture(0)
    page.until(lambda state: state["versions"] == {"texture 0": 1})
    assert set(page.asset("texture", 0)[1]) == {7}
    handle.m.hfield_data[:] = 0.5
    handle.update_hfield(0)
    page.until(lambda state: "hfield 0" in state["versions"])
    assert np.frombuffer(page.asset("hfield", 0)[1], dtype=np.float32).tolist() == [0.5] * 9
    handle.m.mesh_vert[:] *= 2
    handle.update_mesh(0)
    page.until(lambda state: "mesh 0" in state["versions"])
    for update in (handle.update_mesh, handle.update_hfield, handle.update_texture):
        with pytest.raises(IndexError):
            update(5)


def test_keys_call_back_without_sync():
    model = mujoco.MjModel.from_xml_string(MODEL)
    pressed = []
    with viewer.launch_passive(model, mujoco.MjData(model), key_callback=pressed.append, browser=False) as handle:
        with Page(handle.url) as page:
            page.send("pressed", code=32)
            page.send("pressed", code=265)
            until(lambda: pressed == [32, 265])


def test_closing(monkeypatch):
    model = mujoco.MjModel.from_xml_string(MODEL)
    data = mujoco.MjData(model)
    with viewer.launch_passive(model, data, browser=False) as handle:
        assert handle.is_running()
        with handle.lock():
            handle.sync()
    assert not handle.is_running()
    # All of it is allowed afterwards, and does nothing.
    handle.sync()
    handle.update_mesh(0)
    with handle.lock():
        pass
    handle.close()
    with viewer.launch_passive(model, data, browser=False) as handle, Page(handle.url) as page:
        page.send("quit")
        until(lambda: not handle.is_running())
    monkeypatch.setattr(viewer, "GRACE", 0.0)
    with viewer.launch_passive(model, data, browser=False) as handle:
        assert handle.is_running()
        with Page(handle.url) as page:
            page.until()
            assert handle.is_running()
        until(lambda: not handle.is_running())


def test_launch_simulates_until_it_is_closed(monkeypatch):
    addresses, loads = [], []
    monkeypatch.setattr(viewer, "_announce", lambda url, *_: addresses.append(url))

    def load():
        loads.append(None)
        if len(loads) == 3:
            raise ValueError("the file is broken")
        model = mujoco.MjModel.from_xml_string(MODEL.replace("ball", "x" * len(loads)))
        return model, mujoco.MjData(model)

    thread = threading.Thread(target=viewer.launch, kwargs={"loader": load})
    thread.start()
    until(lambda: addresses)
    with Page(addresses[0]) as page:
        page.until(lambda state: state["playing"] and state["time"] > 0.05)
        page.send("play", on=False)
        page.until(lambda state: not state["playing"])
        page.send("reset")
        page.until(lambda state: state["time"] == 0)
        page.send("step", count=3)
        page.until(lambda state: abs(state["time"] - 0.006) < 1e-9)
        page.send("speed", factor=0.5)
        page.until(lambda state: state["speed"] == 0.5)
        page.send("reload")
        page.until(lambda state: page.model["bodies"][1] == "xx")
        page.send("reload")
        page.until(lambda state: state["failure"] == "the file is broken")
        page.send("quit")
    thread.join(60)
    assert not thread.is_alive()


def test_arguments_are_checked(monkeypatch):
    model = mujoco.MjModel.from_xml_string(MODEL)
    data = mujoco.MjData(model)
    with pytest.raises(ValueError, match="mjModel is not"):
        viewer.launch(data=data)
    with pytest.raises(ValueError, match="both specified"):
        viewer.launch(model, loader=lambda: (model, data))
    with pytest.raises(ValueError, match="loader is used"):
        viewer.launch(lambda: (model, data), data)
    with pytest.raises(ValueError, match="not a mujoco.MjModel"):
        viewer.launch_passive("model", data)
    with pytest.raises(ValueError, match="not a mujoco.MjData"):
        viewer.launch_passive(model, None)
    with pytest.raises(ValueError, match="not callable"):
        viewer.launch_passive(model, data, key_callback=3)
    with pytest.raises(ValueError, match="no IP address"):
        viewer.launch_passive(model, data, host="somewhere")
    with pytest.raises(ValueError, match="missing.xml"):
        viewer.launch_from_path("missing.xml")
    monkeypatch.setattr(viewer._corten, "page_is_built", lambda: False)
    with pytest.raises(RuntimeError, match="./tools/web"):
        viewer.launch(model, data)
    with pytest.warns(UserWarning, match="./tools/web"):
        viewer.launch_passive(model, data, browser=False).close()


def test_a_busy_port_and_strangers(shown):
    handle, page = shown
    port = page.url.port
    with pytest.raises(OSError, match=f"port {port} of 127.0.0.1 is in use"):
        viewer.launch_passive(handle.m, handle.d, port=port, browser=False)
    bare = f"http://127.0.0.1:{port}/"
    assert get(bare)[0] == 403 and get(bare + "?token=0")[0] == 403
    assert get(handle.url, Origin="http://evil.example")[0] == 403
    assert get(handle.url, Host="evil.example")[0] == 403
    for headers in ({"Origin": "http://evil.example"}, {"Host": "evil.example", "Origin": "http://evil.example"}):
        with Page(handle.url, **headers) as stranger:
            assert stranger.status == 403
    with Page(handle.url.split("?")[0] + "?token=wrong") as stranger:
        assert stranger.status == 403
