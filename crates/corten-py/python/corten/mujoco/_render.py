"""Pictures: MuJoCo's MjrContext, MjrRect and the mjr functions, without a graphics library."""
import threading
import weakref

import numpy as np

from .. import _corten
from ._records import describe


class MjrRect:
    """OpenGL rectangle: left, bottom, width, height in pixels."""

    __slots__ = ("left", "bottom", "width", "height")

    def __init__(self, left, bottom, width, height):
        self.left, self.bottom, self.width, self.height = (int(x) for x in (left, bottom, width, height))

    def __iter__(self):
        return iter((self.left, self.bottom, self.width, self.height))

    def __copy__(self):
        return MjrRect(*self)

    def __deepcopy__(self, memo):
        return MjrRect(*self)

    def __reduce__(self):
        return MjrRect, tuple(self)

    def __eq__(self, other):
        return isinstance(other, MjrRect) and tuple(self) == tuple(other)

    __hash__ = None

    def __repr__(self):
        return describe("MjrRect", ((name, getattr(self, name)) for name in sorted(self.__slots__)))


_NUMBERS = (
    "lineWidth", "shadowClip", "shadowScale", "fogStart", "fogEnd", "shadowSize", "offWidth", "offHeight", "offSamples",
    "fontScale", "charHeight", "charHeightBig",
)
# Names of graphics objects, of which there are none.
_OBJECTS = (
    "offFBO", "offFBO_r", "offColor", "offColor_r", "offDepthStencil", "offDepthStencil_r", "shadowFBO", "shadowTex",
    "basePlane", "baseMesh", "baseHField", "baseBuiltin", "baseFontNormal", "baseFontShadow", "baseFontBig", "rangePlane",
    "rangeMesh", "rangeHField", "rangeBuiltin", "rangeFont", "windowSamples", "windowStereo", "windowDoublebuffer",
)
_RGB = 0x1907
_OFFSCREEN = 1
_ZERO_FAR = 1
_AUX = 10


class MjrContext:
    """What scenes of a model are drawn with: its meshes, textures and images."""

    def __init__(self, model=None, fontscale=150):
        for name in (*_NUMBERS, *_OBJECTS):
            setattr(self, name, 0)
        self.fogRGBA = np.zeros(4, np.float32)
        self.charWidth, self.charWidthBig = np.zeros(127, np.int32), np.zeros(127, np.int32)
        for name in ("auxWidth", "auxHeight", "auxSamples"):
            setattr(self, name, np.zeros(_AUX, np.int32))
        for name in ("auxFBO", "auxFBO_r", "auxColor", "auxColor_r"):
            setattr(self, name, np.zeros(_AUX, np.uint32))
        self.mat_texid, self.mat_texuniform = np.full(10000, -1, np.int32), np.zeros(1000, np.int32)
        self.mat_texrepeat = np.zeros(2000, np.float32)
        self.ntexture = self.nskin = 0
        self.textureType, self.texture = np.zeros(1000, np.int32), np.zeros(1000, np.uint32)
        self.glInitialized = self.windowAvailable = 0
        self.currentBuffer = self.readDepthMap = 0
        self.readPixelFormat = _RGB
        self._native = None
        if model is not None:
            self._make(model, int(fontscale))

    def _make(self, model, fontscale):
        self._native = _corten.RenderContext(model, fontscale)
        self._show()
        self.fogRGBA[:] = model.vis.rgba.fog
        self.ntexture, self.nskin = model.ntex, model.nskin
        self.textureType[:model.ntex] = model.tex_type[:1000]
        self.texture[:model.ntex] = np.arange(1, model.ntex + 1)[:1000]
        count = min(model.nmat, 1000)
        self.mat_texid[:10 * count] = model.mat_texid[:count].ravel()
        self.mat_texuniform[:count] = model.mat_texuniform[:count]
        self.mat_texrepeat[:2 * count] = model.mat_texrepeat[:count].ravel()
        self.glInitialized = self.windowAvailable = 1
        self.offFBO = self.shadowFBO = self.shadowTex = 1
        self._native.resize(*_window_size(), False)
        mjr_setBuffer(0, self)

    def _show(self):
        for name, value in self._native.numbers().items():
            if name in ("charWidth", "charWidthBig"):
                getattr(self, name)[:] = value
            elif name != "fogRGBA":
                setattr(self, name, value)

    def _drawn(self):
        """The context, with what was written to its attributes."""
        if self._native is None:
            raise _corten.FatalError("the context has no model, or has been freed")
        shadow = (self.shadowClip, self.shadowScale, int(self.shadowSize))
        fog = (self.fogStart, self.fogEnd, [float(x) for x in self.fogRGBA[:3]])
        self._native.set_numbers(self.lineWidth, shadow, fog, int(self.offSamples), _threads)
        return self._native

    def free(self):
        """Frees resources in current active OpenGL context, sets struct to default."""
        self._native = None


_current = threading.local()
_threads = 0


def _window_size():
    return getattr(_current, "window", None) or (640, 480)


def set_window(size):
    """Notes the size of the window that contexts of this thread are made for."""
    _current.window = size


def _make_current(context):
    """What is drawn without naming a context goes to this one, as long as its owner keeps it."""
    _current.context = weakref.ref(context)


def _now():
    context = getattr(_current, "context", lambda: None)()
    if context is None or context._native is None:
        raise _corten.FatalError("no context is current: call mjr_setBuffer first")
    return context._native


def _corners(viewport):
    return (int(viewport.left), int(viewport.bottom), int(viewport.width), int(viewport.height))


def mjr_setBuffer(framebuffer, con):
    """Set OpenGL framebuffer for rendering: mjFB_WINDOW or mjFB_OFFSCREEN."""
    con.currentBuffer = int(framebuffer)
    con._drawn().set_buffer(con.currentBuffer == _OFFSCREEN)
    _make_current(con)


def mjr_restoreBuffer(con):
    """Make con->currentBuffer current again."""
    con._drawn().restore()
    _make_current(con)


def mjr_changeFont(fontscale, con):
    """Change font of existing context."""
    con._drawn().change_font(int(fontscale))
    con._show()


def mjr_resizeOffscreen(width, height, con):
    """Resize offscreen buffers."""
    con._drawn().resize(int(width), int(height), True)
    con.offWidth, con.offHeight = int(width), int(height)


def mjr_addAux(index, width, height, samples, con):
    """Add Aux buffer with given index to context; free previous Aux buffer."""
    con._drawn().add_aux(_index(index), int(width), int(height))
    con.auxWidth[index], con.auxHeight[index], con.auxSamples[index] = width, height, samples
    con.auxFBO[index] = con.auxFBO_r[index] = con.auxColor[index] = con.auxColor_r[index] = int(width > 0 and height > 0)


def _index(index):
    if not 0 <= index < _AUX:
        raise _corten.FatalError("Invalid aux buffer index")
    return int(index)


def mjr_setAux(index, con):
    """Set Aux buffer for custom OpenGL rendering (call restoreBuffer when done)."""
    con._drawn().set_aux(_index(index))
    _make_current(con)


def mjr_blitAux(index, src, left, bottom, con):
    """Blit from Aux buffer to con->currentBuffer."""
    con._drawn().blit_aux(_index(index), _corners(src), int(left), int(bottom))


def mjr_blitBuffer(src, dst, flg_color, flg_depth, con):
    """Blit from src viewpoint in current framebuffer to dst viewport in other framebuffer."""
    con._drawn().blit(_corners(src), _corners(dst), bool(flg_color), bool(flg_depth))


def mjr_uploadMesh(m, con, meshid):
    """Upload mesh to GPU, overwriting previous upload if any."""
    con._drawn().upload(m, "mesh", int(meshid))


def mjr_uploadHField(m, con, hfieldid):
    """Upload height field to GPU, overwriting previous upload if any."""
    con._drawn().upload(m, "hfield", int(hfieldid))


def mjr_uploadTexture(m, con, texid):
    """Upload texture to GPU, overwriting previous upload if any."""
    con._drawn().upload(m, "texture", int(texid))


def mjr_readPixels(rgb, depth, viewport, con):
    """Read pixels from current OpenGL framebuffer to client buffer."""
    con._drawn().read_pixels(rgb, depth, _corners(viewport), con.readDepthMap == _ZERO_FAR, False)


def mjr_drawPixels(rgb, depth, viewport, con):
    """Draw pixels from client buffer to current OpenGL framebuffer."""
    con._drawn().draw_pixels(rgb, depth, _corners(viewport))


def mjr_maxViewport(con):
    """Get maximum viewport for active buffer."""
    return MjrRect(*con._drawn().max_viewport())


def mjr_render(viewport, scn, con):
    """Render 3D scene."""
    con._drawn().render(_corners(viewport), scn)


def _text(given):
    """Text, which may be bytes, or None for none."""
    return given.decode(errors="replace") if isinstance(given, bytes) else given or ""


def mjr_text(font, txt, con, x, y, r, g, b):
    """Draw text at (x,y) in relative coordinates; font is mjtFont."""
    con._drawn().text(int(font), _text(txt), (x, y), [r, g, b])


def mjr_overlay(font, gridpos, viewport, overlay, overlay2, con):
    """Draw text overlay; font is mjtFont; gridpos is mjtGridPos."""
    con._drawn().overlay(int(font), int(gridpos), _corners(viewport), _text(overlay), _text(overlay2))


def mjr_rectangle(viewport, r, g, b, a):
    """Draw rectangle."""
    _now().rectangle(_corners(viewport), [r, g, b, a])


def mjr_label(viewport, font, txt, r, g, b, a, rt, gt, bt, con):
    """Draw rectangle with centered text."""
    con._drawn().label(_corners(viewport), int(font), _text(txt), [r, g, b, a], [rt, gt, bt])


def mjr_figure(viewport, fig, con):
    """Draw 2D figure."""
    con._drawn().figure(_corners(viewport), fig)


def mjr_findRect(x, y, nrect, rect):
    """Find first rectangle containing mouse, -1: not found."""
    for i, r in enumerate(rect[:nrect] if isinstance(rect, (list, tuple)) else [rect][:nrect]):
        if r.left <= x < r.left + r.width and r.bottom <= y < r.bottom + r.height:
            return i
    return -1


def mjr_finish():
    """Call glFinish."""


def mjr_getError():
    """Call glGetError and return result."""
    return 0


for _class in (MjrContext, MjrRect):
    _class.__module__ = "corten.mujoco"
NAMES = {name: value for name, value in globals().items() if name.startswith(("mjr_", "Mjr"))}
