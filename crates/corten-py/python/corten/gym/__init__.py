"""Gymnasium environments and vector environments on `corten.BatchSim`.

    import gymnasium, corten.gym

    envs = gymnasium.make_vec("corten/Ant-v5", num_envs=16, vectorization_mode="vector_entry_point")
    env = gymnasium.make("corten/Ant-v5")

The eleven MuJoCo tasks of Gymnasium, version 5, have the same observations, rewards and ends of episodes as Gymnasium's.
A robot of one's own is a `Task` (see there), or a dictionary for `declared`; `VectorEnv(task, 64)` runs it.
"""
from ._async import AsyncEnvs
from ._classic import CLASSIC
from ._declared import declared
from ._task import Task
from ._vector import Env, VectorEnv

__all__ = ["AsyncEnvs", "CLASSIC", "Env", "Task", "VectorEnv", "declared", "make_vec"]


def make_vec(name, num_envs, **options):
    """The vector environment of a classic task, such as "Ant-v5"; options are the task's and `VectorEnv`'s."""
    own = {key: options.pop(key) for key in VectorEnv.OPTIONS if key in options}
    task, limit = CLASSIC[name.removeprefix("corten/")]
    own.setdefault("max_episode_steps", limit)
    return VectorEnv(task(**options), num_envs, **own)


def _vector_entry(name):
    def entry(num_envs=1, **options):
        return make_vec(name, num_envs, **options)
    return entry


def _entry(name):
    def entry(render_mode=None, **options):
        # Gymnasium's own wrapper limits the number of steps.
        return Env(CLASSIC[name][0](**options), render_mode=render_mode)
    return entry


def _register():
    import gymnasium
    for name, (_, limit) in CLASSIC.items():
        if f"corten/{name}" not in gymnasium.registry:
            gymnasium.register(f"corten/{name}", entry_point=_entry(name), vector_entry_point=_vector_entry(name),
                               max_episode_steps=limit)


_register()
