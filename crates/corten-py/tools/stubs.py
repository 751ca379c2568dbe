#!/usr/bin/env python3
"""Writes the type stub of `corten.mujoco` from the installed package and MuJoCo's signatures.

    pip install ./crates/corten-py mujoco==3.4.0
    crates/corten-py/tools/stubs.py > crates/corten-py/python/corten/mujoco/__init__.pyi
"""
import inspect
import pathlib
import re

import mujoco
import numpy as np

import corten.mujoco as corten
from corten.mujoco._elements import KINDS, _Value
from corten.mujoco._lists import FIELDS as LIST_FIELDS
from corten.mujoco._named import KINDS as NAMED, VIEWS
from corten.mujoco._visual import CLASSES

XML = "<mujoco><worldbody><body><joint/><geom size='1'/></body></worldbody></mujoco>"
HEAD = '''"""A drop-in for `import mujoco` 3.4.0, computed by CortenForge."""
from collections.abc import Iterator, Mapping
from enum import IntEnum
from os import PathLike
from typing import Any, Generic, SupportsFloat, TypeVar, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._corten import DataBase, ModelBase
from . import batch as batch
from . import minimize as minimize
from . import msh2obj as msh2obj
from . import rollout as rollout
from . import viewer as viewer

_T = TypeVar("_T", bound=np.generic)
_V = TypeVar("_V")
__version__: str
_Assets = Mapping[str, bytes | str] | None
_F64 = NDArray[np.float64]
_F32 = NDArray[np.float32]
_I32 = NDArray[np.int32]
_U8 = NDArray[np.uint8]
_I8 = NDArray[np.int8]

class _Field(Generic[_T]):
    """An array that is read as it is, and written with anything that converts to one."""

    @overload
    def __get__(self, instance: None, owner: Any) -> _Field[_T]: ...
    @overload
    def __get__(self, instance: object, owner: Any) -> NDArray[_T]: ...
    def __set__(self, instance: object, value: ArrayLike) -> None: ...

class _Number(Generic[_V]):
    """A number that is written with anything that converts to one, and read as what it is."""

    @overload
    def __get__(self, instance: None, owner: Any) -> _Number[_V]: ...
    @overload
    def __get__(self, instance: object, owner: Any) -> _V: ...
    def __set__(self, instance: object, value: SupportsFloat) -> None: ...

class FatalError(Exception): ...
class UnexpectedError(Exception): ...
def install() -> None: ...
def uninstall() -> None: ...
'''
# Fields that can be assigned with anything array-like.
FIELDS = {"float64": "np.float64", "float32": "np.float32", "int32": "np.int32", "uint8": "np.uint8", "int8": "np.int8",
          "uint64": "np.uint64"}
ARRAYS = {"float64": "_F64", "float32": "_F32", "int32": "_I32", "uint8": "_U8", "int8": "_I8"}
OWN = {
    "MjModel": '''    @classmethod
    def from_xml_path(cls, filename: str | PathLike[str], assets: _Assets = None) -> MjModel: ...
    @classmethod
    def from_xml_string(cls, xml: str, assets: _Assets = None) -> MjModel: ...
    @classmethod
    def from_binary_path(cls, filename: str, assets: Mapping[str, bytes] | None = None) -> MjModel: ...
    @property
    def opt(self) -> MjOption: ...
    @property
    def stat(self) -> MjStatistic: ...
    @property
    def vis(self) -> MjVisual: ...
    def object_id(self, kind: int, name: str) -> int: ...
    def object_name(self, kind: int, index: int) -> str | None: ...
    def object_names(self, kind: int) -> list[str]: ...
    def pack(self) -> dict[str, NDArray[Any]]: ...
    def to_bytes(self) -> bytes: ...
    def to_mjb(self) -> bytes: ...
    def bind(self, specs: Any) -> Any: ...
''',
    "MjData": '''    def __init__(self, model: MjModel) -> None: ...
    @property
    def model(self) -> MjModel: ...
    @property
    def contact(self) -> _MjContactList: ...
    @property
    def solver(self) -> _MjSolverStatList: ...
    @property
    def warning(self) -> _MjWarningStatList: ...
    @property
    def timer(self) -> _MjTimerStatList: ...
    time: float
    def to_bytes(self) -> bytes: ...
    def bind(self, specs: Any) -> Any: ...
''',
}


def type_of(value):
    if isinstance(value, np.ndarray):
        return f"_Field[{FIELDS[str(value.dtype)]}]"
    return {bool: "bool", int: "int", float: "float", bytes: "bytes", str: "str"}.get(type(value), "Any")


def class_stub(name, o, base):
    methods = {n for n in dir(type(o)) if callable(getattr(type(o), n, None))}
    lines = [f"class {name}({base}):" if base else f"class {name}:", OWN.get(name, "").rstrip("\n")]
    done = set(re.findall(r"def (\w+)|^    (\w+):", OWN.get(name, ""), re.M))
    done = {a or b for a, b in done}
    for n in dir(o):
        if n.startswith("_") or n in methods or n in done:
            continue
        kind = type_of(getattr(o, n))
        if kind == "Any":
            continue
        lines.append(f"    {n}: {kind}")
    for n in sorted(methods - done):
        if getattr(type(o), n).__doc__ and "with this name or index" in getattr(type(o), n).__doc__:
            side, title = name.removeprefix("Mj"), next(k.title for k in NAMED if n in k.aliases)
            lines.append(f"    def {n}(self, name: str | bytes | int = ...) -> _Mj{side}{title}Views: ...")
    return "\n".join(line for line in lines if line)


def record_stub(name, o, indent=""):
    lines = [f"{indent}class {name}:", f"{indent}    def __init__(self) -> None: ..."]
    lines += [f"{indent}    {n}: {type_of(getattr(o, n))}" for n in sorted(o._fields)]
    return "\n".join(lines)


def split(arguments):
    depth, parts, start = 0, [], 0
    for i, c in enumerate(arguments + ","):
        depth += (c in "[(") - (c in "])")
        if c == "," and depth == 0:
            parts.append(arguments[start:i].strip())
            start = i + 1
    return [p for p in parts if p]


def parameter(text):
    name, _, kind = text.partition(": ")
    default = " = ..." if " = " in kind else ""
    optional = " | None" if "| None" in kind else ""
    if "MjModel" in kind:
        kind = "MjModel"
    elif "MjData" in kind:
        kind = "MjData"
    elif "NDArray" in kind:
        scalar = re.search(r"numpy\.(\w+)\]", kind)[1]
        kind = ARRAYS[scalar] if "writeable" in kind else "ArrayLike"
    elif "SupportsFloat" in kind or kind.startswith("float"):
        kind = "float"
    elif "SupportsInt" in kind or kind.startswith("int"):
        kind = "int"
    elif kind.startswith("str"):
        kind = "str"
    elif "Mj" in kind:
        kind = re.search(r"(Mj\w+)", kind)[1]
    else:
        kind = "Any"
    return f"{name}: {kind}{optional}{default}"


def function_stub(name):
    known = getattr(mujoco, name, None) if name != "mj_defaultSolRefImp" else None
    if known is None or "(" not in (known.__doc__ or "").split("\n")[0]:
        return f"def {name}{inspect.signature(getattr(corten, name))}: ..."
    line = known.__doc__.split("\n")[0]
    inside, result = line[line.index("(") + 1:line.rindex(")")], line.rsplit("-> ", 1)[-1]
    result = {"typing_extensions.CapsuleType": "Any", "object": "Any"}.get(result, result)
    result = result.rsplit(".", 1)[-1] if "Mj" in result else result
    if name == "mj_id2name" or name == "mju_type2Str":
        result = "str | None"
    return f"def {name}({', '.join(parameter(p) for p in split(inside))}) -> {result}: ..."


def signature(name, f, result="Any"):
    shown = []
    for p in inspect.signature(f).parameters.values():
        kind = "" if p.name == "self" else ": Any"
        star = {p.VAR_KEYWORD: "**", p.VAR_POSITIONAL: "*"}.get(p.kind, "")
        shown.append(f"{star}{p.name}{kind}" + ("" if p.default is p.empty else " = ..."))
    return f"    def {name}({', '.join(shown)}) -> {result}: ..."


def value_type(value):
    """The type of a field of an element: what is read, and what can be assigned."""
    if isinstance(value, np.ndarray):
        return f"_Field[{FIELDS[str(value.dtype)]}]"
    if isinstance(value, int) and hasattr(type(value), "__members__"):
        return f"_Number[{type(value).__name__}]"
    if type(value).__name__.startswith("Mjs"):
        return type(value).__name__
    return {int: "int", float: "float", str: "str"}.get(type(value), "Any")


RESULTS = {f"add_{kind}": title for kind, (title, _) in KINDS.items()}
RESULTS |= {"add_freejoint": "MjsJoint", "add_default": "MjsDefault | None", "find_default": "MjsDefault | None"}
RESULTS |= {f"{step}_{kind}": f"{title} | None" for kind, (title, _) in KINDS.items() for step in ("first", "next")}
RESULTS |= {"compile": "MjModel", "recompile": "tuple[MjModel, MjData]", "to_xml": "str", "to_file": "None",
            "copy": "MjSpec", "delete": "None", "attach": "MjsFrame", "attach_frame": "MjsFrame", "to_zip": "None",
            "attach_body": "MjsBody", "to_frame": "MjsFrame", "set_frame": "None", "find_child": "MjsBody | None",
            "path": "MjsTendonPath", "parent": "MjsBody", "frame": "MjsFrame | None", "classname": "MjsDefault",
            "worldbody": "MjsBody", "default": "MjsDefault"}


def element_stub(cls, o, extra=()):
    lines = [f"class {cls.__name__}:"] + list(extra)
    for n in dir(cls):
        member = inspect.getattr_static(cls, n)
        if n.startswith("_"):
            continue
        if isinstance(member, (classmethod, staticmethod)):
            lines.append(f"    @{type(member).__name__}")
            lines.append(signature(n, member.__func__, cls.__name__ if isinstance(member, classmethod) else "Any")
                         .replace("cls: Any", "cls"))
        elif inspect.isfunction(member):
            finder = KINDS[n][0] + " | None" if cls.__name__ == "MjSpec" and n in KINDS else "Any"
            lines.append(signature(n, member, RESULTS.get(n, finder)))
        elif isinstance(member, property):
            plural = {p: t for t, p in KINDS.values()}
            kind = RESULTS.get(n) or (f"list[{plural[n]}]" if n in plural else None)
            try:
                kind = kind or value_type(getattr(o, n))
            except ValueError:
                kind = "Any"
            kind = "MjSpec | None" if (cls.__name__, n) == ("MjSpec", "parent") else kind
            if member.fset is None:
                lines += ["    @property", f"    def {n}(self) -> {kind}: ..."]
            else:
                lines.append(f"    {n}: {'Any' if kind.startswith('_') else kind}")
    known = getattr(cls, "_known", ())
    lines += [f"    {n}: {value_type(getattr(o, n))}" for n in known if isinstance(vars(cls).get(n), _Value)]
    return "\n".join(lines)


def visual_stubs():
    parts = {"geoms": "tuple[MjvGeom, ...]", "lights": "tuple[MjvLight, ...]", "camera": "tuple[MjvGLCamera, MjvGLCamera]"}
    for cls in CLASSES:
        name, o = cls.__name__, cls()
        made = "model: MjModel | None = ..., maxgeom: int = ..." if name == "MjvScene" else ""
        lines = [f"class {name}:", f"    def __init__(self{made and ', '}{made}) -> None: ..."]
        for n in (n for n in dir(cls) if not n.startswith("_")):
            if n in parts:
                lines += ["    @property", f"    def {n}(self) -> {parts[n]}: ..."]
            else:
                value = getattr(o, n)
                text = isinstance(value, np.ndarray) and value.dtype.kind == "S"
                lines.append(f"    {n}: {'NDArray[np.bytes_]' if text else type_of(value)}")
        yield "\n".join(lines)


def list_stubs(listed, names):
    """A struct, and the list of such structs."""
    title = type(listed).__name__
    name = title.removeprefix("_").removesuffix("List")
    struct = getattr(corten, name)()
    yield f"class {name}:\n    def __init__(self) -> None: ...\n" + "\n".join(
        f"    {n}: {type_of(getattr(struct, n))}" for n in names)
    yield f"""class {title}:
    def __len__(self) -> int: ...
    @overload
    def __getitem__(self, index: int) -> {name}: ...
    @overload
    def __getitem__(self, index: slice) -> {title}: ...
    def __setitem__(self, index: int, value: {name}) -> None: ...
    def __iter__(self) -> Iterator[{name}]: ...
""" + "\n".join(f"    {n}: {type_of(np.asarray(getattr(listed, n)))}" for n in names)


NAMED_XML = """<mujoco><asset><material name='x'/><texture name='x' type='2d' builtin='flat' width='1' height='1'/>
<hfield name='x' nrow='2' ncol='2' size='1 1 1 1'/><mesh name='x' vertex='0 0 0 1 0 0 0 1 0 0 0 1'/></asset>
<worldbody><body name='x'><joint name='x'/><geom name='x' size='1'/><site name='x'/><camera name='x'/><light name='x'/>
</body><body name='y'/><geom name='y' size='1'/></worldbody><contact><pair name='x' geom1='x' geom2='y'/>
<exclude name='x' body1='x' body2='y'/></contact><equality><joint name='x' joint1='x'/></equality>
<tendon><fixed name='x'><joint joint='x' coef='1'/></fixed></tendon><actuator><motor name='x' joint='x'/></actuator>
<sensor><jointpos name='x' joint='x'/></sensor><custom><numeric name='x' data='1'/><text name='x' data='a'/>
<tuple name='x'><element objtype='body' objname='x'/></tuple></custom><keyframe><key name='x'/></keyframe></mujoco>"""


def view_stubs():
    """What named access gives."""
    m = corten.MjModel.from_xml_string(NAMED_XML)
    owners = {"Model": m, "Data": corten.MjData(m)}
    for (side, title), cls in VIEWS.items():
        kind = next(k for k in NAMED if k.title == title)
        lines = [f"class {cls.__name__}:", "    @property", "    def id(self) -> int: ...", "    @property",
                 "    def name(self) -> str: ..."]
        if getattr(m, kind.count):
            view = getattr(owners[side], kind.aliases[0])(0)
            lines += [f"    {n}: {type_of(getattr(view, n))}" for n in sorted(cls._attributes) if n not in ("id", "name")]
        else:
            # Flexes and skins, which the model above has none of.
            lines += [f"    {n}: Any" for n in sorted(cls._attributes) if n not in ("id", "name")]
        yield "\n".join(lines)


def spec_stubs():
    s = corten.MjSpec()
    body = s.worldbody.add_body(name="b")
    tendon = s.add_tendon(name="t")
    yield "class MjsElement: ..."
    yield "class MjsOrientation:\n    type: mjtOrientation\n    axisangle: Any\n    xyaxes: Any\n    zaxis: Any\n    euler: Any"
    for kind, (title, _) in KINDS.items():
        made = {"body": body, "tendon": tendon}.get(kind)
        if made is None:
            owner = body if hasattr(body, f"add_{kind}") else s
            made = getattr(owner, f"add_{kind}")()
        yield element_stub(getattr(corten, title), made).replace(f"class {title}:", f"class {title}(MjsElement):")
    for name in ("MjByteVec", "MjCharVec", "MjDoubleVec", "MjFloatVec", "MjIntVec", "MjStringVec"):
        yield f"class {name}(list[Any]): ..."
    yield "class MjsCompiler:\n" + "\n".join(f"    {n}: Any" for n in dir(s.compiler))
    yield element_stub(corten.MjsDefault, s.default)
    yield element_stub(corten.MjsWrap, tendon.wrap_pulley(2))
    yield ("class MjsTendonPath:\n    def __len__(self) -> int: ...\n"
           "    def __getitem__(self, index: int) -> MjsWrap: ...")
    yield element_stub(corten.MjSpec, s, ["    def __init__(self) -> None: ..."])
    yield "MjStruct = " + " | ".join(title for title, _ in KINDS.values())


def main():
    m = corten.MjModel.from_xml_string(XML)
    d = corten.MjData(m)
    out = [HEAD]
    for name in sorted(n for n in dir(corten) if n.startswith("mjt")):
        members = getattr(corten, name).__members__
        out.append(f"class {name}(IntEnum):\n" + "\n".join(f"    {k} = {int(v)}" for k, v in members.items()))
    for name in sorted(n for n in dir(corten) if n.startswith("mj") and isinstance(getattr(corten, n), (int, float, tuple))):
        if not name.startswith("mjt"):
            kind = type(getattr(corten, name)).__name__
            out.append(f"{name}: {kind if kind != 'tuple' else 'tuple[Any, ...]'}")
    out += [record_stub("MjOption", m.opt), record_stub("MjStatistic", m.stat)]
    out.append("class MjVisual:\n    def __init__(self) -> None: ...")
    for name, section in corten.MjVisual._sections.items():
        out.append(record_stub(section.__name__, getattr(m.vis, name), "    "))
        out.append(f"    {name}: {section.__name__}")
    out.append("MjVisualHeadlight = MjVisual.Headlight\nMjVisualRgba = MjVisual.Rgba")
    lro = corten.MjLROpt()
    out.append("class MjLROpt:\n    def __init__(self) -> None: ...\n"
               + "\n".join(f"    {n}: {type_of(getattr(lro, n))}" for n in lro._names))
    for field, names in LIST_FIELDS.items():
        out += list_stubs(getattr(d, field), names)
    out += view_stubs()
    out += [class_stub("MjModel", m, "ModelBase"), class_stub("MjData", d, "DataBase")]
    out += spec_stubs()
    out += visual_stubs()
    for name in sorted(n for n in dir(corten) if n.startswith(("mj_", "mju_", "mjd_", "mjv_"))):
        out.append(function_stub(name))
    for name in sorted(n for n in dir(corten) if n.startswith(("get_mj", "set_mj"))):
        argument, result = ("callback: Any", "None") if name.startswith("set") else ("", "Any")
        out.append(f"def {name}({argument}) -> {result}: ...")
    out.append(pathlib.Path(__file__).with_name("pictures.pyi").read_text().rstrip())
    print("\n".join(out))


if __name__ == "__main__":
    main()
