#!/usr/bin/env python3
"""Reference contacts of MuJoCo 3.4.0 for random poses of every pair of geom types.

    tools/golden_pairs.py                             # the committed file
    tools/golden_pairs.py out.cfa --poses 10000       # a large one, for GOLDEN_PAIRS=out.cfa cargo test

One model holds a few geoms of every type on mocap bodies, parked far from each other, and lists every
combination of types as explicit contact pairs. Each sample brings the two geoms of one pair together:
half of them at random, half turned by multiples of 90 degrees and shifted by round numbers, where
ties decide. Poses are rounded to single precision. See crates/corten-sim/tests/collision_pairs.rs.

Of another 10^4 poses per pair of types, only the number of contacts and the sum of their depths are
kept: the poses themselves are drawn from a generator that the test has as well.
"""
import argparse, itertools
import numpy as np
import mujoco
import golden

TYPES = "plane hfield sphere capsule ellipsoid cylinder box mesh".split()
GEOMS = dict(
    plane=["size='1 1 1'"],
    hfield=["hfield='hills'"],
    sphere=["size='0.3'", "size='0.5'"],
    capsule=["size='0.2 0.5'", "size='0.3 0.3'"],
    ellipsoid=["size='0.2 0.4 0.6'", "size='0.5 0.3 0.3'"],
    cylinder=["size='0.2 0.5'", "size='0.4 0.15'"],
    box=["size='0.2 0.3 0.5'", "size='0.3 0.3 0.3'", "size='0.6 0.4 0.05'"],
    mesh=["mesh='stone'", "mesh='cube'", "mesh='wedge'"],
)


def scene(rng):
    stone = rng.standard_normal((24, 3))
    stone *= 0.4 / np.linalg.norm(stone, axis=1)[:, None] * [1, 0.8, 0.6]
    cube = np.array(list(itertools.product([-0.3, 0.3], repeat=3)))
    wedge = np.array([[-0.4, -0.3, -0.2], [0.4, -0.3, -0.2], [-0.4, 0.3, -0.2], [0.4, 0.3, -0.2], [-0.4, 0, 0.3], [0.4, 0, 0.3]])
    text = lambda a: " ".join(f"{x:.4f}" for x in np.ravel(a))
    hills = rng.uniform(0, 1, (8, 10))
    xml = f"""<mujoco><asset>
      <mesh name='stone' vertex='{text(stone)}'/><mesh name='cube' vertex='{text(cube)}'/><mesh name='wedge' vertex='{text(wedge)}'/>
      <hfield name='hills' nrow='8' ncol='10' size='2 1.5 0.4 0.3' elevation='{text(hills)}'/></asset><worldbody>"""
    geoms, parked = {}, 0
    for kind in TYPES:
        for k, attributes in enumerate(GEOMS[kind]):
            geoms.setdefault(kind, []).append(f"{kind}{k}")
            pos = "0 0 -10000" if kind == "plane" else f"{100 * (parked := parked + 1)} 0 0"
            xml += f"<body mocap='true' pos='{pos}'><geom name='{kind}{k}' type='{kind}' {attributes} contype='0' conaffinity='0'/></body>"
    xml += "</worldbody><contact>"
    count = 0
    for i, kind1 in enumerate(TYPES):
        for kind2 in TYPES[i:]:
            if kind2 in ("plane", "hfield"):
                continue
            pairs = itertools.combinations(geoms[kind1], 2) if kind1 == kind2 else itertools.product(geoms[kind1], geoms[kind2])
            for g1, g2 in pairs:
                xml += f"<pair geom1='{g1}' geom2='{g2}' margin='{0.02 * (count % 3)}'/>"
                count += 1
    return mujoco.MjModel.from_xml_string(xml + "</contact></mujoco>")


def turns():
    """The quaternions of the rotations that keep the axes."""
    h = np.sqrt(0.5)
    out = [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]
    for k, s in itertools.product(range(3), (h, -h)):
        q = [h, 0, 0, 0]
        q[k + 1] = s
        out.append(q)
    return np.array(out)


def sample(rng, m, kind1, g1, g2, turned):
    """Poses of the two geoms: position and quaternion each, in single precision."""
    if turned:
        q1, q2 = turns()[rng.integers(10, size=2)]
    else:
        q1, q2 = rng.standard_normal((2, 4))
    if kind1 == "hfield" and not turned:
        q1 = np.array([1, *0.2 * rng.standard_normal(3)])
    q1, q2 = q1 / np.linalg.norm(q1), q2 / np.linalg.norm(q2)
    p1 = np.round(rng.uniform(-1, 1, 3), 1 if turned else 8)
    r1, r2 = m.geom_rbound[g1], m.geom_rbound[g2]
    if kind1 == "plane":
        offset = np.array([*rng.uniform(-3, 3, 2), rng.uniform(-0.3, 1.05) * r2])
    elif kind1 == "hfield":
        offset = np.array([*rng.uniform(-2.1, 2.1, 2), rng.uniform(-0.2, 0.6)])
    else:
        offset = rng.standard_normal(3)
        if turned and rng.random() < 0.5:
            offset[rng.integers(3)] = 0
        offset *= rng.uniform(0.1, 1.0) * (r1 + r2) / np.linalg.norm(offset)
    if turned:
        offset = np.round(offset, 1)
    world = np.zeros(3)
    mujoco.mju_rotVecQuat(world, offset, q1)
    return np.concatenate([p1, q1, p1 + world, q2]).astype(np.float32)


# Depths are whole multiples of this.
DEPTH_UNIT = 2.0**-26


def uniform(seed, draws):
    """`draws` numbers in [0, 1) for each seed: SplitMix64."""
    golden_ratio = np.uint64(0x9E3779B97F4A7C15)
    state = seed[:, None] + golden_ratio * np.arange(1, draws + 1, dtype=np.uint64)
    state = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    state = (state ^ (state >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return (state ^ (state >> np.uint64(31))) // np.uint64(1 << 11) * 2.0**-53


def drawn_poses(number, kind1, r1, r2, turned):
    """Poses like those of `sample`, for samples of the given numbers. Nothing but sums, products, quotients
    and roots, in this order: the test draws the same bits."""
    u = uniform(number, 20).T
    centered = 2 * u - 1
    unit = lambda q: q / np.sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    tenths = lambda x: np.floor(10 * x + 0.5) / 10
    table = turns().T
    q1, q2 = centered[0:4], centered[4:8]
    if kind1 == "hfield":
        q1 = np.stack([np.ones_like(u[0]), *0.4 * centered[1:4]])
    q1 = np.where(turned, table[:, (10 * u[0]).astype(int)], unit(q1))
    q2 = np.where(turned, table[:, (10 * u[4]).astype(int)], unit(q2))
    p1 = np.where(turned, tenths(centered[8:11]), centered[8:11])
    if kind1 == "plane":
        offset = np.stack([6 * u[11] - 3, 6 * u[12] - 3, (1.35 * u[13] - 0.3) * r2])
    elif kind1 == "hfield":
        offset = np.stack([4.2 * u[11] - 2.1, 4.2 * u[12] - 2.1, 0.8 * u[13] - 0.2])
    else:
        v = centered[11:14].copy()
        flat = turned & (u[14] < 0.5)
        for k in range(3):
            v[k] = np.where(flat & ((3 * u[15]).astype(int) == k), 0, v[k])
        length = np.sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])
        offset = v * ((0.9 * u[16] + 0.1) * (r1 + r2) / length)
    offset = np.where(turned, tenths(offset), offset)
    cross = lambda a, b: np.stack([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])
    twice = 2 * cross(q1[1:], offset)
    world = offset + q1[0] * twice + cross(q1[1:], twice)
    return np.concatenate([p1, q1, p1 + world, q2]).T.astype(np.float32)


def place(m, d, home, geoms, pose):
    d.mocap_pos[:], d.mocap_quat[:] = home
    for g, x in zip(geoms, (pose[:7], pose[7:])):
        mocap = m.body_mocapid[m.geom_bodyid[g]]
        d.mocap_pos[mocap], d.mocap_quat[mocap] = x[:3], x[3:]
    mujoco.mj_kinematics(m, d)
    mujoco.mj_collision(m, d)


def generate_many(m, by_kinds, poses):
    """Numbers of contacts, and sums of their depths where there are any."""
    d = mujoco.MjData(m)
    home = d.mocap_pos.copy(), d.mocap_quat.copy()
    counts, depths = [], []
    for t, ((type1, _), pairs) in enumerate(sorted(by_kinds.items())):
        k = np.arange(poses)
        _, g1, g2 = np.array(pairs).T[:, k % len(pairs)]
        number = (np.uint64(t << 32) + k.astype(np.uint64)) * np.uint64(0xD1342543DE82EF95)
        turned = k // len(pairs) % 2 == 1
        drawn = drawn_poses(number, TYPES[type1], m.geom_rbound[g1], m.geom_rbound[g2], turned)
        for a, b, pose in zip(g1, g2, drawn):
            place(m, d, home, (a, b), pose)
            dist = d.contact.dist[(d.contact.geom == (a, b)).all(axis=1)] if d.ncon else np.zeros(0)
            counts.append(len(dist))
            if len(dist):
                depths.append(round(float(np.sum(dist)) / DEPTH_UNIT))
    return np.array(counts, np.uint8), np.array(depths, np.int32)


def generate(poses, seed, many):
    rng = np.random.default_rng(seed)
    m = scene(rng)
    d = mujoco.MjData(m)
    home = d.mocap_pos.copy(), d.mocap_quat.copy()
    by_kinds = {}
    for p in range(m.npair):
        g1, g2 = m.pair_geom1[p], m.pair_geom2[p]
        if m.geom_type[g1] > m.geom_type[g2]:
            g1, g2 = g2, g1
        by_kinds.setdefault((m.geom_type[g1], m.geom_type[g2]), []).append((p, g1, g2))
    out = dict(pair=[], pose=[], count=[], dist=[], pos=[], normal=[])
    for (type1, _), pairs in sorted(by_kinds.items()):
        for k in range(poses):
            p, g1, g2 = pairs[k % len(pairs)]
            pose = sample(rng, m, TYPES[type1], g1, g2, k // len(pairs) % 2)
            place(m, d, home, (g1, g2), pose)
            out["pair"].append(p)
            out["pose"].append(pose)
            # A tilted plane also meets geoms that are parked.
            contacts = [c for c in d.contact if set(c.geom) == {g1, g2}]
            out["count"].append(len(contacts))
            for c in contacts:
                out["dist"].append(c.dist)
                out["pos"].append(c.pos.copy())
                out["normal"].append(c.frame[:3].copy())
    arrays = golden.model_arrays(m)
    kinds = dict(pair=np.int32, pose=np.float32, count=np.uint8, dist=np.float64, pos=np.float32, normal=np.float32)
    for name, kind in kinds.items():
        arrays["sample." + name] = np.array(out[name], kind)
    arrays["many.count"], arrays["many.depth"] = generate_many(m, by_kinds, many)
    return {k: (v.astype(np.int32) if v.dtype == np.int64 else v) for k, v in arrays.items()}


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("out", nargs="?", default=golden.ROOT / "crates/corten-sim/tests/golden/pairs.cfa")
    ap.add_argument("--poses", type=int, default=80, help="per pair of types")
    ap.add_argument("--many", type=int, default=10000, help="poses per pair of types of which little is kept")
    ap.add_argument("--seed", type=int, default=1)
    a = ap.parse_args()
    golden.write(a.out, generate(a.poses, a.seed, a.many))


if __name__ == "__main__":
    main()
