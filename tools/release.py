#!/usr/bin/env python3
"""Checks what is released: tools/release.py [PART...] [--wheel FILE]

    licences   those of all dependencies allow it, and docs/licences.md lists them (`--write` writes it)
    packages   every crate can be packaged as it is committed
    minimum    everything compiles with the oldest Rust that Cargo.toml promises
    targets    the engine and the program compile for other processors and systems
    wheel      a wheel for every Python since 3.10, stripped, small, that needs NumPy only, works in an empty environment,
               and is imported sooner than MuJoCo; builds it (minutes), or takes that of `--wheel`

Says of each part whether it passed, failed or was skipped, and why. The wheel's last check wants MuJoCo beside.
"""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import tomllib
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
LICENCES = ROOT / "docs" / "licences.md"
# What may be linked into a program under MIT or Apache-2.0 with no more than a notice.
FREE = {"MIT", "Apache-2.0", "Apache-2.0 WITH LLVM-exception", "BSD-2-Clause", "BSD-3-Clause", "ISC", "Zlib", "Unlicense", "0BSD",
        "Unicode-3.0"}
TARGETS = ("aarch64-unknown-linux-gnu", "x86_64-apple-darwin", "aarch64-apple-darwin", "x86_64-pc-windows-msvc")
# Of a wheel, and of its library, in megabytes; MuJoCo 3.4.0's wheel has 6.9, and 22 installed.
WHEEL_SIZE, LIBRARY_SIZE = 6.9, 22


class Skipped(Exception):
    """Something that a part needs is not here."""


class Failed(Exception):
    """Something that does not hold."""


def run(*command, env=None, **options):
    """What a command prints."""
    done = subprocess.run([str(c) for c in command], cwd=ROOT, capture_output=True, text=True,
                          env={**os.environ, **(env or {})}, **options)
    if done.returncode:
        raise Failed(f"{' '.join(map(str, command))}\n{done.stdout[-1000:]}{done.stderr[-3000:]}")
    return done.stdout


# Licences.


def allows(expression):
    """Whether a licence expression is met by free licences: `OR` needs one of them, `AND` all."""
    expression = expression.replace("/", " OR ").strip()
    while re.fullmatch(r"\([^()]*\)", expression):
        expression = expression[1:-1]
    for word, enough in ((" AND ", all), (" OR ", any)):
        parts = re.split(rf"{word}(?![^(]*\))", expression)
        if len(parts) > 1:
            return enough(allows(part) for part in parts)
    return expression in FREE


def dependencies():
    """Crates of others that become part of what is released: name, version, licence."""
    known = json.loads(run("cargo", "metadata", "--format-version", "1", "--locked"))
    packages = {p["id"]: p for p in known["packages"]}
    nodes = {n["id"]: n for n in known["resolve"]["nodes"]}
    todo, seen = [id for id in known["workspace_members"] if packages[id]["name"] != "corten-bench"], set()
    while todo:
        id = todo.pop()
        if id in seen:
            continue
        seen.add(id)
        # Those of tests and of build scripts are not part of a program.
        todo += [d["pkg"] for d in nodes[id]["deps"] if any(k["kind"] is None for k in d["dep_kinds"])]
    found = {(p["name"], p["version"], p["license"] or "none") for p in map(packages.get, seen) if p["source"]}
    lock = json.loads((ROOT / "web" / "package-lock.json").read_text())["packages"]
    wanted = json.loads((ROOT / "web" / "package.json").read_text())["dependencies"]
    found |= {(f"{name} (page)", lock[f"node_modules/{name}"]["version"], lock[f"node_modules/{name}"]["license"])
              for name in wanted}
    return sorted(found)


def listing(found):
    lines = ["# Licences", "", "CortenForge is under MIT or Apache-2.0, as you like. What becomes part of its programs and of the Python",
             "package, on any system; made by `tools/release.py licences --write`, which refuses licences that ask for more than a notice.",
             "", "| dependency | version | licence |", "|---|---|---|"]
    return "\n".join([*lines, *(f"| {name} | {version} | {licence} |" for name, version, licence in found)]) + "\n"


def licences(options):
    found = dependencies()
    refused = [f"{name}: {licence}" for name, _, licence in found if not allows(licence)]
    if refused:
        raise Failed("licences to look at: " + ", ".join(refused))
    if options.write:
        LICENCES.write_text(listing(found))
    if not LICENCES.exists() or LICENCES.read_text() != listing(found):
        raise Failed(f"{LICENCES.relative_to(ROOT)} is not up to date: tools/release.py licences --write")
    return f"{len(found)} dependencies"


# Rust.


def packages(options):
    run("cargo", "package", "--workspace", "--locked", "--no-verify", *(["--allow-dirty"] if options.dirty else []))
    made = json.loads(run("cargo", "metadata", "--format-version", "1", "--no-deps"))
    names = [p["name"] for p in made["packages"] if p["publish"] is None]
    for name in names:
        listed = run("cargo", "package", "-p", name, "--list", "--allow-dirty").splitlines()
        if name == "corten-view" and "assets/index.html" not in listed:
            raise Failed("corten-view is packaged without its page: ./tools/web")
    return f"{len(names)} crates"


def _target_folder():
    return pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))


def minimum(options):
    version = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["package"]["rust-version"]
    toolchain = next((line.split()[0] for line in run("rustup", "toolchain", "list").splitlines()
                      if line.startswith(f"{version}.") or line.startswith(f"{version}-")), None)
    if toolchain is None:
        raise Skipped(f"no Rust {version} here: rustup toolchain install {version}")
    run("cargo", f"+{toolchain}", "check", "--workspace", "--locked", "--quiet",
        env={"CARGO_TARGET_DIR": str(_target_folder() / "minimum")})
    return f"Rust {version}"


def targets(options):
    installed = run("rustup", "target", "list", "--installed").split()
    have = [t for t in TARGETS if t in installed]
    if not have:
        raise Skipped(f"none of {', '.join(TARGETS)} is installed: rustup target add")
    for target in have:
        # Of the program without what C compilers of the target would be needed for; the package needs no Python to check.
        run("cargo", "check", "--locked", "--quiet", "--target", target, "-p", "corten", "-p", "corten-batch", "-p", "corten-cli",
            "-p", "corten-py", "--features", "corten-cli/view", env={"PYO3_CROSS_PYTHON_VERSION": "3.10", "PYO3_NO_PYTHON": "1"})
    return ", ".join(have)


# The wheel.

# In an empty environment: what a user does first.
TRIAL = """
import sys, corten, corten.mujoco as mujoco
from corten import _corten
model = mujoco.MjModel.from_xml_string("<mujoco><worldbody><body><freejoint/><geom size='.1'/></body></worldbody></mujoco>")
data = mujoco.MjData(model)
mujoco.mj_step(model, data, 100)
assert data.qpos[2] < -0.1
assert not {"gymnasium", "PIL", "OpenGL", "glfw", "mujoco"} & set(sys.modules)
print("page" if _corten.page_is_built() else "no page")
"""


def sections(library):
    """Names of the sections of an ELF file."""
    data = library
    word = {"little": "<", "big": ">"}["little" if data[5] == 1 else "big"]
    import struct
    at, = struct.unpack_from(word + "Q", data, 0x28)
    size, count, names = struct.unpack_from(word + "HHH", data, 0x3A)
    headers = [struct.unpack_from(word + "IIQQQQ", data, at + i * size) for i in range(count)]
    base = headers[names][4]
    return {data[base + h[0]:data.index(b"\0", base + h[0])].decode() for h in headers}


def _import_time(python, module):
    """Seconds, the least of several tries."""
    code = f"import time; t = time.perf_counter(); import {module}; print(time.perf_counter() - t)"
    return min(float(run(python, "-c", code, env={"CORTEN_ALIAS": "0"})) for _ in range(7))


def wheel(options):
    with tempfile.TemporaryDirectory() as folder:
        file = options.wheel
        if file is None:
            run(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "-w", folder, "./crates/corten-py")
            file = next(pathlib.Path(folder).glob("*.whl"))
        file = file.resolve()
        if not re.search(r"-cp3\d+-abi3-", file.name):
            raise Failed(f"{file.name} is for one version of Python")
        megabytes = file.stat().st_size / 1e6
        with zipfile.ZipFile(file) as archive:
            names = archive.namelist()
            library = archive.read(next(n for n in names if re.search(r"_corten\..*(so|pyd)$", n)))
            metadata = archive.read(next(n for n in names if n.endswith(".dist-info/METADATA"))).decode()
        needed = [line for line in re.findall(r"^Requires-Dist: (.*)$", metadata, re.M) if "extra ==" not in line]
        if [re.match(r"\w+", n)[0] for n in needed] != ["numpy"]:
            raise Failed(f"the wheel needs {needed}")
        if not all(any(n.endswith(part) for n in names) for part in ("corten/py.typed", "corten/mujoco/__init__.pyi")):
            raise Failed("the wheel lacks its types")
        if not any("LICENSE-MIT" in n for n in names):
            raise Failed("the wheel lacks its licence")
        if library[:4] == b"\x7fELF" and ".symtab" in sections(library):
            raise Failed("the library is not stripped")
        if megabytes > WHEEL_SIZE or len(library) / 1e6 > LIBRARY_SIZE:
            raise Failed(f"{megabytes:.1f} MB, library {len(library) / 1e6:.1f} MB: more than {WHEEL_SIZE} and {LIBRARY_SIZE}")
        run(sys.executable, "-m", "venv", f"{folder}/env")
        python = f"{folder}/env/bin/python"
        run(python, "-m", "pip", "install", "--quiet", file)
        if run(python, "-c", TRIAL).strip() != "page":
            raise Failed("the wheel is without the page of the viewer: ./tools/web")
        report = f"{file.name}: {megabytes:.1f} MB, library {len(library) / 1e6:.1f} MB"
        run(python, "-m", "pip", "install", "--quiet", "mujoco==3.4.0")
        ours, theirs = _import_time(python, "corten.mujoco"), _import_time(python, "mujoco")
        if ours > theirs:
            raise Failed(f"imported in {1e3 * ours:.0f} ms, MuJoCo in {1e3 * theirs:.0f} ms")
        return f"{report}; imported in {1e3 * ours:.0f} ms, MuJoCo in {1e3 * theirs:.0f} ms"


PARTS = {f.__name__: f for f in (licences, packages, minimum, targets, wheel)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"of {', '.join(PARTS)}")
    parser.add_argument("--wheel", type=pathlib.Path, help="a wheel that is built already")
    parser.add_argument("--write", action="store_true", help="write docs/licences.md")
    parser.add_argument("--dirty", action="store_true", help="package what is not committed, too")
    options = parser.parse_args()
    unknown = set(options.parts) - set(PARTS)
    if unknown:
        parser.error(f"there is no part {sorted(unknown)}")
    failed = False
    for name in options.parts or PARTS:
        try:
            print(f"{name}: passed: {PARTS[name](options)}", flush=True)
        except Skipped as why:
            print(f"{name}: skipped: {why}", flush=True)
        except Failed as why:
            failed = True
            print(f"{name}: failed: {why}", flush=True)
    sys.exit(failed)


if __name__ == "__main__":
    main()
