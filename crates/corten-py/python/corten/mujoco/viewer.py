"""MuJoCo's viewer by name: importable, so that programs that may want a window can run without one."""
from ._misc import NO_DRAWING

NO_DISPLAY = NO_DRAWING.format("viewer")


class Handle:
    """What a window would be controlled by."""

    def __init__(self, *args, **kwargs):
        raise RuntimeError(NO_DISPLAY)


def launch(model=None, data=None, *, loader=None, show_left_ui=True, show_right_ui=True):
    """Opens a window: not possible here."""
    raise RuntimeError(NO_DISPLAY)


def launch_from_path(path):
    """Opens a window with a model: not possible here."""
    raise RuntimeError(NO_DISPLAY)


def launch_passive(model, data, *, key_callback=None, show_left_ui=True, show_right_ui=True):
    """Opens a window that follows a simulation: not possible here."""
    raise RuntimeError(NO_DISPLAY)


def launch_repl(model, data):
    """Opens a window beside an interactive session: not possible here."""
    raise RuntimeError(NO_DISPLAY)
