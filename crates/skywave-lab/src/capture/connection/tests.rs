use super::*;
use etherparse::TcpHeader;

/// A segment of `payload` bytes from 10.0.0.1 to 10.0.0.2.
fn segment(seq: u32, syn: bool, payload: u16) -> Vec<u8> {
    let mut tcp = TcpHeader::new(1, 2, seq, 1000);
    (tcp.syn, tcp.ack) = (syn, !syn);
    let length = tcp.header_len_u16() + payload;
    let (from, to) = ([10, 0, 0, 1], [10, 0, 0, 2]);
    let ip = etherparse::Ipv4Header::new(length, 64, etherparse::IpNumber::TCP, from, to).unwrap();
    [&ip.to_bytes()[..], &tcp.to_bytes()[..]].concat()
}

fn summary(segments: &[(Vec<u8>, &[Remark])]) -> Summary {
    let mut summary = Summary::default();
    for (second, (bytes, remarks)) in segments.iter().enumerate() {
        summary.add(&Frame {
            at_ns: second as u64 * 1_000_000_000,
            link_type: 101,
            length: bytes.len() as u32,
            bytes,
            remarks: remarks.to_vec(),
        });
    }
    summary
}

#[test]
fn retransmissions_are_what_was_shown_before_also_over_the_wrap() {
    let first = u32::MAX - 1000;
    let summary = summary(&[
        (segment(first, true, 0), &[]),
        (segment(first.wrapping_add(1), false, 600), &[]),
        (
            segment(first.wrapping_add(601), false, 600),
            &[Remark::LostQueue],
        ),
        (segment(first.wrapping_add(1801), false, 600), &[]), // one is missing before
        (segment(first.wrapping_add(1201), false, 600), &[]), // there it is
        (segment(first.wrapping_add(601), false, 600), &[]),  // again
        (
            segment(first.wrapping_add(1801), false, 600),
            &[Remark::Copy],
        ),
        (segment(first.wrapping_add(2401), false, 0), &[]), // nothing in it
    ]);
    let [connection] = &summary.connections[..] else {
        panic!("{:?}", summary.connections)
    };
    let data = &connection.forward;
    assert_eq!((data.packets, data.data_packets), (8, 6));
    assert_eq!(data.retransmits, 1);
    assert_eq!((data.payload_bytes, data.passed_bytes), (3600, 2400));
    assert_eq!(connection.duration_s(), 7.0);
    assert_eq!(connection.goodput_bps(data), 2400.0 * 8.0 / 7.0);
    assert_eq!(
        data.remarks,
        BTreeMap::from([(Remark::LostQueue, 1), (Remark::Copy, 1)])
    );
}

#[test]
fn another_syn_between_the_same_ports_is_another_connection() {
    let summary = summary(&[
        (segment(1, true, 0), &[]),
        (segment(1, true, 0), &[]), // the same, again
        (segment(900, true, 0), &[]),
        (segment(901, false, 10), &[]),
    ]);
    let figures = |c: &Connection| {
        (
            c.forward.packets,
            c.forward.retransmits,
            c.forward.passed_bytes,
        )
    };
    let all: Vec<_> = summary.connections.iter().map(figures).collect();
    assert_eq!(all, [(2, 1, 0), (2, 0, 10)]);
}

#[test]
fn what_is_too_short_or_strange_is_counted_as_other() {
    let whole = segment(1, true, 0);
    let summary = summary(&[
        (whole[..30].to_vec(), &[]),
        (vec![0xFF; 60], &[]),
        (Vec::new(), &[]),
    ]);
    assert_eq!((summary.packets, summary.other), (3, 3));
}
