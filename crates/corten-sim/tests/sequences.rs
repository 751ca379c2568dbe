//! Public functions in any order, between resets, writes to the state and changes of options: nothing
//! panics, and what comes after is sound.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;

use corten_model::enums::{DisableBit, EnableBit, Integrator, Solver, Stage};
use corten_sim::stage::{
    acceleration, actuation, body_force, collision, constraint, energy, flex, inertia, kinematics,
    passive, sensor, tendon, transmission, velocity,
};
use corten_sim::{Data, Model, check, integrate, inverse, load_model, solve, state, step};

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }

    fn pick<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())]
    }
}

type Call = fn(&Model, &mut Data);

/// What can be done with a model and data.
const CALLS: &[(&str, Call)] = &[
    ("step", |m, d| drop(d.step(m))),
    ("step1", |m, d| drop(step::step1(m, d))),
    ("step2", |m, d| drop(step::step2(m, d))),
    ("forward", |m, d| drop(step::forward(m, d))),
    ("forward after positions", |m, d| drop(step::forward_skip(m, d, Stage::Pos, true))),
    ("forward after velocities", |m, d| drop(step::forward_skip(m, d, Stage::Vel, true))),
    ("position", |m, d| drop(step::position(m, d))),
    ("velocity", |m, d| drop(step::velocity(m, d))),
    ("dynamics", |m, d| drop(step::dynamics(m, d))),
    ("inverse", |m, d| drop(inverse::inverse(m, d))),
    ("inverse after positions", |m, d| drop(inverse::inverse_skip(m, d, Stage::Pos, true))),
    ("inverse after velocities", |m, d| drop(inverse::inverse_skip(m, d, Stage::Vel, true))),
    ("compare_forward", inverse::compare_forward),
    ("reset", |m, d| drop(d.reset(m))),
    ("reset_to_keyframe", |m, d| drop(d.reset_to_keyframe(m, 0))),
    ("kinematics", kinematics::kinematics),
    ("centers_of_mass", inertia::centers_of_mass),
    ("cameras_and_lights", kinematics::cameras_and_lights),
    ("flex", flex::flex),
    ("tendon", tendon::tendon),
    ("mass_matrix", inertia::mass_matrix),
    ("factor", inertia::factor),
    ("collision", collision::collision),
    ("rows", constraint::make),
    ("island", solve::island::find),
    ("project", solve::project),
    ("transmission", transmission::transmission),
    ("body_velocities", velocity::body_velocities),
    ("passive", passive::passive),
    ("reference", constraint::reference),
    ("actuation", actuation::actuation),
    ("acceleration", acceleration::acceleration),
    ("constraint", solve::constraint),
    ("inverse_constraint", solve::inverse_constraint),
    ("constraint_update", |m, d| {
        let jar = vec![-0.5; d.nefc];
        solve::constraint_update(m, d, &jar);
    }),
    ("mul_jacobian", |m, d| {
        let mut y = vec![0.0; d.nefc];
        solve::mul_jacobian(d, &vec![1.0; m.nv], &mut y);
        solve::mul_jacobian_transposed(d, &y, &mut vec![0.0; m.nv]);
    }),
    ("jacobian shown", constraint::materialize_jacobian),
    ("dual shown", solve::materialize_dual),
    ("islands shown", solve::materialize_islands),
    ("adopt", |m, d| constraint::adopt(m, d, true)),
    ("contact forces", |m, d| {
        (0..d.ncon + 1).for_each(|id| {
            solve::contact_force(m, d, id);
        });
    }),
    ("sensors", |m, d| {
        sensor::position(m, d);
        sensor::velocity(m, d);
        sensor::acceleration(m, d);
    }),
    ("energies", |m, d| {
        energy::potential(m, d);
        energy::kinetic(m, d);
    }),
    ("body_forces", body_force::body_forces),
    ("subtree_velocities", velocity::subtree_velocities),
    ("checks", |m, d| {
        let _ = check::position(m, d).and(check::velocity(m, d)).and(check::acceleration(m, d));
    }),
    ("euler", integrate::euler),
    ("implicit", integrate::implicit),
    ("runge_kutta", integrate::runge_kutta),
    ("state", |m, d| {
        let bits = 0x1fff;
        if let Ok(n) = state::size(m, bits) {
            let mut values = vec![0.0; n];
            let _ = state::get(m, d, &mut values, bits);
            let _ = state::set(m, d, &values, bits);
        }
    }),
    ("copy", |_, d| *d = d.clone()),
];

/// Changes of the data's state and inputs, and of the model's options.
fn disturb(m: &mut Model, d: &mut Data, random: &mut Random) -> String {
    match random.below(10) {
        0 => d.qvel.fill(random.pick(&[0.0, 1.0, -30.0, 1e6, 1e200, f64::NAN])),
        1 => d.qpos.fill(random.pick(&[0.0, 0.1, -3.0, 1e9, f64::INFINITY])),
        2 => d.ctrl.fill(random.pick(&[0.0, 1.0, -1e3, f64::NAN])),
        3 => d.qacc.fill(random.pick(&[0.0, 10.0, f64::NAN])),
        4 => {
            m.opt.solver = random.pick(&[Solver::Pgs, Solver::Cg, Solver::Newton]);
            return format!("{:?}", m.opt.solver);
        }
        5 => {
            m.opt.noslip_iterations = random.pick(&[0, 3]);
            return format!("noslip {}", m.opt.noslip_iterations);
        }
        6 => {
            m.opt.integrator = random.pick(&[
                Integrator::Euler,
                Integrator::Rk4,
                Integrator::Implicit,
                Integrator::ImplicitFast,
            ]);
            return format!("{:?}", m.opt.integrator);
        }
        7 => {
            let bit = random.pick(&[
                DisableBit::Contact,
                DisableBit::Constraint,
                DisableBit::Island,
                DisableBit::WarmStart,
                DisableBit::AutoReset,
            ]);
            m.opt.disableflags ^= bit.raw();
            return format!("disable {bit:?}");
        }
        8 => {
            let bit = random.pick(&[EnableBit::Energy, EnableBit::FwdInv, EnableBit::InvDiscrete]);
            m.opt.enableflags ^= bit.raw();
            return format!("enable {bit:?}");
        }
        _ => m.geom_margin.fill(random.pick(&[0.0, 0.01, 1.0, f64::NAN])),
    }
    "write".into()
}

fn scenes() -> Vec<Model> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../scenes");
    ["humanoid", "arm_gripper", "mixed_pile", "linkage", "sensors", "muscle_arm"]
        .map(|name| load_model(folder.join(format!("{name}.xml"))).unwrap())
        .into()
}

fn run(sequences: usize, seed: u64) {
    let scenes = scenes();
    let mut random = Random(seed);
    for number in 0..sequences {
        let mut m = scenes[number % scenes.len()].clone();
        let mut d = Data::new(&m);
        let mut history = Vec::new();
        for _ in 0..25 {
            if random.below(4) == 0 {
                history.push(disturb(&mut m, &mut d, &mut random));
                // Stages by themselves expect this.
                d.bind(&m).unwrap();
                continue;
            }
            let (name, call) = random.pick(CALLS);
            history.push(name.into());
            let outcome = catch_unwind(AssertUnwindSafe(|| call(&m, &mut d)));
            assert!(outcome.is_ok(), "sequence {number} of seed {seed}: {history:?}");
        }
        // Whatever happened, a reset leads to where fresh data are.
        let mut fresh = Data::new(&m);
        d.reset(&m).unwrap();
        let results = (d.forward(&m), fresh.forward(&m));
        assert_eq!(results.0, results.1, "{history:?}");
        for (a, b) in d.qacc.iter().zip(&fresh.qacc) {
            assert_eq!(a.to_bits(), b.to_bits(), "after {history:?}");
        }
    }
}

/// `CORTEN_SEQUENCES=100000 CORTEN_SEED=7` asks for more, and others.
#[test]
fn any_order_of_calls() {
    let number = |name, default| std::env::var(name).map_or(default, |text| text.parse().unwrap());
    run(
        number("CORTEN_SEQUENCES", 600) as usize,
        number("CORTEN_SEED", 0x9e37_79b9_7f4a_7c15).max(1),
    );
}

/// After a reset there are no rows: calls that work on them find none.
#[test]
fn rows_after_a_reset() {
    let m = &scenes()[0];
    let mut d = Data::new(m);
    d.forward(m).unwrap();
    assert!(d.nefc > 0);
    d.reset(m).unwrap();
    solve::inverse_constraint(m, &mut d);
    assert_eq!(solve::constraint_update(m, &mut d, &[]), 0.0);
    assert!(d.qfrc_constraint.iter().all(|&f| f == 0.0));
}

/// The solver is changed between the halves of a step.
#[test]
fn another_solver_in_the_middle() {
    let mut m = scenes()[0].clone();
    let (mut d, mut whole) = (Data::new(&m), Data::new(&m));
    step::step1(&m, &mut d).unwrap();
    m.opt.solver = Solver::Pgs;
    step::step2(&m, &mut d).unwrap();
    whole.step(&m).unwrap();
    assert_eq!(d.qvel, whole.qvel);
}
