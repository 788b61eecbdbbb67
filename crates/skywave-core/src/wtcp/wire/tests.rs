use super::*;
use proptest::prelude::*;

fn control() -> impl Strategy<Value = Control> {
    let seqs = (any::<u64>(), any::<u64>());
    let times = (any::<u32>(), any::<u32>(), any::<u32>());
    (seqs, times, any::<u8>()).prop_map(|(seqs, times, run)| Control {
        ctrl_seq: seqs.0,
        hack_seq: seqs.1,
        hack_delay: Micros(times.0),
        separation: Micros(times.1),
        gap: Micros(times.2),
        run,
    })
}

fn data() -> impl Strategy<Value = Data> {
    let place = (0..=u64::MAX - 70_000, any::<u16>(), any::<bool>());
    (control(), place, any::<u16>()).prop_map(|(control, (rel_seq, len, fin), ack_every)| Data {
        control,
        rel_seq,
        len,
        fin,
        ack_every,
    })
}

fn ack() -> impl Strategy<Value = Ack> {
    let bounds = prop::collection::btree_set(1u32.., 0..=MAX_SACK_BLOCKS * 2);
    let seqs = (any::<u64>(), any::<u64>(), any::<u64>());
    let rest = (any::<[u32; 3]>(), any::<bool>());
    (seqs, rest, bounds).prop_map(|(seqs, (times, more), bounds)| {
        let bounds: Vec<u32> = bounds.into_iter().collect();
        Ack {
            ack_seq: seqs.0,
            hctrl_seq: seqs.1,
            hctrl_delay: Micros(times[0]),
            separation: Micros(times[1]),
            cack: seqs.2,
            window: times[2],
            sack: bounds
                .chunks_exact(2)
                .map(|pair| SackBlock {
                    start: pair[0],
                    end: pair[1],
                })
                .collect(),
            more,
        }
    })
}

fn packet() -> impl Strategy<Value = Packet> {
    let reset = prop_oneof![
        Just(Reset::Unknown),
        Just(Reset::Aborted),
        Just(Reset::IdleTimeout),
        (3..=u8::MAX).prop_map(Reset::Other),
    ];
    prop_oneof![
        (any::<u64>(), any::<u16>())
            .prop_map(|(ctrl_seq, padding)| Packet::Open(Open { ctrl_seq, padding })),
        data().prop_map(Packet::Data),
        control().prop_map(|control| Packet::Probe(Probe { control })),
        ack().prop_map(Packet::Ack),
        reset.prop_map(Packet::Reset),
    ]
}

fn datagram(connection: u32, packet: &Packet) -> Vec<u8> {
    let mut bytes = header(connection, packet).to_vec();
    bytes.resize(bytes.len() + usize::from(packet.payload_len()), 0xa5);
    bytes
}

proptest! {
    #[test]
    fn what_was_written_is_read(connection: u32, packet in packet()) {
        let bytes = datagram(connection, &packet);
        prop_assert_eq!(header(connection, &packet).len(), header_len(&packet));
        let read = decode(&bytes).unwrap();
        prop_assert_eq!(read.connection, connection);
        prop_assert_eq!(read.payload.len(), usize::from(packet.payload_len()));
        prop_assert_eq!(read.packet, packet);
    }

    #[test]
    fn a_datagram_cut_short_is_refused(packet in packet(), at: prop::sample::Index) {
        let bytes = datagram(7, &packet);
        let cut = &bytes[..at.index(bytes.len())];
        prop_assert!(decode(cut).is_err(), "{:?}", decode(cut));
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..120)) {
        if let Err(error) = decode(&bytes) {
            prop_assert!(!error.to_string().is_empty());
        }
    }

    #[test]
    fn options_that_nobody_knows_are_skipped(packet in packet(), value in prop::collection::vec(any::<u8>(), 0..40)) {
        let mut bytes = header(7, &packet).to_vec();
        bytes.extend([200, value.len() as u8]);
        bytes.extend(&value);
        bytes[2] = bytes.len() as u8;
        bytes.resize(bytes.len() + usize::from(packet.payload_len()), 0);
        prop_assert_eq!(decode(&bytes).unwrap().packet, packet);
    }
}

/// The example of the document, byte by byte.
#[test]
fn an_ack_looks_as_documented() {
    let ack = Ack {
        ack_seq: 0x0102,
        hctrl_seq: 0x0304,
        hctrl_delay: Micros(5),
        separation: Micros(80_000),
        cack: 0x0607,
        window: 65_536,
        sack: [SackBlock {
            start: 512,
            end: 1024,
        }]
        .into_iter()
        .collect(),
        more: true,
    };
    let expected: &[u8] = &[
        0x14, 2, 54, 0, 0xca, 0xfe, 0xf0, 0x0d, // version and type, flags, length; connection
        0, 0, 0, 0, 0, 0, 1, 2, // ACK sequence number
        0, 0, 0, 0, 0, 0, 3, 4, // highest control sequence number
        0, 0, 0, 5, // its delay
        0, 1, 0x38, 0x80, // separation
        0, 0, 0, 0, 0, 0, 6, 7, // cumulative acknowledgement
        0, 1, 0, 0, // window
        1, 8, 0, 0, 2, 0, 0, 0, 4, 0, // SACK option
    ];
    assert_eq!(header(0xcafe_f00d, &Packet::Ack(ack)).as_slice(), expected);
}

#[test]
fn data_looks_as_documented() {
    let data = Data {
        control: Control {
            ctrl_seq: 1,
            hack_seq: 2,
            hack_delay: Micros(3),
            separation: Micros(4),
            gap: Micros(5),
            run: 6,
        },
        rel_seq: 7,
        len: 8,
        fin: true,
        ack_every: 9,
    };
    let expected: &[u8] = &[
        0x12, 1, 49, 0, 0, 0, 0, 10, // version and type, flags, length; connection
        0, 0, 0, 0, 0, 0, 0, 1, // control sequence number
        0, 0, 0, 0, 0, 0, 0, 2, // highest ACK sequence number
        0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0, 5, 6, // its delay, separation, gap, run
        0, 0, 0, 0, 0, 0, 0, 7, // reliability sequence number
        0, 8, 0, 9, // payload, ACK frequency
    ];
    assert_eq!(header(10, &Packet::Data(data)).as_slice(), expected);
}

#[test]
fn each_error_says_what_was_expected() {
    let ack = header(1, &Packet::Ack(Ack::default())).to_vec();
    let changed = |at: usize, to: u8| {
        let mut bytes = ack.clone();
        bytes[at] = to;
        decode(&bytes).unwrap_err()
    };
    let with_option = |option: &[u8]| {
        let mut bytes = [&ack[..], option].concat();
        bytes[2] = bytes.len() as u8;
        decode(&bytes).unwrap_err()
    };
    let left = 1;
    let cases = [
        (
            decode(&[]).unwrap_err(),
            DecodeError::Truncated { len: 0, needed: 8 },
        ),
        (changed(0, 0x24), DecodeError::Version(2)),
        (changed(0, 0x16), DecodeError::Type(6)),
        (
            changed(2, 43),
            DecodeError::HeaderLength {
                given: 43,
                needed: 44,
            },
        ),
        (
            changed(2, 45),
            DecodeError::Truncated {
                len: 44,
                needed: 45,
            },
        ),
        (
            with_option(&[9, 2, 0]),
            DecodeError::OptionLength {
                option: 9,
                given: 2,
                left,
            },
        ),
        (
            with_option(&[9]),
            DecodeError::OptionLength {
                option: 9,
                given: 0,
                left: 0,
            },
        ),
        (with_option(&[1, 7, 0, 0, 0, 1, 0, 0, 0]), DecodeError::Sack),
        (
            with_option(&[1, 8, 0, 0, 0, 2, 0, 0, 0, 2]),
            DecodeError::Sack,
        ),
        (
            with_option(&[&[1, 56][..], &[0; 56]].concat()),
            DecodeError::Sack,
        ),
    ];
    for (error, expected) in cases {
        assert_eq!(error, expected);
        assert!(!error.to_string().is_empty());
    }
    let payload = [&ack[..], &[0]].concat();
    assert_eq!(
        decode(&payload),
        Err(DecodeError::PayloadLength {
            given: 0,
            actual: 1
        })
    );
    let last = Data {
        rel_seq: u64::MAX,
        fin: true,
        ..Data::default()
    };
    let bytes = datagram(1, &Packet::Data(last));
    assert_eq!(decode(&bytes), Err(DecodeError::StreamEnd));
}
