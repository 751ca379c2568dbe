// Meshes, height fields, skins and textures of the model, loaded when first shown.

import * as THREE from "three";
import { loadAsset } from "./net.js";

export class Assets {
  constructor(model, changed) {
    this.model = model;
    this.changed = changed;
    this.shapes = new Map();
    this.textures = new Map();
    this.skyId = model.textures.findIndex((texture) => texture.kind === "skybox");
  }

  get sky() { return this.skyId >= 0 ? this.texture(this.skyId) : null; }

  shape(kind, id) { return this.once(this.shapes, kind, id, (bytes) => this.build(kind, id, bytes)); }

  texture(id) { return this.once(this.textures, "texture", id, (bytes) => image(this.model.textures[id], new Uint8Array(bytes))); }

  // Null until it is loaded.
  once(all, kind, id, build) {
    const key = `${kind} ${id}`;
    if (!all.has(key)) {
      all.set(key, null);
      loadAsset(kind, id).then((bytes) => { all.set(key, build(bytes)); this.changed(); }, (error) => console.warn(String(error)));
    }
    return all.get(key);
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

  // Leaves what has changed to be loaded again.
  forget(kind, id) {
    for (const all of [this.shapes, this.textures]) for (const own of kind === "mesh" ? ["mesh", "hull"] : [kind]) all.delete(`${own} ${id}`);
  }

  dispose() {
    for (const all of [this.shapes, this.textures]) for (const part of all.values()) part?.dispose?.();
  }
}

// Flat, or a cube whose faces are below each other, or all the same.
function image({ width, height, channels, kind }, bytes) {
  const flat = kind === "2d", rows = flat ? height : width;
  const part = (k) => new THREE.DataTexture(rgba(bytes.subarray(k * width * rows * channels), channels, width * rows), width, rows);
  let texture;
  if (flat) {
    texture = part(0);
    texture.wrapS = texture.wrapT = THREE.RepeatWrapping;
    texture.anisotropy = 8;
  } else {
    const count = Math.floor(height / width);
    texture = new THREE.CubeTexture([0, 1, 2, 3, 4, 5].map((k) => part(count >= 6 ? k : 0)));
    texture.format = THREE.RGBAFormat;
    texture.type = THREE.UnsignedByteType;
  }
  texture.magFilter = THREE.LinearFilter;
  texture.minFilter = THREE.LinearMipmapLinearFilter;
  texture.generateMipmaps = true;
  texture.needsUpdate = true;
  return texture;
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
  geometry.userData.base = skirt(geometry, sx, sy, base, nrow, ncol);
  return geometry;
}

// Walls down to the base, along the four edges, and the base.
function skirt(surface, sx, sy, base, nrow, ncol) {
  const top = surface.attributes.position, points = [];
  const wall = (a, b) => {
    const p = new THREE.Vector3().fromBufferAttribute(top, a), q = new THREE.Vector3().fromBufferAttribute(top, b);
    const low = (v) => new THREE.Vector3(v.x, v.y, -base);
    points.push(p, low(p), q, q, low(p), low(q));
  };
  for (let c = 0; c + 1 < ncol; c++) { wall(c + 1, c); wall((nrow - 1) * ncol + c, (nrow - 1) * ncol + c + 1); }
  for (let r = 0; r + 1 < nrow; r++) { wall(r * ncol, (r + 1) * ncol); wall((r + 2) * ncol - 1, (r + 1) * ncol - 1); }
  const floor = [[-sx, -sy], [-sx, sy], [sx, -sy], [sx, -sy], [-sx, sy], [sx, sy]].map(([x, y]) => new THREE.Vector3(x, y, -base));
  const geometry = new THREE.BufferGeometry().setFromPoints([...points, ...floor]);
  geometry.computeVertexNormals();
  return geometry;
}
