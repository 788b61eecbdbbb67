//! The report of a relay, for people and for programs.

use std::io;
use std::time::{Duration as StdDuration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use serde_json::{Value, json};
use skywave_core::Duration;
use skywave_lab::report::columns;
use skywave_wire::relay::{HopReport, LATE, Report, View, WayReport};

use crate::output;

/// Time between two states shown, over which rates are means.
const SHOWN_EVERY: StdDuration = StdDuration::from_millis(500);

pub(super) const ARROWS: [&str; 2] = ["→", "←"];

/// A line of status; nothing where standard error is no terminal.
pub(super) struct Status {
    bar: ProgressBar,
    /// When it is over, if that is known.
    end: Option<Instant>,
    shown: Instant,
    before: [WayReport; 2],
}

impl Status {
    pub(super) fn new(end: Option<Instant>) -> Self {
        let bar = ProgressBar::new_spinner();
        if let Ok(style) = ProgressStyle::with_template("{spinner} {wide_msg}") {
            bar.set_style(style);
        }
        Self {
            bar,
            end,
            shown: Instant::now(),
            before: [WayReport::default(); 2],
        }
    }

    pub(super) fn show(&mut self, view: &View<'_>) {
        let passed = self.shown.elapsed();
        if passed < SHOWN_EVERY {
            return;
        }
        let now = Instant::now();
        let time = match self.end {
            Some(end) => format!("{} s left", end.saturating_duration_since(now).as_secs()),
            None => format!("{} s", view.elapsed.as_nanos() / 1_000_000_000),
        };
        // The spinner and a space stand before it.
        let line = line(
            &time,
            view,
            &self.before,
            passed,
            output::width().saturating_sub(2),
        );
        self.bar.set_message(line);
        self.bar.tick();
        self.shown = now;
        self.before = *view.ways;
    }
}

/// The state in as many words as there are columns for.
fn line(
    time: &str,
    view: &View<'_>,
    before: &[WayReport; 2],
    passed: StdDuration,
    columns: usize,
) -> String {
    let ways = [0, 1].map(|n| {
        let (now, before) = (&view.ways[n], &before[n]);
        let rate = |now: u64, before: u64| bits(8.0 * (now - before) as f64, passed);
        let came = rate(now.bytes_in, before.bytes_in);
        let left = rate(now.bytes_out, before.bytes_out);
        let (arrow, queued, lost) = (ARROWS[n], view.queued[n], now.dropped + now.corrupt);
        [
            format!("{arrow} {came} in, {left} out, {queued} queued, {lost} lost"),
            format!("{arrow} {left}, {lost} lost"),
        ]
    });
    let late = match view.lateness.quantile(0.99).map(ms) {
        None => ["no packet yet", "no packet yet"].map(str::to_owned),
        Some(late) => [format!("99 % within {late} of due"), format!("{late} late")],
    };
    let [long, short] =
        [0, 1].map(|n| format!("{time} · {} · {} · {}", ways[0][n], ways[1][n], late[n]));
    if long.chars().count() <= columns {
        long
    } else {
        short
    }
}

impl Drop for Status {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// The end of a run as a table.
pub(super) fn table(report: &Report) -> String {
    let mut text = format!("In {:.1} s:\n", report.elapsed.as_secs_f64());
    for (arrow, way) in ARROWS.iter().zip(&report.ways) {
        text += &way_line(arrow, way, report.elapsed);
    }
    let header = [
        "link", "packets", "carried", "queue", "early", "channel", "blackout", "damaged", "twice",
        "busy", "waiting",
    ];
    text += "\n";
    text += &with_header(&header, report.hops.iter().map(hop_row));
    text += "\n";
    text += &lateness_line(report);
    text += &troubles(report);
    text
}

/// Anything that the user should know besides the numbers of the links.
fn troubles(report: &Report) -> String {
    let troubles = &report.troubles;
    let lines = [
        (report.under_way, "were still under way"),
        (
            troubles.refused,
            "were refused where they went: nobody listened there",
        ),
        (
            troubles.turned_away,
            "came from more clients than are served at once",
        ),
    ];
    let told = lines.iter().filter(|(count, _)| *count > 0);
    let told = told.map(|(count, what)| match count {
        1 => format!("1 packet {}.\n", what.replacen("were ", "was ", 1)),
        _ => format!("{count} packets {what}.\n"),
    });
    told.collect::<Vec<_>>().concat()
}

/// Why the path was not the one that was asked for, if so.
pub(crate) fn unfaithful(report: &Report) -> Option<String> {
    let lateness = &report.lateness;
    let mut reasons = Vec::new();
    if !lateness.kept_time() {
        reasons.push(format!(
            "could not keep time: {} of the packets left more than {} late",
            percent(lateness.late_share()),
            ms(LATE)
        ));
    }
    let unread = report.troubles.unread.unwrap_or(0);
    if unread > 0 {
        reasons.push(format!(
            "{} before the relay read them",
            were(unread, "lost")
        ));
    }
    if !reasons.is_empty() {
        let also = or_as_root();
        let hint = format!(" (this machine or its host is busy: try again{also})");
        reasons.last_mut()?.push_str(&hint);
    }
    let memory = report.ways.iter().map(|way| way.memory).sum();
    if memory > 0 {
        let dropped = were(memory, "dropped");
        reasons.push(format!(
            "{dropped}: more were under way than the relay keeps"
        ));
    }
    for (&number, &count) in &report.errors {
        let error = reason(number);
        let refused = were(count, "refused");
        reasons.push(format!(
            "{refused} by the system, not lost by the links: {error}"
        ));
    }
    let gone = report.unsent() - report.errors.values().sum::<u64>();
    if gone > 0 {
        reasons.push(format!("{} for clients that had left", were(gone, "lost")));
    }
    (!reasons.is_empty()).then(|| reasons.join("; "))
}

/// Why the system refused a packet.
fn reason(number: Option<i32>) -> String {
    match number {
        Some(number) => io::Error::from_raw_os_error(number).to_string(),
        None => "it gave no reason".to_owned(),
    }
}

fn were(count: u64, what: &str) -> String {
    match count {
        1 => format!("1 packet was {what}"),
        _ => format!("{count} packets were {what}"),
    }
}

/// The relay of root runs before ordinary programs.
fn or_as_root() -> &'static str {
    if skywave_wire::is_root() {
        ""
    } else {
        ", or as root, whose relay runs before ordinary programs"
    }
}

fn way_line(arrow: &str, way: &WayReport, elapsed: Duration) -> String {
    let passed = StdDuration::from_nanos(elapsed.as_nanos());
    format!(
        "{arrow} {} packets in ({}), {} out ({}); lost: {} by links, {} damaged, {} by the relay\n",
        way.packets_in,
        bits(8.0 * way.bytes_in as f64, passed),
        way.packets_out,
        bits(8.0 * way.bytes_out as f64, passed),
        way.dropped,
        way.corrupt,
        way.memory + way.unsent,
    )
}

fn hop_row(hop: &HopReport) -> Vec<String> {
    let tally = &hop.tally;
    let counts = [
        tally.offered,
        tally.carried,
        tally.queue,
        tally.early,
        tally.channel,
        tally.blackout,
        tally.corrupted,
        tally.duplicated,
    ];
    let mut row = vec![hop.name.clone()];
    row.extend(counts.iter().map(u64::to_string));
    row.push(percent(hop.measured.utilisation));
    row.push(format!("{:.1}", hop.measured.queue_mean_packets));
    row
}

fn lateness_line(report: &Report) -> String {
    let lateness = &report.lateness;
    let (Some(median), Some(most)) = (lateness.quantile(0.5), lateness.quantile(0.99)) else {
        return "No packet came through.\n".to_owned();
    };
    format!(
        "Left later than due: median {}, 99 % within {}, at most {}; more than {}: {}\n",
        ms(median),
        ms(most),
        ms(lateness.max()),
        ms(LATE),
        percent(lateness.late_share())
    )
}

/// A table with this header: left-aligned names, right-aligned numbers.
pub(crate) fn with_header(header: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> String {
    let header = header.iter().map(|&cell| cell.to_owned()).collect();
    let all: Vec<Vec<String>> = std::iter::once(header).chain(rows).collect();
    columns(&all)
}

/// Report of a relay as a JSON object.
pub(crate) fn object(report: &Report) -> Value {
    let way = |way: &WayReport| {
        json!({
            "packets_in": way.packets_in,
            "bytes_in": way.bytes_in,
            "packets_out": way.packets_out,
            "bytes_out": way.bytes_out,
            "dropped": way.dropped,
            "corrupt": way.corrupt,
            "memory": way.memory,
            "unsent": way.unsent,
        })
    };
    let hop = |hop: &HopReport| {
        json!({
            "link": hop.name,
            "offered": hop.tally.offered,
            "carried": hop.tally.carried,
            "queue_drops": hop.tally.queue,
            "early_drops": hop.tally.early,
            "channel_drops": hop.tally.channel,
            "blackout_drops": hop.tally.blackout,
            "corrupted": hop.tally.corrupted,
            "duplicated": hop.tally.duplicated,
            "utilisation": hop.measured.utilisation,
            "queue_mean_packets": hop.measured.queue_mean_packets,
            "retransmissions": hop.measured.arq.retransmissions,
            "fec_repairs": hop.measured.fec_repairs,
        })
    };
    let error = |(&number, &packets): (&Option<i32>, &u64)| json!({ "error": reason(number), "packets": packets });
    let lateness = &report.lateness;
    let quantile = |q| lateness.quantile(q).map(Duration::as_secs_f64);
    json!({
        "elapsed_s": report.elapsed.as_secs_f64(),
        "forward": way(&report.ways[0]),
        "back": way(&report.ways[1]),
        "links": report.hops.iter().map(hop).collect::<Vec<_>>(),
        "errors": report.errors.iter().map(error).collect::<Vec<_>>(),
        "under_way": report.under_way,
        "late_p50_s": quantile(0.5),
        "late_p99_s": quantile(0.99),
        "late_max_s": lateness.max().as_secs_f64(),
        "late_share": lateness.late_share(),
        "kept_time": lateness.kept_time(),
        "unread": report.troubles.unread,
        "refused": report.troubles.refused,
        "turned_away": report.troubles.turned_away,
        "faithful": report.is_faithful(),
    })
}

fn bits(bits: f64, passed: StdDuration) -> String {
    rate(bits / passed.as_secs_f64().max(1e-9))
}

/// A rate in bits per second, with three digits.
pub(crate) fn rate(bps: f64) -> String {
    match bps {
        bps if bps >= 999.5e6 => format!("{} Gb/s", digits(bps / 1e9)),
        bps if bps >= 999.5e3 => format!("{} Mb/s", digits(bps / 1e6)),
        bps => format!("{} kb/s", digits(bps / 1e3)),
    }
}

fn digits(number: f64) -> String {
    match number {
        n if n >= 99.95 => format!("{n:.0}"),
        n if n >= 9.995 => format!("{n:.1}"),
        n => format!("{n:.2}"),
    }
}

fn ms(duration: Duration) -> String {
    format!("{} ms", digits(duration.as_secs_f64() * 1e3))
}

fn percent(share: f64) -> String {
    format!("{} %", digits(share * 100.0))
}

#[cfg(test)]
mod tests {
    use skywave_wire::relay::{Lateness, Troubles};

    use super::*;

    #[test]
    fn numbers_have_three_digits() {
        let shown = [0.0, 1234.0, 99_960.0, 1.5e6, 20e6, 1e9].map(rate);
        let want = [
            "0.00 kb/s",
            "1.23 kb/s",
            "100 kb/s",
            "1.50 Mb/s",
            "20.0 Mb/s",
            "1.00 Gb/s",
        ];
        assert_eq!(shown, want);
    }

    #[test]
    fn the_status_has_room_in_a_terminal_of_80_columns() {
        let way = |bytes, lost| WayReport {
            bytes_in: bytes,
            bytes_out: bytes,
            dropped: lost,
            ..WayReport::default()
        };
        let mut lateness = Lateness::default();
        lateness.record(Duration::from_micros(123));
        let view = View {
            elapsed: Duration::from_secs(61),
            ways: &[way(125_000_000, 12_345), way(62_500, 678)],
            queued: [4321, 12],
            lateness: &lateness,
        };
        let second = StdDuration::from_secs(1);
        let line = |columns| {
            let before = [WayReport::default(); 2];
            line("3599 s left", &view, &before, second, columns)
        };
        assert_eq!(
            line(200),
            "3599 s left · → 1.00 Gb/s in, 1.00 Gb/s out, 4321 queued, 12345 lost · ← 500 kb/s in, \
             500 kb/s out, 12 queued, 678 lost · 99 % within 0.12 ms of due"
        );
        let short = line(78);
        assert_eq!(
            short,
            "3599 s left · → 1.00 Gb/s, 12345 lost · ← 500 kb/s, 678 lost · 0.12 ms late"
        );
        assert!(short.chars().count() <= 78);
    }

    #[test]
    fn only_what_was_late_is_blamed_on_a_busy_machine() {
        let mut report = Report {
            elapsed: Duration::ZERO,
            ways: [WayReport::default(); 2],
            hops: Vec::new(),
            lateness: Lateness::default(),
            errors: [].into(),
            under_way: 0,
            troubles: Troubles::default(),
        };
        assert_eq!(unfaithful(&report), None);
        // EINVAL, on every system.
        report.errors = [(Some(22), 960), (None, 3)].into();
        report.ways[1].unsent = 964;
        let told = unfaithful(&report).unwrap();
        assert!(
            told.contains("960 packets were refused by the system"),
            "{told}"
        );
        assert!(told.contains("Invalid argument"), "{told}");
        assert!(
            told.contains("3 packets were refused") && !told.contains("os error 0"),
            "{told}"
        );
        assert!(
            told.contains("1 packet was lost for clients that had left"),
            "{told}"
        );
        assert!(!told.contains("busy"), "{told}");
        report.troubles.unread = Some(2);
        assert!(unfaithful(&report).unwrap().contains("busy"));
        assert_eq!(object(&report)["errors"][1]["packets"], 960);
    }
}
