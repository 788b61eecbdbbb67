//! Contents and unit of a column, by its name: `rtt_ms`, `Time (s)`, `throughput[Mbit/s]`, `kbps`.

/// Contents of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum What {
    /// A time.
    Time,
    /// A rate.
    Rate,
    /// Bytes from a row's time to that of the next.
    Bytes,
    /// A round trip.
    Rtt,
    /// A delay of the way there.
    Up,
    /// A delay of the way back.
    Down,
}

const TIMES: [&str; 9] = [
    "timestamp",
    "unixtime",
    "datetime",
    "elapsed",
    "epoch",
    "unix",
    "time",
    "ts",
    "t",
];
const RATES: [&str; 10] = [
    "datarate",
    "bitrate",
    "rate",
    "bandwidth",
    "bw",
    "throughput",
    "goodput",
    "capacity",
    "downlink",
    "download",
];
const RTTS: [&str; 6] = ["roundtrip", "latency", "delay", "rttavg", "rtt", "ping"];
const UPS: [&str; 3] = ["owdup", "delayup", "owd"];
const DOWNS: [&str; 2] = ["owddown", "delaydown"];

/// Contents of the column of this name, and the factor from its unit to seconds, bits a second or bits: `None` where
/// the name has no unit. Columns that hold nothing of use give `None` altogether.
pub(super) fn column(name: &str) -> Option<(What, Option<f64>)> {
    let name = name.trim();
    // The 4G and 5G traces of University College Cork are in kbit/s.
    if name == "DL_bitrate" {
        return Some((What::Rate, Some(1e3)));
    }
    let is_kept = |c: &char| c.is_alphanumeric() || "/µ".contains(*c);
    let short: String = name.chars().filter(is_kept).collect();
    let lower = short.to_lowercase();
    if lower == "bytes" {
        return Some((What::Bytes, Some(8.0)));
    }
    let kinds: [(What, &[&str]); 4] = [
        (What::Time, &TIMES),
        (What::Down, &DOWNS),
        (What::Up, &UPS),
        (What::Rtt, &RTTS),
    ];
    for (what, stems) in kinds {
        if stems.contains(&lower.as_str()) {
            return Some((what, None));
        }
        let mut units = stems.iter().filter_map(|stem| lower.strip_prefix(stem));
        if let Some(unit) = units.find_map(seconds) {
            return Some((what, Some(unit)));
        }
    }
    if let Some(unit) = seconds(&lower) {
        return Some((What::Time, Some(unit)));
    }
    if RATES.contains(&lower.as_str()) {
        return Some((What::Rate, None));
    }
    let stem = RATES
        .iter()
        .find(|stem| lower.starts_with(*stem))
        .map_or(0, |stem| stem.len());
    let unit: String = short.chars().skip(stem).collect();
    bits_per_second(&unit).map(|unit| (What::Rate, Some(unit)))
}

/// Seconds of a unit of time.
fn seconds(unit: &str) -> Option<f64> {
    match unit {
        "s" | "sec" | "secs" | "second" | "seconds" => Some(1.0),
        "ms" | "msec" | "msecs" | "millis" | "millisecond" | "milliseconds" => Some(1e-3),
        "us" | "µs" | "usec" | "usecs" | "micros" | "microseconds" => Some(1e-6),
        "ns" | "nsec" | "nanos" | "nanoseconds" => Some(1e-9),
        _ => None,
    }
}

/// Bits a second of a unit of rates. A capital B after a prefix means bytes (`MB/s`, `kBps`), unless all is in capitals.
fn bits_per_second(unit: &str) -> Option<f64> {
    let is_capital = !unit.chars().any(char::is_lowercase);
    let lower = unit.to_lowercase();
    let (factor, base) = match lower.chars().next()? {
        'k' => (1e3, &lower[1..]),
        'm' => (1e6, &lower[1..]),
        'g' => (1e9, &lower[1..]),
        _ => (1.0, lower.as_str()),
    };
    let has_capital_b = unit.contains('B') && !is_capital;
    let bits = match base {
        "b/s" | "bps" => {
            if has_capital_b {
                8.0
            } else {
                1.0
            }
        }
        "bit/s" | "bits/s" | "bitps" | "bitspersecond" => 1.0,
        "byte/s" | "bytes/s" | "byteps" | "bytespersecond" => 8.0,
        _ => return None,
    };
    Some(factor * bits)
}
