//! Fields of elements by name, for programs that do not know them at compile time: bindings to
//! other languages, editors.

use corten_math::{Quat, Vec3};

use super::{Body, DefaultClass, Frame, Key, Orientation, Source, Spec, TEXTURE_ROLES, Wrap};
use crate::enums;

/// The value of a field.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Int(i64),
    Float(f64),
    Text(String),
    /// A vector of fixed length.
    Ints(Vec<i32>),
    Floats(Vec<f64>),
    Singles(Vec<f32>),
    Bytes(Vec<u8>),
    Texts(Vec<String>),
    IntLists(Vec<Vec<i32>>),
    SingleLists(Vec<Vec<f32>>),
    /// An orientation: MuJoCo's `mjtOrientation`, and its numbers.
    Orientation(i32, Vec<f64>),
}

/// Why a field cannot take a value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FieldError {
    #[error("there is no field of this name")]
    Unknown,
    #[error("this field cannot be written")]
    Fixed,
    #[error("expected {0}")]
    Type(&'static str),
    #[error("expected {expected} values, found {found}")]
    Length { expected: usize, found: usize },
    #[error("{0} is not one of the values of this field")]
    Variant(i64),
}

/// An element whose fields are known by name.
pub trait Fields {
    /// Names of all fields that have values, without the underscore of Rust's keywords.
    fn names(&self) -> Vec<&'static str>;
    /// The value of a field.
    fn get(&self, field: &str) -> Result<Value, FieldError>;
    /// Writes a field.
    fn set(&mut self, field: &str, value: Value) -> Result<(), FieldError>;
}

/// A type of fields.
pub(crate) trait Field {
    /// `None` for fields that are links to other elements, not values.
    fn value(&self) -> Option<Value>;
    fn assign(&mut self, value: Value) -> Result<(), FieldError>;
}

/// The numbers of a value, as far as it has any.
fn numbers(value: Value) -> Result<Vec<f64>, FieldError> {
    Ok(match value {
        Value::Int(i) => vec![i as f64],
        Value::Float(x) => vec![x],
        Value::Ints(v) => v.into_iter().map(f64::from).collect(),
        Value::Floats(v) => v,
        Value::Singles(v) => v.into_iter().map(f64::from).collect(),
        Value::Bytes(v) => v.into_iter().map(f64::from).collect(),
        _ => return Err(FieldError::Type("numbers")),
    })
}

fn fixed<const N: usize>(value: Value) -> Result<[f64; N], FieldError> {
    let v = numbers(value)?;
    let found = v.len();
    v.try_into().map_err(|_| FieldError::Length { expected: N, found })
}

fn whole(value: Value) -> Result<i64, FieldError> {
    match value {
        Value::Int(i) => Ok(i),
        Value::Float(x) if x.fract() == 0.0 && x.abs() < i64::MAX as f64 => Ok(x as i64),
        _ => Err(FieldError::Type("a whole number")),
    }
}

/// A whole number of 32 bits, as most fields hold.
pub fn narrow(value: Value) -> Result<i32, FieldError> {
    i32::try_from(whole(value)?).map_err(|_| FieldError::Type("a whole number of 32 bits"))
}

macro_rules! field {
    ($($ty:ty, |$this:ident| $get:expr, |$value:ident| $set:expr;)*) => {$(
        impl Field for $ty {
            fn value(&self) -> Option<Value> {
                let $this = self;
                Some($get)
            }
            fn assign(&mut self, $value: Value) -> Result<(), FieldError> {
                *self = $set;
                Ok(())
            }
        }
    )*};
}

field! {
    f64, |x| Value::Float(*x), |v| fixed::<1>(v)?[0];
    f32, |x| Value::Float(f64::from(*x)), |v| fixed::<1>(v)?[0] as f32;
    i32, |x| Value::Int(i64::from(*x)), |v| narrow(v)?;
    i64, |x| Value::Int(*x), |v| whole(v)?;
    bool, |x| Value::Int(i64::from(*x)), |v| fixed::<1>(v)?[0] != 0.0;
    String, |x| Value::Text(x.clone()), |v| match v {
        Value::Text(text) => text,
        _ => return Err(FieldError::Type("text")),
    };
    Vec3, |x| Value::Floats(x.0.to_vec()), |v| Vec3(fixed(v)?);
    Quat, |x| Value::Floats(x.0.to_vec()), |v| Quat(fixed(v)?);
    Vec<f64>, |x| Value::Floats(x.clone()), |v| numbers(v)?;
    Vec<f32>, |x| Value::Singles(x.clone()),
        |v| numbers(v)?.into_iter().map(|x| x as f32).collect();
    Vec<i32>, |x| Value::Ints(x.clone()), |v| numbers(v)?.into_iter().map(|x| x as i32).collect();
    Vec<u8>, |x| Value::Bytes(x.clone()), |v| match v {
        Value::Bytes(bytes) => bytes,
        other => numbers(other)?.into_iter().map(|x| x as u8).collect(),
    };
    Vec<String>, |x| Value::Texts(x.clone()), |v| match v {
        Value::Texts(texts) => texts,
        _ => return Err(FieldError::Type("a list of texts")),
    };
    Vec<Vec<i32>>, |x| Value::IntLists(x.clone()), |v| match v {
        Value::IntLists(lists) => lists,
        _ => return Err(FieldError::Type("a list of lists of whole numbers")),
    };
    Vec<Vec<f32>>, |x| Value::SingleLists(x.clone()), |v| match v {
        Value::SingleLists(lists) => lists,
        _ => return Err(FieldError::Type("a list of lists of numbers")),
    };
    // Absent numbers are told by a first number that is none, as in MuJoCo.
    Option<f64>, |x| Value::Float(x.unwrap_or(f64::NAN)),
        |v| Some(fixed::<1>(v)?[0]).filter(|x| !x.is_nan());
    Option<Vec3>, |x| Value::Floats(x.unwrap_or(Vec3([f64::NAN, 0.0, 0.0])).0.to_vec()),
        |v| Some(Vec3(fixed(v)?)).filter(|x| !x.0[0].is_nan());
    Option<[f64; 6]>, |x| Value::Floats(x.unwrap_or([f64::NAN, 0., 0., 0., 0., 0.]).to_vec()),
        |v| Some(fixed(v)?).filter(|x| !x[0].is_nan());
    Orientation, |x| {
        let (kind, numbers) = match x {
            Orientation::Quat => (0, Vec::new()),
            Orientation::AxisAngle(v) => (1, v.to_vec()),
            Orientation::XyAxes(v) => (2, v.to_vec()),
            Orientation::ZAxis(v) => (3, v.0.to_vec()),
            Orientation::Euler(v) => (4, v.0.to_vec()),
        };
        Value::Orientation(kind, numbers)
    }, |v| match v {
        Value::Orientation(0, _) => Orientation::Quat,
        Value::Orientation(1, v) => Orientation::AxisAngle(fixed(Value::Floats(v))?),
        Value::Orientation(2, v) => Orientation::XyAxes(fixed(Value::Floats(v))?),
        Value::Orientation(3, v) => Orientation::ZAxis(Vec3(fixed(Value::Floats(v))?)),
        Value::Orientation(4, v) => Orientation::Euler(Vec3(fixed(Value::Floats(v))?)),
        Value::Orientation(kind, _) => return Err(FieldError::Variant(i64::from(kind))),
        _ => return Err(FieldError::Type("an orientation")),
    };
    Vec<enums::ObjType>, |x| Value::Ints(x.iter().map(|kind| kind.raw()).collect()), |v| {
        let raw = numbers(v)?.into_iter().map(|x| x as i32);
        raw.map(|i| enums::ObjType::from_raw(i).ok_or(FieldError::Variant(i64::from(i))))
            .collect::<Result<_, _>>()?
    };
}

impl<const N: usize> Field for [f64; N] {
    fn value(&self) -> Option<Value> {
        Some(Value::Floats(self.to_vec()))
    }
    fn assign(&mut self, value: Value) -> Result<(), FieldError> {
        *self = fixed(value)?;
        Ok(())
    }
}

impl<const N: usize> Field for [f32; N] {
    fn value(&self) -> Option<Value> {
        Some(Value::Singles(self.to_vec()))
    }
    fn assign(&mut self, value: Value) -> Result<(), FieldError> {
        *self = fixed(value)?.map(|x| x as f32);
        Ok(())
    }
}

impl<const N: usize> Field for [i32; N] {
    fn value(&self) -> Option<Value> {
        Some(Value::Ints(self.to_vec()))
    }
    fn assign(&mut self, value: Value) -> Result<(), FieldError> {
        *self = fixed(value)?.map(|x| x as i32);
        Ok(())
    }
}

/// Letters.
impl<const N: usize> Field for [u8; N] {
    fn value(&self) -> Option<Value> {
        Some(Value::Texts(self.iter().map(|&c| char::from(c).to_string()).collect()))
    }
    fn assign(&mut self, value: Value) -> Result<(), FieldError> {
        let text = match value {
            Value::Text(text) => text,
            Value::Texts(texts) => texts.concat(),
            _ => return Err(FieldError::Type("letters")),
        };
        let found = text.len();
        let letters = <[u8; N]>::try_from(text.into_bytes());
        *self = letters.map_err(|_| FieldError::Length { expected: N, found })?;
        Ok(())
    }
}

fn texts<const N: usize>(value: Value) -> Result<[String; N], FieldError> {
    let Value::Texts(texts) = value else { return Err(FieldError::Type("a list of texts")) };
    let found = texts.len();
    texts.try_into().map_err(|_| FieldError::Length { expected: N, found })
}

field! {
    [String; 6], |x| Value::Texts(x.to_vec()), |v| texts(v)?;
    [String; TEXTURE_ROLES], |x| Value::Texts(x.to_vec()), |v| texts(v)?;
}

macro_rules! variants {
    ($($Enum:ident)*) => {field! {$(
        enums::$Enum, |x| Value::Int(i64::from(x.raw())), |v| {
            let raw = whole(v)?;
            let known = i32::try_from(raw).ok().and_then(enums::$Enum::from_raw);
            known.ok_or(FieldError::Variant(raw))?
        };
    )*}};
}

variants! {
    AlignFree Bias CamLightMode ColorSpace Dynamics EqualityType Gain GeomInertia GeomType
    InertiaFromGeom JointType LightType Limited MeshBuiltin MeshInertia ObjType SensorDataType
    SensorType SleepPolicy Stage TextureBuiltin TextureMark TextureType Transmission
    LengthRangeMode FlexSelf
}

/// Links to other elements, which have operations of their own.
macro_rules! links {
    ($($ty:ty),*) => {$(
        impl Field for $ty {
            fn value(&self) -> Option<Value> {
                None
            }
            fn assign(&mut self, _: Value) -> Result<(), FieldError> {
                Err(FieldError::Fixed)
            }
        }
    )*};
}

links!(Source, Vec<Wrap>, Box<Spec>);
links!(Option<Key<Body>>, Option<Key<Frame>>, Option<Key<DefaultClass>>);
links!(Vec<Key<Body>>, Vec<Key<Frame>>, Vec<Key<super::Joint>>, Vec<Key<super::Geom>>);
links!(Vec<Key<super::Site>>, Vec<Key<super::Camera>>, Vec<Key<super::Light>>);
links!(Option<Vec<(Key<super::Joint>, Vec<f64>)>>);
links!(Option<Vec<(Key<super::Actuator>, Vec<f64>)>>, Option<Vec<(Key<super::Actuator>, f64)>>);
links!(Option<Vec<(Key<Body>, [f64; 3])>>, Option<Vec<(Key<Body>, [f64; 4])>>);

/// `type` for `type_`.
pub(crate) fn plain(name: &'static str) -> &'static str {
    name.strip_suffix('_').unwrap_or(name)
}

/// Declares the fields of a struct.
macro_rules! fields {
    ($Name:ident { $($f:ident),* $(,)? }) => {
        impl $crate::spec::field::Fields for $Name {
            fn names(&self) -> Vec<&'static str> {
                use $crate::spec::field::{Field, plain};
                let all = [$((stringify!($f), self.$f.value().is_some())),*];
                all.into_iter().filter(|f| f.1).map(|f| plain(f.0)).collect()
            }

            fn get(
                &self,
                field: &str,
            ) -> Result<$crate::spec::field::Value, $crate::spec::field::FieldError> {
                use $crate::spec::field::{Field, FieldError, plain};
                $(if field == plain(stringify!($f)) {
                    return self.$f.value().ok_or(FieldError::Unknown);
                })*
                Err(FieldError::Unknown)
            }

            fn set(
                &mut self,
                field: &str,
                value: $crate::spec::field::Value,
            ) -> Result<(), $crate::spec::field::FieldError> {
                use $crate::spec::field::{Field, FieldError, plain};
                $(if field == plain(stringify!($f)) {
                    return self.$f.assign(value);
                })*
                Err(FieldError::Unknown)
            }
        }
    };
}
pub(crate) use fields;

use super::{Compiler, LengthRangeOptions, Sizes, StatisticOverride};

fields!(Compiler {
    autolimits,
    boundmass,
    boundinertia,
    settotalmass,
    balanceinertia,
    fitaabb,
    degree,
    eulerseq,
    discardvisual,
    usethread,
    fusestatic,
    inertiafromgeom,
    inertiagrouprange,
    saveinertial,
    alignfree,
    meshdir,
    texturedir,
});
fields!(LengthRangeOptions {
    mode,
    useexisting,
    uselimit,
    accel,
    maxforce,
    timeconst,
    timestep,
    inttotal,
    interval,
    tolrange,
});
fields!(Sizes {
    memory,
    nuserdata,
    nkey,
    nuser_body,
    nuser_jnt,
    nuser_geom,
    nuser_site,
    nuser_cam,
    nuser_tendon,
    nuser_actuator,
    nuser_sensor,
    njmax,
    nconmax,
    nstack,
});
fields!(StatisticOverride { meaninertia, meanmass, meansize, extent, center });

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::Geom;

    #[test]
    fn fields_by_name() {
        let mut geom = Geom::default();
        assert!(geom.names().contains(&"type") && !geom.names().contains(&"body"));
        assert!(matches!(geom.get("mass"), Ok(Value::Float(x)) if x.is_nan()));
        geom.set("mass", Value::Int(2)).unwrap();
        assert_eq!(geom.mass, Some(2.0));
        geom.set("size", Value::Ints(vec![1, 2, 3])).unwrap();
        assert_eq!(geom.size, Vec3([1.0, 2.0, 3.0]));
        let short = geom.set("size", Value::Floats(vec![1.0]));
        assert_eq!(short, Err(FieldError::Length { expected: 3, found: 1 }));
        geom.set("type", Value::Int(6)).unwrap();
        assert_eq!(geom.type_, enums::GeomType::Box);
        assert_eq!(geom.set("type", Value::Int(99)), Err(FieldError::Variant(99)));
        assert_eq!(geom.set("colour", Value::Int(1)), Err(FieldError::Unknown));
    }
}
