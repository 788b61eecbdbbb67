//! The progress bar of long work.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use skywave_lab::experiment::Progress;

/// A bar over runs, with the time left; nothing where standard error is no terminal.
#[derive(Debug)]
pub(crate) struct Bar(ProgressBar);

impl Bar {
    /// A bar that says what is being done.
    pub(crate) fn new(what: &str) -> Self {
        let bar = ProgressBar::new(0);
        let style = "{prefix} {wide_bar} {pos}/{len} runs · {elapsed} gone · {eta} left";
        if let Ok(style) = ProgressStyle::with_template(style) {
            bar.set_style(style);
        }
        bar.set_prefix(what.to_owned());
        Self(bar)
    }

    /// A bar of a search, which says how bad the worst path so far is; of so many runs, if that is known.
    pub(crate) fn of_search(what: &str, runs: Option<usize>) -> Self {
        let bar = ProgressBar::new(runs.unwrap_or_default() as u64);
        let style = if runs.is_some() {
            "{prefix} {wide_bar} {pos}/{len} runs · {msg} · {elapsed} gone · {eta} left"
        } else {
            "{prefix} {pos} runs · {msg} · {elapsed} gone"
        };
        if let Ok(style) = ProgressStyle::with_template(style) {
            bar.set_style(style);
        }
        bar.set_prefix(what.to_owned());
        bar.enable_steady_tick(Duration::from_millis(200));
        Self(bar)
    }

    /// Runs so far.
    pub(crate) fn at(&self, runs: usize) {
        self.0.set_position(runs as u64);
    }

    /// Says what is being done now, or how far it has come.
    pub(crate) fn say(&self, text: String) {
        self.0.set_message(text);
    }

    /// So far.
    pub(crate) fn show(&self, progress: Progress) {
        if progress.done == progress.reused {
            // The time left is reckoned from the runs that are really made.
            self.0.set_length(progress.total as u64);
            self.0.set_position(progress.done as u64);
            self.0.reset_eta();
            // Not before there is a number of runs: of none, all are done.
            self.0.enable_steady_tick(Duration::from_millis(200));
        } else {
            self.0.set_position(progress.done as u64);
        }
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
