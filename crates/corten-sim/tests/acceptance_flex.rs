//! Requirements on deformables, by their number.

use corten_math::Vec3;
use corten_model::enums::JointType;
use corten_model::spec::{Body, Flex, Joint};
use corten_model::{Assets, Spec, compile};
use corten_sim::stage::flex::for_each_edge_row;
use corten_sim::{Data, Model, constants, forward, load_model_str, step};

fn model(body: &str) -> Model {
    let text = format!("<mujoco>{body}</mujoco>");
    load_model_str(&text, &Assets::new()).unwrap_or_else(|e| panic!("{e}"))
}

/// Numbers that look random, from -1 to 1.
fn noise() -> impl FnMut() -> f64 {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}

/// Rows of the edge Jacobian, in full.
fn edge_jacobian(m: &Model, d: &Data) -> Vec<Vec<f64>> {
    let mut rows = vec![vec![0.0; m.nv]; m.nflexedge];
    for_each_edge_row(m, d, |edge, columns, entries| {
        for (&dof, &x) in columns.iter().zip(entries) {
            rows[edge][dof as usize] = x;
        }
    });
    rows
}

/// FLX-02: a grid has the vertices, edges and triangles that one expects, and moves.
#[test]
fn grids_have_the_expected_mesh_and_move() {
    let m = model(
        "<worldbody><flexcomp name='cloth' type='grid' dim='2' count='4 3 1' spacing='.1 .2 .1' pos='0 0 1'>
         <edge equality='true'/><contact selfcollide='none'/></flexcomp></worldbody>",
    );
    assert_eq!((m.nflexvert, m.nflexelem, m.nflexedge, m.nv), (12, 2 * 3 * 2, 9 + 8 + 6, 36));
    let mut d = Data::new(&m);
    forward(&m, &mut d).unwrap();
    for (v, x) in d.flexvert_xpos.iter().enumerate() {
        let (i, j) = (v / 3, v % 3);
        let expected = Vec3::new(0.1 * i as f64 - 0.15, 0.2 * j as f64 - 0.2, 1.0);
        assert!((*x - expected).norm() < 1e-12, "{v}: {x:?} {expected:?}");
    }
    for _ in 0..100 {
        step(&m, &mut d).unwrap();
    }
    let fallen = 1.0 - d.flexvert_xpos[5][2];
    let t = d.time;
    assert!((fallen / (0.5 * 9.81 * t * t) - 1.0).abs() < 0.02, "{fallen}");
}

/// FLX-04: a deformable is made by a program, without MJCF.
#[test]
fn deformables_are_registered_without_a_file() {
    let mut spec = Spec::new();
    for (k, pos) in [[0.0, 0.0, 1.0], [0.2, 0.0, 1.0], [0.0, 0.2, 1.0]].into_iter().enumerate() {
        let body = spec.add_child::<Body>(Spec::WORLD, None);
        spec.bodies[body].name = format!("v{k}");
        spec.bodies[body].pos = Vec3(pos);
        spec.bodies[body].ipos = Some(Vec3::ZERO);
        spec.bodies[body].mass = 0.1;
        spec.bodies[body].inertia = Vec3([1e-6; 3]);
        for axis in [Vec3::X, Vec3::Y, Vec3::Z] {
            let joint = spec.add_child::<Joint>(body, None);
            spec.joints[joint].type_ = JointType::Slide;
            spec.joints[joint].axis = axis;
        }
    }
    let flex = spec.add::<Flex>(None);
    spec.flexes[flex].name = "triangle".into();
    spec.flexes[flex].dim = 1;
    spec.flexes[flex].vertbody = ["v0", "v1", "v2"].map(String::from).to_vec();
    spec.flexes[flex].elem = vec![0, 1, 1, 2, 0, 2];
    spec.flexes[flex].edgestiffness = 100.0;
    let draft = compile(&spec, &Assets::new()).unwrap_or_else(|e| panic!("{e}"));
    let m = constants::finish(draft).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!((m.nflexvert, m.nflexedge, m.nflexelem), (3, 3, 3));
    let mut d = Data::new(&m);
    d.qpos[3] = 0.1;
    forward(&m, &mut d).unwrap();
    // The edge from the first to the second vertex is 0.1 too long.
    assert!((d.qfrc_spring[0] - 10.0).abs() < 1e-9, "{:?}", &d.qfrc_spring);
}

/// A flex with vertices on a hinged body, on a free body, on points and on the world.
fn mixed() -> Model {
    model(
        "<worldbody>
         <body name='arm' pos='0 0 1'><joint axis='0 1 0'/><geom size='.05' contype='0' conaffinity='0'/></body>
         <body name='ball' pos='.3 0 1'><freejoint/><geom size='.05' contype='0' conaffinity='0'/></body>
         <body name='point' pos='.1 .3 1'><joint type='slide' axis='1 0 0'/><joint type='slide' axis='0 1 0'/>
           <joint type='slide' axis='0 0 1'/><geom size='.02' contype='0' conaffinity='0'/></body>
         </worldbody>
         <deformable><flex name='f' dim='2' body='arm ball point world arm'
           vertex='.1 .02 .03  .05 -.02 .01  0 0 0  .4 .4 1.1  .02 .2 -.05' element='0 1 2  1 3 2  0 2 4'>
           <edge damping='.1'/><contact selfcollide='none' internal='false'/></flex></deformable>",
    )
}

/// A state of any model in which everything moves.
fn shaken(m: &Model) -> Data {
    let (mut d, mut noise) = (Data::new(m), noise());
    let speed: Vec<f64> = (0..m.nv).map(|_| noise()).collect();
    let start = d.qpos.to_vec();
    d.qpos.copy_from_slice(&moved(m, &start, &speed, 0.3));
    d.qvel.copy_from_slice(&speed);
    forward(m, &mut d).unwrap();
    d
}

fn moved(m: &Model, qpos: &[f64], qvel: &[f64], time: f64) -> Vec<f64> {
    let mut qpos = qpos.to_vec();
    corten_sim::support::integrate_pos(m, &mut qpos, qvel, time);
    qpos
}

fn lengths(m: &Model, qpos: &[f64]) -> Vec<f64> {
    let mut d = Data::new(m);
    d.qpos.copy_from_slice(qpos);
    forward(m, &mut d).unwrap();
    d.flexedge_length.to_vec()
}

/// FLX-05, FLX-06 (42A-i AC4): rows of the edge Jacobian are the derivatives of lengths, also where
/// bodies have one or six degrees of freedom; velocities are their products with `qvel`.
#[test]
fn the_edge_jacobian_is_the_derivative_of_lengths() {
    const STEP: f64 = 1e-7;
    let m = mixed();
    let d = shaken(&m);
    let rows = edge_jacobian(&m, &d);
    for k in 0..m.nv {
        let mut unit = vec![0.0; m.nv];
        unit[k] = 1.0;
        let [ahead, behind] =
            [STEP, -STEP].map(|time| lengths(&m, &moved(&m, &d.qpos, &unit, time)));
        for e in 0..m.nflexedge {
            let slope = (ahead[e] - behind[e]) / (2.0 * STEP);
            assert!((rows[e][k] - slope).abs() < 1e-5, "edge {e}, dof {k}: {slope}");
        }
    }
    let moving = rows.iter().flatten().filter(|x| x.abs() > 1e-3).count();
    assert!(moving > 20, "{moving}");
    for e in 0..m.nflexedge {
        let product: f64 = rows[e].iter().zip(&*d.qvel).map(|(j, v)| j * v).sum();
        assert!((d.flexedge_velocity[e] - product).abs() < 1e-12);
    }
}

/// FLX-06 (42A-i AC3): where vertices are free, a row is the direction of the edge, bit by bit.
#[test]
fn rows_of_free_vertices_are_directions() {
    let m = model(
        "<worldbody><flexcomp name='cloth' type='grid' dim='2' count='4 3 1' spacing='.1 .2 .1'>
         <edge damping='1'/><contact selfcollide='none'/></flexcomp></worldbody>",
    );
    let d = shaken(&m);
    for (e, row) in edge_jacobian(&m, &d).iter().enumerate() {
        let [a, b] = m.flex_edge[e].map(|v| v as usize);
        let (u, length) = (d.flexvert_xpos[b] - d.flexvert_xpos[a]).normalized();
        assert_eq!(d.flexedge_length[e], length);
        for k in 0..3 {
            assert_eq!((row[3 * a + k], row[3 * b + k]), (-u[k], u[k]));
        }
        assert_eq!(row.iter().filter(|x| **x != 0.0).count(), 6);
    }
}

/// FLX-07 (42A-ii): a flex on one body is rigid, an edge between two vertices of one body, too; they
/// cause no force and no row.
#[test]
fn rigid_flexes_and_edges_do_nothing() {
    let m = model(
        "<worldbody>
         <flexcomp name='tray' type='grid' dim='2' count='3 3 1' spacing='.1 .1 .1' rigid='true'/>
         <body name='a' pos='0 0 1'><freejoint/><geom size='.05' contype='0' conaffinity='0'/></body>
         <body name='b' pos='1 0 1'><freejoint/><geom size='.05' contype='0' conaffinity='0'/></body></worldbody>
         <deformable><flex name='f' dim='2' body='a a b' vertex='0 0 0  .1 0 0  0 .1 0' element='0 1 2'>
         <edge damping='.1'/><contact selfcollide='none' internal='false'/></flex></deformable>
         <equality><flex flex='f'/></equality>",
    );
    assert_eq!(*m.flex_rigid, [0, 1]);
    let rigid: Vec<usize> = (0..m.nflexedge).filter(|&e| m.flexedge_rigid[e] != 0).collect();
    let tray = m.flex_edgeadr[1] as usize;
    let own = m.flex_edge.iter().position(|&ends| ends == [0, 1]).unwrap();
    assert_eq!(rigid, [own].into_iter().chain(tray..m.nflexedge).collect::<Vec<_>>());
    let d = shaken(&m);
    assert_eq!(d.nefc, 2);
    assert!((d.flexedge_length[own] - 0.1).abs() < 1e-12);
}

/// FLX-08 (42B AC5): edges on the border have no coefficients of bending; those inside have a
/// symmetric matrix whose rows sum to zero.
#[test]
fn borders_do_not_bend() {
    let m = model(
        "<worldbody><flexcomp name='cloth' type='grid' dim='2' count='4 4 1' spacing='.1 .1 .1'>
         <elasticity young='1e4' poisson='.3' thickness='.01' elastic2d='bend'/>
         <contact selfcollide='none'/></flexcomp></worldbody>",
    );
    let (mut inner, mut border) = (0, 0);
    for e in 0..m.nflexedge {
        let b = &m.flex_bending[e];
        if m.flex_edgeflap[e][1] < 0 {
            assert!(b.iter().all(|&x| x == 0.0));
            border += 1;
            continue;
        }
        inner += 1;
        for i in 0..4 {
            assert!(b[4 * i..4 * i + 4].iter().sum::<f64>().abs() < 1e-12 * b[0].abs());
            (0..4).for_each(|j| assert_eq!(b[4 * i + j], b[4 * j + i]));
        }
    }
    assert_eq!((inner, border), (21, 12));
}

/// FLX-09: springs and dampers of bending come from one matrix: at a velocity that equals a
/// displacement, the damper is the spring times the damping.
#[test]
fn dampers_of_bending_have_the_matrix_of_the_springs() {
    let m = model(
        "<worldbody><flexcomp name='cloth' type='grid' dim='2' count='4 4 1' spacing='.1 .1 .1'>
         <elasticity young='1e4' poisson='.3' thickness='.01' damping='.25' elastic2d='bend'/>
         <contact selfcollide='none'/></flexcomp></worldbody>",
    );
    let (mut d, mut noise) = (Data::new(&m), noise());
    for k in 0..m.nv {
        d.qpos[k] = 0.01 * noise();
        d.qvel[k] = d.qpos[k];
    }
    forward(&m, &mut d).unwrap();
    let largest = d.qfrc_spring.iter().fold(0.0, |a: f64, x| a.max(x.abs()));
    assert!(largest > 1e-3);
    for (spring, damper) in d.qfrc_spring.iter().zip(&*d.qfrc_damper) {
        assert!((0.25 * spring - damper).abs() < 1e-12 * largest.max(1.0));
    }
}
