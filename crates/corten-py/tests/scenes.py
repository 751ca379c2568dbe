"""Small models that the tests share."""
import numpy as np
import pytest

import corten.mujoco as corten

# One of everything that is named.
EVERYTHING = """
<mujoco model="everything">
  <option timestep="0.004"/>
  <size nuserdata="3" nuser_body="2"/>
  <custom>
    <numeric name="numbers" data="1 2"/>
    <text name="words" data="abc"/>
    <tuple name="pairs"><element objtype="body" objname="free" prm="1"/></tuple>
  </custom>
  <asset>
    <texture name="tex" type="2d" builtin="checker" width="4" height="4" rgb1="1 0 0" rgb2="0 1 0"/>
    <material name="mat" texture="tex"/>
    <mesh name="tetra" vertex="0 0 0 .3 0 0 0 .2 0 .1 .1 .4"/>
    <hfield name="hills" nrow="2" ncol="3" size="1 1 1 1" elevation="0 1 0 1 0 1"/>
  </asset>
  <worldbody>
    <light name="lamp" pos="0 0 3"/>
    <camera name="eye" pos="0 -3 1"/>
    <geom name="floor" type="plane" size="5 5 .1"/>
    <body name="free" pos="0 0 .3">
      <freejoint name="root"/>
      <geom name="box" type="box" size=".1 .2 .3" material="mat"/>
      <site name="corner" pos=".1 .2 .3"/>
      <body name="arm" pos="0 0 .4" gravcomp=".5">
        <joint name="ball" type="ball" damping=".1"/>
        <geom name="upper" type="capsule" size=".05 .1"/>
        <body name="hand" pos="0 0 .3">
          <joint name="hinge" axis="0 1 0" range="-1 1" limited="true"/>
          <geom name="lower" type="ellipsoid" size=".05 .06 .1"/>
          <geom name="tip" type="mesh" mesh="tetra" contype="0" conaffinity="0"/>
        </body>
      </body>
    </body>
    <body name="slider" pos="2 0 1">
      <joint name="slide" type="slide" axis="1 0 0" stiffness="3"/>
      <geom name="ballast" size=".1"/>
    </body>
    <body name="handle" mocap="true" pos="-2 0 1"><geom name="grip" size=".1" contype="0" conaffinity="0"/></body>
  </worldbody>
  <contact>
    <pair name="special" geom1="box" geom2="ballast"/>
    <exclude name="apart" body1="arm" body2="slider"/>
  </contact>
  <equality><joint name="coupled" joint1="hinge" joint2="slide" active="false"/></equality>
  <tendon><fixed name="cord" range="-1 1" limited="true"><joint joint="hinge" coef="1"/><joint joint="slide" coef="-2"/></fixed></tendon>
  <actuator>
    <motor name="motor" joint="hinge" ctrlrange="-1 1" ctrllimited="true"/>
    <position name="servo" joint="slide" kp="10"/>
    <general name="filter" tendon="cord" dyntype="filter" dynprm=".1"/>
  </actuator>
  <sensor><jointpos name="angle" joint="hinge"/><framepos name="place" objtype="site" objname="corner"/></sensor>
  <keyframe><key name="home" time="1"/><key name="away" qvel="1 0 0 0 0 0 0 0 0 0 0"/></keyframe>
</mujoco>
"""

PENDULUM = """
<mujoco>
  <worldbody>
    <body name="pole"><joint name="hinge" axis="0 1 0"/><geom name="rod" type="capsule" size=".02" fromto="0 0 0 0 0 -.5"/></body>
  </worldbody>
</mujoco>
"""


def load(xml):
    return corten.MjModel.from_xml_string(xml)


def reference(xml):
    """The same model in MuJoCo."""
    mujoco = pytest.importorskip("mujoco")
    return mujoco.MjModel.from_xml_string(xml)


def shake(mj, m, d, seed=0):
    """The same random state in either package."""
    rng = np.random.default_rng(seed)
    d.qvel[:] = 0.3 * rng.standard_normal(m.nv)
    d.ctrl[:] = rng.uniform(-1, 1, m.nu)
    d.qpos[:] = d.qpos + 0.05 * rng.standard_normal(m.nq)
    mj.mj_normalizeQuat(m, d.qpos)
