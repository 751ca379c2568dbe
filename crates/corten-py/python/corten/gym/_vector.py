"""Vector environments, and single ones, of a task."""
import copy

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space

from .._batch import BatchSim


class VectorEnv(gymnasium.vector.VectorEnv):
    """`num_envs` worlds of a task, stepped together on `threads` threads (0: one per core).

    Worlds go on by themselves in one of Gymnasium's three ways (`autoreset_mode`): at the next step, within the step, with
    `final_obs` and `final_info` in the infos, or not at all, so that `reset(options={"reset_mask": mask})` does it.
    A world whose numbers go bad ends its episode. Trajectories do not depend on the number of worlds or threads.
    """

    OPTIONS = ("threads", "max_episode_steps", "autoreset_mode", "render_mode", "dtype")

    def __init__(self, task, num_envs=1, *, threads=0, max_episode_steps=None, autoreset_mode=AutoresetMode.NEXT_STEP,
                 render_mode=None, dtype=np.float64):
        self.task, self.num_envs, self.render_mode = task, num_envs, render_mode
        self.max_episode_steps, self.autoreset_mode = max_episode_steps, AutoresetMode(autoreset_mode)
        self.model = task.load()
        self.dtype = np.dtype(dtype)
        task.begin(self.model)
        self.batch = BatchSim(self.model, num_envs, threads=threads, outputs=task.outputs, on_failure="stop")
        self._generators = [None] * num_envs
        low, high = task.action_limits(self.model)
        self.single_action_space = gymnasium.spaces.Box(low, high, dtype=np.float32)
        width = np.asarray(task.observe(self.batch)).shape[1]
        self.single_observation_space = gymnasium.spaces.Box(-np.inf, np.inf, (width,), self.dtype)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.dt = self.model.opt.timestep * task.frame_skip
        self.metadata = {"autoreset_mode": self.autoreset_mode, "render_modes": ["rgb_array"],
                         "render_fps": int(np.round(1.0 / self.dt))}
        # Of the present episode of each world.
        self.episode_steps = np.zeros(num_envs, np.int64)
        self._ended = np.zeros(num_envs, bool)
        self._before = None
        self._pending = None
        self._viewer = None

    # Episodes.

    def _observations(self):
        return np.ascontiguousarray(self.task.observe(self.batch), dtype=self.dtype)

    def _start(self, worlds, seeds=None):
        """New episodes in the worlds of a mask."""
        b, task = self.batch, self.task
        b.reset(worlds)
        for i in np.flatnonzero(worlds):
            seed = None if seeds is None else seeds[i]
            if seed is not None or self._generators[i] is None:
                self._generators[i], _ = gymnasium.utils.seeding.np_random(seed)
            b.qpos[i], b.qvel[i] = task.initial(self.model, self._generators[i])
        if task.randomize is not None:
            task.randomize(b, worlds)
        b.forward(worlds)
        task.started(b, worlds)
        self.episode_steps[worlds] = 0
        self._ended[worlds] = False
        now = task.before(b)
        if self._before is None or now is None:
            self._before = now
        else:
            self._before[worlds] = now[worlds]

    def reset(self, *, seed=None, options=None):
        """Starts episodes: all, or those of the mask `options["reset_mask"]`."""
        mask = (options or {}).get("reset_mask")
        worlds = np.ones(self.num_envs, bool) if mask is None else np.asarray(mask, bool)
        if worlds.shape != (self.num_envs,) or not worlds.any():
            raise ValueError(f"reset_mask must be {self.num_envs} truth values, one of them true at least")
        seeds = [seed + i for i in range(self.num_envs)] if isinstance(seed, (int, np.integer)) else seed
        if seeds is not None and len(seeds) != self.num_envs:
            raise ValueError(f"{len(seeds)} seeds for {self.num_envs} environments")
        self._start(worlds, seeds)
        return self._observations(), self._infos(self.task.reset_info(self.batch), worlds)

    @staticmethod
    def _infos(values, worlds):
        """Arrays with their masks, as vector environments give them."""
        infos, others = {}, None if worlds.all() else ~worlds
        for name, array in values.items():
            array = np.array(array)
            if others is not None:
                array[others] = 0
            infos[name], infos[f"_{name}"] = array, worlds.copy()
        return infos

    def step(self, actions):
        """Advances all worlds by one step of the environment."""
        self.step_async(actions)
        return self.step_wait()

    def step_async(self, actions):
        """Takes the actions of the next step."""
        actions = np.asarray(actions)
        if actions.shape != self.action_space.shape:
            raise ValueError(f"Action dimension mismatch. Expected {self.action_space.shape}, found {actions.shape}")
        if self._before is None and not self.episode_steps.any() and self._generators[0] is None:
            raise gymnasium.error.ResetNeeded("Cannot call env.step() before calling env.reset()")
        self._pending = actions

    def step_wait(self):
        """Computes the step."""
        actions, self._pending = self._pending, None
        b, task = self.batch, self.task
        resting = self._ended.copy() if self.autoreset_mode is AutoresetMode.NEXT_STEP else None
        if self.autoreset_mode is AutoresetMode.DISABLED and self._ended.any():
            raise RuntimeError(f"worlds {np.flatnonzero(self._ended).tolist()} have ended: reset them first")
        task.act(b, actions)
        b.step(task.frame_skip)
        self.episode_steps += 1
        rewards, terminated, info = task.outcome(b, self._before, actions)
        self._before = task.before(b)
        terminated = terminated | b.failed
        truncated = np.zeros(self.num_envs, bool)
        if self.max_episode_steps is not None:
            truncated = self.episode_steps >= self.max_episode_steps
        stepped = np.ones(self.num_envs, bool)
        infos = {}
        if resting is not None and resting.any():
            stepped = ~resting
            self._start(resting)
            rewards = np.where(resting, 0.0, rewards)
            terminated, truncated = terminated & stepped, truncated & stepped
            infos = self._infos(task.reset_info(b), resting)
        ended = terminated | truncated
        self._ended = ended.copy()
        observations = self._observations()
        stepped_infos = self._infos(info, stepped)
        infos = _merged(infos, stepped_infos) if infos else stepped_infos
        if self.autoreset_mode is AutoresetMode.SAME_STEP and ended.any():
            observations, infos = self._restart(ended, observations, info)
        return observations, np.asarray(rewards, np.float64), terminated, truncated, infos

    def _restart(self, ended, observations, info):
        """Starts anew within the step: observations are those of the new episodes."""
        final = np.full(self.num_envs, None, dtype=object)
        for i in np.flatnonzero(ended):
            final[i] = observations[i].copy()
        self._start(ended)
        observations[ended] = self._observations()[ended]
        infos = _merged(self._infos(self.task.reset_info(self.batch), ended), self._infos(info, ~ended))
        infos |= {"final_obs": final, "_final_obs": ended.copy(), "final_info": self._infos(info, ended),
                  "_final_info": ended.copy()}
        self._ended = np.zeros(self.num_envs, bool)
        return observations, infos

    # Seeing.

    def data_of(self, world=0):
        """A simulation in the state of a world."""
        from .. import mujoco
        data = mujoco.MjData(self.batch.model_of(world) if self.batch.parameter_names() else self.model)
        for name in ("qpos", "qvel", "act", "ctrl", "time", "mocap_pos", "mocap_quat"):
            if name in self.batch.__dict__:
                setattr(data, name, self.batch.__dict__[name][world])
        mujoco.mj_forward(data.model, data)
        return data

    def render(self):
        """Pictures of all worlds."""
        from .. import mujoco
        if self.render_mode != "rgb_array":
            return None
        if self._viewer is None:
            self._viewer = mujoco.Renderer(self.model, 480, 480)
        pictures = []
        for world in range(self.num_envs):
            self._viewer.update_scene(self.data_of(world))
            pictures.append(self._viewer.render().copy())
        return tuple(pictures)

    def close_extras(self, **kwargs):
        if self._viewer is not None:
            self._viewer.close()
            self._viewer = None

    def __getstate__(self):
        return {**self.__dict__, "_viewer": None}


def _merged(first, second):
    """Two dictionaries of masked arrays, of worlds that differ."""
    for name, array in second.items():
        if name.startswith("_") or name not in first:
            first[name] = first[name] | array if name in first else array
        else:
            mask = second[f"_{name}"]
            first[name][mask] = array[mask]
    return first


class Env(gymnasium.Env):
    """One world of a task."""

    def __init__(self, task, *, render_mode=None, max_episode_steps=None, dtype=np.float64):
        self._worlds = VectorEnv(task, 1, threads=1, render_mode=render_mode, autoreset_mode=AutoresetMode.DISABLED,
                                 max_episode_steps=max_episode_steps, dtype=dtype)
        self.task, self.model, self.render_mode = task, self._worlds.model, render_mode
        self.observation_space = copy.deepcopy(self._worlds.single_observation_space)
        self.action_space = copy.deepcopy(self._worlds.single_action_space)
        self.metadata = {"render_modes": ["rgb_array"], "render_fps": self._worlds.metadata["render_fps"]}
        self.dt = self._worlds.dt

    @property
    def batch(self):
        """The simulation: a batch of one world."""
        return self._worlds.batch

    @staticmethod
    def _single(infos):
        return {name: value[0] for name, value in infos.items() if not name.startswith("_")}

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        worlds = self._worlds
        worlds._generators[0] = self.np_random
        observations, infos = worlds.reset()
        return observations[0], self._single(infos)

    def step(self, action):
        # Whoever goes on after the end of an episode does so in the same world, as in Gymnasium.
        self._worlds._ended[:] = False
        observations, rewards, terminated, truncated, infos = self._worlds.step(np.asarray(action)[None])
        return observations[0], float(rewards[0]), bool(terminated[0]), bool(truncated[0]), self._single(infos)

    def render(self):
        pictures = self._worlds.render()
        return None if pictures is None else pictures[0]

    def close(self):
        self._worlds.close()
