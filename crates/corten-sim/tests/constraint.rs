//! Constraint rows, islands and contact forces of small models, against numbers worked out by
//! hand.

use corten_math::real;
use corten_model::Assets;
use corten_model::enums::{ConstraintType, DisableBit, JacobianType, Solver};
use corten_sim::stage::{constraint, inertia};
use corten_sim::{Data, Model, forward, load_model_str, solve, step};

fn model(xml: &str) -> Model {
    load_model_str(xml, &Assets::default()).unwrap()
}

/// Data of a model with one ball joint turned by `degrees` about `axis`.
fn turned(m: &Model, axis: [f64; 3], degrees: f64) -> Data {
    let mut d = Data::new(m);
    let (s, c) = real::sin_cos(0.5 * degrees.to_radians());
    d.qpos.copy_from_slice(&[c, s * axis[0], s * axis[1], s * axis[2]]);
    d
}

fn ball(range: f64) -> Model {
    model(&format!(
        r#"<mujoco><worldbody><body><joint type="ball" limited="true" range="0 {range}"/>
           <geom size=".1" pos="0 0 .3"/></body></worldbody></mujoco>"#
    ))
}

fn jacobian(m: &Model, d: &mut Data) -> Vec<f64> {
    constraint::materialize_jacobian(m, d);
    d.efc_J.clone()
}

#[test]
fn ball_limit_measures_the_rotation_angle() {
    let m = ball(45.0);
    let mut d = turned(&m, [0.6, 0.8, 0.0], 50.0);
    d.qvel.copy_from_slice(&[1.0, 2.0, 0.5]);
    forward(&m, &mut d).unwrap();
    assert_eq!((d.nefc, d.nl), (1, 1));
    assert_eq!(d.efc_type[0], ConstraintType::LimitJoint.raw());
    assert!((d.efc_pos[0] + std::f64::consts::PI / 36.0).abs() < 1e-12);
    assert!((d.efc_vel[0] + 2.2).abs() < 1e-12);
    for (found, want) in jacobian(&m, &mut d).iter().zip([-0.6, -0.8, 0.0]) {
        assert!((found - want).abs() < 1e-12);
    }

    // Beyond half a turn the short way round counts.
    let m = ball(150.0);
    let mut d = turned(&m, [0.0, 0.0, 1.0], 200.0);
    forward(&m, &mut d).unwrap();
    assert!((d.efc_pos[0] + 10f64.to_radians()).abs() < 1e-12);
    for (found, want) in jacobian(&m, &mut d).iter().zip([0.0, 0.0, 1.0]) {
        assert!((found - want).abs() < 1e-12);
    }
}

#[test]
fn limit_rows_appear_at_the_limit_only() {
    let m = ball(45.0);
    for (degrees, rows) in [(44.5, 0), (45.5, 1)] {
        let mut d = turned(&m, [0.0, 1.0, 0.0], degrees);
        forward(&m, &mut d).unwrap();
        assert_eq!(d.nefc, rows, "{degrees}");
    }
    // The quaternion need not be normalised.
    let mut d = turned(&m, [0.6, 0.8, 0.0], 50.0);
    d.qpos.iter_mut().for_each(|q| *q *= 1.05);
    forward(&m, &mut d).unwrap();
    assert!((d.efc_pos[0] + std::f64::consts::PI / 36.0).abs() < 1e-12);
}

#[test]
fn a_joint_can_be_at_both_limits() {
    let m = model(
        r#"<mujoco><worldbody><body><joint type="slide" axis="1 0 0" limited="true" range="-.1 .1"
           margin=".2"/><geom size=".1"/></body></worldbody></mujoco>"#,
    );
    let mut d = Data::new(&m);
    d.qpos[0] = 0.02;
    forward(&m, &mut d).unwrap();
    assert_eq!(d.nl, 2);
    assert!((d.efc_pos[0] - 0.12).abs() < 1e-15 && (d.efc_pos[1] - 0.08).abs() < 1e-15);
    assert_eq!(jacobian(&m, &mut d), [1.0, -1.0]);
}

const TWO_PILES: &str = r#"<mujoco><option timestep=".002"/><worldbody>
  <geom type="plane" size="5 5 .1"/>
  <body pos="0 0 .1"><freejoint/><geom size=".1" mass="1"/></body>
  <body pos="2 0 .1"><freejoint/><geom type="box" size=".1 .1 .1" mass="2"/></body>
  <body pos="-3 0 5"><freejoint/><geom size=".1"/></body>
  <body pos="2 0 .299"><freejoint/><geom type="box" size=".1 .1 .1" mass="2"/></body>
</worldbody></mujoco>"#;

#[test]
fn islands_join_what_touches() {
    let m = model(TWO_PILES);
    let mut d = Data::new(&m);
    for _ in 0..20 {
        step(&m, &mut d).unwrap();
    }
    assert_eq!(d.nisland, 2);
    assert_eq!(d.tree_island, [0, 1, -1, 1]);
    assert_eq!(d.map_itree2tree, [0, 1, 3, 2]);
    assert_eq!((d.nidof, &d.island_nv[..]), (18, &[6, 12][..]));
    assert_eq!(d.island_nefc.iter().sum::<i32>() as usize, d.nefc);
    for (i, &row) in d.map_iefc2efc.iter().enumerate() {
        assert_eq!(d.map_efc2iefc[row as usize] as usize, i);
    }
    // A tree in free fall keeps its unconstrained acceleration.
    forward(&m, &mut d).unwrap();
    assert_eq!(d.qacc[12..18], d.qacc_smooth[12..18]);
}

/// What the public arrays say of islands.
fn island_arrays(d: &Data) -> Vec<Vec<i32>> {
    let of_trees = [&d.tree_island, &d.map_itree2tree];
    let of_dofs = [&d.dof_island, &d.map_dof2idof, &d.map_idof2dof];
    let of_rows = [&d.efc_island, &d.map_efc2iefc, &d.map_iefc2efc];
    let sizes = [&d.island_nv, &d.island_idofadr, &d.island_nefc, &d.island_iefcadr];
    of_trees.into_iter().chain(of_dofs).chain(of_rows).chain(sizes).cloned().collect()
}

#[test]
fn islands_are_the_same_after_a_reset() {
    let pile = r#"<mujoco><worldbody><geom type="plane" size="5 5 .1"/>
        <body pos="0 0 .099"><freejoint/><geom type="box" size=".1 .1 .1"/></body>
        <body pos="0 0 .298"><freejoint/><geom type="box" size=".1 .1 .1"/></body>
        </worldbody></mujoco>"#;
    // Several islands, and one of everything.
    for xml in [TWO_PILES, pile] {
        let m = model(xml);
        let mut d = Data::new(&m);
        forward(&m, &mut d).unwrap();
        let (first, count) = (island_arrays(&d), d.nisland);
        assert!(count > 0);
        d.reset(&m).unwrap();
        assert_eq!((d.nisland, d.nidof), (0, 0));
        for _ in 0..2 {
            forward(&m, &mut d).unwrap();
            assert_eq!((island_arrays(&d), d.nisland), (first.clone(), count));
        }
    }
}

/// Whether the degrees of freedom of islands follow each other or others stand between them, each island has
/// the same solution, bit by bit.
#[test]
fn islands_do_not_depend_on_who_stands_between() {
    let on_floor = |x: f64| {
        format!(
            r#"<body pos="{x} 0 .099"><freejoint/><geom type="box" size=".1 .1 .1"/></body>
               <body pos="{x} .03 .298"><freejoint/><geom type="box" size=".1 .1 .1"/></body>"#
        )
    };
    let falling = r#"<body pos="0 9 9"><freejoint/><geom size=".1"/></body>"#;
    let run = |before: &str, between: &str| {
        let mut m = model(&format!(
            r#"<mujoco><worldbody><geom type="plane" size="5 5 .1"/>{before}{}{between}{}</worldbody></mujoco>"#,
            on_floor(0.0),
            on_floor(2.0),
        ));
        m.opt.disableflags = DisableBit::WarmStart.raw();
        let mut d = Data::new(&m);
        for _ in 0..50 {
            step(&m, &mut d).unwrap();
        }
        assert_eq!((d.nisland, d.nidof), (2, 24));
        let dofs = d.map_idof2dof[..d.nidof].iter().map(|&dof| dof as usize);
        dofs.map(|dof| [d.qvel[dof], d.qacc[dof], d.qfrc_constraint[dof]]).collect::<Vec<_>>()
    };
    let alone = run("", "");
    assert_eq!(run(falling, ""), alone);
    assert_eq!(run("", falling), alone);
}

#[test]
fn islands_do_not_change_the_solution() {
    let mut m = model(TWO_PILES);
    (m.opt.tolerance, m.opt.iterations) = (1e-16, 300);
    let mut d = Data::new(&m);
    for _ in 0..50 {
        step(&m, &mut d).unwrap();
    }
    for solver in [Solver::Newton, Solver::Cg] {
        m.opt.solver = solver;
        m.opt.disableflags = 0;
        forward(&m, &mut d).unwrap();
        let apart = d.qacc.clone();
        m.opt.disableflags = DisableBit::Island.raw();
        forward(&m, &mut d).unwrap();
        assert_eq!(d.nisland, 0);
        for (a, b) in apart.iter().zip(&d.qacc) {
            assert!((a - b).abs() < 1e-6, "{solver:?}: {a} {b}");
        }
    }
}

#[test]
fn a_resting_sphere_is_carried_by_its_weight() {
    let m = model(TWO_PILES);
    let mut d = Data::new(&m);
    for _ in 0..2000 {
        step(&m, &mut d).unwrap();
    }
    forward(&m, &mut d).unwrap();
    let contact = (0..d.ncon).find(|&c| d.contact[c].geom[1] == 1).unwrap();
    let [normal, friction @ ..] = solve::contact_force(&m, &d, contact);
    assert!((normal - 9.81).abs() < 1e-3, "{normal}");
    assert!(friction.iter().all(|f| f.abs() < 1e-6));
    assert_eq!(solve::contact_force(&m, &d, usize::MAX), [0.0; 6]);
}

#[test]
fn inverse_constraint_gives_the_forces_of_the_solver() {
    let m = model(TWO_PILES);
    let mut d = Data::new(&m);
    for _ in 0..100 {
        step(&m, &mut d).unwrap();
    }
    forward(&m, &mut d).unwrap();
    let (force, qfrc) = (d.efc_force.clone(), d.qfrc_constraint.clone());
    solve::inverse_constraint(&m, &mut d);
    for (a, b) in force.iter().zip(&d.efc_force).chain(qfrc.iter().zip(&d.qfrc_constraint)) {
        assert!((a - b).abs() < 1e-6 * a.abs().max(1.0));
    }
}

#[test]
fn nonsense_in_the_model_is_survived() {
    let mut m = model(
        r#"<mujoco><worldbody>
             <body name="a"><freejoint/><geom size=".1"/><site name="s"/></body>
             <body name="b" pos="0 0 .15"><joint name="h" limited="true" range="0 1"/><geom size=".1"/>
               <joint name="k" type="slide"/></body></worldbody>
           <equality><connect body1="a" body2="b" anchor="0 0 0"/><weld body1="a" body2="b"/>
             <joint joint1="h" joint2="k"/></equality></mujoco>"#,
    );
    m.eq_obj1id = vec![77, -3, 1000];
    m.eq_obj2id = vec![1, 99, -100];
    m.eq_type[2] = 42;
    m.geom_bodyid[0] = 55;
    m.dof_treeid[3] = -7;
    m.jnt_range[1] = [f64::NAN, f64::INFINITY];
    let mut d = Data::new(&m);
    m.jnt_dofadr[1] = 1 << 30;
    m.eq_solimp[0] = [f64::NAN; 5];
    for _ in 0..3 {
        let _ = step(&m, &mut d);
    }
}

#[test]
fn island_views_repeat_the_whole() {
    let mut m = model(TWO_PILES);
    for sparse in [false, true] {
        m.opt.jacobian = if sparse { JacobianType::Sparse } else { JacobianType::Dense };
        let mut d = Data::new(&m);
        for _ in 0..20 {
            step(&m, &mut d).unwrap();
        }
        forward(&m, &mut d).unwrap();
        solve::materialize_islands(&m, &mut d);
        let mut rows: Vec<[Vec<f64>; 2]> = Vec::new();
        for i in 0..d.nefc {
            let row = d.map_iefc2efc[i] as usize;
            let island = d.efc_island[row] as usize;
            let (first, nv) = (d.island_idofadr[island] as usize, d.island_nv[island] as usize);
            assert_eq!(d.iefc_D[i], d.efc_D[row]);
            let mut whole = vec![0.0; m.nv];
            let mut local = vec![0.0; nv];
            if sparse {
                let entries = |adr: i32, n: i32| adr as usize..(adr + n) as usize;
                for k in entries(d.efc_J_rowadr[row], d.efc_J_rownnz[row]) {
                    whole[d.efc_J_colind[k] as usize] = d.efc_J[k];
                }
                for k in entries(d.iefc_J_rowadr[i], d.iefc_J_rownnz[i]) {
                    local[d.iefc_J_colind[k] as usize] = d.iefc_J[k];
                }
            } else {
                whole.copy_from_slice(&d.efc_J[row * m.nv..(row + 1) * m.nv]);
                let rows = d.island_iefcadr[island] as usize;
                let start = d.nidof * rows + (i - rows) * nv;
                local.copy_from_slice(&d.iefc_J[start..start + nv]);
            }
            for (c, v) in local.iter().enumerate() {
                assert_eq!(*v, whole[d.map_idof2dof[first + c] as usize]);
            }
            rows.push([whole, local]);
        }
        island_dynamics_are_those_of_the_whole(&m, &d, &rows);
    }
}

/// `A = J M⁻¹ Jᵀ` and `b = J qacc_smooth − aref` of every island, with its own inertia, against those of
/// the whole. Rows come in the order of islands, in full and within their island.
fn island_dynamics_are_those_of_the_whole(m: &Model, d: &Data, rows: &[[Vec<f64>; 2]]) {
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let mut entries = 0;
    for island in 0..d.nisland {
        let range = |start: i32, count: i32| start as usize..(start + count) as usize;
        let dofs = range(d.island_idofadr[island], d.island_nv[island]);
        let own = range(d.island_iefcadr[island], d.island_nefc[island]);
        let inertia = island_inertia(d, dofs.clone());
        for i in own.clone() {
            let [whole, local] = &rows[i];
            let (mut x, y) = (whole.clone(), inertia.solve(local));
            inertia::solve(d, &mut x);
            for j in own.clone() {
                let (a, b) = (dot(&rows[j][0], &x), dot(&rows[j][1], &y));
                assert!((a - b).abs() < 1e-12 * a.abs().max(1.0), "A of {i} and {j}: {a} {b}");
                entries += usize::from(a != 0.0);
            }
            let row = d.map_iefc2efc[i] as usize;
            let b = dot(local, &d.iacc_smooth[dofs.clone()]) - d.iefc_aref[i];
            let expected = dot(whole, &d.qacc_smooth) - d.efc_aref[row];
            assert!((b - expected).abs() < 1e-12 * b.abs().max(1.0), "b of {i}: {b} {expected}");
        }
    }
    assert!(d.nisland > 1 && entries > 100 && m.nv >= d.nidof);
}

/// The inertia of an island.
fn island_inertia(d: &Data, dofs: std::ops::Range<usize>) -> Dense {
    let n = dofs.len();
    let mut full = vec![vec![0.0; n]; n];
    for (i, dof) in dofs.clone().enumerate() {
        let first = d.iM_rowadr[dof] as usize;
        for k in first..first + d.iM_rownnz[dof] as usize {
            // Columns are counted within the island.
            let j = d.iM_colind[k] as usize;
            (full[i][j], full[j][i]) = (d.iM[k], d.iM[k]);
        }
    }
    Dense(full)
}

/// A symmetric positive matrix, solved by elimination.
struct Dense(Vec<Vec<f64>>);

impl Dense {
    fn solve(&self, b: &[f64]) -> Vec<f64> {
        let n = b.len();
        let mut rows: Vec<Vec<f64>> =
            self.0.iter().zip(b).map(|(row, b)| [&row[..], &[*b]].concat()).collect();
        for k in 0..n {
            for i in k + 1..n {
                let factor = rows[i][k] / rows[k][k];
                for j in k..=n {
                    rows[i][j] -= factor * rows[k][j];
                }
            }
        }
        let mut x = vec![0.0; n];
        for k in (0..n).rev() {
            let known: f64 = (k + 1..n).map(|j| rows[k][j] * x[j]).sum();
            x[k] = (rows[k][n] - known) / rows[k][k];
        }
        x
    }
}

/// With noslip all is solved at once, and what no row acts upon starts from its own acceleration,
/// whatever the last step's was.
#[test]
fn noslip_beside_a_free_body() {
    let mut m = model(
        r#"<mujoco><option noslip_iterations="3"/><worldbody><geom type="plane" size="1 1 1"/>
           <body pos="0 0 .09"><freejoint/><geom type="box" size=".1 .1 .1"/></body>
           <body pos="0 0 3"><freejoint/><geom size=".1" mass="50"/></body></worldbody></mujoco>"#,
    );
    let mut run = |flags: i32| {
        m.opt.disableflags = flags;
        let mut d = Data::new(&m);
        d.qvel[..3].copy_from_slice(&[0.3, 0.2, -0.1]);
        d.qacc_warmstart
            .copy_from_slice(&[0.1, 0.2, 8.0, 0.0, 0.0, 0.0, 0.0, 3.0, 1.0, 0.0, 2.0, 0.0]);
        forward(&m, &mut d).unwrap();
        assert!(d.ncon == 4 && (flags != 0 || d.nisland == 1));
        (d.qacc.clone(), d.solver_niter[0])
    };
    let (with, without) = (run(0), run(DisableBit::Island.raw()));
    for (a, b) in with.0.iter().zip(&without.0) {
        assert!((a - b).abs() < 1e-9, "{with:?} {without:?}");
    }
}
