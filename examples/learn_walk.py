"""Teaches the quadruped of scenes/quadruped.xml to trot at half a metre per second: some minutes on two cores.

    python learn_walk.py [--seed N] [--steps N] [--folder DIRECTORY]

Shows its progress, then lets 16 robots walk for ten seconds, tells how fast they were and how many fell, and writes
`walk.png` (a film: any browser plays it), `walk.svg` (speed and reward while it learned) and `policy.npz`. The exit code
is 1 when robots fell or were not within a tenth of the speed that was asked for.
"""
import argparse
import os
import pathlib
import sys
import time

# Matrices of this size are fastest on one thread: the others are for the robots.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from gymnasium.vector import AutoresetMode

import corten
import corten.gym
import ppo

SCENE = pathlib.Path(__file__).parents[1] / "scenes" / "quadruped.xml"
SPEED = 0.5


class Walk(corten.gym.Task):
    """Forward along x at `speed`. Actions are what joints are to be away from standing, in units of `reach` radians."""

    model, frame_skip = SCENE, 5
    speed, reach = SPEED, 0.35
    # Trots: diagonal legs take turns, so many times a second.
    pace = 2.0

    def begin(self, model):
        self.dt = self.frame_skip * model.opt.timestep
        self._stand, self._pose = model.key("stand").qpos.copy(), model.key("stand").ctrl.copy()
        self._touch = [int(model.sensor(f"{leg}_touch").adr[0]) for leg in ("fl", "rr", "fr", "rl")]

    def action_limits(self, model):
        low = np.full(model.nu, -3, np.float32)
        return low, -low

    def initial(self, model, rng):
        qpos, qvel = self._stand.copy(), rng.uniform(-0.1, 0.1, model.nv)
        qpos[7:] += rng.uniform(-0.15, 0.15, model.nu)
        return qpos, qvel

    def started(self, b, worlds):
        b.ctrl[worlds] = self._pose

    def before(self, b):
        return np.hstack([b.qpos[:, :2], self._last_action(b)])

    def act(self, b, action):
        b.ctrl[...] = self._pose + self.reach * np.clip(action, -3, 3)

    def _last_action(self, b):
        return (b.ctrl - self._pose) / self.reach

    def _phase(self, b):
        return 2 * np.pi * self.pace * b.time.reshape(-1, 1)

    def observe(self, b):
        axes, phase = _axes(b.qpos[:, 3:7]), self._phase(b)
        velocity = np.einsum("nij,ni->nj", axes, b.qvel[:, :3])
        return np.hstack([axes[:, 2], axes[:, 0, :2], b.qpos[:, 2:3], velocity, b.qvel[:, 3:6], b.qpos[:, 7:] - self._stand[7:],
                          0.1 * b.qvel[:, 6:], self._last_action(b), np.sin(phase), np.cos(phase)])

    def outcome(self, b, before, action):
        axes = _axes(b.qpos[:, 3:7])
        velocity = (b.qpos[:, :2] - before[:, :2]) / self.dt
        down = b.sensordata[:, self._touch] > 0
        # The first pair of legs stands in the first half of the period, the other one in the second.
        first = np.sin(self._phase(b)) > 0
        in_step = np.mean(down == np.hstack([first, first, ~first, ~first]), axis=1)
        change = self._last_action(b) - before[:, 2:]
        tilt = 1 - axes[:, 2, 2]
        fallen = (tilt > 0.4) | (b.qpos[:, 2] < 0.18)
        reward = (
            1.0 * np.exp(-((velocity[:, 0] - self.speed) ** 2 + velocity[:, 1] ** 2) / 0.06)
            + 0.6 * in_step
            + 0.3 * axes[:, 0, 0]
            - 2.0 * tilt
            - 0.5 * b.qvel[:, 2] ** 2
            - 0.03 * np.sum(b.qvel[:, 3:5] ** 2, axis=1)
            - 0.01 * np.sum(change**2, axis=1)
            - 0.3 * np.abs(b.qpos[:, 1])
            - 5.0 * fallen)
        return reward, fallen, {"speed": velocity[:, 0], "in_step": in_step}


def _axes(quaternions):
    """Rotation matrices."""
    w, x, y, z = quaternions.T
    rows = [[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]]
    return np.moveaxis(np.array(rows), 2, 0)


def walk(policy, seconds=10, worlds=16):
    """Speeds of robots, and which of them fell."""
    envs = corten.gym.VectorEnv(Walk(), worlds, autoreset_mode=AutoresetMode.NEXT_STEP)
    observations, _ = envs.reset(seed=1000)
    start, fell = envs.batch.qpos[:, 0].copy(), np.zeros(worlds, bool)
    for _ in range(round(seconds / envs.task.dt)):
        observations, _, failed, *_ = envs.step(policy(observations))
        fell |= failed
    return (envs.batch.qpos[:, 0] - start) / seconds, fell


def stage():
    """The robot in daylight, on a floor that shows how it moves."""
    mj = corten.mujoco
    spec = mj.MjSpec.from_file(str(SCENE))
    spec.visual.headlight.ambient, spec.visual.headlight.diffuse = [0.35] * 3, [0.3] * 3
    spec.add_texture(name="sky", type=mj.mjtTexture.mjTEXTURE_SKYBOX, builtin=mj.mjtBuiltin.mjBUILTIN_GRADIENT,
                     rgb1=[0.55, 0.7, 0.9], rgb2=[0.95, 0.97, 1], width=64, height=64)
    spec.add_texture(name="floor", type=mj.mjtTexture.mjTEXTURE_2D, builtin=mj.mjtBuiltin.mjBUILTIN_CHECKER,
                     rgb1=[0.75, 0.78, 0.8], rgb2=[0.6, 0.64, 0.67], width=128, height=128)
    textures = [""] * int(mj.mjtTextureRole.mjNTEXROLE)
    textures[int(mj.mjtTextureRole.mjTEXROLE_RGB)] = "floor"
    spec.add_material(name="floor", textures=textures, texrepeat=[2, 2], texuniform=True)
    spec.geom("ground").material = "floor"
    spec.geom("trunk").rgba = [0.71, 0.31, 0.16, 1]
    spec.worldbody.add_light(type=mj.mjtLightType.mjLIGHT_DIRECTIONAL, pos=[0, 0, 4], dir=[0.3, 0.4, -1])
    return spec.compile()


def film(policy, path, seconds=6, width=480, height=320):
    """A robot that walks."""
    envs = corten.gym.VectorEnv(Walk(model=stage()), 1, threads=1)
    observations, _ = envs.reset(seed=1)
    frames = []
    for i in range(round(seconds / envs.task.dt)):
        observations, *_ = envs.step(policy(observations))
        if i % 2 == 0:
            frames.append(envs.batch.render(0, width=width, height=height, camera="chase")[0])
    corten.Video(frames, fps=1 / (2 * envs.task.dt)).save(path)


def plot(figures, names, path, width=640, height=160):
    """Curves over minutes, one below the other, as an SVG file."""
    minutes = np.array([f["seconds"] for f in figures]) / 60
    parts = []
    for row, name in enumerate(names):
        values, top = np.array([f[name] for f in figures]), 30 + row * (height + 50)
        low, high = min(values.min(), 0.0), max(values.max(), 1e-9)
        x, y = 50 + (width - 70) * minutes / minutes[-1], top + height * (high - values) / (high - low)
        curve = " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(x, y))
        parts.append(f'<text x="50" y="{top - 8}">{name}</text><rect x="50" y="{top}" width="{width - 70}" height="{height}" '
                     f'fill="none" stroke="#ccc"/><polyline points="{curve}" fill="none" stroke="#b5502a" stroke-width="1.5"/>'
                     f'<text x="45" y="{top + 10}" text-anchor="end">{high:.2g}</text>'
                     f'<text x="45" y="{top + height}" text-anchor="end">{low:.2g}</text>')
    tall = 40 + len(names) * (height + 50)
    parts.append(f'<text x="{width - 20}" y="{tall - 40}" text-anchor="end">{minutes[-1]:.1f} minutes</text>')
    path.write_text(f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{tall}" font-family="sans-serif" '
                    f'font-size="12"><rect width="100%" height="100%" fill="white"/>{"".join(parts)}</svg>\n')


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--steps", type=int, default=1_000_000, help="of all robots together")
    parser.add_argument("--worlds", type=int, default=128)
    parser.add_argument("--threads", type=int, default=0, help="0: one per core")
    parser.add_argument("--folder", type=pathlib.Path, default=pathlib.Path("."))
    arguments = parser.parse_args()
    envs = corten.gym.VectorEnv(Walk(), arguments.worlds, threads=arguments.threads, max_episode_steps=500,
                                autoreset_mode=AutoresetMode.SAME_STEP)
    progress, processor = ppo.Progress(("speed", "in_step", "reward")), time.process_time()
    policy = ppo.learn(envs, arguments.steps, arguments.seed, report=progress)
    processor = time.process_time() - processor
    speeds, fell = walk(policy)
    arguments.folder.mkdir(parents=True, exist_ok=True)
    np.savez(arguments.folder / "policy.npz", *policy.actor.parameters, mean=policy.scale.mean, square=policy.scale.square)
    plot(progress.figures, ("speed", "reward"), arguments.folder / "walk.svg")
    film(policy, arguments.folder / "walk.png")
    learned = not fell.any() and np.all(np.abs(speeds - SPEED) < 0.1 * SPEED)
    print(f"seed {arguments.seed}: {speeds.mean():.3f} m/s ({speeds.min():.3f} to {speeds.max():.3f}), {fell.sum()} of "
          f"{len(fell)} fell; learned in {progress.figures[-1]['seconds'] / 60:.1f} min, {processor / 60:.1f} min of processor "
          f"time: {'walks' if learned else 'does not walk'}")
    sys.exit(not learned)


if __name__ == "__main__":
    main()
