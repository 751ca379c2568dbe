#!/usr/bin/env python3
"""Reference rays and distances of MuJoCo 3.4.0.

    tools/golden_queries.py                           # the committed file
    tools/golden_queries.py out.cfa --states 100      # a large one, for GOLDEN_QUERIES=out.cfa cargo test

One scene holds geoms of every type, some hidden or in another group, and two flexes. Each state scatters
the moving ones and asks for single rays, bundles of rays, rays at the flexes, and distances of pairs.
See crates/corten-sim/tests/queries.rs.
"""
import argparse
import numpy as np
import mujoco
import golden

MOVING = ["sphere' size='0.3", "capsule' size='0.2 0.5", "ellipsoid' size='0.2 0.4 0.6", "cylinder' size='0.3 0.4",
          "box' size='0.2 0.3 0.5", "mesh' mesh='stone", "mesh' mesh='dent", "box' size='0.4 0.1 0.3", "mesh' mesh='stone"]
RAYS, BUNDLE, FLEX_RAYS, DISTANCES = 30, 24, 8, 12


def scene(rng):
    text = lambda a: " ".join(f"{x:.4f}" for x in np.ravel(a))
    stone = rng.standard_normal((20, 3))
    stone *= 0.5 / np.linalg.norm(stone, axis=1)[:, None] * [1, 0.8, 0.6]
    # A non-convex surface: a closed fan with one vertex pushed in.
    t = np.arange(6) * np.pi / 3
    ring = np.stack([0.4 * np.cos(t), 0.4 * np.sin(t), 0 * t], 1)
    dent = np.concatenate([ring, [[0, 0, -0.1], [0, 0, -0.4]]])
    faces = [f for k in range(6) for f in ((k, (k + 1) % 6, 6), ((k + 1) % 6, k, 7))]
    xml = f"""<mujoco><asset>
      <mesh name='stone' vertex='{text(stone)}'/>
      <mesh name='dent' vertex='{text(dent)}' face='{" ".join(str(i) for f in faces for i in f)}'/>
      <hfield name='hills' nrow='7' ncol='9' size='2 1.5 0.6 0.2' elevation='{text(rng.uniform(0, 1, (7, 9)))}'/>
      <material name='glass' rgba='1 1 1 0'/></asset><worldbody>
      <geom type='plane' size='3 2 1' pos='0 0 -2' euler='10 5 0'/>
      <geom type='hfield' hfield='hills' pos='0.2 0.1 -1.5' euler='-8 4 20' group='1'/>"""
    for k, kind in enumerate(MOVING):
        look = ["", "group='2'", "rgba='1 0 0 0'", "material='glass'"][k % 4 if k > 4 else k % 2]
        xml += f"<body name='b{k}' mocap='true'><geom type='{kind}' {look}/>"
        xml += "<geom type='sphere' size='0.1' pos='0.5 0 0.2'/></body>" if k % 3 == 0 else "</body>"
    xml += """<flexcomp name='cloth' type='grid' dim='2' count='4 3 1' spacing='0.3 0.3 0.3' radius='0.02' mass='1'><edge equality='true'/></flexcomp>
      <flexcomp name='block' type='grid' dim='3' count='3 3 3' spacing='0.2 0.2 0.2' radius='0.02' mass='1'><edge equality='true'/></flexcomp>"""
    return mujoco.MjModel.from_xml_string(xml + "</worldbody></mujoco>")


def aim(rng, targets):
    """A ray near one of the targets; now and then along an axis or from within."""
    target = targets[rng.integers(len(targets))] + 0.2 * rng.standard_normal(3)
    vec = rng.standard_normal(3) * rng.uniform(0.3, 2)
    if rng.random() < 0.2:
        vec[rng.integers(3)] = 0
    return target - vec * rng.choice([0.05, 1.0]), vec


def generate(states, seed):
    rng = np.random.default_rng(seed)
    m = scene(rng)
    d = mujoco.MjData(m)
    out = golden.model_arrays(m)
    add = lambda name, value: out.setdefault("query." + name, []).append(np.array(value, np.float64).ravel())
    moving = np.flatnonzero(m.geom_bodyid > 0)
    for _ in range(states):
        d.mocap_pos[:] = rng.uniform(-1.2, 1.2, d.mocap_pos.shape)
        d.mocap_quat[:] = rng.standard_normal(d.mocap_quat.shape)
        d.qpos[:] = m.qpos0 + 0.05 * rng.standard_normal(m.nq)
        mujoco.mj_forward(m, d)
        for field in "geom_xpos geom_xmat xipos flexvert_xpos".split():
            add(field, getattr(d, field))
        for _ in range(RAYS):
            pnt, vec = aim(rng, d.geom_xpos)
            group = (rng.random(6) < 0.7).astype(np.uint8) if rng.random() < 0.5 else None
            static, exclude = int(rng.random() < 0.7), int(rng.integers(-1, m.nbody))
            geom = np.array([-1], np.int32)
            dist = mujoco.mj_ray(m, d, pnt, vec, group, static, exclude, geom)
            add("ray", [*pnt, *vec, group is not None, *(np.zeros(6) if group is None else group), static, exclude, dist, geom[0]])
        pnt = rng.uniform(-1.5, 1.5, 3)
        vecs = d.geom_xpos[rng.integers(m.ngeom, size=BUNDLE)] - pnt + 0.2 * rng.standard_normal((BUNDLE, 3))
        dist, geom, cutoff = np.zeros(BUNDLE), np.zeros(BUNDLE, np.int32), rng.choice([0.8, 10.0])
        mujoco.mj_multiRay(m, d, pnt, vecs.ravel(), None, 1, -1, geom, dist, BUNDLE, cutoff)
        add("bundle", [*pnt, cutoff, *vecs.ravel(), *dist, *geom])
        for k in range(FLEX_RAYS):
            flex = k % m.nflex
            adr = m.flex_vertadr[flex]
            pnt, vec = aim(rng, d.flexvert_xpos[adr : adr + m.flex_vertnum[flex]])
            parts, layer = rng.integers(0, 2, 4), int(rng.integers(0, 2))
            vert = np.array([-1], np.int32)
            dist = mujoco.mju_rayFlex(m, d, layer, *(int(p) for p in parts), flex, pnt, vec, vert)
            add("flex", [flex, layer, *parts, *pnt, *vec, dist, vert[0] if dist >= 0 else -1])
        for _ in range(DISTANCES):
            g1, g2 = rng.choice(moving, 2, replace=False)
            if rng.random() < 0.3:
                g1 = rng.integers(2)
            if rng.random() < 0.5:
                g1, g2 = g2, g1
            distmax, fromto = rng.choice([0.1, 1.0, 1e3]), np.zeros(6)
            add("distance", [g1, g2, distmax, mujoco.mj_geomDistance(m, d, g1, g2, distmax, fromto), *fromto])
    arrays = {k: (np.concatenate(v).astype(np.float64) if isinstance(v, list) else v) for k, v in out.items()}
    arrays["query.counts"] = np.array([states, RAYS, BUNDLE, FLEX_RAYS, DISTANCES], np.int32)
    return {k: (v.astype(np.int32) if v.dtype == np.int64 else v) for k, v in arrays.items()}


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("out", nargs="?", default=golden.ROOT / "crates/corten-sim/tests/golden/queries.cfa")
    ap.add_argument("--states", type=int, default=10)
    ap.add_argument("--seed", type=int, default=1)
    a = ap.parse_args()
    golden.write(a.out, generate(a.states, a.seed))


if __name__ == "__main__":
    main()
