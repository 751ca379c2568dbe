"""The package's own interface: models, simulations, states."""
import os

from . import mujoco
from ._extend import BENDING, ELASTICITY, SOLVERS, GainModel
from ._corten import load_path, load_text, mj_getState, mj_setState, mj_stateSize, step_checked
from ._warnings import checked

import numpy as np

_INTEGRATION = mujoco.mjtState.mjSTATE_INTEGRATION.value


class State:
    """A saved state: everything from which a simulation continues bit for bit."""

    __slots__ = ("values",)

    def __init__(self, values):
        self.values = np.array(values, dtype=np.float64)

    def __eq__(self, other):
        return isinstance(other, State) and np.array_equal(self.values, other.values)

    __hash__ = None

    def __repr__(self):
        return f"State(time={self.values[0]:g}, {self.values.size} numbers)"

    def __reduce__(self):
        return State, (self.values,)


class Model(mujoco.MjModel):
    """A compiled model: arrays as NumPy views, objects by name."""

    __module__ = "corten"
    __slots__ = ()

    def make_data(self):
        """A simulation of this model, in its reference pose."""
        return Data(self)

    def copy(self):
        """A model of its own with the same content."""
        return self.__copy__()

    def set_actuator_gain(self, actuator, gain):
        """Gives an actuator, by name or index, a gain model such as `SeriesElastic`, or an `mjtGain` back."""
        index = self.actuator(actuator).id
        if isinstance(gain, GainModel):
            self.set_gain(index, gain.name, gain.params)
        else:
            self.set_gain(index, "", [], int(gain))

    def set_flex_bending(self, flex, law):
        """Lets a flex, by name or index, resist bending by a law: 'cotangent', which is MuJoCo's, or 'bridson'."""
        self.flex_bending_model[self.flex(flex).id] = _choice(BENDING, law, "law of bending")

    def set_flex_elasticity(self, flex, law):
        """Lets a flex, by name or index, resist strain by a law: 'linear', which is MuJoCo's, or 'neo_hookean'."""
        self.flex_elasticity_model[self.flex(flex).id] = _choice(ELASTICITY, law, "law of elasticity")

    def set_contact_solver(self, solver, substeps=None):
        """Solves constraints by 'newton', 'cg', 'pgs' or 'xpbd', which divides a step into `substeps`. May be called between steps."""
        names = list(SOLVERS)
        self.opt.solver = SOLVERS[names[_choice(names, solver, "solver")]]
        if substeps is not None:
            if substeps < 1:
                raise ValueError(f"a step has at least one part: substeps is {substeps}")
            self.opt.xpbd_substeps = substeps


def _choice(words, word, what):
    if word not in words:
        raise ValueError(f"there is no {what} '{word}': there are {', '.join(words)}")
    return words.index(word)


class Data(mujoco.MjData):
    """A simulation: arrays as NumPy views, objects by name."""

    __module__ = "corten"
    __slots__ = ()

    def step(self, count=1):
        """Advances by a number of time steps; StepError if numbers go bad."""
        step_checked(self.model, self, count)

    def forward(self):
        """Computes everything that follows from state and controls."""
        mujoco.mj_forward(self.model, self)

    def inverse(self):
        """Computes the joint forces that produce `qacc`, in `qfrc_inverse`."""
        mujoco.mj_inverse(self.model, self)

    def reset(self, keyframe=None):
        """Back to the reference pose, or to a keyframe given by name or index."""
        if keyframe is None:
            mujoco.mj_resetData(self.model, self)
        else:
            mujoco.mj_resetDataKeyframe(self.model, self, self.model.key(keyframe).id)

    def save(self):
        """The state, for `restore`."""
        values = np.empty(mj_stateSize(self.model, _INTEGRATION))
        mj_getState(self.model, self, values, _INTEGRATION)
        return State(values)

    def restore(self, state):
        """Returns to a saved state; results of stages follow with the next `step` or `forward`."""
        mj_setState(self.model, self, state.values, _INTEGRATION)

    def copy(self):
        """A simulation of its own in the same state, with the same model."""
        return self.__copy__()


def load_model(source, assets=None, *, limits=None):
    """Loads a model from a path, or from XML text.

    `assets` maps file names to their content, for files that are not on disk. `limits` maps names of limits to what
    the model, its data and batches may ask for, beside `default_limits()`. ModelError lists everything that is
    wrong with the model; what its author should know otherwise is issued as a ModelWarning.
    """
    if isinstance(source, str) and source.lstrip().startswith("<"):
        return Model(checked(load_text(source, assets, limits)))
    return Model(checked(load_path(os.fspath(source), assets, limits)))


def step(model, data, count=1):
    """Advances `data` by a number of time steps; StepError if numbers go bad."""
    step_checked(model, data, count)


def forward(model, data):
    """Computes everything that follows from state and controls."""
    mujoco.mj_forward(model, data)


def inverse(model, data):
    """Computes the joint forces that produce `qacc`."""
    mujoco.mj_inverse(model, data)


def reset(model, data, keyframe=None):
    """Back to the reference pose, or to a keyframe given by its index."""
    if keyframe is None:
        mujoco.mj_resetData(model, data)
    else:
        mujoco.mj_resetDataKeyframe(model, data, keyframe)
