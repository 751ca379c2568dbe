#!/usr/bin/env python3
"""Reference data from MuJoCo 3.4.0, as files of named arrays that the Rust tests read.

    tools/golden.py scenes/pendulum.xml out.cfa      # one file
    tools/golden.py --scenes                         # every scene, into crates/corten-sim/tests/golden

A file holds the compiled model (`model.*`), inputs and results of `mj_forward` and `mj_inverse` for a
few deterministic states (`state0.in.*`, `state0.out.*`), and the end of a short simulation (`traj.*`).
Results are those of the model's own options but for what the solver decides (SOLVED), which is converged; `state0.own.qacc`
is the acceleration at the model's own options, and the one that `state0.inverse.qfrc_inverse` belongs to.
Container format: see crates/corten-model/src/container.rs.
"""
import argparse, pathlib, struct, sys, zlib
import numpy as np
import mujoco

assert mujoco.__version__ == "3.4.0", "the reference is MuJoCo 3.4.0"

ROOT = pathlib.Path(__file__).resolve().parent.parent
INPUTS = "qpos qvel act ctrl qfrc_applied xfrc_applied mocap_pos mocap_quat qacc_warmstart eq_active".split()
OUTPUTS = """xpos xquat xmat xipos ximat xanchor xaxis geom_xpos geom_xmat site_xpos site_xmat cam_xpos cam_xmat
light_xpos light_xdir subtree_com cdof cinert ten_length ten_wrapadr ten_wrapnum wrap_obj wrap_xpos actuator_length crb M qLD qLDiagInv
cvel cdof_dot ten_velocity actuator_velocity qfrc_bias qfrc_spring qfrc_damper qfrc_gravcomp qfrc_fluid
qfrc_passive act_dot actuator_force qfrc_actuator qfrc_smooth qacc_smooth subtree_linvel subtree_angmom energy
efc_type efc_id efc_pos efc_margin efc_frictionloss efc_diagApprox efc_KBIP efc_D efc_R efc_vel efc_aref efc_b
tree_island dof_island efc_island island_nv island_nefc qDeriv""".split()
SOLVED = "efc_force efc_state qfrc_constraint qacc sensordata cacc cfrc_int cfrc_ext".split()
CONTACT = "dist pos frame includemargin friction solref solreffriction solimp mu dim geom exclude efc_address".split()
# Large arrays that drawing alone needs.
MODEL_DROP = {"tex_data"}
KINDS = {np.dtype("f8"): 0, np.dtype("f4"): 1, np.dtype("i4"): 2, np.dtype("u1"): 3}
NAMED = dict(body="nbody", jnt="njnt", geom="ngeom", site="nsite", cam="ncam", light="nlight", flex="nflex", mesh="nmesh",
             skin="nskin", hfield="nhfield", tex="ntex", mat="nmat", pair="npair", exclude="nexclude", eq="neq", tendon="ntendon",
             actuator="nu", sensor="nsensor", numeric="nnumeric", text="ntext", tuple="ntuple", key="nkey", plugin="nplugin")


def write(path, entries):
    """Writes named arrays in the container format."""
    out = bytearray(b"CORTENAR" + struct.pack("<II", 1, len(entries)))
    for name, a in entries.items():
        a = np.ascontiguousarray(a)
        key = name.encode()
        out += struct.pack("<H", len(key)) + key + struct.pack("<BQ", KINDS[a.dtype], a.size) + a.tobytes()
    h = 0xCBF29CE484222325
    for b in out:
        h = ((h ^ b) * 0x100000001B3) & 0xFFFFFFFFFFFFFFFF
    pathlib.Path(path).write_bytes(bytes(out) + struct.pack("<Q", h))


def as_array(v):
    if isinstance(v, np.ndarray):
        return v.view(np.uint8) if v.dtype == np.int8 else v
    if isinstance(v, bytes):
        return np.frombuffer(v, np.uint8)
    return np.array([v], np.float64 if isinstance(v, float) else np.int32)


def model_arrays(m, prefix="model."):
    """Every size, option and array of a model under the names of `Model::pack`."""
    out = {}
    for n in dir(m):
        if n.startswith("_") or callable(getattr(m, n)) or n in ("opt", "vis", "stat", "signature", "narena", "nbuffer"):
            continue
        a = as_array(getattr(m, n))
        if n in MODEL_DROP:
            a = np.zeros(0, a.dtype)
        out[prefix + n] = a
    out[prefix + "ntexdata"] = np.array([0], np.int32)
    names = m.names
    out[prefix + "name"] = np.frombuffer(names[: names.index(b"\0")], np.uint8)
    for kind, size in NAMED.items():
        adr = getattr(m, f"name_{kind}adr")
        joined = b"".join(names[a : names.index(b"\0", a)] + b"\0" for a in adr[: getattr(m, size)])
        out[prefix + "names." + kind] = np.frombuffer(joined, np.uint8)
    def record(o, p, f32):
        for n in dir(o):
            if n.startswith("_") or callable(getattr(o, n)):
                continue
            a = as_array(getattr(o, n))
            out[p + n] = a.astype(np.float32) if f32 and a.dtype == np.float64 else a
    record(m.opt, prefix + "opt.", False)
    record(m.stat, prefix + "stat.", False)
    for s in "global quality headlight map scale rgba".split():
        record(getattr(m.vis, s + "_" if s == "global" else s), f"{prefix}vis.{s}.", True)
    return out


def states(m, path, count):
    """Deterministic states: settled, settled under random control, and random ones."""
    rng = np.random.default_rng(zlib.crc32(pathlib.Path(path).name.encode()))
    lo = np.where(m.actuator_ctrllimited, m.actuator_ctrlrange[:, 0], -1.0)
    hi = np.where(m.actuator_ctrllimited, m.actuator_ctrlrange[:, 1], 1.0)
    for k in range(count):
        d = mujoco.MjData(m)
        if m.nkey:
            mujoco.mj_resetDataKeyframe(m, d, 0)
        if k < 2:
            if k == 1:
                d.ctrl[:] = rng.uniform(lo, hi)
            mujoco.mj_step(m, d, 200 if m.nv < 400 else 20)
        else:
            mujoco.mj_integratePos(m, d.qpos, 0.3 * rng.standard_normal(m.nv), 1.0)
            d.qvel[:] = 0.5 * rng.standard_normal(m.nv)
            d.ctrl[:] = rng.uniform(lo, hi)
            d.act[:] = rng.uniform(0, 1, m.na)
            if k % 2:
                d.qfrc_applied[:] = 0.1 * rng.standard_normal(m.nv)
                d.xfrc_applied[1:] = 0.1 * rng.standard_normal((m.nbody - 1, 6))
        yield d


def restored(m, inputs):
    d = mujoco.MjData(m)
    for f, v in inputs.items():
        getattr(d, f)[:] = v
    return d


def dense_rows(m, d):
    """The constraint Jacobian as nefc x nv."""
    J = np.array(d.efc_J)
    if not d.nefc:
        return np.zeros((0, m.nv))
    if not mujoco.mj_isSparse(m):
        return J[: d.nefc * m.nv].reshape(d.nefc, m.nv)
    out = np.zeros((d.nefc, m.nv))
    for i in range(d.nefc):
        a, n = d.efc_J_rowadr[i], d.efc_J_rownnz[i]
        out[i, d.efc_J_colind[a : a + n]] = J[a : a + n]
    return out


def golden(path, count=4, steps=None):
    """All reference entries of one model; without constraints the simulation is ten times as long."""
    m = mujoco.MjModel.from_xml_path(str(path))
    out = model_arrays(m)
    first, free = None, True
    for k, seed in enumerate(states(m, path, count)):
        inputs = {f: np.array(getattr(seed, f)) for f in INPUTS}
        if not np.all(np.isfinite(inputs["qpos"])):
            continue
        first = first or inputs
        d = restored(m, inputs)
        mujoco.mj_forward(m, d)
        free = free and d.nefc == 0
        p = f"state{k}."
        for f, v in inputs.items():
            out[p + "in." + f] = v
        for f in OUTPUTS:
            out[p + "out." + f] = np.array(getattr(d, f))
        for f in CONTACT:
            out[p + "contact." + f] = np.array(getattr(d.contact, f)) if d.ncon else np.zeros(0)
        out[p + "out.efc_J"] = dense_rows(m, d)
        out[p + "own.qacc"] = np.array(d.qacc)
        mujoco.mj_inverse(m, d)
        out[p + "inverse.qfrc_inverse"] = np.array(d.qfrc_inverse)
        kept = m.opt.tolerance, m.opt.iterations
        m.opt.tolerance, m.opt.iterations = 1e-16, 300
        d = restored(m, inputs)
        mujoco.mj_forward(m, d)
        m.opt.tolerance, m.opt.iterations = kept
        for f in SOLVED:
            out[p + "out." + f] = np.array(getattr(d, f))
    d = restored(m, first) if first else mujoco.MjData(m)
    steps = steps or (1000 if free else 100)
    mujoco.mj_step(m, d, steps)
    out["traj.steps"] = np.array([steps], np.int32)
    for f in ("qpos", "qvel", "act"):
        out["traj." + f] = np.array(getattr(d, f))
    return {k: (v.astype(np.int32) if v.dtype == np.int64 else v) for k, v in out.items()}


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("model", nargs="?")
    ap.add_argument("out", nargs="?")
    ap.add_argument("--scenes", action="store_true", help="regenerate the committed files for all scenes")
    ap.add_argument("--states", type=int, default=4)
    ap.add_argument("--steps", type=int)
    a = ap.parse_args()
    if a.scenes:
        target = ROOT / "crates/corten-sim/tests/golden"
        target.mkdir(exist_ok=True)
        for scene in sorted((ROOT / "scenes").glob("*.xml")):
            write(target / (scene.stem + ".cfa"), golden(scene, a.states, a.steps))
            print(scene.stem)
    elif a.model and a.out:
        write(a.out, golden(a.model, a.states, a.steps))
    else:
        ap.error("give MODEL and OUT, or --scenes")


if __name__ == "__main__":
    main()
