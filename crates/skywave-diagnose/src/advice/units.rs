//! Numbers for people, and for commands.

/// Three significant digits, without an exponent.
pub(super) fn three(x: f64) -> String {
    let digits = match x.abs() {
        x if x >= 99.95 => 0,
        x if x >= 9.995 => 1,
        _ => 2,
    };
    format!("{x:.digits$}")
}

/// A rate in bit/s.
pub(super) fn rate(bps: f64) -> String {
    if bps < 999.5e3 {
        format!("{} kb/s", three(bps / 1e3))
    } else {
        format!("{} Mb/s", three(bps / 1e6))
    }
}

/// A time in seconds.
pub(super) fn time(s: f64) -> String {
    if s < 0.9995 {
        format!("{:.0} ms", s * 1e3)
    } else {
        format!("{} s", three(s))
    }
}

/// A rate in bit/s as `tc` reads it.
pub(super) fn tc_rate(bps: f64) -> String {
    format!("{:.0}kbit", bps / 1e3)
}

/// A size of a buffer: the next power of two.
pub(super) fn buffer(bytes: f64) -> u64 {
    (bytes.clamp(1.0, 1e12) as u64).next_power_of_two()
}

/// A size of a transfer, bytes.
pub(super) fn size(bytes: u64) -> String {
    if bytes < 1_000_000 {
        format!("{} kB", bytes / 1000)
    } else {
        format!("{} MB", bytes / 1_000_000)
    }
}
