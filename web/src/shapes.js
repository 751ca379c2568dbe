// The shapes of geoms, and how they are placed.

import * as THREE from "three";
import { Geom } from "./decode.js";

const side = (object) => { object.deleteAttribute("uv"); return object; };
export const UNIT = {
  sphere: side(new THREE.SphereGeometry(1, 32, 20).rotateX(Math.PI / 2)),
  top: side(new THREE.SphereGeometry(1, 32, 10, 0, 2 * Math.PI, 0, Math.PI / 2).rotateX(Math.PI / 2)),
  bottom: side(new THREE.SphereGeometry(1, 32, 10, 0, 2 * Math.PI, Math.PI / 2, Math.PI / 2).rotateX(Math.PI / 2)),
  cylinder: side(new THREE.CylinderGeometry(1, 1, 2, 32).rotateX(Math.PI / 2)),
  tube: side(new THREE.CylinderGeometry(1, 1, 2, 32, 1, true).rotateX(Math.PI / 2)),
  box: side(new THREE.BoxGeometry(2, 2, 2)),
  plane: side(new THREE.PlaneGeometry(2, 2)),
  cone: side(new THREE.ConeGeometry(1, 1, 24).rotateX(Math.PI / 2).translate(0, 0, 0.5)),
  line: new THREE.BufferGeometry().setFromPoints([new THREE.Vector3(), new THREE.Vector3(0, 0, 1)]),
  linebox: new THREE.EdgesGeometry(new THREE.BoxGeometry(2, 2, 2)),
  triangle: (() => {
    const shape = new THREE.BufferGeometry().setFromPoints([new THREE.Vector3(), new THREE.Vector3(1, 0, 0), new THREE.Vector3(0, 1, 0)]);
    shape.computeVertexNormals();
    return shape;
  })(),
};

// Puts a part into its object: factors per axis, then height, and a half turn for what points down.
function put(part, sx, sy, sz, z = 0, down = false) {
  part.scale.set(sx, sy, sz);
  part.position.set(0, 0, z);
  part.rotation.x = down ? Math.PI : 0;
  part.updateMatrix();
}

// Sizes are those of the scene: see its `Geom`.
export function place(object, geom, far) {
  const { pos, mat, type } = geom;
  const [x, y, z] = geom.size, parts = object.children;
  let scale = [1, 1, 1];
  switch (type) {
    case Geom.plane: scale = [x > 0 ? x : far, y > 0 ? y : far, 1]; break;
    case Geom.sphere: case Geom.ellipsoid: case Geom.box: case Geom.cylinder: case Geom.linebox: scale = [x, y, z]; break;
    case Geom.capsule: { const r = 0.5 * (x + y); put(parts[0], x, y, z); put(parts[1], x, y, r, z); put(parts[2], x, y, r, -z); break; }
    case Geom.arrow: case Geom.arrow1: {
      const wide = type === Geom.arrow ? 1.75 : 1;
      put(parts[0], x, y, z / 6, z / 6); put(parts[1], wide * x, wide * y, z / 6, z / 3); break;
    }
    case Geom.arrow2: put(parts[0], x, y, z / 3); put(parts[1], 1.75 * x, 1.75 * y, z / 6, z / 3); put(parts[2], 1.75 * x, 1.75 * y, z / 6, -z / 3, true); break;
    case Geom.line: scale = [1, 1, z]; break;
    case Geom.triangle: scale = [x, y, 1]; break;
    default:
  }
  const [sx, sy, sz] = scale;
  object.matrix.set(mat[0] * sx, mat[1] * sy, mat[2] * sz, pos[0], mat[3] * sx, mat[4] * sy, mat[5] * sz, pos[1], mat[6] * sx, mat[7] * sy, mat[8] * sz, pos[2], 0, 0, 0, 1);
  object.matrixWorldNeedsUpdate = true;
}

const way = new THREE.Vector3(), middle = new THREE.Vector3(), turn = new THREE.Quaternion(), UP = new THREE.Vector3(0, 0, 1), size = new THREE.Vector3(), matrix = new THREE.Matrix4();

// Spheres at the vertices of a flex, and rods along its edges.
export function placeFlex(spheres, rods, frame, id, radius, showVertices, showEdges) {
  const [first, count, , , firstEdge, edges] = frame.flexes.subarray(6 * id, 6 * id + 6);
  spheres.count = showVertices ? Math.min(count, spheres.instanceMatrix.count) : 0;
  for (let v = 0; v < spheres.count; v++) {
    const p = frame.flexVert.subarray(3 * (first + v), 3 * (first + v) + 3);
    spheres.setMatrixAt(v, matrix.makeScale(radius, radius, radius).setPosition(p[0], p[1], p[2]));
  }
  rods.count = showEdges ? Math.min(edges, rods.instanceMatrix.count) : 0;
  for (let e = 0; e < rods.count; e++) {
    const [a, b] = [0, 1].map((k) => 3 * (first + frame.flexEdge[2 * (firstEdge + e) + k]));
    const v = frame.flexVert;
    way.set(v[b] - v[a], v[b + 1] - v[a + 1], v[b + 2] - v[a + 2]);
    middle.set(0.5 * (v[a] + v[b]), 0.5 * (v[a + 1] + v[b + 1]), 0.5 * (v[a + 2] + v[b + 2]));
    const length = way.length();
    turn.setFromUnitVectors(UP, length > 0 ? way.divideScalar(length) : UP);
    rods.setMatrixAt(e, matrix.compose(middle, turn, size.set(radius, radius, 0.5 * length)));
  }
  spheres.instanceMatrix.needsUpdate = rods.instanceMatrix.needsUpdate = true;
}
