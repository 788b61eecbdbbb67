//! Packet by packet: the sender alone, with its data packets of 10 bytes 100 ms apart.

use super::*;
use crate::wtcp::packet::{Control, SackBlock};
use crate::wtcp::testing::{control, ctrl_seq};

/// A sender, its clock and its peer's latest ACK.
struct Script {
    sender: Sender,
    now: Time,
    ack: Ack,
}

const MSS: u64 = 10;

impl Script {
    /// Connected at 1 s: packets 0 and 1 were the pair, the round trip is 1 s. The sender has not been
    /// polled since.
    fn new(packets: u64) -> Self {
        let config = Config {
            mss: MSS as u16,
            ..Config::default()
        };
        let mut script = Self {
            sender: Sender::new(config),
            now: Time::ZERO,
            ack: Ack {
                separation: Micros(100_000),
                window: 10_000,
                ..Ack::default()
            },
        };
        script.sender.open(script.now);
        assert_eq!(script.poll().len(), 2);
        script.now += Duration::from_secs(1);
        script.ack.hctrl_seq = 1;
        script.sender.write(packets * MSS);
        let first = script.ack;
        script.sender.on_packet(script.now, &Packet::Ack(first));
        script
    }

    fn poll(&mut self) -> Vec<Packet> {
        std::iter::from_fn(|| self.sender.poll_transmit(self.now)).collect()
    }

    /// Sends for this many milliseconds, in steps of one.
    fn wait(&mut self, ms: u64) -> Vec<Packet> {
        let mut sent = self.poll();
        for _ in 0..ms {
            self.now += Duration::from_millis(1);
            self.sender.on_timer(self.now);
            sent.extend(self.poll());
        }
        sent
    }

    /// The next ACK: packets of the stream below `cack` have arrived, and those in `held`.
    fn ack(&mut self, hctrl_seq: u64, cack: u64, held: &[(u32, u32)]) {
        let bytes = |packets: u32| (packets - cack as u32) * MSS as u32;
        self.ack = Ack {
            ack_seq: self.ack.ack_seq + 1,
            hctrl_seq,
            cack: cack * MSS,
            sack: held
                .iter()
                .map(|&(start, end)| SackBlock {
                    start: bytes(start),
                    end: bytes(end),
                })
                .collect(),
            ..self.ack
        };
        let packet = Packet::Ack(self.ack);
        self.sender.on_packet(self.now, &packet);
    }
}

/// Packets as "number:content"; the content is the packet of the stream, `p` for a probe, or `fin` for the
/// end.
fn names(packets: &[Packet]) -> Vec<String> {
    let what = |packet: &Packet| match packet {
        Packet::Data(data) if data.len == 0 => "fin".to_owned(),
        Packet::Data(data) => (data.rel_seq / MSS).to_string(),
        Packet::Probe(_) => "p".to_owned(),
        other => format!("{other:?}"),
    };
    let name = |p: &Packet| format!("{}:{}", ctrl_seq(p), what(p));
    packets.iter().map(name).collect()
}

#[test]
fn one_packet_is_sent_a_separation() {
    let mut s = Script::new(4);
    assert_eq!(names(&s.wait(99)), ["2:0"]);
    assert_eq!(names(&s.wait(1)), ["3:1"]);
    assert_eq!(names(&s.wait(199)), ["4:2"]);
}

#[test]
fn retransmissions_go_before_new_data_and_probes_after_it() {
    let mut s = Script::new(6);
    assert_eq!(names(&s.wait(300)), ["2:0", "3:1", "4:2", "5:3"]);
    // 1 and 2 are missing, 3 is there.
    s.ack(5, 1, &[(3, 4)]);
    assert_eq!(names(&s.wait(500)), ["6:1", "7:2", "8:4", "9:5", "10:p"]);
}

/// At 20,000 slots a second.
#[test]
fn probes_on_a_fast_link_are_not_in_every_slot() {
    let mut s = Script::new(3);
    s.ack.separation = Micros(50);
    s.ack(1, 0, &[]);
    let (mut probes, begun) = (Vec::new(), s.now);
    while s.now.since(begun) < Duration::from_secs(1) {
        probes.extend(s.poll());
        s.now = s.sender.next_timer().unwrap();
        s.sender.on_timer(s.now);
    }
    assert_eq!(names(&probes[..4]), ["2:0", "3:1", "4:2", "5:p"]);
    assert!((95..=100).contains(&s.sender.counters().probes));
    for probe in &probes[3..] {
        let control = control(probe).unwrap();
        assert_eq!(
            (control.gap, control.run),
            (Micros(10_000), 0),
            "not in the pace"
        );
    }
    // Data does not wait for it.
    s.sender.write(MSS);
    s.now += Duration::from_micros(60);
    assert!(matches!(s.poll()[..], [Packet::Data(_)]));
}

#[test]
fn a_retransmission_is_sent_again_only_when_a_later_packet_was_seen() {
    let mut s = Script::new(3);
    s.wait(200);
    s.ack(4, 0, &[(1, 3)]);
    assert_eq!(names(&s.wait(100)), ["5:0"]);
    // More ACKs for old packets: the sender waits, and probes.
    s.ack(4, 0, &[(1, 3)]);
    assert_eq!(names(&s.wait(100)), ["6:p"]);
    s.ack(6, 0, &[(1, 3)]);
    assert_eq!(names(&s.wait(100)), ["7:0"]);
}

#[test]
fn there_are_no_probes_when_nothing_is_outstanding() {
    let mut s = Script::new(2);
    s.wait(100);
    s.ack(3, 2, &[]);
    assert_eq!(names(&s.wait(5000)), Vec::<String>::new());
    // Only the idle timeout is left.
    let left = s.sender.next_timer().unwrap().since(s.now);
    assert!(left > Duration::from_secs(1790), "{left:?}");
}

#[test]
fn the_end_of_the_stream_goes_with_the_last_packet_or_alone() {
    let mut s = Script::new(1);
    s.sender.close();
    let sent = s.wait(0);
    assert!(matches!(sent[..], [Packet::Data(d)] if d.fin && d.len == 10));

    let mut s = Script::new(1);
    s.wait(0);
    s.sender.close();
    assert_eq!(names(&s.wait(100)), ["3:fin"]);
    s.ack(3, 1, &[]);
    assert!(!s.sender.is_done(), "its position is not acknowledged");
    s.ack.cack += 1;
    s.ack.ack_seq += 1;
    let ack = Packet::Ack(s.ack);
    s.sender.on_packet(s.now, &ack);
    assert!(s.sender.is_done());
}

#[test]
fn a_blackout_begins_five_seconds_or_four_round_trips_after_what_is_pending() {
    let mut s = Script::new(100);
    s.wait(4000);
    s.ack(2, 1, &[]);
    // Packet 3 was sent 0.1 s after the beginning; the round trip grew to (7 + 4) / 8 s, four of them are
    // 5.5 s.
    assert_eq!(s.sender.rtt(), Duration::from_millis(1375));
    s.wait(1599);
    assert!(!s.sender.in_blackout());
    let probes = s.wait(1);
    assert!(s.sender.in_blackout());
    assert!(matches!(probes[..], [Packet::Probe(_)]));
}

#[test]
fn only_an_ack_for_a_probe_ends_a_blackout() {
    let mut s = Script::new(100);
    let last = ctrl_seq(s.wait(4999).last().unwrap());
    s.wait(1);
    assert!(s.sender.in_blackout());
    s.ack(last, 0, &[]);
    assert!(s.sender.in_blackout(), "what was sent before it");
    assert_eq!(names(&s.wait(500)), Vec::<String>::new());
    s.ack(last + 1, 0, &[]);
    assert!(!s.sender.in_blackout());
    let again = s.wait(50);
    assert_eq!(names(&again), [format!("{}:0", last + 2)]);
    assert_eq!(control(&again[0]).unwrap().run, 0, "not in the pace");
}

#[test]
fn a_packet_known_lost_is_no_blackout() {
    let mut s = Script::new(1000);
    s.wait(3000);
    for _ in 0..40 {
        s.ack(s.sender.pending.next() - 1, 0, &[]);
        s.wait(1000);
    }
    assert_eq!(s.sender.counters().blackouts, 0);
}

#[test]
fn a_lost_probe_is_forgotten_when_everything_is_acknowledged() {
    let mut s = Script::new(1);
    assert_eq!(names(&s.wait(200)), ["2:0", "3:p", "4:p"]);
    s.ack(2, 1, &[]);
    s.wait(100_000);
    s.sender.write(MSS);
    assert_eq!(names(&s.wait(50)), ["5:1"]);
    s.wait(3000);
    assert!(!s.sender.in_blackout());
}

#[test]
fn data_tells_what_rate_control_wants_to_know() {
    let mut s = Script::new(3);
    s.wait(50);
    s.ack(2, 1, &[]);
    let sent = s.wait(50);
    let expected = Control {
        ctrl_seq: 3,
        hack_seq: 1,
        hack_delay: Micros(50_000),
        separation: Micros(100_000),
        gap: Micros(100_000),
        run: 1,
    };
    assert_eq!(control(&sent[0]), Some(&expected));
}

#[test]
fn an_ack_is_wanted_once_a_round_trip_and_after_the_last_packet() {
    let mut s = Script::new(3);
    let wanted: Vec<u16> = s
        .wait(300)
        .iter()
        .filter_map(|p| match p {
            Packet::Data(data) => Some(data.ack_every),
            _ => None,
        })
        .collect();
    assert_eq!(wanted, [10, 10, 1]);
}

#[test]
fn acks_that_are_old_or_nonsense_change_nothing() {
    let mut s = Script::new(5);
    s.wait(300);
    s.ack(4, 2, &[]);
    let before = format!("{:?}", s.sender);
    let good = s.ack;
    let change = |ack: &mut Ack, which: usize| match which {
        0 => ack.ack_seq -= 1,
        1 => ack.hctrl_seq = 1000,
        _ => ack.cack = 1000,
    };
    for which in 0..3 {
        let mut ack = good;
        ack.ack_seq += 1;
        ack.separation = Micros(1);
        change(&mut ack, which);
        s.sender.on_packet(s.now, &Packet::Ack(ack));
        assert_eq!(format!("{:?}", s.sender), before, "{which}");
    }
}

#[test]
fn the_window_keeps_its_right_edge() {
    let mut s = Script::new(10);
    s.ack.window = 30;
    s.sender.limit = 0;
    s.ack(1, 0, &[]);
    assert_eq!(names(&s.wait(400)), ["2:0", "3:1", "4:2", "5:p", "6:p"]);
    // An ACK that shrinks the window is ignored.
    s.ack.window = 10;
    s.ack(4, 2, &[]);
    assert_eq!(s.sender.window_end(), 30);
    // The window opens by half a packet, which is too little while data are outstanding.
    s.ack.window = 15;
    s.ack(5, 2, &[]);
    assert_eq!(s.sender.window_end(), 35);
    assert_eq!(names(&s.wait(100)), ["7:2"], "only what was lost");
}
