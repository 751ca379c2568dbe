//! What a model asks for by name, where MuJoCo's arrays have only a number.

use super::UnpackError;
use crate::container::Values;
use crate::plugin::{BUILTIN_KINDS, PluginKind};

/// Names of the extensions that a model uses.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ExtensionNames {
    /// The kind of each instance of a plugin.
    pub plugins: Vec<String>,
    /// The gain model of each actuator; empty if none has one.
    pub gains: Vec<GainChoice>,
}

/// A gain model that an actuator asks for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GainChoice {
    /// Its name; empty for none.
    pub model: String,
    /// Its parameters.
    pub params: Vec<f64>,
}

/// The entry of kinds of plugins.
const PLUGINS: &str = "extensions.plugin";
/// Entries of gain models: names, and parameters with their counts.
const GAINS: &str = "extensions.gain";
const GAIN_PARAMS: &str = "extensions.gain_params";
const GAIN_PARAMNUM: &str = "extensions.gain_paramnum";

impl ExtensionNames {
    /// The kind of an instance of a plugin.
    pub fn plugin_kind(&self, instance: usize) -> &str {
        self.plugins.get(instance).map_or("", String::as_str)
    }

    /// Kinds of plugins from the numbers that MuJoCo's package gives them.
    fn plugins_of_slots(slots: &[i32]) -> Vec<String> {
        let name = |&slot: &i32| {
            let kind = usize::try_from(slot).ok().and_then(|slot| BUILTIN_KINDS.get(slot));
            kind.map_or_else(String::new, |kind| kind.name().to_owned())
        };
        slots.iter().map(name).collect()
    }

    /// Entries of what there is: none for most models.
    pub(super) fn pack(&self, mut push: impl FnMut(String, Values)) {
        if !self.plugins.is_empty() {
            push(PLUGINS.into(), joined(self.plugins.iter().map(String::as_str)));
        }
        if !self.gains.is_empty() {
            push(GAINS.into(), joined(self.gains.iter().map(|gain| gain.model.as_str())));
            let params = self.gains.iter().flat_map(|gain| &gain.params).copied().collect();
            push(GAIN_PARAMS.into(), Values::F64(params));
            let counts = self.gains.iter().map(|gain| gain.params.len() as i32).collect();
            push(GAIN_PARAMNUM.into(), Values::I32(counts));
        }
    }

    /// What the entries of a model of these sizes say.
    pub(super) fn unpack<'a>(
        find: impl Fn(&str) -> Option<&'a Values>,
        slots: &[i32],
        actuators: usize,
    ) -> Result<ExtensionNames, UnpackError> {
        let plugins = match find(PLUGINS) {
            Some(values) => split(values, PLUGINS, slots.len())?,
            None => ExtensionNames::plugins_of_slots(slots),
        };
        let mut gains = Vec::new();
        if let Some(names) = find(GAINS) {
            let missing = |name: &str| UnpackError::Missing(name.into());
            let wrong = |name: &str| UnpackError::Type(name.into());
            let names = split(names, GAINS, actuators)?;
            let Values::F64(params) = find(GAIN_PARAMS).ok_or_else(|| missing(GAIN_PARAMS))? else {
                return Err(wrong(GAIN_PARAMS));
            };
            let Values::I32(counts) = find(GAIN_PARAMNUM).ok_or_else(|| missing(GAIN_PARAMNUM))?
            else {
                return Err(wrong(GAIN_PARAMNUM));
            };
            let mut rest = params.as_slice();
            for (model, &count) in names.into_iter().zip(counts) {
                let own = rest.split_at_checked(usize::try_from(count).unwrap_or(usize::MAX));
                let (own, others) = own.ok_or_else(|| UnpackError::Size(GAIN_PARAMNUM.into()))?;
                gains.push(GainChoice { model, params: own.to_vec() });
                rest = others;
            }
            if gains.len() != actuators {
                return Err(UnpackError::Size(GAIN_PARAMNUM.into()));
            }
        }
        Ok(ExtensionNames { plugins, gains })
    }
}

fn joined<'a>(names: impl Iterator<Item = &'a str>) -> Values {
    let mut bytes = Vec::new();
    for name in names {
        bytes.extend_from_slice(name.as_bytes());
        bytes.push(0);
    }
    Values::U8(bytes)
}

fn split(values: &Values, entry: &str, expected: usize) -> Result<Vec<String>, UnpackError> {
    let Values::U8(bytes) = values else { return Err(UnpackError::Type(entry.into())) };
    let text = str::from_utf8(bytes).map_err(|_| UnpackError::Text(entry.into()))?;
    let names: Vec<String> = text.split_terminator('\0').map(str::to_owned).collect();
    let found = names.len();
    if found == expected {
        Ok(names)
    } else {
        Err(UnpackError::Length { name: entry.into(), found, expected })
    }
}
