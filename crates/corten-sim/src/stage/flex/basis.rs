//! Polynomials that interpolate between the nodes of a brick: tensor products of Lagrange's, of
//! first or second order, over the unit cube.

use corten_math::{Mat3, Vec3, array};

/// Most nodes that a flex can have, 3³.
pub(super) const MAX_NODES: usize = 27;

/// Nodes are the points of a cubic grid, with the last coordinate running fastest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Basis {
    /// 1 or 2.
    order: usize,
}

impl Basis {
    /// Of an order that fits a number of nodes.
    pub fn new(order: i32, nodes: usize) -> Option<Basis> {
        let basis = Basis { order: usize::try_from(order).ok().filter(|o| (1..=2).contains(o))? };
        (basis.nodes() == nodes).then_some(basis)
    }

    pub fn nodes(self) -> usize {
        (self.order + 1).pow(3)
    }

    /// Coordinates of a node in the grid.
    fn place(self, node: usize) -> [usize; 3] {
        let n = self.order + 1;
        [node / (n * n), node / n % n, node % n]
    }

    /// The value of a node's polynomial at a point.
    pub fn weight(self, at: Vec3, node: usize) -> f64 {
        let [i, j, k] = self.place(node);
        self.value(at[2], k) * self.value(at[1], j) * self.value(at[0], i)
    }

    /// One dimension's polynomial that is 1 at point `i`.
    fn value(self, s: f64, i: usize) -> f64 {
        match (self.order, i) {
            (1, 0) => 1.0 - s,
            (1, _) => s,
            (_, 0) => 2.0 * s * s - 3.0 * s + 1.0,
            (_, 1) => 4.0 * (s - s * s),
            _ => 2.0 * s * s - s,
        }
    }

    fn slope(self, s: f64, i: usize) -> f64 {
        match (self.order, i) {
            (1, 0) => -1.0,
            (1, _) => 1.0,
            (_, 0) => 4.0 * s - 3.0,
            (_, 1) => 4.0 * (1.0 - 2.0 * s),
            _ => 4.0 * s - 1.0,
        }
    }

    /// Derivative of the interpolated position by the coordinates of the cube, at a point.
    pub fn gradient(self, at: Vec3, nodes: &[Vec3]) -> Mat3 {
        let mut rows = [Vec3::ZERO; 3];
        for (node, &x) in nodes.iter().enumerate() {
            let place = self.place(node);
            let value: [f64; 3] = array::from_fn(|a| self.value(at[a], place[a]));
            let slope: [f64; 3] = array::from_fn(|a| self.slope(at[a], place[a]));
            let by = Vec3([
                slope[0] * value[1] * value[2],
                value[0] * slope[1] * value[2],
                value[0] * value[1] * slope[2],
            ]);
            for (row, x) in rows.iter_mut().zip(x.0) {
                *row += by * x;
            }
        }
        Mat3::from_rows(rows[0], rows[1], rows[2])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Polynomials up to the order are interpolated without error, and so is their gradient.
    #[test]
    fn polynomials_are_reproduced() {
        for (order, nodes) in [(1, 8), (2, 27)] {
            let basis = Basis::new(order, nodes).unwrap();
            let f = |p: Vec3| {
                let [x, y, z] = p.0;
                let square = if order == 2 { x * x - 2.0 * y * y + z * z * x * x } else { 0.0 };
                Vec3([1.0 + x * y * z, 2.0 * x - y + square, z * x + 0.5])
            };
            let grid = |node: usize| Vec3(basis.place(node).map(|i| i as f64 / f64::from(order)));
            let values: Vec<Vec3> = (0..nodes).map(|node| f(grid(node))).collect();
            let at = Vec3([0.3, 0.8, 0.45]);
            let sum = (0..nodes).fold(Vec3::ZERO, |s, k| s + values[k] * basis.weight(at, k));
            assert!((sum - f(at)).norm() < 1e-14);
            let h = 1e-6;
            let gradient = basis.gradient(at, &values);
            for axis in 0..3 {
                let mut e = Vec3::ZERO;
                e.0[axis] = h;
                let column = (f(at + e) - f(at - e)) / (2.0 * h);
                assert!((gradient.col(axis) - column).norm() < 1e-9);
            }
        }
        assert_eq!(Basis::new(1, 27), None);
        assert_eq!(Basis::new(3, 64), None);
    }
}
