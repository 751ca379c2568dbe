"""Models as their authors write them: read, edited, compiled, written back."""
import operator
import os
import re
import warnings
import zipfile

import numpy as np

from .._corten import ModelError, SpecBase
from .._warnings import ModelWarning
from ._elements import KINDS, Content, MjsCompiler, MjsDefault, MjsElement, MjsOrientation, Section, attach
from ._structs import MjData, MjModel

_SIZES = ("memory", "nuserdata", "nkey", "nuser_body", "nuser_jnt", "nuser_geom", "nuser_site", "nuser_cam",
          "nuser_tendon", "nuser_actuator", "nuser_sensor", "njmax", "nconmax", "nstack")
_CLASSED = ("mesh", "material", "pair", "equality", "tendon", "actuator")


def _files(include, assets):
    """Files that a model may include, by their last names in lower case; and its assets, by what is written."""
    files = {}
    for name, content in (include or {}).items():
        stripped = name.replace("\\", "/").rsplit("/", 1)[-1].lower()
        if stripped in files:
            raise ValueError(f"Repeated file name in assets dict: {name}")
        files[stripped] = content
    return {**files, **(assets or {})}


# Findings that programs look for in MuJoCo's words.
_WORDS = (
    (r"'elevation' has \d+ values, nrow\*ncol is \d+", "elevation data length must match nrow*ncol"),
    (r"plugin '(.*)' has no attribute '(.*)'", r"unrecognized attribute 'plugin:\2' for plugin '\1'"),
    (r"no data fields: (intprm\[0\]) is (.*)", r"data spec (\1) must be positive, got \2"),
    (r"no known data fields: (intprm\[0\]) is (.*)",
     r"data spec \1=\2 must have at least one bit set of the first mjNCONDATA bits"),
    (r"unknown data fields: (intprm\[0\]) is (.*)", r"data spec \1=\2 has bits set beyond the first mjNCONDATA bits"),
    (r"unknown reduction: intprm\[1\] is (.*)", r"unknown reduction criterion. got \1, expected one of {0, 1, 2, 3}"),
    (r"the first criterion must be a body, geom or site",
     "first matching criterion: if set, must be (x)body, geom or site"),
    (r"the second criterion must be a body or geom", "second matching criterion: if set, must be (x)body or geom"),
)


class MjSpec:
    """A model that can be edited."""

    def __init__(self):
        self._start(SpecBase())

    def _start(self, base, assets=None):
        self._content = Content(base, self)
        self._assets = dict(assets or {})
        self._copies = False
        self._orders = None
        # Held here, so that they are not made anew at each access: the world, and elements by kind with their places.
        self._world = self._content.element("body", 0)
        self._lists = {}
        self.override_assets = True
        self.parent = None

    @classmethod
    def _made(cls, base, assets=None):
        spec = cls.__new__(cls)
        spec._start(base, assets)
        return spec

    @classmethod
    def from_file(cls, filename, include=None, assets=None):
        """Reads a model from a file; files in `include` and `assets` stand before those on disk."""
        return cls._made(SpecBase(os.fsdecode(filename), None, _files(include, assets)), assets)

    @classmethod
    def from_string(cls, xml, include=None, assets=None):
        """Reads a model from text."""
        xml = xml.decode() if isinstance(xml, bytes) else xml
        return cls._made(SpecBase(None, xml, _files(include, assets)), assets)

    @classmethod
    def from_zip(cls, file):
        """Reads a model and its files from a zip archive."""
        with zipfile.ZipFile(file) as archive:
            files = {name: archive.read(name) for name in archive.namelist() if not name.endswith("/")}
        models = [name for name in files if name.endswith(".xml")]
        if not models:
            raise ValueError("No XML file found in zip file.")
        xml = files.pop(models[-1])
        folder = os.path.dirname(models[-1])
        return cls.from_string(xml, assets={os.path.relpath(name, folder or "."): c for name, c in files.items()})

    def to_zip(self, file):
        """Writes the model and its files to a zip archive."""
        if isinstance(file, str) and os.path.dirname(file):
            os.makedirs(os.path.dirname(file), exist_ok=True)
        with zipfile.ZipFile(file, "w") as archive:
            for name, content in {**self._assets, self.modelname + ".xml": self.to_xml()}.items():
                archive.writestr(zipfile.ZipInfo(name), content)

    def copy(self):
        """A copy that shares nothing."""
        self._content.flush()
        return type(self)._made(SpecBase(source=self._content.base), self._assets)

    __copy__ = copy

    def __deepcopy__(self, memo):
        return self.copy()

    # Compiling.

    def compile(self):
        """The compiled model."""
        self._content.flush()
        try:
            model = MjModel(self._content.base.compile_model(self._assets))
        except ModelError as error:
            raise ModelError(self._in_mujocos_words(str(error))) from None
        self._content.compiled = True
        self._settle_keys()
        self._orders = self._state_order()
        return model

    def _in_mujocos_words(self, text):
        """An error of compiling, with its first finding in the form that MuJoCo's users look for: what, in which element,
        and the note that its author left there."""
        found = re.match(r"error: (.*) \[(\w+)(?: '([^']*)')?\]", text)
        if not found or found[2] not in KINDS:
            return text
        what, kind, name = found.groups()
        words = (re.sub(ours, theirs, what) for ours, theirs in _WORDS if re.fullmatch(ours, what))
        told = "Error: " + next(words, f"{what} in {kind}")
        element = getattr(self, kind)(name) if name else None
        if element:
            elements = getattr(self, KINDS[kind][1])
            place = next((i for i, e in enumerate(elements) if e is element), -1)
            note = f", {element.info}" if element.info else ""
            told += f"\nElement name '{name}', id {place}{note}"
        elif name:
            return text
        return f"{told}\n{text}"

    def _settle_keys(self):
        """Keyframes as compiling leaves them: of full length. Arrays of their old length are no longer theirs."""
        base, shown = self._content.base, self._content.shown
        base.settle_keys()
        for key in [k for k in shown if k[0] == "key"]:
            if not base.exists("key", key[1]) or np.size(base.get(*key[:2], key[3], key[2])) != np.size(shown[key][0]):
                del shown[key]

    def _state_order(self):
        """Elements with a state, in the order in which the compiled model has them."""
        base = self._content.base
        return {kind: base.order(kind) for kind in ("joint", "actuator", "body")}

    def recompile(self, model, data):
        """Model and data after changes, with the state of what was there before."""
        before = self._orders or self._state_order()
        new = self.compile()
        fresh = MjData(new)
        fresh.time = data.time

        def shared(kind):
            at = {key: i for i, key in enumerate(before[kind])}
            return [(at[key], i) for i, key in enumerate(self._orders[kind]) if key in at]

        for old, now in shared("joint"):
            if old < model.njnt and now < new.njnt and model.jnt_type[old] == new.jnt_type[now]:
                nq, nv = {0: (7, 6), 1: (4, 3)}.get(int(new.jnt_type[now]), (1, 1))
                a, b = model.jnt_qposadr[old], new.jnt_qposadr[now]
                fresh.qpos[b:b + nq] = data.qpos[a:a + nq]
                a, b = model.jnt_dofadr[old], new.jnt_dofadr[now]
                fresh.qvel[b:b + nv] = data.qvel[a:a + nv]
        for old, now in shared("actuator"):
            fresh.ctrl[now] = data.ctrl[old]
            n = new.actuator_actnum[now]
            if n and n == model.actuator_actnum[old]:
                a, b = model.actuator_actadr[old], new.actuator_actadr[now]
                fresh.act[b:b + n] = data.act[a:a + n]
        for old, now in shared("body"):
            a = model.body_mocapid[old] if old < model.nbody else -1
            b = new.body_mocapid[now] if now < new.nbody else -1
            if a >= 0 and b >= 0:
                fresh.mocap_pos[b], fresh.mocap_quat[b] = data.mocap_pos[a], data.mocap_quat[a]
        return new, fresh

    def to_xml(self, *, plain=False):
        """The model as MJCF text. Plain text is what MuJoCo 3.4.0 loads: what is lost is issued as a ModelWarning."""
        self._content.flush()
        if not plain:
            return self._content.base.write_xml()
        text, lost = self._content.base.write_plain_xml()
        for message in lost:
            warnings.warn(message, ModelWarning, stacklevel=2)
        return text

    def to_file(self, filename):
        """Writes the model as MJCF."""
        with open(filename, "w", encoding="utf-8") as file:
            file.write(self.to_xml())

    # Settings.

    @property
    def option(self):
        """Physics options."""
        return Section(self._content, "option")

    @option.setter
    def option(self, value):
        for name in dir(self.option):
            setattr(self.option, name, getattr(value, name))

    @property
    def visual(self):
        """Viewing parameters, in sections."""
        return Section(self._content, "visual")

    @property
    def stat(self):
        """Statistics that the author fixes; NaN is left to the compiler."""
        return Section(self._content, "stat")

    @property
    def compiler(self):
        """How the model is compiled."""
        return MjsCompiler(self._content, "compiler")

    @property
    def assets(self):
        """Files in memory, by name."""
        return self._assets

    @assets.setter
    def assets(self, files):
        self._assets.update(files)

    @property
    def copy_during_attach(self):
        raise ValueError("copy_during_attach can only be set.")

    @copy_during_attach.setter
    def copy_during_attach(self, copies):
        self._copies = bool(copies)

    @property
    def _address(self):
        return self._content.base._address

    @property
    def signature(self):
        """A number that changes with the structure of the model."""
        return hash(self._structure()) & 0xFFFFFFFFFFFFFFFF

    def _structure(self):
        """What must agree between a spec and a model for elements to stand for objects."""
        base = self._content.base
        bodies = base.order("body")
        at = {body: i for i, body in enumerate(bodies)}
        parents = tuple(0 if i == 0 else at[base.place("body", body)[0]] for i, body in enumerate(bodies))
        counts = tuple(tuple(len(base.children(body, kind, False)) for body in bodies) for kind in ("joint", "geom"))
        others = tuple(len(base.order(kind)) for kind in ("site", "camera", "light", "tendon", "actuator", "sensor"))
        return parents, counts, others

    # Elements.

    worldbody = property(operator.attrgetter("_world"), doc="The world.")

    @property
    def default(self):
        """The default class `main`."""
        return MjsDefault._of(self._content, 0)

    def find_default(self, classname):
        """The default class of this name, or None."""
        index = self._content.base.find("default", classname)
        return None if index is None else MjsDefault._of(self._content, index)

    def add_default(self, classname, parent=None):
        """Adds a default class below another; None if the name is taken."""
        self._content.flush()
        index = self._content.base.insert_class(classname, None if parent is None else parent._index)
        return None if index is None else MjsDefault._of(self._content, index)

    def register_deformable(self, name, body, parent=None):
        """Adds a body of particles (`corten.soft`) to a body, in whose frame its positions are; to the world unless one is given.
        Particles become bodies `NAME_0`, `NAME_1`, ..."""
        parent = self.worldbody if parent is None else parent
        parent = self.body(parent) if isinstance(parent, str) else parent
        if parent is None or parent._content is not self._content:
            raise ValueError("the parent must be a body of this spec")
        self._content.flush()
        self._content.compiled = False
        self._content.base.register_deformable(parent._index, name, body)

    def delete(self, element):
        """Deletes an element; a body with all below it and all that refers to it."""
        if element._content is not self._content and element._content.spec() is None:
            raise ValueError("the element belongs to another spec")
        content = element._content
        content.flush()
        content.compiled = False
        content.base.remove("default" if isinstance(element, MjsDefault) else element._kind, element._index)

    def attach(self, child, prefix=None, suffix=None, site=None, frame=None):
        """Attaches the whole tree of another spec to a site or a frame; the frame that it is in now."""
        if (site is None) == (frame is None):
            message = "One of frame or site must be specified." if site is None else \
                "Only one of frame or site can be specified."
            raise ValueError(message)
        kind, anchor = ("site", site) if frame is None else ("frame", frame)
        if isinstance(anchor, str):
            anchor = getattr(self, kind)(anchor)
            if anchor is None:
                raise ValueError(f"{kind.capitalize()} not found.")
        if anchor._content is not self._content:
            raise ValueError(f"{kind.capitalize()} spec does not match parent spec.")
        prefix, suffix = "/" if prefix is None else prefix, "" if suffix is None else suffix
        renamed = {_affixed(name, prefix, suffix): content for name, content in child._assets.items()}
        for name in renamed:
            if name in self._assets and not self.override_assets:
                raise ValueError(f"Asset {name} already exists in parent spec.")
        self._assets.update(renamed)
        _, found, copies = attach(anchor, child._content, prefix, suffix)
        for kind, _, index in copies if renamed else ():
            if kind in ("mesh", "texture", "hfield", "skin"):
                asset = self._content.element(kind, index)
                asset.file = asset.file and _affixed(asset.file, prefix, suffix)
        child.parent = self
        return found

    @staticmethod
    def resolve_orientation(degree, sequence=None, orientation=None):
        """The quaternion of an orientation."""
        spec = MjSpec()
        spec.compiler.degree = int(degree)
        if sequence is not None:
            spec.compiler.eulerseq = list(sequence)
        body = spec.worldbody.add_body()
        body.alt = orientation if isinstance(orientation, MjsOrientation) else MjsOrientation()
        return np.array(spec.compile().body_quat[1])

    def activate_plugin(self, name):
        """Declares a kind of plugin, as the section `extension` does."""
        self._content.base.activate_plugin(name)


def _affixed(path, prefix, suffix):
    """A file name under a prefix and a suffix: the directory and the extension stay."""
    cut = max(path.rfind("/"), path.rfind("\\")) + 1
    path = path[:cut] + prefix + path[cut:]
    dot = path.rfind(".")
    return path[:dot] + suffix + path[dot:] if dot >= 0 else path + suffix


def _finder(kind):
    def find(self, name):
        content = self._content
        index = content.base.find(kind, name)
        if index is None and kind in ("mesh", "texture", "hfield", "skin"):
            # An asset without a name goes by its file.
            stem = (e for e in getattr(self, KINDS[kind][1]) if not e.name and e.file)
            return next((e for e in stem if os.path.splitext(os.path.basename(e.file))[0] == name), None)
        return content.element(kind, index)
    find.__name__, find.__doc__ = kind, f"The {kind} of this name, or None."
    return find


def _all(kind, plural):
    def get(self):
        content = self._content
        order, known = content.base.order(kind), self._lists.get(kind)
        if known is None or known[0] != order or content.moved:
            self._lists[kind] = known = order, content.elements(kind, order)
        return known[1].copy()
    return property(get, doc=f"All {plural}, in the order in which they are compiled.")


def _adder(kind):
    if kind in _CLASSED:
        def add(self, default=None, **kwargs):
            return self._content.insert(kind, kwargs, **{"class": None if default is None else default._index})
    else:
        def add(self, **kwargs):
            return self._content.insert(kind, kwargs)
    add.__name__, add.__doc__ = f"add_{kind}", f"Adds a {kind}; keywords are its values."
    return add


def _text(name):
    def put(self, value):
        self._content.base.set_text(name, value)
    return property(lambda self: self._content.base.get_text(name), put)


def _size(name):
    def put(self, value):
        self._content.base.set_setting("sizes", name, value)
    return property(lambda self: self._content.base.get_setting("sizes", name), put)


def _directory(name):
    def put(self, value):
        setattr(self.compiler, name, value)
    return property(lambda self: getattr(self.compiler, name), put)


for _kind, (_, _plural) in KINDS.items():
    setattr(MjSpec, _kind, _finder(_kind))
    setattr(MjSpec, _plural, _all(_kind, _plural))
    if _kind not in ("body", "frame", "joint", "geom", "site", "camera", "light"):
        setattr(MjSpec, f"add_{_kind}", _adder(_kind))
for _name in ("modelname", "comment", "modelfiledir"):
    setattr(MjSpec, _name, _text(_name))
for _name in _SIZES:
    setattr(MjSpec, _name, _size(_name))
for _name in ("meshdir", "texturedir"):
    setattr(MjSpec, _name, _directory(_name))


def _strip(self, value):
    self._content.base.strippath = int(value)


MjSpec.strippath = property(lambda self: self._content.base.strippath, _strip)

# Objects of models and data that stand for elements.

_TITLES = {"key": "keyframe"}


def _bound(owner, model, element):
    """The named view of an element."""
    if not isinstance(element, MjsElement):
        raise TypeError(f"expected an element of a spec, found {type(element).__name__}")
    spec = element._content.spec()
    if spec is None or spec._structure() != _model_structure(model):
        raise ValueError("The mjSpec does not match mjModel. Please recompile the mjSpec.")
    order = element._content.base.order(element._kind)
    return getattr(owner, _TITLES.get(element._kind, element._kind))(order.index(element._index))


def _model_structure(m):
    counts = tuple(m.body_jntnum.tolist()), tuple(m.body_geomnum.tolist())
    return tuple(m.body_parentid.tolist()), counts, (m.nsite, m.ncam, m.nlight, m.ntendon, m.nu, m.nsensor)


class _BoundModel:
    """The objects of several elements: attributes are lists over all of them."""

    def __init__(self, objects):
        object.__setattr__(self, "elements", objects)

    def __getattr__(self, name):
        return [value for o in self.elements for value in getattr(o, name)]

    def __setattr__(self, name, value):
        raise AttributeError(f"Cannot set {name} on MjModel.")


class _BoundData(_BoundModel):
    def __setattr__(self, name, value):
        for o, part in zip(self.elements, value):
            setattr(o, name, part)


def _bind_model(self, specs):
    """The objects that elements of a spec stand for."""
    if isinstance(specs, (list, tuple)):
        return _BoundModel([_bound(self, self, s) for s in specs])
    return _bound(self, self, specs)


def _bind_data(self, specs):
    """The objects that elements of a spec stand for."""
    if isinstance(specs, (list, tuple)):
        return _BoundData([_bound(self, self.model, s) for s in specs])
    return _bound(self, self.model, specs)


MjModel.bind = MjModel.bind_scalar = _bind_model
MjData.bind = MjData.bind_scalar = _bind_data
MjModel.signature = property(lambda self: hash(_model_structure(self)) & 0xFFFFFFFFFFFFFFFF,
                             doc="A number that changes with the structure of the model.")
MjData.signature = property(lambda self: self.model.signature, doc="That of the model.")
from_zip, to_zip = MjSpec.from_zip, MjSpec.to_zip
