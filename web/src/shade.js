// Light and paint as MuJoCo's renderer has them (the fixed functions of OpenGL), in three.js's Phong shader: colours as they
// are written, highlights by the half vector, spots that fade with a power of the cosine, textures by MuJoCo's rules.

import * as THREE from "three";

THREE.ColorManagement.enabled = false;

const chunk = THREE.ShaderChunk;
chunk.lights_phong_pars_fragment = chunk.lights_phong_pars_fragment.replace(/reflectedLight\.directSpecular \+=[^;]*;/, `
  float dotNH = saturate(dot(geometryNormal, normalize(directLight.direction + geometryViewDir)));
  if (dotNL > 0.0) reflectedLight.directSpecular += directLight.color * RECIPROCAL_PI * material.specularColor
    * pow(dotNH, material.specularShininess) * material.specularStrength;`);
// The place of the penumbra between cone and axis tells the exponent: see `penumbra`.
chunk.lights_pars_begin = chunk.lights_pars_begin.replace("return smoothstep( coneCosine, penumbraCosine, angleCosine );", `
  float part = clamp((penumbraCosine - coneCosine) / max(1.0 - coneCosine, 1e-6), 0.0, 0.99);
  return angleCosine < coneCosine ? 0.0 : pow(angleCosine, 10.0 * part / (1.0 - part));`);

export function penumbra(exponent, angle) {
  const part = exponent / (exponent + 10), cone = Math.cos(angle);
  return 1 - Math.acos(cone + part * (1 - cone)) / angle;
}

const VERTEX_HEAD = `
  #if defined(PAINT_FLAT)
    uniform vec2 paintScale; varying vec2 vPaint;
  #elif defined(PAINT_GIVEN)
    varying vec2 vPaint;
  #elif defined(PAINT_CUBE)
    uniform vec3 paintScale; varying vec3 vPaint;
  #endif
  #ifdef MIRROR
    uniform mat4 mirrorMatrix; varying vec4 vMirror;
  #endif
`;
const VERTEX_BODY = `
  #if defined(PAINT_FLAT)
    vPaint = 0.5 * paintScale * vec2(position.x, -position.y) - 0.5;
  #elif defined(PAINT_GIVEN)
    vPaint = uv;
  #elif defined(PAINT_CUBE)
    vPaint = paintScale * position;
  #endif
  #ifdef MIRROR
    vMirror = mirrorMatrix * modelMatrix * vec4(position, 1.0);
  #endif
`;
const FRAGMENT_HEAD = `
  #if defined(PAINT_FLAT) || defined(PAINT_GIVEN)
    uniform sampler2D paint; varying vec2 vPaint;
  #elif defined(PAINT_CUBE)
    uniform samplerCube paint; varying vec3 vPaint;
  #endif
  #ifdef MIRROR
    uniform sampler2D mirror; uniform float reflectance; varying vec4 vMirror;
  #endif
  #ifdef FADE
    uniform float fadeEnd;
  #endif
`;
const FRAGMENT_PAINT = `
  #if defined(PAINT_FLAT) || defined(PAINT_GIVEN)
    diffuseColor *= texture2D(paint, vPaint);
  #elif defined(PAINT_CUBE)
    diffuseColor *= textureCube(paint, vPaint);
  #endif
  #ifdef FADE
    diffuseColor.a *= 1.0 - smoothstep(0.25 * fadeEnd, fadeEnd, length(vViewPosition));
  #endif
`;
const FRAGMENT_MIRROR = `
  #ifdef MIRROR
    outgoingLight = (1.0 - reflectance) * outgoingLight + reflectance * texture2DProj(mirror, vMirror).rgb;
  #endif
`;

// A material whose paint, mirror and fading are chosen by `dress`.
export function surface(options = {}) {
  const material = new THREE.MeshPhongMaterial({ color: 0xffffff, ...options });
  const uniforms = {
    paint: { value: null }, paintScale: { value: new THREE.Vector3(1, 1, 1) }, mirror: { value: null }, mirrorMatrix: { value: new THREE.Matrix4() },
    reflectance: { value: 0 }, fadeEnd: { value: 1 },
  };
  material.userData = { uniforms, mode: "", dress: "" };
  material.onBeforeCompile = (shader) => {
    Object.assign(shader.uniforms, uniforms);
    shader.vertexShader = VERTEX_HEAD + shader.vertexShader.replace("#include <begin_vertex>", `#include <begin_vertex>${VERTEX_BODY}`);
    shader.fragmentShader = shader.fragmentShader.replace("#include <common>", `#include <common>${FRAGMENT_HEAD}`)
      .replace("#include <map_fragment>", FRAGMENT_PAINT).replace("#include <envmap_fragment>", FRAGMENT_MIRROR);
  };
  return material;
}

// Chooses the parts of the shader: `paint` is flat, given, cube or none.
export function dress(material, { paint = "", mirror = false, fade = false }) {
  const own = material.userData, key = `${paint}|${mirror}|${fade}`;
  if (own.dress === key) return;
  own.dress = key;
  material.defines = {};
  if (paint) material.defines[`PAINT_${paint.toUpperCase()}`] = "";
  if (mirror) material.defines.MIRROR = "";
  if (fade) material.defines.FADE = "";
  material.needsUpdate = true;
}
