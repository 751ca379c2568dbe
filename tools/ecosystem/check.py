#!/usr/bin/env python3
"""Runs other people's packages with CortenForge in the place of MuJoCo, and compares the numbers with MuJoCo's.

    tools/ecosystem/setup eco                                      installs them
    eco/bin/python tools/ecosystem/check.py                        every package
    eco/bin/python tools/ecosystem/check.py gymnasium dm_control   these
    eco/bin/python tools/ecosystem/check.py --short                what is installed, 10 steps each

A trajectory is equal when numbers agree to 1e-6 of the largest. One that does not is run with MuJoCo from a state that is
one unit in the last place away: it is as good as equal when MuJoCo leaves its own path by as much, and fails otherwise.
"""
import argparse
import importlib.util
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

from probes import PROBES, STEPS

HERE = pathlib.Path(__file__).parent
LIMIT = 1e-6
# How much farther than MuJoCo from itself a chaotic path may lead: both are samples of one spread.
SPREAD = 10.0
TRIES = 4


def run(name, out, steps, alias, nudge=""):
    command = [sys.executable, *(["-m", "corten.mujoco"] if alias else []), str(HERE / "probes.py"), name, str(out),
               str(steps), nudge]
    env = {**os.environ, "MUJOCO_GL": os.environ.get("MUJOCO_GL", "osmesa")}
    for _ in range(TRIES):
        result = subprocess.run(command, capture_output=True, text=True, env=env)
        # A process that a signal ends has not failed but crashed: torch beside MuJoCo's library does so at random.
        if result.returncode >= 0:
            break
    return result


def compare(mine, theirs):
    """Relative deviation of each trajectory."""
    for key in theirs.files:
        if key not in mine.files:
            yield key, np.nan
            continue
        a, b = mine[key], theirs[key]
        if a.shape != b.shape:
            yield key, np.inf
            continue
        scale = max(1.0, np.abs(b).max(initial=0.0))
        yield key, float(np.abs(a - b).max(initial=0.0) / scale)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help=f"of {', '.join(PROBES)}")
    parser.add_argument("--short", action="store_true", help="10 steps, and only what is installed")
    parser.add_argument("--steps", type=int, default=STEPS)
    arguments = parser.parse_args()
    names = arguments.names or list(PROBES)
    if arguments.short:
        names = [n for n in names if importlib.util.find_spec(n)]
    steps, failed = 10 if arguments.short else arguments.steps, 0
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            outs = [pathlib.Path(folder) / f"{name}-{side}.npz" for side in ("mujoco", "corten")]
            runs = [run(name, out, steps, alias) for out, alias in zip(outs, (False, True))]
            bad = [(side, r) for side, r in zip(("mujoco", "corten"), runs) if r.returncode]
            for side, r in bad:
                failed += side == "corten"
                why = (r.stderr.strip().splitlines() or ["?"])[-1] if r.returncode > 0 else f"signal {-r.returncode}"
                print(f"{name:20} fails with {side}: {why}")
            if bad:
                continue
            theirs = np.load(outs[0])
            far = {key: x for key, x in compare(np.load(outs[1]), theirs) if not x <= LIMIT}
            own = {}
            for nudge in ("up", "down") if far else ():
                nudged = pathlib.Path(folder) / f"{name}-{nudge}.npz"
                if run(name, nudged, steps, False, nudge).returncode == 0:
                    for key, x in compare(np.load(nudged), theirs):
                        own[key] = max(x, own.get(key, 0.0))
            wrong = {key for key, x in far.items() if not x <= SPREAD * own.get(key, 0.0)}
            failed += bool(wrong)
            print(f"{name:20} {len(theirs.files) - len(far)} of {len(theirs.files)} equal", flush=True)
            for key, x in far.items():
                print(f"    {key}: {x:.1e}, MuJoCo and itself one unit in the last place away {own.get(key, 0.0):.1e}"
                      + (" WRONG" if key in wrong else ""))
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
