"""MuJoCo's enumerations and constants."""
import types

from .._corten import ENUMS
from ._mirror import mirror

# Types and members that only drawing and user interfaces use, and the members that count others.
_MORE = {
    "mjtButton": {"mjBUTTON_NONE": 0, "mjBUTTON_LEFT": 1, "mjBUTTON_RIGHT": 2, "mjBUTTON_MIDDLE": 3},
    "mjtCamera": {"mjCAMERA_FREE": 0, "mjCAMERA_TRACKING": 1, "mjCAMERA_FIXED": 2, "mjCAMERA_USER": 3},
    "mjtCatBit": {"mjCAT_STATIC": 1, "mjCAT_DYNAMIC": 2, "mjCAT_DECOR": 4, "mjCAT_ALL": 7},
    "mjtConDataField": {"mjNCONDATA": 7},
    "mjtDepthMap": {"mjDEPTH_ZERONEAR": 0, "mjDEPTH_ZEROFAR": 1},
    "mjtDisableBit": {"mjNDISABLE": 19},
    "mjtEnableBit": {"mjNENABLE": 6},
    "mjtEvent": {
        "mjEVENT_NONE": 0, "mjEVENT_MOVE": 1, "mjEVENT_PRESS": 2, "mjEVENT_RELEASE": 3, "mjEVENT_SCROLL": 4,
        "mjEVENT_KEY": 5, "mjEVENT_RESIZE": 6, "mjEVENT_REDRAW": 7, "mjEVENT_FILESDROP": 8,
    },
    "mjtFont": {"mjFONT_NORMAL": 0, "mjFONT_SHADOW": 1, "mjFONT_BIG": 2},
    "mjtFontScale": {
        "mjFONTSCALE_50": 50, "mjFONTSCALE_100": 100, "mjFONTSCALE_150": 150, "mjFONTSCALE_200": 200,
        "mjFONTSCALE_250": 250, "mjFONTSCALE_300": 300,
    },
    "mjtFrame": {
        "mjFRAME_NONE": 0, "mjFRAME_BODY": 1, "mjFRAME_GEOM": 2, "mjFRAME_SITE": 3, "mjFRAME_CAMERA": 4,
        "mjFRAME_LIGHT": 5, "mjFRAME_CONTACT": 6, "mjFRAME_WORLD": 7, "mjNFRAME": 8,
    },
    "mjtFramebuffer": {"mjFB_WINDOW": 0, "mjFB_OFFSCREEN": 1},
    "mjtGeom": {"mjNGEOMTYPES": 9},
    "mjtGridPos": {
        "mjGRID_TOPLEFT": 0, "mjGRID_TOPRIGHT": 1, "mjGRID_BOTTOMLEFT": 2, "mjGRID_BOTTOMRIGHT": 3, "mjGRID_TOP": 4,
        "mjGRID_BOTTOM": 5, "mjGRID_LEFT": 6, "mjGRID_RIGHT": 7,
    },
    "mjtItem": {
        "mjITEM_END": -2, "mjITEM_SECTION": -1, "mjITEM_SEPARATOR": 0, "mjITEM_STATIC": 1, "mjITEM_BUTTON": 2,
        "mjITEM_CHECKINT": 3, "mjITEM_CHECKBYTE": 4, "mjITEM_RADIO": 5, "mjITEM_RADIOLINE": 6, "mjITEM_SELECT": 7,
        "mjITEM_SLIDERINT": 8, "mjITEM_SLIDERNUM": 9, "mjITEM_EDITINT": 10, "mjITEM_EDITNUM": 11,
        "mjITEM_EDITFLOAT": 12, "mjITEM_EDITTXT": 13, "mjNITEM": 14,
    },
    "mjtLabel": {
        "mjLABEL_NONE": 0, "mjLABEL_BODY": 1, "mjLABEL_JOINT": 2, "mjLABEL_GEOM": 3, "mjLABEL_SITE": 4,
        "mjLABEL_CAMERA": 5, "mjLABEL_LIGHT": 6, "mjLABEL_TENDON": 7, "mjLABEL_ACTUATOR": 8, "mjLABEL_CONSTRAINT":
        9, "mjLABEL_FLEX": 10, "mjLABEL_SKIN": 11, "mjLABEL_SELECTION": 12, "mjLABEL_SELPNT": 13,
        "mjLABEL_CONTACTPOINT": 14, "mjLABEL_CONTACTFORCE": 15, "mjLABEL_ISLAND": 16, "mjNLABEL": 17,
    },
    "mjtMouse": {
        "mjMOUSE_NONE": 0, "mjMOUSE_ROTATE_V": 1, "mjMOUSE_ROTATE_H": 2, "mjMOUSE_MOVE_V": 3, "mjMOUSE_MOVE_H": 4,
        "mjMOUSE_ZOOM": 5, "mjMOUSE_MOVE_V_REL": 6, "mjMOUSE_MOVE_H_REL": 7,
    },
    "mjtObj": {"mjNOBJECT": 26},
    "mjtPertBit": {"mjPERT_TRANSLATE": 1, "mjPERT_ROTATE": 2},
    "mjtPluginCapabilityBit": {"mjPLUGIN_ACTUATOR": 1, "mjPLUGIN_SENSOR": 2, "mjPLUGIN_PASSIVE": 4, "mjPLUGIN_SDF": 8},
    "mjtRndFlag": {
        "mjRND_SHADOW": 0, "mjRND_WIREFRAME": 1, "mjRND_REFLECTION": 2, "mjRND_ADDITIVE": 3, "mjRND_SKYBOX": 4,
        "mjRND_FOG": 5, "mjRND_HAZE": 6, "mjRND_SEGMENT": 7, "mjRND_IDCOLOR": 8, "mjRND_CULL_FACE": 9, "mjNRNDFLAG":
        10,
    },
    "mjtSection": {"mjSECT_CLOSED": 0, "mjSECT_OPEN": 1, "mjSECT_FIXED": 2},
    "mjtState": {"mjNSTATE": 13},
    "mjtStereo": {"mjSTEREO_NONE": 0, "mjSTEREO_QUADBUFFERED": 1, "mjSTEREO_SIDEBYSIDE": 2},
    "mjtTaskStatus": {"mjTASK_NEW": 0, "mjTASK_QUEUED": 1, "mjTASK_COMPLETED": 2},
    "mjtTextureRole": {"mjNTEXROLE": 10},
    "mjtTimer": {"mjNTIMER": 15},
    "mjtVisFlag": {
        "mjVIS_CONVEXHULL": 0, "mjVIS_TEXTURE": 1, "mjVIS_JOINT": 2, "mjVIS_CAMERA": 3, "mjVIS_ACTUATOR": 4,
        "mjVIS_ACTIVATION": 5, "mjVIS_LIGHT": 6, "mjVIS_TENDON": 7, "mjVIS_RANGEFINDER": 8, "mjVIS_CONSTRAINT": 9,
        "mjVIS_INERTIA": 10, "mjVIS_SCLINERTIA": 11, "mjVIS_PERTFORCE": 12, "mjVIS_PERTOBJ": 13,
        "mjVIS_CONTACTPOINT": 14, "mjVIS_ISLAND": 15, "mjVIS_CONTACTFORCE": 16, "mjVIS_CONTACTSPLIT": 17,
        "mjVIS_TRANSPARENT": 18, "mjVIS_AUTOCONNECT": 19, "mjVIS_COM": 20, "mjVIS_SELECT": 21, "mjVIS_STATIC": 22,
        "mjVIS_SKIN": 23, "mjVIS_FLEXVERT": 24, "mjVIS_FLEXEDGE": 25, "mjVIS_FLEXFACE": 26, "mjVIS_FLEXSKIN": 27,
        "mjVIS_BODYBVH": 28, "mjVIS_MESHBVH": 29, "mjVIS_SDFITER": 30, "mjNVISFLAG": 31,
    },
    "mjtWarning": {"mjNWARNING": 8},
}


class _Enumeration(type):
    """The type of enumerations: members by name and by value, one after the other.

    As in MuJoCo, they are not `enum.Enum`: there, before Python 3.12, finding a member takes a function call.
    """

    def __call__(cls, value):
        try:
            return cls._by_value[value]
        except (KeyError, TypeError):
            raise ValueError(f"{value!r} is not a valid {cls.__name__}") from None

    def __getitem__(cls, name):
        return cls.__members__[name]

    def __iter__(cls):
        return iter(cls._by_value.values())

    def __len__(cls):
        return len(cls._by_value)

    def __contains__(cls, value):
        return value in cls._by_value

    def __setattr__(cls, name, value):
        raise AttributeError(f"'{cls.__name__}' cannot be changed")

    def __delattr__(cls, name):
        raise AttributeError(f"'{cls.__name__}' cannot be changed")

    def __repr__(cls):
        return f"<enum '{cls.__name__}'>"


class _Member(int):
    """An integer with a name."""

    def __repr__(self):
        return f"<{self}: {self.value}>"

    def __str__(self):
        return f"{type(self).__name__}.{self.name}"

    def __format__(self, how):
        return format(str(self), how)

    def __reduce_ex__(self, protocol):
        return type(self), (self.value,)


def _enumeration(name, values):
    """An enumeration; of names with the same value, the first one is the member's."""
    by_value, members = {}, {}
    made = _Enumeration(name, (_Member,), {
        "__module__": "corten.mujoco", "__qualname__": name, "__doc__": f"MuJoCo's {name}.",
        "__members__": types.MappingProxyType(members), "_by_value": by_value})
    for key, value in values.items():
        if value not in by_value:
            by_value[value] = member = int.__new__(made, value)
            member.name, member.value = key, value
        members[key] = by_value[value]
        type.__setattr__(made, key, by_value[value])
    return made


def _make():
    return {name: _enumeration(name, {**ENUMS.get(name, {}), **_MORE.get(name, {})})
            for name in [*ENUMS, *(name for name in _MORE if name not in ENUMS)]}


ENUM_TYPES = _make()

CONSTANTS = dict(
    mjMAXCONPAIR=50,
    mjMAXFLEXNODES=27,
    mjMAXIMP=0.9999,
    mjMAXLIGHT=100,
    mjMAXLINE=100,
    mjMAXLINEPNT=1001,
    mjMAXOVERLAY=500,
    mjMAXPLANEGRID=200,
    mjMAXTREEDEPTH=50,
    mjMAXVAL=1e10,
    mjMINIMP=0.0001,
    mjMINMU=1e-5,
    mjMINVAL=1e-15,
    mjNBIAS=10,
    mjNDYN=10,
    mjNEQDATA=11,
    mjNFLUID=12,
    mjNGAIN=10,
    mjNGROUP=6,
    mjNIMP=5,
    mjNISLAND=20,
    mjNREF=2,
    mjNSENS=3,
    mjNSOLVER=200,
    mjPI=3.141592653589793,
    mjVERSION_HEADER=340,
    mjDISABLESTRING=(
        "Constraint", "Equality", "Frictionloss", "Limit", "Contact", "Spring", "Damper", "Gravity", "Clampctrl",
        "Warmstart", "Filterparent", "Actuation", "Refsafe", "Sensor", "Midphase", "Eulerdamp", "AutoReset",
        "NativeCCD", "Island"),
    mjENABLESTRING=("Override", "Energy", "Fwdinv", "InvDiscrete", "MultiCCD", "Sleep"),
    mjTIMERSTRING=(
        "step", "forward", "inverse", "position", "velocity", "actuation", "constraint", "advance", "pos_kinematics",
        "pos_inertia", "pos_collision", "pos_make", "pos_project", "col_broadphase", "col_narrowphase"),
    mjFRAMESTRING=("None", "Body", "Geom", "Site", "Camera", "Light", "Contact", "World"),
    mjLABELSTRING=(
        "None", "Body", "Joint", "Geom", "Site", "Camera", "Light", "Tendon", "Actuator", "Constraint", "Flex", "Skin",
        "Selection", "SelPoint", "Contact", "ContactForce", "Island"),
    mjRNDSTRING=(
        ("Shadow", "1", "S"), ("Wireframe", "0", "W"), ("Reflection", "1", "R"), ("Additive", "0", "L"),
        ("Skybox", "1", "K"), ("Fog", "0", "G"), ("Haze", "1", "/"), ("Segment", "0", ","), ("Id Color", "0", ""),
        ("Cull Face", "1", "")),
    mjVISSTRING=(
        ("Convex Hull", "0", "H"), ("Texture", "1", "X"), ("Joint", "0", "J"), ("Camera", "0", "Q"),
        ("Actuator", "0", "U"), ("Activation", "0", ","), ("Light", "0", "Z"), ("Tendon", "1", "V"),
        ("Range Finder", "1", "Y"), ("Equality", "0", "E"), ("Inertia", "0", "I"), ("Scale Inertia", "0", "'"),
        ("Perturb Force", "0", "B"), ("Perturb Object", "1", "O"), ("Contact Point", "0", "C"), ("Island", "0", "N"),
        ("Contact Force", "0", "F"), ("Contact Split", "0", "P"), ("Transparent", "0", "T"), ("Auto Connect", "0", "A"),
        ("Center of Mass", "0", "M"), ("Select Point", "0", ""), ("Static Body", "1", "D"), ("Skin", "1", ";"),
        ("Flex Vert", "0", ""), ("Flex Edge", "1", ""), ("Flex Face", "0", ""), ("Flex Skin", "1", ""),
        ("Body Tree", "0", "`"), ("Mesh Tree", "0", "\\"), ("SDF iters", "0", "")),
)

__getattr__, __dir__ = mirror(__name__, ENUM_TYPES)
