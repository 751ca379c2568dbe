//! The plugins that come with MuJoCo 3.4.0.

mod cable;
mod pid;
mod touch_grid;

use corten_geom::DistanceField;
use corten_model::plugin::{BuiltinKind, ConfigError, PluginKind};

use super::{Plugin, PluginInstance, Setting};

impl Plugin for BuiltinKind {
    fn instance(&self, setting: &Setting<'_>) -> Result<Box<dyn PluginInstance>, ConfigError> {
        Ok(match self {
            BuiltinKind::Pid => Box::new(pid::Pid::new(setting)?),
            BuiltinKind::Cable => Box::new(cable::Cable::new(setting)?),
            BuiltinKind::TouchGrid => Box::new(touch_grid::TouchGrid::new(setting)?),
            _ => Box::new(ShapeOnly(self.field(setting.config)?)),
        })
    }
}

/// An instance that is nothing but a shape.
struct ShapeOnly(Box<dyn DistanceField>);

impl PluginInstance for ShapeOnly {
    fn field(&self) -> Option<&dyn DistanceField> {
        Some(&*self.0)
    }
}
