"""Compares two engines on one model, stage by stage, and asks where they differ how well MuJoCo determines the result.

What an engine does with a model is observed as fields by stage: the compiled arrays, positions, velocities and smooth forces, contacts, rows,
the converged solution, sensors, inverse dynamics, and a trajectory, from states that MuJoCo draws. Two observations differ in a stage when a
field of it differs by more than the stage's tolerance, as max|a-b| / max(1, max|a|).

A difference is undetermined when MuJoCo differs from itself by at least a tenth as much after its own numbers have changed by one unit in the
last place: those of the model's text, the state, velocities between steps (each in copies that are run), and the forces of rows (in what follows
from them: with forces of 1e17 that cancel, little). What follows from numbers of MuJoCo that are none, or from memory that it has not written, is
undetermined, too. Any other difference is a fault of ours.

Rows that are nothing but rounding are not compared, and nobody sleeps under Runge-Kutta: docs/compatibility.md.
"""
import time
import zlib

import numpy as np

TOLERANCE = dict(compile=1e-9, smooth=1e-9, contact=1e-7, rows=1e-7, solve=1e-6, default=1.0, sensor=1e-6, inverse=1e-6, traj=1e-4)
STAGES = list(TOLERANCE)
STEPS = 50
UNIT = 2.0**-52
# A thousand times the solver's usual tolerance.
UNRESOLVED = 1e-5
# A Jacobian without an entry above this is what rounding leaves of none: that of a tendon between two points of one rigid body.
NOTHING = 1e-15
# Copies of the reference that are moved by rounding: a few first, more where these do not tell.
COPIES = (6, 40)

# Byproducts of a compiler's own choices, or for drawing alone.
SKIP = set("""paths mesh_pathadr hfield_pathadr skin_pathadr tex_pathadr tex_data names names_map name_plane bvh_aabb bvh_child bvh_depth bvh_nodeid
body_bvhadr body_bvhnum mesh_bvhadr mesh_bvhnum flex_bvhadr flex_bvhnum mesh_graph mesh_graphadr mesh_octadr mesh_octnum oct_aabb oct_child
oct_coeff oct_depth mesh_polyadr mesh_polynum mesh_polynormal mesh_polyvert mesh_polyvertadr mesh_polyvertnum mesh_polymap mesh_polymapadr
mesh_polymapnum mesh_normal mesh_normaladr mesh_normalnum mesh_facenormal mesh_texcoord mesh_texcoordadr mesh_texcoordnum mesh_facetexcoord
text_data B_colind mapM2M M_rownnz M_rowadr M_colind mapM2D mapD2M D_diag D_colind""".split())
SKIP_SIZE = set("""narena nbuffer nnames nnames_map npaths ntexdata nbvh nbvhdynamic nbvhstatic noct nmeshgraph nmeshpoly nmeshpolyvert
nmeshpolymap nmeshnormal nmeshtexcoord nstack""".split())
SMOOTH = """xpos xquat xmat xipos ximat xanchor xaxis geom_xpos geom_xmat site_xpos site_xmat cam_xpos cam_xmat light_xpos light_xdir
subtree_com cdof cinert flexvert_xpos flexelem_aabb flexedge_length flexedge_velocity ten_length actuator_length crb qM cvel cdof_dot
ten_velocity actuator_velocity qfrc_bias qfrc_spring qfrc_damper qfrc_gravcomp qfrc_fluid qfrc_passive act_dot actuator_force qfrc_actuator
qfrc_smooth qacc_smooth subtree_linvel subtree_angmom energy""".split()
ROWS = "efc_type efc_pos efc_margin efc_frictionloss efc_diagApprox efc_D efc_R efc_vel efc_aref".split()
CONTACT = "geom flex elem vert dist pos frame dim friction solref solreffriction solimp includemargin exclude".split()
STATE = "qpos qvel act ctrl qfrc_applied xfrc_applied mocap_pos mocap_quat qacc_warmstart eq_active".split()


def error(a, b):
    a, b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    if a.shape != b.shape:
        if a.size != b.size:
            return np.inf
        b = b.reshape(a.shape)
    if a.size == 0:
        return 0.0
    bad = ~np.isfinite(a)
    if np.any(np.isnan(a) != np.isnan(b)) or np.any(np.isinf(b) & ~bad):
        return np.inf
    if bad.all():
        return 0.0
    return float(np.max(np.abs(a[~bad] - b[~bad])) / max(1.0, np.max(np.abs(a[~bad]))))


def peak_memory():
    """Megabytes of this process alone: `ru_maxrss` begins at the parent's."""
    with open("/proc/self/status") as status:
        return int(next(line for line in status if line.startswith("VmHWM")).split()[1]) >> 10


def load(mj, case):
    m = mj.MjModel.from_xml_string(case.text(), case.assets())
    if m.opt.integrator == mj.mjtIntegrator.mjINT_RK4:
        m.opt.enableflags &= ~int(mj.mjtEnableBit.mjENBL_SLEEP)
    return m


def compiled(m):
    out = {}
    own = getattr(m, "_own_fields", ())
    for name in dir(m):
        if name.startswith("_") or name in SKIP or name in own:
            continue
        a = getattr(m, name, None)
        if isinstance(a, np.ndarray) and a.dtype.kind in "fiub":
            out[name] = np.array(a)
        elif isinstance(a, (int, float)) and not isinstance(a, bool) and name[0] == "n" and name not in SKIP_SIZE:
            out[name] = a
    for name in dir(m.opt):
        a = getattr(m.opt, name)
        if not name.startswith("_") and "opt." + name not in own and isinstance(a, (int, float, np.ndarray)):
            out["opt." + name] = np.array(a)
    for name in "meaninertia meanmass meansize extent center".split():
        out["stat." + name] = np.array(getattr(m.stat, name))
    return out


def states(mj, m, count, name=""):
    """States drawn with the reference: settled, settled with controls, and random ones."""
    rng = np.random.default_rng(zlib.crc32(name.encode()))

    def controls():
        limited = m.actuator_ctrllimited.astype(bool)
        return rng.uniform(np.where(limited, m.actuator_ctrlrange[:, 0], -1.0), np.where(limited, m.actuator_ctrlrange[:, 1], 1.0))

    # Vertices of a flex move by a tenth of an edge, other degrees of freedom by 0.3.
    sigma = np.full(m.nv, 0.3)
    if m.nflex:
        edges = m.flexedge_length0[m.flexedge_length0 > 0]
        for b in set(np.concatenate([m.flex_vertbodyid, m.flex_nodebodyid]).astype(int)) - {0, -1}:
            sigma[m.body_dofadr[b]:m.body_dofadr[b] + m.body_dofnum[b]] = 0.1 * (np.median(edges) if edges.size else 0.05)
    out = []
    for k in range(count):
        d = mj.MjData(m)
        if m.nkey:
            mj.mj_resetDataKeyframe(m, d, 0)
        if k < 2:
            if k == 1:
                d.ctrl[:] = controls()
            for _ in range(200 if m.nv < 60 else 60):
                mj.mj_step(m, d)
        else:
            mj.mj_integratePos(m, d.qpos, sigma * rng.standard_normal(m.nv), 1.0)
            d.qvel[:] = (0.5 / 0.3) * sigma * rng.standard_normal(m.nv)
            d.ctrl[:] = controls()
            d.act[:] = rng.uniform(0, 1, m.na)
            if k % 2:
                d.qfrc_applied[:] = 0.1 * rng.standard_normal(m.nv)
                d.xfrc_applied[1:] = 0.1 * rng.standard_normal((m.nbody - 1, 6))
        if np.all(np.isfinite(d.qpos)) and np.all(np.isfinite(d.qvel)):
            out.append({f: np.array(getattr(d, f)) for f in STATE})
    return out


def put(mj, m, state):
    d = mj.MjData(m)
    for field, value in state.items():
        target = getattr(d, field)
        if target.size:
            target[...] = value.reshape(target.shape)
    return d


def contacts(d):
    n = d.ncon
    if not n:
        return {}
    rows = {f: np.array(getattr(d.contact, f))[:n].reshape(n, -1) for f in CONTACT}
    keys = [np.round(rows["pos"], 6)[:, ::-1], np.round(rows["dist"], 6)] + [rows[f][:, ::-1] for f in ("vert", "elem", "flex", "geom")]
    order = np.lexsort(np.hstack(keys).T)
    return {f: v[order] for f, v in rows.items()}


def dense(mj, m, d):
    jacobian = np.array(d.efc_J).reshape(-1)
    if not mj.mj_isSparse(m):
        return jacobian[: d.nefc * m.nv].reshape(d.nefc, m.nv)
    out = np.zeros((d.nefc, m.nv))
    for i in range(d.nefc):
        a, k = int(d.efc_J_rowadr[i]), int(d.efc_J_rownnz[i])
        out[i, np.array(d.efc_J_colind[a:a + k])] = jacobian[a:a + k]
    return out


def table(mj, m, d):
    """The rows that are more than rounding, sorted: contacts may be found in another order."""
    if not d.nefc:
        return np.zeros((0, 1))
    jacobian = dense(mj, m, d)
    rows = np.hstack([np.array(getattr(d, f), dtype=float).reshape(d.nefc, -1) for f in ROWS] + [jacobian])
    rows = rows[~np.all(np.abs(jacobian) <= NOTHING, axis=1)]
    return rows[np.lexsort(np.round(rows, 5).T[::-1])]


def observe(mj, m, starts, accelerations=None, noise=None):
    """Fields by stage of one engine. `accelerations` are what inverse dynamics starts from, by default the ones found; `noise`
    moves velocities between steps."""
    out = {stage: {} for stage in STAGES}
    out["compile"] = compiled(m)
    found = []
    for k, state in enumerate(starts):
        d = put(mj, m, state)
        mj.mj_forward(m, d)
        out["smooth"].update({f"{f}:{k}": np.array(getattr(d, f)) for f in SMOOTH})
        # Beyond the points of the present paths there are old ones.
        out["smooth"][f"wrap_xpos:{k}"] = np.array(d.wrap_xpos).reshape(-1, 3)[: int(np.sum(d.ten_wrapnum))]
        out["contact"][f"ncon:{k}"] = d.ncon
        out["contact"].update({f"{f}:{k}": v for f, v in contacts(d).items()})
        out["rows"][f"efc:{k}"] = table(mj, m, d)
        out["rows"][f"nefc:{k}"] = len(out["rows"][f"efc:{k}"])
        out["rows"][f"nisland:{k}"] = d.nisland
        out["default"][f"qacc:{k}"] = np.array(d.qacc)
        out["default"][f"qfrc_constraint:{k}"] = np.array(d.qfrc_constraint)
        found.append(np.array(d.qacc))
        e = put(mj, m, state)
        kept = m.opt.tolerance, m.opt.iterations
        m.opt.tolerance, m.opt.iterations = 1e-16, 300
        mj.mj_forward(m, e)
        m.opt.tolerance, m.opt.iterations = kept
        out["solve"][f"qacc:{k}"] = np.array(e.qacc)
        out["solve"][f"qfrc_constraint:{k}"] = np.array(e.qfrc_constraint)
        out["sensor"][f"sensordata:{k}"] = np.array(e.sensordata)
        d.qacc[:] = found[k] if accelerations is None else accelerations[k]
        try:
            mj.mj_inverse(m, d)
            out["inverse"][f"qfrc_inverse:{k}"] = np.array(d.qfrc_inverse)
        except mj.FatalError:
            out["inverse"][f"qfrc_inverse:{k}"] = None
    for k, state in enumerate(starts[:2]):
        d = put(mj, m, state)
        for _ in range(STEPS):
            if noise is not None:
                d.qvel[:] = noise(d.qvel)
            mj.mj_step(m, d)
        out["traj"].update({f"{f}:{k}": np.array(getattr(d, f)) for f in ("qpos", "qvel", "act")})
    return out, found


def row_error(a, b):
    """The error of two tables of rows. Sorting may part rows that agree but for rounding: then each row looks for its nearest."""
    e = error(a, b)
    if e <= TOLERANCE["rows"] or np.shape(a) != np.shape(b) or not (np.all(np.isfinite(a)) and np.all(np.isfinite(b))):
        return e
    left, worst = list(range(len(b))), 0.0
    for row in a:
        gaps = np.max(np.abs(b[left] - row), axis=1)
        nearest = int(np.argmin(gaps))
        worst = max(worst, float(gaps[nearest]))
        left.pop(nearest)
    return worst / max(1.0, np.max(np.abs(a)))


def differences(a, b, skip=()):
    """Errors by stage and field, beyond nothing."""
    out = {}
    for stage in STAGES:
        if stage in skip:
            continue
        fields = {}
        for name, value in a[stage].items():
            if value is None:
                continue
            other = b[stage].get(name)
            compare = row_error if name.startswith("efc:") else error
            e = np.inf if other is None else compare(value, other)
            if e > 0:
                fields[name] = e
        for name in b[stage].keys() - a[stage].keys():
            fields[name] = np.inf
        out[stage] = fields
    return out


def rounding(mj, m, state, ours):
    """What one unit in the last place of MuJoCo's row forces does to joint forces and accelerations, relative to the larger of these and one;
    infinite where MuJoCo's solver does not arrive, and where the cost is so large that its last place exceeds by far what the tolerance asks for. Third,
    whether our acceleration costs what MuJoCo's does but for the last places."""
    d = put(mj, m, state)
    kept = m.opt.tolerance, m.opt.iterations
    m.opt.tolerance, m.opt.iterations = 1e-16, 300
    mj.mj_forward(m, d)
    m.opt.tolerance, m.opt.iterations = kept
    if not d.nefc:
        return 0.0, 0.0, False
    if max(d.solver_niter[: max(1, min(d.nisland, len(d.solver_niter)))]) >= 300:
        return np.inf, np.inf, True
    units = UNIT * np.abs(d.efc_force) @ np.abs(dense(mj, m, d))
    mass = np.zeros((m.nv, m.nv))
    mj.mj_fullM(m, mass, d.qM)
    try:
        moved = np.abs(np.linalg.inv(mass)) @ units
    except np.linalg.LinAlgError:
        moved = np.full(m.nv, np.inf)
    largest = lambda x: max(1.0, np.max(np.abs(x), initial=0.0))
    total, _ = cost(mj, m, d, np.array(d.qacc))
    if UNIT * abs(total) / (m.stat.meaninertia * max(1, m.nv)) > UNRESOLVED:
        return np.inf, np.inf, True
    tied = bool(np.all(np.isfinite(ours))) and abs(cost(mj, m, d, ours)[0] - total) <= 8 * UNIT * abs(total)
    return float(np.max(units) / largest(d.qfrc_constraint)), float(np.max(moved) / largest(d.qacc)), tied


def cost(mj, m, d, qacc):
    """MuJoCo's objective at `qacc`, in data whose rows are made, and the constraint forces there."""
    x, force, residual, rows = qacc - d.qacc_smooth, np.zeros(m.nv), np.zeros(d.nefc), np.zeros(1)
    mj.mj_mulM(m, d, force, x)
    mj.mj_mulJacVec(m, d, residual, qacc)
    mj.mj_constraintUpdate(m, d, residual - d.efc_aref, rows, 0)
    return float(rows[0] + 0.5 * x @ force), np.array(d.qfrc_constraint)


def default_stage(mj, m, starts, ours, theirs):
    """At the model's own options many solutions are as good: compared by MuJoCo's cost, against twice what MuJoCo leaves or ten
    times the tolerance; and forces must follow from the acceleration as closely as MuJoCo's."""
    out = {}
    exact = m.opt.noslip_iterations > 0 or m.opt.solver == mj.mjtSolver.mjSOL_PGS
    for k, state in enumerate(starts):
        a, b = theirs["default"][f"qacc:{k}"], ours["default"][f"qacc:{k}"]
        if exact:
            out[f"qacc:{k}"] = error(a, b) / 1e-6
            continue
        d = put(mj, m, state)
        mj.mj_forward(m, d)
        if d.nefc == 0 or ours["rows"][f"nefc:{k}"] != theirs["rows"][f"nefc:{k}"] or not np.all(np.isfinite(b)):
            out[f"qacc:{k}"] = error(a, b) / 1e-6
            continue
        (fa, ja), (fb, jb), (best, _) = (cost(mj, m, d, x) for x in (a, b, theirs["solve"][f"qacc:{k}"]))
        scale, low = 1 / (m.stat.meaninertia * max(1, m.nv)), min(fa, fb, best)
        allowed = max(2 * scale * (fa - low), 10 * m.opt.tolerance, 1e-12 * max(1.0, abs(low)) * scale)
        out[f"cost:{k}"] = scale * (fb - low) / allowed
        own = error(ja, theirs["default"][f"qfrc_constraint:{k}"])
        out[f"force:{k}"] = error(jb, ours["default"][f"qfrc_constraint:{k}"]) / max(1e-6, 10 * own)
    return out


def unconverged(mj, m, state, theirs):
    """How far MuJoCo's conjugate gradients, and the noslip iterations that start from them, end from where its Newton method leads; nothing for other
    solvers. Costs do not tell that, since noslip leaves the least one."""
    if m.opt.solver != mj.mjtSolver.mjSOL_CG or not m.opt.noslip_iterations:
        return 0.0
    kept = m.opt.solver, m.opt.tolerance, m.opt.iterations
    m.opt.solver, m.opt.tolerance, m.opt.iterations = mj.mjtSolver.mjSOL_NEWTON, 1e-16, 300
    d = put(mj, m, state)
    mj.mj_forward(m, d)
    m.opt.solver, m.opt.tolerance, m.opt.iterations = kept
    return error(d.qacc, theirs)


def undefined(mj, m, theirs):
    """The stages from the first on in which MuJoCo itself has numbers that are none, or reads memory that it has not written, as it does for elements
    of flexes on height fields (`mjc_HFieldElem`): what follows from them is anybody's guess."""
    if m.nflex and np.any(m.geom_type == mj.mjtGeom.mjGEOM_HFIELD):
        return STAGES[STAGES.index("contact"):]
    for k, stage in enumerate(STAGES):
        if any(v is not None and not np.all(np.isfinite(np.asarray(v, dtype=float))) for v in theirs[stage].values()):
            return STAGES[k:]
    return []


def beyond(found):
    """What is beyond tolerance, by stage."""
    out = {}
    for stage, fields in found.items():
        bad = {n: e for n, e in fields.items() if not e <= TOLERANCE[stage]}
        if bad:
            out[stage] = bad
    return out


def own_differences(mj, case, starts, theirs, accelerations, seed):
    """What MuJoCo does to itself: one copy, moved by rounding. None where that copy does not load."""
    rng = np.random.default_rng([seed, 7])
    shake = lambda x: np.array(x) * (1 + UNIT * rng.integers(-1, 2, np.shape(x)))
    near = case.nearby(rng)
    try:
        m = load(mj, near)
        moved = [{f: shake(v) if f in ("qpos", "qvel", "ctrl", "act") else v for f, v in s.items()} for s in starts]
        fields, _ = observe(mj, m, moved, accelerations, shake)
    except Exception:
        return None
    return differences(theirs, fields)


def judge(reference, candidate, case, count=3, mark=lambda word: None):
    """The verdict: what was refused by whom, and for each stage that differs the fields, each determined by MuJoCo or not."""
    out = {"bad": {}, "open": {}, "seconds": 0.0}
    models = {}
    for key, mj in (("mujoco", reference), ("corten", candidate)):
        mark(f"{key}: load")
        start = time.process_time()
        try:
            models[key] = load(mj, case)
        except Exception as e:
            out[f"{key} refuses"] = f"{type(e).__name__}: {e}"[:300]
        if key == "corten":
            out["seconds"] += time.process_time() - start
    if len(models) < 2:
        return out
    a, b = models["mujoco"], models["corten"]
    sizes = {n: 1.0 for n in ("nq nv nu na nbody ngeom nmocap neq nsensordata").split() if getattr(a, n) != getattr(b, n)}
    if sizes:
        return {**out, "bad": {"compile": sizes}, "open": {"compile": sizes}, "memory": 0}
    mark("mujoco: run")
    try:
        starts = states(reference, a, count)
        theirs, accelerations = observe(reference, a, starts)
    except reference.FatalError as e:
        return {**out, "mujoco fails": str(e)[:300]}
    mark("corten: run")
    start = time.process_time()
    ours, _ = observe(candidate, b, starts, accelerations)
    out["seconds"] += time.process_time() - start
    mark("mujoco: cost")
    found = differences(theirs, ours, skip=("default",))
    found["default"] = default_stage(reference, a, starts, ours, theirs)
    bad = beyond(found)
    out["bad"] = bad
    bad = {stage: fields for stage, fields in bad.items() if stage not in undefined(reference, a, theirs)}
    if bad:
        mark("mujoco: itself")
        out["open"] = classify(reference, case, starts, theirs, accelerations, ours, bad)
    out["memory"] = peak_memory()
    return out


def classify(mj, case, starts, theirs, accelerations, ours, bad):
    """The differences that MuJoCo's own do not cover."""
    own, m = {stage: {} for stage in STAGES}, load(mj, case)
    for k, state in enumerate(starts):
        force, acceleration, tied = rounding(mj, m, state, ours["solve"][f"qacc:{k}"])
        acceleration = max(acceleration, unconverged(mj, m, state, theirs["default"][f"qacc:{k}"]))
        own["solve"] |= {f"qacc:{k}": np.inf if tied else acceleration, f"qfrc_constraint:{k}": np.inf if tied else force}
        own["default"] |= {f"qacc:{k}": acceleration}
        own["sensor"] |= {f"sensordata:{k}": acceleration}
        own["inverse"] |= {f"qfrc_inverse:{k}": force}
        if k < 2:
            own["traj"] |= {f"qvel:{k}": acceleration}
    left = bad
    for seed in range(COPIES[1]):
        if seed >= COPIES[0] and not left:
            break
        found = own_differences(mj, case, starts, theirs, accelerations, seed)
        for stage, fields in (found or {}).items():
            kept = own.setdefault(stage, {})
            for name, e in fields.items():
                kept[name] = max(e, kept.get(name, 0.0))
        left = uncovered(bad, own, theirs, ours)
    return left


def uncovered(bad, own, theirs, ours):
    out = {}
    for stage, fields in bad.items():
        # A trajectory, a table of rows or a set of contacts is one thing: what moves in it stands for all of it.
        together = max(own.get(stage, {}).values(), default=0.0)
        for name, e in fields.items():
            if stage == "default":
                # Costs have no counterpart in MuJoCo's own differences: accelerations have.
                field = "qacc:" + name.split(":")[1]
                e = error(theirs[stage][field], ours[stage][field])
            known = together if stage in ("traj", "contact", "rows") else own.get(stage, {}).get(name if stage != "default" else field, 0.0)
            if not e <= 10 * known:
                out.setdefault(stage, {})[name] = (e, known)
    return out
