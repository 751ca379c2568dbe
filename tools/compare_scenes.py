#!/usr/bin/env python3
"""Compares scenes with those of MuJoCo 3.4.0 on a corpus of models.

    tools/compare_scenes.py CORPUS                 # every model in CORPUS/MODELS.txt
    tools/compare_scenes.py CORPUS --match cassie  # some of them

Both engines get the same state, some steps into a simulation, and make scenes of it: with default
options, and with all groups and all switches on, once per kind of label and frame, a body selected and
perturbed. (Left off are the switches that draw bounding volumes and SDF iterations.) Geoms are compared
in order and field by field, as are lights, cameras, flexes, skins and numbers; floating-point numbers
within 1e-5, relative to their size where that is above 1.
"""
import argparse, concurrent.futures, json, os, pathlib, subprocess, sys

TOLERANCE = 1e-5
LEFT_OFF = ("mjVIS_BODYBVH", "mjVIS_MESHBVH", "mjVIS_SDFITER")
WHOLE = ["type", "dataid", "objtype", "objid", "category", "matid", "texcoord", "segid", "transparent"]
REAL = ["size", "pos", "mat", "rgba", "emission", "specular", "shininess", "reflectance", "camdist", "modelrbound"]
LIGHT = ["id", "type", "texid", "headlight", "castshadow", "pos", "dir", "attenuation", "cutoff", "exponent",
         "ambient", "diffuse", "specular", "bulbradius", "intensity", "range"]
GLCAMERA = ["pos", "forward", "up", "frustum_center", "frustum_width", "frustum_bottom", "frustum_top",
            "frustum_near", "frustum_far", "orthographic"]
SCENE = ["ngeom", "nlight", "nflex", "nskin", "status", "enabletransform", "scale", "stereo", "flags",
         "flexedgeadr", "flexedgenum", "flexvertadr", "flexvertnum", "flexfaceadr", "flexfacenum",
         "flexedge", "flexvertopt", "flexedgeopt", "flexfaceopt", "flexskinopt", "skinfacenum", "skinvertadr",
         "skinvertnum"]


def differs(a, b):
    import numpy as np
    a, b = np.asarray(a, float).ravel(), np.asarray(b, float).ravel()
    if a.shape != b.shape:
        return f"shapes {a.shape} and {b.shape}"
    bad = ~((a == b) | (np.isnan(a) & np.isnan(b)) | (np.abs(a - b) <= TOLERANCE * np.maximum(1, np.maximum(abs(a), abs(b)))))
    if bad.any():
        i = int(np.argmax(bad))
        return f"{a[i]!r} and {b[i]!r} at {i}"
    return None


def difference(real, own):
    """The first difference of two scenes, as text."""
    import numpy as np
    if real.ngeom != own.ngeom:
        first = next((i for i in range(min(real.ngeom, own.ngeom))
                      if (real.geoms[i].type, real.geoms[i].objtype, real.geoms[i].objid)
                      != (own.geoms[i].type, own.geoms[i].objtype, own.geoms[i].objid)), None)
        return f"ngeom {real.ngeom} and {own.ngeom}, first other geom {first}"
    for name in SCENE:
        a, b = getattr(real, name), getattr(own, name)
        if not np.array_equal(a, b):
            return f"{name}: {a} and {b}"
    for i in range(real.ngeom):
        a, b = real.geoms[i], own.geoms[i]
        who = f"geom {i} (type {a.type}, objtype {a.objtype}, objid {a.objid})"
        for name in WHOLE:
            # MuJoCo's plugins leave what memory held before in `transparent` of the geoms that they add.
            unset = name == "transparent" and a.objtype == 0
            if getattr(a, name) != getattr(b, name) and not (unset and getattr(a, name) not in (0, 1)):
                return f"{who} {name}: {getattr(a, name)} and {getattr(b, name)}"
        if a.label != b.label:
            return f"{who} label: {a.label!r} and {b.label!r}"
        for name in REAL:
            if found := differs(getattr(a, name), getattr(b, name)):
                return f"{who} {name}: {found}"
    for i in range(real.nlight):
        for name in LIGHT:
            if found := differs(getattr(real.lights[i], name), getattr(own.lights[i], name)):
                return f"light {i} {name}: {found}"
    for i in range(2):
        for name in GLCAMERA:
            if found := differs(getattr(real.camera[i], name), getattr(own.camera[i], name)):
                return f"camera {i} {name}: {found}"
    return surfaces(real, own)


def surfaces(real, own):
    if found := differs(real.flexfaceused, own.flexfaceused):
        return f"flexfaceused: {found}"
    for name in ("flexvert", "skinvert", "skinnormal"):
        if found := differs(getattr(real, name), getattr(own, name)):
            return f"{name}: {found}"
    # What is beyond the faces in use was left by whoever had the memory before.
    for f in range(real.nflex):
        start, used = real.flexfaceadr[f], real.flexfaceused[f]
        for name, width in (("flexface", 9), ("flexnormal", 9)):
            part = slice(width * start, width * (start + used))
            if found := differs(getattr(real, name)[part], getattr(own, name)[part]):
                return f"{name} of flex {f}: {found}"
    return None


def option_sets(mj):
    """Options by name: default, and everything with each label and frame."""
    yield "default", mj.MjvOption()
    left_off = [getattr(mj.mjtVisFlag, name) for name in LEFT_OFF]
    for label in range(int(mj.mjtLabel.mjNLABEL)):
        opt = mj.MjvOption()
        opt.label, opt.frame = label, label % int(mj.mjtFrame.mjNFRAME)
        for group in ("geom", "site", "joint", "tendon", "actuator", "flex", "skin"):
            getattr(opt, group + "group")[:] = 1
        opt.flags[:] = 1
        for flag in left_off:
            opt.flags[int(flag)] = 0
        # Convex hulls, split forces, skins of flexes and material colours hide other things.
        if label % 2:
            for flag in ("mjVIS_CONVEXHULL", "mjVIS_CONTACTSPLIT", "mjVIS_FLEXSKIN", "mjVIS_ISLAND", "mjVIS_SCLINERTIA"):
                opt.flags[int(getattr(mj.mjtVisFlag, flag))] = 0
        yield f"label {label}, frame {opt.frame}", opt


def state_of(mj, m, steps):
    """A state some steps into the simulation, with a wrench on a body."""
    import numpy as np
    d = mj.MjData(m)
    if m.nkey:
        mj.mj_resetDataKeyframe(m, d, 0)
    rng = np.random.default_rng(1)
    if m.nu:
        low = np.where(m.actuator_ctrllimited.astype(bool), m.actuator_ctrlrange[:, 0], -0.5)
        high = np.where(m.actuator_ctrllimited.astype(bool), m.actuator_ctrlrange[:, 1], 0.5)
        d.ctrl[:] = low + (high - low) * rng.uniform(0.3, 0.7, m.nu)
    for _ in range(steps):
        mj.mj_step(m, d)
    if m.nbody > 1:
        d.xfrc_applied[m.nbody - 1] = rng.normal(size=6)
    if not np.isfinite(d.qpos).all():
        mj.mj_resetData(m, d)
    kind = int(mj.mjtState.mjSTATE_INTEGRATION)
    state = np.zeros(mj.mj_stateSize(m, kind))
    mj.mj_getState(m, d, state, kind)
    return state


def perturbation(mj, m, label):
    pert = mj.MjvPerturb()
    if label != "default" and m.nbody > 1:
        pert.select = m.nbody // 2 or 1
        pert.active, pert.active2 = 3, 2
        pert.localpos = 0.01, 0.02, 0.03
        pert.refselpos = 0.1, 0.2, 0.3
        pert.refquat = 0.6, 0.8, 0, 0
        pert.flexselect, pert.skinselect = (0 if m.nflex else -1), (0 if m.nskin else -1)
    return pert


def camera(mj, m, k):
    """Free, tracking and fixed cameras in turn."""
    cam = mj.MjvCamera()
    mj.mjv_defaultFreeCamera(m, cam)
    if k % 3 == 1 and m.nbody > 1:
        cam.type, cam.trackbodyid = int(mj.mjtCamera.mjCAMERA_TRACKING), 1
    elif k % 3 == 2 and m.ncam:
        cam.type, cam.fixedcamid = int(mj.mjtCamera.mjCAMERA_FIXED), k % m.ncam
    return cam


def compare(path, steps, maxgeom):
    """What differs between the scenes of a model, by option set."""
    import mujoco
    import corten.mujoco as corten
    engines = [(mj, mj.MjModel.from_xml_path(str(path))) for mj in (mujoco, corten)]
    state = state_of(*engines[0], steps)
    kind = int(mujoco.mjtState.mjSTATE_INTEGRATION)
    made = []
    for mj, m in engines:
        d = mj.MjData(m)
        mj.mj_setState(m, d, state, kind)
        mj.mj_forward(m, d)
        made.append((mj, m, d, mj.MjvScene(m, maxgeom), list(option_sets(mj))))
    found = {}
    for k in range(len(made[0][4])):
        scenes = []
        for mj, m, d, scene, options in made:
            name, opt = options[k]
            pert, cam = perturbation(mj, m, name), camera(mj, m, k)
            mj.mjv_updateScene(m, d, opt, pert, cam, int(mj.mjtCatBit.mjCAT_ALL), scene)
            scenes.append(scene)
        if what := difference(*scenes):
            found[name] = what
    return found


def one(path, steps, maxgeom):
    """Runs in a process of its own, so that a crash costs one model."""
    command = [sys.executable, __file__, "--one", str(path), "--steps", str(steps), "--maxgeom", str(maxgeom)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    except subprocess.TimeoutExpired:
        return {"error": "timed out"}
    lines = done.stdout.strip().splitlines()
    if done.returncode == 0 and lines:
        return json.loads(lines[-1])
    return {"error": (done.stderr.strip().splitlines() or [f"exit {done.returncode}"])[-1]}


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("corpus", type=pathlib.Path, nargs="?")
    ap.add_argument("--match", default="")
    ap.add_argument("--steps", type=int, default=20)
    ap.add_argument("--maxgeom", type=int, default=20000)
    ap.add_argument("--one", type=pathlib.Path, help=argparse.SUPPRESS)
    a = ap.parse_args()
    if a.one:
        print(json.dumps(compare(a.one, a.steps, a.maxgeom)))
        return 0
    if not a.corpus:
        ap.error("CORPUS is missing")
    models = [line.split()[0] for line in open(a.corpus / "MODELS.txt") if line.strip()]
    models = [m for m in models if a.match in m]
    same = same_default = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        for model, found in zip(models, pool.map(lambda m: one(a.corpus / m, a.steps, a.maxgeom), models)):
            same += not found
            same_default += "default" not in found and "error" not in found
            if found:
                name, what = next(iter(found.items()))
                print(f"{model}: {len(found)} option sets differ; {name}: {what}", flush=True)
    print(f"default options: {same_default} of {len(models)} models equal")
    print(f"all options:     {same} of {len(models)} models equal")
    return 0 if same == len(models) else 1


if __name__ == "__main__":
    sys.exit(main())
