"""MuJoCo's module of this name, by its contents."""
from ._mirror import mirror


def _realloc_con_efc(d, ncon, nefc, nJ=0):
    """Makes room for so many contacts, constraint rows and nonzeros of their Jacobian, and says that they are there."""
    d.resize_constraints(ncon, nefc, nJ)


__getattr__, __dir__ = mirror(__name__)
