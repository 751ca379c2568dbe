//! `corten info`: sizes and the kinematic tree.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use corten_model::enums::{JointType, ObjType};
use corten_sim::Model;

#[derive(clap::Args)]
pub struct Args {
    /// MJCF or URDF file.
    file: PathBuf,
}

pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let m = corten_sim::load_model(&args.file)
        .with_context(|| format!("cannot load {}", args.file.display()))?;
    println!("{}", m.name);
    for size in Model::SIZES {
        let value = m.size(size).unwrap_or(0);
        if value > 0 {
            println!("  {size:16} {value}");
        }
    }
    println!("\nbodies (mass in kg, joints)");
    let mut depth = vec![0; m.nbody];
    for b in 0..m.nbody {
        if b > 0 {
            depth[b] = depth[m.body_parentid[b] as usize] + 1;
        }
        let name = m.object_names.name(ObjType::Body, b).unwrap_or("(unnamed)");
        let indented = format!("{}{name}", "  ".repeat(depth[b] + 1));
        println!("{indented:40} {:10.4}  {}", m.body_mass[b], joints(&m, b));
    }
    Ok(ExitCode::SUCCESS)
}

fn joints(m: &Model, body: usize) -> String {
    let first = m.body_jntadr[body].max(0) as usize;
    let list: Vec<String> = (first..first + m.body_jntnum[body] as usize)
        .map(|j| {
            let kind = match JointType::from_raw(m.jnt_type[j]) {
                Some(kind) => format!("{kind:?}").to_lowercase(),
                None => "unknown".into(),
            };
            match m.object_names.name(ObjType::Joint, j) {
                Some(name) => format!("{name} ({kind})"),
                None => kind,
            }
        })
        .collect();
    list.join(", ")
}
