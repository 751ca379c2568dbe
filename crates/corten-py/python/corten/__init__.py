"""CortenForge: a physics engine with MuJoCo 3.4.0's results.

`corten.mujoco` is a drop-in for `import mujoco`.
"""
from ._corten import __version__

__all__ = ["__version__"]
