//! Pictures: what is behind MuJoCo's `mjr` functions.

use std::sync::{Mutex, MutexGuard, PoisonError};

use corten_render::{Context, DepthMap, FontKind, Framebuffer, GridPos, Rect, RenderError};
use corten_scene::{Figure, FigureLine};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::errors::fatal;
use crate::memory::{In, Out};
use crate::model::PyModel;
use crate::scene::memory::SceneArgument;

/// Left, bottom, width, height.
type Corners = (i32, i32, i32, i32);

fn rect((left, bottom, width, height): Corners) -> Rect {
    Rect { left, bottom, width, height }
}

fn raise(error: RenderError) -> PyErr {
    fatal(error.to_string())
}

fn font(raw: i32) -> PyResult<FontKind> {
    FontKind::from_raw(raw).ok_or_else(|| PyValueError::new_err(format!("invalid font {raw}")))
}

/// What scenes of a model are drawn with.
#[pyclass(name = "RenderContext", module = "corten._corten", frozen)]
pub struct PyContext(Mutex<Context>);

impl PyContext {
    fn lock(&self) -> MutexGuard<'_, Context> {
        // A panic leaves a picture half drawn, and nothing else.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl PyContext {
    #[new]
    fn new(py: Python<'_>, model: Option<&PyModel>, fontscale: i32) -> PyResult<PyContext> {
        let context = match model {
            Some(model) => Context::new(&*model.read(py)?),
            None => Context::without_model(),
        };
        let mut context = context.map_err(raise)?;
        context.change_font(fontscale);
        Ok(PyContext(Mutex::new(context)))
    }

    /// Numbers that MuJoCo's context shows.
    fn numbers<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let context = self.lock();
        let settings = context.settings();
        let out = PyDict::new(py);
        out.set_item("lineWidth", settings.line_width)?;
        out.set_item("shadowClip", settings.shadow_clip)?;
        out.set_item("shadowScale", settings.shadow_scale)?;
        out.set_item("shadowSize", settings.shadow_size)?;
        out.set_item("fogStart", settings.fog_start)?;
        out.set_item("fogEnd", settings.fog_end)?;
        out.set_item("fogRGBA", settings.fog_rgb)?;
        out.set_item("offSamples", settings.samples)?;
        let [width, height] = context.offscreen_size();
        out.set_item("offWidth", width)?;
        out.set_item("offHeight", height)?;
        out.set_item("fontScale", context.font_scale())?;
        for (kind, height, width) in [
            (FontKind::Normal, "charHeight", "charWidth"),
            (FontKind::Big, "charHeightBig", "charWidthBig"),
        ] {
            let (tall, wide) = context.font_metrics(kind);
            out.set_item(height, tall)?;
            out.set_item(width, wide.to_vec())?;
        }
        Ok(out)
    }

    /// Takes over numbers that were changed.
    fn set_numbers(
        &self,
        line_width: f32,
        shadow: (f32, f32, i32),
        fog: (f32, f32, [f32; 3]),
        samples: i32,
        threads: usize,
    ) {
        let mut context = self.lock();
        let settings = context.settings_mut();
        settings.line_width = line_width;
        (settings.shadow_clip, settings.shadow_scale, settings.shadow_size) = shadow;
        (settings.fog_start, settings.fog_end, settings.fog_rgb) = fog;
        settings.samples = samples;
        settings.threads = threads;
    }

    /// Chooses the window's image or the offscreen one.
    fn set_buffer(&self, offscreen: bool) {
        let mut context = self.lock();
        context.restore();
        context.current = if offscreen { Framebuffer::Offscreen } else { Framebuffer::Window };
    }

    fn restore(&self) {
        self.lock().restore();
    }

    fn resize(&self, width: i32, height: i32, offscreen: bool) -> PyResult<()> {
        let mut context = self.lock();
        let done = if offscreen {
            context.resize(width, height)
        } else {
            context.resize_window(width, height)
        };
        done.map_err(raise)
    }

    fn max_viewport(&self) -> Corners {
        let all = self.lock().max_viewport();
        (all.left, all.bottom, all.width, all.height)
    }

    fn change_font(&self, scale: i32) {
        self.lock().change_font(scale);
    }

    /// Draws a scene.
    fn render(&self, py: Python<'_>, viewport: Corners, scene: SceneArgument<'_>) -> PyResult<()> {
        let mut contents = scene.get()?;
        py.detach(|| self.lock().render(rect(viewport), &mut contents)).map_err(raise)?;
        scene.set(&contents)
    }

    /// Copies pixels out; arrays have as many elements as the viewport needs.
    #[pyo3(signature = (rgb, depth, viewport, zero_far, flipped))]
    fn read_pixels(
        &self,
        py: Python<'_>,
        rgb: Option<Out<'_, u8>>,
        depth: Option<Out<'_, f32>>,
        viewport: Corners,
        zero_far: bool,
        flipped: bool,
    ) -> PyResult<()> {
        let viewport = rect(viewport);
        let mut colours = rgb.as_ref().map(|out| out.to_vec());
        let mut depths = depth.as_ref().map(|out| out.to_vec());
        py.detach(|| {
            let mut context = self.lock();
            context.depth_map = if zero_far { DepthMap::ZeroFar } else { DepthMap::ZeroNear };
            context.read_pixels(viewport, colours.as_deref_mut(), depths.as_deref_mut())?;
            if flipped {
                let width = viewport.width.max(0) as usize;
                colours.iter_mut().for_each(|x| flip(x, 3 * width));
                depths.iter_mut().for_each(|x| flip(x, width));
            }
            Ok(())
        })
        .map_err(raise)?;
        if let (Some(out), Some(values)) = (rgb, colours) {
            out.write(&values);
        }
        if let (Some(out), Some(values)) = (depth, depths) {
            out.write(&values);
        }
        Ok(())
    }

    fn draw_pixels(
        &self,
        rgb: Option<In<u8>>,
        depth: Option<In<f32>>,
        viewport: Corners,
    ) -> PyResult<()> {
        let (rgb, depth) =
            (rgb.as_ref().map(|x| &x.values[..]), depth.as_ref().map(|x| &x.values[..]));
        self.lock().draw_pixels(rect(viewport), rgb, depth).map_err(raise)
    }

    fn blit(&self, from: Corners, to: Corners, color: bool, depth: bool) {
        self.lock().blit(rect(from), rect(to), color, depth);
    }

    fn add_aux(&self, index: usize, width: i32, height: i32) -> PyResult<()> {
        self.lock().add_aux(index, width, height).map_err(raise)
    }

    fn set_aux(&self, index: usize) -> PyResult<()> {
        self.lock().set_aux(index).map_err(raise)
    }

    fn blit_aux(&self, index: usize, from: Corners, left: i32, bottom: i32) -> PyResult<()> {
        self.lock().blit_aux(index, rect(from), left, bottom).map_err(raise)
    }

    fn text(&self, kind: i32, text: &str, place: (f32, f32), rgb: [f32; 3]) -> PyResult<()> {
        self.lock().text(font(kind)?, text, place.0, place.1, rgb);
        Ok(())
    }

    fn overlay(
        &self,
        kind: i32,
        gridpos: i32,
        viewport: Corners,
        first: &str,
        second: &str,
    ) -> PyResult<()> {
        let place = GridPos::from_raw(gridpos)
            .ok_or_else(|| PyValueError::new_err(format!("invalid gridpos {gridpos}")))?;
        self.lock().overlay(font(kind)?, place, rect(viewport), first, second);
        Ok(())
    }

    fn rectangle(&self, viewport: Corners, rgba: [f32; 4]) {
        self.lock().rectangle(rect(viewport), rgba);
    }

    fn label(
        &self,
        viewport: Corners,
        kind: i32,
        text: &str,
        rgba: [f32; 4],
        rgb: [f32; 3],
    ) -> PyResult<()> {
        self.lock().label(rect(viewport), font(kind)?, text, rgba, rgb);
        Ok(())
    }

    /// Draws a figure, and notes in it where its axes are.
    fn figure(&self, viewport: Corners, fig: &Bound<'_, PyAny>) -> PyResult<()> {
        let mut figure = read_figure(fig)?;
        self.lock().figure(rect(viewport), &mut figure);
        fig.setattr("xaxispixel", figure.xaxispixel)?;
        fig.setattr("yaxispixel", figure.yaxispixel)?;
        fig.setattr("xaxisdata", figure.xaxisdata)?;
        fig.setattr("yaxisdata", figure.yaxisdata)
    }

    fn upload(&self, py: Python<'_>, model: &PyModel, kind: &str, id: i64) -> PyResult<()> {
        let model = model.read(py)?;
        let id = usize::try_from(id).unwrap_or(usize::MAX);
        let mut context = self.lock();
        match kind {
            "mesh" => context.upload_mesh(&model, id),
            "hfield" => context.upload_hfield(&model, id),
            _ => context.upload_texture(&model, id),
        }
        .map_err(raise)
    }
}

/// Reverses the order of rows.
fn flip<T: Copy>(pixels: &mut [T], width: usize) {
    if width == 0 {
        return;
    }
    let rows = pixels.len() / width;
    for y in 0..rows / 2 {
        let (low, high) = pixels.split_at_mut((rows - 1 - y) * width);
        low[y * width..(y + 1) * width].swap_with_slice(&mut high[..width]);
    }
}

fn read_figure(fig: &Bound<'_, PyAny>) -> PyResult<Figure> {
    macro_rules! read {
        ($($field:ident),* $(,)?) => {
            Figure { $($field: fig.getattr(stringify!($field))?.extract()?,)* ..Figure::default() }
        };
    }
    let mut figure = read!(
        flg_legend,
        flg_ticklabel,
        flg_extend,
        flg_barplot,
        flg_selection,
        flg_symmetric,
        linewidth,
        gridwidth,
        gridsize,
        gridrgb,
        figurergba,
        panergba,
        legendrgba,
        textrgb,
        range,
        xformat,
        yformat,
        minwidth,
        title,
        xlabel,
        legendoffset,
        subplot,
        highlight,
        highlightid,
        selection,
    );
    let points: Vec<i64> = fig.getattr("linepnt")?.extract()?;
    let (names, colours, data) =
        (fig.getattr("linename")?, fig.getattr("linergb")?, fig.getattr("linedata")?);
    for (i, (line, &count)) in figure.lines.iter_mut().zip(&points).enumerate() {
        let name: Vec<u8> = names.get_item(i)?.extract()?;
        let count = usize::try_from(count).unwrap_or(0);
        let flat: Vec<f32> = if count > 0 {
            data.get_item(i)?.call_method0("ravel")?.extract()?
        } else {
            Vec::new()
        };
        *line = FigureLine {
            rgb: colours.get_item(i)?.extract()?,
            name: String::from_utf8_lossy(&name).trim_end_matches('\0').to_owned(),
            data: flat.as_chunks::<2>().0.iter().copied().take(count).collect(),
        };
    }
    Ok(figure)
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<PyContext>()
}
