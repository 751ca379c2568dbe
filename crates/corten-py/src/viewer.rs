//! The live page behind `mujoco.viewer`: it shows what Python simulates.

use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use corten_scene::{Camera, Perturb, VisOption};
use corten_view::{Options, Overlay, Pace, Service, Session, Shown};
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;

use crate::data::PyData;
use crate::memory::In;
use crate::model::PyModel;
use crate::run::read;
use crate::scene::memory::SceneArgument;
use crate::scene::record::Argument;

/// Left, bottom, width, height.
type Corners = [i32; 4];

/// A page, its server, and the session that they show.
#[pyclass(name = "Viewer", module = "corten._corten", frozen)]
pub struct PyViewer {
    session: Session,
    /// Until it is closed.
    service: Mutex<Option<Service>>,
    #[pyo3(get)]
    url: String,
}

/// Running, speed asked for, speed measured, and why it stopped by itself.
type PaceArgument = (bool, f64, f64, Option<String>);

#[pymethods]
impl PyViewer {
    #[new]
    fn new(py: Python<'_>, m: &PyModel, host: &str, port: u16) -> PyResult<PyViewer> {
        let host: IpAddr = host
            .parse()
            .map_err(|_| PyValueError::new_err(format!("host: '{host}' is no IP address")))?;
        let model = m.read(py)?.clone();
        let session = Session::passive(model);
        let service = Service::start(&Options { host, port }, session.handle())
            .map_err(|error| PyOSError::new_err(error.to_string()))?;
        let url = service.url().to_owned();
        Ok(PyViewer { session, service: Mutex::new(Some(service)), url })
    }

    /// Shows a state, and what of the records has changed; the records take what pages have changed.
    /// Returns what pages ask for, as JSON, and the switches of the picture.
    #[pyo3(signature = (m, d, opt, pert, cam, scn, changed, pace))]
    fn exchange(
        &self,
        py: Python<'_>,
        m: &PyModel,
        d: &PyData,
        opt: Argument<'_, VisOption>,
        pert: Argument<'_, Perturb>,
        cam: Argument<'_, Camera>,
        scn: Option<SceneArgument<'_>>,
        changed: [bool; 4],
        pace: Option<PaceArgument>,
    ) -> PyResult<(Vec<String>, Vec<u8>)> {
        let scene = scn.map(|scene| scene.get()).transpose()?;
        let shown = Shown {
            opt: changed[0].then(|| opt.get()),
            pert: changed[1].then(|| pert.get()),
            camera: changed[2].then(|| cam.get()),
            flags: scene.as_ref().filter(|_| changed[3]).map(|scene| scene.flags),
            geoms: scene.map(|scene| scene.geoms).unwrap_or_default(),
            pace: pace.map(|(playing, speed, measured, failure)| Pace {
                playing,
                speed,
                measured,
                failure,
            }),
        };
        let handle = self.session.handle();
        let answer = read(py, m, d, |m, d| handle.exchange(m, d, shown))?;
        opt.set(&answer.opt);
        pert.set(&answer.pert);
        let commands = answer.commands.iter().map(|command| command.to_json()).collect();
        Ok((commands, answer.flags.to_vec()))
    }

    /// Shows another model.
    fn replace(&self, py: Python<'_>, m: &PyModel, d: &PyData) -> PyResult<()> {
        let handle = self.session.handle();
        read(py, m, d, |m, d| handle.replace_model(m, d))
    }

    /// Takes over a mesh, height field or texture.
    fn refresh(&self, py: Python<'_>, m: &PyModel, kind: &str, id: usize) -> PyResult<()> {
        self.session.handle().refresh(&*m.read(py)?, kind, id);
        Ok(())
    }

    fn set_texts(&self, texts: Vec<(i32, i32, String, String)>) {
        self.session.handle().overlay(|overlays| overlays.texts = texts);
    }

    fn set_figures(&self, figures: Vec<(Corners, String)>) -> PyResult<()> {
        let parse = |(rect, text): (Corners, String)| {
            let figure = serde_json::from_str(&text);
            Ok((rect, figure.map_err(|error| PyValueError::new_err(error.to_string()))?))
        };
        let figures = figures.into_iter().map(parse).collect::<PyResult<Vec<_>>>()?;
        self.session.handle().overlay(|overlays| overlays.figures = figures);
        Ok(())
    }

    fn set_images(&self, images: Vec<(Corners, In<u8>)>) {
        let one = |(rect, rgb): (Corners, In<u8>)| Overlay { rect, rgb: rgb.values.to_vec() };
        let images = images.into_iter().map(one).collect();
        self.session.handle().overlay(|overlays| overlays.images = images);
    }

    /// The next key that is pressed; `None` if there is none for a while.
    fn next_key(&self, py: Python<'_>, seconds: f64) -> Option<i32> {
        let handle = self.session.handle();
        let patience = Duration::try_from_secs_f64(seconds).unwrap_or_default();
        py.detach(|| handle.next_key(patience))
    }

    fn viewport(&self) -> [u32; 2] {
        self.session.handle().viewport()
    }

    /// Open tabs, and seconds without any since the last one was closed.
    fn tabs(&self) -> (usize, Option<f64>) {
        let (open, left) = self.session.handle().tabs();
        (open, left.map(|left| left.as_secs_f64()))
    }

    fn close(&self) {
        self.session.handle().end();
        let service = self.service.lock().unwrap_or_else(PoisonError::into_inner).take();
        drop(service);
    }

    fn has_ended(&self) -> bool {
        self.session.handle().has_ended()
    }
}

/// Whether the page is part of this build.
#[pyfunction]
fn page_is_built() -> bool {
    corten_view::is_built()
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<PyViewer>()?;
    module.add_function(wrap_pyfunction!(page_is_built, module)?)
}
