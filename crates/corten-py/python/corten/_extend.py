"""Gain models of actuators that the engine has beyond MuJoCo's."""
from dataclasses import astuple, dataclass
from typing import ClassVar


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
