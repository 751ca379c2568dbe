"""Programs of other people's packages, each reduced to numbers: `probes.py NAME OUT.npz [STEPS [up|down]]`.

Run as it is, a probe uses the package mujoco; under `python -m corten.mujoco` it uses CortenForge. `check.py` runs both
and compares. With `up` or `down`, every simulation starts one unit in the last place away.
"""
import importlib.metadata
import sys

import numpy as np

STEPS = 100


def _rollout(env, steps, seed=0):
    """Observations and rewards of random actions from a fixed seed."""
    space = env.action_space
    space.seed(seed)
    observation, _ = env.reset(seed=seed)
    rows = [_flat(observation)]
    for _ in range(steps):
        observation, reward, terminated, truncated, _ = env.step(space.sample())
        rows.append(np.append(_flat(observation), [float(np.sum(reward)), float(terminated)]))
        if terminated or truncated:
            observation, _ = env.reset()
    env.close()
    return np.concatenate(rows)


def _flat(observation):
    if isinstance(observation, dict):
        return np.concatenate([np.ravel(observation[k]) for k in sorted(observation)]).astype(float)
    return np.ravel(observation).astype(float)


def gymnasium(steps):
    """All MuJoCo environments of Gymnasium, versions 4 and 5."""
    import gymnasium as gym
    for name in sorted(gym.registry):
        spec = gym.registry[name]
        if "mujoco" in str(spec.entry_point) and name.endswith(("-v4", "-v5")) and name != "Pusher-v4":
            yield name, _rollout(gym.make(name), steps)


def gymnasium_robotics(steps):
    """Tasks with hands, arms and mazes."""
    import gymnasium as gym
    import gymnasium_robotics
    gym.register_envs(gymnasium_robotics)
    for name in ("FetchReach-v4", "FetchPush-v4", "HandReach-v3", "PointMaze_UMaze-v3", "AntMaze_UMaze-v5",
                 "AdroitHandDoor-v1"):
        if name in gym.registry:
            yield name, _rollout(gym.make(name), steps)


def metaworld(steps):
    """Manipulation tasks."""
    import gymnasium as gym
    import metaworld
    for task in ("reach-v3", "drawer-open-v3", "button-press-v3"):
        if hasattr(metaworld, "ALL_V3_ENVIRONMENTS_GOAL_OBSERVABLE"):
            cls = metaworld.ALL_V3_ENVIRONMENTS_GOAL_OBSERVABLE[f"{task}-goal-observable"]
            yield task, _rollout(cls(seed=0), min(steps, 30))
        else:
            yield task, _rollout(gym.make("Meta-World/MT1", env_name=task, seed=0), min(steps, 30))


def dm_control(steps):
    """Every task of the suite."""
    from dm_control import suite
    from dm_control.rl.control import PhysicsError
    for domain, task in suite.ALL_TASKS:
        try:
            env = suite.load(domain, task, task_kwargs={"random": 0})
        except Exception as error:
            # Some tasks draw; `check.py` names those that are missing on one side only.
            print(f"{domain}-{task}: {error}")
            continue
        spec, rng = env.action_spec(), np.random.RandomState(0)
        step = env.reset()
        rows = []
        for _ in range(steps):
            rows.append(np.concatenate([np.ravel(v) for v in step.observation.values()]))
            try:
                step = env.step(rng.uniform(spec.minimum, spec.maximum, spec.shape))
            except PhysicsError:
                # Random actions break some tasks: at which step is a result, too.
                break
            rows.append([step.reward or 0.0])
        yield f"{domain}-{task}", np.concatenate(rows)


def mink(steps):
    """Inverse kinematics of an arm."""
    import mink
    import mujoco
    xml = "<mujoco><worldbody>" + "".join(
        f"<body name='b{i}' pos='0 0 .2'><joint name='j{i}' axis='{i % 2} {1 - i % 2} 0'/><geom size='.02 .1' type='capsule'/>"
        for i in range(6)) + "<site name='tip' pos='0 0 .2'/>" + "</body>" * 6 + "</worldbody></mujoco>"
    model = mujoco.MjModel.from_xml_string(xml)
    configuration = mink.Configuration(model)
    configuration.update(np.full(model.nq, 0.1))
    task = mink.FrameTask("tip", "site", position_cost=1.0, orientation_cost=0.1)
    task.set_target(mink.SE3.from_translation(np.array([0.3, 0.2, 0.8])))
    rows = []
    for _ in range(min(steps, 30)):
        velocity = mink.solve_ik(configuration, [task], 0.02, "daqp", damping=1e-3)
        configuration.integrate_inplace(velocity, 0.02)
        rows.append(configuration.q.copy())
    yield "arm", np.concatenate(rows)


def obj2mjcf(steps):
    """A mesh turned into MJCF, and loaded."""
    import pathlib
    import subprocess
    import tempfile
    import mujoco
    with tempfile.TemporaryDirectory() as folder:
        mesh = pathlib.Path(folder) / "cube.obj"
        corners = [(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)]
        faces = "1 2 4 3,5 7 8 6,1 5 6 2,3 4 8 7,1 3 7 5,2 6 8 4".split(",")
        mesh.write_text("".join(f"v {x} {y} {z}\n" for x, y, z in corners) + "".join(f"f {f}\n" for f in faces))
        subprocess.run([sys.executable, "-c", "from obj2mjcf.cli import main; main()", "--obj-dir", folder, "--save-mjcf",
                        "--compile-model"], check=True, capture_output=True)
        model = mujoco.MjModel.from_xml_path(str(next(pathlib.Path(folder).rglob("cube.xml"), "cube.xml")))
        yield "cube", np.concatenate([model.mesh_vert.ravel(), model.body_mass])


def robosuite(steps):
    """Lifting with a Panda."""
    import robosuite
    env = robosuite.make("Lift", robots="Panda", has_renderer=False, has_offscreen_renderer=False, use_camera_obs=False,
                         seed=0)
    np.random.seed(0)
    env.reset()
    low, high = env.action_spec
    rng, rows = np.random.RandomState(0), []
    for _ in range(min(steps, 50)):
        observation, reward, *_ = env.step(rng.uniform(low, high))
        rows.append(np.append(observation["robot0_proprio-state"], reward))
    yield "Lift", np.concatenate(rows)


def myosuite(steps):
    """An elbow and a hand with muscles."""
    import myosuite  # noqa: F401
    try:
        from myosuite.utils import gym
    except ImportError:
        import gymnasium as gym
    for name in ("myoElbowPose1D6MRandom-v0", "myoHandPoseRandom-v0"):
        yield name, _rollout(gym.make(name), min(steps, 50))


def stable_baselines3(steps):
    """A little learning."""
    import torch
    from stable_baselines3 import PPO
    torch.manual_seed(0)
    torch.set_num_threads(1)
    model = PPO("MlpPolicy", "InvertedPendulum-v5", n_steps=64, batch_size=64, seed=0, device="cpu")
    model.learn(128)
    yield "parameters", np.concatenate([p.detach().numpy().ravel() for p in model.policy.parameters()])


PROBES = {f.__name__: f for f in (gymnasium, gymnasium_robotics, metaworld, dm_control, mink, obj2mjcf, robosuite, myosuite,
                                  stable_baselines3)}


def _nudge(mujoco, toward):
    """Moves the positions of every simulation by one unit in the last place before its first step."""
    seen = {}

    def nudge(step):
        def nudged(m, d, *args, **kwargs):
            # Simulations that are reset start anew.
            if not seen.get(id(d), np.inf) <= d.time:
                d.qpos[:] = np.nextafter(d.qpos, toward)
            step(m, d, *args, **kwargs)
            seen[id(d)] = d.time
        return nudged
    # Some packages step in halves.
    for name in ("mj_step", "mj_step2"):
        setattr(mujoco, name, nudge(getattr(mujoco, name)))


def main():
    name, out = sys.argv[1], sys.argv[2]
    steps = int(sys.argv[3]) if len(sys.argv) > 3 else STEPS
    import mujoco
    if len(sys.argv) > 4 and sys.argv[4]:
        _nudge(mujoco, np.inf if sys.argv[4] == "up" else -np.inf)
    print(f"{name} {importlib.metadata.version(name.replace('_', '-'))} on {mujoco.__name__}")
    np.savez(out, **dict(PROBES[name](steps)))


if __name__ == "__main__":
    main()
