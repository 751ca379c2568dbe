"""At the start of interpreters that a program under `python -m corten.mujoco` starts."""
import importlib.machinery
import importlib.util
import os
import sys

_here = os.path.dirname(os.path.abspath(__file__))
_spec = importlib.util.spec_from_file_location(
    "corten_alias_hook", os.path.join(os.path.dirname(_here), "_startup.py"))
_module = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(_module)

# The environment's own sitecustomize, which this file stands before.
_path = [p for p in sys.path if os.path.abspath(p or ".") != _here]
_next = importlib.machinery.PathFinder.find_spec("sitecustomize", _path)
if _next is not None and _next.loader is not None:
    _module = importlib.util.module_from_spec(_next)
    sys.modules["sitecustomize"] = _module
    _next.loader.exec_module(_module)
