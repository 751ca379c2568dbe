"""MuJoCo's private modules by name: `mujoco._structs`, `_functions`, ... as far as others look into them."""
import sys


def mirror(module, more=()):
    """`__getattr__` and `__dir__` of a module that also shows what `corten.mujoco` has, and `more` by name."""
    more = dict(more)

    def find(name):
        public = vars(sys.modules["corten.mujoco"])
        if name in more:
            return more[name]
        if not name.startswith("_") and name in public:
            return public[name]
        raise AttributeError(f"module {module!r} has no attribute {name!r}", name=name)

    def listed():
        public = vars(sys.modules["corten.mujoco"])
        return sorted({*(n for n in public if n.startswith(("mj", "Mj", "set_mj", "get_mj"))), *more})
    return find, listed
