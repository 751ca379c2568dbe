//! Reading meshes of Gmsh: file formats 2.2 and 4.1, as text or as little-endian binary data.
//!
//! As in MuJoCo, elements are segments, triangles or tetrahedra, all of one kind, and a file of
//! format 4.1 has one block of nodes and one of elements. In format 2.2 the elements may come in any
//! number of blocks; Gmsh writes one per element, fTetWild a single one.
use corten_math::memory::Grow;

/// A mesh as the file has it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Gmsh {
    /// Of the elements: 1 to 3.
    pub dim: usize,
    pub point: Vec<[f64; 3]>,
    /// One more point per element than dimensions, counted from 0.
    pub element: Vec<i32>,
}

/// Why a file is not a mesh.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GmshError {
    #[error("the file does not begin with '$MeshFormat'")]
    Magic,
    #[error("the line after '$MeshFormat' is not a version and a file type")]
    Header,
    #[error("format version {0} is not supported: save the mesh in version 2.2 or 4.1")]
    Version(String),
    #[error("section '${0}' or its end is missing")]
    Section(&'static str),
    #[error("section '${0}' ends early")]
    Short(&'static str),
    #[error("section '${section}': '{word}' is not {expected}")]
    Word { section: &'static str, word: String, expected: &'static str },
    #[error("section '${0}' does not begin with the number of its entries")]
    Count(&'static str),
    #[error("section '${0}' must have a single block")]
    Blocks(&'static str),
    #[error("node tags must be sequential: found {found} instead of {expected}")]
    Sequence { found: u64, expected: u64 },
    #[error("nodes have parametric coordinates: save the mesh without them")]
    Parametric,
    #[error("dimension {0} is not 1, 2 or 3")]
    Dimension(i64),
    #[error("element type {0} is not supported here: use segments, triangles or tetrahedra")]
    ElementType(i64),
    #[error("element {element} refers to node {node}, which does not exist")]
    Node { element: usize, node: i64 },
    #[error("the coordinates of node {0} are not finite")]
    NotFinite(usize),
}

const NODES: &str = "Nodes";
const ELEMENTS: &str = "Elements";

/// Reads a mesh.
pub fn read(bytes: &[u8]) -> Result<Gmsh, GmshError> {
    let rest = bytes.strip_prefix(b"$MeshFormat").ok_or(GmshError::Magic)?;
    let end = rest.iter().position(|&b| b == b'$').unwrap_or(rest.len());
    let header = String::from_utf8_lossy(&rest[..end]);
    let mut words = header.split_ascii_whitespace();
    let version = words.next().ok_or(GmshError::Header)?;
    let binary = words.next().and_then(|w| w.parse::<i32>().ok()).ok_or(GmshError::Header)? != 0;
    let number: f64 = version.parse().map_err(|_| GmshError::Header)?;
    let (nodes, elements) = (section(bytes, NODES)?, section(bytes, ELEMENTS)?);
    let mesh = match ((100.0 * number).round() as i64, binary) {
        (410, false) => text41(nodes, elements)?,
        (410, true) => binary41(nodes, elements)?,
        (220, false) => text22(nodes, elements)?,
        (220, true) => binary22(nodes, elements)?,
        _ => return Err(GmshError::Version(version.chars().take(20).collect())),
    };
    match mesh.point.iter().position(|x| !x.iter().all(|x| x.is_finite())) {
        Some(i) => Err(GmshError::NotFinite(i + 1)),
        None => Ok(mesh),
    }
}

/// What is between a section's first line and its end.
fn section<'a>(bytes: &'a [u8], name: &'static str) -> Result<&'a [u8], GmshError> {
    let find = |text: &str| bytes.windows(text.len()).position(|w| w == text.as_bytes());
    let missing = GmshError::Section(name);
    let begin = find(&format!("${name}")).ok_or(missing.clone())? + name.len() + 1;
    let end = find(&format!("$End{name}")).ok_or(missing.clone())?;
    let inside = bytes.get(begin..end).ok_or(missing.clone())?;
    let line = inside.iter().position(|&b| b == b'\n').ok_or(missing)?;
    Ok(&inside[line + 1..])
}

/// Words of a section.
struct Words<'a> {
    section: &'static str,
    rest: std::str::SplitAsciiWhitespace<'a>,
}

impl<'a> Words<'a> {
    fn new(section: &'static str, text: &'a str) -> Words<'a> {
        Words { section, rest: text.split_ascii_whitespace() }
    }

    fn next<T: std::str::FromStr>(&mut self, expected: &'static str) -> Result<T, GmshError> {
        let word = self.rest.next().ok_or(GmshError::Short(self.section))?;
        word.parse().map_err(|_| GmshError::Word {
            section: self.section,
            word: word.chars().take(40).collect(),
            expected,
        })
    }

    fn int(&mut self) -> Result<u64, GmshError> {
        self.next("a whole number")
    }

    fn point(&mut self) -> Result<[f64; 3], GmshError> {
        Ok([self.next("a number")?, self.next("a number")?, self.next("a number")?])
    }
}

/// Binary data of a section.
struct Bytes<'a> {
    section: &'static str,
    rest: &'a [u8],
}

impl Bytes<'_> {
    fn take<const N: usize>(&mut self) -> Result<[u8; N], GmshError> {
        let (head, tail) =
            self.rest.split_first_chunk::<N>().ok_or(GmshError::Short(self.section))?;
        self.rest = tail;
        Ok(*head)
    }

    fn int(&mut self) -> Result<i32, GmshError> {
        self.take().map(i32::from_le_bytes)
    }

    fn long(&mut self) -> Result<u64, GmshError> {
        self.take().map(u64::from_le_bytes)
    }

    fn point(&mut self) -> Result<[f64; 3], GmshError> {
        let mut x = [0.0; 3];
        for x in &mut x {
            *x = f64::from_le_bytes(self.take()?);
        }
        Ok(x)
    }

    /// Whether so many entries of so many bytes can follow.
    fn expect(&self, count: u64, size: u64) -> Result<(), GmshError> {
        let enough = count.checked_mul(size).is_some_and(|n| n <= self.rest.len() as u64);
        if enough { Ok(()) } else { Err(GmshError::Short(self.section)) }
    }
}

/// Header of a block in format 4.1.
struct Block {
    blocks: u64,
    total: u64,
    least: u64,
    dim: i64,
    /// Parametric nodes, or the type of elements.
    kind: i64,
    count: u64,
}

impl Block {
    fn check(&self, section: &'static str) -> Result<(), GmshError> {
        if self.blocks != 1 || self.total != self.count {
            return Err(GmshError::Blocks(section));
        }
        if !(1..=3).contains(&self.dim) {
            return Err(GmshError::Dimension(self.dim));
        }
        match section {
            NODES if self.kind != 0 => Err(GmshError::Parametric),
            ELEMENTS if dimension(self.kind) != Some(self.dim as usize) => {
                Err(GmshError::ElementType(self.kind))
            }
            _ => Ok(()),
        }
    }

    fn read(
        section: &'static str,
        mut long: impl FnMut(bool) -> Result<u64, GmshError>,
    ) -> Result<Block, GmshError> {
        let [blocks, total, least, _] = [long(true)?, long(true)?, long(true)?, long(true)?];
        let [dim, _, kind] = [long(false)?, long(false)?, long(false)?].map(|x| x as i64);
        let block = Block { blocks, total, least, dim, kind, count: long(true)? };
        block.check(section)?;
        Ok(block)
    }
}

/// The dimension of a type of elements.
fn dimension(kind: i64) -> Option<usize> {
    match kind {
        1 => Some(1),
        2 => Some(2),
        4 => Some(3),
        _ => None,
    }
}

impl Gmsh {
    /// Adds a corner of the element being read.
    fn corner(&mut self, node: i64, first: i64) -> Result<(), GmshError> {
        let index = node.checked_sub(first).and_then(|i| usize::try_from(i).ok());
        match index.filter(|&i| i < self.point.len()).and_then(|i| i32::try_from(i).ok()) {
            Some(i) => {
                self.element.grow_push(i);
                Ok(())
            }
            None => Err(GmshError::Node { element: self.element.len() / (self.dim + 1) + 1, node }),
        }
    }
}

fn in_sequence(found: u64, i: u64, least: u64) -> Result<(), GmshError> {
    let expected = least.wrapping_add(i);
    if found == expected { Ok(()) } else { Err(GmshError::Sequence { found, expected }) }
}

fn text41(nodes: &[u8], elements: &[u8]) -> Result<Gmsh, GmshError> {
    let (nodes, elements) = (String::from_utf8_lossy(nodes), String::from_utf8_lossy(elements));
    let mut words = Words::new(NODES, &nodes);
    let block = Block::read(NODES, |_| words.int())?;
    let mut mesh = Gmsh { dim: block.dim as usize, ..Default::default() };
    for i in 0..block.count {
        in_sequence(words.int()?, i, block.least)?;
    }
    for _ in 0..block.count {
        mesh.point.push(words.point()?);
    }
    let first = block.least as i64;
    let mut words = Words::new(ELEMENTS, &elements);
    let block = Block::read(ELEMENTS, |_| words.int())?;
    if block.dim as usize != mesh.dim {
        return Err(GmshError::Dimension(block.dim));
    }
    for _ in 0..block.count {
        words.int()?;
        for _ in 0..=mesh.dim {
            mesh.corner(words.int()? as i64, first)?;
        }
    }
    Ok(mesh)
}

fn binary41(nodes: &[u8], elements: &[u8]) -> Result<Gmsh, GmshError> {
    fn header(data: &mut Bytes<'_>) -> Result<Block, GmshError> {
        let section = data.section;
        Block::read(section, |long| match long {
            true => data.long(),
            false => data.int().map(|x| i64::from(x) as u64),
        })
    }
    let mut data = Bytes { section: NODES, rest: nodes };
    let block = header(&mut data)?;
    let mut mesh = Gmsh { dim: block.dim as usize, ..Default::default() };
    data.expect(block.count, 32)?;
    for i in 0..block.count {
        in_sequence(data.long()?, i, block.least)?;
    }
    for _ in 0..block.count {
        mesh.point.push(data.point()?);
    }
    let first = block.least as i64;
    let mut data = Bytes { section: ELEMENTS, rest: elements };
    let block = header(&mut data)?;
    if block.dim as usize != mesh.dim {
        return Err(GmshError::Dimension(block.dim));
    }
    data.expect(block.count, 8 * (mesh.dim as u64 + 2))?;
    for _ in 0..block.count {
        data.long()?;
        for _ in 0..=mesh.dim {
            mesh.corner(data.long()? as i64, first)?;
        }
    }
    Ok(mesh)
}

/// The number that stands alone on the first line, and what follows.
fn counted<'a>(section: &'static str, bytes: &'a [u8]) -> Result<(u64, &'a [u8]), GmshError> {
    let line = bytes.iter().position(|&b| b == b'\n').ok_or(GmshError::Count(section))?;
    let count = std::str::from_utf8(&bytes[..line]).ok().and_then(|text| text.trim().parse().ok());
    Ok((count.ok_or(GmshError::Count(section))?, &bytes[line + 1..]))
}

/// The type of an element of format 2.2 must be that of those before it.
fn same_type(mesh: &mut Gmsh, kind: i64) -> Result<(), GmshError> {
    let dim = dimension(kind).filter(|&dim| dim > 1 && (mesh.dim == 0 || mesh.dim == dim));
    mesh.dim = dim.ok_or(GmshError::ElementType(kind))?;
    Ok(())
}

fn text22(nodes: &[u8], elements: &[u8]) -> Result<Gmsh, GmshError> {
    let mut mesh = Gmsh::default();
    let (count, nodes) = counted(NODES, nodes)?;
    let text = String::from_utf8_lossy(nodes);
    let mut words = Words::new(NODES, &text);
    for _ in 0..count {
        words.int()?;
        mesh.point.push(words.point()?);
    }
    let (count, elements) = counted(ELEMENTS, elements)?;
    let text = String::from_utf8_lossy(elements);
    let mut words = Words::new(ELEMENTS, &text);
    for _ in 0..count {
        let [_, kind, tags] = [words.int()?, words.int()?, words.int()?];
        same_type(&mut mesh, kind as i64)?;
        for _ in 0..tags {
            words.int()?;
        }
        for _ in 0..=mesh.dim {
            mesh.corner(words.int()? as i64, 1)?;
        }
    }
    Ok(mesh)
}

fn binary22(nodes: &[u8], elements: &[u8]) -> Result<Gmsh, GmshError> {
    let mut mesh = Gmsh::default();
    let (count, rest) = counted(NODES, nodes)?;
    let mut data = Bytes { section: NODES, rest };
    data.expect(count, 28)?;
    for _ in 0..count {
        data.int()?;
        mesh.point.grow_push(data.point()?);
    }
    let (count, rest) = counted(ELEMENTS, elements)?;
    let mut data = Bytes { section: ELEMENTS, rest };
    data.expect(count, 4)?;
    let mut left = count;
    while left > 0 {
        let [kind, follow, tags] = [data.int()?, data.int()?, data.int()?];
        same_type(&mut mesh, i64::from(kind))?;
        let follow = u64::try_from(follow).ok().filter(|n| (1..=left).contains(n));
        let follow = follow.ok_or(GmshError::Count(ELEMENTS))?;
        for _ in 0..follow {
            for _ in 0..=tags.max(0) {
                data.int()?;
            }
            for _ in 0..=mesh.dim {
                mesh.corner(i64::from(data.int()?), 1)?;
            }
        }
        left -= follow;
    }
    Ok(mesh)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn square() -> Gmsh {
        Gmsh {
            dim: 2,
            point: vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.5], [0.0, 1.0, 0.0]],
            element: vec![0, 1, 2, 0, 2, 3],
        }
    }

    const TEXT41: &str = "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n1 4 1 4\n2 1 0 4\n1\n2\n3\n4\n\
        0 0 0\n1 0 0\n1 1 .5\n0 1 0\n$EndNodes\n$Elements\n1 2 1 2\n2 1 2 2\n1 1 2 3\n2 1 3 4\n$EndElements\n";
    const TEXT22: &str = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 1 1 .5\n\
        4 0 1 0\n$EndNodes\n$Elements\n2\n1 2 2 0 1 1 2 3\n2 2 0 1 3 4\n$EndElements";

    fn binary(version: &str, nodes: &[u8], elements: &[u8]) -> Vec<u8> {
        let head = format!("$MeshFormat\n{version} 1 8\n\x01\0\0\0\n$EndMeshFormat\n$Nodes\n");
        let middle: &[u8] = b"\n$EndNodes\n$Elements\n";
        [head.as_bytes(), nodes, middle, elements, b"\n$EndElements\n"].concat()
    }

    fn longs(values: &[u64]) -> Vec<u8> {
        values.iter().flat_map(|x| x.to_le_bytes()).collect()
    }

    fn ints(values: &[i32]) -> Vec<u8> {
        values.iter().flat_map(|x| x.to_le_bytes()).collect()
    }

    fn coordinates(point: &[[f64; 3]]) -> Vec<u8> {
        point.iter().flatten().flat_map(|x| x.to_le_bytes()).collect()
    }

    #[test]
    fn texts() {
        assert_eq!(read(TEXT41.as_bytes()).unwrap(), square());
        assert_eq!(read(TEXT22.as_bytes()).unwrap(), square());
        assert_eq!(read(TEXT22.replace('\n', "\r\n").as_bytes()).unwrap(), square());
    }

    #[test]
    fn binary_files() {
        let point = square().point;
        let nodes =
            [longs(&[1, 4, 1, 4]), ints(&[2, 1, 0]), longs(&[4, 1, 2, 3, 4]), coordinates(&point)];
        let elements =
            [longs(&[1, 2, 1, 2]), ints(&[2, 1, 2]), longs(&[2, 1, 1, 2, 3, 2, 1, 3, 4])];
        assert_eq!(read(&binary("4.1", &nodes.concat(), &elements.concat())).unwrap(), square());

        let mut nodes = b"4\n".to_vec();
        for (i, x) in point.iter().enumerate() {
            nodes.extend([ints(&[i as i32 + 1]), coordinates(&[*x])].concat());
        }
        let one_by_one = ints(&[2, 1, 2, 1, 0, 7, 1, 2, 3, 2, 1, 2, 2, 0, 7, 1, 3, 4]);
        let together = ints(&[2, 2, 0, 1, 1, 2, 3, 2, 1, 3, 4]);
        for data in [one_by_one, together] {
            let elements = [b"2\n".to_vec(), data].concat();
            assert_eq!(read(&binary("2.2", &nodes, &elements)).unwrap(), square());
        }
    }

    #[test]
    fn malformed_files_are_refused() {
        let refused = |text: &str| read(text.as_bytes()).unwrap_err();
        assert_eq!(refused("$Nodes"), GmshError::Magic);
        assert_eq!(refused(&TEXT41.replace("4.1", "4.0")), GmshError::Version("4.0".into()));
        assert_eq!(refused(&TEXT41.replace("$EndNodes", "")), GmshError::Section(NODES));
        assert_eq!(refused(&TEXT41.replace("2 1 3 4\n", "2 1 3\n")), GmshError::Short(ELEMENTS));
        let sequence = GmshError::Sequence { found: 3, expected: 2 };
        assert_eq!(refused(&TEXT41.replace("1\n2\n3", "1\n3")), sequence);
        assert_eq!(refused(&TEXT41.replace("1 4 1 4", "2 4 1 4")), GmshError::Blocks(NODES));
        assert_eq!(
            refused(&TEXT22.replace("$Elements\n2\n", "$Elements\n")),
            GmshError::Count(ELEMENTS)
        );
        assert_eq!(
            refused(&TEXT22.replace("1 3 4", "1 3 5")),
            GmshError::Node { element: 2, node: 5 }
        );
        assert_eq!(
            refused(&TEXT22.replace("2 2 0 1 3 4", "2 3 0 1 3 4")),
            GmshError::ElementType(3)
        );
        assert_eq!(refused(&TEXT22.replace(".5", "inf")), GmshError::NotFinite(3));
        for end in 0..TEXT41.len() - 20 {
            assert!(read(&TEXT41.as_bytes()[..end]).is_err());
        }
    }
}
