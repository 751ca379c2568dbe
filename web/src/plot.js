// Lines that scroll with time.

const COLORS = ["#ff8a5c", "#6fc3ff", "#8ee28e", "#ffd166", "#d69bff", "#5eead4", "#f47fb3", "#b8c0cc"];

export class Plot {
  constructor(title, names) {
    this.names = names;
    this.times = [];
    this.values = names.map(() => []);
    this.element = document.createElement("div");
    this.element.className = "plot";
    this.element.innerHTML = `<h3><span></span><span></span></h3><canvas></canvas>`;
    this.element.querySelector("span").textContent = title;
    this.readout = this.element.querySelectorAll("span")[1];
    this.canvas = this.element.querySelector("canvas");
  }

  add(time, values) {
    const last = this.times.at(-1);
    if (last !== undefined && time < last) {
      this.times = [];
      this.values = this.names.map(() => []);
    } else if (time === last) return;
    this.times.push(time);
    values.forEach((value, i) => this.values[i]?.push(value));
    if (this.times.length > 600) {
      this.times.shift();
      this.values.forEach((line) => line.shift());
    }
  }

  draw() {
    const { canvas } = this, ratio = devicePixelRatio;
    const width = canvas.clientWidth, height = canvas.clientHeight;
    if (!width) return;
    if (canvas.width !== Math.round(width * ratio)) { canvas.width = width * ratio; canvas.height = height * ratio; }
    const pen = canvas.getContext("2d");
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, width, height);
    let low = Infinity, high = -Infinity;
    for (const line of this.values) for (const v of line) if (Number.isFinite(v)) { low = Math.min(low, v); high = Math.max(high, v); }
    if (low > high) return;
    if (high - low < 1e-9) { high += 0.5; low -= 0.5; }
    const pad = 0.08 * (high - low); low -= pad; high += pad;
    const t0 = this.times[0], span = Math.max(this.times.at(-1) - t0, 1e-6);
    const y = (v) => height - ((v - low) / (high - low)) * height;
    pen.strokeStyle = "rgba(255,255,255,.08)"; pen.lineWidth = 1;
    pen.beginPath();
    for (let k = 1; k < 4; k++) { pen.moveTo(0, (k * height) / 4); pen.lineTo(width, (k * height) / 4); }
    pen.stroke();
    this.values.forEach((line, i) => {
      pen.strokeStyle = COLORS[i % COLORS.length]; pen.lineWidth = 1.4;
      pen.beginPath();
      line.forEach((v, k) => pen[k ? "lineTo" : "moveTo"](((this.times[k] - t0) / span) * width, y(v)));
      pen.stroke();
    });
    pen.fillStyle = "rgba(255,255,255,.45)"; pen.font = "9.5px ui-monospace, monospace";
    pen.fillText(high.toPrecision(3), 4, 11); pen.fillText(low.toPrecision(3), 4, height - 4);
    this.readout.textContent = this.values.slice(0, 3).map((line) => (line.at(-1) ?? 0).toPrecision(4)).join("  ");
  }

  get length() { return this.times.length; }
}
