"""Contacts and statistics of a simulation: list-like, with array attributes."""
import numpy as np

from .._corten import list_layout, list_len, list_memory, mj_mulJacVec
from ._enums import ENUM_TYPES
from ._records import describe

CLASSES = {"contact": "MjContact", "solver": "MjSolverStat", "warning": "MjWarningStat", "timer": "MjTimerStat"}


def _structure(name):
    """The NumPy type of one element."""
    size, layout = list_layout(name)
    if name == "contact":
        at = next(offset for field, _, _, offset in layout if field == "geom")
        layout += [("geom1", "i4", 0, at), ("geom2", "i4", 0, at + 4)]
    layout = sorted(layout)
    return np.dtype({
        "names": [field for field, *_ in layout],
        "formats": [(kind, (count,)) if count else kind for _, kind, count, _ in layout],
        "offsets": [offset for *_, offset in layout],
        "itemsize": size,
    })


_TYPES = {name: _structure(name) for name in CLASSES}
_KEPT = {name: f"_{name}_memory" for name in CLASSES}
FIELDS = {name: kind.names for name, kind in _TYPES.items()}
FIELDS["contact"] = ("H", *FIELDS["contact"])


_CONE = int(ENUM_TYPES["mjtConstraintState"].mjCNSTRSTATE_CONE)


def cone_hessians(d):
    """Hessians of the cost of elliptic cones that slide, by the contact's residual; zero for other contacts.

    With N = mu*r0, U = friction*r1.., T = |U|, the cost of a sliding contact is D (N - mu T)^2 / (2 mu^2 (1 + mu^2)).
    """
    contacts = d.contact._memory
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


class _Element:
    """One element of a list, read and written in the simulation's own memory."""

    __slots__ = ("_memory", "_list", "_data", "_index")

    def __init__(self, memory, name, data, index):
        # Of length one: it keeps the memory of this element.
        object.__setattr__(self, "_memory", memory)
        object.__setattr__(self, "_list", name)
        object.__setattr__(self, "_data", data)
        object.__setattr__(self, "_index", index)

    def _field(self, field):
        try:
            return self._memory[field]
        except ValueError:
            raise AttributeError(f"'{CLASSES[self._list]}' object has no attribute '{field}'") from None

    def __getattr__(self, field):
        if field == "H" and self._list == "contact":
            hessians = cone_hessians(self._data)
            return hessians[self._index] if self._index < len(hessians) else np.zeros(36)
        values = self._field(field)
        return values.item() if values.ndim == 1 else values[0]

    def __setattr__(self, field, value):
        values = self._field(field)
        value = np.asarray(value)
        if value.size != values.size:
            raise ValueError(f"'{field}' has {values.size} values, {value.size} were given")
        values[...] = value.reshape(values.shape)

    def __dir__(self):
        return [*object.__dir__(self), *FIELDS[self._list]]

    def __repr__(self):
        return describe(CLASSES[self._list], ((f, getattr(self, f)) for f in FIELDS[self._list]))


class _List:
    """A list of elements; its attributes are arrays over all elements, views of their memory."""

    __slots__ = ("_data", "_list")

    def __init__(self, data, name):
        object.__setattr__(self, "_data", data)
        object.__setattr__(self, "_list", name)

    @property
    def _memory(self):
        # While the buffer stays where it is, its bytes are the same object: so are its elements.
        own, name = self._data.__dict__, self._list
        memory = list_memory(self._data, name)
        known = own.get(_KEPT[name])
        if known is None or known[0] is not memory:
            own[_KEPT[name]] = known = memory, memory.view(_TYPES[name])
        return known[1]

    def __len__(self):
        return list_len(self._data, self._list)

    def __getitem__(self, index):
        memory = self._memory
        n = len(memory)
        if isinstance(index, slice):
            return [_Element(memory[i:i + 1], self._list, self._data, i) for i in range(*index.indices(n))]
        index = int(index)
        if not -n <= index < n:
            raise IndexError(f"index {index} is out of range: '{self._list}' has {n} elements")
        index %= n
        return _Element(memory[index:index + 1], self._list, self._data, index)

    def __iter__(self):
        return iter(self[:])

    def __getattr__(self, field):
        if field == "H" and self._list == "contact":
            return cone_hessians(self._data)
        raise AttributeError(f"'_{CLASSES[self._list]}List' object has no attribute '{field}'")

    def __setattr__(self, field, value):
        getattr(self, field)[...] = value

    def __dir__(self):
        return sorted({*object.__dir__(self), *FIELDS[self._list]})

    def __repr__(self):
        name = f"_{CLASSES[self._list]}List"
        return describe(name, ((f, getattr(self, f)) for f in FIELDS[self._list]))


def _column(field):
    return property(lambda self: self._memory[field])


def _list_type(name):
    columns = {field: _column(field) for field in _TYPES[name].names}
    return type(f"_{CLASSES[name]}List", (_List,), {"__slots__": (), "__doc__": _List.__doc__, **columns})


LISTS = {name: _list_type(name) for name in CLASSES}
