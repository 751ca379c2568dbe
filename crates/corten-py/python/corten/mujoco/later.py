"""Names of MuJoCo after 3.4.0 that other packages use, with the numbers of 3.4.0.

`import corten.mujoco.later` puts them into `corten.mujoco`; so does `CORTEN_LATER=1` in the environment, for programs that
are run as they are. The version stays "3.4.0". Models of 3.4.0 have neither delays nor histories: what reads them gives the
present values. `mujoco.batch` needs none of this.
"""
import numpy as np

from .._corten import FatalError

__all__ = ["mj_initCtrlHistory", "mj_initSensorHistory", "mj_readCtrl", "mj_readSensor", "mj_resetCtrl",
           "mju_sym2dense"]


def mj_resetCtrl(m, d):
    """Resets controls to neutral values."""
    d.ctrl[:] = 0


def mj_readCtrl(m, d, id, time, interp):
    """The control of an actuator at a time: without a history the present one."""
    _place(id, m.nu, "actuator")
    return float(d.ctrl[id])


def mj_readSensor(m, d, id, time, result, interp):
    """Writes a sensor's values at a time into `result`: without a history the present ones."""
    _place(id, m.nsensor, "sensor")
    first, size = m.sensor_adr[id], m.sensor_dim[id]
    if np.shape(result) != (size,):
        raise TypeError("result should have length sensor_dim[id]")
    result[:] = d.sensordata[first:first + size]
    return result


def mj_initCtrlHistory(m, d, id, times, values):
    """Sets the history of an actuator, which no actuator has."""
    _place(id, m.nu, "actuator")
    raise FatalError(f"mj_initCtrlHistory: actuator {id} has no history")


def mj_initSensorHistory(m, d, id, times, values, phase):
    """Sets the history of a sensor, which no sensor has."""
    _place(id, m.nsensor, "sensor")
    raise FatalError(f"mj_initSensorHistory: sensor {id} has no history")


def mju_sym2dense(res, mat, rownnz, rowadr, colind):
    """Converts the lower triangle of a symmetric sparse matrix to a full dense one."""
    n = len(rownnz)
    if np.shape(res) != (n, n) or len(rowadr) != n:
        raise TypeError("res should be a square matrix with as many rows as rownnz and rowadr have")
    res[...] = 0
    for row, (count, first) in enumerate(zip(rownnz, rowadr)):
        columns = np.asarray(colind[first:first + count])
        res[row, columns] = res[columns, row] = mat[first:first + count]


def _place(id, count, what):
    if not 0 <= id < count:
        raise FatalError(f"no {what} {id}: there are {count}")


def _add():
    from .. import mujoco
    for name in __all__:
        setattr(mujoco, name, globals()[name])


_add()
