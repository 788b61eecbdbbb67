//! PIE (RFC 8033), led by the virtual queue.

use skywave_core::Duration;
use skywave_core::link::{PieConfig, PieControl};

use super::{Predicted, QueueModel, Step, likeliest};

/// Targets that are tried, milliseconds: the RFC's, Linux', and those that people set.
const TRIED: [u64; 5] = [15, 20, 5, 10, 30];

/// The likeliest of the usual targets.
pub(super) fn predict(steps: &[Step], bps: f64) -> Predicted {
    likeliest(steps, &TRIED, |&target_ms| {
        let target = Duration::from_millis(target_ms);
        Predicted {
            model: QueueModel::Pie {
                target_s: target.as_secs_f64(),
            },
            parameters: 1,
            drop: drops(steps, bps, target),
        }
    })
}

/// Drop probability of each packet: that of the controller, which learns what the packet had waited that left last.
fn drops(steps: &[Step], bps: f64, target: Duration) -> Vec<f64> {
    let config = PieConfig {
        target,
        ..PieConfig::DEFAULT
    };
    let mut control = PieControl::new(config);
    let update_s = config.update.as_secs_f64();
    let mut next_s = update_s;
    let sojourn_s = |step: &Step| step.found * 8.0 / bps;
    // The packet that leaves next, of those that are not dropped.
    let mut leaving = steps
        .iter()
        .filter(|step| step.lost != Some(true))
        .peekable();
    let mut last = None;
    let mut drops = Vec::with_capacity(steps.len());
    for step in steps {
        while next_s <= step.at_s {
            while let Some(left) = leaving.next_if(|left| left.at_s + sojourn_s(left) <= next_s) {
                last = Some(left);
            }
            let is_empty = leaving.peek().is_none_or(|next| next.at_s > next_s);
            let delay_s = last.filter(|_| !is_empty).map_or(0.0, sojourn_s);
            let before = control;
            control.update(Duration::from_secs_f64(delay_s));
            next_s += update_s;
            if is_empty && control == before {
                // However many updates are due until then, none changes anything any more.
                next_s += libm::floor((step.at_s - next_s).max(0.0) / update_s) * update_s;
            }
        }
        let waiting = step.found as u64;
        drops.push(control.drop_probability(waiting).unwrap_or(0.0));
    }
    drops
}
