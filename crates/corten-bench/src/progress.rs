//! Bars for measurements that take minutes; they show on a terminal only.

use indicatif::{ProgressBar, ProgressStyle};

/// A bar on the standard error stream.
pub fn bar(length: usize) -> ProgressBar {
    let style = ProgressStyle::with_template("{bar:30} {pos}/{len} {elapsed} {wide_msg}");
    ProgressBar::new(length as u64)
        .with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}
