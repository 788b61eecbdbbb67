//! One bar for all files that are under way, and what there is to say at their end.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use indicatif::{DecimalBytes, HumanDuration, ProgressBar, ProgressStyle};
use skywave_transfer::key::PublicKey;
use skywave_transfer::{Arrived, Id, Link, Totals};

const STYLE: &str = "{wide_bar} {percent:>3} % of {decimal_total_bytes} {prefix}\n{wide_msg}";
/// For what nobody knows the size of.
const STYLE_OF_PIPES: &str = "{spinner} {decimal_bytes} {prefix}\n{wide_msg}";
/// Names that are shown of files under way.
const NAMES: usize = 3;
/// Longest one, in characters.
const LONGEST_NAME: usize = 24;
/// Over which time the rate that is shown is taken.
const RATE_OVER: Duration = Duration::from_secs(3);
/// Between two pictures.
const DRAW_EVERY: Duration = Duration::from_millis(100);

/// All files of this process.
pub(crate) struct Bar {
    /// The bar itself locks while somebody prints above it: only the thread that prints may ask it anything.
    shown: ProgressBar,
    is_hidden: bool,
    files: BTreeMap<Id, File>,
    /// Files and bytes that each host has announced.
    expected: BTreeMap<PublicKey, Totals>,
    ended: Ended,
    rate: Rate,
    link: Link,
    begun: Option<Instant>,
    drawn: Instant,
}

/// Files that have ended since all of before had.
#[derive(Default)]
struct Ended {
    done: u64,
    failed: u64,
    bytes: u64,
    /// Bytes that were not there before.
    new: u64,
    there_already: u64,
    name: String,
}

/// A file under way.
pub(crate) struct File {
    pub(crate) path: String,
    pub(crate) size: Option<u64>,
    begun: Instant,
    bytes: u64,
    pub(crate) rate: Rate,
    /// When its progress was told last.
    pub(crate) said: Option<Instant>,
}

/// Bits a second of the latest time.
#[derive(Clone, Copy, Default)]
pub(crate) struct Rate {
    since: Option<(Instant, u64)>,
    pub(crate) bps: f64,
}

impl Rate {
    /// Notes that `bytes` have arrived so far. The first call only sets the start: bytes that were there before it are
    /// part of no rate.
    fn note(&mut self, bytes: u64) {
        let (at, before) = *self.since.get_or_insert((Instant::now(), bytes));
        let passed = at.elapsed();
        if passed >= RATE_OVER || (self.bps == 0.0 && passed >= RATE_OVER / 10) {
            self.bps = bytes.saturating_sub(before) as f64 * 8.0 / passed.as_secs_f64();
            self.since = Some((Instant::now(), bytes));
        }
    }

    /// Whether some time has been measured.
    pub(crate) fn is_known(&self) -> bool {
        self.bps > 0.0
    }

    /// How long this many bytes take.
    pub(crate) fn left(&self, bytes: u64) -> Option<Duration> {
        Duration::try_from_secs_f64(bytes as f64 * 8.0 / self.bps).ok()
    }
}

/// A rate in bits a second.
pub(crate) fn megabits(bps: f64) -> String {
    if bps >= 1e6 {
        format!("{:.1} Mb/s", bps / 1e6)
    } else {
        format!("{:.1} kb/s", bps / 1e3)
    }
}

/// Packets that were lost, of those that were sent.
pub(crate) fn loss(link: Link) -> f64 {
    if link.sent == 0 {
        0.0
    } else {
        link.lost as f64 / link.sent as f64
    }
}

/// A name that leaves room for others: its end, which tells files apart.
fn shortened(name: &str) -> String {
    let skip = name.chars().count().saturating_sub(LONGEST_NAME);
    if skip == 0 {
        return name.to_owned();
    }
    let end: String = name.chars().skip(skip + 1).collect();
    format!("…{end}")
}

/// Amount moved, time and rate in words; `seconds` is the time it took.
pub(crate) fn moved(bytes: u64, seconds: f64) -> String {
    let rate = megabits(bytes as f64 * 8.0 / seconds.max(1e-3));
    format!("{} in {seconds:.1} s, {rate}", DecimalBytes(bytes))
}

/// A bar that is seen when there is something to show.
fn unseen() -> ProgressBar {
    let bar = ProgressBar::no_length();
    if let Ok(nothing) = ProgressStyle::with_template("") {
        bar.set_style(nothing);
    }
    bar
}

impl Bar {
    /// A bar that nobody sees if `hidden`, nor where standard error is no terminal.
    pub(crate) fn new(hidden: bool) -> Self {
        let bar = if hidden {
            ProgressBar::hidden()
        } else {
            unseen()
        };
        Self {
            is_hidden: bar.is_hidden(),
            shown: bar,
            files: BTreeMap::new(),
            expected: BTreeMap::new(),
            ended: Ended::default(),
            rate: Rate::default(),
            link: Link::default(),
            begun: None,
            drawn: Instant::now(),
        }
    }

    /// The bar itself, to print above it.
    pub(crate) fn bar(&self) -> ProgressBar {
        self.shown.clone()
    }

    /// A host is going to move so much, with what it has moved before its connection broke.
    pub(crate) fn expect(&mut self, peer: PublicKey, totals: Totals) {
        self.expected.insert(peer, totals);
    }

    /// A file begins.
    pub(crate) fn begin(&mut self, id: Id, path: String, size: Option<u64>) {
        let begun = Instant::now();
        self.begun.get_or_insert(begun);
        let file = File {
            path,
            size,
            begun,
            bytes: 0,
            rate: Rate::default(),
            said: None,
        };
        self.files.insert(id, file);
    }

    /// Notes that the receiver has `bytes` of a file. Returns the file, unless it is not under way.
    pub(crate) fn progress(&mut self, id: Id, bytes: u64, link: Link) -> Option<&mut File> {
        let file = self.files.get_mut(&id)?;
        file.bytes = bytes;
        file.rate.note(bytes);
        self.link = link;
        Some(file)
    }

    /// The connection is lost: nothing is under way.
    pub(crate) fn lose(&mut self) {
        self.files.clear();
    }

    /// A file is not there.
    pub(crate) fn fail(&mut self, id: Id) {
        self.files.remove(&id);
        self.ended.failed += 1;
    }

    /// A file will be offered again.
    pub(crate) fn interrupt(&mut self, id: Id) {
        self.files.remove(&id);
    }

    /// A file is there. How long it took, in seconds.
    pub(crate) fn done(&mut self, id: Id, arrived: &Arrived) -> f64 {
        let begun = self.files.remove(&id).map(|file| file.begun);
        let seconds = begun.map_or(0.0, |begun| begun.elapsed().as_secs_f64());
        let new = arrived.size - arrived.resumed_from.min(arrived.size);
        self.ended.done += 1;
        self.ended.bytes += arrived.size;
        self.ended.new += new;
        self.ended.there_already += u64::from(new == 0 && arrived.size > 0);
        if self.ended.done == 1 {
            self.ended.name.clone_from(&arrived.path);
        }
        seconds
    }

    fn totals(&self) -> Totals {
        let known = self.ended.bytes
            + self
                .files
                .values()
                .filter_map(|file| file.size)
                .sum::<u64>();
        let sum = self
            .expected
            .values()
            .fold(Totals::default(), |sum, of| Totals {
                files: sum.files.saturating_add(of.files),
                bytes: sum.bytes.saturating_add(of.bytes),
            });
        Totals {
            files: sum.files.max(self.ended.done + self.files.len() as u64),
            bytes: sum.bytes.max(known),
        }
    }

    /// Summary line and the bar to clear, once all files expected have ended, or at the end of all.
    pub(crate) fn summary(&mut self, at_end: bool) -> Option<(String, ProgressBar)> {
        let count = self.ended.done + self.ended.failed;
        if count == 0 || !(at_end || (self.files.is_empty() && count >= self.totals().files)) {
            return None;
        }
        let seconds = self.begun.take();
        let seconds = seconds.map_or(0.0, |begun| begun.elapsed().as_secs_f64());
        let shown = self.shown.clone();
        if !self.is_hidden {
            self.shown = unseen();
        }
        self.expected.clear();
        self.rate = Rate::default();
        let ended = std::mem::take(&mut self.ended);
        let what = match ended.done {
            0 => return Some((String::new(), shown)),
            1 => ended.name,
            many => format!("{many} files"),
        };
        let already = match (ended.there_already, ended.done) {
            (0, _) => String::new(),
            (n, done) if n == done => return Some((format!("{what}: there already"), shown)),
            (n, _) => format!("; {n} were there already"),
        };
        let words = format!("{what}: {}{already}", moved(ended.new, seconds));
        Some((words, shown))
    }

    /// The next state to draw; none if nobody sees the bar, nothing is under way, or the latest one is younger than
    /// [`DRAW_EVERY`].
    pub(crate) fn picture(&mut self) -> Option<Picture> {
        if self.is_hidden || self.files.is_empty() || self.drawn.elapsed() < DRAW_EVERY {
            return None;
        }
        self.drawn = Instant::now();
        let totals = self.totals();
        let bytes = self.ended.bytes + self.files.values().map(|file| file.bytes).sum::<u64>();
        self.rate.note(bytes);
        let is_known = self.files.values().all(|file| file.size.is_some());
        let left = self.rate.left(totals.bytes.saturating_sub(bytes));
        let left = left
            .filter(|_| is_known)
            .map(|left| format!(", {} left", HumanDuration(left)));
        let names = self.files.values().take(NAMES);
        let names: Vec<_> = names.map(|file| shortened(&file.path)).collect();
        let names = names.join(", ");
        Some(Picture {
            bar: self.shown.clone(),
            style: if is_known { STYLE } else { STYLE_OF_PIPES },
            bytes,
            of: totals.bytes,
            prefix: format!(
                "· {} of {} files{}",
                self.ended.done,
                totals.files,
                left.unwrap_or_default(),
            ),
            message: format!(
                "{}, {:.1} % lost, RTT {:.0} ms · {}",
                megabits(self.rate.bps),
                100.0 * loss(self.link),
                1e3 * self.link.rtt.as_secs_f64(),
                match self.files.len().saturating_sub(NAMES) {
                    0 => names,
                    more => format!("{names} and {more} more"),
                }
            ),
        })
    }
}

/// A state of the bar, to be drawn by the thread that prints: drawing may have to wait for the terminal.
pub(crate) struct Picture {
    bar: ProgressBar,
    style: &'static str,
    bytes: u64,
    of: u64,
    prefix: String,
    message: String,
}

impl Picture {
    pub(crate) fn show(self) {
        if let Ok(style) = ProgressStyle::with_template(self.style) {
            self.bar.set_style(style);
        }
        self.bar.set_length(self.of);
        self.bar.set_position(self.bytes);
        self.bar.set_prefix(self.prefix);
        self.bar.set_message(self.message);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arrived(path: &str, size: u64, resumed_from: u64) -> Arrived {
        Arrived {
            peer: skywave_transfer::key::SecretKey::from_bytes([1; 32]).public(),
            path: path.to_owned(),
            place: None,
            size,
            hash: [0; 32].into(),
            resumed_from,
        }
    }

    #[test]
    fn all_files_have_one_end() {
        let mut bar = Bar::new(true);
        let peer = arrived("", 0, 0).peer;
        let (files, bytes) = (3, 30);
        bar.expect(peer, Totals { files, bytes });
        for id in 1..=3 {
            assert!(bar.summary(false).is_none());
            bar.begin(id, "a".to_owned(), Some(10));
            bar.done(id, &arrived("a", 10, if id == 1 { 10 } else { 0 }));
        }
        let (said, _) = bar.summary(false).unwrap();
        assert!(said.starts_with("3 files: 20 B in 0."), "{said}");
        assert!(said.ends_with("; 1 were there already"), "{said}");
        assert!(bar.summary(true).is_none());
        // One more, of which nobody knew.
        bar.begin(4, "film".to_owned(), None);
        bar.done(4, &arrived("film", 5, 5));
        assert_eq!(bar.summary(false).unwrap().0, "film: there already");
    }

    #[test]
    fn what_is_under_way_counts_as_expected() {
        let mut bar = Bar::new(true);
        bar.begin(1, "a".to_owned(), Some(10));
        bar.begin(2, "b".to_owned(), Some(20));
        bar.done(1, &arrived("a", 10, 0));
        let totals = bar.totals();
        assert_eq!((totals.files, totals.bytes), (2, 30));
        assert!(bar.summary(false).is_none());
        assert!(bar.summary(true).is_some());
    }

    #[test]
    fn long_names_keep_their_end() {
        assert_eq!(shortened("film"), "film");
        let long = "a".repeat(30) + "/film.mkv";
        assert_eq!(shortened(&long).chars().count(), LONGEST_NAME);
        assert!(shortened(&long).ends_with("/film.mkv"));
    }
}
