//! The committed instruction counts of a few scenes, and the check that they do not rise.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, bail};

use crate::instructions::{self, Folder, UnknownInstruction};
use crate::progress;
use crate::regime::{self, Own, Regime};

/// Relative rise that a change may cause without being noticed.
const TOLERANCE: f64 = 0.02;

/// Compares the counts of the scenes in a file, relative to the file's folder, with those in it.
///
/// The file has a line per scene, `path regime instructions`, and one that says what compiler and
/// processor the counts belong to: those of others are not comparable.
pub fn run(file: &Path, update: bool) -> anyhow::Result<ExitCode> {
    if !instructions::available() {
        println!("valgrind is not installed: instruction counts are not checked");
        return Ok(ExitCode::SUCCESS);
    }
    let text = std::fs::read_to_string(file).with_context(|| file.display().to_string())?;
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let here = signature();
    let made = lines.iter().find_map(|l| l.strip_prefix("made with "));
    if !update && made.is_some_and(|made| made != here) {
        println!(
            "{} was made with {}, this is {here}: instruction counts are not compared",
            file.display(),
            made.unwrap_or_default()
        );
        return Ok(ExitCode::SUCCESS);
    }

    let base = file.parent().map_or_else(PathBuf::new, Path::to_owned);
    let bar = progress::bar(lines.len());
    let mut risen = Vec::new();
    for line in &mut lines {
        bar.inc(1);
        if line.starts_with("made with ") {
            *line = format!("made with {here}");
        }
        let words: Vec<&str> = line.split_whitespace().collect();
        let &[scene, regime, counted] = &words[..] else { continue };
        if scene.starts_with('#') || scene == "made" {
            continue;
        }
        let regime = Regime::ALL.into_iter().find(|r| r.name() == regime);
        let regime = regime.with_context(|| format!("unknown regime in '{line}'"))?;
        let expected: f64 = counted.parse().with_context(|| format!("bad count in '{line}'"))?;
        bar.set_message(format!("{scene} {}", regime.name()));
        let found = match measure(&base.join(scene), regime) {
            Err(error) if !update && error.is::<UnknownInstruction>() => {
                bar.suspend(|| println!("{scene:32} {:8} not counted: {error}", regime.name()));
                continue;
            }
            found => found?,
        };
        let change = found / expected - 1.0;
        bar.suspend(|| {
            println!(
                "{scene:32} {:8} {expected:10.0} -> {found:10.0}  {:+.1} %",
                regime.name(),
                100.0 * change
            );
        });
        if change > TOLERANCE {
            risen.push(scene.to_owned());
        }
        *line = format!("{scene} {} {found:.0}", regime.name());
    }
    bar.finish_and_clear();
    if update {
        std::fs::write(file, lines.join("\n") + "\n")?;
        return Ok(ExitCode::SUCCESS);
    }
    if !risen.is_empty() {
        bail!(
            "instructions per step rose by more than {} %: {}; if that is intended, run with --update",
            100.0 * TOLERANCE,
            risen.join(", ")
        );
    }
    Ok(ExitCode::SUCCESS)
}

fn measure(scene: &Path, regime: Regime) -> anyhow::Result<f64> {
    let model = corten_sim::load_model(scene).with_context(|| scene.display().to_string())?;
    let states = regime::states(&model, &mut Own::new(&model), regime);
    instructions::own(&Folder::new()?, &model, &states)
}

/// What instruction counts depend on besides the source.
fn signature() -> String {
    let mut parts = vec![env!("CORTEN_RUSTC").to_owned(), std::env::consts::ARCH.to_owned()];
    #[cfg(target_arch = "x86_64")]
    {
        parts.extend(std::arch::is_x86_feature_detected!("avx2").then(|| "avx2".to_owned()));
        parts.extend(std::arch::is_x86_feature_detected!("fma").then(|| "fma".to_owned()));
    }
    parts.join(" ")
}
