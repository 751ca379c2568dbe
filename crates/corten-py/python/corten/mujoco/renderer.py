"""Pictures of simulations, as NumPy arrays."""
import numpy as np

from .. import _corten
from . import _render, _visual
from ._enums import ENUM_TYPES
from .gl_context import GLContext

_TOO_LARGE = """Image {side} {size} > framebuffer {side} {limit}. Either reduce the image {side} or specify a larger
offscreen framebuffer in the model XML using the clause:
<visual>
  <global off{side}="my_{side}"/>
</visual>"""


class Renderer:
    """Renders scenes of a model.

    Like MuJoCo's class of that name, but it needs no display, no graphics card and no graphics library.
    """

    def __init__(self, model, height=240, width=320, max_geom=10000, font_scale=150):
        for side, size in (("width", width), ("height", height)):
            limit = getattr(model.vis.global_, "off" + side)
            if size > limit:
                raise ValueError(_TOO_LARGE.format(side=side, size=size, limit=limit))
        self._mjr_context = self._gl_context = None
        self._model, self._height, self._width = model, height, width
        self._scene = _visual.MjvScene(model=model, maxgeom=max_geom)
        self._scene_option = _visual.MjvOption()
        self._rect = _render.MjrRect(0, 0, width, height)
        self._gl_context = GLContext(width, height)
        self._gl_context.make_current()
        self._mjr_context = _render.MjrContext(model, int(getattr(font_scale, "value", font_scale)))
        _render.mjr_setBuffer(1, self._mjr_context)
        self._mjr_context.readDepthMap = ENUM_TYPES["mjtDepthMap"].mjDEPTH_ZEROFAR
        self._depth_rendering = self._segmentation_rendering = False

    @property
    def model(self):
        """The model."""
        return self._model

    @property
    def scene(self):
        """The scene that the next picture shows."""
        return self._scene

    @property
    def height(self):
        """Height of pictures in pixels."""
        return self._height

    @property
    def width(self):
        """Width of pictures in pixels."""
        return self._width

    def enable_depth_rendering(self):
        """`render` gives distances along the camera's axis."""
        self._segmentation_rendering, self._depth_rendering = False, True

    def disable_depth_rendering(self):
        """`render` gives colours."""
        self._depth_rendering = False

    def enable_segmentation_rendering(self):
        """`render` gives pairs of object id and object type, −1 where there is nothing."""
        self._segmentation_rendering, self._depth_rendering = True, False

    def disable_segmentation_rendering(self):
        """`render` gives colours."""
        self._segmentation_rendering = False

    def update_scene(self, data, camera=-1, scene_option=None):
        """Takes the state of a simulation into the scene.

        `camera` is an id, a name or an `MjvCamera`; −1 is the free camera of the model.
        """
        if not isinstance(camera, _visual.MjvCamera):
            camera = self._camera(camera)
        option = self._scene_option if scene_option is None else scene_option
        _corten.mjv_updateScene(self._model, data, option, None, camera, 7, self._scene)

    def _camera(self, which):
        number = which
        if isinstance(which, str):
            number = _corten.mj_name2id(self._model, ENUM_TYPES["mjtObj"].mjOBJ_CAMERA, which)
            if number == -1:
                raise ValueError(f'The camera "{which}" does not exist.')
        if not -1 <= number < self._model.ncam:
            raise ValueError(f"The camera id {number} is out of range [-1, {self._model.ncam}).")
        camera = _visual.MjvCamera()
        kinds = ENUM_TYPES["mjtCamera"]
        camera.fixedcamid = number
        camera.type = kinds.mjCAMERA_FREE if number == -1 else kinds.mjCAMERA_FIXED
        if number == -1:
            _corten.mjv_defaultFreeCamera(self._model, camera)
        return camera

    def render(self, *, out=None):
        """Draws the scene: colours `(height, width, 3)`, or distances `(height, width)`, or ids and types.

        Colours and distances go to `out`, if it is given.
        """
        if self._mjr_context is None:
            raise RuntimeError("render cannot be called after close.")
        shape = (self._height, self._width) if self._depth_rendering else (self._height, self._width, 3)
        if out is not None and out.shape != shape:
            raise ValueError(
                f"Expected `out.shape == {shape}`. Got `out.shape={out.shape}` instead. When using depth rendering, the out "
                f"array should be of shape `(width, height)` and otherwise (width, height, 3). Got `(self.height, self.width)="
                f"{(self.height, self.width)}` and `self._depth_rendering={self._depth_rendering}`."
            )
        self._gl_context.make_current()
        plain = not (self._depth_rendering or self._segmentation_rendering)
        if plain:
            return self._store(self._colours(), out)
        flags = self._scene.flags.copy()
        try:
            self._scene.flags[[ENUM_TYPES["mjtRndFlag"].mjRND_SEGMENT, ENUM_TYPES["mjtRndFlag"].mjRND_IDCOLOR]] = True
            if self._depth_rendering:
                return self._store(self._distances(), out)
            return self._segments(self._colours())
        finally:
            self._scene.flags[:] = flags

    @staticmethod
    def _store(picture, out):
        if out is None:
            return picture
        out[:] = picture
        return out

    def _draw(self, rgb, depth):
        context = self._mjr_context._drawn()
        corners = (0, 0, self._width, self._height)
        context.render(corners, self._scene)
        context.read_pixels(rgb, depth, corners, True, True)

    def _colours(self):
        rgb = np.empty((self._height, self._width, 3), np.uint8)
        self._draw(rgb, None)
        return rgb

    def _distances(self):
        depth = np.empty((self._height, self._width), np.float32)
        self._draw(None, depth)
        # The inverse of the projection, whose two coefficients a graphics library has in single precision.
        extent = self._model.stat.extent
        near, far = np.float32(self._model.vis.map.znear * extent), np.float32(self._model.vis.map.zfar * extent)
        c = np.float32(-0.5) * (-(far + near) / (far - near)) - np.float32(0.5)
        d = np.float32(-0.5) * (-(np.float32(2) * far * near) / (far - near))
        return (d / (depth.astype(np.float64) + c)).astype(np.float32)

    def _segments(self, rgb):
        ids = rgb.astype(np.uint32) @ np.array([1, 1 << 8, 1 << 16], np.uint32)
        table = np.full((self._scene.ngeom + 1, 2), -1, np.int32)
        for geom in self._scene.geoms[:self._scene.ngeom]:
            if geom.segid != -1:
                table[geom.segid + 1] = geom.objid, geom.objtype
        return table[ids]

    def close(self):
        """Frees what the renderer holds; it draws nothing more."""
        if self._gl_context:
            self._gl_context.free()
        if self._mjr_context:
            self._mjr_context.free()
        self._gl_context = self._mjr_context = None

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.close()


Renderer.__module__ = "corten.mujoco"
