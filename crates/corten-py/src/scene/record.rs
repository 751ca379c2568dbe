//! Records in memory that Python owns.

use std::marker::PhantomData;
use std::mem::offset_of;

use bytemuck::{Pod, Zeroable};
use corten_scene::{Camera, Geom, GlCamera, Light, Perturb, RenderFlag, VisOption, line_rgb};
use pyo3::prelude::*;

use crate::args::type_error;
use crate::memory::Out;

/// A field: name, NumPy type, shape (empty for a number) and offset.
type Field = (&'static str, &'static str, &'static [usize], usize);

/// A record that Python can show.
pub trait Record: Pod {
    const NAME: &'static str;
    const FIELDS: &'static [Field];

    /// What a new one contains.
    fn initial() -> Self;
}

macro_rules! record {
    ($name:literal $Type:ty = $initial:expr; { $($field:ident $(as $shown:literal)? : $kind:literal $shape:expr),* $(,)? }) => {
        impl Record for $Type {
            const NAME: &'static str = $name;
            const FIELDS: &'static [Field] = &[$((
                record!(@name $field $($shown)?), $kind, &$shape, offset_of!($Type, $field)
            ),)*];

            fn initial() -> Self {
                $initial
            }
        }
    };
    (@name $field:ident $shown:literal) => { $shown };
    (@name $field:ident) => { stringify!($field) };
}

record!("MjvCamera" Camera = Camera::default(); {
    kind as "type": "i4" [], fixedcamid: "i4" [], trackbodyid: "i4" [], lookat: "f8" [3], distance: "f8" [],
    azimuth: "f8" [], elevation: "f8" [], orthographic: "i4" [],
});
record!("MjvGLCamera" GlCamera = GlCamera::default(); {
    pos: "f4" [3], forward: "f4" [3], up: "f4" [3], frustum_center: "f4" [], frustum_width: "f4" [],
    frustum_bottom: "f4" [], frustum_top: "f4" [], frustum_near: "f4" [], frustum_far: "f4" [],
    orthographic: "i4" [],
});
record!("MjvGeom" Geom = Geom::default(); {
    kind as "type": "i4" [], dataid: "i4" [], objtype: "i4" [], objid: "i4" [], category: "i4" [],
    matid: "i4" [], texcoord: "i4" [], segid: "i4" [], size: "f4" [3], pos: "f4" [3], mat: "f4" [3, 3],
    rgba: "f4" [4], emission: "f4" [], specular: "f4" [], shininess: "f4" [], reflectance: "f4" [],
    label: "S100" [], camdist: "f4" [], modelrbound: "f4" [], transparent: "u1" [],
});
record!("MjvLight" Light = Light::default(); {
    id: "i4" [], pos: "f4" [3], dir: "f4" [3], kind as "type": "i4" [], texid: "i4" [], attenuation: "f4" [3],
    cutoff: "f4" [], exponent: "f4" [], ambient: "f4" [3], diffuse: "f4" [3], specular: "f4" [3],
    headlight: "u1" [], castshadow: "u1" [], bulbradius: "f4" [], intensity: "f4" [], range: "f4" [],
});
record!("MjvOption" VisOption = VisOption::default(); {
    label: "i4" [], frame: "i4" [], geomgroup: "u1" [6], sitegroup: "u1" [6], jointgroup: "u1" [6],
    tendongroup: "u1" [6], actuatorgroup: "u1" [6], flexgroup: "u1" [6], skingroup: "u1" [6], flags: "u1" [31],
    bvh_depth: "i4" [], flex_layer: "i4" [],
});
record!("MjvPerturb" Perturb = Perturb::default(); {
    select: "i4" [], flexselect: "i4" [], skinselect: "i4" [], active: "i4" [], active2: "i4" [],
    refpos: "f8" [3], refquat: "f8" [4], refselpos: "f8" [3], localpos: "f8" [3], localmass: "f8" [], scale: "f8" [],
});

/// The numbers of a scene that belong to no array.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Header {
    pub maxgeom: i32,
    pub ngeom: i32,
    pub nflex: i32,
    pub nskin: i32,
    pub nlight: i32,
    pub translate: [f32; 3],
    pub rotate: [f32; 4],
    pub scale: f32,
    pub stereo: i32,
    pub framewidth: i32,
    pub framergb: [f32; 3],
    pub status: i32,
    pub flags: [u8; RenderFlag::COUNT],
    pub enabletransform: u8,
    pub flexvertopt: u8,
    pub flexedgeopt: u8,
    pub flexfaceopt: u8,
    pub flexskinopt: u8,
    pub pad: u8,
}

record!("MjvScene" Header = Header::zeroed(); {
    maxgeom: "i4" [], ngeom: "i4" [], nflex: "i4" [], nskin: "i4" [], nlight: "i4" [], translate: "f4" [3],
    rotate: "f4" [4], scale: "f4" [], stereo: "i4" [], framewidth: "i4" [], framergb: "f4" [3], status: "i4" [],
    flags: "u1" [10], enabletransform: "u1" [], flexvertopt: "u1" [], flexedgeopt: "u1" [], flexfaceopt: "u1" [],
    flexskinopt: "u1" [],
});

/// A record argument: an object of the class with its name, whose `_memory` has the bytes.
pub struct Argument<'py, T: Record> {
    bytes: Out<'py, u8>,
    kind: PhantomData<T>,
}

impl<'a, 'py, T: Record> FromPyObject<'a, 'py> for Argument<'py, T> {
    type Error = PyErr;

    fn extract(obj: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        let kind = obj.getattr("_kind").and_then(|kind| kind.extract::<String>());
        if kind.as_deref().ok() != Some(T::NAME) {
            let found = obj.get_type().name()?.to_string();
            return Err(type_error(format!(
                "expected an object of type {}, found {found}",
                T::NAME
            )));
        }
        let bytes: Out<'py, u8> = obj.getattr("_memory")?.extract()?;
        if bytes.len() != size_of::<T>() {
            return Err(type_error(format!("this {} has lost its memory", T::NAME)));
        }
        Ok(Argument { bytes, kind: PhantomData })
    }
}

impl<T: Record> Argument<'_, T> {
    pub fn get(&self) -> T {
        bytemuck::pod_read_unaligned(&self.bytes.to_vec())
    }

    pub fn set(&self, value: &T) {
        self.bytes.write(bytemuck::bytes_of(value));
    }
}

/// Bytes of each record when it is new, and its fields.
type Layout = (&'static str, Vec<u8>, Vec<(&'static str, &'static str, Vec<usize>, usize)>);

fn layout_of<T: Record>() -> Layout {
    let fields =
        T::FIELDS.iter().map(|(name, kind, shape, at)| (*name, *kind, shape.to_vec(), *at));
    (T::NAME, bytemuck::bytes_of(&T::initial()).to_vec(), fields.collect())
}

/// Name, initial bytes and fields of all records.
#[pyfunction]
fn visual_layouts() -> Vec<Layout> {
    vec![
        layout_of::<Camera>(),
        layout_of::<GlCamera>(),
        layout_of::<Geom>(),
        layout_of::<Light>(),
        layout_of::<VisOption>(),
        layout_of::<Perturb>(),
        layout_of::<Header>(),
    ]
}

/// Colour of a line of a figure.
#[pyfunction]
fn figure_line_rgb(line: usize) -> [f32; 3] {
    line_rgb(line)
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(visual_layouts, module)?)?;
    module.add_function(wrap_pyfunction!(figure_line_rgb, module)?)
}
