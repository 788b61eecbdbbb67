//! How much memory this process has used, as the system counts it.

/// Largest resident memory of this program so far in KiB, as JSON: `null` where `/proc` does not tell
/// it, that is on other systems than Linux.
///
/// The program says it of itself because what the system tells the parent of a process (`ru_maxrss`)
/// includes the memory that the process had before it became this program: that of the parent.
pub(crate) fn peak_kib() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let number = peak.and_then(|peak| peak.split_whitespace().next());
    number.unwrap_or("null").to_owned()
}
