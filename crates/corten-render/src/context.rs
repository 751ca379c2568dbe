//! What a model contributes to pictures, and the images to draw into.

use corten_scene::{Figure, Scene};
use corten_sim::Model;

use crate::assets::Assets;
use crate::buffer::{Buffer, Rect};
use crate::error::RenderError;
use crate::figure;
use crate::frame::{self, Settings, Workspace};
use crate::overlay::{FontKind, Fonts, GridPos};

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

/// Number of further images (MuJoCo's `mjNAUX`).
pub const AUX: usize = 10;

/// Everything that is needed to draw scenes of a model (MuJoCo's `mjrContext`).
#[derive(Debug)]
pub struct Context {
    assets: Option<Assets>,
    settings: Settings,
    work: Workspace,
    window: Buffer,
    offscreen: Buffer,
    aux: [Option<Buffer>; AUX],
    /// The further image that is drawn into for the moment.
    detour: Option<usize>,
    fonts: Fonts,
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
            aux: [const { None }; AUX],
            detour: None,
            fonts: Fonts::new(150),
            current: Framebuffer::Window,
            depth_map: DepthMap::ZeroNear,
        })
    }

    /// Changes the size of the offscreen image (MuJoCo's `mjr_resizeOffscreen`).
    pub fn resize(&mut self, width: i32, height: i32) -> Result<(), RenderError> {
        if [width, height] != [self.offscreen.width as i32, self.offscreen.height as i32] {
            self.offscreen = Buffer::new(width, height)?;
        }
        Ok(())
    }

    /// Width and height of the offscreen image.
    pub fn offscreen_size(&self) -> [i32; 2] {
        [self.offscreen.width as i32, self.offscreen.height as i32]
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
        if let Some(aux) = self.detour.and_then(|i| self.aux[i].as_ref()) {
            return aux;
        }
        match self.current {
            Framebuffer::Window => &self.window,
            Framebuffer::Offscreen => &self.offscreen,
        }
    }

    /// Draws a scene (MuJoCo's `mjr_render`). As there, the scene's geoms learn whether they are
    /// translucent and how far away they are, and all mirrors but the first lose their reflectance.
    pub fn render(&mut self, rect: Rect, scene: &mut Scene) -> Result<(), RenderError> {
        let Context {
            assets, settings, work, window, offscreen, aux, detour, current, fonts, ..
        } = self;
        let Some(assets) = assets else { return Ok(()) };
        let aux = detour.and_then(|i| aux[i].as_mut());
        let buffer = aux.unwrap_or(match current {
            Framebuffer::Window => window,
            Framebuffer::Offscreen => offscreen,
        });
        for label in frame::render(rect, scene, assets, settings, work, buffer)? {
            let place = [rect.left + label.x as i32, rect.bottom + label.y as i32];
            let text = scene.geoms[label.geom].label_text();
            fonts.write(buffer, FontKind::Shadow, rect, place, text, [1.0; 3]);
        }
        Ok(())
    }

    /// The current image, and the letters to write into it.
    fn canvas(&mut self) -> (&mut Buffer, &Fonts) {
        let aux = self.detour.and_then(|i| self.aux[i].as_mut());
        let buffer = aux.unwrap_or(match self.current {
            Framebuffer::Window => &mut self.window,
            Framebuffer::Offscreen => &mut self.offscreen,
        });
        (buffer, &self.fonts)
    }

    /// Adds a further image, in place of what had its number; an empty one is no image (MuJoCo's
    /// `mjr_addAux`).
    pub fn add_aux(&mut self, index: usize, width: i32, height: i32) -> Result<(), RenderError> {
        let slot = self.aux.get_mut(index);
        let slot = slot.ok_or(RenderError::Index { kind: "aux buffer", id: index })?;
        let image = Buffer::new(width, height)?;
        *slot = (width > 0 && height > 0).then_some(image);
        Ok(())
    }

    /// Draws into a further image until [`restore`](Self::restore) (MuJoCo's `mjr_setAux`).
    pub fn set_aux(&mut self, index: usize) -> Result<(), RenderError> {
        if !self.aux.get(index).is_some_and(Option::is_some) {
            return Err(RenderError::Index { kind: "aux buffer", id: index });
        }
        self.detour = Some(index);
        Ok(())
    }

    /// Draws into the current image again (MuJoCo's `mjr_restoreBuffer`).
    pub fn restore(&mut self) {
        self.detour = None;
    }

    /// Copies a rectangle of a further image to a place of the current one (MuJoCo's
    /// `mjr_blitAux`).
    pub fn blit_aux(
        &mut self,
        index: usize,
        from: Rect,
        left: i32,
        bottom: i32,
    ) -> Result<(), RenderError> {
        self.detour = None;
        let Context { aux, window, offscreen, current, .. } = self;
        let aux = aux.get(index).ok_or(RenderError::Index { kind: "aux buffer", id: index })?;
        let target = match current {
            Framebuffer::Window => window,
            Framebuffer::Offscreen => offscreen,
        };
        if let Some(aux) = aux.as_ref().filter(|_| !from.is_empty()) {
            target.stretch(aux, from, Rect { left, bottom, ..from }, true, false);
        }
        Ok(())
    }

    /// Changes the size of letters, in percent: 100, 150, 200, 250 or 300, or the nearest of them
    /// (MuJoCo's `mjr_changeFont`).
    pub fn change_font(&mut self, scale: i32) {
        self.fonts = Fonts::new(scale);
    }

    /// Size of letters in percent.
    pub fn font_scale(&self) -> i32 {
        self.fonts.scale
    }

    /// Height of lines, and widths of characters from code 0 to 126.
    pub fn font_metrics(&self, font: FontKind) -> (i32, [i32; 127]) {
        let font = self.fonts.of(font);
        (font.height, font.width)
    }

    /// Writes text; `x` and `y` are shares of the current image's size (MuJoCo's `mjr_text`).
    pub fn text(&mut self, font: FontKind, text: &str, x: f32, y: f32, rgb: [f32; 3]) {
        let rect = self.max_viewport();
        let (buffer, fonts) = self.canvas();
        let place = [(x * rect.width as f32) as i32, (y * rect.height as f32) as i32];
        fonts.write(buffer, font, rect, place, text, rgb);
    }

    /// Lays text in one or two columns over a rectangle (MuJoCo's `mjr_overlay`).
    pub fn overlay(&mut self, font: FontKind, at: GridPos, rect: Rect, first: &str, second: &str) {
        let (buffer, fonts) = self.canvas();
        fonts.overlay(buffer, font, at, rect, first, second);
    }

    /// Lays a colour over a rectangle (MuJoCo's `mjr_rectangle`).
    pub fn rectangle(&mut self, rect: Rect, [r, g, b, a]: [f32; 4]) {
        self.canvas().0.paint(rect, [r, g, b], a);
    }

    /// A rectangle with text in its middle (MuJoCo's `mjr_label`).
    pub fn label(&mut self, rect: Rect, font: FontKind, text: &str, rgba: [f32; 4], rgb: [f32; 3]) {
        let (buffer, fonts) = self.canvas();
        fonts.label(buffer, font, rect, text, rgba, rgb);
    }

    /// Draws a plot, and notes in it where its axes are (MuJoCo's `mjr_figure`).
    pub fn figure(&mut self, rect: Rect, figure: &mut Figure) {
        let (buffer, fonts) = self.canvas();
        figure::draw(rect, figure, fonts, buffer);
    }

    /// Copies pixels in, rows from the bottom (MuJoCo's `mjr_drawPixels`).
    pub fn draw_pixels(
        &mut self,
        rect: Rect,
        rgb: Option<&[u8]>,
        depth: Option<&[f32]>,
    ) -> Result<(), RenderError> {
        check_lengths(rect, rgb.map(<[u8]>::len), depth.map(<[f32]>::len))?;
        self.canvas().0.write(rect, rgb, depth);
        Ok(())
    }

    /// Copies a rectangle of the current image to one of the other (MuJoCo's `mjr_blitBuffer`).
    pub fn blit(&mut self, from: Rect, to: Rect, colour: bool, depth: bool) {
        if from.is_empty() || to.is_empty() {
            return;
        }
        let Context { window, offscreen, current, .. } = self;
        match current {
            Framebuffer::Window => offscreen.stretch(window, from, to, colour, depth),
            Framebuffer::Offscreen => window.stretch(offscreen, from, to, colour, depth),
        }
    }

    /// Parameters that follow from the model.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The same, to be changed.
    pub fn settings_mut(&mut self) -> &mut Settings {
        &mut self.settings
    }

    /// Copies pixels out, rows from the bottom (MuJoCo's `mjr_readPixels`).
    pub fn read_pixels(
        &self,
        rect: Rect,
        rgb: Option<&mut [u8]>,
        mut depth: Option<&mut [f32]>,
    ) -> Result<(), RenderError> {
        check_lengths(rect, rgb.as_ref().map(|x| x.len()), depth.as_ref().map(|x| x.len()))?;
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

/// Whether arrays have room for the pixels of a rectangle.
fn check_lengths(rect: Rect, rgb: Option<usize>, depth: Option<usize>) -> Result<(), RenderError> {
    let pixels = rect.width.max(0) as usize * rect.height.max(0) as usize;
    let check = |what: &'static str, expected: usize, found: Option<usize>| match found {
        Some(found) if found != expected => Err(RenderError::Length { what, expected, found }),
        _ => Ok(()),
    };
    check("rgb", 3 * pixels, rgb)?;
    check("depth", pixels, depth)
}
