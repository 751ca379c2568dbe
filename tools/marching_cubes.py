"""Finds out how MuJoCo triangulates the cells of a signed distance field, and writes it as a Rust table.

MuJoCo meshes the shapes of its SDF plugins by marching cubes. Which triangles a cell gets, and in which order, is
read off the meshes of bowls with thin walls and of bolts, which cut cells in almost all ways. What never occurs there is
triangulated here, by the same rule: on a face with two opposite corners inside, these stay apart.

usage: marching_cubes.py OUT.rs
"""
import collections
import sys

import mujoco
import numpy as np

# Corners are numbered by bits: x, y, z. Edges: along x, along y, along z, by the other two bits.
CORNERS = [(v & 1, v >> 1 & 1, v >> 2) for v in range(8)]
EDGES = [(v, v + step) for step in (1, 2, 4) for v in range(8) if not v & step]
FACES = [(0, 2, 6, 4), (1, 5, 7, 3), (0, 4, 5, 1), (2, 3, 7, 6), (0, 1, 3, 2), (4, 6, 7, 5)]


def bowl(p, height, radius, thickness):
    width = np.sqrt(radius * radius - height * height)
    across, z = np.sqrt(p[0] * p[0] + p[1] * p[1]), p[2]
    rim = np.sqrt((across - width) ** 2 + (z - height) ** 2)
    wall = np.abs(np.sqrt(across * across + z * z) - radius)
    return np.where(height * across < width * z, rim, wall) - thickness


def bolt(p, radius):
    x, y, z = p
    turn, beyond, slant = np.arctan2(y, x), np.sqrt(x * x + y * y) - radius, np.sqrt(2) / 2
    climb = z * 12 - turn / np.pi / 2
    thread = (beyond - np.abs(climb - np.floor(climb) - 0.5) / 12) * slant
    shaft = np.maximum(thread, -(0.5 - np.abs(z + 0.5)))
    shaft = np.maximum(shaft, -((z - beyond) * slant + slant))
    sides = 6 / np.pi / 2
    angle = -np.floor(turn * sides + 0.5) / sides
    head = np.sin(angle + np.pi * 0.5) * x - np.sin(angle) * y - 0.5
    head = np.maximum(np.maximum(head, np.abs(z + 0.25) - 0.25), (z + beyond - 0.22) * slant)
    return np.minimum(shaft, head)


def observe(shape, half, table, **values):
    """Adds the triangles of all cells of a shape in a box of these half-lengths."""
    config = "".join(f'<config key="{key}" value="{value!r}"/>' for key, value in values.items())
    kind = f"mujoco.sdf.{shape.__name__}"
    model = mujoco.MjModel.from_xml_string(f"""<mujoco><extension><plugin plugin="{kind}"/></extension>
        <asset><mesh name="m" inertia="shell"><plugin plugin="{kind}">{config}</plugin></mesh></asset></mujoco>""")
    size = [int(np.floor(300 / sum(half) * h)) + 1 for h in half]
    axes = [-h + 2 * h * np.arange(n) / (n - 1) for h, n in zip(half, size)]
    inside = shape(np.meshgrid(*axes, indexing="ij"), **values).astype(np.float32) < 0
    nx, ny, nz = size
    cut = [inside[i:nx - 1 + i, j:ny - 1 + j, k:nz - 1 + k].astype(int) << v for v, (i, j, k) in enumerate(CORNERS)]
    cases = sum(cut)
    cells = np.argwhere((cases > 0) & (cases < 255))
    cells = cells[np.lexsort(cells.T)]
    vertices, at = {}, 0
    for cell in cells:
        case, own = int(cases[tuple(cell)]), {}
        for edge, (a, b) in enumerate(EDGES):
            if case >> a & 1 != case >> b & 1:
                place = (*(cell + CORNERS[a]), edge // 4)
                own[vertices.setdefault(place, len(vertices))] = edge
        # Faces follow the order of cells; vertices are shared with cells before.
        found = []
        while at < len(model.mesh_face) and all(int(v) in own for v in model.mesh_face[at]):
            found.append(tuple(own[int(v)] for v in model.mesh_face[at]))
            at += 1
        table[case][tuple(found)] += 1
    assert (len(vertices), at) == (model.nmeshvert, len(model.mesh_face)), "the cells are not those of MuJoCo"


def triangulate(case):
    """Loops around the corners inside, each as a fan."""
    edge_of = {frozenset(pair): i for i, pair in enumerate(EDGES)}
    follows = {}
    for face in FACES:
        sign = [case >> v & 1 for v in face]
        # From where the boundary of the face enters the inside to where it leaves it.
        for i in range(4):
            if sign[i] and not sign[i - 1]:
                j = i
                while sign[(j + 1) % 4]:
                    j += 1
                enter, leave = frozenset((face[i - 1], face[i])), frozenset((face[j % 4], face[(j + 1) % 4]))
                follows[edge_of[leave]] = edge_of[enter]
    triangles = []
    while follows:
        loop = [min(follows)]
        while loop[0] != follows[loop[-1]]:
            loop.append(follows.pop(loop[-1]))
        follows.pop(loop[-1])
        triangles += [(loop[0], loop[k], loop[k + 1]) for k in range(1, len(loop) - 1)]
    return triangles


def rotations(triangles):
    """The set of triangles, wherever each starts."""
    return {min(t[k:] + t[:k] for k in range(3)) for t in triangles}


def main(out):
    table = collections.defaultdict(collections.Counter)
    for thickness in (0.02, 0.005, 0.002):
        for height, radius in ((0.1, 0.37), (0.5, 1.0)):
            observe(bowl, [radius + thickness] * 3, table, height=height, radius=radius, thickness=thickness)
    for radius in (0.02, 0.1, 0.255, 0.4):
        observe(bolt, [0.6, 0.6, 1.0], table, radius=radius)
    rows = []
    for case in range(256):
        assert len(table[case]) <= 1, f"case {case} is not always triangulated alike"
        own = triangulate(case) if 0 < case < 255 else []
        found = list(next(iter(table[case]), own))
        assert len(found) == len(own), f"case {case} has other loops"
        if len(found) == 1:
            assert rotations(found) == rotations(own), f"case {case} winds the other way"
        rows.append("".join(f"{edge:x}" for triangle in found for edge in triangle))
    print(f"{sum(map(len, table.values()))} of 254 cases observed")
    with open(out, "w", encoding="utf-8") as file:
        file.write("//! How marching cubes triangulates a cell; made by `tools/marching_cubes.py`.\n\n")
        file.write("/// By the corners inside, a bit each: edges of the triangles, a hexadecimal digit each.\n")
        file.write("#[rustfmt::skip]\npub(super) const TRIANGLES: [&str; 256] = [\n")
        for first in range(0, 256, 8):
            file.write("    " + " ".join(f'"{row}",' for row in rows[first:first + 8]) + "\n")
        file.write("];\n")


if __name__ == "__main__":
    main(sys.argv[1])
