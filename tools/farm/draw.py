"""Draws numbers, words and names for random models; the same seed gives the same ones on every machine."""
import xml.etree.ElementTree as ET

import numpy as np


def numbers(values):
    return " ".join(repr(float(v)) for v in np.atleast_1d(values))


class Draw:
    """A source of random choices, and what a model has so far, by kind."""

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)
        self.names = {}
        self.files = {}
        self.prefix = ""
        # Degrees of freedom, to keep models small.
        self.dofs = 0

    def chance(self, p):
        return self.rng.random() < p

    def pick(self, items):
        return items[int(self.rng.integers(len(items)))]

    def integer(self, low, high):
        """From `low` to `high`, both included."""
        return int(self.rng.integers(low, high + 1))

    def value(self, low, high):
        """Short and long decimals: both are common in files."""
        x = self.rng.uniform(low, high)
        return self.pick([float(x), round(float(x), 3), float(f"{x:.5g}")])

    def values(self, low, high, n):
        return numbers([self.value(low, high) for _ in range(n)])

    def normal(self, scale=1.0, n=3):
        return numbers([float(f"{x:.{self.pick([4, 17])}g}") for x in scale * self.rng.standard_normal(n)])

    def range(self, low, high):
        a, b = sorted([self.value(low, high), self.value(low, high)])
        return numbers([a, b + 1e-3])

    def around_zero(self, size):
        return numbers([-abs(self.value(0.01, size)), abs(self.value(0.01, size))])

    def name(self, kind):
        """A new name of the kind."""
        known = self.names.setdefault(kind, [])
        name = f"{self.prefix}{kind}{len(known)}"
        known.append(name)
        return name

    def known(self, kind):
        return self.names.get(kind, [])

    def any(self, kind):
        return self.pick(self.known(kind))

    def pair(self, kind):
        """Two different names."""
        a, b = self.rng.choice(len(self.known(kind)), 2, replace=False)
        return self.known(kind)[a], self.known(kind)[b]

    def maybe(self, element, p, **attributes):
        """Sets each attribute with probability `p`; values are made by calls, so that unused ones cost no numbers."""
        for key, make in attributes.items():
            if self.chance(p):
                value = make()
                element.set(key, value if isinstance(value, str) else numbers(value))

    def switch(self, p=0.5):
        return "true" if self.chance(p) else "false"

    def orientation(self, element, p=0.5):
        if not self.chance(p):
            return
        kind = self.pick(["quat", "axisangle", "euler", "xyaxes", "zaxis"])
        element.set(kind, {
            "quat": lambda: self.normal(1, 4),
            "axisangle": lambda: self.normal() + " " + self.values(-180, 180, 1),
            "euler": lambda: self.values(-120, 120, 3),
            "xyaxes": lambda: self.normal(1, 6),
            "zaxis": lambda: self.normal(),
        }[kind]())

    def row_attributes(self, element, suffix="", p=0.35):
        """How a constraint gives way."""
        direct = lambda: numbers([-self.value(50, 3000), -self.value(1, 100)])
        spring = lambda: numbers([self.value(0.001, 0.1), self.value(0.2, 2)])
        self.maybe(element, p, **{"solref" + suffix: lambda: direct() if self.chance(0.25) else spring()})
        self.maybe(element, p, **{"solimp" + suffix: lambda: " ".join(
            [self.values(0.1, 0.99, 2), numbers(self.pick([0.0, 1e-4, 1e-3, 1e-2, 0.2]))]
            + ([self.values(0.05, 0.95, 1), numbers(self.pick([1, 2, 3.5, 6]))] if self.chance(0.5) else []))})


def element(parent, tag, **attributes):
    return ET.SubElement(parent, tag, {k.rstrip("_"): v if isinstance(v, str) else numbers(v) for k, v in attributes.items()})
