//! NumPy's archives of arrays: ZIP files, stored without compression, of `.npy` files.
//!
//! Arrays stay in the file: what is read is what is asked for, so that a file may be larger than the
//! memory. Files and arrays beyond 4 GB have the fields of ZIP64.

mod read;
mod write;

pub use read::{Archive, Entry};
pub(crate) use write::Writer;

/// What a size or place of the old form is where the one of ZIP64 holds.
const LONG: u64 = u32::MAX as u64;
/// Number of the extra field with sizes and places of eight bytes.
const ZIP64: u16 = 1;

const LOCAL: &[u8; 4] = b"PK\x03\x04";
const CENTRAL: &[u8; 4] = b"PK\x01\x02";
const END: &[u8; 4] = b"PK\x05\x06";
const END64: &[u8; 4] = b"PK\x06\x06";
const LOCATOR64: &[u8; 4] = b"PK\x06\x07";

/// Type of the elements of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Double precision.
    F64,
    /// Single precision.
    F32,
    /// Whole numbers of eight bytes.
    I64,
    /// Whole numbers of four bytes.
    I32,
    /// Bytes.
    U8,
}

impl Kind {
    const ALL: [Kind; 5] = [Kind::F64, Kind::F32, Kind::I64, Kind::I32, Kind::U8];

    /// As `.npy` files name it.
    fn name(self) -> &'static str {
        match self {
            Kind::F64 => "<f8",
            Kind::F32 => "<f4",
            Kind::I64 => "<i8",
            Kind::I32 => "<i4",
            Kind::U8 => "|u1",
        }
    }

    /// Bytes of an element.
    fn size(self) -> usize {
        match self {
            Kind::F64 | Kind::I64 => 8,
            Kind::F32 | Kind::I32 => 4,
            Kind::U8 => 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    fn written() -> Vec<u8> {
        let mut out = Cursor::new(Vec::new());
        let mut writer = Writer::new(&mut out);
        writer.begin("qpos", &[2, 3], Kind::F64).unwrap();
        writer.numbers(&[1.0, -0.0, f64::MIN_POSITIVE]).unwrap();
        writer.numbers(&[0.1, 5e300, 7.0]).unwrap();
        writer.begin("model", &[4], Kind::U8).unwrap();
        writer.bytes(&[1, 2, 3, 255]).unwrap();
        writer.begin("none", &[0, 7], Kind::F64).unwrap();
        writer.finish().unwrap();
        out.into_inner()
    }

    #[test]
    fn what_is_written_is_read() {
        let archive = Archive::from_bytes(written()).unwrap();
        let names: Vec<&str> = archive.entries().iter().map(|e| e.name.as_str()).collect();
        assert_eq!(names, ["qpos", "model", "none"]);
        let qpos = archive.find("qpos").unwrap();
        assert_eq!((&qpos.shape[..], qpos.kind), (&[2, 3][..], Kind::F64));
        let mut all = [1.0; 6];
        archive.read(qpos, 0, &mut all).unwrap();
        assert_eq!(
            all.map(f64::to_bits),
            [1.0, -0.0, f64::MIN_POSITIVE, 0.1, 5e300, 7.0].map(f64::to_bits)
        );
        let mut part = [0.0; 2];
        archive.read(qpos, 3, &mut part).unwrap();
        assert_eq!(part, [0.1, 5e300]);
        assert!(archive.read(qpos, 5, &mut part).is_err());
        assert_eq!(archive.bytes(archive.find("model").unwrap()).unwrap(), [1, 2, 3, 255]);
        assert_eq!(archive.find("none").unwrap().len(), 0);
        assert!(archive.find("nothing").is_err());
    }

    #[test]
    fn what_is_cut_off_or_changed_is_at_worst_an_error() {
        let bytes = written();
        let look = |bytes: &[u8]| {
            let Ok(archive) = Archive::from_bytes(bytes.to_vec()) else { return };
            for entry in archive.entries() {
                let mut numbers = vec![0.0; entry.len().min(100)];
                let _ = archive.read(entry, 0, &mut numbers);
            }
        };
        (0..bytes.len()).for_each(|end| look(&bytes[..end]));
        for at in 0..bytes.len() {
            for value in [0, 1, 0x7f, 0xff] {
                let mut changed = bytes.clone();
                changed[at] = value;
                look(&changed);
            }
        }
    }
}
