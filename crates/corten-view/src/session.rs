//! A simulation that runs in real time on a thread of its own, and answers commands.

use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Condvar, Mutex, PoisonError, RwLock};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use corten_model::enums::EnableBit;
use corten_scene::{Camera, Category, Frame, Geom, Label, Scene, VisOption, update_scene};
use corten_sim::{Data, Model};
use tokio::sync::watch;

use crate::command::Command;
use crate::frame;
use crate::history::{Film, History, Restore};
use crate::looks::copy_looks;
use crate::mail::{Mailbox, Message, Picture, SessionHandle, Shown, Tabs, lock};
use crate::obey::obey;
use crate::pulling::Pulling;
use crate::state::{Pace, numbers, overlays};

/// Time between frames.
const FRAME: Duration = Duration::from_micros(16_000);

/// Longest time of stepping before commands are looked at again.
const PATIENCE: Duration = Duration::from_millis(12);

/// Most geoms in a scene.
const MAX_GEOM: usize = 50_000;

/// Loads a model, once more when a page asks for it.
pub type Loader = dyn Fn() -> Result<Model, String> + Send;

/// A running simulation.
#[derive(Debug)]
pub struct Session {
    handle: SessionHandle,
    thread: Option<JoinHandle<()>>,
}

impl Session {
    /// Starts a session with a model, paused or running.
    pub fn start(model: Model, playing: bool) -> Session {
        Session::new(model, |simulation| simulation.pace.playing = playing)
    }

    /// Starts a session whose model can be loaded again.
    pub fn load(loader: Box<Loader>, playing: bool) -> Result<Session, String> {
        let model = loader()?;
        Ok(Session::new(model, |simulation| {
            simulation.pace.playing = playing;
            simulation.loader = Some(loader);
        }))
    }

    /// Starts a session that shows what its owner simulates ([`SessionHandle::exchange`]).
    pub fn passive(model: Model) -> Session {
        Session::new(model, |simulation| simulation.passive = true)
    }

    /// Starts a session that shows a recording: the times of its states, in order, and how to get them.
    pub fn film(model: Model, times: Vec<f64>, restore: Box<Restore>) -> Session {
        Session::new(model, |simulation| {
            simulation.film = Some(Film { times, restore, at: 0 });
            simulation.seek(0);
        })
    }

    fn new(model: Model, settle: impl FnOnce(&mut Simulation)) -> Session {
        let (commands, inbox) = channel();
        let (outbox, pictures) = watch::channel(Picture::default());
        let handle = SessionHandle {
            commands,
            pictures,
            model: Arc::new(RwLock::new(model.clone())),
            mailbox: Arc::<Mutex<Mailbox>>::default(),
            pressed: Arc::<Condvar>::default(),
            tabs: Arc::<Tabs>::default(),
        };
        let mut simulation = Simulation::new(model, outbox, &handle);
        settle(&mut simulation);
        let thread = std::thread::spawn(move || simulation.run(&inbox));
        Session { handle, thread: Some(thread) }
    }

    /// How to talk to it.
    pub fn handle(&self) -> SessionHandle {
        self.handle.clone()
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.handle.end();
        // It has ended by itself if nobody receives.
        let _ = self.handle.commands.send(Message::End);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// What the thread has.
struct Simulation {
    model: Model,
    /// Counts the models.
    number: u32,
    data: Data,
    scene: Scene,
    opt: VisOption,
    pulling: Pulling,
    pace: Pace,
    /// Wall clock and simulated time that are kept in step.
    origin: (Instant, f64),
    /// When it went on last.
    advanced: Instant,
    changed: bool,
    history: History,
    film: Option<Film>,
    loader: Option<Box<Loader>>,
    /// Whether somebody else simulates.
    passive: bool,
    shown: Shown,
    /// Counts the cameras that the owner has set.
    cameras: u32,
    outbox: watch::Sender<Picture>,
    mailbox: Arc<Mutex<Mailbox>>,
    shared: Arc<RwLock<Model>>,
    tabs: Arc<Tabs>,
}

impl Simulation {
    fn new(model: Model, outbox: watch::Sender<Picture>, handle: &SessionHandle) -> Simulation {
        let data = model.make_data();
        let scene = Scene::new(&model, MAX_GEOM);
        {
            let mut mail = lock(&handle.mailbox);
            mail.flags = scene.flags;
        }
        let mut simulation = Simulation {
            model,
            number: 0,
            data,
            scene,
            opt: VisOption::default(),
            pulling: Pulling::default(),
            pace: Pace::default(),
            origin: (Instant::now(), 0.0),
            advanced: Instant::now(),
            changed: true,
            history: History::default(),
            film: None,
            loader: None,
            passive: false,
            shown: Shown::default(),
            cameras: 0,
            outbox,
            mailbox: handle.mailbox.clone(),
            shared: handle.model.clone(),
            tabs: handle.tabs.clone(),
        };
        simulation.begin();
        simulation
    }

    /// Before the first step of a model.
    fn begin(&mut self) {
        // Energy is plotted.
        self.model.opt.enableflags |= EnableBit::Energy.raw();
        self.forward();
        self.history.push(&self.model, &self.data);
        self.restart_clock();
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
            self.collect();
            if self.pace.playing && !self.passive {
                self.advance();
            } else if !self.passive && self.pulling.act(&self.model, &mut self.data, true) {
                self.forward();
            }
            // A new page gets the present frame, also while nothing moves.
            let watching = self.tabs.open.load(Ordering::Relaxed);
            if watching > 0 && (self.changed || watching != watched) {
                self.publish();
            }
            watched = watching;
        }
    }

    /// Takes what the owner has sent.
    fn collect(&mut self) {
        let mailbox = self.mailbox.clone();
        let mut mail = lock(&mailbox);
        self.changed |= std::mem::take(&mut mail.news);
        if let Some(replaced) = mail.replaced.take() {
            let (model, data) = *replaced;
            self.replace(model, data);
        }
        if let Some(data) = mail.state.take() {
            self.pace.playing = data.time != self.data.time;
            self.data = *data;
            let own = self.shared.read().unwrap_or_else(PoisonError::into_inner);
            copy_looks(&own, &mut self.model);
            self.changed = true;
        }
        if let Some(shown) = mail.shown.take() {
            self.opt = shown.opt.unwrap_or(self.opt);
            self.pulling.pert = shown.pert.unwrap_or(self.pulling.pert);
            self.scene.flags = shown.flags.unwrap_or(self.scene.flags);
            self.cameras += u32::from(shown.camera.is_some());
            if let Some(pace) = &shown.pace {
                self.pace = pace.clone();
            }
            let camera = shown.camera.or(self.shown.camera);
            self.shown = Shown { camera, ..shown };
        }
        mail.opt = self.opt;
        mail.pert = self.pulling.pert;
        mail.flags = self.scene.flags;
    }

    /// Shows another model.
    fn replace(&mut self, model: Model, data: Data) {
        *self.shared.write().unwrap_or_else(PoisonError::into_inner) = model.clone();
        let flags = self.scene.flags;
        self.scene = Scene::new(&model, MAX_GEOM);
        self.scene.flags = flags;
        self.model = model;
        self.data = data;
        self.number += 1;
        self.pulling = Pulling::default();
        self.history.clear();
        self.shown = Shown::default();
        self.changed = true;
    }

    /// Loads the model once more.
    fn reload(&mut self) {
        match self.loader.as_ref().map(|loader| loader()) {
            Some(Ok(model)) => {
                let data = model.make_data();
                self.pace.failure = None;
                self.replace(model, data);
                self.begin();
            }
            Some(Err(error)) => self.pace.failure = Some(error),
            None => self.pace.failure = Some("there is no file to load again".to_owned()),
        }
    }

    /// Goes on until the simulated time has caught up with the clock, or patience ends.
    fn advance(&mut self) {
        let begin = Instant::now();
        let (wall, time) = self.origin;
        let goal = time + begin.duration_since(wall).as_secs_f64() * self.pace.speed;
        let before = self.data.time;
        if let Some(film) = &self.film {
            let to = film.index_at(goal);
            self.pace.playing = to < film.last();
            self.seek(to);
        } else {
            while self.data.time < goal && begin.elapsed() < PATIENCE && self.step_once() {}
            self.history.push(&self.model, &self.data);
            // One that cannot keep up starts counting anew.
            if self.data.time < goal - 0.1 * self.pace.speed {
                self.restart_clock();
            }
        }
        let waited = begin.duration_since(self.advanced).max(FRAME).as_secs_f64();
        self.advanced = begin;
        self.pace.measured += 0.05 * ((self.data.time - before) / waited - self.pace.measured);
        self.changed = true;
    }

    /// One step; `false` if it went bad.
    fn step_once(&mut self) -> bool {
        self.pulling.act(&self.model, &mut self.data, false);
        if let Err(error) = self.data.step(&self.model) {
            self.pace.failure = Some(error.to_string());
            self.pace.playing = false;
            return false;
        }
        true
    }

    /// Shows a state of the recording.
    fn seek(&mut self, index: usize) {
        let Some(film) = &mut self.film else { return };
        film.at = index.min(film.last());
        if let Err(error) = (film.restore)(&mut self.data, film.at) {
            self.pace.failure = Some(error);
            self.pace.playing = false;
        }
        self.forward();
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
        let (m, d, opt) = (&self.model, &self.data, &self.opt);
        let made = update_scene(m, d, opt, pert, Some(&mut camera), everything, &mut self.scene);
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
        overlays(&mut numbers, &lock(&self.mailbox));
        if let Some(camera) = &self.shown.camera {
            numbers["camera"] = crate::state::camera(camera, self.cameras);
        }
        if let Some(film) = &self.film {
            numbers["film"] = serde_json::json!({
                "at": film.at, "count": film.times.len(),
                "first": film.times.first(), "last": film.times.last(),
            });
        }
        let scene = Arc::new(frame::encode(&self.model, &self.data, &self.scene));
        let numbers = Arc::new(numbers.to_string());
        self.outbox.send_replace(Picture { model: self.number, scene, numbers });
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
            other if self.passive => lock(&self.mailbox).ask(other),
            other => self.simulate(other),
        }
    }

    /// What changes the simulation itself.
    fn simulate(&mut self, command: Command) {
        match command {
            Command::Play { on } => {
                let ended = self.film.as_ref().is_some_and(|film| film.at == film.last());
                if on && ended {
                    self.seek(0);
                }
                self.pace.playing = on;
                self.pace.failure = None;
                self.pace.measured = self.pace.speed;
                self.restart_clock();
            }
            Command::Step { count } => self.step(count.clamp(-10_000, 10_000)),
            Command::Speed { factor } if factor.is_finite() => {
                self.pace.speed = factor.clamp(0.001, 100.0);
                self.restart_clock();
            }
            Command::Reload => self.reload(),
            Command::Seek { index } => {
                self.seek(index);
                self.restart_clock();
            }
            Command::Reset if self.film.is_some() => {
                self.seek(0);
                self.restart_clock();
            }
            _ if self.film.is_some() => {}
            Command::Reset | Command::Key { .. } => {
                self.pace.failure = None;
                obey(&mut self.model, &mut self.data, &command);
                self.forward();
                self.history.clear();
                self.history.push(&self.model, &self.data);
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

    /// Steps, or goes back.
    fn step(&mut self, count: i32) {
        self.pace.playing = false;
        if let Some(film) = &self.film {
            self.seek(film.at.saturating_add_signed(count as isize));
            return;
        }
        if count < 0 || self.history.is_back() {
            if self.history.go(&self.model, &mut self.data, -count) {
                self.forward();
            }
            return;
        }
        let begin = Instant::now();
        for _ in 0..count {
            if !self.step_once() || begin.elapsed() > Duration::from_secs(1) {
                return;
            }
            self.history.push(&self.model, &self.data);
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

fn set(flags: &mut [u8], id: usize, on: bool) {
    if let Some(flag) = flags.get_mut(id) {
        *flag = on.into();
    }
}
