// Where a tab looks from: a free camera around a point, one that follows a body, or one of the model's.

import * as THREE from "three";

const KEY = "corten-eye";

export class Eye {
  constructor() {
    this.camera = new THREE.PerspectiveCamera(45, 1, 0.01, 1000);
    this.camera.up.set(0, 0, 1);
    // −1: free, −2: tracking, others: cameras of the model.
    this.fixed = -1;
    this.tracked = 1;
  }

  setModel(model) {
    this.model = model;
    const { lookat, distance, azimuth, elevation } = model.camera;
    Object.assign(this, { lookat: [...lookat], distance, azimuth, elevation });
    const kept = JSON.parse(sessionStorage.getItem(KEY) ?? "null");
    if (kept?.model === model.name + model.sizes.ngeom) Object.assign(this, kept.eye);
  }

  keep() {
    this.moved?.();
    const { lookat, distance, azimuth, elevation, fixed, tracked } = this;
    sessionStorage.setItem(KEY, JSON.stringify({ model: this.model.name + this.model.sizes.ngeom, eye: { lookat, distance, azimuth, elevation, fixed, tracked } }));
  }

  // From an abstract camera that the simulation's owner has set.
  take({ type, fixed, tracked, lookat, distance, azimuth, elevation }) {
    Object.assign(this, { lookat: [...lookat], distance, azimuth, elevation, fixed: type === 2 ? fixed : type === 1 ? -2 : -1 });
    if (type === 1) this.tracked = tracked;
    this.keep();
  }

  // As an abstract camera.
  get abstract() {
    const { lookat, distance, azimuth, elevation, fixed, tracked } = this;
    return { type: fixed >= 0 ? 2 : fixed === -2 ? 1 : 0, fixed, tracked: fixed === -2 ? tracked : -1, lookat, distance, azimuth, elevation };
  }

  align() {
    const { lookat, distance, azimuth, elevation } = this.model.camera;
    Object.assign(this, { lookat: [...lookat], distance, azimuth, elevation, fixed: -1 });
  }

  cycle(by) {
    const count = this.model.cameras.length + 2;
    this.fixed = ((this.fixed + 2 + by + count) % count) - 2;
    this.keep();
  }

  get title() {
    return this.fixed === -1 ? "Free" : this.fixed === -2 ? "Tracking" : this.model.cameras[this.fixed];
  }

  update(frame, aspect) {
    const { camera, model } = this;
    let pos, forward, up, fovy = model.camera.fovy;
    if (this.fixed >= 0 && frame) {
      const c = frame.cameras.subarray(12 * this.fixed, 12 * this.fixed + 12);
      pos = [c[0], c[1], c[2]];
      up = [c[4], c[7], c[10]];
      forward = [-c[5], -c[8], -c[11]];
      fovy = model.fovy[this.fixed];
    } else {
      if (this.fixed === -2 && frame) this.lookat = [...frame.coms.subarray(3 * this.tracked, 3 * this.tracked + 3)];
      const a = (this.azimuth * Math.PI) / 180, e = (this.elevation * Math.PI) / 180;
      forward = [Math.cos(e) * Math.cos(a), Math.cos(e) * Math.sin(a), Math.sin(e)];
      up = [-Math.sin(e) * Math.cos(a), -Math.sin(e) * Math.sin(a), Math.cos(e)];
      pos = this.lookat.map((x, k) => x - forward[k] * this.distance);
    }
    camera.fov = fovy;
    camera.aspect = aspect;
    camera.near = Math.max(model.znear, 1e-4);
    camera.far = Math.max(model.zfar, 100 * model.extent);
    camera.position.set(...pos);
    camera.up.set(...up);
    camera.lookAt(pos[0] + forward[0], pos[1] + forward[1], pos[2] + forward[2]);
    camera.updateProjectionMatrix();
    camera.updateMatrixWorld();
    this.view = { pos, forward, up, half: Math.tan((fovy * Math.PI) / 360), aspect, lookat: this.lookat, distance: this.distance };
  }

  rotate(dx, dy) {
    this.leave();
    this.azimuth -= dx * 180;
    this.elevation = Math.max(-89, Math.min(89, this.elevation - dy * 180));
    this.keep();
  }

  // In the plane of the image, or along the ground.
  pan(dx, dy, ground) {
    if (this.fixed === -2) return;
    this.leave();
    const { forward, up } = this.view;
    const right = [forward[1] * up[2] - forward[2] * up[1], forward[2] * up[0] - forward[0] * up[2], forward[0] * up[1] - forward[1] * up[0]];
    const scale = 2 * this.view.half * this.distance;
    const flat = Math.hypot(forward[0], forward[1]) || 1;
    const along = ground ? [forward[0] / flat, forward[1] / flat, 0] : up;
    for (let k = 0; k < 3; k++) this.lookat[k] += scale * (-dx * right[k] + dy * along[k]);
    this.keep();
  }

  zoom(amount) {
    if (this.fixed >= 0) return;
    const extent = this.model.extent;
    this.distance -= Math.log(1 + this.distance / extent / 3) * amount * 9 * extent;
    this.distance = Math.max(0.01 * extent, Math.min(100 * extent, this.distance));
    this.keep();
  }

  leave() {
    if (this.fixed >= 0) {
      this.fixed = -1;
    }
  }
}
