"""`import mujoco` means `corten.mujoco`: for all that is imported after `install`.

This file needs the standard library only and imports nothing of the package until somebody imports `mujoco`, so that
it can run at the start of every interpreter. It is also copied by `python -m corten.mujoco --hook install`.
"""
import importlib
import importlib.abc
import importlib.machinery
import importlib.metadata
import importlib.util
import os
import sys

VARIABLE = "CORTEN_ALIAS"
LATER = "CORTEN_LATER"
VERSION = "3.4.0"
_NAME = "corten-alias"


def wanted(variable=VARIABLE, unsaid="1"):
    """What the environment says; `unsaid` where it says nothing."""
    return os.environ.get(variable, unsaid).lower() not in ("0", "off", "false", "no")


class _Loader(importlib.abc.Loader):
    """Hands out a module of `corten.mujoco` under MuJoCo's name."""

    def __init__(self, source):
        self._source = source
        self._spec = None

    def create_module(self, spec):
        module = importlib.import_module(self._source)
        self._spec = module.__spec__
        return module

    def exec_module(self, module):
        # The import system has put the new name's spec there.
        module.__spec__ = self._spec


class _Distribution(importlib.metadata.Distribution):
    """What asks for the version of the package `mujoco` finds one, also where that is not installed."""

    def read_text(self, filename):
        return f"Metadata-Version: 2.1\nName: mujoco\nVersion: {VERSION}\n" if filename == "METADATA" else None

    def locate_file(self, path):
        return path


class Finder(importlib.abc.MetaPathFinder):
    """Finds `mujoco` and its modules in `corten.mujoco`."""

    name = _NAME

    @classmethod
    def find_spec(cls, fullname, path=None, target=None):
        if fullname != "mujoco" and not fullname.startswith("mujoco.") or not wanted():
            return None
        source = "corten." + fullname
        if importlib.util.find_spec(source) is None:
            return None if fullname == "mujoco" else _absent(fullname)
        is_package = fullname == "mujoco"
        return importlib.machinery.ModuleSpec(fullname, _Loader(source), origin=source, is_package=is_package)

    @classmethod
    def find_distributions(cls, context=importlib.metadata.DistributionFinder.Context()):
        if context.name == "mujoco" and wanted():
            yield _Distribution()


def _absent(fullname):
    raise ModuleNotFoundError(
        f"No module named {fullname!r}: corten.mujoco stands for mujoco here and has no such module "
        f"({VARIABLE}=0 gives the package mujoco itself)", name=fullname)


def install():
    """Lets `import mujoco`, and imports of its modules, give `corten.mujoco` from now on."""
    present = sys.modules.get("mujoco")
    if present is not None and getattr(present, "__name__", "") != "corten.mujoco":
        raise RuntimeError("the package mujoco has been imported already: call corten.mujoco.install() before that, or "
                           "run the program under python -m corten.mujoco")
    if any(getattr(finder, "name", None) == _NAME for finder in sys.meta_path):
        return
    sys.meta_path.insert(0, Finder)


def uninstall():
    """Undoes `install` for what is imported later."""
    sys.meta_path[:] = [finder for finder in sys.meta_path if getattr(finder, "name", None) != _NAME]
    for name in [n for n in sys.modules if n == "mujoco" or n.startswith("mujoco.")]:
        if getattr(sys.modules[name], "__name__", "").startswith("corten."):
            del sys.modules[name]


if __name__ in ("corten_alias_hook", "_corten_alias") and wanted():
    install()
