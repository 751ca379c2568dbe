#!/usr/bin/env python3
"""Flexes by MuJoCo 3.4.0, for the models in crates/corten-sim/tests/flex and next to them: every array of the compiled model
(`NAME.cfa`), and what happens without contacts (`NAME.run.cfa`): results of `mj_forward` and `mj_inverse` in a few states, and the end of a
short simulation with each integrator.

    tools/golden_flex.py
"""
import mujoco
import numpy as np

import golden

OUTPUTS = """flexvert_xpos flexelem_aabb bvh_aabb_dyn flexedge_J_rownnz flexedge_J_rowadr flexedge_length flexedge_velocity
qfrc_spring qfrc_damper qfrc_passive qacc_smooth energy efc_type efc_id efc_pos efc_diagApprox efc_KBIP efc_R efc_vel efc_aref
qfrc_constraint qacc""".split()
ISLANDS = "dof_island efc_island island_nv island_nefc".split()
STEPS, TIMESTEP, INTEGRATORS = 20, 1e-5, 4


def edge_rows(m, d):
    """The edge Jacobian as nflexedge x nv."""
    J = np.array(d.flexedge_J).ravel()
    if not mujoco.mj_isSparse(m):
        return J.reshape(m.nflexedge, m.nv)
    out = np.zeros((m.nflexedge, m.nv))
    for e, (a, n) in enumerate(zip(d.flexedge_J_rowadr, d.flexedge_J_rownnz)):
        out[e, np.array(d.flexedge_J_colind).ravel()[a : a + n]] = J[a : a + n]
    return out


def run(path):
    m = mujoco.MjModel.from_xml_path(str(path))
    m.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT
    m.opt.enableflags |= mujoco.mjtEnableBit.mjENBL_ENERGY
    m.opt.timestep, m.opt.tolerance, m.opt.iterations = TIMESTEP, 1e-16, 300
    rng, out = np.random.default_rng(22), {}
    for k in range(3):
        d = mujoco.MjData(m)
        if k == 1:
            mujoco.mj_step(m, d, STEPS)
        elif k == 2:
            d.qpos[:] += 0.003 * rng.standard_normal(m.nq)
            d.qvel[:] = 0.3 * rng.standard_normal(m.nv)
        inputs = {f: np.array(getattr(d, f)) for f in ("qpos", "qvel")}
        d = golden.restored(m, inputs)
        mujoco.mj_forward(m, d)
        out |= {f"state{k}.in.{f}": v for f, v in inputs.items()}
        out |= {f"state{k}.out.{f}": np.array(getattr(d, f)) for f in OUTPUTS + (ISLANDS if d.nisland else [])}
        # The Jacobian by its products with two vectors.
        J = edge_rows(m, d)
        out[f"state{k}.J_ramp"], out[f"state{k}.JT_ramp"] = J @ np.arange(m.nv, dtype=float), J.T @ np.arange(m.nflexedge, dtype=float)
        mujoco.mj_inverse(m, d)
        out[f"state{k}.qfrc_inverse"] = np.array(d.qfrc_inverse)
    for integrator in range(INTEGRATORS):
        m.opt.integrator = integrator
        d = golden.restored(m, inputs)
        mujoco.mj_step(m, d, STEPS)
        out |= {f"integrator{integrator}.{f}": np.array(getattr(d, f)) for f in ("qpos", "qvel")}
    return out


for path in sorted((golden.ROOT / "crates/corten-sim/tests/flex").glob("*.xml")):
    arrays = golden.model_arrays(mujoco.MjModel.from_xml_path(str(path)), "")
    # What drawing needs, and what says where files are.
    arrays = {name: a for name, a in arrays.items() if not name.startswith(("vis.", "tex_", "names_map"))}
    golden.write(path.with_suffix(".cfa"), arrays)
    golden.write(path.with_suffix(".run.cfa"), run(path))
