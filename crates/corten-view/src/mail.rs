//! What the owner of a simulation and its pages tell each other.

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::{Duration, Instant};

use corten_scene::{Camera, Geom, Perturb, RenderFlag, VisOption};
use corten_sim::{Data, Model};
use serde_json::Value;
use tokio::sync::watch;

use crate::command::Command;
use crate::looks::copy_looks;
use crate::state::Pace;

/// Most commands and keys that are kept for an owner who does not look.
const PATIENT: usize = 10_000;

/// What an owner shows along with a state.
#[derive(Clone, Debug, Default)]
pub struct Shown {
    /// Options, if they shall change.
    pub opt: Option<VisOption>,
    /// What is selected and pulled, if that shall change.
    pub pert: Option<Perturb>,
    /// Where pages shall look from, if that shall change.
    pub camera: Option<Camera>,
    /// Switches of the picture ([`RenderFlag`]), if they shall change.
    pub flags: Option<[u8; RenderFlag::COUNT]>,
    /// Geoms in addition to those of the model.
    pub geoms: Vec<Geom>,
    /// How the owner simulates; by default it is told from the time.
    pub pace: Option<Pace>,
}

impl Shown {
    /// With what has not been shown yet of an earlier one.
    fn after(self, earlier: Option<Shown>) -> Shown {
        let Some(earlier) = earlier else { return self };
        Shown {
            opt: self.opt.or(earlier.opt),
            pert: self.pert.or(earlier.pert),
            camera: self.camera.or(earlier.camera),
            flags: self.flags.or(earlier.flags),
            ..self
        }
    }
}

/// What pages tell the owner.
#[derive(Clone, Debug)]
pub struct Answer {
    /// What they asked for that changes the simulation.
    pub commands: Vec<Command>,
    /// What is shown.
    pub opt: VisOption,
    /// What is selected and pulled.
    pub pert: Perturb,
    /// Switches of the picture.
    pub flags: [u8; RenderFlag::COUNT],
}

/// A picture over the scene, with its rows from the top.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Overlay {
    /// Left, bottom, width and height in pixels of the page.
    pub rect: [i32; 4],
    /// Red, green and blue of each pixel.
    pub rgb: Vec<u8>,
}

/// What is drawn over the scene.
#[derive(Clone, Debug, Default)]
pub struct Overlays {
    /// Font scale, position (`mjtGridPos`), left and right column.
    pub texts: Vec<(i32, i32, String, String)>,
    /// Left, bottom, width and height, and the figure as JSON.
    pub figures: Vec<([i32; 4], Value)>,
    /// Pictures.
    pub images: Vec<Overlay>,
}

#[derive(Debug, Default)]
pub(crate) struct Mailbox {
    /// The latest state, until the session has taken it.
    pub state: Option<Box<Data>>,
    /// A model in place of the present one, likewise, with data for it.
    pub replaced: Option<Box<(Model, Data)>>,
    pub shown: Option<Shown>,
    pub commands: Vec<Command>,
    pub opt: VisOption,
    pub pert: Perturb,
    pub flags: [u8; RenderFlag::COUNT],
    pub overlays: Overlays,
    /// How often images were set.
    pub images_set: u32,
    /// How often a shape or texture has changed.
    pub versions: BTreeMap<String, u32>,
    /// Whether something of the above is new to the session.
    pub news: bool,
    /// Width and height of a page's picture.
    pub viewport: [u32; 2],
    /// Keys that were pressed.
    pub keys: VecDeque<i32>,
    /// Whether a page asked to end, or the owner did.
    pub ended: bool,
}

impl Mailbox {
    pub fn ask(&mut self, command: Command) {
        if self.commands.len() < PATIENT {
            self.commands.push(command);
        }
    }
}

/// Who looks.
#[derive(Debug, Default)]
pub(crate) struct Tabs {
    pub open: AtomicUsize,
    left: Mutex<Option<Instant>>,
}

impl Tabs {
    pub fn enter(self: &Arc<Tabs>) -> Tab {
        self.open.fetch_add(1, Ordering::Relaxed);
        Tab(self.clone())
    }
}

/// An open tab.
pub(crate) struct Tab(Arc<Tabs>);

impl Drop for Tab {
    fn drop(&mut self) {
        *lock(&self.0.left) = Some(Instant::now());
        self.0.open.fetch_sub(1, Ordering::Relaxed);
    }
}

/// A frame, ready to be sent.
#[derive(Clone, Debug, Default)]
pub struct Picture {
    /// Number of the model that it shows.
    pub model: u32,
    /// The scene, as `frame` encodes it.
    pub scene: Arc<Vec<u8>>,
    /// Numbers, as JSON.
    pub numbers: Arc<String>,
}

#[derive(Debug)]
pub(crate) enum Message {
    Do(Command),
    End,
}

/// How to talk to a [`Session`](crate::Session).
#[derive(Clone, Debug)]
pub struct SessionHandle {
    pub(crate) commands: Sender<Message>,
    pub(crate) pictures: watch::Receiver<Picture>,
    pub(crate) model: Arc<RwLock<Model>>,
    pub(crate) mailbox: Arc<Mutex<Mailbox>>,
    pub(crate) pressed: Arc<Condvar>,
    pub(crate) tabs: Arc<Tabs>,
}

/// A panic leaves contents that can still be read.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl SessionHandle {
    /// Asks for something.
    pub fn send(&self, command: Command) {
        match command {
            Command::Pressed { code } => {
                let mut mail = lock(&self.mailbox);
                if mail.keys.len() < PATIENT {
                    mail.keys.push_back(code);
                }
                self.pressed.notify_all();
            }
            Command::Viewport { width, height } => {
                lock(&self.mailbox).viewport = [width, height];
            }
            Command::Quit => self.end(),
            // A session that has ended answers nothing.
            command => drop(self.commands.send(Message::Do(command))),
        }
    }

    /// Shows a state of a simulation that the caller owns, and tells what pages asked for in return:
    /// commands that change it are for the caller to obey ([`obey`](crate::obey)).
    pub fn exchange(&self, m: &Model, d: &Data, shown: Shown) -> Answer {
        {
            let mut own = self.model.write().unwrap_or_else(PoisonError::into_inner);
            copy_looks(m, &mut own);
        }
        let mut mail = lock(&self.mailbox);
        mail.state = Some(Box::new(d.clone()));
        mail.opt = shown.opt.unwrap_or(mail.opt);
        mail.pert = shown.pert.unwrap_or(mail.pert);
        mail.flags = shown.flags.unwrap_or(mail.flags);
        mail.shown = Some(shown.after(mail.shown.take()));
        Answer {
            commands: std::mem::take(&mut mail.commands),
            opt: mail.opt,
            pert: mail.pert,
            flags: mail.flags,
        }
    }

    /// Shows another model; pages load it.
    pub fn replace_model(&self, m: &Model, d: &Data) {
        let mut mail = lock(&self.mailbox);
        mail.replaced = Some(Box::new((m.clone(), d.clone())));
        mail.state = None;
        mail.commands.clear();
    }

    /// Takes over a shape or texture that has changed; pages load it again. `kind` is `mesh`, `hfield`
    /// or `texture`.
    pub fn refresh(&self, m: &Model, kind: &str, id: usize) {
        let mut own = self.model.write().unwrap_or_else(PoisonError::into_inner);
        match kind {
            "mesh" => {
                own.mesh_vert.clone_from(&m.mesh_vert);
                own.mesh_normal.clone_from(&m.mesh_normal);
                own.mesh_texcoord.clone_from(&m.mesh_texcoord);
                own.mesh_face.clone_from(&m.mesh_face);
            }
            "hfield" => own.hfield_data.clone_from(&m.hfield_data),
            _ => own.tex_data.clone_from(&m.tex_data),
        }
        drop(own);
        let mut mail = lock(&self.mailbox);
        *mail.versions.entry(format!("{kind} {id}")).or_default() += 1;
        mail.news = true;
    }

    /// Changes what is drawn over the scene.
    pub fn overlay(&self, change: impl FnOnce(&mut Overlays)) {
        let mut mail = lock(&self.mailbox);
        change(&mut mail.overlays);
        mail.images_set += 1;
        mail.news = true;
    }

    /// An image over the scene.
    pub(crate) fn image(&self, id: usize) -> Option<Vec<u8>> {
        lock(&self.mailbox).overlays.images.get(id).map(|image| image.rgb.clone())
    }

    /// The next key that is pressed on a page, by MuJoCo's number of it; `None` when that takes too
    /// long or nobody can press one any more.
    pub fn next_key(&self, patience: Duration) -> Option<i32> {
        let mut mail = lock(&self.mailbox);
        if mail.keys.is_empty() && !mail.ended {
            let waited = self.pressed.wait_timeout(mail, patience);
            mail = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        mail.keys.pop_front()
    }

    /// Width and height of the picture on the page that was resized last; zero before.
    pub fn viewport(&self) -> [u32; 2] {
        lock(&self.mailbox).viewport
    }

    /// How many tabs are open, and for how long none has been since the last one was closed.
    pub fn tabs(&self) -> (usize, Option<Duration>) {
        match self.tabs.open.load(Ordering::Relaxed) {
            0 => (0, lock(&self.tabs.left).map(|left| left.elapsed())),
            open => (open, None),
        }
    }

    /// Ends it for all who ask [`has_ended`](Self::has_ended).
    pub fn end(&self) {
        lock(&self.mailbox).ended = true;
        self.pressed.notify_all();
    }

    /// Whether a page, or the owner, has asked to end.
    pub fn has_ended(&self) -> bool {
        lock(&self.mailbox).ended
    }

    /// The latest frame, and news of further ones.
    pub(crate) fn pictures(&self) -> watch::Receiver<Picture> {
        self.pictures.clone()
    }

    /// Looks at the model.
    pub(crate) fn with_model<R>(&self, f: impl FnOnce(&Model) -> R) -> R {
        f(&self.model.read().unwrap_or_else(PoisonError::into_inner))
    }
}
