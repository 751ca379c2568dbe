"""Fluid forces and `qDeriv` against MuJoCo: single bodies of every shape, with wind, in chains, over time."""
import numpy as np
import pytest

import corten.mujoco as corten

mujoco = pytest.importorskip("mujoco")

FLAT = '<geom type="ellipsoid" size="0.1 0.05 0.02" mass="1" fluidshape="ellipsoid"/>'
OFFSET = FLAT.replace("/>", ' pos=".1 0 .1"/>')
SPHERE = '<geom type="sphere" size="0.1" mass="1"/>'
BOX = '<geom type="box" size="0.1 0.05 0.025" mass="1"/>'
AIR, MIXED = 'density="1.2" viscosity="0"', 'density="1.2" viscosity="0.001"'


def free(option, geoms, pose="", default=""):
    return f"""<mujoco><option {option}/>{default}<worldbody><body pos="0 0 1" {pose}><freejoint/>{geoms}</body></worldbody></mujoco>"""


MODELS = {
    "box model, quadratic drag": free(AIR, SPHERE),
    "box model, viscous": free('density="0" viscosity="1"', '<geom type="sphere" size="0.01" mass="0.001"/>'),
    "box model, wind": free(AIR + ' wind="5 0 0"', BOX),
    "box model, oblique wind": free(AIR + ' wind="3 4 0"', BOX),
    "box model, two capsules": free(MIXED, '<geom type="capsule" size="0.05 0.15" mass="0.5" pos="-0.1 0 0"/>'
                                    '<geom type="capsule" size="0.05 0.15" mass="0.5" pos="0.1 0 0"/>'),
    "box model, offset": free(MIXED, '<geom type="box" size="0.1 0.05 0.025" mass="1" pos="0.1 0.05 0"/>'),
    "box model, rotation": free(MIXED, BOX),
    "no fluid": free("", SPHERE),
    "ball": free(AIR, '<geom type="sphere" size="0.1" mass="1" fluidshape="ellipsoid"/>'),
    "flat": free(AIR, FLAT),
    "flat, own coefficients": free(MIXED, FLAT.replace("/>", ' fluidcoef="1.0 0.5 2.0 0.0 0.0"/>')),
    "flat, viscous and quadratic": free(MIXED, FLAT),
    "flat, viscous": free('density="0" viscosity="1"', FLAT),
    "flat, wind": free(AIR + ' wind="3 0 0"', FLAT),
    "flat, rotated": free(MIXED, FLAT, pose='quat="0.707 0 0.707 0"'),
    "flat, offset": free(MIXED, FLAT.replace("/>", ' pos="1 0.5 0"/>')),
    "oblate": free(AIR, '<geom type="ellipsoid" size="0.1 0.1 0.03" mass="1" fluidshape="ellipsoid"/>'),
    "cylinder": free(AIR, '<geom type="cylinder" size="0.05 0.15" mass="1" fluidshape="ellipsoid"/>'),
    "capsule": free(AIR, '<geom type="capsule" size="0.05 0.15" mass="1" fluidshape="ellipsoid"/>'),
    "box as ellipsoid": free(MIXED, BOX.replace("/>", ' fluidshape="ellipsoid"/>')),
    "mixed geoms": free(AIR, '<geom type="sphere" size="0.05" mass="0.5"/>' + FLAT.replace("/>", ' pos="0.2 0 0"/>')),
    "two ellipsoids": free(AIR, '<geom type="ellipsoid" size="0.1 0.05 0.02" mass="0.5" fluidshape="ellipsoid" pos="-0.15 0 0"/>'
                           '<geom type="ellipsoid" size="0.08 0.04 0.03" mass="0.5" fluidshape="ellipsoid" pos="0.15 0 0"/>'),
    "shape by default": free(AIR, SPHERE, default='<default><geom fluidshape="ellipsoid"/></default>'),
    "coefficients by default": free(MIXED, '<geom type="ellipsoid" size="0.1 0.05 0.02" mass="1"/>',
                                    default='<default><geom fluidshape="ellipsoid" fluidcoef="1.0 0.5 2.0 0.5 0.5"/></default>'),
    "coefficients without shape": free(AIR, SPHERE.replace("/>", ' fluidcoef="1.0 0.5 2.0 0.5 0.5"/>')),
    "some coefficients": free(AIR, FLAT.replace("/>", ' fluidcoef="0.7 0.6"/>')),
    "two bodies": f"""<mujoco><option {AIR}/><worldbody><body pos="0 0 1"><freejoint/>{BOX}</body>
        <body pos="1 0 1"><freejoint/>{FLAT}</body></worldbody></mujoco>""",
    "hinge": f'<mujoco><option {AIR}/><worldbody><body><joint axis="0 1 0"/><geom type="box" size=".2 .05 .1" pos=".2 0 0"/></body></worldbody></mujoco>',
    "ball joint": f'<mujoco><option {MIXED}/><worldbody><body><joint type="ball"/>{OFFSET}</body></worldbody></mujoco>',
    "chain": """<mujoco><option density="1000" viscosity="0.001"/><worldbody><body><joint axis="0 1 0"/><geom type="capsule" size=".03 .1"/>
        <body pos="0 0 .25"><joint axis="1 0 0"/><geom type="capsule" size=".03 .1" fluidshape="ellipsoid"/>
        <body pos="0 0 .25"><joint axis="0 1 0"/><geom type="box" size=".03 .05 .1"/></body></body></body></worldbody></mujoco>""",
}

# Linear and angular velocity of a free joint, repeated or cut to the model's dofs.
VELOCITIES = [[0, 0, 0, 0, 0, 0], [0, 0, -1, 0, 0, 0], [0, 0, 0, 0, 0, -1], [1, 0, 0, 0, 0, 0], [0, 0, 0, 1, 0, 0], [1, 0, 0, 0, 0, 10],
              [0, 0, 10, 1, 0, 0], [1, 0.5, 0, 0, 0, 0], [0, 0, 0, 1, 0.5, 0], [0, 0, -1, 5, 0, 0], [5, 0, 0, 0, 0, -1], [1, 0.5, 0, 5, 0, 0],
              [5, 0, 0, 1, 0.5, 0], [1, 0.5, -1, 0, 0, 0], [0, 0, 0, 10, 5, 3], [10, 5, 3, 0, 0, 0], [0, 0, -1, 10, 5, 3], [10, 5, 3, 0, 0, -1],
              [1.2, -0.7, 0.3, 0.5, -1.1, 0.8]]


def error(a, b):
    return np.abs(np.asarray(a) - np.asarray(b)).max(initial=0)


@pytest.fixture(params=MODELS, scope="module")
def models(request):
    xml = MODELS[request.param]
    return mujoco.MjModel.from_xml_string(xml), corten.MjModel.from_xml_string(xml)


@pytest.mark.parametrize("velocity", VELOCITIES)
def test_forces_and_derivatives(models, velocity):
    for integrator in (2, 3):
        results = []
        for mj, m in zip((mujoco, corten), models):
            m.opt.integrator = integrator
            d = mj.MjData(m)
            d.qvel[:] = np.resize(velocity, m.nv)
            mj.mj_forward(m, d)
            force = np.array(d.qfrc_fluid)
            mj.mj_implicit(m, d)
            results.append((force, np.array(d.qDeriv), np.array(m.geom_fluid)))
        (f, D, fluid), (g, E, coefficients) = results
        scale = max(1, np.abs(f).max(initial=0))
        assert error(f, g) < 1e-10 * scale
        assert error(D, E) < 1e-10 * max(1, np.abs(D).max(initial=0))
        assert error(fluid, coefficients) < 1e-12


def test_trajectories(models):
    data = []
    for mj, m in zip((mujoco, corten), models):
        m.opt.integrator = 0
        d = mj.MjData(m)
        d.qvel[:] = np.resize([1.2, -0.7, 0.3, 0.5, -1.1, 0.8], m.nv)
        data.append((mj, m, d))
    for _ in range(50):
        for mj, m, d in data:
            mj.mj_step(m, d)
        assert error(data[0][2].qfrc_fluid, data[1][2].qfrc_fluid) < 1e-10 * max(1, np.abs(data[0][2].qfrc_fluid).max(initial=0))


def test_a_fluid_needs_springs_or_dampers():
    """MuJoCo leaves out all passive forces if both are disabled."""
    for flags, present in ((32, True), (64, True), (96, False)):
        for mj in (mujoco, corten):
            m = mj.MjModel.from_xml_string(free(AIR, SPHERE))
            m.opt.disableflags = flags
            d = mj.MjData(m)
            d.qvel[:] = 1
            mj.mj_forward(m, d)
            assert np.any(d.qfrc_fluid) == present
