use corten_math::{MIN_VAL, Mat3, Vec3, real};

use super::{
    ElementCoefficients, ElementState, FlexElasticityModel, FlexElasticityType, FlexMaterial,
};

/// Lamé's constants of an element. Those of triangles are of a sheet that is free to change its thickness (plane stress):
/// `λ` is `2μλ/(λ + 2μ)` there.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Lame {
    /// `E / 2(1 + ν)`.
    pub mu: f64,
    /// `E ν / (1 + ν)(1 − 2ν)`.
    pub lambda: f64,
}

impl Lame {
    /// Of a material, in elements of some dimension.
    pub fn new(material: &FlexMaterial, dim: usize) -> Lame {
        let FlexMaterial { young, poisson, .. } = *material;
        let mu = young / (2.0 * (1.0 + poisson));
        let lambda = young * poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson));
        Lame { mu, lambda: if dim == 2 { plane_stress(mu, lambda) } else { lambda } }
    }
}

fn plane_stress(mu: f64, lambda: f64) -> f64 {
    if lambda == 0.0 { 0.0 } else { 2.0 * mu * lambda / (lambda + 2.0 * mu) }
}

/// A material by its energy per volume at rest, of isotropic elements that are deformed evenly. Whatever has one is a
/// [`FlexElasticityModel`], with the damping of Kelvin and Voigt: stress of the strain's rate times the relaxation time, with
/// the same constants.
pub trait StrainEnergy: Send + Sync {
    /// Energy density at the deformation gradient `F`. Of a triangle, its first two columns are deformed directions of the sheet and the
    /// third is the unit normal.
    fn density(&self, f: &Mat3, constants: &Lame) -> f64;

    /// Its derivative by `F` (the first Piola-Kirchhoff stress).
    fn stress(&self, f: &Mat3, constants: &Lame) -> Mat3;

    /// Constants of the material, unless it has its own.
    fn constants(&self, material: &FlexMaterial, dim: usize) -> Lame {
        Lame::new(material, dim)
    }

    /// The choice of `flex_elasticity_model` that stands for this material, if there is one.
    fn choice(&self) -> Option<FlexElasticityType> {
        None
    }
}

// Coefficients: volume at rest, inverse of the edges at rest, Lamé's constants.
const VOLUME: usize = 0;
const INVERSE: std::ops::Range<usize> = 1..10;
const MU: usize = 10;
const LAMBDA: usize = 11;

/// Edges from the first corner as columns; of triangles, the third is the unit normal.
fn edges(x: &[Vec3]) -> Mat3 {
    let (a, b) = (x[1] - x[0], x[2] - x[0]);
    let c = match x.get(3) {
        Some(&last) => last - x[0],
        None => {
            let normal = a.cross(b);
            normal * (1.0 / normal.norm().max(MIN_VAL))
        }
    };
    Mat3::from_columns(a, b, c)
}

/// Products of pairs of columns: the determinant times the inverse transposed.
fn cofactor(f: &Mat3) -> Mat3 {
    let [a, b, c] = [f.col(0), f.col(1), f.col(2)];
    Mat3::from_columns(b.cross(c), c.cross(a), a.cross(b))
}

fn deformation(c: &ElementCoefficients, edges: &Mat3) -> (Mat3, Mat3, Lame) {
    let mut inverse = Mat3::ZERO;
    inverse.0.copy_from_slice(&c[INVERSE]);
    (*edges * inverse, inverse, Lame { mu: c[MU], lambda: c[LAMBDA] })
}

/// Stress of the rate of Green's strain, which vanishes in rigid motion.
fn viscous(f: &Mat3, rate: &Mat3, sheet: bool, constants: &Lame, time: f64) -> Mat3 {
    let half = f.tmul_mat(rate);
    let mut strain = (half + half.transpose()) * 0.5;
    if sheet {
        for k in 0..3 {
            (strain[(2, k)], strain[(k, 2)]) = (0.0, 0.0);
        }
    }
    let trace = strain.trace() * constants.lambda;
    let mut stress = strain * (2.0 * constants.mu);
    for k in 0..if sheet { 2 } else { 3 } {
        stress[(k, k)] += trace;
    }
    *f * stress * time
}

impl<W: StrainEnergy> FlexElasticityModel for W {
    fn precompute(&self, rest: &[Vec3], material: &FlexMaterial) -> ElementCoefficients {
        let mut c = [0.0; 21];
        let dim = rest.len() - 1;
        let mut shape = edges(rest);
        let mut volume = shape.determinant().abs() / 6.0;
        if dim == 2 {
            // In axes of the triangle: the first along its first edge.
            let [a, b] = [shape.col(0), shape.col(1)];
            let length = a.norm();
            let height = a.cross(b).norm() / length.max(MIN_VAL);
            let along = a.dot(b) / length.max(MIN_VAL);
            let columns = [[length, 0.0, 0.0], [along, height, 0.0], [0.0, 0.0, 1.0]];
            let [x, y, z] = columns.map(Vec3);
            shape = Mat3::from_columns(x, y, z);
            volume = 0.5 * length * height * material.thickness;
        }
        let determinant = shape.determinant();
        if determinant.abs() > MIN_VAL * MIN_VAL {
            let inverse = cofactor(&shape).transpose() * (1.0 / determinant);
            let constants = self.constants(material, dim);
            c[VOLUME] = volume;
            c[INVERSE].copy_from_slice(&inverse.0);
            (c[MU], c[LAMBDA]) = (constants.mu, constants.lambda);
        }
        c
    }

    fn forces(&self, c: &ElementCoefficients, element: &ElementState<'_>, forces: &mut [Vec3]) {
        let sheet = element.position.len() == 3;
        let (f, inverse, constants) = deformation(c, &edges(element.position));
        let mut stress = self.stress(&f, &constants);
        if element.damping > 0.0 {
            let v = element.velocity;
            let third = v.get(3).map_or(Vec3::ZERO, |&last| last - v[0]);
            let rate = Mat3::from_columns(v[1] - v[0], v[2] - v[0], third) * inverse;
            stress = stress + viscous(&f, &rate, sheet, &constants, element.damping);
        }
        // Columns are the forces on the corners but the first.
        let pull = stress * inverse.transpose() * -c[VOLUME];
        let mut sum = Vec3::ZERO;
        for (k, force) in forces.iter_mut().enumerate().skip(1) {
            *force = pull.col(k - 1);
            sum += *force;
        }
        if let Some(first) = forces.first_mut() {
            *first = -sum;
        }
    }

    fn energy(&self, c: &ElementCoefficients, element: &ElementState<'_>) -> f64 {
        let (f, _, constants) = deformation(c, &edges(element.position));
        c[VOLUME] * self.density(&f, &constants)
    }

    fn built_in(&self) -> Option<FlexElasticityType> {
        self.choice()
    }
}

/// Rubber and tissue: `W = μ/2 (I₁ − 3) − μ ln J + λ/2 ln²J` with `I₁ = |F|²` and `J = det F`.
///
/// Where `J` is below [`Self::LEAST`], also of elements that are turned inside out, the logarithm goes on along its tangent: energy and force stay
/// finite and push the element back.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct NeoHookean {
    /// In place of those of the flex's material.
    constants: Option<Lame>,
}

impl NeoHookean {
    /// The least ratio of volumes for which the formula holds.
    pub const LEAST: f64 = 0.1;

    /// With constants of its own.
    pub const fn new(mu: f64, lambda: f64) -> NeoHookean {
        NeoHookean { constants: Some(Lame { mu, lambda }) }
    }

    /// `ln J` and its derivative.
    fn logarithm(volume: f64) -> (f64, f64) {
        let least = NeoHookean::LEAST;
        if volume > least {
            (real::ln(volume), 1.0 / volume)
        } else {
            (real::ln(least) + (volume - least) / least, 1.0 / least)
        }
    }
}

impl StrainEnergy for NeoHookean {
    fn density(&self, f: &Mat3, k: &Lame) -> f64 {
        let (log, _) = NeoHookean::logarithm(f.determinant());
        let square: f64 = f.0.iter().map(|x| x * x).sum();
        0.5 * k.mu * (square - 3.0) - k.mu * log + 0.5 * k.lambda * log * log
    }

    fn stress(&self, f: &Mat3, k: &Lame) -> Mat3 {
        let (log, slope) = NeoHookean::logarithm(f.determinant());
        *f * k.mu + cofactor(f) * ((k.lambda * log - k.mu) * slope)
    }

    fn choice(&self) -> Option<FlexElasticityType> {
        self.constants.is_none().then_some(FlexElasticityType::NeoHookean)
    }

    fn constants(&self, material: &FlexMaterial, dim: usize) -> Lame {
        match self.constants {
            Some(Lame { mu, lambda }) if dim == 2 => Lame { mu, lambda: plane_stress(mu, lambda) },
            Some(constants) => constants,
            None => Lame::new(material, dim),
        }
    }
}
