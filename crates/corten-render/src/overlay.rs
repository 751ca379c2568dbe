//! Text and rectangles over a picture.

use crate::buffer::{Buffer, Rect};
use crate::font::Font;
use crate::linear::V3;

/// Which letters to write with (MuJoCo's `mjtFont`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FontKind {
    /// Normal.
    #[default]
    Normal,
    /// With a shadow, to be legible on any background.
    Shadow,
    /// Twice as large.
    Big,
}

/// Where an overlay is placed (MuJoCo's `mjtGridPos`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GridPos {
    /// Top left.
    #[default]
    TopLeft,
    /// Top right.
    TopRight,
    /// Bottom left.
    BottomLeft,
    /// Bottom right.
    BottomRight,
    /// Top.
    Top,
    /// Bottom.
    Bottom,
    /// Left.
    Left,
    /// Right.
    Right,
}

impl GridPos {
    /// The position with MuJoCo's number.
    pub fn from_raw(raw: i32) -> Option<GridPos> {
        use GridPos::*;
        [TopLeft, TopRight, BottomLeft, BottomRight, Top, Bottom, Left, Right]
            .get(usize::try_from(raw).ok()?)
            .copied()
    }
}

impl FontKind {
    /// The font with MuJoCo's number.
    pub fn from_raw(raw: i32) -> Option<FontKind> {
        [FontKind::Normal, FontKind::Shadow, FontKind::Big].get(usize::try_from(raw).ok()?).copied()
    }
}

/// Fonts of a context.
#[derive(Clone, Debug)]
pub(crate) struct Fonts {
    /// Percentage of the normal size, from 100 to 300.
    pub scale: i32,
    pub normal: Font,
    pub big: Font,
}

impl Fonts {
    pub(crate) fn new(scale: i32) -> Fonts {
        let scale = (50 * ((scale.clamp(0, 1000) + 25) / 50)).clamp(100, 300);
        let height = (18 * scale + 50) / 100;
        Fonts { scale, normal: Font::new(height, 1.0), big: Font::new(2 * height, 1.25) }
    }

    pub(crate) fn of(&self, kind: FontKind) -> &Font {
        if kind == FontKind::Big { &self.big } else { &self.normal }
    }

    /// Writes a line of text.
    pub(crate) fn write(
        &self,
        out: &mut Buffer,
        kind: FontKind,
        clip: Rect,
        [x, y]: [i32; 2],
        text: &str,
        rgb: V3,
    ) {
        let font = self.of(kind);
        if kind == FontKind::Shadow {
            for (dx, dy) in [(1, 0), (-1, 0), (0, 1), (0, -1), (1, -1)] {
                font.write(out, clip, x + dx, y + dy, text, [0.0; 3]);
            }
        }
        font.write(out, clip, x, y, text, rgb);
    }

    /// Writes lines on a dark background at a place of a rectangle; gives the width that they take.
    fn column(
        &self,
        out: &mut Buffer,
        kind: FontKind,
        place: GridPos,
        rect: Rect,
        skip: i32,
        text: &str,
        grey: f32,
    ) -> i32 {
        const PAD: i32 = 5;
        let font = self.of(kind);
        let lines: Vec<&str> = text.split('\n').collect();
        let widest = lines.iter().map(|line| font.measure(line)).max().unwrap_or(0);
        let count = lines.len() as i32;
        let (w, h) = (PAD + widest + 8, PAD + count * font.height + (count - 1) * PAD);
        let (top, low) = (rect.bottom + rect.height - 1 - PAD - h, rect.bottom + PAD);
        let (near, far) = (rect.left + skip + PAD, rect.left + rect.width - skip - 1 - PAD - w);
        let across = rect.left + (rect.width - skip - w) / 2 - 1 - PAD;
        let middle = rect.bottom + (rect.height - h) / 2 - 1 - PAD;
        let (left, bottom) = match place {
            GridPos::TopLeft => (near, top),
            GridPos::TopRight => (far, top),
            GridPos::BottomLeft => (near, low),
            GridPos::BottomRight => (far, low),
            GridPos::Top => (across, top),
            GridPos::Bottom => (across, low),
            GridPos::Left => (near, middle),
            GridPos::Right => (far, middle),
        };
        let back = Rect { left, bottom, width: w, height: h };
        out.paint(back, [0.0; 3], 0.5);
        for (i, line) in lines.iter().enumerate() {
            let y = bottom + h - (i as i32 + 1) * font.height - i as i32 * PAD;
            self.write(out, kind, back, [left + 3, y], line, [grey; 3]);
        }
        w - 2
    }

    /// Text in one or two columns.
    pub(crate) fn overlay(
        &self,
        out: &mut Buffer,
        kind: FontKind,
        place: GridPos,
        rect: Rect,
        first: &str,
        second: &str,
    ) {
        if rect.is_empty() {
            return;
        }
        if second.is_empty() {
            self.column(out, kind, place, rect, 0, first, 1.0);
            return;
        }
        let from_left = matches!(place, GridPos::TopLeft | GridPos::BottomLeft);
        let (a, b) = ((first, 0.7), (second, 1.0));
        let [near, far] = if from_left { [a, b] } else { [b, a] };
        let skip = self.column(out, kind, place, rect, 0, near.0, near.1);
        self.column(out, kind, place, rect, skip, far.0, far.1);
    }

    /// A rectangle with text in its middle.
    pub(crate) fn label(
        &self,
        out: &mut Buffer,
        kind: FontKind,
        rect: Rect,
        text: &str,
        rgba: [f32; 4],
        rgb: V3,
    ) {
        if rect.is_empty() {
            return;
        }
        let [r, g, b, a] = rgba;
        out.paint(rect, [r, g, b], a);
        let font = self.of(kind);
        let x = rect.left + ((rect.width - font.measure(text)) / 2).max(0);
        let y = rect.bottom + (rect.height - font.height) / 2;
        let kind = if kind == FontKind::Shadow { FontKind::Normal } else { kind };
        self.write(out, kind, rect, [x, y], text, rgb);
    }
}
