"""The live page of a simulation: `launch`, `launch_passive`, and the handle that it returns."""
from .mujoco.viewer import Handle, launch, launch_from_path, launch_passive, launch_repl
