//! What pictures show of plugins.

use corten_math::{Mat3, Vec3};

/// What pictures show of a plugin's instance, besides the elements that use it.
#[derive(Clone, Debug, PartialEq)]
pub enum Mark {
    /// A geom of the model has another colour.
    Color {
        /// The geom.
        geom: usize,
        /// Its red, green and blue.
        rgb: [f32; 3],
    },
    /// A box.
    Box {
        /// Sensor that it belongs to.
        sensor: usize,
        /// Half of its sides.
        size: Vec3,
        /// Its centre, in the world.
        pos: Vec3,
        /// Its axes.
        mat: Mat3,
        /// Its colour.
        rgba: [f32; 4],
    },
}

/// Colours from blue over cyan, green and yellow to red for zero to `most`.
pub(crate) fn jet(x: f64, most: f64) -> [f32; 3] {
    let x = 4.0 * x.clamp(0.0, most) / most;
    let rgb = match x {
        ..1.0 => [0.0, x, 1.0],
        ..2.0 => [0.0, 1.0, 2.0 - x],
        ..3.0 => [x - 2.0, 1.0, 0.0],
        _ => [1.0, 4.0 - x, 0.0],
    };
    rgb.map(|x| x as f32)
}

#[cfg(test)]
mod tests {
    use super::jet;

    #[test]
    fn from_blue_to_red() {
        assert_eq!(jet(-1.0, 2.0), [0.0, 0.0, 1.0]);
        assert_eq!(jet(0.25, 2.0), [0.0, 0.5, 1.0]);
        assert_eq!(jet(1.0, 2.0), [0.0, 1.0, 0.0]);
        assert_eq!(jet(1.5, 2.0), [1.0, 1.0, 0.0]);
        assert_eq!(jet(9.0, 2.0), [1.0, 0.0, 0.0]);
    }
}
