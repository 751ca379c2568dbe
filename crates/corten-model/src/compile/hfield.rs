//! Height fields: elevation from the model, from a PNG image, or from MuJoCo's binary format.

use corten_math::memory::{Gather, copy_of, guard, zeroed};

use super::asset_path::{AssetDir, read};
use super::context::{Context, Fault};
use super::png::{self, Channels};
use crate::assets::extension;
use crate::spec::HField;

#[derive(Clone, Debug)]
pub(super) struct HFieldPlan {
    pub size: [f64; 4],
    pub nrow: usize,
    pub ncol: usize,
    /// Elevation in [0, 1], first row at the smallest y.
    pub data: Vec<f32>,
}

pub(super) fn compile(cx: &mut Context) -> Vec<HFieldPlan> {
    let spec = cx.spec;
    spec.hfields.values().map(|hfield| one(cx, hfield)).collect()
}

fn one(cx: &mut Context, hfield: &HField) -> HFieldPlan {
    if hfield.size.iter().any(|&s| s <= 0.0 || s.is_nan()) {
        cx.error("hfield", hfield, "all four sizes must be positive");
    }
    let loaded = if hfield.file.is_empty() { given(cx, hfield) } else { from_file(cx, hfield) };
    let (nrow, ncol, mut data) = match loaded {
        Ok(loaded) => loaded,
        Err(fault) => {
            if !fault.is_empty() {
                cx.fault("hfield", hfield, fault);
            }
            (1, 1, vec![0.0])
        }
    };
    normalize(&mut data);
    HFieldPlan { size: hfield.size, nrow, ncol, data }
}

type Elevation = Result<(usize, usize, Vec<f32>), Fault>;

fn given(cx: &Context, hfield: &HField) -> Elevation {
    let (Ok(nrow), Ok(ncol)) = (usize::try_from(hfield.nrow), usize::try_from(hfield.ncol)) else {
        return Err("'nrow' and 'ncol' must be positive".into());
    };
    if nrow == 0 || ncol == 0 {
        return Err("a height field needs a file, or 'nrow' and 'ncol'".into());
    }
    cx.take_image_bytes(nrow, ncol, size_of::<f32>())?;
    let count = nrow * ncol;
    if hfield.userdata.is_empty() {
        return Ok((nrow, ncol, guard(|| zeroed(count))?));
    }
    if hfield.userdata.len() != count {
        return Err(format!(
            "'elevation' has {} values, nrow*ncol is {count}",
            hfield.userdata.len()
        )
        .into());
    }
    Ok((nrow, ncol, guard(|| copy_of(&hfield.userdata))?))
}

/// Reads the file; the message is empty if reading has already been reported.
fn from_file(cx: &mut Context, hfield: &HField) -> Elevation {
    if hfield.nrow != 0 || hfield.ncol != 0 || !hfield.userdata.is_empty() {
        return Err("elevation is given both in a file and in the model".into());
    }
    let is_png = match hfield.content_type.as_str() {
        "image/png" => true,
        "image/vnd.mujoco.hfield" => false,
        "" => extension(&hfield.file).eq_ignore_ascii_case(".png"),
        other => return Err(format!("unsupported content type '{other}'").into()),
    };
    let Some(bytes) = read(cx, "hfield", hfield, &hfield.file, AssetDir::Mesh) else {
        return Err("".into());
    };
    if is_png {
        let admit = |width, height| cx.take_image_bytes(width, height, size_of::<f32>());
        let image = png::decode(&bytes, Channels::Gray, admit)
            .map_err(|e| e.in_context(&format!("cannot read '{}'", hfield.file)))?;
        let rows = image.data.chunks_exact(image.width).rev();
        let data = rows.flatten().map(|&b| f32::from(b)).gather();
        return Ok((image.height, image.width, data));
    }
    let word = |i: usize| bytes.get(4 * i..4 * i + 4).and_then(|b| b.try_into().ok());
    let dimension =
        |i: usize| word(i).map(i32::from_le_bytes).and_then(|n| usize::try_from(n).ok());
    let (Some(nrow @ 1..), Some(ncol @ 1..)) = (dimension(0), dimension(1)) else {
        let what = format!("'{}' does not start with two positive dimensions", hfield.file);
        return Err(what.into());
    };
    let expected = nrow.checked_mul(ncol).and_then(|n| n.checked_mul(4)).map(|n| n + 8);
    if expected != Some(bytes.len()) {
        return Err(format!(
            "'{}' has {} bytes, which does not fit its {nrow} rows and {ncol} columns",
            hfield.file,
            bytes.len()
        )
        .into());
    }
    cx.take_image_bytes(nrow, ncol, size_of::<f32>())?;
    let data = (0..nrow * ncol).filter_map(|i| word(i + 2).map(f32::from_le_bytes)).collect();
    Ok((nrow, ncol, data))
}

/// Shifts and scales to [0, 1]; a flat field becomes zero.
fn normalize(data: &mut [f32]) {
    let min = data.iter().copied().fold(1e10, f32::min);
    let max = data.iter().copied().fold(-1e10, f32::max);
    for x in data {
        *x -= min;
        if f64::from(max - min) > super::pose::EPS {
            *x /= max - min;
        }
    }
}
