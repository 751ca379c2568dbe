"""Stand-ins for the graphics contexts that dm_control and robosuite make themselves, and for the library of windows that
Gymnasium imports in any case.

They act where `mujoco` is this package: pictures need no graphics library then, so these modules are answered here, and
theirs, which would load one, are not imported. `glfw` is answered where it is not installed.
"""
import importlib.abc
import importlib.machinery
import sys
import types


def _dm_control():
    from dm_control._render import base, executor

    from .gl_context import GLContext

    class Context(base.ContextBase):
        """A context of dm_control that needs no graphics library."""

        def __init__(self, max_width, max_height):
            self._context = None
            super().__init__(max_width, max_height, executor.PassthroughRenderExecutor)

        def _platform_init(self, max_width, max_height):
            self._context = GLContext(max_width, max_height)

        def _platform_make_current(self):
            if self._context is not None:
                self._context.make_current()

        def _platform_free(self):
            self._context = None

    return Context


def _robosuite():
    from .gl_context import GLContext

    class Context(GLContext):
        """A context of robosuite that needs no graphics library."""

        def __init__(self, max_width, max_height, device_id=0):
            super().__init__(max_width, max_height)

    return Context


_STANDINS = {
    "dm_control._render.pyopengl.egl_renderer": ("EGLContext", _dm_control),
    "dm_control._render.pyopengl.osmesa_renderer": ("OSMesaContext", _dm_control),
    "dm_control._render.glfw_renderer": ("GLFWContext", _dm_control),
    "robosuite.renderers.context.egl_context": ("EGLGLContext", _robosuite),
    "robosuite.renderers.context.osmesa_context": ("OSMesaGLContext", _robosuite),
    "robosuite.renderers.context.glfw_context": ("GLFWGLContext", _robosuite),
}


class _NoWindows(types.ModuleType):
    """`glfw` where there is none: it may be imported, and ended."""

    @staticmethod
    def terminate():
        """There is nothing to end."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        raise ImportError(f"glfw.{name}: windows need the package glfw, which is not installed; pictures "
                          "(render_mode='rgb_array') and mujoco.viewer do not")


class _WindowLoader(importlib.abc.Loader):
    def create_module(self, spec):
        return _NoWindows(spec.name)

    def exec_module(self, module):
        pass


class WindowFinder(importlib.abc.MetaPathFinder):
    """Answers, where nobody else does, for what Gymnasium's drawing imports for its window."""

    name = "corten-windows"

    @staticmethod
    def find_spec(fullname, path=None, target=None):
        wanted = fullname == "glfw" and "gymnasium.envs.mujoco.mujoco_rendering" in sys.modules
        if not (wanted and _stands_in()):
            return None
        return importlib.machinery.ModuleSpec(fullname, _WindowLoader(), origin=__name__)


def _stands_in():
    return getattr(sys.modules.get("mujoco"), "__name__", "") == "corten.mujoco"


class _Loader(importlib.abc.Loader):
    def create_module(self, spec):
        return None

    def exec_module(self, module):
        name, make = _STANDINS[module.__name__]
        setattr(module, name, make())


class Finder(importlib.abc.MetaPathFinder):
    """Answers for the modules above."""

    name = "corten-contexts"

    @staticmethod
    def find_spec(fullname, path=None, target=None):
        if not _stands_in() or fullname not in _STANDINS:
            return None
        return importlib.machinery.ModuleSpec(fullname, _Loader(), origin=__name__)


def install():
    """Makes them available, once."""
    if not any(getattr(finder, "name", None) == Finder.name for finder in sys.meta_path):
        sys.meta_path.insert(0, Finder)
        sys.meta_path.append(WindowFinder)
