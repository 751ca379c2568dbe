//! How far long work is, on a terminal.

use indicatif::{ProgressBar, ProgressStyle};

/// A bar at the bottom of the terminal; nothing where the output goes elsewhere.
pub struct Bar(ProgressBar);

impl Bar {
    /// For so much work.
    pub fn new(length: usize) -> Bar {
        let style = ProgressStyle::with_template("{bar:30} {pos}/{len} {elapsed} {wide_msg}");
        let style = style.unwrap_or_else(|_| ProgressStyle::default_bar());
        Bar(ProgressBar::new(length as u64).with_style(style))
    }

    pub fn set_position(&mut self, position: usize) {
        self.0.set_position(position as u64);
    }

    /// A piece of the work is done.
    pub fn advance(&mut self) {
        self.0.inc(1);
    }

    /// What the work is at.
    pub fn set_message(&mut self, message: impl ToString) {
        self.0.set_message(message.to_string());
    }

    /// Prints something where the bar is, which moves on.
    pub fn suspend(&mut self, print: impl FnOnce()) {
        self.0.suspend(print);
    }

    /// Takes the bar away.
    pub fn clear(&mut self) {
        self.0.finish_and_clear();
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.clear();
    }
}
