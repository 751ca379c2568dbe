"""Draws scenes with deformables as SVG: what docs/flex.md shows.

    python tools/draw_flex.py [--out docs] [SCENE.xml ...]

Each scene is stepped for a while and drawn from an oblique angle: triangles of flexes and simple geoms,
sorted by depth and shaded.
"""

import argparse
import pathlib

import numpy as np

import corten.mujoco as mujoco

ROOT = pathlib.Path(__file__).resolve().parent.parent
SIZE = 360
LIGHT = np.array([-0.3, -0.6, 0.75]) / np.linalg.norm([-0.3, -0.6, 0.75])


def view(azimuth=-60.0, elevation=25.0):
    """Rows: right, up, towards the viewer."""
    a, e = np.radians([azimuth, elevation])
    towards = np.array([np.cos(e) * np.cos(a), np.cos(e) * np.sin(a), np.sin(e)])
    right = np.cross([0, 0, 1], towards)
    right /= np.linalg.norm(right)
    return np.array([right, np.cross(towards, right), towards])


def sphere(n=16):
    """Points of a unit sphere on a grid of angles, as quadrilaterals."""
    t, p = np.meshgrid(np.linspace(0, np.pi, n), np.linspace(0, 2 * np.pi, 2 * n))
    x = np.stack([np.sin(t) * np.cos(p), np.sin(t) * np.sin(p), np.cos(t)], -1)
    return quads(x)


def cylinder(n=24):
    p = np.linspace(0, 2 * np.pi, n + 1)
    ring = np.stack([np.cos(p), np.sin(p)], -1)
    side = np.stack([np.c_[ring, -np.ones(n + 1)], np.c_[ring, np.ones(n + 1)]], 1)
    return quads(side) + [np.c_[ring, z * np.ones(n + 1)] for z in (-1, 1)]


def quads(x):
    return [
        np.array([x[i, j], x[i + 1, j], x[i + 1, j + 1], x[i, j + 1]])
        for i in range(x.shape[0] - 1)
        for j in range(x.shape[1] - 1)
    ]


def box():
    corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float)
    return [corners[list(f)] for f in ((0, 1, 3, 2), (4, 5, 7, 6), (0, 1, 5, 4), (2, 3, 7, 6), (0, 2, 6, 4), (1, 3, 7, 5))]


def geom_faces(m, d, g):
    size, kind = m.geom_size[g], m.geom_type[g]
    types = mujoco.mjtGeom
    if kind == types.mjGEOM_PLANE:
        half = np.minimum(np.where(size[:2] > 0, size[:2], 1.0), 0.6)
        local = [np.array([[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]]) * [*half, 1]]
    elif kind == types.mjGEOM_SPHERE:
        local = [f * size[0] for f in sphere()]
    elif kind == types.mjGEOM_CYLINDER:
        local = [f * [size[0], size[0], size[1]] for f in cylinder()]
    elif kind == types.mjGEOM_BOX:
        local = [f * size for f in box()]
    else:
        return []
    rotation = d.geom_xmat[g].reshape(3, 3)
    return [f @ rotation.T + d.geom_xpos[g] for f in local]


def flex_faces(m, d, f):
    """Triangles of a surface, those of a solid that belong to one element only, segments of a rope."""
    dim = m.flex_dim[f]
    start, count = m.flex_elemdataadr[f], m.flex_elemnum[f]
    elements = m.flex_elem[start : start + count * (dim + 1)].reshape(count, dim + 1)
    vertices = d.flexvert_xpos[m.flex_vertadr[f] :][: m.flex_vertnum[f]]
    if dim == 3:
        seen = {}
        for element in elements:
            for skipped in range(4):
                face = tuple(np.delete(element, skipped))
                seen.setdefault(tuple(sorted(face)), []).append(face)
        elements = [faces[0] for faces in seen.values() if len(faces) == 1]
    return [vertices[list(element)] for element in elements]


def draw(path, steps):
    m = mujoco.MjModel.from_xml_path(str(path))
    d = mujoco.MjData(m)
    mujoco.mj_step(m, d, steps)
    faces = [(face, m.geom_rgba[g][:3]) for g in range(m.ngeom) for face in geom_faces(m, d, g)]
    faces += [(face, m.flex_rgba[f][:3]) for f in range(m.nflex) for face in flex_faces(m, d, f)]
    eye = view()
    shown = [(face @ eye.T, color) for face, color in faces]
    flat = np.concatenate([face[:, :2] for face, _ in shown])
    low, high = flat.min(0), flat.max(0)
    scale = (SIZE - 20) / (high - low).max()
    place = lambda x: (x - (low + high) / 2) * [scale, -scale] + SIZE / 2
    # The floor first, then from the back to the front.
    shown.sort(key=lambda item: (np.ptp(item[0][:, :2]) < 0.8, item[0][:, 2].mean()))
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {SIZE} {SIZE}" width="{SIZE}" height="{SIZE}">']
    for face, color in shown:
        points = " ".join(f"{x:.1f},{y:.1f}" for x, y in place(face[:, :2]))
        if len(face) == 2:
            rgb = ",".join(str(int(255 * c)) for c in color)
            lines.append(f'<polyline points="{points}" stroke="rgb({rgb})" stroke-width="6" stroke-linecap="round"/>')
            continue
        normal = np.cross(face[1] - face[0], face[2] - face[0])
        normal /= max(np.linalg.norm(normal), 1e-12)
        shade = 0.45 + 0.55 * abs(normal @ (eye @ LIGHT))
        rgb = ",".join(str(int(255 * min(1.0, shade * c))) for c in color)
        lines.append(f'<polygon points="{points}" fill="rgb({rgb})" stroke="rgb({rgb})" stroke-width="0.6"/>')
    return "\n".join([*lines, "</svg>"]) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scenes", nargs="*", type=pathlib.Path, default=sorted((ROOT / "scenes/flex").glob("*.xml")))
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "docs")
    parser.add_argument("--steps", type=int, default=400)
    args = parser.parse_args()
    for scene in args.scenes:
        target = args.out / f"flex_{scene.stem}.svg"
        target.write_text(draw(scene, args.steps))
        print(target)


if __name__ == "__main__":
    main()
