//! `skywave capture`: what a packet capture shows.

use std::fs::File;
use std::io::{self, Write};
use std::path::PathBuf;

use skywave_lab::capture::{Connection, Direction, Protocol, Summary};
use skywave_lab::report::number::{decimals, fixed, scale};
use skywave_sim::outcome::Unit;

use crate::failure::Failure;

/// Sum up a packet capture: its connections, and what was lost where.
///
/// Reads captures of `skywave run --capture` and those of tcpdump or Wireshark (pcap and pcapng over
/// Ethernet, Linux "any" and raw IP). A retransmission is a TCP segment of which the capture has shown
/// a part before. Losses are known from the comments in our own captures; goodput counts the payload
/// that no comment says to be lost, each byte once.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  \
    skywave run my-link.toml --capture=radio\n  \
    skywave capture runs/my-link/captures/3-newreno-0.005/radio.pcapng")]
pub(crate) struct Args {
    /// Capture file (pcapng or pcap).
    file: PathBuf,
}

pub(crate) fn main(args: &Args) -> Result<(), Failure> {
    let unreadable = |source| Failure::Capture {
        path: args.file.clone(),
        source,
    };
    let file = File::open(&args.file).map_err(|error| unreadable(error.into()))?;
    let summary = Summary::read(file).map_err(unreadable)?;
    print(&mut io::stdout().lock(), &summary)?;
    if summary.cut_off {
        eprintln!(
            "skywave: {} ends within a packet; what is there was read",
            args.file.display()
        );
    }
    Ok(())
}

fn print(out: &mut impl Write, summary: &Summary) -> io::Result<()> {
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
    out: &mut impl Write,
    arrow: &str,
    connection: &Connection,
    direction: &Direction,
) -> io::Result<()> {
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
