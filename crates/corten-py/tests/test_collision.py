"""Contacts, contact parameters, rays, distances and the sensors built on them, against MuJoCo's own.

Our engine runs on the model that MuJoCo compiled: the order of a hull's vertices, which is the compiler's
choice, decides between contacts that are equally deep.
"""
import importlib.util
import itertools
import pathlib
import re

import numpy as np
import pytest

import corten.mujoco as corten
from scenes import reference

mujoco = pytest.importorskip("mujoco")

_spec = importlib.util.spec_from_file_location("golden", pathlib.Path(__file__).parents[3] / "tools/golden.py")
golden = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(golden)


def twin(m):
    """A model that MuJoCo compiled, in our engine."""
    arrays = {**golden.model_arrays(m, ""), "tex_data": np.array(m.tex_data), "ntexdata": np.array([m.ntexdata], np.int32)}
    flat = lambda v: v.astype(np.int32) if v.dtype == np.int64 else np.ascontiguousarray(v).reshape(-1)
    return corten.MjModel._from_arrays({k: flat(v) for k, v in arrays.items()})


CONTACT = "geom dist pos frame includemargin friction solref solreffriction solimp dim exclude".split()


def contacts(d):
    return {f: np.array(getattr(d.contact, f)).reshape(d.ncon, -1) if d.ncon else np.zeros((0, 1)) for f in CONTACT}


def same_contacts(a, b, what="", tol=1e-7):
    assert b.ncon == a.ncon, what
    want, found = contacts(a), contacts(b)
    for field in CONTACT:
        np.testing.assert_allclose(found[field], want[field], atol=tol, err_msg=f"{what} {field}")


# ---- two geoms ----

TYPES = "plane hfield sphere capsule ellipsoid cylinder box mesh".split()
SIZES = dict(
    plane=["5 5 1"], sphere=["0.3", "0.5"], capsule=["0.2 0.5", "0.3 0.3"], ellipsoid=["0.2 0.4 0.6", "0.5 0.3 0.3"],
    cylinder=["0.2 0.5", "0.4 0.15"], box=["0.2 0.3 0.5", "0.3 0.3 0.3", "0.6 0.4 0.05"], mesh=["stone", "cube", "wedge"], hfield=["hills"],
)
CUBE = np.array(list(itertools.product([-0.3, 0.3], repeat=3)))
WEDGE = [[-0.4, -0.3, -0.2], [0.4, -0.3, -0.2], [-0.4, 0.3, -0.2], [0.4, 0.3, -0.2], [-0.4, 0, 0.3], [0.4, 0, 0.3]]
GROUPS = "random deep touching aligned coplanar degenerate tiny".split()
POSES = 10000


def text(a):
    return " ".join(f"{x:.4f}" for x in np.ravel(a))


def assets(scale=1.0):
    rng = np.random.default_rng(5)
    stone = rng.standard_normal((24, 3))
    stone *= 0.4 / np.linalg.norm(stone, axis=1)[:, None] * [1, 0.8, 0.6]
    hills = rng.uniform(0, 1, (8, 10))
    meshes = "".join(f"<mesh name='{n}' vertex='{text(v)}' scale='{scale} {scale} {scale}'/>"
                     for n, v in (("stone", stone), ("cube", CUBE), ("wedge", WEDGE)))
    return f"<asset>{meshes}<hfield name='hills' nrow='8' ncol='10' size='2 1.5 0.4 0.3' elevation='{text(hills)}'/></asset>"


def geom(kind, size, scale=1.0):
    if kind in ("mesh", "hfield"):
        return f"<geom type='{kind}' {kind}='{size}'/>"
    return f"<geom type='{kind}' size='{' '.join(str(scale * float(x)) for x in size.split())}'/>"


def two_geoms(kind1, size1, kind2, size2, margin, scale):
    free = lambda g: f"<body><freejoint/><inertial mass='1' pos='0 0 0' diaginertia='1 1 1'/>{g}</body>"
    first = geom(kind1, size1, scale)
    first = first if kind1 in ("plane", "hfield") else free(first)
    return (f"<mujoco><default><geom margin='{scale * margin}'/></default>{assets(scale)}"
            f"<worldbody>{first}{free(geom(kind2, size2, scale))}</worldbody></mujoco>")


def turns():
    h = np.sqrt(0.5)
    out = [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]
    for k, s in itertools.product(range(3), (h, -h)):
        q = [h, 0, 0, 0]
        q[k + 1] = s
        out.append(q)
    return np.array(out)


TURNS = turns()


def offset(rng, group, kind1, m):
    """Where the second geom is, seen from the first."""
    r1, r2 = m.geom_rbound
    if kind1 == "plane":
        return np.array([*rng.uniform(-3, 3, 2), rng.uniform(-0.3 if group == "deep" else 0.2, 1.02) * r2])
    if kind1 == "hfield":
        return np.array([*rng.uniform(-2.1, 2.1, 2), rng.uniform(-0.2, 0.6)])
    away = rng.standard_normal(3)
    away /= np.linalg.norm(away)
    if group == "deep":
        return away * rng.uniform(0, 0.35) * (r1 + r2)
    if group == "coplanar":
        away[rng.integers(3)] = 0
    if group == "degenerate":
        away *= np.eye(3)[rng.integers(3)]
    return away * rng.uniform(0.2, 1.02) * (r1 + r2)


def poses(rng, group, kind1, m, count):
    """Positions and quaternions of the free geoms; those of all groups but two are turned by right
    angles and lie on a lattice, so that faces, edges and corners meet exactly."""
    out = np.zeros((count, m.nq))
    unit = 0.1 if group != "tiny" else 1e-3
    for k in range(count):
        away = offset(rng, group, kind1, m)
        if group in ("random", "deep"):
            q1, q2 = rng.standard_normal((2, 4))
            p1 = rng.uniform(-1, 1, 3)
        else:
            q1, q2 = TURNS[rng.integers(10, size=2)]
            if group == "coplanar":
                angle = rng.uniform(0, np.pi)
                q1, q2 = np.array([1.0, 0, 0, 0]), np.array([np.cos(angle), 0, 0, np.sin(angle)])
            p1 = unit * rng.integers(-5, 5, 3)
            step = unit if group != "touching" else unit / 2
            away = step * np.round(away / step)
        q1, q2 = q1 / np.linalg.norm(q1), q2 / np.linalg.norm(q2)
        if kind1 in ("plane", "hfield"):
            out[k] = [*away, *q2]
        else:
            out[k] = [*p1, *q1, *(p1 + away), *q2]
    return out


PAIRS = [(a, b) for a, b in itertools.combinations_with_replacement(TYPES, 2) if b not in ("plane", "hfield")]


@pytest.mark.parametrize("kind1,kind2", PAIRS)
def test_contacts_of_two_geoms(kind1, kind2):
    """10^4 poses in groups: equal numbers of contacts in at least 99.5 %, and equal depths there."""
    rng = np.random.default_rng(100 * TYPES.index(kind1) + TYPES.index(kind2))
    variants = list(itertools.product(SIZES[kind1], SIZES[kind2]))
    each = POSES // (len(GROUPS) * len(variants)) + 1
    shares, worst, touching = {}, 0.0, 0
    for group, (k, (size1, size2)) in itertools.product(GROUPS, enumerate(variants)):
        xml = two_geoms(kind1, size1, kind2, size2, (0, 0, 0.05)[k % 3], 0.01 if group == "tiny" and kind1 != "hfield" else 1)
        ma = reference(xml)
        mb = twin(ma)
        a, b = mujoco.MjData(ma), corten.MjData(mb)
        qa, qb = a.qpos, b.qpos
        equal = shares.setdefault(group, [0, 0])
        for q in poses(rng, group, kind1, ma, each):
            qa[:] = q
            qb[:] = q
            mujoco.mj_kinematics(ma, a)
            mujoco.mj_collision(ma, a)
            corten.mj_kinematics(mb, b)
            corten.mj_collision(mb, b)
            equal[1] += 1
            if a.ncon != b.ncon:
                continue
            equal[0] += 1
            touching += a.ncon > 0
            if a.ncon:
                worst = max(worst, np.abs(np.array(a.contact.dist) - np.array(b.contact.dist)).max())
    good, total = np.sum(list(shares.values()), axis=0)
    print(f"{kind1}-{kind2}: {100 * good / total:.2f}% of {total}, {touching} of them touching, depth {worst:.1e};",
          " ".join(f"{g} {100 * s[0] / s[1]:.1f}%" for g, s in shares.items()))
    assert touching > 0.2 * total
    assert good >= 0.995 * total
    assert worst < 1e-7


PORTAL_PAIRS = [(a, b) for a, b in PAIRS if a != "plane" and {a, b} & {"hfield", "ellipsoid", "cylinder", "mesh"} and (a, b) != ("sphere", "cylinder")]


@pytest.mark.parametrize("kind1,kind2", PORTAL_PAIRS)
def test_contacts_by_portals(kind1, kind2):
    """Without the native convex search: all contacts, and equal depths and normals but where a flat face of the
    difference has more than three corners, of which rounding chooses; the flat ends of cylinders have any number."""
    rng, touching, wrong = np.random.default_rng(5), 0, []
    for (size1, size2), group in itertools.product(itertools.product(SIZES[kind1], SIZES[kind2]), ("random", "deep")):
        ma = reference(two_geoms(kind1, size1, kind2, size2, 0, 1))
        mb = twin(ma)
        for m in (ma, mb):
            m.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_NATIVECCD)
        a, b = mujoco.MjData(ma), corten.MjData(mb)
        for q in poses(rng, group, kind1, ma, 40):
            for mj, m, d in ((mujoco, ma, a), (corten, mb, b)):
                d.qpos[:] = q
                mj.mj_kinematics(m, d)
                mj.mj_collision(m, d)
            assert a.ncon == b.ncon
            touching += a.ncon > 0
            if a.ncon:
                want, found = contacts(a), contacts(b)
                np.testing.assert_allclose(found["pos"], want["pos"], atol=1e-3)
                error = max(np.abs(found["dist"] - want["dist"]).max(), np.abs(found["frame"] - want["frame"])[:, :3].max())
                wrong.append(error > 1e-9)
    flat = {kind1, kind2} <= {"hfield", "cylinder", "box", "mesh"} and (kind1, kind2) != ("cylinder", "cylinder")
    allowed = 0 if not flat else 0.8 if "cylinder" in (kind1, kind2) else 0.15
    assert touching > 100
    assert np.mean(wrong) <= allowed, np.mean(wrong)


# ---- scenes of many geoms ----

def crowd(rng, flags=""):
    """Bodies with several geoms each, nested, welded, free, guided; random parameters of contacts."""
    kinds = "sphere capsule ellipsoid cylinder box mesh".split()
    names = []

    def random_geom(body):
        kind = rng.choice(kinds)
        size = rng.choice(SIZES[kind])
        name = f"g{len(names)}"
        names.append((name, body))
        shape = f"mesh='{size}'" if kind == "mesh" else f"size='{size}'"
        pos = 0.3 * np.round(rng.uniform(-1, 1, 3), 2)
        extra = ""
        if rng.random() < 0.5:
            extra += f" margin='{rng.uniform(0, 0.1):.3f}' gap='{rng.uniform(0, 0.05):.3f}'"
        if rng.random() < 0.3:
            extra += f" priority='{rng.integers(3)}'"
        if rng.random() < 0.3:
            extra += f" solmix='{rng.choice([0, 0.5, 2])}'"
        if rng.random() < 0.3:
            extra += " solref='-1000 -20'"
        if rng.random() < 0.3:
            extra += f" solref='{rng.uniform(0.01, 0.05):.3f} 0.8'" if "solref" not in extra else ""
        if rng.random() < 0.3:
            extra += f" contype='{rng.integers(4)}' conaffinity='{rng.integers(4)}'"
        return (f"<geom name='{name}' type='{kind}' {shape} pos='{text(pos)}' condim='{rng.choice([1, 3, 4, 6])}' "
                f"friction='{text(rng.uniform(0.1, 1, 3))}' solimp='0.9 0.95 {rng.uniform(0.001, 0.01):.4f}'{extra}/>")

    bodies = 0

    def body(depth):
        nonlocal bodies
        bodies += 1
        name = f"b{bodies}"
        kind = rng.choice(["free", "hinge", "weld", "mocap"]) if depth == 0 else rng.choice(["hinge", "weld", "ball"])
        pos = np.round(rng.uniform(-1, 1, 3), 1) + ([0, 0, 0.6] if depth == 0 else [0, 0, 0])
        out = f"<body name='{name}' pos='{text(pos)}'" + (" mocap='true'>" if kind == "mocap" else ">")
        out += {"free": "<freejoint/>", "hinge": "<joint axis='0 1 0'/>", "ball": "<joint type='ball'/>"}.get(kind, "")
        out += "<inertial mass='1' pos='0 0 0' diaginertia='1 1 1'/>"
        out += "".join(random_geom(name) for _ in range(rng.integers(1, 4)))
        if depth < 2 and rng.random() < 0.5:
            out += body(depth + 1)
        return out + "</body>"

    world = "<geom name='floor' type='plane' size='5 5 1'/><geom name='ground' type='hfield' hfield='hills' pos='0 0 0.1'/>"
    world += "".join(body(0) for _ in range(6))
    pairs = ""
    for _ in range(6):
        (g1, b1), (g2, b2) = (names[k] for k in rng.integers(len(names), size=2))
        if b1 != b2:
            pairs += (f"<pair geom1='{g1}' geom2='{g2}' margin='{rng.uniform(0, 0.2):.3f}' gap='0.01' condim='{rng.choice([1, 3, 4, 6])}' "
                      f"friction='{text(rng.uniform(0.1, 1, 5))}'" + (" solreffriction='0.03 1.2'" if rng.random() < 0.5 else "") + "/>")
    for _ in range(2):
        b1, b2 = rng.integers(1, bodies + 1, size=2)
        if b1 != b2:
            pairs += f"<exclude body1='b{b1}' body2='b{b2}'/>"
    options = "o_margin='0.07' o_solref='0.03 0.9' o_solimp='0.8 0.9 0.002 0.5 2' o_friction='0.7 0.6 0.02 0.001 0.003'"
    return f"<mujoco><option {options}><flag {flags}/></option>{assets()}<worldbody>{world}</worldbody><contact>{pairs}</contact></mujoco>"


FLAGS = ["", "midphase='disable'", "override='enable'", "multiccd='enable'", "filterparent='disable'", "nativeccd='enable'",
         "override='enable' midphase='disable'", "sleep='enable'", "constraint='disable'", "contact='disable'"]


@pytest.mark.parametrize("flags", FLAGS)
def test_contacts_of_crowds(flags):
    """Everything that a contact holds, in MuJoCo's order."""
    total = 0
    for seed in range(12):
        rng = np.random.default_rng(seed)
        xml = crowd(rng, flags)
        ma = reference(xml)
        mb = twin(ma)
        a, b = mujoco.MjData(ma), corten.MjData(mb)
        for k in range(4):
            if k:
                mujoco.mj_integratePos(ma, a.qpos, 0.2 * rng.standard_normal(ma.nv), 1.0)
            b.qpos[:] = a.qpos
            mujoco.mj_fwdPosition(ma, a)
            corten.mj_fwdPosition(mb, b)
            same_contacts(a, b, f"{flags} seed {seed} state {k}")
            total += a.ncon
    assert total > 500 or "contact" in flags or "constraint" in flags


def lattice(rng, crowded):
    """Shapes that fit a lattice exactly: whether they touch is a matter of rounding."""
    sizes = dict(sphere="0.1", box="0.1 0.1 0.1", capsule="0.1 0.1", cylinder="0.1 0.1", ellipsoid="0.1 0.1 0.1")
    xml = "<mujoco><worldbody>" + ("<geom type='plane' size='5 5 1'/>" if rng.random() < 0.7 else "")
    for _ in range(rng.integers(2, 9)):
        p = rng.integers(-2, 3, 3) * rng.choice([0.1, 0.2, 0.3]) + rng.choice([0, 100.0, 0.7])
        xml += f"<body pos='{p[0]} {p[1]} {p[2]}' euler='{90 * rng.integers(4)} {90 * rng.integers(4)} 0'><freejoint/>"
        for _ in range(rng.integers(1, 4) if crowded else 1):
            kind = rng.choice(list(sizes))
            xml += f"<geom type='{kind}' size='{sizes[kind]}' pos='{text(0.1 * rng.integers(-2, 3, 3))}' margin='{rng.choice([0, 0, 0.05])}'/>"
        xml += "</body>"
    return xml + "</worldbody></mujoco>"


def test_exact_touch():
    """Which touching pairs are dropped by bounding tests follows MuJoCo to the last bit."""
    total = 0
    for seed in range(600):
        rng = np.random.default_rng(seed)
        xml = lattice(rng, seed % 2)
        a = mujoco.MjData(reference(xml))
        b = corten.MjData(twin(a.model))
        mujoco.mj_fwdPosition(a.model, a)
        corten.mj_fwdPosition(b.model, b)
        same_contacts(a, b, f"seed {seed}")
        total += a.ncon
    assert total > 1000


# ---- queries and sensors ----

def sensed(rng):
    # Tactile sensors near a height field are an error in MuJoCo.
    xml = re.sub("<geom name='ground'[^>]*>", "", crowd(rng))
    names = re.findall(r"geom name='(g\d+)'", xml)
    sites = "".join(f"<site name='s{k}' pos='{text(rng.uniform(-1, 1, 3))}' euler='{text(rng.uniform(-180, 180, 3))}' "
                    f"size='0.5 0.5 0.5' type='{rng.choice(['sphere', 'box', 'capsule', 'cylinder', 'ellipsoid'])}'/>" for k in range(12))
    sensors = "".join(f"<rangefinder site='s{k}'/>" for k in range(12)) + "".join(f"<touch site='s{k}'/>" for k in range(12))
    for k in range(12):
        g1, g2 = rng.choice(names, 2, replace=False)
        sensors += f"<{('distance', 'normal', 'fromto')[k % 3]} geom1='{g1}' geom2='{g2}' cutoff='{rng.uniform(0.2, 3):.2f}'/>"
    for k in range(12):
        g1, g2 = rng.choice(names, 2, replace=False)
        what = [f"geom1='{g1}'", f"geom1='{g1}' geom2='{g2}'", "body1='b1'", "site='s0'", "subtree1='b2'", ""][k % 6]
        sensors += f"<contact {what} num='{rng.integers(1, 4)}' reduce='{rng.choice(['none', 'mindist'])}' data='found dist pos normal tangent'/>"
    for k in range(3):
        sensors += f"<tactile geom='{names[k]}' mesh='skin'/>"
    xml = xml.replace("</asset>", "<mesh name='skin' builtin='plate' params='7 7' scale='.3 .5 .2'/></asset>", 1)
    return xml.replace("<worldbody>", "<worldbody>" + sites, 1).replace("</mujoco>", f"<sensor>{sensors}</sensor></mujoco>")


def test_sensors_of_geometry():
    """Rays, distances, contacts and touch as sensors read them."""
    for seed in range(8):
        rng = np.random.default_rng(seed)
        xml = sensed(rng)
        ma = reference(xml)
        mb = twin(ma)
        a, b = mujoco.MjData(ma), corten.MjData(mb)
        for k in range(3):
            if k:
                mujoco.mj_integratePos(ma, a.qpos, 0.2 * rng.standard_normal(ma.nv), 1.0)
            b.qpos[:] = a.qpos
            mujoco.mj_forward(ma, a)
            corten.mj_forward(mb, b)
            for s in range(ma.nsensor):
                at = slice(ma.sensor_adr[s], ma.sensor_adr[s] + ma.sensor_dim[s])
                want, found = a.sensordata[at], b.sensordata[at]
                if ma.sensor_type[s] == mujoco.mjtSensor.mjSENS_TOUCH:
                    # Whether anything touches; how much is the solver's affair.
                    want, found = want > 0, found > 0
                np.testing.assert_allclose(found, want, atol=1e-6, err_msg=f"seed {seed} state {k} sensor {s} of type {ma.sensor_type[s]}")


def test_rays_and_distances():
    for seed in range(8):
        rng = np.random.default_rng(seed)
        xml = crowd(rng)
        a = mujoco.MjData(reference(xml))
        b = corten.MjData(twin(a.model))
        ma, mb = a.model, b.model
        mujoco.mj_forward(ma, a)
        corten.mj_forward(mb, b)
        for _ in range(200):
            pnt, vec = rng.uniform(-2, 2, 3), rng.standard_normal(3)
            group = rng.integers(0, 2, 6).astype(np.uint8) if rng.random() < 0.3 else None
            static, exclude = int(rng.random() < 0.7), int(rng.integers(-1, ma.nbody))
            ids = np.zeros((2, 1), np.int32)
            want = mujoco.mj_ray(ma, a, pnt, vec, group, static, exclude, ids[0])
            found = corten.mj_ray(mb, b, pnt, vec, group, static, exclude, ids[1])
            assert ids[0] == ids[1] and found == pytest.approx(want, abs=1e-9)
        for _ in range(200):
            g1, g2 = (int(g) for g in rng.choice(ma.ngeom, 2, replace=False))
            if min(ma.geom_type[g1], ma.geom_type[g2]) < 2:
                continue
            ends = np.zeros((2, 6))
            want = mujoco.mj_geomDistance(ma, a, g1, g2, 5.0, ends[0])
            found = corten.mj_geomDistance(mb, b, g1, g2, 5.0, ends[1])
            assert found == pytest.approx(want, abs=1e-7)
            np.testing.assert_allclose(ends[1], ends[0], atol=1e-6)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, 1e300, 1e-300])
def test_poses_that_are_no_poses(bad):
    """Detection ends, whatever the poses and sizes say."""
    rng = np.random.default_rng(3)
    m = twin(reference(crowd(rng)))
    d = corten.MjData(m)
    for k in range(m.nq):
        corten.mj_resetData(m, d)
        d.qpos[k] = bad
        corten.mj_kinematics(m, d)
        corten.mj_collision(m, d)
    corten.mj_resetData(m, d)
    m.geom_size[:] = bad
    m.geom_rbound[:] = bad
    corten.mj_kinematics(m, d)
    corten.mj_collision(m, d)
