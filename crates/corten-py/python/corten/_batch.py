"""Many worlds of one model, advanced together."""
import os

import numpy as np

from ._api import Data, Model, State
from ._corten import BatchBase, keyframe_index, read_failure, replay_failure


class BatchSim(BatchBase):
    """`count` worlds of a model, on `threads` threads (0: one per core).

    State, inputs and results are attributes: writable NumPy views with one row per world, named as in `Data`:
    `qpos`, `qvel`, `act`, `time`, `ctrl`, `qfrc_applied`, `xfrc_applied`, `sensordata`, ..., and whatever else
    `outputs` names (`xpos`, `cvel`, ...). Results are the same bits as those of single simulations, whatever the
    number of threads.

    The model is copied: parameters that are to change, or to differ between worlds, go through `parameter`.
    Worlds start from the reference pose, or from `keyframe`, a name or an index.

    A world whose numbers go bad stops alone and keeps its last valid state; the next `step` resets it, unless
    `on_failure="stop"` leaves that to `reset`.
    """

    __module__ = "corten"

    def __new__(cls, model, count, *, threads=0, keyframe=None, outputs=(), on_failure="reset"):
        if on_failure not in ("stop", "reset"):
            raise ValueError(f"on_failure must be 'stop' or 'reset', got {on_failure!r}")
        if isinstance(keyframe, str):
            name, keyframe = keyframe, keyframe_index(model, keyframe)
            if keyframe is None:
                raise ValueError(f"no keyframe '{name}'")
        batch = super().__new__(cls, model, count, threads, keyframe, list(outputs), on_failure == "reset")
        for name in batch.array_names():
            batch.__dict__[name] = batch.array(name)
        batch.__dict__["_made_of"] = model, dict(threads=threads, keyframe=keyframe, outputs=tuple(outputs),
                                                 on_failure=on_failure)
        return batch

    def __reduce__(self):
        model, options = self._made_of
        arrays = {name: np.array(self.__dict__[name]) for name in self.array_names()}
        parameters = {name: np.array(self.parameter(name)) for name in self.parameter_names()}
        return _restored, (type(self), model, len(self), options, arrays, parameters)

    def __init__(self, model, count, **options):
        del model, count, options

    def __repr__(self):
        return f"BatchSim({len(self)} worlds, {self.threads} threads)"

    def __setattr__(self, name, value):
        if name not in self.__dict__:
            raise AttributeError(f"'BatchSim' object has no attribute '{name}'")
        self.__dict__[name][...] = value

    def step(self, count=1, worlds=None):
        """Advances worlds by a number of time steps, with the controls as they are; without the GIL.

        All, or those of a mask, an index or a list of indices: these one by one, and without the reset of failed ones.
        """
        self.advance(count, self._mask(worlds))

    def output(self, name):
        """An array of results that is kept from now on, as `outputs` would have; zero until the next step."""
        if name not in self.__dict__:
            self.add_output(name)
            self.__dict__[name] = self.array(name)
            model, options = self._made_of
            self.__dict__["_made_of"] = model, {**options, "outputs": (*options["outputs"], name)}
        return self.__dict__[name]

    def forward(self, worlds=None):
        """Computes everything that follows from states and inputs: of all worlds, or as `reset` chooses them."""
        self.forward_worlds(self._mask(worlds))

    def reset(self, worlds=None):
        """Brings worlds back to the start: all, or those of a mask, an index or a list of indices."""
        self.reset_worlds(self._mask(worlds))

    def _mask(self, worlds):
        """Worlds as a mask; None for all."""
        if worlds is None:
            return None
        worlds = np.asarray(worlds)
        if worlds.dtype != bool:
            mask = np.zeros(len(self), dtype=bool)
            mask[worlds] = True
            worlds = mask
        return worlds

    def render(self, worlds=None, *, width=320, height=240, camera=-1):
        """Pictures of worlds, all or those of a mask, an index or a list of indices: `(number, height, width, 3)`."""
        from ._pictures import render_worlds
        return render_worlds(self, worlds, width, height, camera)

    @property
    def failed(self):
        """A mask of the worlds that have stopped."""
        mask, causes = np.zeros(len(self), dtype=bool), self.causes()
        if causes:
            mask[[world for world, _ in causes]] = True
        return mask

    @property
    def failures(self):
        """Why worlds have stopped, by world."""
        return dict(self.causes())

    def save_failure(self, world, path):
        """Writes everything needed to see a world's failure again: for `load_failure` and `corten replay`."""
        with open(os.fspath(path), "wb") as file:
            file.write(self.dump(world))

    def model_of(self, world):
        """The model of a world, with its parameters."""
        return Model(self.world_model(world))


def _restored(cls, model, count, options, arrays, parameters):
    """A batch as it was pickled; failures are not part of it."""
    batch = cls(model, count, **options)
    for name, values in parameters.items():
        batch.parameter(name)[...] = values
    for name, values in arrays.items():
        batch.__dict__[name][...] = values
    return batch


class Failure:
    """A failure that was saved: `model`, `data` just before it, `steps` to take, `cause`."""

    def __init__(self, content):
        handle, state, self.steps, self.cause = read_failure(content)
        self._content = content
        self.model = Model(handle)
        self.data = Data(self.model)
        self.data.restore(State(state))

    def replay(self):
        """Repeats the step that failed; raises StepError as it did then."""
        replay_failure(self._content)


def load_failure(path):
    """Reads what `BatchSim.save_failure` wrote."""
    with open(os.fspath(path), "rb") as file:
        return Failure(file.read())
