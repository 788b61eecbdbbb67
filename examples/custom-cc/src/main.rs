//! A window law and a loss detector of our own, compared with Reno over a path that loses and
//! reorders packets. Run it from the repository's root:
//! `cargo run --release -p custom-cc`.

use std::error::Error;
use std::path::Path;

use skywave_core::tcp::congestion::standard_growth;
use skywave_core::tcp::window::{AckEvent, LossEvent, Response, TimeoutEvent, Window};
use skywave_core::tcp::{
    CongestionControl, CustomCongestion, CustomDetection, DetectionEvent, LossDetector,
};
use skywave_lab::experiment::{self, Options};
use skywave_lab::folder;
use skywave_lab::report::{self, Study};
use skywave_lab::scenario::CustomMembers;

/// Additive increase, and a decrease to `keep` of the window instead of a half.
struct Gentle {
    keep: f64,
}

impl CongestionControl for Gentle {
    fn grow(&mut self, ack: &AckEvent, window: &mut Window) {
        standard_growth(ack, window);
    }

    fn on_loss(&mut self, loss: &LossEvent, _window: &Window) -> Response {
        Response::cut_to(loss.window * self.keep)
    }

    fn on_timeout(&mut self, timeout: &TimeoutEvent, _window: &Window) -> Response {
        Response::restart(timeout.window / 2.0)
    }
}

/// Waits for more duplicate ACKs than RFC 5681: some packets only come late.
struct Patient;

impl LossDetector for Patient {
    fn on_dupack(&mut self, event: &DetectionEvent) -> bool {
        event.dupacks == self.threshold()
    }

    fn threshold(&self) -> u32 {
        8
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut members = CustomMembers::default();
    members.add_congestion(CustomCongestion::new("gentle", |_| Gentle { keep: 0.8 }))?;
    members.add_detection(CustomDetection::new("patient", |_| Patient))?;

    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenario.toml");
    let scenario = folder::load_with(&file, &members)?;
    let results = experiment::run(&scenario, &Options::default(), experiment::simulate)?;
    print!("{}", report::table(&Study::from(&scenario), &results, 100));
    Ok(())
}
