//! Plots with logarithmic axes, as SVG.

use std::fmt::Write;

/// A named line of points.
pub struct Line {
    pub name: String,
    pub points: Vec<(f64, f64)>,
}

const WIDTH: f64 = 560.0;
const HEIGHT: f64 = 360.0;
const LEFT: f64 = 64.0;
const RIGHT: f64 = 16.0;
const TOP: f64 = 36.0;
const BOTTOM: f64 = 48.0;
/// Distinguishable for everyone, on light and dark ground.
const COLORS: [&str; 4] = ["#d55e00", "#0072b2", "#009e73", "#cc79a7"];
const INK: &str = "#808080";

/// A range of whole decades that covers the values.
struct Axis {
    low: i32,
    high: i32,
}

impl Axis {
    fn covering(values: impl Iterator<Item = f64>) -> Axis {
        let positive = values.filter(|&v| v > 0.0);
        let (low, high) = positive
            .fold((f64::MAX, f64::MIN_POSITIVE), |(low, high), v| (low.min(v), high.max(v)));
        let low = (low.log10() + 1e-9).floor() as i32;
        Axis { low, high: ((high.log10() - 1e-9).ceil() as i32).max(low + 1) }
    }

    fn share(&self, value: f64) -> f64 {
        (value.log10() - f64::from(self.low)) / f64::from(self.high - self.low)
    }

    fn decades(&self) -> impl Iterator<Item = f64> {
        (self.low..=self.high).map(|e| 10f64.powi(e))
    }
}

/// A plot; the dashed line from the first point of the first line is proportional growth.
pub fn svg(title: &str, x_name: &str, y_name: &str, lines: &[Line]) -> String {
    let points = || lines.iter().flat_map(|l| &l.points);
    let (x, y) = (Axis::covering(points().map(|p| p.0)), Axis::covering(points().map(|p| p.1)));
    let at_x = |value: f64| LEFT + x.share(value) * (WIDTH - LEFT - RIGHT);
    let at_y = |value: f64| HEIGHT - BOTTOM - y.share(value) * (HEIGHT - TOP - BOTTOM);
    let mut out = String::new();
    // Writing to a string cannot fail.
    let mut put = |text: std::fmt::Arguments<'_>| {
        let _ = writeln!(out, "{text}");
    };
    put(format_args!(
        "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {WIDTH} {HEIGHT}' \
         font-family='sans-serif' font-size='12' fill='{INK}'>"
    ));
    put(format_args!("<text x='{LEFT}' y='20' font-size='14'>{title}</text>"));
    for value in x.decades() {
        let (px, bottom) = (at_x(value), HEIGHT - BOTTOM);
        put(format_args!(
            "<path d='M{px:.1} {TOP}V{bottom}' stroke='{INK}' stroke-opacity='.25'/>\
             <text x='{px:.1}' y='{:.1}' text-anchor='middle'>{value}</text>",
            bottom + 16.0
        ));
    }
    for value in y.decades() {
        let (py, right) = (at_y(value), WIDTH - RIGHT);
        put(format_args!(
            "<path d='M{LEFT} {py:.1}H{right}' stroke='{INK}' stroke-opacity='.25'/>\
             <text x='{:.1}' y='{:.1}' text-anchor='end'>{value}</text>",
            LEFT - 6.0,
            py + 4.0
        ));
    }
    put(format_args!(
        "<text x='{:.1}' y='{:.1}' text-anchor='middle'>{x_name}</text>",
        0.5 * (LEFT + WIDTH - RIGHT),
        HEIGHT - 12.0
    ));
    put(format_args!(
        "<text x='{}' y='20' font-size='11' text-anchor='end'>{y_name}</text>",
        WIDTH - RIGHT
    ));
    if let Some(&(x0, y0)) = lines.first().and_then(|l| l.points.first()) {
        let last = points().map(|p| p.0).fold(x0, f64::max);
        let end = (last / x0).min(10f64.powi(y.high) / y0);
        put(format_args!(
            "<path d='M{:.1} {:.1}L{:.1} {:.1}' stroke='{INK}' stroke-dasharray='4 4' fill='none'/>",
            at_x(x0),
            at_y(y0),
            at_x(x0 * end),
            at_y(y0 * end)
        ));
    }
    for (i, line) in lines.iter().enumerate() {
        let color = COLORS[i % COLORS.len()];
        let path: Vec<String> =
            line.points.iter().map(|p| format!("{:.1} {:.1}", at_x(p.0), at_y(p.1))).collect();
        put(format_args!(
            "<path d='M{}' stroke='{color}' stroke-width='2' fill='none'/>",
            path.join("L")
        ));
        for p in &line.points {
            put(format_args!(
                "<circle cx='{:.1}' cy='{:.1}' r='3' fill='{color}'/>",
                at_x(p.0),
                at_y(p.1)
            ));
        }
        put(format_args!(
            "<text x='{:.1}' y='{:.1}' fill='{color}'>{}</text>",
            LEFT + 12.0,
            TOP + 16.0 + 16.0 * i as f64,
            line.name
        ));
    }
    put(format_args!("</svg>"));
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_cover_whole_decades() {
        let axis = Axis::covering([2.0, 30.0, 1000.0].into_iter());
        assert_eq!((axis.low, axis.high), (0, 3));
        assert_eq!(axis.share(1.0), 0.0);
        assert_eq!(axis.share(1000.0), 1.0);
        assert_eq!(Axis::covering([1.0].into_iter()).high, 1);
    }
}
