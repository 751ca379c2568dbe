"""Contacts and statistics of a simulation: list-like, with array attributes."""
import numpy as np

from .._corten import list_layout, list_len, list_memory
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
FIELDS = {name: kind.names for name, kind in _TYPES.items()}
FIELDS["contact"] = ("H", *FIELDS["contact"])


class _Element:
    """One element of a list, read and written in the simulation's own memory."""

    __slots__ = ("_memory", "_list")

    def __init__(self, memory, name):
        # Of length one: it keeps the memory of this element.
        object.__setattr__(self, "_memory", memory)
        object.__setattr__(self, "_list", name)

    def _field(self, field):
        try:
            return self._memory[field]
        except ValueError:
            raise AttributeError(f"'{CLASSES[self._list]}' object has no attribute '{field}'") from None

    def __getattr__(self, field):
        if field == "H" and self._list == "contact":
            return np.zeros(36)
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
        return list_memory(self._data, self._list).view(_TYPES[self._list])

    def __len__(self):
        return list_len(self._data, self._list)

    def __getitem__(self, index):
        memory = self._memory
        n = len(memory)
        if isinstance(index, slice):
            return [_Element(memory[i:i + 1], self._list) for i in range(*index.indices(n))]
        index = int(index)
        if not -n <= index < n:
            raise IndexError(f"index {index} is out of range: '{self._list}' has {n} elements")
        index %= n
        return _Element(memory[index:index + 1], self._list)

    def __iter__(self):
        return iter(self[:])

    def __getattr__(self, field):
        if field == "H" and self._list == "contact":
            return np.zeros((len(self), 36))
        try:
            return self._memory[field]
        except ValueError:
            message = f"'_{CLASSES[self._list]}List' object has no attribute '{field}'"
            raise AttributeError(message) from None

    def __setattr__(self, field, value):
        getattr(self, field)[...] = value

    def __dir__(self):
        return [*object.__dir__(self), *FIELDS[self._list]]

    def __repr__(self):
        name = f"_{CLASSES[self._list]}List"
        return describe(name, ((f, getattr(self, f)) for f in FIELDS[self._list]))
