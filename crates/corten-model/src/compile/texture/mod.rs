//! Textures: generated patterns, images, and cubes of images.

mod paint;

use corten_math::memory;
use std::hash::Hash;
use std::sync::{Arc, OnceLock};

use super::asset_path::{AssetDir, locate};
use super::context::{Context, Fault};
use super::parallel::{Cache, ContentKey, in_parallel};
use super::png::{self, Channels};
use crate::assets::extension;
use crate::enums::{ColorSpace, TextureBuiltin, TextureType};
use crate::spec::Texture;

#[derive(Clone, Debug, Default)]
pub(super) struct TexturePlan {
    pub kind: i32,
    pub colorspace: i32,
    pub width: usize,
    pub height: usize,
    pub nchannel: usize,
    pub data: Arc<Vec<u8>>,
}

/// Bytes that a texture may take.
const MAX_BYTES: usize = i32::MAX as usize;
const CUBE_FACES: usize = 6;

pub(super) fn compile(cx: &mut Context) -> Vec<TexturePlan> {
    let textures: Vec<&Texture> = cx.spec.textures.values().collect();
    let results = in_parallel(textures.len(), |i| one(cx, textures[i]));
    let mut plans = Vec::with_capacity(textures.len());
    for (texture, result) in textures.into_iter().zip(results) {
        plans.push(match result {
            Some(Ok(plan)) => plan,
            Some(Err(fault)) => {
                cx.fault("texture", texture, fault);
                TexturePlan::default()
            }
            None => TexturePlan::default(),
        });
    }
    plans
}

/// Pixels of one texture.
fn one(cx: &Context, t: &Texture) -> Result<TexturePlan, Fault> {
    let nchannel = match t.nchannel {
        1..=4 => t.nchannel as usize,
        n => return Err(format!("nchannel is {n}, but must be between 1 and 4").into()),
    };
    let mut plan = TexturePlan {
        kind: t.type_.raw(),
        colorspace: t.colorspace.raw(),
        nchannel,
        ..TexturePlan::default()
    };
    if !t.data.is_empty() {
        let size = |n: i32| usize::try_from(n).map_err(|_| Fault::from("negative size"));
        (plan.width, plan.height) = (size(t.width)?, size(t.height)?);
        let expected = plan.width.saturating_mul(plan.height).saturating_mul(nchannel);
        if t.data.len() != expected {
            return Err(
                format!("the buffer has {} bytes instead of {expected}", t.data.len()).into()
            );
        }
        let mut data = t.data.clone();
        flip(t, &mut data, plan.width, plan.height, nchannel);
        plan.data = Arc::new(data);
    } else if t.builtin != TextureBuiltin::None {
        paint::generate(cx, t, &mut plan)?;
    } else if !t.file.is_empty() {
        let image = load(cx, t, &t.file)?;
        set_colorspace(&mut plan, image.srgb);
        match t.type_ {
            TextureType::Flat => {
                (plan.width, plan.height) = (image.width, image.height);
                plan.data = image.data.clone();
            }
            _ => cube_from_grid(cx, t, &mut plan, &image)?,
        }
    } else if t.type_ == TextureType::Flat {
        return Err("a 2d texture needs a file or a builtin pattern".into());
    } else {
        cube_from_files(cx, t, &mut plan)?;
    }
    Ok(plan)
}

fn set_colorspace(plan: &mut TexturePlan, srgb: bool) {
    if plan.colorspace == ColorSpace::Auto.raw() {
        plan.colorspace = if srgb { ColorSpace::Srgb.raw() } else { ColorSpace::Linear.raw() };
    }
}

struct Image {
    width: usize,
    height: usize,
    data: Arc<Vec<u8>>,
    srgb: bool,
}

/// Decoded images of this process.
fn cache() -> &'static Cache<Image> {
    const LIMIT: usize = 500 << 20;
    static CACHE: OnceLock<Cache<Image>> = OnceLock::new();
    CACHE.get_or_init(|| Cache::new(LIMIT))
}

/// Reads PNG, KTX (kept as it is) or MuJoCo's raw RGB format.
fn load(cx: &Context, t: &Texture, file: &str) -> Result<Arc<Image>, Fault> {
    #[derive(Clone, Copy, Hash)]
    enum Format {
        Png,
        Ktx,
        Raw,
    }
    let format = match t.content_type.as_str() {
        "image/png" => Format::Png,
        "image/ktx" => Format::Ktx,
        "image/vnd.mujoco.texture" => Format::Raw,
        "" => match extension(file).to_ascii_lowercase().as_str() {
            ".png" => Format::Png,
            ".ktx" => Format::Ktx,
            _ => Format::Raw,
        },
        other => return Err(format!("unsupported content type '{other}'").into()),
    };
    let nchannel = t.nchannel as usize;
    let (dir, path) = locate(cx, t, file, AssetDir::Texture);
    let bytes =
        cx.assets.read(&dir, &path, &cx.spec.limits).map_err(|e| Fault::from(e.to_string()))?;
    let key = ContentKey::new(&bytes, |h| {
        (format, t.nchannel, t.hflip, t.vflip).hash(h);
    });
    if let Some(found) = cache().get(&key) {
        cx.take_image_bytes(found.width, found.height, nchannel)?;
        return Ok(found);
    }
    let fail = |what: &str| Fault::from(format!("cannot read '{file}': {what}"));
    let (width, height, mut data, srgb) = match format {
        Format::Png => {
            let channels = match nchannel {
                1 => Channels::Gray,
                3 => Channels::Rgb,
                4 => Channels::Rgba,
                n => return Err(format!("images with {n} channels are not supported").into()),
            };
            let admit = |width, height| cx.take_image_bytes(width, height, nchannel);
            let decoded = png::decode(&bytes, channels, admit)
                .map_err(|e| e.in_context(&format!("cannot read '{file}'")))?;
            (decoded.width, decoded.height, decoded.data, decoded.srgb)
        }
        Format::Ktx => {
            if t.hflip || t.vflip {
                return Err("KTX textures cannot be flipped".into());
            }
            cx.take_image_bytes(bytes.len(), 1, nchannel)?;
            let mut data = bytes.to_vec();
            data.resize(bytes.len() * nchannel, 0);
            return Ok(Arc::new(Image {
                width: bytes.len(),
                height: 1,
                data: Arc::new(data),
                srgb: false,
            }));
        }
        Format::Raw => {
            let word = |at: usize| {
                let b = bytes.get(at..at + 4)?.try_into().ok()?;
                usize::try_from(i32::from_le_bytes(b)).ok().filter(|&n| n > 0)
            };
            let (Some(width), Some(height)) = (word(0), word(4)) else {
                return Err(fail("it is not a PNG file, and has no positive dimensions"));
            };
            if width.checked_mul(height).and_then(|n| n.checked_mul(3)).map(|n| n + 8)
                != Some(bytes.len())
            {
                return Err(fail("it is not a PNG file, and its size does not fit its dimensions"));
            }
            cx.take_image_bytes(width, height, nchannel.max(3))?;
            let mut data = bytes[8..].to_vec();
            data.resize(width * height * nchannel.max(3), 0);
            (width, height, data, false)
        }
    };
    flip(t, &mut data, width, height, nchannel);
    let size = data.len();
    let image = Arc::new(Image { width, height, data: Arc::new(data), srgb });
    cache().insert(key, image.clone(), size);
    Ok(image)
}

fn flip(t: &Texture, data: &mut [u8], width: usize, height: usize, nchannel: usize) {
    let row = width * nchannel;
    if row == 0 {
        return;
    }
    if t.hflip {
        for line in data.chunks_exact_mut(row) {
            for c in 0..width / 2 {
                for k in 0..nchannel {
                    line.swap(c * nchannel + k, (width - 1 - c) * nchannel + k);
                }
            }
        }
    }
    if t.vflip {
        for r in 0..height / 2 {
            for c in 0..row {
                data.swap(r * row + c, (height - 1 - r) * row + c);
            }
        }
    }
}

fn byte(x: f64) -> u8 {
    wrap(255.0 * x)
}

/// A level of brightness as a byte. Colours beyond 1 wrap around, as a conversion in C does.
fn wrap(level: f64) -> u8 {
    level as i64 as u8
}

/// Six faces below each other, all of one colour.
fn plain_cube(
    cx: &Context,
    t: &Texture,
    plan: &mut TexturePlan,
    width: usize,
) -> Result<(), Fault> {
    let bytes = width.checked_mul(width).and_then(|n| n.checked_mul(3 * CUBE_FACES));
    if width == 0 || bytes.is_none_or(|n| n > MAX_BYTES) {
        return Err("the cube texture is empty or too large".into());
    }
    cx.take_image_bytes(width, CUBE_FACES * width, 3)?;
    (plan.width, plan.height) = (width, CUBE_FACES * width);
    plan.data = Arc::new(memory::repeated(&t.rgb1.map(byte), width * width * CUBE_FACES));
    Ok(())
}

/// One image repeated on all faces, or cut from a grid.
fn cube_from_grid(
    cx: &Context,
    t: &Texture,
    plan: &mut TexturePlan,
    image: &Image,
) -> Result<(), Fault> {
    let [rows, columns] = t.gridsize.map(|n| n.max(0) as usize);
    if rows < 1 || columns < 1 || rows * columns > t.gridlayout.len() {
        return Err("'gridsize' must have between 1 and 12 cells".into());
    }
    let width = image.width / columns;
    if width != image.height / rows
        || !image.width.is_multiple_of(columns)
        || !image.height.is_multiple_of(rows)
    {
        return Err(format!(
            "an image of {}x{} pixels cannot be cut into {columns}x{rows} squares",
            image.width, image.height
        )
        .into());
    }
    if rows * columns == 1 {
        (plan.width, plan.height) = (width, width);
        let face = image.data.get(..3 * width * width).unwrap_or_default();
        plan.data = Arc::new(memory::copy_of(face));
        return Ok(());
    }
    plain_cube(cx, t, plan, width)?;
    let data = Arc::make_mut(&mut plan.data);
    for (cell, symbol) in t.gridlayout[..rows * columns].iter().enumerate() {
        let face = match symbol {
            b'R' => 0,
            b'L' => 1,
            b'U' => 2,
            b'D' => 3,
            b'F' => 4,
            b'B' => 5,
            b'.' => continue,
            _ => return Err("'gridlayout' may hold only . R L U D F B".into()),
        };
        let (top, left) = (width * (cell / columns), width * (cell % columns));
        for r in 0..width {
            let from = 3 * ((top + r) * image.width + left);
            let to = 3 * width * (face * width + r);
            if let Some(line) = image.data.get(from..from + 3 * width) {
                data[to..to + 3 * width].copy_from_slice(line);
            }
        }
    }
    Ok(())
}

fn cube_from_files(cx: &Context, t: &Texture, plan: &mut TexturePlan) -> Result<(), Fault> {
    for (face, file) in t.cubefiles.iter().enumerate().filter(|(_, f)| !f.is_empty()) {
        let image = load(cx, t, file)?;
        set_colorspace(plan, image.srgb);
        if image.width != image.height {
            return Err(format!("'{file}' is not square").into());
        }
        if plan.data.is_empty() {
            plain_cube(cx, t, plan, image.width)?;
        } else if plan.width != image.width {
            return Err(format!("'{file}' has another size than the other faces").into());
        }
        let bytes = 3 * plan.width * plan.width;
        if let Some(pixels) = image.data.get(..bytes) {
            let data = Arc::make_mut(&mut plan.data);
            data[face * bytes..(face + 1) * bytes].copy_from_slice(pixels);
        }
    }
    if plan.data.is_empty() {
        return Err("a cube or skybox needs a file, face files or a builtin pattern".into());
    }
    Ok(())
}
