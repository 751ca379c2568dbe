//! Poses of inertial frames, geoms and sites.
//!
//! In a single world where nothing sleeps, those with orientations of their own are turned four at a
//! time, and the others follow lists.

use corten_math::{Mat3, Number, Quat, Vec3, Wide};
use corten_model::enums::{SameFrame, SleepState};

use super::BodyFrame;
use crate::Model;
use crate::data::smooth::Smooth;
use crate::prepared::attached::{FourAttached, Placed};

/// The poses of all.
#[inline(always)]
pub(super) fn attachments<S: Wide, T: Number>(m: &Model, mut v: Smooth<'_, T>) {
    let one_by_one = T::LANES > 1 || v.bodies.list().is_some();
    let Some(attached) = v.structure.attached.as_ref().filter(|_| !one_by_one) else {
        inertial_frames(m, &mut v);
        geoms_and_sites(m, &mut v);
        return;
    };
    let (frames, mut kinds) = split(m, &mut v);
    for (kind, placed) in kinds.iter_mut().zip(&attached.kinds) {
        kind.place_turned::<S>(placed, &frames);
        kind.place_aligned(placed, &frames);
    }
    let ([inertial, others @ ..], [bodies, on_others @ ..]) = (&mut kinds, &attached.kinds);
    for &[_, body] in bodies.on_inertia.iter().chain(&bodies.along_inertia) {
        inertial.place_inertial(body as usize, &frames);
    }
    for (kind, placed) in others.iter_mut().zip(on_others) {
        kind.place_by_inertia(placed, &frames, inertial);
    }
}

/// The poses of inertial frames, one by one.
#[inline(always)]
pub(super) fn inertial_frames<T: Number>(m: &Model, v: &mut Smooth<'_, T>) {
    let bodies = v.bodies;
    let (frames, [mut inertial, ..]) = split(m, v);
    for i in bodies.iter() {
        inertial.place_inertial(i, &frames);
    }
}

/// The poses of geoms and sites, one by one.
#[inline(always)]
pub(super) fn geoms_and_sites<T: Number>(m: &Model, v: &mut Smooth<'_, T>) {
    let (n, nsite) = (m.nbody, m.nsite);
    let (bodies, awake) = (v.bodies, v.body_awake);
    let filter = bodies.list().is_some();
    let nodes = &v.structure.bodies[..n];
    let (frames, [inertial, mut geoms, mut sites]) = split(m, v);
    for i in bodies.with_world().iter() {
        let own = nodes[i].geoms();
        if own.is_empty() || filter && awake[i] != SleepState::Awake.raw() {
            continue;
        }
        for g in own {
            geoms.place(g, i, &frames, (&inertial.xpos[i], &inertial.xmat[i]));
        }
    }
    for (s, &body) in m.site_bodyid[..nsite].iter().enumerate() {
        let i = body as usize;
        if i < n && !(filter && awake[i] != SleepState::Awake.raw()) {
            sites.place(s, i, &frames, (&inertial.xpos[i], &inertial.xmat[i]));
        }
    }
}

/// The frames of bodies, and inertial frames, geoms and sites as attachments to them.
#[inline(always)]
fn split<'a, T: Number>(
    m: &'a Model,
    v: &'a mut Smooth<'_, T>,
) -> (Frames<'a, T>, [Kind<'a, T>; 3]) {
    let n = m.nbody;
    let frames = Frames { pos: &v.xpos[..n], quat: &v.xquat[..n], mat: &v.xmat[..n] };
    let kinds = [
        Kind {
            same: &m.body_sameframe,
            pos: &m.body_ipos,
            quat: &m.body_iquat,
            xpos: v.xipos,
            xmat: v.ximat,
        },
        Kind {
            same: &m.geom_sameframe,
            pos: &m.geom_pos,
            quat: &m.geom_quat,
            xpos: v.geom_xpos,
            xmat: v.geom_xmat,
        },
        Kind {
            same: &m.site_sameframe,
            pos: &m.site_pos,
            quat: &m.site_quat,
            xpos: v.site_xpos,
            xmat: v.site_xmat,
        },
    ];
    (frames, kinds)
}

/// Frames of all bodies in the world.
struct Frames<'a, T> {
    pos: &'a [Vec3<T>],
    quat: &'a [Quat<T>],
    mat: &'a [Mat3<T>],
}

impl<T> Frames<'_, T> {
    #[inline(always)]
    fn of(&self, body: u32) -> BodyFrame<'_, T> {
        let body = body as usize;
        BodyFrame { pos: &self.pos[body], quat: &self.quat[body], mat: &self.mat[body] }
    }
}

/// Attachments of one kind: their frames in those of their bodies, and in the world.
struct Kind<'a, T> {
    /// Which frame each coincides with, or is aligned with.
    same: &'a [u8],
    pos: &'a [Vec3],
    quat: &'a [Quat],
    xpos: &'a mut [Vec3<T>],
    xmat: &'a mut [Mat3<T>],
}

impl<T: Number> Kind<'_, T> {
    /// Finds the pose of the inertial frame of a body.
    #[inline(always)]
    fn place_inertial(&mut self, body: usize, frames: &Frames<'_, T>) {
        // Never aligned with itself.
        let none = (&Vec3::of(Vec3::ZERO), &Mat3::of(Mat3::IDENTITY));
        self.place(body, body, frames, none);
    }

    /// Finds the pose of an attachment.
    #[inline(always)]
    fn place(
        &mut self,
        k: usize,
        body: usize,
        frames: &Frames<'_, T>,
        inertial: (&Vec3<T>, &Mat3<T>),
    ) {
        let frame = frames.of(body as u32);
        let (pos, mat) = (&mut self.xpos[k], &mut self.xmat[k]);
        match SameFrame::from_raw(self.same[k].into()) {
            Some(SameFrame::Body) => (*pos, *mat) = (*frame.pos, *frame.mat),
            Some(SameFrame::Inertia) => (*pos, *mat) = (*inertial.0, *inertial.1),
            Some(SameFrame::BodyRot) => (*pos, *mat) = (frame.position(&self.pos[k]), *frame.mat),
            Some(SameFrame::InertiaRot) => {
                (*pos, *mat) = (frame.position(&self.pos[k]), *inertial.1);
            }
            _ => {
                *pos = frame.position(&self.pos[k]);
                *mat = frame.orientation(&self.quat[k]);
            }
        }
    }

    /// Finds the poses of those with orientations of their own.
    #[inline(always)]
    fn place_turned<S: Wide>(&mut self, placed: &Placed, frames: &Frames<'_, T>) {
        if !placed.fours.is_empty() {
            // As many of each: one check holds for all.
            let n = self.xpos.len();
            let (pos, quat) = (&self.pos[..n], &self.quat[..n]);
            let (xpos, xmat) = (&mut self.xpos[..], &mut self.xmat[..n]);
            for four in &placed.fours {
                place_four::<S, T>(four, frames, (pos, quat), (xpos, xmat));
            }
        }
        for &[k, body] in &placed.turned {
            let (k, frame) = (k as usize, frames.of(body));
            self.xpos[k] = frame.position(&self.pos[k]);
            self.xmat[k] = frame.orientation(&self.quat[k]);
        }
    }

    /// Finds the poses of those that share the orientation of their body.
    #[inline(always)]
    fn place_aligned(&mut self, placed: &Placed, frames: &Frames<'_, T>) {
        for &[k, body] in &placed.on_body {
            let (k, frame) = (k as usize, frames.of(body));
            self.xpos[k] = *frame.pos;
            self.xmat[k] = *frame.mat;
        }
        for &[k, body] in &placed.along_body {
            let (k, frame) = (k as usize, frames.of(body));
            self.xpos[k] = frame.position(&self.pos[k]);
            self.xmat[k] = *frame.mat;
        }
    }

    /// Finds the poses of those that share the orientation of their body's inertial frame.
    #[inline(always)]
    fn place_by_inertia(&mut self, placed: &Placed, frames: &Frames<'_, T>, inertial: &Self) {
        for &[k, body] in &placed.on_inertia {
            let (k, body) = (k as usize, body as usize);
            self.xpos[k] = inertial.xpos[body];
            self.xmat[k] = inertial.xmat[body];
        }
        for &[k, body] in &placed.along_inertia {
            let (k, frame) = (k as usize, frames.of(body));
            self.xpos[k] = frame.position(&self.pos[k]);
            self.xmat[k] = inertial.xmat[body as usize];
        }
    }
}

/// Finds the poses of four side by side. The matrices of their bodies are made anew from the
/// orientations, with the same bits: less work than to load them.
#[inline(always)]
fn place_four<S: Wide, T: Number>(
    four: &FourAttached,
    frames: &Frames<'_, T>,
    (pos, quat): (&[Vec3], &[Quat]),
    (xpos, xmat): (&mut [Vec3<T>], &mut [Mat3<T>]),
) {
    let [i, j, k, l] = four.at;
    let at = [i as usize, j as usize, k as usize, l as usize];
    let [i, j, k, l] = four.bodies;
    let bodies = [i as usize, j as usize, k as usize, l as usize];
    let frame = Quat::<S>::load(bytemuck::cast_slice(frames.quat), bodies);
    let origin = Vec3::load(bytemuck::cast_slice(frames.pos), bodies);
    let position = frame.to_mat() * Vec3::load(pos, at) + origin;
    position.store(bytemuck::cast_slice_mut(xpos), at);
    let turned = frame * Quat::load(quat, at);
    turned.to_mat().store(bytemuck::cast_slice_mut(xmat), at);
}
