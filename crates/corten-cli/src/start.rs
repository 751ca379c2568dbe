//! Where a simulation begins: the model, its keyframe, its controls.

use std::path::Path;

use anyhow::{Context, bail};
use corten::{Data, Model};

#[derive(clap::Args)]
pub struct Start {
    /// Keyframe to start from, by name or number; the reference pose otherwise.
    #[arg(long)]
    pub key: Option<String>,
    /// Control of an actuator, as NAME=VALUE; may be repeated.
    #[arg(long, value_name = "NAME=VALUE")]
    pub ctrl: Vec<String>,
}

/// A model and data in the state to start from.
pub fn load(file: &Path, start: &Start) -> anyhow::Result<(Model, Data)> {
    let model =
        corten::load_file(file).with_context(|| format!("cannot load {}", file.display()))?;
    let data = begin(&model, start)?;
    Ok((model, data))
}

/// Data in the state to start from.
pub fn begin(model: &Model, start: &Start) -> anyhow::Result<Data> {
    let mut data = model.make_data();
    if let Some(key) = &start.key {
        let by_number = || model.keyframes().nth(key.parse().ok()?);
        match model.keyframe(key).ok().or_else(by_number) {
            Some(key) => data.reset_to(model, key)?,
            None => bail!("no keyframe '{key}'; the model has {}", keyframes(model)),
        }
    }
    for assignment in &start.ctrl {
        let (name, value) = assignment.split_once('=').context("--ctrl takes NAME=VALUE")?;
        let value = value.parse().with_context(|| format!("control of '{name}'"))?;
        data.set_ctrl(model.actuator(name)?, value);
    }
    Ok(data)
}

fn keyframes(m: &Model) -> String {
    let names: Vec<&str> = m.keyframes().filter_map(|key| m.keyframe_name(key)).collect();
    match names.is_empty() {
        true => format!("{} without a name", m.nkey),
        false => names.join(", "),
    }
}
