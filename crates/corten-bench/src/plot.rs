//! Plots with logarithmic axes, as SVG.

use std::path::Path;

use anyhow::anyhow;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

/// A named line of points.
pub struct Line {
    pub name: String,
    pub points: Vec<(f64, f64)>,
}

const SIZE: (u32, u32) = (560, 360);
/// Distinguishable for everyone, on light and dark ground.
const COLORS: [RGBColor; 4] =
    [RGBColor(213, 94, 0), RGBColor(0, 114, 178), RGBColor(0, 158, 115), RGBColor(204, 121, 167)];
const INK: RGBColor = RGBColor(128, 128, 128);

/// Writes a plot; the dashed line from the first point of the first line is proportional growth.
pub fn svg(
    file: &Path,
    title: &str,
    x_name: &str,
    y_name: &str,
    lines: &[Line],
) -> anyhow::Result<()> {
    draw(file, title, x_name, y_name, lines).map_err(|e| anyhow!("{}: {e}", file.display()))
}

fn draw(
    file: &Path,
    title: &str,
    x_name: &str,
    y_name: &str,
    lines: &[Line],
) -> Result<(), Box<dyn std::error::Error>> {
    let points = || lines.iter().flat_map(|l| &l.points);
    let (x, y) = (decades(points().map(|p| p.0)), decades(points().map(|p| p.1)));
    let text = ("sans-serif", 12).into_font().color(&INK);
    let area = SVGBackend::new(file, SIZE).into_drawing_area();
    let mut chart = ChartBuilder::on(&area)
        .caption(title, ("sans-serif", 14).into_font().color(&INK))
        .margin(8)
        .x_label_area_size(36)
        .y_label_area_size(56)
        .build_cartesian_2d((x.0..x.1).log_scale(), (y.0..y.1).log_scale())?;
    chart
        .configure_mesh()
        .x_desc(x_name)
        .y_desc(y_name)
        .label_style(text.clone())
        .axis_style(INK.mix(0.25))
        .bold_line_style(INK.mix(0.25))
        .light_line_style(TRANSPARENT)
        .x_label_formatter(&ToString::to_string)
        .y_label_formatter(&ToString::to_string)
        .draw()?;

    if let Some(&(x0, y0)) = lines.first().and_then(|l| l.points.first()) {
        let last = points().map(|p| p.0).fold(x0, f64::max);
        let factor = (last / x0).min(y.1 / y0);
        let proportional = [(x0, y0), (x0 * factor, y0 * factor)];
        chart.draw_series(DashedLineSeries::new(proportional, 4, 4, INK.into()))?;
    }
    for (i, line) in lines.iter().enumerate() {
        let color = COLORS[i % COLORS.len()];
        chart.draw_series(LineSeries::new(line.points.iter().copied(), color.stroke_width(2)))?;
        chart.draw_series(line.points.iter().map(|&p| Circle::new(p, 3, color.filled())))?;
        let style = text.color(&color).pos(Pos::new(HPos::Left, VPos::Top));
        chart.plotting_area().strip_coord_spec().draw_text(
            &line.name,
            &style,
            (12, 8 + 16 * i as i32),
        )?;
    }
    area.present()?;
    Ok(())
}

/// The range of whole decades that covers the values.
fn decades(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let positive = values.filter(|&v| v > 0.0);
    let (low, high) =
        positive.fold((f64::MAX, f64::MIN_POSITIVE), |(low, high), v| (low.min(v), high.max(v)));
    let low = (low.log10() + 1e-9).floor() as i32;
    let high = ((high.log10() - 1e-9).ceil() as i32).max(low + 1);
    (10f64.powi(low), 10f64.powi(high))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_cover_whole_decades() {
        assert_eq!(decades([2.0, 30.0, 1000.0].into_iter()), (1.0, 1000.0));
        assert_eq!(decades([1.0].into_iter()), (1.0, 10.0));
        assert_eq!(decades([0.02, 0.5].into_iter()), (0.01, 1.0));
    }

    #[test]
    fn a_plot_names_its_axes_and_lines() {
        let file = std::env::temp_dir().join(format!("corten-plot-{}.svg", std::process::id()));
        let points = vec![(1.0, 2.0), (10.0, 25.0), (100.0, 300.0)];
        let line = Line { name: "ours".into(), points };
        svg(&file, "Growth", "bodies", "µs per step", &[line]).unwrap();
        let text = std::fs::read_to_string(&file).unwrap();
        std::fs::remove_file(&file).unwrap();
        for part in ["Growth", "bodies", "µs per step", "ours", "<polyline", "<circle", "1000"] {
            assert!(text.contains(part), "{part} is not in\n{text}");
        }
    }
}
