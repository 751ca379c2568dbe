"""A model with its files, in memory and on disk."""
import pathlib
import xml.etree.ElementTree as ET

EPSILON = 2.0**-52


class Case:
    """The tree of the main file, and the other files by name."""

    def __init__(self, root, files=None):
        self.root, self.files = root, dict(files or {})

    def text(self):
        return ET.tostring(self.root, encoding="unicode")

    def assets(self):
        return {k: v for k, v in self.files.items()}

    def copy(self):
        return Case(ET.fromstring(self.text()), self.files)

    def save(self, folder):
        folder = pathlib.Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        root = ET.fromstring(self.text())
        ET.indent(root, " ")
        (folder / "model.xml").write_text(ET.tostring(root, encoding="unicode"))
        for name, content in self.files.items():
            (folder / name).write_bytes(content)
        return folder / "model.xml"

    @staticmethod
    def load(path):
        """A model file and what stands beside it."""
        path = pathlib.Path(path)
        root = ET.parse(path).getroot()
        files = {p.name: p.read_bytes() for p in path.parent.iterdir() if p.is_file() and p != path and p.suffix != ".json"}
        return Case(root, files)

    def nearby(self, rng):
        """The same model with every decimal number of its XML one unit in the last place away, or not."""
        files = {k: to_bytes(moved(ET.fromstring(v), rng)) if k.endswith(".xml") else v for k, v in self.files.items()}
        return Case(moved(ET.fromstring(self.text()), rng), files)


def to_bytes(root):
    return ET.tostring(root)


def moved(root, rng):
    for e in root.iter():
        for key, value in e.attrib.items():
            if "." in value and key not in ("name", "file", "model", "class"):
                e.set(key, " ".join(moved_number(word, rng) for word in value.split()))
    return root


def moved_number(word, rng):
    if "." not in word:
        return word
    try:
        return repr(float(word) * (1 + EPSILON * int(rng.integers(-1, 2))))
    except ValueError:
        return word
