#!/usr/bin/env python3
"""Binary models between CortenForge and MuJoCo 3.4.0: tools/mjb_check.py FOLDER_OR_MODEL...

For every model that both load: a file that MuJoCo wrote comes back byte for byte; each engine simulates the file that the other
wrote as it simulates the text. Prints what differs, and ends with a failure if anything does.
"""
import pathlib
import sys
import tempfile
import warnings

import mujoco
import numpy as np

import corten.mujoco as corten

STEPS, LIMIT = 20, 1e-6


def models(arguments):
    for argument in map(pathlib.Path, arguments):
        yield from sorted(argument.rglob("*.xml")) if argument.is_dir() else [argument]


def walk(engine, model):
    data = engine.MjData(model)
    for _ in range(STEPS):
        engine.mj_step(model, data)
    return np.concatenate([data.qpos, data.qvel, data.act, data.sensordata, [data.time]])


def apart(a, b):
    if a.shape != b.shape:
        return np.inf
    return float(np.abs(a - b).max(initial=0.0) / max(1.0, np.abs(b).max(initial=0.0)))


def differences(path, folder):
    """What is wrong with the files of one model; None if not both engines load it."""
    try:
        theirs, ours = mujoco.MjModel.from_xml_path(str(path)), corten.MjModel.from_xml_path(str(path))
    except ValueError:
        return None
    there, here = folder / "there.mjb", folder / "here.mjb"
    mujoco.mj_saveModel(theirs, str(there))
    corten.mj_saveModel(ours, str(here))
    found = []
    read = corten.MjModel.from_binary_path(str(there))
    if read.to_mjb() != there.read_bytes():
        found.append("MuJoCo's file does not come back")
    loaded = mujoco.MjModel.from_binary_path(str(here))
    for title, mine, reference in (
            ("our file in MuJoCo", walk(mujoco, loaded), walk(mujoco, theirs)),
            ("MuJoCo's file here", walk(corten, read), walk(corten, ours))):
        far = apart(mine, reference)
        if not far <= LIMIT:
            found.append(f"{title}: {far:.1e} from the text after {STEPS} steps")
    return found


def main():
    warnings.simplefilter("ignore")
    tried = bad = 0
    with tempfile.TemporaryDirectory() as folder:
        for path in models(sys.argv[1:]):
            try:
                found = differences(path, pathlib.Path(folder))
            except Exception as error:
                found = [f"{type(error).__name__}: {error}"]
            if found is None:
                continue
            tried += 1
            bad += bool(found)
            for line in found:
                print(f"{path}: {line}", flush=True)
    print(f"{tried - bad} of {tried} models equal")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
