//! Memory that the machine refuses is a typed error, wherever it is asked for: in loading, making data, stepping, and in
//! batches. The state is that of the last whole step, from which the simulation goes on as if nothing had happened.
//!
//! The allocator of this program refuses requests of 64 KiB and more: one of them, or all from one on, for each that
//! there is. Where one would end the process, the test ends with it. `CORTEN_MODELS="a.xml b.xml"` takes other models than
//! those below.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex};

use corten_batch::{BatchError, BatchSim, Cause};
use corten_math::memory::{self, OutOfMemory};
use corten_model::limits::MEMORY;
use corten_sim::{Data, Model, StepError, load_model, load_model_str};

const LARGE: usize = 1 << 16;
const STEPS: usize = 20;

/// Large requests since the beginning of an attempt, the first that is refused, and whether all after it are.
static ASKED: AtomicUsize = AtomicUsize::new(0);
static FIRST: AtomicUsize = AtomicUsize::new(usize::MAX);
static FOLLOWING: AtomicBool = AtomicBool::new(false);

struct Refusing;

fn refuses(size: usize) -> bool {
    if size < LARGE {
        return false;
    }
    let asked = ASKED.fetch_add(1, Relaxed);
    let first = FIRST.load(Relaxed);
    asked == first || (asked > first && FOLLOWING.load(Relaxed))
}

// SAFETY: every call is refused, or forwarded unchanged to the system allocator.
unsafe impl GlobalAlloc for Refusing {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if refuses(layout.size()) {
            return std::ptr::null_mut();
        }
        unsafe { System.alloc(layout) }
    }
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if refuses(layout.size()) {
            return std::ptr::null_mut();
        }
        unsafe { System.alloc_zeroed(layout) }
    }
    unsafe fn realloc(&self, ptr: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if refuses(size) {
            return std::ptr::null_mut();
        }
        unsafe { System.realloc(ptr, layout, size) }
    }
    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        unsafe { System.dealloc(ptr, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Refusing = Refusing;

/// Tests use the allocator one after the other.
static TURN: Mutex<()> = Mutex::new(());

/// Refuses each large request of `run` in turn, alone and with all that follow; returns how many there are.
fn refuse_each(what: &str, mut run: impl FnMut()) -> usize {
    let mut most = 0;
    for following in [false, true] {
        for first in 0.. {
            if std::env::var_os("CORTEN_SHOW").is_some() {
                eprintln!("{what}: request {first}, those after it: {following}");
            }
            FOLLOWING.store(following, Relaxed);
            ASKED.store(0, Relaxed);
            FIRST.store(first, Relaxed);
            run();
            FIRST.store(usize::MAX, Relaxed);
            if ASKED.load(Relaxed) <= first {
                break;
            }
            most = most.max(first + 1);
        }
    }
    most
}

/// Does something while nothing is refused.
fn undisturbed<R>(f: impl FnOnce() -> R) -> R {
    let first = FIRST.swap(usize::MAX, Relaxed);
    let asked = ASKED.load(Relaxed);
    let result = f();
    ASKED.store(asked, Relaxed);
    FIRST.store(first, Relaxed);
    result
}

fn text(options: &str, assets: &str, world: &str, rest: &str) -> String {
    format!("<mujoco>{options}<asset>{assets}</asset><worldbody>{world}</worldbody>{rest}</mujoco>")
}

/// Balls in a heap, each touching several.
fn heap(balls: usize, joint: &str) -> String {
    let ball = |k: usize| {
        let [x, y, z] = [k % 8, k / 8 % 8, k / 64].map(|i| 0.06 + 0.117 * i as f64);
        format!("<body pos='{x} {y} {z}'><{joint}/><geom size='.06'/></body>")
    };
    "<geom type='plane' size='1 1 1'/>".to_owned() + &(0..balls).map(ball).collect::<String>()
}

fn models() -> Vec<(String, String)> {
    if let Ok(paths) = std::env::var("CORTEN_MODELS") {
        return paths.split_whitespace().map(|path| (path.to_owned(), String::new())).collect();
    }
    let cloth = "<flexcomp name='cloth' type='grid' count='24 24 1' spacing='.05 .05 .05' dim='2' radius='.01' mass='1' \
                 pos='0 0 .1'><edge equality='true' damping='.01'/><contact selfcollide='none'/></flexcomp>\
                 <geom type='plane' size='2 2 1'/><geom size='.2' pos='0 0 -.15'/>";
    let solid = "<flexcomp name='solid' type='grid' count='6 6 6' spacing='.05 .05 .05' dim='3' radius='.01' mass='1' \
                 pos='0 0 .13'><elasticity young='1e4' poisson='.2'/></flexcomp><geom type='plane' size='2 2 1'/>";
    let assets = "<mesh name='m' builtin='sphere' params='4'/><hfield name='h' nrow='150' ncol='150' size='2 2 .2 .1'/>\
                  <texture name='t' type='2d' builtin='checker' width='256' height='256' rgb1='1 0 0' rgb2='0 1 0'/>\
                  <texture name='c' type='cube' builtin='gradient' width='64' height='64' rgb1='1 0 0' rgb2='0 1 0'/>";
    let meshes = "<geom type='hfield' hfield='h'/><replicate count='4' offset='0 0 .3'>\
                  <body pos='0 0 .2'><freejoint/><geom type='mesh' mesh='m'/></body></replicate>";
    let chain = "<body><joint axis='0 1 0'/><geom type='capsule' size='.02' fromto='0 0 0 .1 0 0' contype='0'/>".repeat(120)
        + &"</body>".repeat(120);
    [
        ("newton", text("", "", &heap(48, "freejoint"), "")),
        (
            "elliptic",
            text("<option cone='elliptic' integrator='RK4'/>", "", &heap(36, "freejoint"), ""),
        ),
        ("conjugate gradients", text("<option solver='CG'/>", "", &heap(64, "freejoint"), "")),
        ("dual", text("<option solver='PGS'/>", "", &heap(27, "freejoint"), "")),
        ("asleep", text("<option><flag sleep='enable'/></option>", "", &heap(64, "freejoint"), "")),
        ("cloth", text("<option solver='CG'/>", "", cloth, "")),
        ("solid", text("<option integrator='implicitfast' timestep='.0005'/>", "", solid, "")),
        ("assets", text("", assets, meshes, "")),
        (
            "chain",
            text(
                "<option integrator='implicit'/>",
                "",
                &chain,
                "<keyframe><key time='1'/></keyframe>",
            ),
        ),
    ]
    .map(|(name, text)| (name.to_owned(), text))
    .into()
}

fn load(name: &str, text: &str) -> Result<Model, corten_model::Diagnostics> {
    if text.is_empty() { load_model(name) } else { load_model_str(text, &Default::default()) }
}

/// What a step leads to.
fn state(d: &Data) -> [Vec<f64>; 4] {
    [d.qpos.clone(), d.qvel.clone(), d.act.clone(), vec![d.time]]
}

#[test]
fn loading_ends_with_a_finding() {
    let _turn = TURN.lock().unwrap();
    let mut requests = 0;
    for (name, text) in models() {
        let whole = load(&name, &text).unwrap();
        requests += refuse_each(&format!("load {name}"), || {
            let result = load(&name, &text);
            undisturbed(|| match result {
                Ok(model) => {
                    assert!(model.qpos0 == whole.qpos0 && model.nbody == whole.nbody, "{name}");
                }
                Err(errors) => {
                    assert!(errors.errors().all(|e| e.limit == Some(MEMORY)), "{name}: {errors}");
                    assert_ne!(errors.errors().count(), 0, "{name}");
                }
            });
        });
    }
    assert!(requests > 50, "{requests}");
}

#[test]
fn data_are_made_or_not() {
    let _turn = TURN.lock().unwrap();
    let mut requests = 0;
    for (name, text) in models() {
        let model = load(&name, &text).unwrap();
        let whole = Data::new(&model);
        requests += refuse_each(&format!("data of {name}"), || {
            // Another model, in which nothing is prepared.
            let fresh = undisturbed(|| load(&name, &text).unwrap());
            let result = Data::try_new(&fresh);
            undisturbed(|| match result {
                Ok(d) => {
                    assert_eq!(state(&d), state(&whole), "{name}");
                }
                Err(OutOfMemory(bytes)) => assert!(bytes > 0),
            });
        });
    }
    assert!(requests > 3, "{requests}");
}

#[test]
fn steps_are_taken_or_not() {
    let _turn = TURN.lock().unwrap();
    let mut requests = 0;
    for (name, text) in models() {
        let model = load(&name, &text).unwrap();
        let mut d = Data::new(&model);
        let mut path = vec![state(&d)];
        for _ in 0..STEPS {
            d.step(&model).unwrap();
            path.push(state(&d));
        }
        requests += refuse_each(&format!("steps of {name}"), || {
            let mut d = undisturbed(|| Data::new(&model));
            let (mut failed, mut last) = (false, 0);
            for step in 0..STEPS {
                let result = d.step(&model);
                undisturbed(|| {
                    if let Err(error) = result {
                        assert!(
                            matches!(error, StepError::Memory { .. } | StepError::Limit { .. }),
                            "{name}: {error}"
                        );
                        assert_eq!(
                            state(&d),
                            path[step],
                            "{name}, step {step}: the last whole step"
                        );
                        d.step(&model).unwrap();
                        failed = true;
                    }
                    assert_eq!(state(&d), path[step + 1], "{name}, step {step}");
                });
                // It goes on as before, for a few steps.
                if failed && step > last + 2 {
                    break;
                }
                last = if failed { last } else { step };
            }
        });
    }
    assert!(requests > 15, "{requests}");
}

#[test]
fn worlds_of_a_batch_step_or_stay() {
    let _turn = TURN.lock().unwrap();
    let mut requests = 0;
    for (name, text) in models() {
        let model = Arc::new(load(&name, &text).unwrap());
        requests += refuse_each(&format!("batch of {name}"), || {
            let made = BatchSim::try_new(model.clone(), 6);
            let mut batch = match undisturbed(|| made) {
                Ok(batch) => batch,
                Err(error) => {
                    return undisturbed(|| {
                        assert!(matches!(error, BatchError::Memory { .. }), "{name}: {error}")
                    });
                }
            };
            let stepped = memory::guard(|| {
                let result = batch.step_all();
                undisturbed(|| {
                    for failure in result.errors.iter().flatten() {
                        assert!(
                            matches!(
                                failure.cause,
                                Cause::Step(StepError::Memory { .. } | StepError::Limit { .. })
                            ),
                            "{name}: {failure}"
                        );
                    }
                    result.errors.iter().flatten().count()
                })
            });
            assert!(
                stepped.is_ok_and(|failed| failed <= 6)
                    || undisturbed(|| batch.step_all().errors.len()) == 6
            );
        });
    }
    assert!(requests > 50, "{requests}");
}
