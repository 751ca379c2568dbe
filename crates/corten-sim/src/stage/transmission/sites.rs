//! What moves with sites: wrenches, poses of one relative to another, sliders with cranks.

use corten_math::array::MapInline;
use corten_math::{Mat3, Quat, Spatial, Vec3};

use super::{Row, halves};
use crate::Model;
use crate::chain::index;
use crate::prepared::structure::Structure;

/// Poses of sites, and how they move.
#[derive(Clone, Copy)]
pub(super) struct Poses<'a> {
    pub structure: &'a Structure,
    pub xquat: &'a [Quat],
    pub site_xpos: &'a [Vec3],
    pub site_xmat: &'a [Mat3],
    pub subtree_com: &'a [Vec3],
    pub cdof: &'a [Spatial],
}

impl Poses<'_> {
    /// Where a site is relative to what the motion of its body refers to.
    #[inline(always)]
    fn offset(&self, site: usize, body: usize) -> Vec3 {
        let root = self.structure.bodies[body].root as usize;
        self.site_xpos[site] - self.subtree_com[root]
    }

    /// Calls `visit(dof, motion)` for dofs that move a site's body: `motion` is the velocity of the
    /// site under a unit dof velocity.
    #[inline(always)]
    fn for_each_motion(
        &self,
        dofs: &[u32],
        (site, body): (usize, usize),
        mut visit: impl FnMut(u32, Vec3),
    ) {
        if dofs.is_empty() {
            return;
        }
        let offset = self.offset(site, body);
        for &dof in dofs {
            visit(dof, self.cdof[dof as usize].velocity_at(offset));
        }
    }

    /// The degrees of freedom that move both of two bodies, the first alone, the second alone.
    #[inline(always)]
    fn branches(&self, bodies: [usize; 2]) -> [&[u32]; 3] {
        let [first, second] = [self.structure.chain(bodies[0]), self.structure.chain(bodies[1])];
        if first.is_empty() || second.is_empty() {
            return [&[], first, second];
        }
        self.structure.branches(bodies)
    }

    /// Position of a slider driven through a rod of length r by a crank pin.
    ///
    /// With a the slider's axis and v the vector from slider to pin, the slider's displacement is
    /// l = a·v − √D, D = (a·v)² + r² − v·v, so that ∂l/∂v = (1 − a·v/√D) a + v/√D and
    /// ∂l/∂a = (1 − a·v/√D) v. A rod too short for the gap (D ≤ 0) stays in line with the axis.
    #[inline(always)]
    pub fn slider_crank(
        &self,
        m: &Model,
        [crank, slider]: [usize; 2],
        rod: f64,
        gear: f64,
        row: &mut Row<'_>,
    ) -> Option<f64> {
        let axis = self.site_xmat[slider].col(2);
        let gap = self.site_xpos[crank] - self.site_xpos[slider];
        let along = gap.dot(axis);
        let det = along * along + rod * rod - gap.dot(gap);
        let (length, by_gap, by_axis) = if det <= 0.0 {
            (along, axis, gap)
        } else {
            let root = det.sqrt();
            let share = 1.0 - along / root;
            (along - root, axis * share + gap * (1.0 / root), gap * share)
        };
        let bodies = bodies_of(m, [slider, crank])?;
        let mut push = |dof: u32, gap_rate: Vec3, axis_rate: Vec3| {
            let mut rate = 0.0;
            for k in 0..3 {
                rate += by_axis[k] * axis_rate[k] + by_gap[k] * gap_rate[k];
            }
            row.push_nonzero(dof as usize, rate * gear);
        };
        let (slider, crank) = ((slider, bodies[0]), (crank, bodies[1]));
        let [both, first, second] = self.branches(bodies);
        if !both.is_empty() {
            let from = self.offset(slider.0, slider.1);
            self.for_each_motion(both, crank, |dof, motion| {
                let cdof = &self.cdof[dof as usize];
                push(dof, motion - cdof.velocity_at(from), cdof.rot().cross(axis));
            });
        }
        // Branches of a tree do not interleave.
        let [before, after] =
            if first.first() < second.first() { [&[][..], second] } else { [second, &[]] };
        self.for_each_motion(before, crank, |dof, motion| push(dof, motion, Vec3::ZERO));
        self.for_each_motion(first, slider, |dof, motion| {
            push(dof, -motion, self.cdof[dof as usize].rot().cross(axis));
        });
        self.for_each_motion(after, crank, |dof, motion| push(dof, motion, Vec3::ZERO));
        Some(length * gear)
    }

    /// A wrench that turns with the site; it has no length.
    #[inline(always)]
    pub fn wrench(
        &self,
        m: &Model,
        site: usize,
        gear: &[f64; 6],
        row: &mut Row<'_>,
    ) -> Option<f64> {
        let s = self.structure;
        let body = index(m.site_bodyid[site], m.nbody)?;
        let root = s.bodies[body].root as usize;
        let [force, torque] = halves(gear).map(|g| self.site_xmat[site] * g);
        let offset = self.site_xpos[site] - self.subtree_com[root];
        let mut dofs = s.chain(body);
        if s.bodies[root].free
            && let Some((&[x, y, z], turns)) = dofs.split_first_chunk()
        {
            // Along the axes of the world, all together.
            for (dof, force) in [x, y, z].into_iter().zip(force.0) {
                row.push_nonzero(dof as usize, force);
            }
            dofs = turns;
        }
        for &dof in dofs {
            let cdof = &self.cdof[dof as usize];
            let moment = cdof.velocity_at(offset).dot(force) + cdof.rot().dot(torque);
            row.push_nonzero(dof as usize, moment);
        }
        Some(0.0)
    }

    /// Pose of a site relative to a reference site, projected on the gear. Dofs that move both
    /// together have no effect on it.
    #[inline(always)]
    pub fn relative(
        &self,
        m: &Model,
        sites: [usize; 2],
        gear: &[f64; 6],
        row: &mut Row<'_>,
    ) -> Option<f64> {
        let [reference, site] = sites;
        let [translation, rotation] = halves(gear);
        let frame = &self.site_xmat[reference];
        let bodies = bodies_of(m, sites)?;
        let mut length = 0.0;
        if translation != Vec3::ZERO {
            let gap = frame.tmul(self.site_xpos[site] - self.site_xpos[reference]);
            length += gap.dot(translation);
        }
        if rotation != Vec3::ZERO {
            // The order of factors is MuJoCo's.
            let [reference_quat, quat] =
                [0, 1].map_inline(|k| m.site_quat[sites[k]] * self.xquat[bodies[k]]);
            length += quat.difference(reference_quat).dot(rotation);
        }

        let (force, torque) = (*frame * translation, *frame * rotation);
        let [_, first, second] = self.branches(bodies);
        for (side, dofs) in alone(first, second) {
            let sign = if side == 0 { -1.0 } else { 1.0 };
            self.for_each_motion(dofs, (sites[side], bodies[side]), |dof, motion| {
                let turn = self.cdof[dof as usize].rot();
                row.push_nonzero(dof as usize, sign * (motion.dot(force) + turn.dot(torque)));
            });
        }
        Some(length)
    }
}

/// The bodies of two sites.
#[inline(always)]
fn bodies_of(m: &Model, [a, b]: [usize; 2]) -> Option<[usize; 2]> {
    Some([index(m.site_bodyid[a], m.nbody)?, index(m.site_bodyid[b], m.nbody)?])
}

/// The dofs that move one of two bodies alone, in ascending order, each with the place of the body.
#[inline(always)]
fn alone<'a>(first: &'a [u32], second: &'a [u32]) -> [(usize, &'a [u32]); 2] {
    // Branches of a tree do not interleave.
    let sides = [(0, first), (1, second)];
    if second.first() < first.first() { [sides[1], sides[0]] } else { sides }
}
