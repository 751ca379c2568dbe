//! Scenes that touch everywhere: what contacts and rows take is bounded.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use corten_model::enums::{Integrator, Solver, Warning};
use corten_model::{Assets, Limits};
use corten_sim::{CancelToken, Data, Model, OnExcess, StepError, load_model_str};

fn model(text: &str) -> Model {
    load_model_str(text, &Assets::memory_only()).unwrap()
}

/// So many free spheres in one place.
fn heap(count: usize) -> String {
    format!(
        "<mujoco><worldbody><replicate count='{count}'><body><freejoint/><geom size='.1'/></body>\
         </replicate></worldbody></mujoco>"
    )
}

fn contacts_full(d: &Data) -> i32 {
    d.warning[Warning::ContactFull.raw() as usize].number
}

#[test]
fn a_step_beyond_the_budget_leaves_the_state() {
    for integrator in [Integrator::Euler, Integrator::Rk4, Integrator::Implicit] {
        for solver in [Solver::Newton, Solver::Cg, Solver::Pgs] {
            let mut m = model(&heap(60));
            (m.opt.integrator, m.opt.solver) = (integrator, solver);
            let mut d = Data::new(&m);
            d.qvel.fill(0.25);
            d.budget.bytes = 200_000;
            let (qpos, qvel) = (d.qpos.clone(), d.qvel.clone());
            let error = d.step(&m).unwrap_err();
            assert!(matches!(error, StepError::Limit { limit: 200_000, .. }), "{error}");
            assert!(error.to_string().contains("200000 bytes"));
            assert_eq!((&d.qpos, &d.qvel, d.time), (&qpos, &qvel, 0.0));
            // It stays so until there is room.
            assert_eq!(d.forward(&m), Err(error.clone()));
            assert_eq!(d.step(&m), Err(error));
            d.budget.bytes = usize::MAX;
            d.step(&m).unwrap();
            assert!(d.ncon == 60 * 59 / 2 && d.time > 0.0);
        }
    }
}

#[test]
fn the_first_contacts_are_kept_on_request() {
    let m = model(&heap(60));
    let (mut all, mut d) = (Data::new(&m), Data::new(&m));
    all.forward(&m).unwrap();
    d.budget.bytes = 200_000;
    d.budget.on_excess = OnExcess::Keep;
    d.forward(&m).unwrap();
    assert_eq!(contacts_full(&d), 1);
    assert!((50..200).contains(&d.ncon), "{}", d.ncon);
    for (kept, contact) in d.contact.iter().zip(&all.contact) {
        assert_eq!(kept.geom, contact.geom);
    }
    d.step(&m).unwrap();
    assert!(contacts_full(&d) == 2 && d.time > 0.0);
}

/// Not the contacts but the pairs to look at are too many.
#[test]
fn pairs_are_bounded() {
    let m = model(&heap(600));
    let mut d = Data::new(&m);
    d.budget.bytes = 16 * 1000;
    assert!(matches!(d.step(&m), Err(StepError::Limit { .. })));
    d.budget.on_excess = OnExcess::Keep;
    d.step(&m).unwrap();
    assert!(contacts_full(&d) == 1 && d.ncon < 100);
}

/// A tendon that couples all joints makes the Hessian dense: one row, and many numbers.
#[test]
fn the_matrix_of_the_solver_is_bounded() {
    let count = 500;
    let bodies: String = (0..count)
        .map(|k| {
            format!("<body><joint name='j{k}' type='slide'/><geom size='.1' pos='{k} 0 0'/></body>")
        })
        .collect();
    let joints: String = (0..count).map(|k| format!("<joint joint='j{k}' coef='1'/>")).collect();
    let text = format!(
        "<mujoco><option gravity='0 0 0'/><worldbody>{bodies}</worldbody><tendon>\
         <fixed limited='true' range='-2 -1'>{joints}</fixed></tendon></mujoco>"
    );
    let m = model(&text);
    let mut d = Data::new(&m);
    d.budget.bytes = 1 << 20;
    let error = d.step(&m).unwrap_err().to_string();
    assert!(error.contains("Hessian"), "{error}");
    assert!(d.time == 0.0 && d.qvel.iter().all(|&v| v == 0.0));
    d.budget.on_excess = OnExcess::Keep;
    d.step(&m).unwrap();
    let full = d.warning[Warning::CnstrFull.raw() as usize].number;
    assert!(full == 1 && d.nefc == 0 && d.qfrc_constraint.iter().all(|&f| f == 0.0));
    d.budget.bytes = 16 << 20;
    d.step(&m).unwrap();
    assert!(d.nefc == 1 && d.efc_force[0] > 0.0);
}

/// A small text whose bodies all touch: an error in Rust, within seconds and little memory.
#[test]
fn a_heap_of_three_thousand() {
    let m = model(&heap(3000));
    let mut d = Data::new(&m);
    assert_eq!(d.budget.bytes, Limits::DEFAULT.data_bytes);
    assert!(matches!(d.step(&m), Err(StepError::Limit { .. })));
    assert_eq!(d.time, 0.0);
}

/// A step that is cancelled leaves the state; it is found between steps, pairs and iterations.
#[test]
fn a_cancelled_step_leaves_the_state() {
    let m = model(&heap(60));
    for polls in 0..20 {
        let asked = Arc::new(AtomicUsize::new(0));
        let count = asked.clone();
        let token = CancelToken::polling(move || count.fetch_add(1, Ordering::Relaxed) == polls);
        let mut d = Data::new(&m);
        d.qvel.fill(0.5);
        d.cancel = Some(token.clone());
        let (qpos, qvel) = (d.qpos.clone(), d.qvel.clone());
        let Err(error) = d.step(&m) else {
            assert!(polls > 3, "a step of this size asks several times");
            break;
        };
        assert_eq!(error, StepError::Cancelled { time: 0.0 });
        assert_eq!((&d.qpos, &d.qvel, d.time), (&qpos, &qvel, 0.0));
        assert_eq!(d.step(&m), Err(error));
        token.withdraw();
        d.step(&m).unwrap();
        let mut fresh = Data::new(&m);
        fresh.qvel.fill(0.5);
        fresh.step(&m).unwrap();
        assert_eq!(d.qvel, fresh.qvel);
    }
}
