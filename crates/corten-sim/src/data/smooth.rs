//! What the smooth stages compute on: one world, or four side by side.
//!
//! Their kernels are written once, for any [`SmoothState`]: for a [`Data`] in which nothing sleeps,
//! for one [`WithSleep`], and for [`Lanes`], which holds the same fields of four worlds that share a
//! model, as lanes of one number.

use corten_math::memory;
use std::sync::Arc;

use corten_math::array;
use corten_math::hint::rarely;
use corten_math::{
    AncestorAxes, AxisStack, Four, Inertia, Mat3, Number, Quat, Spatial, Stored, Vec3, Wide,
};

use super::Data;
use crate::awake::{self, Selection};
use crate::prepared::Prepared;
use crate::prepared::structure::{PointRun, Structure};
use crate::sleepers::{Lists, Memory, Sleepers};
use crate::{Model, sleep};

/// Memory that the smooth stages work on.
pub(crate) trait SmoothState {
    type Stored: Stored<Number<Four> = Self::Stored> + Number;

    /// The fields, as numbers or registers to compute with; with [`Four`], as they are stored.
    fn smooth<S: Wide>(&mut self, m: &Model) -> Smooth<'_, <Self::Stored as Stored>::Number<S>>;

    /// Wakes what has been moved in its sleep.
    fn wake(&mut self, m: &Model);
}

/// A world in which trees may sleep, and are then left out.
pub(crate) struct WithSleep<'d>(pub &'d mut Data);

/// Calls a kernel for one world, with or without regard to what sleeps.
macro_rules! dispatch_sleep {
    ($kernel:ident($m:expr, $d:expr $(, $more:expr)*)) => {
        if $crate::sleep::enabled($m) {
            $kernel($m, &mut $crate::data::smooth::WithSleep($d) $(, $more)*)
        } else {
            $kernel($m, $d $(, $more)*)
        }
    };
}

pub(crate) use dispatch_sleep;

macro_rules! fields {
    ($($name:ident: $type:ident,)*) => {
        /// The fields of [`Data`] that smooth stages read and write.
        #[allow(non_snake_case)]
        pub(crate) struct Smooth<'a, T> {
            pub prepared: &'a Prepared,
            pub structure: &'a Structure,
            /// Whether trees may sleep.
            pub sleeping: bool,
            pub bodies: Selection<'a>,
            /// Bodies that are points, if these are treated apart.
            pub points: &'a [PointRun],
            /// The rest of `bodies`.
            pub jointed: Selection<'a>,
            /// Jointed bodies whose parent is awake or static; where some sleep, without those on the
            /// world.
            pub children: Selection<'a>,
            /// Where some sleep.
            pub sleepers: Option<(&'a Lists, &'a mut Memory)>,
            pub dofs: Selection<'a>,
            pub body_awake: &'a [i32],
            pub tree_awake: &'a mut [i32],
            pub half_angle: [&'a mut [T]; 2],
            pub ancestors: AxisStack<'a, T>,
            pub body_acc: &'a mut [Spatial<T>],
            pub body_frc: &'a mut [Spatial<T>],
            /// The acceleration over the step, from which velocities follow.
            pub step_acc: &'a mut [T],
            $(pub $name: &'a mut [fields!(@type T $type)],)*
        }

        /// Four worlds, each in its lane.
        #[allow(non_snake_case)]
        #[derive(Clone, Debug, Default)]
        pub(crate) struct Lanes {
            pub prepared: Arc<Prepared>,
            half_angle: [Vec<Four>; 2],
            ancestors: AncestorAxes<Four>,
            body_acc: Vec<Spatial<Four>>,
            body_frc: Vec<Spatial<Four>>,
            pub step_acc: Vec<Four>,
            $(pub $name: Vec<fields!(@type Four $type)>,)*
        }

        impl Data {
            #[inline(always)]
            fn smooth_fields(&mut self, m: &Model, sleeping: bool) -> Smooth<'_, f64> {
                let filter = sleeping && self.ntree_awake < m.ntree;
                let [half_sin, half_cos] = &mut self.scratch.half_angle;
                let structure = &self.prepared.structure;
                let (points, rest) = if sleeping { (&[][..], None) } else { structure.apart() };
                let bodies = awake::select(filter, &self.body_awake_ind, self.nbody_awake, m.nbody)
                    .without_world();
                let Sleepers { lists, memory } = &mut self.scratch.sleepers;
                let children = if filter { Selection::of(&lists.inner) } else { bodies };
                Smooth {
                    prepared: &self.prepared,
                    structure,
                    sleeping,
                    bodies,
                    points,
                    jointed: rest.unwrap_or(bodies),
                    children: rest.unwrap_or(children),
                    sleepers: filter.then_some((&*lists, memory)),
                    dofs: awake::select(filter, &self.dof_awake_ind, self.nv_awake, m.nv),
                    body_awake: &self.body_awake,
                    tree_awake: &mut self.tree_awake,
                    half_angle: [half_sin, half_cos],
                    ancestors: self.scratch.ancestors.stack::<Four>(),
                    body_acc: &mut self.scratch.body_acc,
                    body_frc: &mut self.scratch.body_frc,
                    step_acc: &mut self.scratch.step_acc,
                    $($name: &mut self.$name,)*
                }
            }
        }

        impl SmoothState for Data {
            type Stored = f64;

            #[inline(always)]
            fn smooth<S: Wide>(&mut self, m: &Model) -> Smooth<'_, f64> {
                self.smooth_fields(m, false)
            }

            /// What slept when sleeping was switched off.
            #[inline(always)]
            fn wake(&mut self, m: &Model) {
                if rarely(self.ntree_awake < m.ntree) && sleep::wake(m, self) {
                    sleep::update(m, self);
                }
            }
        }

        impl SmoothState for WithSleep<'_> {
            type Stored = f64;

            #[inline(always)]
            fn smooth<S: Wide>(&mut self, m: &Model) -> Smooth<'_, f64> {
                self.0.smooth_fields(m, true)
            }

            #[inline(always)]
            fn wake(&mut self, m: &Model) {
                if sleep::wake(m, self.0) {
                    sleep::update(m, self.0);
                }
            }
        }

        impl SmoothState for Lanes {
            type Stored = Four;

            #[inline(always)]
            fn smooth<S: Wide>(&mut self, m: &Model) -> Smooth<'_, S> {
                let [half_sin, half_cos] = &mut self.half_angle;
                let structure = &self.prepared.structure;
                let (points, rest) = structure.apart();
                let bodies = Selection::all(m.nbody).without_world();
                Smooth {
                    prepared: &self.prepared,
                    structure,
                    sleeping: false,
                    bodies,
                    points,
                    jointed: rest.unwrap_or(bodies),
                    children: rest.unwrap_or(bodies),
                    sleepers: None,
                    dofs: Selection::all(m.nv),
                    body_awake: &[],
                    tree_awake: &mut [],
                    half_angle: [
                        bytemuck::cast_slice_mut(half_sin),
                        bytemuck::cast_slice_mut(half_cos),
                    ],
                    ancestors: self.ancestors.stack::<S>(),
                    body_acc: bytemuck::cast_slice_mut(&mut self.body_acc),
                    body_frc: bytemuck::cast_slice_mut(&mut self.body_frc),
                    step_acc: bytemuck::cast_slice_mut(&mut self.step_acc),
                    $($name: bytemuck::cast_slice_mut(&mut self.$name),)*
                }
            }

            /// Nothing sleeps where worlds go side by side.
            #[inline(always)]
            fn wake(&mut self, _: &Model) {}
        }

        impl Lanes {
            pub fn new(m: &Model, d: &Data) -> Lanes {
                let structure = &d.prepared.structure;
                Lanes {
                    half_angle: array::from_fn(|_| {
                        memory::filled(Four::default(), structure.hinges.len())
                    }),
                    ancestors: AncestorAxes::new(structure.mass.width()),
                    prepared: d.prepared.clone(),
                    body_acc: memory::filled(Spatial([Four::default(); 6]), m.nbody),
                    body_frc: memory::filled(Spatial([Four::default(); 6]), m.nbody),
                    step_acc: memory::filled(Four::default(), m.nv),
                    $($name: memory::filled(bytemuck::Zeroable::zeroed(), d.$name.len()),)*
                }
            }
        }
    };
    (@type $T:ident number) => { $T };
    (@type $T:ident $other:ident) => { $other<$T> };
}

fields! {
    qpos: number,
    qvel: number,
    qacc: number,
    mocap_pos: Vec3,
    mocap_quat: Quat,

    xpos: Vec3,
    xquat: Quat,
    xmat: Mat3,
    xipos: Vec3,
    ximat: Mat3,
    xanchor: Vec3,
    xaxis: Vec3,
    geom_xpos: Vec3,
    geom_xmat: Mat3,
    site_xpos: Vec3,
    site_xmat: Mat3,

    subtree_com: Vec3,
    cdof: Spatial,
    cinert: Inertia,
    crb: Inertia,
    M: number,
    qLD: number,
    qLDiagInv: number,
    qH: number,
    qHDiagInv: number,

    cvel: Spatial,
    cdof_dot: Spatial,
    qfrc_bias: number,

    ctrl: number,
    qfrc_applied: number,
    qfrc_passive: number,
    qfrc_actuator: number,
    qfrc_smooth: number,
    qacc_smooth: number,
    qfrc_constraint: number,
}
