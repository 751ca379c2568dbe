//! `corten check`: every error and warning of many files.
//!
//! Exit codes: 0 if all models load, 1 if one does not (or has warnings, with `--deny-warnings`),
//! 2 for wrong arguments.

mod files;
mod json;
mod pose;

use std::path::PathBuf;
use std::process::ExitCode;

use corten::diagnostic::Severity;
use corten::{Assets, Diagnostics, ReadOptions, Spec, lint};

use crate::progress::Bar;

#[derive(clap::Args)]
pub struct Args {
    /// MJCF or URDF files, or directories of them.
    #[arg(required = true)]
    paths: Vec<PathBuf>,
    /// Print one JSON object instead of text.
    #[arg(long)]
    json: bool,
    /// Say nothing about files without findings, and leave out notes.
    #[arg(long, short)]
    quiet: bool,
    /// Fail on warnings too.
    #[arg(long, short = 'W')]
    deny_warnings: bool,
    /// Read as MuJoCo does where we would do otherwise: mimic joints of URDF are dropped.
    #[arg(long)]
    mujoco: bool,
    /// Directory that holds packages, for package:// in URDF; may be repeated. Those in
    /// CORTEN_PACKAGE_PATH and ROS_PACKAGE_PATH are searched too.
    #[arg(long, value_name = "DIR")]
    package_path: Vec<PathBuf>,
}

/// The findings about one file.
struct Report {
    file: PathBuf,
    findings: Diagnostics,
    /// The model that includes this file, which does not stand on its own.
    part_of: Option<PathBuf>,
}

impl Report {
    fn count(&self, severity: Severity) -> usize {
        match self.part_of {
            Some(_) => 0,
            None => self.findings.iter().filter(|item| item.severity == severity).count(),
        }
    }
}

pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let mut assets = Assets::new();
    for dir in &args.package_path {
        assets.add_package_path(dir.to_string_lossy());
    }
    let options = if args.mujoco { ReadOptions::MUJOCO } else { ReadOptions::default() };
    let mut parts = files::Parts::default();
    let mut reports = Vec::new();
    let files = files::expand(&args.paths)?;
    let mut bar = Bar::new(files.len());
    for file in files {
        bar.set_message(file.display());
        let findings = check(&file, &assets, options, &mut parts);
        reports.push(Report { file, findings, part_of: None });
        bar.advance();
    }
    bar.clear();
    for report in reports.iter_mut().filter(|report| report.findings.has_errors()) {
        report.part_of = parts.owner(&report.file);
    }
    let total = |severity| reports.iter().map(|report| report.count(severity)).sum::<usize>();
    let (errors, warnings) = (total(Severity::Error), total(Severity::Warning));
    if args.json {
        println!("{}", json::summary(&reports, errors, warnings));
    } else {
        reports.iter().for_each(|report| print(report, args.quiet));
        println!(
            "{} checked: {}, {}",
            plural(reports.len(), "file"),
            plural(errors, "error"),
            plural(warnings, "warning")
        );
    }
    let failed = errors > 0 || (args.deny_warnings && warnings > 0);
    Ok(if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// Everything there is to say about a file.
fn check(
    file: &std::path::Path,
    assets: &Assets,
    options: ReadOptions,
    parts: &mut files::Parts,
) -> Diagnostics {
    let read = Spec::read_file(&file.to_string_lossy(), assets, options);
    let (spec, warnings) = match read {
        Ok(read) => read,
        Err(errors) => return errors,
    };
    parts.add(file, &spec);
    match corten::compile_with(&spec, assets, warnings) {
        Ok(loaded) => {
            let mut findings = loaded.warnings;
            findings.append(lint::spec(&spec));
            findings.append(lint::model(&loaded.model, &spec));
            findings.append(pose::overlaps(&loaded.model, &spec));
            findings
        }
        Err(errors) => errors,
    }
}

fn print(report: &Report, quiet: bool) {
    if let Some(owner) = &report.part_of {
        if !quiet {
            println!("{}: part of {}", report.file.display(), owner.display());
        }
        return;
    }
    for item in report.findings.iter().filter(|item| !quiet || item.severity > Severity::Note) {
        println!("{item}\n");
    }
    if report.count(Severity::Error) == 0 && !quiet {
        println!("{}: ok", report.file.display());
    } else if report.findings.iter().all(|item| item.place.is_none()) && !quiet {
        println!("{}: failed", report.file.display());
    }
}

fn plural(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}
