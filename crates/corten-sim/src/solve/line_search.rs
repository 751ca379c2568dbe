//! Exact search along a line: Newton's method on the one-dimensional, piecewise smooth, convex
//! cost, safeguarded by a bracket.
//!
//! Follows MuJoCo's `CGsearch` decision by decision, since the default tolerances stop the
//! solvers early enough for the path to show in the result.

use std::ops::Range;

use super::problem::Rows;
use super::problem::inlined::padded;
use super::row_cost::{EllipticLine, Friction, Quadratic, RowCost, Unilateral};
use super::rows::Kind;
use corten_math::array::MapInline;
use corten_math::fours::sum_fours;
use corten_math::{MIN_VAL, Number, Wide, wide};

/// The cost along the line, in terms that are cheap to evaluate.
#[derive(Clone, Debug, Default)]
pub struct Line {
    /// Coefficients of all that is quadratic everywhere: inertia and equalities.
    quad: [f64; 3],
    cones: Vec<EllipticLine>,
    evaluations: usize,
}

/// Cost and its first two derivatives at one point of the line.
#[derive(Clone, Copy, Debug)]
pub struct Point {
    pub alpha: f64,
    pub cost: f64,
    pub slope: f64,
    pub curvature: f64,
}

impl Point {
    pub(super) fn newton(&self) -> f64 {
        self.alpha - self.slope / self.curvature
    }
}

/// The other end of a bracket, and where the search started.
struct Bracket {
    origin: Point,
    other: Point,
}

/// Where the search ended.
#[derive(Clone, Copy, Debug)]
pub struct Found {
    /// Zero if there is no improvement.
    pub alpha: f64,
    /// Scaled slope at the end; 1 if it was not computed.
    pub slope: f64,
    pub evaluations: usize,
}

/// The cost along a direction, from the state of the solver where it starts.
#[derive(Clone, Copy)]
pub struct Direction<'a> {
    /// `J·search` and `J·qacc − aref`.
    pub jv: &'a [f64],
    pub jar: &'a [f64],
    /// Coefficients of the inertia term: its cost, `searchᵀ(M·qacc − qfrc_smooth)` and
    /// `½ searchᵀ M search`.
    pub inertia: [f64; 3],
}

impl Line {
    /// Prepares the cost along a direction.
    pub fn prepare(&mut self, rows: &Rows<'_>, along: &Direction<'_>) {
        prepare(self, rows, along);
    }

    fn at(&mut self, rows: &Rows<'_>, along: &Direction<'_>, alpha: f64) -> Point {
        self.evaluations += 1;
        at(self, rows, along, alpha)
    }

    /// Minimises along the prepared line, whose first point may be known.
    pub fn search(
        &mut self,
        rows: &Rows<'_>,
        along: &Direction<'_>,
        origin: Option<Point>,
        norm: f64,
        scale: f64,
        tolerance: f64,
        iterations: usize,
    ) -> Found {
        self.evaluations = 0;
        if norm < MIN_VAL {
            return Found { alpha: 0.0, slope: 1.0, evaluations: 0 };
        }
        let gtol = tolerance * norm / scale;
        let end = |line: &Line, p: Point| Found {
            alpha: p.alpha,
            slope: p.slope.abs() * scale / norm,
            evaluations: line.evaluations,
        };

        let (mut p1, bracket) = approach(self, rows, along, origin, gtol, iterations);
        let Some(Bracket { origin, other: mut p2 }) = bracket else { return end(self, p1) };

        // Shrink the bracket with the Newton points of both ends and the midpoint.
        let mut p2_next = p1;
        let mut p1_next = self.at(rows, along, p1.newton());
        while self.evaluations < iterations {
            let middle = self.at(rows, along, 0.5 * (p1.alpha + p2.alpha));
            let candidates = [p1_next, p2_next, middle];
            let mut best: Option<Point> = None;
            for c in candidates {
                if c.slope.abs() <= gtol && best.is_none_or(|b| c.cost < b.cost) {
                    best = Some(c);
                }
            }
            if let Some(best) = best {
                return end(self, best);
            }
            let moved1 = self.tighten(rows, along, &mut p1, &candidates, &mut p1_next);
            let moved2 = self.tighten(rows, along, &mut p2, &candidates, &mut p2_next);
            if !moved1 && !moved2 {
                // Rounding allows no better bracket.
                return end(self, middle);
            }
        }
        if p1.cost <= p2.cost && p1.cost < origin.cost {
            end(self, p1)
        } else if p2.cost <= p1.cost && p2.cost < origin.cost {
            end(self, p2)
        } else {
            Found { alpha: 0.0, slope: 1.0, evaluations: self.evaluations }
        }
    }

    /// Moves one end of the bracket to the candidates that lie closer to the minimum on its
    /// side, and computes the Newton point from there.
    fn tighten(
        &mut self,
        rows: &Rows<'_>,
        along: &Direction<'_>,
        end: &mut Point,
        candidates: &[Point; 3],
        next: &mut Point,
    ) -> bool {
        let mut moved = false;
        for c in candidates {
            let closer = (end.slope < 0.0 && c.slope < 0.0 && end.slope < c.slope)
                || (end.slope > 0.0 && c.slope > 0.0 && end.slope > c.slope);
            if closer {
                *end = *c;
                moved = true;
            }
        }
        if moved {
            *next = self.at(rows, along, end.newton());
        }
        moved
    }
}

wide! {
    fn prepare(line: &mut Line, rows: &Rows<'_>, along: &Direction<'_>) {
        line.quad = along.inertia;
        let given = [rows.d, along.jar, along.jv].map_inline(|v| &v[rows.equalities()]);
        let [value, slope, curvature] =
            sum_fours::<Simd, 3, 3>(given, |[d, x, v]| Quadratic { d }.along(x, v));
        add(&mut line.quad, [-0.5 * value, -slope, 0.5 * curvature]);
        line.cones.clear();
        for b in rows.cone_blocks().iter().filter(|b| b.kind == Kind::Elliptic) {
            line.cones.push(rows.elliptic(b).line(&along.jar[b.rows()], &along.jv[b.rows()]));
        }
    }

    /// Newton steps from one side, of which the first is always tried, until the slope is small
    /// enough or changes sign. Returns the last point and, if there is room for more, a bracket.
    fn approach(
        line: &mut Line,
        rows: &Rows<'_>,
        along: &Direction<'_>,
        origin: Option<Point>,
        gtol: f64,
        iterations: usize,
    ) -> (Point, Option<Bracket>) {
        let origin = match origin {
            Some(origin) => {
                line.evaluations += 1;
                origin
            }
            None => line.at(rows, along, 0.0),
        };
        line.evaluations += 1;
        let mut p = point::<Simd>(line, rows, along, origin.newton());
        if origin.cost < p.cost {
            p = origin;
        }
        let forward = if p.slope < 0.0 { 1.0 } else { -1.0 };
        let mut previous = None;
        while p.slope.abs() > gtol && p.slope * forward <= -gtol && line.evaluations < iterations {
            previous = Some(p);
            line.evaluations += 1;
            p = point::<Simd>(line, rows, along, p.newton());
        }
        let open = !(p.slope.abs() <= gtol) && line.evaluations < iterations;
        (p, previous.filter(|_| open).map(|other| Bracket { origin, other }))
    }

    /// The point of the line at `alpha`.
    fn at(line: &Line, rows: &Rows<'_>, along: &Direction<'_>, alpha: f64) -> Point {
        point::<Simd>(line, rows, along, alpha)
    }
}

/// See [`at`].
#[inline(always)]
fn point<S: Wide>(line: &Line, rows: &Rows<'_>, along: &Direction<'_>, alpha: f64) -> Point {
    let mut quad = line.quad;
    let mut curved = [0.0; 3];
    for cone in &line.cones {
        cone.add_to(alpha, &mut quad, &mut curved);
    }
    let [mut cost, mut slope, mut curvature] = curved;
    let mut sums = inequalities::<S>(rows, along, rows.inequalities(), alpha);
    if !rows.frictions().is_empty() {
        add(&mut sums, frictions::<S>(rows, along, rows.frictions(), alpha));
    }
    for b in rows.cone_blocks().iter().filter(|b| b.kind != Kind::Elliptic) {
        add(&mut sums, inequalities::<S>(rows, along, b.rows(), alpha));
    }
    let [c, s, k] = sums;
    cost += c + alpha * alpha * quad[2] + alpha * quad[1] + quad[0];
    slope += s + 2.0 * alpha * quad[2] + quad[1];
    curvature += k + 2.0 * quad[2];
    // Only rounding can make the sum of convex functions look concave.
    if curvature <= 0.0 {
        curvature = MIN_VAL;
    }
    Point { alpha, cost, slope, curvature }
}

/// Cost, slope and curvature of unilateral rows.
#[inline(always)]
fn inequalities<S: Wide>(
    rows: &Rows<'_>,
    along: &Direction<'_>,
    range: Range<usize>,
    alpha: f64,
) -> [f64; 3] {
    let given = [along.jar, along.jv, rows.d];
    sum_rows::<S, UnilateralLine, 3>(given, range, alpha)
}

/// Cost, slope and curvature of rows of friction loss.
#[inline(always)]
fn frictions<S: Wide>(
    rows: &Rows<'_>,
    along: &Direction<'_>,
    range: Range<usize>,
    alpha: f64,
) -> [f64; 3] {
    let given = [along.jar, along.jv, rows.d, rows.r, rows.frictionloss];
    sum_rows::<S, FrictionLine, 5>(given, range, alpha)
}

/// What [`RowCost::along`] gives for rows of one kind. A trait, because closures over registers are
/// not always inlined, and every operation on them is then a call.
trait LineTerms<const N: usize> {
    fn terms<S: Wide>(given: [S; N], alpha: S) -> [S; 3];
}

struct UnilateralLine;

impl LineTerms<3> for UnilateralLine {
    #[inline(always)]
    fn terms<S: Wide>([jar, jv, d]: [S; 3], alpha: S) -> [S; 3] {
        Unilateral { d }.along(jar + alpha * jv, jv)
    }
}

struct FrictionLine;

impl LineTerms<5> for FrictionLine {
    #[inline(always)]
    fn terms<S: Wide>([jar, jv, d, r, loss]: [S; 5], alpha: S) -> [S; 3] {
        Friction::new([d, r, loss]).along(jar + alpha * jv, jv)
    }
}

/// Cost, slope and curvature over a range of rows, in running sums that the processor can compute
/// side by side. Zeros that fill up the last four add nothing.
#[inline(always)]
fn sum_rows<S: Wide, L: LineTerms<N>, const N: usize>(
    given: [&[f64]; N],
    range: Range<usize>,
    alpha: f64,
) -> [f64; 3] {
    let chunks = given.map_inline(|v| v[range.clone()].as_chunks::<4>());
    let alpha = S::splat(alpha);
    let mut sums = [S::splat(0.0); 3];
    let mut four = [S::splat(0.0); N];
    for i in 0..chunks[0].0.len() {
        for k in 0..N {
            four[k] = S::load(chunks[k].0[i]);
        }
        add(&mut sums, L::terms(four, alpha));
    }
    if !chunks[0].1.is_empty() {
        for k in 0..N {
            four[k] = S::load(padded(chunks[k].1));
        }
        add(&mut sums, L::terms(four, alpha));
    }
    let [value, slope, curvature] = sums;
    [-0.5 * value.sum(), -slope.sum(), curvature.sum()]
}

#[inline(always)]
fn add<T: Number>(sums: &mut [T; 3], terms: [T; 3]) {
    for k in 0..3 {
        sums[k] += terms[k];
    }
}
