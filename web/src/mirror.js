// What a reflecting plane shows: the scene from behind the plane, cut at it.

import * as THREE from "three";

const normal = new THREE.Vector3(), point = new THREE.Vector3(), target = new THREE.Vector3(), corner = new THREE.Vector4(), cut = new THREE.Plane(), edge = new THREE.Vector4();

export class Mirror {
  constructor() {
    this.target = new THREE.WebGLRenderTarget(16, 16, { samples: 4 });
    this.eye = new THREE.PerspectiveCamera();
    this.eye.matrixAutoUpdate = true;
    // From the world to places of the image.
    this.matrix = new THREE.Matrix4();
  }

  // Draws; `false` if the camera is behind the plane.
  draw(renderer, scene, camera, object, { pos, mat }) {
    normal.set(mat[2], mat[5], mat[8]).normalize();
    point.set(pos[0], pos[1], pos[2]);
    const height = target.copy(camera.position).sub(point).dot(normal);
    if (height <= 0) return false;
    const size = renderer.getDrawingBufferSize(new THREE.Vector2());
    if (this.target.width !== size.x || this.target.height !== size.y) this.target.setSize(size.x, size.y);
    const { eye } = this;
    eye.position.copy(camera.position).addScaledVector(normal, -2 * height);
    eye.up.set(0, 1, 0).applyQuaternion(camera.quaternion).reflect(normal);
    camera.getWorldDirection(target).reflect(normal).add(eye.position);
    eye.lookAt(target);
    eye.updateMatrixWorld();
    eye.projectionMatrix.copy(camera.projectionMatrix);
    this.matrix.set(0.5, 0, 0, 0.5, 0, 0.5, 0, 0.5, 0, 0, 0.5, 0.5, 0, 0, 0, 1).multiply(eye.projectionMatrix).multiply(eye.matrixWorldInverse);
    this.cutAt(eye);
    object.visible = false;
    const kept = renderer.shadowMap.autoUpdate;
    renderer.shadowMap.autoUpdate = false;
    renderer.setRenderTarget(this.target);
    renderer.clear();
    renderer.render(scene, eye);
    renderer.setRenderTarget(null);
    renderer.shadowMap.autoUpdate = kept;
    object.visible = true;
    return true;
  }

  // Makes the mirror the near plane: the third row of the projection is replaced by the plane, scaled so that the far corner
  // opposite to it stays in the clipped volume.
  cutAt(eye) {
    cut.setFromNormalAndCoplanarPoint(normal, point).applyMatrix4(eye.matrixWorldInverse);
    const p = eye.projectionMatrix.elements;
    edge.set(cut.normal.x, cut.normal.y, cut.normal.z, cut.constant);
    corner.set((Math.sign(edge.x) + p[8]) / p[0], (Math.sign(edge.y) + p[9]) / p[5], -1, (1 + p[10]) / p[14]);
    edge.multiplyScalar(2 / edge.dot(corner));
    [p[2], p[6], p[10], p[14]] = [edge.x, edge.y, edge.z + 1, edge.w];
    eye.projectionMatrixInverse.copy(eye.projectionMatrix).invert();
  }
}
