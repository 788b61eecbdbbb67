use std::fs;

use skywave_core::Duration;
use skywave_core::link::DropCause;
use skywave_lab::capture::{Dropper, read};
use skywave_lab::scenario::{NoFiles, Scenario};

use super::*;
use crate::impair::path::{self, Choice, Path};

/// A path of a link with CoDel; of one more, if there are two.
fn way(links: usize) -> Path {
    let link = |n: usize| {
        let (from, to) = (["A", "G"][n], ["G", "B"][n + 2 - links]);
        format!(
            "[[link]]\nname = \"hop{n}\"\nbetween = [\"{from}\", \"{to}\"]\nrate = \"1Mbps\"\n\
             delay = \"5ms\"\nqueue = \"codel\"\n"
        )
    };
    let text = format!(
        "{}[[flow]]\nfrom = \"A\"\nto = \"B\"\ntransport = \"reno\"\ntraffic = \"ftp\"\n\
         [run]\nduration = \"1s\"\n",
        (0..links).map(link).collect::<String>()
    );
    let scenario = Scenario::parse("test", &text, &NoFiles).unwrap();
    let choice = Choice {
        flow: None,
        seed: 9,
        point: 1,
        overhead: 0,
    };
    path::of(&scenario, choice).unwrap()
}

fn us(us: u64) -> Time {
    Time::ZERO + Duration::from_micros(us)
}

/// Time since the first one, length, bytes kept, and remarks of each packet of a file, which has to be whole.
fn frames(bytes: &[u8]) -> Vec<(u64, u32, usize, Vec<Remark>)> {
    let mut frames: Vec<(u64, u32, usize, Vec<Remark>)> = Vec::new();
    let whole = read(bytes, |frame| {
        let kept = frame.bytes.len();
        frames.push((frame.at_ns, frame.length, kept, frame.remarks.clone()));
    });
    assert!(whole.unwrap());
    let first = frames.first().map_or(0, |frame| frame.0);
    for frame in &mut frames {
        frame.0 -= first;
    }
    frames
}

const FORWARD: Direction = Direction::Forward;
const BACK: Direction = Direction::Back;

#[test]
fn a_file_has_both_directions_in_the_order_of_time_with_the_ends_of_packets() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("both.pcapng");
    let mut capture = Capture::create(&file, 0, &way(1).config).unwrap();
    capture.start();
    let plain = Course::default();
    capture.comes(us(1), FORWARD, &[1; 1500]);
    capture.comes(us(2), BACK, &[2; 40]);
    capture.comes(us(2), FORWARD, &[3; 60]);
    let dropped = |cause| End::Lost(Cause::Link(0, cause));
    capture.ends(2, plain, dropped(DropCause::Early));
    capture.ends(1, plain, End::Sent);
    capture.ends(0, plain, dropped(DropCause::Queue));
    let twice = Course {
        duplicated: true,
        retransmitted: true,
        is_copy: false,
    };
    capture.comes(us(5), FORWARD, &[4; 100]);
    capture.comes(us(6), FORWARD, &[5; 100]);
    capture.comes(us(7), FORWARD, &[6; 100]);
    capture.ends(5, plain, End::Unsent);
    capture.ends(3, twice, End::Lost(Cause::Corrupt));
    capture.finish().unwrap();

    let early = Remark::LostEarly(Dropper::CoDel);
    let damaged = vec![Remark::Retransmitted, Remark::Duplicated, Remark::Damaged];
    let want = [
        (0, 1500, 1500, vec![Remark::LostQueue]),
        (1000, 40, 40, vec![]),
        (1000, 60, 60, vec![early]),
        (4000, 100, 100, damaged),
        (5000, 100, 100, vec![Remark::UnderWay]),
        (6000, 100, 100, vec![Remark::LostRelay]),
    ];
    assert_eq!(frames(&fs::read(&file).unwrap()), want);
}

#[test]
fn every_end_has_a_comment_and_several_links_their_names() {
    let told = |links, end| {
        let path = way(links);
        let file = tempfile::NamedTempFile::new().unwrap();
        let capture = Capture::create(file.path(), 0, &path.config).unwrap();
        comments(&capture.links, Some((Course::default(), end))).join("; ")
    };
    let dropped = |link, cause| End::Lost(Cause::Link(link, cause));
    assert_eq!(told(1, End::Sent), "");
    assert_eq!(told(1, End::NeverSent), "lost: the link sends nothing");
    let by_relay = "lost: by the relay, not by a link";
    assert_eq!(told(1, End::Unsent), by_relay);
    assert_eq!(told(1, End::Lost(Cause::Memory)), by_relay);
    assert_eq!(told(1, End::Lost(Cause::Corrupt)), "damaged by the channel");
    for (cause, comment) in [
        (DropCause::Queue, "lost: queue full"),
        (DropCause::Early, "lost: early drop (CoDel)"),
        (DropCause::Policed, "lost: policer"),
        (DropCause::Channel, "lost: channel error"),
        (DropCause::Blackout, "lost: blackout"),
    ] {
        assert_eq!(told(1, dropped(1, cause)), comment);
        let at_second = format!("{comment}; at link hop1");
        assert_eq!(told(2, dropped(1, cause)), at_second);
    }
}

#[test]
fn headers_are_kept_whatever_is_asked_for() {
    let dir = tempfile::tempdir().unwrap();
    let kept = |snaplen| {
        let file = dir.path().join("kept.pcapng");
        let mut capture = Capture::create(&file, snaplen, &way(1).config).unwrap();
        capture.start();
        capture.comes(us(0), FORWARD, &[0; 1500]);
        capture.ends(0, Course::default(), End::Sent);
        capture.finish().unwrap();
        let (_, length, kept, _) = frames(&fs::read(&file).unwrap()).remove(0);
        assert_eq!(length, 1500);
        kept
    };
    assert_eq!([HEADERS, 1, 200, 0].map(kept), [128, 128, 200, 1500]);
}

#[test]
fn each_piece_ends_with_a_packet() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("pieces.pcapng");
    let mut capture = Capture::create(&file, 0, &way(1).config).unwrap();
    let mut so_far = fs::read(&file).unwrap();
    assert_eq!(frames(&so_far).len(), 0);
    let (pieces, written) = sync_channel(WRITES);
    let thread = std::thread::spawn(|| Ok(()));
    capture.disk = Some(Disk { pieces, thread });
    for number in 0..300 {
        capture.comes(us(number), FORWARD, &[0; 1500]);
        capture.ends(number, Course::default(), End::Sent);
    }
    capture.tick();
    drop(capture);
    let mut counts = Vec::new();
    for piece in written {
        so_far.extend(piece);
        counts.push(frames(&so_far).len());
    }
    assert!(counts.len() > 5 && counts.is_sorted(), "{counts:?}");
    assert_eq!(counts.last(), Some(&300));
}

#[test]
fn the_file_grows_while_it_is_taken() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("live.pcapng");
    let mut capture = Capture::create(&file, 0, &way(1).config).unwrap();
    let so_far = || {
        let mut count = 0;
        // A reader may see the beginning of what is just being written: that is a file cut short, not a damaged one.
        let whole = read(&fs::read(&file).unwrap()[..], |_| count += 1).unwrap();
        (whole, count)
    };
    capture.start();
    for number in 0..300 {
        capture.comes(us(number), FORWARD, &[0; 1500]);
        capture.ends(number, Course::default(), End::Sent);
        // The thread writes meanwhile.
        assert!(so_far().1 <= number + 1);
    }
    capture.tick();
    while so_far() != (true, 300) {
        std::thread::yield_now();
    }
    // Another program's end is not waited for.
    drop(capture);
    assert_eq!(so_far(), (true, 300));
}

#[test]
fn what_cannot_be_written_is_told() {
    let path = way(1);
    let nowhere = FilePath::new("/no/such/folder/x.pcapng");
    let told = Capture::create(nowhere, 0, &path.config)
        .map(|_| ())
        .unwrap_err();
    let told = told.to_string();
    assert!(told.contains("/no/such/folder/x.pcapng"), "{told}");
    // Takes nothing, as a disk that is full.
    let full = FilePath::new("/dev/full");
    if !full.exists() {
        return;
    }
    let told = Capture::create(full, 0, &path.config)
        .map(|_| ())
        .unwrap_err();
    assert!(told.to_string().contains("/dev/full"), "{told}");
    let file = tempfile::NamedTempFile::new().unwrap();
    let mut capture = Capture::create(file.path(), 0, &path.config).unwrap();
    capture.file = Some(File::options().write(true).open(full).unwrap());
    capture.start();
    capture.comes(us(0), FORWARD, &[0; 1500]);
    let told = capture.finish().unwrap_err().to_string();
    assert!(told.starts_with("cannot write the capture "), "{told}");
}
