"""Many simulations of one model, under the names of the newer `mujoco.batch`: what users of MuJoCo 4 know.

    batch = Batch(model, nsim=1024, nthread=8)
    qpos, ctrl, xpos = batch.bind("qpos"), batch.bind("ctrl"), batch.bind("xpos")
    for _ in range(1000):
        ctrl[:] = policy(qpos)
        batch.step()

Behind it is `corten.BatchSim`. Numbers are those of 3.4.0.
"""
import numpy as np

from .. import _corten
from ._enums import ENUM_TYPES

_STATE = ENUM_TYPES["mjtState"]


class SimulationError(RuntimeError):
    """Some simulations of a call failed; `ids` lists them, `Batch.error` tells why. They kept their states."""

    def __init__(self, ids, message, ncall):
        self.ids = ids
        shown = ", ".join(map(str, ids[:5])) + (", ..." if len(ids) > 5 else "")
        super().__init__(f"{len(ids)} of {ncall} simulations failed ({shown}); simulation {ids[0]}: {message}")


class Batch:
    """`nsim` simulations of a copy of `model` on `nthread` threads (0: one per core)."""

    def __init__(self, model, nsim, nthread=0, persistent=False):
        from .._batch import BatchSim
        del persistent  # Models that need it keep one data per simulation by themselves.
        self.model = model
        self._batch = BatchSim(model, nsim, threads=nthread, on_failure="stop")
        self.status = np.zeros(nsim, np.int32)
        self._errors = {}

    @property
    def nsim(self):
        """Number of simulations."""
        return len(self._batch)

    @property
    def nthread(self):
        """Number of threads."""
        return self._batch.threads

    def bind(self, name):
        """A live (nsim, ...) array over a field of MjData: state and inputs can be written, results are kept from now on."""
        try:
            return self._batch.output(name)
        except ValueError as error:
            raise ValueError(f"cannot bind {name!r}: {error}") from None

    def expand(self, name):
        """A live (nsim, ...) array of a parameter of the model, `opt.*` among them, that may differ between simulations."""
        return self._batch.parameter(name)

    def expanded(self, name):
        """A parameter that differs between simulations, to be read only; None if it does not."""
        if name not in self._batch.parameter_names():
            return None
        values = self._batch.parameter(name).view()
        values.flags.writeable = False
        return values

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            return self.bind(name)
        except ValueError:
            raise AttributeError(f"'Batch' object has no attribute {name!r}") from None

    def __setattr__(self, name, value):
        if name in ("model", "status") or name.startswith("_"):
            object.__setattr__(self, name, value)
        else:
            self.bind(name)[...] = value

    def _chosen(self, ids):
        if ids is None:
            return None
        mask = np.zeros(self.nsim, bool)
        mask[np.asarray(ids)] = True
        return mask

    def _check(self, mask):
        failures = self._batch.failures
        self.status[:] = 0
        self._errors = dict(failures)
        ids = np.array(sorted(failures), int)
        if len(ids):
            self.status[ids] = 1
            # The simulation goes on from the state it kept, at the next call.
            state = {name: np.array(self._batch.array(name)) for name in self._batch.array_names()}
            self._batch.reset(ids)
            for name, values in state.items():
                self._batch.array(name)[ids] = values[ids]
            raise SimulationError(ids, self._errors[int(ids[0])], self.nsim if mask is None else int(mask.sum()))

    def error(self, sim):
        """Why a simulation failed in the last call, or ''."""
        return self._errors.get(sim, "")

    def step(self, ids=None, nstep=1):
        """Advances simulations by `nstep` steps: all, or those of `ids`."""
        mask = self._chosen(ids)
        self._batch.advance(nstep, mask)
        self._check(mask)

    def forward(self, ids=None):
        """Computes everything that follows from states and inputs."""
        mask = self._chosen(ids)
        self._batch.forward(mask)
        self._check(mask)

    def reset(self, ids=None, keyframe=-1):
        """Back to the reference pose or to keyframes, and everything computed that follows from that."""
        mask = self._chosen(ids)
        self._batch.reset(mask)
        worlds = np.flatnonzero(np.ones(self.nsim, bool) if mask is None else mask)
        for world, key in zip(worlds, np.broadcast_to(keyframe, worlds.shape)):
            if not -1 <= key < self.model.nkey:
                raise ValueError(f"no keyframe {key}: the model has {self.model.nkey}")
            if key >= 0:
                for name in ("qpos", "qvel", "act", "ctrl"):
                    self.bind(name)[world] = getattr(self.model, f"key_{name}")[key]
                self.bind("time")[world] = self.model.key_time[key]
        self.forward(ids)

    def rollout(self, nstep, control=None, control_spec=int(_STATE.mjSTATE_CTRL), record=("qpos",), ids=None, out=None):
        """Advances simulations and records fields after every step: a dictionary of (n, nstep, ...) arrays."""
        if int(control_spec) != int(_STATE.mjSTATE_CTRL):
            raise ValueError("control_spec other than mjSTATE_CTRL is not supported here: write other inputs with bind()")
        worlds = np.arange(self.nsim) if ids is None else np.asarray(ids)
        fields = {name: self.bind(name) for name in record}
        out = {} if out is None else dict(out)
        for name, field in fields.items():
            out.setdefault(name, np.empty((len(worlds), nstep, *field.shape[1:]), field.dtype))
        if control is not None:
            control = np.broadcast_to(control, (len(worlds), nstep, self.model.nu))
        for k in range(nstep):
            if control is not None:
                self.bind("ctrl")[worlds] = control[:, k]
            self.step(ids)
            for name, field in fields.items():
                out[name][:, k] = field[worlds]
        return out

    def set_const(self, ids=None):
        """Derives constants of the models from their parameters."""
        del ids  # Of all: those of the others do not change by it.
        self._batch.derive_constants()

    def get_model(self, sim):
        """The model of a simulation, with its parameters."""
        from ._structs import MjModel
        return MjModel(self._batch.world_model(sim))

    def get_data(self, sim, data=None):
        """A simulation's state and inputs; `mj_forward` computes the rest."""
        from ._structs import MjData
        data = MjData(self.model) if data is None else data
        for name in ("time", "qpos", "qvel", "act", "ctrl", "qfrc_applied", "xfrc_applied", "mocap_pos", "mocap_quat",
                     "qacc_warmstart", "userdata"):
            if name in self._batch.__dict__:
                setattr(data, name, self._batch.__dict__[name][sim])
        return data


DATA_FIELDS = frozenset(_corten.DataBase._array_fields) | {"time"}
MODEL_FIELDS = frozenset(_corten.ModelBase._array_fields)
