"""A short run of the farm (tools/farm): the same seeds every time, in less than a minute. Long runs take new seeds."""
import pathlib
import subprocess
import sys

import pytest

FARM = pathlib.Path(__file__).resolve().parents[3] / "tools" / "farm"


@pytest.mark.parametrize("kind, count", [("models", 30), ("sequences", 150), ("files", 400), ("states", 150)])
def test_short_run(kind, count):
    pytest.importorskip("mujoco")
    done = subprocess.run([sys.executable, str(FARM), kind, str(count), "--from", "2000"], capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-1000:]


def test_a_difference_is_found(tmp_path):
    """The judge itself: a candidate that is MuJoCo but for one array differs in that stage and is not excused by rounding."""
    mujoco = pytest.importorskip("mujoco")
    sys.path.insert(0, str(FARM))
    try:
        import generate
        import judge
    finally:
        sys.path.remove(str(FARM))

    class Wrong:
        """MuJoCo with a constant error in what gravity does."""

        def __getattr__(self, name):
            return getattr(mujoco, name)

        def mj_forward(self, m, d):
            mujoco.mj_forward(m, d)
            d.qfrc_bias[:] += 1e-5

    # A seed whose model is determined.
    case = generate.model(4)
    assert judge.judge(mujoco, mujoco, case)["bad"] == {}
    assert set(judge.judge(mujoco, Wrong(), case)["open"]) == {"smooth"}
