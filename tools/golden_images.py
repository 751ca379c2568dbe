#!/usr/bin/env python3
"""Writes MuJoCo's pictures of the scenes in `scenes/`, which the tests of corten-render compare with.

    tools/golden_images.py          # needs OSMesa (Debian: apt install libosmesa6)

Of each scene, 200 steps after its first state and from its free camera: `NAME.png` in colours, and `NAME_id.png` with the
number of each geom plus one as a colour.
"""
import os, pathlib

os.environ.setdefault("MUJOCO_GL", "osmesa")
import mujoco
import numpy as np

from compare_images import write_png

ROOT = pathlib.Path(__file__).resolve().parent.parent
OUT = ROOT / "crates/corten-render/tests/golden"
WIDTH, HEIGHT, STEPS = 160, 120, 200


def main():
    OUT.mkdir(parents=True, exist_ok=True)
    for path in sorted((ROOT / "scenes").glob("*.xml")):
        model = mujoco.MjModel.from_xml_path(str(path))
        data = mujoco.MjData(model)
        mujoco.mj_step(model, data, STEPS)
        mujoco.mj_forward(model, data)
        with mujoco.Renderer(model, HEIGHT, WIDTH) as renderer:
            renderer.update_scene(data)
            write_png(OUT / f"{path.stem}.png", renderer.render())
            flags = renderer.scene.flags
            flags[mujoco.mjtRndFlag.mjRND_SEGMENT] = flags[mujoco.mjtRndFlag.mjRND_IDCOLOR] = 1
            write_png(OUT / f"{path.stem}_id.png", renderer.render())
        np.savetxt(OUT / f"{path.stem}.txt", np.concatenate([data.qpos, data.qvel, data.act]), fmt="%.17g")
        print(path.stem)


if __name__ == "__main__":
    main()
