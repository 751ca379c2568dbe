//! The grammar as text, in the form in which MuJoCo prints its own.

use std::fmt::Write as _;

use super::{MUJOCO, Rule};

/// One line per element: indentation by depth, name, how often it may occur, attributes.
///
/// `!` once, `?` at most once, `*` any number of times, `R` any number of times and within
/// itself, `x` known by name but not supported.
pub fn grammar() -> String {
    let mut out = String::new();
    print(&MUJOCO, &mut Vec::new(), &mut out);
    out
}

fn print(rule: &'static Rule, above: &mut Vec<&'static Rule>, out: &mut String) {
    let mark = match rule {
        Rule { unsupported: Some(_), .. } => 'x',
        _ if above.is_empty() => '!',
        _ if rule.children.iter().any(|child| std::ptr::eq(*child, rule)) => 'R',
        Rule { unique: true, .. } => '?',
        _ => '*',
    };
    let mut attrs: Vec<&str> = rule.attrs.iter().flat_map(|group| group.iter().copied()).collect();
    attrs.sort_unstable();
    let indent = 3 * above.len();
    let _ = writeln!(out, "{:indent$}{} ({mark}) {}", "", rule.name, attrs.join(" "));
    above.push(rule);
    // Frames and copies hold what a body holds.
    for &child in rule.children.iter().filter(|_| !rule.unchecked) {
        if !above.iter().any(|r| std::ptr::eq(*r, child)) {
            print(child, above, out);
        }
    }
    above.pop();
}
