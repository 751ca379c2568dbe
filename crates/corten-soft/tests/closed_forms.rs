//! Bodies stepped by the solver against closed forms.

use std::f64::consts::PI;

use corten_math::{Random, Vec3};
use corten_soft::{
    CapsuleChain, ChainPreset, Cloth, ClothPreset, Constraint, Deformable, DeformableBody,
    Material, SoftBody, SoftBodyPreset, SoftError, XpbdSolver,
};

const G: f64 = 9.81;
const DOWN: Vec3 = Vec3([0.0, 0.0, -G]);

fn run(solver: &mut XpbdSolver, body: &mut dyn DeformableBody, steps: usize, dt: f64) {
    for _ in 0..steps {
        solver.step(body, DOWN, dt).unwrap();
    }
}

/// A chain stretched by its own weight, node by node: segment `i` carries all masses below it.
#[test]
fn a_hanging_chain_stretches_by_its_weight() {
    let material = Material::new(1e6, 0.3, 1000.0, 0.5);
    let (radius, segments, length) = (0.01, 12, 1.0);
    let mut chain =
        CapsuleChain::straight(Vec3::ZERO, -Vec3::Z * length, segments, radius, material, 0.0)
            .unwrap();
    chain.pin(0);
    run(&mut XpbdSolver::new(40).with_damping(5.0), &mut chain, 1000, 0.005);
    let (area, l) = (PI * radius * radius, length / segments as f64);
    let mut depth = 0.0;
    for i in 0..segments {
        let below = (segments - i) as f64 - 0.5;
        depth += l + material.density * area * l * below * G * l / (material.young * area);
        let z = -chain.positions()[i + 1][2];
        assert!((z - depth).abs() < 1e-5, "particle {}: {z} for {depth}", i + 1);
    }
    // The continuum: ρ g L² / 2E.
    let stretch = -chain.positions()[segments][2] - length;
    assert!((stretch / (1000.0 * G / 2e6) - 1.0).abs() < 5e-3);
}

/// The extension of a spring is `m g / k`, for any number of iterations.
#[test]
fn stiffness_does_not_depend_on_iterations() {
    let (mass, k) = (0.2, 50.0);
    for (substeps, iterations) in [(1, 1), (1, 5), (1, 50), (10, 1), (10, 20)] {
        let spring = Constraint::distance([0, 1], 1.0, 1.0 / k);
        let material = Material::RUBBER.with_damping(0.05);
        let mut body =
            Deformable::new(vec![Vec3::ZERO, -Vec3::Z], &[0.0, mass], vec![spring], material, 0.0)
                .unwrap();
        let mut solver = XpbdSolver::new(substeps).with_iterations(iterations);
        run(&mut solver, &mut body, 4000, 0.005);
        let extension = -body.positions()[1][2] - 1.0;
        assert!((extension - mass * G / k).abs() < 1e-9, "{substeps}, {iterations}: {extension}");
    }
}

/// A frictionless, inextensible chain between two points of equal height is a catenary.
#[test]
fn a_chain_between_two_points_is_a_catenary() {
    let (segments, length, span): (usize, f64, f64) = (40, 2.0, 1.2);
    // Parameter `a` of `z = a cosh(x/a)` from `length = 2 a sinh(span / 2a)`, by bisection.
    let (mut low, mut high) = (0.05, 10.0);
    for _ in 0..200 {
        let a: f64 = 0.5 * (low + high);
        if 2.0 * a * (0.5 * span / a).sinh() > length { low = a } else { high = a }
    }
    let at = |x: f64| low * ((x / low).cosh() - (0.5 * span / low).cosh());
    let points = (0..=segments).map(|i| {
        let s = i as f64 / segments as f64;
        Vec3::new((s - 0.5) * span, 0.0, -4.0 * 0.7 * s * (1.0 - s))
    });
    let preset = ChainPreset::CHAIN;
    let mut chain =
        CapsuleChain::new(points.collect(), preset.radius, preset.material, 0.0).unwrap();
    let l = length / segments as f64;
    let rest = |i: usize| Constraint::distance([i as u32, i as u32 + 1], l, 0.0);
    let body = chain.deformable_mut();
    body.constraints =
        corten_soft::ConstraintSet::new(segments + 1, (0..segments).map(rest).collect()).unwrap();
    body.inverse_mass.fill(1.0);
    chain.pin(0);
    chain.pin(segments);
    run(&mut XpbdSolver::new(10).with_iterations(20).with_damping(3.0), &mut chain, 500, 0.01);
    for x in chain.positions() {
        assert!((x[2] - at(x[0])).abs() < 0.005 * length, "{x:?}: {}", at(x[0]));
    }
}

/// A beam clamped at one end: each hinge turns by its moment over `E I / l`. With many segments that is `q L⁴ / 8 E I`.
#[test]
fn a_cantilever_sinks_as_a_beam() {
    let material = Material::new(1e9, 0.3, 1000.0, 0.5).with_damping(0.0);
    let (radius, length, segments) = (0.01, 1.0, 8);
    let mut beam =
        CapsuleChain::straight(Vec3::ZERO, Vec3::X * length, segments, radius, material, 1.0)
            .unwrap();
    beam.pin(0);
    beam.pin(1);
    run(&mut XpbdSolver::new(20).with_iterations(40).with_damping(6.0), &mut beam, 400, 0.005);
    let l = length / segments as f64;
    let stiffness = material.young * PI * radius.powi(4) / 4.0 / l;
    let mass = |j: usize| 1.0 / beam.inverse_masses()[j];
    let arm = |i: usize, j: usize| (j - i) as f64 * l;
    let moment = |i: usize| (i + 1..=segments).map(|j| mass(j) * G * arm(i, j)).sum::<f64>();
    let sag: f64 = (1..segments).map(|i| moment(i) / stiffness * arm(i, segments)).sum();
    let z = -beam.positions()[segments][2];
    assert!((z / sag - 1.0).abs() < 0.01, "{z} for {sag}");
}

/// A square sheet hung by one edge stretches by `ρ g L² / 2E`, as the springs of an isotropic mesh do.
#[test]
fn a_hanging_sheet_stretches_by_its_weight() {
    let material = Material::new(2e4, 0.3, 100.0, 0.5).with_damping(0.05);
    let preset = ClothPreset { name: "sheet", material, thickness: 1e-3 };
    for woven in [false, true] {
        let mut cloth = Cloth::grid(Vec3::ZERO, [9, 17], 0.05, &preset).unwrap();
        if woven {
            cloth = cloth.woven(Vec3::Y).unwrap();
        }
        for i in 0..9 {
            cloth.pin(i);
        }
        let mut solver = XpbdSolver::new(10).with_iterations(5);
        for _ in 0..400 {
            solver.step(&mut cloth, Vec3::new(0.0, G, 0.0), 0.005).unwrap();
        }
        let x = cloth.positions();
        let end: f64 = x[16 * 9..].iter().map(|x| x[1]).sum::<f64>() / 9.0;
        let expected = 100.0 * G * 0.8 * 0.8 / (2.0 * 2e4);
        let stretch = end - 0.8;
        // Clamped at one edge, and with springs of a mesh that is not isotropic.
        assert!((stretch / expected - 1.0).abs() < 0.12, "{woven}: {stretch} for {expected}");
    }
}

#[test]
fn a_soft_body_on_the_ground_keeps_its_volume() {
    // At ν = 0.495 the weight of the cube compresses it by two parts in a thousand.
    let material = Material { poisson: 0.495, ..Material::GELATIN };
    let preset = SoftBodyPreset { name: "jelly", material };
    let mut cube = SoftBody::grid(Vec3::Z * 0.05, [4, 4, 4], 0.05, &preset).unwrap();
    let rest = cube.volume();
    assert!((rest - 0.15f64.powi(3)).abs() < 1e-12);
    assert!((cube.mass() - 1000.0 * rest).abs() < 1e-9);
    let count = cube.len() as u32;
    for i in 0..count {
        let ground = Constraint::collision(i, Vec3::Z, 0.0, 0.5);
        cube.body.constraints.push(ground).unwrap();
    }
    let mut solver = XpbdSolver::new(20).with_iterations(2).with_damping(1.0);
    let mut worst: f64 = 0.0;
    for _ in 0..600 {
        solver.step(&mut cube, DOWN, 0.005).unwrap();
        worst = worst.max((cube.volume() / rest - 1.0).abs());
    }
    assert!(worst < 0.01, "volume changed by {worst}");
    assert!(cube.positions().iter().all(|x| x[2] > -1e-6), "through the ground");
    assert!(cube.velocities().iter().all(|v| v.norm() < 1e-2), "still moving");
}

#[test]
fn free_bodies_keep_their_momentum() {
    let mut random = Random(8);
    let cloth = Cloth::grid(Vec3::ZERO, [5, 5], 0.1, &ClothPreset::SILK).unwrap();
    let solid = SoftBody::grid(Vec3::ZERO, [3, 3, 3], 0.1, &SoftBodyPreset::MUSCLE).unwrap();
    let points =
        (0..9).map(|i| Vec3::new(0.1 * i as f64, 0.02 * (i % 3) as f64, 0.03 * (i % 2) as f64));
    let chain = CapsuleChain::new(points.collect(), 0.005, Material::ROPE, 0.1).unwrap();
    let mut bodies: [Box<dyn DeformableBody>; 4] = [
        Box::new(cloth.clone().woven(Vec3::X).unwrap()),
        Box::new(cloth),
        Box::new(solid),
        Box::new(chain.with_twist().unwrap()),
    ];
    for body in &mut bodies {
        for v in &mut body.deformable_mut().velocity {
            *v = random.direction() + Vec3::X;
        }
        let (before, turning) = (body.momentum(), body.angular_momentum());
        let mut solver = XpbdSolver::new(20);
        for _ in 0..50 {
            solver.step(&mut **body, Vec3::ZERO, 0.002).unwrap();
        }
        let after = body.momentum();
        assert!((after - before).norm() < 1e-10 * before.norm(), "{before:?} {after:?}");
        // Turning is kept to the order of a substep.
        let error = (body.angular_momentum() - turning).norm();
        assert!(error < 0.02 * (turning.norm() + before.norm()), "{error}");
    }
}

/// On a slope of angle `a`: rest below the angle of friction, `g (sin a − μ cos a)` above it.
#[test]
fn friction_is_coulombs() {
    for (mu, slides) in [(0.7, false), (0.3, true), (0.0, true)] {
        let a = 0.5_f64;
        let normal = Vec3::new(a.sin(), 0.0, a.cos());
        let downhill = Vec3::new(a.cos(), 0.0, -a.sin());
        let ground = Constraint::collision(0, normal, 0.0, mu);
        let mut body =
            Deformable::new(vec![Vec3::ZERO], &[0.3], vec![ground], Material::STEEL, 0.0).unwrap();
        run(&mut XpbdSolver::new(10), &mut body, 100, 0.01);
        let speed = body.velocities()[0].dot(downhill);
        let expected = if slides { G * (a.sin() - mu * a.cos()) } else { 0.0 };
        assert!((speed - expected).abs() < 1e-9, "{mu}: {speed} for {expected}");
        assert!(body.positions()[0].dot(normal).abs() < 1e-12);
    }
}

/// A surface that moves takes particles along.
#[test]
fn a_moving_surface_drags() {
    let belt = Vec3::X * 0.2;
    let mut ground = Constraint::collision(0, Vec3::Z, 0.0, 0.5);
    if let corten_soft::Measure::Collision { velocity, .. } = &mut ground.measure {
        *velocity = belt;
    }
    let mut body =
        Deformable::new(vec![Vec3::ZERO], &[1.0], vec![ground], Material::STEEL, 0.0).unwrap();
    run(&mut XpbdSolver::new(4), &mut body, 100, 0.01);
    assert!((body.velocities()[0] - belt).norm() < 1e-9);
}

#[test]
fn every_preset_hangs() {
    let hang = |body: &mut dyn DeformableBody| {
        body.pin(0);
        let lowest =
            |body: &dyn DeformableBody| body.positions().iter().map(|x| x[2]).fold(0.0, f64::min);
        run(&mut XpbdSolver::new(20).with_damping(1.0), body, 100, 0.01);
        assert!(lowest(body) < -0.05 && lowest(body) > -1.0, "{}", body.material().name);
        assert!(body.velocities().iter().all(|v| v.norm() < 20.0));
    };
    for preset in ClothPreset::ALL {
        assert_eq!(ClothPreset::by_name(preset.name), Some(preset));
        hang(&mut Cloth::grid(Vec3::ZERO, [6, 6], 0.05, &preset).unwrap());
    }
    for preset in SoftBodyPreset::ALL {
        assert_eq!(SoftBodyPreset::by_name(preset.name), Some(preset));
        hang(&mut SoftBody::grid(Vec3::ZERO, [4, 2, 2], 0.05, &preset).unwrap());
    }
    for preset in ChainPreset::ALL {
        assert_eq!(ChainPreset::by_name(preset.name), Some(preset));
        hang(&mut CapsuleChain::preset(Vec3::ZERO, Vec3::X * 0.4, 10, &preset).unwrap());
    }
    for material in Material::ALL {
        material.check().unwrap();
        assert_eq!(Material::by_name(material.name), Some(material));
    }
    assert_eq!(Material::by_name("unobtainium"), None);
}

#[test]
fn runs_repeat_bit_by_bit() {
    let once = || {
        let mut cloth = Cloth::grid(Vec3::ZERO, [8, 8], 0.05, &ClothPreset::COTTON).unwrap();
        cloth.pin(0);
        run(&mut XpbdSolver::new(5), &mut cloth, 100, 0.01);
        cloth
    };
    let first = once();
    assert_eq!(first, once());
    // A solver that has stepped something else in between, from a copy.
    let (mut solver, mut a, mut b) = (XpbdSolver::new(5), first.clone(), first);
    run(&mut solver, &mut a, 10, 0.01);
    run(&mut XpbdSolver::new(5), &mut b, 10, 0.01);
    assert_eq!(a, b);
}

#[test]
fn a_body_at_rest_sleeps_until_it_is_moved() {
    let ground = |i| Constraint::collision(i, Vec3::Z, 0.0, 0.5);
    let mut rod =
        CapsuleChain::straight(Vec3::ZERO, Vec3::X, 4, 0.01, Material::STIFF, 1.0).unwrap();
    (0..5).for_each(|i| rod.body.constraints.push(ground(i)).unwrap());
    let mut solver = XpbdSolver::new(5).with_sleep(1e-2, 0.1);
    run(&mut solver, &mut rod, 30, 0.01);
    assert!(solver.is_asleep(&rod));
    let before = rod.clone();
    run(&mut solver, &mut rod, 10, 0.01);
    assert_eq!(rod, before, "asleep, nothing changes");
    rod.body.velocity[2] = Vec3::Z;
    run(&mut solver, &mut rod, 1, 0.01);
    assert!(!solver.is_asleep(&rod) && rod.positions()[2][2] > 0.0);
    run(&mut solver, &mut rod, 300, 0.01);
    assert!(solver.is_asleep(&rod));
    rod.wake();
    assert!(!solver.is_asleep(&rod));
}

#[test]
fn bad_bodies_are_errors() {
    let wrong = |error, text: &str| {
        let error: SoftError = error;
        assert!(error.to_string().contains(text), "{error}");
    };
    let (zero, material) = (Vec3::ZERO, Material::RUBBER);
    wrong(CapsuleChain::new(vec![zero, zero], 0.01, material, 0.0).unwrap_err(), "segment 0");
    wrong(CapsuleChain::straight(zero, Vec3::X, 3, -1.0, material, 0.0).unwrap_err(), "radius");
    wrong(Cloth::new(vec![zero], vec![[0, 0, 1]], 0.1, material).unwrap_err(), "particle 1");
    wrong(Cloth::new(vec![zero; 3], vec![[0, 1, 2]], 0.1, material).unwrap_err(), "triangle 0");
    wrong(SoftBody::new(vec![zero; 4], vec![[0, 1, 2, 3]], material).unwrap_err(), "tetrahedron 0");
    wrong(Deformable::new(vec![zero], &[], vec![], material, 0.0).unwrap_err(), "mass has 0");
    wrong(Deformable::new(vec![zero], &[-1.0], vec![], material, 0.0).unwrap_err(), "mass is -1");
    let nowhere = Vec3::new(f64::NAN, 0.0, 0.0);
    wrong(Deformable::new(vec![nowhere], &[1.0], vec![], material, 0.0).unwrap_err(), "position");
    let liquid = Material::new(1.0, 0.5, 1.0, 0.0);
    wrong(Deformable::new(vec![zero], &[1.0], vec![], liquid, 0.0).unwrap_err(), "poisson");
    let mut body = Deformable::new(vec![zero], &[1.0], vec![], material, 0.0).unwrap();
    wrong(XpbdSolver::new(1).step(&mut body, DOWN, 0.0).unwrap_err(), "time step");
    wrong(XpbdSolver::new(usize::MAX).step(&mut body, DOWN, 0.1).unwrap_err(), "substeps");
    let endless = XpbdSolver::new(2000).with_iterations(2000);
    wrong(endless.clone().step(&mut body, DOWN, 0.1).unwrap_err(), "a million");
    body.velocity.push(zero);
    wrong(XpbdSolver::new(1).step(&mut body, DOWN, 0.1).unwrap_err(), "velocity has 2");
    body.velocity = vec![Vec3::X * f64::INFINITY];
    wrong(XpbdSolver::new(1).step(&mut body, DOWN, 0.1).unwrap_err(), "particle 0");
    assert!(!body.pin(1));
}

/// A type of the user's own: two constraints, two methods.
#[test]
fn a_body_of_the_users_own() {
    struct Pendulum(Deformable);
    impl DeformableBody for Pendulum {
        fn deformable(&self) -> &Deformable {
            &self.0
        }
        fn deformable_mut(&mut self) -> &mut Deformable {
            &mut self.0
        }
    }
    let rod = Constraint::distance([0, 1], 1.0, 0.0);
    let start = vec![Vec3::ZERO, Vec3::new(0.1_f64.sin(), 0.0, -0.1_f64.cos())];
    let body = Deformable::new(start, &[0.0, 1.0], vec![rod], Material::STEEL, 0.0).unwrap();
    let mut pendulum = Pendulum(body);
    // Half a period of small swings: to the other side.
    let half = PI / G.sqrt() * (1.0 + 0.01 / 16.0);
    run(&mut XpbdSolver::new(400), &mut pendulum, 20, half / 20.0);
    let x = pendulum.positions()[1];
    assert!((x[0] + 0.1_f64.sin()).abs() < 1e-3, "{x:?}");
    assert!((x.norm() - 1.0).abs() < 1e-6);
}
