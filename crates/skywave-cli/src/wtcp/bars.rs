//! The progress of transfers of files, for people.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use skywave_wire::endpoint::{Failed, Id, Status};
use skywave_wire::transfer::SendStep;

const STYLE: &str = "{prefix} {wide_bar} {decimal_bytes}/{decimal_total_bytes} {msg}";
/// Longest name on a bar, in characters.
const LONGEST_NAME: usize = 20;
/// Over which time the rate that is shown is taken.
const RATE_OVER: Duration = Duration::from_secs(3);

/// A rate in bits a second.
pub(crate) fn megabits(bps: f64) -> String {
    if bps >= 1e6 {
        format!("{:.1} Mb/s", bps / 1e6)
    } else {
        format!("{:.1} kb/s", bps / 1e3)
    }
}

/// How a connection has fared: loss and round trip.
pub(crate) fn describe(status: &Status) -> String {
    let share = |part: u64, all: u64| 100.0 * part as f64 / all as f64;
    let loss = if status.data_packets > 0 {
        let again = share(status.retransmits, status.data_packets);
        Some(format!(", {again:.1} % sent again"))
    } else if status.received_packets > 0 {
        let all = status.received_packets + status.missing_packets;
        let lost = share(status.missing_packets, all);
        Some(format!(", {lost:.1} % lost"))
    } else {
        None
    };
    let rtt = status
        .rtt
        .map(|rtt| format!(", RTT {:.0} ms", 1e3 * rtt.as_secs_f64()));
    [loss, rtt].into_iter().flatten().collect()
}

/// A name that leaves room for the rest of the line.
fn shortened(name: &str) -> String {
    if name.chars().count() <= LONGEST_NAME {
        return name.to_owned();
    }
    let end: String = name.chars().take(LONGEST_NAME - 1).collect();
    format!("{end}…")
}

/// A bar of bytes and the rate of the latest seconds.
struct Rated {
    bar: ProgressBar,
    /// When the rate was last taken, the bytes then, and the rate in bits a second.
    since: Mutex<Option<(Instant, u64, f64)>>,
}

impl Rated {
    fn new(bar: ProgressBar, name: &str) -> Self {
        if let Ok(style) = ProgressStyle::with_template(STYLE) {
            bar.set_style(style);
        }
        bar.set_prefix(shortened(name));
        bar.enable_steady_tick(Duration::from_millis(200));
        Self {
            bar,
            since: Mutex::default(),
        }
    }

    fn show(&self, bytes: u64, status: &Status) {
        self.bar.set_position(bytes);
        let mut since = self.since.lock().unwrap_or_else(PoisonError::into_inner);
        // Bytes that were there before are not part of any rate.
        let (at, before, rate) = since.get_or_insert((Instant::now(), bytes, 0.0));
        let passed = at.elapsed();
        if passed >= RATE_OVER || (*rate == 0.0 && passed >= RATE_OVER / 10) {
            *rate = bytes.saturating_sub(*before) as f64 * 8.0 / passed.as_secs_f64();
            (*at, *before) = (Instant::now(), bytes);
        }
        let dark = status.in_blackout || status.silence.as_secs_f64() > RATE_OVER.as_secs_f64();
        let message = if dark {
            let silent = status.silence.as_secs_f64();
            format!("· nothing heard for {silent:.0} s{}", describe(status))
        } else {
            format!("· {}{}", megabits(*rate), describe(status))
        };
        self.bar.set_message(message);
    }
}

/// The bar of a file that is sent; nothing where standard error is no terminal.
pub(crate) struct TransferBar(Rated);

impl TransferBar {
    pub(crate) fn new(name: &str) -> Self {
        Self(Rated::new(ProgressBar::new(0), name))
    }

    /// Its size in bytes.
    pub(crate) fn length(&self, bytes: u64) {
        self.0.bar.set_length(bytes);
    }

    /// So far.
    pub(crate) fn show(&self, step: &SendStep) {
        match step {
            SendStep::Hashing(bytes) => {
                self.0.bar.set_position(*bytes);
                self.0.bar.set_message("· hashing");
            }
            SendStep::Connecting(refusal) => {
                self.0.bar.set_position(0);
                let waiting = match refusal {
                    None => "· waiting for the receiver".to_owned(),
                    Some(refusal) => format!("· {}; still trying", Failed::Refused(*refusal)),
                };
                self.0.bar.set_message(waiting);
            }
            SendStep::Sending(bytes, status) => self.0.show(*bytes, status),
        }
    }
}

impl Drop for TransferBar {
    fn drop(&mut self) {
        self.0.bar.finish_and_clear();
    }
}

/// The bars of files that are received.
pub(crate) struct Bars {
    all: MultiProgress,
    bars: Mutex<BTreeMap<Id, (String, Rated)>>,
}

impl Bars {
    pub(crate) fn new() -> Self {
        Self {
            all: MultiProgress::new(),
            bars: Mutex::default(),
        }
    }

    /// A transfer begins.
    pub(crate) fn begin(&self, id: Id, name: &str, size: u64) {
        let bar = self.all.add(ProgressBar::new(size));
        let entry = (name.to_owned(), Rated::new(bar, name));
        self.lock().insert(id, entry);
    }

    /// So far.
    pub(crate) fn show(&self, id: Id, bytes: u64, status: &Status) {
        if let Some((_, bar)) = self.lock().get(&id) {
            bar.show(bytes, status);
        }
    }

    /// A transfer ends; gives the name.
    pub(crate) fn end(&self, id: Id) -> String {
        let Some((name, rated)) = self.lock().remove(&id) else {
            return String::new();
        };
        rated.bar.finish_and_clear();
        name
    }

    /// Prints something above the bars.
    pub(crate) fn print(&self, print: impl FnOnce()) {
        self.all.suspend(print);
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, BTreeMap<Id, (String, Rated)>> {
        self.bars.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
