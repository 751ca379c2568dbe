//! Gradients of constraints against differences, and what they leave alone.

use corten_math::{Random, Vec3};
use corten_soft::{Constraint, ConstraintSet, ConstraintType, Measure, SoftError};

fn measures() -> [Measure; 8] {
    [
        Measure::Distance { ends: [0, 1], rest: 0.3 },
        Measure::Angle { points: [0, 1, 2], rest: 0.2 },
        Measure::Dihedral { hinge: [0, 1], wings: [2, 3], rest: 0.1 },
        Measure::Volume { corners: [0, 1, 2, 3], rest: 0.05 },
        Measure::Stretch { corners: [0, 1, 2], along: [1.2, -0.4] },
        Measure::Shear { corners: [0, 1, 2], warp: [1.2, -0.4], weft: [0.3, 0.9] },
        Measure::Twist { points: [2, 0, 1, 3], rest: 0.1 },
        Measure::Collision {
            particle: 2,
            normal: Vec3::Z,
            offset: 0.1,
            friction: 0.5,
            velocity: Vec3::ZERO,
        },
    ]
}

fn points(random: &mut Random) -> [Vec3; 4] {
    std::array::from_fn(|_| Vec3(std::array::from_fn(|_| random.between(-0.5, 0.5))))
}

fn sum(v: impl Iterator<Item = Vec3>) -> Vec3 {
    v.fold(Vec3::ZERO, |sum, v| sum + v)
}

#[test]
fn gradients_are_derivatives() {
    let mut random = Random(3);
    for measure in measures() {
        let c = Constraint { measure, compliance: 1.0 };
        for _ in 0..50 {
            let x = points(&mut random);
            let g = c.gradient(&x).unwrap();
            let scale = g.by.iter().map(|g| g.norm()).fold(1.0, f64::max);
            if scale > 30.0 || g.value.abs() > 2.8 {
                continue;
            }
            for k in 0..g.count {
                for axis in 0..3 {
                    let (mut up, mut down) = (x, x);
                    up[g.particles[k]][axis] += 1e-6;
                    down[g.particles[k]][axis] -= 1e-6;
                    let value = |x: &[Vec3]| c.gradient(x).unwrap().value;
                    let slope = (value(&up) - value(&down)) / 2e-6;
                    let error = (slope - g.by[k][axis]).abs();
                    assert!(error < 1e-6 * scale * scale, "{measure:?}: {error}");
                }
            }
        }
    }
}

/// Forces along the gradients have no sum and no moment: rigid motion does no work.
#[test]
fn rigid_motion_changes_nothing() {
    let mut random = Random(4);
    for measure in measures().into_iter().take(7) {
        let c = Constraint { measure, compliance: 1.0 };
        let x = points(&mut random);
        let g = c.gradient(&x).unwrap();
        let force = sum(g.by[..g.count].iter().copied());
        let moment = sum((0..g.count).map(|k| x[g.particles[k]].cross(g.by[k])));
        assert!(force.norm() < 1e-12 && moment.norm() < 1e-12, "{measure:?}");
    }
}

#[test]
fn kinds_and_particles() {
    use ConstraintType::*;
    let kinds = [Distance, Bending, Bending, Volume, Stretch, Shear, Twist, Collision];
    let counts = [2, 3, 4, 4, 3, 3, 4, 1];
    for ((measure, kind), count) in measures().into_iter().zip(kinds).zip(counts) {
        let c = Constraint { measure, compliance: 0.0 };
        assert_eq!((c.kind(), c.particles().1), (kind, count));
    }
}

#[test]
fn constraints_are_numbers_and_back() {
    for measure in measures() {
        let c = Constraint { measure, compliance: 0.25 };
        match c.to_numbers() {
            Some(numbers) => assert_eq!(Constraint::from_numbers(&numbers), Some(c)),
            None => assert_eq!(c.kind(), ConstraintType::Collision),
        }
    }
    for bad in [[7.0; 10], [-1.0; 10], [f64::NAN; 10]] {
        assert_eq!(Constraint::from_numbers(&bad), None);
    }
}

#[test]
fn where_a_gradient_is_not_defined_nothing_acts() {
    let x = [Vec3::ZERO, Vec3::X, Vec3::X * 2.0, Vec3::X * 3.0];
    let none = |measure| Constraint { measure, compliance: 0.0 }.gradient(&x).is_none();
    assert!(none(Measure::Angle { points: [0, 1, 2], rest: 0.0 }));
    assert!(none(Measure::Twist { points: [0, 1, 2, 3], rest: 0.0 }));
    assert!(none(Measure::Distance { ends: [1, 1], rest: 0.0 }));
}

#[test]
fn bad_constraints_are_refused() {
    let refused = |c| ConstraintSet::new(3, vec![c]).unwrap_err();
    let far = refused(Constraint::distance([0, 3], 1.0, 0.0));
    assert!(matches!(far, SoftError::NoSuchParticle { particle: 3, count: 3, .. }));
    for bad in [
        Constraint::distance([0, 1], -1.0, 0.0),
        Constraint::distance([0, 1], 1.0, -1.0),
        Constraint::distance([0, 1], f64::NAN, 0.0),
        Constraint::collision(0, Vec3::Z * 2.0, 0.0, 0.5),
        Constraint::collision(0, Vec3::Z, 0.0, f64::NAN),
        Constraint {
            measure: Measure::Angle { points: [0, 1, 2], rest: f64::INFINITY },
            compliance: 0.0,
        },
    ] {
        assert!(matches!(refused(bad), SoftError::Value { .. }));
    }
}
