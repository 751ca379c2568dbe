"""Every Python block of README and documentation runs, those of one document one after the other."""
import pathlib, re

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]


def blocks(path):
    return re.findall(r"^```python\n(.*?)^```", path.read_text(), re.S | re.M)


DOCUMENTS = [path for path in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))] if blocks(path)]


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
@pytest.mark.filterwarnings("ignore:the page is not part of this build")
def test_blocks_run(path, tmp_path, monkeypatch):
    if path.name == "gym.md":
        pytest.importorskip("gymnasium")
    # Documents speak of scenes of the repository, and of a robot of the reader's.
    (tmp_path / "scenes").symlink_to(ROOT / "scenes")
    (tmp_path / "robot.xml").symlink_to(ROOT / "scenes" / "quadruped.xml")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CORTEN_VIEWER_BROWSER", "0")
    names = {}
    for block in blocks(path):
        exec(compile(block, str(path), "exec"), names)


def test_there_are_documents():
    assert {"README.md", "tour.md", "render.md", "gym.md"} <= {path.name for path in DOCUMENTS}
