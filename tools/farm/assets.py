"""Meshes, height fields, textures, materials and models to attach."""
import struct

import numpy as np

from draw import element, numbers


def cloud(d, count):
    """Points of a body of any shape: a blob, a flat box with many points on one plane, or a cylinder."""
    kind = d.integer(0, 2)
    if kind == 0:
        return d.rng.normal(0, 0.06, (count, 3))
    if kind == 1:
        return np.round(d.rng.uniform(-0.1, 0.1, (count, 3)), 1 + d.integer(0, 1)) + [[0, 0, 0]]
    angle = 2 * np.pi * np.arange(count) / (count // 2 or 1)
    return np.stack([0.08 * np.cos(angle), 0.08 * np.sin(angle), 0.05 * np.where(np.arange(count) % 2, 1, -1)], 1)


def polyhedron(d):
    """Vertices and triangles of a closed surface: a grid bent to a sphere, with bumps."""
    n, m = d.integer(3, 7), d.integer(3, 8)
    size, bumps = d.rng.uniform(0.04, 0.12, 3), d.pick([0.0, 0.2])
    points = [[0, 0, size[2]], [0, 0, -size[2]]]
    for i in range(1, n):
        for j in range(m):
            a, b = np.pi * i / n, 2 * np.pi * j / m
            r = 1 + bumps * d.rng.uniform(-1, 1)
            points.append(r * size * [np.sin(a) * np.cos(b), np.sin(a) * np.sin(b), np.cos(a)])
    at = lambda i, j: 2 + (i - 1) * m + j % m
    faces = []
    for j in range(m):
        faces += [(0, at(1, j), at(1, j + 1)), (1, at(n - 1, j + 1), at(n - 1, j))]
        for i in range(1, n - 1):
            faces += [(at(i, j), at(i + 1, j), at(i + 1, j + 1)), (at(i, j), at(i + 1, j + 1), at(i, j + 1))]
    return np.array(points), faces


def obj(d, points, faces):
    lines = [f"v {numbers(np.round(p, 6))}" for p in points]
    style = d.integer(0, 2)
    corner = [lambda i: f"{i + 1}", lambda i: f"{i + 1}//{1}", lambda i: f"{i - len(points)}"][style]
    if style == 1:
        lines.append("vn 0 0 1")
    return "\n".join(lines + ["f " + " ".join(corner(i) for i in f) for f in faces]).encode()


def stl(points, faces):
    out = b"\0" * 80 + struct.pack("<I", len(faces))
    for f in faces:
        out += struct.pack("<3f", 0, 0, 0) + b"".join(struct.pack("<3f", *points[i]) for i in f) + b"\0\0"
    return out


def msh(points, faces):
    flat = np.array(faces, "<i4").tobytes()
    return struct.pack("<4i", len(points), 0, 0, len(faces)) + np.array(points, "<f4").tobytes() + flat


def mesh(d, asset):
    e = element(asset, "mesh", name=d.name("mesh"))
    kind = d.pick(["obj", "stl", "msh", "points", "inline", "builtin"])
    points, faces = polyhedron(d)
    if kind in ("obj", "stl", "msh"):
        file = f"{d.prefix}mesh{len(d.files)}.{kind}"
        d.files[file] = obj(d, points, faces) if kind == "obj" else stl(points, faces) if kind == "stl" else msh(points, faces)
        e.set("file", file)
    elif kind == "points":
        e.set("vertex", numbers(cloud(d, d.integer(6, 40)).ravel()))
    elif kind == "inline":
        e.set("vertex", numbers(points.ravel()))
        e.set("face", " ".join(str(i) for f in faces for i in f))
    else:
        shape, parameters = d.pick([
            ("sphere", "1"), ("hemisphere", "2"), ("cone", "7 0.2"), ("supertorus", "8 0.4 0.6 0.9"), ("supersphere", "8 0.5 1.4"),
        ])
        e.set("builtin", shape)
        e.set("params", parameters)
        e.set("scale", numbers([0.1, 0.08, 0.09]))
    if kind != "builtin":
        d.maybe(e, 0.25, scale=lambda: numbers([d.value(0.5, 1.5) * d.pick([1, 1, -1]) for _ in range(3)]))
    d.maybe(e, 0.2, refpos=lambda: d.values(-0.05, 0.05, 3), refquat=lambda: d.normal(1, 4),
            inertia=lambda: d.pick(["convex", "legacy", "exact", "shell"]), smoothnormal=lambda: d.switch(),
            maxhullvert=lambda: str(d.integer(6, 30)))
    return e


def hfield(d, asset):
    rows, columns = d.integer(2, 7), d.integer(2, 7)
    e = element(asset, "hfield", name=d.name("hfield"), nrow=str(rows), ncol=str(columns),
                size=numbers([d.value(0.3, 2), d.value(0.3, 2), d.value(0.05, 0.5), d.value(0.01, 0.2)]))
    if d.chance(0.8):
        e.set("elevation", numbers(np.round(d.rng.uniform(0, 1, rows * columns), 3)))


def assets(d, root):
    asset = element(root, "asset")
    for _ in range(d.pick([0, 0, 1, 2])):
        mesh(d, asset)
    for _ in range(d.pick([0, 0, 0, 1])):
        hfield(d, asset)
    if d.chance(0.2):
        element(asset, "texture", name=d.name("texture"), type=d.pick(["2d", "cube"]), builtin=d.pick(["flat", "checker", "gradient"]),
                width="8", height="8" if d.chance(0.5) else "48", rgb1=".1 .2 .3", rgb2="1 1 1")
        element(asset, "material", name=d.name("material"), texture=d.any("texture"), reflectance=".3", texrepeat="2 3")
    elif d.chance(0.2):
        element(asset, "material", name=d.name("material"), rgba=".1 .2 .3 .4")
    return asset
