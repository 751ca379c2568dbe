"""MjModel and MjData."""
import copy
import os
import weakref
from functools import cached_property

from .._corten import DataBase, ModelBase, load_path, load_text
from .._warnings import checked
from ._lists import LISTS
from ._records import MjOption, MjStatistic, MjVisual


class MjModel(ModelBase):
    """A compiled model."""

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

    @cached_property
    def opt(self):
        return MjOption(self)

    @cached_property
    def stat(self):
        return MjStatistic(self)

    @cached_property
    def vis(self):
        return MjVisual(self)

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

    def __new__(cls, model, _source=None):
        return DataBase.__new__(cls, model, _source)

    def __init__(self, model, _source=None):
        self.remember(weakref.ref(self))

    def __copy__(self):
        return type(self)(self.model, self)

    def __deepcopy__(self, memo):
        return type(self)(copy.deepcopy(self.model, memo), self)

    def __reduce__(self):
        return type(self), (self.model, self.to_bytes())

    @property
    def contact(self):
        """Contacts found by the last collision detection."""
        return LISTS["contact"](self, "contact")

    @property
    def solver(self):
        """Statistics of solver iterations."""
        return LISTS["solver"](self, "solver")

    @property
    def warning(self):
        """How often each warning was raised."""
        return LISTS["warning"](self, "warning")

    @property
    def timer(self):
        """Time spent in each stage."""
        return LISTS["timer"](self, "timer")
