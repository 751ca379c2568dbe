// From the geoms, lights and cameras of a frame to a picture.

import * as THREE from "three";
import { Assets } from "./assets.js";
import { Geom } from "./decode.js";

const UNIT = {
  sphere: new THREE.SphereGeometry(1, 36, 22),
  cylinder: new THREE.CylinderGeometry(1, 1, 2, 36).rotateX(Math.PI / 2),
  box: new THREE.BoxGeometry(2, 2, 2),
  plane: new THREE.PlaneGeometry(2, 2),
  head: new THREE.ConeGeometry(1, 1, 24).rotateX(Math.PI / 2).translate(0, 0, -0.5),
  line: new THREE.BufferGeometry().setFromPoints([new THREE.Vector3(), new THREE.Vector3(0, 0, 1)]),
  linebox: new THREE.EdgesGeometry(new THREE.BoxGeometry(2, 2, 2)),
};
const RENDER = { shadow: 0, wireframe: 1, skybox: 4, fog: 5, haze: 6, segment: 7, idcolor: 8 };

export class Picture {
  constructor(canvas, labels) {
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: true, preserveDrawingBuffer: true });
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = THREE.PCFSoftShadowMap;
    this.renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
    this.labels = labels;
    this.scene = new THREE.Scene();
    this.world = new THREE.Group();
    this.scene.add(this.world);
    this.ambient = new THREE.AmbientLight(0xffffff, 1);
    this.scene.add(this.ambient);
    this.lights = [];
    this.objects = [];
    this.background = gradient();
    this.scene.background = this.background;
  }

  setModel(model, changed) {
    this.model = model;
    this.assets = new Assets(model, changed);
    this.world.clear();
    this.objects = [];
  }

  // Brings the objects to a frame.
  update(frame, flags, eye) {
    this.flags = flags;
    for (let i = 0; i < frame.ngeom; i++) {
      const geom = frame.geom(i);
      const key = `${geom.type} ${geom.dataid} ${geom.matid} ${geom.type === Geom.flex || geom.type === Geom.skin ? geom.objid : ""}`;
      let object = this.objects[i];
      if (!object || object.userData.key !== key) {
        if (object) { this.world.remove(object); release(object); }
        object = this.make(geom);
        if (!object) { this.objects[i] = undefined; continue; }
        object.userData.key = key;
        object.matrixAutoUpdate = false;
        this.objects[i] = object;
        this.world.add(object);
      }
      this.place(object, geom, frame, eye, i);
    }
    for (let i = frame.ngeom; i < this.objects.length; i++) if (this.objects[i]) { this.world.remove(this.objects[i]); release(this.objects[i]); }
    this.objects.length = frame.ngeom;
    this.light(frame, eye);
    this.scene.background = flags[RENDER.skybox] && this.assets.sky ? this.assets.sky : this.background;
    this.scene.backgroundRotation.set(Math.PI / 2, 0, 0);
    const haze = this.model.haze;
    this.scene.fog = flags[RENDER.fog] ? new THREE.Fog(new THREE.Color(haze[0], haze[1], haze[2]), 3 * this.model.extent, 10 * this.model.extent) : null;
  }

  make(geom) {
    const material = this.material(geom);
    const mesh = (geometry) => {
      const object = new THREE.Mesh(geometry, material);
      object.castShadow = object.receiveShadow = geom.category !== 4;
      return object;
    };
    const group = (...parts) => { const all = new THREE.Group(); all.add(...parts); return all; };
    switch (geom.type) {
      case Geom.plane: { const object = mesh(UNIT.plane); object.castShadow = false; object.receiveShadow = true; return object; }
      case Geom.sphere: case Geom.ellipsoid: return mesh(UNIT.sphere);
      case Geom.cylinder: return mesh(UNIT.cylinder);
      case Geom.box: return mesh(UNIT.box);
      case Geom.capsule: return group(mesh(UNIT.cylinder), mesh(UNIT.sphere), mesh(UNIT.sphere));
      case Geom.arrow: case Geom.arrow1: return group(mesh(UNIT.cylinder), mesh(UNIT.head));
      case Geom.arrow2: return group(mesh(UNIT.cylinder), mesh(UNIT.head), mesh(UNIT.head));
      case Geom.line: return new THREE.Line(UNIT.line, lineMaterial(material));
      case Geom.linebox: return new THREE.LineSegments(UNIT.linebox, lineMaterial(material));
      case Geom.mesh: case Geom.sdf: {
        const shape = this.assets.shape(geom.dataid % 2 ? "hull" : "mesh", geom.dataid >> 1);
        return shape && mesh(shape);
      }
      case Geom.hfield: {
        const shape = this.assets.shape("hfield", geom.dataid);
        return shape && group(mesh(shape), mesh(shape.userData.base));
      }
      case Geom.triangle: case Geom.flex: { const object = mesh(new THREE.BufferGeometry()); object.frustumCulled = false; material.side = THREE.DoubleSide; return geom.type === Geom.flex ? group(object, new THREE.LineSegments(new THREE.BufferGeometry(), lineMaterial(material))) : object; }
      case Geom.skin: {
        const shape = this.assets.shape("skin", geom.objid);
        if (!shape) return null;
        const object = mesh(new THREE.BufferGeometry());
        object.frustumCulled = false;
        return object;
      }
      case Geom.label: return new THREE.Object3D();
      default: return null;
    }
  }

  material(geom) {
    const own = this.model.materials[geom.matid];
    const material = new THREE.MeshPhongMaterial({ color: 0xffffff });
    if (own && own.texture >= 0) {
      const texture = this.assets.texture(own.texture);
      material.userData.wants = own.texture;
      if (texture) { material.map = texture.clone(); material.map.needsUpdate = true; material.userData.wants = -1; }
    }
    return material;
  }

  place(object, geom, frame, eye, i) {
    const { size, pos, mat, rgba } = geom;
    const x = size[0], y = size[1], z = size[2];
    const at = (part, sx, sy, sz, dz = 0) => { part.scale.set(sx, sy, sz); part.position.set(0, 0, dz); };
    let centre = pos;
    const matrix = (sx, sy, sz) => object.matrix.set(
      mat[0] * sx, mat[1] * sy, mat[2] * sz, centre[0], mat[3] * sx, mat[4] * sy, mat[5] * sz, centre[1], mat[6] * sx, mat[7] * sy, mat[8] * sz, centre[2], 0, 0, 0, 1);
    switch (geom.type) {
      case Geom.plane: {
        const far = Math.min(this.model.zfar, 60 * this.model.extent);
        const sx = x > 0 ? x : far, sy = y > 0 ? y : far;
        this.repeat(object.material, geom, sx, sy);
        matrix(sx, sy, 1);
        break;
      }
      case Geom.sphere: case Geom.ellipsoid: case Geom.box: case Geom.cylinder: case Geom.linebox: matrix(x, y, z); break;
      case Geom.capsule: { const [body, top, bottom] = object.children; at(body, x, y, z); at(top, x, y, x, z); at(bottom, x, y, x, -z); matrix(1, 1, 1); break; }
      case Geom.arrow: case Geom.arrow1: { const [shaft, head] = object.children, h = Math.min(3 * x, 0.5 * z); at(shaft, x, y, (z - h) / 2, (z - h) / 2); at(head, 1.75 * x, 1.75 * y, h, z); matrix(1, 1, 1); break; }
      case Geom.arrow2: {
        const [shaft, head, tail] = object.children, h = Math.min(3 * x, 0.5 * z);
        at(shaft, x, y, z - h); at(head, 1.75 * x, 1.75 * y, h, z); at(tail, 1.75 * x, 1.75 * y, h, -z); tail.rotation.x = Math.PI; matrix(1, 1, 1); break;
      }
      case Geom.line: matrix(1, 1, z); break;
      case Geom.triangle: { setTriangle(object.geometry, geom); object.matrix.identity(); break; }
      case Geom.flex: this.flex(object, geom, frame); break;
      case Geom.skin: this.skin(object, geom, frame); break;
      default: matrix(1, 1, 1);
    }
    object.matrixWorldNeedsUpdate = true;
    for (const part of object.children) part.updateMatrix();
    const paint = object.material ?? object.children[0]?.material;
    if (paint) this.paint(paint, geom, i);
  }

  paint(material, geom, i) {
    const [r, g, b, a] = geom.rgba;
    if (material.userData.wants >= 0) {
      const texture = this.assets.texture(material.userData.wants);
      if (texture) { material.map = texture.clone(); material.map.needsUpdate = true; material.userData.wants = -1; material.needsUpdate = true; }
    }
    if (this.flags[RENDER.segment] || this.flags[RENDER.idcolor]) {
      material.color.setHSL((i * 0.61803) % 1, 0.65, 0.55);
      material.emissive?.copy(material.color).multiplyScalar(0.6);
      return;
    }
    material.color.setRGB(r, g, b, THREE.SRGBColorSpace);
    if (material.emissive) {
      material.emissive.setRGB(r, g, b, THREE.SRGBColorSpace).multiplyScalar(Math.min(geom.emission, 1));
      const s = 0.35 * geom.specular;
      material.specular.setRGB(s, s, s);
      material.shininess = Math.max(1, 128 * geom.shininess);
      material.wireframe = Boolean(this.flags[RENDER.wireframe]);
    }
    const transparent = a < 0.999;
    if (material.transparent !== transparent) { material.transparent = transparent; material.depthWrite = !transparent; material.needsUpdate = true; }
    material.opacity = a;
  }

  // Textures repeat per size, or per unit of length if they are uniform; an infinite plane always does.
  repeat(material, geom, sx, sy) {
    const own = this.model.materials[geom.matid];
    if (!material.map || !own) return;
    const infinite = geom.size[0] <= 0 || geom.size[1] <= 0;
    const [rx, ry] = own.repeat;
    material.map.repeat.set(own.uniform || infinite ? rx * sx * (infinite ? 1 : 1) : rx, own.uniform || infinite ? ry * sy : ry);
    if (infinite) { material.map.repeat.set(rx * sx, ry * sy); material.map.offset.set(-0.5 * rx * sx % 1, -0.5 * ry * sy % 1); }
  }

  flex(object, geom, frame) {
    const id = geom.objid, faces = frame.flexFaces[id];
    const [skin, edges] = object.children;
    setAttributes(skin.geometry, { position: [faces.position, 3], normal: [faces.normal, 3], uv: [faces.uv, 2] });
    const [vertAdr, , , , edgeAdr, edgeNum] = frame.flexes.subarray(6 * id, 6 * id + 6);
    const showEdges = faces.position.length === 0;
    edges.visible = showEdges;
    if (showEdges) {
      const points = new Float32Array(6 * edgeNum);
      for (let e = 0; e < edgeNum; e++) for (let k = 0; k < 2; k++) {
        const v = 3 * (vertAdr + frame.flexEdge[2 * (edgeAdr + e) + k]);
        points.set(frame.flexVert.subarray(v, v + 3), 6 * e + 3 * k);
      }
      setAttributes(edges.geometry, { position: [points, 3] });
      edges.frustumCulled = false;
      this.paint(edges.material, geom, 0);
    }
    object.matrix.identity();
  }

  skin(object, geom, frame) {
    const count = frame.nskinvert, position = new Float32Array(3 * count), normal = new Float32Array(3 * count);
    for (let v = 0; v < count; v++) { position.set(frame.skinVert.subarray(6 * v, 6 * v + 3), 3 * v); normal.set(frame.skinVert.subarray(6 * v + 3, 6 * v + 6), 3 * v); }
    setAttributes(object.geometry, { position: [position, 3], normal: [normal, 3] });
    if (!object.geometry.index) object.geometry.setIndex(new THREE.BufferAttribute(new Uint32Array(this.assets.shape("skin", geom.objid)), 1));
    object.matrix.identity();
  }

  light(frame, eye) {
    const ambient = new THREE.Color(0, 0, 0);
    let shadows = 0;
    for (let i = 0; i < Math.min(frame.nlight, 8); i++) {
      const light = frame.light(i);
      ambient.r += light.ambient[0]; ambient.g += light.ambient[1]; ambient.b += light.ambient[2];
      const kind = light.type === 1 ? "directional" : "spot";
      let own = this.lights[i];
      if (!own || own.userData.kind !== kind) {
        if (own) this.scene.remove(own, own.target);
        own = kind === "directional" ? new THREE.DirectionalLight() : new THREE.SpotLight();
        own.userData.kind = kind;
        if (own.shadow) { own.shadow.mapSize.set(2048, 2048); own.shadow.bias = -0.0004; own.shadow.normalBias = 0.01; }
        this.lights[i] = own;
        this.scene.add(own, own.target);
      }
      own.visible = true;
      own.color.setRGB(light.diffuse[0], light.diffuse[1], light.diffuse[2]);
      own.intensity = Math.PI;
      const extent = this.model.extent, reach = Math.min(3 * extent, 30);
      const pos = light.headlight ? eye.pos : light.pos, dir = light.headlight ? eye.forward : light.dir;
      if (kind === "directional") {
        // Only the direction counts: the shadow is taken around the model.
        const centre = this.model.center;
        own.position.set(centre[0] - dir[0] * 2 * reach, centre[1] - dir[1] * 2 * reach, centre[2] - dir[2] * 2 * reach);
        own.target.position.set(...centre);
        Object.assign(own.shadow.camera, { left: -reach, right: reach, top: reach, bottom: -reach, near: 0.01, far: 5 * reach });
      } else {
        own.position.set(...pos);
        own.target.position.set(pos[0] + dir[0], pos[1] + dir[1], pos[2] + dir[2]);
        own.angle = Math.min((light.cutoff * Math.PI) / 180, Math.PI / 2 - 0.01);
        own.penumbra = 0.4;
        own.decay = 0;
        own.distance = 0;
      }
      own.castShadow = Boolean(this.flags[RENDER.shadow]) && light.castshadow && !light.headlight && shadows < 3;
      shadows += own.castShadow;
    }
    for (let i = frame.nlight; i < this.lights.length; i++) if (this.lights[i]) this.lights[i].visible = false;
    this.ambient.color.setRGB(0.12 + ambient.r, 0.12 + ambient.g, 0.12 + ambient.b);
    this.ambient.intensity = Math.PI;
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
    this.renderer.render(this.scene, camera);
  }

  resize(width, height) {
    this.renderer.setSize(width, height, false);
  }
}

function lineMaterial() {
  return new THREE.LineBasicMaterial();
}

function setAttributes(geometry, parts) {
  for (const [name, [array, width]] of Object.entries(parts)) {
    const old = geometry.attributes[name];
    if (old && old.array.length === array.length) { old.array.set(array); old.needsUpdate = true; }
    else geometry.setAttribute(name, new THREE.BufferAttribute(new Float32Array(array), width));
  }
}

function setTriangle(geometry, { pos, mat, size }) {
  const corner = (k, length) => [0, 1, 2].map((r) => pos[r] + mat[3 * r + k] * length);
  const normal = [mat[2], mat[5], mat[8]];
  setAttributes(geometry, { position: [[...pos, ...corner(0, size[0]), ...corner(1, size[1])], 3], normal: [[...normal, ...normal, ...normal], 3] });
}

function release(object) {
  object.traverse((part) => {
    part.material?.map?.dispose();
    part.material?.dispose();
    if (part.geometry && part.userData.own) part.geometry.dispose();
  });
}

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
  const texture = new THREE.CanvasTexture(canvas);
  texture.colorSpace = THREE.SRGBColorSpace;
  return texture;
}
