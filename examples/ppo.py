"""Proximal policy optimisation in NumPy: two small networks, Adam, and the clipped objective. Nothing about robots.

`learn(envs, steps, seed)` trains on a Gymnasium vector environment that restarts worlds within the step, and gives a
`Policy`; `learn_walk.py` shows it. On two cores a network of this size is faster without a library for large ones.
"""
import dataclasses
import sys
import time

import numpy as np


@dataclasses.dataclass
class Settings:
    """What may be tuned; the values suit robots with some ten to twenty motors."""

    horizon: int = 24  # Steps of every world between two updates.
    epochs: int = 4  # How often an update goes through what it has seen,
    parts: int = 4  # in so many parts.
    discount: float = 0.99
    trace: float = 0.95  # Weight of the next estimate in an advantage (GAE's lambda).
    clip: float = 0.2  # How far the probability of an action may move in an update.
    divergence: float = 0.01  # The change of the policy in an update that the learning rate aims at.
    rate: float = 1e-3
    entropy: float = 0.003
    spread: float = 0.6  # First standard deviation of actions.
    width: int = 128


class Network:
    """Two hidden layers of tanh, and a linear one."""

    def __init__(self, rng, inputs, outputs, width, gain):
        sizes, gains = [inputs, width, width, outputs], [1.0, 1.0, gain]
        self.weights = [(g * rng.standard_normal((a, b)) / np.sqrt(a)).astype(np.float32)
                        for a, b, g in zip(sizes, sizes[1:], gains)]
        self.biases = [np.zeros(b, np.float32) for b in sizes[1:]]

    @property
    def parameters(self):
        return [*self.weights, *self.biases]

    def layers(self, x):
        """The values of every layer, the inputs first."""
        values = [x]
        for w, b in zip(self.weights[:-1], self.biases):
            values.append(np.tanh(values[-1] @ w + b))
        return [*values, values[-1] @ self.weights[-1] + self.biases[-1]]

    def __call__(self, x):
        return self.layers(x)[-1]

    def gradients(self, values, slope):
        """Derivatives for `parameters`, from the values of the layers and the slope of the loss in the outputs."""
        weights, biases = [], []
        for i in reversed(range(len(self.weights))):
            weights.append(values[i].T @ slope)
            biases.append(slope.sum(axis=0))
            if i:
                slope = (slope @ self.weights[i].T) * (1 - values[i] ** 2)
        return [*weights[::-1], *biases[::-1]]


class Adam:
    """Steps along gradients, scaled by what they have been like; gradients longer than one are shortened."""

    def __init__(self, parameters):
        self.parameters, self.count = parameters, 0
        self.mean, self.square = ([np.zeros_like(p) for p in parameters] for _ in range(2))

    def step(self, gradients, rate):
        self.count += 1
        length = np.sqrt(sum(float(np.vdot(g, g)) for g in gradients))
        shorter = np.float32(1 / max(1.0, length))
        rate = np.float32(rate * np.sqrt(1 - 0.999**self.count) / (1 - 0.9**self.count))
        for p, g, m, s in zip(self.parameters, gradients, self.mean, self.square):
            g = g * shorter
            m += np.float32(0.1) * (g - m)
            s += np.float32(0.001) * (g * g - s)
            p -= rate * m / (np.sqrt(s) + np.float32(1e-8))


class Scale:
    """Mean and deviation of all observations so far, to make them comparable."""

    def __init__(self, size):
        self.count, self.mean, self.square = 1e-4, np.zeros(size), np.ones(size)

    def see(self, rows):
        count = self.count + len(rows)
        apart = rows.mean(axis=0) - self.mean
        self.square += (rows.var(axis=0) - self.square + apart**2 * self.count / count) * len(rows) / count
        self.mean += apart * len(rows) / count
        self.count = count

    def __call__(self, rows):
        return np.clip((rows - self.mean) / np.sqrt(self.square + 1e-6), -8, 8).astype(np.float32)


class Policy:
    """What was learned: `policy(observations)` gives the best actions."""

    def __init__(self, scale, actor, deviation):
        self.scale, self.actor, self.deviation = scale, actor, deviation

    def __call__(self, observations):
        return self.actor(self.scale(observations))


def _log_probability(actions, means, deviation):
    """Of actions, up to a constant."""
    return -0.5 * np.sum(((actions - means) / deviation) ** 2, axis=-1) - np.sum(np.log(deviation))


def _advantages(rewards, values, ended, following, settings):
    """How much better than expected every action was. `following` are the values of the states that steps led to, of an
    episode's last state too: it ends with zero only where the robot failed."""
    errors = rewards + settings.discount * following - values
    advantage, running = np.zeros_like(errors), 0.0
    for t in reversed(range(len(errors))):
        running = errors[t] + settings.discount * settings.trace * ~ended[t] * running
        advantage[t] = running
    return advantage


def learn(envs, steps, seed=0, settings=None, report=None):
    """A policy, after so many steps of all worlds together.

    `report(done, record)` is called after every update with the share that is done, and the means of the update's rewards
    and infos by name.
    """
    settings = settings or Settings()
    rng = np.random.default_rng(seed)
    observations, _ = envs.reset(seed=seed)
    worlds, size = observations.shape
    motors = envs.single_action_space.shape[0]
    actor, critic = Network(rng, size, motors, settings.width, 0.1), Network(rng, size, 1, settings.width, 1.0)
    log_deviation = np.full(motors, np.log(settings.spread), np.float32)
    scale, rate = Scale(size), settings.rate
    parameters = [*actor.parameters, log_deviation, *critic.parameters]
    adam, horizon = Adam(parameters), settings.horizon
    updates = -(-steps // (worlds * horizon))
    scale.see(observations)
    for update in range(updates):
        seen = np.zeros((horizon, worlds, size), np.float32)
        means = np.zeros((horizon, worlds, motors), np.float32)
        actions, deviation = np.zeros_like(means), np.exp(log_deviation)
        rewards, following = np.zeros((horizon, worlds)), np.zeros((horizon, worlds))
        ended, record, raw = np.zeros((horizon, worlds), bool), {}, []
        for t in range(horizon):
            raw.append(observations)
            seen[t] = scale(observations)
            means[t] = actor(seen[t])
            actions[t] = means[t] + deviation * rng.standard_normal((worlds, motors), dtype=np.float32)
            observations, rewards[t], failed, late, infos = envs.step(actions[t])
            ended[t] = failed | late
            led_to = observations
            if ended[t].any():
                led_to = observations.copy()
                led_to[ended[t]] = np.stack(infos["final_obs"][ended[t]])
            following[t] = np.where(failed, 0.0, critic(scale(led_to))[:, 0])
            for name, values in infos.items():
                # Of worlds that went on: an info of those that ended is among the final ones.
                if infos.get(f"_{name}", np.False_).any() and np.ndim(values) == 1 and values.dtype == float:
                    record.setdefault(name, []).append(values[infos[f"_{name}"]].mean())
        values = critic(seen.reshape(-1, size))[:, 0].reshape(horizon, worlds)
        advantage = _advantages(rewards, values, ended, following, settings)
        batch = [a.reshape(-1, *a.shape[2:]) for a in (seen, actions, means, advantage, advantage + values)]
        before = _log_probability(batch[1], batch[2], deviation)
        for _ in range(settings.epochs):
            for part in np.array_split(rng.permutation(len(before)), settings.parts):
                x, action, old_mean, gain, target = (a[part] for a in batch)
                gain = (gain - gain.mean()) / (gain.std() + 1e-8)
                layers, guess = actor.layers(x), critic.layers(x)
                mean, spread = layers[-1], np.exp(log_deviation)
                # The learning rate follows the change of the policy, so that neither a timid nor a wild one lasts.
                change = np.mean(np.sum(np.log(spread / deviation) - 0.5 + (
                    deviation**2 + (mean - old_mean) ** 2) / (2 * spread**2), axis=1))
                if change > 2 * settings.divergence:
                    rate = max(1e-5, rate / 1.5)
                elif change < settings.divergence / 2:
                    rate = min(1e-2, rate * 1.5)
                ratio = np.exp(_log_probability(action, mean, spread) - before[part])
                inside = np.where(gain > 0, ratio < 1 + settings.clip, ratio > 1 - settings.clip)
                # Slope of the loss in the logarithm of the probability; from there by the chain rule.
                slope = (-gain * ratio * inside / len(part)).astype(np.float32)[:, None]
                apart = (action - mean) / spread
                gradients = actor.gradients(layers, slope * apart / spread)
                gradients.append(np.sum(slope * (apart**2 - 1), axis=0) - np.float32(settings.entropy))
                error = ((guess[-1][:, 0] - target) / len(part)).astype(np.float32)[:, None]
                adam.step([*gradients, *critic.gradients(guess, error)], rate)
        scale.see(np.concatenate(raw))
        if report is not None:
            report((update + 1) / updates, {"reward": rewards.mean(), "spread": deviation.mean(), "rate": rate,
                                            **{name: float(np.mean(v)) for name, v in record.items()}})
    return Policy(scale, actor, np.exp(log_deviation))


class Progress:
    """A bar in the terminal, and the figures of all updates."""

    def __init__(self, shown):
        self.shown, self.start, self.figures = shown, time.perf_counter(), []

    def __call__(self, done, record):
        elapsed = time.perf_counter() - self.start
        self.figures.append({"seconds": elapsed, **record})
        text = "  ".join(f"{name} {record[name]:.2f}" for name in self.shown)
        line = f"[{'#' * round(30 * done):30}] {100 * done:3.0f} %  {_clock(elapsed)} of {_clock(elapsed / done)}  {text}"
        if sys.stderr.isatty():
            print(f"\r{line}", end="\n" if done >= 1 else "", file=sys.stderr, flush=True)
        elif len(self.figures) % 50 == 0 or done >= 1:
            print(line, file=sys.stderr, flush=True)


def _clock(seconds):
    return f"{int(seconds) // 60}:{int(seconds) % 60:02}"
