"""Models of strangers that once differed from MuJoCo, the smallest that still would, each with what decides it.

Those in which MuJoCo is undefined, refuses by mistake or depends on rounding have a row in docs/compatibility.md.
"""
import pathlib
import subprocess
import sys

import mujoco
import numpy as np
import pytest

import corten.mujoco as corten

HERE = pathlib.Path(__file__).resolve().parent
FARM = HERE.parents[2] / "tools" / "farm"
BOTH = [mujoco, corten]


def load(mj, text, assets=None):
    return mj.MjModel.from_xml_string(text, assets or {})


def both(text, assets=None):
    return [(mj, m, mj.MjData(m)) for mj in BOTH for m in [load(mj, text, assets)]]


def error(a, b):
    return np.max(np.abs(np.asarray(a) - b)) / max(1, np.max(np.abs(a)))


@pytest.mark.parametrize("named, tendons", [("<geom name='g20' type='cylinder' size='.1 .1'/>", 1), ("<geom name='g20' type='box' size='.1 .1 .1'/>", 1),
                                            ("<site name='a0'/>", 2)])
def test_copied_tendons_around_a_geom(named, tendons):
    """Copies look for the names of their parts with the suffix of the copy, but not for geoms that they wrap."""
    text = f"""<mujoco><worldbody><geom name="g2" type="cylinder" size=".1 .1"/>{named}<site name="a" pos="1 0 0"/><site name="b" pos="0 1 0"/>
      <replicate count="1"><body><freejoint/><geom size=".1"/></body></replicate></worldbody>
      <tendon><spatial name="t"><site site="a"/><geom geom="g2"/><site site="b"/></spatial></tendon></mujoco>"""
    assert [m.ntendon for _, m, _ in both(text)] == [tendons, tendons]


@pytest.mark.parametrize("name", ["noslip", "reset"])
def test_judged(name):
    """By the farm: noslip after Runge-Kutta's stages, which begins with the forces of every row of balls in one place; and the dual solver after an
    automatic reset, from the state that the reset leaves."""
    done = subprocess.run([sys.executable, str(FARM), "judge", str(HERE / "findings" / f"{name}.xml")], capture_output=True, text=True, timeout=300)
    assert done.stdout.split("\n")[0] in ("equal", "undetermined"), done.stdout[:2000] + done.stderr[-1000:]


def test_unused_points_of_paths_are_zero():
    text = """<mujoco><worldbody><geom name="g" size=".1"/><site name="a" pos=".3 0 0"/><body pos="0 0 .5"><joint axis="0 1 0"/><geom size=".05"/>
      <site name="b" pos=".3 0 0"/></body></worldbody><tendon><spatial><site site="a"/><geom geom="g"/><site site="b"/></spatial></tendon></mujoco>"""
    (a, m, d), (b, n, e) = both(text)
    a.mj_forward(m, d)
    b.mj_forward(n, e)
    used = int(d.ten_wrapnum.sum())
    assert used == e.ten_wrapnum.sum() < d.wrap_xpos.size // 3
    assert np.array_equal(d.wrap_obj, e.wrap_obj) and not e.wrap_xpos.reshape(-1, 3)[used:].any()


def test_a_cable_of_three_points():
    text = """<mujoco><worldbody><composite type="cable" curve="s" count="3 1 1" size="1" initial="free"><geom type="capsule" size=".01"/></composite>
      </worldbody></mujoco>"""
    with pytest.raises(ValueError, match="bodypair"):
        load(mujoco, text)
    assert load(corten, text).nbody == 3


def test_singular_inertia_stays_in_its_tree():
    """Two hinges with one axis; elsewhere, a spring given by its time constant, which MuJoCo makes 4e15."""
    singular = """<body pos="0 0 .1"><joint axis="0 1 0"/><joint axis="0 1 0"/><geom size=".11"/></body>"""
    text = """<mujoco><worldbody><geom type="plane" size="1 1 1"/><body pos="1 0 1"><joint springdamper=".5 1"/>
      <geom type="capsule" size=".02" fromto="0 0 0 .3 0 0"/></body>{}</worldbody></mujoco>"""
    alone, m = load(corten, text.format("")), load(corten, text.format(singular))
    assert m.jnt_stiffness[0] == alone.jnt_stiffness[0] and np.array_equal(m.body_invweight0[1], alone.body_invweight0[1])
    d = corten.MjData(m)
    corten.mj_forward(m, d)
    assert d.nefc and np.all(np.isfinite(d.efc_diagApprox))


def test_runge_kutta_with_discrete_inverse():
    text = """<mujoco><option integrator="RK4"><flag invdiscrete="enable"/></option><worldbody><body><joint axis="0 1 0"/><geom size=".1" pos=".2 0 0"/></body>
      </worldbody></mujoco>"""
    (a, m, d), (b, n, e) = both(text)
    for mj, x, y in ((a, m, d), (b, n, e)):
        mj.mj_forward(x, y)
    with pytest.raises(mujoco.FatalError, match="RK4"):
        a.mj_inverse(m, d)
    b.mj_inverse(n, e)
    assert np.allclose(e.qfrc_inverse, 0, atol=1e-12)


@pytest.mark.parametrize("text", [
    '<mujoco><worldbody><camera name="C"/><replicate count="2"><camera name="C"/></replicate></worldbody></mujoco>',
    "<mujoco><worldbody><?x?></worldbody></mujoco>",
    '<mujoco><worldbody><geom size=".1" class=""/></worldbody></mujoco>',
])
def test_both_refuse(text):
    for mj in BOTH:
        with pytest.raises(ValueError):
            load(mj, text)


@pytest.mark.parametrize("text", [
    '<mujoco><worldbody><replicate count="2"><camera name="C"/></replicate><camera name="C"/></worldbody></mujoco>',
    '<mujoco><worldbody><body pos="&#0;"/></worldbody></mujoco>',
])
def test_both_accept(text):
    (_, m, _), (_, n, _) = both(text)
    assert (m.nbody, m.ncam) == (n.nbody, n.ncam) and np.array_equal(m.body_pos, n.body_pos)


def test_tendon_of_a_rigid_body():
    """Its length never changes. In the dense form MuJoCo keeps what rounding leaves of its Jacobian, and a row of it; here there is none."""
    text = """<mujoco><option jacobian="dense"/><worldbody><body><joint type="ball"/><geom size=".1" pos=".1 .2 .3"/><site name="a" pos=".018 -.117 .101"/>
      <body pos=".063 .219 .159"><geom size=".1"/><site name="b" pos=".088 .189 -.057"/></body></body></worldbody>
      <tendon><spatial frictionloss=".06"><site site="a"/><site site="b"/></spatial></tendon></mujoco>"""
    (a, m, d), (b, n, e) = both(text)
    for x in (d, e):
        x.qpos[:] = [0.8, 0.36, 0.48, 0]
    a.mj_forward(m, d)
    b.mj_forward(n, e)
    assert d.nefc == 0 or np.max(np.abs(d.efc_J)) < 1e-15
    assert e.nefc == 0 and error(d.qacc, e.qacc) < 1e-12
