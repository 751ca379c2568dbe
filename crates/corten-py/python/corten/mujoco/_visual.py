"""The abstract scene: MuJoCo's Mjv classes, and the functions that return one of them."""
import struct

import numpy as np

from .. import _corten
from ._records import describe

_FORMATS = {"i4": "i", "f4": "f", "f8": "d", "u1": "B"}
_KINDS = {"i4": np.int32, "f4": np.float32, "f8": np.float64, "u1": np.uint8}
_LAYOUTS = {name: (bytes(initial), fields) for name, initial, fields in _corten.visual_layouts()}


class _Struct:
    """Fields in a piece of memory: numbers and text are copied, arrays are views."""

    __slots__ = ("_memory", "_views", "__weakref__")
    _kind = ""
    _fields = ()

    def __init__(self):
        self._adopt(np.frombuffer(bytearray(_LAYOUTS[self._kind][0]), np.uint8))

    def _adopt(self, memory):
        object.__setattr__(self, "_memory", memory)
        object.__setattr__(self, "_views", {})

    @classmethod
    def _at(cls, memory):
        """The struct in a piece of memory that belongs to another object."""
        own = cls.__new__(cls)
        own._adopt(memory)
        return own

    def __copy__(self):
        other = type(self).__new__(type(self))
        other._adopt(self._memory.copy())
        return other

    def __deepcopy__(self, memo):
        return self.__copy__()

    def __reduce__(self):
        return _restore, (type(self), self._memory.tobytes())

    def __eq__(self, other):
        if not isinstance(other, _Struct) or self._kind != other._kind:
            return False
        return all(np.array_equal(getattr(self, name), getattr(other, name)) for name in self._fields)

    def __ne__(self, other):
        return not self == other

    __hash__ = None

    def __repr__(self):
        return describe(self._kind, ((name, getattr(self, name)) for name in sorted(self._fields)))


def _restore(cls, memory):
    own = cls.__new__(cls)
    own._adopt(np.frombuffer(bytearray(memory), np.uint8))
    return own


def _number(name, kind, offset):
    form = struct.Struct("=" + _FORMATS[kind])

    def get(self):
        return form.unpack_from(self._memory, offset)[0]

    def put(self, value):
        try:
            form.pack_into(self._memory, offset, value if kind[0] == "f" else value.__index__())
        except (struct.error, AttributeError, OverflowError) as why:
            raise TypeError(f"{name}: {value!r} is no number of type {_KINDS[kind].__name__}") from why

    return property(get, put)


def _text(name, size, offset):
    def get(self):
        return self._memory[offset:offset + size].tobytes().split(b"\0", 1)[0].decode(errors="replace")

    def put(self, value):
        data = value.encode() if isinstance(value, str) else bytes(value)
        if len(data) >= size:
            raise ValueError(f"len({name}) cannot exceed {size - 1}: got length {len(data)}")
        self._memory[offset:offset + size] = np.frombuffer(data.ljust(size, b"\0"), np.uint8)

    return property(get, put)


def _array(name, kind, shape, offset):
    dtype = np.dtype(_KINDS.get(kind, kind))
    count = int(np.prod(shape)) * dtype.itemsize

    def get(self):
        try:
            return self._views[name]
        except KeyError:
            view = self._memory[offset:offset + count].view(dtype).reshape(shape)
            self._views[name] = view
            return view

    def put(self, value):
        get(self)[:] = value

    return property(get, put)


def _add_fields(cls, fields):
    for name, kind, shape, offset in fields:
        if shape:
            field = _array(name, kind, tuple(shape), offset)
        elif kind[0] == "S":
            field = _text(name, int(kind[1:]), offset)
        else:
            field = _number(name, kind, offset)
        setattr(cls, name, field)
    cls._fields = (*cls._fields, *(name for name, *_ in fields))


class MjvCamera(_Struct):
    """Abstract camera."""

    __slots__ = ()
    _kind = "MjvCamera"


class MjvGLCamera(_Struct):
    """Camera of a scene."""

    __slots__ = ()
    _kind = "MjvGLCamera"


class MjvGeom(_Struct):
    """Abstract geom."""

    __slots__ = ()
    _kind = "MjvGeom"


class MjvLight(_Struct):
    """Light of a scene."""

    __slots__ = ()
    _kind = "MjvLight"


class MjvOption(_Struct):
    """Abstract visualization options."""

    __slots__ = ()
    _kind = "MjvOption"


class MjvPerturb(_Struct):
    """Object selection and perturbation."""

    __slots__ = ()
    _kind = "MjvPerturb"


def _buffer(name):
    return property(lambda self: self._arrays[name], lambda self, value: self._arrays[name].__setitem__(slice(None), value))


_BUFFERS = {
    name: np.float32 if name in ("flexvert", "flexface", "flexnormal", "flextexcoord", "skinvert", "skinnormal") else np.int32
    for name, _ in _corten.scene_sizes()
}


class MjvScene(_Struct):
    """Abstract scene: geoms, lights and cameras, and the surfaces of flexes and skins."""

    __slots__ = ("_arrays", "_geom_memory", "_light_memory", "_camera_memory", "_geoms", "_lights", "_cameras")
    _kind = "MjvScene"

    def __init__(self, model=None, maxgeom=0):
        super().__init__()
        maxgeom = int(maxgeom)
        if maxgeom < 0:
            raise ValueError(f"maxgeom must not be negative, got {maxgeom}")
        size = len(_LAYOUTS["MjvGeom"][0])
        arrays = {name: np.zeros(count, _BUFFERS[name]) for name, count in _corten.scene_sizes(model)}
        arrays["geomorder"] = np.zeros(maxgeom, np.int32)
        lights = np.zeros(100 * len(_LAYOUTS["MjvLight"][0]), np.uint8)
        cameras = np.zeros(2 * len(_LAYOUTS["MjvGLCamera"][0]), np.uint8)
        self._place(arrays, np.zeros(maxgeom * size, np.uint8), lights, cameras)
        _corten.make_scene(self, model, maxgeom)

    def _place(self, arrays, geoms, lights, cameras):
        self._arrays = arrays
        self._geom_memory, self._light_memory, self._camera_memory = geoms, lights, cameras
        self._geoms = self._lights = self._cameras = None

    @staticmethod
    def _split(cls, memory):
        size = len(_LAYOUTS[cls._kind][0])
        return tuple(cls._at(memory[i:i + size]) for i in range(0, len(memory), size))

    @property
    def geoms(self):
        if self._geoms is None:
            self._geoms = self._split(MjvGeom, self._geom_memory)
        return self._geoms

    @property
    def lights(self):
        if self._lights is None:
            self._lights = self._split(MjvLight, self._light_memory)
        return self._lights

    @property
    def camera(self):
        if self._cameras is None:
            self._cameras = self._split(MjvGLCamera, self._camera_memory)
        return self._cameras

    def _parts(self):
        return self._arrays, self._geom_memory, self._light_memory, self._camera_memory

    def __copy__(self):
        other = super().__copy__()
        arrays, *memories = self._parts()
        other._place({name: array.copy() for name, array in arrays.items()}, *(memory.copy() for memory in memories))
        return other

    def __reduce__(self):
        return _restore_scene, (type(self), self._memory.tobytes(), *self._parts())

    def __eq__(self, other):
        if not super().__eq__(other):
            return False
        same = all(np.array_equal(array, getattr(other, name)) for name, array in self._arrays.items())
        counts = (self.ngeom, self.nlight, 2)
        mine, theirs = ((scene.geoms, scene.lights, scene.camera) for scene in (self, other))
        return same and all(a[:n] == b[:n] for a, b, n in zip(mine, theirs, counts))

    __repr__ = object.__repr__


def _restore_scene(cls, memory, *parts):
    scene = _restore(cls, memory)
    scene._place(*parts)
    return scene


for _name in (*_BUFFERS, "geomorder"):
    setattr(MjvScene, _name, _buffer(_name))

_LINES, _POINTS = 100, 1001
_FIGURE = [
    ("flg_legend", "i4", ()), ("flg_ticklabel", "i4", (2,)), ("flg_extend", "i4", ()), ("flg_barplot", "i4", ()),
    ("flg_selection", "i4", ()), ("flg_symmetric", "i4", ()), ("linewidth", "f4", ()), ("gridwidth", "f4", ()),
    ("gridsize", "i4", (2,)), ("gridrgb", "f4", (3,)), ("figurergba", "f4", (4,)), ("panergba", "f4", (4,)),
    ("legendrgba", "f4", (4,)), ("textrgb", "f4", (3,)), ("linergb", "f4", (_LINES, 3)), ("range", "f4", (2, 2)),
    ("xformat", "S20", ()), ("yformat", "S20", ()), ("minwidth", "S20", ()), ("title", "S1000", ()),
    ("xlabel", "S100", ()), ("linename", "S100", (_LINES,)), ("legendoffset", "i4", ()), ("subplot", "i4", ()),
    ("highlight", "i4", (2,)), ("highlightid", "i4", ()), ("selection", "f4", ()), ("linepnt", "i4", (_LINES,)),
    ("linedata", "f4", (_LINES, 2 * _POINTS)), ("xaxispixel", "i4", (2,)), ("yaxispixel", "i4", (2,)),
    ("xaxisdata", "f4", (2,)), ("yaxisdata", "f4", (2,)),
]


class MjvFigure(_Struct):
    """Abstract 2D figure."""

    __slots__ = ()
    _kind = "MjvFigure"

    def __init__(self):
        super().__init__()
        mjv_defaultFigure(self)

    __repr__ = object.__repr__


def _figure_layout():
    fields, offset = [], 0
    for name, kind, shape in _FIGURE:
        fields.append((name, kind, shape, offset))
        offset += np.dtype(kind).itemsize * int(np.prod(shape, dtype=int))
        offset += -offset % 4
    return bytes(offset), fields


_LAYOUTS["MjvFigure"] = _figure_layout()
for _class in (MjvCamera, MjvGLCamera, MjvGeom, MjvLight, MjvOption, MjvPerturb, MjvScene, MjvFigure):
    _add_fields(_class, _LAYOUTS[_class._kind][1])
    _class.__module__ = "corten.mujoco"


def mjv_defaultFigure(fig):
    """Set default figure."""
    fig._memory[:] = 0
    fig.highlightid = -1
    fig.flg_legend = fig.flg_extend = 1
    fig.flg_ticklabel = 1
    fig.linewidth, fig.gridwidth, fig.gridsize = 3, 1, 2
    fig.gridrgb, fig.textrgb = 0.4, 1
    fig.figurergba[3] = fig.panergba[3] = 1
    fig.legendrgba[3] = 0.3
    fig.range = (0, 1)
    fig.xformat, fig.yformat, fig.minwidth = "%.0f", "%.2g", "XXX"
    fig.linergb = [_corten.figure_line_rgb(line) for line in range(_LINES)]


def mjv_averageCamera(cam1, cam2):
    """Return the average of two OpenGL cameras."""
    average = MjvGLCamera()
    _corten.average_camera(cam1, cam2, average)
    return average


CLASSES = (MjvCamera, MjvFigure, MjvGLCamera, MjvGeom, MjvLight, MjvOption, MjvPerturb, MjvScene)
FUNCTIONS = {"mjv_defaultFigure": mjv_defaultFigure, "mjv_averageCamera": mjv_averageCamera}
