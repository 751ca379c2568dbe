"""Jobs of the child that call the Python interface in any order, with resets, writes and changes of options between the calls.

No call may end in a failure of the engine, and a reset leads to where fresh data are.
"""
import random
import warnings

import numpy as np

CALLS = """mj_step mj_step1 mj_step2 mj_forward mj_inverse mj_fwdPosition mj_fwdVelocity mj_fwdActuation mj_fwdAcceleration mj_fwdConstraint
mj_kinematics mj_comPos mj_camlight mj_flex mj_tendon mj_transmission mj_crb mj_makeM mj_factorM mj_comVel mj_passive mj_collision
mj_makeConstraint mj_referenceConstraint mj_island mj_projectConstraint mj_sensorPos mj_sensorVel mj_sensorAcc mj_energyPos mj_energyVel
mj_checkPos mj_checkVel mj_checkAcc mj_Euler mj_implicit mj_compareFwdInv mj_invConstraint mj_subtreeVel mj_rnePostConstraint
mj_fwdKinematics mj_invPosition mj_invVelocity mj_resetData mj_fwdPosition mj_setConst""".split()
VALUES = [0.0, 0.1, -3.0, 1e6, 1e200, 5e-324, -1e308, float("nan"), float("inf")]
WRITTEN = "qpos qvel act ctrl qacc qacc_warmstart qfrc_applied xfrc_applied mocap_pos mocap_quat eq_active userdata time".split()
MODEL = """geom_margin geom_size geom_pos body_mass body_inertia dof_damping dof_armature jnt_range jnt_stiffness tendon_range actuator_gainprm
actuator_biasprm actuator_gear site_pos eq_data geom_friction geom_solref geom_solimp opt.timestep opt.gravity opt.tolerance opt.impratio""".split()


def with_arrays(mj, m, d, rng):
    """Calls that take or show arrays."""
    size = mj.mj_stateSize(m, 0x1FFF)
    vector = np.zeros(size)
    return rng.choice([
        ("constraintUpdate", lambda: mj.mj_constraintUpdate(m, d, np.full(d.nefc, -0.5), np.zeros(1), 1)),
        ("mulJacVec", lambda: mj.mj_mulJacVec(m, d, np.zeros(d.nefc), np.ones(m.nv))),
        ("mulJacTVec", lambda: mj.mj_mulJacTVec(m, d, np.zeros(m.nv), np.ones(d.nefc))),
        ("mulM", lambda: mj.mj_mulM(m, d, np.zeros(m.nv), np.ones(m.nv))),
        ("solveM", lambda: mj.mj_solveM(m, d, np.zeros((1, m.nv)), np.ones((1, m.nv)))),
        ("rne", lambda: mj.mj_rne(m, d, rng.randrange(2), np.zeros(m.nv))),
        ("jacBody", lambda: mj.mj_jacBody(m, d, np.zeros((3, m.nv)), np.zeros((3, m.nv)), rng.randrange(-1, m.nbody + 1))),
        ("ray", lambda: mj.mj_ray(m, d, np.ones(3), -np.ones(3), None, 1, -1, np.zeros(1, np.int32))),
        ("geomDistance", lambda: mj.mj_geomDistance(m, d, rng.randrange(-1, m.ngeom + 1), rng.randrange(m.ngeom + 1), 1.0, None)),
        ("show rows", lambda: (d.efc_J.sum(), d.efc_AR.sum(), d.iefc_J.sum())),
        ("show contacts", lambda: [c.dist for c in d.contact]),
        ("contactForce", lambda: mj.mj_contactForce(m, d, rng.randrange(-1, d.ncon + 1), np.zeros(6))),
        ("copy", lambda: mj.MjData.__copy__(d)),
        ("forwardSkip", lambda: mj.mj_forwardSkip(m, d, rng.randrange(3), rng.randrange(2))),
        ("inverseSkip", lambda: mj.mj_inverseSkip(m, d, rng.randrange(3), rng.randrange(2))),
        ("keyframe", lambda: mj.mj_resetDataKeyframe(m, d, rng.randrange(-1, m.nkey + 1))),
        ("setKeyframe", lambda: mj.mj_setKeyframe(m, d, rng.randrange(-1, m.nkey + 1))),
        ("RungeKutta", lambda: mj.mj_RungeKutta(m, d, 4)),
        ("steps", lambda: mj.mj_step(m, d, nstep=rng.randrange(5))),
        ("state", lambda: (mj.mj_getState(m, d, vector, 0x1FFF), mj.mj_setState(m, d, vector, 0x1FFF))),
        ("transition", lambda: m.nv < 20 and mj.mjd_transitionFD(m, d, 1e-6, rng.randrange(2), np.zeros((2 * m.nv + m.na,) * 2), None, None, None)),
    ])


def write(m, d, rng):
    """Writes to data, model and options; what was written, for the report."""
    kind = rng.randrange(9)
    value = rng.choice(VALUES)
    if kind < 4:
        field = rng.choice(WRITTEN)
        if field == "time":
            d.time = value
        else:
            a = getattr(d, field)
            value = value if a.dtype.kind == "f" else 1
            if rng.random() < 0.5:
                a[...] = value
            elif a.size:
                a.flat[rng.randrange(a.size)] = value
        return f"{field} = {value}"
    if kind < 5:
        field = rng.choice(MODEL)
        owner, name = (m.opt, field[4:]) if field.startswith("opt.") else (m, field)
        a = getattr(owner, name)
        if isinstance(a, np.ndarray):
            if a.size:
                a.flat[rng.randrange(a.size)] = value
        else:
            setattr(owner, name, value)
        return f"{field} = {value}"
    option, values = rng.choice([("solver", range(3)), ("noslip_iterations", [0, 3]), ("integrator", range(4)), ("cone", range(2)),
                                 ("jacobian", range(3)), ("iterations", [0, 1, 100]), ("disableflags", None), ("enableflags", None)])
    if values is None:
        number = getattr(m.opt, option) ^ (1 << rng.randrange(19 if option == "disableflags" else 6))
    else:
        number = rng.choice(list(values))
    setattr(m.opt, option, number)
    return f"{option} {number}"


def sequence(mj, text, assets, rng):
    """One sequence: None, or what failed after what."""
    m = mj.MjModel.from_xml_string(text, assets)
    d = mj.MjData(m)
    history = []
    for _ in range(25):
        if rng.random() < 0.3:
            history.append(write(m, d, rng))
            continue
        if rng.random() < 0.3:
            name, call = with_arrays(mj, m, d, rng)
        else:
            name = rng.choice(CALLS)
            call = lambda name=name: getattr(mj, name)(m, d)
        history.append(name)
        try:
            call()
        except (mj.FatalError, ValueError, IndexError, TypeError, MemoryError):
            pass
        except Exception as error:
            return f"{type(error).__name__}: {error} after {history}"
    fresh = mj.MjData(m)
    try:
        mj.mj_resetData(m, d)
        mj.mj_forward(m, d)
        mj.mj_forward(m, fresh)
    except mj.FatalError:
        return None
    if not np.array_equal(d.qacc, fresh.qacc, equal_nan=True):
        return f"a reset leads elsewhere after {history}"
    return None


def run(job, mark):
    import corten.mujoco as mj
    import scenes

    warnings.simplefilter("ignore")
    found = []
    for seed in range(job["seed"], job["seed"] + job["count"]):
        mark(f"corten: sequence {seed}")
        text, assets = scenes.scene(seed)
        failure = sequence(mj, text, assets, random.Random(seed))
        if failure:
            found.append(f"sequence {seed}: {failure}")
    return {"found": found}
