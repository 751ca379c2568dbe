"""Stands for MuJoCo's viewer, to say that there is none here."""
from ._misc import NO_DRAWING

raise ImportError(NO_DRAWING.format("viewer"))
