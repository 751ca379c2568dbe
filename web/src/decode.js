// A frame's bytes as typed arrays; the server's `frame` module describes them.

export const Geom = {
  plane: 0, hfield: 1, sphere: 2, capsule: 3, ellipsoid: 4, cylinder: 5, box: 6, mesh: 7, sdf: 8, arrow: 100, arrow1: 101, arrow2: 102,
  line: 103, linebox: 104, flex: 105, skin: 106, label: 107, triangle: 108,
};

const text = new TextDecoder();

// Offsets of a geom record, in words of four bytes.
const LABEL = 31, SIZE = 8, POS = 11, MAT = 14, RGBA = 23, EMISSION = 27;

export class Frame {
  constructor(buffer, layout) {
    this.buffer = buffer;
    const counts = new Uint32Array(buffer, 0, 8);
    [this.ngeom, this.nlight, this.ncam, this.nflex, this.nflexvert, this.nflexface, this.nskinvert, this.nflexedge] = counts;
    let at = 32;
    const floats = (n) => { const part = new Float32Array(buffer, at, n); at += 4 * n; return part; };
    const ints = (n) => { const part = new Int32Array(buffer, at, n); at += 4 * n; return part; };
    this.stride = layout.geom / 4;
    this.geomInts = new Int32Array(buffer, at, this.ngeom * this.stride);
    this.geomFloats = new Float32Array(buffer, at, this.ngeom * this.stride);
    this.geomStart = at;
    at += this.ngeom * layout.geom;
    this.lightStride = layout.light / 4;
    this.lightInts = new Int32Array(buffer, at, this.nlight * this.lightStride);
    this.lightFloats = new Float32Array(buffer, at, this.nlight * this.lightStride);
    this.lightStart = at;
    at += this.nlight * layout.light;
    this.cameras = floats(12 * this.ncam);
    this.coms = floats(3 * ints(1)[0]);
    this.flexes = ints(6 * this.nflex);
    this.flexVert = floats(3 * this.nflexvert);
    this.flexEdge = ints(2 * this.nflexedge);
    this.flexFaces = [];
    for (let f = 0; f < this.nflex; f++) {
      const used = this.flexes[6 * f + 3];
      this.flexFaces.push({ position: floats(9 * used), normal: floats(9 * used), uv: floats(6 * used) });
    }
    this.skinVert = floats(6 * this.nskinvert);
  }

  geom(i) {
    const base = i * this.stride, ints = this.geomInts, floats = this.geomFloats;
    return {
      type: ints[base], dataid: ints[base + 1], objtype: ints[base + 2], objid: ints[base + 3], category: ints[base + 4], matid: ints[base + 5],
      texcoord: ints[base + 6], size: floats.subarray(base + SIZE, base + SIZE + 3), pos: floats.subarray(base + POS, base + POS + 3),
      mat: floats.subarray(base + MAT, base + MAT + 9), rgba: floats.subarray(base + RGBA, base + RGBA + 4), emission: floats[base + EMISSION],
      specular: floats[base + EMISSION + 1], shininess: floats[base + EMISSION + 2], reflectance: floats[base + EMISSION + 3],
    };
  }

  label(i) {
    const bytes = new Uint8Array(this.buffer, this.geomStart + 4 * (i * this.stride + LABEL), 100);
    if (!bytes[0]) return "";
    const end = bytes.indexOf(0);
    return text.decode(bytes.subarray(0, end < 0 ? 100 : end));
  }

  light(i) {
    const base = i * this.lightStride, ints = this.lightInts, floats = this.lightFloats;
    const bytes = new Uint8Array(this.buffer, this.lightStart + 4 * (base + 23), 2);
    const vector = (k) => floats.subarray(base + k, base + k + 3);
    return {
      id: ints[base], pos: vector(1), dir: vector(4), type: ints[base + 7], attenuation: vector(9), cutoff: floats[base + 12], exponent: floats[base + 13],
      ambient: vector(14), diffuse: vector(17), specular: vector(20), headlight: bytes[0] !== 0, castshadow: bytes[1] !== 0,
    };
  }
}
