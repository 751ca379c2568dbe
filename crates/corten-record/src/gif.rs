//! Animated GIF: 256 colours per picture, chosen where the picture's colours are.

use std::io::{self, Write};

use corten_render::Image;

/// Colours are told apart by five bits of each channel.
const BITS: u32 = 5;

/// Writes pictures, each shown for so many hundredths of a second, over and over.
pub(crate) fn write_gif(out: &mut impl Write, frames: &[Image], delay: u16) -> io::Result<()> {
    let Some(first) = frames.first() else { return Ok(()) };
    let size = |n: usize| {
        let large = |_| io::Error::new(io::ErrorKind::InvalidInput, "too large for a GIF");
        u16::try_from(n).map_err(large)
    };
    let (width, height) = (size(first.width)?, size(first.height)?);
    out.write_all(b"GIF89a")?;
    out.write_all(&[width.to_le_bytes(), height.to_le_bytes()].concat())?;
    out.write_all(&[0x70, 0, 0])?;
    out.write_all(b"\x21\xff\x0bNETSCAPE2.0\x03\x01\0\0\0")?;
    for frame in frames {
        let (palette, indices) = quantised(frame);
        out.write_all(&[0x21, 0xf9, 4, 4])?;
        out.write_all(&delay.to_le_bytes())?;
        out.write_all(&[0, 0, 0x2c, 0, 0, 0, 0])?;
        out.write_all(&[width.to_le_bytes(), height.to_le_bytes()].concat())?;
        out.write_all(&[0x87])?;
        out.write_all(&palette.concat())?;
        out.write_all(&[8])?;
        for block in compressed(&indices).chunks(255) {
            out.write_all(&[block.len() as u8])?;
            out.write_all(block)?;
        }
        out.write_all(&[0])?;
    }
    out.write_all(b";")
}

fn cell(pixel: &[u8]) -> usize {
    pixel.iter().fold(0, |sum, &x| sum << BITS | usize::from(x >> (8 - BITS)))
}

/// Median cut: boxes of colours are halved, the one with the widest spread of pixels first; each
/// gives its mean.
fn quantised(image: &Image) -> (Vec<[u8; 3]>, Vec<u8>) {
    let mut sums = vec![[0u64; 4]; 1 << (3 * BITS)];
    for pixel in image.rgb.chunks_exact(3) {
        let sum = &mut sums[cell(pixel)];
        (0..3).for_each(|k| sum[k] += u64::from(pixel[k]));
        sum[3] += 1;
    }
    let channel = |cell: usize, k: usize| cell >> (BITS as usize * (2 - k)) & ((1 << BITS) - 1);
    let spread = |cells: &[usize]| {
        let widths = [0, 1, 2].map(|k| {
            let values = || cells.iter().map(|&c| channel(c, k));
            values().max().unwrap_or(0) - values().min().unwrap_or(0)
        });
        let widest = (0..3).max_by_key(|&k| widths[k]).unwrap_or(0);
        let pixels: u64 = cells.iter().map(|&c| sums[c][3]).sum();
        (widths[widest] as u64 * pixels.isqrt().max(1), widest)
    };
    let used: Vec<usize> = (0..sums.len()).filter(|&c| sums[c][3] > 0).collect();
    let mut boxes = vec![(spread(&used), used)];
    while boxes.len() < 256 {
        let Some(largest) = (0..boxes.len()).max_by_key(|&i| boxes[i].0.0) else { break };
        if boxes[largest].0.0 == 0 {
            break;
        }
        let ((_, axis), mut cells) = boxes.swap_remove(largest);
        cells.sort_by_key(|&c| channel(c, axis));
        let total: u64 = cells.iter().map(|&c| sums[c][3]).sum();
        let mut sum = 0;
        let middle = cells.iter().position(|&c| {
            sum += sums[c][3];
            2 * sum >= total
        });
        let middle = (middle.unwrap_or(0) + 1).clamp(1, cells.len() - 1);
        let rest = cells.split_off(middle);
        boxes.push((spread(&cells), cells));
        boxes.push((spread(&rest), rest));
    }
    let mut palette = vec![[0; 3]; 256];
    let mut index = vec![0u8; sums.len()];
    for (i, (_, cells)) in boxes.iter().enumerate() {
        let mut sum = [0u64; 4];
        for &c in cells {
            (0..4).for_each(|k| sum[k] += sums[c][k]);
            index[c] = i as u8;
        }
        palette[i] = [0, 1, 2].map(|k| (sum[k] / sum[3].max(1)) as u8);
    }
    let indices = image.rgb.chunks_exact(3).map(|pixel| index[cell(pixel)]).collect();
    (palette, indices)
}

/// Compression of Lempel, Ziv and Welch with codes of 9 to 12 bits.
fn compressed(indices: &[u8]) -> Vec<u8> {
    const CLEAR: u16 = 256;
    const END: u16 = 257;
    const MOST: u16 = 4096;
    let mut out = Bits::default();
    // Next code by code and index; zero is none.
    let mut table = vec![0u16; usize::from(MOST) * 256];
    let (mut next, mut width) = (END + 1, 9);
    out.push(CLEAR, width);
    let mut current: Option<u16> = None;
    for &index in indices {
        let Some(code) = current else {
            current = Some(index.into());
            continue;
        };
        let slot = usize::from(code) * 256 + usize::from(index);
        if table[slot] != 0 {
            current = Some(table[slot]);
            continue;
        }
        out.push(code, width);
        if next < MOST {
            table[slot] = next;
            if next == 1 << width {
                width += 1;
            }
            next += 1;
        } else {
            out.push(CLEAR, width);
            table.fill(0);
            (next, width) = (END + 1, 9);
        }
        current = Some(index.into());
    }
    if let Some(code) = current {
        out.push(code, width);
    }
    out.push(END, width);
    out.finish()
}

/// Bits, the lowest first.
#[derive(Default)]
struct Bits {
    bytes: Vec<u8>,
    rest: u32,
    count: u32,
}

impl Bits {
    fn push(&mut self, code: u16, width: u32) {
        self.rest |= u32::from(code) << self.count;
        self.count += width;
        while self.count >= 8 {
            self.bytes.push(self.rest as u8);
            self.rest >>= 8;
            self.count -= 8;
        }
    }

    fn finish(mut self) -> Vec<u8> {
        if self.count > 0 {
            self.bytes.push(self.rest as u8);
        }
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A decoder, written from the format's description.
    fn decompressed(bytes: &[u8]) -> Vec<u8> {
        let bit = |i: usize| usize::from(bytes[i / 8] >> (i % 8) & 1);
        let (mut at, mut width, mut out) = (0, 9, Vec::new());
        let fresh = || (0..258).map(|i| vec![i as u8]).collect::<Vec<_>>();
        let mut words = fresh();
        let mut last: Option<Vec<u8>> = None;
        loop {
            let code = (0..width).map(|k| bit(at + k) << k).sum::<usize>();
            at += width;
            match code {
                256 => (words, width, last) = (fresh(), 9, None),
                257 => return out,
                _ => {
                    let word = match (words.get(code), &last) {
                        (Some(word), _) => word.clone(),
                        (None, Some(last)) => [&last[..], &last[..1]].concat(),
                        _ => panic!("code {code} at the beginning"),
                    };
                    if let Some(last) = last.take().filter(|_| words.len() < 4096) {
                        words.push([&last[..], &word[..1]].concat());
                    }
                    if words.len() == 1 << width && width < 12 {
                        width += 1;
                    }
                    out.extend(&word);
                    last = Some(word);
                }
            }
        }
    }

    #[test]
    fn decompression_gives_the_same() {
        let mut x = 12345u32;
        let noise: Vec<u8> = (0..50_000)
            .map(|i| {
                x = x.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                if i % 7 < 4 { 3 } else { (x >> 24) as u8 }
            })
            .collect();
        for data in [&[][..], &[5], &[7; 1000], &noise] {
            assert_eq!(decompressed(&compressed(data)), data);
        }
    }

    #[test]
    fn few_colours_stay_as_they_are() {
        let rgb: Vec<u8> = (0..64u8).flat_map(|i| [i * 4, 255 - i * 4, 16 * (i % 16)]).collect();
        let image = Image { width: 8, height: 8, rgb: rgb.clone() };
        let (palette, indices) = quantised(&image);
        let back: Vec<u8> = indices.iter().flat_map(|&i| palette[usize::from(i)]).collect();
        assert_eq!(back, rgb);
    }
}
