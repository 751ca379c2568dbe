//! What a narrow-phase function reports: contact points of one pair of shapes.

use std::ops::Deref;

use corten_math::Vec3;

/// The most points one pair may report; later ones are refused.
pub const MAX_HITS: usize = 50;

/// One contact point between two shapes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// Distance between the nearest points; negative when penetrating.
    pub dist: f64,
    /// Midpoint between the nearest points.
    pub pos: Vec3,
    /// Unit normal, from the first shape to the second.
    pub normal: Vec3,
    /// Preferred first tangent, where the pair has a natural one; not yet orthogonal or unit.
    pub tangent: Option<Vec3>,
}

impl Hit {
    #[inline]
    pub fn new(dist: f64, pos: Vec3, normal: Vec3) -> Hit {
        Hit { dist, pos, normal, tangent: None }
    }
}

/// The two tangents that complete a unit normal to a right-handed frame: the first is the y axis,
/// or z where the normal leans towards y, made orthogonal.
pub fn tangents(normal: Vec3) -> [Vec3; 2] {
    let guess = if normal[1] < 0.5 && normal[1] > -0.5 { Vec3::Y } else { Vec3::Z };
    let first = (guess - normal * normal.dot(guess)).normalized().0;
    [first, normal.cross(first)]
}

/// Caller-owned list of hits, reused from pair to pair: it never grows past [`MAX_HITS`].
#[derive(Clone, Debug)]
pub struct HitBuffer {
    hits: Vec<Hit>,
}

impl Default for HitBuffer {
    fn default() -> HitBuffer {
        HitBuffer::new()
    }
}

impl HitBuffer {
    pub fn new() -> HitBuffer {
        HitBuffer { hits: Vec::with_capacity(MAX_HITS) }
    }

    #[inline]
    pub fn clear(&mut self) {
        self.hits.clear();
    }

    /// Appends a hit; `false` if the buffer is full and the hit was refused.
    #[inline]
    pub fn push(&mut self, hit: Hit) -> bool {
        if self.hits.len() >= MAX_HITS {
            return false;
        }
        self.hits.push(hit);
        true
    }

    #[inline]
    pub fn truncate(&mut self, len: usize) {
        self.hits.truncate(len);
    }

    #[inline]
    pub fn as_mut_slice(&mut self) -> &mut [Hit] {
        &mut self.hits
    }
}

impl Deref for HitBuffer {
    type Target = [Hit];

    #[inline]
    fn deref(&self) -> &[Hit] {
        &self.hits
    }
}
