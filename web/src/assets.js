// Meshes, height fields, skins and textures of the model, loaded when first shown.

import * as THREE from "three";
import { loadAsset } from "./net.js";

export class Assets {
  constructor(model, changed) {
    this.model = model;
    this.changed = changed;
    this.shapes = new Map();
    this.textures = new Map();
    this.sky = null;
    const sky = model.textures.findIndex((texture) => texture.kind === "skybox");
    if (sky >= 0) this.loadSky(sky);
  }

  shape(kind, id) {
    const key = `${kind} ${id}`;
    if (!this.shapes.has(key)) {
      this.shapes.set(key, null);
      loadAsset(kind, id).then((bytes) => { this.shapes.set(key, this.build(kind, id, bytes)); this.changed(); }).catch(() => {});
    }
    return this.shapes.get(key);
  }

  build(kind, id, bytes) {
    if (kind === "hfield") return heightField(this.model.hfields[id], new Float32Array(bytes));
    if (kind === "skin") return bytes;
    const numbers = new THREE.InterleavedBuffer(new Float32Array(bytes), 8);
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute("position", new THREE.InterleavedBufferAttribute(numbers, 3, 0));
    geometry.setAttribute("normal", new THREE.InterleavedBufferAttribute(numbers, 3, 3));
    geometry.setAttribute("uv", new THREE.InterleavedBufferAttribute(numbers, 2, 6));
    return geometry;
  }

  // The picture of a material; of cubes, the face in front.
  texture(id) {
    if (!this.textures.has(id)) {
      this.textures.set(id, null);
      loadAsset("texture", id).then((bytes) => {
        const { width, height, channels, kind } = this.model.textures[id];
        const rows = kind === "2d" ? height : Math.min(width, height);
        const texture = new THREE.DataTexture(rgba(new Uint8Array(bytes), channels, width * rows), width, rows);
        texture.wrapS = texture.wrapT = THREE.RepeatWrapping;
        texture.colorSpace = THREE.SRGBColorSpace;
        texture.magFilter = THREE.LinearFilter;
        texture.minFilter = THREE.LinearMipmapLinearFilter;
        texture.generateMipmaps = true;
        texture.anisotropy = 8;
        texture.needsUpdate = true;
        this.textures.set(id, texture);
        this.changed();
      }).catch(() => {});
    }
    return this.textures.get(id);
  }

  async loadSky(id) {
    const { width, channels } = this.model.textures[id];
    const bytes = new Uint8Array(await loadAsset("texture", id));
    const face = (k) => {
      const canvas = document.createElement("canvas");
      canvas.width = canvas.height = width;
      const pixels = rgba(bytes.subarray(k * width * width * channels), channels, width * width);
      canvas.getContext("2d").putImageData(new ImageData(new Uint8ClampedArray(pixels), width, width), 0, 0);
      return canvas;
    };
    if (bytes.length < 6 * width * width * channels) return;
    // The model's faces are right, left, up, down, front and back.
    const texture = new THREE.CubeTexture([0, 1, 2, 3, 4, 5].map(face));
    texture.colorSpace = THREE.SRGBColorSpace;
    texture.needsUpdate = true;
    this.sky = texture;
    this.changed();
  }
}

function rgba(bytes, channels, count) {
  if (channels === 4) return bytes.slice(0, 4 * count);
  const out = new Uint8Array(4 * count);
  for (let i = 0; i < count; i++) {
    for (let k = 0; k < 3; k++) out[4 * i + k] = bytes[channels * i + (channels === 3 ? k : 0)];
    out[4 * i + 3] = 255;
  }
  return out;
}

function heightField({ size: [sx, sy, top, base], nrow, ncol }, heights) {
  const geometry = new THREE.PlaneGeometry(2 * sx, 2 * sy, ncol - 1, nrow - 1);
  const position = geometry.attributes.position;
  for (let r = 0; r < nrow; r++) for (let c = 0; c < ncol; c++) position.setZ((nrow - 1 - r) * ncol + c, heights[r * ncol + c] * top);
  geometry.computeVertexNormals();
  const box = new THREE.BoxGeometry(2 * sx, 2 * sy, base).translate(0, 0, -base / 2);
  geometry.userData.base = box;
  return geometry;
}
