//! Restart with half of what was outstanding (Francis 2012, algorithm 1 of chapter 4).

use super::TimeoutPolicy;
use crate::tcp::slot::{BuiltIn, Setup};
use crate::tcp::window::{Response, TimeoutEvent, Window};

/// Timeout policy that sets threshold and window to half of the data outstanding, but to two segments at least.
#[derive(Clone, Copy, Debug, Default)]
pub struct HalfWindow;

impl BuiltIn for HalfWindow {
    type Config = ();
    type State = Self;
    const NAME: &'static str = "half-window";
    const SUMMARY: &'static str =
        "the same with half of what is outstanding instead of one segment";
    const SOURCE: &'static str = "Francis 2012, chapter 4";

    fn build(_config: &(), _setup: &Setup) -> Self {
        Self
    }
}

impl TimeoutPolicy for HalfWindow {
    fn respond(
        &mut self,
        timeout: &TimeoutEvent,
        _response: Response,
        _window: &Window,
    ) -> Response {
        Response::cut_to(timeout.outstanding / 2.0)
    }
}
