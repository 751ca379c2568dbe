"""`import mujoco` that means `corten.mujoco`, in programs and in the processes that they start."""
import os
import pathlib
import subprocess
import sys
import textwrap

import pytest


def run(*arguments, **environment):
    env = {**os.environ, **environment}
    return subprocess.run([sys.executable, *arguments], capture_output=True, text=True, env=env, timeout=120)


def test_a_command_and_its_processes():
    code = textwrap.dedent("""
        import multiprocessing, subprocess, sys
        import mujoco, mujoco.rollout, mujoco.minimize
        from mujoco import viewer, msh2obj, _structs
        def name(_):
            import mujoco
            return mujoco.__name__
        if __name__ == "__main__":
            import corten.mujoco
            assert mujoco is corten.mujoco and mujoco.rollout is corten.mujoco.rollout and mujoco.__version__ == "3.4.0"
            assert corten.mujoco.__spec__.name == "corten.mujoco"
            import importlib.metadata
            assert importlib.metadata.version("mujoco") == "3.4.0"
            print(subprocess.run([sys.executable, "-c", "import mujoco; print(mujoco.__name__)"], capture_output=True,
                                 text=True).stdout.strip())
    """)
    found = run("-m", "corten.mujoco", "-c", code)
    assert found.returncode == 0, found.stderr
    assert found.stdout.strip() == "corten.mujoco"


def test_spawned_workers(tmp_path):
    script = tmp_path / "spawn.py"
    script.write_text(textwrap.dedent("""
        import multiprocessing, sys
        def name(_):
            import mujoco
            return mujoco.__name__
        if __name__ == "__main__":
            with multiprocessing.get_context("spawn").Pool(1) as pool:
                print(*pool.map(name, [0]), *sys.argv[1:])
    """))
    found = run("-m", "corten.mujoco", str(script), "an argument")
    assert found.returncode == 0, found.stderr
    assert found.stdout.strip() == "corten.mujoco an argument"


def test_one_variable_switches_it_off():
    pytest.importorskip("mujoco")
    found = run("-m", "corten.mujoco", "-c", "import mujoco; print(mujoco.__name__)", CORTEN_ALIAS="0")
    assert found.stdout.strip() == "mujoco", found.stderr


def test_the_hook_is_a_file_without_the_package(tmp_path):
    """The copy that runs at the start of interpreters imports nothing of the package by itself."""
    import corten.mujoco._startup as startup
    with open(startup.__file__, encoding="utf-8") as file:
        (tmp_path / "_corten_alias.py").write_text(file.read())
    code = ("import _corten_alias, sys; assert 'corten' not in sys.modules and 'numpy' not in sys.modules; "
            "import mujoco; print(mujoco.__name__)")
    assert run("-c", code, PYTHONPATH=str(tmp_path)).stdout.strip() == "corten.mujoco"


def test_what_is_not_here_says_so():
    found = run("-m", "corten.mujoco", "-c", "import mujoco.mjx")
    assert "BatchSim" in found.stderr and "JAX" in found.stderr
    found = run("-m", "corten.mujoco", "-c", "import mujoco.nonsense")
    assert "CORTEN_ALIAS=0" in found.stderr
    found = run("-c", "import mujoco, corten.mujoco; corten.mujoco.install()")
    assert "already" in found.stderr or "No module named 'mujoco'" in found.stderr


def test_install_and_uninstall():
    code = ("import corten.mujoco as c; c.install(); c.install(); import mujoco; assert mujoco is c; c.uninstall(); "
            "import sys; assert 'mujoco' not in sys.modules")
    assert run("-c", code).returncode == 0


LATER = """
import numpy as np, corten.mujoco as mj
from corten.mujoco import later
m = mj.MjModel.from_xml_path(%r)
a = mj.MjData(m)
mj.mj_resetDataKeyframe(m, a, 0)
mj.mj_step(m, a, 60)
dense, full = np.zeros((m.nv, m.nv)), np.zeros((m.nv, m.nv))
mj.mj_fullM(m, dense, a.qM)
later.mju_sym2dense(full, a.M, m.M_rownnz, m.M_rowadr, m.M_colind)
assert np.array_equal(dense, full)
assert later.mj_readCtrl(m, a, 1, 0.0, 0) == a.ctrl[1]
assert np.array_equal(later.mj_readSensor(m, a, 2, 0.0, np.zeros(4), 0), a.sensor("attitude").data)
later.mj_resetCtrl(m, a)
assert not a.ctrl.any() and mj.mj_readCtrl is later.mj_readCtrl and mj.__version__ == "3.4.0"
"""


def test_names_of_later_versions():
    """Only where they were asked for, by an import or by the environment."""
    run = [sys.executable, "-c"]
    subprocess.run([*run, LATER % str(pathlib.Path(__file__).parents[3] / "scenes" / "quadruped.xml")], check=True)
    for value, there in (("1", True), ("0", False)):
        subprocess.run([*run, f"import corten.mujoco as m; assert hasattr(m, 'mj_readCtrl') is {there}"], check=True,
                       env={**os.environ, "CORTEN_LATER": value})
