//! Findings as JSON, for other programs.

use corten::Diagnostic;
use corten::diagnostic::{Place, Severity};
use serde_json::{Map, Value, json};

use super::Report;

/// All files and their findings, as one object.
pub fn summary(reports: &[Report], errors: usize, warnings: usize) -> Value {
    let files: Vec<Value> = reports.iter().map(file).collect();
    json!({ "files": files, "errors": errors, "warnings": warnings })
}

fn file(report: &Report) -> Value {
    let file = report.file.to_string_lossy();
    match &report.part_of {
        Some(owner) => json!({ "file": file, "part_of": owner.to_string_lossy(), "findings": [] }),
        None => json!({
            "file": file,
            "ok": report.count(Severity::Error) == 0,
            "findings": report.findings.iter().map(finding).collect::<Vec<_>>(),
        }),
    }
}

/// A finding; what it does not say has no key.
fn finding(item: &Diagnostic) -> Value {
    let mut object = item.place.as_ref().map_or_else(Map::new, place);
    object.insert("severity".into(), item.severity.word().into());
    object.insert("message".into(), item.message.as_str().into());
    for (key, value) in [
        ("element", &item.element),
        ("expected", &item.expected),
        ("did_you_mean", &item.did_you_mean),
        ("hint", &item.hint),
    ] {
        if let Some(value) = value {
            object.insert(key.into(), value.as_str().into());
        }
    }
    if !item.include_chain.is_empty() {
        let chain = item.include_chain.iter().map(place).map(Value::Object);
        object.insert("include_chain".into(), chain.collect());
    }
    Value::Object(object)
}

fn place(place: &Place) -> Map<String, Value> {
    let entries = [
        ("file", place.file.as_str().into()),
        ("line", place.line.into()),
        ("column", place.column.into()),
    ];
    entries.into_iter().map(|(key, value): (&str, Value)| (key.to_owned(), value)).collect()
}
