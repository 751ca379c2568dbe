"""A drop-in for `import mujoco` 3.4.0, computed by CortenForge."""
from .. import _corten
from ._records import MjOption, MjStatistic, MjVisual
from ._structs import MjData, MjModel

__version__ = "3.4.0"

for _name in dir(_corten):
    if _name.startswith(("mj_", "mju_", "mjd_")):
        globals()[_name] = getattr(_corten, _name)
del _name
