//! Writing, array by array and piece by piece.

use std::io::{self, Seek, SeekFrom, Write};

use super::{CENTRAL, END, END64, Kind, LOCAL, LOCATOR64, LONG, ZIP64};

/// Writes arrays one after another, none of them held in memory.
pub(crate) struct Writer<'a, W> {
    out: &'a mut W,
    written: u64,
    directory: Vec<u8>,
    count: u64,
    open: Option<Open>,
}

/// The array that is being written.
struct Open {
    name: String,
    start: u64,
    size: u64,
    /// Bytes that are still to come.
    left: u64,
    crc: u32,
}

/// Numbers of a record, least byte first.
#[derive(Default)]
struct Record(Vec<u8>);

impl Record {
    fn short(mut self, value: u16) -> Record {
        self.0.extend(value.to_le_bytes());
        self
    }

    fn word(mut self, value: u32) -> Record {
        self.0.extend(value.to_le_bytes());
        self
    }

    fn long(mut self, value: u64) -> Record {
        self.0.extend(value.to_le_bytes());
        self
    }
}

/// A number of the old form, or what says that the one of ZIP64 holds.
fn narrow(value: u64) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}

fn is_long(value: u64) -> bool {
    value >= LONG
}

impl<W: Write + Seek> Writer<'_, W> {
    /// Into a file that is empty so far.
    pub(crate) fn new(out: &mut W) -> Writer<'_, W> {
        Writer { out, written: 0, directory: Vec::new(), count: 0, open: None }
    }

    fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.written += bytes.len() as u64;
        self.out.write_all(bytes)
    }

    /// Begins an array, whose elements are to follow.
    pub(crate) fn begin(&mut self, name: &str, shape: &[usize], kind: Kind) -> io::Result<()> {
        self.end()?;
        let header = npy_header(shape, kind);
        let elements: u64 = shape.iter().map(|&n| n as u64).product();
        let size = header.len() as u64 + elements * kind.size() as u64;
        let name = format!("{name}.npy");
        let extra = match is_long(size) {
            true => Record::default().short(ZIP64).short(16).long(size).long(size),
            false => Record::default(),
        };
        self.open = Some(Open { start: self.written, size, left: size, crc: u32::MAX, name });
        let open = self.open.as_ref().map(|open| open.local(extra.0.len())).unwrap_or_default();
        self.put(&open)?;
        self.put(&extra.0)?;
        self.content(&header)
    }

    fn content(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.put(bytes)?;
        let many = || io::Error::other("more numbers than the array has");
        let open = self.open.as_mut().ok_or_else(many)?;
        open.left = open.left.checked_sub(bytes.len() as u64).ok_or_else(many)?;
        open.crc = crc32(open.crc, bytes);
        Ok(())
    }

    /// The next numbers of the array.
    pub(crate) fn numbers(&mut self, numbers: &[f64]) -> io::Result<()> {
        let mut bytes = [0; 8 * 64];
        for numbers in numbers.chunks(64) {
            let room = bytes.as_chunks_mut::<8>().0;
            room.iter_mut().zip(numbers).for_each(|(room, x)| *room = x.to_le_bytes());
            self.content(&bytes[..8 * numbers.len()])?;
        }
        Ok(())
    }

    /// The next bytes of the array.
    pub(crate) fn bytes(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.content(bytes)
    }

    /// Ends an array: its checksum goes to its beginning.
    fn end(&mut self) -> io::Result<()> {
        let Some(open) = self.open.take() else { return Ok(()) };
        if open.left != 0 {
            return Err(io::Error::other("fewer numbers than the array has"));
        }
        self.out.seek(SeekFrom::Start(open.start + 14))?;
        self.out.write_all(&(!open.crc).to_le_bytes())?;
        self.out.seek(SeekFrom::Start(self.written))?;
        self.directory.extend(open.central());
        self.count += 1;
        Ok(())
    }

    /// Writes the directory.
    pub(crate) fn finish(mut self) -> io::Result<()> {
        self.end()?;
        let (start, size) = (self.written, self.directory.len() as u64);
        let directory = std::mem::take(&mut self.directory);
        self.put(&directory)?;
        if is_long(start) || is_long(size) {
            let at = self.written;
            // Its size from here on, versions, and this one disk.
            let record = Record::default().long(44).short(45).short(45).word(0).word(0);
            let record = record.long(self.count).long(self.count).long(size).long(start);
            self.put(END64)?;
            self.put(&record.0)?;
            self.put(LOCATOR64)?;
            self.put(&Record::default().word(0).long(at).word(1).0)?;
        }
        let count = u16::try_from(self.count).unwrap_or(u16::MAX);
        let end = Record::default().short(0).short(0).short(count).short(count);
        self.put(END)?;
        self.put(&end.word(narrow(size)).word(narrow(start)).short(0).0)
    }
}

impl Open {
    /// What the entries at the beginning and in the directory have in common.
    fn fields(&self, extra: usize) -> Vec<u8> {
        // Version, flags, method, time and date (1980-01-01).
        let version = if extra > 0 { 45 } else { 20 };
        let record = Record::default().short(version).short(0).short(0).short(0).short(0x21);
        let record = record.word(!self.crc).word(narrow(self.size)).word(narrow(self.size));
        record.short(self.name.len() as u16).short(extra as u16).0
    }

    fn local(&self, extra: usize) -> Vec<u8> {
        [LOCAL, &self.fields(extra)[..], self.name.as_bytes()].concat()
    }

    fn central(&self) -> Vec<u8> {
        let mut extra = Record::default();
        if is_long(self.size) {
            extra = extra.long(self.size).long(self.size);
        }
        if is_long(self.start) {
            extra = extra.long(self.start);
        }
        if !extra.0.is_empty() {
            let length = extra.0.len() as u16;
            extra.0.splice(0..0, Record::default().short(ZIP64).short(length).0);
        }
        let fields = self.fields(extra.0.len());
        // Comment, disk and attributes: none.
        let rest = Record([0; 10].to_vec()).word(narrow(self.start)).0;
        [CENTRAL, &[0x2d, 0][..], &fields, &rest, self.name.as_bytes(), &extra.0].concat()
    }
}

/// The beginning of a `.npy` file.
fn npy_header(shape: &[usize], kind: Kind) -> Vec<u8> {
    let mut text: String = shape.iter().map(|n| format!("{n}, ")).collect();
    if shape.len() > 1 {
        text.truncate(text.len() - 2);
    }
    let name = kind.name();
    let mut header = format!("{{'descr': '{name}', 'fortran_order': False, 'shape': ({text}), }}");
    // The data begin at a multiple of 64.
    let padding = 63 - (10 + header.len()) % 64;
    header.extend(std::iter::repeat_n(' ', padding));
    header.push('\n');
    let mut out = b"\x93NUMPY\x01\x00".to_vec();
    out.extend((header.len() as u16).to_le_bytes());
    out.extend(header.as_bytes());
    out
}

/// The checksum of ZIP files, continued; it begins with all bits set, and its complement is stored.
fn crc32(crc: u32, data: &[u8]) -> u32 {
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
    data.iter().fold(crc, |crc, &byte| TABLE[usize::from(crc as u8 ^ byte)] ^ (crc >> 8))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checksum_of_the_usual_example() {
        assert_eq!(!crc32(crc32(u32::MAX, b"1234"), b"56789"), 0xcbf4_3926);
    }
}
