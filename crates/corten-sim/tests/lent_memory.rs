//! Data of one model lend each other working memory: it shows in what more of them take, not in
//! their results.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use corten_sim::{Data, Model};

struct Counting;

thread_local! {
    static LIVE: Cell<isize> = const { Cell::new(0) };
}

fn count(bytes: usize, sign: isize) {
    // A thread that is shutting down has no counter left, and nothing to measure.
    let _ = LIVE.try_with(|live| live.set(live.get() + sign * bytes as isize));
}

// SAFETY: every call is forwarded unchanged to the system allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size(), 1);
        unsafe { System.alloc(layout) }
    }
    unsafe fn realloc(&self, ptr: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(layout.size(), -1);
        count(size, 1);
        unsafe { System.realloc(ptr, layout, size) }
    }
    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        count(layout.size(), -1);
        unsafe { System.dealloc(ptr, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// A heap of balls, so many that pairs are too many for a table, for conjugate gradients.
fn heap(balls: usize) -> Model {
    let ball = |k: usize| {
        let [x, y, z] = [k % 5, k / 5 % 5, k / 25].map(|i| 0.06 + 0.119 * i as f64);
        format!("<body pos='{x} {y} {z}'><freejoint/><geom size='.06'/></body>")
    };
    let balls: String = (0..balls).map(ball).collect();
    let xml = format!(
        "<mujoco><option solver='CG'/><worldbody>
           <geom type='plane' size='1 1 1'/>{balls}
         </worldbody></mujoco>"
    );
    corten_sim::load_model_str(&xml, &Default::default()).unwrap()
}

/// The heap, pushed apart more or less.
fn pushed(m: &Model, push: f64) -> Data {
    let mut d = Data::new(m);
    for (i, v) in d.qvel.iter_mut().enumerate() {
        *v = push * ((i * 5 % 7) as f64 - 3.0);
    }
    d
}

fn run(m: &Model, d: &mut Data, steps: usize) {
    for _ in 0..steps {
        corten_sim::step(m, d).unwrap();
    }
}

/// Positions and accelerations, to the last bit.
fn bits(d: &Data) -> Vec<u64> {
    d.qpos.iter().chain(&d.qacc).map(|x| x.to_bits()).collect()
}

#[test]
fn data_do_not_notice_each_other() {
    let m = heap(150);
    let pushes = [0.0, 0.4, -0.9];
    let steps = 60;
    let mut alone = pushes.map(|push| pushed(&m, push));
    for d in &mut alone {
        run(&m, d, steps);
    }
    assert!(alone[0].ncon > 50 && alone[0].ncon != alone[1].ncon);

    let mut in_turn = pushes.map(|push| pushed(&m, push));
    for _ in 0..steps {
        for d in &mut in_turn {
            run(&m, d, 1);
        }
    }
    let mut at_once = pushes.map(|push| pushed(&m, push));
    std::thread::scope(|threads| {
        for d in &mut at_once {
            threads.spawn(|| run(&m, d, steps));
        }
    });
    for ((a, b), c) in alone.iter().zip(&in_turn).zip(&at_once) {
        assert_eq!(bits(a), bits(b), "in turn");
        assert_eq!(bits(a), bits(c), "at once");
    }
}

#[test]
fn more_data_take_less_than_the_first() {
    // Not the model of another test, whose data may have memory to lend.
    let m = heap(140);
    let grown = || {
        let before = LIVE.get();
        let mut d = pushed(&m, 0.0);
        run(&m, &mut d, 20);
        (LIVE.get() - before, d)
    };
    let (first, kept) = grown();
    let (second, _) = grown();
    assert!(4 * second < 3 * first, "{second} bytes after {first}");
    drop(kept);
}
