//! What happens, for people (bars and lines) or programs (lines of JSON).

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use indicatif::{DecimalBytes, HumanDuration, MultiProgress, ProgressBar, ProgressStyle};
use serde_json::{Value, json};
use skywave_transfer::{Arrived, Code, Event, Id, Link, Teller, Why, shown};
use skywave_wire::key::PublicKey;

use super::budget::Budget;
use crate::listening;
use crate::print::{Stream, later, now};

const STYLE: &str = "{prefix} {wide_bar} {percent:>3} % of {decimal_total_bytes} {msg}";
const STYLE_OF_PIPES: &str = "{prefix} {spinner} {decimal_bytes} {msg}";
/// Longest name on a bar, in characters.
const LONGEST_NAME: usize = 24;
/// Over which time the rate that is shown is taken.
const RATE_OVER: Duration = Duration::from_secs(3);
/// Between two lines of JSON about the progress of a file.
const JSON_EVERY: Duration = Duration::from_secs(1);
/// When to tell what was left out of a flood.
const COUNTED_AFTER: Duration = Duration::from_secs(1);

/// Shows events.
pub(crate) struct Show {
    json: bool,
    /// Results go here: standard error where standard output is the file.
    out: Stream,
    this: PublicKey,
    code: Option<Code>,
    /// For what others cause; none if this host has chosen all files itself.
    budget: Option<Budget>,
    bars: MultiProgress,
    files: Mutex<BTreeMap<Id, File>>,
    arrived: AtomicUsize,
}

/// A file under way.
struct File {
    path: String,
    size: Option<u64>,
    begun: Instant,
    /// Bytes at first: those that were there before are not part of any rate.
    first: Option<u64>,
    /// When the rate was last taken, the bytes then, and the rate in bits a second.
    since: (Instant, u64),
    rate: f64,
    said: Instant,
    bar: ProgressBar,
}

/// A rate in bits a second.
fn megabits(bps: f64) -> String {
    if bps >= 1e6 {
        format!("{:.1} Mb/s", bps / 1e6)
    } else {
        format!("{:.1} kb/s", bps / 1e3)
    }
}

/// A name that leaves room for the rest of the line: its end, which tells files apart.
fn shortened(name: &str) -> String {
    let skip = name.chars().count().saturating_sub(LONGEST_NAME);
    if skip == 0 {
        return name.to_owned();
    }
    let end: String = name.chars().skip(skip + 1).collect();
    format!("…{end}")
}

/// About how long the line of an event is that others cause, in bytes.
fn size(event: &Event) -> Option<usize> {
    const FRAME: usize = 200;
    match event {
        Event::Connected(..) | Event::Waiting(_) => Some(FRAME),
        Event::Lost(text) => Some(FRAME + text.len()),
        Event::Offered { path, .. } | Event::Failed { path, .. } => Some(FRAME + path.len()),
        Event::Done(_, arrived) => Some(FRAME + arrived.path.len()),
        _ => None,
    }
}

fn loss(link: Link) -> f64 {
    if link.sent == 0 {
        0.0
    } else {
        link.lost as f64 / link.sent as f64
    }
}

impl File {
    fn new(path: String, size: Option<u64>, bar: ProgressBar) -> Self {
        let style = if size.is_some() {
            STYLE
        } else {
            STYLE_OF_PIPES
        };
        if let Ok(style) = ProgressStyle::with_template(style) {
            bar.set_style(style);
        }
        bar.set_prefix(shortened(&path));
        let now = Instant::now();
        // Due at once.
        let said = now.checked_sub(JSON_EVERY).unwrap_or(now);
        Self {
            path,
            size,
            begun: now,
            first: None,
            since: (now, 0),
            rate: 0.0,
            said,
            bar,
        }
    }

    fn note(&mut self, bytes: u64, link: Link) {
        if self.first.is_none() {
            self.first = Some(bytes);
            self.since = (Instant::now(), bytes);
        }
        let (at, before) = self.since;
        let passed = at.elapsed();
        if passed >= RATE_OVER || (self.rate == 0.0 && passed >= RATE_OVER / 10) {
            self.rate = bytes.saturating_sub(before) as f64 * 8.0 / passed.as_secs_f64();
            self.since = (Instant::now(), bytes);
        }
        self.bar.set_position(bytes);
        let rtt = 1e3 * link.rtt.as_secs_f64();
        let left = self
            .left(bytes)
            .map(|left| format!(", {} left", HumanDuration(left)));
        self.bar.set_message(format!(
            "· {}, {:.1} % lost, RTT {rtt:.0} ms{}",
            megabits(self.rate),
            100.0 * loss(link),
            left.unwrap_or_default(),
        ));
    }

    fn left(&self, bytes: u64) -> Option<Duration> {
        let bits = self.size?.saturating_sub(bytes) as f64 * 8.0;
        Duration::try_from_secs_f64(bits / self.rate).ok()
    }
}

impl Show {
    pub(crate) fn new(json: bool, out: Stream, this: PublicKey, code: Option<Code>) -> Self {
        let (bars, files) = (MultiProgress::new(), Mutex::default());
        Self {
            json,
            out,
            this,
            code,
            budget: None,
            bars,
            files,
            arrived: AtomicUsize::new(0),
        }
    }

    /// The same for a side that prints what others do.
    pub(crate) fn of_others(mut self) -> Self {
        self.budget = Some(Budget::new());
        self
    }

    /// Files that the receiver has.
    pub(crate) fn arrived(&self) -> usize {
        self.arrived.load(Ordering::Relaxed)
    }

    /// The function that is told. It does not wait for whoever reads.
    pub(crate) fn teller(self: &Arc<Self>) -> Teller {
        let this = self.clone();
        Arc::new(move |event| {
            if let Event::Done(..) = event {
                this.arrived.fetch_add(1, Ordering::Relaxed);
            }
            if !this.may_print(&event) {
                return;
            }
            let this = this.clone();
            later(move |left_out| {
                this.tell_left_out(left_out);
                this.tell(event);
            });
        })
    }

    /// Whether this event is not one too many of those that others cause at will. A file that is there is none.
    fn may_print(self: &Arc<Self>, event: &Event) -> bool {
        let (Some(budget), Some(bytes)) = (&self.budget, size(event)) else {
            return true;
        };
        if let Event::Done(..) = event {
            budget.give_back(bytes);
            return true;
        }
        let taken = budget.take(bytes, Instant::now());
        if taken == Err(true) {
            let this = self.clone();
            thread::spawn(move || {
                thread::sleep(COUNTED_AFTER);
                let left_out = this.budget.as_ref().map_or(0, Budget::left_out);
                later(move |before| this.tell_left_out(before + left_out));
            });
        }
        taken.is_ok()
    }

    fn tell_left_out(&self, events: u64) {
        if events > 0 {
            let words =
                format!("skywave: {events} events are not shown: there were too many at a time");
            self.say(
                Stream::Err,
                &words,
                || json!({ "event": "left-out", "events": events }),
            );
        }
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<Id, File>> {
        self.files.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A line above the bars: words for people, or JSON.
    fn say(&self, stream: Stream, words: &str, json: impl FnOnce() -> Value) {
        self.bars.suspend(|| {
            if self.json {
                now(self.out, &json().to_string());
            } else if !words.is_empty() {
                now(stream, words);
            }
        });
    }

    fn tell(&self, event: Event) {
        let note = Stream::Err;
        match event {
            Event::Listening(address) => {
                let code = self.code.as_ref().map(ToString::to_string);
                let words = listening::words(address, self.this, code.as_deref());
                self.say(note, &words, || {
                    json!({ "event": "listening", "address": address.to_string(),
                            "key": self.this.to_string(), "code": code })
                });
            }
            Event::Connecting(address) => self.say(note, "", || {
                json!({ "event": "connecting", "address": address.to_string() })
            }),
            Event::Trouble(why) => self.say(note, &format!("skywave: {why}; trying again"), || {
                json!({ "event": "trouble", "why": why })
            }),
            Event::Connected(peer, address) => self.say(note, "", || {
                json!({ "event": "connected", "peer": peer.to_string(), "address": address.to_string() })
            }),
            Event::Lost(why) => {
                for (_, file) in std::mem::take(&mut *self.lock()) {
                    file.bar.finish_and_clear();
                }
                let words = format!("skywave: the connection is lost ({why}); what has come is kept");
                self.say(note, &words, || json!({ "event": "lost", "why": why }));
            }
            Event::WrongCode(left) => {
                let words = format!("skywave: somebody tried a wrong code; tries left: {left}");
                self.say(note, &words, || json!({ "event": "wrong-code", "left": left }));
            }
            Event::CodeEnded => {
                let words = "skywave: three wrong codes: the code is not good any more; hosts with keys are still let in";
                self.say(note, words, || json!({ "event": "code-ended" }));
            }
            Event::Waiting(peer) => {
                let words = "skywave: waiting for the host that came by the code: the same command there goes on";
                self.say(note, words, || json!({ "event": "waiting", "peer": peer.to_string() }));
            }
            Event::Refused(peer) => {
                let words = format!("skywave: refused a host whose key is not allowed; to let it in: --allow {peer}");
                self.say(note, &words, || json!({ "event": "refused", "peer": peer.to_string() }));
            }
            Event::Offered { id, peer, path, size } => {
                let bar = ProgressBar::new(size.unwrap_or(0));
                let bar = if self.json { ProgressBar::hidden() } else { self.bars.add(bar) };
                self.lock().insert(id, File::new(path.clone(), size, bar));
                self.say(note, "", || {
                    json!({ "event": "offered", "id": id, "peer": peer.to_string(), "path": path, "bytes": size })
                });
            }
            Event::Progress { id, bytes, link } => self.progress(id, bytes, link),
            Event::Done(id, arrived) => self.done(id, &arrived),
            Event::Failed { id, path, why } => {
                self.end(id);
                let kind = if why == Why::Broken { "interrupted" } else { "failed" };
                // A connection that is lost is told of once.
                let words = if why == Why::Broken { String::new() } else { format!("skywave: {path}: {why}") };
                self.say(note, &words, || {
                    json!({ "event": kind, "id": id, "path": path, "why": why.to_string() })
                });
            }
            Event::Skipped(path, why) => {
                let path = shown(&path.display().to_string());
                self.say(note, &format!("skywave: {path}: not sent: {why}"), || {
                    json!({ "event": "skipped", "path": path, "why": why.to_string() })
                });
            }
        }
    }

    fn progress(&self, id: Id, bytes: u64, link: Link) {
        let mut files = self.lock();
        let Some(file) = files.get_mut(&id) else {
            return;
        };
        file.note(bytes, link);
        if !self.json || file.said.elapsed() < JSON_EVERY {
            return;
        }
        file.said = Instant::now();
        let row = json!({
            "event": "progress", "id": id, "path": file.path, "bytes": bytes, "of": file.size,
            "rate_bps": file.rate, "rtt_s": link.rtt.as_secs_f64(), "loss": loss(link),
            "left_s": file.left(bytes).map(|left| left.as_secs_f64()),
        });
        drop(files);
        now(self.out, &row.to_string());
    }

    fn end(&self, id: Id) -> Option<File> {
        let file = self.lock().remove(&id)?;
        file.bar.finish_and_clear();
        Some(file)
    }

    fn done(&self, id: Id, arrived: &Arrived) {
        let file = self.end(id);
        let seconds = file.map_or(0.0, |file| file.begun.elapsed().as_secs_f64());
        let new = arrived.size - arrived.resumed_from.min(arrived.size);
        let place = arrived
            .place
            .as_ref()
            .map(|place| shown(&place.display().to_string()));
        let name = place.clone().unwrap_or_else(|| arrived.path.clone());
        let words = if new == 0 && arrived.size > 0 {
            format!("{name}: it was there already, BLAKE3 {}", arrived.hash)
        } else {
            let rate = megabits(new as f64 * 8.0 / seconds.max(1e-3));
            format!(
                "{name}: {} in {seconds:.1} s, {rate}, BLAKE3 {}",
                DecimalBytes(new),
                arrived.hash
            )
        };
        self.say(self.out, &words, || {
            json!({
                "event": "done", "id": id, "path": arrived.path, "file": arrived.place,
                "peer": arrived.peer.to_string(), "bytes": arrived.size,
                "resumed_from": arrived.resumed_from, "seconds": seconds,
                "blake3": arrived.hash.to_hex().as_str(),
            })
        });
    }
}
