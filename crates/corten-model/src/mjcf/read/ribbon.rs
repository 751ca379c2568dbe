//! The skin of a cable of boxes: two sheets of vertices with a rim, carried by the links.
//!
//! The bones are a grid: one row per vertex of the cable, two columns at the edges of the boxes. With
//! `subgrid` there is a third column in the middle, and between neighbouring bones there are that many
//! vertices more, which follow the bones by bicubic interpolation.

use crate::diagnostic::Diagnostic;
use crate::mjcf::forest::Elem;
use crate::spec::Skin;
use corten_math::memory::Grow;

use super::Reader;
use super::composite::Cable;
use super::value::{apply_except, read};

impl Reader<'_> {
    pub(super) fn cable_skin(&mut self, elem: Elem<'_>, cable: &Cable) {
        let mut skin = Skin {
            name: format!("{}Skin", cable.prefix),
            rgba: [1.0; 4],
            inflate: (2.0 * cable.geom.size[2]) as f32,
            source: elem.source(),
            ..Default::default()
        };
        let mut texcoord = false;
        let mut subgrid = 0i32;
        if let Some(child) = elem.children().into_iter().find(|child| child.name() == "skin") {
            apply_except(&mut self.diags, child, &mut skin, &["inflate", "texcoord"]);
            read(&mut self.diags, child, "texcoord", &mut texcoord);
            read(&mut self.diags, child, "subgrid", &mut subgrid);
        }
        let ribbon = Ribbon::new(cable.count, usize::try_from(subgrid).unwrap_or(0));
        let limit = self.context.limits().points;
        if ribbon.vertices().is_none_or(|count| count > limit) {
            let message = format!("'subgrid' would create more than {limit} points");
            self.report(elem, Diagnostic::error(message).beyond("points"));
            return;
        }
        ribbon.sheets(&mut skin, texcoord);
        ribbon.rim(&mut skin);
        let [_, columns] = ribbon.bones;
        for bone in 0..ribbon.bones[0] * columns {
            let (row, column) = (bone / columns, bone % columns);
            // The last row belongs to the far end of the last link.
            let (body, x) = if row == cable.count - 1 {
                (cable.count - 2, -2.0 * cable.geom.size[0])
            } else {
                (row, 0.0)
            };
            // From one edge of the box to the other.
            let y = (2.0 * column as f64 / (columns - 1) as f64 - 1.0) * cable.geom.size[1];
            skin.bodyname.push(cable.body_name(body));
            skin.bindpos.extend([x as f32, y as f32, 0.0]);
            skin.bindquat.extend([1.0, 0.0, 0.0, 0.0]);
        }
        ribbon.bind(&mut skin);
        self.spec.skins.insert(skin);
    }
}

/// Grids of a ribbon, lengthwise and across.
struct Ribbon {
    bones: [usize; 2],
    /// Vertices between two bones.
    between: usize,
    /// Vertices of a sheet.
    grid: [usize; 2],
}

impl Ribbon {
    fn new(rows: usize, between: usize) -> Ribbon {
        let bones = [rows, if between > 0 { 3 } else { 2 }];
        let grid = bones.map(|n| n.saturating_add((n - 1).saturating_mul(between)));
        Ribbon { bones, between, grid }
    }

    /// Of both sheets; none if that is no number.
    fn vertices(&self) -> Option<usize> {
        self.grid[0].checked_mul(self.grid[1])?.checked_mul(2)
    }

    fn at(&self, side: usize, row: usize, column: usize) -> i32 {
        ((side * self.grid[0] + row) * self.grid[1] + column) as i32
    }

    /// Two sheets, which face away from each other.
    fn sheets(&self, skin: &mut Skin, texcoord: bool) {
        let [rows, columns] = self.grid;
        for side in 0..2 {
            for row in 0..rows {
                for column in 0..columns {
                    skin.vert.grow_extend([0.0; 3]);
                    if texcoord {
                        skin.texcoord.push(row as f32 / (rows - 1) as f32);
                        skin.texcoord.push(column as f32 / (columns - 1) as f32);
                    }
                    if row + 1 < rows && column + 1 < columns {
                        let (a, b) = (self.at(side, row, column), self.at(side, row + 1, column));
                        let (c, d) =
                            (self.at(side, row + 1, column + 1), self.at(side, row, column + 1));
                        skin.face.grow_extend(if side == 0 {
                            [a, b, c, a, c, d]
                        } else {
                            [a, c, b, a, d, c]
                        });
                    }
                }
            }
        }
    }

    /// Thin triangles from sheet to sheet: along both edges, then across both ends.
    fn rim(&self, skin: &mut Skin) {
        let [rows, columns] = self.grid;
        let mut strip = |from: [usize; 2], to: [usize; 2], turned: bool| {
            let [a, b, c, d] = [(0, from), (0, to), (1, from), (1, to)]
                .map(|(side, [row, column])| self.at(side, row, column));
            skin.face.extend(if turned { [a, d, b, a, c, d] } else { [a, b, d, a, d, c] });
        };
        for (column, turned) in [(0, true), (columns - 1, false)] {
            for row in 0..rows - 1 {
                strip([row, column], [row + 1, column], turned);
            }
        }
        for (row, turned) in [(0, false), (rows - 1, true)] {
            for column in 0..columns - 1 {
                strip([row, column], [row, column + 1], turned);
            }
        }
    }

    /// What each bone carries, cell by cell of the grid of bones.
    fn bind(&self, skin: &mut Skin) {
        let [rows, columns] = self.bones;
        let per_cell = self.between + 1;
        skin.vertid = vec![Vec::new(); rows * columns];
        skin.vertweight = vec![Vec::new(); rows * columns];
        // The last cell owns the vertices at its end too.
        let of_cell = |cell: usize, count: usize| 0..per_cell + usize::from(cell + 2 == count);
        for (row, column) in (0..rows - 1).flat_map(|r| (0..columns - 1).map(move |c| (r, c))) {
            for along in of_cell(row, rows) {
                for across in of_cell(column, columns) {
                    let [x, y] = [along, across].map(|k| k as f64 / per_cell as f64);
                    let (by_row, by_column) = (weights(row, rows, x), weights(column, columns, y));
                    let vertex = [row * per_cell + along, column * per_cell + across];
                    for (r, wr) in by_row {
                        for (c, wc) in by_column {
                            let weight = (wr * wc) as f32;
                            if weight != 0.0 {
                                let bone = r * columns + c;
                                let both = [0, 1].map(|side| self.at(side, vertex[0], vertex[1]));
                                skin.vertid[bone].extend(both);
                                skin.vertweight[bone].extend([weight; 2]);
                            }
                        }
                    }
                }
            }
        }
    }
}

/// Nodes and their weights at `t` between nodes `cell` and `cell + 1` of `count`: a cubic whose slope
/// at a node is that between its neighbours, at an end that between the last two.
fn weights(cell: usize, count: usize, t: f64) -> [(usize, f64); 4] {
    // Hermite's polynomials of the values and of the slopes at both ends.
    let (t2, t3) = (t * t, t * t * t);
    let value = [1.0 - 3.0 * t2 + 2.0 * t3, 3.0 * t2 - 2.0 * t3];
    let slope = [t - 2.0 * t2 + t3, t3 - t2];
    let mut weights = [0.0, value[0], value[1], 0.0];
    for end in 0..2 {
        let first = cell + end == 0;
        let last = cell + end + 1 == count;
        let (from, to) = (end + usize::from(first), end + 2 - usize::from(last));
        let scale = if first || last { slope[end] } else { 0.5 * slope[end] };
        weights[from] -= scale;
        weights[to] += scale;
    }
    // A missing neighbour has no weight: any node may stand for it.
    std::array::from_fn(|k| ((cell + k).saturating_sub(1).min(count - 1), weights[k]))
}
