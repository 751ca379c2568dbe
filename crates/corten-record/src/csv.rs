//! Tables of numbers as text; every number is written so that reading it gives the same bits.

use std::io::{self, Write};

/// Writes the names of columns.
pub(crate) fn write_names(out: &mut impl Write, names: &[String]) -> io::Result<()> {
    let quoted = |name: &String| match name.contains([',', '"', '\n']) {
        true => format!("\"{}\"", name.replace('"', "\"\"")),
        false => name.clone(),
    };
    writeln!(out, "{}", names.iter().map(quoted).collect::<Vec<_>>().join(","))
}

/// Writes a row of numbers.
pub(crate) fn write_row(out: &mut impl Write, row: &[f64]) -> io::Result<()> {
    for (i, x) in row.iter().enumerate() {
        write!(out, "{}{x}", if i > 0 { "," } else { "" })?;
    }
    writeln!(out)
}
