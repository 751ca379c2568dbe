//! The first tetrahedron.
//!
//! Of the extreme points of the three axes, the pair furthest apart in x, then the points with the
//! largest determinants. If those are zero up to rounding, or small for the width of the input, all
//! points are tried.

use corten_math::Vec3;
use corten_math::memory::Grow;

use super::store::{Builder, NONE, TAIL};
use super::{HullError, Step};

/// Share of the possible determinant below which extreme points are not trusted.
const FALSELY_NARROW: f64 = 1e-3;
/// Cosine between two facets of the first tetrahedron from which it is nearly flat.
const NARROW: f64 = -0.99999999;

impl Builder<'_> {
    /// Four points that span a volume.
    pub fn choose_simplex(&self, extreme: &[u32; 6]) -> Step<[u32; 4]> {
        if self.tolerance.width <= 0.0 {
            return Err(HullError::Flat);
        }
        let x = |i: u32| self.points[i as usize][0];
        let (mut low, mut high) = (extreme[0], extreme[0]);
        for &i in extreme {
            if x(high) < x(i) {
                high = i;
            }
            if x(low) > x(i) {
                low = i;
            }
        }
        if low == high {
            return Err(HullError::Flat);
        }
        let mut simplex = vec![low, high];
        let mut determinant = x(high) - x(low);
        while simplex.len() < 4 {
            let target = determinant * self.tolerance.width;
            let mut best = Candidate { point: NONE, determinant: -1.0, near_zero: false };
            for &i in extreme {
                if !simplex.contains(&i) && i != best.point {
                    best.improve(self, &simplex, i);
                }
            }
            let narrow = best.determinant > 0.0 && best.determinant / target < FALSELY_NARROW;
            if best.point == NONE || best.near_zero || narrow {
                let enough = 10.0 * FALSELY_NARROW * target;
                for i in 0..self.points.len() as u32 {
                    if extreme.contains(&i) || simplex.contains(&i) {
                        continue;
                    }
                    let better = best.improve(self, &simplex, i);
                    if better && !best.near_zero && best.determinant > enough {
                        break;
                    }
                }
            }
            if best.point == NONE {
                return Err(HullError::Flat);
            }
            determinant = best.determinant;
            simplex.push(best.point);
        }
        Ok([simplex[0], simplex[1], simplex[2], simplex[3]])
    }

    /// Makes the tetrahedron the polyhedron; refuses one that is flat up to rounding.
    pub fn start(&mut self, simplex: [u32; 4]) -> Step {
        let mut corners = simplex.map(|p| self.add_vertex(p));
        corners.reverse();
        for (i, &v) in corners.iter().enumerate() {
            let f = self.add_facet_slot();
            let facet = &mut self.facets[f];
            facet.vertices.extend(corners.iter().filter(|&&w| w != v));
            facet.top = i % 2 == 0;
            self.append_facet(f);
            self.append_vertex(v);
        }
        let list = self.facets_from(self.facet_list);
        for &f in &list {
            self.facets[f].neighbors.extend(list.iter().filter(|&&g| g != f));
        }
        self.reset_lists(true);
        self.facet_next = self.facet_list;
        self.interior = self.mean(&corners);
        self.orient_simplex(&list)?;

        let mut sharpest = f64::MAX;
        for &f in &list {
            if self.check_flipped(f) {
                return Err(HullError::Flat);
            }
            for &g in &self.facets[f].neighbors {
                let (a, b) = (self.facets[f].normal, self.facets[g].normal);
                sharpest = sharpest.min(a[0] * b[0] + a[1] * b[1] + a[2] * b[2]);
            }
        }
        self.narrow = sharpest < NARROW;
        for &f in &list {
            for k in 0..3 {
                let (v, g) = (self.facets[f].vertices[k], self.facets[f].neighbors[k]);
                if self.vertex_distance(v, g) >= -self.tolerance.round {
                    return Err(HullError::Flat);
                }
            }
        }
        Ok(())
    }

    /// Planes that face away from the interior point: the first decides for all.
    fn orient_simplex(&mut self, list: &[u32]) -> Step {
        let clearly_flipped =
            |b: &Self, f: u32| b.facets[f].distance(b.interior) > b.tolerance.round;
        self.set_plane(list[0])?;
        self.facets[list[0]].flipped = false;
        if clearly_flipped(self, list[0]) {
            for &f in list {
                self.facets[f].top = !self.facets[f].top;
            }
            self.set_plane(list[0])?;
        }
        for &f in &list[1..] {
            self.set_plane(f)?;
        }
        for &f in list {
            self.facets[f].flipped = false;
            if clearly_flipped(self, f) {
                for &g in list {
                    self.facets[g].flipped = false;
                    self.facets[g].top = !self.facets[g].top;
                    self.orient_outside(g);
                }
                break;
            }
        }
        Ok(())
    }

    pub fn facets_from(&self, start: u32) -> Vec<u32> {
        let mut list = Vec::new();
        let mut f = start;
        while f != TAIL && f != NONE {
            list.grow_push(f);
            f = self.facets[f].next;
        }
        list
    }
}

/// The best further point of a simplex so far.
struct Candidate {
    point: u32,
    determinant: f64,
    near_zero: bool,
}

impl Candidate {
    fn improve(&mut self, b: &Builder, simplex: &[u32], point: u32) -> bool {
        let apex = b.points[point as usize];
        let row = |i: usize| b.points[simplex[i] as usize] - apex;
        let (determinant, column) = match simplex.len() {
            // Two points: the area in the xy plane.
            2 => (minor(row(0), row(1), 0, 1), 1),
            _ => (determinant(row(0), row(1), row(2)), 2),
        };
        let size = determinant.abs();
        if size > self.determinant {
            *self = Candidate {
                point,
                determinant: size,
                near_zero: size < 10.0 * b.tolerance.near_zero[column],
            };
            return true;
        }
        false
    }
}

fn minor(a: Vec3, b: Vec3, i: usize, j: usize) -> f64 {
    a[i] * b[j] - a[j] * b[i]
}

fn determinant(a: Vec3, b: Vec3, c: Vec3) -> f64 {
    a[0] * minor(b, c, 1, 2) - b[0] * minor(a, c, 1, 2) + c[0] * minor(a, b, 1, 2)
}
