//! Vertex normals for drawing: area-weighted means of face normals.

use corten_math::Vec3;
use corten_math::memory::{self, Gather};

/// Faces whose normal makes a larger angle with the mean normal than this cosine do not
/// contribute, so that sharp edges stay sharp on their dominant side.
const SHARP_COSINE: f64 = 0.8;

/// One normal per vertex, three scalars each.
pub(super) fn make(vert: &[Vec3], faces: &[[i32; 3]], smooth: bool) -> Vec<f32> {
    // Normals weighted by twice the area.
    let weighted: Vec<(Vec3, f64)> = faces
        .iter()
        .map(|f| {
            let [a, b, c] = f.map(|i| vert[i as usize]);
            let n = (b - a).cross(c - a);
            let length = n.norm();
            if length * length < 1e-14 { (n, 0.0) } else { (n / length, length) }
        })
        .gather();
    let mut normal = memory::filled(0f32, 3 * vert.len());
    for (face, (n, area)) in faces.iter().zip(&weighted) {
        for &v in face {
            for k in 0..3 {
                let x = &mut normal[3 * v as usize + k];
                *x = (f64::from(*x) + n[k] * area) as f32;
            }
        }
    }
    if !smooth {
        let mut remove = memory::filled(0f32, normal.len());
        for (face, (n, area)) in faces.iter().zip(&weighted) {
            for &v in face {
                let at = 3 * v as usize;
                let mean = Vec3(std::array::from_fn(|k| f64::from(normal[at + k])));
                let length = mean.norm();
                let cosine =
                    if length * length < 1e-14 { n.dot(mean) } else { n.dot(mean) / length };
                if cosine < SHARP_COSINE {
                    for k in 0..3 {
                        let x = &mut remove[at + k];
                        *x = (f64::from(*x) + n[k] * area) as f32;
                    }
                }
            }
        }
        for (x, r) in normal.iter_mut().zip(&remove) {
            *x -= r;
        }
    }
    for n in normal.chunks_exact_mut(3) {
        let length = (n[0] * n[0] + n[1] * n[1] + n[2] * n[2]).sqrt();
        if length > 1e-15 {
            n.iter_mut().for_each(|x| *x /= length);
        } else {
            n.copy_from_slice(&[0.0, 0.0, 1.0]);
        }
    }
    normal
}
