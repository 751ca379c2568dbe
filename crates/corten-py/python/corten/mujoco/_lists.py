"""Contacts and statistics of a simulation: structs, and lists of them with array attributes."""
import weakref

import numpy as np

from .._corten import StructBase, StructField, list_layout, list_len, list_memory, mj_mulJacVec
from ._enums import ENUM_TYPES
from ._records import describe

CLASSES = {"contact": "MjContact", "solver": "MjSolverStat", "warning": "MjWarningStat", "timer": "MjTimerStat"}
_CONE = int(ENUM_TYPES["mjtConstraintState"].mjCNSTRSTATE_CONE)


def _layout(name):
    """Bytes of one element; name, type, number of values and offset of each field."""
    size, layout = list_layout(name)
    if name == "contact":
        at = next(offset for field, _, _, offset in layout if field == "geom")
        layout += [("geom1", "i4", 0, at), ("geom2", "i4", 0, at + 4)]
    return size, sorted(layout)


def _structure(size, layout):
    """The NumPy type of one element."""
    return np.dtype({
        "names": [field for field, *_ in layout],
        "formats": [(kind, (count,)) if count else kind for _, kind, count, _ in layout],
        "offsets": [offset for *_, offset in layout],
        "itemsize": size,
    })


_LAYOUTS = {name: _layout(name) for name in CLASSES}
_TYPES = {name: _structure(*layout) for name, layout in _LAYOUTS.items()}
FIELDS = {name: kind.names for name, kind in _TYPES.items()}
FIELDS["contact"] = ("H", *FIELDS["contact"])


def cone_hessians(d, contacts):
    """Hessians of the cost of elliptic cones that slide, by the contact's residual; zero for other contacts.

    With N = mu*r0, U = friction*r1.., T = |U|, the cost of a sliding contact is D (N - mu T)^2 / (2 mu^2 (1 + mu^2)).
    """
    hessians = np.zeros((len(contacts), 36))
    address, state = contacts["efc_address"], d.efc_state
    sliding = [i for i in range(len(contacts)) if 0 <= address[i] < d.nefc and state[address[i]] == _CONE]
    if not sliding:
        return hessians
    residual = np.zeros(d.nefc)
    mj_mulJacVec(d.model, d, residual, d.qacc)
    residual -= d.efc_aref
    for i in sliding:
        n, mu, friction = int(contacts["dim"][i]), contacts["mu"][i], contacts["friction"][i]
        scale = np.concatenate([[mu], friction[:n - 1]])
        scaled = residual[address[i]:address[i] + n] * scale
        normal, tangent = scaled[0], scaled[1:]
        size = np.linalg.norm(tangent)
        if size == 0.0:
            continue
        h = np.empty((n, n))
        h[0, 0] = 1.0
        h[0, 1:] = h[1:, 0] = -mu * tangent / size
        h[1:, 1:] = mu * normal / size**3 * np.outer(tangent, tangent) + (mu * mu - mu * normal / size) * np.eye(n - 1)
        weight = d.efc_D[address[i]] / (mu * mu * (1.0 + mu * mu))
        hessians[i, :n * n] = (weight * h * np.outer(scale, scale)).ravel()
    return hessians


_new = StructBase.__new__


class _Struct(StructBase):
    """A struct of numbers and small vectors: an element of a list, or one that belongs to nothing."""

    __slots__ = ()
    _list, _size = "", 0

    def __new__(cls):
        return _new(cls, np.zeros(cls._size, np.uint8), 0, cls._size)

    @classmethod
    def _at(cls, memory, index):
        """The element of this index in the bytes of a list."""
        return _new(cls, memory, index * cls._size, cls._size)

    def _assign(self, other):
        """Takes over all values of another one."""
        if type(self) is not type(other):
            raise TypeError(f"expected {type(self).__name__}, found {type(other).__name__}")
        self._bytes[...] = other._bytes

    def __copy__(self):
        other = type(self)()
        other._assign(self)
        return other

    def __deepcopy__(self, memo):
        return self.__copy__()

    def __reduce__(self):
        return _restore_struct, (type(self), {name: getattr(self, name) for name in FIELDS[self._list]})

    def __eq__(self, other):
        if type(self) is not type(other):
            return NotImplemented
        return all(np.array_equal(getattr(self, n), getattr(other, n)) for n in FIELDS[self._list])

    __hash__ = None

    def __repr__(self):
        return describe(type(self).__name__, ((f, getattr(self, f)) for f in FIELDS[self._list]))


def _restore_struct(cls, values):
    struct = cls()
    for name, value in values.items():
        setattr(struct, name, value)
    return struct


def _fields_of(name):
    return {field: StructField(field, kind, count, offset) for field, kind, count, offset in _LAYOUTS[name][1]}


class MjContact(_Struct):
    """A contact. `H` is computed when asked for: the Hessian of its cone, from the present acceleration."""

    # Where H is: a list and the place in it, or an array of one's own.
    __slots__ = ("_place", "_own")
    _list, _size = "contact", _LAYOUTS["contact"][0]
    locals().update(_fields_of("contact"))

    @property
    def H(self):
        try:
            contacts, index = self._place
        except AttributeError:
            try:
                return self._own
            except AttributeError:
                self._own = np.zeros(36)
                return self._own
        hessians = contacts.H
        return hessians[index] if index < len(hessians) else np.zeros(36)

    @H.setter
    def H(self, values):
        self.H[...] = values

    def _assign(self, other):
        super()._assign(other)
        self.H[...] = other.H


class MjSolverStat(_Struct):
    """Statistics of one iteration of the solver."""

    __slots__ = ()
    _list, _size = "solver", _LAYOUTS["solver"][0]
    locals().update(_fields_of("solver"))


class MjWarningStat(_Struct):
    """How often a warning was raised, and what about."""

    __slots__ = ()
    _list, _size = "warning", _LAYOUTS["warning"][0]
    locals().update(_fields_of("warning"))


class MjTimerStat(_Struct):
    """Time spent in a stage, and how often it ran."""

    __slots__ = ()
    _list, _size = "timer", _LAYOUTS["timer"][0]
    locals().update(_fields_of("timer"))


_ELEMENTS = {"contact": MjContact, "solver": MjSolverStat, "warning": MjWarningStat, "timer": MjTimerStat}
for _class in _ELEMENTS.values():
    _class.__module__ = "corten.mujoco"


class _List:
    """A list of structs; its attributes are arrays over all elements, views of their memory.

    The list of a simulation follows it. A slice, and a copy, is a list of the elements that it was made of.
    """

    # The simulation, which keeps its lists and is not kept by them; its memory; which elements, if not all.
    __slots__ = ("_data", "_known", "_part", "_hessians", "__weakref__")
    _list = ""

    def __init__(self, data, memory=None, part=None):
        self._data = data if data is None else weakref.ref(data)
        self._known = (None, None)
        self._part = part
        self._hessians = (None, None)
        if memory is not None:
            self._known = memory, memory.view(_TYPES[self._list])

    def _follow(self):
        """Bytes of the whole list, and its elements."""
        data = self._data and self._data()
        if self._part is None and data is not None:
            # While the buffer stays where it is, its bytes are the same object: so are its elements.
            memory = list_memory(data, self._list)
            if self._known[0] is not memory:
                self._known = memory, memory.view(_TYPES[self._list])
        return self._known

    @property
    def _memory(self):
        """The elements as a structured array."""
        whole = self._follow()[1]
        part = self._part
        return whole if part is None else whole[slice(part.start, part.stop if part.stop >= 0 else None, part.step)]

    def __len__(self):
        if self._part is not None:
            return len(self._part)
        data = self._data and self._data()
        return len(self._known[1]) if data is None else list_len(data, self._list)

    def __getitem__(self, index):
        memory, whole = self._follow()
        chosen = range(len(whole)) if self._part is None else self._part
        if isinstance(index, slice):
            part = type(self)(None, memory, chosen[index])
            part._data = self._data
            return part
        try:
            place = chosen[index]
        except IndexError:
            raise IndexError(f"index {index} is out of range: '{self._list}' has {len(chosen)} elements") from None
        return self._element(memory, place, index)

    def _element(self, memory, place, index):
        return _ELEMENTS[self._list]._at(memory, place)

    def __setitem__(self, index, value):
        if isinstance(index, slice):
            elements, values = list(self[index]), list(value)
            if len(elements) != len(values):
                raise ValueError(f"{len(values)} structs for {len(elements)} elements")
            for element, given in zip(elements, values):
                element._assign(given)
        else:
            self[index]._assign(value)

    def __iter__(self):
        return (self[i] for i in range(len(self)))

    def __eq__(self, other):
        if type(self) is not type(other):
            return NotImplemented
        return len(self) == len(other) and all(
            np.array_equal(getattr(self, f), getattr(other, f)) for f in FIELDS[self._list])

    __hash__ = None

    def __copy__(self):
        elements = self._memory.copy()
        other = type(self)(None, elements.view(np.uint8), range(len(elements)))
        if self._list == "contact":
            other._hessians = None, np.array(self.H)
        return other

    def __deepcopy__(self, memo):
        return self.__copy__()

    def __reduce__(self):
        return _restore_list, (type(self), self._memory.tobytes(), getattr(self, "H", None))

    def __setattr__(self, field, value):
        if field.startswith("_"):
            object.__setattr__(self, field, value)
        else:
            getattr(self, field)[...] = value

    def __repr__(self):
        return describe(type(self).__name__, ((f, getattr(self, f)) for f in FIELDS[self._list]))


def _restore_list(cls, content, hessians):
    elements = np.frombuffer(bytearray(content), np.uint8)
    other = cls(None, elements, range(len(elements) // _LAYOUTS[cls._list][0]))
    other._hessians = None, hessians
    return other


def _hessians_of_contacts(self):
    """Hessians of all cones, of the state that the engine left; what is written stays until it runs again."""
    data = self._data and self._data()
    run, known = self._hessians
    if data is not None and self._part is not None:
        return data.contact.H[self._part.start:self._part.stop if self._part.stop >= 0 else None:self._part.step]
    now = None if data is None else (data._runs, len(self))
    if known is None or run != now:
        known = np.zeros((len(self), 36)) if data is None else cone_hessians(data, self._memory)
        self._hessians = now, known
    return known


def _column(field):
    return property(lambda self: self._memory[field])


def _item_of_all(name, placed):
    """`__getitem__` with a short way to an element of the list of a simulation."""
    element, size = _ELEMENTS[name], _LAYOUTS[name][0]

    def item(self, index):
        data = self._data() if self._part is None and type(index) is int else None
        if data is not None:
            memory = list_memory(data, name)
            if 0 <= index < len(memory) // size:
                found = _new(element, memory, index * size, size)
                if placed:
                    found._place = self, index
                return found
        return _List.__getitem__(self, index)
    return item


def _list_type(name):
    members = {"__slots__": (), "__doc__": _List.__doc__, "_list": name, "__module__": "corten.mujoco._structs"}
    members |= {field: _column(field) for field in _TYPES[name].names}
    members["__getitem__"] = _item_of_all(name, name == "contact")
    if name == "contact":
        def _element(self, memory, place, index):
            contact = MjContact._at(memory, place)
            contact._place = self, index
            return contact

        members |= {"H": property(_hessians_of_contacts), "_element": _element}
    return type(f"_{CLASSES[name]}List", (_List,), members)


LISTS = {name: _list_type(name) for name in CLASSES}
