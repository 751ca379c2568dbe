//! Reading Wavefront OBJ files.
//!
//! MuJoCo reads them with tinyobjloader and takes the first group that has faces, all vertices,
//! normals and texture coordinates. Polygons are cut into triangles by clipping ears; the same
//! cuts are made here, in single precision as there, because faces are part of a compiled model.

use corten_math::memory::{Gather, Grow};
use corten_math::real;

use super::{LoadError, Source};

/// Polygons with more corners have no triangles, as in MuJoCo: clipping ears takes the square of their
/// number.
const MAX_CORNERS: usize = 100;

/// Position, texture coordinate and normal of a corner; −1 if not given.
#[derive(Clone, Copy)]
struct Corner {
    vert: i32,
    texcoord: i32,
    normal: i32,
}

/// What the first group has been closed by.
#[derive(PartialEq)]
enum Group {
    Open,
    Closed,
}

pub(super) fn parse(bytes: &[u8]) -> Result<Source, LoadError> {
    let mut source = Source::default();
    let mut polygons: Vec<Vec<Corner>> = Vec::new();
    // Faces of the group under construction, as a range of `polygons`; a group that has only
    // lines or points ends the search too when an object follows.
    let mut has_wires = false;
    let mut group = Group::Open;
    let mut triangles: Vec<[Corner; 3]> = Vec::new();

    for (number, line) in lines(bytes).enumerate() {
        let mut line = Cursor { text: line, at: 0 };
        line.skip_blanks();
        let (keyword, rest) = line.keyword();
        let fail = |what| LoadError::Obj { line: number + 1, what };
        match keyword {
            b"v" => source.vert.grow_push(std::array::from_fn(|_| line.real())),
            b"vn" => source.normal.grow_extend(std::array::from_fn::<f32, 3, _>(|_| line.real())),
            b"vt" => {
                let (u, v) = (line.real(), line.real());
                // Image rows count downwards.
                source.texcoord.grow_extend([u, 1.0 - v]);
            }
            b"f" | b"l" | b"p" => {
                let counts =
                    [source.vert.len(), source.texcoord.len() / 2, source.normal.len() / 3];
                let mut polygon = Vec::with_capacity(4);
                loop {
                    line.skip_blanks();
                    if line.ended() {
                        break;
                    }
                    polygon.push(line.corner(counts).ok_or_else(|| {
                        fail("a vertex index is zero, or relative and before the first vertex")
                    })?);
                }
                if group == Group::Open {
                    if keyword == b"f" {
                        polygons.grow_push(polygon);
                    } else {
                        has_wires = true;
                    }
                }
            }
            b"g" | b"o" if rest && group == Group::Open => {
                for polygon in polygons.drain(..) {
                    triangulate(&polygon, &source.vert, &mut triangles);
                }
                if !triangles.is_empty() || (keyword == b"o" && has_wires) {
                    group = Group::Closed;
                }
                has_wires = false;
            }
            _ => {}
        }
    }
    if group == Group::Open {
        for polygon in &polygons {
            triangulate(polygon, &source.vert, &mut triangles);
        }
    }

    source.face = triangles.iter().map(|t| t.map(|c| c.vert)).gather();
    if !source.normal.is_empty() {
        source.facenormal = triangles.iter().map(|t| t.map(|c| c.normal)).gather();
    }
    if !source.texcoord.is_empty() {
        source.facetexcoord = triangles.iter().map(|t| t.map(|c| c.texcoord)).gather();
    }
    Ok(source)
}

/// Lines ended by `\n`, `\r\n` or `\r`.
fn lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = bytes;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let end = rest.iter().position(|&b| b == b'\n' || b == b'\r').unwrap_or(rest.len());
        let line = &rest[..end];
        rest = match &rest[end..] {
            [b'\r', b'\n', tail @ ..] | [_, tail @ ..] => tail,
            [] => &[],
        };
        Some(line)
    })
}

struct Cursor<'a> {
    text: &'a [u8],
    at: usize,
}

fn is_blank(b: u8) -> bool {
    b == b' ' || b == b'\t'
}

impl<'a> Cursor<'a> {
    fn peek(&self) -> u8 {
        self.text.get(self.at).copied().unwrap_or(0)
    }

    fn ended(&self) -> bool {
        self.peek() == 0
    }

    fn skip_blanks(&mut self) {
        while is_blank(self.peek()) {
            self.at += 1;
        }
    }

    /// The first word, and whether a blank follows it.
    fn keyword(&mut self) -> (&'a [u8], bool) {
        let start = self.at;
        while !self.ended() && !is_blank(self.peek()) {
            self.at += 1;
        }
        (&self.text[start..self.at], is_blank(self.peek()))
    }

    fn digit(&mut self) -> Option<u8> {
        let b = self.peek();
        b.is_ascii_digit().then(|| {
            self.at += 1;
            b - b'0'
        })
    }

    /// The next number; zero if it is missing or malformed.
    fn real(&mut self) -> f32 {
        self.skip_blanks();
        let value = self.number().unwrap_or(0.0);
        while !self.ended() && !is_blank(self.peek()) {
            self.at += 1;
        }
        value as f32
    }

    /// A decimal number, accumulated digit by digit in double precision. The last bit may differ
    /// from the nearest double; what counts is that it differs as in MuJoCo's reader.
    fn number(&mut self) -> Option<f64> {
        let negative = self.peek() == b'-';
        match self.peek() {
            b'-' | b'+' => self.at += 1,
            b'.' | b'0'..=b'9' => {}
            _ => return None,
        }
        let mut mantissa = 0.0;
        if self.peek() != b'.' {
            let start = self.at;
            while let Some(d) = self.digit() {
                mantissa = mantissa * 10.0 + f64::from(d);
            }
            if self.at == start {
                return None;
            }
        }
        if self.peek() == b'.' {
            self.at += 1;
            const TENTHS: [f64; 8] = [1.0, 0.1, 0.01, 0.001, 0.0001, 0.00001, 0.000001, 0.0000001];
            let mut place = 1;
            while let Some(d) = self.digit() {
                let unit = match TENTHS.get(place) {
                    Some(&unit) => unit,
                    None => real::powf(10.0, -(place as f64)),
                };
                mantissa += f64::from(d) * unit;
                place += 1;
            }
        }
        let mut exponent = 0i32;
        if matches!(self.peek(), b'e' | b'E') {
            self.at += 1;
            let sign = match self.peek() {
                b'-' => -1,
                _ => 1,
            };
            if matches!(self.peek(), b'+' | b'-') {
                self.at += 1;
            }
            let start = self.at;
            while let Some(d) = self.digit() {
                exponent = exponent.checked_mul(10)?.checked_add(i32::from(d))?;
            }
            if self.at == start {
                return None;
            }
            exponent *= sign;
        }
        if exponent != 0 {
            // 10ᵉ as 5ᵉ·2ᵉ; scaling by a power of two in two halves avoids early overflow.
            let half = exponent / 2;
            mantissa = mantissa
                * real::powf(5.0, f64::from(exponent))
                * real::powi(2.0, half)
                * real::powi(2.0, exponent - half);
        }
        Some(if negative { -mantissa } else { mantissa })
    }

    /// A signed integer; zero if there is none.
    fn integer(&mut self) -> i32 {
        let negative = self.peek() == b'-';
        if matches!(self.peek(), b'+' | b'-') {
            self.at += 1;
        }
        let mut value = 0i32;
        while let Some(d) = self.digit() {
            value = value.saturating_mul(10).saturating_add(i32::from(d));
        }
        while !self.ended() && !is_blank(self.peek()) && self.peek() != b'/' {
            self.at += 1;
        }
        if negative { -value } else { value }
    }

    /// `v`, `v/vt`, `v//vn` or `v/vt/vn`; counts of vertices, texture coordinates and normals
    /// resolve relative indices.
    fn corner(&mut self, [nv, nt, nn]: [usize; 3]) -> Option<Corner> {
        let resolve = |index: i32, n: usize, zero: bool| match index {
            0 => zero.then_some(-1),
            i if i > 0 => Some(i - 1),
            i => Some(n as i32 + i).filter(|&i| i >= 0),
        };
        let mut corner = Corner { vert: 0, texcoord: -1, normal: -1 };
        corner.vert = resolve(self.integer(), nv, false)?;
        if self.peek() != b'/' {
            return Some(corner);
        }
        self.at += 1;
        if self.peek() != b'/' {
            corner.texcoord = resolve(self.integer(), nt, true)?;
            if self.peek() != b'/' {
                return Some(corner);
            }
        }
        self.at += 1;
        corner.normal = resolve(self.integer(), nn, true)?;
        // Further slashes belong to no known form.
        while !self.ended() && !is_blank(self.peek()) {
            self.at += 1;
        }
        Some(corner)
    }
}

/// Cuts corners that contain no other corner, in the plane of the first proper corner. A polygon
/// that resists is dropped after the ears found so far.
fn triangulate(polygon: &[Corner], vert: &[[f32; 3]], out: &mut Vec<[Corner; 3]>) {
    if let [a, b, c] = *polygon {
        return out.grow_push([a, b, c]);
    }
    if !(3..=MAX_CORNERS).contains(&polygon.len()) {
        return;
    }
    let at = |c: Corner| vert.get(c.vert as usize).copied();
    let [x, y] = projection(polygon, vert);
    let flat = |c: Corner| at(c).map_or([0.0; 2], |p| [p[x], p[y]]);
    let mut area = 0.0;
    for (k, &corner) in polygon.iter().enumerate() {
        let next = polygon[(k + 1) % polygon.len()];
        if at(corner).is_some() && at(next).is_some() {
            let (p, q) = (flat(corner), flat(next));
            area += (p[0] * q[1] - p[1] * q[0]) * 0.5;
        }
    }

    let mut rest = polygon.to_vec();
    let mut guess = 0;
    let mut attempts = rest.len();
    let mut previous = rest.len();
    while rest.len() > 3 && attempts > 0 {
        let n = rest.len();
        if guess >= n {
            guess -= n;
        }
        if previous != n {
            (previous, attempts) = (n, n);
        } else {
            attempts -= 1;
        }
        let ear: [Corner; 3] = std::array::from_fn(|k| rest[(guess + k) % n]);
        let p = ear.map(flat);
        let cross =
            (p[1][0] - p[0][0]) * (p[2][1] - p[1][1]) - (p[1][1] - p[0][1]) * (p[2][0] - p[1][0]);
        let reflex = cross * area < 0.0;
        let covered = || {
            (3..n).any(|k| {
                let other = rest[(guess + k) % n];
                at(other).is_some() && contains(&p, flat(other))
            })
        };
        if reflex || covered() {
            guess += 1;
            continue;
        }
        out.grow_push(ear);
        rest.remove((guess + 1) % n);
    }
    if let [a, b, c] = rest[..] {
        out.push([a, b, c]);
    }
}

/// The two coordinate axes in which the polygon looks largest at its first proper corner.
fn projection(polygon: &[Corner], vert: &[[f32; 3]]) -> [usize; 2] {
    let n = polygon.len();
    for k in 0..n {
        let corner: [Option<&[f32; 3]>; 3] =
            std::array::from_fn(|i| vert.get(polygon[(k + i) % n].vert as usize));
        let [Some(a), Some(b), Some(c)] = corner else { continue };
        let e0: [f32; 3] = std::array::from_fn(|i| b[i] - a[i]);
        let e1: [f32; 3] = std::array::from_fn(|i| c[i] - b[i]);
        let cx = (e0[1] * e1[2] - e0[2] * e1[1]).abs();
        let cy = (e0[2] * e1[0] - e0[0] * e1[2]).abs();
        let cz = (e0[0] * e1[1] - e0[1] * e1[0]).abs();
        if cx > f32::EPSILON || cy > f32::EPSILON || cz > f32::EPSILON {
            return if cx > cy && cx > cz {
                [1, 2]
            } else if cz > cx && cz > cy {
                [0, 1]
            } else {
                [0, 2]
            };
        }
    }
    [1, 2]
}

/// Even-odd rule: whether a ray to the right of `q` crosses the triangle an odd number of times.
fn contains(p: &[[f32; 2]; 3], q: [f32; 2]) -> bool {
    let mut inside = false;
    let mut j = 2;
    for i in 0..3 {
        if (p[i][1] > q[1]) != (p[j][1] > q[1])
            && q[0] < (p[j][0] - p[i][0]) * (q[1] - p[i][1]) / (p[j][1] - p[i][1]) + p[i][0]
        {
            inside = !inside;
        }
        j = i;
    }
    inside
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_group_with_faces_counts() {
        let text = b"# cube\no first\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 2 0\n\nf 1 2 3 4\r\no second\nv 9 9 9\nf 1 2 5\n";
        let s = parse(text).unwrap();
        assert_eq!(s.vert.len(), 5);
        assert_eq!(s.face, [[0, 1, 2], [0, 2, 3]]);
    }

    #[test]
    fn indices_of_all_forms() {
        let text = b"v 0 0 0\nv 1 0 0\nv 1 1 0\nvt 0 0.25\nvn 0 0 1\nf 1/1/1 2//1 -1/-1\n";
        let s = parse(text).unwrap();
        assert_eq!(s.face, [[0, 1, 2]]);
        assert_eq!(s.facenormal, [[0, 0, -1]]);
        assert_eq!(s.facetexcoord, [[0, -1, 0]]);
        assert_eq!(s.texcoord, [0.0, 0.75]);
        assert!(matches!(parse(b"f 0 1 2\n"), Err(LoadError::Obj { line: 1, .. })));
    }

    #[test]
    fn numbers_of_all_forms() {
        let s = parse(b"v -1.5e1 .25 +3\nv 1e-3 x 2.\n").unwrap();
        assert_eq!(s.vert, [[-15.0, 0.25, 3.0], [1e-3, 0.0, 2.0]]);
    }

    #[test]
    fn pentagons_become_three_triangles() {
        let s = parse(b"v 0 0 1\nv 2 0 1\nv 3 2 1\nv 1 3 1\nv -1 2 1\nf 1 2 3 4 5\n").unwrap();
        assert_eq!(s.face.len(), 3);
    }
}
