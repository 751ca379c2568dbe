"""Contacts and statistics of a simulation: list-like, with array attributes."""
from .._corten import list_column, list_get, list_len, list_set
from ._records import describe

import numpy as np

FIELDS = {
    "contact": ("H", "dim", "dist", "efc_address", "elem", "exclude", "flex", "frame", "friction", "geom",
                "geom1", "geom2", "includemargin", "mu", "pos", "solimp", "solref", "solreffriction", "vert"),
    "solver": ("gradient", "improvement", "lineslope", "nactive", "nchange", "neval", "nupdate"),
    "warning": ("lastinfo", "number"),
    "timer": ("duration", "number"),
}
CLASSES = {"contact": "MjContact", "solver": "MjSolverStat", "warning": "MjWarningStat", "timer": "MjTimerStat"}


class _Element:
    """One element of a list, read and written in the simulation itself."""

    __slots__ = ("_data", "_list", "_index")

    def __init__(self, data, name, index):
        object.__setattr__(self, "_data", data)
        object.__setattr__(self, "_list", name)
        object.__setattr__(self, "_index", index)

    def __getattr__(self, field):
        if field in ("geom1", "geom2"):
            return int(list_get(self._data, self._list, self._index, "geom")[int(field == "geom2")])
        if field == "H" and self._list == "contact":
            return np.zeros(36)
        return list_get(self._data, self._list, self._index, field)

    def __setattr__(self, field, value):
        if field in ("geom1", "geom2"):
            pair = np.array(self.geom)
            pair[int(field == "geom2")] = value
            field, value = "geom", pair
        list_set(self._data, self._list, self._index, field, value)

    def __dir__(self):
        return [*object.__dir__(self), *FIELDS[self._list]]

    def __repr__(self):
        return describe(CLASSES[self._list], ((f, getattr(self, f)) for f in FIELDS[self._list]))


class _List:
    """A list of elements; its attributes are arrays over all elements."""

    __slots__ = ("_data", "_list")

    def __init__(self, data, name):
        self._data, self._list = data, name

    def __len__(self):
        return list_len(self._data, self._list)

    def __getitem__(self, index):
        n = len(self)
        if isinstance(index, slice):
            return [_Element(self._data, self._list, i) for i in range(*index.indices(n))]
        index = int(index)
        if not -n <= index < n:
            raise IndexError(f"index {index} is out of range: '{self._list}' has {n} elements")
        return _Element(self._data, self._list, index % n)

    def __iter__(self):
        return iter(self[:])

    def __getattr__(self, field):
        if field in ("geom1", "geom2"):
            return list_column(self._data, self._list, "geom")[:, int(field == "geom2")]
        if field == "H" and self._list == "contact":
            return np.zeros((len(self), 36))
        return list_column(self._data, self._list, field)

    def __dir__(self):
        return [*object.__dir__(self), *FIELDS[self._list]]

    def __repr__(self):
        name = f"_{CLASSES[self._list]}List"
        return describe(name, ((f, getattr(self, f)) for f in FIELDS[self._list]))
