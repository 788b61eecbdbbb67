//! Restart with half of what was outstanding (Francis 2012, algorithm 1 of chapter 4).

use super::TimeoutPolicy;
use crate::tcp::window::{Response, TimeoutEvent};

/// Threshold and window at half of what is outstanding, two segments at least.
#[derive(Clone, Copy, Debug, Default)]
pub struct HalfWindow;

impl TimeoutPolicy for HalfWindow {
    fn respond(&mut self, timeout: &TimeoutEvent, _response: Response) -> Response {
        Response::cut_to(timeout.outstanding / 2.0)
    }
}
