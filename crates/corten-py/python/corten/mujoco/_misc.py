"""Functions and structs of MuJoCo's package that need no engine."""
import os
import re
import sys

import numpy as np

from .._corten import FatalError, get_callback, grammar, last_xml, set_callback
from ._records import MjOption, MjVisual, describe


class MjLROpt:
    """Options of the computation of actuator length ranges."""

    _defaults = dict(mode=1, useexisting=1, uselimit=0, accel=20.0, maxforce=0.0, timeconst=1.0, timestep=0.01,
                     inttotal=10.0, interval=2.0, tolrange=0.05)
    _names = tuple(sorted(_defaults))
    __slots__ = _names
    __module__ = "corten.mujoco"

    def __init__(self):
        for name, value in self._defaults.items():
            setattr(self, name, value)

    def __setattr__(self, name, value):
        kind = type(self._defaults.get(name, 0))
        object.__setattr__(self, name, kind(value))

    def __eq__(self, other):
        if type(self) is not type(other):
            return NotImplemented
        return all(getattr(self, n) == getattr(other, n) for n in self._names)

    __hash__ = None

    def __repr__(self):
        return describe("MjLROpt", ((n, getattr(self, n)) for n in self._names))

    def __copy__(self):
        other = MjLROpt()
        for name in self._names:
            setattr(other, name, getattr(self, name))
        return other

    def __deepcopy__(self, memo):
        return self.__copy__()


def mj_defaultLROpt(opt):
    """Sets options of the length range computation to their defaults."""
    for name, value in MjLROpt._defaults.items():
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

    The file is MuJoCo's `.mjb`, which MuJoCo 3.4.0 reads as well; one whose name ends in `.cfa` is CortenForge's own,
    versioned and with a checksum, and holds also what MuJoCo does not have.
    """
    if buffer is not None:
        data = m.to_mjb()
        if buffer.size < len(data):
            raise FatalError(f"the buffer has {buffer.size} bytes, the model needs {len(data)}")
        buffer[:len(data)] = np.frombuffer(data, np.uint8)
    elif filename:
        filename = os.fsdecode(filename)
        data = m.to_bytes() if filename.lower().endswith(".cfa") else m.to_mjb()
        with open(filename, "wb") as file:
            file.write(data)


def mj_sizeModel(m):
    """Number of bytes that `mj_saveModel` writes into an array."""
    return m.mjb_bytes()


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


def mj_printSchema(flg_html, flg_pad):
    """All elements of MJCF, how often each may occur, and its attributes: as text or as a table of HTML."""
    text = grammar()
    if not flg_html:
        return text
    import html
    rows, cells = [], None
    for line in text.splitlines():
        found = re.match(r"( *)([\w()]+) \((.)\) *(.*)", line)
        if found:
            depth = len(found[1]) // 3
            indent = f' style="padding-left:{15 * depth + 5}px"' if flg_pad else ""
            name = html.escape(found[2]) if flg_pad else "&nbsp;" * 3 * depth + html.escape(found[2])
            cells = [f"<td{indent}>{name}</td><td>{html.escape(found[3])}</td>", found[4]]
            rows.append(cells)
        elif cells is not None:
            cells[1] += " " + line.strip()
    return "<table>\n" + "".join(f"<tr>{a}<td>{html.escape(b.strip())}</td></tr>\n" for a, b in rows) + "</table>\n"


def mju_getXMLDependencies(filename):
    """The file itself and all files that its model refers to: included ones, meshes, textures, height fields, ..."""
    import xml.etree.ElementTree as tree
    found = []

    def visit(path, folders):
        if path in found:
            return
        found.append(path)
        here = os.path.dirname(path)
        root = tree.parse(path).getroot()
        for compiler in root.iter("compiler"):
            for kind in ("assetdir", "meshdir", "texturedir"):
                if kind in compiler.attrib:
                    folders = {**folders, kind: compiler.attrib[kind]}
        for element in root.iter():
            name = element.attrib.get("file")
            if name is None or element.tag == "compiler":
                continue
            kind = "texturedir" if element.tag == "texture" else "meshdir"
            folder = "" if element.tag in ("include", "model") else folders.get(kind, folders.get("assetdir", ""))
            place = os.path.join(here, folder, name).replace("\\", "/")
            if element.tag in ("include", "model") and os.path.isfile(place):
                visit(place, folders if element.tag == "include" else {})
            elif place not in found:
                found.append(place)

    visit(os.fsdecode(filename), {})
    return found


def mju_raySkin(nface, nvert, face, vert, pnt, vec, vertid=None):
    """Distance along a ray to the triangles of a skin, -1 if it meets none; `vertid` gets the nearest vertex."""
    face = np.asarray(face).reshape(nface, 3)
    corners = np.asarray(vert, dtype=np.float64).reshape(nvert, 3)[face]
    pnt, vec = np.asarray(pnt, dtype=np.float64).ravel(), np.asarray(vec, dtype=np.float64).ravel()
    first, edge1, edge2 = corners[:, 0], corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    normal = np.cross(vec, edge2)
    volume = np.einsum("ij,ij->i", edge1, normal)
    with np.errstate(divide="ignore", invalid="ignore"):
        u = np.einsum("ij,ij->i", pnt - first, normal) / volume
        across = np.cross(pnt - first, edge1)
        v = across @ vec / volume
        distance = np.einsum("ij,ij->i", edge2, across) / volume
        hit = (volume != 0) & (u >= 0) & (v >= 0) & (u + v <= 1) & (distance >= 0)
    if vertid is not None:
        vertid[...] = -1
    if not hit.any():
        return -1.0
    nearest = int(np.argmin(np.where(hit, distance, np.inf)))
    if vertid is not None:
        at = pnt + distance[nearest] * vec
        own = face[nearest]
        vertid[...] = own[int(np.argmin(np.linalg.norm(corners[nearest] - at, axis=1)))]
    return float(distance[nearest])


class _Cache:
    """Files that models refer to are read anew for every model: there is nothing to keep."""


_CACHE = [_Cache(), 0]


def mj_getCache():
    """The cache of files, which stays empty."""
    return _CACHE[0]


def mj_getCacheSize(cache):
    """Bytes in the cache: none."""
    return 0


def mj_getCacheCapacity(cache):
    """Bytes that the cache may hold, as it was set."""
    return _CACHE[1]


def mj_setCacheCapacity(cache, size):
    """Sets how many bytes the cache may hold; returns that."""
    _CACHE[1] = int(size)
    return _CACHE[1]


def mj_clearCache(cache):
    """Empties the cache."""


def mj_resetCallbacks():
    """Removes all callbacks."""
    for name in _CALLBACKS:
        set_callback(name, None)


def mj_addContact(m, d, con):
    """Adds a contact to the contacts of a simulation; 0 as there is always room for it."""
    d.add_contact()
    d.contact[-1]._assign(con)
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
              "mjcb_sensor", "mjcb_time", "mju_user_warning")


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
            raise NotImplementedError(f"{name} is not supported: memory is the engine's own")

    def get():
        return None

    put.__name__, put.__doc__ = f"set_{name}", "Not supported; None is accepted."
    get.__name__, get.__doc__ = f"get_{name}", "None: not supported."
    return put, get


CALLBACKS = {}
for _names, _make in ((_CALLBACKS, _callback),
                      (("mju_user_free", "mju_user_malloc"), _no_callback)):
    for _name in _names:
        CALLBACKS[f"set_{_name}"], CALLBACKS[f"get_{_name}"] = _make(_name)
