"""Stands for MuJoCo's context of that name, which needs no library here."""
from ..gl_context import GLContext

__all__ = ["GLContext"]
