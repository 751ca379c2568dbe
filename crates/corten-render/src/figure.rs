//! Plots of lines.

use corten_scene::{Figure, FigureLine};

use crate::buffer::{Buffer, Rect};
use crate::linear::V3;
use crate::number::format;
use crate::overlay::{FontKind, Fonts};

/// Most grid lines and numbers along an axis.
const MOST_TICKS: i32 = 20;

/// Draws a figure and notes in it where its axes are.
pub(crate) fn draw(rect: Rect, figure: &mut Figure, fonts: &Fonts, out: &mut Buffer) {
    if rect.is_empty() {
        return;
    }
    let [r, g, b, a] = figure.figurergba;
    out.paint(rect, [r, g, b], a);
    let range = [axis_range(figure, 0), axis_range(figure, 1)];
    (figure.xaxisdata, figure.yaxisdata) = (range[0], range[1]);
    let pad = fonts.normal.height / 2;
    let mut pane = titles(rect, figure, fonts, out);
    pane = ticks(pane, figure, fonts, range, out);
    let pane = Rect {
        left: pane.left + pad,
        bottom: pane.bottom + pad,
        width: pane.width - 2 * pad,
        height: pane.height - 2 * pad,
    };
    if pane.is_empty() {
        return;
    }
    figure.xaxispixel = [pane.left, pane.left + pane.width - 1];
    figure.yaxispixel = [pane.bottom, pane.bottom + pane.height - 1];
    let [r, g, b, a] = figure.panergba;
    out.paint(pane, [r, g, b], a);
    Plot { pane, figure, fonts, range, out }.draw();
}

/// The range of an axis: as given, or of the data; along y, from one round number to another.
fn axis_range(figure: &Figure, axis: usize) -> [f32; 2] {
    const LEAST: f32 = 1e-5;
    let [mut low, mut high] = figure.range[axis];
    let mut known = low < high;
    if !known || figure.flg_extend != 0 {
        let points = figure.lines.iter().flat_map(|line| &line.data).map(|point| point[axis]);
        for x in points.filter(|x| x.is_finite()) {
            (low, high) = if known { (low.min(x), high.max(x)) } else { (x, x) };
            known = true;
        }
    }
    if high - low < LEAST {
        let needed = LEAST - (high - low);
        (low, high) = (low - 0.5 * needed, high + 0.5 * needed);
    }
    if axis == 1 {
        if high > low {
            let power = 10f32.powf((high - low).log10().floor());
            (low, high) = ((low / power).floor() * power, (high / power).ceil() * power);
        }
        if figure.flg_symmetric != 0 {
            let most = low.abs().max(high.abs());
            (low, high) = (-most, most);
        }
    }
    [low, high]
}

/// Title, with that of the selected subplot in the middle, and label of x; gives what is left.
fn titles(rect: Rect, figure: &Figure, fonts: &Fonts, out: &mut Buffer) -> Rect {
    let font = &fonts.normal;
    let pad = font.height / 2;
    let mut rest = rect;
    // Titles of subplots are apart by two spaces or more.
    let parts: Vec<&str> =
        figure.title.split("  ").map(str::trim).filter(|t| !t.is_empty()).collect();
    let selected = usize::try_from(figure.subplot).unwrap_or(0);
    if let Some(title) = parts.get(selected) {
        let y = rect.bottom + rect.height - pad - font.height;
        let left = rect.left + (rect.width / 2 - font.measure(title) / 2).max(0);
        let faint = [0, 1, 2].map(|k| 0.4 * figure.textrgb[k] + 0.6 * figure.figurergba[k]);
        let gap = font.measure("  ");
        let mut x = left;
        for before in parts[..selected].iter().rev() {
            x -= font.measure(before) + gap;
            fonts.write(out, FontKind::Normal, rect, [x, y], before, faint);
        }
        let mut x = left + font.measure(title) + gap;
        for after in &parts[selected + 1..] {
            fonts.write(out, FontKind::Normal, rect, [x, y], after, faint);
            x += font.measure(after) + gap;
        }
        fonts.write(out, FontKind::Normal, rect, [left, y], title, figure.textrgb);
        rest.height -= font.height + pad;
    }
    if !figure.xlabel.is_empty() {
        let left = rect.left + (rect.width / 2 - font.measure(&figure.xlabel) / 2).max(0);
        let place = [left, rect.bottom + pad];
        fonts.write(out, FontKind::Normal, rect, place, &figure.xlabel, figure.textrgb);
        rest.bottom += font.height + pad / 2;
        rest.height -= font.height + pad / 2;
    }
    rest
}

/// A number of an axis, without zeros at its end.
fn tick(pattern: &str, x: f32) -> String {
    let text = format(pattern, x.into());
    if text.contains('.') && !text.contains('e') {
        return text.trim_end_matches('0').trim_end_matches('.').to_owned();
    }
    text
}

/// Numbers along the axes; gives what is left.
fn ticks(
    rect: Rect,
    figure: &Figure,
    fonts: &Fonts,
    range: [[f32; 2]; 2],
    out: &mut Buffer,
) -> Rect {
    if rect.is_empty() || figure.gridsize.iter().any(|&n| n < 2) {
        return rect;
    }
    let font = &fonts.normal;
    let pad = font.height / 2;
    let count = figure.gridsize.map(|n| n.min(MOST_TICKS));
    let at = |axis: usize, i: i32| {
        let [low, high] = range[axis];
        low + (high - low) * i as f32 / (count[axis] - 1) as f32
    };
    let height = if figure.flg_ticklabel[0] != 0 { font.height + pad } else { 0 };
    let mut width = 0;
    if figure.flg_ticklabel[1] != 0 {
        let numbers = (0..count[1]).map(|i| font.measure(&tick(&figure.yformat, at(1, i))));
        width = numbers.max().unwrap_or(0).max(font.measure(&figure.minwidth)) + pad;
    }
    let rgb = figure.textrgb;
    for i in 0..if height > 0 { count[0] } else { 0 } {
        let text = tick(&figure.xformat, at(0, i));
        let own = font.measure(&text);
        let shift = match i {
            0 => 0,
            _ if i == count[0] - 1 => own,
            _ => own / 2,
        };
        let way = (rect.width - 2 * pad - width) * i / (count[0] - 1);
        let place = [rect.left + pad + width + way - shift, rect.bottom + pad];
        fonts.write(out, FontKind::Normal, rect, place, &text, rgb);
    }
    for i in 0..if width > 0 { count[1] } else { 0 } {
        let text = tick(&figure.yformat, at(1, i));
        let way = (rect.height - 2 * pad - height) * i / (count[1] - 1);
        let place = [
            rect.left + width - font.measure(&text),
            rect.bottom + pad + height - font.height / 2 + way,
        ];
        fonts.write(out, FontKind::Normal, rect, place, &text, rgb);
    }
    Rect {
        left: rect.left + width,
        bottom: rect.bottom + height,
        width: rect.width - width,
        height: rect.height - height,
    }
}

/// The inside of a figure.
struct Plot<'a> {
    pane: Rect,
    figure: &'a Figure,
    fonts: &'a Fonts,
    range: [[f32; 2]; 2],
    out: &'a mut Buffer,
}

impl Plot<'_> {
    fn draw(&mut self) {
        self.grid();
        for line in self.figure.lines.iter().rev() {
            self.line(line, self.figure.linewidth);
        }
        if self.figure.flg_selection != 0 {
            let [low, high] = self.range[1];
            let x = self.figure.selection;
            let ends = [self.place([x, low]), self.place([x, high])];
            segment(self.out, self.pane, ends, 3.0, [1.0; 3]);
        }
        let pointed = if self.figure.flg_legend != 0 { self.legend() } else { None };
        let chosen = pointed.or(usize::try_from(self.figure.highlightid).ok());
        if let Some(line) = chosen.and_then(|i| self.figure.lines.get(i)) {
            self.line(line, 5.0 * self.figure.linewidth);
            self.coordinates(line);
        }
    }

    /// Where a point of the data is on the image.
    fn place(&self, point: [f32; 2]) -> [f32; 2] {
        let along = |axis: usize, first: i32, size: i32| {
            let [low, high] = self.range[axis];
            let share = (point[axis] - low) / (high - low);
            first as f32 + (share * 0.998 + 0.001) * size as f32
        };
        [along(0, self.pane.left, self.pane.width), along(1, self.pane.bottom, self.pane.height)]
    }

    fn grid(&mut self) {
        if self.figure.gridsize.iter().any(|&n| n < 2) {
            return;
        }
        let [x, y] = self.range;
        let (width, rgb) = (self.figure.gridwidth, self.figure.gridrgb);
        for axis in 0..2 {
            let count = self.figure.gridsize[axis].min(MOST_TICKS);
            for i in 0..count {
                let share = i as f32 / (count - 1) as f32;
                let ends = if axis == 0 {
                    let at = x[0] + (x[1] - x[0]) * share;
                    [[at, y[0]], [at, y[1]]]
                } else {
                    let at = y[0] + (y[1] - y[0]) * share;
                    [[x[0], at], [x[1], at]]
                };
                segment(self.out, self.pane, ends.map(|p| self.place(p)), width, rgb);
            }
        }
    }

    fn line(&mut self, line: &FigureLine, width: f32) {
        let step = if self.figure.flg_barplot != 0 { 2 } else { 1 };
        for i in (1..line.data.len()).step_by(step) {
            let ends = [line.data[i - 1], line.data[i]].map(|p| self.place(p));
            segment(self.out, self.pane, ends, width, line.rgb);
        }
    }

    /// Names of lines; gives the line whose name the mouse is on.
    fn legend(&mut self) -> Option<usize> {
        let font = &self.fonts.normal;
        let (height, pad) = (font.height, font.height / 2);
        let first = usize::try_from(self.figure.legendoffset).unwrap_or(0);
        let room = ((self.pane.height - 2 * pad - 1) / height).max(0) as usize;
        let named = |&(_, line): &(usize, &FigureLine)| !line.name.is_empty();
        let lines = self.figure.lines.iter().enumerate().skip(first);
        let lines: Vec<(usize, &FigureLine)> = lines.filter(named).take(room).collect();
        let width = lines.iter().map(|(_, line)| font.measure(&line.name)).max()?;
        let (right, top) = (self.pane.left + self.pane.width, self.pane.bottom + self.pane.height);
        let total = lines.len() as i32 * height;
        let [r, g, b, a] = self.figure.legendrgba;
        let back = Rect {
            left: right - 2 * pad - width,
            bottom: top - 2 * pad - total,
            width: width + 2 * pad,
            height: total + 2 * pad,
        };
        self.out.paint(back, [r, g, b], a);
        let mut pointed = None;
        for (row, &(i, line)) in lines.iter().enumerate() {
            let left = right - pad - font.measure(&line.name);
            let bottom = top - pad - (row as i32 + 1) * height;
            let place = [left, bottom];
            self.fonts.write(self.out, FontKind::Shadow, self.pane, place, &line.name, line.rgb);
            let own = Rect { left: right - pad - width, bottom, width, height };
            let [x, y] = self.figure.highlight;
            if own.contains(x, y) {
                pointed = Some(i);
            }
        }
        pointed
    }

    /// The point of a line nearest to the selection, in numbers.
    fn coordinates(&mut self, line: &FigureLine) {
        if self.figure.flg_selection == 0 {
            return;
        }
        let away = |p: &[f32; 2]| (p[0] - self.figure.selection).abs();
        let nearest = line.data.iter().min_by(|a, b| away(a).total_cmp(&away(b)));
        let Some(point) = nearest else { return };
        let number = |x: f32| format("%.4g", x.into());
        let text = format!("( {} : {} )", number(point[0]), number(point[1]));
        let [x, y] = self.range.map(|[low, high]| 0.9 * low + 0.1 * high);
        let [x, y] = self.place([x, y]).map(|p| p as i32);
        let rgb = self.figure.textrgb;
        self.fonts.write(self.out, FontKind::Shadow, self.pane, [x, y], &text, rgb);
    }
}

/// A line on the image, with smooth edges.
fn segment(out: &mut Buffer, clip: Rect, ends: [[f32; 2]; 2], width: f32, rgb: V3) {
    let [a, b] = ends;
    if ends.iter().flatten().any(|x| !x.is_finite()) {
        return;
    }
    let half = 0.5 * width.max(1.0);
    let ([cx0, cx1], [cy0, cy1]) = out.clip(clip);
    let range = |axis: usize, low: usize, high: usize| {
        let first = (a[axis].min(b[axis]) - half - 1.0).max(low as f32) as usize;
        let last = (a[axis].max(b[axis]) + half + 2.0).min(high as f32).max(0.0) as usize;
        first..last
    };
    let d = [b[0] - a[0], b[1] - a[1]];
    let length = (d[0] * d[0] + d[1] * d[1]).max(1e-9);
    for y in range(1, cy0, cy1) {
        for x in range(0, cx0, cx1) {
            let e = [x as f32 + 0.5 - a[0], y as f32 + 0.5 - a[1]];
            let t = ((d[0] * e[0] + d[1] * e[1]) / length).clamp(0.0, 1.0);
            let distance = (e[0] - d[0] * t).hypot(e[1] - d[1] * t);
            let cover = (half + 0.5 - distance).clamp(0.0, 1.0);
            if cover > 0.0 {
                out.blend(x, y, rgb, cover);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_enclose_the_data_between_round_numbers() {
        let mut figure = Figure { range: [[0.0, 0.0]; 2], ..Figure::default() };
        figure.lines[0].data = vec![[0.0, -1.3], [4.0, 12.0], [2.0, f32::NAN]];
        assert_eq!(axis_range(&figure, 0), [0.0, 4.0]);
        assert_eq!(axis_range(&figure, 1), [-10.0, 20.0]);
        figure.flg_symmetric = 1;
        assert_eq!(axis_range(&figure, 1), [-20.0, 20.0]);
    }
}
