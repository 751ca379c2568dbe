//! Tables of numbers as text; every number is written so that reading it gives the same bits.

use std::io::{self, Write};

/// Writes columns under their names.
pub(crate) fn write_csv(
    out: &mut impl Write,
    names: &[String],
    rows: impl Iterator<Item = impl Iterator<Item = f64>>,
) -> io::Result<()> {
    let quoted = |name: &String| match name.contains([',', '"', '\n']) {
        true => format!("\"{}\"", name.replace('"', "\"\"")),
        false => name.clone(),
    };
    writeln!(out, "{}", names.iter().map(quoted).collect::<Vec<_>>().join(","))?;
    for row in rows {
        writeln!(out, "{}", row.map(|x| x.to_string()).collect::<Vec<_>>().join(","))?;
    }
    Ok(())
}
