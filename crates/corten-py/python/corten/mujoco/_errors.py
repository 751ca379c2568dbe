"""MuJoCo's module of this name, by its contents."""
from ._mirror import mirror

__getattr__, __dir__ = mirror(__name__)
