"""Vector environments for the loops of others: Stable-Baselines3, RSL-RL."""
import importlib
import importlib.util

import numpy as np


def stable_baselines3(envs):
    """A vector environment as Stable-Baselines3's `VecEnv`: worlds restart within the step."""
    from gymnasium.vector import AutoresetMode
    from stable_baselines3.common.vec_env import VecEnv

    class _VecEnv(VecEnv):
        def __init__(self):
            super().__init__(envs.num_envs, envs.single_observation_space, envs.single_action_space)
            self._seed = None

        def reset(self):
            observations, _ = envs.reset(seed=self._seed)
            self._seed = None
            return observations

        def seed(self, seed=None):
            self._seed = seed
            return [None if seed is None else seed + i for i in range(self.num_envs)]

        def step_async(self, actions):
            envs.step_async(actions)

        def step_wait(self):
            observations, rewards, terminated, truncated, infos = envs.step_wait()
            rows = [{} for _ in range(self.num_envs)]
            for i in np.flatnonzero(terminated | truncated):
                rows[i] = {"terminal_observation": infos["final_obs"][i],
                           "TimeLimit.truncated": bool(truncated[i] and not terminated[i])}
            return observations, rewards.astype(np.float32), terminated | truncated, rows

        def close(self):
            envs.close()

        def get_attr(self, attr_name, indices=None):
            return [getattr(envs, attr_name, None)] * len(self._indices(indices))

        def set_attr(self, attr_name, value, indices=None):
            setattr(envs, attr_name, value)

        def env_method(self, method_name, *args, indices=None, **kwargs):
            return [getattr(envs, method_name)(*args, **kwargs)] * len(self._indices(indices))

        def env_is_wrapped(self, wrapper_class, indices=None):
            return [False] * len(self._indices(indices))

        def _indices(self, indices):
            return range(self.num_envs) if indices is None else np.atleast_1d(indices)

        def get_images(self):
            return envs.render() or []

    if envs.autoreset_mode is not AutoresetMode.SAME_STEP:
        raise ValueError("Stable-Baselines3 restarts worlds within the step: autoreset_mode=AutoresetMode.SAME_STEP")
    return _VecEnv()


class RslRl:
    """A vector environment as RSL-RL and loops in its manner use it: tensors of torch, worlds restart within the step.

    Observations are a `TensorDict` with the group "policy", as RSL-RL since 3.0 wants them, or, where tensordict is not
    installed or `groups=False`, a tensor and a dictionary, as before.
    """

    def __init__(self, envs, device="cpu", groups=None):
        import torch
        from gymnasium.vector import AutoresetMode
        if envs.autoreset_mode is not AutoresetMode.SAME_STEP:
            raise ValueError("RSL-RL restarts worlds within the step: autoreset_mode=AutoresetMode.SAME_STEP")
        self.unwrapped, self.device, self._torch = envs, device, torch
        if groups is None:
            groups = importlib.util.find_spec("tensordict") is not None
        self._groups = importlib.import_module("tensordict").TensorDict if groups else None
        self.num_envs, self.num_actions = envs.num_envs, envs.single_action_space.shape[0]
        self.num_obs, self.num_privileged_obs = envs.single_observation_space.shape[0], None
        self.max_episode_length = envs.max_episode_steps or 10**9
        self.cfg = {}
        self._observations, _ = envs.reset()

    @property
    def episode_length_buf(self):
        """How many steps episodes have taken; loops set it, so that worlds do not all end at once."""
        return self._tensor(self.unwrapped.episode_steps, self._torch.long)

    @episode_length_buf.setter
    def episode_length_buf(self, steps):
        self.unwrapped.episode_steps[:] = steps.cpu().numpy()

    def _tensor(self, array, dtype=None):
        return self._torch.as_tensor(np.array(array), dtype=dtype or self._torch.float32, device=self.device)

    def _seen(self):
        observations = self._tensor(self._observations)
        if self._groups is None:
            return observations
        return self._groups({"policy": observations}, batch_size=[self.num_envs], device=self.device)

    def get_observations(self):
        """The present observations."""
        return self._seen() if self._groups is not None else (self._seen(), {"observations": {}})

    def reset(self):
        """Starts all worlds."""
        self._observations, _ = self.unwrapped.reset()
        return self.get_observations()

    def step(self, actions):
        """Observations, rewards, whether episodes ended, and what goes with them."""
        space = self.unwrapped.single_action_space
        given = np.clip(actions.detach().cpu().numpy(), space.low, space.high)
        self._observations, rewards, terminated, truncated, infos = self.unwrapped.step(given)
        log = {f"/{name}": float(values[infos[f"_{name}"]].mean()) for name, values in infos.items()
               if getattr(values, "dtype", None) == float and values.ndim == 1 and infos[f"_{name}"].any()}
        extras = {"time_outs": self._tensor(truncated & ~terminated, self._torch.bool), "observations": {}, "log": log}
        return self._seen(), self._tensor(rewards), self._tensor(terminated | truncated, self._torch.long), extras

    def close(self):
        """Ends the environment."""
        self.unwrapped.close()
