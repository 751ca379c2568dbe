"""Models for what does not need new ones: the project's scenes, and random ones that load."""
import functools
import pathlib

import generate

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
NAMES = "humanoid arm_gripper mixed_pile linkage sensors muscle_arm free_bodies wrapping box_stack".split()


@functools.lru_cache(maxsize=256)
def random_scene(seed):
    import corten.mujoco as mj

    for k in range(100):
        case = generate.model(100 * seed + k)
        try:
            m = mj.MjModel.from_xml_string(case.text(), case.assets())
        except Exception:
            continue
        if 0 < m.nv < 60:
            return case.text(), case.assets()
    raise RuntimeError("no model loads")


@functools.cache
def file(name):
    return (ROOT / "scenes" / f"{name}.xml").read_text()


def scene(seed):
    """MJCF and assets: every third one of the scenes, else one of 200 random models."""
    if seed % 3 == 0:
        return file(NAMES[seed // 3 % len(NAMES)]), {}
    return random_scene(seed % 200)
