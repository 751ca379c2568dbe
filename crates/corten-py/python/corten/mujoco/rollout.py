"""Open-loop trajectories from many initial states, as `mujoco.rollout`."""
import numpy as np

from .._corten import mj_stateSize, rollout as _run
from ._enums import ENUM_TYPES
from ._structs import MjModel

_STATE = ENUM_TYPES["mjtState"]


def _array(name, value, ndim):
    """A float array of `ndim` dimensions; missing leading ones are added."""
    if value is None:
        return None
    if not np.issubdtype(np.asarray(value).dtype, np.number):
        raise ValueError(f"{name} must be numeric")
    value = np.ascontiguousarray(value, dtype=np.float64)
    if value.ndim > ndim:
        raise ValueError(f"{name} can have at most {ndim} dimensions")
    return value.reshape((1,) * (ndim - value.ndim) + value.shape)


def _common(axis, start, arrays):
    """The size that all arrays share along an axis, where 1 fits every size."""
    size, origin = start, None
    for name, value in arrays.items():
        if value is None or value.shape[axis] == 1:
            continue
        if size != 1 and value.shape[axis] != size:
            raise ValueError(f"{name} has {value.shape[axis]} entries along dimension {axis}, "
                             f"{origin or 'another argument'} has {size}")
        size, origin = value.shape[axis], name
    return size


class Rollout:
    """Runs trajectories on as many threads as data are given."""

    def __init__(self, *, nthread=None):
        self.nthread = nthread or 0
        self._open = True

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.close()

    def close(self):
        self._open = False

    def rollout(self, model, data, initial_state, control=None, *, control_spec=_STATE.mjSTATE_CTRL.value,
                skip_checks=False, nstep=None, initial_warmstart=None, state=None, sensordata=None, chunk_size=None):
        """States and sensor data of all trajectories, (nbatch, nstep, ...) each.

        `initial_state` is ([nbatch or 1], nstate), `control` ([nbatch or 1], [nstep or 1], ncontrol) with the parts
        of `control_spec`; `model` is one model or one per trajectory, `data` one data or one per thread.
        `chunk_size` has no effect: threads take trajectories one by one.
        """
        if not self._open:
            raise RuntimeError("rollout requested after thread pool shutdown")
        datas = list(data) if isinstance(data, (list, tuple)) else [data]
        if skip_checks:
            models = [model] * len(initial_state) if isinstance(model, MjModel) else list(model)
            _run(models, datas, nstep, control_spec, initial_state, initial_warmstart, control, state, sensordata)
            return state, sensordata
        models = [model] if isinstance(model, MjModel) else list(model)
        if control_spec & ~_STATE.mjSTATE_USER.value:
            raise ValueError("control_spec can only contain bits in mjSTATE_USER")
        for name, value in (("nstep", nstep), ("chunk_size", chunk_size)):
            if value and not isinstance(value, int):
                raise ValueError(f"{name} must be an integer")
        given_state, given_sensordata = state, sensordata
        flat = {"initial_state": _array("initial_state", initial_state, 2),
                "initial_warmstart": _array("initial_warmstart", initial_warmstart, 2)}
        deep = {"control": _array("control", control, 3), "state": _array("state", state, 3),
                "sensordata": _array("sensordata", sensordata, 3)}
        nbatch = _common(0, 1, {**flat, **deep})
        if nbatch == 1:
            nbatch = len(models)
        if len(models) not in (1, nbatch):
            raise ValueError(f"nbatch inferred as {nbatch} but model is length {len(models)}")
        nstep = _common(1, nstep or 1, deep)

        def sizes(m):
            return (mj_stateSize(m, _STATE.mjSTATE_FULLPHYSICS.value), mj_stateSize(m, control_spec), m.nv,
                    m.nsensordata)

        nstate, ncontrol, nv, nsensordata = sizes(models[0])
        if any(sizes(m) != sizes(models[0]) for m in models[1:]):
            raise ValueError("models are not compatible")
        widths = dict(initial_state=nstate, initial_warmstart=nv, control=ncontrol, state=nstate,
                      sensordata=nsensordata)
        for name, value in {**flat, **deep}.items():
            if value is not None and value.shape[-1] != widths[name]:
                raise ValueError(f"trailing dimension of {name} must be {widths[name]}, got {value.shape[-1]}")

        models = models * nbatch if len(models) == 1 else models
        initial_state = np.broadcast_to(flat["initial_state"], (nbatch, nstate))
        warmstart = flat["initial_warmstart"]
        if warmstart is not None:
            warmstart = np.broadcast_to(warmstart, (nbatch, nv))
        control = deep["control"]
        if control is not None:
            control = np.broadcast_to(control, (nbatch, nstep, ncontrol))
        outputs = []
        for name, given, width in (("state", given_state, nstate), ("sensordata", given_sensordata, nsensordata)):
            if given is None:
                given = np.empty((nbatch, nstep, width))
            elif given.size != nbatch * nstep * width:
                raise ValueError(f"{name} must have shape {(nbatch, nstep, width)}, got {given.shape}")
            outputs.append(given)
        _run(models, datas, nstep, control_spec, initial_state, warmstart, control, *outputs)
        return tuple(outputs)


def rollout(model, data, initial_state, control=None, *, persistent_pool=False, **options):
    """See `Rollout.rollout`; `persistent_pool` has no effect, since threads cost little to start."""
    return Rollout().rollout(model, data, initial_state, control, **options)


def shutdown_persistent_pool():
    """Does nothing: there is no pool to shut down."""
