// From the geoms, lights and cameras of a frame to a picture.

import * as THREE from "three";
import { Assets } from "./assets.js";
import { Geom } from "./decode.js";
import { Lights } from "./lights.js";
import { Mirror } from "./mirror.js";
import { dress, surface } from "./shade.js";
import { UNIT, place, placeFlex } from "./shapes.js";

const RENDER = { shadow: 0, wireframe: 1, reflection: 2, additive: 3, skybox: 4, fog: 5, haze: 6, segment: 7, idcolor: 8, cull: 9 };
const VIS = { flexvert: 24, flexedge: 25, flexskin: 27 };
const DECOR = 4;

export class Picture {
  constructor(canvas, labels) {
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: true, preserveDrawingBuffer: true });
    this.renderer.outputColorSpace = THREE.LinearSRGBColorSpace;
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = THREE.PCFSoftShadowMap;
    this.renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
    this.labels = labels;
    this.scene = new THREE.Scene();
    this.world = new THREE.Group();
    this.scene.add(this.world);
    this.lights = new Lights(this.scene);
    this.mirror = new Mirror();
    this.background = gradient();
    this.pools = new Map();
  }

  setModel(model, changed) {
    this.model = model;
    this.assets?.dispose();
    this.assets = new Assets(model, changed);
    for (const pool of this.pools.values()) pool.objects.forEach(release);
    this.world.clear();
    this.pools = new Map();
  }

  // A shape or texture has changed.
  refresh(kind, id) {
    this.assets?.forget(kind, id);
    for (const pool of this.pools.values()) pool.objects.forEach((object) => { this.world.remove(object); release(object); });
    this.pools = new Map();
  }

  // Brings the objects to a frame.
  update(frame, { render: flags, vis }, eye) {
    this.flags = flags;
    this.vis = vis;
    this.reach = 1.05 * this.model.zfar;
    this.reflecting = null;
    for (const pool of this.pools.values()) pool.used = 0;
    for (let i = 0; i < frame.ngeom; i++) {
      const geom = frame.geom(i);
      const object = this.take(geom);
      if (object) this.show(object, geom, frame, eye, i);
    }
    for (const pool of this.pools.values()) for (let k = pool.used; k < pool.objects.length; k++) pool.objects[k].visible = false;
    this.lights.update(frame, eye, this.model, Boolean(flags[RENDER.shadow]));
    this.scene.background = flags[RENDER.skybox] && this.assets.sky ? this.assets.sky : this.background;
    // The sky's up is y.
    this.scene.backgroundRotation.set(Math.PI / 2, 0, 0);
    const [fog, start, end] = this.model.fog;
    this.scene.fog = flags[RENDER.fog] ? new THREE.Fog(new THREE.Color(...fog.slice(0, 3)), start, end) : null;
  }

  // An object for a geom, from those of the same kind.
  take(geom) {
    const deformable = geom.type === Geom.flex || geom.type === Geom.skin;
    const shaped = deformable || geom.type === Geom.mesh || geom.type === Geom.sdf || geom.type === Geom.hfield;
    const key = `${geom.type} ${shaped ? geom.dataid : ""} ${geom.matid} ${deformable ? geom.objid : ""} ${geom.category === DECOR}`;
    let pool = this.pools.get(key);
    if (!pool) this.pools.set(key, (pool = { objects: [], used: 0 }));
    if (pool.used === pool.objects.length) {
      const object = this.make(geom);
      if (!object) return null;
      object.matrixAutoUpdate = false;
      object.children.forEach((part) => { part.matrixAutoUpdate = false; });
      pool.objects.push(object);
      this.world.add(object);
    }
    const object = pool.objects[pool.used++];
    object.visible = true;
    return object;
  }

  make(geom) {
    const material = surface();
    const mesh = (geometry) => {
      const object = new THREE.Mesh(geometry, material);
      object.castShadow = object.receiveShadow = geom.category !== DECOR;
      return object;
    };
    const many = (geometry, count) => {
      const object = new THREE.InstancedMesh(geometry, material, Math.max(1, count));
      object.frustumCulled = false;
      object.castShadow = object.receiveShadow = true;
      return object;
    };
    const group = (...parts) => { const all = new THREE.Group(); all.add(...parts); all.userData.material = material; return all; };
    switch (geom.type) {
      case Geom.plane: { const object = mesh(UNIT.plane); object.castShadow = false; material.side = THREE.DoubleSide; return object; }
      case Geom.sphere: case Geom.ellipsoid: return mesh(UNIT.sphere);
      case Geom.cylinder: return mesh(UNIT.cylinder);
      case Geom.box: return mesh(UNIT.box);
      case Geom.capsule: return group(mesh(UNIT.tube), mesh(UNIT.top), mesh(UNIT.bottom));
      case Geom.arrow: case Geom.arrow1: return group(mesh(UNIT.cylinder), mesh(UNIT.cone));
      case Geom.arrow2: return group(mesh(UNIT.tube), mesh(UNIT.cone), mesh(UNIT.cone));
      case Geom.line: return new THREE.Line(UNIT.line, new THREE.LineBasicMaterial());
      case Geom.linebox: return new THREE.LineSegments(UNIT.linebox, new THREE.LineBasicMaterial());
      case Geom.triangle: material.side = THREE.DoubleSide; return mesh(UNIT.triangle);
      case Geom.mesh: case Geom.sdf: { const shape = this.assets.shape(geom.dataid % 2 ? "hull" : "mesh", geom.dataid >> 1); return shape && mesh(shape); }
      case Geom.hfield: { const shape = this.assets.shape("hfield", geom.dataid); return shape && group(mesh(shape), mesh(shape.userData.base)); }
      case Geom.flex: {
        const { vertices, edges } = this.model.flexes[geom.objid];
        const faces = mesh(new THREE.BufferGeometry());
        faces.frustumCulled = false;
        faces.userData.own = true;
        material.side = THREE.DoubleSide;
        return group(faces, many(UNIT.sphere, vertices), many(UNIT.tube, edges));
      }
      case Geom.skin: {
        const shape = this.assets.shape("skin", geom.objid);
        if (!shape) return null;
        const { faces } = this.model.skins[geom.objid];
        const object = mesh(new THREE.BufferGeometry());
        object.geometry.setIndex(new THREE.BufferAttribute(new Uint32Array(shape, 0, 3 * faces), 1));
        if (shape.byteLength > 12 * faces) object.geometry.setAttribute("uv", new THREE.BufferAttribute(new Float32Array(shape, 12 * faces), 2));
        object.frustumCulled = false;
        object.userData.own = true;
        material.side = THREE.DoubleSide;
        return object;
      }
      default: return null;
    }
  }

  show(object, geom, frame, eye, i) {
    const id = geom.objid;
    if (geom.type === Geom.flex) {
      const [faces, spheres, rods] = object.children, part = frame.flexFaces[id];
      setAttributes(faces.geometry, { position: [part.position, 3], normal: [part.normal, 3], uv: [part.uv, 2] });
      const skinned = this.vis[VIS.flexskin] && part.position.length > 0, radius = geom.size[0];
      placeFlex(spheres, rods, frame, id, radius, radius > 0 && this.vis[VIS.flexvert] && !skinned, radius > 0 && this.vis[VIS.flexedge] && !skinned);
    } else if (geom.type === Geom.skin) {
      const { vertices: [first, count] } = this.model.skins[id];
      const position = new Float32Array(3 * count), normal = new Float32Array(3 * count), all = frame.skinVert;
      for (let v = 0; v < count; v++) for (let k = 0; k < 3; k++) {
        position[3 * v + k] = all[6 * (first + v) + k];
        normal[3 * v + k] = all[6 * (first + v) + 3 + k];
      }
      setAttributes(object.geometry, { position: [position, 3], normal: [normal, 3] });
    } else place(object, geom, this.reach);
    const material = object.material ?? object.userData.material;
    if (material.userData.uniforms) this.coat(material, object, geom, eye);
    this.colour(material, geom, i);
  }

  // Texture, mirror and fading.
  coat(material, object, geom, eye) {
    const { uniforms } = material.userData, coating = this.model.materials[geom.matid];
    const infinite = geom.type === Geom.plane && (geom.size[0] <= 0 || geom.size[1] <= 0);
    const texture = coating && coating.texture >= 0 && !this.isSegmented ? this.assets.texture(coating.texture) : null;
    let paint = "";
    if (texture) {
      const cube = texture.isCubeTexture;
      paint = geom.texcoord ? (cube ? "" : "given") : cube ? "cube" : "flat";
      uniforms.paint.value = texture;
      if (paint === "cube") uniforms.paintScale.value.set(...(coating.uniform ? geom.size : [1, 1, 1]));
      if (paint === "flat") uniforms.paintScale.value = new THREE.Vector2(...this.repetitions(geom, coating));
    }
    const mirror = geom.type === Geom.plane && geom.reflectance > 0 && geom.rgba[3] > 0.99 && Boolean(this.flags[RENDER.reflection]) && !this.isSegmented && !this.reflecting;
    if (mirror) {
      this.reflecting = { object, geom, material };
      uniforms.reflectance.value = geom.reflectance;
      uniforms.mirror.value = this.mirror.target.texture;
      uniforms.mirrorMatrix.value = this.mirror.matrix;
    }
    const fade = infinite && Boolean(this.flags[RENDER.haze]) && !this.isSegmented;
    uniforms.fadeEnd.value = 0.7 * this.model.zfar;
    material.userData.fades = fade;
    // From below, the ground hides nothing.
    const { pos, mat } = geom;
    material.userData.fainter = geom.type === Geom.plane && [0, 1, 2].reduce((sum, k) => sum + (eye.pos[k] - pos[k]) * mat[3 * k + 2], 0) < 0 ? 0.3 : 1;
    dress(material, { paint, mirror, fade });
  }

  get isSegmented() { return Boolean(this.flags[RENDER.segment] || this.flags[RENDER.idcolor]); }

  // Repetitions of a flat texture per unit of the shape's own coordinates: planes and boxes are unit shapes here.
  repetitions(geom, { repeat, uniform }) {
    return [0, 1].map((k) => {
      const size = geom.size[k];
      if (geom.type === Geom.plane) return size > 0 ? repeat[k] * (uniform ? size : 1) : repeat[k] * this.reach;
      const own = geom.dataid >= 0 && size > 0 ? repeat[k] / size : repeat[k];
      return uniform && size > 0 ? own * size : own;
    });
  }

  colour(material, geom, i) {
    const [r, g, b, a] = geom.rgba;
    const lit = material.emissive !== undefined, { fades = false, fainter = 1 } = material.userData;
    if (lit) {
      material.wireframe = Boolean(this.flags[RENDER.wireframe]);
      material.specular.setScalar(this.isSegmented ? 0 : geom.specular);
      material.shininess = Math.max(1, 128 * geom.shininess);
    }
    if (this.isSegmented) {
      const tint = material.emissive ?? material.color;
      material.color.setScalar(0);
      tint.setHSL((i * 0.61803) % 1, 0.65, 0.55);
    } else {
      material.color.setRGB(r, g, b);
      material.emissive?.setRGB(r, g, b).multiplyScalar(geom.emission);
    }
    const opacity = this.isSegmented ? 1 : a * fainter;
    const transparent = opacity < 0.999 || fades;
    if (material.transparent !== transparent) { material.transparent = transparent; material.needsUpdate = true; }
    material.depthWrite = opacity >= 0.999;
    material.opacity = opacity;
    material.blending = transparent && this.flags[RENDER.additive] && !fades ? THREE.AdditiveBlending : THREE.NormalBlending;
  }

  showLabels(frame, camera) {
    const texts = [];
    const point = new THREE.Vector3();
    for (let i = 0; i < frame.ngeom && texts.length < 400; i++) {
      const label = frame.label(i);
      if (!label) continue;
      const geom = frame.geom(i);
      point.set(...geom.pos).project(camera);
      if (point.z < 1 && Math.abs(point.x) < 1 && Math.abs(point.y) < 1) texts.push([label, point.x, point.y]);
    }
    while (this.labels.childElementCount > texts.length) this.labels.lastChild.remove();
    texts.forEach(([text, x, y], i) => {
      const span = this.labels.children[i] ?? this.labels.appendChild(document.createElement("span"));
      if (span.textContent !== text) span.textContent = text;
      span.style.left = `${50 + 50 * x}%`;
      span.style.top = `${50 - 50 * y}%`;
    });
  }

  render(camera) {
    this.scene.updateMatrixWorld();
    if (this.reflecting) {
      const { object, geom, material } = this.reflecting;
      const seen = this.mirror.draw(this.renderer, this.scene, camera, object, geom);
      if (!seen) material.userData.uniforms.reflectance.value = 0;
    }
    this.renderer.render(this.scene, camera);
  }

  resize(width, height) {
    this.renderer.setSize(width, height, false);
  }
}

function setAttributes(geometry, parts) {
  for (const [name, [array, width]] of Object.entries(parts)) {
    const old = geometry.attributes[name];
    if (old && old.array.length === array.length) { old.array.set(array); old.needsUpdate = true; }
    else geometry.setAttribute(name, new THREE.BufferAttribute(new Float32Array(array), width));
  }
}

function release(object) {
  object.traverse((part) => {
    part.material?.dispose();
    part.dispose?.();
    if (part.userData.own) part.geometry.dispose();
  });
}

// Where the model has no sky.
function gradient() {
  const canvas = document.createElement("canvas");
  canvas.width = 4;
  canvas.height = 512;
  const pen = canvas.getContext("2d");
  const fill = pen.createLinearGradient(0, 0, 0, 512);
  fill.addColorStop(0, "#3d4c5e");
  fill.addColorStop(0.55, "#7f8c99");
  fill.addColorStop(1, "#22201f");
  pen.fillStyle = fill;
  pen.fillRect(0, 0, 4, 512);
  return new THREE.CanvasTexture(canvas);
}
