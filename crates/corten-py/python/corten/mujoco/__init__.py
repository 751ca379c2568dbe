"""A drop-in for `import mujoco` 3.4.0, computed by CortenForge.

`install()` lets `import mujoco` mean this module; `python -m corten.mujoco SCRIPT` runs a program so.
"""
from typing import Union as _Union

from .. import _corten
from . import _contexts, _functions, _misc, _render, _visual  # noqa: F401
from ._enums import CONSTANTS as _CONSTANTS
from ._enums import ENUM_TYPES as _ENUM_TYPES
from .._corten import FatalError, UnexpectedError
from ._named import add_named_access
from . import _startup
from ._startup import install, uninstall
from ._lists import MjContact, MjSolverStat, MjTimerStat, MjWarningStat
from ._misc import MjLROpt
from ._records import MjOption, MjStatistic, MjVisual
from ._elements import CLASSES as _ELEMENTS
from ._elements import VECTORS as _VECTORS
from ._elements import MjsCompiler, MjsDefault, MjsElement, MjsOrientation, MjsTendonPath, MjsWrap
from ._spec import MjSpec, from_zip, to_zip
from ._structs import MjData, MjModel
from . import gl_context, renderer
from .gl_context import GLContext
from .renderer import Renderer

__version__ = "3.4.0"

MjVisualHeadlight = MjVisual.Headlight
MjVisualRgba = MjVisual.Rgba

globals().update({c.__name__: c for c in (*_ELEMENTS.values(), *_VECTORS)})
MjStruct = _Union[tuple(_ELEMENTS.values())]
globals().update(_ENUM_TYPES)
globals().update(_CONSTANTS)
globals().update(_misc.CALLBACKS)
globals().update({c.__name__: c for c in _visual.CLASSES})
globals().update(_visual.FUNCTIONS)
globals().update(_render.NAMES)
for _module in (_misc, _corten):
    globals().update({name: f for name, f in vars(_module).items() if name.startswith(("mj_", "mju_", "mjd_", "mjv_"))})

for _class in (MjData, MjModel, MjOption, MjSpec, MjStatistic, MjVisual):
    _class.__module__ = __name__
add_named_access(MjModel, MjData)

_contexts.install()
if _startup.wanted(_startup.LATER, "0"):
    from . import later  # noqa: F401

del _class, _module, add_named_access
