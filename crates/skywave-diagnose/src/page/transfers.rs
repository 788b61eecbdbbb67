//! Transfers in words: what each waited for.

use std::fmt::Write;

use crate::diagnosis::Observed;
use crate::link::short;
use crate::transfer::Cause;
use crate::why::State;

/// Share of the time from which a state is named.
const NAMED: f64 = 0.02;

/// Lines about a transfer.
pub(super) fn transfer(observed: &Observed) -> String {
    let Observed {
        file,
        transfer,
        why,
        ..
    } = observed;
    let numbers = &why.numbers;
    // Writing to a string does not fail.
    let mut out = String::new();
    let _ = writeln!(
        out,
        "  {file}: {} to {}, {} Mb/s for {} s",
        transfer.from,
        transfer.to,
        short(numbers.goodput_bps / 1e6),
        short(transfer.duration_s),
    );
    let _ = writeln!(out, "    {}: {}", why.verdict.name(), why.sentence);
    let mut shares: Vec<(f64, &str)> = State::ALL
        .iter()
        .map(|&(state, name)| (why.shares.of(state), name))
        .filter(|(share, _)| *share >= NAMED)
        .collect();
    shares.sort_by(|a, b| b.0.total_cmp(&a.0));
    let shares: Vec<String> = shares
        .iter()
        .map(|(share, name)| format!("{name} {:.0} %", share * 100.0))
        .collect();
    if !shares.is_empty() {
        let _ = writeln!(out, "    time: {}", shares.join(", "));
    }
    if let Some([low, middle, high]) = numbers.rtt_s {
        let _ = writeln!(
            out,
            "    round trips: {} ms in the middle, 90 % between {} and {} ms",
            short(middle * 1e3),
            short(low * 1e3),
            short(high * 1e3)
        );
    }
    if numbers.again > 0 {
        let causes: Vec<String> = why
            .again
            .iter()
            .filter(|(_, count)| *count > 0)
            .map(|(cause, count)| format!("{count} by {}", name(*cause)))
            .collect();
        let _ = writeln!(
            out,
            "    {} of {} segments sent again: {}",
            numbers.again,
            numbers.sent,
            causes.join(", ")
        );
    }
    let losses = &why.losses;
    if losses.all > 0 {
        let causes = if losses.are_told() {
            format!(
                "{} by a queue or policer, {} by the channel",
                losses.congestive, losses.random
            )
        } else {
            "the causes are not known".to_owned()
        };
        let _ = writeln!(out, "    {} lost: {causes}", losses.all);
    }
    for event in &why.events {
        let _ = writeln!(
            out,
            "    {} × {}, the longest {} s at {} s",
            event.count,
            event.kind.name(),
            short(event.longest_s),
            short(event.at_s)
        );
    }
    out
}

fn name(cause: Cause) -> &'static str {
    let known = Cause::ALL.iter().find(|(known, _)| *known == cause);
    known.map_or("", |(_, name)| name)
}
