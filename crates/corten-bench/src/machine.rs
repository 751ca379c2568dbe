//! The machine: cores, clocks, memory, where MuJoCo is.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Keeps the process on one core.
#[cfg(target_os = "linux")]
pub fn pin(core: usize) {
    // SAFETY: the set is a plain bit array that lives across the call; CPU_SET ignores a core
    // out of range.
    unsafe {
        let mut set: libc::cpu_set_t = std::mem::zeroed();
        libc::CPU_SET(core, &mut set);
        libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), &set);
    }
}

#[cfg(not(target_os = "linux"))]
pub fn pin(_core: usize) {}

/// Seconds that this thread has computed: other programs on the core do not count.
pub fn cpu_seconds() -> f64 {
    #[cfg(unix)]
    return clock(libc::CLOCK_THREAD_CPUTIME_ID);
    #[cfg(not(unix))]
    wall_seconds()
}

/// Seconds that all threads of this process have computed.
pub fn process_seconds() -> f64 {
    #[cfg(unix)]
    return clock(libc::CLOCK_PROCESS_CPUTIME_ID);
    #[cfg(not(unix))]
    wall_seconds()
}

/// Seconds since the first call.
pub fn wall_seconds() -> f64 {
    static START: std::sync::OnceLock<std::time::Instant> = std::sync::OnceLock::new();
    START.get_or_init(std::time::Instant::now).elapsed().as_secs_f64()
}

#[cfg(unix)]
fn clock(id: libc::clockid_t) -> f64 {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `now` is valid for the call.
    unsafe { libc::clock_gettime(id, &mut now) };
    now.tv_sec as f64 + 1e-9 * now.tv_nsec as f64
}

/// Resident kilobytes of this process, after unused memory was returned to the system; zero where
/// the system does not tell.
pub fn resident() -> f64 {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: no preconditions.
    unsafe {
        libc::malloc_trim(0);
    }
    const PAGE_KB: f64 = 4.0;
    std::fs::read_to_string("/proc/self/statm")
        .ok()
        .and_then(|s| s.split_whitespace().nth(1)?.parse::<f64>().ok())
        .map_or(0.0, |pages| pages * PAGE_KB)
}

/// Processor and compiler, for the head of a report.
pub fn description() -> String {
    let cpu = std::fs::read_to_string("/proc/cpuinfo").ok().and_then(|text| {
        let line = text.lines().find(|l| l.starts_with("model name"))?;
        Some(line.split_once(':')?.1.trim().to_owned())
    });
    let cores = std::thread::available_parallelism().map_or(1, |n| n.get());
    format!("{}, {cores} cores", cpu.unwrap_or_else(|| std::env::consts::ARCH.into()))
}

/// MuJoCo's libraries: those given, else those in the environment variable `CORTEN_MUJOCO`
/// (separated as in `PATH`), else the one of the Python on the path.
pub fn libraries(given: &[PathBuf]) -> Vec<PathBuf> {
    if !given.is_empty() {
        return given.to_vec();
    }
    if let Some(list) = std::env::var_os("CORTEN_MUJOCO") {
        return std::env::split_paths(&list).collect();
    }
    let script =
        "import importlib.util as u; print(u.find_spec('mujoco').submodule_search_locations[0])";
    let found = ["python3", "python"].iter().find_map(|python| {
        let output = Command::new(python).args(["-c", script]).output().ok()?;
        let folder = String::from_utf8(output.stdout).ok()?;
        library_in(Path::new(folder.trim()))
    });
    found.into_iter().collect()
}

fn library_in(folder: &Path) -> Option<PathBuf> {
    let entries = std::fs::read_dir(folder).ok()?;
    entries.flatten().map(|e| e.path()).find(|path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with("libmujoco.") || name == "mujoco.dll"
    })
}
