//! Events of transfers, for people (bars and lines) or programs (lines of JSON).

use std::os::unix::ffi::OsStrExt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use skywave_transfer::key::PublicKey;
use skywave_transfer::name::shown_bytes;
use skywave_transfer::{Arrived, Code, Event, Id, Link, Teller, Totals, Why};

use super::bar::{Bar, loss, moved};
use super::budget::Budget;
use crate::listening;
use crate::print::{Stream, later, now};

/// Between two lines of JSON about the progress of a file.
const JSON_EVERY: Duration = Duration::from_secs(1);
/// When to tell what was left out of a flood.
const COUNTED_AFTER: Duration = Duration::from_secs(1);

/// Options of how events of transfers are shown.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct How {
    /// Print a line for each file, with its BLAKE3 hash.
    #[arg(long, short)]
    pub(crate) verbose: bool,
    /// Print what happens as lines of JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

/// Shows events.
pub(crate) struct Show {
    json: bool,
    /// Results go here: standard error where standard output is the file.
    out: Stream,
    this: PublicKey,
    code: Option<Code>,
    /// Tells of each file that is there.
    verbose: bool,
    /// For what others cause; none if this host has chosen all files itself.
    budget: Option<Budget>,
    bar: Mutex<Bar>,
    arrived: AtomicUsize,
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

impl Show {
    pub(crate) fn new(how: How, out: Stream, this: PublicKey, code: Option<Code>) -> Self {
        Self {
            json: how.json,
            out,
            this,
            code,
            verbose: how.verbose,
            budget: None,
            bar: Mutex::new(Bar::new(how.json)),
            arrived: AtomicUsize::new(0),
        }
    }

    /// Show with a budget of output, for a side that prints what others do.
    pub(crate) fn of_others(mut self) -> Self {
        self.budget = Some(Budget::new());
        self
    }

    /// Files that the receiver has.
    pub(crate) fn arrived(&self) -> usize {
        self.arrived.load(Ordering::Relaxed)
    }

    /// The function that is told. It counts at once, and does not wait for whoever reads what there is to print.
    pub(crate) fn teller(self: &Arc<Self>) -> Teller {
        let this = self.clone();
        Arc::new(move |event| {
            this.tell(event);
            let picture = this.lock().picture();
            if let Some(picture) = picture {
                this.later(move |_| picture.show());
            }
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

    /// Says it at once: for the thread that prints.
    fn tell_left_out(&self, events: u64) {
        if events > 0 && self.json {
            let row = json!({ "event": "left-out", "events": events });
            now(self.out, &row.to_string());
        } else if events > 0 {
            let words =
                format!("skywave: {events} events are not shown: there were too many at a time");
            now(Stream::Err, &words);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Bar> {
        self.bar.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Says what has become of all files, if this was not said.
    pub(crate) fn finish(self: &Arc<Self>) {
        self.sum_up(true);
    }

    fn sum_up(self: &Arc<Self>, at_end: bool) {
        let Some((words, bar)) = self.lock().summary(at_end) else {
            return;
        };
        self.later(move |_| bar.finish_and_clear());
        if !self.json {
            self.say(self.out, words, || Value::Null);
        }
    }

    /// A line above the bars, sometime: words for people, or JSON. Nothing without a stream.
    fn say(
        self: &Arc<Self>,
        stream: impl Into<Option<Stream>>,
        words: impl Into<String>,
        json: impl FnOnce() -> Value,
    ) {
        let Some(stream) = stream.into() else {
            return;
        };
        let (stream, text) = if self.json {
            (self.out, json().to_string())
        } else {
            (stream, words.into())
        };
        if text.is_empty() {
            return;
        }
        self.later(move |this| {
            let bar = this.lock().bar();
            bar.suspend(|| now(stream, &text));
        });
    }

    /// Leaves a job to the thread that prints, which first tells what was left out before it.
    fn later(self: &Arc<Self>, job: impl FnOnce(&Self) + Send + 'static) {
        let this = self.clone();
        later(move |left_out| {
            this.tell_left_out(left_out);
            job(&this);
        });
    }

    fn tell(self: &Arc<Self>, event: Event) {
        // Files are counted however much others make this host print.
        let note = self.may_print(&event).then_some(Stream::Err);
        match event {
            Event::Listening(address) => {
                let code = self.code.as_ref().map(ToString::to_string);
                let words = listening::words(address, self.this, code.as_deref());
                self.say(note, words, || {
                    json!({ "event": "listening", "address": address.to_string(),
                            "key": self.this.to_string(), "code": code })
                });
            }
            Event::Connecting(address) => self.say(note, "", || {
                json!({ "event": "connecting", "address": address.to_string() })
            }),
            Event::Trouble(why) => self.say(note, format!("skywave: {why}; trying again"), || {
                json!({ "event": "trouble", "why": why })
            }),
            Event::Connected(peer, address) => self.say(note, "", || {
                json!({ "event": "connected", "peer": peer.to_string(), "address": address.to_string() })
            }),
            Event::Lost(why) => {
                self.lock().lose();
                let words = format!("skywave: the connection is lost ({why}); what has come of files is kept");
                self.say(note, words, || json!({ "event": "lost", "why": why }));
            }
            Event::WrongCode(left) => {
                let words = format!("skywave: somebody tried a wrong code; tries left: {left}");
                self.say(note, words, || json!({ "event": "wrong-code", "left": left }));
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
                self.say(note, words, || json!({ "event": "refused", "peer": peer.to_string() }));
            }
            Event::Offered { id, peer, path, size } => {
                self.lock().begin(id, path.clone(), size);
                self.say(note, "", || {
                    json!({ "event": "offered", "id": id, "peer": peer.to_string(), "path": path, "bytes": size })
                });
            }
            Event::Progress { id, bytes, link } => self.progress(id, bytes, link),
            Event::Done(id, arrived) => self.done(id, &arrived),
            Event::Failed { id, path, why } => {
                let kind = if why == Why::Broken {
                    self.lock().interrupt(id);
                    "interrupted"
                } else {
                    self.lock().fail(id);
                    "failed"
                };
                // A connection that is lost is told of once.
                let words = if why == Why::Broken { String::new() } else { format!("skywave: {path}: {why}") };
                self.say(note, words, || {
                    json!({ "event": kind, "id": id, "path": path, "why": why.to_string() })
                });
                self.sum_up(false);
            }
            Event::Expected(peer, Totals { files, bytes }) => {
                self.lock().expect(peer, Totals { files, bytes });
                self.say(note, "", || {
                    json!({ "event": "expected", "peer": peer.to_string(), "files": files, "bytes": bytes })
                });
            }
            Event::Skipped(path, why) => {
                let path = shown_bytes(path.as_os_str().as_bytes());
                self.say(note, format!("skywave: {path}: not sent: {why}"), || {
                    json!({ "event": "skipped", "path": path, "why": why.to_string() })
                });
            }
        }
    }

    fn progress(self: &Arc<Self>, id: Id, bytes: u64, link: Link) {
        let mut bar = self.lock();
        let Some(file) = bar.progress(id, bytes, link) else {
            return;
        };
        let is_soon = file.said.is_some_and(|said| said.elapsed() < JSON_EVERY);
        if !self.json || is_soon || !file.rate.is_known() {
            return;
        }
        file.said = Some(Instant::now());
        let left = file
            .size
            .and_then(|size| file.rate.left(size.saturating_sub(bytes)));
        let row = json!({
            "event": "progress", "id": id, "path": file.path, "bytes": bytes, "of": file.size,
            "rate_bps": file.rate.bps, "rtt_s": link.rtt.as_secs_f64(), "loss": loss(link),
            "left_s": left.map(|left| left.as_secs_f64()),
        });
        drop(bar);
        self.say(self.out, "", || row);
    }

    fn done(self: &Arc<Self>, id: Id, arrived: &Arrived) {
        let seconds = self.lock().done(id, arrived);
        self.arrived.fetch_add(1, Ordering::Relaxed);
        if self.json || self.verbose {
            self.tell_done(id, arrived, seconds);
        }
        self.sum_up(false);
    }

    fn tell_done(self: &Arc<Self>, id: Id, arrived: &Arrived, seconds: f64) {
        let new = arrived.size - arrived.resumed_from.min(arrived.size);
        let place = arrived
            .place
            .as_ref()
            .map(|place| shown_bytes(place.as_os_str().as_bytes()));
        let name = place.as_ref().unwrap_or(&arrived.path);
        let words = if new == 0 && arrived.size > 0 {
            format!("{name}: it was there already, BLAKE3 {}", arrived.hash)
        } else {
            format!("{name}: {}, BLAKE3 {}", moved(new, seconds), arrived.hash)
        };
        self.say(self.out, words, || {
            json!({
                "event": "done", "id": id, "path": arrived.path, "file": place,
                "peer": arrived.peer.to_string(), "bytes": arrived.size,
                "resumed_from": arrived.resumed_from, "seconds": seconds,
                "blake3": arrived.hash.to_hex().as_str(),
            })
        });
    }
}
