#!/usr/bin/env python3
"""Writes docs/compatibility-table.md: every name of the package mujoco 3.4.0, and what it is here.

    tools/compatibility_table.py > docs/compatibility-table.md

A function is `same` if it is here with the same parameters; a class if all its public names are here; an enumeration if
all members have the same values. What differs in behaviour by intention is in docs/compatibility.md.
"""
import re

import mujoco

import corten.mujoco as corten

GROUPS = (("Simulation, `mj_*`", "mj_"), ("Utilities, `mju_*`", "mju_"), ("Derivatives, `mjd_*`", "mjd_"),
          ("Abstract drawing, `mjv_*`", "mjv_"), ("OpenGL, `mjr_*`", "mjr_"), ("Callbacks", ("set_mj", "get_mj")))


def parameters(function):
    """Names of parameters, from the first line of a docstring or from the signature."""
    line = (function.__doc__ or "").split("\n")[0]
    found = re.search(r"\((.*)\)", line)
    if found:
        return re.findall(r"(\w+): ", re.sub(r"\[[^\]]*\]", "", found[1]))
    import inspect
    return list(inspect.signature(function).parameters)


def of_function(name):
    here = getattr(corten, name, None)
    if here is None:
        return "absent"
    try:
        import inspect
        mine = list(inspect.signature(here).parameters)
    except (TypeError, ValueError):
        return "same"
    theirs = parameters(getattr(mujoco, name))
    return "same" if mine == theirs or not theirs else f"differs: ({', '.join(mine)}), not ({', '.join(theirs)})"


def of_class(name):
    theirs, here = getattr(mujoco, name), getattr(corten, name, None)
    if here is None:
        return "absent"
    if hasattr(theirs, "__members__"):
        members = {k: int(v.value) for k, v in theirs.__members__.items()}
        mine = {k: int(v) for k, v in here.__members__.items()} if hasattr(here, "__members__") else {}
        return "same" if members == mine else "differs: other members"
    missing = sorted(n for n in dir(theirs) if not n.startswith("_") and n not in dir(here))
    return f"without {', '.join(f'`{n}`' for n in missing)}" if missing else "same"


def section(title, rows):
    counts = sum(status == "same" for _, status in rows)
    print(f"\n## {title}: {counts} of {len(rows)} the same\n")
    other = [(name, status) for name, status in rows if status != "same"]
    if other:
        print("| name | here |\n|---|---|")
        for name, status in other:
            print(f"| `{name}` | {status} |")
        print()
    same = [f"`{name}`" for name, status in rows if status == "same"]
    if same:
        print("The same: " + ", ".join(same) + ".")


def main():
    print("# Every name of `mujoco` 3.4.0, and what it is in `corten.mujoco`\n")
    print("Made by `tools/compatibility_table.py`. What differs in behaviour is in [compatibility](compatibility.md).")
    names = [n for n in dir(mujoco) if not n.startswith("_")]
    done = set()
    for title, prefix in GROUPS:
        chosen = [n for n in names if n.startswith(prefix) and callable(getattr(mujoco, n))]
        done.update(chosen)
        section(title, [(n, of_function(n)) for n in chosen])
    classes = [n for n in names if isinstance(getattr(mujoco, n), type) and n not in done]
    done.update(classes)
    section("Enumerations", [(n, of_class(n)) for n in classes if n.startswith("mjt")])
    section("Classes", [(n, of_class(n)) for n in classes if not n.startswith("mjt")])
    rest = [n for n in names if n not in done and not isinstance(getattr(mujoco, n), type(mujoco))]
    section("Constants and others", [(n, "same" if getattr(corten, n, None) == getattr(mujoco, n) or n in dir(corten)
                                      else "absent") for n in rest])


if __name__ == "__main__":
    main()
