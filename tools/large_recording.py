#!/usr/bin/env python3
"""A recording that is larger than the memory it may take: opened, gone through, replayed, plotted, compared, converted.

    tools/large_recording.py CORTEN [GIGABYTES]

CORTEN is the program `corten`. Makes a recording of so many GB (1) in the directory for temporary files, all of its
states the same, and runs every command that reads it; each must end well and take less than 300 MB. Needs NumPy and
twice the room on the disk.
"""
import os, pathlib, re, signal, subprocess, sys, tempfile, time

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "crates/corten-py/tests"))
MOST = 300  # MB


def run(*command):
    """Runs a command to its end: seconds, most memory in MB."""
    start = time.monotonic()
    process = subprocess.Popen([str(word) for word in command], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, f"{command}: exit code {process.returncode}"
    return time.monotonic() - start, usage.ru_maxrss / 1024


def make(corten, path, size):
    """A recording of so many bytes: the state of a short one, again and again. Gives the number of states."""
    short = path.with_name("short.npz")
    run(corten, "run", ROOT / "scenes/humanoid.xml", "--steps", 1, "--record", short, "--no-picture")
    arrays = dict(np.load(short))
    rows = {name: array[:1] for name, array in arrays.items() if name != "model"}
    count = int(size / sum(row.nbytes for row in rows.values()))
    repeated = {name: np.broadcast_to(row, (count, *row.shape[1:])) for name, row in rows.items()}
    np.savez(path, **repeated, model=arrays["model"])
    return count


def view(corten, path, count):
    """The page of a recording, without a browser: the first state, the last, one in the middle."""
    from pages import Page
    start = time.monotonic()
    process = subprocess.Popen([corten, "view", str(path)], stdout=subprocess.PIPE, text=True)
    try:
        with Page(re.search(r"http://\S+", process.stdout.readline()).group()) as page:
            state = page.until()
            assert state["film"]["count"] == count, state["film"]
            for index in (count - 1, count // 2):
                page.send("seek", index=index)
                page.until(lambda state: state["film"]["at"] == index)
    finally:
        process.send_signal(signal.SIGINT)
        _, _, usage = os.wait4(process.pid, 0)
        process.returncode = 0
    return time.monotonic() - start, usage.ru_maxrss / 1024


def main():
    corten, size = sys.argv[1], float(sys.argv[2]) if len(sys.argv) > 2 else 1.0
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        path = folder / "large.npz"
        count = make(corten, path, size * 1e9)
        print(f"{count} states, {path.stat().st_size / 1e9:.2f} GB")
        parts = {
            "view": lambda: view(corten, path, count),
            "replay": lambda: run(corten, "replay", path),
            "plot": lambda: run(corten, "plot", path, "qpos[2]", "-o", folder / "plot.svg"),
            "render": lambda: run(corten, "render", path, "-o", folder / "last.png"),
            "compare": lambda: run(corten, "compare", path, path),
            "convert": lambda: run(corten, "convert", path, folder / "table.csv"),
        }
        failed = []
        for name, part in parts.items():
            seconds, memory = part()
            print(f"{name:8} {seconds:7.1f} s {memory:7.0f} MB", flush=True)
            failed += [name] if memory > MOST else []
    print(f"more than {MOST} MB: {', '.join(failed)}" if failed else f"all below {MOST} MB")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
