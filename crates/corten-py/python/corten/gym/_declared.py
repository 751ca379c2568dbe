"""Tasks written as a dictionary."""
import numpy as np

from ._task import Task

_TERMS = {}


def _term(f):
    _TERMS[f.__name__] = f
    return f


# Terms of rewards: functions of batch, state before, action and arguments; one number per world.


@_term
def forward_velocity(b, task, before, action, axis=0):
    """Speed of the first body of the tree along an axis of the world."""
    return (b.qpos[:, axis] - before[:, axis]) / task.dt


@_term
def track_velocity(b, task, before, action, target=0.5, width=0.25, axis=0):
    """One where the speed is as wanted, less where it is not."""
    speed = forward_velocity(b, task, before, action, axis)
    return np.exp(-((speed - target) / width) ** 2)


@_term
def control(b, task, before, action):
    """Sum of the squares of the action."""
    return np.einsum("ij,ij->i", action, action, dtype=float)


@_term
def alive(b, task, before, action):
    """One."""
    return np.ones(len(b))


@_term
def height(b, task, before, action, target=0.0):
    """Square of the distance of the root from a height."""
    return (b.qpos[:, 2] - target) ** 2


@_term
def posture(b, task, before, action, first=7):
    """Sum of the squares of the distances of joints from the reference pose."""
    return np.sum((b.qpos[:, first:] - task.reference[first:]) ** 2, axis=1)


@_term
def velocity(b, task, before, action, first=6):
    """Sum of the squares of joint velocities."""
    return np.sum(b.qvel[:, first:] ** 2, axis=1)


@_term
def upright(b, task, before, action):
    """Cosine of the angle between the root's z axis and the vertical."""
    _, x, y, _ = b.qpos[:, 3:7].T
    return 1.0 - 2.0 * (x * x + y * y)


class _Declared(Task):
    reward = {}
    observations = ("qpos", "qvel")
    end = {}
    action_scale = None

    def begin(self, model):
        self.reference = np.array(model.qpos0)
        self.dt = model.opt.timestep * self.frame_skip
        self._middle = np.array(model.actuator_ctrlrange).mean(axis=1)
        unknown = [name for name in self.reward if name not in _TERMS]
        if unknown:
            raise ValueError(f"no terms of rewards {unknown}; there are {sorted(_TERMS)}")

    def before(self, b):
        return b.qpos.copy()

    def observe(self, b):
        parts = []
        for name in self.observations:
            name, _, first = name.partition(":")
            values = b.__dict__[name].reshape(len(b), -1)
            parts.append(values[:, int(first or 0):])
        return np.hstack(parts)

    def _value(self, b, before, action, name, given):
        arguments = dict(given) if isinstance(given, dict) else {"weight": given}
        return arguments.pop("weight", 1.0) * _TERMS[name](b, self, before, action, **arguments)

    def outcome(self, b, before, action):
        terms = {name: self._value(b, before, action, name, given) for name, given in self.reward.items()}
        ended = np.zeros(len(b), bool)
        for name, (low, high) in self.end.items():
            values = _TERMS[name](b, self, before, action) if name != "height" else b.qpos[:, 2]
            ended |= ~((low <= values) & (values <= high))
        return sum(terms.values(), np.zeros(len(b))), ended, {f"reward_{n}": v for n, v in terms.items()}


def declared(description):
    """The task of a dictionary:

        declared({
            "model": "quadruped.xml", "frame_skip": 5, "reset_noise_scale": 0.02,
            "observations": ["qpos:2", "qvel"],
            "reward": {"track_velocity": {"weight": 2, "target": 0.5}, "alive": 0.5, "control": -0.01},
            "end": {"height": [0.15, 0.6], "upright": [0.5, 1]},
        })

    Observations are arrays of the batch, those of `outputs` among them, from an index on. Terms of rewards have a weight
    and arguments; an episode ends where a term leaves its range. The terms are functions of this module.
    """
    known = {"model", "frame_skip", "reset_noise_scale", "observations", "outputs", "reward", "end", "randomize"}
    unknown = set(description) - known
    if unknown:
        raise ValueError(f"unknown: {sorted(unknown)}; a description has {sorted(known)}")
    task = _Declared()
    for name, value in description.items():
        setattr(task, name, tuple(value) if name in ("observations", "outputs") else value)
    return task
