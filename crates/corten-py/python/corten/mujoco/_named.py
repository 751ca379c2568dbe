"""Access to objects by name or index: `m.body("torso").mass`, `d.joint(3).qpos`.

Every attribute is a view of the object's part of an array of the model or the data. The attributes
of a kind of objects are found in the tables of array fields: all arrays with one row per object.
"""
from .._corten import DataBase, ModelBase, is_lending
from ._enums import ENUM_TYPES
from ._records import describe

_OBJ = ENUM_TYPES["mjtObj"]


class _Kind:
    """A kind of objects: its type, prefix of array names, number of objects, aliases."""

    def __init__(self, title, objtype, prefix, count, *aliases):
        self.title, self.objtype, self.prefix, self.count, self.aliases = title, int(objtype), prefix, count, aliases


KINDS = (
    _Kind("Body", _OBJ.mjOBJ_BODY, "body_", "nbody", "body"),
    _Kind("Joint", _OBJ.mjOBJ_JOINT, "jnt_", "njnt", "joint", "jnt"),
    _Kind("Geom", _OBJ.mjOBJ_GEOM, "geom_", "ngeom", "geom"),
    _Kind("Site", _OBJ.mjOBJ_SITE, "site_", "nsite", "site"),
    _Kind("Camera", _OBJ.mjOBJ_CAMERA, "cam_", "ncam", "camera", "cam"),
    _Kind("Light", _OBJ.mjOBJ_LIGHT, "light_", "nlight", "light"),
    _Kind("Flex", _OBJ.mjOBJ_FLEX, "flex_", "nflex", "flex"),
    _Kind("Mesh", _OBJ.mjOBJ_MESH, "mesh_", "nmesh", "mesh"),
    _Kind("Skin", _OBJ.mjOBJ_SKIN, "skin_", "nskin", "skin"),
    _Kind("Hfield", _OBJ.mjOBJ_HFIELD, "hfield_", "nhfield", "hfield"),
    _Kind("Texture", _OBJ.mjOBJ_TEXTURE, "tex_", "ntex", "texture", "tex"),
    _Kind("Material", _OBJ.mjOBJ_MATERIAL, "mat_", "nmat", "material", "mat"),
    _Kind("Pair", _OBJ.mjOBJ_PAIR, "pair_", "npair", "pair"),
    _Kind("Exclude", _OBJ.mjOBJ_EXCLUDE, "exclude_", "nexclude", "exclude"),
    _Kind("Equality", _OBJ.mjOBJ_EQUALITY, "eq_", "neq", "equality", "eq"),
    _Kind("Tendon", _OBJ.mjOBJ_TENDON, "tendon_", "ntendon", "tendon", "ten"),
    _Kind("Actuator", _OBJ.mjOBJ_ACTUATOR, "actuator_", "nu", "actuator"),
    _Kind("Sensor", _OBJ.mjOBJ_SENSOR, "sensor_", "nsensor", "sensor"),
    _Kind("Numeric", _OBJ.mjOBJ_NUMERIC, "numeric_", "nnumeric", "numeric"),
    _Kind("Text", _OBJ.mjOBJ_TEXT, "text_", "ntext", "text"),
    _Kind("Tuple", _OBJ.mjOBJ_TUPLE, "tuple_", "ntuple", "tuple"),
    _Kind("Keyframe", _OBJ.mjOBJ_KEY, "key_", "nkey", "keyframe", "key"),
)
_DATA_KINDS = {"Body", "Joint", "Geom", "Site", "Camera", "Light", "Tendon", "Actuator", "Sensor", "Equality"}
_JOINT_WIDTHS = {0: (7, 6), 1: (4, 3), 2: (1, 1), 3: (1, 1)}


def _row(field):
    """The object's row; a number becomes an array of one element."""
    def get(owner, model, i):
        array = getattr(owner, field)
        return array[i] if array.ndim > 1 else array[i:i + 1]
    return get


def _spans(model, i):
    """The parts of positions and velocities that belong to a joint."""
    nq, nv = _JOINT_WIDTHS.get(int(model.jnt_type[i]), (0, 0))
    q, v = int(model.jnt_qposadr[i]), int(model.jnt_dofadr[i])
    return slice(q, q + nq), slice(v, v + nv)


def _positions(field):
    def get(owner, model, i):
        return getattr(owner, field)[_spans(model, i)[0]]
    return get


def _dofs(field):
    def get(owner, model, i):
        return getattr(owner, field)[_spans(model, i)[1]]
    return get


def _section(field, start, size):
    """A part of a shared array, found by the object's address and size."""
    def get(owner, model, i):
        begin = int(getattr(model, start)[i])
        return getattr(owner, field)[begin:begin + int(getattr(model, size)[i])]
    return get


def _image(field, start, *dims):
    """A part of a shared array, with the object's own dimensions."""
    def get(owner, model, i):
        begin, shape, count = int(getattr(model, start)[i]), [int(getattr(model, d)[i]) for d in dims], 1
        for n in shape:
            count *= n
        return getattr(owner, field)[begin:begin + count].reshape(shape)
    return get


def _moment(owner, model, i):
    """An actuator's moment as a dense row (a copy)."""
    import numpy as np
    row = np.zeros(model.nv)
    start, count = int(owner.moment_rowadr[i]), int(owner.moment_rownnz[i])
    row[owner.moment_colind[start:start + count]] = owner.actuator_moment[start:start + count]
    row.flags.writeable = False
    return row


def _activations(owner, model, i):
    start = int(model.actuator_actadr[i])
    return owner.act[start:start + int(model.actuator_actnum[i])] if start >= 0 else owner.act[0:0]


def _model_attributes(kind):
    rows = ModelBase._array_rows
    found = {}
    if kind.title == "Joint":
        for field, counted in rows.items():
            if counted == "nv" and field.startswith("dof_"):
                found[field[4:]] = _dofs(field)
        found["qpos0"], found["qpos_spring"] = _positions("qpos0"), _positions("qpos_spring")
    body_of_dofs = found.get("bodyid")
    for field, counted in rows.items():
        if counted == kind.count and field.startswith(kind.prefix):
            found[field[len(kind.prefix):]] = _row(field)
    if body_of_dofs:
        found["bodyid"] = body_of_dofs
    if kind.title == "Hfield":
        found["data"] = _image("hfield_data", "hfield_adr", "hfield_nrow", "hfield_ncol")
    elif kind.title == "Texture":
        found["data"] = _image("tex_data", "tex_adr", "tex_height", "tex_width", "tex_nchannel")
    elif kind.title == "Numeric":
        found["data"] = _section("numeric_data", "numeric_adr", "numeric_size")
    elif kind.title == "Text":
        found["data"] = _section("text_data", "text_adr", "text_size")
    elif kind.title == "Tuple":
        for name in ("objtype", "objid", "objprm"):
            found[name] = _section("tuple_" + name, "tuple_adr", "tuple_size")
    return found


def _data_attributes(kind):
    rows = DataBase._array_rows
    found = {}
    if kind.title == "Body":
        for field, counted in rows.items():
            if counted == "nbody" and not field.endswith("_ind"):
                found[field.removeprefix("body_")] = _row(field)
    elif kind.title == "Joint":
        found.update({"qpos": _positions("qpos"), "xanchor": _row("xanchor"), "xaxis": _row("xaxis")})
        for field, counted in rows.items():
            if counted == "nv" and not field.startswith(("dof_", "map_")):
                found[field] = _dofs(field)
    elif kind.title == "Tendon":
        for field in ("J", "J_colind", "J_rowadr", "J_rownnz", "length", "velocity", "wrapadr", "wrapnum"):
            found[field] = _row("ten_" + field)
    elif kind.title == "Actuator":
        found.update({"ctrl": _row("ctrl"), "act": _activations, "moment": _moment})
        for field in ("force", "length", "velocity"):
            found[field] = _row("actuator_" + field)
    elif kind.title == "Sensor":
        found["data"] = _section("sensordata", "sensor_adr", "sensor_dim")
    elif kind.title == "Equality":
        found["active"] = _row("eq_active")
    else:
        for field, counted in rows.items():
            if counted == kind.count and field.startswith(kind.prefix):
                found[field[len(kind.prefix):]] = _row(field)
    return found


class _View:
    """One object of a model; its attributes are views of the object's part of each array.

    The model, or the simulation, keeps its views; they hold another object of the same content (`twin`), not the one
    that keeps them.
    """

    __slots__ = ("_owner", "_model", "_id", "__dict__", "__weakref__")
    _attributes = {}
    _kind = None

    def __init__(self, owner, model, index):
        object.__setattr__(self, "_owner", owner)
        object.__setattr__(self, "_model", model)
        object.__setattr__(self, "_id", index)

    @property
    def id(self):
        return self._id

    @property
    def name(self):
        return self._model.object_name(self._kind.objtype, self._id) or ""

    def __setattr__(self, name, value):
        if name not in self._attributes:
            known = "is not writable" if name in ("id", "name") else "does not exist"
            raise AttributeError(f"attribute '{name}' of '{type(self).__name__}' objects {known}")
        getattr(self, name)[...] = value

    def __repr__(self):
        names = sorted([*self._attributes, "id", "name"])
        return describe(type(self).__name__, ((name, getattr(self, name)) for name in names))


class _Part:
    """An attribute of views: the object's part of an array, which is kept with the view."""

    __slots__ = ("name", "get")

    def __init__(self, name, get):
        self.name, self.get = name, get

    def __get__(self, view, cls=None):
        if view is None:
            return self
        part = self.get(view._owner, view._model, view._id)
        # In the middle of a step, an array may be elsewhere for a moment.
        if not is_lending():
            view.__dict__[self.name] = part
        return part


def _find(model, kind, key):
    """The index of an object given by name or index."""
    if isinstance(key, (str, bytes)):
        index = model.object_id(kind.objtype, key)
        if index < 0:
            key = key if isinstance(key, str) else key.decode()
            names = sorted(name for name in model.object_names(kind.objtype) if name)
            raise KeyError(f"Invalid name '{key}'. Valid names: {names}") from None
        return index
    try:
        index = key.__index__()
    except AttributeError:
        raise TypeError(f"{kind.aliases[0]}() takes a name or an index, found {type(key).__name__}") from None
    count = getattr(model, kind.count)
    if not 0 <= index < count:
        raise IndexError(f"Invalid index {index}. Valid indices from 0 to {count - 1}")
    return index


def _views(owner):
    """The views of a model or a simulation, by kind of objects, and then by name and by index; the twin they hold."""
    try:
        return owner._views
    except AttributeError:
        owner._views = kept = (*({} for _ in KINDS), owner.twin())
        return kept


def _accessor(kind, view, of_data):
    place = KINDS.index(kind)

    def access(self, name=""):
        try:
            return self._views[place][name]
        except (AttributeError, KeyError, TypeError):
            pass
        model = self.model if of_data else self
        index = _find(model, kind, name)
        views = _views(self)
        kept, twin = views[place], views[-1]
        found = kept.get(index)
        if found is None:
            found = kept[index] = view(twin, twin.model if of_data else twin, index)
        kept[name] = found
        return found

    access.__name__ = kind.aliases[0]
    access.__doc__ = f"The {kind.title.lower()} with this name or index."
    return access


def add_named_access(model_class, data_class):
    """Gives both classes one method for each kind of objects and each of its aliases."""
    for kind in KINDS:
        targets = [(model_class, "Model", _model_attributes, False)]
        if kind.title in _DATA_KINDS:
            targets.append((data_class, "Data", _data_attributes, True))
        for target, side, attributes, of_data in targets:
            found = attributes(kind)
            # The moment is a copy, made anew each time.
            members = {name: _Part(name, get) if get is not _moment
                       else property(lambda self: _moment(self._owner, self._model, self._id))
                       for name, get in found.items() if name not in ("id", "name")}
            members |= {"__slots__": (), "_attributes": found, "_kind": kind, "__module__": "corten.mujoco"}
            view = type(f"_Mj{side}{kind.title}Views", (_View,), members)
            VIEWS[side, kind.title] = view
            access = _accessor(kind, view, of_data)
            for alias in kind.aliases:
                setattr(target, alias, access)


# Classes of views, by model or data and kind of objects.
VIEWS = {}
