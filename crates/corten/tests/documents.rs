//! Programs in the documentation are those of `examples/`, which another test runs, or of `tests/`.

use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Files of a directory with such an ending, and what is in them.
fn files(directory: &Path, ending: &str) -> Vec<(PathBuf, String)> {
    let entries = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    let wanted = entries.filter(|path| path.extension().is_some_and(|e| e == ending));
    wanted.map(|path| (path.clone(), std::fs::read_to_string(path).unwrap())).collect()
}

/// A program without imports, comments and blanks.
fn bare(text: &str) -> String {
    let lines = text.lines().filter(|line| !line.starts_with("use "));
    let code = lines.map(|line| line.split("//").next().unwrap_or(line));
    code.flat_map(str::chars).filter(|c| !c.is_whitespace()).collect()
}

#[test]
fn programs_of_documents_are_examples() {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut programs = files(&own.join("examples"), "rs");
    programs.extend(files(&own.join("tests"), "rs"));
    let programs: Vec<String> = programs.iter().map(|(_, text)| bare(text)).collect();
    let mut documents = files(&root().join("docs"), "md");
    documents.extend(files(&root(), "md"));
    let mut count = 0;
    for (document, text) in documents {
        for block in text.split("```rust\n").skip(1) {
            let block = block.split("```").next().unwrap_or(block);
            let parts: Vec<String> =
                block.split("\n\n").map(bare).filter(|part| !part.is_empty()).collect();
            let found = programs.iter().any(|text| parts.iter().all(|part| text.contains(part)));
            assert!(found, "{}: no example has this program:\n{block}", document.display());
            count += 1;
        }
    }
    assert!(count >= 9, "{count} programs");
}
