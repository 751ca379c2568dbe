"""Elements of a spec: `MjsBody`, `MjsGeom` and the others.

An element names its place in a spec; its values are in the spec's content, which Rust keeps. Numbers
and texts are read and written there directly. Arrays and lists are handed out once and kept: what is
written into them reaches the content before anything reads it (see `_Content.flush`).
"""
import sys
import weakref

import numpy as np

from .._corten import SpecBase
from ._enums import ENUM_TYPES

_TREE = ("body", "frame", "joint", "geom", "site", "camera", "light")
# Kinds, with the names of their classes and of the lists of all of them.
KINDS = {
    "body": ("MjsBody", "bodies"), "frame": ("MjsFrame", "frames"), "joint": ("MjsJoint", "joints"),
    "geom": ("MjsGeom", "geoms"), "site": ("MjsSite", "sites"), "camera": ("MjsCamera", "cameras"),
    "light": ("MjsLight", "lights"), "mesh": ("MjsMesh", "meshes"), "hfield": ("MjsHField", "hfields"),
    "flex": ("MjsFlex", "flexes"), "skin": ("MjsSkin", "skins"), "texture": ("MjsTexture", "textures"),
    "material": ("MjsMaterial", "materials"),
    "pair": ("MjsPair", "pairs"), "exclude": ("MjsExclude", "excludes"), "equality": ("MjsEquality", "equalities"),
    "tendon": ("MjsTendon", "tendons"), "actuator": ("MjsActuator", "actuators"), "sensor": ("MjsSensor", "sensors"),
    "numeric": ("MjsNumeric", "numerics"), "text": ("MjsText", "texts"), "tuple": ("MjsTuple", "tuples"),
    "key": ("MjsKey", "keys"), "plugin": ("MjsPlugin", "plugins"),
}
# Kinds of elements that can ask for a plugin.
_PLUGIN_USERS = ("body", "geom", "mesh", "actuator", "sensor")
# Fields that are shown as members of an enumeration.
_ENUMS = {
    ("geom", "type"): "mjtGeom", ("geom", "typeinertia"): "mjtGeomInertia", ("site", "type"): "mjtGeom",
    ("joint", "type"): "mjtJoint", ("camera", "mode"): "mjtCamLight", ("light", "mode"): "mjtCamLight",
    ("light", "type"): "mjtLightType", ("mesh", "inertia"): "mjtMeshInertia", ("texture", "type"): "mjtTexture",
    ("texture", "colorspace"): "mjtColorSpace", ("equality", "type"): "mjtEq", ("equality", "objtype"): "mjtObj",
    ("actuator", "gaintype"): "mjtGain", ("actuator", "biastype"): "mjtBias", ("actuator", "dyntype"): "mjtDyn",
    ("actuator", "trntype"): "mjtTrn", ("sensor", "type"): "mjtSensor", ("sensor", "objtype"): "mjtObj",
    ("sensor", "reftype"): "mjtObj", ("sensor", "datatype"): "mjtDataType", ("sensor", "needstage"): "mjtStage",
    ("body", "sleep"): "mjtSleepPolicy",
}
# Fields that MuJoCo does not have: programs compare the message that lists its own.
_OWN = {
    "geom": ("stiffness", "dissipation"), "pair": ("stiffness", "dissipation"), "mesh": ("builtin", "params"),
    "flex": ("bending_model", "elasticity_model"), "actuator": ("gain_model", "gain_params"),
}
_ORIENTATIONS = {"axisangle": (1, 4), "xyaxes": (2, 6), "zaxis": (3, 3), "euler": (4, 3)}


class MjStringVec(list):
    """Texts of an element."""

    def __setitem__(self, index, value):
        if isinstance(index, int) and not 0 <= index < len(self):
            raise IndexError("Index out of range.")
        list.__setitem__(self, index, value)


class MjDoubleVec(list):
    """Real numbers."""


class MjFloatVec(list):
    """Real numbers of single precision."""


class MjIntVec(list):
    """Whole numbers."""


class MjByteVec(list):
    """Bytes."""


class MjCharVec(list):
    """Letters."""


VECTORS = (MjByteVec, MjCharVec, MjDoubleVec, MjFloatVec, MjIntVec, MjStringVec)
_ROLES = int(ENUM_TYPES["mjtTextureRole"].mjNTEXROLE)


class _Letters(list):
    """A fixed number of letters."""

    def __setitem__(self, index, value):
        if isinstance(index, int) and not 0 <= index < len(self):
            raise IndexError("Index out of range.")
        list.__setitem__(self, index, value)


class Content:
    """The content of a spec, its elements as Python objects, and the arrays that have been handed out."""

    def __init__(self, base, spec):
        self.base = base
        self.spec = weakref.ref(spec)
        # Weak references to the objects of elements.
        self.objects = {}
        # Content of elements that now belong to another spec, which this one was attached to.
        self.moved = {}
        self.shown = {}
        self.notes = {}
        self.compiled = False

    def element(self, kind, index, prototype=False):
        """The object of an element: the same one for as long as anybody holds it."""
        if index is None:
            return None
        if self.moved and not prototype and (kind, index) in self.moved:
            content, index = self.moved[kind, index]
            return content.element(kind, index)
        key = (kind, index, prototype)
        known = self.objects.get(key)
        found = known and known()
        if found is None:
            found = CLASSES[kind](self, kind, index, prototype)
            self.remember(key, found)
        return found

    def remember(self, key, element):
        """Keeps the object of an element for as long as anybody else does; the reference itself stays, one per element."""
        self.objects[key] = weakref.ref(element)

    def elements(self, kind, indices):
        return [self.element(kind, i) for i in indices]

    def insert(self, kind, values, **place):
        """Adds an element with these values."""
        shape = CLASSES["joint" if kind == "freejoint" else kind]
        shape._check(values)
        self.flush()
        self.compiled = False
        element = self.element("joint" if kind == "freejoint" else kind, self.base.insert(kind, **place))
        for name, value in values.items():
            element._give(name, value)
        return element

    # Arrays and lists that Python may write into.

    def show(self, key, value):
        self.shown[key] = [value, _frozen(value)]
        return value

    def flush(self):
        """Hands over what was written into arrays."""
        for key, entry in list(self.shown.items()):
            value, before = entry
            now = _frozen(value)
            if now != before:
                write(self.base, key, value)
                entry[1] = now
            if sys.getrefcount(value) <= 3:
                del self.shown[key]

    def take_over(self, child, copies):
        """Lets the objects of an attached spec stand for their copies here."""
        for kind, old, new in copies:
            if (kind, old) in child.moved:
                continue
            child.moved[kind, old] = (self, new)
            known = child.objects.pop((kind, old, False), None)
            found = known and known()
            if found is not None:
                object.__setattr__(found, "_content", self)
                object.__setattr__(found, "_index", new)
                self.remember((kind, new, False), found)
        moved = {(kind, old): new for kind, old, new in copies}
        for key in [k for k in child.shown if len(k) == 4 and not k[2] and (k[0], k[1]) in moved]:
            self.shown[key[0], moved[key[0], key[1]], False, key[3]] = child.shown.pop(key)


def _frozen(value):
    if isinstance(value, np.ndarray):
        return value.tobytes()
    return value._value() if isinstance(value, MjsOrientation) else list(value)


def _padded(name, value):
    """Textures by role: those that are not given are empty."""
    return [*value, *[""] * (_ROLES - len(value))] if name == "textures" else value


def write(base, key, value):
    if isinstance(value, MjsOrientation):
        value = value._value()
    if len(key) == 2:
        base.set_setting(*key, value)
    elif base.exists("default" if key[2] else key[0], key[1]):
        kind, index, prototype, field = key
        base.set(kind, index, field, _padded(field, value), prototype)


class _Fields:
    """Values by name."""

    __slots__ = ("_content", "__weakref__")

    def _shown(self, key, value):
        """What Python gets for a value."""
        if isinstance(value, np.ndarray):
            return self._content.show(key, value)
        if isinstance(value, list):
            letters = key[-1] in ("eulerseq", "gridlayout")
            return self._content.show(key, _Letters(value) if letters else MjStringVec(value))
        return value

    def _replaced(self, key, value):
        """After a field was written: the array that stands for it follows, or is no longer that field's."""
        entry = self._content.shown.get(key)
        if entry is None:
            return
        shown = entry[0]
        if isinstance(shown, np.ndarray) and np.size(value) == shown.size:
            shown[...] = np.asarray(value, shown.dtype).reshape(shown.shape)
            entry[1] = _frozen(shown)
        elif isinstance(shown, _Letters):
            list.__setitem__(shown, slice(None), list(value))
            entry[1] = _frozen(shown)
        elif isinstance(shown, MjStringVec):
            # As long as what was given.
            shown[:] = value
            entry[1] = _frozen(shown)
        else:
            del self._content.shown[key]


class Section(_Fields):
    """A group of settings of a spec."""

    __slots__ = ("_section",)

    def __init__(self, content, section):
        object.__setattr__(self, "_content", content)
        object.__setattr__(self, "_section", section)

    def _subsection(self, name):
        part = f"{self._section}.{'global_' if name == 'global' else name}"
        return Section(self._content, part) if part in _SECTIONS else None

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        found = self._subsection(name)
        if found is not None:
            return found
        key = (self._section, name)
        entry = self._content.shown.get(key)
        return entry[0] if entry else self._shown(key, self._content.base.get_setting(*key))

    def __setattr__(self, name, value):
        part = self._subsection(name)
        if part is not None:
            for field in dir(part):
                setattr(part, field, getattr(value, field))
            return
        self._content.base.set_setting(self._section, name, value)
        self._replaced((self._section, name), value)

    def __eq__(self, other):
        if not isinstance(other, Section):
            return NotImplemented
        return self._section == other._section and all(
            np.array_equal(getattr(self, name), getattr(other, name)) for name in dir(self))

    __hash__ = None

    def __dir__(self):
        if self._section == "visual":
            return [s.split(".")[1] for s in _SECTIONS if s.startswith("visual.")]
        return [*self._content.base.names(self._section), *(["LRopt"] if self._section == "compiler" else [])]


class MjsCompiler(Section):
    """How a model is compiled."""

    __slots__ = ()


_SECTIONS = ("visual.global_", "visual.quality", "visual.headlight", "visual.map", "visual.scale", "visual.rgba",
             "compiler.LRopt")


class MjsOrientation:
    """An orientation that is written otherwise than as a quaternion: `type` says which array counts."""

    __slots__ = ("type", "_arrays")

    def __init__(self, kind=0, numbers=()):
        object.__setattr__(self, "_arrays", {name: np.zeros(size) for name, (_, size) in _ORIENTATIONS.items()})
        object.__setattr__(self, "type", ENUM_TYPES["mjtOrientation"](kind))
        for name, (number, _) in _ORIENTATIONS.items():
            if number == kind:
                self._arrays[name][:] = numbers

    def _value(self):
        for name, (number, _) in _ORIENTATIONS.items():
            if number == int(self.type):
                return number, self._arrays[name].tolist()
        return 0, []

    def __getattr__(self, name):
        try:
            return self._arrays[name]
        except KeyError:
            raise AttributeError(f"'MjsOrientation' object has no attribute '{name}'") from None

    def __setattr__(self, name, value):
        if name == "type":
            object.__setattr__(self, "type", ENUM_TYPES["mjtOrientation"](int(value)))
        else:
            getattr(self, name)[:] = value

    def __dir__(self):
        return ["type", *_ORIENTATIONS]


class MjsElement(_Fields):
    """An element of a spec, or the prototype of a default class."""

    __slots__ = ("_kind", "_index", "_prototype")

    def __init__(self, content, kind, index, prototype=False):
        # Past `__setattr__`, which writes values.
        _put_content(self, content)
        _put_kind(self, kind)
        _put_index(self, index)
        _put_prototype(self, prototype)

    # Names of the values that an element has.
    _known = ()

    @classmethod
    def _check(cls, values):
        """Refuses what the element does not have."""
        names = list(cls._known)
        if "alt" in names:
            names[names.index("alt"):names.index("alt") + 1] = list(_ORIENTATIONS)
        if "ialt" in names:
            names[names.index("ialt"):names.index("ialt") + 1] = ["i" + n for n in _ORIENTATIONS]
        if KINDS_BY_CLASS[cls.__name__] in _PLUGIN_USERS:
            names.append("plugin")
        names += ["info"] + (["childclass"] if cls.__name__ in ("MjsBody", "MjsFrame") else [])
        for name in values:
            if name not in names:
                kind = KINDS_BY_CLASS[cls.__name__]
                shown = ", ".join(n for n in names if n not in _OWN.get(kind, ()))
                raise TypeError(f"Invalid {name} keyword argument. Valid options are: {shown}.")
        for prefix in ("", "i"):
            if sum(prefix + n in values for n in _ORIENTATIONS) > 1:
                # The words, and the missing space, are MuJoCo's.
                *others, last = (prefix + n for n in _ORIENTATIONS)
                raise ValueError(f"Only one of: {', '.join(others)}, or{last} can be set.")

    def _give(self, name, value):
        """Sets a value that was given by keyword."""
        for prefix, field in (("", "alt"), ("i", "ialt")):
            plain = name.removeprefix(prefix) if name.startswith(prefix) else ""
            if plain in _ORIENTATIONS and field in self._known:
                number, size = _ORIENTATIONS[plain]
                if np.shape(value) != (size,):
                    raise ValueError(f"{name} should be a list/array of size {size}.")
                orientation = getattr(self, field)
                orientation.type = number
                setattr(orientation, plain, value)
                return
        try:
            if name == "name":
                # As in MuJoCo, repeated names that are given by keyword are found when the spec is compiled.
                self._content.base.set(self._kind, self._index, name, value, self._prototype)
            else:
                setattr(self, name, value)
        except (TypeError, ValueError) as e:
            present = getattr(self, name)
            if isinstance(present, str):
                raise ValueError(f"{name} should be a string.") from e
            if isinstance(present, np.ndarray):
                if not present.size:
                    raise ValueError(f"{name} has the wrong type.") from e
                if isinstance(value, (str, bytes)) or np.ndim(value) == 0:
                    raise ValueError(f"{name} should be a list/array.") from e
                raise ValueError(f"{name} should be a list/array of size {present.size}.") from e
            raise ValueError(f"{name} is the wrong type.") from e

    def _get(self, name):
        """The value of a field, as Python gets it."""
        content, key = self._content, (self._kind, self._index, self._prototype, name)
        entry = content.shown.get(key)
        if entry is not None:
            return entry[0]
        value = content.base.get(self._kind, self._index, name, self._prototype)
        if isinstance(value, tuple):
            return content.show(key, MjsOrientation(*value))
        if name == "fluid_ellipsoid":
            return float(value)
        return self._shown(key, value)

    def __setattr__(self, name, value):
        if isinstance(getattr(type(self), name, None), property):
            return object.__setattr__(self, name, value)
        content = self._content
        if name not in self._known:
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")
        key = (self._kind, self._index, self._prototype, name)
        if name in ("alt", "ialt"):
            write(content.base, key, value)
            content.shown.pop(key, None)
            return
        if self._kind == "texture" and name == "data":
            value = bytes(value)
        if name == "name":
            self._check_name(value)
            content.compiled = False
        if name == "textures":
            getattr(self, name)
        content.base.set(self._kind, self._index, name, _padded(name, value), self._prototype)
        self._replaced(key, value)

    def _check_name(self, name):
        """Refuses a name that another element of the kind has."""
        found = self._content.base.find(self._kind, name) if name and not self._prototype else None
        if found is not None and found != self._index:
            raise ValueError(f"Error: repeated name '{name}' in {self._kind}")

    def __repr__(self):
        return f"<{type(self).__name__} {self.name!r}>"

    @property
    def id(self):
        """Position among the elements of this kind; −1 for elements of the tree until the spec is compiled."""
        if self._kind in _TREE and not self._content.compiled and not (self._kind == "body" and self._index == 0):
            return -1
        order = self._content.base.order(self._kind)
        return order.index(self._index) if self._index in order else -1

    @property
    def signature(self):
        """A number that changes with the structure of the spec."""
        return self._content.spec().signature

    @property
    def info(self):
        """A note about the element, which is not part of the model."""
        return self._content.notes.get((self._kind, self._index, self._prototype), "")

    @info.setter
    def info(self, note):
        self._content.notes[self._kind, self._index, self._prototype] = note

    def delete(self):
        """Deletes the element."""
        self._content.spec().delete(self)


_put_content = _Fields._content.__set__
_put_kind, _put_index, _put_prototype = (getattr(MjsElement, n).__set__ for n in ("_kind", "_index", "_prototype"))


class _Value:
    """A field, as an attribute of a class of elements; `MjsElement.__setattr__` writes it."""

    __slots__ = ("__name__", "_members")

    def __init__(self, kind, name):
        self.__name__ = name
        enum = _ENUMS.get((kind, name))
        # Members by their numbers: calling an enumeration is slow.
        self._members = enum and {int(member): member for member in ENUM_TYPES[enum]}

    def __get__(self, element, cls=None):
        if element is None:
            return self
        if self._members is None:
            return element._get(self.__name__)
        return self._members[element._content.base.get(element._kind, element._index, self.__name__, element._prototype)]

    def __repr__(self):
        return f"<field '{self.__name__}' of elements>"


class _Plain(_Value):
    """A field that is a number or a text."""

    __slots__ = ()

    def __get__(self, element, cls=None):
        if element is None:
            return self
        return element._content.base.get(element._kind, element._index, self.__name__, element._prototype)


class _Classed:
    """Elements that start from a default class."""

    __slots__ = ()

    @property
    def classname(self):
        """The default class that the element started from."""
        return MjsDefault._of(self._content, self._content.base.class_of(self._kind, self._index))

    @classname.setter
    def classname(self, default):
        self._content.base.set_class(self._kind, self._index, default._index)


class _Placed:
    """Elements of the kinematic tree."""

    __slots__ = ()

    @property
    def parent(self):
        """The body that the element is in."""
        return self._content.element("body", self._content.base.place(self._kind, self._index)[0])

    @property
    def frame(self):
        """The frame that the element is in, if any."""
        return self._content.element("frame", self._content.base.place(self._kind, self._index)[1])

    def set_frame(self, frame):
        """Puts the element into a frame of its body."""
        if frame._content is not self._content:
            raise ValueError("the frame belongs to another spec")
        self._content.flush()
        self._content.base.set_frame(self._kind, self._index, frame._index)


class _Holder:
    """Bodies and frames: what elements can be added to."""

    __slots__ = ()

    @property
    def childclass(self):
        """Name of the default class of what is inside."""
        base = self._content.base
        index = base.childclass(self._kind, self._index)
        if index is None:
            return base.class_name(base.class_of("body", self._index)) if self._kind == "body" else ""
        return base.class_name(index)

    @childclass.setter
    def childclass(self, name):
        index = self._content.base.find("default", name)
        if index is None and name:
            raise ValueError(f"there is no default class '{name}'")
        self._content.base.set_childclass(self._kind, self._index, index)

    def _add(self, kind, default, values):
        place = {self._kind: self._index, "class": None if default is None else default._index}
        return self._content.insert(kind, values, **place)


def _adder(kind):
    def add(self, default=None, **kwargs):
        return self._add(kind, default, kwargs)
    add.__name__, add.__doc__ = f"add_{kind}", f"Adds a {kind}; keywords are its values."
    return add


for _kind in ("body", "joint", "geom", "site", "camera", "light"):
    setattr(_Holder, f"add_{_kind}", _adder(_kind))


class MjsBody(_Holder, _Placed, _Classed, MjsElement):
    """A body."""

    __slots__ = ()

    def add_frame(self, parent_frame=None, **kwargs):
        """Adds a frame; keywords are its values."""
        if parent_frame is not None:
            return parent_frame.add_frame(**kwargs)
        return self._add("frame", None, kwargs)

    def add_freejoint(self, **kwargs):
        """Adds a free joint."""
        for name in kwargs:
            if name not in ("align", "group", "name"):
                raise TypeError(f"Invalid {name} keyword argument. Valid options are: align, group, name.")
        return self._content.insert("freejoint", kwargs, body=self._index)

    def _children(self, kind, deep=False):
        return self._content.elements(kind, self._content.base.children(self._index, kind, deep))

    def find_all(self, kind):
        """All elements of a kind in this body and the bodies below it."""
        names = {int(getattr(ENUM_TYPES["mjtObj"], "mjOBJ_" + k.upper())): k for k in _TREE}
        kind = kind if isinstance(kind, str) else names.get(int(kind))
        if kind not in _TREE:
            raise ValueError("body.find_all supports the types: body, frame, geom, site, joint, light, camera.")
        return self._children(kind, True)

    def find_child(self, name):
        """The body of this name below this one."""
        return next((b for b in self._children("body", True) if b.name == name), None)

    def attach_frame(self, frame, prefix=None, suffix=None):
        """Attaches a frame, of this or another spec, with all that is in it."""
        return attach(self, frame, prefix or "", suffix or "")[1]

    def to_frame(self):
        """Turns the body into a frame of its parent."""
        content = self._content
        content.flush()
        content.compiled = False
        return content.element("frame", content.base.body_to_frame(self._index))


def _traversal(kind):
    def first(self):
        found = self._children(kind)
        return found[0] if found else None

    def following(self, child):
        found = self._children(kind)
        at = next((i for i, e in enumerate(found) if e is child), len(found)) + 1
        return found[at] if at < len(found) else None

    first.__name__, first.__doc__ = f"first_{kind}", f"The first {kind} in this body."
    following.__name__, following.__doc__ = f"next_{kind}", f"The {kind} after another one in this body."
    return first, following, property(lambda self: self._children(kind), doc=f"The {KINDS[kind][1]} in this body.")


for _kind in _TREE:
    _first, _next, _all = _traversal(_kind)
    setattr(MjsBody, f"first_{_kind}", _first)
    setattr(MjsBody, f"next_{_kind}", _next)
    setattr(MjsBody, KINDS[_kind][1], _all)


class MjsFrame(_Holder, _Placed, MjsElement):
    """A frame: a pose that its members are expressed in."""

    __slots__ = ()

    def add_frame(self, **kwargs):
        """Adds a frame inside this one; keywords are its values."""
        return self._add("frame", None, kwargs)

    def attach_body(self, body, prefix=None, suffix=None):
        """Attaches a body, of this or another spec, with all below it."""
        return attach(self, body, prefix or "", suffix or "")[0]


class MjsSite(_Placed, _Classed, MjsElement):
    """A site."""

    __slots__ = ()

    def attach_body(self, body, prefix=None, suffix=None):
        """Attaches a body, of this or another spec, with all below it."""
        return attach(self, body, prefix or "", suffix or "")[0]


def attach(anchor, part, prefix, suffix):
    """Attaches a body, a frame or a whole spec: the new body, the new frame, and all copies."""
    into = anchor._content
    whole = not isinstance(part, MjsElement)
    child = part if whole else part._content
    into.flush()
    child.flush()
    kind, index = ("world", 0) if whole else (part._kind, part._index)
    other = None if child is into else child.base
    body, frame, copies = into.base.attach_part(anchor._kind, anchor._index, other, kind, index, prefix, suffix)
    into.compiled = False
    if other is not None and not into.spec()._copies:
        into.take_over(child, copies)
    return into.element("body", body), into.element("frame", frame), copies


def _wrapper(kind):
    def wrap(self, *arguments):
        name, sidesite, number = "", "", 0.0
        if kind == "pulley":
            (number,) = arguments
        elif kind == "joint":
            name, number = arguments
        elif kind == "geom":
            name, sidesite = arguments
        else:
            (name,) = arguments
        return MjsWrap(self, self._content.base.wrap(self._index, kind, name, sidesite, float(number)))
    wrap.__name__, wrap.__doc__ = f"wrap_{kind}", f"Appends a {kind} to the path."
    return wrap


class MjsTendon(_Classed, MjsElement):
    """A tendon."""

    __slots__ = ()

    wrap_site, wrap_geom = _wrapper("site"), _wrapper("geom")
    wrap_joint, wrap_pulley = _wrapper("joint"), _wrapper("pulley")

    def default(self):
        """The default class that the tendon started from."""
        return self.classname

    @property
    def path(self):
        """The stations of the tendon."""
        return MjsTendonPath(self)


class MjsTendonPath:
    """The stations of a tendon, in order."""

    __slots__ = ("_tendon",)

    def __init__(self, tendon):
        self._tendon = tendon

    def __len__(self):
        return len(self._tendon._content.base.path(self._tendon._index))

    def __getitem__(self, index):
        if not 0 <= index < len(self):
            raise IndexError("Index out of range.")
        return MjsWrap(self._tendon, index)


class MjsWrap:
    """One station of a tendon."""

    __slots__ = ("_tendon", "_at")

    def __init__(self, tendon, at):
        self._tendon, self._at = tendon, at

    def __eq__(self, other):
        return isinstance(other, MjsWrap) and (self._tendon, self._at) == (other._tendon, other._at)

    def __hash__(self):
        return hash((id(self._tendon), self._at))

    def _station(self):
        return self._tendon._content.base.path(self._tendon._index)[self._at]

    def _find(self, kind, name):
        content = self._tendon._content
        return content.element(kind, content.base.find(kind, name)) if name else None

    info = property(lambda self: "", doc="Not kept.")

    @property
    def type(self):
        kind = self._station()[0]
        if kind == "geom":
            target = self.target
            kind = "none" if target is None else "cylinder" if target.type == 5 else "sphere"
        return getattr(ENUM_TYPES["mjtWrap"], f"mjWRAP_{kind.upper()}")

    @property
    def target(self):
        kind, name, _, _ = self._station()
        return None if kind == "pulley" else self._find(kind, name)

    @property
    def sidesite(self):
        return self._find("site", self._station()[2])

    @property
    def coef(self):
        kind, _, _, number = self._station()
        return number if kind == "joint" else None

    @property
    def divisor(self):
        kind, _, _, number = self._station()
        return number if kind == "pulley" else None


class MjsMesh(_Classed, MjsElement):
    """A mesh."""

    __slots__ = ()

    def _make(self, kind, params):
        self.builtin = getattr(ENUM_TYPES["mjtMeshBuiltin"], f"mjMESH_BUILTIN_{kind.upper()}")
        self.params = params

    def make_sphere(self, subdivision):
        self._make("sphere", [subdivision])

    def make_hemisphere(self, resolution):
        self._make("hemisphere", [resolution])

    def make_cone(self, nedge, radius):
        self._make("cone", [nedge, radius])

    def make_supersphere(self, resolution, e, n):
        self._make("supersphere", [resolution, e, n])

    def make_supertorus(self, resolution, radius, s, t):
        self._make("supertorus", [resolution, radius, s, t])

    def make_wedge(self, resolution=(0, 0), fov=(0, 0), gamma=0):
        self._make("wedge", [*resolution, *fov, gamma])

    def make_plate(self, resolution=(0, 0)):
        self._make("plate", [*resolution])


class MjsActuator(_Classed, MjsElement):
    """An actuator."""

    __slots__ = ()

    def _kinds(self, dyn, gain, bias):
        self.dyntype = getattr(ENUM_TYPES["mjtDyn"], f"mjDYN_{dyn}")
        self.gaintype = getattr(ENUM_TYPES["mjtGain"], f"mjGAIN_{gain}")
        self.biastype = getattr(ENUM_TYPES["mjtBias"], f"mjBIAS_{bias}")

    def set_to_motor(self):
        """Force equal to the control."""
        self.gainprm[0] = 1
        self._kinds("NONE", "FIXED", "NONE")

    def _servo(self, kp, kv, dampratio, timeconst, inheritrange, limits):
        self.gainprm[0], self.biasprm[1] = kp, -kp
        self.gaintype, self.biastype = 0, 1
        if kv != -1 and dampratio != -1:
            raise ValueError("kv and dampratio cannot both be defined")
        if kv != -1:
            if kv < 0:
                raise ValueError("kv cannot be negative")
            self.biasprm[2] = -kv
        if dampratio != -1:
            if dampratio < 0:
                raise ValueError("dampratio cannot be negative")
            self.biasprm[2] = dampratio
        if timeconst != -1:
            if timeconst < 0:
                raise ValueError("timeconst cannot be negative")
            self.dynprm[0] = timeconst
            self.dyntype = ENUM_TYPES["mjtDyn"].mjDYN_FILTEREXACT if timeconst else ENUM_TYPES["mjtDyn"].mjDYN_NONE
        self.inheritrange = inheritrange
        if inheritrange and np.any(getattr(self, limits)):
            raise ValueError(f"{limits} and inheritrange cannot both be defined")

    def set_to_position(self, kp, kv=-1, dampratio=-1, timeconst=-1, inheritrange=False):
        """A position servo."""
        self._servo(kp, kv, dampratio, timeconst, inheritrange, "ctrlrange")

    def set_to_intvelocity(self, kp, kv=-1, dampratio=-1, timeconst=-1, inheritrange=False):
        """A position servo whose set point is the integral of the control."""
        self._servo(kp, kv, dampratio, timeconst, inheritrange, "actrange")
        self.dyntype = ENUM_TYPES["mjtDyn"].mjDYN_INTEGRATOR
        self.actlimited = 1

    def set_to_velocity(self, kv):
        """A velocity servo."""
        self.biasprm[:] = 0
        self.gainprm[0], self.biasprm[2] = kv, -kv
        self._kinds("NONE", "FIXED", "AFFINE")

    def set_to_damper(self, kv):
        """A damper whose strength is the control."""
        if kv < 0:
            raise ValueError("damping coefficient cannot be negative")
        if np.any(self.ctrlrange < 0):
            raise ValueError("damper control range cannot be negative")
        self.gainprm[:] = 0
        self.gainprm[2] = -kv
        self.ctrllimited = 1
        self._kinds("NONE", "AFFINE", "NONE")

    def set_to_cylinder(self, timeconst, bias, area, diameter=-1):
        """A pneumatic or hydraulic cylinder."""
        self.dynprm[0], self.biasprm[0] = timeconst, bias
        self.gainprm[0] = area if diameter < 0 else np.pi / 4 * diameter * diameter
        self._kinds("FILTER", "FIXED", "AFFINE")

    def set_to_muscle(self, timeconst=-1, tausmooth=0, range=(-1, -1), force=-1, scale=-1, lmin=-1, lmax=-1, vmax=-1,
                      fpmax=-1, fvmax=-1):
        """A muscle; what is negative keeps its value, or takes that of a muscle."""
        if tausmooth < 0:
            raise ValueError("muscle tausmooth cannot be negative")
        timeconst = np.broadcast_to(timeconst, 2)
        settled = ((1, 0.75), (0, 1.05), (0, -1), (0, 200), (0, 0.5), (0, 1.6), (0, 1.5), (0, 1.3), (0, 1.2))
        for i, (general, muscle) in enumerate(settled):
            if self.gainprm[i] == general:
                self.gainprm[i] = muscle
        for i, (general, muscle) in enumerate(((1, 0.01), (0, 0.04))):
            if self.dynprm[i] == general:
                self.dynprm[i] = muscle
            if timeconst[i] >= 0:
                self.dynprm[i] = timeconst[i]
        self.dynprm[2] = tausmooth
        for i, value in enumerate((*range, force, scale, lmin, lmax, vmax, fpmax, fvmax)):
            if value >= 0:
                self.gainprm[i] = value
        self.biasprm[:9] = self.gainprm[:9]
        self._kinds("MUSCLE", "MUSCLE", "MUSCLE")

    def set_to_adhesion(self, gain):
        """Active adhesion."""
        if gain < 0:
            raise ValueError("adhesion gain cannot be negative")
        if np.any(self.ctrlrange < 0):
            raise ValueError("adhesion control range cannot be negative")
        self.gainprm[0], self.ctrllimited = gain, 1
        self.gaintype, self.biastype = 0, 0


class MjsPlugin(MjsElement):
    """An instance of a plugin."""

    __slots__ = ()

    @property
    def config(self):
        """Values of the plugin's attributes, by name."""
        both = self._content.base.get("plugin", self._index, "config")
        return dict(zip(both[::2], both[1::2]))

    @config.setter
    def config(self, values):
        both = [str(part) for pair in dict(values).items() for part in pair]
        self._content.base.set("plugin", self._index, "config", both)


class MjsPluginUse:
    """What an element asks of plugins: an instance, by its name or as the element's own."""

    __slots__ = ("_owner",)

    def __init__(self, owner):
        object.__setattr__(self, "_owner", owner)

    def _parts(self):
        return self._owner._content.base.plugin_use(self._owner._kind, self._owner._index)

    def _put(self, **changes):
        content = self._owner._content
        active, plugin_name, name, instance = self._parts()
        parts = {"active": active, "plugin_name": plugin_name, "name": name, "instance": instance, **changes}
        if parts["name"]:
            parts["instance"] = None
        content.compiled = False
        content.base.set_plugin_use(self._owner._kind, self._owner._index, bool(parts["active"]), parts["plugin_name"],
                                    parts["name"], parts["instance"])

    def _take(self, other):
        instance = other._index if isinstance(other, MjsPlugin) else other._parts()[3]
        self._put(active=other.active, plugin_name=other.plugin_name, name=other.name, instance=instance)
        self.info = other.info

    @property
    def _instance(self):
        return self._owner._content.element("plugin", self._parts()[3])

    active = property(lambda self: int(self._parts()[0]), lambda self, v: self._put(active=v), doc="Whether it counts.")
    plugin_name = property(lambda self: self._parts()[1], lambda self, v: self._put(plugin_name=v), doc="The kind.")
    name = property(lambda self: self._parts()[2], lambda self, v: self._put(name=v), doc="The instance.")

    @property
    def id(self):
        """The number of the instance; −1 if there is none."""
        return -1 if self._instance is None else self._instance.id

    @property
    def config(self):
        """The configuration of the instance."""
        return {} if self._instance is None else self._instance.config

    @config.setter
    def config(self, values):
        if self._instance is None:
            content = self._owner._content
            self._put(instance=content.base.insert("plugin"))
        self._instance.config = values

    @property
    def info(self):
        """A note, which is not part of the model."""
        return self._owner._content.notes.get(("plugin", self._owner._kind, self._owner._index), "")

    @info.setter
    def info(self, note):
        self._owner._content.notes["plugin", self._owner._kind, self._owner._index] = note

    @property
    def signature(self):
        """A number that changes with the structure of the spec."""
        return self._owner.signature


def _plugin_of(self):
    if self._prototype:
        raise AttributeError("default classes have no plugins")
    return MjsPluginUse(self)


class MjsDefault:
    """A default class: prototypes by kind of elements."""

    __slots__ = ("_content", "_index", "__weakref__")

    def __init__(self, content, index):
        self._content, self._index = content, index

    @classmethod
    def _of(cls, content, index):
        known = content.objects.get(("default", index, True))
        found = known and known()
        if found is None:
            found = cls(content, index)
            content.remember(("default", index, True), found)
        return found

    @property
    def name(self):
        return self._content.base.class_name(self._index)

    @name.setter
    def name(self, name):
        self._content.base.set_class_name(self._index, name)

    def __repr__(self):
        return f"<MjsDefault {self.name!r}>"


for _kind in ("actuator", "camera", "equality", "geom", "joint", "light", "material", "mesh", "pair", "site", "tendon"):
    setattr(MjsDefault, _kind, property(lambda self, kind=_kind: self._content.element(kind, self._index, True)))


def _class(title, *bases):
    return type(title, (*bases, MjsElement), {"__slots__": (), "__doc__": f"A {title[3:].lower()}."})


MjsJoint, MjsGeom = _class("MjsJoint", _Placed, _Classed), _class("MjsGeom", _Placed, _Classed)
MjsCamera, MjsLight = _class("MjsCamera", _Placed, _Classed), _class("MjsLight", _Placed, _Classed)
MjsMaterial, MjsPair, MjsEquality = (_class(t, _Classed) for t in ("MjsMaterial", "MjsPair", "MjsEquality"))
MjsHField, MjsFlex, MjsSkin, MjsTexture, MjsExclude, MjsNumeric, MjsText, MjsTuple, MjsKey = (
    _class(t) for t in ("MjsHField", "MjsFlex", "MjsSkin", "MjsTexture", "MjsExclude", "MjsNumeric", "MjsText", "MjsTuple",
                        "MjsKey"))


class MjsSensor(MjsElement):
    """A sensor."""

    __slots__ = ()

    def get_data_size(self):
        """Number of values that the sensor gives."""
        self._content.flush()
        size = self._content.base.sensor_size(self._index)
        return int(self._content.spec().compile().sensor_dim[self.id]) if size is None else size


CLASSES = {kind: globals()[title] for kind, (title, _) in KINDS.items()}
KINDS_BY_CLASS = {title: kind for kind, (title, _) in KINDS.items()}
for _kind in _PLUGIN_USERS:
    CLASSES[_kind].plugin = property(_plugin_of, lambda self, other: _plugin_of(self)._take(other),
                                     doc="What it asks of plugins.")


def _field(base, kind, name):
    """A field as an attribute of a class, by what the prototype of its kind has there, if there is one."""
    try:
        plain = isinstance(base.get(kind, 0, name, True), (int, float, str)) and name != "fluid_ellipsoid"
    except (TypeError, ValueError):
        plain = name == "name"
    return (_Plain if plain and (kind, name) not in _ENUMS else _Value)(kind, name)


def _add_fields():
    base = SpecBase()
    for kind, cls in CLASSES.items():
        cls._known = tuple(base.names(kind))
        for name in cls._known:
            if not hasattr(cls, name):
                setattr(cls, name, _field(base, kind, name))


_add_fields()
for _c in (*CLASSES.values(), *VECTORS, MjsCompiler, MjsDefault, MjsOrientation, MjsPluginUse, MjsWrap, MjsTendonPath, MjsElement):
    _c.__module__ = "corten.mujoco"
