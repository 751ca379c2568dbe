"""MuJoCo's viewer: a page in the browser, served on loopback, in place of a window.

`launch` simulates in real time until the page is closed; `launch_passive` returns a handle whose `sync` shows what the caller
simulates. Both print the address of the page, and open it where there is a display.
"""
import atexit, contextlib, json, os, sys, threading, time, warnings, weakref, webbrowser

from .. import _corten, mujoco
from . import _overlays

# Most geoms of a handle's `user_scn`.
MAX_GEOM = 10000
# Seconds without a page, after one was open, that count as closing it; a reload takes less.
GRACE = 5.0
# Seconds between exchanges with the page, and the most to fall behind the clock.
_FRAME, _BEHIND = 1 / 60, 0.1

_open = weakref.WeakSet()


@atexit.register
def _close_all():
    for handle in list(_open):
        handle.close()


def _missing_page():
    return "the page is not part of this build: make it with './tools/web' (needs Node) and install the package again"


def _announce(url, show_left_ui, show_right_ui, browser):
    url += "".join(f"&{side}=0" for side, shown in (("left", show_left_ui), ("right", show_right_ui)) if not shown)
    print(f"viewer: {url}", flush=True)
    display = sys.platform in ("darwin", "win32") or os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    if browser if browser is not None else display and os.environ.get("CORTEN_VIEWER_BROWSER", "1") != "0":
        webbrowser.open(url)


class Handle:
    """What a viewer is controlled by."""

    def __init__(self, model, data, *, key_callback=None, host="127.0.0.1", port=0, user_scn=True):
        self._model, self._data = model, data
        self._viewer = _corten.Viewer(model, host, port)
        self._lock = threading.RLock()
        self._cam, self._opt, self._pert = mujoco.MjvCamera(), mujoco.MjvOption(), mujoco.MjvPerturb()
        mujoco.mjv_defaultFreeCamera(model, self._cam)
        self._user_scn = mujoco.MjvScene(model, MAX_GEOM) if user_scn else None
        self._seen = self._contents()
        _open.add(self)
        self._exchange()
        if key_callback is not None:
            threading.Thread(target=_watch_keys, args=(weakref.ref(self), self._viewer, key_callback), daemon=True).start()

    @property
    def cam(self):
        return self._cam

    @property
    def opt(self):
        return self._opt

    @property
    def perturb(self):
        return self._pert

    @property
    def user_scn(self):
        return self._user_scn

    @property
    def m(self):
        return self._model

    @property
    def d(self):
        return self._data

    @property
    def url(self):
        """The address of the page, with its token."""
        return self._viewer.url

    @property
    def viewport(self):
        """The picture on the page, in its pixels; without size before a page is open."""
        return mujoco.MjrRect(0, 0, *self._viewer.viewport())

    def set_figures(self, viewports_figures):
        """Overlay figures on the viewer: a tuple (viewport, figure), or a list of them."""
        self._viewer.set_figures(_overlays.figures(viewports_figures))

    def clear_figures(self):
        self._viewer.set_figures([])

    def set_texts(self, texts):
        """Overlay texts on the viewer: a tuple (font, gridpos, text1, text2), or a list of them."""
        self._viewer.set_texts(_overlays.texts(texts))

    def clear_texts(self):
        self._viewer.set_texts([])

    def set_images(self, viewports_images):
        """Overlay images on the viewer: a tuple (viewport, image), or a list of them."""
        self._viewer.set_images(_overlays.images(viewports_images))

    def clear_images(self):
        self._viewer.set_images([])

    def close(self):
        """Ends the page."""
        self._viewer.close()

    def is_running(self):
        """Whether nobody has closed it: the caller, the page (Ctrl+Q), or the last tab for some seconds."""
        if self._viewer.has_ended():
            return False
        open_tabs, left = self._viewer.tabs()
        if open_tabs == 0 and left is not None and left > GRACE:
            self.close()
            return False
        return True

    def lock(self):
        """A context in which the viewer leaves model, data, cam, opt and perturb alone."""
        return self._lock if self.is_running() else contextlib.nullcontext()

    def sync(self, state_only=False):
        """Shows the present state, and takes over what was changed on the page."""
        if not self.is_running():
            return
        with self._lock:
            for command in self._exchange():
                self._obey(command)
            self._pull()

    def update_hfield(self, hfieldid):
        self._refresh("hfield", hfieldid, self._model.nhfield)

    def update_mesh(self, meshid):
        self._refresh("mesh", meshid, self._model.nmesh)

    def update_texture(self, texid):
        self._refresh("texture", texid, self._model.ntex)

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        self.close()

    def _refresh(self, kind, index, count):
        if not 0 <= index < count:
            raise IndexError(f"{kind} {index} does not exist: the model has {count}")
        if self.is_running():
            with self._lock:
                self._viewer.refresh(self._model, kind, index)

    def _contents(self):
        scene = self._user_scn
        return [part._memory.tobytes() for part in (self._opt, self._pert, self._cam)] + [scene.flags.tobytes() if scene is not None else b""]

    def _exchange(self, pace=None):
        """Shows, and returns what the page asks for."""
        now = self._contents()
        changed = [mine != seen for mine, seen in zip(now, self._seen)]
        texts, flags = self._viewer.exchange(
            self._model, self._data, self._opt, self._pert, self._cam, self._user_scn, changed, pace)
        commands = [json.loads(text) for text in texts]
        for command in commands:
            if command["do"] == "camera" and not changed[2]:
                self._look(command)
        if self._user_scn is not None:
            self._user_scn.flags[:] = list(flags)
        self._seen = self._contents()
        return commands

    def _look(self, place):
        self._cam.type, self._cam.fixedcamid, self._cam.trackbodyid = place["type"], max(place["fixed"], -1), place["tracked"]
        self._cam.lookat[:] = place["lookat"]
        self._cam.distance, self._cam.azimuth, self._cam.elevation = place["distance"], place["azimuth"], place["elevation"]

    def _obey(self, command):
        """Does what the page asks for that changes model or data."""
        m, d, what, index = self._model, self._data, command["do"], command.get("id", 0)
        if what == "reset" or what == "key" and index < m.nkey:
            mujoco.mj_resetData(m, d) if what == "reset" else mujoco.mj_resetDataKeyframe(m, d, index)
            mujoco.mj_forward(m, d)
        elif what == "ctrl" and index < m.nu:
            d.ctrl[index] = command["value"]
        elif what == "clear_ctrl":
            d.ctrl[:] = 0
        elif what == "joint" and index < m.njnt and m.jnt_type[index] >= 2:
            d.qpos[m.jnt_qposadr[index]] = command["value"]
        elif what == "equality" and index < m.neq:
            d.eq_active[index] = command["on"]
        elif what in ("disable", "enable"):
            name, bit = what + "flags", command["bit"]
            flags = getattr(m.opt, name)
            setattr(m.opt, name, flags | bit if command["on"] else flags & ~bit)
        elif what == "actuators" and 0 <= command["group"] < 31:
            bit = 1 << command["group"]
            m.opt.disableactuator = m.opt.disableactuator & ~bit if command["on"] else m.opt.disableactuator | bit

    def _pull(self, paused=False):
        """The force or motion of the mouse, as MuJoCo's viewer applies it."""
        m, d, pert = self._model, self._data, self._pert
        if not paused:
            d.xfrc_applied[:] = 0
        mujoco.mjv_applyPerturbPose(m, d, pert, int(paused))
        if not paused:
            mujoco.mjv_applyPerturbForce(m, d, pert)


def _watch_keys(handle, viewer, callback):
    """Calls back for every key, on a thread of its own, until the viewer has ended."""
    while handle() is not None and not viewer.has_ended():
        code = viewer.next_key(0.5)
        if code is not None:
            callback(code)


class _Simulation:
    """The loop of `launch`: steps in real time, and does what the page asks for."""

    def __init__(self, handle, loader):
        self.handle, self.loader = handle, loader
        self.playing, self.speed, self.measured, self.failure = True, 1.0, 1.0, None
        self.restart()

    def restart(self):
        """Counts time from now on."""
        self.origin = (time.perf_counter(), self.handle.d.time)

    def run(self):
        while self.handle.is_running():
            begin = time.perf_counter()
            with self.handle.lock():
                self.frame(begin)
            time.sleep(max(0.0, _FRAME - (time.perf_counter() - begin)))

    def frame(self, begin):
        handle, (m, d) = self.handle, (self.handle.m, self.handle.d)
        if self.playing:
            self.advance(m, d, begin)
        else:
            handle._pull(paused=True)
            mujoco.mj_forward(m, d)
        for command in handle._exchange((self.playing, self.speed, self.measured, self.failure)):
            self.obey(command)

    def advance(self, m, d, begin):
        wall, simulated = self.origin
        goal, before = simulated + (begin - wall) * self.speed, d.time
        while d.time < goal and time.perf_counter() - begin < 0.7 * _FRAME:
            self.handle._pull()
            earlier = d.time
            mujoco.mj_step(m, d)
            if d.time <= earlier:
                # It has been reset.
                self.restart()
                return
        self.measured += 0.05 * ((d.time - before) / _FRAME - self.measured)
        if abs(goal - d.time) > _BEHIND * self.speed:
            self.restart()

    def obey(self, command):
        what = command["do"]
        if what == "play":
            self.playing, self.failure = command["on"], None
        elif what == "speed":
            self.speed = min(max(command["factor"], 0.001), 100.0)
        elif what == "step":
            self.playing = False
            for _ in range(min(max(command["count"], 0), 10000)):
                mujoco.mj_step(self.handle.m, self.handle.d)
        elif what == "reload":
            self.reload()
        else:
            self.handle._obey(command)
        if what != "camera":
            self.restart()

    def reload(self):
        handle = self.handle
        try:
            handle._model, handle._data = self.loader()[:2]
        except Exception as error:  # Whatever the caller's loader raises is shown on the page.
            self.failure = str(error)
            return
        mujoco.mj_forward(handle.m, handle.d)
        handle._viewer.replace(handle.m, handle.d)
        mujoco.mjv_defaultFreeCamera(handle.m, handle._cam)
        handle._seen = handle._contents()


def _simulate(loader, show_left_ui=True, show_right_ui=True, **options):
    if not _corten.page_is_built():
        raise RuntimeError(_missing_page())
    browser = options.pop("browser", None)
    model, data = loader()[:2]
    mujoco.mj_forward(model, data)
    with Handle(model, data, user_scn=False, **options) as handle:
        _announce(handle.url, show_left_ui, show_right_ui, browser)
        with contextlib.suppress(KeyboardInterrupt):
            _Simulation(handle, loader).run()


def launch(model=None, data=None, *, loader=None, show_left_ui=True, show_right_ui=True, **options):
    """Simulates in real time on a page until it is closed.

    Without a model, `loader` (or `model`, if it can be called) returns model and data; the page can ask for it again.
    Options beyond MuJoCo's: `host`, `port`, and `browser` (whether to open one).
    """
    if model is None and data is not None:
        raise ValueError("mjData is specified but mjModel is not")
    if callable(model):
        if data is not None:
            raise ValueError("mjData should not be specified when an mjModel loader is used")
        model, loader = None, model
    if loader is not None and model is not None:
        raise ValueError("model and loader are both specified")
    if loader is None:
        model = mujoco.MjModel.from_xml_string("<mujoco/>") if model is None else model
        data = mujoco.MjData(model) if data is None else data
        loader = lambda: (model, data)
    _simulate(loader, show_left_ui, show_right_ui, **options)


def launch_from_path(path, **options):
    """Simulates a model file in real time on a page; the page can load the file again."""
    path = os.fspath(path)

    def load():
        binary = path.endswith((".mjb", ".cfa"))
        model = mujoco.MjModel.from_binary_path(path) if binary else mujoco.MjModel.from_xml_path(path)
        return model, mujoco.MjData(model)

    _simulate(load, **options)


def launch_passive(model, data, *, key_callback=None, show_left_ui=True, show_right_ui=True, browser=None, **options):
    """Shows a simulation of the caller's on a page, and returns the handle to do so.

    Options beyond MuJoCo's: `host`, `port`, and `browser` (whether to open one).
    """
    if not isinstance(model, mujoco.MjModel):
        raise ValueError(f"`model` is not a mujoco.MjModel: got {model!r}")
    if not isinstance(data, mujoco.MjData):
        raise ValueError(f"`data` is not a mujoco.MjData: got {data!r}")
    if key_callback is not None and not callable(key_callback):
        raise ValueError(f"`key_callback` is not callable: got {key_callback!r}")
    if not _corten.page_is_built():
        warnings.warn(_missing_page(), stacklevel=2)
    mujoco.mj_forward(model, data)
    handle = Handle(model, data, key_callback=key_callback, **options)
    _announce(handle.url, show_left_ui, show_right_ui, browser)
    return handle


def launch_repl(model, data):
    """Shows a simulation on a page beside an interactive session; `v` is the handle."""
    import code

    with launch_passive(model, data) as handle:
        code.interact(local={"m": model, "d": data, "v": handle}, banner="m, d: model and data; v: the viewer (v.sync())")


def _main(arguments=None):
    import argparse

    parser = argparse.ArgumentParser(prog="python -m mujoco.viewer", description="Simulates a model in real time on a page.")
    parser.add_argument("--mjcf", help="path of an MJCF, URDF or compiled model")
    path = parser.parse_args(arguments).mjcf
    launch_from_path(os.path.expanduser(path)) if path else launch()


if __name__ == "__main__":
    _main()
