//! What flex contact promises, by the numbers of its acceptance criteria, and what must hold for any
//! shape of a flex.

use corten_math::Vec3;
use corten_model::Assets;
use corten_model::enums::{Cone, DisableBit, FlexSelf, Solver};
use corten_sim::{Contact, Data, Model, forward, load_model_str, step};

fn load(body: &str) -> Model {
    let text =
        format!(r#"<mujoco><option timestep="1e-3"/><worldbody>{body}</worldbody></mujoco>"#);
    load_model_str(&text, &Assets::new()).unwrap_or_else(|e| panic!("{e}"))
}

fn random(state: &mut u64) -> f64 {
    *state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
    (*state >> 11) as f64 / (1u64 << 53) as f64
}

/// Contacts with every slide moved by up to `amount`.
fn shaken(m: &Model, amount: f64, seed: u64) -> Data {
    let (mut d, mut state) = (Data::new(m), seed);
    for q in d.qpos.iter_mut().take(m.nq) {
        *q += amount * (2.0 * random(&mut state) - 1.0);
    }
    forward(m, &mut d).unwrap();
    d
}

fn contacts(d: &Data) -> &[Contact] {
    &d.contact[..d.ncon]
}

fn is_self(c: &Contact) -> bool {
    c.flex[0] >= 0 && c.flex[0] == c.flex[1]
}

/// Contacts of neighbours: one side is a vertex.
fn is_internal(c: &Contact) -> bool {
    is_self(c) && c.vert != [-1; 2]
}

fn sheet(attributes: &str) -> String {
    format!(
        r#"<flexcomp name="f" type="grid" dim="2" count="6 5 1" spacing=".04 .04 .04" radius=".008" mass=".2">
            <contact {attributes}/></flexcomp>"#
    )
}

fn solid(attributes: &str) -> String {
    format!(
        r#"<flexcomp name="f" type="grid" dim="3" count="4 3 3" spacing=".04 .04 .04" radius=".006" mass=".2">
            <contact {attributes}/></flexcomp>"#
    )
}

fn rope(attributes: &str) -> String {
    format!(
        r#"<flexcomp name="f" type="grid" dim="1" count="14 1 1" spacing=".03 .03 .03" radius=".008" mass=".2">
            <contact {attributes}/></flexcomp>"#
    )
}

const SHAPES: [fn(&str) -> String; 3] = [rope, sheet, solid];

#[test]
fn ac_42a_iv_1_masks_gate_self_collision() {
    for shape in SHAPES {
        let all = load(&shape(r#"selfcollide="auto" internal="true""#));
        assert!(contacts(&shaken(&all, 0.03, 1)).iter().any(is_self));
        for masks in [r#"contype="2" conaffinity="1""#, r#"contype="0""#] {
            let m = load(&shape(&format!(r#"selfcollide="auto" internal="true" {masks}"#)));
            assert_eq!(shaken(&m, 0.03, 1).ncon, 0);
        }
    }
}

#[test]
fn ac_42a_iv_2_rigid_flexes_do_not_touch_themselves() {
    for dim in [1, 2, 3] {
        let body = format!(
            r#"<body><freejoint/><geom size=".01" contype="0" conaffinity="0"/>
               <flexcomp name="f" type="grid" dim="{dim}" count="4 {} {}" spacing=".02 .02 .02" radius=".01" rigid="true">
               <contact selfcollide="narrow" internal="true"/></flexcomp></body>"#,
            if dim > 1 { 4 } else { 1 },
            if dim > 2 { 3 } else { 1 },
        );
        let m = load(&body);
        assert_eq!(m.flex_rigid[0], 1);
        assert_eq!(shaken(&m, 0.0, 1).ncon, 0);
    }
}

#[test]
fn ac_42a_iv_3_internal_and_selfcollide_are_independent() {
    for shape in SHAPES {
        let both = load(&shape(r#"selfcollide="narrow" internal="true""#));
        let only_others = load(&shape(r#"selfcollide="narrow" internal="false""#));
        let only_internal = load(&shape(r#"selfcollide="none" internal="true""#));
        let mut total = (0, 0);
        for seed in 0..25 {
            let found = |m: &Model| {
                let d = shaken(m, 0.04, seed);
                let internal = contacts(&d).iter().filter(|c| is_internal(c)).count();
                (internal, contacts(&d).len() - internal)
            };
            let (internal, others) = found(&both);
            assert_eq!(found(&only_others), (0, others));
            assert_eq!(found(&only_internal), (internal, 0));
            total = (total.0 + internal, total.1 + others);
        }
        assert!(total.0 > 2 && total.1 > 2, "{total:?}");
    }
}

#[test]
fn ac_42a_iv_4_none_gives_none() {
    for shape in SHAPES {
        let m = load(&shape(r#"selfcollide="none" internal="false""#));
        assert_eq!(shaken(&m, 0.03, 1).ncon, 0);
    }
}

/// Two triangles at a known distance, and at a known depth.
#[test]
fn ac_42a_iv_5_elements_touch_where_they_are_near() {
    for (gap, expected) in [(0.03, None), (0.015, Some(-0.005)), (0.021, None)] {
        let m = load(&format!(
            r#"<flexcomp name="f" type="direct" dim="2" radius=".01"
                point="0 0 0  1 0 0  0 1 0   .1 .1 {gap}  .9 .1 {gap}  .1 .9 {gap}"
                element="0 1 2  3 4 5"><contact selfcollide="narrow"/></flexcomp>"#
        ));
        let d = shaken(&m, 0.0, 1);
        match expected {
            None => assert_eq!(d.ncon, 0),
            Some(dist) => {
                let [c] = contacts(&d) else { panic!("{}", d.ncon) };
                assert_eq!((c.flex, c.elem, c.vert, c.geom), ([0, 0], [0, 1], [-1; 2], [-1; 2]));
                assert!((c.dist - dist).abs() < 1e-9, "{}", c.dist);
                assert!((c.frame.row(0) - Vec3::Z).norm() < 1e-6);
                assert!((c.pos[2] - 0.5 * gap).abs() < 1e-9);
                assert!(c.efc_address >= 0);
            }
        }
    }
}

/// Pairs of elements, the smaller number first, and their depths. Which of two elements comes first
/// may decide about those that hardly touch.
fn pairs(d: &Data) -> Vec<([i32; 2], f64)> {
    let deep = contacts(d).iter().filter(|c| c.dist < -1e-7);
    let mut pairs: Vec<_> =
        deep.map(|c| ([c.elem[0].min(c.elem[1]), c.elem[0].max(c.elem[1])], c.dist)).collect();
    pairs.sort_by_key(|(ids, _)| *ids);
    pairs
}

#[test]
fn ac_42a_iv_6_hierarchy_and_sweep_find_what_brute_force_finds() {
    for shape in SHAPES {
        let mut m = load(&shape(r#"selfcollide="narrow""#));
        let mut total = 0;
        for seed in 0..25 {
            let amount = 0.01 + 0.05 * (seed as f64 / 25.0);
            m.flex_selfcollide[0] = FlexSelf::Narrow.raw();
            let expected = pairs(&shaken(&m, amount, seed));
            total += expected.len();
            for mode in [FlexSelf::Bvh, FlexSelf::Sap, FlexSelf::Auto] {
                m.flex_selfcollide[0] = mode.raw();
                let found = pairs(&shaken(&m, amount, seed));
                let ids = |pairs: &[([i32; 2], f64)]| pairs.iter().map(|p| p.0).collect::<Vec<_>>();
                assert_eq!(ids(&found), ids(&expected), "{mode:?}, seed {seed}");
                for (a, b) in found.iter().zip(&expected) {
                    assert!((a.1 - b.1).abs() < 1e-6, "{mode:?}, seed {seed}: {a:?} {b:?}");
                }
            }
        }
        assert!(total > 15, "{total}");
    }
}

const OBSTACLES: &str = r#"
    <geom type="sphere" size=".05" pos="0 0 .03"/>
    <geom type="capsule" size=".03 .05" pos=".08 0 .03" euler="40 0 0"/>
    <geom type="box" size=".03 .03 .03" pos="-.08 0 .03" euler="10 20 30"/>
    <body pos="0 .07 .02"><freejoint/><geom type="cylinder" size=".03 .03"/><geom type="ellipsoid" size=".02 .03 .05" pos=".05 0 0"/></body>"#;

/// With and without hierarchies: the same contacts, to the last bit, in the same order.
#[test]
fn ac_42a_iv_7_geoms_meet_flexes_with_and_without_hierarchies() {
    for shape in SHAPES {
        // All layers of a solid are active, as they are without hierarchies.
        let mut m = load(
            &(OBSTACLES.to_owned()
                + &shape(r#"selfcollide="none" activelayers="9" margin=".003""#)),
        );
        for seed in 0..30 {
            m.opt.disableflags &= !DisableBit::MidPhase.raw();
            let with = shaken(&m, 0.02, seed);
            m.opt.disableflags |= DisableBit::MidPhase.raw();
            let without = shaken(&m, 0.02, seed);
            assert!(with.ncon > 5, "{}", with.ncon);
            assert!(contacts(&with) == contacts(&without), "seed {seed}");
            assert!(contacts(&with).iter().any(|c| c.geom[0] >= 0 && c.flex == [-1, 0]));
        }
        m.geom_contype.fill(0);
        m.body_contype.fill(0);
        m.flex_contype[0] = 0;
        assert_eq!(shaken(&m, 0.02, 1).ncon, 0);
    }
}

fn crossing(first: &str, second: &str) -> String {
    format!(
        r#"<flexcomp name="a" type="grid" dim="2" count="4 4 1" spacing=".05 .05 .05" radius=".01">
             <contact selfcollide="none" {first}/></flexcomp>
           <flexcomp name="b" type="grid" dim="3" count="3 3 2" spacing=".05 .05 .05" radius=".01" pos="0 0 .04">
             <contact selfcollide="none" {second}/></flexcomp>"#
    )
}

#[test]
fn ac_42a_v_1_and_3_masks_gate_pairs_of_flexes() {
    let masks = |contype: i32, conaffinity: i32| {
        format!(r#"contype="{contype}" conaffinity="{conaffinity}""#)
    };
    for a in [masks(1, 1), masks(2, 1), masks(0, 4), masks(4, 0)] {
        for b in [masks(1, 1), masks(1, 2), masks(4, 0), masks(0, 4), masks(8, 8)] {
            let m = load(&crossing(&a, &b));
            let [c, f] = [&m.flex_contype, &m.flex_conaffinity];
            let matches = c[0] & f[1] != 0 || c[1] & f[0] != 0;
            assert_eq!(shaken(&m, 0.002, 3).ncon > 0, matches, "{a}, {b}");
        }
    }
}

#[test]
fn ac_42a_v_2_elements_of_two_flexes_touch() {
    // Without hierarchies, all layers of a solid are active.
    let mut m = load(&crossing("", r#"activelayers="9""#));
    for seed in 0..20 {
        m.opt.disableflags &= !DisableBit::MidPhase.raw();
        let with = shaken(&m, 0.004, seed);
        assert!(with.ncon > 0);
        for c in contacts(&with) {
            assert_eq!((c.flex, c.vert, c.geom), ([0, 1], [-1; 2], [-1; 2]));
            assert!(c.elem.iter().all(|&e| e >= 0) && c.dist < 0.0);
        }
        assert!(contacts(&with).is_sorted_by_key(|c| c.elem));
        m.opt.disableflags |= DisableBit::MidPhase.raw();
        assert!(contacts(&with) == contacts(&shaken(&m, 0.004, seed)), "seed {seed}");
    }
}

#[test]
fn ac_42a_v_4_parameters_follow_priority_and_mixing() {
    let a =
        r#"friction=".3 .01 .001" solref=".02 1" solmix="3" condim="1" margin=".002" gap=".001""#;
    let b = r#"friction=".6 .005 .002" solref=".04 .5" solmix="1" condim="3" margin=".001" gap=".0005""#;
    let first = |m: &Model| contacts(&shaken(m, 0.004, 3))[0];
    let mut m = load(&crossing(a, b));
    let c = first(&m);
    assert_eq!((c.dim, c.friction), (3, [0.6, 0.6, 0.01, 0.002, 0.002]));
    assert!((c.solref[0] - (0.75 * 0.02 + 0.25 * 0.04)).abs() < 1e-15);
    assert!((c.solref[1] - (0.75 + 0.25 * 0.5)).abs() < 1e-15);
    assert!((c.includemargin - 0.001).abs() < 1e-15);
    m.flex_priority[0] = 1;
    let c = first(&m);
    assert_eq!((c.dim, c.friction), (1, [0.3, 0.3, 0.01, 0.001, 0.001]));
    assert_eq!(c.solref, [0.02, 1.0]);
}

/// What one pair does changes nothing for others.
#[test]
fn ac_42a_v_5_other_contacts_are_the_same() {
    let both = load(&(OBSTACLES.to_owned() + &crossing("", "")));
    let apart = load(&(OBSTACLES.to_owned() + &crossing(r#"contype="0""#, r#"contype="0""#)));
    let (both, apart) = (shaken(&both, 0.004, 7), shaken(&apart, 0.004, 7));
    let with_geoms = |d: &Data| -> Vec<Contact> {
        let all = contacts(d).iter().filter(|c| c.geom[0] >= 0);
        all.map(|c| Contact { efc_address: 0, ..*c }).collect()
    };
    assert!(with_geoms(&both).len() > 5 && both.ncon > apart.ncon);
    assert!(with_geoms(&both) == with_geoms(&apart));
}

/// A cloth on a ground carries its weight, by every solver and cone.
#[test]
fn forces_on_a_cloth_at_rest_are_its_weight() {
    let mut m = load(
        r#"<geom type="plane" size="1 1 1"/>
           <flexcomp name="f" type="grid" dim="2" count="4 4 1" spacing=".05 .05 .05" radius=".01" pos="0 0 .01" mass=".4">
           <edge equality="true"/></flexcomp>"#,
    );
    for solver in [Solver::Newton, Solver::Cg, Solver::Pgs] {
        for cone in [Cone::Pyramidal, Cone::Elliptic] {
            (m.opt.solver, m.opt.cone, m.opt.noslip_iterations) = (solver, cone, 2);
            (m.opt.iterations, m.opt.tolerance) = (200, 1e-10);
            let mut d = Data::new(&m);
            for _ in 0..400 {
                step(&m, &mut d).unwrap();
            }
            forward(&m, &mut d).unwrap();
            let lift: f64 = d.qfrc_constraint.iter().skip(2).step_by(3).sum();
            let weight = 0.4 * 9.81;
            assert!((lift / weight - 1.0).abs() < 1e-2, "{solver:?} {cone:?}: {lift}");
            assert!(contacts(&d).iter().all(|c| c.vert[1] >= 0 && c.geom[0] == 0));
        }
    }
}

/// Whatever happened to its vertices, a flex makes no step panic or hang.
#[test]
fn malformed_shapes_do_no_harm() {
    const FIELD: &str = r#"<geom type="plane" size="1 1 1"/><geom type="sphere" size=".1"/><geom type="box" size=".1 .05 .1"/>
        <geom type="ellipsoid" size=".1 .05 .1"/><geom type="capsule" size=".05 .1"/>"#;
    for shape in SHAPES {
        let mut m = load(&(FIELD.to_owned() + &shape(r#"selfcollide="auto" internal="true""#)));
        for mode in [FlexSelf::Narrow, FlexSelf::Bvh, FlexSelf::Sap] {
            m.flex_selfcollide[0] = mode.raw();
            let at_rest = Data::new(&m);
            type Damage = fn(usize, f64) -> f64;
            let damages: [Damage; 6] = [
                |_, _| 0.0,
                |k, x| if k == 4 { f64::NAN } else { x },
                |k, x| if k % 5 == 0 { f64::INFINITY } else { x },
                |k, x| if k % 3 == 0 { 1e300 } else { -x },
                |k, x| if k % 3 == 2 { 0.0 } else { 1e-160 * x },
                |k, x| -3.0 * x + 1e-12 * k as f64,
            ];
            for damage in damages {
                let mut d = at_rest.clone();
                forward(&m, &mut d).unwrap();
                for (v, x) in d.flexvert_xpos.iter_mut().enumerate() {
                    *x = Vec3([0, 1, 2].map(|axis| damage(3 * v + axis, x[axis])));
                }
                // Boxes as they are, and as they would be.
                corten_sim::stage::collision::collision(&m, &mut d);
                for v in 0..m.nflexvert {
                    let body = m.flex_vertbodyid[v] as usize;
                    let q = m.jnt_qposadr[m.body_jntadr[body] as usize] as usize;
                    let shift = d.flexvert_xpos[v] - at_rest.flexvert_xpos[v];
                    d.qpos[q..q + 3].copy_from_slice(&shift.0);
                }
                let _ = forward(&m, &mut d);
                let _ = step(&m, &mut d);
            }
        }
    }
}

/// Height fields under flexes of every dimension: contacts at the depth of a plane at that height,
/// away from the sides of the prisms that the field is made of.
#[test]
fn flat_height_fields_are_as_high_as_they_are() {
    for shape in SHAPES {
        let text = format!(
            r#"<mujoco><asset><hfield name="h" nrow="2" ncol="2" size="1 1 .1 .1" elevation="0 0 0 0"/></asset><worldbody>
               <geom type="hfield" hfield="h" pos="-.4 .4 0"/>{}</worldbody></mujoco>"#,
            shape(r#"selfcollide="none""#),
        );
        let m = load_model_str(&text, &Assets::new()).unwrap_or_else(|e| panic!("{e}"));
        let d = shaken(&m, 0.001, 2);
        assert!(d.ncon > 0);
        let lowest = d.flexvert_xpos.iter().fold(f64::MAX, |z, x| z.min(x[2]));
        let deepest = contacts(&d).iter().fold(f64::MAX, |z, c| z.min(c.dist));
        // The search ends at this tolerance.
        let tolerance = m.opt.ccd_tolerance;
        let expected = lowest - m.flex_radius[0];
        assert!((deepest - expected).abs() < tolerance, "{deepest} {expected}");
    }
}
