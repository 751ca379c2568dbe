//! `step` allocates nothing once warmed up, whatever the integrator, solver and cone.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::path::PathBuf;

use corten_model::enums::{Cone, DisableBit, EnableBit, Integrator, JacobianType, Solver};
use corten_sim::{Data, Model};

struct Counting;

thread_local! {
    static COUNT: Cell<usize> = const { Cell::new(0) };
}

fn count() {
    // A thread that is shutting down has no counter left, and nothing to measure.
    let _ = COUNT.try_with(|c| c.set(c.get() + 1));
}

// SAFETY: every call is forwarded unchanged to the system allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        unsafe { System.alloc(layout) }
    }
    unsafe fn realloc(&self, ptr: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        unsafe { System.realloc(ptr, layout, size) }
    }
    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        unsafe { System.dealloc(ptr, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn scenes() -> Vec<PathBuf> {
    let dir = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../scenes");
    let mut paths: Vec<PathBuf> = std::fs::read_dir(dir)
        .unwrap()
        .map(|e| e.unwrap().path())
        .filter(|p| p.extension().is_some_and(|e| e == "xml"))
        .collect();
    paths.sort();
    paths
}

/// Runs the same trajectory twice in one `Data`: the first pass is the warm-up.
fn allocations(m: &Model, steps: usize) -> usize {
    let mut d = Data::new(m);
    for pass in 0..2 {
        d.reset(m).unwrap();
        d.reset_to_keyframe(m, 0).unwrap();
        let before = COUNT.get();
        for _ in 0..steps {
            let _ = corten_sim::step(m, &mut d);
        }
        if pass == 1 {
            return COUNT.get() - before;
        }
    }
    unreachable!()
}

#[test]
fn stepping_allocates_nothing() {
    for path in scenes() {
        let mut m = corten_sim::load_model(&path).unwrap();
        for integrator in
            [Integrator::Euler, Integrator::Rk4, Integrator::Implicit, Integrator::ImplicitFast]
        {
            m.opt.integrator = integrator;
            let n = allocations(&m, 40);
            assert_eq!(n, 0, "{} with {integrator:?}", path.display());
        }
        m.opt.integrator = Integrator::Euler;
        for solver in [Solver::Newton, Solver::Cg, Solver::Pgs] {
            for cone in [Cone::Pyramidal, Cone::Elliptic] {
                // Noslip, islands, sparse or dense rows, sleep.
                use JacobianType::{Dense, Sparse};
                for (noslip, disable, jacobian, enable) in [
                    (0, 0, Dense, 0),
                    (3, 0, Sparse, 0),
                    (0, DisableBit::Island.raw(), Sparse, 0),
                    (0, DisableBit::WarmStart.raw(), Dense, EnableBit::Sleep.raw()),
                ] {
                    m.opt.solver = solver;
                    m.opt.cone = cone;
                    m.opt.noslip_iterations = noslip;
                    (m.opt.disableflags, m.opt.enableflags) = (disable, enable);
                    m.opt.jacobian = jacobian;
                    let n = allocations(&m, 40);
                    let case = format!("{solver:?} {cone:?} {noslip} {disable} {enable}");
                    assert_eq!(n, 0, "{} with {case}", path.display());
                }
            }
        }
    }
}

#[test]
fn flexes_allocate_nothing() {
    let moving = ["lines", "sheets", "solids", "bricks"].map(|name| ("flex", name));
    let touching = ["drape", "tangle", "crossing", "cushion"].map(|name| ("flex_contact", name));
    for (directory, scene) in moving.into_iter().chain(touching) {
        let file = format!("tests/{directory}/{scene}.xml");
        let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(file);
        let mut m = corten_sim::load_model(path).unwrap();
        m.opt.timestep = 1e-5;
        for integrator in [Integrator::Euler, Integrator::Rk4, Integrator::ImplicitFast] {
            m.opt.integrator = integrator;
            assert_eq!(allocations(&m, 5), 0, "{scene} with {integrator:?}");
        }
        m.opt.integrator = Integrator::Euler;
        m.opt.enableflags |= EnableBit::ImplicitFlex.raw();
        assert_eq!(allocations(&m, 5), 0, "{scene} with implicit elasticity");
    }
}

/// Plugins, gain models, laws of flexes, soft contacts and bodies of particles, with every solver.
#[test]
fn extensions_allocate_nothing() {
    let text = r#"<mujoco>
      <extension><plugin plugin="mujoco.pid"/><plugin plugin="mujoco.sensor.touch_grid"/></extension>
      <worldbody><geom type="plane" size="3 3 1" cortenforge:stiffness="8000" cortenforge:dissipation="1"/>
        <body pos="0 0 .1"><joint name="a" axis="0 1 0"/><geom size=".1" pos=".2 0 0"/><site name="s" pos=".2 0 0" size=".1"/></body>
        <body pos="0 1 1"><joint name="b" axis="0 1 0"/><geom size=".1" pos=".2 0 0"/></body>
        <flexcomp name="sheet" type="grid" count="4 4 1" spacing=".1 .1 .1" pos="0 -1 .02" dim="2" mass=".2" radius=".01"
          cortenforge:bending_model="bridson" cortenforge:elasticity_model="neo_hookean"><contact selfcollide="none"/>
          <elasticity young="2e4" poisson=".2" thickness=".005" elastic2d="both" damping=".005"/></flexcomp>
        <cortenforge:deformable name="rope" type="chain" preset="rope" count="6" pos="2 0 .05" end="2.3 0 .05"/>
      </worldbody>
      <actuator>
        <plugin joint="a" plugin="mujoco.pid" actdim="1"><config key="kp" value="3"/><config key="ki" value="1"/></plugin>
        <general joint="b" gaintype="custom" dyntype="filter" dynprm=".05" cortenforge:gain_model="series_elastic"
          cortenforge:gain_params="20 .1 1"/>
      </actuator>
      <sensor><plugin plugin="mujoco.sensor.touch_grid" objtype="site" objname="s"><config key="size" value="3 3"/>
        <config key="fov" value="60 60"/></plugin></sensor>
      <keyframe><key ctrl=".3 .3"/></keyframe></mujoco>"#;
    let mut m = corten_sim::load_model_str(text, &corten_model::Assets::memory_only()).unwrap();
    m.opt.coupling_iterations = 2;
    m.opt.xpbd_substeps = 3;
    for integrator in
        [Integrator::Euler, Integrator::Rk4, Integrator::Implicit, Integrator::ImplicitFast]
    {
        for solver in [Solver::Newton, Solver::Cg, Solver::Pgs, Solver::Xpbd] {
            (m.opt.integrator, m.opt.solver) = (integrator, solver);
            assert_eq!(allocations(&m, 60), 0, "{integrator:?} with {solver:?}");
        }
    }
}
