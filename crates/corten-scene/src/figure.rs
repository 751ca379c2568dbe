//! Two-dimensional figures.

use corten_math::halton;

/// Most lines of a figure (MuJoCo's `mjMAXLINE`).
pub const MAX_LINE: usize = 100;

/// Most points of a line (MuJoCo's `mjMAXLINEPNT`).
pub const MAX_LINE_POINT: usize = 1001;

/// One line of a figure.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FigureLine {
    /// Colour.
    pub rgb: [f32; 3],
    /// Name in the legend.
    pub name: String,
    /// Points `x y`, at most [`MAX_LINE_POINT`].
    pub data: Vec<[f32; 2]>,
}

/// A plot of lines (MuJoCo's `mjvFigure`).
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// Show the legend.
    pub flg_legend: i32,
    /// Show numbers along x and y.
    pub flg_ticklabel: [i32; 2],
    /// Extend the ranges to fit the data.
    pub flg_extend: i32,
    /// Every two points are a line of their own.
    pub flg_barplot: i32,
    /// Show a vertical line at [`selection`](Self::selection).
    pub flg_selection: i32,
    /// The range of y is symmetric.
    pub flg_symmetric: i32,
    /// Width of lines.
    pub linewidth: f32,
    /// Width of the grid's lines.
    pub gridwidth: f32,
    /// Grid points along x and y.
    pub gridsize: [i32; 2],
    /// Colour of the grid.
    pub gridrgb: [f32; 3],
    /// Colour of the figure.
    pub figurergba: [f32; 4],
    /// Colour of the pane.
    pub panergba: [f32; 4],
    /// Colour of the legend.
    pub legendrgba: [f32; 4],
    /// Colour of text.
    pub textrgb: [f32; 3],
    /// Ranges of x and y; automatic where the minimum is not below the maximum.
    pub range: [[f32; 2]; 2],
    /// Format of numbers along x, as in C.
    pub xformat: String,
    /// Format of numbers along y, as in C.
    pub yformat: String,
    /// Text as wide as numbers along y need.
    pub minwidth: String,
    /// Title; subplots are apart by two spaces or more.
    pub title: String,
    /// Label of x.
    pub xlabel: String,
    /// Lines by which the legend is moved.
    pub legendoffset: i32,
    /// Selected subplot.
    pub subplot: i32,
    /// Where the mouse is; a line whose legend is there is highlighted.
    pub highlight: [i32; 2],
    /// Line to highlight; −1: none.
    pub highlightid: i32,
    /// Where the vertical line is.
    pub selection: f32,
    /// The lines, [`MAX_LINE`] of them; one without points is not drawn.
    pub lines: Vec<FigureLine>,
    /// The x axis in pixels; set by the renderer.
    pub xaxispixel: [i32; 2],
    /// The y axis in pixels; set by the renderer.
    pub yaxispixel: [i32; 2],
    /// The x axis in units of the data; set by the renderer.
    pub xaxisdata: [f32; 2],
    /// The y axis in units of the data; set by the renderer.
    pub yaxisdata: [f32; 2],
}

/// Colours of the first lines.
const RGB: [[f32; 3]; 8] = [
    [1.0, 0.3, 0.3],
    [0.1, 1.0, 0.1],
    [0.3, 0.3, 1.0],
    [0.1, 1.0, 1.0],
    [1.0, 0.2, 1.0],
    [1.0, 1.0, 0.1],
    [1.0, 0.6, 0.2],
    [0.6, 0.7, 0.4],
];

/// Colour of a line: chosen for the first, well spread for the others.
pub fn line_rgb(line: usize) -> [f32; 3] {
    RGB.get(line).copied().unwrap_or_else(|| {
        [2, 3, 5].map(|base| (0.1_f32 as f64 + 0.8_f32 as f64 * halton(line as i32, base)) as f32)
    })
}

/// MuJoCo's `mjv_defaultFigure`.
impl Default for Figure {
    fn default() -> Figure {
        Figure {
            flg_legend: 1,
            flg_ticklabel: [1; 2],
            flg_extend: 1,
            flg_barplot: 0,
            flg_selection: 0,
            flg_symmetric: 0,
            linewidth: 3.0,
            gridwidth: 1.0,
            gridsize: [2; 2],
            gridrgb: [0.4; 3],
            figurergba: [0.0, 0.0, 0.0, 1.0],
            panergba: [0.0, 0.0, 0.0, 1.0],
            legendrgba: [0.0, 0.0, 0.0, 0.3],
            textrgb: [1.0; 3],
            range: [[0.0, 1.0]; 2],
            xformat: "%.0f".to_owned(),
            yformat: "%.2g".to_owned(),
            minwidth: "XXX".to_owned(),
            title: String::new(),
            xlabel: String::new(),
            legendoffset: 0,
            subplot: 0,
            highlight: [0; 2],
            highlightid: -1,
            selection: 0.0,
            lines: (0..MAX_LINE)
                .map(|i| FigureLine { rgb: line_rgb(i), ..FigureLine::default() })
                .collect(),
            xaxispixel: [0; 2],
            yaxispixel: [0; 2],
            xaxisdata: [0.0; 2],
            yaxisdata: [0.0; 2],
        }
    }
}
