"""The programs in examples/: what they rest on, and short runs of them."""
import concurrent.futures
import pathlib, sys

import numpy as np
import pytest

EXAMPLES = pathlib.Path(__file__).resolve().parents[3] / "examples"
sys.path.insert(0, str(EXAMPLES))


def test_a_sweep_is_the_same_for_any_number_of_workers():
    import sweep
    with concurrent.futures.ThreadPoolExecutor(1) as one, concurrent.futures.ThreadPoolExecutor(3) as three:
        alone, together = sweep.sweep(one), sweep.sweep(three)
    np.testing.assert_array_equal(alone, together)
    # Rough feet hold where smooth ones slide.
    assert alone[0, -1] > 1 and alone[-1, -1] < 0.1


def test_gradients_are_differences():
    import ppo
    rng = np.random.default_rng(0)
    network = ppo.Network(rng, 5, 3, 8, 1.0)
    for values in (network.weights, network.biases):
        values[:] = [v.astype(float) for v in values]
    x, slope = rng.standard_normal((7, 5)), rng.standard_normal((7, 3))
    found = network.gradients(network.layers(x), slope)
    for parameter, gradient in zip(network.parameters, found):
        for at in np.ndindex(*parameter.shape):
            kept, sides = parameter[at], []
            for step in (1e-6, -1e-6):
                parameter[at] = kept + step
                sides.append(np.sum(slope * network(x)))
            parameter[at] = kept
            assert abs((sides[0] - sides[1]) / 2e-6 - gradient[at]) < 1e-6


class Mimic:
    """Worlds that want an action to be a function of what is seen; the episodes of some end now and then."""

    num_envs = 32

    def __init__(self):
        gymnasium = pytest.importorskip("gymnasium")
        self.single_action_space = gymnasium.spaces.Box(-1, 1, (2,))

    def reset(self, seed):
        self.rng = np.random.default_rng(seed)
        self.seen = self.rng.uniform(-1, 1, (self.num_envs, 3))
        return self.seen, {}

    def step(self, action):
        wanted = np.stack([self.seen[:, 0] - self.seen[:, 1], 0.5 * self.seen[:, 2]], axis=1)
        reward = -np.sum((action - wanted) ** 2, axis=1)
        final, ended = np.full(self.num_envs, None), np.arange(self.num_envs) % 8 == self.rng.integers(8)
        self.seen = self.rng.uniform(-1, 1, (self.num_envs, 3))
        for i in np.flatnonzero(ended):
            final[i] = self.seen[i].copy()
        return self.seen, reward, ended, np.zeros(self.num_envs, bool), {"final_obs": final}


def test_learning_learns():
    import ppo
    rewards = []
    envs = Mimic()
    small = ppo.Settings(width=32)
    policy = ppo.learn(envs, 40_000, settings=small, report=lambda done, record: rewards.append(record["reward"]))
    assert rewards[0] < -1 and rewards[-1] > -0.4
    seen, _ = envs.reset(5)
    assert np.abs(policy(seen)[:, 1] - 0.5 * seen[:, 2]).max() < 0.25
    again = ppo.learn(Mimic(), 40_000, settings=small)
    np.testing.assert_array_equal(policy(seen), again(seen))


def test_a_robot_that_learns_to_walk(tmp_path):
    pytest.importorskip("gymnasium")
    from gymnasium.vector import AutoresetMode
    import corten.gym, learn_walk, ppo
    envs = corten.gym.VectorEnv(learn_walk.Walk(), 8, max_episode_steps=10, autoreset_mode=AutoresetMode.SAME_STEP)
    progress = ppo.Progress(("speed", "reward"))
    policy = ppo.learn(envs, 8 * 24 * 3, settings=ppo.Settings(width=16), report=progress)
    assert len(progress.figures) == 3 and all(np.isfinite(list(f.values())).all() for f in progress.figures)
    # Standing earns less than a robot that moves as it should, and more than one on its back.
    task, batch = learn_walk.Walk(), envs.batch
    task.begin(envs.model)
    envs.reset(seed=0)
    before = task.before(batch)
    standing, fell, _ = task.outcome(batch, before, None)
    moved = before.copy()
    moved[:, 0] -= learn_walk.SPEED * task.dt
    walking, _, info = task.outcome(batch, moved, None)
    np.testing.assert_allclose(info["speed"], learn_walk.SPEED)
    assert not fell.any() and np.all(walking > standing + 0.5)
    batch.qpos[:, 3:7] = [0, 1, 0, 0]
    tumbled, fell, _ = task.outcome(batch, task.before(batch), None)
    assert fell.all() and np.all(tumbled < standing - 3)
    speeds, fell = learn_walk.walk(policy, seconds=0.2, worlds=3)
    assert speeds.shape == fell.shape == (3,)
    learn_walk.plot(progress.figures, ("speed", "reward"), tmp_path / "walk.svg")
    learn_walk.film(policy, tmp_path / "walk.png", seconds=0.1, width=48, height=32)
    assert (tmp_path / "walk.svg").read_text().count("<polyline") == 2
    assert (tmp_path / "walk.png").read_bytes()[37:41] == b"acTL"
