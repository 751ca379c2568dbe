"""Options, statistics and viewing parameters."""
import numpy as np

from .._corten import RecordBase, RecordField


def describe(name, items):
    """MuJoCo's way of printing a struct: one field per line, nested structs indented."""
    lines = [f"<{name}"]
    for key, value in items:
        text = repr(value).replace("\n", "\n  ") if not isinstance(value, np.ndarray) else repr(value)
        lines.append(f"  {key}: {text}")
    return "\n".join(lines) + "\n>"


class _Record(RecordBase):
    _section = ""
    __slots__ = ()

    def __new__(cls, model=None):
        return RecordBase.__new__(cls, cls._section, model)

    def __init__(self, model=None):
        pass

    def __copy__(self):
        other = type(self)()
        other.assign(self)
        return other

    def __deepcopy__(self, memo):
        return self.__copy__()

    def _values(self):
        return {name: getattr(self, name) for name in sorted(self._fields)}

    def __reduce__(self):
        values = {k: np.array(v) if isinstance(v, np.ndarray) else v for k, v in self._values().items()}
        return _restore, (type(self), values)

    def __eq__(self, other):
        if type(self) is not type(other):
            return NotImplemented
        return all(np.array_equal(v, getattr(other, k)) for k, v in self._values().items())

    __hash__ = None

    def __repr__(self):
        return describe(type(self).__name__, self._values().items())


def _restore(cls, values):
    record = cls()
    for name, value in values.items():
        setattr(record, name, value)
    return record


class MjOption(_Record):
    """Physics options."""

    _section = "opt"


class MjStatistic(_Record):
    """Summary of a model in its reference pose."""

    _section = "stat"


class MjVisual:
    """Viewing parameters, in sections."""

    class Global(_Record):
        _section = "vis.global"

    class Quality(_Record):
        _section = "vis.quality"

    class Headlight(_Record):
        _section = "vis.headlight"

    class Map(_Record):
        _section = "vis.map"

    class Scale(_Record):
        _section = "vis.scale"

    class Rgba(_Record):
        _section = "vis.rgba"

    _sections = {
        "global_": Global, "headlight": Headlight, "map": Map,
        "quality": Quality, "rgba": Rgba, "scale": Scale,
    }
    __slots__ = tuple(_sections)

    def __init__(self, model=None):
        for name, section in self._sections.items():
            object.__setattr__(self, name, section(model))

    def __setattr__(self, name, value):
        if name not in self._sections:
            raise AttributeError(f"'MjVisual' object has no attribute '{name}'")
        getattr(self, name).assign(value)

    def __copy__(self):
        other = MjVisual()
        for name in self._sections:
            getattr(other, name).assign(getattr(self, name))
        return other

    def __deepcopy__(self, memo):
        return self.__copy__()

    def __reduce__(self):
        return _restore, (MjVisual, {name: getattr(self, name) for name in self._sections})

    def __eq__(self, other):
        if not isinstance(other, MjVisual):
            return NotImplemented
        return all(getattr(self, n) == getattr(other, n) for n in self._sections)

    __hash__ = None

    def __repr__(self):
        return describe("MjVisual", ((name, getattr(self, name)) for name in self._sections))


for _section in MjVisual._sections.values():
    _section.__module__ = __name__
for _record in (MjOption, MjStatistic, *MjVisual._sections.values()):
    for _name in _record()._fields:
        setattr(_record, _name, RecordField(_name))
