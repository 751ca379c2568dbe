//! What a clearance claims, against detection.

use corten_math::{Four, Mat3, Quat, Vec3};

use super::{Clearance, Frames, WORLDS};
use crate::stage::{collision, kinematics};
use crate::{Data, Model, load_model_str};

/// All kinds of shapes in flight, a folding arm, a mocap body, margins, and pairs of one's own.
const CROWD: &str = "<mujoco>
  <asset>
    <mesh name='wedge' vertex='0 0 0  .3 0 0  0 .25 0  0 0 .2  .2 .2 .1'/>
  </asset>
  <worldbody>
    <geom type='plane' size='3 3 .1' pos='0 0 -.9'/>
    <geom type='box' size='.05 1 .05' pos='.9 0 0' euler='10 20 30'/>
    <body pos='0 .9 0' mocap='true'><geom type='capsule' size='.06 .15'/></body>
    <body pos='0 0 .8'><freejoint/><geom type='sphere' size='.12' margin='.03'/></body>
    <body pos='0 0 -.5'><freejoint/><geom type='capsule' size='.07 .15'/></body>
    <body pos='0 -.7 .2'><freejoint/><geom type='ellipsoid' size='.15 .1 .06'/></body>
    <body pos='.5 .6 -.3'><freejoint/><geom type='cylinder' size='.1 .12'/></body>
    <body pos='-.5 .6 .5'><freejoint/><geom type='box' size='.1 .14 .07' pos='.05 0 0' margin='.01'/>
      <geom type='sphere' size='.05' pos='-.2 0 0'/></body>
    <body pos='.4 -.5 -.3'><freejoint/><geom type='mesh' mesh='wedge'/></body>
    <body pos='-.6 0 0'><joint axis='0 0 1'/><geom type='capsule' size='.05' fromto='0 0 0 .3 0 0'/>
      <body pos='.35 0 0'><joint axis='0 1 0'/><geom type='mesh' mesh='wedge'/>
        <body pos='.3 0 .1'><joint axis='1 0 0'/><joint axis='0 0 1'/>
          <geom name='hand' type='box' size='.1 .04 .03'/></body></body></body>
    <body pos='-.6 -.5 .5' name='guest'><freejoint/><geom name='guest' size='.05' contype='0' conaffinity='0'/></body>
  </worldbody>
  <contact><pair geom1='guest' geom2='hand' margin='.05'/></contact>
</mujoco>";

struct Noise(u64);

impl Noise {
    /// From −1 to 1.
    fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    fn shake(&mut self, d: &mut Data, scale: f64) {
        d.qpos.iter_mut().for_each(|q| *q += scale * self.uniform());
        for (p, q) in d.mocap_pos.iter_mut().zip(&mut d.mocap_quat) {
            p.0.iter_mut().chain(&mut q.0).for_each(|x| *x += scale * self.uniform());
        }
    }
}

/// Frames of four worlds.
#[derive(Default)]
struct Gathered {
    xpos: Vec<Vec3<Four>>,
    xquat: Vec<Quat<Four>>,
    xmat: Vec<Mat3<Four>>,
}

impl Gathered {
    fn new(m: &Model, worlds: &[Data; WORLDS]) -> Gathered {
        let lanes = |of: &dyn Fn(&Data) -> f64| Four(worlds.each_ref().map(of));
        let mut all = Gathered::default();
        for b in 0..m.nbody {
            all.xpos.push(Vec3([0, 1, 2].map(|k| lanes(&|d| d.xpos[b].0[k]))));
            all.xquat.push(Quat([0, 1, 2, 3].map(|k| lanes(&|d| d.xquat[b].0[k]))));
            all.xmat.push(Mat3(std::array::from_fn(|k| lanes(&|d| d.xmat[b].0[k]))));
        }
        all
    }

    fn frames(&self) -> Frames<'_> {
        Frames { xpos: &self.xpos, xquat: &self.xquat, xmat: &self.xmat }
    }
}

/// Moves four worlds about and holds what is claimed against detection; counts claims, worlds with
/// contacts, and planes.
fn claims_and_contacts(m: &Model, rounds: usize) -> [usize; 3] {
    let mut noise = Noise(7);
    let mut worlds: [Data; WORLDS] = std::array::from_fn(|_| Data::new(m));
    let mut clearance = Clearance::default();
    let [mut claims, mut contacts, mut planes] = [0; 3];
    for round in 0..rounds {
        // Now and then somewhere else, otherwise a little further.
        let scale = if round % 50 == 0 { 0.3 } else { [1e-4, 1e-3, 4e-3, 2e-2][round % 4] };
        for d in &mut worlds {
            if round % 50 == 0 {
                d.reset(m).unwrap();
            }
            noise.shake(d, scale);
            kinematics::kinematics(m, d);
        }
        let gathered = Gathered::new(m, &worlds);
        let holds = clearance.holds(gathered.frames());
        for (lane, d) in worlds.iter_mut().enumerate() {
            collision::collision(m, d);
            contacts += usize::from(d.ncon > 0);
            let claimed = holds[lane] || {
                collision::set_clearance_pairs(m, d, &mut clearance);
                collision::search_clearance(m, d, &mut clearance, gathered.frames(), lane)
            };
            claims += usize::from(claimed);
            assert!(!claimed || d.ncon == 0, "round {round}: {:?}", d.contact.first());
        }
        planes += clearance.planes.len();
    }
    [claims, contacts, planes]
}

fn model(text: &str) -> Model {
    load_model_str(text, &Default::default()).unwrap()
}

#[test]
fn nothing_touches_where_it_holds() {
    let [claims, contacts, planes] = claims_and_contacts(&model(CROWD), 20_000);
    assert!(
        claims > 30_000 && contacts > 10_000 && planes > 100_000,
        "{claims} {contacts} {planes}"
    );
}

/// Boxes are tested by axes of their own, along which they seem nearer than they are.
#[test]
fn boxes_with_margins() {
    let body = |k: usize| {
        let (x, y, z) = (k % 2, k / 2 % 2, k / 4);
        let size = 0.05 + 0.02 * k as f64;
        let margin = [0.1, 0.0, 0.02][k % 3];
        format!(
            "<body pos='{x} {y} {z}'><freejoint/><geom type='box' size='{size} .1 .1' margin='{margin}'/></body>"
        )
    };
    let bodies: String = (0..8).map(body).collect();
    let text =
        format!("<mujoco><worldbody>{bodies}</worldbody></mujoco>").replace("pos='1", "pos='.6");
    let [claims, contacts, planes] = claims_and_contacts(&model(&text), 20_000);
    assert!(
        claims > 10_000 && contacts > 10_000 && planes > 10_000,
        "{claims} {contacts} {planes}"
    );
}

/// A search with a coarse tolerance takes shapes for touching that are apart.
#[test]
fn coarse_searches() {
    let text = "<mujoco><option ccd_tolerance='.03'/><worldbody><geom type='ellipsoid' size='.1 .2 .15'/>
        <body pos='.4 0 0'><freejoint/><geom type='cylinder' size='.1 .1'/></body></worldbody></mujoco>";
    let [claims, contacts, _] = claims_and_contacts(&model(text), 20_000);
    assert!(claims > 1_000 && contacts > 1_000, "{claims} {contacts}");
}

/// A rod that is longer than its bounds say turns over a table.
#[test]
fn shapes_that_outgrew_their_bounds() {
    let text = "<mujoco><worldbody><geom type='box' size='1 1 1' pos='0 0 -1'/>
        <body pos='0 0 .1'><joint axis='0 1 0'/><geom type='box' size='.1 .01 .01'/></body></worldbody></mujoco>";
    let mut m = model(text);
    m.geom_size[1].0[0] = 1.0;
    let [claims, contacts, planes] = claims_and_contacts(&m, 20_000);
    assert!(claims > 1_000 && contacts > 1_000 && planes > 1_000, "{claims} {contacts} {planes}");
}
