"""Makes a case smaller as long as it keeps its property: without elements, without attributes, with shorter numbers."""
import xml.etree.ElementTree as ET

from case import Case


def parents(root):
    return [(parent, child) for parent in root.iter() for child in parent]


def without_elements(root):
    """Copies of the tree, each without one element; large ones first."""
    pairs = parents(root)
    order = sorted(range(len(pairs)), key=lambda k: -len(list(pairs[k][1].iter())))
    for k in order:
        copy = ET.fromstring(ET.tostring(root))
        parent, child = parents(copy)[k]
        parent.remove(child)
        yield copy
    # Frames and copies, replaced by what they hold.
    for k in order:
        if pairs[k][1].tag in ("frame", "replicate"):
            copy = ET.fromstring(ET.tostring(root))
            parent, child = parents(copy)[k]
            at = list(parent).index(child)
            parent.remove(child)
            for inner in reversed(list(child)):
                parent.insert(at, inner)
            yield copy


def without_attributes(root):
    for k, e in enumerate(root.iter()):
        for key in list(e.attrib):
            copy = ET.fromstring(ET.tostring(root))
            del list(copy.iter())[k].attrib[key]
            yield copy


def with_shorter_numbers(root):
    for k, e in enumerate(root.iter()):
        for key, value in e.attrib.items():
            try:
                short = " ".join(f"{float(w):.2g}" for w in value.split())
            except ValueError:
                continue
            if len(short) < len(value):
                copy = ET.fromstring(ET.tostring(root))
                list(copy.iter())[k].set(key, short)
                yield copy


def size(root):
    return sum(1 + len(e.attrib) for e in root.iter())


def shrink(case, holds, progress=lambda size: None):
    """The smallest case found by removing one thing after the other, until no removal keeps `holds`."""
    best = case.copy()
    for make in (without_elements, without_attributes, without_elements, with_shorter_numbers):
        going = True
        while going:
            going = False
            # A removal that worked makes way for the next without starting over.
            skip = 0
            while True:
                candidates = make(best.root)
                for _ in range(skip):
                    next(candidates, None)
                smaller = None
                for root in candidates:
                    trial = Case(root, best.files)
                    if holds(trial):
                        smaller = trial
                        break
                    skip += 1
                if smaller is None:
                    break
                best, going = smaller, True
                progress(size(best.root))
    names = set(best.text().replace('"', " ").split())
    best.files = {k: v for k, v in best.files.items() if k in names}
    return best
