"""Warnings about models."""
import warnings


class ModelWarning(UserWarning):
    """Something in a model that its author should know although the model loads."""

    __module__ = "corten"


def checked(loaded):
    """The model of a loader's answer, after its warnings were issued."""
    handle, findings = loaded
    for text in findings:
        warnings.warn(text, ModelWarning, stacklevel=3)
    return handle
