//! Whatever a record of a link says, it is refused or read as times in order, and what it tells is finite.

use proptest::prelude::*;
use skywave_fuzz::{records, transfers};

use crate::bytes::check;

/// Pieces that the parsers look for.
const PIECES: &[&str] = &[
    "PING h (192.0.2.7) 56(84) bytes of data.\n",
    "PING h (192.0.2.7): 56 data bytes\n",
    "64 bytes from h: icmp_seq=",
    " ttl=5 time=",
    " ms\n",
    "ms",
    "no answer yet for icmp_seq=",
    "Request timeout for icmp_seq ",
    " packets transmitted, ",
    "Reply from h: bytes=32 time=",
    "Reply from h: bytes=32 time<",
    "Request timed out.\n",
    "23:59:58.110123 ",
    "[1700000000.060400] ",
    "time_s,rate_mbps\n",
    "time_s;bytes\n",
    "time_s,rtt_ms\n",
    "time,owd_up_ms,owd_down_ms\n",
    "2026-01-01T00:00:00Z,",
    "timeout",
    "{\"round_trips\": [{\"seqno\": ",
    ", \"delay\": {\"rtt\": ",
    "{\"intervals\": [{\"sum\": {\"start\": ",
    ", \"end\": ",
    ", \"bytes\": ",
    "{\"qlog_version\": \"0.3\", \"traces\": [{\"events\": [{\"time\": ",
    ", \"name\": \"packet_sent\", \"data\": {}",
    ", \"name\": \"recovery_metrics_updated\", \"data\": {\"latest_rtt\": ",
    "}",
    "]",
    "\n",
    "\n",
    ",",
    ";",
    " ",
    "\t",
    "#",
    "nan",
    "1e308",
    "1e-320",
    "0e400",
    "-1",
    "99999999999999999999",
];

/// Texts made of the pieces and of numbers.
fn text() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        4 => prop::sample::select(PIECES).prop_map(str::to_owned),
        3 => (0..100_000_u32).prop_map(|number| number.to_string()),
        2 => any::<f64>().prop_map(|number| number.to_string()),
        1 => any::<char>().prop_map(String::from),
    ];
    prop::collection::vec(part, 0..40).prop_map(|parts| parts.concat())
}

/// An input of a corpus that is repeated, and bytes of it changed: to digits, or to any.
fn changed(target: &'static str, most: usize) -> impl Strategy<Value = Vec<u8>> {
    let inputs: Vec<Vec<u8>> = crate::corpus::inputs(target)
        .iter()
        .map(|file| std::fs::read(file).unwrap())
        .collect();
    let changes = prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6);
    let input = prop::sample::select(inputs);
    (input, 1..=most, changes, any::<bool>()).prop_map(|(input, times, changes, are_digits)| {
        let mut data = input.repeat(times);
        for (place, byte) in changes {
            let at = place.index(data.len());
            data[at] = if are_digits { b'0' + byte % 10 } else { byte };
        }
        data
    })
}

/// Rows below the header of a table, or without one.
fn rows() -> impl Strategy<Value = String> {
    let header = prop::sample::select(vec![
        "",
        "time_s,rate_mbps\n",
        "time_s,bytes\n",
        "time_ms,rtt_ms\n",
        "time_s,owd_up_ms,owd_down_ms\n",
    ]);
    let number = prop_oneof![
        5 => (0..1000_u32).prop_map(|number| number.to_string()),
        2 => (0.0..1e3).prop_map(|number: f64| number.to_string()),
        1 => prop::sample::select(vec![
            "0e400", "1e-320", "5e-324", "1e7", "0.0000001", "nan", "-5",
        ])
            .prop_map(str::to_owned),
    ];
    let row = (any::<u16>(), prop::collection::vec(number, 3));
    (header, prop::collection::vec(row, 1..12)).prop_map(|(header, rows)| {
        let columns = header.matches(',').count() + 1;
        let columns = if header.is_empty() { 2 } else { columns };
        let separator = if header.is_empty() { " " } else { "," };
        let mut at = 0;
        let line = |(step, mut numbers): (u16, Vec<String>)| {
            at += u32::from(step % 4);
            if step % 16 != 0 {
                numbers[0] = at.to_string();
            }
            numbers[..columns].join(separator) + "\n"
        };
        header.to_owned() + &rows.into_iter().map(line).collect::<String>()
    })
}

#[test]
fn any_text_is_read_as_a_record_without_harm() {
    check("texts of pieces", 3000, text(), |text| {
        records::run(text.as_bytes());
    });
}

#[test]
fn any_rows_are_read_as_a_table_without_harm() {
    check("rows", 3000, rows(), |text| records::run(text.as_bytes()));
}

#[test]
fn records_with_wrong_bytes_are_read_without_harm() {
    check("records", 2000, changed("records", 2), |data| {
        records::run(&data);
    });
}

#[test]
fn any_packets_are_fitted_without_harm() {
    let data = prop::collection::vec(any::<u8>(), 0..1500);
    check("any packets", 500, data, |data| transfers::run(&data));
}

#[test]
fn transfers_with_wrong_bytes_are_fitted_without_harm() {
    check("transfers", 500, changed("transfers", 5), |data| {
        transfers::run(&data);
    });
}
