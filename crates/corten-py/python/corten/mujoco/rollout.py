"""Open-loop trajectories from many initial states, as `mujoco.rollout`."""
import atexit

import numpy as np

from .._corten import RolloutPool, mj_stateSize
from ._enums import ENUM_TYPES
from ._structs import MjModel

_STATE = ENUM_TYPES["mjtState"]
_PHYSICS = _STATE.mjSTATE_FULLPHYSICS.value


def _arrays(ndim, **given):
    """Contiguous float arrays of `ndim` dimensions; missing leading ones are added."""
    arrays = {}
    for name, value in given.items():
        if value is not None:
            if not isinstance(value, (np.ndarray, float)):
                raise ValueError(f"{name} must be a numpy array or float")
            if np.ndim(value) > ndim:
                raise ValueError(f"{name} can have at most {ndim} dimensions")
            value = np.ascontiguousarray(value, dtype=np.float64)
            value = value.reshape((1,) * (ndim - value.ndim) + value.shape)
        arrays[name] = value
    return arrays


def _common(axis, size, arrays):
    """The size that all arrays share along an axis, where 1 fits every size."""
    for name, value in arrays.items():
        if value is None or value.shape[axis] in (1, size):
            continue
        if size != 1:
            raise ValueError(f"dimension {axis} inferred as {size} but {name} has {value.shape[axis]}")
        size = value.shape[axis]
    return size


def _tiled(value, shape):
    return None if value is None else np.broadcast_to(value, shape)


class Rollout:
    """Runs trajectories on a pool of `nthread` threads; without any, on the calling thread."""

    def __init__(self, *, nthread=None):
        self.nthread = nthread or 0
        self._pool = RolloutPool(self.nthread)

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.close()

    def close(self):
        self._pool = None

    def rollout(self, model, data, initial_state, control=None, *, control_spec=_STATE.mjSTATE_CTRL.value,
                skip_checks=False, nstep=None, initial_warmstart=None, state=None, sensordata=None, chunk_size=None):
        """States and sensor data of all trajectories, (nbatch, nstep, ...) each.

        `initial_state` is ([nbatch or 1], nstate), `control` ([nbatch or 1], [nstep or 1], ncontrol) with the parts
        of `control_spec`; `model` is one model or one per trajectory, `data` one data or one per thread. A thread
        takes `chunk_size` trajectories at a time. `skip_checks` takes everything as it is: a list of models, a list
        of data, `nstep`, arrays of full shape; outputs that are not given are not computed.
        """
        if self._pool is None:
            raise RuntimeError("rollout requested after thread pool shutdown")
        datas = list(data) if isinstance(data, (list, tuple)) else [data]
        if skip_checks:
            models = [model] * len(initial_state) if isinstance(model, MjModel) else model
            self._pool.rollout(models, datas, nstep, control_spec, initial_state, initial_warmstart, control, state,
                               sensordata, chunk_size)
            return state, sensordata

        models = [model] if isinstance(model, MjModel) else list(model)
        if control_spec & ~_STATE.mjSTATE_USER.value:
            raise ValueError("control_spec can only contain bits in mjSTATE_USER")
        for name, value in (("nstep", nstep), ("chunk_size", chunk_size)):
            if value and not isinstance(value, int):
                raise ValueError(f"{name} must be an integer")
        flat = _arrays(2, initial_state=initial_state, initial_warmstart=initial_warmstart)
        deep = _arrays(3, control=control, state=state, sensordata=sensordata)

        nbatch = _common(0, 1, {**flat, **deep})
        if nbatch == 1:
            nbatch = len(models)
        if len(models) not in (1, nbatch):
            raise ValueError(f"nbatch inferred as {nbatch} but model is length {len(models)}")
        nstep = _common(1, nstep or 1, deep)

        def sizes(m):
            return mj_stateSize(m, _PHYSICS), mj_stateSize(m, control_spec), m.nv, m.nsensordata

        nstate, ncontrol, nv, nsensordata = sizes(models[0])
        if any(m is not models[0] and sizes(m) != sizes(models[0]) for m in models[1:]):
            raise ValueError("models are not compatible")
        widths = dict(initial_state=nstate, state=nstate, control=ncontrol, initial_warmstart=nv,
                      sensordata=nsensordata)
        given = {**flat, **deep}
        for name, width in widths.items():
            if given[name] is not None and given[name].shape[-1] != width:
                raise ValueError(f"trailing dimension of {name} must be {width}, got {given[name].shape[-1]}")

        # Results go to the arrays that the caller gave, where these can hold them.
        outputs = []
        for name, value, width in (("state", state, nstate), ("sensordata", sensordata, nsensordata)):
            shape = (nbatch, nstep, width)
            if value is None or given[name].shape != shape:
                value = np.empty(shape)
            elif not (value.flags.c_contiguous and value.dtype == np.float64):
                value = given[name]
            outputs.append(value)
        self._pool.rollout(
            models * nbatch if len(models) == 1 else models, datas, nstep, control_spec,
            _tiled(flat["initial_state"], (nbatch, nstate)), _tiled(flat["initial_warmstart"], (nbatch, nv)),
            _tiled(deep["control"], (nbatch, nstep, ncontrol)), *outputs, chunk_size)
        return tuple(value.reshape(nbatch, nstep, -1) if value.ndim != 3 else value for value in outputs)


persistent_rollout = None


def shutdown_persistent_pool():
    """Ends the threads that `rollout` keeps on request; also done when the interpreter exits."""
    global persistent_rollout
    if persistent_rollout is not None:
        persistent_rollout.close()
    persistent_rollout = None


atexit.register(shutdown_persistent_pool)


def rollout(model, data, initial_state, control=None, *, persistent_pool=False, **options):
    """`Rollout.rollout` on as many threads as there are data; `persistent_pool` keeps them for the next call."""
    global persistent_rollout
    datas = list(data) if isinstance(data, (list, tuple)) else [data]
    nthread = len(datas) if len(datas) > 1 else 0
    if not persistent_pool:
        with Rollout(nthread=nthread) as once:
            return once.rollout(model, datas, initial_state, control, **options)
    if persistent_rollout is None or persistent_rollout.nthread != nthread:
        shutdown_persistent_pool()
        persistent_rollout = Rollout(nthread=nthread)
    return persistent_rollout.rollout(model, datas, initial_state, control, **options)
