"""Exceptions of MuJoCo's Python package."""


class FatalError(Exception):
    """A call that MuJoCo would have answered with its error handler."""

    __module__ = "corten.mujoco"


class UnexpectedError(Exception):
    """A failure that no caller is expected to handle."""

    __module__ = "corten.mujoco"
