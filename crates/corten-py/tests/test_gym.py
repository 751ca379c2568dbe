"""Vector environments: the same tasks as Gymnasium's, and the same worlds whether alone or together."""
import importlib.util
import pickle

import numpy as np
import pytest

gymnasium = pytest.importorskip("gymnasium")
pytest.importorskip("mujoco")
import corten  # noqa: E402
import corten.gym  # noqa: E402
from gymnasium.vector import AutoresetMode  # noqa: E402

# Steps until which trajectories are compared: contacts make small differences grow.
STEPS = {"HalfCheetah-v5": 25, "Ant-v5": 25, "Humanoid-v5": 20, "HumanoidStandup-v5": 20}


def close(a, b, name):
    scale = max(1.0, np.abs(b).max())
    np.testing.assert_allclose(a, b, atol=1e-6 * scale, err_msg=name)


@pytest.mark.parametrize("name", sorted(corten.gym.CLASSIC))
def test_equal_to_gymnasium(name):
    """Observations, rewards, ends and infos, with the same seed and actions."""
    theirs, ours = gymnasium.make(name), gymnasium.make(f"corten/{name}")
    assert theirs.observation_space == ours.observation_space and theirs.action_space == ours.action_space
    theirs.action_space.seed(3)
    (a, info_a), (b, info_b) = theirs.reset(seed=7), ours.reset(seed=7)
    close(b, a, "first observation")
    for step in range(STEPS.get(name, 40)):
        action = theirs.action_space.sample()
        a, reward_a, terminated_a, truncated_a, info_a = theirs.step(action)
        b, reward_b, terminated_b, truncated_b, info_b = ours.step(action)
        close(b, a, f"observation {step}")
        close(reward_b, np.float64(reward_a), f"reward {step}")
        assert (terminated_a, truncated_a) == (terminated_b, truncated_b)
        assert set(info_a) == set(info_b)
        for key in info_a:
            close(info_b[key], np.asarray(info_a[key], float), key)
        if terminated_a or truncated_a:
            (a, _), (b, _) = theirs.reset(), ours.reset()
            close(b, a, "next episode")


@pytest.mark.parametrize("mode", list(AutoresetMode))
def test_restarts_as_in_gymnasium(mode):
    """Hoppers fall soon: three environments in each of the three ways to go on."""
    make = dict(num_envs=3, vectorization_mode="sync", vector_kwargs={"autoreset_mode": mode})
    theirs = gymnasium.make_vec("Hopper-v5", **make)
    ours = corten.gym.make_vec("Hopper-v5", 3, autoreset_mode=mode)
    theirs.action_space.seed(0)
    (a, _), (b, _) = theirs.reset(seed=5), ours.reset(seed=5)
    close(b, a, "first")
    ends = 0
    for step in range(60):
        action = theirs.action_space.sample()
        a, *rest_a, info_a = theirs.step(action)
        b, *rest_b, info_b = ours.step(action)
        close(b, a, f"observations {step}")
        for x, y in zip(rest_a, rest_b):
            close(y.astype(float), x.astype(float), f"rewards or ends {step}")
        assert set(info_a) == set(info_b), set(info_a) ^ set(info_b)
        for key in info_a:
            if key == "final_obs":
                for x, y in zip(info_a[key], info_b[key]):
                    assert (x is None) == (y is None)
                    if x is not None:
                        close(y, x, key)
            elif key != "final_info":
                close(info_b[key].astype(float), info_a[key].astype(float), key)
        ended = rest_a[1] | rest_a[2]
        ends += ended.sum()
        if mode is AutoresetMode.DISABLED and ended.any():
            (a, _), (b, _) = (e.reset(options={"reset_mask": ended.copy()}) for e in (theirs, ours))
            close(b, a, "masked reset")
    assert ends >= 3


def test_worlds_do_not_depend_on_company():
    actions = np.random.default_rng(0).uniform(-1, 1, (30, 8, 8)).astype(np.float32)
    rows = []
    for count, threads in ((8, 1), (8, 3), (2, 1)):
        envs = corten.gym.make_vec("Ant-v5", count, threads=threads)
        envs.reset(seed=11)
        rows.append([envs.step(a[:count])[0][:2].copy() for a in actions])
    np.testing.assert_array_equal(rows[0], rows[1])
    np.testing.assert_array_equal(rows[0], rows[2])


def test_time_limits_and_registration():
    envs = gymnasium.make_vec("corten/Reacher-v5", num_envs=2, vectorization_mode="vector_entry_point")
    envs.reset(seed=0)
    truncated = [envs.step(np.zeros((2, 2), np.float32))[3] for _ in range(50)]
    assert truncated[-1].all() and not np.any(truncated[:-1])
    assert envs.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP and envs.spec.id == "corten/Reacher-v5"
    with pytest.raises(ValueError, match="dimension"):
        envs.step(np.zeros((3, 2)))


def test_pickled_batches_and_environments_go_on():
    envs = corten.gym.make_vec("HalfCheetah-v5", 2)
    envs.reset(seed=1)
    action = np.full((2, 6), 0.3, np.float32)
    envs.step(action)
    copy = pickle.loads(pickle.dumps(envs))
    np.testing.assert_array_equal(copy.step(action)[0], envs.step(action)[0])
    batch = corten.BatchSim(envs.model, 3, outputs=["xpos"])
    batch.parameter("body_mass")[1] *= 2
    batch.ctrl[...] = 0.1
    batch.step(3)
    again = pickle.loads(pickle.dumps(batch))
    again.step(2), batch.step(2)
    np.testing.assert_array_equal(again.qpos, batch.qpos)
    assert not np.array_equal(batch.qpos[0], batch.qpos[1])


QUADRUPED = """<mujoco><worldbody><geom type="plane" size="5 5 1"/><body name="trunk" pos="0 0 .3"><freejoint/>
<geom type="box" size=".2 .1 .05"/><body pos=".2 0 0"><joint name="a" axis="0 1 0"/>
<geom type="capsule" fromto="0 0 0 0 0 -.2" size=".03"/></body></body></worldbody>
<actuator><position joint="a" ctrlrange="-1 1" kp="10"/></actuator></mujoco>"""


def test_tasks_of_ones_own():
    """A dictionary; and domain randomisation, with a mass of its own for every world and episode."""
    seen = []

    def heavier(batch, worlds):
        masses = batch.parameter("body_mass")
        masses[worlds] = batch.model_of(0).body_mass
        masses[worlds, 1] *= np.random.default_rng(len(seen)).uniform(0.5, 2.0, worlds.sum())
        seen.append(worlds.copy())

    task = corten.gym.declared({
        "model": QUADRUPED, "frame_skip": 5, "observations": ["qpos:2", "qvel"], "randomize": heavier,
        "reward": {"track_velocity": {"weight": 2.0, "target": 0.1}, "alive": 0.5, "control": -0.01}, "end": {"height": [0.1, 1.0]}})
    envs = corten.gym.VectorEnv(task, 3, max_episode_steps=20)
    observations, _ = envs.reset(seed=0)
    assert observations.shape == (3, 6 + 7) and len(seen) == 1
    masses = envs.batch.parameter("body_mass")[:, 1]
    assert len(set(masses)) == 3
    for _ in range(25):
        observations, rewards, terminated, truncated, infos = envs.step(np.zeros((3, 1), np.float32))
    assert np.isfinite(rewards).all() and "reward_alive" in infos and len(seen) == 2
    with pytest.raises(ValueError, match="unknown"):
        corten.gym.declared({"models": QUADRUPED})


def test_send_and_receive():
    make = lambda n: corten.gym.make_vec("HalfCheetah-v5", n, threads=1)  # noqa: E731
    together, groups = make(4), corten.gym.AsyncEnvs(make, 4, groups=2)
    first, _ = together.reset(seed=9)
    groups.async_reset(seed=9)
    action = np.full((4, 6), 0.2, np.float32)
    seen = {}
    # Answers come as they are ready: both resets are taken before the first step is sent.
    for _ in range(2):
        group, observations, *_ = groups.recv(timeout=60)
        np.testing.assert_array_equal(observations, first[list(groups.worlds_of(group))])
    for group in range(2):
        groups.send(action[:2], group)
    want = together.step(action)[0]
    for _ in range(2):
        group, observations, *_ = groups.recv(timeout=60)
        seen[group] = observations
    np.testing.assert_array_equal(np.vstack([seen[0], seen[1]]), want)
    groups.close()


def falling(count):
    """Hoppers that fall soon, and go on within the step."""
    return corten.gym.make_vec("Hopper-v5", count, threads=1, autoreset_mode=AutoresetMode.SAME_STEP, max_episode_steps=12)


def test_rsl_rl():
    torch = pytest.importorskip("torch")
    from corten.gym import adapters
    envs = falling(4)
    loop = adapters.RslRl(envs, groups=False)
    seen, _ = loop.get_observations()
    assert seen.shape == (4, loop.num_obs) and seen.dtype == torch.float32
    # What the loop says about the age of episodes counts for their ends.
    loop.episode_length_buf = torch.tensor([0, 4, 10, 11])
    for step, ended in ((0, [0, 0, 0, 1]), (1, [0, 0, 1, 0])):
        seen, rewards, dones, extras = loop.step(torch.zeros(4, loop.num_actions))
        assert dones.tolist() == ended and extras["time_outs"].tolist() == [bool(e) for e in ended]
    assert loop.episode_length_buf.tolist() == [2, 6, 0, 1] and extras["log"]["/reward_survive"] == 1.0
    if importlib.util.find_spec("tensordict"):
        assert adapters.RslRl(falling(4)).get_observations()["policy"].shape == (4, loop.num_obs)
    with pytest.raises(ValueError, match="SAME_STEP"):
        adapters.RslRl(corten.gym.make_vec("Hopper-v5", 2))


def test_stable_baselines3():
    sb3 = pytest.importorskip("stable_baselines3")
    from corten.gym import adapters
    envs = adapters.stable_baselines3(falling(4))
    envs.seed(3)
    first = envs.reset()
    for step in range(12):
        seen, rewards, dones, infos = envs.step(np.zeros((4, 3), np.float32))
    assert dones.all() and infos[0]["TimeLimit.truncated"] and infos[0]["terminal_observation"].shape == first[0].shape
    model = sb3.PPO("MlpPolicy", envs, n_steps=16, batch_size=32, n_epochs=1, device="cpu").learn(64)
    assert model.num_timesteps == 64
