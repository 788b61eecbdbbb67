//! Captures in words: their packets and connections, counted.

use std::fmt::{self, Write};

use skywave_lab::capture::{Connection, Direction, Protocol, Summary};
use skywave_lab::report::number::{decimals, fixed, scale};
use skywave_sim::outcome::Unit;

use crate::diagnosis::Diagnosis;

/// Plain text about each capture of a diagnosis: its file, the numbers of its packets and connections, and for each
/// connection the ends, the times, and both directions' packets, bytes, goodput and retransmissions. Empty without
/// captures.
pub fn packets(diagnosis: &Diagnosis) -> String {
    let mut out = String::new();
    for (name, summary) in &diagnosis.captures {
        // Writing to a string does not fail.
        let _ = writeln!(out, "\n{name}");
        let _ = connections(&mut out, summary);
    }
    out
}

fn connections(out: &mut String, summary: &Summary) -> fmt::Result {
    let (first, last) = summary.span_ns.unwrap_or((0, 0));
    writeln!(
        out,
        "Packets: {} in {}; connections: {}",
        summary.packets,
        with_unit(Unit::Seconds, seconds(last - first)),
        summary.connections.len(),
    )?;
    for connection in &summary.connections {
        let protocol = match connection.protocol {
            Protocol::Tcp => "TCP",
            Protocol::Udp => "UDP",
        };
        let (from, to) = connection.span_ns;
        writeln!(
            out,
            "\n{protocol} {} to {}, from {} s to {} s",
            connection.from,
            connection.to,
            fixed(seconds(from - first), 3),
            fixed(seconds(to - first), 3),
        )?;
        for (arrow, direction) in [("->", &connection.forward), ("<-", &connection.backward)] {
            if direction.packets > 0 {
                print_direction(out, arrow, connection, direction)?;
            }
        }
    }
    if summary.other > 0 {
        writeln!(out, "\n{} packets neither TCP nor UDP", summary.other)?;
    }
    Ok(())
}

fn print_direction(
    out: &mut String,
    arrow: &str,
    connection: &Connection,
    direction: &Direction,
) -> fmt::Result {
    let packets = format!(
        "{} packets, {}",
        direction.packets,
        with_unit(Unit::Bytes, direction.bytes as f64)
    );
    let mut facts = vec![packets];
    if direction.payload_bytes > 0 {
        let payload = with_unit(Unit::Bytes, direction.payload_bytes as f64);
        facts.push(format!("payload {payload}"));
        let goodput = connection.goodput_bps(direction);
        facts.push(format!("goodput {}", with_unit(Unit::BitRate, goodput)));
    }
    if connection.protocol == Protocol::Tcp {
        facts.push(format!("{} retransmissions", direction.retransmits));
    }
    writeln!(out, "  {arrow} {}", facts.join(", "))?;
    for (remark, count) in &direction.remarks {
        writeln!(out, "     {count} {}", remark.text())?;
    }
    Ok(())
}

fn seconds(nanoseconds: u64) -> f64 {
    nanoseconds as f64 / 1e9
}

fn with_unit(unit: Unit, value: f64) -> String {
    let scaled = scale(unit, value);
    let number = value * scaled.factor;
    // Bytes alone are whole.
    let decimals = if scaled.factor == 1.0 && unit == Unit::Bytes {
        0
    } else {
        decimals(number)
    };
    format!("{} {}", fixed(number, decimals), scaled.label)
}
