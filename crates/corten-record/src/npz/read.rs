//! Reading: the directory when a file is opened, elements of arrays when they are asked for.

use std::io::{self, Cursor, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::{CENTRAL, END, END64, Kind, LOCAL, LOCATOR64, LONG, ZIP64};
use crate::error::RecordError;

/// What arrays are read from.
trait Source: Read + Seek + Send {}

impl<T: Read + Seek + Send> Source for T {}

/// An NPZ file, as `numpy.savez` or a [`Recorder`](crate::Recorder) writes it. Its arrays stay where
/// they are until they are asked for.
pub struct Archive {
    path: PathBuf,
    source: Mutex<Box<dyn Source>>,
    entries: Vec<Entry>,
}

/// An array of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its name.
    pub name: String,
    /// Its size in each direction.
    pub shape: Vec<usize>,
    /// Type of its elements.
    pub kind: Kind,
    /// Where its elements begin, the last index running fastest.
    start: u64,
}

impl Entry {
    /// Number of its elements.
    pub fn len(&self) -> usize {
        self.shape.iter().product()
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl std::fmt::Debug for Archive {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.debug_struct("Archive").field("path", &self.path).field("entries", &self.entries).finish()
    }
}

impl Archive {
    /// Looks into a file.
    pub fn open(path: &Path) -> Result<Archive, RecordError> {
        let file = std::fs::File::open(path).map_err(RecordError::file(path))?;
        Archive::new(path.to_owned(), Box::new(file))
    }

    /// Looks into the contents of a file.
    pub fn from_bytes(bytes: Vec<u8>) -> Result<Archive, RecordError> {
        Archive::new(PathBuf::new(), Box::new(Cursor::new(bytes)))
    }

    fn new(path: PathBuf, mut source: Box<dyn Source>) -> Result<Archive, RecordError> {
        let read = directory(&mut *source);
        let entries = read.map_err(|trouble| trouble.about(&path))?;
        Ok(Archive { path, source: Mutex::new(source), entries })
    }

    /// Its arrays.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// An array by its name.
    pub fn find(&self, name: &str) -> Result<&Entry, RecordError> {
        self.entries.iter().find(|entry| entry.name == name).ok_or_else(|| {
            let known: Vec<&str> = self.entries.iter().map(|entry| entry.name.as_str()).collect();
            RecordError::NoArray { name: name.to_owned(), known: known.join(", ") }
        })
    }

    /// Elements of an array, beginning with the given one, as numbers.
    pub fn read(&self, entry: &Entry, first: usize, out: &mut [f64]) -> Result<(), RecordError> {
        let end = first.checked_add(out.len()).filter(|&end| end <= entry.len());
        if end.is_none() {
            let name = &entry.name;
            return Err(RecordError::Format(format!(
                "array '{name}' ends before what is asked for"
            )));
        }
        let size = entry.kind.size();
        let mut bytes = [0; 4096];
        let mut source = self.source.lock().unwrap_or_else(PoisonError::into_inner);
        let mut work = || -> io::Result<()> {
            source.seek(SeekFrom::Start(entry.start + (first * size) as u64))?;
            for out in out.chunks_mut(bytes.len() / size) {
                let bytes = &mut bytes[..out.len() * size];
                source.read_exact(bytes)?;
                convert(entry.kind, bytes, out);
            }
            Ok(())
        };
        work().map_err(|error| Trouble::Io(error).about(&self.path))
    }

    /// All bytes of an array of bytes.
    pub fn bytes(&self, entry: &Entry) -> Result<Vec<u8>, RecordError> {
        if entry.kind != Kind::U8 {
            return Err(RecordError::Format(format!("array '{}' is not of bytes", entry.name)));
        }
        let mut source = self.source.lock().unwrap_or_else(PoisonError::into_inner);
        let read = bytes_at(&mut **source, entry.start, entry.len() as u64);
        read.map_err(|trouble| trouble.about(&self.path))
    }
}

/// Elements as numbers.
fn convert(kind: Kind, bytes: &[u8], out: &mut [f64]) {
    fn each<const N: usize>(bytes: &[u8], out: &mut [f64], number: impl Fn([u8; N]) -> f64) {
        out.iter_mut().zip(bytes.as_chunks().0).for_each(|(out, bytes)| *out = number(*bytes));
    }
    match kind {
        Kind::F64 => each(bytes, out, f64::from_le_bytes),
        Kind::F32 => each(bytes, out, |b| f32::from_le_bytes(b).into()),
        Kind::I64 => each(bytes, out, |b| i64::from_le_bytes(b) as f64),
        Kind::I32 => each(bytes, out, |b| i32::from_le_bytes(b).into()),
        Kind::U8 => each(bytes, out, |[b]: [u8; 1]| b.into()),
    }
}

/// What is wrong with a file.
enum Trouble {
    Format(String),
    Io(io::Error),
}

impl From<io::Error> for Trouble {
    fn from(error: io::Error) -> Trouble {
        Trouble::Io(error)
    }
}

impl Trouble {
    fn about(self, path: &Path) -> RecordError {
        match self {
            Trouble::Format(why) if path.as_os_str().is_empty() => RecordError::Format(why),
            Trouble::Format(why) => RecordError::Format(format!("{}: {why}", path.display())),
            Trouble::Io(error) => RecordError::file(path)(error),
        }
    }
}

fn bad<T>(why: impl Into<String>) -> Result<T, Trouble> {
    Err(Trouble::Format(why.into()))
}

/// A part of a file, which must be there before memory for it is taken.
fn bytes_at(source: &mut dyn Source, start: u64, length: u64) -> Result<Vec<u8>, Trouble> {
    let whole = source.seek(SeekFrom::End(0))?;
    if start.checked_add(length).is_none_or(|end| end > whole) {
        return bad("the file ends too early");
    }
    source.seek(SeekFrom::Start(start))?;
    let mut bytes = vec![0; length as usize];
    source.read_exact(&mut bytes)?;
    Ok(bytes)
}

/// A number of so many bytes, the least one first.
fn number(bytes: &[u8], at: usize, length: usize) -> Result<u64, Trouble> {
    match bytes.get(at..at.saturating_add(length)) {
        Some(field) => Ok(field.iter().rev().fold(0, |sum, &byte| sum << 8 | u64::from(byte))),
        None => bad("the file ends too early"),
    }
}

/// The arrays of a file.
fn directory(source: &mut dyn Source) -> Result<Vec<Entry>, Trouble> {
    // The last record, behind which there may be a comment of 64 kB.
    let whole = source.seek(SeekFrom::End(0))?;
    let tail_start = whole.saturating_sub(22 + 65_535 + 20);
    let tail = bytes_at(source, tail_start, whole - tail_start)?;
    let Some(end) = tail.windows(4).rposition(|w| w == END) else {
        return bad("no directory of a ZIP file at its end");
    };
    let mut size = number(&tail, end + 12, 4)?;
    let mut start = number(&tail, end + 16, 4)?;
    if size == LONG || start == LONG {
        let Some(locator) = end.checked_sub(20).filter(|&at| tail[at..].starts_with(LOCATOR64))
        else {
            return bad("no directory of a large ZIP file");
        };
        let record = bytes_at(source, number(&tail, locator + 8, 8)?, 56)?;
        if !record.starts_with(END64) {
            return bad("no directory of a large ZIP file");
        }
        (size, start) = (number(&record, 40, 8)?, number(&record, 48, 8)?);
    }
    let list = bytes_at(source, start, size)?;
    let mut entries = Vec::new();
    let mut at = 0;
    while list[at..].starts_with(CENTRAL) {
        let record = &list[at..];
        let length = |k: usize| number(record, k, 2).map(|n| n as usize);
        let (name, extra, comment) = (length(28)?, length(30)?, length(32)?);
        let end = 46 + name + extra + comment;
        if end > record.len() {
            return bad("the file ends too early");
        }
        entries.push(entry(source, record, &record[46..46 + name], &record[46 + name..][..extra])?);
        at += end;
    }
    Ok(entries)
}

/// An array, by its record in the directory.
fn entry(
    source: &mut dyn Source,
    record: &[u8],
    name: &[u8],
    extra: &[u8],
) -> Result<Entry, Trouble> {
    let name = String::from_utf8_lossy(name).trim_end_matches(".npy").to_owned();
    if number(record, 10, 2)? != 0 {
        return bad("its arrays are compressed: write it with numpy.savez");
    }
    let mut fields = [number(record, 24, 4)?, number(record, 20, 4)?, number(record, 42, 4)?];
    if fields.contains(&LONG) {
        widen(&mut fields, extra)?;
    }
    let [_, size, start] = fields;
    let local = bytes_at(source, start, 30)?;
    if !local.starts_with(LOCAL) {
        return bad("an array is not where the directory says");
    }
    let skipped = 30 + number(&local, 26, 2)? + number(&local, 28, 2)?;
    let Some(start) = start.checked_add(skipped) else { return bad("the file ends too early") };
    let whole = source.seek(SeekFrom::End(0))?;
    if start.checked_add(size).is_none_or(|end| end > whole) {
        return bad(format!("array '{name}' is cut off"));
    }
    npy(source, name, start, size)
}

/// Takes sizes and place from the field of ZIP64, which has those that do not fit, in order.
fn widen(fields: &mut [u64; 3], extra: &[u8]) -> Result<(), Trouble> {
    let mut at = 0;
    while at < extra.len() {
        let (kind, length) = (number(extra, at, 2)?, number(extra, at + 2, 2)? as usize);
        if kind == u64::from(ZIP64) {
            let mut next = at + 4;
            for field in fields.iter_mut().filter(|field| **field == LONG) {
                *field = number(extra, next, 8)?;
                next += 8;
            }
            return Ok(());
        }
        at += 4 + length;
    }
    Ok(())
}

/// The array of a `.npy` file that is a part of the file.
fn npy(source: &mut dyn Source, name: String, start: u64, size: u64) -> Result<Entry, Trouble> {
    let wrong = |why: &str| bad(format!("array '{name}': {why}"));
    let Ok(begin) = bytes_at(source, start, size.min(10)) else { return wrong("no header") };
    let length = match begin[..] {
        [0x93, b'N', b'U', b'M', b'P', b'Y', 1, _, a, b] => u64::from(u16::from_le_bytes([a, b])),
        _ => return wrong("no .npy file of version 1"),
    };
    let Some(content) = size.checked_sub(10 + length) else { return wrong("no header") };
    let header = bytes_at(source, start + 10, length)?;
    let header = String::from_utf8_lossy(&header);
    if header.contains("'fortran_order': True") {
        return wrong("its order is Fortran's");
    }
    let inside = |open: &str, close: char| {
        let rest = &header[header.find(open)? + open.len()..];
        rest.find(close).map(|end| &rest[..end])
    };
    let numbers = inside("'shape': (", ')').map(|text| {
        let words = text.split(',').map(str::trim).filter(|word| !word.is_empty());
        words.map(str::parse).collect::<Result<Vec<usize>, _>>()
    });
    let Some(Ok(shape)) = numbers else { return wrong("no shape") };
    let Some(kind_name) = inside("'descr': '", '\'') else { return wrong("no type") };
    let Some(kind) = Kind::ALL.into_iter().find(|kind| kind.name() == kind_name) else {
        return wrong(&format!("its elements are of type {kind_name}"));
    };
    let bytes = shape.iter().try_fold(kind.size(), |product, &n| product.checked_mul(n));
    if bytes.is_none_or(|bytes| bytes as u64 != content) {
        return wrong("its size is not that of its shape");
    }
    Ok(Entry { name, shape, kind, start: start + 10 + length })
}
