"""Laws of flexes and contacts, the solver by positions, and the way back to MuJoCo."""
import warnings

import numpy as np
import pytest

import corten.mujoco as corten

CLOTH = """<mujoco><option timestep=".001"/><worldbody>
  <flexcomp name="cloth" type="grid" count="4 4 1" spacing=".1 .1 .1" dim="2" mass=".2" radius=".01" {laws}>
    <contact selfcollide="none"/><elasticity young="2e4" poisson=".2" thickness=".005" elastic2d="both" damping=".005"/>
  </flexcomp></worldbody></mujoco>"""

EVERY = """<mujoco><option cortenforge:solver="xpbd" cortenforge:xpbd_substeps="3" integrator="implicitspringdamper"
    cortenforge:flex="implicit" cortenforge:coupling_iterations="2"/>
  <default><default class="soft"><geom cortenforge:stiffness="4000"/><pair cortenforge:dissipation=".1"/>
    <general gaintype="custom" cortenforge:gain_model="dc_motor" cortenforge:gain_params="1 1 .01"/></default></default><worldbody>
  <geom name="floor" type="plane" size="2 2 1" cortenforge:stiffness="5000" cortenforge:dissipation="1"/>
  <body name="a" pos="0 0 .2"><freejoint/><geom name="ball" size=".1"/></body>
  <flexcomp name="cloth" type="grid" count="4 4 1" spacing=".1 .1 .1" pos="1 0 1" dim="2" mass=".2" radius=".01"
    cortenforge:bending_model="bridson" cortenforge:elasticity_model="neo_hookean">
    <contact selfcollide="none"/><elasticity young="2e4" poisson=".2" thickness=".005" elastic2d="both"/></flexcomp>
  <cortenforge:deformable name="rope" type="chain" preset="rope" count="5" pos="3 0 1" end="3.2 0 1"/>
  <body name="b" pos="2 0 1"><joint name="b" axis="0 1 0"/><geom size=".1" class="soft"/></body>
  </worldbody><actuator><general joint="b" class="soft"/></actuator><contact><pair geom1="floor" geom2="ball" cortenforge:stiffness="100"/></contact></mujoco>"""


def fall(m, steps=100):
    d = corten.MjData(m)
    d.qpos[:] = 0.02 * np.sin(np.arange(m.nq))
    for _ in range(steps):
        corten.mj_step(m, d)
    assert np.isfinite(d.qpos).all()
    return np.array(d.qpos)


def test_laws_of_flexes_are_attributes_and_arrays():
    plain = corten.MjModel.from_xml_string(CLOTH.format(laws=""))
    laws = 'cortenforge:bending_model="bridson" cortenforge:elasticity_model="neo_hookean"'
    chosen = corten.MjModel.from_xml_string(CLOTH.format(laws=laws))
    assert (plain.flex_bending_model[0], plain.flex_elasticity_model[0]) == (0, 0)
    assert (chosen.flex_bending_model[0], chosen.flex_elasticity_model[0]) == (1, 1)
    np.testing.assert_array_equal(chosen.flex_material, [[2e4, .2, .005]])
    a, b = fall(plain), fall(chosen)
    assert np.abs(a - b).max() > 1e-6
    plain.flex_bending_model[:] = 1
    plain.flex_elasticity_model[:] = 1
    np.testing.assert_array_equal(fall(plain), b)


def test_laws_in_specs():
    spec = corten.MjSpec.from_string(CLOTH.format(laws=""))
    spec.flexes[0].bending_model = "bridson"
    spec.flexes[0].elasticity_model = "neo_hookean"
    m = spec.compile()
    assert (m.flex_bending_model[0], m.flex_elasticity_model[0]) == (1, 1)
    assert 'cortenforge:bending_model="bridson"' in spec.to_xml()
    spec.flexes[0].bending_model = "stiff"
    with pytest.raises(ValueError, match="cotangent, bridson"):
        spec.compile()


def test_the_solver_by_positions_and_soft_contacts():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        m = corten.MjModel.from_xml_string(EVERY)
    assert (m.opt.solver, m.opt.xpbd_substeps) == (101, 3)
    np.testing.assert_array_equal(m.geom_compliance[0], [5000, 1])
    d = corten.MjData(m)
    for _ in range(500):
        corten.mj_step(m, d)
        m.opt.solver = 2 if m.opt.solver == 101 else 101
    assert np.isfinite(d.qpos).all() and d.ncon > 0


def test_the_way_back_to_mujoco():
    mujoco = pytest.importorskip("mujoco")
    spec = corten.MjSpec.from_string(EVERY)
    with pytest.raises(ValueError):
        mujoco.MjModel.from_xml_string(spec.to_xml())
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        text = spec.to_xml(plain=True)
    told = [str(item.message) for item in told]
    for name in ("'xpbd'", "xpbd_substeps", "implicitspringdamper", "stiffness", "bending model", "elasticity model", "explicit",
                 "coupling_iterations", "'dc_motor'", "'rope'"):
        assert any(name in item for item in told), (name, told)
    assert any("'floor'" in item for item in told) and any("'cloth'" in item for item in told)
    assert "cortenforge" not in text
    want = mujoco.MjModel.from_xml_string(text)
    assert want.nflex == 1 and want.npair == 1 and want.nu == 1
    # Nothing to leave out, nothing to tell.
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        plain = corten.MjSpec.from_string(CLOTH.format(laws=""))
        assert plain.to_xml(plain=True) == plain.to_xml()


FOREIGN = """<extension><plugin plugin="someone.else"><instance name="i"><config key="q" value="1"/></instance></plugin></extension>"""
SWING = """<worldbody><geom type="plane" size="1 1 1"/><body pos="0 0 1"><joint name="j"/><geom size=".1"/></body>{}</worldbody>"""
ELASTIC = 'gaintype="custom" cortenforge:gain_model="series_elastic" cortenforge:gain_params="1 1 1"'


@pytest.mark.parametrize("content, told, sizes", [
    (f"""{SWING.format("")}<actuator><general joint="j" {ELASTIC}/><general joint="j" dyntype="integrator"/></actuator>
      <keyframe><key act=".5 .7" ctrl=".1 .2"/></keyframe>""", ["series_elastic", "activations"], (2, 1, 0, 1)),
    (f"""{SWING.format("")}<actuator><general joint="j" actdim="1" {ELASTIC}/></actuator>""", ["series_elastic"], (1, 0, 0, 0)),
    (f"""{SWING.format("")}<actuator><general joint="j" actdim="2" dyntype="filter" {ELASTIC}/></actuator>
      <keyframe><key name="k" act=".5 .7"/></keyframe>""", ["series_elastic", "'k'"], (1, 1, 0, 1)),
    (f"""{FOREIGN}{SWING.format("")}
      <actuator><motor joint="j"/><plugin name="p" joint="j" plugin="someone.else"/><motor name="m" joint="j"/></actuator>
      <sensor><actuatorfrc name="of p" actuator="p"/><actuatorfrc actuator="m"/><plugin plugin="someone.else"/></sensor>
      <custom><tuple name="both"><element objtype="actuator" objname="p"/><element objtype="actuator" objname="m"/></tuple>
        <tuple name="outer"><element objtype="tuple" objname="inner"/></tuple>
        <tuple name="inner"><element objtype="sensor" objname="of p"/></tuple></custom>
      <keyframe><key ctrl=".1 .2 .3"/></keyframe>""", ["'p'", "'of p'", "'both'", "'inner'", "'outer'"], (2, 0, 1, 1)),
    (FOREIGN + '<asset><mesh name="bead"><plugin instance="i"/></mesh></asset>'
     + SWING.format('<body><freejoint/><geom type="sdf" mesh="bead"><plugin instance="i"/></geom></body>'),
     ["'bead'", "cube"], (0, 0, 0, 0)),
], ids=["gain", "actdim", "gain_with_dynamics", "actuator", "shape"])
def test_the_way_back_leaves_nothing_dangling(content, told, sizes):
    """What refers to a lost extension goes along, or changes as far as MuJoCo needs it."""
    mujoco = pytest.importorskip("mujoco")
    spec = corten.MjSpec.from_string(f"<mujoco>{content}</mujoco>")
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        text = spec.to_xml(plain=True)
    found = [str(item.message) for item in found]
    for word in told:
        assert any(word in item for item in found), (word, found)
    model = mujoco.MjModel.from_xml_string(text)
    assert (model.nu, model.na, model.nsensor, model.nkey) == sizes
    if "'p'" in told:
        assert list(model.key_ctrl[0]) == [0.1, 0.3] and model.ntuple == 1
    mujoco.mj_step(model, mujoco.MjData(model))
