//! How far long work is, on a terminal.

use std::io::{IsTerminal, Write, stderr};
use std::time::{Duration, Instant};

const WIDTH: usize = 30;

/// Characters of a message: the whole fits into a line.
const MESSAGE: usize = 30;

/// Between two drawings.
const INTERVAL: Duration = Duration::from_millis(50);

/// A bar at the bottom of the terminal; nothing where the output goes elsewhere.
pub struct Bar {
    length: usize,
    position: usize,
    message: String,
    start: Instant,
    drawn: Option<Instant>,
    shown: bool,
}

impl Bar {
    /// For so much work.
    pub fn new(length: usize) -> Bar {
        let (start, shown) = (Instant::now(), stderr().is_terminal());
        Bar { length, position: 0, message: String::new(), start, drawn: None, shown }
    }

    pub fn set_position(&mut self, position: usize) {
        self.position = position;
        if self.shown && self.drawn.is_none_or(|drawn| drawn.elapsed() >= INTERVAL) {
            self.draw();
        }
    }

    /// A piece of the work is done.
    pub fn advance(&mut self) {
        self.set_position(self.position + 1);
    }

    /// What the work is at; of much text, the end.
    pub fn set_message(&mut self, message: impl ToString) {
        let message = message.to_string();
        let long = message.chars().count().saturating_sub(MESSAGE);
        self.message = message.chars().skip(long).collect();
    }

    /// Prints something where the bar is, which moves on.
    pub fn suspend(&mut self, print: impl FnOnce()) {
        self.clear();
        print();
    }

    /// Takes the bar away, until the position changes.
    pub fn clear(&mut self) {
        if self.drawn.take().is_some() {
            write("\r\x1b[K");
        }
    }

    fn draw(&mut self) {
        let done = (self.position * WIDTH).checked_div(self.length).unwrap_or(WIDTH).min(WIDTH);
        let bar = format!("{}{}", "█".repeat(done), "░".repeat(WIDTH - done));
        let seconds = self.start.elapsed().as_secs();
        let Bar { position, length, message, .. } = self;
        write(&format!("\r\x1b[K{bar} {position}/{length} {seconds}s {message}"));
        self.drawn = Some(Instant::now());
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.clear();
    }
}

/// To the terminal, if it still listens.
fn write(text: &str) {
    let mut out = stderr();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}
