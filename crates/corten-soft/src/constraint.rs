//! Constraints between particles: what they measure, and the gradient of it.

use corten_math::{MIN_VAL, Vec3, dihedral, real};

use crate::SoftError;
use crate::error::{expect, not_negative};

/// The kinds of constraints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ConstraintType {
    /// Keeps two particles at a distance.
    Distance,
    /// Keeps the angle of a chain or of two triangles.
    Bending,
    /// Keeps the volume of a tetrahedron.
    Volume,
    /// Keeps the length of a triangle along a direction of the cloth.
    Stretch,
    /// Keeps two directions of the cloth at right angles.
    Shear,
    /// Keeps the torsion of four particles of a chain.
    Twist,
    /// Keeps a particle above a plane, with friction.
    Collision,
}

/// What a constraint holds at zero: a function of the positions of one to four particles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Measure {
    /// Distance between two particles less a rest length, m.
    Distance {
        /// The two.
        ends: [u32; 2],
        /// Rest length.
        rest: f64,
    },
    /// Angle between the segments of three consecutive particles less a rest angle, rad; zero is straight.
    Angle {
        /// The three.
        points: [u32; 3],
        /// Rest angle.
        rest: f64,
    },
    /// Angle of two triangles with a common edge less a rest angle, rad; zero is flat.
    Dihedral {
        /// The common edge.
        hinge: [u32; 2],
        /// The points opposite to it.
        wings: [u32; 2],
        /// Rest angle.
        rest: f64,
    },
    /// Signed volume of a tetrahedron less a rest volume, m³.
    Volume {
        /// Corners; positive is that of the triangle `1 2 3` seen against the clock from outside of `0`.
        corners: [u32; 4],
        /// Rest volume.
        rest: f64,
    },
    /// Strain of a triangle along a direction of its rest shape.
    Stretch {
        /// The triangle.
        corners: [u32; 3],
        /// The direction, in multiples of the rest edges 0→1 and 0→2.
        along: [f64; 2],
    },
    /// Cosine of the angle between two directions of a triangle that are at right angles at rest.
    Shear {
        /// The triangle.
        corners: [u32; 3],
        /// One direction, in multiples of the rest edges 0→1 and 0→2.
        warp: [f64; 2],
        /// The other.
        weft: [f64; 2],
    },
    /// Torsion of four consecutive particles about the middle segment less a rest angle, rad. Without effect where
    /// three of them are in line, where it is not defined.
    Twist {
        /// The four.
        points: [u32; 4],
        /// Rest angle.
        rest: f64,
    },
    /// Height of a particle over a plane, m. Pushes only; friction is Coulomb's.
    Collision {
        /// The particle.
        particle: u32,
        /// Unit normal of the plane.
        normal: Vec3,
        /// Height of the plane along the normal, with the particle's radius.
        offset: f64,
        /// Coefficient of friction.
        friction: f64,
        /// Velocity of the surface.
        velocity: Vec3,
    },
}

/// A measure with its compliance: the energy is `measure² / 2 compliance`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Constraint {
    /// What is held at zero.
    pub measure: Measure,
    /// Inverse stiffness; zero holds exactly.
    pub compliance: f64,
}

/// Value and gradient of a measure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gradient {
    /// The value.
    pub value: f64,
    /// The particles, in the first `count` places.
    pub particles: [usize; 4],
    /// Derivatives by their positions.
    pub by: [Vec3; 4],
    /// How many there are.
    pub count: usize,
}

impl Gradient {
    fn new<const N: usize>(value: f64, particles: [u32; N], by: [Vec3; N]) -> Gradient {
        let mut gradient = Gradient { value, particles: [0; 4], by: [Vec3::ZERO; 4], count: N };
        gradient.particles[..N].copy_from_slice(&particles.map(|p| p as usize));
        gradient.by[..N].copy_from_slice(&by);
        gradient
    }
}

impl Constraint {
    /// Two particles at a distance.
    pub fn distance(ends: [u32; 2], rest: f64, compliance: f64) -> Constraint {
        Constraint { measure: Measure::Distance { ends, rest }, compliance }
    }

    /// A particle above the plane `normal · x = offset`; give the plane's height and the particle's radius in `offset`.
    pub fn collision(particle: u32, normal: Vec3, offset: f64, friction: f64) -> Constraint {
        let velocity = Vec3::ZERO;
        Constraint {
            measure: Measure::Collision { particle, normal, offset, friction, velocity },
            compliance: 0.0,
        }
    }

    /// As numbers for a file: kind, four particles, four parameters, compliance. None of a collision, which belongs to a moment.
    pub fn to_numbers(&self) -> Option<[f64; 10]> {
        let (kind, parameters) = match self.measure {
            Measure::Distance { rest, .. } => (0.0, [rest, 0.0, 0.0, 0.0]),
            Measure::Angle { rest, .. } => (1.0, [rest, 0.0, 0.0, 0.0]),
            Measure::Dihedral { rest, .. } => (2.0, [rest, 0.0, 0.0, 0.0]),
            Measure::Volume { rest, .. } => (3.0, [rest, 0.0, 0.0, 0.0]),
            Measure::Stretch { along: [a, b], .. } => (4.0, [a, b, 0.0, 0.0]),
            Measure::Shear { warp: [a, b], weft: [c, d], .. } => (5.0, [a, b, c, d]),
            Measure::Twist { rest, .. } => (6.0, [rest, 0.0, 0.0, 0.0]),
            Measure::Collision { .. } => return None,
        };
        let [p, q, r, s] = self.particles().0.map(f64::from);
        let [a, b, c, d] = parameters;
        Some([kind, p, q, r, s, a, b, c, d, self.compliance])
    }

    /// From what [`Self::to_numbers`] gives; none if they do not make sense.
    pub fn from_numbers(numbers: &[f64; 10]) -> Option<Constraint> {
        let [kind, p, q, r, s, a, b, c, d, compliance] = *numbers;
        let index = |x: f64| (x >= 0.0 && x <= f64::from(u32::MAX)).then_some(x as u32);
        let [p, q, r, s] = [index(p)?, index(q)?, index(r)?, index(s)?];
        let measure = match kind {
            0.0 => Measure::Distance { ends: [p, q], rest: a },
            1.0 => Measure::Angle { points: [p, q, r], rest: a },
            2.0 => Measure::Dihedral { hinge: [p, q], wings: [r, s], rest: a },
            3.0 => Measure::Volume { corners: [p, q, r, s], rest: a },
            4.0 => Measure::Stretch { corners: [p, q, r], along: [a, b] },
            5.0 => Measure::Shear { corners: [p, q, r], warp: [a, b], weft: [c, d] },
            6.0 => Measure::Twist { points: [p, q, r, s], rest: a },
            _ => return None,
        };
        Some(Constraint { measure, compliance })
    }

    /// Of which kind it is.
    pub fn kind(&self) -> ConstraintType {
        match self.measure {
            Measure::Distance { .. } => ConstraintType::Distance,
            Measure::Angle { .. } | Measure::Dihedral { .. } => ConstraintType::Bending,
            Measure::Volume { .. } => ConstraintType::Volume,
            Measure::Stretch { .. } => ConstraintType::Stretch,
            Measure::Shear { .. } => ConstraintType::Shear,
            Measure::Twist { .. } => ConstraintType::Twist,
            Measure::Collision { .. } => ConstraintType::Collision,
        }
    }

    /// The particles that it relates: the first `count` places.
    pub fn particles(&self) -> ([u32; 4], usize) {
        fn padded<const N: usize>(p: [u32; N]) -> ([u32; 4], usize) {
            let mut all = [0; 4];
            all[..N].copy_from_slice(&p);
            (all, N)
        }
        match self.measure {
            Measure::Distance { ends, .. } => padded(ends),
            Measure::Angle { points, .. } => padded(points),
            Measure::Dihedral { hinge: [a, b], wings: [c, d], .. } => padded([a, b, c, d]),
            Measure::Volume { corners, .. } => padded(corners),
            Measure::Stretch { corners, .. } | Measure::Shear { corners, .. } => padded(corners),
            Measure::Twist { points, .. } => padded(points),
            Measure::Collision { particle, .. } => padded([particle]),
        }
    }

    /// Value and gradient at some positions; none where the gradient is not defined. Positions of all particles must be
    /// there, as those of a [`ConstraintSet`] are.
    pub fn gradient(&self, x: &[Vec3]) -> Option<Gradient> {
        let at = |i: u32| x[i as usize];
        match self.measure {
            Measure::Distance { ends, rest } => {
                let (along, length) = unit(at(ends[1]) - at(ends[0]))?;
                Some(Gradient::new(length - rest, ends, [-along, along]))
            }
            Measure::Angle { points, rest } => {
                let (value, by) = angle(points.map(at))?;
                Some(Gradient::new(value - rest, points, by))
            }
            Measure::Dihedral { hinge: [h0, h1], wings: [a, b], rest } => {
                let d = dihedral(at(h0), at(h1), at(a), at(b))?;
                Some(Gradient::new(wrapped(d.angle - rest), [h0, h1, a, b], d.gradient))
            }
            Measure::Volume { corners, rest } => {
                let (value, by) = volume(corners.map(at));
                Some(Gradient::new(value - rest, corners, by))
            }
            Measure::Stretch { corners, along } => {
                let (value, by) = stretch(corners.map(at), along)?;
                Some(Gradient::new(value, corners, by))
            }
            Measure::Shear { corners, warp, weft } => {
                let (value, by) = shear(corners.map(at), warp, weft)?;
                Some(Gradient::new(value, corners, by))
            }
            Measure::Twist { points: [a, h0, h1, b], rest } => {
                let d = dihedral(at(h0), at(h1), at(a), at(b))?;
                Some(Gradient::new(wrapped(d.angle - rest), [h0, h1, a, b], d.gradient))
            }
            Measure::Collision { particle, normal, offset, .. } => {
                Some(Gradient::new(normal.dot(at(particle)) - offset, [particle], [normal]))
            }
        }
    }

    fn check(&self) -> Result<(), SoftError> {
        not_negative("compliance", self.compliance)?;
        match self.measure {
            Measure::Distance { rest, .. } => {
                not_negative("rest length", rest)?;
            }
            Measure::Angle { rest, .. }
            | Measure::Dihedral { rest, .. }
            | Measure::Volume { rest, .. }
            | Measure::Twist { rest, .. } => {
                expect(rest.is_finite(), "rest value", rest, "a finite number")?;
            }
            Measure::Stretch { along: [a, b], .. } => {
                expect((a + b).is_finite(), "direction", a + b, "a finite number")?;
            }
            Measure::Shear { warp: [a, b], weft: [c, d], .. } => {
                let sum = a + b + c + d;
                expect(sum.is_finite(), "direction", sum, "a finite number")?;
            }
            Measure::Collision { normal, offset, friction, velocity, .. } => {
                let length = normal.norm();
                expect((length - 1.0).abs() < 1e-6, "length of the normal", length, "1")?;
                expect(offset.is_finite(), "offset", offset, "a finite number")?;
                let speed = velocity.norm();
                expect(speed.is_finite(), "velocity", speed, "a finite number")?;
                not_negative("friction", friction)?;
            }
        }
        Ok(())
    }
}

/// Unit vector and length; none of a vector without length.
fn unit(v: Vec3) -> Option<(Vec3, f64)> {
    let length = v.norm();
    (length > MIN_VAL).then(|| (v * (1.0 / length), length))
}

/// To `(−π, π]`.
fn wrapped(angle: f64) -> f64 {
    use std::f64::consts::{PI, TAU};
    if angle > PI {
        angle - TAU
    } else if angle <= -PI {
        angle + TAU
    } else {
        angle
    }
}

/// Angle between two consecutive segments. Straight, its gradient has a length but no direction: nothing acts.
fn angle([p, q, r]: [Vec3; 3]) -> Option<(f64, [Vec3; 3])> {
    let ((a, la), (b, lb)) = (unit(q - p)?, unit(r - q)?);
    let (sine, cosine) = (a.cross(b).norm(), a.dot(b));
    if sine < 1e-12 {
        return None;
    }
    // Turning one segment away from the other, in their plane.
    let da = (a * cosine - b) * (1.0 / (sine * la));
    let db = (b * cosine - a) * (1.0 / (sine * lb));
    Some((real::atan2(sine, cosine), [-da, da - db, db]))
}

/// Signed volume of a tetrahedron.
fn volume([p, q, r, s]: [Vec3; 4]) -> (f64, [Vec3; 4]) {
    let (a, b, c) = (q - p, r - p, s - p);
    let by = [b.cross(c) * (1.0 / 6.0), c.cross(a) * (1.0 / 6.0), a.cross(b) * (1.0 / 6.0)];
    (a.dot(by[0]), [-(by[0] + by[1] + by[2]), by[0], by[1], by[2]])
}

/// A direction of the rest shape as it is now: `F u = α (x1 − x0) + β (x2 − x0)`.
fn direction([p, q, r]: [Vec3; 3], [a, b]: [f64; 2]) -> Vec3 {
    (q - p) * a + (r - p) * b
}

/// `|F u| − 1`.
fn stretch(x: [Vec3; 3], along: [f64; 2]) -> Option<(f64, [Vec3; 3])> {
    let (u, length) = unit(direction(x, along))?;
    let [a, b] = along;
    Some((length - 1.0, [u * -(a + b), u * a, u * b]))
}

/// Cosine of the angle between `F u` and `F w`.
fn shear(x: [Vec3; 3], warp: [f64; 2], weft: [f64; 2]) -> Option<(f64, [Vec3; 3])> {
    let (u, lu) = unit(direction(x, warp))?;
    let (w, lw) = unit(direction(x, weft))?;
    let cosine = u.dot(w);
    let (du, dw) = ((w - u * cosine) * (1.0 / lu), (u - w * cosine) * (1.0 / lw));
    let by1 = du * warp[0] + dw * weft[0];
    let by2 = du * warp[1] + dw * weft[1];
    Some((cosine, [-(by1 + by2), by1, by2]))
}

/// Constraints of one body, all of whose particles exist. The solver works through them in this order, so that the order
/// decides the bits of a result.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ConstraintSet {
    constraints: Vec<Constraint>,
    particles: usize,
    collisions: usize,
}

impl ConstraintSet {
    /// Constraints between `particles` particles.
    pub fn new(particles: usize, constraints: Vec<Constraint>) -> Result<ConstraintSet, SoftError> {
        let mut set = ConstraintSet { constraints: Vec::new(), particles, collisions: 0 };
        constraints.into_iter().try_for_each(|c| set.push(c))?;
        Ok(set)
    }

    /// Adds a constraint.
    pub fn push(&mut self, constraint: Constraint) -> Result<(), SoftError> {
        let (particles, count) = constraint.particles();
        let (index, limit) = (self.constraints.len(), self.particles);
        for particle in particles[..count].iter().map(|&p| p as usize) {
            if particle >= limit {
                let what = "constraint";
                return Err(SoftError::NoSuchParticle { what, index, particle, count: limit });
            }
        }
        constraint.check()?;
        self.collisions += usize::from(constraint.kind() == ConstraintType::Collision);
        self.constraints.push(constraint);
        Ok(())
    }

    /// Keeps those that `keep` says.
    pub fn retain(&mut self, keep: impl FnMut(&Constraint) -> bool) {
        self.constraints.retain(keep);
        let collides = |c: &&Constraint| c.kind() == ConstraintType::Collision;
        self.collisions = self.constraints.iter().filter(collides).count();
    }

    /// All of them.
    pub fn as_slice(&self) -> &[Constraint] {
        &self.constraints
    }

    /// How many of them are collisions.
    pub fn collisions(&self) -> usize {
        self.collisions
    }

    /// Number of particles that they may relate.
    pub fn particles(&self) -> usize {
        self.particles
    }
}
