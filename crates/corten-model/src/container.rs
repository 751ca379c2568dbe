//! A file of named flat arrays: the form in which models and reference data are stored.
//!
//! Layout, little-endian: the magic `CORTENAR`, a `u32` version, a `u32` number of entries; per
//! entry a `u16` name length, the UTF-8 name, a `u8` scalar type, a `u64` number of scalars, the
//! scalars; at the end the 64-bit FNV-1a hash of everything before it.

use crate::arrays::{ArrayRef, ScalarKind, is_mjb};

const MAGIC: &[u8; 8] = b"CORTENAR";
const VERSION: u32 = 1;
const CHECKSUM_BYTES: usize = 8;

/// The scalars of one entry.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    F64(Vec<f64>),
    F32(Vec<f32>),
    I32(Vec<i32>),
    U8(Vec<u8>),
}

impl Values {
    pub fn as_ref(&self) -> ArrayRef<'_> {
        match self {
            Values::F64(v) => ArrayRef::F64(v),
            Values::F32(v) => ArrayRef::F32(v),
            Values::I32(v) => ArrayRef::I32(v),
            Values::U8(v) => ArrayRef::U8(v),
        }
    }
}

/// A named array.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    pub name: String,
    pub values: Values,
}

/// Why a file is not a valid container.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ContainerError {
    #[error("not a CortenForge array file: it does not start with CORTENAR")]
    Foreign,
    #[error("the file is empty")]
    Empty,
    #[error("this is a binary model of MuJoCo (.mjb), not a file of named arrays")]
    Mujoco,
    #[error("this is XML text, not a binary model: load it as MJCF or URDF")]
    Xml,
    #[error("array file of version {found}, this build reads version {VERSION}")]
    Version { found: u32 },
    #[error("the array file is damaged: its checksum does not match its content")]
    Checksum,
    #[error("the array file is damaged at byte {offset}: {what}")]
    Damaged { offset: usize, what: &'static str },
}

/// Writes entries in order.
pub fn write<'a>(entries: impl IntoIterator<Item = (&'a str, ArrayRef<'a>)>) -> Vec<u8> {
    let mut out = Vec::new();
    out.extend_from_slice(MAGIC);
    out.extend_from_slice(&VERSION.to_le_bytes());
    let count_at = out.len();
    out.extend_from_slice(&[0; 4]);
    let mut count = 0u32;
    for (name, values) in entries {
        count += 1;
        out.extend_from_slice(&(name.len() as u16).to_le_bytes());
        out.extend_from_slice(name.as_bytes());
        let (kind, bytes): (u8, &[u8]) = match values {
            ArrayRef::F64(v) => (0, bytemuck::cast_slice(v)),
            ArrayRef::F32(v) => (1, bytemuck::cast_slice(v)),
            ArrayRef::I32(v) => (2, bytemuck::cast_slice(v)),
            ArrayRef::U8(v) => (3, v),
        };
        out.push(kind);
        out.extend_from_slice(&(values.len() as u64).to_le_bytes());
        out.extend_from_slice(bytes);
    }
    out[count_at..count_at + 4].copy_from_slice(&count.to_le_bytes());
    let checksum = fnv1a(&out);
    out.extend_from_slice(&checksum.to_le_bytes());
    out
}

/// Reads all entries; refuses foreign, newer, truncated or altered files.
pub fn read(bytes: &[u8]) -> Result<Vec<Entry>, ContainerError> {
    if !bytes.starts_with(MAGIC) {
        return Err(foreign(bytes));
    }
    let mut r = Reader { bytes, at: MAGIC.len() };
    let version = u32::from_le_bytes(r.take()?);
    if version != VERSION {
        return Err(ContainerError::Version { found: version });
    }
    let Some(body) = bytes.len().checked_sub(CHECKSUM_BYTES) else {
        return Err(ContainerError::Checksum);
    };
    if fnv1a(&bytes[..body]).to_le_bytes() != bytes[body..] {
        return Err(ContainerError::Checksum);
    }
    r.bytes = &bytes[..body];
    let count = u32::from_le_bytes(r.take()?);
    let mut entries = Vec::new();
    for _ in 0..count {
        let name_len = u16::from_le_bytes(r.take()?) as usize;
        let name = std::str::from_utf8(r.slice(name_len)?)
            .map_err(|_| r.damaged("a name is not UTF-8"))?
            .to_owned();
        let [kind] = r.take()?;
        let kind = match kind {
            0 => ScalarKind::F64,
            1 => ScalarKind::F32,
            2 => ScalarKind::I32,
            3 => ScalarKind::U8,
            _ => return Err(r.damaged("unknown scalar type")),
        };
        let len = usize::try_from(u64::from_le_bytes(r.take()?))
            .map_err(|_| r.damaged("array too long"))?;
        let values = match kind {
            ScalarKind::F64 => Values::F64(r.scalars(len, f64::from_le_bytes)?),
            ScalarKind::F32 => Values::F32(r.scalars(len, f32::from_le_bytes)?),
            ScalarKind::I32 => Values::I32(r.scalars(len, i32::from_le_bytes)?),
            ScalarKind::U8 => Values::U8(r.scalars(len, u8::from_le_bytes)?),
        };
        entries.push(Entry { name, values });
    }
    if r.at != body {
        return Err(r.damaged("bytes after the last entry"));
    }
    Ok(entries)
}

/// What a file is that is not ours.
fn foreign(bytes: &[u8]) -> ContainerError {
    match bytes.trim_ascii_start() {
        [] => ContainerError::Empty,
        [b'<', ..] | [0xef, 0xbb, 0xbf, b'<', ..] => ContainerError::Xml,
        _ if is_mjb(bytes) => ContainerError::Mujoco,
        _ => ContainerError::Foreign,
    }
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn damaged(&self, what: &'static str) -> ContainerError {
        ContainerError::Damaged { offset: self.at, what }
    }

    fn slice(&mut self, n: usize) -> Result<&'a [u8], ContainerError> {
        let end = self.at.checked_add(n).filter(|&end| end <= self.bytes.len());
        let end = end.ok_or_else(|| self.damaged("it ends early"))?;
        let slice = &self.bytes[self.at..end];
        self.at = end;
        Ok(slice)
    }

    fn take<const N: usize>(&mut self) -> Result<[u8; N], ContainerError> {
        let mut out = [0; N];
        out.copy_from_slice(self.slice(N)?);
        Ok(out)
    }

    fn scalars<T, const N: usize>(
        &mut self,
        len: usize,
        from: fn([u8; N]) -> T,
    ) -> Result<Vec<T>, ContainerError> {
        let bytes = len.checked_mul(N).ok_or_else(|| self.damaged("array too long"))?;
        let (chunks, _) = self.slice(bytes)?.as_chunks::<N>();
        Ok(chunks.iter().map(|c| from(*c)).collect())
    }
}

fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &b| {
        (hash ^ u64::from(b)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Vec<u8> {
        write([
            ("qpos0", ArrayRef::F64(&[1.5, -2.0])),
            ("ids", ArrayRef::I32(&[7])),
            ("rgba", ArrayRef::F32(&[0.5])),
            ("flags", ArrayRef::U8(&[])),
        ])
    }

    #[test]
    fn round_trip() {
        let entries = read(&sample()).unwrap();
        assert_eq!(entries.len(), 4);
        assert_eq!(entries[0].values, Values::F64(vec![1.5, -2.0]));
        assert_eq!(entries[1].name, "ids");
    }

    #[test]
    fn foreign_files_are_told_apart() {
        assert_eq!(read(b""), Err(ContainerError::Empty));
        assert_eq!(read(b" <mujoco/>"), Err(ContainerError::Xml));
        assert_eq!(read(&[0x31, 0xd4, 0, 0, 8, 0, 0, 0]), Err(ContainerError::Mujoco));
        assert_eq!(read(b"PK\x03\x04"), Err(ContainerError::Foreign));
    }

    #[test]
    fn every_damaged_byte_is_noticed() {
        let good = sample();
        for i in 0..good.len() {
            let mut bad = good.clone();
            bad[i] ^= 0x10;
            assert!(read(&bad).is_err(), "byte {i}");
            assert!(read(&good[..i]).is_err(), "truncated to {i}");
        }
    }
}
