#!/usr/bin/env python3
"""Pictures of models, compared with those of MuJoCo's own renderer, pixel by pixel.

    tools/compare_images.py CORPUS             # twenty scenes of a corpus
    tools/compare_images.py MODEL.xml ...
    tools/compare_images.py CORPUS --out DIR   # also write both pictures and their difference, side by side

MuJoCo draws with OSMesa (Debian: apt install libosmesa6), CortenForge by itself. Of each model, in its first state and
from its free camera:

- segmentation: share of pixels that show the same object; at least 99.5 %.
- depth: share of those whose distances differ by less than 1 %; at least 99.5 %.
- colour: mean absolute difference of red, green and blue, of 255; at most 4. Shadows have softer edges here, and text
  another font.

Exit code 0: all of them hold; 1: not; 2: MuJoCo cannot draw here.
"""
import argparse, os, pathlib, struct, sys, zlib

os.environ.setdefault("MUJOCO_GL", "osmesa")
SCENES = """
menagerie/agility_cassie/scene.xml
menagerie/anybotics_anymal_c/scene.xml
menagerie/franka_emika_panda/scene.xml
menagerie/google_barkour_vb/scene.xml
menagerie/kinova_gen3/scene.xml
menagerie/shadow_hand/scene_right.xml
menagerie/skydio_x2/scene.xml
menagerie/ufactory_xarm7/scene.xml
menagerie/unitree_h1/scene.xml
menagerie/wonik_allegro/scene_right.xml
mujoco/adhesion/active_adhesion.xml
mujoco/car/car.xml
mujoco/cards/cards.xml
mujoco/cube/cube_3x3x3.xml
mujoco/flex/flag.xml
mujoco/flex/pancake.xml
mujoco/hammock/hammock.xml
mujoco/humanoid/humanoid.xml
mujoco/replicate/bowl.xml
mujoco/tendon_arm/arm26.xml
""".split()
SEGMENTATION, DEPTH, COLOUR = 99.5, 99.5, 4.0


def pictures(mujoco, path, width, height):
    """Colours, objects and distances of a model's first state."""
    model = mujoco.MjModel.from_xml_path(str(path))
    model.vis.global_.offwidth = max(width, model.vis.global_.offwidth)
    model.vis.global_.offheight = max(height, model.vis.global_.offheight)
    data = mujoco.MjData(model)
    if model.nkey:
        mujoco.mj_resetDataKeyframe(model, data, 0)
    mujoco.mj_forward(model, data)
    renderer = mujoco.Renderer(model, height, width)
    try:
        renderer.update_scene(data)
        colours = renderer.render()
        renderer.enable_segmentation_rendering()
        objects = renderer.render()
        renderer.disable_segmentation_rendering()
        renderer.enable_depth_rendering()
        return colours, objects, renderer.render()
    finally:
        renderer.close()


def compare(theirs, ours):
    """Shares of equal objects and near distances in percent, and the mean difference of colours."""
    same = (theirs[1] == ours[1]).all(axis=-1)
    near = abs(theirs[2] - ours[2])[same] <= 0.01 * abs(theirs[2])[same]
    return 100 * same.mean(), 100 * near.mean() if same.any() else 0.0, abs(theirs[0].astype(int) - ours[0]).mean()


def write_png(path, rows):
    height, width = rows.shape[:2]
    raw = b"".join(b"\0" + row.tobytes() for row in rows)
    chunk = lambda kind, data: struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(raw)) + chunk(b"IEND", b""))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="+", type=pathlib.Path, help="a corpus, or models")
    parser.add_argument("--width", type=int, default=320)
    parser.add_argument("--height", type=int, default=240)
    parser.add_argument("--out", type=pathlib.Path, help="directory for pictures")
    args = parser.parse_args()
    import numpy as np
    try:
        import mujoco
        mujoco.Renderer(mujoco.MjModel.from_xml_string("<mujoco/>"), 8, 8).close()
    except Exception as why:
        print(f"MuJoCo cannot draw here ({type(why).__name__}: {why}); install OSMesa (Debian: apt install libosmesa6)")
        return 2
    import corten.mujoco
    models = [model for path in args.models for model in ([path / name for name in SCENES] if path.is_dir() else [path])]
    good = 0
    print(f"{'model':44} {'objects':>9} {'depth':>9} {'colour':>7}")
    for path in models:
        if not path.exists():
            print(f"{path.name:44} missing")
            continue
        theirs, ours = (pictures(module, path, args.width, args.height) for module in (mujoco, corten.mujoco))
        objects, depth, colour = compare(theirs, ours)
        holds = objects >= SEGMENTATION and depth >= DEPTH and colour <= COLOUR
        good += holds
        name = "/".join(path.parts[-2:])
        print(f"{name:44} {objects:7.3f} % {depth:7.3f} % {colour:7.2f}{'' if holds else '   <--'}", flush=True)
        if args.out:
            args.out.mkdir(parents=True, exist_ok=True)
            difference = np.clip(4 * abs(theirs[0].astype(int) - ours[0]), 0, 255).astype(np.uint8)
            row = np.ascontiguousarray(np.concatenate([theirs[0], ours[0], difference], axis=1))
            write_png(args.out / (name.replace("/", "_").removesuffix(".xml") + ".png"), row)
    print(f"{good} of {len(models)} within {SEGMENTATION} %, {DEPTH} %, {COLOUR}")
    return 0 if good == len(models) else 1


if __name__ == "__main__":
    sys.exit(main())
