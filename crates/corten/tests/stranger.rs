//! A crate outside of the workspace, with extensions of its own, builds and runs.

use std::path::Path;
use std::process::Command;

#[test]
fn a_crate_of_somebody_else_extends_the_engine() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/stranger");
    // target/PROFILE/deps/this-test: what is built for this workspace need not be built again.
    let test = std::env::current_exe().unwrap();
    let target = test.ancestors().nth(3).unwrap();
    let output = Command::new(env!("CARGO"))
        .args(["run", "--quiet", "--offline"])
        .current_dir(root)
        .env("CARGO_TARGET_DIR", target)
        .output()
        .unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{error}");
    assert!(String::from_utf8_lossy(&output.stdout).contains("100 worlds"), "{error}");
}
