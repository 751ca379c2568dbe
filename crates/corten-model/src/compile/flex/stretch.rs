//! Stiffness of triangles and tetrahedra against stretching.
//!
//! With hat functions λ, a deformation of linear elements changes the squared lengths of edges by
//! `s`, and its Green strain is −½ Σ s_e T_e, where T_e is the symmetric product of ∇λ at the ends
//! of edge e (Weischedel, "A discrete geometric view on shear-deformable shell models", 2012). The
//! energy of St Venant and Kirchhoff, V(μ E:E + ½λ tr²E), is a quadratic form in `s` then, with the
//! matrix V(μ T_e:T_f + ½λ tr T_e tr T_f), which needs no more than the products of gradients. MuJoCo
//! 3.4.0 counts λ twice, takes a quarter of the volume of a shell, and does not let its thickness
//! change (plane stress).

use corten_math::Vec3;

use super::topology::local_edges;

/// Numbers per element: the upper triangle for the six edges of a tetrahedron.
pub(super) const STRIDE: usize = 21;

/// Lamé's constants μ and λ.
pub(super) fn lame(young: f64, poisson: f64) -> (f64, f64) {
    let mu = young / (2.0 * (1.0 + poisson));
    (mu, young * poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson)))
}

/// Gradients of hat functions, and the measure of the element: area or signed volume.
fn gradients(x: &[Vec3]) -> ([Vec3; 4], f64) {
    let mut g = [Vec3::ZERO; 4];
    let (e1, e2) = (x[1] - x[0], x[2] - x[0]);
    let normal = e1.cross(e2);
    let measure = if let Some(&x3) = x.get(3) {
        let e3 = x3 - x[0];
        let six = normal.dot(e3);
        g[1] = e2.cross(e3) / six;
        g[2] = e3.cross(e1) / six;
        g[3] = normal / six;
        six / 6.0
    } else {
        let square = normal.norm_squared();
        g[1] = e2.cross(normal) / square;
        g[2] = normal.cross(e1) / square;
        square.sqrt() / 2.0
    };
    g[0] = -(g[1] + g[2] + g[3]);
    (g, measure)
}

/// Of what a flex is made.
#[derive(Clone, Copy, Debug)]
pub(super) struct Material {
    pub young: f64,
    pub poisson: f64,
    /// Of shells.
    pub thickness: f64,
    /// Whether by the textbook, or as in MuJoCo 3.4.0.
    pub textbook: bool,
}

impl Material {
    /// Factor of the volume, μ, and the factor of tr T tr T, for elements of dimension `dim`.
    fn moduli(&self, dim: usize) -> [f64; 3] {
        let (mu, lambda) = lame(self.young, self.poisson);
        match (self.textbook, dim) {
            (false, 2) => [self.thickness / 4.0, mu, lambda],
            (false, _) => [1.0, mu, lambda],
            (true, 2) => [self.thickness, mu, 0.5 * plane_stress(mu, lambda)],
            (true, _) => [1.0, mu, 0.5 * lambda],
        }
    }
}

/// Lamé's second constant of a sheet that is free to change its thickness.
fn plane_stress(mu: f64, lambda: f64) -> f64 {
    2.0 * mu * lambda / (lambda + 2.0 * mu)
}

/// The matrix of one element with three or four vertices.
pub(super) fn element(x: &[Vec3], material: &Material) -> [f64; STRIDE] {
    let (g, measure) = gradients(x);
    let dim = x.len() - 1;
    let [scale, mu, lambda] = material.moduli(dim);
    let scale = measure.abs() * scale;
    let edges = local_edges(dim);
    let mut out = [0.0; STRIDE];
    let mut next = 0;
    for (i, &[a, b]) in edges.iter().enumerate() {
        for &[c, d] in &edges[i..] {
            let product = (g[a].dot(g[c]) * g[b].dot(g[d]) + g[a].dot(g[d]) * g[b].dot(g[c])) / 2.0;
            out[next] = scale * (mu * product + lambda * g[a].dot(g[b]) * g[c].dot(g[d]));
            next += 1;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use corten_math::Mat3;

    const TET: [Vec3; 4] = [
        Vec3([0.1, 0.0, 0.2]),
        Vec3([1.0, 0.1, 0.0]),
        Vec3([0.2, 0.9, 0.1]),
        Vec3([0.3, 0.2, 1.1]),
    ];

    /// ¼ sᵀ K s for the changes of squared lengths: its slope along a vertex is the force Σ s K (x − x′).
    fn energy(rest: &[Vec3], moved: &[Vec3], k: &[f64; STRIDE]) -> f64 {
        let edges = local_edges(rest.len() - 1);
        let square = |x: &[Vec3], [a, b]: [usize; 2]| (x[a] - x[b]).norm_squared();
        let s: Vec<f64> = edges.iter().map(|&e| square(moved, e) - square(rest, e)).collect();
        let mut next = 0;
        let mut sum = 0.0;
        for i in 0..s.len() {
            for j in i..s.len() {
                sum += k[next] * s[i] * s[j] * if i == j { 0.25 } else { 0.5 };
                next += 1;
            }
        }
        sum
    }

    /// The strain energy of St Venant and Kirchhoff with these constants: V(μ E:E + ½λ tr²E).
    fn exact(f: Mat3, volume: f64, mu: f64, lambda: f64) -> f64 {
        let c = f.transpose() * f;
        let strain = |i: usize, j: usize| 0.5 * (c[(i, j)] - f64::from(u8::from(i == j)));
        let trace = strain(0, 0) + strain(1, 1) + strain(2, 2);
        let mut square = 0.0;
        for i in 0..3 {
            for j in 0..3 {
                square += strain(i, j) * strain(i, j);
            }
        }
        volume * (mu * square + 0.5 * lambda * trace * trace)
    }

    fn material(young: f64, poisson: f64, textbook: bool) -> Material {
        Material { young, poisson, thickness: 0.01, textbook }
    }

    #[test]
    fn a_tetrahedron_has_the_energy_of_st_venant_and_kirchhoff() {
        let f = Mat3([1.02, 0.03, 0.0, -0.01, 0.97, 0.02, 0.05, 0.0, 1.01]);
        let moved = TET.map(|x| f * x + Vec3::new(3.0, 1.0, 2.0));
        let six = (TET[1] - TET[0]).cross(TET[2] - TET[0]).dot(TET[3] - TET[0]);
        for (young, poisson) in [(100.0, 0.0), (50.0, 0.3)] {
            let (mu, lambda) = lame(young, poisson);
            // MuJoCo counts λ twice.
            for (textbook, times) in [(false, 2.0), (true, 1.0)] {
                let k = element(&TET, &material(young, poisson, textbook));
                let found = energy(&TET, &moved, &k);
                let expected = exact(f, six.abs() / 6.0, mu, times * lambda);
                assert!((found - expected).abs() < 1e-12 * young, "{found} {expected}");
            }
        }
    }

    #[test]
    fn rotations_cost_nothing() {
        let turn = corten_math::Quat::from_axis_angle(Vec3::new(0.6, 0.0, 0.8), 1.1);
        let moved = TET.map(|x| turn.rotate(x) + Vec3::new(0.0, 5.0, 0.0));
        for n in [3, 4] {
            let k = element(&TET[..n], &material(1e3, 0.4, false));
            assert!(energy(&TET[..n], &moved[..n], &k).abs() < 1e-12);
        }
    }

    /// The numbers do not depend on where the element is or how it is turned.
    #[test]
    fn stiffness_is_objective() {
        let turn = corten_math::Quat::from_axis_angle(Vec3::new(0.0, 0.6, 0.8), 0.7);
        let moved = TET.map(|x| turn.rotate(x) - Vec3::new(1.0, 0.5, 0.0));
        for n in [3, 4] {
            let material = material(10.0, 0.2, false);
            let (a, b) = (element(&TET[..n], &material), element(&moved[..n], &material));
            a.iter().zip(&b).for_each(|(a, b)| assert!((a - b).abs() < 1e-12));
        }
    }

    /// A sheet that is pulled along x and free along y: ½ E ε² per volume (Hooke).
    #[test]
    fn a_textbook_sheet_under_tension_follows_hooke() {
        let (young, poisson, strain) = (2e3, 0.3, 1e-5);
        let sheet = [Vec3::ZERO, Vec3::new(1.0, 0.0, 0.0), Vec3::new(0.2, 0.8, 0.0)];
        let moved =
            sheet.map(|x| Vec3::new(x[0] * (1.0 + strain), x[1] * (1.0 - poisson * strain), 0.0));
        let found = energy(&sheet, &moved, &element(&sheet, &material(young, poisson, true)));
        let expected = 0.5 * young * strain * strain * 0.4 * 0.01;
        assert!((found / expected - 1.0).abs() < 1e-4, "{found} {expected}");
    }
}
