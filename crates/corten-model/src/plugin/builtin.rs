//! The plugins that come with MuJoCo 3.4.0.

use corten_geom::{DistanceField, implicit};

use super::{Capabilities, Catalog, Config, ConfigError, PluginKind};
use crate::enums::Stage;

/// A kind of plugin that is always there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BuiltinKind {
    /// A servo with proportional, integral and derivative terms.
    Pid,
    /// Bending and twist of a chain of bodies.
    Cable,
    /// Contact forces on a patch of a sphere around a site.
    TouchGrid,
    /// The shape [`implicit::Bolt`].
    Bolt,
    /// The shape [`implicit::Bowl`].
    Bowl,
    /// The shape [`implicit::Gear`].
    Gear,
    /// The shape [`implicit::Nut`].
    Nut,
    /// The shape [`implicit::Torus`].
    Torus,
}

/// All of them, in the order in which MuJoCo's package numbers them.
pub const BUILTIN_KINDS: [BuiltinKind; 8] = [
    BuiltinKind::Pid,
    BuiltinKind::Cable,
    BuiltinKind::TouchGrid,
    BuiltinKind::Bolt,
    BuiltinKind::Bowl,
    BuiltinKind::Gear,
    BuiltinKind::Nut,
    BuiltinKind::Torus,
];

impl PluginKind for BuiltinKind {
    fn name(&self) -> &str {
        match self {
            BuiltinKind::Pid => "mujoco.pid",
            BuiltinKind::Cable => "mujoco.elasticity.cable",
            BuiltinKind::TouchGrid => "mujoco.sensor.touch_grid",
            BuiltinKind::Bolt => "mujoco.sdf.bolt",
            BuiltinKind::Bowl => "mujoco.sdf.bowl",
            BuiltinKind::Gear => "mujoco.sdf.gear",
            BuiltinKind::Nut => "mujoco.sdf.nut",
            BuiltinKind::Torus => "mujoco.sdf.torus",
        }
    }

    fn attributes(&self) -> &[&str] {
        match self {
            BuiltinKind::Pid => &["kp", "ki", "kd", "imax", "slewmax"],
            BuiltinKind::Cable => &["twist", "bend", "flat", "vmax"],
            BuiltinKind::TouchGrid => &["nchannel", "size", "fov", "gamma"],
            BuiltinKind::Bolt | BuiltinKind::Nut => &["radius"],
            BuiltinKind::Bowl => &["height", "radius", "thickness"],
            BuiltinKind::Gear => &["alpha", "diameter", "teeth", "thickness", "innerdiameter"],
            BuiltinKind::Torus => &["radius1", "radius2"],
        }
    }

    fn capabilities(&self) -> Capabilities {
        match self {
            BuiltinKind::Pid => Capabilities::ACTUATOR,
            BuiltinKind::Cable => Capabilities::PASSIVE,
            BuiltinKind::TouchGrid => Capabilities::SENSOR,
            _ => Capabilities::SDF,
        }
    }

    fn stage(&self) -> Stage {
        match self {
            BuiltinKind::TouchGrid => Stage::Acc,
            _ => Stage::None,
        }
    }

    fn sensor_size(&self, config: &Config) -> Result<usize, ConfigError> {
        match self {
            BuiltinKind::TouchGrid => TouchGrid::new(config).map(|grid| grid.values()),
            _ => Ok(0),
        }
    }

    fn field(&self, config: &Config) -> Result<Box<dyn DistanceField>, ConfigError> {
        let number = |key: &str, default: f64| -> Result<f64, ConfigError> {
            Ok(config.number(key)?.unwrap_or(default))
        };
        Ok(match self {
            BuiltinKind::Bolt => Box::new(implicit::Bolt { radius: number("radius", 0.26)? }),
            BuiltinKind::Nut => Box::new(implicit::Nut { radius: number("radius", 0.26)? }),
            BuiltinKind::Torus => Box::new(implicit::Torus {
                radius: number("radius1", 0.35)?,
                tube: number("radius2", 0.15)?,
            }),
            BuiltinKind::Bowl => Box::new(implicit::Bowl {
                height: number("height", 0.4)?,
                radius: number("radius", 1.0)?,
                thickness: number("thickness", 0.02)?,
            }),
            BuiltinKind::Gear => Box::new(implicit::Gear {
                angle: number("alpha", 0.0)?,
                diameter: number("diameter", 2.8)?,
                teeth: number("teeth", 25.0)?,
                thickness: number("thickness", 0.2)?,
                inner_diameter: number("innerdiameter", -1.0)?,
            }),
            _ => return Err("it has no signed distance".into()),
        })
    }
}

/// The configuration of a touch grid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TouchGrid {
    /// Components of force and torque that are measured.
    pub channels: usize,
    /// Cells in azimuth and elevation.
    pub size: [usize; 2],
    /// Half of the field of view, in degrees, in azimuth and elevation.
    pub fov: [f64; 2],
    /// How much finer cells are in the middle.
    pub gamma: f64,
}

impl TouchGrid {
    /// Most cells along an axis: their number is refused before they are made.
    const MOST: f64 = 4096.0;

    /// What a configuration says.
    pub fn new(config: &Config) -> Result<TouchGrid, ConfigError> {
        let channels = config.number("nchannel")?.unwrap_or(1.0).trunc();
        if !(channels == 0.0 || (1.0..=6.0).contains(&channels)) {
            return Err("'nchannel' must be between 1 and 6".into());
        }
        let two = |key: &str, what: &str| -> Result<[f64; 2], ConfigError> {
            let found = config.numbers(key)?;
            let message = || format!("'{key}' must give two {what}, horizontal and vertical");
            <[f64; 2]>::try_from(found).map_err(|_| message().into())
        };
        let size = two("size", "resolutions")?.map(f64::trunc);
        if size.iter().any(|n| !(1.0..=Self::MOST).contains(n)) {
            return Err(format!("'size' must be between 1 and {}", Self::MOST).into());
        }
        let fov = two("fov", "fields of view")?;
        if !(fov[0] > 0.0 && fov[0] <= 180.0) {
            return Err("the first number of 'fov' must be between 0 and 180 degrees".into());
        }
        if !(fov[1] > 0.0 && fov[1] <= 90.0) {
            return Err("the second number of 'fov' must be between 0 and 90 degrees".into());
        }
        let gamma = config.number("gamma")?.unwrap_or(0.0);
        if !(0.0..=1.0).contains(&gamma) {
            return Err("'gamma' must be between 0 and 1".into());
        }
        let channels = channels.max(1.0) as usize;
        Ok(TouchGrid { channels, size: size.map(|n| n as usize), fov, gamma })
    }

    /// How many numbers it measures.
    pub fn values(&self) -> usize {
        self.channels * self.size[0] * self.size[1]
    }
}

/// Gain models that are always there. Each has one activation.
const BUILTIN_GAINS: [&str; 2] = ["series_elastic", "dc_motor"];

/// Finds what is always there.
#[derive(Clone, Copy, Debug, Default)]
pub struct Builtin;

impl Catalog for Builtin {
    fn plugin(&self, name: &str) -> Option<(usize, &dyn PluginKind)> {
        let slot = BUILTIN_KINDS.iter().position(|kind| kind.name() == name)?;
        Some((slot, &BUILTIN_KINDS[slot]))
    }

    fn plugin_names(&self) -> Vec<&str> {
        BUILTIN_KINDS.iter().map(|kind| kind.name()).collect()
    }

    // Their parameters are looked at where they are made.
    fn gain_activations(&self, name: &str, _: &[f64]) -> Option<Result<usize, ConfigError>> {
        BUILTIN_GAINS.contains(&name).then_some(Ok(1))
    }

    fn gain_names(&self) -> Vec<&str> {
        BUILTIN_GAINS.to_vec()
    }
}
