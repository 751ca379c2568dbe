"""Runs tests of other people's packages, with MuJoCo or with the alias, and tells which passed."""
import os
import pathlib
import re
import subprocess
import sys


def run(files, alias, cwd, options=(), path="", timeout=None):
    """Outcome by test, and what was printed: all tests of these files in one process."""
    command = [sys.executable, *(["-m", "corten.mujoco"] if alias else []), "-m", "pytest", "-p", "no:cacheprovider",
               "-q", "-rA", "--tb=line", *options, *map(str, files)]
    paths = os.pathsep.join(p for p in (path, os.environ.get("PYTHONPATH", "")) if p)
    env = {**os.environ, "COLUMNS": "200", "PYTHONPATH": paths, "MUJOCO_GL": os.environ.get("MUJOCO_GL", "osmesa")}
    try:
        text = subprocess.run(command, capture_output=True, text=True, env=env, cwd=cwd, timeout=timeout).stdout
    except subprocess.TimeoutExpired:
        return {}, f"no end after {timeout} s"
    found = {}
    for line in text.splitlines():
        # A part of a test is told as SUBFAILED[what was tried]; its test counts as failed.
        outcome = re.match(r"(PASSED|FAILED|ERROR|SUBFAIL)", line)
        name = outcome and re.search(r"\.py::(\S+)", line)
        if name and found.get(name[1]) != "FAILED":
            found[name[1]] = "PASSED" if outcome[1] == "PASSED" else "FAILED"
    return found, text


def reason(text, test):
    """What pytest says in one line about a test that failed."""
    for line in text.splitlines():
        if line.startswith(("FAILED", "ERROR")) and f"::{test}" in line:
            return line.split(" - ", 1)[1] if " - " in line else ""
    return ""


class Tally:
    """How many tests that pass with MuJoCo pass with the alias."""

    def __init__(self):
        self.wanted = self.passed = 0

    def add(self, title, reference, mine, text):
        """Prints and counts the tests of one file."""
        wanted = [t for t, outcome in reference.items() if outcome == "PASSED"]
        missing = [t for t in wanted if mine.get(t) != "PASSED"]
        self.wanted += len(wanted)
        self.passed += len(wanted) - len(missing)
        print(f"{title:40} {len(wanted) - len(missing)} of {len(wanted)}", flush=True)
        if wanted and not mine:
            print("   ", *text.strip().splitlines()[-3:], sep="\n    ")
            return
        for test in missing:
            print(f"    {test}: {reason(text, test) or mine.get(test, 'not collected')}")

    def end(self):
        print(f"{'all':40} {self.passed} of {self.wanted}: {100 * self.passed / max(self.wanted, 1):.1f} %")


def relative(file, root):
    return str(pathlib.Path(file).relative_to(root))
