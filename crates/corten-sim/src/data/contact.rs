use corten_math::{Mat3, Vec3};

/// Contact between two geoms.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// Distance between the nearest points; negative when penetrating.
    pub dist: f64,
    /// Midpoint between the nearest points.
    pub pos: Vec3,
    /// Rows are the axes of the contact frame; the first, the normal, points from `geom[0]` to
    /// `geom[1]`.
    pub frame: Mat3,
    /// The contact produces forces if `dist < includemargin`, which is margin − gap.
    pub includemargin: f64,
    /// Tangent 1 and 2, spin, roll 1 and 2.
    pub friction: [f64; 5],
    /// Reference of the normal direction.
    pub solref: [f64; 2],
    /// Reference of the friction directions; zero for that of the normal.
    pub solreffriction: [f64; 2],
    /// Impedance.
    pub solimp: [f64; 5],
    /// Friction of the regularised cone, set with the constraint rows.
    pub mu: f64,
    /// Dimension of the contact space: 1, 3, 4 or 6.
    pub dim: i32,
    /// Geoms that touch; −1 for a flex.
    pub geom: [i32; 2],
    /// Flexes that touch; −1 for a geom.
    pub flex: [i32; 2],
    /// Elements of the flexes; −1 for a vertex or a geom.
    pub elem: [i32; 2],
    /// Vertices of the flexes; −1 for an element or a geom.
    pub vert: [i32; 2],
    /// 0: included, 1: in the gap, 2: fused, 3: no dofs, 4: passive.
    pub exclude: i32,
    /// First constraint row; −1 if none.
    pub efc_address: i32,
}

impl Default for Contact {
    fn default() -> Contact {
        Contact {
            dist: 0.0,
            pos: Vec3::ZERO,
            frame: Mat3::ZERO,
            includemargin: 0.0,
            friction: [0.0; 5],
            solref: [0.0; 2],
            solreffriction: [0.0; 2],
            solimp: [0.0; 5],
            mu: 0.0,
            dim: 0,
            geom: [-1; 2],
            flex: [-1; 2],
            elem: [-1; 2],
            vert: [-1; 2],
            exclude: 0,
            efc_address: -1,
        }
    }
}
