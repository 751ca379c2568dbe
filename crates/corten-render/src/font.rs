//! Letters, made of strokes, so that they are smooth in every size.

use crate::buffer::{Buffer, Rect};
use crate::linear::V3;

/// Strokes of the characters from space to tilde. Each stroke is a line through points of a grid,
/// two digits each: x from 0 to 4, y with the baseline at 2, small letters up to 6, capitals up to 8.
#[rustfmt::skip]
const STROKES: [&str; 95] = [
    "", "2824 2222", "1816 3836", "1218 3238 0444 0646", "473818070615354443321203 2921",
    "0248 0708181707 3332424333", "420607182827260403122244", "2826", "38272332", "18272312",
    "2723 0446 0644", "2723 0545", "222110", "1535", "2222", "0148",
    "030718384743321203 1337", "072822 1232", "07183847460242", "07183847463525 354443321203",
    "32380444", "480805354443321203", "4738180703123243443505", "084812",
    "15060718384746351504031232434435", "0312324347381807061545",
    "2525 2222", "2525 222110", "380532", "0646 0444", "184512", "07183847462524 2222",
    "4212030718384744343626152434",
    "022842 1434", "02083847463505 3544433202", "4738180703123243", "02083847433202",
    "48080242 0535", "480802 0535", "47381807031232434525", "0802 4842 0545",
    "1838 2822 1232", "4843321203", "0802 480542", "080242", "0208254842", "02084248",
    "030718384743321203", "02083847463505", "030718384743321203 2442", "02083847463505 2542",
    "473818070615354443321203", "0848 2822", "080312324348", "082248", "0812253248", "0842 4802",
    "082548 2522", "08480242", "38181232", "0842", "18383212", "062846", "0141", "1827",
    "16364542 441403123243", "0802 0516364543321203", "4536160503123243", "4842 4536160503123243",
    "04444536160503123243", "47382722 1636", "4641301001 4536160503123243", "0802 0516364542",
    "162622 1232 2828", "262110 2828", "0802 360442", "182822 1232", "0602 05162522 25364542",
    "0602 0516364542", "050312324345361605", "0600 0516364543321203", "4640 4536160503123243",
    "0602 05163645", "45361605143443321203", "28233243 1636", "0603123243 4642", "062246",
    "0612243246", "0642 4602", "0623 4610", "06460242", "38272615242332", "2820",
    "18272635242312", "05163445",
];

/// Letters of one size.
#[derive(Clone, Debug)]
pub(crate) struct Font {
    /// Height of a line in pixels.
    pub height: i32,
    /// Widths of characters in pixels.
    pub width: [i32; 127],
    glyphs: Vec<Glyph>,
}

/// How much of each pixel a character covers, rows from the bottom.
#[derive(Clone, Debug)]
struct Glyph {
    width: usize,
    cover: Vec<f32>,
}

impl Font {
    /// Letters for lines of a height in pixels.
    pub(crate) fn new(height: i32, bold: f32) -> Font {
        let unit = height as f32 * 0.092;
        let glyphs: Vec<Glyph> = STROKES
            .iter()
            .map(|strokes| Glyph::new(strokes, height as usize, unit, bold))
            .collect();
        let mut width = [0; 127];
        for (w, glyph) in width[32..].iter_mut().zip(&glyphs) {
            *w = glyph.width as i32;
        }
        Font { height, width, glyphs }
    }

    /// Width of a text in pixels.
    pub(crate) fn measure(&self, text: &str) -> i32 {
        text.chars().map(|c| self.glyph(c).width as i32).sum()
    }

    /// A character; a question mark stands for what is not in the font.
    fn glyph(&self, c: char) -> &Glyph {
        let code = (c as usize).checked_sub(32).filter(|&code| code < self.glyphs.len());
        &self.glyphs[code.unwrap_or('?' as usize - 32)]
    }

    /// Writes a line of text; `(x, y)` is its lower left corner, and nothing leaves `clip`.
    pub(crate) fn write(&self, out: &mut Buffer, clip: Rect, x: i32, y: i32, text: &str, rgb: V3) {
        let mut left = x;
        for c in text.chars() {
            let glyph = self.glyph(c);
            for (i, &cover) in glyph.cover.iter().enumerate().filter(|(_, cover)| **cover > 0.0) {
                let (px, py) = (left + (i % glyph.width) as i32, y + (i / glyph.width) as i32);
                if px >= 0 && py >= 0 && clip.contains(px, py) && (px as usize) < out.width {
                    out.blend(px as usize, py as usize, rgb, cover);
                }
            }
            left += glyph.width as i32;
        }
    }
}

impl Glyph {
    fn new(strokes: &str, height: usize, unit: f32, bold: f32) -> Glyph {
        let lines: Vec<Vec<[f32; 2]>> = strokes
            .split_whitespace()
            .map(|line| {
                let digits: Vec<f32> = line.bytes().map(|b| f32::from(b - b'0')).collect();
                digits.as_chunks::<2>().0.to_vec()
            })
            .collect();
        let columns = || lines.iter().flatten().map(|p| p[0]);
        let (low, high) = (columns().fold(4.0, f32::min), columns().fold(0.0, f32::max));
        let columns = if lines.is_empty() { 1.5 } else { high - low };
        let width = ((columns + 2.2) * unit).round().max(2.0) as usize;
        let thickness = 0.5 * (unit * 0.95 * bold).max(1.0);
        let place = |p: &[f32; 2]| [(p[0] - low + 1.1) * unit, (p[1] + 0.7) * unit];
        let lines: Vec<Vec<[f32; 2]>> =
            lines.iter().map(|line| line.iter().map(place).collect()).collect();
        let cover = |i: usize| {
            let p = [(i % width) as f32 + 0.5, (i / width) as f32 + 0.5];
            let nearest = lines.iter().map(|line| to_line(p, line)).fold(f32::INFINITY, f32::min);
            (thickness + 0.5 - nearest).clamp(0.0, 1.0)
        };
        Glyph { width, cover: (0..width * height).map(cover).collect() }
    }
}

/// Distance of a point from a line through points.
fn to_line(p: [f32; 2], line: &[[f32; 2]]) -> f32 {
    let to = |a: [f32; 2], b: [f32; 2]| {
        let (d, e) = ([b[0] - a[0], b[1] - a[1]], [p[0] - a[0], p[1] - a[1]]);
        let length = (d[0] * d[0] + d[1] * d[1]).max(1e-9);
        let t = ((d[0] * e[0] + d[1] * e[1]) / length).clamp(0.0, 1.0);
        (e[0] - d[0] * t).hypot(e[1] - d[1] * t)
    };
    line.windows(2).map(|ab| to(ab[0], ab[1])).fold(f32::INFINITY, f32::min)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_character_differs_from_the_others_and_fits() {
        let font = Font::new(18, 1.0);
        for (i, a) in font.glyphs.iter().enumerate() {
            assert!(i == 0 || a.cover.iter().any(|&c| c > 0.5), "{}", (32 + i as u8) as char);
            for (j, b) in font.glyphs.iter().enumerate().skip(i + 1) {
                let both = ((32 + i as u8) as char, (32 + j as u8) as char);
                assert!(a.width != b.width || a.cover != b.cover, "{both:?}");
            }
        }
    }

    #[test]
    fn text_is_as_wide_as_its_characters() {
        let font = Font::new(27, 1.0);
        assert_eq!(font.measure("Il"), font.width['I' as usize] + font.width['l' as usize]);
        assert_eq!(font.measure("ü"), font.width['?' as usize]);
    }
}
