//! Islands solved on several threads: the bits of one thread, and no allocation on any of them.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

use corten_model::Assets;
use corten_model::enums::{Cone, DisableBit, Solver};
use corten_sim::{Data, Model, load_model_str, step};

/// Counts what all threads of the process allocate: this file may hold one test only.
struct Counting;

static COUNT: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call is forwarded unchanged to the system allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        COUNT.fetch_add(1, Ordering::Relaxed);
        unsafe { System.alloc(layout) }
    }
    unsafe fn realloc(&self, ptr: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        COUNT.fetch_add(1, Ordering::Relaxed);
        unsafe { System.realloc(ptr, layout, size) }
    }
    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        unsafe { System.dealloc(ptr, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Nine piles of one to three boxes, dropped at an angle.
fn piles() -> Model {
    let mut bodies = String::new();
    for i in 0..9 {
        for k in 0..1 + i % 3 {
            bodies += &format!(
                r#"<body pos="{} 0 {}" euler="{} 3 {}"><freejoint/><geom type="box" size=".1 .1 .1"
                   condim="{}"/></body>"#,
                i,
                0.12 + 0.22 * k as f64,
                4 * k,
                7 * i,
                [3, 4, 6][i % 3],
            );
        }
    }
    let xml = format!(
        r#"<mujoco><worldbody><geom type="plane" size="20 20 .1"/>{bodies}</worldbody></mujoco>"#
    );
    load_model_str(&xml, &Assets::default()).unwrap()
}

const STEPS: usize = 60;

fn bits(m: &Model, d: &mut Data) -> Vec<u64> {
    d.reset(m).unwrap();
    let mut islands = 0;
    for _ in 0..STEPS {
        step(m, d).unwrap();
        islands = islands.max(d.nisland);
    }
    assert_eq!(islands, 9, "the scene must have something to share out");
    let niter = d.solver_niter.iter().map(|&n| n as u64);
    let improvement =
        (0..islands).flat_map(|i| d.solver.island(i)).map(|s| s.improvement.to_bits());
    [&d.qpos, &d.qvel, &d.qacc, &d.efc_force, &d.qfrc_constraint]
        .into_iter()
        .flatten()
        .map(|x| x.to_bits())
        .chain(niter)
        .chain(improvement)
        .collect()
}

#[test]
fn any_number_of_threads_gives_the_same_bits_without_allocating() {
    let mut m = piles();
    for solver in [Solver::Newton, Solver::Cg] {
        for cone in [Cone::Pyramidal, Cone::Elliptic] {
            for flags in [0, DisableBit::WarmStart.raw()] {
                (m.opt.solver, m.opt.cone, m.opt.disableflags) = (solver, cone, flags);
                let one = bits(&m, &mut Data::new(&m));
                for threads in [1, 2, 8] {
                    let case = format!("{solver:?} {cone:?} {flags}, {threads} threads");
                    let mut d = Data::new(&m);
                    d.set_threads(threads);
                    assert!(bits(&m, &mut d) == one, "{case}");

                    // The same trajectory once more: memory has its size now.
                    d.reset(&m).unwrap();
                    let before = COUNT.load(Ordering::Relaxed);
                    for _ in 0..STEPS {
                        step(&m, &mut d).unwrap();
                    }
                    assert_eq!(COUNT.load(Ordering::Relaxed) - before, 0, "{case}");

                    let mut clone = d.clone();
                    drop(d);
                    assert!(bits(&m, &mut clone) == one, "clone, {case}");
                }
            }
        }
    }
}
