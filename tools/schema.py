#!/usr/bin/env python3
"""Compares our grammar of MJCF with the one that MuJoCo prints.

    tools/schema.py PATH/TO/corten

`corten schema` prints ours; `mj_printSchema` prints MuJoCo's. Reports elements and attributes that
only one of them knows, and how often an element may occur where that differs. What belongs to
features that are refused by name is expected to be missing; elements and attributes of ours have a prefix.
"""

import re
import subprocess
import sys
from pathlib import Path

import mujoco

EXTENSION = "cortenforge:"
INDENT = 3


def parse(text):
    """Lines `   element (cardinality)   attribute ...` to {path: (cardinality, attributes)}."""
    table, stack, current = {}, [], None
    for line in text.splitlines():
        match = re.match(r"^( *)([\w():]+) \((.)\)(.*)$", line)
        if match:
            depth = len(match[1]) // INDENT
            stack[depth:] = [match[2]]
            current = "/".join(stack)
            table[current] = (match[3], set(match[4].split()))
        elif current:
            table[current][1].update(line.split())
    return table


def main():
    ours = parse(subprocess.run([sys.argv[1], "schema"], check=True, capture_output=True, text=True).stdout)
    theirs = parse(mujoco.mj_printSchema(False, True))
    # MuJoCo lists the contents of bodies under "(world)body", and does not list frames and copies.
    world, body, listed = "mujoco/worldbody", "mujoco/worldbody/body", "mujoco/(world)body"
    ours = {
        path.replace(body, listed): rule
        for path, rule in ours.items()
        if (path.startswith(body) or not path.startswith(world)) and EXTENSION not in path
    }
    for name in ["frame", "replicate"]:
        del ours[f"{listed}/{name}"]
    refused = {path for path, (mark, _) in ours.items() if mark == "x"}
    differences = []
    for path in sorted(set(ours) | set(theirs)):
        if any(path == r or path.startswith(r + "/") for r in refused):
            continue
        if path not in ours:
            differences.append(f"element {path}: only MuJoCo has it")
        elif path not in theirs:
            differences.append(f"element {path}: MuJoCo does not have it")
        else:
            (mark, attrs), (their_mark, their_attrs) = ours[path], theirs[path]
            for attr in sorted(their_attrs - attrs):
                differences.append(f"attribute {path}.{attr}: only MuJoCo has it")
            extensions = {attr for attr in attrs if attr.startswith(EXTENSION)}
            for attr in sorted(attrs - their_attrs - extensions):
                differences.append(f"attribute {path}.{attr}: MuJoCo does not have it")
            if (mark == "?") != (their_mark == "?"):
                differences.append(f"element {path}: occurs {mark} here, {their_mark} in MuJoCo")
    print("\n".join(differences) or "no differences")
    print(f"{len(theirs)} elements, {sum(len(a) for _, a in theirs.values())} attributes in MuJoCo; "
          f"refused by name: {', '.join(sorted(refused))}")
    sys.exit(bool(differences))


if __name__ == "__main__":
    main()
