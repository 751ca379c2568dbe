"""What a task is: a model, and functions of all its worlds at once."""
import numpy as np

from .. import _api


class Task:
    """A model with observations, rewards and ends of episodes.

    Functions get `b`, a `corten.BatchSim`, whose arrays have one row per world. A task of one's own sets `model` and
    `frame_skip` and overrides what it needs:

        class Reach(corten.gym.Task):
            model, frame_skip, outputs = "arm.xml", 5, ("site_xpos",)

            def observe(self, b):
                return np.hstack([b.qpos, b.qvel])

            def outcome(self, b, before, action):
                distance = np.linalg.norm(b.site_xpos[:, 0] - GOAL, axis=1)
                return -distance, distance > 2, {"distance": distance}
    """

    # A path, XML text, or a model.
    model = None
    # Steps of the simulation per step of the environment.
    frame_skip = 1
    # Results of the simulation besides state, controls and sensors that the functions look at.
    outputs = ()
    # Spread of initial states around the reference pose.
    reset_noise_scale = 0.0
    # None: every world starts like the others; or a function of the batch and a mask that sets parameters.
    randomize = None

    def __init__(self, **options):
        for name, value in options.items():
            if not hasattr(type(self), name) or name.startswith("_") or callable(getattr(type(self), name)):
                raise TypeError(f"{type(self).__name__} has no option '{name}'")
            setattr(self, name, value)

    def load(self):
        """The model."""
        return _api.load_model(self.model) if not isinstance(self.model, _api.mujoco.MjModel) else self.model

    def begin(self, model):
        """Called once, with the model: to look up what functions need."""

    def initial(self, model, rng):
        """Position and velocity that a world starts from; `rng` is its own generator of random numbers."""
        noise = self.reset_noise_scale
        return (model.qpos0 + rng.uniform(-noise, noise, model.nq), rng.uniform(-noise, noise, model.nv))

    def started(self, b, worlds):
        """Called when the worlds of a mask have been reset and their results computed."""

    def before(self, b):
        """What `outcome` wants to know of the time before a step: arrays with one row per world, or None."""

    def act(self, b, action):
        """Turns actions into controls: as they are, unless a task has actions of its own (see `action_limits`)."""
        b.ctrl[...] = action

    def observe(self, b):
        """Observations, one row per world."""
        return np.hstack([b.qpos, b.qvel])

    def outcome(self, b, before, action):
        """Rewards, whether episodes have ended, and a dictionary of arrays, after a step."""
        return np.zeros(len(b)), np.zeros(len(b), bool), {}

    def reset_info(self, b):
        """A dictionary of arrays, after a reset."""
        return {}

    def action_limits(self, model):
        """Lowest and highest actions."""
        low, high = model.actuator_ctrlrange.T.astype(np.float32)
        free = model.actuator_ctrllimited == 0
        return np.where(free, np.float32(-np.inf), low), np.where(free, np.float32(np.inf), high)
