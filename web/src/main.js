import "./style.css";
import { Frame } from "./decode.js";
import { Picture } from "./draw.js";
import { Eye } from "./eye.js";
import { HELP, bindKeys, bindMouse } from "./keys.js";
import { Connection } from "./net.js";
import { Overlays } from "./overlays.js";
import { Panels } from "./panels.js";

const canvas = document.getElementById("canvas");
const toast = document.getElementById("toast");

class App {
  constructor() {
    this.picture = new Picture(canvas, document.getElementById("labels"));
    this.eye = new Eye();
    this.panels = new Panels(this);
    this.overlays = new Overlays(document.getElementById("overlays"));
    this.versions = {};
    this.rate = 0;
    this.dirty = true;
    this.connection = new Connection({
      model: (model) => this.setModel(model),
      state: (state) => this.setState(state),
      frame: (bytes) => { this.bytes = bytes; this.dirty = true; },
      error: (text) => this.tell(text),
      online: (on) => this.tell(on ? "" : "The simulation is not reachable; trying again …", !on),
    });
    let telling = 0;
    this.eye.moved = () => { clearTimeout(telling); telling = setTimeout(() => this.send({ do: "camera", ...this.eye.abstract }), 50); };
    bindKeys(this);
    bindMouse(this, canvas);
    addEventListener("resize", () => this.touch());
    const query = new URLSearchParams(location.search);
    for (const side of ["left", "right"]) if ((sessionStorage.getItem(`corten-${side}`) ?? (query.get(side) === "0" ? "away" : "")) === "away") document.getElementById(side).classList.add("away");
    requestAnimationFrame((now) => this.loop(now));
  }

  setModel(model) {
    this.model = model;
    this.state = this.bytes = this.frame = null;
    document.title = `${model.name || "model"} · corten`;
    this.picture.setModel(model, () => this.touch());
    this.eye.setModel(model);
    this.panels.setModel(model);
  }

  setState(state) {
    this.state = state;
    if (state.failure && state.failure !== this.failure) this.tell(state.failure);
    this.failure = state.failure;
    if (this.followNext && state.selection) { this.eye.fixed = -2; this.eye.tracked = state.selection.body; this.followNext = false; this.eye.keep(); }
    if (this.lookNext && state.selection) { this.eye.lookat = [...state.selection.point]; this.lookNext = false; this.eye.keep(); }
    const { camera } = state;
    if (camera && camera.serial !== this.cameraSerial) { this.cameraSerial = camera.serial; this.eye.take(camera); this.touch(); }
    this.overlays.show(state.overlays);
    for (const [key, version] of Object.entries(state.versions)) {
      if (this.versions[key] !== version) { this.versions[key] = version; this.picture.refresh(...key.split(" ")); }
    }
    this.panels.show(state);
  }

  loop(now) {
    requestAnimationFrame((next) => this.loop(next));
    if (!this.dirty || !this.model || !this.bytes || !this.state) return;
    this.dirty = false;
    const width = canvas.clientWidth, height = canvas.clientHeight;
    if (this.width !== width || this.height !== height) {
      this.picture.resize(width, height);
      this.width = width;
      this.height = height;
      this.send({ do: "viewport", width, height });
    }
    const fresh = this.frame?.buffer !== this.bytes;
    if (fresh) this.frame = new Frame(this.bytes, this.model.layout);
    const begin = performance.now();
    this.eye.update(this.frame, width / height);
    this.picture.update(this.frame, this.state.opt, this.eye.view);
    this.picture.render(this.eye.camera);
    this.picture.showLabels(this.frame, this.eye.camera);
    this.panels.drawPlots();
    this.busy = (this.busy ?? 0) + 0.05 * (performance.now() - begin - (this.busy ?? 0));
    if (fresh) {
      this.connection.next();
      this.rate += 0.05 * (1000 / Math.max(1, now - (this.last ?? now - 16)) - this.rate);
      this.last = now;
      this.frames = (this.frames ?? 0) + 1;
    }
  }

  touch() { this.dirty = true; }
  send(command) { this.connection.send(command); }
  togglePlay() { this.send({ do: "play", on: !this.state?.playing }); }
  toggle(kind, id) { this.send({ do: kind, id, on: !this.state.opt[kind][id] }); }
  toggleGroup(kind, id) { this.send({ do: "group", kind, id, on: !this.state.opt.groups[kind][id] }); }

  togglePanel(side) {
    const away = document.getElementById(side).classList.toggle("away");
    sessionStorage.setItem(`corten-${side}`, away ? "away" : "");
  }

  screenshot() {
    this.picture.render(this.eye.camera);
    canvas.toBlob((blob) => {
      const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(blob), download: `${this.model.name || "scene"}-${this.state.time.toFixed(3)}.png` });
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 1000);
    });
  }

  help(show) {
    const box = document.getElementById("help");
    box.hidden = show === undefined ? !box.hidden : !show;
    if (!box.childElementCount) {
      for (const [title, rows] of HELP) {
        const list = document.createElement("dl");
        const head = document.createElement("h2");
        head.textContent = title;
        for (const [keys, what] of rows) list.append(Object.assign(document.createElement("dt"), { textContent: keys }), Object.assign(document.createElement("dd"), { textContent: what }));
        box.append(head, list);
      }
    }
  }

  tell(text, stay = false) {
    clearTimeout(this.telling);
    toast.textContent = text;
    toast.classList.toggle("show", Boolean(text));
    if (text && !stay) this.telling = setTimeout(() => toast.classList.remove("show"), 6000);
  }
}

// For tests, and for the curious.
globalThis.corten = new App();
