"""Laws that the engine has beyond MuJoCo's: gains of actuators, materials of flexes, solvers, contacts by stiffness."""
from dataclasses import astuple, dataclass
from typing import ClassVar

from ._corten import fit_compliance

# By the numbers of `flex_bending_model` and `flex_elasticity_model`.
BENDING = ("cotangent", "bridson")
ELASTICITY = ("linear", "neo_hookean")
# By the numbers of `opt.solver`.
SOLVERS = {"pgs": 0, "cg": 1, "newton": 2, "xpbd": 101}


class GainModel:
    """A way to turn the control of an actuator into a force; see `Model.set_actuator_gain`."""

    name: ClassVar[str] = ""

    @property
    def params(self):
        """Its parameters, as `cortenforge:gain_params` has them."""
        return [float(x) for x in astuple(self)]


@dataclass(frozen=True)
class SeriesElastic(GainModel):
    """A motor that moves a joint through a spring and a damper: force `k (x - q) + d (x' - q')`, `x` the control
    times the gear ratio. Its activation is the control of the step before."""

    name = "series_elastic"
    k_spring: float
    damping: float
    gear_ratio: float


@dataclass(frozen=True)
class DcMotor(GainModel):
    """A direct-current motor that the control gives its voltage. Its activation is the current."""

    name = "dc_motor"
    torque_constant: float
    resistance: float
    time_constant: float


@dataclass(frozen=True)
class FittedContact:
    """Parameters of MuJoCo that come near a `Compliance`. `misfit` is the largest deviation of the force over the load, at depths from half to
    one and a half of that at rest and rates up to the speed that was asked for."""

    solref: tuple[float, float]
    solimp: tuple[float, float, float, float, float]
    misfit: float


@dataclass(frozen=True)
class Compliance:
    """Stiffness in N/m and dissipation in s/m of a contact: the force is `k x (1 + d x')`, as `cortenforge:stiffness` and
    `cortenforge:dissipation` of a geom or pair give it."""

    stiffness: float
    dissipation: float = 0.0

    def fit(self, mass, load, speed=0.0):
        """`solref` and `solimp` with this stiffness, and this damping at a load in N, of a body of a mass in kg on something that does not move."""
        solref, solimp, misfit = fit_compliance(self.stiffness, self.dissipation, mass, load, speed)
        return FittedContact(tuple(solref), tuple(solimp), misfit)
