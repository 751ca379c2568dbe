"""Open-loop trajectories from many initial states."""
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import MjData, MjModel

class Rollout:
    nthread: int
    def __init__(self, *, nthread: int | None = None) -> None: ...
    def __enter__(self) -> Rollout: ...
    def __exit__(self, *exception: Any) -> None: ...
    def close(self) -> None: ...
    def rollout(
        self,
        model: MjModel | Sequence[MjModel],
        data: MjData | Sequence[MjData],
        initial_state: ArrayLike,
        control: ArrayLike | None = None,
        *,
        control_spec: int = ...,
        skip_checks: bool = False,
        nstep: int | None = None,
        initial_warmstart: ArrayLike | None = None,
        state: NDArray[np.float64] | None = None,
        sensordata: NDArray[np.float64] | None = None,
        chunk_size: int | None = None,
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...

def rollout(
    model: MjModel | Sequence[MjModel],
    data: MjData | Sequence[MjData],
    initial_state: ArrayLike,
    control: ArrayLike | None = None,
    *,
    control_spec: int = ...,
    skip_checks: bool = False,
    nstep: int | None = None,
    initial_warmstart: ArrayLike | None = None,
    state: NDArray[np.float64] | None = None,
    sensordata: NDArray[np.float64] | None = None,
    chunk_size: int | None = None,
    persistent_pool: bool = False,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...
def shutdown_persistent_pool() -> None: ...
