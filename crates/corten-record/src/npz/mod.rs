//! NumPy's archives of arrays: ZIP files, stored without compression, of `.npy` files.

use std::io::{self, Write};

use crate::error::RecordError;

/// Numbers of an array.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// Double precision.
    F64(Vec<f64>),
    /// Bytes.
    U8(Vec<u8>),
}

/// An array with a name.
#[derive(Clone, Debug, PartialEq)]
pub struct Array {
    /// Its name.
    pub name: String,
    /// Its size in each direction.
    pub shape: Vec<usize>,
    /// Its elements, the last index running fastest.
    pub values: Values,
}

impl Array {
    fn data(&self) -> (&'static str, Vec<u8>) {
        match &self.values {
            Values::F64(x) => ("<f8", x.iter().flat_map(|x| x.to_le_bytes()).collect()),
            Values::U8(x) => ("|u1", x.clone()),
        }
    }

    /// The `.npy` file.
    fn to_npy(&self) -> Vec<u8> {
        let (kind, data) = self.data();
        let mut shape: String = self.shape.iter().map(|n| format!("{n}, ")).collect();
        if self.shape.len() > 1 {
            shape.truncate(shape.len() - 2);
        }
        let mut header =
            format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': ({shape}), }}");
        // The data begin at a multiple of 64.
        let padding = 63 - (10 + header.len()) % 64;
        header.extend(std::iter::repeat_n(' ', padding));
        header.push('\n');
        let mut out = b"\x93NUMPY\x01\x00".to_vec();
        out.extend((header.len() as u16).to_le_bytes());
        out.extend(header.as_bytes());
        out.extend(data);
        out
    }
}

/// Writes arrays as an NPZ file.
pub fn write_npz(out: &mut impl Write, arrays: &[Array]) -> io::Result<()> {
    let too_large = || io::Error::new(io::ErrorKind::FileTooLarge, "a ZIP file holds 4 GB at most");
    let short = |n: usize| u32::try_from(n).map_err(|_| too_large());
    let mut directory = Vec::new();
    let mut offset = 0usize;
    for array in arrays {
        let name = format!("{}.npy", array.name);
        let data = array.to_npy();
        let (size, crc) = (short(data.len())?, crc32(&data));
        let mut entry = Vec::new();
        // Version, flags, method, time and date (1980-01-01).
        for field in [20u16, 0, 0, 0, 0x21] {
            entry.extend(field.to_le_bytes());
        }
        for field in [crc, size, size] {
            entry.extend(field.to_le_bytes());
        }
        entry.extend((name.len() as u16).to_le_bytes());
        entry.extend(0u16.to_le_bytes());
        out.write_all(b"PK\x03\x04")?;
        out.write_all(&entry)?;
        out.write_all(name.as_bytes())?;
        out.write_all(&data)?;
        directory.extend(b"PK\x01\x02\x14\x00");
        directory.extend(&entry);
        directory.extend([0; 10]);
        directory.extend(short(offset)?.to_le_bytes());
        directory.extend(name.as_bytes());
        offset += 4 + entry.len() + name.len() + data.len();
    }
    out.write_all(&directory)?;
    out.write_all(b"PK\x05\x06\0\0\0\0")?;
    let count = (arrays.len() as u16).to_le_bytes();
    out.write_all(&[count, count].concat())?;
    out.write_all(&short(directory.len())?.to_le_bytes())?;
    out.write_all(&short(offset)?.to_le_bytes())?;
    out.write_all(&[0, 0])
}

/// The arrays of an NPZ file, as `numpy.savez` or [`write_npz`] writes it.
pub fn read_npz(bytes: &[u8]) -> Result<Vec<Array>, RecordError> {
    let bad = |why: &str| RecordError::Format(why.to_owned());
    let end = bytes.windows(4).rposition(|w| w == b"PK\x05\x06");
    let end = end.ok_or_else(|| bad("no directory of a ZIP file at its end"))?;
    let number = |at: usize, length: usize| -> Result<usize, RecordError> {
        let field = bytes.get(at..at + length).ok_or_else(|| bad("the file ends too early"))?;
        Ok(field.iter().rev().fold(0, |sum, &byte| sum << 8 | usize::from(byte)))
    };
    let count = number(end + 10, 2)?;
    let mut at = number(end + 16, 4)?;
    let mut arrays = Vec::new();
    for _ in 0..count {
        if number(at + 10, 2)? != 0 {
            return Err(bad("its arrays are compressed: write it with numpy.savez"));
        }
        let (size, name) = (number(at + 20, 4)?, number(at + 28, 2)?);
        let (extra, comment) = (number(at + 30, 2)?, number(at + 32, 2)?);
        let start = number(at + 42, 4)?;
        let name_bytes = bytes.get(at + 46..at + 46 + name).ok_or_else(|| bad("no name"))?;
        let data = start + 30 + number(start + 26, 2)? + number(start + 28, 2)?;
        let content = bytes.get(data..data + size).ok_or_else(|| bad("an array is cut off"))?;
        let name = String::from_utf8_lossy(name_bytes).trim_end_matches(".npy").to_owned();
        arrays.push(read_npy(name, content)?);
        at += 46 + name_bytes.len() + extra + comment;
    }
    Ok(arrays)
}

fn read_npy(name: String, bytes: &[u8]) -> Result<Array, RecordError> {
    let bad = |why: &str| RecordError::Format(format!("array '{name}': {why}"));
    let (start, length) = match bytes {
        [0x93, b'N', b'U', b'M', b'P', b'Y', 1, _, a, b, ..] => {
            (10, usize::from(u16::from_le_bytes([*a, *b])))
        }
        _ => return Err(bad("no .npy file of version 1")),
    };
    let header = bytes.get(start..start + length).ok_or_else(|| bad("no header"))?;
    let header = String::from_utf8_lossy(header);
    if header.contains("'fortran_order': True") {
        return Err(bad("its order is Fortran's"));
    }
    let inside = |open: &str, close: char| {
        let rest = &header[header.find(open)? + open.len()..];
        rest.find(close).map(|end| rest[..end].to_owned())
    };
    let shape = inside("'shape': (", ')').ok_or_else(|| bad("no shape"))?;
    let shape: Result<Vec<usize>, _> =
        shape.split(',').map(str::trim).filter(|n| !n.is_empty()).map(str::parse).collect();
    let shape = shape.map_err(|_| bad("no shape"))?;
    let kind = inside("'descr': '", '\'').ok_or_else(|| bad("no type"))?;
    let data = &bytes[start + length..];
    let values = match kind.as_str() {
        "<f8" => Values::F64(data.as_chunks().0.iter().map(|b| f64::from_le_bytes(*b)).collect()),
        "<f4" => Values::F64(
            data.as_chunks().0.iter().map(|b| f64::from(f32::from_le_bytes(*b))).collect(),
        ),
        "<i8" => {
            Values::F64(data.as_chunks().0.iter().map(|b| i64::from_le_bytes(*b) as f64).collect())
        }
        "<i4" => Values::F64(
            data.as_chunks().0.iter().map(|b| f64::from(i32::from_le_bytes(*b))).collect(),
        ),
        "|u1" => Values::U8(data.to_vec()),
        _ => return Err(bad(&format!("its elements are of type {kind}"))),
    };
    let found = match &values {
        Values::F64(x) => x.len(),
        Values::U8(x) => x.len(),
    };
    let expected = shape.iter().try_fold(1usize, |product, &n| product.checked_mul(n));
    if expected != Some(found) {
        return Err(bad("its size is not that of its shape"));
    }
    Ok(Array { name, shape, values })
}

/// The checksum of ZIP files.
fn crc32(data: &[u8]) -> u32 {
    const TABLE: [u32; 256] = {
        let mut table = [0; 256];
        let mut i = 0;
        while i < 256 {
            let (mut value, mut bit) = (i as u32, 0);
            while bit < 8 {
                value = if value & 1 == 1 { 0xedb8_8320 ^ (value >> 1) } else { value >> 1 };
                bit += 1;
            }
            table[i] = value;
            i += 1;
        }
        table
    };
    !data.iter().fold(u32::MAX, |crc, &byte| TABLE[usize::from(crc as u8 ^ byte)] ^ (crc >> 8))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checksum_of_the_usual_example() {
        assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
    }

    #[test]
    fn what_is_written_is_read() {
        let arrays = [
            Array {
                name: "qpos".into(),
                shape: vec![2, 3],
                values: Values::F64(vec![1.0, -0.0, f64::MIN_POSITIVE, 0.1, 5e300, 7.0]),
            },
            Array { name: "model".into(), shape: vec![4], values: Values::U8(vec![1, 2, 3, 255]) },
            Array { name: "none".into(), shape: vec![0, 7], values: Values::F64(vec![]) },
        ];
        let mut bytes = Vec::new();
        write_npz(&mut bytes, &arrays).unwrap();
        assert_eq!(read_npz(&bytes).unwrap(), arrays);
        for end in 0..bytes.len() {
            // Whatever is cut off, nothing worse than an error.
            let _ = read_npz(&bytes[..end]);
        }
    }
}
