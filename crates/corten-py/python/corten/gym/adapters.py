"""Vector environments for the loops of others: Stable-Baselines3, RSL-RL."""
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
    """A vector environment as loops in the manner of RSL-RL use it: tensors of torch, worlds restart within the step."""

    def __init__(self, envs, device="cpu"):
        import torch
        from gymnasium.vector import AutoresetMode
        if envs.autoreset_mode is not AutoresetMode.SAME_STEP:
            raise ValueError("RSL-RL restarts worlds within the step: autoreset_mode=AutoresetMode.SAME_STEP")
        self.unwrapped, self.device, self._torch = envs, device, torch
        self.num_envs, self.num_actions = envs.num_envs, envs.single_action_space.shape[0]
        self.num_obs, self.num_privileged_obs = envs.single_observation_space.shape[0], None
        self.max_episode_length = envs.max_episode_steps or 10**9
        self.episode_length_buf = torch.zeros(self.num_envs, dtype=torch.long, device=device)
        self.cfg = {}
        self._observations, _ = envs.reset()

    def _tensor(self, array, dtype=None):
        return self._torch.as_tensor(np.asarray(array), dtype=dtype or self._torch.float32, device=self.device)

    def get_observations(self):
        """The present observations, and what goes with them."""
        return self._tensor(self._observations), {"observations": {}}

    def reset(self):
        """Starts all worlds."""
        self._observations, _ = self.unwrapped.reset()
        self.episode_length_buf.zero_()
        return self.get_observations()

    def step(self, actions):
        """Observations, rewards, whether episodes ended, and what goes with them."""
        space = self.unwrapped.single_action_space
        given = np.clip(actions.detach().cpu().numpy(), space.low, space.high)
        self._observations, rewards, terminated, truncated, infos = self.unwrapped.step(given)
        ended = terminated | truncated
        self.episode_length_buf += 1
        self.episode_length_buf[self._tensor(ended, self._torch.bool)] = 0
        extras = {"time_outs": self._tensor(truncated & ~terminated, self._torch.bool), "observations": {}, "log": infos}
        return self._tensor(self._observations), self._tensor(rewards), self._tensor(ended, self._torch.long), extras

    def close(self):
        """Ends the environment."""
        self.unwrapped.close()
