"""Jobs of the child that load damaged files of every format: an error of the right type, or a model that steps."""
import functools
import pathlib
import random
import time
import warnings

import generate

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
WORDS = [b"nan", b"inf", b"-1", b"0", b"1e308", b"-1e-320", b"x", b"", b"1 2 3 4 5 6 7 8 9", b"true", b"auto", b"65536", b"99999999999", b"&lt;", b"&#0;",
         b"<", b">", b"</", b"/>", b"<!--", b"]]>", b"<?", b"\0", b"\xff\xfe", b"1000000", b"-1000000", b"4294967295", b"2147483648"]
READERS = {
    "obj": '<mesh name="m" file="a.obj"/>', "stl": '<mesh name="m" file="a.stl"/>', "msh": '<mesh name="m" file="a.msh"/>',
    "png": '<texture name="t" type="2d" file="a.png"/>', "hfield": '<hfield name="h" size="1 1 1 1" file="a.hfield"/>',
    "gmsh": None,
}
SECONDS = 10


@functools.cache
def seeds(kind):
    """Whole files to begin with: those of the fuzzers, and for MJCF the scenes and random models."""
    out = [p.read_bytes() for p in sorted((ROOT / "fuzz" / "seeds" / kind).iterdir())]
    if kind == "mjcf":
        out += [p.read_bytes() for p in sorted((ROOT / "scenes").glob("*.xml"))]
        out += [generate.model(seed).text().encode() for seed in range(60)]
    return out


def damaged(data, rng, other):
    """A few random changes of bytes, words, numbers or lines."""
    data = bytearray(data)
    for _ in range(rng.choice([1, 1, 2, 4, 16])):
        if not data:
            break
        at, length = rng.randrange(len(data)), rng.choice([1, 2, 4, 16, 256])
        kind = rng.randrange(8)
        if kind == 0:
            data[at] ^= 1 << rng.randrange(8)
        elif kind == 1:
            data[at:at + length] = rng.randbytes(length)
        elif kind == 2:
            del data[at:at + length]
        elif kind == 3:
            data[at:at] = data[at:at + length]
        elif kind == 4:
            data[at:at + rng.choice([0, 1, 4])] = rng.choice(WORDS)
        elif kind == 5:
            begin = rng.randrange(len(other))
            data[at:at] = other[begin:begin + length]
        elif kind == 6:
            # An attribute's value, or a number of a text.
            quotes = [i for i, c in enumerate(data) if c in b'"\'']
            if len(quotes) > 1:
                k = rng.randrange(len(quotes) // 2)
                data[quotes[2 * k] + 1:quotes[2 * k + 1]] = rng.choice(WORDS)
        else:
            del data[rng.randrange(len(data)):]
    return bytes(data)


def load(mj, kind, data):
    if kind == "mjcf" or kind == "urdf":
        return mj.MjModel.from_xml_string(data.decode("utf-8", "surrogateescape").encode("utf-8", "replace").decode())
    if kind == "model":
        return mj.MjModel.from_binary_path("a.cfa", {"a.cfa": data})
    if kind == "gmsh":
        text = '<mujoco><worldbody><body><flexcomp name="f" type="gmsh" dim="3" file="a.msh"/></body></worldbody></mujoco>'
        return mj.MjModel.from_xml_string(text, {"a.msh": data})
    geom = {"png": "", "hfield": '<geom type="hfield" hfield="h"/>'}.get(kind, '<geom type="mesh" mesh="m"/>')
    text = f"<mujoco><asset>{READERS[kind]}</asset><worldbody>{geom}<body><freejoint/><geom size='.1'/></body></worldbody></mujoco>"
    return mj.MjModel.from_xml_string(text, {f"a.{kind}": data})


def one(mj, kind, data):
    """None, or what is wrong; whether it loaded."""
    try:
        m = load(mj, kind, data)
    except (ValueError, MemoryError, UnicodeError, mj.FatalError):
        return None, False
    except Exception as error:
        return f"{type(error).__name__}: {error}", False
    try:
        d = mj.MjData(m)
        for _ in range(3):
            mj.mj_step(m, d)
    except (mj.FatalError, MemoryError):
        pass
    except Exception as error:
        return f"in a step {type(error).__name__}: {error}", True
    return None, True


def make(seed):
    rng = random.Random(seed)
    kind = rng.choice(["mjcf"] * 5 + ["urdf", "obj", "stl", "msh", "gmsh", "png", "hfield", "model"])
    return kind, damaged(rng.choice(seeds(kind)), rng, rng.choice(seeds(kind)))


def run(job, mark):
    import corten.mujoco as mj

    warnings.simplefilter("ignore")
    found, loaded = [], 0
    for seed in range(job["seed"], job["seed"] + job["count"]):
        kind, data = make(seed)
        mark(f"corten: file {seed} ({kind})")
        start = time.process_time()
        wrong, good = one(mj, kind, data)
        loaded += good
        seconds = time.process_time() - start
        if seconds > SECONDS:
            wrong = f"{seconds:.0f} s"
        if wrong:
            found.append(f"file {seed} ({kind}): {wrong}")
    return {"found": found, "loaded": loaded}
