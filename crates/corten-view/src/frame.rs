//! A picture of a state, as bytes: little-endian, every part aligned to four bytes.
//!
//! ```text
//! counts     8 × u32: geoms, lights, cameras, flexes, flex vertices, flex faces, skin vertices, flex edges
//! geoms      records of `Geom`
//! lights     records of `Light`
//! cameras    position and orientation of the model's cameras, 12 × f32 each
//! tracked    centre of mass of each body's subtree, 3 × f32 each, after their number as u32
//! flexes     per flex 6 × i32: first vertex, vertices, first face, faces used, first edge, edges; then
//!            positions of vertices, vertices of edges, positions and normals of faces, texture coordinates
//! skins      per vertex position and normal
//! ```

use corten_scene::Scene;
use corten_sim::{Data, Model};

/// See the module.
pub fn encode(m: &Model, d: &Data, scene: &Scene) -> Vec<u8> {
    let faces: usize = scene.flex.faceused.iter().map(|n| *n as usize).sum();
    let counts = [
        scene.geoms.len(),
        scene.lights.len(),
        m.ncam,
        m.nflex,
        scene.flex.vert.len(),
        faces,
        scene.skin.vert.len(),
        scene.flex.edge.len(),
    ];
    let mut out = Vec::with_capacity(256 * scene.geoms.len() + 4096);
    for count in counts {
        out.extend((count as u32).to_le_bytes());
    }
    out.extend(bytemuck::cast_slice::<_, u8>(&scene.geoms));
    out.extend(bytemuck::cast_slice::<_, u8>(&scene.lights));
    for (pos, mat) in d.cam_xpos.iter().zip(&d.cam_xmat) {
        floats(&mut out, pos.0);
        floats(&mut out, mat.0);
    }
    out.extend((d.subtree_com.len() as u32).to_le_bytes());
    for com in &d.subtree_com {
        floats(&mut out, com.0);
    }
    flexes(&mut out, scene);
    for (vertex, normal) in scene.skin.vert.iter().zip(&scene.skin.normal) {
        out.extend(bytemuck::cast_slice::<_, u8>(vertex));
        out.extend(bytemuck::cast_slice::<_, u8>(normal));
    }
    out
}

fn floats<const N: usize>(out: &mut Vec<u8>, values: [f64; N]) {
    for x in values {
        out.extend((x as f32).to_le_bytes());
    }
}

fn flexes(out: &mut Vec<u8>, scene: &Scene) {
    let flex = &scene.flex;
    let mut first = 0;
    for f in 0..flex.faceadr.len() {
        let used = flex.faceused[f];
        let numbers =
            [flex.vertadr[f], flex.vertnum[f], first, used, flex.edgeadr[f], flex.edgenum[f]];
        out.extend(bytemuck::cast_slice::<_, u8>(&numbers));
        first += used;
    }
    out.extend(bytemuck::cast_slice::<_, u8>(&flex.vert));
    out.extend(bytemuck::cast_slice::<_, u8>(&flex.edge));
    for f in 0..flex.faceadr.len() {
        let start = flex.faceadr[f] as usize;
        let used = start..start + flex.faceused[f] as usize;
        out.extend(bytemuck::cast_slice::<_, u8>(&flex.face[used.clone()]));
        out.extend(bytemuck::cast_slice::<_, u8>(&flex.normal[used.clone()]));
        out.extend(bytemuck::cast_slice::<_, u8>(&flex.texcoord[used]));
    }
}
