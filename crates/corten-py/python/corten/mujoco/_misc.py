"""Functions and structs of MuJoCo's package that need no engine."""
import sys

import numpy as np

from .._corten import FatalError, get_callback, last_xml, set_callback
from ._lists import CLASSES, FIELDS
from ._records import MjOption, MjVisual, describe

NO_DRAWING = (
    "corten.mujoco does not draw: there is no '{}'. To see a state, copy it into an MjData of the package mujoco "
    "(mj_getState and mj_setState have the same numbers in both), and draw that"
)

_VECTORS = {
    "H": np.zeros(36), "elem": np.zeros(2, np.int32), "flex": np.zeros(2, np.int32), "frame": np.zeros(9),
    "friction": np.zeros(5), "geom": np.zeros(2, np.int32), "pos": np.zeros(3), "solimp": np.zeros(5),
    "solref": np.zeros(2), "solreffriction": np.zeros(2), "vert": np.zeros(2, np.int32),
}
_REALS = {"dist", "includemargin", "mu", "gradient", "improvement", "lineslope", "duration", "accel", "interval",
          "inttotal", "maxforce", "timeconst", "timestep", "tolrange"}


class _Struct:
    """A struct of numbers and small vectors that belongs to nothing."""

    _names = ()

    def __init__(self):
        for name in self._names:
            value = _VECTORS[name].copy() if name in _VECTORS else 0.0 if name in _REALS else 0
            object.__setattr__(self, name, value)

    def __setattr__(self, name, value):
        if name not in self._names:
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")
        if name in _VECTORS:
            getattr(self, name)[:] = value
        else:
            object.__setattr__(self, name, float(value) if name in _REALS else int(value))

    def __eq__(self, other):
        if type(self) is not type(other):
            return NotImplemented
        return all(np.array_equal(getattr(self, n), getattr(other, n)) for n in self._names)

    __hash__ = None

    def __repr__(self):
        return describe(type(self).__name__, ((n, getattr(self, n)) for n in self._names))

    def __copy__(self):
        other = type(self)()
        for name in self._names:
            setattr(other, name, getattr(self, name))
        return other

    def __deepcopy__(self, memo):
        return self.__copy__()


def _struct(title, names):
    return type(title, (_Struct,), {"_names": tuple(names), "__module__": "corten.mujoco", "__doc__": f"{title[2:]}."})


MjContact = _struct(CLASSES["contact"], (n for n in FIELDS["contact"] if n not in ("geom1", "geom2")))
MjContact.geom1 = property(lambda self: int(self.geom[0]))
MjContact.geom2 = property(lambda self: int(self.geom[1]))
MjSolverStat = _struct(CLASSES["solver"], FIELDS["solver"])
MjWarningStat = _struct(CLASSES["warning"], FIELDS["warning"])
MjTimerStat = _struct(CLASSES["timer"], FIELDS["timer"])
MjLROpt = _struct("MjLROpt", ("accel", "interval", "inttotal", "maxforce", "mode", "timeconst", "timestep", "tolrange",
                              "useexisting", "uselimit"))


def mj_defaultLROpt(opt):
    """Sets options of the length range computation to their defaults."""
    values = dict(mode=1, useexisting=1, uselimit=0, accel=20.0, maxforce=0.0, timeconst=1.0, timestep=0.01,
                  inttotal=10.0, interval=2.0, tolrange=0.05)
    for name, value in values.items():
        setattr(opt, name, value)


def mj_defaultOption(opt):
    """Sets physics options to their defaults."""
    opt.assign(MjOption())


def mj_defaultVisual(vis):
    """Sets viewing parameters to their defaults."""
    for name in MjVisual._sections:
        setattr(vis, name, getattr(MjVisual(), name))


def mj_defaultSolRefImp(solref, solimp):
    """Sets solver parameters to their defaults."""
    solref[:] = 0.02, 1.0
    solimp[:] = 0.9, 0.95, 0.001, 0.5, 2.0


def mj_saveModel(m, filename=None, buffer=None):
    """Writes a model to a file or into an array of bytes, for `MjModel.from_binary_path`.

    The file is CortenForge's own (`.cfa`): versioned, with a checksum, and not MuJoCo's `.mjb`.
    """
    data = m.to_bytes()
    if buffer is not None:
        if buffer.size < len(data):
            raise FatalError(f"the buffer has {buffer.size} bytes, the model needs {len(data)}")
        buffer[:len(data)] = np.frombuffer(data, np.uint8)
    elif filename:
        with open(filename, "wb") as file:
            file.write(data)


def mj_sizeModel(m):
    """Number of bytes that `mj_saveModel` writes."""
    return len(m.to_bytes())


def _print_fields(o, filename, float_format):
    """Every field with its content, as text."""
    def number(x):
        return (float_format % x) if isinstance(x, float) else str(x)

    with open(filename, "w", encoding="utf-8") as file:
        for name in dir(o):
            if name.startswith("_"):
                continue
            value = getattr(o, name)
            if isinstance(value, np.ndarray):
                if value.size:
                    rows = value.reshape(value.shape[0], -1)
                    lines = ("  " + " ".join(number(x) for x in row.tolist()) for row in rows)
                    file.write(f"{name} {value.shape}\n" + "\n".join(lines) + "\n")
            elif isinstance(value, (int, float)):
                file.write(f"{name} {number(value)}\n")


def mj_printFormattedModel(m, filename, float_format):
    """Writes every field of a model as text."""
    _print_fields(m, filename, float_format)


def mj_printModel(m, filename):
    """Writes every field of a model as text."""
    _print_fields(m, filename, "%.3g")


def mj_printFormattedData(m, d, filename, float_format):
    """Writes every field of a simulation as text."""
    _print_fields(d, filename, float_format)


def mj_printData(m, d, filename):
    """Writes every field of a simulation as text."""
    _print_fields(d, filename, "%.3g")


def mju_printMat(mat):
    """Prints a matrix."""
    for row in np.atleast_2d(mat):
        print(" ".join(f"{x:10.4f}" for x in row), file=sys.stdout)


def mju_printMatSparse(mat, rownnz, rowadr, colind):
    """Prints the nonzeros of a sparse matrix."""
    for count, start in zip(rownnz, rowadr):
        print("  ".join(f"{colind[k]}: {mat[k]:.4f}" for k in range(start, start + count)), file=sys.stdout)


def mju_writeLog(type, msg):
    """Appends a message to MUJOCO_LOG.TXT in the current directory."""
    import datetime
    with open("MUJOCO_LOG.TXT", "a", encoding="utf-8") as file:
        file.write(f"{datetime.datetime.now():%c}\n{type}: {msg}\n\n")


def mj_resetCallbacks():
    """Removes all callbacks."""
    for name in _CALLBACKS:
        set_callback(name, None)


def mj_addContact(m, d, con):
    """Adds a contact to the contacts of a simulation; 0 as there is always room for it."""
    d.add_contact()
    added = d.contact[-1]
    for name in FIELDS["contact"]:
        if name not in ("H", "geom1", "geom2"):
            setattr(added, name, getattr(con, name))
    return 0


def mj_saveLastXML(filename, m=None):
    """Writes the last model that was loaded from MJCF or URDF, as MJCF; changes made in `m` are not included."""
    with open(filename, "w", encoding="utf-8") as file:
        file.write(last_xml())


def mj_loadPluginLibrary(path):
    """Plugins are compiled in; libraries of other engines cannot be loaded."""
    raise FatalError(f"plugin libraries cannot be loaded: '{path}'")


def mj_loadAllPluginLibraries(directory):
    """Plugins are compiled in; does nothing."""


_CALLBACKS = ("mjcb_act_bias", "mjcb_act_dyn", "mjcb_act_gain", "mjcb_contactfilter", "mjcb_control", "mjcb_passive",
              "mjcb_sensor", "mjcb_time")


def _callback(name):
    def put(callback):
        set_callback(name, callback)

    def get():
        return get_callback(name)

    put.__name__, put.__doc__ = f"set_{name}", f"Sets {name}, a function of what MuJoCo gives it; or None."
    get.__name__, get.__doc__ = f"get_{name}", f"The function that {name} is set to, or None."
    return put, get


def _no_callback(name):
    def put(callback):
        if callback is not None:
            raise NotImplementedError(f"{name} is not supported: memory and warnings are the engine's own")

    put.__name__, put.__doc__ = f"set_{name}", "Not supported; None is accepted."
    return put, lambda: None


CALLBACKS = {}
for _names, _make in ((_CALLBACKS, _callback),
                      (("mju_user_free", "mju_user_malloc", "mju_user_warning"), _no_callback)):
    for _name in _names:
        CALLBACKS[f"set_{_name}"], CALLBACKS[f"get_{_name}"] = _make(_name)
