#!/usr/bin/env python3
"""A package's own tests with the alias, beside MuJoCo itself.

    eco/bin/python tools/ecosystem/package_tests.py dm_control [PART_OF_A_PATH ...]      tests inside of the package
    eco/bin/python tools/ecosystem/package_tests.py gymnasium --source CHECKOUT test_mujoco   tests of a checkout

Prints, for each file, how many of the tests that pass with MuJoCo pass here, and which do not. A file that takes longer
than `--limit` seconds with MuJoCo is left out, and named.
"""
import argparse
import importlib.util
import pathlib
import tempfile

import outcomes


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("package")
    parser.add_argument("parts", nargs="*", help="only files whose path contains one of these")
    parser.add_argument("--source", type=pathlib.Path, help="where the tests are, if not in the package")
    parser.add_argument("--limit", type=float, default=600.0)
    arguments = parser.parse_intermixed_args()
    root = arguments.source or pathlib.Path(importlib.util.find_spec(arguments.package).origin).parent
    files = sorted({*root.rglob("*_test.py"), *root.rglob("test_*.py")})
    if arguments.parts:
        files = [f for f in files if any(part in outcomes.relative(f, root) for part in arguments.parts)]
    tally, left_out = outcomes.Tally(), []
    with tempfile.TemporaryDirectory() as folder:
        for file in files:
            # Packages have files of one name in several folders.
            options = ["--import-mode=importlib"]
            reference, text = outcomes.run([file], False, folder, options, timeout=arguments.limit)
            title = outcomes.relative(file, root)
            if not reference:
                left_out.append(f"{title}: {(text.strip().splitlines() or ['nothing'])[-1]}")
                continue
            tally.add(title, reference, *outcomes.run([file], True, folder, options, timeout=10 * arguments.limit))
    for line in left_out:
        print(f"left out with MuJoCo itself: {line}")
    tally.end()


if __name__ == "__main__":
    main()
