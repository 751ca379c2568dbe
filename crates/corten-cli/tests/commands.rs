//! Commands as users type them: those of the documentation, recordings, pictures, exit codes.

use std::io::BufRead;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A directory with the scenes, removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let dir = std::env::temp_dir().join(format!("corten-{name}-{}", std::process::id()));
        std::fs::create_dir_all(dir.join("scenes")).unwrap();
        for entry in std::fs::read_dir(root().join("scenes")).unwrap() {
            let path = entry.unwrap().path();
            if path.is_file() {
                std::fs::copy(&path, dir.join("scenes").join(path.file_name().unwrap())).unwrap();
            }
        }
        Folder(dir)
    }

    fn run(&self, line: &str) -> Output {
        Command::new(env!("CARGO_BIN_EXE_corten"))
            .args(line.split_whitespace())
            .current_dir(&self.0)
            .output()
            .unwrap()
    }

    /// Runs a command that must succeed; gives what it prints.
    fn good(&self, line: &str) -> String {
        let output = self.run(line);
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "corten {line}\n{text}\n{errors}");
        text
    }

    fn json(&self, line: &str) -> serde_json::Value {
        serde_json::from_str(&self.good(line)).unwrap()
    }

    fn bytes(&self, file: &str) -> Vec<u8> {
        std::fs::read(self.0.join(file)).unwrap()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn every_command_of_the_readme_and_the_tour_runs() {
    for (document, least) in [("README.md", 8), ("docs/tour.md", 5)] {
        let folder = Folder::new(&document.replace('/', "-"));
        let text = std::fs::read_to_string(root().join(document)).unwrap();
        let lines = text.lines().filter_map(|line| line.strip_prefix("corten "));
        let commands: Vec<&str> =
            lines.map(|line| line.split(" #").next().unwrap_or(line).trim()).collect();
        assert!(commands.len() >= least, "{document}: {commands:?}");
        for command in commands {
            // A page stays until it is ended: what it would show is asked for instead.
            match command.strip_prefix("view ") {
                Some(file) if file.ends_with(".npz") => {
                    drop(folder.good(&format!("replay {file}")))
                }
                Some(file) => drop(folder.good(&format!("check {file}"))),
                None => drop(folder.good(command)),
            }
        }
    }
}

#[test]
fn a_recording_replays_and_equals_itself() {
    let folder = Folder::new("replay");
    let record = "--record a.npz --record a.csv --record a.mcap --no-picture";
    folder.good(&format!("run scenes/humanoid.xml --steps 50 --noise 0.3 --seed 7 {record}"));
    let replay = folder.json("replay a.npz --json");
    assert_eq!((replay["same"].as_bool(), replay["steps"].as_u64()), (Some(true), Some(50)));
    // The controls of a recording as the input of a run.
    folder.good("run scenes/humanoid.xml --steps 50 --controls a.npz --record b.npz --no-picture");
    folder.good("compare a.npz b.npz");
    folder.good(
        "run scenes/humanoid.xml --steps 50 --noise 0.3 --seed 8 --record c.npz --no-picture",
    );
    let compared = folder.run("compare a.npz c.npz --json");
    assert_eq!(compared.status.code(), Some(1));
    let table = String::from_utf8(folder.bytes("a.csv")).unwrap();
    assert_eq!(table.lines().count(), 52);
    let log = folder.bytes("a.mcap");
    assert!(log.starts_with(b"\x89MCAP0\r\n") && log.ends_with(b"\x89MCAP0\r\n"));
    // What is converted later is what would have been written at once.
    let states = folder.json("convert a.npz later.csv --json");
    assert_eq!(states["states"], 51);
    folder.good("convert a.npz later.mcap");
    assert_eq!(folder.bytes("a.csv"), folder.bytes("later.csv"));
    assert_eq!(log, folder.bytes("later.mcap"));
    // One number changed, of a later step, is one that is noticed.
    let mut bytes = folder.bytes("a.npz");
    let state = bytes.windows(9).rposition(|w| w == b"state.npy").unwrap();
    let first = bytes.windows(9).position(|w| w == b"state.npy").unwrap();
    assert!(first < state);
    bytes[first + 9 + 128 + 8 * 2000] ^= 1;
    std::fs::write(folder.0.join("bad.npz"), bytes).unwrap();
    assert_eq!(folder.run("replay bad.npz").status.code(), Some(1));
}

#[test]
fn pictures_films_and_plots() {
    let folder = Folder::new("pictures");
    let said = folder.good("run scenes/pendulum.xml --steps 20 --record a.npz --picture p.png");
    assert!(said.contains("p.png"), "{said}");
    let command = if cfg!(feature = "view") { "corten" } else { BUILD_WITH_PAGE };
    assert!(
        said.contains(&format!("to see it move: {command} view scenes/pendulum.xml")),
        "{said}"
    );
    assert!(folder.bytes("p.png").starts_with(b"\x89PNG"));
    let size = "--width 64 --height 48";
    for show in ["rgb", "depth", "segmentation"] {
        folder.good(&format!("render scenes/pendulum.xml -o {show}.png {size} --show {show}"));
    }
    assert_ne!(folder.bytes("rgb.png"), folder.bytes("depth.png"));
    let film = folder
        .json(&format!("render scenes/pendulum.xml -o f.gif {size} --time 0.2 --fps 20 --json"));
    assert_eq!(film["frames"], 4);
    assert!(folder.bytes("f.gif").starts_with(b"GIF89a"));
    folder.good(&format!("render a.npz -o f.apng {size} --fps 100"));
    folder.good(&format!("render scenes/pendulum.xml -o frames {size} --time 0.1 --fps 20"));
    assert!(folder.bytes("frames/000001.png").starts_with(b"\x89PNG"));
    folder.good("plot a.npz qpos qvel[0] -o q.svg");
    folder.good("plot a.npz qpos -o q.png");
    let svg = String::from_utf8(folder.bytes("q.svg")).unwrap();
    assert_eq!(svg.matches("<polyline").count(), 2);
    // What is not recorded follows from the states; elements go by name.
    let fields = "qpos[swing] xpos[rod] xpos[rod][2] xquat qfrc_bias[0]";
    let drawn = folder.json(&format!("plot a.npz {fields} -o f.svg --json"));
    let curves: Vec<&str> =
        drawn["curves"].as_array().unwrap().iter().filter_map(|name| name.as_str()).collect();
    assert_eq!(
        curves[..5],
        ["qpos[swing]", "xpos[rod][0]", "xpos[rod][1]", "xpos[rod][2]", "xpos[rod][2]"]
    );
    assert_eq!(curves.last(), Some(&"qfrc_bias[0]"));
}

/// From the source, with the page.
const BUILD_WITH_PAGE: &str = "cargo run --release -p corten-cli --features view --";

#[test]
fn the_readme_says_how_to_build_the_page() {
    let text = std::fs::read_to_string(root().join("README.md")).unwrap();
    assert!(text.contains(&format!("./tools/web && {BUILD_WITH_PAGE} view scenes/humanoid.xml")));
}

/// What is said where the page cannot be shown, whatever the model.
fn without_page() -> Option<&'static str> {
    #[cfg(feature = "view")]
    return (!corten_view::is_built()).then_some("./tools/web");
    #[cfg(not(feature = "view"))]
    Some(BUILD_WITH_PAGE)
}

#[test]
fn mistakes_are_explained() {
    let folder = Folder::new("mistakes");
    std::fs::write(folder.0.join("junk.npz"), b"junk").unwrap();
    folder.good("run scenes/pendulum.xml --steps 3 --record a.npz --no-picture");
    let cases = [
        ("render nowhere.xml -o a.png", "nowhere.xml"),
        ("render scenes/pendulum.xml -o a.tiff", ".gif"),
        ("render scenes/pendulum.xml -o a.png --camera no", "no camera 'no'"),
        ("render scenes/pendulum.xml -o no/such/a.png", "no/such/a.png"),
        ("replay junk.npz", "not a recording"),
        ("view junk.npz", without_page().unwrap_or("not a recording")),
        ("view nowhere.xml", without_page().unwrap_or("nowhere.xml")),
        ("plot junk.npz qpos -o a.svg", "not a recording"),
        ("plot a.npz nothing -o a.svg", "nothing"),
        ("plot a.npz xpos[nobody] -o a.svg", "nobody"),
        ("plot a.npz qpos[9] -o a.svg", "qpos[9]"),
        ("plot a.npz xpos[0 -o a.svg", "brackets"),
        ("run scenes/pendulum.xml --record a.txt --no-picture", ".npz"),
        ("run scenes/pendulum.xml --record no/such/a.npz --no-picture", "no/such/a.npz"),
        ("convert junk.npz a.csv", "junk.npz"),
        ("compare junk.npz scenes/pendulum.xml", "junk.npz"),
        ("run scenes/pendulum.xml --controls nowhere.csv", "nowhere.csv"),
    ];
    for (line, expected) in cases {
        let output = folder.run(line);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "corten {line}: {said}");
        assert!(said.contains(expected), "corten {line}: {said}");
    }
}

/// Ctrl-C in the middle of a run: what was simulated until then is a whole recording.
#[cfg(unix)]
#[test]
fn an_interrupted_run_keeps_what_it_has() {
    let folder = Folder::new("interrupt");
    let mut run = Command::new(env!("CARGO_BIN_EXE_corten"))
        .args("run scenes/pendulum.xml --time 1e6 --record a.npz --no-picture".split(' '))
        .current_dir(&folder.0)
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    // It has begun when it says so.
    let mut said = String::new();
    let mut lines = std::io::BufReader::new(run.stdout.take().unwrap());
    lines.read_line(&mut said).unwrap();
    assert!(said.contains("bodies"), "{said}");
    std::thread::sleep(std::time::Duration::from_millis(200));
    assert!(Command::new("kill").args(["-INT", &run.id().to_string()]).status().unwrap().success());
    assert!(run.wait().unwrap().success());
    let replay = folder.json("replay a.npz --json");
    assert_eq!(replay["same"], true);
    assert!(replay["steps"].as_u64().is_some_and(|steps| steps > 0), "{replay}");
}

#[test]
fn json_everywhere_and_completions() {
    let folder = Folder::new("json");
    let info = folder.json("info scenes/humanoid.xml --json");
    assert_eq!(info["sizes"]["nv"], 27);
    let run = folder.json("run scenes/humanoid.xml --steps 3 --no-picture --json");
    assert_eq!(run["steps"], 3);
    let written = folder.json("convert scenes/humanoid.xml humanoid.cfa --json");
    assert_eq!(written["bytes"], folder.bytes("humanoid.cfa").len());
    for shell in ["bash", "zsh", "fish"] {
        assert!(folder.good(&format!("completions {shell}")).contains("corten"));
    }
}
