//! The admitted pairs of a small model, ready and in order, and which of them have bounds that
//! meet.
//!
//! Bounding spheres are kept in single precision, eight to a block. Each collidable is tested
//! against the blocks that hold partners of it, all eight at once; a pair that meets sets the bit of its
//! place in the order. Bounds are larger by more than rounding; exact tests follow.

use corten_math::array::MapInline;
use corten_math::hint::rare;
use corten_math::memory::{self, Grow};
use corten_math::{F32x8, Mat3, Vec3, wide};

use super::collidable::{Bounds, Collidable};
use super::filter::{Candidate, Rules, Source};

use crate::Model;

/// Most candidates of a table. Testing them takes two or three instructions each, a sweep about a thousand for
/// each geom, so that tables pay up to some hundred geoms; this many take less than a megabyte.
const MAX_CANDIDATES: usize = 1 << 15;

/// Most colliding geoms for which a table is tried; bounds the time to build it.
const MAX_GEOMS: usize = 512;

/// Bounds are larger by this part of their radius and distance from the origin: more than
/// what single precision loses.
const INFLATION: f64 = 1e-6;

#[derive(Debug, Default)]
pub(super) struct Table {
    /// All admitted pairs in order.
    candidates: Vec<Candidate>,
    /// What has bounds; eight of them are a block.
    bounded: Vec<Collidable>,
    rows: Vec<Row>,
    partners: Vec<Partners>,
    /// One bit per candidate: those that need no test.
    untested: Vec<u64>,
}

/// What meets at the current poses.
#[derive(Clone, Debug, Default)]
pub(super) struct Meeting {
    spheres: Vec<Spheres>,
    /// For each block of spheres, a bit for each that is active, where bodies sleep.
    active: Vec<u16>,
    /// One bit per candidate.
    bits: Vec<u64>,
    /// The candidates.
    list: Vec<Candidate>,
}

/// Centres and radii of eight collidables.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
struct Spheres([[f32; F32x8::LANES]; 4]);

/// What is tested against the spheres of a range of [`Partners`].
#[derive(Clone, Copy, Debug)]
struct Row {
    tested: Tested,
    end: u32,
}

/// Planes come first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Tested {
    Plane(Collidable),
    /// By its place among the spheres.
    Sphere(u32),
}

/// Partners within a block.
#[derive(Clone, Copy, Debug)]
struct Partners {
    block: u16,
    lanes: u16,
    /// Places of the pairs in the order.
    place: [u16; F32x8::LANES],
}

impl Table {
    /// The table of a model, unless its pairs are too many.
    pub fn new(
        m: &Model,
        rules: &Rules,
        bounded: &[Collidable],
        planes: &[Collidable],
    ) -> Option<Table> {
        if bounded.len() + planes.len() > MAX_GEOMS {
            return None;
        }
        let mut candidates = Vec::new();
        for (k, &c1) in bounded.iter().enumerate() {
            for &c2 in bounded[k + 1..].iter().chain(planes) {
                candidates.grow_extend(rules.admit(c1, c2));
                if candidates.len() > MAX_CANDIDATES {
                    return None;
                }
            }
        }
        rules.list_pairs(m, &mut candidates);
        rules.sort(&mut candidates);
        u16::try_from(candidates.len()).ok()?;

        let mut table = Table {
            bounded: bounded.to_vec(),
            untested: memory::zeroed(candidates.len().div_ceil(64)),
            ..Table::default()
        };
        // Each pair belongs to the row of its plane, or of its geom that comes first.
        let mut entries = memory::with_room(candidates.len());
        let slot = |c: Collidable| bounded.binary_search(&c).ok();
        for (place, c) in candidates.iter().enumerate() {
            if matches!(c.source, Source::Pair(_)) {
                table.untested[place / 64] |= 1 << (place % 64);
                continue;
            }
            let (row, partner) = match (slot(c.first), slot(c.second)) {
                (Some(a), Some(b)) => (Tested::Sphere(a.min(b) as u32), a.max(b)),
                (None, Some(b)) => (Tested::Plane(c.first), b),
                (Some(a), None) => (Tested::Plane(c.second), a),
                (None, None) => continue,
            };
            entries.push((row, partner, place as u16));
        }
        entries.sort_unstable();
        for of_row in entries.chunk_by(|a, b| a.0 == b.0) {
            for of_block in of_row.chunk_by(|a, b| a.1 / F32x8::LANES == b.1 / F32x8::LANES) {
                let block = (of_block[0].1 / F32x8::LANES) as u16;
                let mut partners = Partners { block, lanes: 0, place: [0; F32x8::LANES] };
                for &(_, partner, place) in of_block {
                    partners.lanes |= 1 << (partner % F32x8::LANES);
                    partners.place[partner % F32x8::LANES] = place;
                }
                table.partners.grow_push(partners);
            }
            let end = table.partners.len() as u32;
            table.rows.push(Row { tested: of_row[0].0, end });
        }
        table.candidates = candidates;
        Some(table)
    }

    pub fn candidates(&self) -> &[Candidate] {
        &self.candidates
    }

    /// The pairs whose bounds meet, and those that the author listed, which have a margin of
    /// their own. `awake` is the state of each body, empty if none sleeps: pairs at rest are left out.
    pub fn cull<'a>(
        &self,
        m: &Model,
        rules: &Rules,
        (xpos, xmat): (&[Vec3], &[Mat3]),
        awake: &[i32],
        meeting: &'a mut Meeting,
    ) -> &'a [Candidate] {
        meeting.active.clear();
        if !awake.is_empty() {
            let bit =
                |(lane, &c): (usize, &Collidable)| u16::from(rules.is_active(awake, c)) << lane;
            let blocks = self.bounded.chunks(F32x8::LANES);
            meeting
                .active
                .extend(blocks.map(|block| block.iter().enumerate().map(bit).sum::<u16>()));
        }
        find_meeting(self, m, rules, xpos, xmat, meeting);
        meeting.list.clear();
        for (candidates, &bits) in self.candidates.chunks(64).zip(&meeting.bits) {
            let mut bits = bits;
            while bits != 0 {
                if let Some(&candidate) = candidates.get(bits.trailing_zeros() as usize) {
                    meeting.list.grow_push(candidate);
                }
                bits &= bits - 1;
            }
        }
        &meeting.list
    }

    /// Sets the bits of the pairs whose bounds meet.
    #[inline(always)]
    fn find_meeting(
        &self,
        m: &Model,
        rules: &Rules,
        xpos: &[Vec3],
        xmat: &[Mat3],
        meeting: &mut Meeting,
    ) {
        let Meeting { spheres, active, bits, .. } = meeting;
        let bounds = Bounds::new(m, xpos, xmat);
        self.bound(&bounds, spheres);
        bits.clone_from(&self.untested);
        let mut start = 0;
        for row in &self.rows {
            let partners = &self.partners[start..row.end as usize];
            start = row.end as usize;
            match row.tested {
                Tested::Plane(plane) => {
                    let (origin, normal, margin) = bounds.half_space(plane);
                    let [x, y, z] = normal.0.map_inline(|x| F32x8::splat(x as f32));
                    let extent = origin[0].abs() + origin[1].abs() + origin[2].abs();
                    let height = normal.dot(origin) + margin + INFLATION * extent;
                    let height = F32x8::splat(height as f32);
                    let among = if rules.is_static(plane) { &active[..] } else { &[] };
                    mark(bits, partners, spheres, among, |[cx, cy, cz, radius]| {
                        (radius + height).ge(cx * x + cy * y + cz * z).lanes()
                    });
                }
                Tested::Sphere(slot) => {
                    let slot = slot as usize;
                    let block = &spheres[slot / F32x8::LANES].0;
                    let own = |k: usize| F32x8::splat(block[k][slot % F32x8::LANES]);
                    let (x, y, z, radius) = (own(0), own(1), own(2), own(3));
                    let block = active.get(slot / F32x8::LANES).copied().unwrap_or(u16::MAX);
                    let at_rest = block >> (slot % F32x8::LANES) & 1 == 0;
                    let among = if at_rest { &active[..] } else { &[] };
                    mark(bits, partners, spheres, among, |[cx, cy, cz, other]| {
                        let (x, y, z) = (cx - x, cy - y, cz - z);
                        let reach = radius + other;
                        (reach * reach).ge(x * x + y * y + z * z).lanes()
                    });
                }
            }
        }
    }

    #[inline(always)]
    fn bound(&self, bounds: &Bounds<'_>, spheres: &mut Vec<Spheres>) {
        let nowhere = Spheres([[f32::NAN; F32x8::LANES]; 4]);
        spheres.resize(self.bounded.len().div_ceil(F32x8::LANES), nowhere);
        for (eight, spheres) in self.bounded.chunks(F32x8::LANES).zip(spheres) {
            for (lane, &c) in eight.iter().enumerate() {
                let (center, radius) = bounds.sphere(c, INFLATION);
                spheres.0[0][lane] = center[0] as f32;
                spheres.0[1][lane] = center[1] as f32;
                spheres.0[2][lane] = center[2] as f32;
                spheres.0[3][lane] = radius as f32;
            }
        }
    }
}

wide! {
    fn find_meeting(
        table: &Table,
        m: &Model,
        rules: &Rules,
        xpos: &[Vec3],
        xmat: &[Mat3],
        meeting: &mut Meeting,
    ) {
        table.find_meeting(m, rules, xpos, xmat, meeting);
    }
}

/// Sets the bits of partners that pass a test, `among` some of each block or all.
#[inline(always)]
fn mark(
    meeting: &mut [u64],
    partners: &[Partners],
    spheres: &[Spheres],
    among: &[u16],
    test: impl Fn([F32x8; 4]) -> u32,
) {
    for partner in partners {
        let lanes = match among.get(usize::from(partner.block)) {
            None => partner.lanes,
            Some(among) => {
                rare();
                partner.lanes & among
            }
        };
        if lanes == 0 {
            continue;
        }
        let Spheres([x, y, z, radius]) = &spheres[usize::from(partner.block)];
        let spheres = [F32x8::load(x), F32x8::load(y), F32x8::load(z), F32x8::load(radius)];
        let mut found = test(spheres) & u32::from(lanes);
        while found != 0 {
            let place = usize::from(partner.place[found.trailing_zeros() as usize % F32x8::LANES]);
            meeting[place / 64] |= 1 << (place % 64);
            found &= found - 1;
        }
    }
}
