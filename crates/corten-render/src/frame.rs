//! A picture of a scene, pass by pass: what mirrors show, shadows, what is opaque, the sky, what is
//! translucent, labels.

use corten_model::enums::{GeomType, LightType, ObjType};
use corten_scene::{Geom, GlCamera, Light, RenderFlag, Scene, Stereo};

use crate::assemble::{Assembler, Deformed, Purpose, is_behind};
use crate::assets::Assets;
use crate::buffer::{Buffer, Rect, pack};
use crate::camera::{average, eye_of, head_position, projection_of};
use crate::draw::{CENTER, Cull, Draw, Mapping, Paint, View, sample_positions};
use crate::error::RenderError;
use crate::geometry::{Chunk, TILE_H};
use crate::light::{EyeLight, Lights, Material};
use crate::linear::{Mat4, V3, orthogonal, transform};
use crate::parallel::{self, Job, share};
use crate::pass::{Blend, Pass, Tile, bases, divide, fill_chunks};
use crate::shade::{Fog, Shader};
use crate::shadow::{ShadowMap, view_of};

/// Parameters of pictures that follow from the model.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// Width of lines in pixels.
    pub line_width: f32,
    /// Half the width of what a directional light casts shadows in.
    pub shadow_clip: f32,
    /// Share of a spotlight's cone in which it casts shadows.
    pub shadow_scale: f32,
    /// Most texels of a shadow map in each direction; zero: no shadows.
    pub shadow_size: i32,
    /// Where fog begins.
    pub fog_start: f32,
    /// Where nothing is seen through it.
    pub fog_end: f32,
    /// Its colour.
    pub fog_rgb: [f32; 3],
    /// Samples per pixel: 1, 2, 4 or 8; others count as the next lower one.
    pub samples: i32,
    /// Threads that draw; zero: one per core. Pictures do not depend on it.
    pub threads: usize,
}

/// Memory that is kept from picture to picture.
#[derive(Debug, Default)]
pub(crate) struct Workspace {
    /// Triangles of the picture, and of what a mirror shows.
    seen: Chunks,
    reflected: Chunks,
    /// Of each light with shadows: triangles and depths.
    cast: Vec<Vec<Chunk>>,
    shadows: Vec<ShadowMap>,
    /// One per thread.
    tiles: Vec<Tile>,
    /// What a mirror shows, row by row: reds, greens, blues.
    mirrored: Vec<f32>,
    /// The picture, before it goes to its place.
    image: Buffer,
}

/// Triangles of a pass.
#[derive(Debug, Default)]
struct Chunks {
    opaque: Vec<Chunk>,
    translucent: Vec<Chunk>,
}

/// A label and where it is in the image.
pub(crate) struct PlacedLabel {
    pub geom: usize,
    pub x: f32,
    pub y: f32,
}

/// Draws a scene into a rectangle of a buffer; gives the labels that are to be written over it.
pub(crate) fn render(
    rect: Rect,
    scene: &mut Scene,
    assets: &Assets,
    settings: &Settings,
    work: &mut Workspace,
    buffer: &mut Buffer,
) -> Result<Vec<PlacedLabel>, RenderError> {
    if rect.is_empty() {
        return Ok(Vec::new());
    }
    if rect.width.max(rect.height) > crate::MAX_SIZE {
        return Err(RenderError::TooLarge { width: rect.width.into(), height: rect.height.into() });
    }
    let camera = average(&scene.camera[0], &scene.camera[1])?;
    if !(camera.frustum_near >= 1e-15) {
        return if scene.geoms.is_empty() { Ok(Vec::new()) } else { Err(RenderError::NoFrustum) };
    }
    let head = head_position(scene);
    sort_translucent(scene, head);
    allow_one_mirror(scene);
    let side_by_side = scene.stereo != Stereo::None.raw();
    if side_by_side {
        // Two images of one width may leave a column.
        let blank = Buffer::of(rect);
        buffer.write(rect, Some(&blank.rgb), Some(&blank.depth));
    }
    let mut labels = Vec::new();
    let views = if side_by_side { vec![Some(0), Some(1)] } else { vec![None] };
    let deformed = Deformed::new(scene, assets);
    for (i, eye) in views.into_iter().enumerate() {
        let width = if side_by_side { rect.width / 2 } else { rect.width };
        let part = Rect { left: rect.left + i as i32 * width, width, ..rect };
        if part.is_empty() {
            continue;
        }
        let camera = eye.map_or(camera, |eye: usize| scene.camera[eye]);
        let assembler =
            Assembler { assets, scene, deformed: &deformed, head, line_width: settings.line_width };
        let frame =
            Frame { assembler, settings, camera, threads: parallel::number(settings.threads) };
        let offset = part.left - rect.left;
        labels.extend(frame.draw(part, work, buffer).into_iter().map(|mut label| {
            label.x += offset as f32;
            label
        }));
    }
    outline(rect, scene, buffer);
    Ok(labels)
}

/// Marks translucent geoms and orders them by their distance from the eye.
fn sort_translucent(scene: &mut Scene, head: V3) {
    scene.geomorder.clear();
    for (i, geom) in scene.geoms.iter_mut().enumerate() {
        let is_plane = geom.kind == GeomType::Plane.raw();
        // The constant is in double precision, as the comparison is in MuJoCo.
        let translucent = f64::from(geom.rgba[3]) < 0.995 || (is_plane && is_behind(head, geom));
        geom.transparent = translucent.into();
        if translucent {
            scene.geomorder.push(i as i32);
            let way = [0, 1, 2].map(|k| geom.pos[k] - head[k]);
            let distance = (way[0] * way[0] + way[1] * way[1] + way[2] * way[2]).sqrt();
            geom.camdist = if is_plane { 1e10 } else { distance - bound(geom) };
        }
    }
    let geoms = &scene.geoms;
    scene.geomorder.sort_by(|&i, &j| {
        let distance = |k: i32| geoms[k as usize].camdist;
        distance(i).total_cmp(&distance(j))
    });
}

/// Radius of a sphere around a geom.
fn bound(geom: &Geom) -> f32 {
    let [x, y, z] = geom.size;
    if geom.objtype == ObjType::Geom.raw() {
        return geom.modelrbound;
    }
    match GeomType::from_raw(geom.kind) {
        Some(GeomType::Sphere) => x,
        Some(GeomType::Capsule) => x + z,
        Some(GeomType::Cylinder) => (x * x + z * z).sqrt(),
        Some(GeomType::Box) => (x * x + y * y + z * z).sqrt(),
        _ => x.max(y).max(z),
    }
}

fn is_mirror(geom: &Geom) -> bool {
    let flat = [GeomType::Plane.raw(), GeomType::Box.raw()].contains(&geom.kind);
    flat && geom.transparent == 0 && geom.reflectance > 0.0
}

/// Only the first mirror stays one.
fn allow_one_mirror(scene: &mut Scene) {
    let first = scene.geoms.iter().position(is_mirror).unwrap_or(scene.geoms.len());
    scene.geoms.iter_mut().skip(first + 1).for_each(|geom| geom.reflectance = 0.0);
}

/// The frame around the image.
fn outline(rect: Rect, scene: &Scene, buffer: &mut Buffer) {
    let width = scene.framewidth;
    if width <= 0 {
        return;
    }
    let Rect { left, bottom, .. } = rect;
    let edges = [
        Rect { height: width, ..rect },
        Rect { bottom: bottom + rect.height - width, height: width, ..rect },
        Rect { width, ..rect },
        Rect { left: left + rect.width - width, width, ..rect },
    ];
    for edge in edges {
        buffer.paint(edge, scene.framergb, 1.0);
    }
}

/// What a pass draws, in order.
#[derive(Default)]
struct Layers<'a> {
    draws: Vec<Draw<'a>>,
    /// Number of draws that are opaque; they come first.
    solid: usize,
    /// Where the draws of each translucent thing end.
    ends: Vec<usize>,
    /// Translucent things in the order of drawing, some of them twice.
    order: Vec<(usize, Blend)>,
}

/// A view, and what is drawn in it.
struct Stage<'a> {
    view: View,
    layers: Layers<'a>,
}

impl Stage<'_> {
    /// Jobs that make its triangles.
    fn fill<'b>(
        &'b self,
        chunks: &'b mut Chunks,
        threads: usize,
    ) -> impl Iterator<Item = Job<'b, Tile>> {
        let Layers { draws, solid, ends, .. } = &self.layers;
        let starts = std::iter::once(solid).chain(ends);
        let groups = starts.zip(ends).map(|(&start, &end)| start..end).collect();
        let opaque = divide(&draws[..*solid], threads);
        fill_chunks(&mut chunks.opaque, opaque, draws, &self.view).chain(fill_chunks(
            &mut chunks.translucent,
            groups,
            draws,
            &self.view,
        ))
    }
}

/// One image of a scene.
struct Frame<'a> {
    assembler: Assembler<'a>,
    settings: &'a Settings,
    camera: GlCamera,
    threads: usize,
}

impl<'a> Frame<'a> {
    fn draw(&self, rect: Rect, work: &mut Workspace, buffer: &mut Buffer) -> Vec<PlacedLabel> {
        let scene = self.assembler.scene;
        let segments = scene.has(RenderFlag::Segment);
        let mut view = View {
            eye: eye_of(&self.camera, scene),
            projection: projection_of(&self.camera, rect),
            width: rect.width as usize,
            height: rect.height as usize,
            samples: if segments { CENTER } else { sample_positions(self.settings.samples) },
            mirrored: false,
            clip: None,
            lights: Lights::default(),
            shaded: true,
        };
        if segments {
            let stage = Stage { view, layers: self.segments() };
            self.show(&stage, &[], None, rect, work, buffer);
            return Vec::new();
        }
        let mirror = scene.geoms.iter().position(is_mirror);
        let reflection = match mirror {
            Some(i) if scene.has(RenderFlag::Reflection) => self.reflection(i, &view),
            _ => None,
        };
        let casting = self.casting();
        view.lights = self.lights(&view.eye, &casting);
        let layers = self.layers(mirror, reflection.is_some());
        let lights = self.light_views(&casting, rect);
        self.show(&Stage { view, layers }, &lights, reflection.as_ref(), rect, work, buffer)
    }

    /// Draws a stage into a rectangle of the buffer, with the shadows of lights and what a mirror
    /// shows: first all triangles, then what pixels depend on, then pixels.
    fn show(
        &self,
        stage: &Stage,
        lights: &[View],
        reflection: Option<&Stage>,
        rect: Rect,
        work: &mut Workspace,
        buffer: &mut Buffer,
    ) -> Vec<PlacedLabel> {
        let Workspace { seen, reflected, cast, shadows, tiles, mirrored, image } = work;
        let casters = if lights.is_empty() { Vec::new() } else { self.casters() };
        cast.resize_with(lights.len().max(cast.len()), Vec::new);
        shadows.resize_with(lights.len().max(shadows.len()), ShadowMap::default);
        let mut jobs: Vec<_> = stage.fill(seen, self.threads).collect();
        if let Some(stage) = reflection {
            jobs.extend(stage.fill(reflected, self.threads));
        }
        for (view, chunks) in lights.iter().zip(&mut *cast) {
            jobs.extend(fill_chunks(chunks, divide(&casters, self.threads), &casters, view));
        }
        share(self.threads, tiles, jobs);

        let pass = reflection.map(|stage| self.pass(stage, reflected, &[], None));
        let mut jobs = Vec::new();
        for ((view, chunks), map) in lights.iter().zip(cast).zip(&mut *shadows) {
            jobs.extend(map.update(chunks, view));
        }
        if let Some(pass) = &pass {
            let View { width, height, .. } = *pass.shader.view;
            mirrored.resize(3 * width * height, 0.0);
            for (band, out) in mirrored.chunks_mut(3 * TILE_H * width).enumerate() {
                jobs.push(Box::new(move |tile| {
                    pass.band(tile, band, |y, x, colours, _| {
                        for (k, colours) in colours.into_iter().enumerate() {
                            let row = &mut out[(3 * y + k) * width + x..];
                            row[..colours.len()].copy_from_slice(colours);
                        }
                    });
                }));
            }
        }
        share(self.threads, tiles, jobs);

        let mirrored = reflection.map(|_| &mirrored[..]);
        let pass = &self.pass(stage, seen, &shadows[..lights.len()], mirrored);
        image.fit(rect);
        let width = image.width;
        let bands = image.rgb.chunks_mut(3 * TILE_H * width);
        let bands = bands.zip(image.depth.chunks_mut(TILE_H * width)).enumerate();
        let jobs = bands.map(|(band, (rgb, depth))| -> Job<Tile> {
            Box::new(move |tile| {
                pass.band(tile, band, |y, x, colours, depths| {
                    let start = y * width + x;
                    let pixels = rgb[3 * start..3 * (start + depths.len())].as_chunks_mut().0;
                    pack(colours, pixels);
                    depth[start..start + depths.len()].copy_from_slice(depths);
                });
            })
        });
        share(self.threads, tiles, jobs.collect());
        buffer.write(rect, Some(&image.rgb), Some(&image.depth));
        labels(self.assembler.scene, &stage.view)
    }

    /// All that pixels of a stage depend on.
    fn pass<'b>(
        &self,
        stage: &'b Stage,
        chunks: &'b Chunks,
        shadows: &'b [ShadowMap],
        mirrored: Option<&'b [f32]>,
    ) -> Pass<'b> {
        let Stage { view, layers } = stage;
        let fog = self.assembler.scene.has(RenderFlag::Fog).then_some(Fog {
            start: self.settings.fog_start,
            end: self.settings.fog_end,
            rgb: self.settings.fog_rgb,
        });
        Pass {
            shader: Shader {
                view,
                draws: &layers.draws,
                fog: fog.filter(|_| view.samples.len() > 1 || !self.is_segmentation()),
                shadows,
                depth_row: view.eye.rows()[2],
            },
            opaque: &chunks.opaque,
            bases: bases(&chunks.opaque),
            translucent: &chunks.translucent,
            order: &layers.order,
            mirrored,
        }
    }

    fn is_segmentation(&self) -> bool {
        self.assembler.scene.has(RenderFlag::Segment)
    }

    /// Geoms in colours that stand for them.
    fn segments(&self) -> Layers<'a> {
        let mut layers = Layers::default();
        for geom in self.assembler.scene.geoms.iter().filter(|geom| geom.segid >= 0) {
            self.assembler.add(geom, Purpose::Segment, &mut layers.draws);
        }
        layers.solid = layers.draws.len();
        layers
    }

    /// Everything that is seen directly.
    fn layers(&self, mirror: Option<usize>, reflects: bool) -> Layers<'a> {
        let scene = self.assembler.scene;
        let mut layers = Layers::default();
        if let Some(i) = mirror {
            self.add_mirror(&scene.geoms[i], reflects, &mut layers.draws);
        }
        for (i, geom) in scene.geoms.iter().enumerate() {
            if geom.transparent == 0 && Some(i) != mirror {
                self.assembler.add(geom, Purpose::Colour(1.0), &mut layers.draws);
            }
        }
        let sky = self.sky();
        layers.draws.extend(sky.iter().cloned());
        layers.solid = layers.draws.len();
        if let Some(haze) = sky.and_then(|sky| self.haze(&sky.model)) {
            layers.draws.push(haze);
            layers.ends.push(layers.draws.len());
            layers.order.push((0, Blend::Over));
        }
        self.add_translucent(None, 1.0, &mut layers);
        layers
    }

    /// The mirror itself; of a box, the face towards z shows the mirrored scene.
    fn add_mirror(&self, geom: &Geom, reflects: bool, draws: &mut Vec<Draw<'a>>) {
        let start = draws.len();
        self.assembler.add(geom, Purpose::Colour(1.0), draws);
        if !reflects {
            return;
        }
        let shapes = &self.assembler.assets.shapes;
        if let Some(cube) = draws[start..].last_mut().filter(|_| geom.kind == GeomType::Box.raw()) {
            cube.mesh = &shapes.cube_rest;
            let top = Draw { mesh: &shapes.cube_top, ..cube.clone() };
            draws.push(top);
        }
        draws.last_mut().into_iter().for_each(|draw| draw.mirror = true);
    }

    /// Translucent geoms, nearest first, then once more from the farthest, so that what is behind
    /// another is not lost.
    fn add_translucent(&self, except: Option<usize>, factor: f32, layers: &mut Layers<'a>) {
        let scene = self.assembler.scene;
        let additive = scene.has(RenderFlag::Additive);
        let blend = if additive { Blend::Add } else { Blend::Over };
        let first = layers.ends.len();
        for &i in scene.geomorder.iter().filter(|&&i| Some(i as usize) != except) {
            let geom = &scene.geoms[i as usize];
            self.assembler.add(geom, Purpose::Colour(factor), &mut layers.draws);
            layers.ends.push(layers.draws.len());
        }
        let numbers = first..layers.ends.len();
        layers.order.extend(numbers.clone().map(|i| (i, blend)));
        if !additive {
            layers.order.extend(numbers.rev().map(|i| (i, blend)));
        }
    }

    /// What a mirror shows; nothing if it is seen from behind.
    fn reflection(&self, number: usize, view: &View) -> Option<Stage<'a>> {
        let scene = self.assembler.scene;
        let mut mirror = scene.geoms[number];
        let axis = [mirror.mat[2], mirror.mat[5], mirror.mat[8]];
        if mirror.kind == GeomType::Box.raw() {
            for k in 0..3 {
                mirror.pos[k] += mirror.size[2] * axis[k];
            }
        }
        if is_behind(self.assembler.head, &mirror) {
            return None;
        }
        let reflection = Mat4::reflection(mirror.pos, axis);
        let eye = view.eye.times(&reflection);
        let distance = -(0..3).map(|k| mirror.pos[k] * axis[k]).sum::<f32>();
        let view = View {
            lights: self.lights(&eye, &[]),
            eye,
            mirrored: true,
            // In front of the mirror, before it is mirrored.
            clip: Some([axis[0], axis[1], axis[2], distance]),
            ..view.clone()
        };
        let mut layers = Layers::default();
        for (i, geom) in scene.geoms.iter().enumerate() {
            if geom.transparent == 0 && i != number {
                self.assembler.add(geom, Purpose::Colour(mirror.reflectance), &mut layers.draws);
            }
        }
        layers.solid = layers.draws.len();
        self.add_translucent(Some(number), mirror.reflectance, &mut layers);
        Some(Stage { view, layers })
    }

    /// Numbers of lights that cast shadows.
    fn casting(&self) -> Vec<usize> {
        let scene = self.assembler.scene;
        if !scene.has(RenderFlag::Shadow) || self.settings.shadow_size <= 0 {
            return Vec::new();
        }
        (0..scene.lights.len()).filter(|&i| scene.lights[i].castshadow != 0).collect()
    }

    fn lights(&self, eye: &Mat4, casting: &[usize]) -> Lights {
        let lights = &self.assembler.scene.lights;
        let number = |i: usize| casting.iter().position(|&k| k == i);
        Lights {
            lights: lights
                .iter()
                .enumerate()
                .map(|(i, light)| EyeLight::new(light, eye, number(i)))
                .collect(),
            ambient: if lights.is_empty() { 0.3 } else { 0.0 },
            shadows: casting.len(),
        }
    }

    /// What casts shadows.
    fn casters(&self) -> Vec<Draw<'a>> {
        let mut draws = Vec::new();
        for geom in &self.assembler.scene.geoms {
            self.assembler.add(geom, Purpose::Shadow, &mut draws);
        }
        for draw in &mut draws {
            draw.cull = if draw.mesh.closed { Cull::Back } else { Cull::None };
        }
        draws
    }

    /// Views from lights that cast shadows. A map is no finer than the image can show.
    fn light_views(&self, casting: &[usize], rect: Rect) -> Vec<View> {
        let visible = 1 << (rect.width.max(rect.height) as usize).ilog2().clamp(7, 11);
        let size = visible.min(self.settings.shadow_size.max(8) as usize);
        let view = |&i: &usize| {
            let light = &self.assembler.scene.lights[i];
            let eye = Mat4::look(light.pos, light.dir, orthogonal(light.dir));
            view_of(eye, self.light_projection(light), size)
        };
        casting.iter().map(view).collect()
    }

    fn light_projection(&self, light: &Light) -> Mat4 {
        let (near, far) = (self.camera.frustum_near as f64, self.camera.frustum_far as f64);
        if light.kind == LightType::Directional.raw() {
            let clip = self.settings.shadow_clip as f64;
            return Mat4::parallel([-clip, clip], [-clip, clip], near, far);
        }
        let angle = (2.0 * light.cutoff as f64 * self.settings.shadow_scale as f64).min(160.0);
        let half = (0.5 * angle).to_radians().tan() * near;
        Mat4::frustum([-half, half], [-half, half], near, far)
    }

    /// The sky: a cylinder around the eye, seen from inside.
    fn sky(&self) -> Option<Draw<'a>> {
        let Assembler { assets, scene, head, .. } = self.assembler;
        if !scene.has(RenderFlag::Skybox) {
            return None;
        }
        let texture = assets.textures.get(assets.sky?)?;
        // Just below 1/√2, so that no corner is beyond the far plane.
        let mut radius = self.camera.frustum_far * 0.70;
        if scene.enabletransform != 0 {
            radius /= scene.scale;
        }
        Some(Draw {
            mesh: &assets.shapes.cylinder,
            model: Mat4::translation(head).scaled([radius; 3]),
            material: Material { rgb: [1.0; 3], emission: 0.0, specular: 0.0, shininess: 0.0 },
            alpha: 1.0,
            lit: false,
            paint: Some(Paint { texture, mapping: Mapping::Sky }),
            cull: if scene.has(RenderFlag::CullFace) { Cull::Front } else { Cull::None },
            wires: None,
            mirror: false,
        })
    }

    /// Haze between the first infinite plane and the sky.
    fn haze(&self, sky: &Mat4) -> Option<Draw<'a>> {
        let Assembler { assets, scene, head, .. } = self.assembler;
        if !scene.has(RenderFlag::Haze) {
            return None;
        }
        let infinite =
            |g: &&Geom| g.kind == GeomType::Plane.raw() && g.size[0] == 0.0 && g.size[1] == 0.0;
        let plane = scene.geoms.iter().find(infinite)?;
        let radius = sky.0[0][0] as f32;
        let axis = [plane.mat[2], plane.mat[5], plane.mat[8]];
        let height = (0..3).map(|k| (head[k] - plane.pos[k]) * axis[k]).sum::<f32>() / radius;
        if height < 0.0 {
            return None;
        }
        let turned = sky.times(&Mat4::pose(plane.mat, [0.0; 3]));
        Some(Draw {
            mesh: &assets.shapes.haze,
            model: turned.moved([0.0, 0.0, -height]).scaled([1.0, 1.0, height]),
            material: Material { rgb: assets.haze, emission: 0.0, specular: 0.0, shininess: 0.0 },
            alpha: 1.0,
            lit: false,
            paint: None,
            cull: if scene.has(RenderFlag::CullFace) { Cull::Front } else { Cull::None },
            wires: None,
            mirror: false,
        })
    }
}

/// Labels of geoms that are within the image.
fn labels(scene: &Scene, view: &View) -> Vec<PlacedLabel> {
    let rows = view.projection.times(&view.eye).rows();
    let place = |(i, geom): (usize, &Geom)| {
        let [x, y, z, w] = transform(&rows, geom.pos);
        let seen = w > 0.0 && x.abs() <= w && y.abs() <= w && (0.0..=w).contains(&z);
        let at = |v: f32, size: usize| (v / w + 1.0) * 0.5 * size as f32;
        seen.then(|| PlacedLabel { geom: i, x: at(x, view.width), y: at(y, view.height) })
    };
    let labelled = scene.geoms.iter().enumerate().filter(|(_, geom)| geom.label[0] != 0);
    labelled.filter_map(place).collect()
}
