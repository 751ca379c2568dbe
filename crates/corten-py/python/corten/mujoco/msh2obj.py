"""Turns a mesh in MuJoCo's older binary format into an OBJ text.

    python -m corten.mujoco.msh2obj -i MESH.msh -o MESH.obj
"""
import argparse
import dataclasses
import pathlib

import numpy as np


@dataclasses.dataclass(frozen=True)
class Msh:
    """What such a file holds: four counts, then positions, normals, texture coordinates and triangles."""

    vertex_positions: np.ndarray
    vertex_normals: np.ndarray
    vertex_texcoords: np.ndarray
    face_vertex_indices: np.ndarray

    @staticmethod
    def create(file):
        """Reads a file; ValueError if it is not as long as its counts say."""
        content = pathlib.Path(file).read_bytes()
        if len(content) < 16:
            raise ValueError(f"'{file}' is too short for the counts of a mesh")
        counts = np.frombuffer(content, np.int32, 4)
        widths, kinds = (3, 3, 2, 3), (np.float32, np.float32, np.float32, np.int32)
        sizes = [4 * width * int(count) for width, count in zip(widths, counts)]
        if counts.min() < 0 or 16 + sum(sizes) != len(content):
            raise ValueError(f"'{file}' has {len(content)} bytes; its counts {counts.tolist()} ask for "
                             f"{16 + sum(sizes)}")
        parts, at = [], 16
        for width, kind, size in zip(widths, kinds, sizes):
            parts.append(np.frombuffer(content[at:at + size], kind).reshape(-1, width).copy())
            at += size
        # In an OBJ file, v grows upwards.
        parts[2][:, 1] = 1 - parts[2][:, 1]
        return Msh(*parts)


def msh_to_obj(msh_file):
    """The OBJ text of a file."""
    mesh = Msh.create(msh_file)
    lines = [f"v {x} {y} {z}" for x, y, z in mesh.vertex_positions]
    lines += [f"vn {x} {y} {z}" for x, y, z in mesh.vertex_normals]
    lines += [f"vt {u} {v}" for u, v in mesh.vertex_texcoords]
    normals, texcoords = len(mesh.vertex_normals) > 0, len(mesh.vertex_texcoords) > 0

    def corner(i):
        if normals:
            return f"{i}/{i if texcoords else ''}/{i}"
        return f"{i}/{i}" if texcoords else f"{i}"

    lines += ["f " + " ".join(corner(i + 1) for i in face) for face in mesh.face_vertex_indices.tolist()]
    return "\n".join(lines) + "\n"


def main():
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-i", "--input", required=True, help="the mesh")
    parser.add_argument("-o", "--output", required=True, help="the OBJ file to write")
    arguments = parser.parse_args()
    pathlib.Path(arguments.output).write_text(msh_to_obj(arguments.input), encoding="utf-8")


if __name__ == "__main__":
    main()
