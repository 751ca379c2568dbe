//! Every program in `examples/` runs and succeeds; each asserts what it claims.

use std::path::Path;
use std::process::Command;

#[test]
fn every_example_succeeds() {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    // target/PROFILE/deps/this-test, next to target/PROFILE/examples.
    let test = std::env::current_exe().unwrap();
    let programs = test.parent().and_then(Path::parent).unwrap().join("examples");
    let mut count = 0;
    for entry in std::fs::read_dir(sources).unwrap() {
        let source = entry.unwrap().path();
        let name = source.file_stem().unwrap().to_string_lossy().into_owned();
        let program = programs.join(format!("{name}{}", std::env::consts::EXE_SUFFIX));
        assert!(program.exists(), "{name} is not built: run all tests of the crate, or --examples");
        let output = Command::new(program).output().unwrap();
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && !output.stdout.is_empty(), "{name}: {error}");
        count += 1;
    }
    assert!(count >= 18);
}
