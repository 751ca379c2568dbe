//! Attributes declared once: name, field, and how text and value correspond.
//!
//! One table per element drives reading, default classes, writing back and spelling advice. How
//! a value looks in text follows from the type of its field; where that is not enough, the table
//! names a codec.

use corten_math::memory::Gather;
use corten_math::{Quat, Vec3, real};

use crate::diagnostic::closest;

/// An attribute that is kept in a field of `T`.
pub struct Attr<T> {
    pub name: &'static str,
    pub read: fn(&mut T, &str) -> Result<(), Misread>,
    /// Text of the field, if it differs from that of the second argument.
    pub write: fn(&T, &T) -> Option<String>,
}

/// Elements whose attributes are declared in a table.
pub trait Attributes: Sized + 'static {
    const ATTRS: &'static [Attr<Self>];

    fn attr(name: &str) -> Option<&'static Attr<Self>> {
        Self::ATTRS.iter().find(|attr| attr.name == name)
    }
}

/// Why a text is not a value.
#[derive(Clone, Debug)]
pub struct Misread {
    pub message: String,
    pub expected: String,
    pub did_you_mean: Option<&'static str>,
}

impl Misread {
    pub fn new(message: impl Into<String>, expected: impl Into<String>) -> Misread {
        Misread { message: message.into(), expected: expected.into(), did_you_mean: None }
    }
}

/// Values that have one natural form in text.
pub trait Value {
    fn read(&mut self, text: &str) -> Result<(), Misread>;
    fn write(&self) -> String;
}

/// A form in text other than the natural one.
pub trait Codec<F> {
    fn read(field: &mut F, text: &str) -> Result<(), Misread>;
    fn write(field: &F) -> String;
}

/// Declares the attribute table of an element: `"name" field;`, with `upto` for lists that may
/// be shorter than the field, or `as Codec`.
macro_rules! attributes {
    ($($Name:ty { $($attr:literal $field:ident $($codec:ident)*;)* })*) => {$(
        impl $crate::mjcf::attr::Attributes for $Name {
            const ATTRS: &'static [$crate::mjcf::attr::Attr<$Name>] = &[$(
                $crate::mjcf::attr::Attr {
                    name: $attr,
                    read: |e, text| $crate::mjcf::attr::attributes!(@read e.$field, text, $($codec)*),
                    write: |e, base| (e.$field != base.$field)
                        .then(|| $crate::mjcf::attr::attributes!(@write e.$field, $($codec)*)),
                },
            )*];
        }
    )*};
    (@read $place:expr, $text:ident,) => { $crate::mjcf::attr::Value::read(&mut $place, $text) };
    (@read $place:expr, $text:ident, $codec:ident) => {
        <$codec as $crate::mjcf::attr::Codec<_>>::read(&mut $place, $text)
    };
    (@write $place:expr,) => { $crate::mjcf::attr::Value::write(&$place) };
    (@write $place:expr, $codec:ident) => {
        <$codec as $crate::mjcf::attr::Codec<_>>::write(&$place)
    };
}
pub(crate) use attributes;

/// A number in text.
pub trait Number: Copy + Default + PartialEq + std::fmt::Display {
    const KIND: &'static str;
    fn parse(token: &str) -> Result<Self, String>;
    /// The nearest number whose text can be read.
    fn writable(self) -> Self {
        self
    }
}

/// A real number as C's `strtod` reads it: decimal, hexadecimal, `inf` or `nan`. What is too large
/// or too small for a normal number of the type is an error.
fn parse_real<T>(token: &str, narrow: fn(f64) -> T, smallest: T) -> Result<T, String>
where
    T: std::str::FromStr + Into<f64> + Copy,
{
    let not_a_number = || format!("'{}' is not a number", excerpt(token));
    let (digits, value): (&str, T) = match hexadecimal(token) {
        Some((digits, value)) => (digits, narrow(value)),
        None => {
            let mantissa = token.split(['e', 'E']).next().unwrap_or(token);
            (mantissa, token.parse().map_err(|_| not_a_number())?)
        }
    };
    let real: f64 = value.into();
    if real.is_infinite() && digits.bytes().any(|b| b.is_ascii_digit()) {
        return Err(format!("'{}' is too large", excerpt(token)));
    }
    if real.abs() < smallest.into() && digits.bytes().any(|b| b.is_ascii_hexdigit() && b != b'0') {
        return Err(format!("'{}' is too small: write 0", excerpt(token)));
    }
    Ok(value)
}

/// A number such as `-0x1.8p3`: its digits and its value.
fn hexadecimal(token: &str) -> Option<(&str, f64)> {
    let unsigned = token.strip_prefix(['+', '-']).unwrap_or(token);
    let rest = unsigned.strip_prefix("0x").or_else(|| unsigned.strip_prefix("0X"))?;
    let (digits, power) = match rest.split_once(['p', 'P']) {
        Some((digits, power)) => (digits, power.parse::<i32>().ok()?),
        None => (rest, 0),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    if whole.is_empty() && fraction.is_empty() {
        return None;
    }
    let mut value = 0.0;
    for digit in whole.chars().chain(fraction.chars()) {
        value = 16.0 * value + f64::from(digit.to_digit(16)?);
    }
    let power = power.saturating_sub(4 * i32::try_from(fraction.len()).ok()?);
    value *= real::powi(2.0, power);
    Some((digits, if token.starts_with('-') { -value } else { value }))
}

impl Number for f64 {
    const KIND: &'static str = "number";
    fn parse(token: &str) -> Result<f64, String> {
        parse_real(token, |x| x, f64::MIN_POSITIVE)
    }
    fn writable(self) -> f64 {
        if self.is_subnormal() { 0.0 } else { self }
    }
}
impl Number for f32 {
    const KIND: &'static str = "number";
    fn parse(token: &str) -> Result<f32, String> {
        parse_real(token, |x| x as f32, f32::MIN_POSITIVE)
    }
    fn writable(self) -> f32 {
        if self.is_subnormal() { 0.0 } else { self }
    }
}
impl Number for i32 {
    const KIND: &'static str = "integer";
    fn parse(token: &str) -> Result<i32, String> {
        token.parse().map_err(|_| match token.parse::<f64>() {
            Ok(x) if x.fract() == 0.0 && !token.contains(['.', 'e', 'E']) => {
                format!("'{}' does not fit into 32 bits", excerpt(token))
            }
            _ => format!("'{}' is not an integer", excerpt(token)),
        })
    }
}

/// The beginning of a text that may be very long.
fn excerpt(text: &str) -> String {
    match text.char_indices().nth(40) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

fn tokens(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| c.is_ascii_whitespace() || c == '\u{b}').filter(|t| !t.is_empty())
}

fn plural(n: usize, kind: &str) -> String {
    if n == 1 { format!("one {kind}") } else { format!("{n} {kind}s") }
}

/// Reads at least `least` and at most `out.len()` numbers, and tells how many there were. Blank
/// text counts as an absent attribute, as in MuJoCo, and yields 0.
pub fn read_numbers<T: Number>(out: &mut [T], least: usize, text: &str) -> Result<usize, Misread> {
    let expected = || match out.len() {
        n if n == least => plural(n, T::KIND),
        n => format!("{least} to {n} {}s", T::KIND),
    };
    let mut values: Vec<T> = Vec::with_capacity(out.len());
    for (i, token) in tokens(text).enumerate() {
        if i >= out.len() {
            let found = tokens(text).count();
            return Err(Misread::new(format!("too many values: {found}"), expected()));
        }
        values.push(T::parse(token).map_err(|message| Misread::new(message, expected()))?);
    }
    if !values.is_empty() && values.len() < least {
        return Err(Misread::new(format!("too few values: {}", values.len()), expected()));
    }
    out[..values.len()].copy_from_slice(&values);
    Ok(values.len())
}

/// Reads any number of numbers.
pub fn read_list<T: Number>(text: &str) -> Result<Vec<T>, Misread> {
    let parse = |t: &str| T::parse(t).map_err(|m| Misread::new(m, format!("{}s", T::KIND)));
    tokens(text).map(parse).gather_ok()
}

/// Whitespace-separated words.
pub fn words(text: &str) -> impl Iterator<Item = &str> {
    tokens(text)
}

pub fn write_numbers<T: Number>(values: &[T]) -> String {
    let mut out = String::with_capacity(values.len() * 8);
    for (i, value) in values.iter().enumerate() {
        if i > 0 {
            out.push(' ');
        }
        out.push_str(&value.writable().to_string());
    }
    out
}

/// Lists that may be shorter than the field; the rest keeps its value.
#[allow(non_camel_case_types)]
pub struct upto;

macro_rules! scalar_values {
    ($($T:ty),*) => {$(
        impl Value for $T {
            fn read(&mut self, text: &str) -> Result<(), Misread> {
                read_numbers(std::slice::from_mut(self), 1, text).map(|_| ())
            }
            fn write(&self) -> String {
                write_numbers(&[*self])
            }
        }
    )*};
}
scalar_values!(f64, f32);

/// Unlike real numbers, an integer cannot be left blank.
impl Value for i32 {
    fn read(&mut self, text: &str) -> Result<(), Misread> {
        match read_numbers(std::slice::from_mut(self), 1, text)? {
            0 => Err(Misread::new("no value", "one integer")),
            _ => Ok(()),
        }
    }
    fn write(&self) -> String {
        self.to_string()
    }
}

impl<T: Number, const N: usize> Value for [T; N] {
    fn read(&mut self, text: &str) -> Result<(), Misread> {
        read_numbers(self, N, text).map(|_| ())
    }
    fn write(&self) -> String {
        write_numbers(self)
    }
}

impl<T: Number, const N: usize> Codec<[T; N]> for upto {
    fn read(field: &mut [T; N], text: &str) -> Result<(), Misread> {
        read_numbers(field, 1, text).map(|_| ())
    }
    fn write(field: &[T; N]) -> String {
        write_numbers(field)
    }
}

impl Value for Vec3 {
    fn read(&mut self, text: &str) -> Result<(), Misread> {
        self.0.read(text)
    }
    fn write(&self) -> String {
        self.0.write()
    }
}

impl Codec<Vec3> for upto {
    fn read(field: &mut Vec3, text: &str) -> Result<(), Misread> {
        <upto as Codec<[f64; 3]>>::read(&mut field.0, text)
    }
    fn write(field: &Vec3) -> String {
        field.0.write()
    }
}

impl Value for Quat {
    fn read(&mut self, text: &str) -> Result<(), Misread> {
        self.0.read(text)?;
        if self.0 == [0.0; 4] {
            *self = Quat::IDENTITY;
            return Err(Misread::new("zero quaternion", "a quaternion that is not zero"));
        }
        Ok(())
    }
    fn write(&self) -> String {
        self.0.write()
    }
}

impl<T: Number> Value for Vec<T> {
    fn read(&mut self, text: &str) -> Result<(), Misread> {
        let values = read_list(text)?;
        if !values.is_empty() {
            *self = values;
        }
        Ok(())
    }
    fn write(&self) -> String {
        write_numbers(self)
    }
}

impl<T: Value + Default> Value for Option<T> {
    fn read(&mut self, text: &str) -> Result<(), Misread> {
        if tokens(text).next().is_some() {
            let mut value = T::default();
            value.read(text)?;
            *self = Some(value);
        }
        Ok(())
    }
    fn write(&self) -> String {
        self.as_ref().map_or_else(String::new, Value::write)
    }
}

impl Value for Vec<String> {
    fn read(&mut self, text: &str) -> Result<(), Misread> {
        *self = tokens(text).map(str::to_owned).collect();
        Ok(())
    }
    fn write(&self) -> String {
        self.join(" ")
    }
}

impl Value for String {
    fn read(&mut self, text: &str) -> Result<(), Misread> {
        text.clone_into(self);
        Ok(())
    }
    fn write(&self) -> String {
        self.clone()
    }
}

/// Values that are written as keywords.
pub trait Keyword: Copy + PartialEq + 'static {
    const WORDS: &'static [(&'static str, Self)];

    fn from_word(text: &str) -> Result<Self, Misread> {
        if let Some((_, value)) = Self::WORDS.iter().find(|(word, _)| *word == text) {
            return Ok(*value);
        }
        let words = || Self::WORDS.iter().map(|(word, _)| *word);
        let expected: Vec<&str> = words().collect();
        let mut misread =
            Misread::new(format!("'{}' is not a keyword here", excerpt(text)), expected.join(", "));
        misread.did_you_mean = closest(text.trim(), words());
        Err(misread)
    }

    fn word(self) -> &'static str {
        let found = Self::WORDS.iter().find(|(_, value)| *value == self);
        found.map_or("", |(word, _)| *word)
    }
}

/// Implements [`Keyword`] and [`Value`] for enumerations.
macro_rules! keywords {
    ($($T:ty { $($word:literal $value:expr,)* })*) => {$(
        impl $crate::mjcf::attr::Keyword for $T {
            const WORDS: &'static [(&'static str, $T)] = &[$(($word, $value),)*];
        }
        impl $crate::mjcf::attr::Value for $T {
            fn read(&mut self, text: &str) -> Result<(), $crate::mjcf::attr::Misread> {
                *self = $crate::mjcf::attr::Keyword::from_word(text)?;
                Ok(())
            }
            fn write(&self) -> String {
                $crate::mjcf::attr::Keyword::word(*self).to_owned()
            }
        }
    )*};
}
pub(crate) use keywords;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_enforced() {
        let mut v = [0.0; 3];
        assert!(v.read("1 2").unwrap_err().message.contains("few"));
        assert!(v.read("1 2 3 4").unwrap_err().message.contains("many"));
        assert_eq!(v, [0.0; 3]);
        v.read(" 1\t2\n3 ").unwrap();
        assert_eq!(v, [1.0, 2.0, 3.0]);
        <upto as Codec<_>>::read(&mut v, "7").unwrap();
        assert_eq!(v, [7.0, 2.0, 3.0]);
        v.read("").unwrap();
        assert_eq!(v, [7.0, 2.0, 3.0]);
    }

    #[test]
    fn numbers_are_those_of_c_and_in_range() {
        let mut x = 0.0f64;
        for bad in ["1e999", "1e-320", "1,5", "0x", "0x1g", "0x1p9999", "1 2", "--1", "1e"] {
            assert!(x.read(bad).is_err(), "{bad}");
        }
        for (text, value) in [("+.5", 0.5), ("1.", 1.0), ("-1e-3", -1e-3), ("inf", f64::INFINITY)] {
            x.read(text).unwrap();
            assert_eq!(x, value);
        }
        for (text, value) in [("0x10", 16.0), ("-0x1.8p1", -3.0), ("0X.8", 0.5), ("0e-999", 0.0)] {
            x.read(text).unwrap();
            assert_eq!(x, value);
        }
        x.read("NaN").unwrap();
        assert!(x.is_nan());
        assert_eq!(5e-324.write(), "0");
        let mut n = 0i32;
        assert!(n.read("3000000000").unwrap_err().message.contains("32 bits"));
        assert!(n.read("1.5").is_err());
        assert!(n.read(" ").is_err());
        n.read("-7").unwrap();
        assert_eq!(n, -7);
        let mut f = 0f32;
        assert!(f.read("1e39").is_err());
        assert!(f.read("1e-39").is_err());
    }

    #[test]
    fn written_numbers_read_back_to_the_same_bits() {
        for x in [0.1, 1.0 / 3.0, 1e-300, 123456789.123456789, -0.0, 2.0f64.powi(80)] {
            let mut y = 0.0f64;
            y.read(&x.write()).unwrap();
            assert_eq!(x.to_bits(), y.to_bits());
        }
    }
}
