//! What a model contributes to pictures, and the images to draw into.

use corten_scene::Scene;
use corten_sim::Model;

use crate::assets::Assets;
use crate::buffer::{Buffer, Rect};
use crate::error::RenderError;
use crate::frame::{self, Settings, Workspace};

/// Which image is drawn into (MuJoCo's `mjtFramebuffer`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Framebuffer {
    /// The window's; here it is an image as well.
    #[default]
    Window,
    /// The one with the size that the model asks for.
    Offscreen,
}

/// How depths are given (MuJoCo's `mjtDepthMap`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DepthMap {
    /// Zero at the near plane, one at the far plane.
    #[default]
    ZeroNear,
    /// One at the near plane, zero at the far plane.
    ZeroFar,
}

/// Everything that is needed to draw scenes of a model (MuJoCo's `mjrContext`).
#[derive(Debug)]
pub struct Context {
    assets: Option<Assets>,
    settings: Settings,
    work: Workspace,
    window: Buffer,
    offscreen: Buffer,
    /// Which image is drawn into.
    pub current: Framebuffer,
    /// How depths are read.
    pub depth_map: DepthMap,
}

/// Size of the images without a model.
const DEFAULT_SIZE: [i32; 2] = [800, 600];

impl Context {
    /// A context for scenes of a model (MuJoCo's `mjr_makeContext`).
    pub fn new(m: &Model) -> Result<Context, RenderError> {
        let extent = m.stat.extent;
        let [r, g, b, _] = m.vis.rgba.fog;
        let settings = Settings {
            line_width: m.vis.global.linewidth,
            shadow_clip: (extent * m.vis.map.shadowclip as f64) as f32,
            shadow_scale: m.vis.map.shadowscale,
            shadow_size: m.vis.quality.shadowsize,
            fog_start: (extent * m.vis.map.fogstart as f64) as f32,
            fog_end: (extent * m.vis.map.fogend as f64) as f32,
            fog_rgb: [r, g, b],
            samples: m.vis.quality.offsamples,
            threads: 0,
        };
        let size = [m.vis.global.offwidth, m.vis.global.offheight];
        Context::with(Some(Assets::new(m)), settings, size)
    }

    /// A context for text and figures only.
    pub fn without_model() -> Result<Context, RenderError> {
        let settings = Settings {
            line_width: 1.0,
            shadow_clip: 1.0,
            shadow_scale: 0.6,
            shadow_size: 0,
            fog_start: 0.0,
            fog_end: 1.0,
            fog_rgb: [0.0; 3],
            samples: 0,
            threads: 0,
        };
        Context::with(None, settings, DEFAULT_SIZE)
    }

    fn with(
        assets: Option<Assets>,
        settings: Settings,
        [width, height]: [i32; 2],
    ) -> Result<Context, RenderError> {
        Ok(Context {
            assets,
            settings,
            work: Workspace::default(),
            window: Buffer::default(),
            offscreen: Buffer::new(width, height)?,
            current: Framebuffer::Window,
            depth_map: DepthMap::ZeroNear,
        })
    }

    /// Number of threads that draw; zero: one per core. Pictures do not depend on it.
    pub fn set_threads(&mut self, threads: usize) {
        self.settings.threads = threads;
    }

    /// Number of samples per pixel: 1, 2, 4 or 8; others count as the next lower one.
    pub fn set_samples(&mut self, samples: i32) {
        self.settings.samples = samples;
    }

    /// Changes the size of the offscreen image (MuJoCo's `mjr_resizeOffscreen`).
    pub fn resize(&mut self, width: i32, height: i32) -> Result<(), RenderError> {
        if [width, height] != [self.offscreen.width as i32, self.offscreen.height as i32] {
            self.offscreen = Buffer::new(width, height)?;
        }
        Ok(())
    }

    /// Changes the size of the window's image.
    pub fn resize_window(&mut self, width: i32, height: i32) -> Result<(), RenderError> {
        self.window = Buffer::new(width, height)?;
        Ok(())
    }

    /// All pixels of the current image (MuJoCo's `mjr_maxViewport`).
    pub fn max_viewport(&self) -> Rect {
        let buffer = self.buffer();
        Rect::of_size(buffer.width as i32, buffer.height as i32)
    }

    pub(crate) fn buffer(&self) -> &Buffer {
        match self.current {
            Framebuffer::Window => &self.window,
            Framebuffer::Offscreen => &self.offscreen,
        }
    }

    /// Draws a scene (MuJoCo's `mjr_render`). As there, the scene's geoms learn whether they are
    /// translucent and how far away they are, and all mirrors but the first lose their reflectance.
    pub fn render(&mut self, rect: Rect, scene: &mut Scene) -> Result<(), RenderError> {
        let Context { assets, settings, work, window, offscreen, current, .. } = self;
        let Some(assets) = assets else { return Ok(()) };
        let buffer = match current {
            Framebuffer::Window => window,
            Framebuffer::Offscreen => offscreen,
        };
        frame::render(rect, scene, assets, settings, work, buffer)?;
        Ok(())
    }

    /// Copies pixels out, rows from the bottom (MuJoCo's `mjr_readPixels`).
    pub fn read_pixels(
        &self,
        rect: Rect,
        rgb: Option<&mut [u8]>,
        mut depth: Option<&mut [f32]>,
    ) -> Result<(), RenderError> {
        let pixels = rect.width.max(0) as usize * rect.height.max(0) as usize;
        let check = |what: &'static str, expected: usize, found: Option<usize>| match found {
            Some(found) if found != expected => Err(RenderError::Length { what, expected, found }),
            _ => Ok(()),
        };
        check("rgb", 3 * pixels, rgb.as_ref().map(|x| x.len()))?;
        check("depth", pixels, depth.as_ref().map(|x| x.len()))?;
        self.buffer().read(rect, rgb, depth.as_deref_mut());
        if let Some(depth) = depth.filter(|_| self.depth_map == DepthMap::ZeroNear) {
            depth.iter_mut().for_each(|z| *z = (1.0 - f64::from(*z)) as f32);
        }
        Ok(())
    }

    /// Takes over a mesh of the model that has changed (MuJoCo's `mjr_uploadMesh`).
    pub fn upload_mesh(&mut self, m: &Model, id: usize) -> Result<(), RenderError> {
        self.assets.as_mut().map_or(Ok(()), |assets| assets.upload_mesh(m, id))
    }

    /// Takes over a height field of the model that has changed (MuJoCo's `mjr_uploadHField`).
    pub fn upload_hfield(&mut self, m: &Model, id: usize) -> Result<(), RenderError> {
        self.assets.as_mut().map_or(Ok(()), |assets| assets.upload_hfield(m, id))
    }

    /// Takes over a texture of the model that has changed (MuJoCo's `mjr_uploadTexture`).
    pub fn upload_texture(&mut self, m: &Model, id: usize) -> Result<(), RenderError> {
        self.assets.as_mut().map_or(Ok(()), |assets| assets.upload_texture(m, id))
    }
}
