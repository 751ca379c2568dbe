"""A drop-in for `import mujoco` 3.4.0, computed by CortenForge."""
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

class mjtAlignFree(IntEnum):
    mjALIGNFREE_FALSE = 0
    mjALIGNFREE_TRUE = 1
    mjALIGNFREE_AUTO = 2
class mjtBias(IntEnum):
    mjBIAS_NONE = 0
    mjBIAS_AFFINE = 1
    mjBIAS_MUSCLE = 2
    mjBIAS_USER = 3
class mjtBuiltin(IntEnum):
    mjBUILTIN_NONE = 0
    mjBUILTIN_GRADIENT = 1
    mjBUILTIN_CHECKER = 2
    mjBUILTIN_FLAT = 3
class mjtButton(IntEnum):
    mjBUTTON_NONE = 0
    mjBUTTON_LEFT = 1
    mjBUTTON_RIGHT = 2
    mjBUTTON_MIDDLE = 3
class mjtCamLight(IntEnum):
    mjCAMLIGHT_FIXED = 0
    mjCAMLIGHT_TRACK = 1
    mjCAMLIGHT_TRACKCOM = 2
    mjCAMLIGHT_TARGETBODY = 3
    mjCAMLIGHT_TARGETBODYCOM = 4
class mjtCamera(IntEnum):
    mjCAMERA_FREE = 0
    mjCAMERA_TRACKING = 1
    mjCAMERA_FIXED = 2
    mjCAMERA_USER = 3
class mjtCatBit(IntEnum):
    mjCAT_STATIC = 1
    mjCAT_DYNAMIC = 2
    mjCAT_DECOR = 4
    mjCAT_ALL = 7
class mjtColorSpace(IntEnum):
    mjCOLORSPACE_AUTO = 0
    mjCOLORSPACE_LINEAR = 1
    mjCOLORSPACE_SRGB = 2
class mjtConDataField(IntEnum):
    mjCONDATA_FOUND = 0
    mjCONDATA_FORCE = 1
    mjCONDATA_TORQUE = 2
    mjCONDATA_DIST = 3
    mjCONDATA_POS = 4
    mjCONDATA_NORMAL = 5
    mjCONDATA_TANGENT = 6
    mjNCONDATA = 7
class mjtCone(IntEnum):
    mjCONE_PYRAMIDAL = 0
    mjCONE_ELLIPTIC = 1
class mjtConstraint(IntEnum):
    mjCNSTR_EQUALITY = 0
    mjCNSTR_FRICTION_DOF = 1
    mjCNSTR_FRICTION_TENDON = 2
    mjCNSTR_LIMIT_JOINT = 3
    mjCNSTR_LIMIT_TENDON = 4
    mjCNSTR_CONTACT_FRICTIONLESS = 5
    mjCNSTR_CONTACT_PYRAMIDAL = 6
    mjCNSTR_CONTACT_ELLIPTIC = 7
class mjtConstraintState(IntEnum):
    mjCNSTRSTATE_SATISFIED = 0
    mjCNSTRSTATE_QUADRATIC = 1
    mjCNSTRSTATE_LINEARNEG = 2
    mjCNSTRSTATE_LINEARPOS = 3
    mjCNSTRSTATE_CONE = 4
class mjtDataType(IntEnum):
    mjDATATYPE_REAL = 0
    mjDATATYPE_POSITIVE = 1
    mjDATATYPE_AXIS = 2
    mjDATATYPE_QUATERNION = 3
class mjtDepthMap(IntEnum):
    mjDEPTH_ZERONEAR = 0
    mjDEPTH_ZEROFAR = 1
class mjtDisableBit(IntEnum):
    mjDSBL_CONSTRAINT = 1
    mjDSBL_EQUALITY = 2
    mjDSBL_FRICTIONLOSS = 4
    mjDSBL_LIMIT = 8
    mjDSBL_CONTACT = 16
    mjDSBL_SPRING = 32
    mjDSBL_DAMPER = 64
    mjDSBL_GRAVITY = 128
    mjDSBL_CLAMPCTRL = 256
    mjDSBL_WARMSTART = 512
    mjDSBL_FILTERPARENT = 1024
    mjDSBL_ACTUATION = 2048
    mjDSBL_REFSAFE = 4096
    mjDSBL_SENSOR = 8192
    mjDSBL_MIDPHASE = 16384
    mjDSBL_EULERDAMP = 32768
    mjDSBL_AUTORESET = 65536
    mjDSBL_NATIVECCD = 131072
    mjDSBL_ISLAND = 262144
    mjNDISABLE = 19
class mjtDyn(IntEnum):
    mjDYN_NONE = 0
    mjDYN_INTEGRATOR = 1
    mjDYN_FILTER = 2
    mjDYN_FILTEREXACT = 3
    mjDYN_MUSCLE = 4
    mjDYN_USER = 5
class mjtEnableBit(IntEnum):
    mjENBL_OVERRIDE = 1
    mjENBL_ENERGY = 2
    mjENBL_FWDINV = 4
    mjENBL_INVDISCRETE = 8
    mjENBL_MULTICCD = 16
    mjENBL_SLEEP = 32
    mjNENABLE = 6
class mjtEq(IntEnum):
    mjEQ_CONNECT = 0
    mjEQ_WELD = 1
    mjEQ_JOINT = 2
    mjEQ_TENDON = 3
    mjEQ_FLEX = 4
    mjEQ_DISTANCE = 5
class mjtEvent(IntEnum):
    mjEVENT_NONE = 0
    mjEVENT_MOVE = 1
    mjEVENT_PRESS = 2
    mjEVENT_RELEASE = 3
    mjEVENT_SCROLL = 4
    mjEVENT_KEY = 5
    mjEVENT_RESIZE = 6
    mjEVENT_REDRAW = 7
    mjEVENT_FILESDROP = 8
class mjtFlexSelf(IntEnum):
    mjFLEXSELF_NONE = 0
    mjFLEXSELF_NARROW = 1
    mjFLEXSELF_BVH = 2
    mjFLEXSELF_SAP = 3
    mjFLEXSELF_AUTO = 4
class mjtFont(IntEnum):
    mjFONT_NORMAL = 0
    mjFONT_SHADOW = 1
    mjFONT_BIG = 2
class mjtFontScale(IntEnum):
    mjFONTSCALE_50 = 50
    mjFONTSCALE_100 = 100
    mjFONTSCALE_150 = 150
    mjFONTSCALE_200 = 200
    mjFONTSCALE_250 = 250
    mjFONTSCALE_300 = 300
class mjtFrame(IntEnum):
    mjFRAME_NONE = 0
    mjFRAME_BODY = 1
    mjFRAME_GEOM = 2
    mjFRAME_SITE = 3
    mjFRAME_CAMERA = 4
    mjFRAME_LIGHT = 5
    mjFRAME_CONTACT = 6
    mjFRAME_WORLD = 7
    mjNFRAME = 8
class mjtFramebuffer(IntEnum):
    mjFB_WINDOW = 0
    mjFB_OFFSCREEN = 1
class mjtGain(IntEnum):
    mjGAIN_FIXED = 0
    mjGAIN_AFFINE = 1
    mjGAIN_MUSCLE = 2
    mjGAIN_USER = 3
class mjtGeom(IntEnum):
    mjGEOM_PLANE = 0
    mjGEOM_HFIELD = 1
    mjGEOM_SPHERE = 2
    mjGEOM_CAPSULE = 3
    mjGEOM_ELLIPSOID = 4
    mjGEOM_CYLINDER = 5
    mjGEOM_BOX = 6
    mjGEOM_MESH = 7
    mjGEOM_SDF = 8
    mjGEOM_ARROW = 100
    mjGEOM_ARROW1 = 101
    mjGEOM_ARROW2 = 102
    mjGEOM_LINE = 103
    mjGEOM_LINEBOX = 104
    mjGEOM_FLEX = 105
    mjGEOM_SKIN = 106
    mjGEOM_LABEL = 107
    mjGEOM_TRIANGLE = 108
    mjGEOM_NONE = 1001
    mjNGEOMTYPES = 9
class mjtGeomInertia(IntEnum):
    mjINERTIA_VOLUME = 0
    mjINERTIA_SHELL = 1
class mjtGridPos(IntEnum):
    mjGRID_TOPLEFT = 0
    mjGRID_TOPRIGHT = 1
    mjGRID_BOTTOMLEFT = 2
    mjGRID_BOTTOMRIGHT = 3
    mjGRID_TOP = 4
    mjGRID_BOTTOM = 5
    mjGRID_LEFT = 6
    mjGRID_RIGHT = 7
class mjtInertiaFromGeom(IntEnum):
    mjINERTIAFROMGEOM_FALSE = 0
    mjINERTIAFROMGEOM_TRUE = 1
    mjINERTIAFROMGEOM_AUTO = 2
class mjtIntegrator(IntEnum):
    mjINT_EULER = 0
    mjINT_RK4 = 1
    mjINT_IMPLICIT = 2
    mjINT_IMPLICITFAST = 3
class mjtItem(IntEnum):
    mjITEM_END = -2
    mjITEM_SECTION = -1
    mjITEM_SEPARATOR = 0
    mjITEM_STATIC = 1
    mjITEM_BUTTON = 2
    mjITEM_CHECKINT = 3
    mjITEM_CHECKBYTE = 4
    mjITEM_RADIO = 5
    mjITEM_RADIOLINE = 6
    mjITEM_SELECT = 7
    mjITEM_SLIDERINT = 8
    mjITEM_SLIDERNUM = 9
    mjITEM_EDITINT = 10
    mjITEM_EDITNUM = 11
    mjITEM_EDITFLOAT = 12
    mjITEM_EDITTXT = 13
    mjNITEM = 14
class mjtJacobian(IntEnum):
    mjJAC_DENSE = 0
    mjJAC_SPARSE = 1
    mjJAC_AUTO = 2
class mjtJoint(IntEnum):
    mjJNT_FREE = 0
    mjJNT_BALL = 1
    mjJNT_SLIDE = 2
    mjJNT_HINGE = 3
class mjtLRMode(IntEnum):
    mjLRMODE_NONE = 0
    mjLRMODE_MUSCLE = 1
    mjLRMODE_MUSCLEUSER = 2
    mjLRMODE_ALL = 3
class mjtLabel(IntEnum):
    mjLABEL_NONE = 0
    mjLABEL_BODY = 1
    mjLABEL_JOINT = 2
    mjLABEL_GEOM = 3
    mjLABEL_SITE = 4
    mjLABEL_CAMERA = 5
    mjLABEL_LIGHT = 6
    mjLABEL_TENDON = 7
    mjLABEL_ACTUATOR = 8
    mjLABEL_CONSTRAINT = 9
    mjLABEL_FLEX = 10
    mjLABEL_SKIN = 11
    mjLABEL_SELECTION = 12
    mjLABEL_SELPNT = 13
    mjLABEL_CONTACTPOINT = 14
    mjLABEL_CONTACTFORCE = 15
    mjLABEL_ISLAND = 16
    mjNLABEL = 17
class mjtLightType(IntEnum):
    mjLIGHT_SPOT = 0
    mjLIGHT_DIRECTIONAL = 1
    mjLIGHT_POINT = 2
    mjLIGHT_IMAGE = 3
class mjtLimited(IntEnum):
    mjLIMITED_FALSE = 0
    mjLIMITED_TRUE = 1
    mjLIMITED_AUTO = 2
class mjtMark(IntEnum):
    mjMARK_NONE = 0
    mjMARK_EDGE = 1
    mjMARK_CROSS = 2
    mjMARK_RANDOM = 3
class mjtMeshBuiltin(IntEnum):
    mjMESH_BUILTIN_NONE = 0
    mjMESH_BUILTIN_SPHERE = 1
    mjMESH_BUILTIN_HEMISPHERE = 2
    mjMESH_BUILTIN_CONE = 3
    mjMESH_BUILTIN_SUPERSPHERE = 4
    mjMESH_BUILTIN_SUPERTORUS = 5
    mjMESH_BUILTIN_WEDGE = 6
    mjMESH_BUILTIN_PLATE = 7
class mjtMeshInertia(IntEnum):
    mjMESH_INERTIA_CONVEX = 0
    mjMESH_INERTIA_EXACT = 1
    mjMESH_INERTIA_LEGACY = 2
    mjMESH_INERTIA_SHELL = 3
class mjtMouse(IntEnum):
    mjMOUSE_NONE = 0
    mjMOUSE_ROTATE_V = 1
    mjMOUSE_ROTATE_H = 2
    mjMOUSE_MOVE_V = 3
    mjMOUSE_MOVE_H = 4
    mjMOUSE_ZOOM = 5
    mjMOUSE_MOVE_V_REL = 6
    mjMOUSE_MOVE_H_REL = 7
class mjtObj(IntEnum):
    mjOBJ_UNKNOWN = 0
    mjOBJ_BODY = 1
    mjOBJ_XBODY = 2
    mjOBJ_JOINT = 3
    mjOBJ_DOF = 4
    mjOBJ_GEOM = 5
    mjOBJ_SITE = 6
    mjOBJ_CAMERA = 7
    mjOBJ_LIGHT = 8
    mjOBJ_FLEX = 9
    mjOBJ_MESH = 10
    mjOBJ_SKIN = 11
    mjOBJ_HFIELD = 12
    mjOBJ_TEXTURE = 13
    mjOBJ_MATERIAL = 14
    mjOBJ_PAIR = 15
    mjOBJ_EXCLUDE = 16
    mjOBJ_EQUALITY = 17
    mjOBJ_TENDON = 18
    mjOBJ_ACTUATOR = 19
    mjOBJ_SENSOR = 20
    mjOBJ_NUMERIC = 21
    mjOBJ_TEXT = 22
    mjOBJ_TUPLE = 23
    mjOBJ_KEY = 24
    mjOBJ_PLUGIN = 25
    mjOBJ_FRAME = 100
    mjOBJ_DEFAULT = 101
    mjOBJ_MODEL = 102
    mjNOBJECT = 26
class mjtOrientation(IntEnum):
    mjORIENTATION_QUAT = 0
    mjORIENTATION_AXISANGLE = 1
    mjORIENTATION_XYAXES = 2
    mjORIENTATION_ZAXIS = 3
    mjORIENTATION_EULER = 4
class mjtPertBit(IntEnum):
    mjPERT_TRANSLATE = 1
    mjPERT_ROTATE = 2
class mjtPluginCapabilityBit(IntEnum):
    mjPLUGIN_ACTUATOR = 1
    mjPLUGIN_SENSOR = 2
    mjPLUGIN_PASSIVE = 4
    mjPLUGIN_SDF = 8
class mjtRndFlag(IntEnum):
    mjRND_SHADOW = 0
    mjRND_WIREFRAME = 1
    mjRND_REFLECTION = 2
    mjRND_ADDITIVE = 3
    mjRND_SKYBOX = 4
    mjRND_FOG = 5
    mjRND_HAZE = 6
    mjRND_SEGMENT = 7
    mjRND_IDCOLOR = 8
    mjRND_CULL_FACE = 9
    mjNRNDFLAG = 10
class mjtSDFType(IntEnum):
    mjSDFTYPE_SINGLE = 0
    mjSDFTYPE_INTERSECTION = 1
    mjSDFTYPE_MIDSURFACE = 2
    mjSDFTYPE_COLLISION = 3
class mjtSameFrame(IntEnum):
    mjSAMEFRAME_NONE = 0
    mjSAMEFRAME_BODY = 1
    mjSAMEFRAME_INERTIA = 2
    mjSAMEFRAME_BODYROT = 3
    mjSAMEFRAME_INERTIAROT = 4
class mjtSection(IntEnum):
    mjSECT_CLOSED = 0
    mjSECT_OPEN = 1
    mjSECT_FIXED = 2
class mjtSensor(IntEnum):
    mjSENS_TOUCH = 0
    mjSENS_ACCELEROMETER = 1
    mjSENS_VELOCIMETER = 2
    mjSENS_GYRO = 3
    mjSENS_FORCE = 4
    mjSENS_TORQUE = 5
    mjSENS_MAGNETOMETER = 6
    mjSENS_RANGEFINDER = 7
    mjSENS_CAMPROJECTION = 8
    mjSENS_JOINTPOS = 9
    mjSENS_JOINTVEL = 10
    mjSENS_TENDONPOS = 11
    mjSENS_TENDONVEL = 12
    mjSENS_ACTUATORPOS = 13
    mjSENS_ACTUATORVEL = 14
    mjSENS_ACTUATORFRC = 15
    mjSENS_JOINTACTFRC = 16
    mjSENS_TENDONACTFRC = 17
    mjSENS_BALLQUAT = 18
    mjSENS_BALLANGVEL = 19
    mjSENS_JOINTLIMITPOS = 20
    mjSENS_JOINTLIMITVEL = 21
    mjSENS_JOINTLIMITFRC = 22
    mjSENS_TENDONLIMITPOS = 23
    mjSENS_TENDONLIMITVEL = 24
    mjSENS_TENDONLIMITFRC = 25
    mjSENS_FRAMEPOS = 26
    mjSENS_FRAMEQUAT = 27
    mjSENS_FRAMEXAXIS = 28
    mjSENS_FRAMEYAXIS = 29
    mjSENS_FRAMEZAXIS = 30
    mjSENS_FRAMELINVEL = 31
    mjSENS_FRAMEANGVEL = 32
    mjSENS_FRAMELINACC = 33
    mjSENS_FRAMEANGACC = 34
    mjSENS_SUBTREECOM = 35
    mjSENS_SUBTREELINVEL = 36
    mjSENS_SUBTREEANGMOM = 37
    mjSENS_INSIDESITE = 38
    mjSENS_GEOMDIST = 39
    mjSENS_GEOMNORMAL = 40
    mjSENS_GEOMFROMTO = 41
    mjSENS_CONTACT = 42
    mjSENS_E_POTENTIAL = 43
    mjSENS_E_KINETIC = 44
    mjSENS_CLOCK = 45
    mjSENS_TACTILE = 46
    mjSENS_PLUGIN = 47
    mjSENS_USER = 48
class mjtSleepPolicy(IntEnum):
    mjSLEEP_AUTO = 0
    mjSLEEP_AUTO_NEVER = 1
    mjSLEEP_AUTO_ALLOWED = 2
    mjSLEEP_NEVER = 3
    mjSLEEP_ALLOWED = 4
    mjSLEEP_INIT = 5
class mjtSleepState(IntEnum):
    mjS_STATIC = -1
    mjS_ASLEEP = 0
    mjS_AWAKE = 1
class mjtSolver(IntEnum):
    mjSOL_PGS = 0
    mjSOL_CG = 1
    mjSOL_NEWTON = 2
class mjtStage(IntEnum):
    mjSTAGE_NONE = 0
    mjSTAGE_POS = 1
    mjSTAGE_VEL = 2
    mjSTAGE_ACC = 3
class mjtState(IntEnum):
    mjSTATE_TIME = 1
    mjSTATE_QPOS = 2
    mjSTATE_QVEL = 4
    mjSTATE_ACT = 8
    mjSTATE_WARMSTART = 16
    mjSTATE_CTRL = 32
    mjSTATE_QFRC_APPLIED = 64
    mjSTATE_XFRC_APPLIED = 128
    mjSTATE_EQ_ACTIVE = 256
    mjSTATE_MOCAP_POS = 512
    mjSTATE_MOCAP_QUAT = 1024
    mjSTATE_USERDATA = 2048
    mjSTATE_PLUGIN = 4096
    mjSTATE_PHYSICS = 14
    mjSTATE_FULLPHYSICS = 4111
    mjSTATE_USER = 4064
    mjSTATE_INTEGRATION = 8191
    mjNSTATE = 13
class mjtStereo(IntEnum):
    mjSTEREO_NONE = 0
    mjSTEREO_QUADBUFFERED = 1
    mjSTEREO_SIDEBYSIDE = 2
class mjtTaskStatus(IntEnum):
    mjTASK_NEW = 0
    mjTASK_QUEUED = 1
    mjTASK_COMPLETED = 2
class mjtTexture(IntEnum):
    mjTEXTURE_2D = 0
    mjTEXTURE_CUBE = 1
    mjTEXTURE_SKYBOX = 2
class mjtTextureRole(IntEnum):
    mjTEXROLE_USER = 0
    mjTEXROLE_RGB = 1
    mjTEXROLE_OCCLUSION = 2
    mjTEXROLE_ROUGHNESS = 3
    mjTEXROLE_METALLIC = 4
    mjTEXROLE_NORMAL = 5
    mjTEXROLE_OPACITY = 6
    mjTEXROLE_EMISSIVE = 7
    mjTEXROLE_RGBA = 8
    mjTEXROLE_ORM = 9
    mjNTEXROLE = 10
class mjtTimer(IntEnum):
    mjTIMER_STEP = 0
    mjTIMER_FORWARD = 1
    mjTIMER_INVERSE = 2
    mjTIMER_POSITION = 3
    mjTIMER_VELOCITY = 4
    mjTIMER_ACTUATION = 5
    mjTIMER_CONSTRAINT = 6
    mjTIMER_ADVANCE = 7
    mjTIMER_POS_KINEMATICS = 8
    mjTIMER_POS_INERTIA = 9
    mjTIMER_POS_COLLISION = 10
    mjTIMER_POS_MAKE = 11
    mjTIMER_POS_PROJECT = 12
    mjTIMER_COL_BROAD = 13
    mjTIMER_COL_NARROW = 14
    mjNTIMER = 15
class mjtTrn(IntEnum):
    mjTRN_JOINT = 0
    mjTRN_JOINTINPARENT = 1
    mjTRN_SLIDERCRANK = 2
    mjTRN_TENDON = 3
    mjTRN_SITE = 4
    mjTRN_BODY = 5
    mjTRN_UNDEFINED = 1000
class mjtVisFlag(IntEnum):
    mjVIS_CONVEXHULL = 0
    mjVIS_TEXTURE = 1
    mjVIS_JOINT = 2
    mjVIS_CAMERA = 3
    mjVIS_ACTUATOR = 4
    mjVIS_ACTIVATION = 5
    mjVIS_LIGHT = 6
    mjVIS_TENDON = 7
    mjVIS_RANGEFINDER = 8
    mjVIS_CONSTRAINT = 9
    mjVIS_INERTIA = 10
    mjVIS_SCLINERTIA = 11
    mjVIS_PERTFORCE = 12
    mjVIS_PERTOBJ = 13
    mjVIS_CONTACTPOINT = 14
    mjVIS_ISLAND = 15
    mjVIS_CONTACTFORCE = 16
    mjVIS_CONTACTSPLIT = 17
    mjVIS_TRANSPARENT = 18
    mjVIS_AUTOCONNECT = 19
    mjVIS_COM = 20
    mjVIS_SELECT = 21
    mjVIS_STATIC = 22
    mjVIS_SKIN = 23
    mjVIS_FLEXVERT = 24
    mjVIS_FLEXEDGE = 25
    mjVIS_FLEXFACE = 26
    mjVIS_FLEXSKIN = 27
    mjVIS_BODYBVH = 28
    mjVIS_MESHBVH = 29
    mjVIS_SDFITER = 30
    mjNVISFLAG = 31
class mjtWarning(IntEnum):
    mjWARN_INERTIA = 0
    mjWARN_CONTACTFULL = 1
    mjWARN_CNSTRFULL = 2
    mjWARN_VGEOMFULL = 3
    mjWARN_BADQPOS = 4
    mjWARN_BADQVEL = 5
    mjWARN_BADQACC = 6
    mjWARN_BADCTRL = 7
    mjNWARNING = 8
class mjtWrap(IntEnum):
    mjWRAP_NONE = 0
    mjWRAP_JOINT = 1
    mjWRAP_PULLEY = 2
    mjWRAP_SITE = 3
    mjWRAP_SPHERE = 4
    mjWRAP_CYLINDER = 5
mjDISABLESTRING: tuple[Any, ...]
mjENABLESTRING: tuple[Any, ...]
mjFRAMESTRING: tuple[Any, ...]
mjLABELSTRING: tuple[Any, ...]
mjMAXCONPAIR: int
mjMAXFLEXNODES: int
mjMAXIMP: float
mjMAXLIGHT: int
mjMAXLINE: int
mjMAXLINEPNT: int
mjMAXOVERLAY: int
mjMAXPLANEGRID: int
mjMAXTREEDEPTH: int
mjMAXVAL: float
mjMINIMP: float
mjMINMU: float
mjMINVAL: float
mjNBIAS: int
mjNDYN: int
mjNEQDATA: int
mjNFLUID: int
mjNGAIN: int
mjNGROUP: int
mjNIMP: int
mjNISLAND: int
mjNREF: int
mjNSENS: int
mjNSOLVER: int
mjPI: float
mjRNDSTRING: tuple[Any, ...]
mjTIMERSTRING: tuple[Any, ...]
mjVERSION_HEADER: int
mjVISSTRING: tuple[Any, ...]
class MjOption:
    def __init__(self) -> None: ...
    ccd_iterations: int
    ccd_tolerance: float
    cone: int
    coupling_iterations: int
    density: float
    disableactuator: int
    disableflags: int
    enableflags: int
    gravity: _Field[np.float64]
    impratio: float
    integrator: int
    iterations: int
    jacobian: int
    ls_iterations: int
    ls_tolerance: float
    magnetic: _Field[np.float64]
    noslip_iterations: int
    noslip_tolerance: float
    o_friction: _Field[np.float64]
    o_margin: float
    o_solimp: _Field[np.float64]
    o_solref: _Field[np.float64]
    sdf_initpoints: int
    sdf_iterations: int
    sleep_tolerance: float
    solver: int
    timestep: float
    tolerance: float
    viscosity: float
    wind: _Field[np.float64]
    xpbd_substeps: int
class MjStatistic:
    def __init__(self) -> None: ...
    center: _Field[np.float64]
    extent: float
    meaninertia: float
    meanmass: float
    meansize: float
class MjVisual:
    def __init__(self) -> None: ...
    class Global:
        def __init__(self) -> None: ...
        azimuth: float
        bvactive: int
        cameraid: int
        elevation: float
        ellipsoidinertia: int
        fovy: float
        glow: float
        ipd: float
        linewidth: float
        offheight: int
        offwidth: int
        orthographic: int
        realtime: float
    global_: Global
    class Headlight:
        def __init__(self) -> None: ...
        active: int
        ambient: _Field[np.float32]
        diffuse: _Field[np.float32]
        specular: _Field[np.float32]
    headlight: Headlight
    class Map:
        def __init__(self) -> None: ...
        actuatortendon: float
        alpha: float
        fogend: float
        fogstart: float
        force: float
        haze: float
        shadowclip: float
        shadowscale: float
        stiffness: float
        stiffnessrot: float
        torque: float
        zfar: float
        znear: float
    map: Map
    class Quality:
        def __init__(self) -> None: ...
        numquads: int
        numslices: int
        numstacks: int
        offsamples: int
        shadowsize: int
    quality: Quality
    class Rgba:
        def __init__(self) -> None: ...
        actuator: _Field[np.float32]
        actuatornegative: _Field[np.float32]
        actuatorpositive: _Field[np.float32]
        bv: _Field[np.float32]
        bvactive: _Field[np.float32]
        camera: _Field[np.float32]
        com: _Field[np.float32]
        connect: _Field[np.float32]
        constraint: _Field[np.float32]
        contactforce: _Field[np.float32]
        contactfriction: _Field[np.float32]
        contactgap: _Field[np.float32]
        contactpoint: _Field[np.float32]
        contacttorque: _Field[np.float32]
        crankbroken: _Field[np.float32]
        fog: _Field[np.float32]
        force: _Field[np.float32]
        frustum: _Field[np.float32]
        haze: _Field[np.float32]
        inertia: _Field[np.float32]
        joint: _Field[np.float32]
        light: _Field[np.float32]
        rangefinder: _Field[np.float32]
        selectpoint: _Field[np.float32]
        slidercrank: _Field[np.float32]
    rgba: Rgba
    class Scale:
        def __init__(self) -> None: ...
        actuatorlength: float
        actuatorwidth: float
        camera: float
        com: float
        connect: float
        constraint: float
        contactheight: float
        contactwidth: float
        forcewidth: float
        framelength: float
        framewidth: float
        frustum: float
        jointlength: float
        jointwidth: float
        light: float
        selectpoint: float
        slidercrank: float
    scale: Scale
MjVisualHeadlight = MjVisual.Headlight
MjVisualRgba = MjVisual.Rgba
class MjLROpt:
    def __init__(self) -> None: ...
    accel: float
    interval: float
    inttotal: float
    maxforce: float
    mode: int
    timeconst: float
    timestep: float
    tolrange: float
    useexisting: int
    uselimit: int
class MjContact:
    def __init__(self) -> None: ...
    H: _Field[np.float64]
    dim: int
    dist: float
    efc_address: int
    elem: _Field[np.int32]
    exclude: int
    flex: _Field[np.int32]
    frame: _Field[np.float64]
    friction: _Field[np.float64]
    geom: _Field[np.int32]
    geom1: int
    geom2: int
    includemargin: float
    mu: float
    pos: _Field[np.float64]
    solimp: _Field[np.float64]
    solref: _Field[np.float64]
    solreffriction: _Field[np.float64]
    vert: _Field[np.int32]
class _MjContactList:
    def __len__(self) -> int: ...
    @overload
    def __getitem__(self, index: int) -> MjContact: ...
    @overload
    def __getitem__(self, index: slice) -> _MjContactList: ...
    def __setitem__(self, index: int, value: MjContact) -> None: ...
    def __iter__(self) -> Iterator[MjContact]: ...
    H: _Field[np.float64]
    dim: _Field[np.int32]
    dist: _Field[np.float64]
    efc_address: _Field[np.int32]
    elem: _Field[np.int32]
    exclude: _Field[np.int32]
    flex: _Field[np.int32]
    frame: _Field[np.float64]
    friction: _Field[np.float64]
    geom: _Field[np.int32]
    geom1: _Field[np.int32]
    geom2: _Field[np.int32]
    includemargin: _Field[np.float64]
    mu: _Field[np.float64]
    pos: _Field[np.float64]
    solimp: _Field[np.float64]
    solref: _Field[np.float64]
    solreffriction: _Field[np.float64]
    vert: _Field[np.int32]
class MjSolverStat:
    def __init__(self) -> None: ...
    gradient: float
    improvement: float
    lineslope: float
    nactive: int
    nchange: int
    neval: int
    nupdate: int
class _MjSolverStatList:
    def __len__(self) -> int: ...
    @overload
    def __getitem__(self, index: int) -> MjSolverStat: ...
    @overload
    def __getitem__(self, index: slice) -> _MjSolverStatList: ...
    def __setitem__(self, index: int, value: MjSolverStat) -> None: ...
    def __iter__(self) -> Iterator[MjSolverStat]: ...
    gradient: _Field[np.float64]
    improvement: _Field[np.float64]
    lineslope: _Field[np.float64]
    nactive: _Field[np.int32]
    nchange: _Field[np.int32]
    neval: _Field[np.int32]
    nupdate: _Field[np.int32]
class MjWarningStat:
    def __init__(self) -> None: ...
    lastinfo: int
    number: int
class _MjWarningStatList:
    def __len__(self) -> int: ...
    @overload
    def __getitem__(self, index: int) -> MjWarningStat: ...
    @overload
    def __getitem__(self, index: slice) -> _MjWarningStatList: ...
    def __setitem__(self, index: int, value: MjWarningStat) -> None: ...
    def __iter__(self) -> Iterator[MjWarningStat]: ...
    lastinfo: _Field[np.int32]
    number: _Field[np.int32]
class MjTimerStat:
    def __init__(self) -> None: ...
    duration: float
    number: int
class _MjTimerStatList:
    def __len__(self) -> int: ...
    @overload
    def __getitem__(self, index: int) -> MjTimerStat: ...
    @overload
    def __getitem__(self, index: slice) -> _MjTimerStatList: ...
    def __setitem__(self, index: int, value: MjTimerStat) -> None: ...
    def __iter__(self) -> Iterator[MjTimerStat]: ...
    duration: _Field[np.float64]
    number: _Field[np.int32]
class _MjModelBodyViews:
    @property
    def id(self) -> int: ...
    @property
    def name(self) -> str: ...
    bvhadr: _Field[np.int32]
    bvhnum: _Field[np.int32]
    conaffinity: _Field[np.int32]
    contype: _Field[np.int32]
    dofadr: _Field[np.int32]
    dofnum: _Field[np.int32]
    geomadr: _Field[np.int32]
    geomnum: _Field[np.int32]
    gravcomp: _Field[np.float64]
    inertia: _Field[np.float64]
    invweight0: _Field[np.float64]
    ipos: _Field[np.float64]
    iquat: _Field[np.float64]
    jntadr: _Field[np.int32]
    jntnum: _Field[np.int32]
    margin: _Field[np.float64]
    mass: _Field[np.float64]
    mocapid: _Field[np.int32]
    parentid: _Field[np.int32]
    plugin: _Field[np.int32]
    pos: _Field[np.float64]
    quat: _Field[np.float64]
    rootid: _Field[np.int32]
    sameframe: _Field[np.uint8]
    simple: _Field[np.uint8]
    subtreemass: _Field[np.float64]
    treeid: _Field[np.int32]
    user: _Field[np.float64]
    weldid: _Field[np.int32]
class _MjDataBodyViews:
    @property
    def id(self) -> int: ...
    @property
    def name(self) -> str: ...
    awake: _Field[np.int32]
    cacc: _Field[np.float64]
    cfrc_ext: _Field[np.float64]
    cfrc_int: _Field[np.float64]
    cinert: _Field[np.float64]
    crb: _Field[np.float64]
    cvel: _Field[np.float64]
    subtree_angmom: _Field[np.float64]
    subtree_com: _Field[np.float64]
    subtree_linvel: _Field[np.float64]
    xfrc_applied: _Field[np.float64]
    ximat: _Field[np.float64]
    xipos: _Field[np.float64]
    xmat: _Field[np.float64]
    xpos: _Field[np.float64]
    xquat: _Field[np.float64]
class _MjModelJointViews:
    @property
    def id(self) -> int: ...
    @property
    def name(self) -> str: ...
    M0: _Field[np.float64]
    Madr: _Field[np.int32]
    actfrclimited: _Field[np.uint8]
    actfrcrange: _Field[np.float64]
    actgravcomp: _Field[np.uint8]
    armature: _Field[np.float64]
    axis: _Field[np.float64]
    bodyid: _Field[np.int32]
    damping: _Field[np.float64]
    dofadr: _Field[np.int32]
    frictionloss: _Field[np.float64]
    group: _Field[np.int32]
    invweight0: _Field[np.float64]
    jntid: _Field[np.int32]
    length: _Field[np.float64]
    limited: _Field[np.uint8]
    margin: _Field[np.float64]
    parentid: _Field[np.int32]
    pos: _Field[np.float64]
    qpos0: _Field[np.float64]
    qpos_spring: _Field[np.float64]
    qposadr: _Field[np.int32]
    range: _Field[np.float64]
    simplenum: _Field[np.int32]
    solimp: _Field[np.float64]
    solref: _Field[np.float64]
    stiffness: _Field[np.float64]
    treeid: _Field[np.int32]
    type: _Field[np.int32]
    user: _Field[np.float64]
class _MjDataJointViews:
    @property
    def id(self) -> int: ...
    @property
    def name(self) -> str: ...
    cdof: _Field[np.float64]
    cdof_dot: _Field[np.float64]
    qHDiagInv: _Field[np.float64]
    qLDiagInv: _Field[np.float64]
    qacc: _Field[np.float64]
    qacc_smooth: _Field[np.float64]
    qacc_warmstart: _Field[np.float64]
    qfrc_actuator: _Field[np.float64]
    qfrc_applied: _Field[np.float64]
    qfrc_bias: _Field[np.float64]
    qfrc_constraint: _Field[np.float64]
    qfrc_damper: _Field[np.float64]
    qfrc_fluid: _Field[np.float64]
    qfrc_gravcomp: _Field[np.float64]
    qfrc_inverse: _Field[np.float64]
    qfrc_passive: _Field[np.float64]
    qfrc_smooth: _Field[np.float64]
    qfrc_spring: _Field[np.float64]
    qpos: _Field[np.float64]
    qvel: _Field[np.float64]
    xanchor: _Field[np.float64]
    xaxis: _Field[np.float64]
class _MjModelGeomViews:
    @property
    def id(self) -> int: ...
    @property
    def name(self) -> str: ...
    aabb: _Field[np.float64]
    bodyid: _Field[np.int32]
    compliance: _Field[np.float64]
    conaffinity: _Field[np.int32]
    condim: _Field[np.int32]
    contype: _Field[np.int32]
    dataid: _Field[np.int32]
    fluid: _Field[np.float64]
    friction: _Field[np.float64]
    gap: _Field[np.float64]
    group: _Field[np.int32]
    margin: _Field[np.float64]
    matid: _Field[np.int32]
    plugin: _Field[np.int32]
    pos: _Field[np.float64]
    priority: _Field[np.int32]
    quat: _Field[np.float64]
    rbound: _Field[np.float64]
    rgba: _Field[np.float32]
    sameframe: _Field[np.uint8]
    size: _Field[np.float64]
    solimp: _Field[np.float64]
    solmix: _Field[np.float64]
    solref: _Field[np.float64]
    type: _Field[np.int32]
    user: _Field[np.float64]
class _MjDataGeomViews:
    @property
    def id(self) -> int: ...
    @property
    def name(self) -> str: ...
    xmat: _Field[np.float64]
    xpos: _Field[np.float64]
class _MjModelSiteViews:
    @property
    def id(self) -> int: ...
    @property
    def name(self) -> str: ...
    bodyid: _Field[np.int32]
    group: _Field[np.int32]
    matid: _Field[np.int32]
    pos: _Field[np.float64]
    quat: _Field[np.float64]
    rgba: _Field[np.float32]
    sameframe: _Field[np.uint8]
    size: _Field[np.float64]
    type: _Field[np.int32]
    user: _Field[np.float64]
class _MjDataSiteViews:
    @property
    def id(self) -> int: ...
    @property
    def name(self) -> str: ...
    xmat: _Field[np.float64]
    xpos: _Field[np.float64]
class _MjModelCameraViews:
    @property
    def id(self) -> int: ...
    @property
    def name(self) -> str: ...
    bodyid: _Field[np.int32]
    fovy: _Field[np.float64]
    intrinsic: _Field[np.float32]
    ipd: _Field[np.float64]
    mat0: _Field[np.float64]
    mode: _Field[np.int32]
    orthographic: _Field[np.int32]
    pos: _Field[np.float64]
    pos0: _Field[np.float64]
    poscom0: _Field[np.float64]
    quat: _Field[np.float64]
    resolution: _Field[np.int32]
    sensorsize: _Field[np.float32]
    targetbodyid: _Field[np.int32]
    user: _Field[np.float64]
class _MjDataCameraViews:
    @property
    def id(self) -> int: ...
    @property
    def name(self) -> str: ...
    xmat: _Field[np.float64]
    xpos: _Field[np.float64]
class _MjModelLightViews:
    @property
    def id(self) -> int: ...
    @property
    def name(self) -> str: ...
    active: _Field[np.uint8]
    ambient: _Field[np.float32]
    attenuation: _Field[np.float32]
    bodyid: _Field[np.int32]
    bulbradius: _Field[np.float32]
    castshadow: _Field[np.uint8]
    cutoff: _Field[np.float32]
    diffuse: _Field[np.float32]
    dir: _Field[np.float64]
    dir0: _Field[np.float64]
    exponent: _Field[np.float32]
    intensity: _Field[np.float32]
    mode: _Field[np.int32]
    pos: _Field[np.float64]
    pos0: _Field[np.float64]
    poscom0: _Field[np.float64]
    range: _Field[np.float32]
    specular: _Field[np.float32]
    targetbodyid: _Field[np.int32]
    texid: _Field[np.int32]
    type: _Field[np.int32]
class _MjDataLightViews:
    @property
    def id(self) -> int: ...
    @property
    def name(self) -> str: ...
    xdir: _Field[np.float64]
    xpos: _Field[np.float64]
class _MjModelFlexViews:
    @property
    def id(self) -> int: ...
    @property
    def name(self) -> str: ...
    activelayers: Any
    bending_model: Any
    bvhadr: Any
    bvhnum: Any
    centered: Any
    conaffinity: Any
    condim: Any
    contype: Any
    damping: Any
    dim: Any
    edgeadr: Any
    edgedamping: Any
    edgeequality: Any
    edgenum: Any
    edgestiffness: Any
    elasticity_model: Any
    elemadr: Any
    elemdataadr: Any
    elemedgeadr: Any
    elemnum: Any
    evpairadr: Any
    evpairnum: Any
    flatskin: Any
    friction: Any
    gap: Any
    group: Any
    internal: Any
    interp: Any
    margin: Any
    material: Any
    matid: Any
    nodeadr: Any
    nodenum: Any
    passive: Any
    priority: Any
    radius: Any
    rgba: Any
    rigid: Any
    selfcollide: Any
    shelldataadr: Any
    shellnum: Any
    solimp: Any
    solmix: Any
    solref: Any
    texcoordadr: Any
    vertadr: Any
    vertnum: Any
class _MjModelMeshViews:
    @property
    def id(self) -> int: ...
    @property
    def name(self) -> str: ...
    bvhadr: _Field[np.int32]
    bvhnum: _Field[np.int32]
    faceadr: _Field[np.int32]
    facenum: _Field[np.int32]
    graphadr: _Field[np.int32]
    normaladr: _Field[np.int32]
    normalnum: _Field[np.int32]
    octadr: _Field[np.int32]
    octnum: _Field[np.int32]
    pathadr: _Field[np.int32]
    polyadr: _Field[np.int32]
    polynum: _Field[np.int32]
    pos: _Field[np.float64]
    quat: _Field[np.float64]
    scale: _Field[np.float64]
    texcoordadr: _Field[np.int32]
    texcoordnum: _Field[np.int32]
    vertadr: _Field[np.int32]
    vertnum: _Field[np.int32]
class _MjModelSkinViews:
    @property
    def id(self) -> int: ...
    @property
    def name(self) -> str: ...
    boneadr: Any
    bonenum: Any
    faceadr: Any
    facenum: Any
    group: Any
    inflate: Any
    matid: Any
    pathadr: Any
    rgba: Any
    texcoordadr: Any
    vertadr: Any
    vertnum: Any
class _MjModelHfieldViews:
    @property
    def id(self) -> int: ...
    @property
    def name(self) -> str: ...
    adr: _Field[np.int32]
    data: _Field[np.float32]
    ncol: _Field[np.int32]
    nrow: _Field[np.int32]
    pathadr: _Field[np.int32]
    size: _Field[np.float64]
class _MjModelTextureViews:
    @property
    def id(self) -> int: ...
    @property
    def name(self) -> str: ...
    adr: _Field[np.int32]
    colorspace: _Field[np.int32]
    data: _Field[np.uint8]
    height: _Field[np.int32]
    nchannel: _Field[np.int32]
    pathadr: _Field[np.int32]
    type: _Field[np.int32]
    width: _Field[np.int32]
class _MjModelMaterialViews:
    @property
    def id(self) -> int: ...
    @property
    def name(self) -> str: ...
    emission: _Field[np.float32]
    metallic: _Field[np.float32]
    reflectance: _Field[np.float32]
    rgba: _Field[np.float32]
    roughness: _Field[np.float32]
    shininess: _Field[np.float32]
    specular: _Field[np.float32]
    texid: _Field[np.int32]
    texrepeat: _Field[np.float32]
    texuniform: _Field[np.uint8]
class _MjModelPairViews:
    @property
    def id(self) -> int: ...
    @property
    def name(self) -> str: ...
    compliance: _Field[np.float64]
    dim: _Field[np.int32]
    friction: _Field[np.float64]
    gap: _Field[np.float64]
    geom1: _Field[np.int32]
    geom2: _Field[np.int32]
    margin: _Field[np.float64]
    signature: _Field[np.int32]
    solimp: _Field[np.float64]
    solref: _Field[np.float64]
    solreffriction: _Field[np.float64]
class _MjModelExcludeViews:
    @property
    def id(self) -> int: ...
    @property
    def name(self) -> str: ...
    signature: _Field[np.int32]
class _MjModelEqualityViews:
    @property
    def id(self) -> int: ...
    @property
    def name(self) -> str: ...
    active0: _Field[np.uint8]
    data: _Field[np.float64]
    obj1id: _Field[np.int32]
    obj2id: _Field[np.int32]
    objtype: _Field[np.int32]
    solimp: _Field[np.float64]
    solref: _Field[np.float64]
    type: _Field[np.int32]
class _MjDataEqualityViews:
    @property
    def id(self) -> int: ...
    @property
    def name(self) -> str: ...
    active: _Field[np.uint8]
class _MjModelTendonViews:
    @property
    def id(self) -> int: ...
    @property
    def name(self) -> str: ...
    actfrclimited: _Field[np.uint8]
    actfrcrange: _Field[np.float64]
    adr: _Field[np.int32]
    armature: _Field[np.float64]
    damping: _Field[np.float64]
    frictionloss: _Field[np.float64]
    group: _Field[np.int32]
    invweight0: _Field[np.float64]
    length0: _Field[np.float64]
    lengthspring: _Field[np.float64]
    limited: _Field[np.uint8]
    margin: _Field[np.float64]
    matid: _Field[np.int32]
    num: _Field[np.int32]
    range: _Field[np.float64]
    rgba: _Field[np.float32]
    solimp_fri: _Field[np.float64]
    solimp_lim: _Field[np.float64]
    solref_fri: _Field[np.float64]
    solref_lim: _Field[np.float64]
    stiffness: _Field[np.float64]
    treeid: _Field[np.int32]
    treenum: _Field[np.int32]
    user: _Field[np.float64]
    width: _Field[np.float64]
class _MjDataTendonViews:
    @property
    def id(self) -> int: ...
    @property
    def name(self) -> str: ...
    J: _Field[np.float64]
    J_colind: _Field[np.int32]
    J_rowadr: _Field[np.int32]
    J_rownnz: _Field[np.int32]
    length: _Field[np.float64]
    velocity: _Field[np.float64]
    wrapadr: _Field[np.int32]
    wrapnum: _Field[np.int32]
class _MjModelActuatorViews:
    @property
    def id(self) -> int: ...
    @property
    def name(self) -> str: ...
    acc0: _Field[np.float64]
    actadr: _Field[np.int32]
    actearly: _Field[np.uint8]
    actlimited: _Field[np.uint8]
    actnum: _Field[np.int32]
    actrange: _Field[np.float64]
    biasprm: _Field[np.float64]
    biastype: _Field[np.int32]
    cranklength: _Field[np.float64]
    ctrllimited: _Field[np.uint8]
    ctrlrange: _Field[np.float64]
    dynprm: _Field[np.float64]
    dyntype: _Field[np.int32]
    forcelimited: _Field[np.uint8]
    forcerange: _Field[np.float64]
    gainprm: _Field[np.float64]
    gaintype: _Field[np.int32]
    gear: _Field[np.float64]
    group: _Field[np.int32]
    length0: _Field[np.float64]
    lengthrange: _Field[np.float64]
    plugin: _Field[np.int32]
    trnid: _Field[np.int32]
    trntype: _Field[np.int32]
    user: _Field[np.float64]
class _MjDataActuatorViews:
    @property
    def id(self) -> int: ...
    @property
    def name(self) -> str: ...
    act: _Field[np.float64]
    ctrl: _Field[np.float64]
    force: _Field[np.float64]
    length: _Field[np.float64]
    moment: _Field[np.float64]
    velocity: _Field[np.float64]
class _MjModelSensorViews:
    @property
    def id(self) -> int: ...
    @property
    def name(self) -> str: ...
    adr: _Field[np.int32]
    cutoff: _Field[np.float64]
    datatype: _Field[np.int32]
    dim: _Field[np.int32]
    intprm: _Field[np.int32]
    needstage: _Field[np.int32]
    noise: _Field[np.float64]
    objid: _Field[np.int32]
    objtype: _Field[np.int32]
    plugin: _Field[np.int32]
    refid: _Field[np.int32]
    reftype: _Field[np.int32]
    type: _Field[np.int32]
    user: _Field[np.float64]
class _MjDataSensorViews:
    @property
    def id(self) -> int: ...
    @property
    def name(self) -> str: ...
    data: _Field[np.float64]
class _MjModelNumericViews:
    @property
    def id(self) -> int: ...
    @property
    def name(self) -> str: ...
    adr: _Field[np.int32]
    data: _Field[np.float64]
    size: _Field[np.int32]
class _MjModelTextViews:
    @property
    def id(self) -> int: ...
    @property
    def name(self) -> str: ...
    adr: _Field[np.int32]
    data: bytes
    size: _Field[np.int32]
class _MjModelTupleViews:
    @property
    def id(self) -> int: ...
    @property
    def name(self) -> str: ...
    adr: _Field[np.int32]
    objid: _Field[np.int32]
    objprm: _Field[np.float64]
    objtype: _Field[np.int32]
    size: _Field[np.int32]
class _MjModelKeyframeViews:
    @property
    def id(self) -> int: ...
    @property
    def name(self) -> str: ...
    act: _Field[np.float64]
    ctrl: _Field[np.float64]
    mpos: _Field[np.float64]
    mquat: _Field[np.float64]
    qpos: _Field[np.float64]
    qvel: _Field[np.float64]
    time: _Field[np.float64]
class MjModel(ModelBase):
    @classmethod
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
    B_colind: _Field[np.int32]
    B_rowadr: _Field[np.int32]
    B_rownnz: _Field[np.int32]
    D_colind: _Field[np.int32]
    D_diag: _Field[np.int32]
    D_rowadr: _Field[np.int32]
    D_rownnz: _Field[np.int32]
    M_colind: _Field[np.int32]
    M_rowadr: _Field[np.int32]
    M_rownnz: _Field[np.int32]
    actuator_acc0: _Field[np.float64]
    actuator_actadr: _Field[np.int32]
    actuator_actearly: _Field[np.uint8]
    actuator_actlimited: _Field[np.uint8]
    actuator_actnum: _Field[np.int32]
    actuator_actrange: _Field[np.float64]
    actuator_biasprm: _Field[np.float64]
    actuator_biastype: _Field[np.int32]
    actuator_cranklength: _Field[np.float64]
    actuator_ctrllimited: _Field[np.uint8]
    actuator_ctrlrange: _Field[np.float64]
    actuator_dynprm: _Field[np.float64]
    actuator_dyntype: _Field[np.int32]
    actuator_forcelimited: _Field[np.uint8]
    actuator_forcerange: _Field[np.float64]
    actuator_gainprm: _Field[np.float64]
    actuator_gaintype: _Field[np.int32]
    actuator_gear: _Field[np.float64]
    actuator_group: _Field[np.int32]
    actuator_length0: _Field[np.float64]
    actuator_lengthrange: _Field[np.float64]
    actuator_plugin: _Field[np.int32]
    actuator_trnid: _Field[np.int32]
    actuator_trntype: _Field[np.int32]
    actuator_user: _Field[np.float64]
    body_bvhadr: _Field[np.int32]
    body_bvhnum: _Field[np.int32]
    body_conaffinity: _Field[np.int32]
    body_contype: _Field[np.int32]
    body_dofadr: _Field[np.int32]
    body_dofnum: _Field[np.int32]
    body_geomadr: _Field[np.int32]
    body_geomnum: _Field[np.int32]
    body_gravcomp: _Field[np.float64]
    body_inertia: _Field[np.float64]
    body_invweight0: _Field[np.float64]
    body_ipos: _Field[np.float64]
    body_iquat: _Field[np.float64]
    body_jntadr: _Field[np.int32]
    body_jntnum: _Field[np.int32]
    body_margin: _Field[np.float64]
    body_mass: _Field[np.float64]
    body_mocapid: _Field[np.int32]
    body_parentid: _Field[np.int32]
    body_plugin: _Field[np.int32]
    body_pos: _Field[np.float64]
    body_quat: _Field[np.float64]
    body_rootid: _Field[np.int32]
    body_sameframe: _Field[np.uint8]
    body_simple: _Field[np.uint8]
    body_subtreemass: _Field[np.float64]
    body_treeid: _Field[np.int32]
    body_user: _Field[np.float64]
    body_weldid: _Field[np.int32]
    bvh_aabb: _Field[np.float64]
    bvh_child: _Field[np.int32]
    bvh_depth: _Field[np.int32]
    bvh_nodeid: _Field[np.int32]
    cam_bodyid: _Field[np.int32]
    cam_fovy: _Field[np.float64]
    cam_intrinsic: _Field[np.float32]
    cam_ipd: _Field[np.float64]
    cam_mat0: _Field[np.float64]
    cam_mode: _Field[np.int32]
    cam_orthographic: _Field[np.int32]
    cam_pos: _Field[np.float64]
    cam_pos0: _Field[np.float64]
    cam_poscom0: _Field[np.float64]
    cam_quat: _Field[np.float64]
    cam_resolution: _Field[np.int32]
    cam_sensorsize: _Field[np.float32]
    cam_targetbodyid: _Field[np.int32]
    cam_user: _Field[np.float64]
    dof_M0: _Field[np.float64]
    dof_Madr: _Field[np.int32]
    dof_armature: _Field[np.float64]
    dof_bodyid: _Field[np.int32]
    dof_damping: _Field[np.float64]
    dof_frictionloss: _Field[np.float64]
    dof_invweight0: _Field[np.float64]
    dof_jntid: _Field[np.int32]
    dof_length: _Field[np.float64]
    dof_parentid: _Field[np.int32]
    dof_simplenum: _Field[np.int32]
    dof_solimp: _Field[np.float64]
    dof_solref: _Field[np.float64]
    dof_treeid: _Field[np.int32]
    eq_active0: _Field[np.uint8]
    eq_data: _Field[np.float64]
    eq_obj1id: _Field[np.int32]
    eq_obj2id: _Field[np.int32]
    eq_objtype: _Field[np.int32]
    eq_solimp: _Field[np.float64]
    eq_solref: _Field[np.float64]
    eq_type: _Field[np.int32]
    exclude_signature: _Field[np.int32]
    flex_activelayers: _Field[np.int32]
    flex_bending: _Field[np.float64]
    flex_bending_model: _Field[np.int32]
    flex_bvhadr: _Field[np.int32]
    flex_bvhnum: _Field[np.int32]
    flex_centered: _Field[np.uint8]
    flex_conaffinity: _Field[np.int32]
    flex_condim: _Field[np.int32]
    flex_contype: _Field[np.int32]
    flex_damping: _Field[np.float64]
    flex_dim: _Field[np.int32]
    flex_edge: _Field[np.int32]
    flex_edgeadr: _Field[np.int32]
    flex_edgedamping: _Field[np.float64]
    flex_edgeequality: _Field[np.uint8]
    flex_edgeflap: _Field[np.int32]
    flex_edgenum: _Field[np.int32]
    flex_edgestiffness: _Field[np.float64]
    flex_elasticity_model: _Field[np.int32]
    flex_elem: _Field[np.int32]
    flex_elemadr: _Field[np.int32]
    flex_elemdataadr: _Field[np.int32]
    flex_elemedge: _Field[np.int32]
    flex_elemedgeadr: _Field[np.int32]
    flex_elemlayer: _Field[np.int32]
    flex_elemnum: _Field[np.int32]
    flex_elemtexcoord: _Field[np.int32]
    flex_evpair: _Field[np.int32]
    flex_evpairadr: _Field[np.int32]
    flex_evpairnum: _Field[np.int32]
    flex_flatskin: _Field[np.uint8]
    flex_friction: _Field[np.float64]
    flex_gap: _Field[np.float64]
    flex_group: _Field[np.int32]
    flex_internal: _Field[np.uint8]
    flex_interp: _Field[np.int32]
    flex_margin: _Field[np.float64]
    flex_material: _Field[np.float64]
    flex_matid: _Field[np.int32]
    flex_node: _Field[np.float64]
    flex_node0: _Field[np.float64]
    flex_nodeadr: _Field[np.int32]
    flex_nodebodyid: _Field[np.int32]
    flex_nodenum: _Field[np.int32]
    flex_passive: _Field[np.int32]
    flex_priority: _Field[np.int32]
    flex_radius: _Field[np.float64]
    flex_rest: _Field[np.float64]
    flex_rgba: _Field[np.float32]
    flex_rigid: _Field[np.uint8]
    flex_selfcollide: _Field[np.int32]
    flex_shell: _Field[np.int32]
    flex_shelldataadr: _Field[np.int32]
    flex_shellnum: _Field[np.int32]
    flex_solimp: _Field[np.float64]
    flex_solmix: _Field[np.float64]
    flex_solref: _Field[np.float64]
    flex_stiffness: _Field[np.float64]
    flex_texcoord: _Field[np.float32]
    flex_texcoordadr: _Field[np.int32]
    flex_vert: _Field[np.float64]
    flex_vert0: _Field[np.float64]
    flex_vertadr: _Field[np.int32]
    flex_vertbodyid: _Field[np.int32]
    flex_vertnum: _Field[np.int32]
    flexedge_invweight0: _Field[np.float64]
    flexedge_length0: _Field[np.float64]
    flexedge_rigid: _Field[np.uint8]
    geom_aabb: _Field[np.float64]
    geom_bodyid: _Field[np.int32]
    geom_compliance: _Field[np.float64]
    geom_conaffinity: _Field[np.int32]
    geom_condim: _Field[np.int32]
    geom_contype: _Field[np.int32]
    geom_dataid: _Field[np.int32]
    geom_fluid: _Field[np.float64]
    geom_friction: _Field[np.float64]
    geom_gap: _Field[np.float64]
    geom_group: _Field[np.int32]
    geom_margin: _Field[np.float64]
    geom_matid: _Field[np.int32]
    geom_plugin: _Field[np.int32]
    geom_pos: _Field[np.float64]
    geom_priority: _Field[np.int32]
    geom_quat: _Field[np.float64]
    geom_rbound: _Field[np.float64]
    geom_rgba: _Field[np.float32]
    geom_sameframe: _Field[np.uint8]
    geom_size: _Field[np.float64]
    geom_solimp: _Field[np.float64]
    geom_solmix: _Field[np.float64]
    geom_solref: _Field[np.float64]
    geom_type: _Field[np.int32]
    geom_user: _Field[np.float64]
    hfield_adr: _Field[np.int32]
    hfield_data: _Field[np.float32]
    hfield_ncol: _Field[np.int32]
    hfield_nrow: _Field[np.int32]
    hfield_pathadr: _Field[np.int32]
    hfield_size: _Field[np.float64]
    jnt_actfrclimited: _Field[np.uint8]
    jnt_actfrcrange: _Field[np.float64]
    jnt_actgravcomp: _Field[np.uint8]
    jnt_axis: _Field[np.float64]
    jnt_bodyid: _Field[np.int32]
    jnt_dofadr: _Field[np.int32]
    jnt_group: _Field[np.int32]
    jnt_limited: _Field[np.uint8]
    jnt_margin: _Field[np.float64]
    jnt_pos: _Field[np.float64]
    jnt_qposadr: _Field[np.int32]
    jnt_range: _Field[np.float64]
    jnt_solimp: _Field[np.float64]
    jnt_solref: _Field[np.float64]
    jnt_stiffness: _Field[np.float64]
    jnt_type: _Field[np.int32]
    jnt_user: _Field[np.float64]
    key_act: _Field[np.float64]
    key_ctrl: _Field[np.float64]
    key_mpos: _Field[np.float64]
    key_mquat: _Field[np.float64]
    key_qpos: _Field[np.float64]
    key_qvel: _Field[np.float64]
    key_time: _Field[np.float64]
    light_active: _Field[np.uint8]
    light_ambient: _Field[np.float32]
    light_attenuation: _Field[np.float32]
    light_bodyid: _Field[np.int32]
    light_bulbradius: _Field[np.float32]
    light_castshadow: _Field[np.uint8]
    light_cutoff: _Field[np.float32]
    light_diffuse: _Field[np.float32]
    light_dir: _Field[np.float64]
    light_dir0: _Field[np.float64]
    light_exponent: _Field[np.float32]
    light_intensity: _Field[np.float32]
    light_mode: _Field[np.int32]
    light_pos: _Field[np.float64]
    light_pos0: _Field[np.float64]
    light_poscom0: _Field[np.float64]
    light_range: _Field[np.float32]
    light_specular: _Field[np.float32]
    light_targetbodyid: _Field[np.int32]
    light_texid: _Field[np.int32]
    light_type: _Field[np.int32]
    mapD2M: _Field[np.int32]
    mapM2D: _Field[np.int32]
    mapM2M: _Field[np.int32]
    mat_emission: _Field[np.float32]
    mat_metallic: _Field[np.float32]
    mat_reflectance: _Field[np.float32]
    mat_rgba: _Field[np.float32]
    mat_roughness: _Field[np.float32]
    mat_shininess: _Field[np.float32]
    mat_specular: _Field[np.float32]
    mat_texid: _Field[np.int32]
    mat_texrepeat: _Field[np.float32]
    mat_texuniform: _Field[np.uint8]
    mesh_bvhadr: _Field[np.int32]
    mesh_bvhnum: _Field[np.int32]
    mesh_face: _Field[np.int32]
    mesh_faceadr: _Field[np.int32]
    mesh_facenormal: _Field[np.int32]
    mesh_facenum: _Field[np.int32]
    mesh_facetexcoord: _Field[np.int32]
    mesh_graph: _Field[np.int32]
    mesh_graphadr: _Field[np.int32]
    mesh_normal: _Field[np.float32]
    mesh_normaladr: _Field[np.int32]
    mesh_normalnum: _Field[np.int32]
    mesh_octadr: _Field[np.int32]
    mesh_octnum: _Field[np.int32]
    mesh_pathadr: _Field[np.int32]
    mesh_polyadr: _Field[np.int32]
    mesh_polymap: _Field[np.int32]
    mesh_polymapadr: _Field[np.int32]
    mesh_polymapnum: _Field[np.int32]
    mesh_polynormal: _Field[np.float64]
    mesh_polynum: _Field[np.int32]
    mesh_polyvert: _Field[np.int32]
    mesh_polyvertadr: _Field[np.int32]
    mesh_polyvertnum: _Field[np.int32]
    mesh_pos: _Field[np.float64]
    mesh_quat: _Field[np.float64]
    mesh_scale: _Field[np.float64]
    mesh_texcoord: _Field[np.float32]
    mesh_texcoordadr: _Field[np.int32]
    mesh_texcoordnum: _Field[np.int32]
    mesh_vert: _Field[np.float32]
    mesh_vertadr: _Field[np.int32]
    mesh_vertnum: _Field[np.int32]
    nB: int
    nC: int
    nD: int
    nJmom: int
    nM: int
    na: int
    name: str
    name_actuatoradr: _Field[np.int32]
    name_bodyadr: _Field[np.int32]
    name_camadr: _Field[np.int32]
    name_eqadr: _Field[np.int32]
    name_excludeadr: _Field[np.int32]
    name_flexadr: _Field[np.int32]
    name_geomadr: _Field[np.int32]
    name_hfieldadr: _Field[np.int32]
    name_jntadr: _Field[np.int32]
    name_keyadr: _Field[np.int32]
    name_lightadr: _Field[np.int32]
    name_matadr: _Field[np.int32]
    name_meshadr: _Field[np.int32]
    name_numericadr: _Field[np.int32]
    name_pairadr: _Field[np.int32]
    name_pluginadr: _Field[np.int32]
    name_sensoradr: _Field[np.int32]
    name_siteadr: _Field[np.int32]
    name_skinadr: _Field[np.int32]
    name_tendonadr: _Field[np.int32]
    name_texadr: _Field[np.int32]
    name_textadr: _Field[np.int32]
    name_tupleadr: _Field[np.int32]
    names: bytes
    names_map: _Field[np.int32]
    narena: int
    nbody: int
    nbuffer: int
    nbvh: int
    nbvhdynamic: int
    nbvhstatic: int
    ncam: int
    nconmax: int
    nemax: int
    neq: int
    nexclude: int
    nflex: int
    nflexedge: int
    nflexelem: int
    nflexelemdata: int
    nflexelemedge: int
    nflexevpair: int
    nflexnode: int
    nflexshelldata: int
    nflextexcoord: int
    nflexvert: int
    ngeom: int
    ngravcomp: int
    nhfield: int
    nhfielddata: int
    njmax: int
    njnt: int
    nkey: int
    nlight: int
    nmat: int
    nmesh: int
    nmeshface: int
    nmeshgraph: int
    nmeshnormal: int
    nmeshpoly: int
    nmeshpolymap: int
    nmeshpolyvert: int
    nmeshtexcoord: int
    nmeshvert: int
    nmocap: int
    nnames: int
    nnames_map: int
    nnumeric: int
    nnumericdata: int
    noct: int
    npair: int
    npaths: int
    nplugin: int
    npluginattr: int
    npluginstate: int
    nq: int
    nsensor: int
    nsensordata: int
    nsite: int
    nskin: int
    nskinbone: int
    nskinbonevert: int
    nskinface: int
    nskintexvert: int
    nskinvert: int
    ntendon: int
    ntex: int
    ntexdata: int
    ntext: int
    ntextdata: int
    ntree: int
    ntuple: int
    ntupledata: int
    nu: int
    numeric_adr: _Field[np.int32]
    numeric_data: _Field[np.float64]
    numeric_size: _Field[np.int32]
    nuser_actuator: int
    nuser_body: int
    nuser_cam: int
    nuser_geom: int
    nuser_jnt: int
    nuser_sensor: int
    nuser_site: int
    nuser_tendon: int
    nuserdata: int
    nv: int
    nwrap: int
    oct_aabb: _Field[np.float64]
    oct_child: _Field[np.int32]
    oct_coeff: _Field[np.float64]
    oct_depth: _Field[np.int32]
    pair_compliance: _Field[np.float64]
    pair_dim: _Field[np.int32]
    pair_friction: _Field[np.float64]
    pair_gap: _Field[np.float64]
    pair_geom1: _Field[np.int32]
    pair_geom2: _Field[np.int32]
    pair_margin: _Field[np.float64]
    pair_signature: _Field[np.int32]
    pair_solimp: _Field[np.float64]
    pair_solref: _Field[np.float64]
    pair_solreffriction: _Field[np.float64]
    paths: bytes
    plugin: _Field[np.int32]
    plugin_attr: _Field[np.int8]
    plugin_attradr: _Field[np.int32]
    plugin_stateadr: _Field[np.int32]
    plugin_statenum: _Field[np.int32]
    qpos0: _Field[np.float64]
    qpos_spring: _Field[np.float64]
    sensor_adr: _Field[np.int32]
    sensor_cutoff: _Field[np.float64]
    sensor_datatype: _Field[np.int32]
    sensor_dim: _Field[np.int32]
    sensor_intprm: _Field[np.int32]
    sensor_needstage: _Field[np.int32]
    sensor_noise: _Field[np.float64]
    sensor_objid: _Field[np.int32]
    sensor_objtype: _Field[np.int32]
    sensor_plugin: _Field[np.int32]
    sensor_refid: _Field[np.int32]
    sensor_reftype: _Field[np.int32]
    sensor_type: _Field[np.int32]
    sensor_user: _Field[np.float64]
    signature: int
    site_bodyid: _Field[np.int32]
    site_group: _Field[np.int32]
    site_matid: _Field[np.int32]
    site_pos: _Field[np.float64]
    site_quat: _Field[np.float64]
    site_rgba: _Field[np.float32]
    site_sameframe: _Field[np.uint8]
    site_size: _Field[np.float64]
    site_type: _Field[np.int32]
    site_user: _Field[np.float64]
    skin_boneadr: _Field[np.int32]
    skin_bonebindpos: _Field[np.float32]
    skin_bonebindquat: _Field[np.float32]
    skin_bonebodyid: _Field[np.int32]
    skin_bonenum: _Field[np.int32]
    skin_bonevertadr: _Field[np.int32]
    skin_bonevertid: _Field[np.int32]
    skin_bonevertnum: _Field[np.int32]
    skin_bonevertweight: _Field[np.float32]
    skin_face: _Field[np.int32]
    skin_faceadr: _Field[np.int32]
    skin_facenum: _Field[np.int32]
    skin_group: _Field[np.int32]
    skin_inflate: _Field[np.float32]
    skin_matid: _Field[np.int32]
    skin_pathadr: _Field[np.int32]
    skin_rgba: _Field[np.float32]
    skin_texcoord: _Field[np.float32]
    skin_texcoordadr: _Field[np.int32]
    skin_vert: _Field[np.float32]
    skin_vertadr: _Field[np.int32]
    skin_vertnum: _Field[np.int32]
    tendon_actfrclimited: _Field[np.uint8]
    tendon_actfrcrange: _Field[np.float64]
    tendon_adr: _Field[np.int32]
    tendon_armature: _Field[np.float64]
    tendon_damping: _Field[np.float64]
    tendon_frictionloss: _Field[np.float64]
    tendon_group: _Field[np.int32]
    tendon_invweight0: _Field[np.float64]
    tendon_length0: _Field[np.float64]
    tendon_lengthspring: _Field[np.float64]
    tendon_limited: _Field[np.uint8]
    tendon_margin: _Field[np.float64]
    tendon_matid: _Field[np.int32]
    tendon_num: _Field[np.int32]
    tendon_range: _Field[np.float64]
    tendon_rgba: _Field[np.float32]
    tendon_solimp_fri: _Field[np.float64]
    tendon_solimp_lim: _Field[np.float64]
    tendon_solref_fri: _Field[np.float64]
    tendon_solref_lim: _Field[np.float64]
    tendon_stiffness: _Field[np.float64]
    tendon_treeid: _Field[np.int32]
    tendon_treenum: _Field[np.int32]
    tendon_user: _Field[np.float64]
    tendon_width: _Field[np.float64]
    tex_adr: _Field[np.int32]
    tex_colorspace: _Field[np.int32]
    tex_data: _Field[np.uint8]
    tex_height: _Field[np.int32]
    tex_nchannel: _Field[np.int32]
    tex_pathadr: _Field[np.int32]
    tex_type: _Field[np.int32]
    tex_width: _Field[np.int32]
    text_adr: _Field[np.int32]
    text_data: bytes
    text_size: _Field[np.int32]
    tree_bodyadr: _Field[np.int32]
    tree_bodynum: _Field[np.int32]
    tree_dofadr: _Field[np.int32]
    tree_dofnum: _Field[np.int32]
    tree_sleep_policy: _Field[np.int32]
    tuple_adr: _Field[np.int32]
    tuple_objid: _Field[np.int32]
    tuple_objprm: _Field[np.float64]
    tuple_objtype: _Field[np.int32]
    tuple_size: _Field[np.int32]
    wrap_objid: _Field[np.int32]
    wrap_prm: _Field[np.float64]
    wrap_type: _Field[np.int32]
    def actuator(self, name: str | bytes | int = ...) -> _MjModelActuatorViews: ...
    def body(self, name: str | bytes | int = ...) -> _MjModelBodyViews: ...
    def cam(self, name: str | bytes | int = ...) -> _MjModelCameraViews: ...
    def camera(self, name: str | bytes | int = ...) -> _MjModelCameraViews: ...
    def eq(self, name: str | bytes | int = ...) -> _MjModelEqualityViews: ...
    def equality(self, name: str | bytes | int = ...) -> _MjModelEqualityViews: ...
    def exclude(self, name: str | bytes | int = ...) -> _MjModelExcludeViews: ...
    def flex(self, name: str | bytes | int = ...) -> _MjModelFlexViews: ...
    def geom(self, name: str | bytes | int = ...) -> _MjModelGeomViews: ...
    def hfield(self, name: str | bytes | int = ...) -> _MjModelHfieldViews: ...
    def jnt(self, name: str | bytes | int = ...) -> _MjModelJointViews: ...
    def joint(self, name: str | bytes | int = ...) -> _MjModelJointViews: ...
    def key(self, name: str | bytes | int = ...) -> _MjModelKeyframeViews: ...
    def keyframe(self, name: str | bytes | int = ...) -> _MjModelKeyframeViews: ...
    def light(self, name: str | bytes | int = ...) -> _MjModelLightViews: ...
    def mat(self, name: str | bytes | int = ...) -> _MjModelMaterialViews: ...
    def material(self, name: str | bytes | int = ...) -> _MjModelMaterialViews: ...
    def mesh(self, name: str | bytes | int = ...) -> _MjModelMeshViews: ...
    def numeric(self, name: str | bytes | int = ...) -> _MjModelNumericViews: ...
    def pair(self, name: str | bytes | int = ...) -> _MjModelPairViews: ...
    def sensor(self, name: str | bytes | int = ...) -> _MjModelSensorViews: ...
    def site(self, name: str | bytes | int = ...) -> _MjModelSiteViews: ...
    def skin(self, name: str | bytes | int = ...) -> _MjModelSkinViews: ...
    def ten(self, name: str | bytes | int = ...) -> _MjModelTendonViews: ...
    def tendon(self, name: str | bytes | int = ...) -> _MjModelTendonViews: ...
    def tex(self, name: str | bytes | int = ...) -> _MjModelTextureViews: ...
    def text(self, name: str | bytes | int = ...) -> _MjModelTextViews: ...
    def texture(self, name: str | bytes | int = ...) -> _MjModelTextureViews: ...
    def tuple(self, name: str | bytes | int = ...) -> _MjModelTupleViews: ...
class MjData(DataBase):
    def __init__(self, model: MjModel) -> None: ...
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
    M: _Field[np.float64]
    act: _Field[np.float64]
    act_dot: _Field[np.float64]
    actuator_force: _Field[np.float64]
    actuator_length: _Field[np.float64]
    actuator_moment: _Field[np.float64]
    actuator_velocity: _Field[np.float64]
    body_awake: _Field[np.int32]
    body_awake_ind: _Field[np.int32]
    bvh_aabb_dyn: _Field[np.float64]
    bvh_active: _Field[np.uint8]
    cacc: _Field[np.float64]
    cam_xmat: _Field[np.float64]
    cam_xpos: _Field[np.float64]
    cdof: _Field[np.float64]
    cdof_dot: _Field[np.float64]
    cfrc_ext: _Field[np.float64]
    cfrc_int: _Field[np.float64]
    cinert: _Field[np.float64]
    crb: _Field[np.float64]
    ctrl: _Field[np.float64]
    cvel: _Field[np.float64]
    dof_awake_ind: _Field[np.int32]
    dof_island: _Field[np.int32]
    efc_AR: _Field[np.float64]
    efc_AR_colind: _Field[np.int32]
    efc_AR_rowadr: _Field[np.int32]
    efc_AR_rownnz: _Field[np.int32]
    efc_D: _Field[np.float64]
    efc_J: _Field[np.float64]
    efc_J_colind: _Field[np.int32]
    efc_J_rowadr: _Field[np.int32]
    efc_J_rownnz: _Field[np.int32]
    efc_J_rowsuper: _Field[np.int32]
    efc_KBIP: _Field[np.float64]
    efc_R: _Field[np.float64]
    efc_aref: _Field[np.float64]
    efc_b: _Field[np.float64]
    efc_diagApprox: _Field[np.float64]
    efc_force: _Field[np.float64]
    efc_frictionloss: _Field[np.float64]
    efc_id: _Field[np.int32]
    efc_island: _Field[np.int32]
    efc_margin: _Field[np.float64]
    efc_pos: _Field[np.float64]
    efc_state: _Field[np.int32]
    efc_type: _Field[np.int32]
    efc_vel: _Field[np.float64]
    energy: _Field[np.float64]
    eq_active: _Field[np.uint8]
    flexedge_J: _Field[np.float64]
    flexedge_J_colind: _Field[np.int32]
    flexedge_J_rowadr: _Field[np.int32]
    flexedge_J_rownnz: _Field[np.int32]
    flexedge_length: _Field[np.float64]
    flexedge_velocity: _Field[np.float64]
    flexelem_aabb: _Field[np.float64]
    flexvert_xpos: _Field[np.float64]
    geom_xmat: _Field[np.float64]
    geom_xpos: _Field[np.float64]
    iLD: _Field[np.float64]
    iLDiagInv: _Field[np.float64]
    iM: _Field[np.float64]
    iM_colind: _Field[np.int32]
    iM_rowadr: _Field[np.int32]
    iM_rownnz: _Field[np.int32]
    iacc: _Field[np.float64]
    iacc_smooth: _Field[np.float64]
    iefc_D: _Field[np.float64]
    iefc_J: _Field[np.float64]
    iefc_J_colind: _Field[np.int32]
    iefc_J_rowadr: _Field[np.int32]
    iefc_J_rownnz: _Field[np.int32]
    iefc_J_rowsuper: _Field[np.int32]
    iefc_R: _Field[np.float64]
    iefc_aref: _Field[np.float64]
    iefc_force: _Field[np.float64]
    iefc_frictionloss: _Field[np.float64]
    iefc_id: _Field[np.int32]
    iefc_state: _Field[np.int32]
    iefc_type: _Field[np.int32]
    ifrc_constraint: _Field[np.float64]
    ifrc_smooth: _Field[np.float64]
    island_dofadr: _Field[np.int32]
    island_idofadr: _Field[np.int32]
    island_iefcadr: _Field[np.int32]
    island_itreeadr: _Field[np.int32]
    island_ne: _Field[np.int32]
    island_nefc: _Field[np.int32]
    island_nf: _Field[np.int32]
    island_ntree: _Field[np.int32]
    island_nv: _Field[np.int32]
    jnt_limit_frc: _Field[np.float64]
    light_xdir: _Field[np.float64]
    light_xpos: _Field[np.float64]
    map_dof2idof: _Field[np.int32]
    map_efc2iefc: _Field[np.int32]
    map_idof2dof: _Field[np.int32]
    map_iefc2efc: _Field[np.int32]
    map_itree2tree: _Field[np.int32]
    maxuse_arena: int
    maxuse_con: int
    maxuse_efc: int
    maxuse_stack: int
    maxuse_threadstack: _Field[np.uint64]
    memory_limit: int
    mocap_pos: _Field[np.float64]
    mocap_quat: _Field[np.float64]
    moment_colind: _Field[np.int32]
    moment_rowadr: _Field[np.int32]
    moment_rownnz: _Field[np.int32]
    nA: int
    nJ: int
    narena: int
    nbody_awake: int
    nbuffer: int
    ncon: int
    ne: int
    nefc: int
    nf: int
    nidof: int
    nisland: int
    nl: int
    nparent_awake: int
    nplugin: int
    ntree_awake: int
    nv_awake: int
    parena: int
    parent_awake_ind: _Field[np.int32]
    pbase: int
    plugin: _Field[np.int32]
    plugin_data: _Field[np.uint64]
    plugin_state: _Field[np.float64]
    pstack: int
    qDeriv: _Field[np.float64]
    qH: _Field[np.float64]
    qHDiagInv: _Field[np.float64]
    qLD: _Field[np.float64]
    qLDiagInv: _Field[np.float64]
    qLU: _Field[np.float64]
    qM: _Field[np.float64]
    qacc: _Field[np.float64]
    qacc_smooth: _Field[np.float64]
    qacc_warmstart: _Field[np.float64]
    qfrc_actuator: _Field[np.float64]
    qfrc_applied: _Field[np.float64]
    qfrc_bias: _Field[np.float64]
    qfrc_constraint: _Field[np.float64]
    qfrc_damper: _Field[np.float64]
    qfrc_fluid: _Field[np.float64]
    qfrc_gravcomp: _Field[np.float64]
    qfrc_inverse: _Field[np.float64]
    qfrc_passive: _Field[np.float64]
    qfrc_smooth: _Field[np.float64]
    qfrc_spring: _Field[np.float64]
    qpos: _Field[np.float64]
    qvel: _Field[np.float64]
    sensordata: _Field[np.float64]
    signature: int
    site_xmat: _Field[np.float64]
    site_xpos: _Field[np.float64]
    solver_fwdinv: _Field[np.float64]
    solver_niter: _Field[np.int32]
    solver_nnz: _Field[np.int32]
    solver_unconverged: int
    subtree_angmom: _Field[np.float64]
    subtree_com: _Field[np.float64]
    subtree_linvel: _Field[np.float64]
    ten_J: _Field[np.float64]
    ten_J_colind: _Field[np.int32]
    ten_J_rowadr: _Field[np.int32]
    ten_J_rownnz: _Field[np.int32]
    ten_length: _Field[np.float64]
    ten_limit_frc: _Field[np.float64]
    ten_velocity: _Field[np.float64]
    ten_wrapadr: _Field[np.int32]
    ten_wrapnum: _Field[np.int32]
    tendon_efcadr: _Field[np.int32]
    threadpool: int
    tree_asleep: _Field[np.int32]
    tree_awake: _Field[np.int32]
    tree_island: _Field[np.int32]
    userdata: _Field[np.float64]
    wrap_obj: _Field[np.int32]
    wrap_xpos: _Field[np.float64]
    xanchor: _Field[np.float64]
    xaxis: _Field[np.float64]
    xfrc_applied: _Field[np.float64]
    ximat: _Field[np.float64]
    xipos: _Field[np.float64]
    xmat: _Field[np.float64]
    xpos: _Field[np.float64]
    xquat: _Field[np.float64]
    def actuator(self, name: str | bytes | int = ...) -> _MjDataActuatorViews: ...
    def body(self, name: str | bytes | int = ...) -> _MjDataBodyViews: ...
    def cam(self, name: str | bytes | int = ...) -> _MjDataCameraViews: ...
    def camera(self, name: str | bytes | int = ...) -> _MjDataCameraViews: ...
    def eq(self, name: str | bytes | int = ...) -> _MjDataEqualityViews: ...
    def equality(self, name: str | bytes | int = ...) -> _MjDataEqualityViews: ...
    def geom(self, name: str | bytes | int = ...) -> _MjDataGeomViews: ...
    def jnt(self, name: str | bytes | int = ...) -> _MjDataJointViews: ...
    def joint(self, name: str | bytes | int = ...) -> _MjDataJointViews: ...
    def light(self, name: str | bytes | int = ...) -> _MjDataLightViews: ...
    def sensor(self, name: str | bytes | int = ...) -> _MjDataSensorViews: ...
    def site(self, name: str | bytes | int = ...) -> _MjDataSiteViews: ...
    def ten(self, name: str | bytes | int = ...) -> _MjDataTendonViews: ...
    def tendon(self, name: str | bytes | int = ...) -> _MjDataTendonViews: ...
class MjsElement: ...
class MjsOrientation:
    type: mjtOrientation
    axisangle: Any
    xyaxes: Any
    zaxis: Any
    euler: Any
class MjsBody(MjsElement):
    def add_body(self, default: Any = ..., **kwargs: Any) -> MjsBody: ...
    def add_camera(self, default: Any = ..., **kwargs: Any) -> MjsCamera: ...
    def add_frame(self, parent_frame: Any = ..., **kwargs: Any) -> MjsFrame: ...
    def add_freejoint(self, **kwargs: Any) -> MjsJoint: ...
    def add_geom(self, default: Any = ..., **kwargs: Any) -> MjsGeom: ...
    def add_joint(self, default: Any = ..., **kwargs: Any) -> MjsJoint: ...
    def add_light(self, default: Any = ..., **kwargs: Any) -> MjsLight: ...
    def add_site(self, default: Any = ..., **kwargs: Any) -> MjsSite: ...
    def attach_frame(self, frame: Any, prefix: Any = ..., suffix: Any = ...) -> MjsFrame: ...
    @property
    def bodies(self) -> list[MjsBody]: ...
    @property
    def cameras(self) -> list[MjsCamera]: ...
    childclass: str
    classname: MjsDefault
    def delete(self) -> None: ...
    def find_all(self, kind: Any) -> Any: ...
    def find_child(self, name: Any) -> MjsBody | None: ...
    def first_body(self) -> MjsBody | None: ...
    def first_camera(self) -> MjsCamera | None: ...
    def first_frame(self) -> MjsFrame | None: ...
    def first_geom(self) -> MjsGeom | None: ...
    def first_joint(self) -> MjsJoint | None: ...
    def first_light(self) -> MjsLight | None: ...
    def first_site(self) -> MjsSite | None: ...
    @property
    def frame(self) -> MjsFrame | None: ...
    @property
    def frames(self) -> list[MjsFrame]: ...
    @property
    def geoms(self) -> list[MjsGeom]: ...
    @property
    def id(self) -> int: ...
    info: str
    @property
    def joints(self) -> list[MjsJoint]: ...
    @property
    def lights(self) -> list[MjsLight]: ...
    def next_body(self, child: Any) -> MjsBody | None: ...
    def next_camera(self, child: Any) -> MjsCamera | None: ...
    def next_frame(self, child: Any) -> MjsFrame | None: ...
    def next_geom(self, child: Any) -> MjsGeom | None: ...
    def next_joint(self, child: Any) -> MjsJoint | None: ...
    def next_light(self, child: Any) -> MjsLight | None: ...
    def next_site(self, child: Any) -> MjsSite | None: ...
    @property
    def parent(self) -> MjsBody: ...
    plugin: MjsPluginUse
    def set_frame(self, frame: Any) -> None: ...
    @property
    def signature(self) -> int: ...
    @property
    def sites(self) -> list[MjsSite]: ...
    def to_frame(self) -> MjsFrame: ...
    name: str
    pos: _Field[np.float64]
    quat: _Field[np.float64]
    alt: MjsOrientation
    mass: float
    ipos: _Field[np.float64]
    iquat: _Field[np.float64]
    ialt: MjsOrientation
    inertia: _Field[np.float64]
    fullinertia: _Field[np.float64]
    explicitinertial: int
    mocap: int
    gravcomp: float
    sleep: _Number[mjtSleepPolicy]
    userdata: _Field[np.float64]
class MjsFrame(MjsElement):
    def add_body(self, default: Any = ..., **kwargs: Any) -> MjsBody: ...
    def add_camera(self, default: Any = ..., **kwargs: Any) -> MjsCamera: ...
    def add_frame(self, **kwargs: Any) -> MjsFrame: ...
    def add_geom(self, default: Any = ..., **kwargs: Any) -> MjsGeom: ...
    def add_joint(self, default: Any = ..., **kwargs: Any) -> MjsJoint: ...
    def add_light(self, default: Any = ..., **kwargs: Any) -> MjsLight: ...
    def add_site(self, default: Any = ..., **kwargs: Any) -> MjsSite: ...
    def attach_body(self, body: Any, prefix: Any = ..., suffix: Any = ...) -> MjsBody: ...
    childclass: str
    def delete(self) -> None: ...
    @property
    def frame(self) -> MjsFrame | None: ...
    @property
    def id(self) -> int: ...
    info: str
    @property
    def parent(self) -> MjsBody: ...
    def set_frame(self, frame: Any) -> None: ...
    @property
    def signature(self) -> int: ...
    name: str
    pos: _Field[np.float64]
    quat: _Field[np.float64]
    alt: MjsOrientation
class MjsJoint(MjsElement):
    classname: MjsDefault
    def delete(self) -> None: ...
    @property
    def frame(self) -> MjsFrame | None: ...
    @property
    def id(self) -> int: ...
    info: str
    @property
    def parent(self) -> MjsBody: ...
    def set_frame(self, frame: Any) -> None: ...
    @property
    def signature(self) -> int: ...
    name: str
    type: _Number[mjtJoint]
    pos: _Field[np.float64]
    axis: _Field[np.float64]
    ref: float
    align: int
    stiffness: float
    springref: float
    springdamper: _Field[np.float64]
    limited: int
    range: _Field[np.float64]
    margin: float
    solref_limit: _Field[np.float64]
    solimp_limit: _Field[np.float64]
    actfrclimited: int
    actfrcrange: _Field[np.float64]
    armature: float
    damping: float
    frictionloss: float
    solref_friction: _Field[np.float64]
    solimp_friction: _Field[np.float64]
    group: int
    actgravcomp: int
    userdata: _Field[np.float64]
class MjsGeom(MjsElement):
    classname: MjsDefault
    def delete(self) -> None: ...
    @property
    def frame(self) -> MjsFrame | None: ...
    @property
    def id(self) -> int: ...
    info: str
    @property
    def parent(self) -> MjsBody: ...
    plugin: MjsPluginUse
    def set_frame(self, frame: Any) -> None: ...
    @property
    def signature(self) -> int: ...
    name: str
    type: _Number[mjtGeom]
    pos: _Field[np.float64]
    quat: _Field[np.float64]
    alt: MjsOrientation
    fromto: _Field[np.float64]
    size: _Field[np.float64]
    contype: int
    conaffinity: int
    condim: int
    priority: int
    friction: _Field[np.float64]
    solmix: float
    solref: _Field[np.float64]
    solimp: _Field[np.float64]
    margin: float
    gap: float
    stiffness: float
    dissipation: float
    mass: float
    density: float
    typeinertia: _Number[mjtGeomInertia]
    fluid_ellipsoid: float
    fluid_coefs: _Field[np.float64]
    material: str
    rgba: _Field[np.float32]
    group: int
    hfieldname: str
    meshname: str
    fitscale: float
    userdata: _Field[np.float64]
class MjsSite(MjsElement):
    def attach_body(self, body: Any, prefix: Any = ..., suffix: Any = ...) -> MjsBody: ...
    classname: MjsDefault
    def delete(self) -> None: ...
    @property
    def frame(self) -> MjsFrame | None: ...
    @property
    def id(self) -> int: ...
    info: str
    @property
    def parent(self) -> MjsBody: ...
    def set_frame(self, frame: Any) -> None: ...
    @property
    def signature(self) -> int: ...
    name: str
    type: _Number[mjtGeom]
    pos: _Field[np.float64]
    quat: _Field[np.float64]
    alt: MjsOrientation
    fromto: _Field[np.float64]
    size: _Field[np.float64]
    material: str
    group: int
    rgba: _Field[np.float32]
    userdata: _Field[np.float64]
class MjsCamera(MjsElement):
    classname: MjsDefault
    def delete(self) -> None: ...
    @property
    def frame(self) -> MjsFrame | None: ...
    @property
    def id(self) -> int: ...
    info: str
    @property
    def parent(self) -> MjsBody: ...
    def set_frame(self, frame: Any) -> None: ...
    @property
    def signature(self) -> int: ...
    name: str
    pos: _Field[np.float64]
    quat: _Field[np.float64]
    alt: MjsOrientation
    mode: _Number[mjtCamLight]
    targetbody: str
    orthographic: int
    fovy: float
    ipd: float
    intrinsic: _Field[np.float32]
    sensor_size: _Field[np.float32]
    resolution: _Field[np.float32]
    focal_length: _Field[np.float32]
    focal_pixel: _Field[np.float32]
    principal_length: _Field[np.float32]
    principal_pixel: _Field[np.float32]
    userdata: _Field[np.float64]
class MjsLight(MjsElement):
    classname: MjsDefault
    def delete(self) -> None: ...
    @property
    def frame(self) -> MjsFrame | None: ...
    @property
    def id(self) -> int: ...
    info: str
    @property
    def parent(self) -> MjsBody: ...
    def set_frame(self, frame: Any) -> None: ...
    @property
    def signature(self) -> int: ...
    name: str
    pos: _Field[np.float64]
    dir: _Field[np.float64]
    mode: _Number[mjtCamLight]
    targetbody: str
    active: int
    type: _Number[mjtLightType]
    texture: str
    castshadow: int
    bulbradius: float
    intensity: float
    range: float
    attenuation: _Field[np.float32]
    cutoff: float
    exponent: float
    ambient: _Field[np.float32]
    diffuse: _Field[np.float32]
    specular: _Field[np.float32]
class MjsMesh(MjsElement):
    classname: MjsDefault
    def delete(self) -> None: ...
    @property
    def id(self) -> int: ...
    info: str
    def make_cone(self, nedge: Any, radius: Any) -> Any: ...
    def make_hemisphere(self, resolution: Any) -> Any: ...
    def make_plate(self, resolution: Any = ...) -> Any: ...
    def make_sphere(self, subdivision: Any) -> Any: ...
    def make_supersphere(self, resolution: Any, e: Any, n: Any) -> Any: ...
    def make_supertorus(self, resolution: Any, radius: Any, s: Any, t: Any) -> Any: ...
    def make_wedge(self, resolution: Any = ..., fov: Any = ..., gamma: Any = ...) -> Any: ...
    plugin: MjsPluginUse
    @property
    def signature(self) -> int: ...
    name: str
    content_type: str
    file: str
    refpos: _Field[np.float64]
    refquat: _Field[np.float64]
    scale: _Field[np.float64]
    inertia: _Number[mjtMeshInertia]
    smoothnormal: int
    maxhullvert: int
    uservert: _Field[np.float32]
    usernormal: _Field[np.float32]
    usertexcoord: _Field[np.float32]
    userface: _Field[np.int32]
    userfacenormal: _Field[np.int32]
    userfacetexcoord: _Field[np.int32]
    builtin: int
    params: _Field[np.float64]
    material: str
class MjsHField(MjsElement):
    def delete(self) -> None: ...
    @property
    def id(self) -> int: ...
    info: str
    @property
    def signature(self) -> int: ...
    name: str
    content_type: str
    file: str
    size: _Field[np.float64]
    nrow: int
    ncol: int
    userdata: _Field[np.float32]
class MjsFlex(MjsElement):
    def delete(self) -> None: ...
    @property
    def id(self) -> int: ...
    info: str
    @property
    def signature(self) -> int: ...
    name: str
    contype: int
    conaffinity: int
    condim: int
    priority: int
    friction: _Field[np.float64]
    solmix: float
    solref: _Field[np.float64]
    solimp: _Field[np.float64]
    margin: float
    gap: float
    dim: int
    radius: float
    internal: int
    flatskin: int
    selfcollide: int
    vertcollide: int
    passive: int
    activelayers: int
    group: int
    edgestiffness: float
    edgedamping: float
    rgba: _Field[np.float32]
    material: str
    young: float
    poisson: float
    damping: float
    thickness: float
    elastic2d: int
    bending_model: str
    elasticity_model: str
    nodebody: Any
    vertbody: Any
    node: _Field[np.float64]
    vert: _Field[np.float64]
    elem: _Field[np.int32]
    texcoord: _Field[np.float32]
    elemtexcoord: _Field[np.int32]
class MjsSkin(MjsElement):
    def delete(self) -> None: ...
    @property
    def id(self) -> int: ...
    info: str
    @property
    def signature(self) -> int: ...
    name: str
    file: str
    material: str
    rgba: _Field[np.float32]
    inflate: float
    group: int
    vert: _Field[np.float32]
    texcoord: _Field[np.float32]
    face: _Field[np.int32]
    bodyname: Any
    bindpos: _Field[np.float32]
    bindquat: _Field[np.float32]
    vertid: Any
    vertweight: Any
class MjsTexture(MjsElement):
    def delete(self) -> None: ...
    @property
    def id(self) -> int: ...
    info: str
    @property
    def signature(self) -> int: ...
    name: str
    type: _Number[mjtTexture]
    colorspace: _Number[mjtColorSpace]
    builtin: int
    mark: int
    rgb1: _Field[np.float64]
    rgb2: _Field[np.float64]
    markrgb: _Field[np.float64]
    random: float
    height: int
    width: int
    nchannel: int
    content_type: str
    file: str
    gridsize: _Field[np.int32]
    gridlayout: Any
    cubefiles: Any
    data: Any
    hflip: int
    vflip: int
class MjsMaterial(MjsElement):
    classname: MjsDefault
    def delete(self) -> None: ...
    @property
    def id(self) -> int: ...
    info: str
    @property
    def signature(self) -> int: ...
    name: str
    textures: Any
    texuniform: int
    texrepeat: _Field[np.float32]
    emission: float
    specular: float
    shininess: float
    reflectance: float
    metallic: float
    roughness: float
    rgba: _Field[np.float32]
class MjsPair(MjsElement):
    classname: MjsDefault
    def delete(self) -> None: ...
    @property
    def id(self) -> int: ...
    info: str
    @property
    def signature(self) -> int: ...
    name: str
    geomname1: str
    geomname2: str
    condim: int
    solref: _Field[np.float64]
    solreffriction: _Field[np.float64]
    solimp: _Field[np.float64]
    margin: float
    gap: float
    stiffness: float
    dissipation: float
    friction: _Field[np.float64]
class MjsExclude(MjsElement):
    def delete(self) -> None: ...
    @property
    def id(self) -> int: ...
    info: str
    @property
    def signature(self) -> int: ...
    name: str
    bodyname1: str
    bodyname2: str
class MjsEquality(MjsElement):
    classname: MjsDefault
    def delete(self) -> None: ...
    @property
    def id(self) -> int: ...
    info: str
    @property
    def signature(self) -> int: ...
    name: str
    type: _Number[mjtEq]
    data: _Field[np.float64]
    active: int
    name1: str
    name2: str
    objtype: _Number[mjtObj]
    solref: _Field[np.float64]
    solimp: _Field[np.float64]
class MjsTendon(MjsElement):
    classname: MjsDefault
    def default(self) -> MjsDefault: ...
    def delete(self) -> None: ...
    @property
    def id(self) -> int: ...
    info: str
    @property
    def path(self) -> MjsTendonPath: ...
    @property
    def signature(self) -> int: ...
    def wrap_geom(self, *arguments: Any) -> Any: ...
    def wrap_joint(self, *arguments: Any) -> Any: ...
    def wrap_pulley(self, *arguments: Any) -> Any: ...
    def wrap_site(self, *arguments: Any) -> Any: ...
    name: str
    stiffness: float
    springlength: _Field[np.float64]
    damping: float
    frictionloss: float
    solref_friction: _Field[np.float64]
    solimp_friction: _Field[np.float64]
    armature: float
    limited: int
    actfrclimited: int
    range: _Field[np.float64]
    actfrcrange: _Field[np.float64]
    margin: float
    solref_limit: _Field[np.float64]
    solimp_limit: _Field[np.float64]
    material: str
    width: float
    rgba: _Field[np.float32]
    group: int
    userdata: _Field[np.float64]
class MjsActuator(MjsElement):
    classname: MjsDefault
    def delete(self) -> None: ...
    @property
    def id(self) -> int: ...
    info: str
    plugin: MjsPluginUse
    def set_to_adhesion(self, gain: Any) -> Any: ...
    def set_to_cylinder(self, timeconst: Any, bias: Any, area: Any, diameter: Any = ...) -> Any: ...
    def set_to_damper(self, kv: Any) -> Any: ...
    def set_to_intvelocity(self, kp: Any, kv: Any = ..., dampratio: Any = ..., timeconst: Any = ..., inheritrange: Any = ...) -> Any: ...
    def set_to_motor(self) -> Any: ...
    def set_to_muscle(self, timeconst: Any = ..., tausmooth: Any = ..., range: Any = ..., force: Any = ..., scale: Any = ..., lmin: Any = ..., lmax: Any = ..., vmax: Any = ..., fpmax: Any = ..., fvmax: Any = ...) -> Any: ...
    def set_to_position(self, kp: Any, kv: Any = ..., dampratio: Any = ..., timeconst: Any = ..., inheritrange: Any = ...) -> Any: ...
    def set_to_velocity(self, kv: Any) -> Any: ...
    @property
    def signature(self) -> int: ...
    name: str
    gaintype: _Number[mjtGain]
    gainprm: _Field[np.float64]
    biastype: _Number[mjtBias]
    biasprm: _Field[np.float64]
    dyntype: _Number[mjtDyn]
    dynprm: _Field[np.float64]
    actdim: int
    actearly: int
    trntype: _Number[mjtTrn]
    gear: _Field[np.float64]
    target: str
    refsite: str
    slidersite: str
    cranklength: float
    lengthrange: _Field[np.float64]
    inheritrange: float
    ctrllimited: int
    ctrlrange: _Field[np.float64]
    forcelimited: int
    forcerange: _Field[np.float64]
    actlimited: int
    actrange: _Field[np.float64]
    group: int
    userdata: _Field[np.float64]
    gain_model: str
    gain_params: _Field[np.float64]
class MjsSensor(MjsElement):
    def delete(self) -> None: ...
    def get_data_size(self) -> Any: ...
    @property
    def id(self) -> int: ...
    info: str
    plugin: MjsPluginUse
    @property
    def signature(self) -> int: ...
    name: str
    type: _Number[mjtSensor]
    objtype: _Number[mjtObj]
    objname: str
    reftype: _Number[mjtObj]
    refname: str
    intprm: _Field[np.int32]
    datatype: _Number[mjtDataType]
    needstage: _Number[mjtStage]
    dim: int
    cutoff: float
    noise: float
    userdata: _Field[np.float64]
class MjsNumeric(MjsElement):
    def delete(self) -> None: ...
    @property
    def id(self) -> int: ...
    info: str
    @property
    def signature(self) -> int: ...
    name: str
    data: _Field[np.float64]
    size: int
class MjsText(MjsElement):
    def delete(self) -> None: ...
    @property
    def id(self) -> int: ...
    info: str
    @property
    def signature(self) -> int: ...
    name: str
    data: str
class MjsTuple(MjsElement):
    def delete(self) -> None: ...
    @property
    def id(self) -> int: ...
    info: str
    @property
    def signature(self) -> int: ...
    name: str
    objtype: _Field[np.int32]
    objname: Any
    objprm: _Field[np.float64]
class MjsKey(MjsElement):
    def delete(self) -> None: ...
    @property
    def id(self) -> int: ...
    info: str
    @property
    def signature(self) -> int: ...
    name: str
    time: float
    qpos: _Field[np.float64]
    qvel: _Field[np.float64]
    act: _Field[np.float64]
    mpos: _Field[np.float64]
    mquat: _Field[np.float64]
    ctrl: _Field[np.float64]
class MjsPlugin(MjsElement):
    config: Any
    def delete(self) -> None: ...
    @property
    def id(self) -> int: ...
    info: str
    @property
    def signature(self) -> int: ...
    name: str
    plugin_name: str
    active: int
class MjByteVec(list[Any]): ...
class MjCharVec(list[Any]): ...
class MjDoubleVec(list[Any]): ...
class MjFloatVec(list[Any]): ...
class MjIntVec(list[Any]): ...
class MjStringVec(list[Any]): ...
class MjsCompiler:
    LRopt: Any
    alignfree: Any
    autolimits: Any
    balanceinertia: Any
    boundinertia: Any
    boundmass: Any
    degree: Any
    discardvisual: Any
    eulerseq: Any
    fitaabb: Any
    fusestatic: Any
    inertiafromgeom: Any
    inertiagrouprange: Any
    meshdir: Any
    saveinertial: Any
    settotalmass: Any
    texturedir: Any
    usethread: Any
class MjsDefault:
    @property
    def actuator(self) -> MjsActuator: ...
    @property
    def camera(self) -> MjsCamera: ...
    @property
    def equality(self) -> MjsEquality: ...
    @property
    def geom(self) -> MjsGeom: ...
    @property
    def joint(self) -> MjsJoint: ...
    @property
    def light(self) -> MjsLight: ...
    @property
    def material(self) -> MjsMaterial: ...
    @property
    def mesh(self) -> MjsMesh: ...
    name: str
    @property
    def pair(self) -> MjsPair: ...
    @property
    def site(self) -> MjsSite: ...
    @property
    def tendon(self) -> MjsTendon: ...
class MjsWrap:
    @property
    def coef(self) -> Any: ...
    @property
    def divisor(self) -> float: ...
    @property
    def info(self) -> str: ...
    @property
    def sidesite(self) -> Any: ...
    @property
    def target(self) -> Any: ...
    @property
    def type(self) -> _Number[mjtWrap]: ...
class MjsTendonPath:
    def __len__(self) -> int: ...
    def __getitem__(self, index: int) -> MjsWrap: ...
class MjSpec:
    def __init__(self) -> None: ...
    def activate_plugin(self, name: Any) -> Any: ...
    def actuator(self, name: Any) -> MjsActuator | None: ...
    @property
    def actuators(self) -> list[MjsActuator]: ...
    def add_actuator(self, default: Any = ..., **kwargs: Any) -> MjsActuator: ...
    def add_default(self, classname: Any, parent: Any = ...) -> MjsDefault | None: ...
    def add_equality(self, default: Any = ..., **kwargs: Any) -> MjsEquality: ...
    def add_exclude(self, **kwargs: Any) -> MjsExclude: ...
    def add_flex(self, **kwargs: Any) -> MjsFlex: ...
    def add_hfield(self, **kwargs: Any) -> MjsHField: ...
    def add_key(self, **kwargs: Any) -> MjsKey: ...
    def add_material(self, default: Any = ..., **kwargs: Any) -> MjsMaterial: ...
    def add_mesh(self, default: Any = ..., **kwargs: Any) -> MjsMesh: ...
    def add_numeric(self, **kwargs: Any) -> MjsNumeric: ...
    def add_pair(self, default: Any = ..., **kwargs: Any) -> MjsPair: ...
    def add_plugin(self, **kwargs: Any) -> MjsPlugin: ...
    def add_sensor(self, **kwargs: Any) -> MjsSensor: ...
    def add_skin(self, **kwargs: Any) -> MjsSkin: ...
    def add_tendon(self, default: Any = ..., **kwargs: Any) -> MjsTendon: ...
    def add_text(self, **kwargs: Any) -> MjsText: ...
    def add_texture(self, **kwargs: Any) -> MjsTexture: ...
    def add_tuple(self, **kwargs: Any) -> MjsTuple: ...
    assets: Any
    def attach(self, child: Any, prefix: Any = ..., suffix: Any = ..., site: Any = ..., frame: Any = ...) -> MjsFrame: ...
    @property
    def bodies(self) -> list[MjsBody]: ...
    def body(self, name: Any) -> MjsBody | None: ...
    def camera(self, name: Any) -> MjsCamera | None: ...
    @property
    def cameras(self) -> list[MjsCamera]: ...
    comment: str
    def compile(self) -> MjModel: ...
    @property
    def compiler(self) -> MjsCompiler: ...
    def copy(self) -> MjSpec: ...
    copy_during_attach: Any
    @property
    def default(self) -> MjsDefault: ...
    def delete(self, element: Any) -> None: ...
    @property
    def equalities(self) -> list[MjsEquality]: ...
    def equality(self, name: Any) -> MjsEquality | None: ...
    def exclude(self, name: Any) -> MjsExclude | None: ...
    @property
    def excludes(self) -> list[MjsExclude]: ...
    def find_default(self, classname: Any) -> MjsDefault | None: ...
    def flex(self, name: Any) -> MjsFlex | None: ...
    @property
    def flexes(self) -> list[MjsFlex]: ...
    def frame(self, name: Any) -> MjsFrame | None: ...
    @property
    def frames(self) -> list[MjsFrame]: ...
    @classmethod
    def from_file(cls, filename: Any, include: Any = ..., assets: Any = ...) -> MjSpec: ...
    @classmethod
    def from_string(cls, xml: Any, include: Any = ..., assets: Any = ...) -> MjSpec: ...
    @classmethod
    def from_zip(cls, file: Any) -> MjSpec: ...
    def geom(self, name: Any) -> MjsGeom | None: ...
    @property
    def geoms(self) -> list[MjsGeom]: ...
    def hfield(self, name: Any) -> MjsHField | None: ...
    @property
    def hfields(self) -> list[MjsHField]: ...
    def joint(self, name: Any) -> MjsJoint | None: ...
    @property
    def joints(self) -> list[MjsJoint]: ...
    def key(self, name: Any) -> MjsKey | None: ...
    @property
    def keys(self) -> list[MjsKey]: ...
    def light(self, name: Any) -> MjsLight | None: ...
    @property
    def lights(self) -> list[MjsLight]: ...
    def material(self, name: Any) -> MjsMaterial | None: ...
    @property
    def materials(self) -> list[MjsMaterial]: ...
    memory: int
    def mesh(self, name: Any) -> MjsMesh | None: ...
    meshdir: str
    @property
    def meshes(self) -> list[MjsMesh]: ...
    modelfiledir: str
    modelname: str
    nconmax: int
    njmax: int
    nkey: int
    nstack: int
    def numeric(self, name: Any) -> MjsNumeric | None: ...
    @property
    def numerics(self) -> list[MjsNumeric]: ...
    nuser_actuator: int
    nuser_body: int
    nuser_cam: int
    nuser_geom: int
    nuser_jnt: int
    nuser_sensor: int
    nuser_site: int
    nuser_tendon: int
    nuserdata: int
    option: Any
    def pair(self, name: Any) -> MjsPair | None: ...
    @property
    def pairs(self) -> list[MjsPair]: ...
    def plugin(self, name: Any) -> MjsPlugin | None: ...
    @property
    def plugins(self) -> list[MjsPlugin]: ...
    def recompile(self, model: Any, data: Any) -> tuple[MjModel, MjData]: ...
    def register_deformable(self, name: Any, body: Any, parent: Any = ...) -> None: ...
    @staticmethod
    def resolve_orientation(degree: Any, sequence: Any = ..., orientation: Any = ...) -> Any: ...
    def sensor(self, name: Any) -> MjsSensor | None: ...
    @property
    def sensors(self) -> list[MjsSensor]: ...
    @property
    def signature(self) -> int: ...
    def site(self, name: Any) -> MjsSite | None: ...
    @property
    def sites(self) -> list[MjsSite]: ...
    def skin(self, name: Any) -> MjsSkin | None: ...
    @property
    def skins(self) -> list[MjsSkin]: ...
    @property
    def stat(self) -> Any: ...
    strippath: int
    def tendon(self, name: Any) -> MjsTendon | None: ...
    @property
    def tendons(self) -> list[MjsTendon]: ...
    def text(self, name: Any) -> MjsText | None: ...
    @property
    def texts(self) -> list[MjsText]: ...
    def texture(self, name: Any) -> MjsTexture | None: ...
    texturedir: str
    @property
    def textures(self) -> list[MjsTexture]: ...
    def to_file(self, filename: Any) -> None: ...
    def to_xml(self, plain: Any = ...) -> str: ...
    def to_zip(self, file: Any) -> None: ...
    def tuple(self, name: Any) -> MjsTuple | None: ...
    @property
    def tuples(self) -> list[MjsTuple]: ...
    @property
    def visual(self) -> Any: ...
    @property
    def worldbody(self) -> MjsBody: ...
MjStruct = MjsBody | MjsFrame | MjsJoint | MjsGeom | MjsSite | MjsCamera | MjsLight | MjsMesh | MjsHField | MjsFlex | MjsSkin | MjsTexture | MjsMaterial | MjsPair | MjsExclude | MjsEquality | MjsTendon | MjsActuator | MjsSensor | MjsNumeric | MjsText | MjsTuple | MjsKey | MjsPlugin
class MjvCamera:
    def __init__(self) -> None: ...
    azimuth: float
    distance: float
    elevation: float
    fixedcamid: int
    lookat: _Field[np.float64]
    orthographic: int
    trackbodyid: int
    type: int
class MjvFigure:
    def __init__(self) -> None: ...
    figurergba: _Field[np.float32]
    flg_barplot: int
    flg_extend: int
    flg_legend: int
    flg_selection: int
    flg_symmetric: int
    flg_ticklabel: _Field[np.int32]
    gridrgb: _Field[np.float32]
    gridsize: _Field[np.int32]
    gridwidth: float
    highlight: _Field[np.int32]
    highlightid: int
    legendoffset: int
    legendrgba: _Field[np.float32]
    linedata: _Field[np.float32]
    linename: NDArray[np.bytes_]
    linepnt: _Field[np.int32]
    linergb: _Field[np.float32]
    linewidth: float
    minwidth: str
    panergba: _Field[np.float32]
    range: _Field[np.float32]
    selection: float
    subplot: int
    textrgb: _Field[np.float32]
    title: str
    xaxisdata: _Field[np.float32]
    xaxispixel: _Field[np.int32]
    xformat: str
    xlabel: str
    yaxisdata: _Field[np.float32]
    yaxispixel: _Field[np.int32]
    yformat: str
class MjvGLCamera:
    def __init__(self) -> None: ...
    forward: _Field[np.float32]
    frustum_bottom: float
    frustum_center: float
    frustum_far: float
    frustum_near: float
    frustum_top: float
    frustum_width: float
    orthographic: int
    pos: _Field[np.float32]
    up: _Field[np.float32]
class MjvGeom:
    def __init__(self) -> None: ...
    camdist: float
    category: int
    dataid: int
    emission: float
    label: str
    mat: _Field[np.float32]
    matid: int
    modelrbound: float
    objid: int
    objtype: int
    pos: _Field[np.float32]
    reflectance: float
    rgba: _Field[np.float32]
    segid: int
    shininess: float
    size: _Field[np.float32]
    specular: float
    texcoord: int
    transparent: int
    type: int
class MjvLight:
    def __init__(self) -> None: ...
    ambient: _Field[np.float32]
    attenuation: _Field[np.float32]
    bulbradius: float
    castshadow: int
    cutoff: float
    diffuse: _Field[np.float32]
    dir: _Field[np.float32]
    exponent: float
    headlight: int
    id: int
    intensity: float
    pos: _Field[np.float32]
    range: float
    specular: _Field[np.float32]
    texid: int
    type: int
class MjvOption:
    def __init__(self) -> None: ...
    actuatorgroup: _Field[np.uint8]
    bvh_depth: int
    flags: _Field[np.uint8]
    flex_layer: int
    flexgroup: _Field[np.uint8]
    frame: int
    geomgroup: _Field[np.uint8]
    jointgroup: _Field[np.uint8]
    label: int
    sitegroup: _Field[np.uint8]
    skingroup: _Field[np.uint8]
    tendongroup: _Field[np.uint8]
class MjvPerturb:
    def __init__(self) -> None: ...
    active: int
    active2: int
    flexselect: int
    localmass: float
    localpos: _Field[np.float64]
    refpos: _Field[np.float64]
    refquat: _Field[np.float64]
    refselpos: _Field[np.float64]
    scale: float
    select: int
    skinselect: int
class MjvScene:
    def __init__(self, model: MjModel | None = ..., maxgeom: int = ...) -> None: ...
    @property
    def camera(self) -> tuple[MjvGLCamera, MjvGLCamera]: ...
    enabletransform: int
    flags: _Field[np.uint8]
    flexedge: _Field[np.int32]
    flexedgeadr: _Field[np.int32]
    flexedgenum: _Field[np.int32]
    flexedgeopt: int
    flexface: _Field[np.float32]
    flexfaceadr: _Field[np.int32]
    flexfacenum: _Field[np.int32]
    flexfaceopt: int
    flexfaceused: _Field[np.int32]
    flexnormal: _Field[np.float32]
    flexskinopt: int
    flextexcoord: _Field[np.float32]
    flexvert: _Field[np.float32]
    flexvertadr: _Field[np.int32]
    flexvertnum: _Field[np.int32]
    flexvertopt: int
    framergb: _Field[np.float32]
    framewidth: int
    geomorder: _Field[np.int32]
    @property
    def geoms(self) -> tuple[MjvGeom, ...]: ...
    @property
    def lights(self) -> tuple[MjvLight, ...]: ...
    maxgeom: int
    nflex: int
    ngeom: int
    nlight: int
    nskin: int
    rotate: _Field[np.float32]
    scale: float
    skinfacenum: _Field[np.int32]
    skinnormal: _Field[np.float32]
    skinvert: _Field[np.float32]
    skinvertadr: _Field[np.int32]
    skinvertnum: _Field[np.int32]
    status: int
    stereo: int
    translate: _Field[np.float32]
def mj_Euler(m: MjModel, d: MjData) -> None: ...
def mj_RungeKutta(m: MjModel, d: MjData, N: int) -> None: ...
def mj_addContact(m: MjModel, d: MjData, con: MjContact) -> int: ...
def mj_addM(m: MjModel, d: MjData, dst: _F64, rownnz: _I32, rowadr: _I32, colind: _I32) -> None: ...
def mj_angmomMat(m: MjModel, d: MjData, mat: _F64, body: int) -> None: ...
def mj_applyFT(m: MjModel, d: MjData, force: ArrayLike, torque: ArrayLike, point: ArrayLike, body: int, qfrc_target: _F64) -> None: ...
def mj_camlight(m: MjModel, d: MjData) -> None: ...
def mj_checkAcc(m: MjModel, d: MjData) -> None: ...
def mj_checkPos(m: MjModel, d: MjData) -> None: ...
def mj_checkVel(m: MjModel, d: MjData) -> None: ...
def mj_clearCache(cache: Any) -> None: ...
def mj_collision(m: MjModel, d: MjData) -> None: ...
def mj_comPos(m: MjModel, d: MjData) -> None: ...
def mj_comVel(m: MjModel, d: MjData) -> None: ...
def mj_compareFwdInv(m: MjModel, d: MjData) -> None: ...
def mj_constraintUpdate(m: MjModel, d: MjData, jar: ArrayLike, cost: _F64 | None, flg_coneHessian: int) -> None: ...
def mj_contactForce(m: MjModel, d: MjData, id: int, result: _F64) -> None: ...
def mj_copyState(m: MjModel, src: MjData, dst: MjData, sig: int) -> None: ...
def mj_crb(m: MjModel, d: MjData) -> None: ...
def mj_defaultLROpt(opt: MjLROpt) -> None: ...
def mj_defaultOption(opt: MjOption) -> None: ...
def mj_defaultSolRefImp(solref, solimp): ...
def mj_defaultVisual(vis: MjVisual) -> None: ...
def mj_differentiatePos(m: MjModel, qvel: _F64, dt: float, qpos1: ArrayLike, qpos2: ArrayLike) -> None: ...
def mj_energyPos(m: MjModel, d: MjData) -> None: ...
def mj_energyVel(m: MjModel, d: MjData) -> None: ...
def mj_extractState(m: MjModel, src: ArrayLike, srcsig: int, dst: _F64, dstsig: int) -> None: ...
def mj_factorM(m: MjModel, d: MjData) -> None: ...
def mj_flex(m: MjModel, d: MjData) -> None: ...
def mj_forward(m: MjModel, d: MjData) -> None: ...
def mj_forwardSkip(m: MjModel, d: MjData, skipstage: int, skipsensor: int) -> None: ...
def mj_fullM(m: MjModel, dst: _F64, M: ArrayLike) -> None: ...
def mj_fwdAcceleration(m: MjModel, d: MjData) -> None: ...
def mj_fwdActuation(m: MjModel, d: MjData) -> None: ...
def mj_fwdConstraint(m: MjModel, d: MjData) -> None: ...
def mj_fwdKinematics(m: MjModel, d: MjData) -> None: ...
def mj_fwdPosition(m: MjModel, d: MjData) -> None: ...
def mj_fwdVelocity(m: MjModel, d: MjData) -> None: ...
def mj_geomDistance(m: MjModel, d: MjData, geom1: int, geom2: int, distmax: float, fromto: _F64 | None) -> float: ...
def mj_getCache() -> Any: ...
def mj_getCacheCapacity(cache: Any) -> int: ...
def mj_getCacheSize(cache: Any) -> int: ...
def mj_getState(m: MjModel, d: MjData, state: _F64, sig: int) -> None: ...
def mj_getTotalmass(m: MjModel) -> float: ...
def mj_id2name(m: MjModel, type: int, id: int) -> str | None: ...
def mj_implicit(m: MjModel, d: MjData) -> None: ...
def mj_integratePos(m: MjModel, qpos: _F64, qvel: ArrayLike, dt: float) -> None: ...
def mj_invConstraint(m: MjModel, d: MjData) -> None: ...
def mj_invPosition(m: MjModel, d: MjData) -> None: ...
def mj_invVelocity(m: MjModel, d: MjData) -> None: ...
def mj_inverse(m: MjModel, d: MjData) -> None: ...
def mj_inverseSkip(m: MjModel, d: MjData, skipstage: int, skipsensor: int) -> None: ...
def mj_isDual(m: MjModel) -> int: ...
def mj_isPyramidal(m: MjModel) -> int: ...
def mj_isSparse(m: MjModel) -> int: ...
def mj_island(m: MjModel, d: MjData) -> None: ...
def mj_jac(m: MjModel, d: MjData, jacp: _F64 | None, jacr: _F64 | None, point: ArrayLike, body: int) -> None: ...
def mj_jacBody(m: MjModel, d: MjData, jacp: _F64 | None, jacr: _F64 | None, body: int) -> None: ...
def mj_jacBodyCom(m: MjModel, d: MjData, jacp: _F64 | None, jacr: _F64 | None, body: int) -> None: ...
def mj_jacDot(m: MjModel, d: MjData, jacp: _F64 | None, jacr: _F64 | None, point: ArrayLike, body: int) -> None: ...
def mj_jacGeom(m: MjModel, d: MjData, jacp: _F64 | None, jacr: _F64 | None, geom: int) -> None: ...
def mj_jacPointAxis(m: MjModel, d: MjData, jacPoint: _F64 | None, jacAxis: _F64 | None, point: ArrayLike, axis: ArrayLike, body: int) -> None: ...
def mj_jacSite(m: MjModel, d: MjData, jacp: _F64 | None, jacr: _F64 | None, site: int) -> None: ...
def mj_jacSubtreeCom(m: MjModel, d: MjData, jacp: _F64 | None, body: int) -> None: ...
def mj_kinematics(m: MjModel, d: MjData) -> None: ...
def mj_loadAllPluginLibraries(directory: str) -> None: ...
def mj_loadPluginLibrary(path: str) -> None: ...
def mj_local2Global(d: MjData, xpos: _F64, xmat: _F64, pos: ArrayLike, quat: ArrayLike, body: int, sameframe: int) -> None: ...
def mj_makeConstraint(m: MjModel, d: MjData) -> None: ...
def mj_makeM(m: MjModel, d: MjData) -> None: ...
def mj_mulJacTVec(m: MjModel, d: MjData, res: _F64, vec: ArrayLike) -> None: ...
def mj_mulJacVec(m: MjModel, d: MjData, res: _F64, vec: ArrayLike) -> None: ...
def mj_mulM(m: MjModel, d: MjData, res: _F64, vec: ArrayLike) -> None: ...
def mj_mulM2(m: MjModel, d: MjData, res: _F64, vec: ArrayLike) -> None: ...
def mj_multiRay(m: MjModel, d: MjData, pnt: ArrayLike, vec: ArrayLike, geomgroup: ArrayLike | None, flg_static: int, bodyexclude: int, geomid: _I32, dist: _F64, nray: int, cutoff: float) -> None: ...
def mj_name2id(m: MjModel, type: int, name: str) -> int: ...
def mj_normalizeQuat(m: MjModel, qpos: _F64) -> None: ...
def mj_objectAcceleration(m: MjModel, d: MjData, objtype: int, objid: int, res: _F64, flg_local: int) -> None: ...
def mj_objectVelocity(m: MjModel, d: MjData, objtype: int, objid: int, res: _F64, flg_local: int) -> None: ...
def mj_passive(m: MjModel, d: MjData) -> None: ...
def mj_printData(m: MjModel, d: MjData, filename: str) -> None: ...
def mj_printFormattedData(m: MjModel, d: MjData, filename: str, float_format: str) -> None: ...
def mj_printFormattedModel(m: MjModel, filename: str, float_format: str) -> None: ...
def mj_printModel(m: MjModel, filename: str) -> None: ...
def mj_printSchema(flg_html: Any, flg_pad: Any) -> str: ...
def mj_projectConstraint(m: MjModel, d: MjData) -> None: ...
def mj_ray(m: MjModel, d: MjData, pnt: ArrayLike, vec: ArrayLike, geomgroup: ArrayLike | None, flg_static: int, bodyexclude: int, geomid: _I32) -> float: ...
def mj_rayHfield(m: MjModel, d: MjData, geomid: int, pnt: ArrayLike, vec: ArrayLike) -> float: ...
def mj_rayMesh(m: MjModel, d: MjData, geomid: int, pnt: ArrayLike, vec: ArrayLike) -> float: ...
def mj_referenceConstraint(m: MjModel, d: MjData) -> None: ...
def mj_resetCallbacks() -> None: ...
def mj_resetData(m: MjModel, d: MjData) -> None: ...
def mj_resetDataDebug(m: MjModel, d: MjData, debug_value: int) -> None: ...
def mj_resetDataKeyframe(m: MjModel, d: MjData, key: int) -> None: ...
def mj_rne(m: MjModel, d: MjData, flg_acc: int, result: _F64) -> None: ...
def mj_rnePostConstraint(m: MjModel, d: MjData) -> None: ...
def mj_saveLastXML(filename: str, m: MjModel) -> None: ...
def mj_saveModel(m: MjModel, filename: str | None = ..., buffer: _U8 | None = ...) -> None: ...
def mj_sensorAcc(m: MjModel, d: MjData) -> None: ...
def mj_sensorPos(m: MjModel, d: MjData) -> None: ...
def mj_sensorVel(m: MjModel, d: MjData) -> None: ...
def mj_setCacheCapacity(cache: Any, size: int) -> int: ...
def mj_setConst(m: MjModel, d: MjData) -> None: ...
def mj_setKeyframe(m: MjModel, d: MjData, k: int) -> None: ...
def mj_setLengthRange(m: MjModel, d: MjData, index: int, opt: MjLROpt) -> None: ...
def mj_setState(m: MjModel, d: MjData, state: ArrayLike, sig: int) -> None: ...
def mj_setTotalmass(m: MjModel, newmass: float) -> None: ...
def mj_sizeModel(m: MjModel) -> int: ...
def mj_solveM(m: MjModel, d: MjData, x: _F64, y: ArrayLike) -> None: ...
def mj_solveM2(m: MjModel, d: MjData, x: _F64, y: ArrayLike, sqrtInvD: ArrayLike) -> None: ...
def mj_stateSize(m: MjModel, sig: int) -> int: ...
def mj_step(m: MjModel, d: MjData, nstep: int = ...) -> None: ...
def mj_step1(m: MjModel, d: MjData) -> None: ...
def mj_step2(m: MjModel, d: MjData) -> None: ...
def mj_subtreeVel(m: MjModel, d: MjData) -> None: ...
def mj_tendon(m: MjModel, d: MjData) -> None: ...
def mj_transmission(m: MjModel, d: MjData) -> None: ...
def mj_version() -> int: ...
def mj_versionString() -> str: ...
def mjd_inverseFD(m: MjModel, d: MjData, eps: float, flg_actuation: int, DfDq: _F64 | None, DfDv: _F64 | None, DfDa: _F64 | None, DsDq: _F64 | None, DsDv: _F64 | None, DsDa: _F64 | None, DmDq: _F64 | None) -> None: ...
def mjd_quatIntegrate(vel: ArrayLike, scale: float, Dquat: _F64, Dvel: _F64, Dscale: _F64) -> None: ...
def mjd_subQuat(qa: ArrayLike, qb: ArrayLike, Da: _F64 | None, Db: _F64 | None) -> None: ...
def mjd_transitionFD(m: MjModel, d: MjData, eps: float, flg_centered: int, A: _F64 | None, B: _F64 | None, C: _F64 | None, D: _F64 | None) -> None: ...
def mju_Halton(index: int, base: int) -> float: ...
def mju_L1(vec: _F64) -> float: ...
def mju_add(res: _F64, vec1: ArrayLike, vec2: ArrayLike) -> None: ...
def mju_add3(res: _F64, vec1: ArrayLike, vec2: ArrayLike) -> None: ...
def mju_addScl(res: _F64, vec1: ArrayLike, vec2: ArrayLike, scl: float) -> None: ...
def mju_addScl3(res: _F64, vec1: ArrayLike, vec2: ArrayLike, scl: float) -> None: ...
def mju_addTo(res: _F64, vec: ArrayLike) -> None: ...
def mju_addTo3(res: _F64, vec: ArrayLike) -> None: ...
def mju_addToScl(res: _F64, vec: ArrayLike, scl: float) -> None: ...
def mju_addToScl3(res: _F64, vec: ArrayLike, scl: float) -> None: ...
def mju_axisAngle2Quat(res: _F64, axis: ArrayLike, angle: float) -> None: ...
def mju_band2Dense(res: _F64, mat: ArrayLike, ntotal: int, nband: int, ndense: int, flg_sym: int) -> None: ...
def mju_bandDiag(i: int, ntotal: int, nband: int, ndense: int) -> int: ...
def mju_bandMulMatVec(res: _F64, mat: ArrayLike, vec: ArrayLike, ntotal: int, nband: int, ndense: int, nvec: int, flg_sym: int) -> None: ...
def mju_boxQP(res: _F64, R: _F64, index: _I32 | None, H: ArrayLike, g: ArrayLike, lower: ArrayLike | None, upper: ArrayLike | None) -> int: ...
def mju_cholFactor(mat: _F64, mindiag: float) -> int: ...
def mju_cholFactorBand(mat: _F64, ntotal: int, nband: int, ndense: int, diagadd: float, diagmul: float) -> float: ...
def mju_cholSolve(res: _F64, mat: ArrayLike, vec: ArrayLike) -> None: ...
def mju_cholSolveBand(res: _F64, mat: ArrayLike, vec: ArrayLike, ntotal: int, nband: int, ndense: int) -> None: ...
def mju_cholUpdate(mat: _F64, x: _F64, flg_plus: int) -> int: ...
def mju_clip(x: float, min: float, max: float) -> float: ...
def mju_copy(res: _F64, vec: ArrayLike) -> None: ...
def mju_copy3(res: _F64, data: ArrayLike) -> None: ...
def mju_copy4(res: _F64, data: ArrayLike) -> None: ...
def mju_cross(res: _F64, a: ArrayLike, b: ArrayLike) -> None: ...
def mju_d2n(res: _F64, vec: ArrayLike) -> None: ...
def mju_decodePyramid(force: _F64, pyramid: ArrayLike, mu: ArrayLike) -> None: ...
def mju_dense2Band(res: _F64, mat: ArrayLike, ntotal: int, nband: int, ndense: int) -> None: ...
def mju_dense2sparse(res: _F64, mat: ArrayLike, rownnz: _I32, rowadr: _I32, colind: _I32) -> int: ...
def mju_derivQuat(res: _F64, quat: ArrayLike, vel: ArrayLike) -> None: ...
def mju_dist3(pos1: ArrayLike, pos2: ArrayLike) -> float: ...
def mju_dot(vec1: ArrayLike, vec2: ArrayLike) -> float: ...
def mju_dot3(vec1: ArrayLike, vec2: ArrayLike) -> float: ...
def mju_eig3(eigval: _F64, eigvec: _F64, quat: _F64, mat: ArrayLike) -> int: ...
def mju_encodePyramid(pyramid: _F64, force: ArrayLike, mu: ArrayLike) -> None: ...
def mju_euler2Quat(quat: _F64, euler: ArrayLike, seq: str) -> None: ...
def mju_eye(mat: _F64) -> None: ...
def mju_f2n(res: _F64, vec: ArrayLike) -> None: ...
def mju_fill(res: _F64, val: float) -> None: ...
def mju_getXMLDependencies(filename: str) -> list[str]: ...
def mju_insertionSort(list: _F64) -> None: ...
def mju_insertionSortInt(list: _I32) -> None: ...
def mju_isBad(x: float) -> int: ...
def mju_isZero(vec: _F64) -> int: ...
def mju_mat2Quat(quat: _F64, mat: ArrayLike) -> None: ...
def mju_mat2Rot(quat: _F64, mat: ArrayLike) -> int: ...
def mju_max(a: float, b: float) -> float: ...
def mju_min(a: float, b: float) -> float: ...
def mju_mulMatMat(res: _F64, mat1: ArrayLike, mat2: ArrayLike) -> None: ...
def mju_mulMatMatT(res: _F64, mat1: ArrayLike, mat2: ArrayLike) -> None: ...
def mju_mulMatTMat(res: _F64, mat1: ArrayLike, mat2: ArrayLike) -> None: ...
def mju_mulMatTVec(res: _F64, mat: ArrayLike, vec: ArrayLike) -> None: ...
def mju_mulMatTVec3(res: _F64, mat: ArrayLike, vec: ArrayLike) -> None: ...
def mju_mulMatVec(res: _F64, mat: ArrayLike, vec: ArrayLike) -> None: ...
def mju_mulMatVec3(res: _F64, mat: ArrayLike, vec: ArrayLike) -> None: ...
def mju_mulPose(posres: _F64, quatres: _F64, pos1: ArrayLike, quat1: ArrayLike, pos2: ArrayLike, quat2: ArrayLike) -> None: ...
def mju_mulQuat(res: _F64, quat1: ArrayLike, quat2: ArrayLike) -> None: ...
def mju_mulQuatAxis(res: _F64, quat: ArrayLike, axis: ArrayLike) -> None: ...
def mju_mulVecMatVec(vec1: ArrayLike, mat: ArrayLike, vec2: ArrayLike) -> float: ...
def mju_muscleBias(len: float, lengthrange: ArrayLike, acc0: float, prm: ArrayLike) -> float: ...
def mju_muscleDynamics(ctrl: float, act: float, prm: ArrayLike) -> float: ...
def mju_muscleGain(len: float, vel: float, lengthrange: ArrayLike, acc0: float, prm: ArrayLike) -> float: ...
def mju_n2d(res: _F64, vec: ArrayLike) -> None: ...
def mju_n2f(res: _F32, vec: ArrayLike) -> None: ...
def mju_negPose(posres: _F64, quatres: _F64, pos: ArrayLike, quat: ArrayLike) -> None: ...
def mju_negQuat(res: _F64, quat: ArrayLike) -> None: ...
def mju_norm(res: ArrayLike) -> float: ...
def mju_norm3(vec: ArrayLike) -> float: ...
def mju_normalize(res: _F64) -> float: ...
def mju_normalize3(vec: _F64) -> float: ...
def mju_normalize4(vec: _F64) -> float: ...
def mju_printMat(mat: ArrayLike) -> None: ...
def mju_printMatSparse(mat: ArrayLike, rownnz: ArrayLike, rowadr: ArrayLike, colind: ArrayLike) -> None: ...
def mju_quat2Mat(res: _F64, quat: ArrayLike) -> None: ...
def mju_quat2Vel(res: _F64, quat: ArrayLike, dt: float) -> None: ...
def mju_quatIntegrate(quat: _F64, vel: ArrayLike, scale: float) -> None: ...
def mju_quatZ2Vec(quat: _F64, vec: ArrayLike) -> None: ...
def mju_rayFlex(m: MjModel, d: MjData, flex_layer: int, flg_vert: int, flg_edge: int, flg_face: int, flg_skin: int, flexid: int, pnt: ArrayLike, vec: ArrayLike, vertid: _I32) -> float: ...
def mju_rayGeom(pos: ArrayLike, mat: ArrayLike, size: ArrayLike, pnt: ArrayLike, vec: ArrayLike, geomtype: int) -> float: ...
def mju_raySkin(nface: int, nvert: int, face: int, vert: float, pnt: ArrayLike, vec: ArrayLike, vertid: _I32) -> float: ...
def mju_rotVecQuat(res: _F64, vec: ArrayLike, quat: ArrayLike) -> None: ...
def mju_round(x: float) -> int: ...
def mju_scl(res: _F64, vec: ArrayLike, scl: float) -> None: ...
def mju_scl3(res: _F64, vec: ArrayLike, scl: float) -> None: ...
def mju_sigmoid(x: float) -> float: ...
def mju_sign(x: float) -> float: ...
def mju_sparse2dense(res: _F64, mat: ArrayLike, rownnz: ArrayLike, rowadr: ArrayLike, colind: ArrayLike) -> None: ...
def mju_springDamper(pos0: float, vel0: float, Kp: float, Kv: float, dt: float) -> float: ...
def mju_sqrMatTD(res: _F64, mat: ArrayLike, diag: _F64 | None) -> None: ...
def mju_standardNormal(num2: float | None) -> float: ...
def mju_str2Type(str: str) -> int: ...
def mju_sub(res: _F64, vec1: ArrayLike, vec2: ArrayLike) -> None: ...
def mju_sub3(res: _F64, vec1: ArrayLike, vec2: ArrayLike) -> None: ...
def mju_subFrom(res: _F64, vec: ArrayLike) -> None: ...
def mju_subFrom3(res: _F64, vec: ArrayLike) -> None: ...
def mju_subQuat(res: _F64, qa: ArrayLike, qb: ArrayLike) -> None: ...
def mju_sum(vec: _F64) -> float: ...
def mju_symmetrize(res: _F64, mat: ArrayLike) -> None: ...
def mju_transformSpatial(res: _F64, vec: ArrayLike, flg_force: int, newpos: ArrayLike, oldpos: ArrayLike, rotnew2old: ArrayLike) -> None: ...
def mju_transpose(res: _F64, mat: ArrayLike) -> None: ...
def mju_trnVecPose(res: _F64, pos: ArrayLike, quat: ArrayLike, vec: ArrayLike) -> None: ...
def mju_type2Str(type: int) -> str | None: ...
def mju_unit4(res: _F64) -> None: ...
def mju_warningText(warning: int, info: int) -> str: ...
def mju_writeLog(type: str, msg: str) -> None: ...
def mju_writeNumBytes(nbytes: int) -> str: ...
def mju_zero(res: _F64) -> None: ...
def mju_zero3(res: _F64) -> None: ...
def mju_zero4(res: _F64) -> None: ...
def mjv_addGeoms(m: MjModel, d: MjData, opt: MjvOption, pert: MjvPerturb, catmask: int, scn: MjvScene) -> None: ...
def mjv_alignToCamera(res: _F64, vec: ArrayLike, forward: ArrayLike) -> None: ...
def mjv_applyPerturbForce(m: MjModel, d: MjData, pert: MjvPerturb) -> None: ...
def mjv_applyPerturbPose(m: MjModel, d: MjData, pert: MjvPerturb, flg_paused: int) -> None: ...
def mjv_averageCamera(cam1: MjvGLCamera, cam2: MjvGLCamera) -> MjvGLCamera: ...
def mjv_cameraFrame(headpos: _F64, forward: _F64, up: _F64, right: _F64, d: MjData, cam: MjvCamera) -> None: ...
def mjv_cameraFrustum(zver: _F32, zhor: _F32, zclip: _F32, m: MjModel, cam: MjvCamera) -> None: ...
def mjv_cameraInModel(headpos: _F64, forward: _F64, up: _F64, scn: MjvScene) -> None: ...
def mjv_cameraInRoom(headpos: _F64, forward: _F64, up: _F64, scn: MjvScene) -> None: ...
def mjv_connector(geom: MjvGeom, type: int, width: float, from_: ArrayLike, to: ArrayLike) -> None: ...
def mjv_defaultCamera(cam: MjvCamera) -> None: ...
def mjv_defaultFigure(fig: MjvFigure) -> None: ...
def mjv_defaultFreeCamera(m: MjModel, cam: MjvCamera) -> None: ...
def mjv_defaultOption(opt: MjvOption) -> None: ...
def mjv_defaultPerturb(pert: MjvPerturb) -> None: ...
def mjv_frustumHeight(scn: MjvScene) -> float: ...
def mjv_initGeom(geom: MjvGeom, type: int, size: ArrayLike, pos: ArrayLike, mat: ArrayLike, rgba: ArrayLike) -> None: ...
def mjv_initPerturb(m: MjModel, d: MjData, scn: MjvScene, pert: MjvPerturb) -> None: ...
def mjv_makeLights(m: MjModel, d: MjData, scn: MjvScene) -> None: ...
def mjv_model2room(roompos: _F64, roomquat: _F64, modelpos: ArrayLike, modelquat: ArrayLike, scn: MjvScene) -> None: ...
def mjv_moveCamera(m: MjModel, action: int, reldx: float, reldy: float, scn: MjvScene, cam: MjvCamera) -> None: ...
def mjv_moveModel(m: MjModel, action: int, reldx: float, reldy: float, roomup: ArrayLike, scn: MjvScene) -> None: ...
def mjv_movePerturb(m: MjModel, d: MjData, action: int, reldx: float, reldy: float, scn: MjvScene, pert: MjvPerturb) -> None: ...
def mjv_room2model(modelpos: _F64, modelquat: _F64, roompos: ArrayLike, roomquat: ArrayLike, scn: MjvScene) -> None: ...
def mjv_select(m: MjModel, d: MjData, vopt: MjvOption, aspectratio: float, relx: float, rely: float, scn: MjvScene, selpnt: _F64, geomid: _I32, flexid: _I32, skinid: _I32) -> int: ...
def mjv_updateCamera(m: MjModel, d: MjData, cam: MjvCamera, scn: MjvScene) -> None: ...
def mjv_updateScene(m: MjModel, d: MjData, opt: MjvOption, pert: MjvPerturb | None, cam: MjvCamera, catmask: int, scn: MjvScene) -> None: ...
def mjv_updateSkin(m: MjModel, d: MjData, scn: MjvScene) -> None: ...
def get_mjcb_act_bias() -> Any: ...
def get_mjcb_act_dyn() -> Any: ...
def get_mjcb_act_gain() -> Any: ...
def get_mjcb_contactfilter() -> Any: ...
def get_mjcb_control() -> Any: ...
def get_mjcb_passive() -> Any: ...
def get_mjcb_sensor() -> Any: ...
def get_mjcb_time() -> Any: ...
def get_mju_user_free() -> Any: ...
def get_mju_user_malloc() -> Any: ...
def get_mju_user_warning() -> Any: ...
def set_mjcb_act_bias(callback: Any) -> None: ...
def set_mjcb_act_dyn(callback: Any) -> None: ...
def set_mjcb_act_gain(callback: Any) -> None: ...
def set_mjcb_contactfilter(callback: Any) -> None: ...
def set_mjcb_control(callback: Any) -> None: ...
def set_mjcb_passive(callback: Any) -> None: ...
def set_mjcb_sensor(callback: Any) -> None: ...
def set_mjcb_time(callback: Any) -> None: ...
def set_mju_user_free(callback: Any) -> None: ...
def set_mju_user_malloc(callback: Any) -> None: ...
def set_mju_user_warning(callback: Any) -> None: ...
class GLContext:
    def __init__(self, max_width: int, max_height: int) -> None: ...
    def make_current(self) -> None: ...
    def free(self) -> None: ...

class Renderer:
    def __init__(
        self, model: MjModel, height: int = 240, width: int = 320, max_geom: int = 10000, font_scale: int = 150
    ) -> None: ...
    @property
    def model(self) -> MjModel: ...
    @property
    def scene(self) -> Any: ...
    @property
    def height(self) -> int: ...
    @property
    def width(self) -> int: ...
    def enable_depth_rendering(self) -> None: ...
    def disable_depth_rendering(self) -> None: ...
    def enable_segmentation_rendering(self) -> None: ...
    def disable_segmentation_rendering(self) -> None: ...
    def update_scene(self, data: MjData, camera: Any = -1, scene_option: Any = None) -> None: ...
    def render(self, *, out: NDArray[Any] | None = None) -> NDArray[Any]: ...
    def close(self) -> None: ...
    def __enter__(self) -> Renderer: ...
    def __exit__(self, *exception: object) -> None: ...

class MjrRect:
    left: int
    bottom: int
    width: int
    height: int
    def __init__(self, left: int, bottom: int, width: int, height: int) -> None: ...

class MjrContext:
    lineWidth: float
    shadowClip: float
    shadowScale: float
    shadowSize: int
    fogStart: float
    fogEnd: float
    fogRGBA: NDArray[np.float32]
    offWidth: int
    offHeight: int
    offSamples: int
    fontScale: int
    charHeight: int
    charHeightBig: int
    charWidth: NDArray[np.int32]
    charWidthBig: NDArray[np.int32]
    currentBuffer: int
    readPixelFormat: int
    readDepthMap: int
    def __init__(self, model: MjModel | None = None, fontscale: int = 150) -> None: ...
    def free(self) -> None: ...

def mjr_setBuffer(framebuffer: int, con: MjrContext) -> None: ...
def mjr_restoreBuffer(con: MjrContext) -> None: ...
def mjr_changeFont(fontscale: int, con: MjrContext) -> None: ...
def mjr_resizeOffscreen(width: int, height: int, con: MjrContext) -> None: ...
def mjr_addAux(index: int, width: int, height: int, samples: int, con: MjrContext) -> None: ...
def mjr_setAux(index: int, con: MjrContext) -> None: ...
def mjr_blitAux(index: int, src: MjrRect, left: int, bottom: int, con: MjrContext) -> None: ...
def mjr_blitBuffer(src: MjrRect, dst: MjrRect, flg_color: int, flg_depth: int, con: MjrContext) -> None: ...
def mjr_uploadMesh(m: MjModel, con: MjrContext, meshid: int) -> None: ...
def mjr_uploadHField(m: MjModel, con: MjrContext, hfieldid: int) -> None: ...
def mjr_uploadTexture(m: MjModel, con: MjrContext, texid: int) -> None: ...
def mjr_readPixels(rgb: NDArray[np.uint8] | None, depth: NDArray[np.float32] | None, viewport: MjrRect, con: MjrContext) -> None: ...
def mjr_drawPixels(rgb: NDArray[np.uint8] | None, depth: NDArray[np.float32] | None, viewport: MjrRect, con: MjrContext) -> None: ...
def mjr_maxViewport(con: MjrContext) -> MjrRect: ...
def mjr_render(viewport: MjrRect, scn: Any, con: MjrContext) -> None: ...
def mjr_text(font: int, txt: str, con: MjrContext, x: float, y: float, r: float, g: float, b: float) -> None: ...
def mjr_overlay(font: int, gridpos: int, viewport: MjrRect, overlay: str, overlay2: str, con: MjrContext) -> None: ...
def mjr_rectangle(viewport: MjrRect, r: float, g: float, b: float, a: float) -> None: ...
def mjr_label(
    viewport: MjrRect, font: int, txt: str, r: float, g: float, b: float, a: float, rt: float, gt: float, bt: float, con: MjrContext
) -> None: ...
def mjr_figure(viewport: MjrRect, fig: Any, con: MjrContext) -> None: ...
def mjr_findRect(x: int, y: int, nrect: int, rect: Any) -> int: ...
def mjr_finish() -> None: ...
def mjr_getError() -> int: ...
