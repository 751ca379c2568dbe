//! What a benchmark prints.

/// Figures of one scene in one regime.
#[derive(Clone, Debug, Default)]
pub struct Row {
    pub scene: String,
    pub regime: &'static str,
    pub nv: usize,
    pub contacts: usize,
    /// Microseconds per step, and of the first one after a state is set.
    pub time: Option<f64>,
    pub first: Option<f64>,
    pub allocations: f64,
    pub instructions: Option<f64>,
    /// Kilobytes per environment.
    pub memory: Option<f64>,
    /// Kilobytes per world of a batch.
    pub world: Option<f64>,
    /// Largest relative difference of an acceleration from the first reference.
    pub deviation: f64,
    /// By library.
    pub against: Vec<Against>,
}

/// Figures of one reference.
#[derive(Clone, Debug, Default)]
pub struct Against {
    pub time: Option<f64>,
    pub first: Option<f64>,
    /// Median, 5 % and 95 % quantile of the ratios of times.
    pub ratio: Option<[f64; 3]>,
    pub instructions: Option<f64>,
    pub memory: Option<f64>,
}

/// Above this deviation a row does not count as the same computation.
const SAME: f64 = 1e-9;

pub fn header(versions: &[String]) {
    print!("{:40} {:8} {:>10}", "scene", "regime", "corten us");
    for version in versions {
        print!(" {:>12} {:>7} {:>12}", format!("{version} us"), "ratio", "5-95 %");
    }
    println!(" {:>7} {:>9}", "allocs", "|dqacc|");
}

impl Row {
    pub fn print(&self) {
        print!("{:40} {:8} {:>10}", self.scene, self.regime, number(self.time, 2));
        for a in &self.against {
            let (ratio, range) = match a.ratio {
                Some([median, low, high]) => {
                    (format!("{median:.2}x"), format!("{low:.2}-{high:.2}"))
                }
                None => ("-".into(), "-".into()),
            };
            print!(" {:>12} {ratio:>7} {range:>12}", number(a.time, 2));
        }
        println!(" {:7.2} {:9.1e}", self.allocations, self.deviation);
        if let Some(own) = self.instructions {
            let theirs = self.against.iter().map(|a| against(own, a.instructions, 1e-3, 1));
            println!(
                "{:40}   k-instructions per step {:.1}{}",
                "",
                1e-3 * own,
                theirs.collect::<String>()
            );
        }
        if let Some(own) = self.memory {
            let theirs = self.against.iter().map(|a| against(own, a.memory, 1.0, 0));
            let (theirs, world) = (theirs.collect::<String>(), number(self.world, 1));
            println!(
                "{:40}   KB per environment {own:.0}{theirs}; per world of a batch {world}",
                ""
            );
        }
    }

    /// The first step after a state is set, in our engine and in others.
    pub fn print_first(&self) {
        print!("{:40}   first step {}", "", number(self.first, 2));
        for a in &self.against {
            print!(", against {}", number(a.first, 2));
        }
        println!();
    }
}

fn number(value: Option<f64>, digits: usize) -> String {
    value.map_or_else(|| "-".into(), |v| format!("{v:.digits$}"))
}

fn against(own: f64, theirs: Option<f64>, scale: f64, digits: usize) -> String {
    theirs
        .map_or_else(String::new, |n| format!(", against {:.digits$} ({:.2}x)", scale * n, n / own))
}

/// Time per stage, a column per engine.
pub fn stages(columns: &[(String, Vec<f64>)]) {
    for (engine, times) in columns {
        print!("{:40}   {engine:8}", "");
        for (name, time) in crate::stages::NAMES.iter().zip(times) {
            print!(" {name} {time:.2}");
        }
        println!("  sum {:.2}", times.iter().sum::<f64>());
    }
}

/// Geometric means and lowest ratios, by library and regime.
pub fn summary(versions: &[String], rows: &[Row]) {
    let mut regimes: Vec<&str> = rows.iter().map(|r| r.regime).collect();
    regimes.dedup();
    regimes.sort_unstable();
    regimes.dedup();
    for (k, version) in versions.iter().enumerate() {
        for regime in &regimes {
            let these = || rows.iter().filter(|r| r.regime == *regime);
            report(version, regime, "time", these().filter_map(|r| Some(r.against[k].ratio?[0])));
            let counts = these().filter_map(|r| Some(r.against[k].instructions? / r.instructions?));
            report(version, regime, "instructions", counts);
            let memory = these().filter_map(|r| Some(r.against[k].memory? / r.memory?));
            report(version, regime, "memory", memory);
        }
    }
    for row in rows.iter().filter(|r| r.deviation > SAME) {
        println!(
            "{} {}: differs from the reference by {:.0e}",
            row.scene, row.regime, row.deviation
        );
    }
}

fn report(version: &str, regime: &str, what: &str, ratios: impl Iterator<Item = f64>) {
    let ratios: Vec<f64> = ratios.filter(|r| r.is_finite()).collect();
    if ratios.is_empty() {
        return;
    }
    let mean = (ratios.iter().map(|r| r.ln()).sum::<f64>() / ratios.len() as f64).exp();
    let lowest = ratios.iter().copied().fold(f64::INFINITY, f64::min);
    println!(
        "{what} against {version}, {regime}: geometric mean {mean:.2}x, lowest {lowest:.2}x, {} scenes",
        ratios.len()
    );
}

/// A table with a line per scene and a ratio per regime and library.
pub fn markdown(versions: &[String], rows: &[Row]) {
    let mut regimes: Vec<&str> = Vec::new();
    for row in rows {
        if !regimes.contains(&row.regime) {
            regimes.push(row.regime);
        }
    }
    let mut head = vec!["scene".to_owned(), "dofs".into(), "contacts".into()];
    head.extend(versions.iter().map(|v| format!("MuJoCo {v} [µs]")));
    head.push("CortenForge [µs]".into());
    for version in versions {
        head.extend(regimes.iter().map(|r| format!("{r} / {version}")));
    }
    let counted = rows.iter().any(|r| r.instructions.is_some());
    let weighed = rows.iter().any(|r| r.memory.is_some());
    head.extend(counted.then(|| "k-instructions".to_owned()));
    head.extend(weighed.then(|| "KB per environment".to_owned()));
    println!("| {} |\n|{}", head.join(" | "), "---|".repeat(head.len()));

    let mut scenes: Vec<&str> = rows.iter().map(|r| r.scene.as_str()).collect();
    scenes.dedup();
    for scene in scenes {
        let these: Vec<&Row> = rows.iter().filter(|r| r.scene == scene).collect();
        // Times are those of the settled regime where there is one.
        let main = these.iter().find(|r| r.regime == "settled").or(these.first());
        let Some(main) = main else { continue };
        let mut cells = vec![scene.to_owned(), main.nv.to_string(), main.contacts.to_string()];
        cells.extend(main.against.iter().map(|a| number(a.time, 1)));
        cells.push(number(main.time, 1));
        for k in 0..versions.len() {
            for regime in &regimes {
                let row = these.iter().find(|r| r.regime == *regime);
                let ratio = row.and_then(|r| r.against[k].ratio);
                cells.push(ratio.map_or_else(|| "–".into(), |r| format!("{:.2}x", r[0])));
            }
        }
        if counted {
            let own = main.instructions.map(|n| 1e-3 * n);
            let theirs = main.against.iter().map(|a| number(a.instructions.map(|n| 1e-3 * n), 0));
            cells.push(format!("{} / {}", number(own, 0), theirs.collect::<Vec<_>>().join(" / ")));
        }
        if weighed {
            let theirs = main.against.iter().map(|a| number(a.memory, 0));
            cells.push(format!(
                "{} / {}",
                number(main.memory, 0),
                theirs.collect::<Vec<_>>().join(" / ")
            ));
        }
        println!("| {} |", cells.join(" | "));
    }
}
