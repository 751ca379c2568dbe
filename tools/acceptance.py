#!/usr/bin/env python3
"""Checks docs/acceptance.md: each row names a test or a reason, each named test exists and is run, no ID is missing.

Needs nothing but the sources: a Rust test has `#[test]` and no `#[ignore]`, a Python test is a function `test_...`.
"""
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# How many requirements each group has.
GROUPS = {"PIPE": 15, "MJCF": 21, "KIN": 14, "TEN": 20, "ACT": 8, "MUS": 7, "PAS": 3, "FLU": 10, "FLD": 10, "CON": 14, "LIM": 7, "NEW": 14,
          "PGS": 4, "CG": 3, "NOS": 2, "ISL": 9, "SLP": 29, "COL": 6, "SEN": 6, "INT": 9, "DER": 7, "FLG": 8, "BAT": 4, "GPU": 3, "SIMD": 1,
          "ERR": 7, "TST": 3, "FLX": 17, "DEF": 5}

# Words that begin the reason why a row has no test.
REASONS = ("superseded", "not yet", "measured", "the table at the end", "`.ci/run`")


def rust_tests(text):
    """Names of the tests of a Rust file that are run."""
    found = re.findall(r"#\[test\]((?:\s*#\[[^\]]*\])*)\s*fn (\w+)", text)
    return {name for attributes, name in found if "ignore" not in attributes}


def known_tests():
    """All tests, as `file::test` or, of unit tests, also as `path/in/src::test`."""
    tests = set()
    for path in ROOT.glob("crates/*/tests/*.rs"):
        tests |= {f"{path.stem}::{name}" for name in rust_tests(path.read_text())}
    for path in ROOT.glob("crates/*/src/**/*.rs"):
        inside = path.relative_to(path.parents[len(path.parts) - path.parts.index("src") - 2]).with_suffix("")
        for name in rust_tests(path.read_text()):
            tests |= {f"{inside.as_posix()}::{name}", f"{inside.name}::{name}"}
    for path in ROOT.glob("crates/corten-py/tests/test_*.py"):
        tests |= {f"{path.stem}::{name}" for name in re.findall(r"^def (test_\w+)", path.read_text(), re.M)}
    return tests


def main():
    tests, problems, seen = known_tests(), [], []
    for number, line in enumerate((ROOT / "docs/acceptance.md").read_text().splitlines(), 1):
        cells = [cell.strip() for cell in line.strip("|").split(" | ")]
        if not line.startswith("|") or len(cells) != 3 or cells[0] in ("ID", "number"):
            continue
        key, requirement, shown = cells
        seen += re.findall(r"^[A-Z]+-\d+$", key)
        named = [name for name in re.findall(r"`([^`]+)`", shown) if "::" in name and not name.startswith("corten")]
        problems += [f"line {number}: {key} names {name}, which does not exist" for name in named if name not in tests]
        if not named and not shown.startswith(REASONS):
            problems.append(f"line {number}: {key} has neither a test nor a reason")
        if not requirement.endswith("."):
            problems.append(f"line {number}: {key} does not state its requirement in a sentence")
        for example in re.findall(r"`examples/(\w+)`", shown):
            if not list(ROOT.glob(f"crates/*/examples/{example}.rs")):
                problems.append(f"line {number}: {key} names the example {example}, which does not exist")
    wanted = [f"{group}-{i:02}" for group, count in GROUPS.items() for i in range(1, count + 1)]
    problems += [f"{key} is missing" for key in wanted if key not in seen]
    problems += [f"{key} is there twice or unknown" for key in sorted(set(seen)) if seen.count(key) > 1 or key not in wanted]
    print("\n".join(problems) or f"{len(seen)} requirements, each with a test or a reason")
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main())
