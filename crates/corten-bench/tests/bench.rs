//! Benchmarks say what they cannot compare with, before they measure anything.

use std::process::Command;

#[test]
fn growth_needs_the_libraries_it_is_given() {
    let folder = std::env::temp_dir().join(format!("corten-growth-{}", std::process::id()));
    let output = Command::new(env!("CARGO_BIN_EXE_corten-bench"))
        .args(["--mujoco", "no/such/libmujoco.so", "--growth"])
        .arg(&folder)
        .output()
        .unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && error.contains("no/such/libmujoco.so"), "{error}");
    assert!(!folder.exists());
}
