"""Models as their authors write them."""
import os

from .._corten import SpecBase
from ._structs import MjModel


class MjSpec(SpecBase):
    """A model that is read, compiled and written back; its elements cannot be edited here."""

    def __new__(cls, _path=None, _xml=None, _assets=None):
        return SpecBase.__new__(cls, _path, _xml, _assets)

    def __init__(self, _path=None, _xml=None, _assets=None):
        pass

    @classmethod
    def from_file(cls, filename, include=None, assets=None):
        """Reads a model from a file; files in `include` and `assets` stand before those on disk."""
        return cls(os.fspath(filename), None, {**(include or {}), **(assets or {})})

    @classmethod
    def from_string(cls, xml, include=None, assets=None):
        """Reads a model from text."""
        return cls(None, xml, {**(include or {}), **(assets or {})})

    def compile(self):
        """The compiled model."""
        return MjModel(self.compile_model())

    def to_file(self, filename):
        """Writes the model as MJCF."""
        with open(filename, "w", encoding="utf-8") as file:
            file.write(self.to_xml())
