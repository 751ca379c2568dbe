//! Linear elasticity of a brick whose corners, and perhaps midpoints, are nodes.
//!
//! The matrix is −∫ (λ div u div v + 2μ ε(u):ε(v)) over the brick, by Gauss quadrature. MuJoCo 3.4.0
//! has μ instead of 2μ, and puts the outer points of its three-point rule at ±√(5/3) instead of
//! ±√(3/5), outside of the brick.

use corten_math::Vec3;
use corten_math::memory;

use super::stretch::{Material, lame};

/// Points and weights on the unit interval, as many as there are basis functions.
fn quadrature(order: usize, textbook: bool) -> Vec<(f64, f64)> {
    if order == 1 {
        let x = 0.5 / 3.0f64.sqrt();
        vec![(0.5 - x, 0.5), (0.5 + x, 0.5)]
    } else {
        let x = if textbook { 0.5 * 0.6f64.sqrt() } else { 0.5 / 0.6f64.sqrt() };
        vec![(0.5, 4.0 / 9.0), (0.5 - x, 5.0 / 18.0), (0.5 + x, 5.0 / 18.0)]
    }
}

/// Values and slopes of Lagrange's polynomials on the unit interval.
fn basis(order: usize, s: f64) -> Vec<(f64, f64)> {
    if order == 1 {
        vec![(1.0 - s, -1.0), (s, 1.0)]
    } else {
        vec![
            (2.0 * s * s - 3.0 * s + 1.0, 4.0 * s - 3.0),
            (4.0 * (s - s * s), 4.0 * (1.0 - 2.0 * s)),
            (2.0 * s * s - s, 4.0 * s - 1.0),
        ]
    }
}

/// The matrix, row by row, for nodes of which the last runs fastest along z. The brick lies along
/// the axes; `size` is its diagonal.
pub(super) fn matrix(size: Vec3, material: &Material, order: usize) -> Vec<f64> {
    let n = (order + 1).pow(3);
    let (mu, lambda) = lame(material.young, material.poisson);
    let mu = if material.textbook { 2.0 * mu } else { mu };
    let volume = size[0] * size[1] * size[2];
    let points: Vec<_> = quadrature(order, material.textbook)
        .into_iter()
        .map(|(s, w)| (basis(order, s), w))
        .collect();
    let mut k = memory::zeroed(9 * n * n);
    let mut gradient = vec![Vec3::ZERO; n];
    for (x, wx) in &points {
        for (y, wy) in &points {
            for (z, wz) in &points {
                let mut node = 0;
                for (fx, dx) in x {
                    for (fy, dy) in y {
                        for (fz, dz) in z {
                            gradient[node] = Vec3::new(
                                dx * fy * fz / size[0],
                                fx * dy * fz / size[1],
                                fx * fy * dz / size[2],
                            );
                            node += 1;
                        }
                    }
                }
                add_point(&mut k, &gradient, mu, lambda, wx * wy * wz * volume);
            }
        }
    }
    k
}

/// Adds what one point of the quadrature contributes.
fn add_point(k: &mut [f64], gradient: &[Vec3], mu: f64, lambda: f64, weight: f64) {
    let width = 3 * gradient.len();
    for (i, gi) in gradient.iter().enumerate() {
        for (j, gj) in gradient.iter().enumerate() {
            let dot = gi.dot(*gj);
            for a in 0..3 {
                for b in 0..3 {
                    let shear = gi[b] * gj[a] + if a == b { dot } else { 0.0 };
                    k[width * (3 * i + a) + 3 * j + b] -=
                        (lambda * gi[a] * gj[b] + mu * 0.5 * shear) * weight;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nodes(size: Vec3, order: usize) -> Vec<Vec3> {
        let at = |i: usize, k: usize| size[k] * i as f64 / order as f64;
        let mut out = Vec::new();
        for i in 0..=order {
            for j in 0..=order {
                for l in 0..=order {
                    out.push(Vec3::new(at(i, 0), at(j, 1), at(l, 2)));
                }
            }
        }
        out
    }

    fn energy(k: &[f64], u: &[Vec3]) -> f64 {
        let flat: Vec<f64> = u.iter().flat_map(|u| u.0).collect();
        let n = flat.len();
        let row = |i: usize| (0..n).map(|j| k[n * i + j] * flat[j]).sum::<f64>();
        -0.5 * (0..n).map(|i| flat[i] * row(i)).sum::<f64>()
    }

    const SIZE: Vec3 = Vec3([0.5, 0.8, 1.2]);

    fn material(young: f64, poisson: f64, textbook: bool) -> Material {
        Material { young, poisson, thickness: 0.0, textbook }
    }

    #[test]
    fn rigid_motions_cost_nothing() {
        for order in [1, 2] {
            let k = matrix(SIZE, &material(100.0, 0.3, false), order);
            let turn = Vec3::new(0.2, -0.4, 0.7);
            let u: Vec<Vec3> =
                nodes(SIZE, order).iter().map(|x| turn.cross(*x) + Vec3::X).collect();
            assert!(energy(&k, &u).abs() < 1e-10, "order {order}");
        }
    }

    /// A homogeneous strain has the energy ½V(μ ε:ε + λ tr²ε), by a textbook with 2μ.
    #[test]
    fn homogeneous_strain() {
        let (young, poisson) = (100.0, 0.25);
        let (mu, lambda) = lame(young, poisson);
        let volume = SIZE[0] * SIZE[1] * SIZE[2];
        for (order, textbook) in [(1, false), (1, true), (2, false), (2, true)] {
            let k = matrix(SIZE, &material(young, poisson, textbook), order);
            let mu = if textbook { 2.0 * mu } else { mu };
            let u: Vec<Vec3> = nodes(SIZE, order)
                .iter()
                .map(|x| Vec3::new(0.01 * x[0], -0.02 * x[1], 0.03 * x[2]))
                .collect();
            let (square, trace) = (1e-4 + 4e-4 + 9e-4, 0.02);
            let expected = 0.5 * volume * (mu * square + lambda * trace * trace);
            assert!((energy(&k, &u) - expected).abs() < 1e-12 * young);
        }
    }

    #[test]
    fn the_matrix_is_symmetric() {
        let k = matrix(SIZE, &material(1.0, 0.4, false), 2);
        for i in 0..81 {
            for j in 0..81 {
                assert!((k[81 * i + j] - k[81 * j + i]).abs() < 1e-14);
            }
        }
    }
}
