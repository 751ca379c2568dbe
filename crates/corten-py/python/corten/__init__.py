"""CortenForge: a physics engine with MuJoCo 3.4.0's results.

    import corten

    model = corten.load_model("humanoid.xml")
    data = model.make_data()
    while data.time < 1:
        data.step()

Arrays carry MuJoCo's names and are NumPy views of the engine's memory. `corten.mujoco` is a drop-in for
`import mujoco`; both share their objects.
"""
import os as _os

from ._corten import ModelError, StepError, __version__, after_fork as _after_fork, default_limits
from ._warnings import ModelWarning
from ._extend import Compliance, DcMotor, FittedContact, GainModel, SeriesElastic
from ._api import Data, Model, State, forward, inverse, load_model, reset, step
from ._batch import BatchSim, Failure, load_failure
from ._pictures import Picture, Video, picture
from .mujoco import rollout
from . import soft

if hasattr(_os, "register_at_fork"):
    _os.register_at_fork(after_in_child=_after_fork)

__all__ = [
    "BatchSim", "Compliance", "Data", "DcMotor", "Failure", "FittedContact", "GainModel", "Model", "ModelError", "ModelWarning", "Picture", "SeriesElastic", "State", "StepError", "Video", "__version__", "default_limits",
    "forward", "inverse", "load_failure", "load_model", "picture", "reset", "rollout", "soft", "step",
]
