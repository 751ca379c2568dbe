//! Plots of recorded numbers over time.

use corten_render::{Context, Framebuffer, Image, Rect, RenderError};
use corten_scene::{Figure, MAX_LINE, MAX_LINE_POINT, line_rgb};

/// A line of a plot.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// Its name in the legend.
    pub name: String,
    /// Its points, `x` and `y`.
    pub points: Vec<[f64; 2]>,
}

/// Points of a curve, no more than a picture can show.
fn thinned(points: &[[f64; 2]], most: usize) -> impl Iterator<Item = [f64; 2]> {
    let step = points.len().div_ceil(most).max(1);
    points.iter().copied().step_by(step)
}

/// A plot as a picture; at most a hundred curves are shown.
pub fn plot_png(
    title: &str,
    curves: &[Curve],
    width: usize,
    height: usize,
) -> Result<Image, RenderError> {
    let mut context = Context::without_model()?;
    let size = |n: usize| i32::try_from(n).unwrap_or(i32::MAX);
    let rect = Rect::of_size(size(width), size(height));
    context.resize(rect.width, rect.height)?;
    context.current = Framebuffer::Offscreen;
    context.change_font(100);
    let mut figure = Figure {
        title: title.to_owned(),
        xlabel: "time [s]".to_owned(),
        xformat: "%.3g".to_owned(),
        yformat: "%.3g".to_owned(),
        gridsize: [6, 6],
        linewidth: 2.0,
        range: [[0.0; 2]; 2],
        figurergba: [0.1, 0.1, 0.12, 1.0],
        panergba: [0.14, 0.14, 0.17, 1.0],
        ..Figure::default()
    };
    for (line, curve) in figure.lines.iter_mut().zip(curves.iter().take(MAX_LINE)) {
        line.name.clone_from(&curve.name);
        line.data = thinned(&curve.points, MAX_LINE_POINT).map(|p| p.map(|x| x as f32)).collect();
    }
    context.figure(rect, &mut figure);
    let mut rgb = vec![0; 3 * width * height];
    context.read_pixels(rect, Some(&mut rgb), None)?;
    let rows = rgb.chunks_exact(3 * width).rev().flatten().copied().collect();
    Ok(Image { width, height, rgb: rows })
}

/// Round numbers that divide a range into about so many parts.
fn marks(low: f64, high: f64, parts: f64) -> Vec<f64> {
    let rough = (high - low) / parts;
    let power = 10f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].map(|k| k * power).into_iter().find(|&s| s >= rough);
    let step = step.unwrap_or(rough);
    let first = (low / step).ceil() as i64;
    (first..).map(|i| i as f64 * step).take_while(|&x| x <= high + 1e-9 * step).take(50).collect()
}

/// A plot as SVG.
pub fn plot_svg(title: &str, curves: &[Curve], width: usize, height: usize) -> String {
    let (w, h) = (width as f64, height as f64);
    let (left, right, top, bottom) = (70.0, w - 20.0, 36.0, h - 40.0);
    let finite =
        || curves.iter().flat_map(|c| &c.points).filter(|p| p.iter().all(|x| x.is_finite()));
    let range = |axis: usize| {
        let low = finite().map(|p| p[axis]).fold(f64::INFINITY, f64::min);
        let high = finite().map(|p| p[axis]).fold(f64::NEG_INFINITY, f64::max);
        match (low < high, low.is_finite()) {
            (true, _) => [low, high],
            (false, true) => [low - 0.5, low + 0.5],
            (false, false) => [0.0, 1.0],
        }
    };
    let (x, y) = (range(0), range(1));
    let px = |v: f64| left + (v - x[0]) / (x[1] - x[0]) * (right - left);
    let py = |v: f64| bottom - (v - y[0]) / (y[1] - y[0]) * (bottom - top);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
         font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"#fff\"/>\n\
         <text x=\"{}\" y=\"22\" text-anchor=\"middle\" font-size=\"15\">{}</text>\n",
        w / 2.0,
        escaped(title)
    );
    for v in marks(x[0], x[1], 8.0) {
        out += &format!(
            "<path d=\"M{:.1} {top}V{bottom}\" stroke=\"#ddd\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>\n",
            px(v),
            px(v),
            bottom + 16.0,
            tidy(v)
        );
    }
    for v in marks(y[0], y[1], 6.0) {
        out += &format!(
            "<path d=\"M{left} {:.1}H{right}\" stroke=\"#ddd\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>\n",
            py(v),
            left - 6.0,
            py(v) + 4.0,
            tidy(v)
        );
    }
    out += &format!(
        "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">time [s]</text>\n",
        (left + right) / 2.0,
        h - 8.0
    );
    for (i, curve) in curves.iter().enumerate() {
        let [r, g, b] = line_rgb(i).map(|c| (c * 200.0) as u8);
        let points: Vec<String> = thinned(&curve.points, 4000)
            .filter(|p| p.iter().all(|x| x.is_finite()))
            .map(|p| format!("{:.1},{:.1}", px(p[0]), py(p[1])))
            .collect();
        out += &format!(
            "<polyline fill=\"none\" stroke=\"rgb({r},{g},{b})\" stroke-width=\"1.5\" points=\"{}\"/>\n",
            points.join(" ")
        );
        // As many names as there is room for.
        let place = top + 14.0 * (i + 1) as f64;
        if place < bottom {
            out += &format!(
                "<text x=\"{:.1}\" y=\"{place:.1}\" text-anchor=\"end\" fill=\"rgb({r},{g},{b})\">{}</text>\n",
                right - 6.0,
                escaped(&curve.name)
            );
        }
    }
    out + "</svg>\n"
}

/// A mark without digits that only rounding makes.
fn tidy(v: f64) -> String {
    let text = format!("{v:.6}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_round_and_within() {
        assert_eq!(marks(0.0, 1.0, 5.0), [0.0, 0.2, 0.4, 0.6000000000000001, 0.8, 1.0]);
        assert!(marks(-3.7, 12.0, 6.0).iter().all(|x| (-3.7..=12.0).contains(x)));
    }

    #[test]
    fn names_are_escaped_and_curves_drawn() {
        let curve =
            Curve { name: "a<b".into(), points: vec![[0.0, 1.0], [1.0, f64::NAN], [2.0, 3.0]] };
        let svg = plot_svg("x & y", &[curve], 300, 200);
        assert!(svg.contains("a&lt;b") && svg.contains("x &amp; y"));
        assert_eq!(svg.matches("<polyline").count(), 1);
    }
}
