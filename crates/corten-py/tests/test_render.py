"""Pictures: the classes and functions that MuJoCo's renderers use, here without a graphics library."""
import os
import pathlib
import subprocess
import sys
import weakref
import zlib

import numpy as np
import pytest

import corten
import corten.mujoco as mj

BOX = """
<mujoco>
  <asset><texture name="t" type="2d" builtin="checker" rgb1="1 0 0" rgb2="0 0 1" width="8" height="8"/>
    <material name="m" texture="t"/></asset>
  <worldbody>
    <light pos="0 0 3" dir="0 0 -1"/>
    <camera name="closeup" pos="0 -6 0" xyaxes="1 0 0 0 1 100"/>
    <geom name="box" type="box" size="1 1 1" rgba="1 1 1 1"/>
    <body name="ball" pos="3 0 0"><freejoint/><geom size=".5" rgba="0 1 0 1" material="m"/></body>
  </worldbody>
</mujoco>
"""


@pytest.fixture
def state():
    model = mj.MjModel.from_xml_string(BOX)
    data = mj.MjData(model)
    mj.mj_forward(model, data)
    return model, data


def test_colours_depth_and_segmentation_of_one_scene(state):
    model, data = state
    with mj.Renderer(model, 60, 80) as renderer:
        renderer.update_scene(data, "closeup")
        colours = renderer.render()
        assert colours.shape == (60, 80, 3) and colours.dtype == np.uint8
        assert colours[30, 40].min() > 50
        renderer.enable_depth_rendering()
        depth = renderer.render()
        assert depth.dtype == np.float32
        assert depth[30, 40] == pytest.approx(5, rel=1e-3)
        renderer.enable_segmentation_rendering()
        objects = renderer.render()
        assert tuple(objects[30, 40]) == (0, mj.mjtObj.mjOBJ_GEOM)
        assert tuple(objects[0, 0]) == (-1, -1)
        assert not renderer.scene.flags[mj.mjtRndFlag.mjRND_SEGMENT]
        renderer.disable_segmentation_rendering()
        out = np.zeros((60, 80, 3), np.uint8)
        assert renderer.render(out=out) is out
        np.testing.assert_array_equal(out, colours)
        with pytest.raises(ValueError, match="out.shape"):
            renderer.render(out=np.zeros((80, 60, 3), np.uint8))
    with pytest.raises(RuntimeError, match="after close"):
        renderer.render()


def test_wrong_sizes_and_cameras_are_errors(state):
    model, data = state
    with pytest.raises(ValueError, match="framebuffer width"):
        mj.Renderer(model, 10, 641)
    with mj.Renderer(model, 10, 10) as renderer:
        with pytest.raises(ValueError, match='"x" does not exist'):
            renderer.update_scene(data, "x")
        with pytest.raises(ValueError, match="out of range"):
            renderer.update_scene(data, 7)


def test_the_low_level_functions(state):
    model, data = state
    gl = mj.GLContext(64, 48)
    gl.make_current()
    context = mj.MjrContext(model, mj.mjtFontScale.mjFONTSCALE_100)
    assert (context.offWidth, context.offHeight, context.fontScale) == (640, 480, 100)
    assert context.charHeight > 10 and context.charWidth[ord("W")] > context.charWidth[ord("i")]
    assert tuple(mj.mjr_maxViewport(context)) == (0, 0, 64, 48)
    mj.mjr_setBuffer(mj.mjtFramebuffer.mjFB_OFFSCREEN, context)
    assert mj.mjr_maxViewport(context).width == 640
    whole = mj.MjrRect(0, 0, 640, 480)
    mj.mjr_rectangle(whole, 0, 0, 0, 1)
    mj.mjr_rectangle(mj.MjrRect(10, 20, 30, 40), 1, 0, 0, 1)
    pixels = np.empty((480, 640, 3), np.uint8)
    mj.mjr_readPixels(pixels, None, whole, context)
    expected = np.zeros_like(pixels)
    expected[20:60, 10:40, 0] = 255
    np.testing.assert_array_equal(pixels, expected)
    mj.mjr_drawPixels(np.full((480, 640, 3), 7, np.uint8).ravel(), None, whole, context)
    mj.mjr_overlay(mj.mjtFont.mjFONT_NORMAL, mj.mjtGridPos.mjGRID_TOPLEFT, whole, "first\nsecond", "1\n2", context)
    mj.mjr_readPixels(pixels, None, whole, context)
    assert (pixels[-20:, :60] != 7).any() and (pixels[:200] == 7).all()
    mj.mjr_label(mj.MjrRect(0, 0, 100, 40), mj.mjtFont.mjFONT_BIG, "ab", 0, 0, 0, 1, 1, 1, 1, context)
    mj.mjr_text(mj.mjtFont.mjFONT_SHADOW, "text", context, 0.5, 0.5, 1, 1, 1)
    assert mj.mjr_findRect(5, 5, 2, [mj.MjrRect(0, 0, 2, 2), mj.MjrRect(4, 4, 3, 3)]) == 1
    mj.mjr_addAux(1, 32, 16, 0, context)
    mj.mjr_setAux(1, context)
    mj.mjr_rectangle(mj.MjrRect(0, 0, 32, 16), 0, 1, 0, 1)
    mj.mjr_restoreBuffer(context)
    mj.mjr_blitAux(1, mj.MjrRect(0, 0, 32, 16), 100, 100, context)
    mj.mjr_readPixels(pixels, None, whole, context)
    assert tuple(pixels[105, 105]) == (0, 255, 0)
    with pytest.raises(mj.FatalError):
        mj.mjr_setAux(11, context)
    with pytest.raises(mj.FatalError, match="elements"):
        mj.mjr_readPixels(pixels, None, mj.MjrRect(0, 0, 10, 10), context)
    context.free()
    context.free()
    with pytest.raises(mj.FatalError):
        mj.mjr_render(whole, mj.MjvScene(model, 10), context)


def test_figures_note_their_axes(state):
    model, _ = state
    context = mj.MjrContext(model, 100)
    mj.mjr_setBuffer(1, context)
    figure = mj.MjvFigure()
    figure.title = "title"
    figure.linename[0] = b"line"
    figure.linepnt[0] = 3
    figure.linedata[0][:6] = [0, 0, 1, 2, 2, 17]
    figure.range[:] = 0
    mj.mjr_figure(mj.MjrRect(0, 0, 200, 150), figure, context)
    assert tuple(figure.xaxisdata) == (0, 2) and tuple(figure.yaxisdata) == (0, 20)
    assert 0 < figure.xaxispixel[0] < figure.xaxispixel[1] < 200


def test_changed_textures_and_meshes_are_seen_after_an_upload(state):
    model, data = state
    with mj.Renderer(model, 48, 64) as renderer:
        camera = mj.MjvCamera()
        camera.lookat[:] = 3, 0, 0
        camera.distance = 2
        renderer.update_scene(data, camera)
        before = renderer.render()
        model.tex_data[:] = 0
        np.testing.assert_array_equal(renderer.render(), before)
        mj.mjr_uploadTexture(model, renderer._mjr_context, 0)
        assert renderer.render().mean() < before.mean()
        with pytest.raises(mj.FatalError, match="invalid mesh index"):
            mj.mjr_uploadMesh(model, renderer._mjr_context, 3)


def test_submodules_that_others_import():
    import importlib
    for name in ("egl", "glfw", "osmesa"):
        assert importlib.import_module(f"corten.mujoco.{name}").GLContext is mj.GLContext
    assert importlib.import_module("corten.mujoco.renderer").Renderer is mj.Renderer
    assert importlib.import_module("corten.mujoco.gl_context").GLContext is mj.GLContext


def test_batches_draw_each_of_their_worlds(state):
    model, _ = state
    batch = corten.BatchSim(model, 3)
    batch.qpos[1, 0] -= 3
    pictures = batch.render(width=40, height=30)
    assert pictures.shape == (3, 30, 40, 3)
    np.testing.assert_array_equal(pictures[0], pictures[2])
    assert (pictures[0] != pictures[1]).any()
    np.testing.assert_array_equal(batch.render([1], width=40, height=30)[0], pictures[1])


def test_notebooks_get_pictures_and_videos(state, tmp_path):
    model, data = state
    picture = corten.picture(model, data, width=32, height=24)
    png = picture._repr_png_()
    start = png.index(b"IDAT") + 4
    length = int.from_bytes(png[start - 8:start - 4], "big")
    rows = np.frombuffer(zlib.decompress(png[start:start + length]), np.uint8).reshape(24, 1 + 3 * 32)
    np.testing.assert_array_equal(rows[:, 1:].reshape(24, 32, 3), picture.pixels)
    video = corten.Video([picture.pixels, 255 - picture.pixels], fps=10)
    assert "data:image/png;base64," in video._repr_html_()
    video.save(tmp_path / "a.png")
    assert (tmp_path / "a.png").read_bytes().count(b"fcTL") == 2
    with pytest.raises(ValueError, match="ends in"):
        video.save(tmp_path / "a.avi")


def test_the_current_context_is_kept_by_its_owner_alone(state):
    m, _ = state
    context = mj.MjrContext(m, 150)
    mj.mjr_setBuffer(mj.mjtFramebuffer.mjFB_OFFSCREEN, context)
    seen = weakref.ref(context)
    del context
    assert seen() is None
    with pytest.raises(mj.FatalError, match="no context is current"):
        mj.mjr_rectangle(mj.MjrRect(0, 0, 4, 4), 1, 0, 0, 1)


GYMNASIUM = """
import sys

class NotInstalled:
    @staticmethod
    def find_spec(name, path=None, target=None):
        hidden = name.split(".")[0] in ("glfw", "OpenGL") and name not in sys.modules
        return None if not hidden else sys.meta_path[-1].find_spec(name) or missing(name)

def missing(name):
    raise ModuleNotFoundError(name, name=name)

import corten.mujoco
corten.mujoco.install()
sys.meta_path.insert(0, NotInstalled)
import gymnasium
env = gymnasium.make("Humanoid-v5", render_mode="rgb_array")
env.reset(seed=1)
picture = env.render()
assert picture.shape == (480, 480, 3) and len(set(picture.ravel().tolist())) > 50
env.close()
libraries = {line.split()[-1].rsplit("/", 1)[-1] for line in open("/proc/self/maps") if "/" in line}
graphics = [name for name in libraries if name.lower().startswith(("libgl", "libegl", "libosmesa", "libgallium", "libglfw", "libmujoco"))]
assert not graphics, graphics
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="libraries of a process are listed by Linux")
def test_gymnasium_draws_without_any_graphics_library():
    pytest.importorskip("gymnasium")
    done = subprocess.run([sys.executable, "-c", GYMNASIUM], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr


PICTURE = """
import sys, corten.mujoco as mj
m = mj.MjModel.from_xml_path(sys.argv[1])
d = mj.MjData(m)
mj.mj_forward(m, d)
with mj.Renderer(m, 120, 160) as r:
    r.update_scene(d)
    sys.stdout.buffer.write(r.render().tobytes())
    r.enable_depth_rendering()
    sys.stdout.buffer.write(r.render().tobytes())
"""


def test_pictures_do_not_depend_on_the_registers():
    scene = pathlib.Path(__file__).parents[3] / "scenes" / "humanoid.xml"
    pictures = [subprocess.run([sys.executable, "-c", PICTURE, str(scene)], env={**os.environ, "CORTEN_SIMD": simd},
                               capture_output=True, check=True).stdout for simd in ("", "baseline")]
    assert len(pictures[0]) == 120 * 160 * (3 + 4) and pictures[0] == pictures[1]
