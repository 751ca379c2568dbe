//! A simulation that runs in real time on a thread of its own, and answers commands.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use corten_model::Options;
use corten_model::enums::{EnableBit, JointType};
use corten_scene::{Camera, Category, Frame, Geom, Label, Perturb, Scene, VisOption, update_scene};
use corten_sim::{Data, Model, sleep};
use serde_json::json;
use tokio::sync::watch;

use crate::command::Command;
use crate::frame;
use crate::pulling::Pulling;
use crate::state::{Pace, numbers};

/// Time between frames.
const FRAME: Duration = Duration::from_micros(16_000);

/// Longest time of stepping before commands are looked at again.
const PATIENCE: Duration = Duration::from_millis(12);

/// Most geoms in a scene.
const MAX_GEOM: usize = 50_000;

/// What the owner of a simulation and its pages tell each other ([`SessionHandle::exchange`]).
#[derive(Debug, Default)]
struct Mailbox {
    /// The latest state, until the session has taken it.
    state: Option<(Box<Data>, Options)>,
    /// What pages asked for that changes the simulation.
    commands: Vec<Command>,
    /// What is shown; from the owner, until the session has taken it.
    shown: Option<Shown>,
    opt: VisOption,
    pert: Perturb,
}

/// What the owner of a simulation adds to its picture.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Shown {
    /// Options, if they shall change.
    pub opt: Option<VisOption>,
    /// What is selected and pulled, if that shall change.
    pub pert: Option<Perturb>,
    /// Where pages shall look from, if that shall change.
    pub camera: Option<Camera>,
    /// Geoms in addition to those of the model.
    pub geoms: Vec<Geom>,
    /// Texts: position (`mjtGridPos`), left and right column.
    pub texts: Vec<(i32, String, String)>,
}

/// What pages tell the owner.
#[derive(Clone, Debug)]
pub struct Answer {
    /// What they asked for.
    pub commands: Vec<Command>,
    /// What is shown.
    pub opt: VisOption,
    /// What is selected and pulled.
    pub pert: Perturb,
}

/// A frame, ready to be sent.
#[derive(Clone, Debug, Default)]
pub struct Picture {
    /// The scene, as `frame` encodes it.
    pub scene: Arc<Vec<u8>>,
    /// Numbers, as JSON.
    pub numbers: Arc<String>,
}

/// A running simulation.
#[derive(Debug)]
pub struct Session {
    handle: SessionHandle,
    thread: Option<JoinHandle<()>>,
}

/// How to talk to a [`Session`].
#[derive(Clone, Debug)]
pub struct SessionHandle {
    commands: Sender<Message>,
    pictures: watch::Receiver<Picture>,
    model: Arc<RwLock<Model>>,
    mailbox: Arc<Mutex<Mailbox>>,
}

#[derive(Debug)]
enum Message {
    Do(Command),
    End,
}

impl Session {
    /// Starts a session with a model, paused or running.
    pub fn start(model: Model, playing: bool) -> Session {
        Session::new(model, playing, false)
    }

    /// Starts a session that shows what its owner simulates ([`SessionHandle::exchange`]).
    pub fn passive(model: Model) -> Session {
        Session::new(model, false, true)
    }

    fn new(model: Model, playing: bool, passive: bool) -> Session {
        let (commands, inbox) = channel();
        let (outbox, pictures) = watch::channel(Picture::default());
        let shared = Arc::new(RwLock::new(model.clone()));
        let mailbox = Arc::<Mutex<Mailbox>>::default();
        let mut simulation = Simulation::new(model, playing, outbox);
        simulation.mailbox = passive.then(|| mailbox.clone());
        let thread = std::thread::spawn(move || simulation.run(&inbox));
        let handle = SessionHandle { commands, pictures, model: shared, mailbox };
        Session { handle, thread: Some(thread) }
    }

    /// How to talk to it.
    pub fn handle(&self) -> SessionHandle {
        self.handle.clone()
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // It has ended by itself if nobody receives.
        let _ = self.handle.commands.send(Message::End);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl SessionHandle {
    /// Asks for something.
    pub fn send(&self, command: Command) {
        // A session that has ended answers nothing.
        let _ = self.commands.send(Message::Do(command));
    }

    /// Shows a state of a simulation that the caller owns, and tells what pages asked for in return:
    /// commands that change it are for the caller to obey ([`obey`]).
    pub fn exchange(&self, m: &Model, d: &Data, shown: Shown) -> Answer {
        let mut mail = lock(&self.mailbox);
        mail.state = Some((Box::new(d.clone()), m.opt.clone()));
        mail.opt = shown.opt.unwrap_or(mail.opt);
        mail.pert = shown.pert.unwrap_or(mail.pert);
        mail.shown = Some(shown);
        Answer { commands: std::mem::take(&mut mail.commands), opt: mail.opt, pert: mail.pert }
    }

    /// Replaces the model that pages load shapes and textures from; they reload.
    pub fn replace_model(&self, model: Model) {
        *self.model.write().unwrap_or_else(PoisonError::into_inner) = model;
    }

    /// The latest frame, and news of further ones.
    pub(crate) fn pictures(&self) -> watch::Receiver<Picture> {
        self.pictures.clone()
    }

    /// Looks at the model as it was loaded.
    pub(crate) fn with_model<R>(&self, f: impl FnOnce(&Model) -> R) -> R {
        f(&self.model.read().unwrap_or_else(PoisonError::into_inner))
    }
}

/// What the thread has.
struct Simulation {
    model: Model,
    data: Data,
    scene: Scene,
    opt: VisOption,
    pulling: Pulling,
    pace: Pace,
    /// Wall clock and simulated time that are kept in step.
    origin: (Instant, f64),
    changed: bool,
    outbox: watch::Sender<Picture>,
    /// Where the state comes from, if somebody else simulates.
    mailbox: Option<Arc<Mutex<Mailbox>>>,
    shown: Shown,
    /// Counts the cameras that the owner has set.
    cameras: u32,
}

/// A panic leaves mail that can still be read.
fn lock(mailbox: &Mutex<Mailbox>) -> MutexGuard<'_, Mailbox> {
    mailbox.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Simulation {
    fn new(model: Model, playing: bool, outbox: watch::Sender<Picture>) -> Simulation {
        let data = model.make_data();
        let scene = Scene::new(&model, MAX_GEOM);
        let pace = Pace { playing, speed: 1.0, measured: 0.0, failure: None };
        let mut simulation = Simulation {
            model,
            data,
            scene,
            opt: VisOption::default(),
            pulling: Pulling::default(),
            pace,
            origin: (Instant::now(), 0.0),
            changed: true,
            outbox,
            mailbox: None,
            shown: Shown::default(),
            cameras: 0,
        };
        // Energy is plotted.
        simulation.model.opt.enableflags |= EnableBit::Energy.raw();
        simulation.forward();
        simulation
    }

    fn run(&mut self, inbox: &Receiver<Message>) {
        let mut next = Instant::now();
        let mut watched = 0;
        loop {
            let wait = next.saturating_duration_since(Instant::now());
            match inbox.recv_timeout(wait) {
                Ok(Message::End) | Err(RecvTimeoutError::Disconnected) => return,
                Ok(Message::Do(command)) => {
                    self.obey(command);
                    continue;
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
            next = Instant::now() + FRAME;
            if self.mailbox.is_some() {
                self.collect();
            } else if self.pace.playing {
                self.advance();
            } else if self.pulling.act(&self.model, &mut self.data, true) {
                self.forward();
            }
            // A new page gets the present frame, also while nothing moves.
            let watching = self.outbox.receiver_count();
            if watching > 1 && (self.changed || watching != watched) {
                self.publish();
            }
            watched = watching;
        }
    }

    /// Takes what the owner has sent.
    fn collect(&mut self) {
        let Some(mailbox) = &self.mailbox else { return };
        let mut mail = lock(mailbox);
        if let Some((data, options)) = mail.state.take() {
            self.pace.playing = data.time != self.data.time;
            self.data = *data;
            self.model.opt = options;
            self.changed = true;
        }
        if let Some(shown) = mail.shown.take() {
            self.opt = shown.opt.unwrap_or(self.opt);
            self.pulling.pert = shown.pert.unwrap_or(self.pulling.pert);
            self.cameras += u32::from(shown.camera.is_some());
            let camera = shown.camera.or(self.shown.camera);
            self.shown = Shown { camera, ..shown };
        }
        mail.opt = self.opt;
        mail.pert = self.pulling.pert;
    }

    /// Steps until the simulated time has caught up with the clock, or patience ends.
    fn advance(&mut self) {
        let begin = Instant::now();
        let (wall, time) = self.origin;
        let goal = time + begin.duration_since(wall).as_secs_f64() * self.pace.speed;
        let before = self.data.time;
        while self.data.time < goal && begin.elapsed() < PATIENCE {
            self.pulling.act(&self.model, &mut self.data, false);
            if let Err(error) = self.data.step(&self.model) {
                self.pace.failure = Some(error.to_string());
                self.pace.playing = false;
                break;
            }
        }
        // One that cannot keep up starts counting anew.
        if self.data.time < goal - 0.1 * self.pace.speed {
            self.restart_clock();
        }
        let rate = (self.data.time - before) / FRAME.as_secs_f64();
        self.pace.measured += 0.05 * (rate - self.pace.measured);
        self.changed = true;
    }

    fn restart_clock(&mut self) {
        self.origin = (Instant::now(), self.data.time);
    }

    fn forward(&mut self) {
        if let Err(error) = self.data.forward(&self.model) {
            self.pace.failure = Some(error.to_string());
        }
        self.changed = true;
    }

    fn publish(&mut self) {
        let mut camera = Camera::free(&self.model);
        let everything = Category::All.raw();
        let pert = Some(&self.pulling.pert);
        let made = update_scene(
            &self.model,
            &self.data,
            &self.opt,
            pert,
            Some(&mut camera),
            everything,
            &mut self.scene,
        );
        if let Err(error) = made {
            self.pace.failure = Some(error.to_string());
        }
        for geom in &self.shown.geoms {
            let segid = self.scene.geoms.len() as i32;
            self.scene.geoms.push(Geom { segid, ..*geom });
        }
        let selection = self.pulling.describe(&self.model, &self.data);
        let mut numbers =
            numbers(&self.model, &self.data, &self.pace, &self.opt, &self.scene, selection);
        numbers["texts"] = json!(self.shown.texts);
        if let Some(camera) = self.shown.camera {
            numbers["camera"] = json!({
                "serial": self.cameras, "type": camera.kind, "fixed": camera.fixedcamid,
                "tracked": camera.trackbodyid, "lookat": camera.lookat.0,
                "distance": camera.distance, "azimuth": camera.azimuth,
                "elevation": camera.elevation,
            });
        }
        let scene = Arc::new(frame::encode(&self.model, &self.data, &self.scene));
        self.outbox.send_replace(Picture { scene, numbers: Arc::new(numbers.to_string()) });
        self.changed = false;
    }

    fn obey(&mut self, command: Command) {
        self.changed = true;
        let (m, d) = (&mut self.model, &mut self.data);
        match command {
            Command::Vis { id, on } => set(&mut self.opt.flags, id, on),
            Command::Render { id, on } => set(&mut self.scene.flags, id, on),
            Command::Group { kind, id, on } => self.show_group(&kind, id, on),
            Command::Label { id } if Label::from_raw(id).is_some() => self.opt.label = id,
            Command::Frame { id } if Frame::from_raw(id).is_some() => self.opt.frame = id,
            Command::Label { .. } | Command::Frame { .. } => {}
            Command::Select { view, x, y } => {
                self.pulling.select(m, d, &self.opt, &mut self.scene, &view, x, y);
            }
            Command::SelectBody { id } => self.pulling.select_body(m, id),
            Command::Pull { view, bits } => self.pulling.start(m, d, &mut self.scene, &view, bits),
            Command::Move { view, action, dx, dy } => {
                self.pulling.drag(m, d, &mut self.scene, &view, action, dx, dy);
            }
            Command::Release => self.pulling.release(),
            other => match &self.mailbox {
                Some(mailbox) => lock(mailbox).commands.push(other),
                None => self.simulate(other),
            },
        }
    }

    /// What changes the simulation itself.
    fn simulate(&mut self, command: Command) {
        match command {
            Command::Play { on } => {
                self.pace.playing = on;
                self.pace.failure = None;
                self.pace.measured = 0.0;
                self.restart_clock();
            }
            Command::Step { count } => self.step(count.min(10_000)),
            Command::Speed { factor } if factor.is_finite() => {
                self.pace.speed = factor.clamp(0.001, 100.0);
                self.restart_clock();
            }
            Command::Reset | Command::Key { .. } => {
                self.pace.failure = None;
                obey(&mut self.model, &mut self.data, &command);
                self.forward();
                self.restart_clock();
            }
            other => {
                obey(&mut self.model, &mut self.data, &other);
                if !self.pace.playing {
                    self.forward();
                }
            }
        }
    }

    fn step(&mut self, count: u32) {
        self.pace.playing = false;
        let begin = Instant::now();
        for _ in 0..count {
            self.pulling.act(&self.model, &mut self.data, false);
            if let Err(error) = self.data.step(&self.model) {
                self.pace.failure = Some(error.to_string());
                return;
            }
            if begin.elapsed() > Duration::from_secs(1) {
                return;
            }
        }
    }

    fn show_group(&mut self, kind: &str, id: usize, on: bool) {
        let groups = match kind {
            "geom" => &mut self.opt.geomgroup,
            "site" => &mut self.opt.sitegroup,
            "joint" => &mut self.opt.jointgroup,
            "tendon" => &mut self.opt.tendongroup,
            "actuator" => &mut self.opt.actuatorgroup,
            "flex" => &mut self.opt.flexgroup,
            "skin" => &mut self.opt.skingroup,
            _ => return,
        };
        set(groups, id, on);
    }
}

/// Does to a simulation what a page asked for; commands that concern the picture or the pace do nothing.
pub fn obey(m: &mut Model, d: &mut Data, command: &Command) {
    match *command {
        Command::Reset => drop(d.reset(m)),
        Command::Key { id } => drop(d.reset_to_keyframe(m, id)),
        Command::Ctrl { id, value } if value.is_finite() => {
            if let Some(ctrl) = d.ctrl.get_mut(id) {
                *ctrl = value;
            }
        }
        Command::ClearCtrl => d.ctrl.fill(0.0),
        Command::Joint { id, value } if value.is_finite() => put_joint(m, d, id, value),
        Command::Disable { bit, on } => toggle(&mut m.opt.disableflags, bit, on),
        Command::Enable { bit, on } => toggle(&mut m.opt.enableflags, bit, on),
        _ => {}
    }
}

/// Puts a hinge or slide joint somewhere, at rest; what was asleep wakes.
fn put_joint(m: &Model, d: &mut Data, id: usize, value: f64) {
    let kind = m.jnt_type.get(id).and_then(|raw| JointType::from_raw(*raw));
    let (Some(JointType::Hinge | JointType::Slide), Ok(adr), Ok(dof)) = (
        kind,
        usize::try_from(m.jnt_qposadr.get(id).copied().unwrap_or(-1)),
        usize::try_from(m.jnt_dofadr.get(id).copied().unwrap_or(-1)),
    ) else {
        return;
    };
    let (Some(position), Some(velocity)) = (d.qpos.get_mut(adr), d.qvel.get_mut(dof)) else {
        return;
    };
    (*position, *velocity) = (value, 0.0);
    // A number that is not negative is the next tree in a cycle of sleepers.
    for tree in d.tree_asleep.iter_mut().filter(|tree| **tree >= 0) {
        *tree = -1;
    }
    sleep::update(m, d);
}

fn set(flags: &mut [u8], id: usize, on: bool) {
    if let Some(flag) = flags.get_mut(id) {
        *flag = on.into();
    }
}

fn toggle(flags: &mut i32, bit: i32, on: bool) {
    if on { *flags |= bit } else { *flags &= !bit }
}
