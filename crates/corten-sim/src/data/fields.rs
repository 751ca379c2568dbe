use std::sync::Arc;

use corten_math::{Inertia, Mat3, Quat, Spatial, Vec3};
use corten_model::array_struct;

use super::budget::Budget;
use super::contact::Contact;
use super::heap_array::HeapArray;
use super::scratch::Scratch;
use super::stats::{NISLAND, NTIMER, NWARNING, SolverStats, TimerStat, WarningStat};
use crate::extend::Hooks;
use crate::prepared::Prepared;
use crate::sleep::SleepError;
use crate::{CancelToken, Model};

array_struct! {
    /// The changing part of a simulation: state, inputs, results of every stage, scratch memory.
    ///
    /// Fields carry MuJoCo's names and meaning, grouped by the stage that fills them. A `Data`
    /// belongs to one model; it is plain memory (`Clone`, `Send`), so a copy continues the same
    /// trajectory bit for bit.
    #[derive(Debug, Default)]
    pub struct Data {
        /// Simulation time in seconds.
        pub time: f64,
        /// Potential and kinetic energy.
        pub energy: HeapArray<f64, 2>,
        /// Contacts found by the last collision detection.
        pub contact: Vec<Contact>,
        /// Forward-inverse discrepancy: of joint forces, of constraint forces.
        pub solver_fwdinv: HeapArray<f64, 2>,
        /// Force of each joint's limit, zero within the range; that of the lower limit if both are
        /// active. Not in MuJoCo.
        pub jnt_limit_frc: Vec<f64>,
        /// [`jnt_limit_frc`](Self::jnt_limit_frc) of tendons.
        pub ten_limit_frc: Vec<f64>,
        /// Per island: statistics of each iteration.
        pub solver: SolverStats,
        /// Per island: number of iterations.
        pub solver_niter: HeapArray<i32, NISLAND>,
        /// Per island: size of the Hessian.
        pub solver_nnz: HeapArray<i32, NISLAND>,
        /// How often each warning was raised.
        pub warning: HeapArray<WarningStat, NWARNING>,
        /// Time of each stage, while a clock is installed.
        pub timer: HeapArray<TimerStat, NTIMER>,
        /// Why the last reset could not put a tree to sleep that the model wants asleep.
        pub sleep_error: Option<SleepError>,
        /// What contacts and rows may take; stays through resets.
        pub budget: Budget,
        /// Whoever may end a step before it is done; stays through resets.
        pub cancel: Option<CancelToken>,
        /// User code called by the stages; stays through resets.
        pub hooks: Hooks,
        /// What follows from the model, as of [`Data::bind`].
        pub(crate) prepared: Arc<Prepared>,
        pub(crate) scratch: Scratch,
    }
    sizes {
        /// Number of contacts.
        ncon,
        /// Equality rows.
        ne,
        /// Friction loss rows.
        nf,
        /// Limit rows.
        nl,
        /// All constraint rows.
        nefc,
        /// Nonzeros of the constraint Jacobian.
        nJ,
        /// Nonzeros of the inverse constraint-space inertia.
        nA,
        nisland,
        /// Degrees of freedom in all islands.
        nidof,
        ntree_awake,
        nbody_awake,
        nparent_awake,
        nv_awake,
        maxuse_con,
        maxuse_efc,
    }
    fixed(m: &Model) {
        // State.
        qpos: f64 [nq],
        qvel: f64 [nv],
        act: f64 [na],
        qacc_warmstart: f64 [nv],
        plugin_state: f64 [npluginstate],

        // Control and other inputs.
        ctrl: f64 [nu],
        qfrc_applied: f64 [nv],
        xfrc_applied: Spatial [nbody],
        eq_active: u8 [neq],
        mocap_pos: Vec3 [nmocap],
        mocap_quat: Quat [nmocap],
        userdata: f64 [nuserdata],

        // Main results.
        qacc: f64 [nv],
        act_dot: f64 [na],
        sensordata: f64 [nsensordata],

        // Sleep state.
        tree_asleep: i32 [ntree],
        tree_awake: i32 [ntree],
        body_awake: i32 [nbody],
        body_awake_ind: i32 [nbody],
        parent_awake_ind: i32 [nbody],
        dof_awake_ind: i32 [nv],

        // stage::kinematics.
        xpos: Vec3 [nbody],
        xquat: Quat [nbody],
        xmat: Mat3 [nbody],
        xipos: Vec3 [nbody],
        ximat: Mat3 [nbody],
        xanchor: Vec3 [njnt],
        xaxis: Vec3 [njnt],
        geom_xpos: Vec3 [ngeom],
        geom_xmat: Mat3 [ngeom],
        site_xpos: Vec3 [nsite],
        site_xmat: Mat3 [nsite],
        cam_xpos: Vec3 [ncam],
        cam_xmat: Mat3 [ncam],
        light_xpos: Vec3 [nlight],
        light_xdir: Vec3 [nlight],

        // stage::inertia, centres of mass.
        subtree_com: Vec3 [nbody],
        cdof: Spatial [nv],
        cinert: Inertia [nbody],

        // stage::flex.
        flexvert_xpos: Vec3 [nflexvert],
        flexelem_aabb: [f64; 6] [nflexelem],
        flexedge_J_rownnz: i32 [nflexedge],
        flexedge_J_rowadr: i32 [nflexedge],
        flexedge_length: f64 [nflexedge],
        bvh_aabb_dyn: [f64; 6] [nbvhdynamic],
        flexedge_velocity: f64 [nflexedge],

        // stage::tendon.
        ten_wrapadr: i32 [ntendon],
        ten_wrapnum: i32 [ntendon],
        ten_J_rownnz: i32 [ntendon],
        ten_J_rowadr: i32 [ntendon],
        ten_length: f64 [ntendon],
        wrap_obj: [i32; 2] [nwrap],
        wrap_xpos: [f64; 6] [nwrap],
        ten_velocity: f64 [ntendon],

        // stage::transmission.
        actuator_length: f64 [nu],
        moment_rownnz: i32 [nu],
        moment_rowadr: i32 [nu],
        moment_colind: i32 [nJmom],
        actuator_moment: f64 [nJmom],
        actuator_velocity: f64 [nu],

        // stage::inertia, mass matrix and its factor.
        crb: Inertia [nbody],
        M: f64 [nC],
        qLD: f64 [nC],
        qLDiagInv: f64 [nv],

        // stage::velocity.
        cvel: Spatial [nbody],
        cdof_dot: Spatial [nv],
        qfrc_bias: f64 [nv],

        // stage::passive.
        qfrc_spring: f64 [nv],
        qfrc_damper: f64 [nv],
        qfrc_gravcomp: f64 [nv],
        qfrc_fluid: f64 [nv],
        qfrc_passive: f64 [nv],

        // Subtree momentum, computed for sensors.
        subtree_linvel: Vec3 [nbody],
        subtree_angmom: Vec3 [nbody],

        // integrate: factors of the modified mass matrix, velocity derivative.
        qH: f64 [nC],
        qHDiagInv: f64 [nv],
        qDeriv: f64 [nD],
        qLU: f64 [nD],

        // stage::actuation.
        actuator_force: f64 [nu],
        qfrc_actuator: f64 [nv],

        // stage::acceleration.
        qfrc_smooth: f64 [nv],
        qacc_smooth: f64 [nv],

        // solve.
        qfrc_constraint: f64 [nv],

        // inverse.
        qfrc_inverse: f64 [nv],

        // Forces and accelerations of bodies, computed for sensors.
        cacc: Spatial [nbody],
        cfrc_int: Spatial [nbody],
        cfrc_ext: Spatial [nbody],
    }
    dynamic {
        // Sparse rows whose storage is compact here, n x nv in MuJoCo.
        ten_J_colind: i32 [nJten],
        ten_J: f64 [nJten],

        // Constraint rows.
        efc_type: i32 [nefc],
        efc_id: i32 [nefc],
        efc_J_rownnz: i32 [nefc],
        efc_J_rowadr: i32 [nefc],
        efc_J_rowsuper: i32 [nefc],
        efc_J_colind: i32 [nJ],
        efc_J: f64 [nJ],
        efc_pos: f64 [nefc],
        efc_margin: f64 [nefc],
        efc_frictionloss: f64 [nefc],
        efc_diagApprox: f64 [nefc],
        efc_KBIP: [f64; 4] [nefc],
        efc_D: f64 [nefc],
        efc_R: f64 [nefc],
        tendon_efcadr: i32 [ntendon],
        efc_vel: f64 [nefc],
        efc_aref: f64 [nefc],
        efc_b: f64 [nefc],
        efc_state: i32 [nefc],
        efc_force: f64 [nefc],

        // Dual problem.
        efc_AR_rownnz: i32 [nefc],
        efc_AR_rowadr: i32 [nefc],
        efc_AR_colind: i32 [nA],
        efc_AR: f64 [nA],

        // Constraint islands.
        tree_island: i32 [ntree],
        island_ntree: i32 [nisland],
        island_itreeadr: i32 [nisland],
        map_itree2tree: i32 [ntree],
        dof_island: i32 [nv],
        island_nv: i32 [nisland],
        island_idofadr: i32 [nisland],
        island_dofadr: i32 [nisland],
        map_dof2idof: i32 [nv],
        map_idof2dof: i32 [nv],
        ifrc_smooth: f64 [nidof],
        iacc_smooth: f64 [nidof],
        iM_rownnz: i32 [nidof],
        iM_rowadr: i32 [nidof],
        iM_colind: i32 [nC],
        iM: f64 [nC],
        iLD: f64 [nC],
        iLDiagInv: f64 [nidof],
        iacc: f64 [nidof],
        efc_island: i32 [nefc],
        island_ne: i32 [nisland],
        island_nf: i32 [nisland],
        island_nefc: i32 [nisland],
        island_iefcadr: i32 [nisland],
        map_efc2iefc: i32 [nefc],
        map_iefc2efc: i32 [nefc],
        iefc_type: i32 [nefc],
        iefc_id: i32 [nefc],
        iefc_J_rownnz: i32 [nefc],
        iefc_J_rowadr: i32 [nefc],
        iefc_J_rowsuper: i32 [nefc],
        iefc_J_colind: i32 [nJ],
        iefc_J: f64 [nJ],
        iefc_frictionloss: f64 [nefc],
        iefc_D: f64 [nefc],
        iefc_R: f64 [nefc],
        iefc_aref: f64 [nefc],
        iefc_state: i32 [nefc],
        iefc_force: f64 [nefc],
        ifrc_constraint: f64 [nidof],
    }
}
