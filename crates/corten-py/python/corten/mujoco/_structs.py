"""MjModel and MjData."""
import copy
import os
import weakref
from operator import attrgetter

import numpy as np

from .._corten import DataBase, ModelBase, load_path, load_text
from .._warnings import checked
from ._lists import LISTS
from ._mirror import mirror
from ._records import MjOption, MjStatistic, MjVisual


def _kept(slot, make, doc):
    """An attribute that is made when first asked for, and kept."""
    known = attrgetter(slot)

    def get(self):
        try:
            return known(self)
        except AttributeError:
            made = make(self)
            setattr(self, slot, made)
            return made
    return property(get, doc=doc)


class MjModel(ModelBase):
    """A compiled model."""

    __slots__ = ("_opt", "_stat", "_vis", "_views", "__weakref__")

    def __new__(cls, handle=None):
        if handle is None:
            raise TypeError(f"{cls.__name__}: No constructor defined! Models come from from_xml_path, from_xml_string, "
                            "from_binary_path or MjSpec.compile")
        return ModelBase.__new__(cls, handle)

    def __init__(self, handle):
        self.remember(weakref.ref(self))

    @classmethod
    def from_xml_path(cls, filename, assets=None, *, limits=None):
        """Loads a model from a file; files in `assets` stand before those on disk."""
        return cls(checked(load_path(os.fspath(filename), assets, limits)))

    @classmethod
    def from_xml_string(cls, xml, assets=None, *, limits=None):
        """Loads a model from text and an optional dictionary of files that it refers to."""
        return cls(checked(load_text(xml, assets, limits)))

    @classmethod
    def from_binary_path(cls, filename, assets=None):
        """Loads a model that `mj_saveModel` wrote."""
        filename = os.fsdecode(filename)
        content = (assets or {}).get(filename)
        if content is None:
            try:
                with open(filename, "rb") as file:
                    content = file.read()
            except OSError as e:
                raise ValueError(f"'{filename}': {e.strerror}") from e
        try:
            return cls(ModelBase.from_bytes(content))
        except ValueError as e:
            raise ValueError(f"'{filename}': {e}") from None

    @classmethod
    def _from_arrays(cls, arrays):
        """The model of named arrays, under the names of `pack`."""
        return cls(ModelBase.unpack(arrays))

    opt = _kept("_opt", MjOption, "Options of the physics.")
    stat = _kept("_stat", MjStatistic, "Summary of the model in its reference pose.")
    vis = _kept("_vis", MjVisual, "Viewing parameters.")

    def __copy__(self):
        return type(self)(self.duplicate())

    def __deepcopy__(self, memo):
        memo[id(self)] = duplicate = self.__copy__()
        return duplicate

    def __reduce__(self):
        return _restore_model, (type(self), self.to_bytes())


def _restore_model(cls, data):
    return cls(ModelBase.from_bytes(data))


class MjData(DataBase):
    """The changing part of a simulation."""

    __slots__ = ("_contact", "_solver", "_warning", "_timer", "_views", "_plugin_data", "_threadstack", "__weakref__")

    def __new__(cls, model, _source=None):
        if model is None:
            raise TypeError("MjModel cannot be None")
        return DataBase.__new__(cls, model, _source)

    def __init__(self, model, _source=None):
        self.remember(weakref.ref(self))

    def __copy__(self):
        return type(self)(self.model, self)

    def __deepcopy__(self, memo):
        return type(self)(copy.deepcopy(self.model, memo), self)

    def __reduce__(self):
        return type(self), (self.model, self.to_bytes())

    # What tells about MuJoCo's own memory: here it grows, and none of it is set aside.
    narena = property(lambda self: self.model.narena, doc="Bytes of the arena that MuJoCo would have.")
    parena = pbase = pstack = maxuse_arena = maxuse_stack = threadpool = property(lambda self: 0, doc="Zero: no arena.")
    plugin_data = _kept("_plugin_data", lambda d: np.zeros(d.nplugin, np.uint64), "Zeros: addresses in MuJoCo's memory.")
    maxuse_threadstack = _kept("_threadstack", lambda d: np.zeros(128, np.uint64), "Zeros: no stacks of threads.")

    @property
    def nbuffer(self):
        """Bytes of all arrays whose lengths follow from the model."""
        fields = (getattr(self, name) for name in self._fixed_fields)
        return sum(array.nbytes for array in fields)

    contact = _kept("_contact", LISTS["contact"], "Contacts found by the last collision detection.")
    solver = _kept("_solver", LISTS["solver"], "Statistics of solver iterations.")
    warning = _kept("_warning", LISTS["warning"], "How often each warning was raised.")
    timer = _kept("_timer", LISTS["timer"], "Time spent in each stage.")


__getattr__, __dir__ = mirror(__name__, {cls.__name__: cls for cls in LISTS.values()})
