//! Points and elements by formula.

use corten_math::memory::Grow;
use std::f64::consts::PI;

use corten_math::{Vec3, real};

use super::{Kind, Points};
use crate::compile::unit;

/// Coordinates closer to zero than this are zero.
const EPS: f64 = 1e-14;

/// Tetrahedra of a cell: bottom corners 0 to 3 around, top corners 4 to 7 above them.
const CELL: [[usize; 4]; 6] =
    [[0, 3, 1, 7], [0, 1, 4, 7], [1, 3, 2, 7], [1, 2, 6, 7], [1, 5, 4, 7], [1, 6, 5, 7]];

/// Sizes of a shape.
#[derive(Clone, Copy, Debug)]
pub struct ShapeSizes {
    pub kind: Kind,
    pub dim: usize,
    pub count: [usize; 3],
    pub spacing: [f64; 3],
    /// Whether texture coordinates are wanted.
    pub texcoord: bool,
}

impl ShapeSizes {
    pub fn points(&self) -> Points {
        match self.kind {
            Kind::Box | Kind::Cylinder | Kind::Ellipsoid => self.surface(),
            _ if self.dim == 1 => self.line(),
            _ if self.dim == 2 => self.sheet(),
            _ => self.solid(),
        }
    }

    /// A coordinate of a grid about the origin.
    fn at(&self, axis: usize, i: usize) -> f64 {
        self.spacing[axis] * (i as f64 - 0.5 * (self.count[axis] as f64 - 1.0))
    }

    /// A grid coordinate from 0 to 1.
    fn fraction(&self, axis: usize, i: usize) -> f32 {
        (i as f64 / (self.count[axis].max(2) - 1) as f64) as f32
    }

    fn half_sizes(&self) -> Vec3 {
        Vec3([0, 1, 2].map(|k| 0.5 * self.spacing[k] * (self.count[k] as f64 - 1.0)))
    }

    /// A chain, or a polygon that closes.
    fn line(&self) -> Points {
        let mut out = Points { dim: 1, ..Default::default() };
        if self.kind == Kind::Circle {
            let sides = self.count[0] - 1;
            let angle = 2.0 * PI / sides as f64;
            let radius = self.spacing[0] / real::sin(angle / 2.0) / 2.0;
            for i in 0..sides {
                let (s, c) = real::sin_cos(angle * i as f64);
                out.point.push(Vec3::new(radius * c, radius * s, 0.0));
                out.element.extend([i as i32, ((i + 1) % sides) as i32]);
            }
        } else {
            for i in 0..self.count[0] {
                out.point.push(Vec3::new(self.at(0, i), 0.0, 0.0));
                if i > 0 {
                    out.element.extend([i as i32 - 1, i as i32]);
                }
            }
        }
        out
    }

    /// Two triangles per cell of a grid; a disc is projected from it, with its diagonals
    /// pointing to the centre.
    fn sheet(&self) -> Points {
        let mut out = Points { dim: 2, ..Default::default() };
        let [nx, ny, _] = self.count;
        let id = |ix: usize, iy: usize| (ix * ny + iy) as i32;
        for ix in 0..nx {
            for iy in 0..ny {
                let (x, y) = (self.at(0, ix), self.at(1, iy));
                out.point.grow_push(Vec3::new(x, y, 0.0));
                if self.texcoord {
                    out.texcoord.extend([self.fraction(0, ix), self.fraction(1, iy)]);
                }
                if ix + 1 == nx || iy + 1 == ny {
                    continue;
                }
                let [a, b, c, d] = [id(ix, iy), id(ix + 1, iy), id(ix + 1, iy + 1), id(ix, iy + 1)];
                let flip = (x < -EPS && y > -EPS) || (x > -EPS && y < -EPS);
                out.element.grow_extend(if flip && self.kind == Kind::Disc {
                    [a, b, d, b, c, d]
                } else {
                    [a, b, c, a, c, d]
                });
            }
        }
        if self.kind == Kind::Disc {
            let size = self.half_sizes();
            for p in &mut out.point {
                let reach = p[0].abs().max(p[1].abs());
                let (way, _) = unit([p[0], p[1]]);
                *p = Vec3::new(way[0] * size[0] * reach, way[1] * size[1] * reach, p[2]);
            }
        }
        out
    }

    /// Six tetrahedra per cell of a grid.
    fn solid(&self) -> Points {
        let mut out = Points { dim: 3, ..Default::default() };
        let [nx, ny, nz] = self.count;
        let id = |ix: usize, iy: usize, iz: usize| ((ix * ny + iy) * nz + iz) as i32;
        for ix in 0..nx {
            for iy in 0..ny {
                for iz in 0..nz {
                    out.point.grow_push(Vec3::new(self.at(0, ix), self.at(1, iy), self.at(2, iz)));
                    if self.texcoord {
                        out.texcoord.extend([self.fraction(0, ix), self.fraction(1, iy)]);
                    }
                    if ix + 1 == nx || iy + 1 == ny || iz + 1 == nz {
                        continue;
                    }
                    let around = [(0, 0), (1, 0), (1, 1), (0, 1)];
                    let corner = |k: usize| {
                        let (dx, dy) = around[k % 4];
                        id(ix + dx, iy + dy, iz + k / 4)
                    };
                    out.element.grow_extend(CELL.iter().flatten().map(|&k| corner(k)));
                }
            }
        }
        out
    }

    /// A surface without its top, or tetrahedra from the centre to a closed one.
    fn surface(&self) -> Points {
        let mut sides = Sides::new(self);
        let count = self.count;
        let [last_x, last_y, last_z] = count.map(|n| n - 1);
        let open = self.dim == 2;
        for iz in [0, last_z] {
            for ix in 0..count[0] {
                for iy in 0..count[1] {
                    if !(open && iz > 0) {
                        sides.add([ix, iy, iz], [0, 1]);
                    }
                }
            }
        }
        let top = if open { last_z } else { last_z - 1 };
        for iy in [0, last_y] {
            for ix in 0..count[0] {
                for iz in 1..=top {
                    sides.add([ix, iy, iz], [0, 2]);
                }
            }
        }
        for ix in [0, last_x] {
            for iy in 1..last_y {
                for iz in 1..=top {
                    sides.add([ix, iy, iz], [1, 2]);
                }
            }
        }
        for (axis, first, second) in [(2, 0, 1), (1, 0, 2), (0, 1, 2)] {
            for end in [0, count[axis] - 1] {
                if axis == 2 && open && end > 0 {
                    continue;
                }
                for i in 0..count[first] - 1 {
                    for j in 0..count[second] - 1 {
                        let mut corner = [0; 3];
                        (corner[axis], corner[first], corner[second]) = (end, i, j);
                        sides.cell(corner, axis, first, second);
                    }
                }
            }
        }
        sides.out
    }

    /// A point of the surface, from its place on that of a cube.
    fn project(&self, at: [usize; 3]) -> Vec3 {
        let unit_cube = [0, 1, 2].map(|k| 2.0 * at[k] as f64 / (self.count[k] - 1) as f64 - 1.0);
        let size = self.half_sizes();
        let [x, y, z] = unit_cube;
        match self.kind {
            Kind::Cylinder => {
                let reach = x.abs().max(y.abs());
                let ([x, y], _) = unit([x, y]);
                Vec3::new(x * (size[0] * reach), y * (size[1] * reach), z * size[2])
            }
            Kind::Ellipsoid => Vec3(unit(unit_cube).0).component_mul(size),
            _ => Vec3(unit_cube).component_mul(size),
        }
    }
}

/// The surface of a cube of grid points under construction.
struct Sides<'a> {
    shape: &'a ShapeSizes,
    out: Points,
    /// Points by grid coordinates.
    index: Vec<i32>,
}

impl Sides<'_> {
    fn new(shape: &ShapeSizes) -> Sides<'_> {
        let mut out = Points { dim: shape.dim, ..Default::default() };
        if shape.dim == 3 {
            out.point.push(Vec3::ZERO);
            if shape.texcoord {
                out.texcoord.extend([0.0; 2]);
            }
        }
        Sides { shape, out, index: vec![0; shape.count.iter().product()] }
    }

    fn slot(&self, [ix, iy, iz]: [usize; 3]) -> usize {
        (ix * self.shape.count[1] + iy) * self.shape.count[2] + iz
    }

    /// Adds a point, with texture coordinates along two axes.
    fn add(&mut self, at: [usize; 3], axes: [usize; 2]) {
        let slot = self.slot(at);
        self.index[slot] = self.out.point.len() as i32;
        self.out.point.grow_push(self.shape.project(at));
        if self.shape.texcoord {
            self.out.texcoord.extend(axes.map(|k| self.shape.fraction(k, at[k])));
        }
    }

    /// Adds the two elements of a cell on the side across `axis`.
    fn cell(&mut self, corner: [usize; 3], axis: usize, first: usize, second: usize) {
        let id = |i: usize, j: usize| {
            let mut at = corner;
            at[first] += i;
            at[second] += j;
            self.index[self.slot(at)]
        };
        let [a, b, c, d] = [id(0, 0), id(1, 0), id(1, 1), id(0, 1)];
        let elements = if self.shape.dim == 3 {
            &[0, a, b, c, 0, a, d, c][..]
        } else {
            // Triangles look outward.
            match (axis, corner[axis] == 0) {
                (2, true) => &[a, c, b, a, d, c][..],
                (2, false) => &[a, b, c, a, c, d],
                (1, true) | (0, false) => &[a, b, c, a, c, d],
                _ => &[b, a, d, b, d, c],
            }
        };
        self.out.element.grow_extend_from_slice(elements);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(kind: Kind, dim: usize, count: [usize; 3]) -> Points {
        ShapeSizes { kind, dim, count, spacing: [0.1; 3], texcoord: true }.points()
    }

    fn valid(points: &Points) {
        let n = points.point.len() as i32;
        assert!(points.element.iter().all(|&i| (0..n).contains(&i)));
        assert!(points.element.len().is_multiple_of(points.dim + 1));
        assert!(points.used().into_iter().all(|used| used));
    }

    /// Volume enclosed by outward triangles, by the divergence theorem.
    fn volume(points: &Points) -> f64 {
        let corners = points.element.as_chunks::<3>().0.iter();
        corners
            .map(|t| {
                let [a, b, c] = t.map(|i| points.point[i as usize]);
                a.cross(b).dot(c) / 6.0
            })
            .sum()
    }

    fn solid_volume(points: &Points) -> f64 {
        let corners = points.element.as_chunks::<4>().0.iter();
        corners
            .map(|t| {
                let [a, b, c, d] = t.map(|i| points.point[i as usize]);
                ((b - a).cross(c - a).dot(d - a) / 6.0).abs()
            })
            .sum()
    }

    #[test]
    fn solids_fill_their_box() {
        let grid = shape(Kind::Grid, 3, [3, 4, 5]);
        valid(&grid);
        assert_eq!((grid.point.len(), grid.element.len()), (60, 4 * 6 * 24));
        assert!((solid_volume(&grid) - 0.2 * 0.3 * 0.4).abs() < 1e-15);
        let cube = shape(Kind::Box, 3, [3, 4, 5]);
        valid(&cube);
        assert!((solid_volume(&cube) - 0.2 * 0.3 * 0.4).abs() < 1e-15);
        valid(&shape(Kind::Cylinder, 3, [4, 4, 3]));
        let ball = shape(Kind::Ellipsoid, 3, [12, 12, 12]);
        valid(&ball);
        let sphere = 4.0 / 3.0 * PI * 0.55f64.powi(3);
        assert!((solid_volume(&ball) / sphere - 1.0).abs() < 0.03);
    }

    #[test]
    fn an_open_box_has_no_top() {
        let cup = shape(Kind::Box, 2, [4, 4, 4]);
        valid(&cup);
        assert_eq!((cup.point.len(), cup.element.len() / 3), (52, 90));
        assert_eq!(cup.texcoord.len(), 2 * 52);
        // The missing top would add a third of its area times its height.
        let (side, half) = (0.3, 0.15);
        assert!((volume(&cup) - (side * side * side - side * side * half / 3.0)).abs() < 1e-15);
    }

    #[test]
    fn sheets_and_lines() {
        let cloth = shape(Kind::Grid, 2, [3, 4, 1]);
        valid(&cloth);
        assert_eq!((cloth.point.len(), cloth.element.len() / 3), (12, 12));
        let disc = shape(Kind::Disc, 2, [5, 5, 1]);
        valid(&disc);
        let reach = disc.point.iter().map(|p| p.norm()).fold(0.0, f64::max);
        assert!((reach - 0.04).abs() < 1e-15);
        let rope = shape(Kind::Grid, 1, [5, 10, 10]);
        valid(&rope);
        assert_eq!(rope.element, [0, 1, 1, 2, 2, 3, 3, 4]);
        let ring = shape(Kind::Circle, 1, [7, 10, 10]);
        valid(&ring);
        assert_eq!(ring.element.last(), Some(&0));
        let side = (ring.point[1] - ring.point[0]).norm();
        assert!((side - 0.1).abs() < 1e-15);
    }
}
