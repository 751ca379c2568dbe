//! Programs in the documentation are those of `examples/`, which another test runs.

use std::path::Path;

/// The lines of the only Rust block of a document, but for imports and indentation.
fn block(document: &str) -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let text = std::fs::read_to_string(root.join(document)).unwrap();
    let start = text.split("```rust\n").nth(1).expect("a block of Rust");
    lines(start.split("```").next().unwrap_or(start))
}

fn lines(text: &str) -> Vec<String> {
    let lines = text.lines().map(|line| line.trim().to_owned());
    lines.filter(|line| !line.is_empty() && !line.starts_with("use ")).collect()
}

#[test]
fn programs_of_documents_are_examples() {
    for (document, example) in [("README.md", "readme.rs"), ("docs/tour.md", "tour.rs")] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples").join(example);
        let program = lines(&std::fs::read_to_string(path).unwrap());
        let wanted = block(document);
        assert!(wanted.len() > 5);
        assert!(program.windows(wanted.len()).any(|part| part == wanted), "{document}: {example}");
    }
}
