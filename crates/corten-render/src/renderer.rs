//! Pictures of simulations in one object.

use corten_scene::{Camera, Category, RenderFlag, Scene, SceneError, VisOption, update_scene};
use corten_sim::{Data, Model};
use thiserror::Error;

use crate::buffer::Rect;
use crate::context::{Context, DepthMap, Framebuffer};
use crate::error::RenderError;

/// A picture: colours of pixels, rows from the top.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Image {
    /// Columns.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// Red, green and blue of each pixel.
    pub rgb: Vec<u8>,
}

/// Why there is no picture.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum PictureError {
    /// The state cannot be shown.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// The scene cannot be drawn.
    #[error(transparent)]
    Render(#[from] RenderError),
}

/// Most geoms of a scene, as in MuJoCo's class of that name.
const MAX_GEOM: usize = 10_000;

/// Draws states of a model.
///
/// ```
/// # use corten_render::Renderer;
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let text = r#"<mujoco><worldbody><geom size="1" rgba="1 0 0 1"/></worldbody></mujoco>"#;
/// # let model = corten::load_model(text)?;
/// # let mut data = model.make_data();
/// # data.forward(&model)?;
/// let mut renderer = Renderer::new(&model, 64, 48)?;
/// renderer.update(&model, &data, None)?;
/// let picture = renderer.rgb()?;
/// let center = 3 * (24 * 64 + 32);
/// assert!(picture.rgb[center] > picture.rgb[center + 1]);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Renderer {
    context: Context,
    rect: Rect,
    /// What the next picture shows.
    pub scene: Scene,
    /// What becomes part of it.
    pub option: VisOption,
}

impl Renderer {
    /// For pictures of this size, in pixels.
    pub fn new(m: &Model, width: usize, height: usize) -> Result<Renderer, PictureError> {
        let size = |n: usize| i32::try_from(n).unwrap_or(i32::MAX);
        let rect = Rect::of_size(size(width), size(height));
        let mut context = Context::new(m)?;
        context.resize(rect.width, rect.height)?;
        context.current = Framebuffer::Offscreen;
        context.depth_map = DepthMap::ZeroFar;
        Ok(Renderer { context, rect, scene: Scene::new(m, MAX_GEOM), option: VisOption::default() })
    }

    /// The context that draws.
    pub fn context(&mut self) -> &mut Context {
        &mut self.context
    }

    /// Takes a state into the scene, as seen by a camera; without one, by the model's free camera.
    pub fn update(
        &mut self,
        m: &Model,
        d: &Data,
        camera: Option<Camera>,
    ) -> Result<(), PictureError> {
        let mut camera = camera.unwrap_or_else(|| Camera::free(m));
        let all = Category::All.raw();
        update_scene(m, d, &self.option, None, Some(&mut camera), all, &mut self.scene)?;
        Ok(())
    }

    /// The scene in colours.
    pub fn rgb(&mut self) -> Result<Image, PictureError> {
        self.context.render(self.rect, &mut self.scene)?;
        let mut image = self.blank();
        self.context.read_pixels(self.rect, Some(&mut image.rgb), None)?;
        flip(&mut image.rgb, 3 * image.width);
        Ok(image)
    }

    /// Distances from the camera along its axis, rows from the top; infinite where there is nothing.
    pub fn depth(&mut self) -> Result<Vec<f32>, PictureError> {
        self.segmented()?;
        let camera = self.scene.camera[0];
        let (near, far) = (f64::from(camera.frustum_near), f64::from(camera.frustum_far));
        let mut depth = vec![0.0; self.pixels()];
        self.context.read_pixels(self.rect, None, Some(&mut depth))?;
        for z in depth.iter_mut() {
            let share = f64::from(*z);
            *z = match (share > 0.0, camera.orthographic != 0) {
                (false, _) => f32::INFINITY,
                (true, true) => (far - share * (far - near)) as f32,
                (true, false) => (near * far / (near + share * (far - near))) as f32,
            };
        }
        flip(&mut depth, self.rect.width as usize);
        Ok(depth)
    }

    /// Object id and type of each pixel, rows from the top; −1 where there is nothing.
    pub fn segmentation(&mut self) -> Result<Vec<[i32; 2]>, PictureError> {
        self.segmented()?;
        let mut image = self.blank();
        self.context.read_pixels(self.rect, Some(&mut image.rgb), None)?;
        flip(&mut image.rgb, 3 * image.width);
        let most = self.scene.geoms.iter().map(|geom| geom.segid).max().unwrap_or(-1);
        let mut table = vec![[-1; 2]; usize::try_from(most + 2).unwrap_or(0)];
        for geom in self.scene.geoms.iter().filter(|geom| geom.segid >= 0) {
            table[geom.segid as usize + 1] = [geom.objid, geom.objtype];
        }
        let id = |p: &[u8]| usize::from(p[0]) | usize::from(p[1]) << 8 | usize::from(p[2]) << 16;
        let ids = image.rgb.chunks_exact(3).map(id);
        Ok(ids.map(|id| table.get(id).copied().unwrap_or([-1; 2])).collect())
    }

    /// Draws numbers of geoms in place of colours.
    fn segmented(&mut self) -> Result<(), PictureError> {
        let flags = self.scene.flags;
        self.scene.flags[RenderFlag::Segment as usize] = 1;
        self.scene.flags[RenderFlag::IdColor as usize] = 1;
        let done = self.context.render(self.rect, &mut self.scene);
        self.scene.flags = flags;
        Ok(done?)
    }

    fn pixels(&self) -> usize {
        self.rect.width as usize * self.rect.height as usize
    }

    fn blank(&self) -> Image {
        Image {
            width: self.rect.width as usize,
            height: self.rect.height as usize,
            rgb: vec![0; 3 * self.pixels()],
        }
    }
}

/// Reverses the order of rows.
fn flip<T>(pixels: &mut [T], width: usize) {
    if width == 0 {
        return;
    }
    let rows = pixels.len() / width;
    for y in 0..rows / 2 {
        let (low, high) = pixels.split_at_mut((rows - 1 - y) * width);
        low[y * width..(y + 1) * width].swap_with_slice(&mut high[..width]);
    }
}
