//! The option list.

use super::*;
use crate::packet::{SackBlock, SynOptions};
use crate::tcp::wire::options::{List, parse as read};

fn wrong(list: &[u8]) -> (u8, usize, Option<u8>) {
    match read(list, 100) {
        Err(WireError::Option {
            kind,
            offset,
            length,
        }) => (kind, offset, length),
        other => panic!("{list:?}: {other:?}"),
    }
}

#[test]
fn each_option_is_read() {
    let list = [
        2, 4, 0x05, 0xB4, 1, 3, 3, 7, 4, 2, 8, 10, 0, 0, 0, 1, 0xFF, 0xFF, 0xFF, 0xFE, 5, 10, 0, 0,
        0, 5, 0, 0, 0, 6, 1, 1,
    ];
    let offer = SynOptions {
        mss: Some(1460),
        window_scale: Some(7),
        sack_permitted: true,
    };
    let sack = Options::Sack1([block(5, 6)]);
    let expected = List {
        offer,
        sack,
        timestamps: Some(Ticks {
            value: 1,
            echo: 0xFFFF_FFFE,
        }),
        window: None,
        missing: None,
    };
    assert_eq!(read(&list, 0), Ok(expected));
    // Which options a segment may carry depends on SYN.
    assert_eq!(expected.of(Flags::SYN), Options::Syn(offer));
    assert_eq!(expected.of(Flags::SYN_ACK), Options::Syn(offer));
    assert_eq!(expected.of(Flags::ACK), sack);
    assert_eq!(List::default().of(Flags::SYN), Options::None);
}

#[test]
fn nothing_is_read_after_the_end() {
    let none = Ok(List::default());
    assert_eq!(read(&[], 0), none);
    assert_eq!(read(&[1, 1, 1, 1], 0), none);
    assert_eq!(read(&[0, 2, 0, 8], 0), none);
    assert_eq!(read(&[1, 0, 8, 10], 0), none);
}

#[test]
fn unknown_options_are_skipped() {
    // Multipath TCP, fast open, an experiment, one without a value.
    let list = [
        30, 6, 1, 2, 3, 4, 34, 2, 253, 4, 0xAB, 0xCD, 200, 2, 3, 3, 9, 19, 18, 0, 0, 0, 0, 0, 0, 0,
        0, 0, 0, 0, 0, 0, 0, 0, 0,
    ];
    let mut expected = List::default();
    expected.offer.window_scale = Some(9);
    assert_eq!(read(&list, 0), Ok(expected));
}

#[test]
fn a_length_below_two_or_beyond_the_end_is_refused() {
    for kind in [2, 3, 4, 5, 8, 30, 255] {
        for length in [0, 1] {
            let list = [1, kind, length, 0, 0, 0];
            assert_eq!(wrong(&list), (kind, 101, Some(length)));
        }
        assert_eq!(wrong(&[1, 1, kind]), (kind, 102, None));
        assert_eq!(wrong(&[kind, 5, 0, 0]), (kind, 100, Some(5)));
        assert_eq!(wrong(&[kind, 255, 0, 0]), (kind, 100, Some(255)));
    }
}

#[test]
fn a_known_option_of_another_length_is_refused() {
    for (kind, right) in [
        (2, vec![4]),
        (3, vec![3]),
        (4, vec![2]),
        (8, vec![10]),
        (5, vec![2, 10, 18, 26, 34]),
    ] {
        for length in 2..=40 {
            let mut list = [1; 40];
            list[..2].copy_from_slice(&[kind, length]);
            if right.contains(&length) {
                assert!(read(&list, 0).is_ok(), "{kind} {length}");
            } else {
                assert_eq!(wrong(&list), (kind, 100, Some(length)));
            }
        }
    }
}

#[test]
fn a_scale_above_fourteen_is_fourteen() {
    for (given, taken) in [(0, 0), (14, 14), (15, 14), (255, 14)] {
        let list = read(&[3, 3, given], 0).unwrap();
        assert_eq!(list.offer.window_scale, Some(taken));
    }
    let syn = Segment {
        flags: Flags::SYN,
        options: Options::Syn(SynOptions {
            window_scale: Some(200),
            ..SynOptions::default()
        }),
        ..Segment::default()
    };
    assert_eq!(written(&header(V4), &syn)[40..], [1, 3, 3, 14]);
}

#[test]
fn blocks_of_several_options_add_up_and_the_last_of_equal_options_counts() {
    let list = [
        5, 10, 0, 0, 0, 1, 0, 0, 0, 2, 5, 2, 5, 10, 0, 0, 0, 3, 0, 0, 0, 4, 2, 4, 0, 1, 2, 4, 0, 2,
    ];
    let list = read(&list, 0).unwrap();
    assert_eq!(list.sack.sack(), [block(1, 2), block(3, 4)]);
    assert_eq!(list.offer.mss, Some(2));
}

/// Any segment that was read can be written again.
#[test]
fn the_most_blocks_that_fit_are_read_and_written() {
    let blocks = [block(1, 2), block(3, 4), block(5, 6), block(7, 8)];
    for (count, timestamps) in [(4, None), (3, Some(timestamps(1, 2)))] {
        let segment = Segment {
            timestamps,
            options: blocks[..count].iter().copied().collect(),
            flags: Flags::ACK,
            ..Segment::default()
        };
        let bytes = written(&header(V4), &segment);
        assert_eq!(options_len(&segment), if count == 4 { 36 } else { 40 });
        assert_eq!(parse(&bytes).unwrap().options.sack(), &blocks[..count]);
    }
}

#[test]
fn options_of_the_other_kind_of_segment_are_ignored() {
    let offer = Options::Syn(SynOptions {
        mss: Some(536),
        ..SynOptions::default()
    });
    let syn = Segment {
        flags: Flags::SYN,
        options: offer,
        ..Segment::default()
    };
    let ack = Segment {
        flags: Flags::ACK,
        options: Options::Sack1([block(1, 2)]),
        ..syn
    };
    let with_flags = |segment: &Segment, flags: Flags| {
        let bytes = changed(&written(&header(V4), segment), |bytes| {
            bytes[33] = flags.bits();
        });
        parse(&bytes).unwrap().options
    };
    assert_eq!(with_flags(&syn, Flags::ACK), Options::None);
    assert_eq!(with_flags(&ack, Flags::SYN), Options::None);
    assert_eq!(with_flags(&syn, Flags::SYN_ACK), offer);
}

#[test]
fn a_wrong_option_is_found_in_the_packet() {
    let segment = Segment {
        flags: Flags::SYN,
        timestamps: Some(timestamps(1, 0)),
        ..Segment::default()
    };
    let bytes = changed(&written(&header(V4), &segment), |bytes| bytes[43] = 11);
    let error = parse(&bytes).unwrap_err();
    assert_eq!(
        error,
        WireError::Option {
            kind: 8,
            offset: 42,
            length: Some(11)
        }
    );
    assert_eq!(
        error.to_string(),
        "TCP option 8 at byte 42 has a wrong length of 11"
    );
}

#[test]
fn a_missing_segment_takes_twelve_bytes_and_comes_back() {
    let segment = Segment {
        flags: Flags::ACK,
        options: Options::Missing(SackBlock {
            start: SeqNr(5),
            end: SeqNr(0xFFFF_FFFF),
        }),
        ..Segment::default()
    };
    let list = [253, 12, b's', b'm', 0, 0, 0, 5, 255, 255, 255, 255];
    assert_eq!(written(&header(V4), &segment)[40..], list);
    assert_eq!(read(&list, 0).unwrap().of(Flags::ACK), segment.options);
    assert_eq!(read(&list, 0).unwrap().of(Flags::SYN), Options::None);
    // Another length is another experiment.
    assert_eq!(read(&[253, 6, b's', b'm', 0, 0], 0), Ok(List::default()));
}
