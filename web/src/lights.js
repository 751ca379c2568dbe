// The lights of a frame: directional ones, spots and points, with shadows where they cast them.

import * as THREE from "three";
import { penumbra } from "./shade.js";

const KINDS = { directional: THREE.DirectionalLight, spot: THREE.SpotLight, point: THREE.PointLight };
// Each light that casts shadows costs a pass.
const MOST_SHADOWS = 3;

export class Lights {
  constructor(scene) {
    this.scene = scene;
    this.lights = [];
    this.ambient = new THREE.AmbientLight(0xffffff, Math.PI);
    scene.add(this.ambient);
  }

  update(frame, eye, model, shadowsOn) {
    const ambient = [0, 0, 0];
    let shadows = 0;
    for (let i = 0; i < frame.nlight; i++) {
      const light = frame.light(i);
      for (let k = 0; k < 3; k++) ambient[k] += light.ambient[k];
      const own = this.own(i, light.type === 1 ? "directional" : light.type === 2 || light.cutoff >= 89 ? "point" : "spot");
      const pos = light.headlight ? eye.pos : light.pos, dir = light.headlight ? eye.forward : light.dir;
      own.visible = true;
      own.color.setRGB(...light.diffuse);
      own.castShadow = shadowsOn && light.castshadow && !light.headlight && own.userData.kind !== "point" && shadows < MOST_SHADOWS;
      shadows += own.castShadow;
      this.place(own, light, pos, dir, eye, model);
    }
    for (let i = frame.nlight; i < this.lights.length; i++) this.lights[i].visible = false;
    this.ambient.color.setRGB(...ambient);
  }

  own(i, kind) {
    let own = this.lights[i];
    if (own?.userData.kind === kind) return own;
    if (own) { this.scene.remove(own, own.target); own.dispose?.(); }
    own = new KINDS[kind]();
    own.userData.kind = kind;
    own.shadow.mapSize.set(2048, 2048);
    this.lights[i] = own;
    this.scene.add(own);
    if (own.target) this.scene.add(own.target);
    return own;
  }

  place(own, light, pos, dir, eye, model) {
    const { extent } = model;
    if (own.userData.kind === "directional") {
      // Only the direction counts: shadows are taken around what is looked at.
      const reach = Math.max(0.6 * extent, Math.min(1.1 * eye.distance, 3 * extent));
      const centre = eye.lookat;
      own.position.set(...centre.map((x, k) => x - 4 * reach * dir[k]));
      own.target.position.set(...centre);
      Object.assign(own.shadow.camera, { left: -reach, right: reach, top: reach, bottom: -reach, near: 0.5 * reach, far: 10 * reach });
      own.shadow.normalBias = (3 * reach) / 2048;
      own.intensity = Math.PI;
    } else {
      own.position.set(...pos);
      const [a, b, c] = light.attenuation, distance = Math.hypot(...eye.lookat.map((x, k) => x - pos[k]));
      own.intensity = Math.PI / Math.max(a + (b + c * distance) * distance, 1e-6);
      own.decay = 0;
      own.distance = 0;
      if (own.userData.kind === "spot") {
        own.target.position.set(...[...pos].map((x, k) => x + dir[k]));
        own.angle = Math.max(0.01, (light.cutoff * Math.PI) / 180);
        own.penumbra = penumbra(light.exponent, own.angle);
        Object.assign(own.shadow.camera, { near: 0.02 * distance, far: 4 * distance + extent });
        own.shadow.normalBias = (3 * distance * Math.tan(own.angle)) / 2048;
      }
    }
    own.shadow.bias = -0.0002;
    own.shadow.camera.updateProjectionMatrix();
  }
}
