use corten_math::Vec3;
use corten_model::flex::linear_elasticity;

use super::{
    ElementCoefficients, ElementState, FlexElasticityModel, FlexElasticityType, FlexMaterial,
};
use crate::stage::flex::{ends_of_edges, symmetric_product};

/// MuJoCo's: the energy of St Venant and Kirchhoff, as a quadratic form of changes of squared edge lengths. A flex that has no other law
/// takes it four elements at a time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LinearElastic;

impl FlexElasticityModel for LinearElastic {
    /// With the constants of a textbook; those of MuJoCo 3.4.0 are in the model (`flex_stiffness`).
    fn precompute(&self, rest: &[Vec3], material: &FlexMaterial) -> ElementCoefficients {
        let FlexMaterial { young, poisson, thickness } = *material;
        linear_elasticity(rest, [young, poisson, thickness])
    }

    fn forces(&self, k: &ElementCoefficients, element: &ElementState<'_>, forces: &mut [Vec3]) {
        let ElementState { position: x, velocity: v, damping, .. } = *element;
        let ends = ends_of_edges(x.len() - 1);
        let mut elongation = elongations(element);
        for (s, &[a, b]) in elongation.iter_mut().zip(ends) {
            // The rate of the square of the length.
            *s += 2.0 * damping * (x[a] - x[b]).dot(v[a] - v[b]);
        }
        forces.fill(Vec3::ZERO);
        for (t, &[a, b]) in tension(k, &elongation, ends.len()).iter().zip(ends) {
            let pull = (x[a] - x[b]) * *t;
            forces[a] -= pull;
            forces[b] += pull;
        }
    }

    fn energy(&self, k: &ElementCoefficients, element: &ElementState<'_>) -> f64 {
        let s = elongations(element);
        let ends = ends_of_edges(element.position.len() - 1);
        0.25 * s.iter().zip(tension(k, &s, ends.len())).map(|(s, t)| s * t).sum::<f64>()
    }

    fn built_in(&self) -> Option<FlexElasticityType> {
        Some(FlexElasticityType::Linear)
    }
}

/// How much longer edges of an element are than at rest, in squares.
fn elongations(element: &ElementState<'_>) -> [f64; 6] {
    let ElementState { rest, position, .. } = *element;
    let square = |x: &[Vec3], [a, b]: [usize; 2]| (x[a] - x[b]).norm_squared();
    let mut s = [0.0; 6];
    for (s, &ends) in s.iter_mut().zip(ends_of_edges(position.len() - 1)) {
        *s = square(position, ends) - square(rest, ends);
    }
    s
}

/// Force per length along the edges.
fn tension(upper: &[f64; 21], s: &[f64; 6], edges: usize) -> [f64; 6] {
    if edges == 6 {
        return symmetric_product(upper, s);
    }
    let [a, b, c] = symmetric_product(upper, &[s[0], s[1], s[2]]);
    [a, b, c, 0.0, 0.0, 0.0]
}
