// The panels: what is shown, what can be moved, what is measured.

import { Plot } from "./plot.js";

const element = (tag, props = {}, ...children) => {
  const node = Object.assign(document.createElement(tag), props);
  node.append(...children);
  return node;
};
const section = (title, open, ...children) =>
  element("details", { open }, element("summary", { textContent: title }), element("div", { className: "body" }, ...children));
const number = (x) => (Math.abs(x) >= 1000 || (x !== 0 && Math.abs(x) < 0.001) ? x.toExponential(2) : x.toFixed(3));
const vector = (v) => v.map((x) => x.toFixed(3)).join("  ");

const ICONS = {
  play: "M5 3l9 5-9 5z", pause: "M4 3h3v10H4zm5 0h3v10H9z", step: "M3 3l7 5-7 5zm8 0h2v10h-2z",
  reset: "M8 3a5 5 0 1 1-4.6 3H1l3.4-4L8 6H5.6A3 3 0 1 0 8 5z", camera: "M2 5h3l1-2h4l1 2h3v8H2zm6 1.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5z",
};
const icon = (name) => `<svg viewBox="0 0 16 16"><path d="${ICONS[name]}"/></svg>`;
const SPEEDS = [0.02, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10];

export class Panels {
  constructor(app) {
    this.app = app;
    this.left = document.getElementById("left");
    this.right = document.getElementById("right");
    this.bar = document.getElementById("bar");
    this.held = null;
  }

  setModel(model) {
    this.model = model;
    this.buildBar();
    this.buildLeft();
    this.buildRight();
  }

  buildBar() {
    const { app } = this;
    const button = (name, title, act, className = "") => element("button", { innerHTML: icon(name), title, className, onclick: act });
    this.play = button("play", "Play or pause (Space)", () => app.togglePlay(), "play");
    this.play.id = "play";
    this.clock = element("span", { className: "clock", id: "clock", textContent: "0.000" });
    this.pace = element("span", { className: "pace" });
    this.speed = element("select", { title: "Speed (− and =)", onchange: () => app.send({ do: "speed", factor: Number(this.speed.value) }) },
      ...SPEEDS.map((s) => element("option", { value: s, textContent: `${s}×`, selected: s === 1 })));
    const keys = this.model.keys.length
      ? [element("select", { title: "Keyframes", onchange: (e) => { if (e.target.value !== "") app.send({ do: "key", id: Number(e.target.value) }); e.target.value = ""; } },
          element("option", { value: "", textContent: "Keyframe" }), ...this.model.keys.map((name, i) => element("option", { value: i, textContent: name })))]
      : [];
    this.eye = element("select", { title: "Camera ([ and ])", onchange: () => { app.eye.fixed = Number(this.eye.value); app.eye.keep(); app.touch(); } },
      element("option", { value: -1, textContent: "Free camera" }), element("option", { value: -2, textContent: "Tracking camera" }),
      ...this.model.cameras.map((name, i) => element("option", { value: i, textContent: name })));
    this.film = element("input", { type: "range", id: "film", min: 0, step: 1, title: "State of the recording", hidden: true, oninput: () => app.send({ do: "seek", index: Number(this.film.value) }) });
    this.film.onpointerdown = () => { this.held = this.film; };
    this.film.onpointerup = () => { this.held = null; };
    this.bar.replaceChildren(
      button("reset", "Reset (Backspace)", () => app.send({ do: "reset" })), this.play, button("step", "One step (→)", () => app.send({ do: "step", count: 1 })),
      this.clock, element("span", { className: "muted", textContent: "s" }), this.film, this.pace, this.speed, ...keys, this.eye,
      button("camera", "Screenshot (Ctrl+P)", () => app.screenshot()));
  }

  changeSpeed(by) {
    const at = SPEEDS.indexOf(Number(this.speed.value));
    const next = SPEEDS[Math.max(0, Math.min(SPEEDS.length - 1, at + by))];
    this.app.send({ do: "speed", factor: next });
  }

  buildLeft() {
    const { model, app } = this;
    const chip = (title, key, act) => { const b = element("button", { className: "chip", onclick: act }, element("span", { textContent: title })); if (key) b.append(element("kbd", { textContent: key })); return b; };
    this.vis = model.vis.map(([title, , key], id) => chip(title, key, () => app.toggle("vis", id)));
    this.render = model.render.map(([title, , key], id) => chip(title, key, () => app.toggle("render", id)));
    const choice = (titles, command) => element("select", { onchange: (e) => app.send({ do: command, id: Number(e.target.value) }) }, ...titles.map((t, i) => element("option", { value: i, textContent: t })));
    this.label = choice(model.labels, "label");
    this.frame = choice(model.frames, "frame");
    this.groups = {};
    const groups = element("div", { className: "groups" });
    for (const kind of ["geom", "site", "joint", "tendon", "actuator", "flex", "skin"]) {
      groups.append(element("span", { textContent: kind }));
      this.groups[kind] = [0, 1, 2, 3, 4, 5].map((id) => element("button", { textContent: id, onclick: () => app.toggleGroup(kind, id) }));
      groups.append(...this.groups[kind]);
    }
    this.disable = model.disable.map(([title, bit]) => chip(title, "", () => app.send({ do: "disable", bit, on: !(app.state.opt.disable & bit) })));
    this.enable = model.enable.map(([title, bit]) => chip(title, "", () => app.send({ do: "enable", bit, on: !(app.state.opt.enable & bit) })));
    this.equalities = model.equalities.slice(0, 200).map((title, id) => chip(title, "", () => app.send({ do: "equality", id, on: !app.state.equalities[id] })));
    this.actuatorGroups = [0, 1, 2, 3, 4, 5].map((group) => element("button", { textContent: group, onclick: () => app.send({ do: "actuators", group, on: Boolean(app.state.opt.actuators_off & (1 << group)) }) }));
    const search = element("input", { type: "search", id: "search", placeholder: "Search bodies by name", oninput: () => this.listBodies(search.value) });
    this.bodies = element("div", { className: "list" });
    const size = model.sizes;
    this.left.replaceChildren(
      element("header", {}, element("h1", { textContent: model.name || "unnamed model" }),
        element("p", { textContent: `${size.nbody} bodies · ${size.nv} dofs · ${size.nu} actuators` })),
      section("Show", true, element("div", { className: "grid" }, ...this.vis),
        element("div", { className: "row" }, element("label", { textContent: "Labels" }), this.label),
        element("div", { className: "row" }, element("label", { textContent: "Frames" }), this.frame)),
      section("Picture", false, element("div", { className: "grid" }, ...this.render)),
      section("Groups", false, groups),
      section("Physics", false, element("p", { className: "muted", textContent: "Lit: in force. Click to switch." }),
        element("div", { className: "grid" }, ...this.disable), element("p", { className: "muted", textContent: "Additions" }), element("div", { className: "grid" }, ...this.enable),
        ...(model.actuators.length ? [element("p", { className: "muted", textContent: "Groups of actuators" }), element("div", { className: "groups" }, element("span"), ...this.actuatorGroups)] : []),
        ...(this.equalities.length ? [element("p", { className: "muted", textContent: "Equality constraints" }), element("div", { className: "grid" }, ...this.equalities)] : [])),
      section("Bodies", false, search, this.bodies));
    this.listBodies("");
  }

  listBodies(text) {
    const wanted = text.toLowerCase();
    const found = this.model.bodies.map((name, id) => [name, id]).filter(([name, id]) => id && name.toLowerCase().includes(wanted)).slice(0, 200);
    this.bodies.replaceChildren(...found.map(([name, id]) => {
      const b = element("button", { textContent: name, onclick: () => this.app.send({ do: "select_body", id }) });
      b.dataset.id = id;
      return b;
    }));
  }

  buildRight() {
    const { model, app } = this;
    this.facts = element("dl", { className: "facts" });
    this.picked = element("dl", { className: "facts" });
    this.pickedSection = section("Selection", true, this.picked);
    this.controls = model.actuators.map((a, id) => this.slider(a.name, a.range, (value) => app.send({ do: "ctrl", id, value })));
    this.joints = model.joints.map((j) => this.slider(j.name, j.range, (value) => app.send({ do: "joint", id: j.id, value })));
    this.energy = new Plot("potential, kinetic", ["potential", "kinetic"]);
    this.plots = model.sensors.slice(0, 40).map((s) => [s, new Plot(s.name, Array.from({ length: Math.min(s.dim, 8) }, (_, k) => k))]);
    const many = (list) => list.slice(0, 300).map((s) => s.element);
    this.right.replaceChildren(
      section("State", true, this.facts), this.pickedSection,
      ...(this.controls.length ? [section("Actuators", true, element("div", { className: "row" }, element("button", { textContent: "Zero all", onclick: () => app.send({ do: "clear_ctrl" }) })), ...many(this.controls))] : []),
      ...(this.joints.length ? [section("Joints", !this.controls.length, ...many(this.joints))] : []),
      section("Energy", true, this.energy.element),
      ...(this.plots.length ? [section("Sensors", false, ...this.plots.map(([, plot]) => plot.element))] : []));
  }

  slider(name, [low, high], act) {
    const input = element("input", { type: "range", min: low, max: high, step: (high - low) / 1000 || 0.001 });
    const output = element("output");
    const own = { element: element("div", { className: "slider" }, element("div", {}, element("span", { textContent: name, title: name }), output), input), input, output };
    input.setAttribute("aria-label", name);
    own.show = (value) => {
      if (this.held !== input) input.value = value;
      output.textContent = number(value);
      input.style.setProperty("--part", `${Math.max(0, Math.min(100, (100 * (value - low)) / (high - low || 1)))}%`);
    };
    input.oninput = () => { own.show(Number(input.value)); act(Number(input.value)); };
    input.onpointerdown = () => { this.held = input; };
    input.onpointerup = input.onchange = () => { this.held = null; };
    input.ondblclick = () => { act(Math.max(low, Math.min(high, 0))); };
    return own;
  }

  show(state) {
    const { opt } = state;
    this.play.innerHTML = icon(state.playing ? "pause" : "play");
    this.clock.textContent = state.time.toFixed(3);
    this.pace.textContent = state.playing ? (state.measured ? `${(100 * state.measured).toFixed(0)} % of real time` : "running") : "paused";
    if (document.activeElement !== this.speed) this.speed.value = SPEEDS.reduce((a, b) => (Math.abs(b - state.speed) < Math.abs(a - state.speed) ? b : a));
    if (document.activeElement !== this.eye) this.eye.value = this.app.eye.fixed;
    this.film.hidden = !state.film;
    if (state.film) {
      const { at, count } = state.film;
      this.film.max = count - 1;
      if (this.held !== this.film) this.film.value = at;
      this.film.style.setProperty("--part", `${(100 * at) / Math.max(1, count - 1)}%`);
    }
    this.equalities.forEach((b, i) => b.classList.toggle("on", state.equalities[i] !== 0));
    this.actuatorGroups.forEach((b, i) => b.classList.toggle("on", !(opt.actuators_off & (1 << i))));
    this.vis.forEach((b, i) => b.classList.toggle("on", opt.vis[i] !== 0));
    this.render.forEach((b, i) => b.classList.toggle("on", opt.render[i] !== 0));
    this.disable.forEach((b, i) => b.classList.toggle("on", !(opt.disable & this.model.disable[i][1])));
    this.enable.forEach((b, i) => b.classList.toggle("on", (opt.enable & this.model.enable[i][1]) !== 0));
    for (const [kind, buttons] of Object.entries(this.groups)) buttons.forEach((b, i) => b.classList.toggle("on", opt.groups[kind][i] !== 0));
    this.label.value = opt.label;
    this.frame.value = opt.frame;
    this.controls.forEach((s, i) => s.show(state.ctrl[i]));
    this.joints.forEach((s, i) => s.show(state.joints[i]));
    this.energy.add(state.time, state.energy);
    for (const [s, plot] of this.plots) plot.add(state.time, state.sensors.slice(s.adr, s.adr + Math.min(s.dim, 8)));
    this.fill(this.facts, [
      ["Contacts", state.ncon], ["Constraint rows", state.nefc], ["Solver iterations", state.niter], ["Islands", state.nisland],
      ["Frames per second", this.app.rate.toFixed(0)], ...state.warnings.map(([name, count]) => [name.replace("mjWARN_", "Warning: ").toLowerCase(), count])]);
    const s = state.selection;
    this.pickedSection.hidden = !s;
    if (s) this.fill(this.picked, [["Body", `${s.name} (${s.body})`], ...(s.geom ? [["Geom", s.geom]] : []), ["Mass", number(s.mass)], ["Position", vector(s.pos)], ["Quaternion", vector(s.quat)],
      ["Point", vector(s.point)], ["Velocity", vector(s.linvel)], ["Spin", vector(s.angvel)], ["Force", vector(s.force.slice(0, 3))]]);
    for (const b of this.bodies.children) b.classList.toggle("on", Boolean(s) && Number(b.dataset.id) === s.body);
  }

  fill(list, rows) {
    const key = rows.map(([name]) => name).join("|");
    if (list.dataset.key !== key) {
      list.dataset.key = key;
      list.replaceChildren(...rows.flatMap(([name]) => [element("dt", { textContent: name }), element("dd")]));
    }
    rows.forEach(([, value], i) => { const cell = list.children[2 * i + 1]; if (cell.textContent !== String(value)) cell.textContent = value; });
  }

  drawPlots() {
    const open = (plot) => plot.element.closest("details")?.open;
    if (open(this.energy)) this.energy.draw();
    for (const [, plot] of this.plots) if (open(plot)) plot.draw();
  }
}
