// What the owner of the simulation draws over the scene: texts, figures and images, at places in pixels from below left.

import { loadAsset } from "./net.js";

const COLORS = ["#ff8a5c", "#6fc3ff", "#8ee28e", "#ffd166", "#d69bff", "#5eead4", "#f47fb3", "#b8c0cc"];

export class Overlays {
  constructor(box) {
    this.texts = box.appendChild(Object.assign(document.createElement("div"), { id: "texts" }));
    this.pictures = box.appendChild(document.createElement("div"));
    this.set = -1;
  }

  show({ texts, figures, images, set }) {
    if (set === this.set) return;
    this.set = set;
    this.texts.replaceChildren(...texts.map(([scale, at, left, right]) => text(scale, at, left, right)));
    this.pictures.replaceChildren(...figures.map(([rect, figure]) => drawFigure(canvasAt(rect), figure)), ...images.map((rect, id) => this.image(rect, id)));
  }

  image(rect, id) {
    const canvas = canvasAt(rect), [, , width, height] = rect;
    loadAsset("image", id, `&set=${this.set}`).then((bytes) => {
      const rgb = new Uint8Array(bytes), image = new ImageData(width, height);
      for (let i = 0; i < width * height; i++) { image.data.set(rgb.subarray(3 * i, 3 * i + 3), 4 * i); image.data[4 * i + 3] = 255; }
      canvas.getContext("2d").putImageData(image, 0, 0);
    }, () => {});
    return canvas;
  }
}

function text(scale, at, left, right) {
  const block = document.createElement("pre");
  block.className = `grid${at}`;
  block.style.fontSize = `${Math.max(9, 0.08 * scale)}px`;
  const rows = left.split("\n"), values = right.split("\n"), wide = Math.max(...rows.map((row) => row.length));
  block.textContent = rows.map((row, i) => (values[i] ? `${row.padEnd(wide)}  ${values[i]}` : row)).join("\n");
  return block;
}

function canvasAt([left, bottom, width, height]) {
  const canvas = document.createElement("canvas");
  canvas.width = width;
  canvas.height = height;
  canvas.className = "overlay";
  Object.assign(canvas.style, { left: `${left}px`, bottom: `${bottom}px`, width: `${width}px`, height: `${height}px` });
  return canvas;
}

const css = ([r, g, b, a = 1]) => `rgba(${[r, g, b].map((x) => Math.round(255 * x)).join(",")},${a})`;

// A figure as MuJoCo has it: lines or bars, with grid, title, labels and legend.
function drawFigure(canvas, figure) {
  const pen = canvas.getContext("2d"), { width, height } = canvas;
  pen.fillStyle = css(figure.figurergba);
  pen.fillRect(0, 0, width, height);
  const pad = { left: 44, right: 10, top: figure.title ? 22 : 8, bottom: figure.xlabel ? 30 : 18 };
  const w = width - pad.left - pad.right, h = height - pad.top - pad.bottom;
  pen.fillStyle = css(figure.panergba);
  pen.fillRect(pad.left, pad.top, w, h);
  const [[x0, x1], [y0, y1]] = [0, 1].map((k) => limits(figure, k));
  const px = (x) => pad.left + ((x - x0) / (x1 - x0)) * w, py = (y) => pad.top + h - ((y - y0) / (y1 - y0)) * h;
  const [nx, ny] = figure.gridsize.map((n) => Math.max(2, n));
  pen.strokeStyle = css([...figure.gridrgb, 0.6]);
  pen.lineWidth = figure.gridwidth || 1;
  pen.font = "10px ui-monospace, monospace";
  const tick = (v) => String(Number(v.toPrecision(3)));
  pen.fillStyle = css(figure.textrgb);
  pen.beginPath();
  for (let i = 0; i < nx; i++) {
    const v = x0 + ((x1 - x0) * i) / (nx - 1);
    pen.moveTo(px(v), pad.top); pen.lineTo(px(v), pad.top + h);
    pen.textAlign = "center"; pen.fillText(tick(v), px(v), pad.top + h + 12);
  }
  for (let i = 0; i < ny; i++) {
    const v = y0 + ((y1 - y0) * i) / (ny - 1);
    pen.moveTo(pad.left, py(v)); pen.lineTo(pad.left + w, py(v));
    pen.textAlign = "right"; pen.fillText(tick(v), pad.left - 4, py(v) + 3);
  }
  pen.stroke();
  pen.textAlign = "center";
  pen.fillText(figure.title, pad.left + w / 2, 14);
  pen.fillText(figure.xlabel, pad.left + w / 2, height - 4);
  pen.save();
  pen.beginPath();
  pen.rect(pad.left, pad.top, w, h);
  pen.clip();
  figure.lines.forEach(({ points, rgb, width: thick }, n) => {
    pen.strokeStyle = rgb ? css(rgb) : COLORS[n % COLORS.length];
    pen.lineWidth = thick || figure.linewidth || 1.5;
    pen.beginPath();
    if (figure.barplot) for (const [x, y] of points) { pen.moveTo(px(x), py(Math.max(0, y0))); pen.lineTo(px(x), py(y)); }
    else points.forEach(([x, y], i) => pen[i ? "lineTo" : "moveTo"](px(x), py(y)));
    pen.stroke();
  });
  pen.restore();
  pen.textAlign = "right";
  figure.lines.filter(({ name }) => name).forEach(({ name, rgb }, n) => {
    pen.fillStyle = rgb ? css(rgb) : COLORS[n % COLORS.length];
    pen.fillText(name, pad.left + w - 6, pad.top + 14 + 13 * n);
  });
  return canvas;
}

// As given, or as the data has them.
function limits(figure, k) {
  const [low, high] = figure.range[k];
  const values = figure.lines.flatMap(({ points }) => points.map((p) => p[k])).filter(Number.isFinite);
  if (low < high && !figure.extend) return [low, high];
  let [a, b] = low < high ? [low, high] : [Infinity, -Infinity];
  for (const v of values) { a = Math.min(a, v); b = Math.max(b, v); }
  if (!(a < b)) { const mid = Number.isFinite(a) ? a : 0; return [mid - 0.5, mid + 0.5]; }
  return [a, b];
}
