#!/usr/bin/env python3
"""Contacts of flexes by MuJoCo 3.4.0, for the models in crates/corten-sim/tests/flex_contact and next to them (`NAME.cfa`): contacts,
constraint rows, solution and sensors of shaken states, with the options of VARIANTS.

    tools/golden_flex_contact.py
"""
import mujoco
import numpy as np

import golden

CONTACT = "dist pos frame includemargin friction solref solimp dim geom flex elem vert exclude efc_address".split()
OUTPUTS = "efc_type efc_id efc_pos efc_margin efc_R efc_D efc_aref qfrc_spring qfrc_passive qfrc_constraint qacc sensordata".split()
# How far the dofs of flexes are from rest.
SHAKE = dict(drape=0.01, tangle=0.04, crossing=0.004, cushion=0.004)


def plain(m):
    """The model's own options."""


def elliptic(m):
    m.opt.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    m.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_MIDPHASE
    m.opt.impratio = 2


def dense(m):
    """All dimensions of contacts: the sparse form of those with spin is not defined."""
    m.opt.cone, m.opt.jacobian, m.opt.solver = mujoco.mjtCone.mjCONE_ELLIPTIC, mujoco.mjtJacobian.mjJAC_DENSE, mujoco.mjtSolver.mjSOL_CG
    m.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_ISLAND
    m.flex_condim[:] = [(3, 4, 6, 1)[i % 4] for i in range(m.nflex)]


def overridden(m):
    m.opt.enableflags |= mujoco.mjtEnableBit.mjENBL_OVERRIDE
    m.opt.o_margin, m.opt.noslip_iterations = 0.002, 3
    m.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_ISLAND


VARIANTS = [plain, elliptic, dense, overridden]


def run(path):
    out = {}
    rng = np.random.default_rng(23)
    for k, variant in enumerate(VARIANTS):
        m = mujoco.MjModel.from_xml_path(str(path))
        variant(m)
        m.opt.tolerance, m.opt.iterations = 1e-16, 300
        d = mujoco.MjData(m)
        slides = m.jnt_qposadr[m.jnt_type == mujoco.mjtJoint.mjJNT_SLIDE]
        d.qpos[slides] += SHAKE[path.stem] * rng.uniform(-1, 1, len(slides))
        d.qvel[:] = 0.1 * rng.uniform(-1, 1, m.nv)
        inputs = {f: np.array(getattr(d, f)) for f in ("qpos", "qvel")}
        mujoco.mj_forward(m, d)
        p = f"state{k}."
        out |= {f"{p}in.{f}": v for f, v in inputs.items()}
        out |= {f"{p}contact.{f}": np.array(getattr(d.contact, f)).reshape(d.ncon, -1) for f in CONTACT}
        out |= {f"{p}out.{f}": np.array(getattr(d, f)) for f in OUTPUTS}
        J = golden.dense_rows(m, d)
        out[p + "J_ramp"], out[p + "JT_ramp"] = J @ np.arange(m.nv, dtype=float), J.T @ np.arange(d.nefc, dtype=float)
    return out


if __name__ == "__main__":
    for path in sorted((golden.ROOT / "crates/corten-sim/tests/flex_contact").glob("*.xml")):
        golden.write(path.with_suffix(".cfa"), run(path))
