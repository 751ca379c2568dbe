#!/usr/bin/env python3
"""MuJoCo's own Python tests with the alias and nothing else, beside MuJoCo itself.

    eco/bin/python tools/ecosystem/mujoco_tests.py MUJOCO_SOURCE [FILES]

`MUJOCO_SOURCE` is a checkout of MuJoCo at its tag 3.4.0, whose `python/mujoco` has the tests and their data. Prints, for
each file, how many of the tests that pass with MuJoCo pass here, and which do not.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

FILES = ("bindings", "specs", "rollout", "minimize", "msh2obj", "memory_leak", "render", "renderer", "viewer")
PLUGIN = '''
import pathlib
from etils import epath
_source = pathlib.Path({source!r})
_found = epath.resource_path
epath.resource_path = lambda name, *more: epath.Path(_source) if name == "mujoco" else _found(name, *more)
'''


def run(test, source, alias):
    """Outcome by test."""
    with tempfile.TemporaryDirectory() as folder:
        # The tests look for their data in the installed package, which has none.
        (pathlib.Path(folder) / "mujoco_test_data.py").write_text(PLUGIN.format(source=str(source)))
        copy = pathlib.Path(folder) / test.name
        copy.write_text(test.read_text())
        command = [sys.executable, *(["-m", "corten.mujoco"] if alias else []), "-m", "pytest", "-p", "mujoco_test_data",
                   "-p", "no:cacheprovider", "-q", "-rA", "--tb=line", str(copy)]
        path = os.pathsep.join(p for p in (folder, os.environ.get("PYTHONPATH", "")) if p)
        env = {**os.environ, "PYTHONPATH": path, "MUJOCO_GL": os.environ.get("MUJOCO_GL", "osmesa")}
        text = subprocess.run(command, capture_output=True, text=True, env=env, cwd=folder).stdout
    found = {}
    for line in text.splitlines():
        # A part of a test is told as SUBFAILED[what was tried]; its test counts as failed.
        outcome = re.match(r"(PASSED|FAILED|ERROR|SUBFAIL)", line)
        name = outcome and re.search(r"_test\.py::(\S+)", line)
        if name and found.get(name[1]) != "FAILED":
            found[name[1]] = "PASSED" if outcome[1] == "PASSED" else "FAILED"
    return found, text


def main():
    source = pathlib.Path(sys.argv[1]) / "python" / "mujoco"
    files = sys.argv[2:] or FILES
    total = passed = 0
    for name in files:
        test = source / f"{name}_test.py"
        reference, _ = run(test, source, False)
        mine, text = run(test, source, True)
        wanted = [t for t, outcome in reference.items() if outcome == "PASSED"]
        missing = [t for t in wanted if mine.get(t) != "PASSED"]
        total, passed = total + len(wanted), passed + len(wanted) - len(missing)
        print(f"{name:12} {len(wanted) - len(missing)} of {len(wanted)}")
        if not mine:
            print("   ", *text.strip().splitlines()[-3:], sep="\n    ")
        for test_name in missing:
            print(f"    {test_name}")
    print(f"{'all':12} {passed} of {total}: {100 * passed / max(total, 1):.1f} %")


if __name__ == "__main__":
    main()
