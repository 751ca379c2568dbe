// Keyboard and mouse, as in MuJoCo's simulate.

const MOUSE = { rotateV: 1, rotateH: 2, moveV: 3, moveH: 4, zoom: 5 };

export function bindKeys(app) {
  addEventListener("keydown", (event) => {
    if (event.target.matches("input[type=search]")) { if (event.key === "Escape") event.target.blur(); return; }
    const code = glfw(event);
    if (code) app.send({ do: "pressed", code });
    if (handle(app, event)) event.preventDefault();
  });
}

// The number of a key in GLFW, which MuJoCo's callbacks get.
function glfw({ code }) {
  const named = {
    Space: 32, Quote: 39, Comma: 44, Minus: 45, Period: 46, Slash: 47, Semicolon: 59, Equal: 61, BracketLeft: 91, Backslash: 92, BracketRight: 93, Backquote: 96,
    Escape: 256, Enter: 257, Tab: 258, Backspace: 259, Insert: 260, Delete: 261, ArrowRight: 262, ArrowLeft: 263, ArrowDown: 264, ArrowUp: 265, PageUp: 266, PageDown: 267, Home: 268, End: 269,
  };
  const simple = code.match(/^(?:Key|Digit)(.)$/)?.[1];
  const f = code.match(/^F(\d+)$/)?.[1];
  return named[code] ?? (simple ? simple.charCodeAt(0) : f ? 289 + Number(f) : 0);
}

function handle(app, event) {
  const { key, ctrlKey, shiftKey, altKey } = event;
  if (altKey || event.metaKey || !app.model) return false;
  if (ctrlKey) {
    if (key === "p") { app.screenshot(); return true; }
    if (key === "a") { app.eye.align(); app.eye.keep(); app.touch(); return true; }
    if (key === "l") { app.send({ do: "reload" }); return true; }
    if (key === "q") { app.send({ do: "quit" }); return true; }
    return false;
  }
  const act = {
    " ": () => app.togglePlay(), ArrowRight: () => app.send({ do: "step", count: shiftKey ? 10 : 1 }), ArrowLeft: () => app.send({ do: "step", count: shiftKey ? -10 : -1 }), Backspace: () => app.send({ do: "reset" }),
    "-": () => app.panels.changeSpeed(-1), "=": () => app.panels.changeSpeed(1), "+": () => app.panels.changeSpeed(1),
    "[": () => app.eye.cycle(-1), "]": () => app.eye.cycle(1), Escape: () => { app.eye.fixed = -1; app.eye.keep(); app.help(false); },
    Tab: () => app.togglePanel(shiftKey ? "right" : "left"), F1: () => app.help(), F2: () => app.togglePanel("right"),
    F5: () => (document.fullscreenElement ? document.exitFullscreen() : document.documentElement.requestFullscreen()),
    F6: () => app.send({ do: "frame", id: (app.state.opt.frame + 1) % app.model.frames.length }),
    F7: () => app.send({ do: "label", id: (app.state.opt.label + 1) % app.model.labels.length }),
    PageUp: () => { const s = app.state.selection; if (s) app.send({ do: "select_body", id: app.model.parents[s.body] }); },
  }[key];
  if (act) { act(); app.touch(); return true; }
  const digit = event.code.match(/^Digit([0-5])$/)?.[1];
  if (digit !== undefined) { app.toggleGroup(shiftKey ? "site" : "geom", Number(digit)); return true; }
  const letter = key.toUpperCase();
  const vis = app.model.vis.findIndex(([, , k]) => k && k === letter);
  if (vis >= 0) { app.toggle("vis", vis); return true; }
  const render = app.model.render.findIndex(([, , k]) => k && k === letter);
  if (render >= 0) { app.toggle("render", render); return true; }
  return false;
}

export function bindMouse(app, canvas) {
  let drag = null;
  const relative = (event) => { const box = canvas.getBoundingClientRect(); return [(event.clientX - box.left) / box.width, 1 - (event.clientY - box.top) / box.height]; };
  canvas.addEventListener("contextmenu", (event) => event.preventDefault());
  let last = { button: -1, time: 0 };
  // As in simulate: with the right button the camera looks there, with Ctrl as well it follows.
  const pick = (event) => {
    const [x, y] = relative(event);
    app.send({ do: "select", view: app.eye.view, x, y });
    app.followNext = event.ctrlKey;
    app.lookNext = event.button === 2 && !event.ctrlKey;
  };
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    canvas.focus();
    const again = last.button === event.button && event.timeStamp - last.time < 350 && Math.hypot(event.clientX - last.x, event.clientY - last.y) < 6;
    last = again ? { button: -1, time: 0 } : { button: event.button, time: event.timeStamp, x: event.clientX, y: event.clientY };
    if (again) { pick(event); return; }
    const pulling = event.ctrlKey && app.state?.selection;
    drag = { x: event.clientX, y: event.clientY, button: event.button, pulling };
    canvas.classList.add(pulling ? "pulling" : "dragging");
    if (pulling) app.send({ do: "pull", view: app.eye.view, bits: event.button === 0 ? 2 : 1 });
  });
  canvas.addEventListener("pointermove", (event) => {
    if (!drag) return;
    const height = canvas.clientHeight;
    const dx = (event.clientX - drag.x) / height, dy = (event.clientY - drag.y) / height;
    drag.x = event.clientX;
    drag.y = event.clientY;
    if (drag.pulling) {
      const action = drag.button === 0 ? (event.shiftKey ? MOUSE.rotateH : MOUSE.rotateV) : event.shiftKey ? MOUSE.moveH : MOUSE.moveV;
      app.send({ do: "move", view: app.eye.view, action, dx, dy });
    } else if (drag.button === 0) app.eye.rotate(dx, dy);
    else if (drag.button === 2) app.eye.pan(dx, dy, event.shiftKey);
    else app.eye.zoom(-dy);
    app.touch();
  });
  const end = () => {
    if (drag?.pulling) app.send({ do: "release" });
    drag = null;
    canvas.classList.remove("dragging", "pulling");
  };
  canvas.addEventListener("pointerup", end);
  canvas.addEventListener("pointercancel", end);
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    app.eye.zoom(Math.sign(-event.deltaY) * Math.min(Math.abs(event.deltaY), 120) * 0.0004);
    app.touch();
  }, { passive: false });
}

export const HELP = [
  ["Simulation", [["Space", "play, pause"], ["→, Shift+→", "one step, ten"], ["←, Shift+←", "back, ten states"], ["Backspace", "reset"], ["Ctrl+L", "load the model again"], ["Ctrl+Q", "end (a Python viewer)"], ["− and =", "slower, faster"]]],
  ["Camera", [["Left drag", "turn"], ["Right drag", "move (Shift: along the ground)"], ["Wheel, middle drag", "zoom"], ["[ and ]", "other cameras"], ["Esc", "free camera"], ["Ctrl+A", "see everything"]]],
  ["Bodies", [["Double click", "select"], ["Right double click", "look there"], ["Ctrl+double click", "select and follow"], ["Ctrl+right drag", "pull (Shift: along the ground)"], ["Ctrl+left drag", "turn"], ["PageUp", "select the parent"]]],
  ["View", [["Tab, Shift+Tab", "left, right panel"], ["F5", "full screen"], ["F6, F7", "frames, labels"], ["0 to 5", "groups of geoms (Shift: sites)"], ["Letters", "switches, as next to them"], ["Ctrl+P", "screenshot"], ["F1", "this list"]]],
];
