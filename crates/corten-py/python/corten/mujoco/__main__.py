"""Runs a program with `corten.mujoco` in the place of `mujoco`, or sets that up for an environment.

    python -m corten.mujoco SCRIPT [ARGS]          a script
    python -m corten.mujoco -m MODULE [ARGS]       a module
    python -m corten.mujoco -c COMMAND [ARGS]      a command
    python -m corten.mujoco --hook install         every interpreter of this environment from now on
    python -m corten.mujoco --hook remove          and no more
    python -m corten.mujoco --hook status

Processes that the program starts, such as workers of multiprocessing or Ray, see the same. The variable
CORTEN_ALIAS=0 switches all of it off. Files of the package mujoco, if it is installed, are left alone.
"""
import os
import runpy
import shutil
import sys
import sysconfig

from . import _startup

_PTH, _COPY = "corten_alias.pth", "_corten_alias.py"


def _hook(action):
    """Writes, removes or looks for the files that run at the start of interpreters."""
    site = sysconfig.get_path("purelib")
    pth, copy = os.path.join(site, _PTH), os.path.join(site, _COPY)
    if action == "install":
        shutil.copyfile(_startup.__file__, copy)
        with open(pth, "w", encoding="utf-8") as file:
            file.write("import _corten_alias\n")
    elif action == "remove":
        for path in (pth, copy):
            if os.path.exists(path):
                os.remove(path)
    elif action != "status":
        sys.exit(f"--hook takes install, remove or status, not {action!r}")
    state = "installed" if os.path.exists(pth) else "not installed"
    off = "" if _startup.wanted() else f"; switched off by {_startup.VARIABLE}"
    print(f"import mujoco means corten.mujoco at the start of interpreters: {state} in {site}{off}")


def _pass_on():
    """Lets processes that are started from here see the same."""
    hook = os.path.join(os.path.dirname(os.path.abspath(__file__)), "_hook")
    others = [p for p in os.environ.get("PYTHONPATH", "").split(os.pathsep) if p and p != hook]
    os.environ["PYTHONPATH"] = os.pathsep.join([hook, *others])


def main(arguments):
    if not arguments or arguments[0] in ("-h", "--help"):
        print(__doc__)
        return
    if arguments[0] == "--hook":
        _hook(arguments[1] if len(arguments) > 1 else "status")
        return
    if _startup.wanted():
        _startup.install()
        _pass_on()
    kind = arguments[0]
    if kind in ("-m", "-c"):
        if len(arguments) < 2:
            sys.exit(f"{kind} needs an argument")
        sys.path[0] = ""
        sys.argv = [kind, *arguments[2:]]
        if kind == "-m":
            runpy.run_module(arguments[1], run_name="__main__", alter_sys=True)
        else:
            exec(compile(arguments[1], "<string>", "exec"), {"__name__": "__main__", "__builtins__": __builtins__})
        return
    sys.argv = arguments
    sys.path[0] = os.path.dirname(os.path.abspath(kind))
    runpy.run_path(kind, run_name="__main__")


if __name__ == "__main__":
    main(sys.argv[1:])
