"""The context that MuJoCo's renderers ask for. Pictures are drawn by the processor, so there is nothing to open."""
from . import _render


class GLContext:
    """Remembers the size of the window that it stands for."""

    def __init__(self, max_width, max_height):
        self._size = (int(max_width), int(max_height))

    def make_current(self):
        """Makes contexts of this thread have a window of this size."""
        _render.set_window(self._size)

    def free(self):
        """Nothing to free."""

    def __enter__(self):
        self.make_current()
        return self

    def __exit__(self, *exception):
        self.free()


__all__ = ["GLContext"]
