#!/usr/bin/env python3
"""MuJoCo's own Python tests with the alias and nothing else, beside MuJoCo itself.

    eco/bin/python tools/ecosystem/mujoco_tests.py MUJOCO_SOURCE [FILES]

`MUJOCO_SOURCE` is a checkout of MuJoCo at its tag 3.4.0, whose `python/mujoco` has the tests and their data. Prints, for
each file, how many of the tests that pass with MuJoCo pass here, and which do not.
"""
import pathlib
import sys
import tempfile

import outcomes

FILES = ("bindings", "specs", "rollout", "minimize", "msh2obj", "memory_leak", "render", "renderer", "viewer")
PLUGIN = '''
import pathlib
from etils import epath
_source = pathlib.Path({source!r})
_found = epath.resource_path
epath.resource_path = lambda name, *more: epath.Path(_source) if name == "mujoco" else _found(name, *more)
'''


def run(test, source, alias):
    with tempfile.TemporaryDirectory() as folder:
        # The tests look for their data in the installed package, which has none.
        (pathlib.Path(folder) / "mujoco_test_data.py").write_text(PLUGIN.format(source=str(source)))
        copy = pathlib.Path(folder) / test.name
        copy.write_text(test.read_text())
        return outcomes.run([copy], alias, folder, ["-p", "mujoco_test_data"], folder)


def main():
    source = pathlib.Path(sys.argv[1]) / "python" / "mujoco"
    tally = outcomes.Tally()
    for name in sys.argv[2:] or FILES:
        test = source / f"{name}_test.py"
        reference, _ = run(test, source, False)
        tally.add(name, reference, *run(test, source, True))
    tally.end()


if __name__ == "__main__":
    main()
