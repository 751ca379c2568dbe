"""Says what MJX is, and what there is instead."""
raise ImportError(
    "mujoco.mjx is MuJoCo written for JAX, a program of its own that corten.mujoco does not contain. For many worlds on "
    "the cores of a machine use corten.BatchSim, corten.gym or corten.mujoco.rollout; for MJX itself run without the "
    "alias (CORTEN_ALIAS=0) with the packages mujoco and mujoco-mjx")
