"""The MuJoCo tasks of Gymnasium, version 5, for all worlds at once.

Formulas and constants are those of Gymnasium's environments; models are the files of the installed package.
"""
import os

import gymnasium
import numpy as np

from ._task import Task


class _Classic(Task):
    """A task of Gymnasium: its model, and whether the place of the root is left out of observations."""

    xml_file = ""
    exclude_current_positions_from_observation = True
    # Leading coordinates that say where the robot is.
    _place = 0
    # Whether velocities start from normal, not uniform noise.
    _normal = False

    def load(self):
        name = os.fspath(self.xml_file)
        if not os.path.dirname(name):
            # Found as a file: the module beside it wants packages that draw.
            name = os.path.join(os.path.dirname(gymnasium.__file__), "envs", "mujoco", "assets", name)
        self.model = name
        return super().load()

    def begin(self, model):
        self._qpos0 = np.array(model.qpos0)
        self._dt = model.opt.timestep * self.frame_skip

    def initial(self, model, rng):
        noise = self.reset_noise_scale
        qpos = model.qpos0 + rng.uniform(low=-noise, high=noise, size=model.nq)
        if self._normal:
            return qpos, noise * rng.standard_normal(model.nv)
        return qpos, rng.uniform(low=-noise, high=noise, size=model.nv)

    def _positions(self, b):
        return b.qpos[:, self._place:] if self.exclude_current_positions_from_observation else b.qpos

    def observe(self, b):
        return np.hstack([self._positions(b), b.qvel])


def _squares(values):
    """The sum of squares in each world."""
    flat = values.reshape(len(values), -1)
    return np.einsum("ij,ij->i", flat, flat)


def _within(values, limits):
    return (limits[0] < values) & (values < limits[1])


def _travel(b, dimensions=2):
    """Where robots are: x, y and the distance from the origin."""
    info = {"x_position": b.qpos[:, 0].copy()}
    if dimensions > 1:
        info |= {"y_position": b.qpos[:, 1].copy(), "distance_from_origin": np.linalg.norm(b.qpos[:, :2], axis=1)}
    return info


class HalfCheetah(_Classic):
    """Runs forward."""

    xml_file, frame_skip, reset_noise_scale, _place, _normal = "half_cheetah.xml", 5, 0.1, 1, True
    forward_reward_weight, ctrl_cost_weight = 1.0, 0.1

    def before(self, b):
        return b.qpos[:, 0].copy()

    def outcome(self, b, before, action):
        velocity = (b.qpos[:, 0] - before) / self._dt
        forward, cost = self.forward_reward_weight * velocity, self.ctrl_cost_weight * _squares(action)
        info = {**self.reset_info(b), "x_velocity": velocity, "reward_forward": forward, "reward_ctrl": -cost}
        return forward - cost, np.zeros(len(b), bool), info

    def reset_info(self, b):
        return _travel(b, 1)


class Swimmer(_Classic):
    """Swims forward."""

    xml_file, frame_skip, reset_noise_scale, _place = "swimmer.xml", 4, 0.1, 2
    forward_reward_weight, ctrl_cost_weight = 1.0, 1e-4

    def before(self, b):
        return b.qpos[:, :2].copy()

    def outcome(self, b, before, action):
        velocity = (b.qpos[:, :2] - before) / self._dt
        forward, cost = self.forward_reward_weight * velocity[:, 0], self.ctrl_cost_weight * _squares(action)
        info = {**self.reset_info(b), "x_velocity": velocity[:, 0], "y_velocity": velocity[:, 1],
                "reward_forward": forward, "reward_ctrl": -cost}
        return forward - cost, np.zeros(len(b), bool), info

    def reset_info(self, b):
        return _travel(b)


class _Walker(_Classic):
    """Hops or walks forward in a plane, and must not fall."""

    frame_skip, reset_noise_scale, _place = 4, 5e-3, 1
    forward_reward_weight, ctrl_cost_weight, healthy_reward, terminate_when_unhealthy = 1.0, 1e-3, 1.0, True
    healthy_z_range = (0.8, 2.0)
    healthy_angle_range = (-1.0, 1.0)

    def before(self, b):
        return b.qpos[:, 0].copy()

    def observe(self, b):
        return np.hstack([self._positions(b), np.clip(b.qvel, -10, 10)])

    def healthy(self, b):
        return _within(b.qpos[:, 1], self.healthy_z_range) & _within(b.qpos[:, 2], self.healthy_angle_range)

    def outcome(self, b, before, action):
        velocity, healthy = (b.qpos[:, 0] - before) / self._dt, self.healthy(b)
        forward, alive = self.forward_reward_weight * velocity, healthy * self.healthy_reward
        cost = self.ctrl_cost_weight * _squares(action)
        info = {**self.reset_info(b), "x_velocity": velocity, "reward_forward": forward, "reward_ctrl": -cost,
                "reward_survive": alive}
        return forward + alive - cost, ~healthy & self.terminate_when_unhealthy, info

    def reset_info(self, b):
        return {**_travel(b, 1), "z_distance_from_origin": b.qpos[:, 1] - self._qpos0[1]}


class Walker2d(_Walker):
    """Walks forward."""

    xml_file = "walker2d_v5.xml"


class Hopper(_Walker):
    """Hops forward."""

    xml_file, healthy_z_range, healthy_angle_range = "hopper.xml", (0.7, float("inf")), (-0.2, 0.2)
    healthy_state_range = (-100.0, 100.0)

    def healthy(self, b):
        state = np.hstack([b.qpos[:, 2:], b.qvel])
        return super().healthy(b) & np.all(_within(state, self.healthy_state_range), axis=1)


class Ant(_Classic):
    """Runs forward on four legs."""

    xml_file, frame_skip, reset_noise_scale, _place, _normal = "ant.xml", 5, 0.1, 2, True
    outputs = ("xpos", "cfrc_ext")
    forward_reward_weight, ctrl_cost_weight, contact_cost_weight, healthy_reward = 1.0, 0.5, 5e-4, 1.0
    terminate_when_unhealthy, main_body = True, 1
    healthy_z_range, contact_force_range = (0.2, 1.0), (-1.0, 1.0)
    include_cfrc_ext_in_observation = True

    def begin(self, model):
        super().begin(model)
        self._body = model.body(self.main_body).id

    def started(self, b, worlds):
        # Before the first step nobody has computed them.
        b.cfrc_ext[worlds] = 0.0

    def before(self, b):
        return b.xpos[:, self._body, :2].copy()

    def _forces(self, b):
        low, high = self.contact_force_range
        # As `np.clip`, which takes several times as long for arrays of this size.
        return np.minimum(np.maximum(b.cfrc_ext, low), high)

    def observe(self, b):
        parts = [self._positions(b), b.qvel]
        if self.include_cfrc_ext_in_observation:
            parts.append(self._forces(b)[:, 1:].reshape(len(b), -1))
        return np.hstack(parts)

    def outcome(self, b, before, action):
        velocity = (b.xpos[:, self._body, :2] - before) / self._dt
        low, high = self.healthy_z_range
        healthy = np.isfinite(b.qpos).all(axis=1) & np.isfinite(b.qvel).all(axis=1)
        healthy &= (low <= b.qpos[:, 2]) & (b.qpos[:, 2] <= high)
        forward, alive = velocity[:, 0] * self.forward_reward_weight, healthy * self.healthy_reward
        control, contact = self.ctrl_cost_weight * _squares(action), self.contact_cost_weight * _squares(self._forces(b))
        info = {**self.reset_info(b), "x_velocity": velocity[:, 0], "y_velocity": velocity[:, 1],
                "reward_forward": forward, "reward_ctrl": -control, "reward_contact": -contact, "reward_survive": alive}
        return forward + alive - (control + contact), ~healthy & self.terminate_when_unhealthy, info

    def reset_info(self, b):
        return _travel(b)


class _Humanoid(_Classic):
    """Observations of both humanoids."""

    frame_skip, reset_noise_scale, _place = 5, 1e-2, 2
    outputs = ("xipos", "cinert", "cvel", "qfrc_actuator", "cfrc_ext", "ten_length", "ten_velocity")
    ctrl_cost_weight = 0.1
    include_cinert_in_observation = include_cvel_in_observation = True
    include_qfrc_actuator_in_observation = include_cfrc_ext_in_observation = True

    def begin(self, model):
        super().begin(model)
        self._mass, self._timestep = np.array(model.body_mass), model.opt.timestep

    def started(self, b, worlds):
        b.cfrc_ext[worlds] = 0.0

    def observe(self, b):
        n, parts = len(b), [self._positions(b), b.qvel]
        if self.include_cinert_in_observation:
            parts.append(b.cinert[:, 1:].reshape(n, -1))
        if self.include_cvel_in_observation:
            parts.append(b.cvel[:, 1:].reshape(n, -1))
        if self.include_qfrc_actuator_in_observation:
            parts.append(b.qfrc_actuator[:, 6:])
        if self.include_cfrc_ext_in_observation:
            parts.append(b.cfrc_ext[:, 1:].reshape(n, -1))
        return np.hstack(parts)

    def _tendons(self, b):
        return {"tendon_length": b.ten_length.copy(), "tendon_velocity": b.ten_velocity.copy()}


class Humanoid(_Humanoid):
    """Walks forward and must not fall."""

    xml_file = "humanoid.xml"
    forward_reward_weight, contact_cost_weight, healthy_reward, terminate_when_unhealthy = 1.25, 5e-7, 5.0, True
    contact_cost_range, healthy_z_range = (-np.inf, 10.0), (1.0, 2.0)

    def before(self, b):
        return np.einsum("b,nbj->nj", self._mass, b.xipos)[:, :2] / self._mass.sum()

    def outcome(self, b, before, action):
        velocity = (self.before(b) - before) / self._dt
        healthy = _within(b.qpos[:, 2], self.healthy_z_range)
        forward, alive = self.forward_reward_weight * velocity[:, 0], healthy * self.healthy_reward
        control = self.ctrl_cost_weight * _squares(b.ctrl)
        contact = np.clip(self.contact_cost_weight * _squares(b.cfrc_ext), *self.contact_cost_range)
        info = {**self.reset_info(b), "x_velocity": velocity[:, 0], "y_velocity": velocity[:, 1],
                "reward_survive": alive, "reward_forward": forward, "reward_ctrl": -control, "reward_contact": -contact}
        return forward + alive - (control + contact), ~healthy & self.terminate_when_unhealthy, info

    def reset_info(self, b):
        return {**_travel(b), **self._tendons(b)}


class HumanoidStandup(_Humanoid):
    """Stands up."""

    xml_file = "humanoidstandup.xml"
    uph_cost_weight, impact_cost_weight, impact_cost_range = 1.0, 0.5e-6, (-np.inf, 10.0)

    def outcome(self, b, before, action):
        up = b.qpos[:, 2] / self._timestep
        control = self.ctrl_cost_weight * _squares(b.ctrl)
        impact = np.clip(self.impact_cost_weight * _squares(b.cfrc_ext), *self.impact_cost_range)
        info = {**self.reset_info(b), "reward_linup": up, "reward_quadctrl": -control, "reward_impact": -impact}
        return self.uph_cost_weight * up + 1 - control - impact, np.zeros(len(b), bool), info

    def reset_info(self, b):
        place = {"x_position": b.qpos[:, 0].copy(), "y_position": b.qpos[:, 1].copy(),
                 "z_distance_from_origin": b.qpos[:, 2] - self._qpos0[2]}
        return {**place, **self._tendons(b)}


class InvertedPendulum(_Classic):
    """Balances a pole on a cart."""

    xml_file, frame_skip, reset_noise_scale = "inverted_pendulum.xml", 2, 0.01

    def outcome(self, b, before, action):
        finite = np.isfinite(b.qpos).all(axis=1) & np.isfinite(b.qvel).all(axis=1)
        ended = ~finite | (np.abs(b.qpos[:, 1]) > 0.2)
        reward = (~ended).astype(float)
        return reward, ended, {"reward_survive": reward.astype(int)}


class InvertedDoublePendulum(_Classic):
    """Balances two poles on a cart."""

    xml_file, frame_skip, reset_noise_scale, _normal = "inverted_double_pendulum.xml", 5, 0.1, True
    outputs, healthy_reward = ("site_xpos", "qfrc_constraint"), 10.0

    def observe(self, b):
        angles = b.qpos[:, 1:]
        return np.hstack([b.qpos[:, :1], np.sin(angles), np.cos(angles), np.clip(b.qvel, -10, 10),
                          np.clip(b.qfrc_constraint[:, :1], -10, 10)])

    def outcome(self, b, before, action):
        x, _, y = b.site_xpos[:, 0].T
        ended = y <= 1
        distance, speed = 0.01 * x**2 + (y - 2) ** 2, 1e-3 * b.qvel[:, 1] ** 2 + 5e-3 * b.qvel[:, 2] ** 2
        alive = self.healthy_reward * ~ended
        info = {"reward_survive": alive, "distance_penalty": -distance, "velocity_penalty": -speed}
        return alive - distance - speed, ended, info


class Reacher(_Classic):
    """Brings a fingertip to a target."""

    xml_file, frame_skip, outputs = "reacher.xml", 2, ("xpos",)
    reward_dist_weight, reward_control_weight = 1.0, 1.0

    def begin(self, model):
        super().begin(model)
        self._tip, self._target = model.body("fingertip").id, model.body("target").id

    def initial(self, model, rng):
        qpos = rng.uniform(low=-0.1, high=0.1, size=model.nq) + model.qpos0
        goal = rng.uniform(low=-0.2, high=0.2, size=2)
        while np.linalg.norm(goal) >= 0.2:
            goal = rng.uniform(low=-0.2, high=0.2, size=2)
        qvel = rng.uniform(low=-0.005, high=0.005, size=model.nv)
        qpos[-2:], qvel[-2:] = goal, 0.0
        return qpos, qvel

    def observe(self, b):
        angles = b.qpos[:, :2]
        return np.hstack([np.cos(angles), np.sin(angles), b.qpos[:, 2:], b.qvel[:, :2],
                          (b.xpos[:, self._tip] - b.xpos[:, self._target])[:, :2]])

    def outcome(self, b, before, action):
        distance = -np.linalg.norm(b.xpos[:, self._tip] - b.xpos[:, self._target], axis=1) * self.reward_dist_weight
        control = -_squares(action) * self.reward_control_weight
        return distance + control, np.zeros(len(b), bool), {"reward_dist": distance, "reward_ctrl": control}


class Pusher(_Classic):
    """Pushes an object to a goal."""

    xml_file, frame_skip, outputs = "pusher_v5.xml", 5, ("xpos",)
    reward_near_weight, reward_dist_weight, reward_control_weight = 0.5, 1.0, 0.1

    def begin(self, model):
        super().begin(model)
        self._bodies = [model.body(name).id for name in ("tips_arm", "object", "goal")]

    def initial(self, model, rng):
        qpos = np.array(model.qpos0)
        while True:
            place = np.concatenate([rng.uniform(low=-0.3, high=0, size=1), rng.uniform(low=-0.2, high=0.2, size=1)])
            if np.linalg.norm(place) > 0.17:
                break
        qvel = rng.uniform(low=-0.005, high=0.005, size=model.nv)
        qpos[-4:-2], qpos[-2:], qvel[-4:] = place, 0.0, 0.0
        return qpos, qvel

    def observe(self, b):
        return np.hstack([b.qpos[:, :7], b.qvel[:, :7], b.xpos[:, self._bodies].reshape(len(b), -1)])

    def outcome(self, b, before, action):
        tip, thing, goal = (b.xpos[:, body] for body in self._bodies)
        near = -np.linalg.norm(thing - tip, axis=1) * self.reward_near_weight
        distance = -np.linalg.norm(thing - goal, axis=1) * self.reward_dist_weight
        control = -_squares(action) * self.reward_control_weight
        info = {"reward_dist": distance, "reward_ctrl": control, "reward_near": near}
        return distance + control + near, np.zeros(len(b), bool), info


# Tasks and their numbers of steps, by Gymnasium's names.
CLASSIC = {
    "Ant-v5": (Ant, 1000), "HalfCheetah-v5": (HalfCheetah, 1000), "Hopper-v5": (Hopper, 1000),
    "Humanoid-v5": (Humanoid, 1000), "HumanoidStandup-v5": (HumanoidStandup, 1000),
    "InvertedDoublePendulum-v5": (InvertedDoublePendulum, 1000), "InvertedPendulum-v5": (InvertedPendulum, 1000),
    "Pusher-v5": (Pusher, 100), "Reacher-v5": (Reacher, 50), "Swimmer-v5": (Swimmer, 1000), "Walker2d-v5": (Walker2d, 1000),
}
