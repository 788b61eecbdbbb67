//! A proxy between two hosts, segment by segment.

use super::*;
use crate::packet::{Segment, Way};
use crate::tcp::connection::{ConnectionConfig, State};
use crate::tcp::{Handshake, Profile, TcpConfig, preset};
use crate::time::Duration;

mod properties;

const MSS: u32 = 1000;

fn ms(t: u64) -> Time {
    Time::ZERO + Duration::from_millis(t)
}

fn config(rwnd: u32) -> ConnectionConfig {
    let reno = preset("reno").expect("a preset").composition.clone();
    ConnectionConfig::from(TcpConfig {
        mss: MSS,
        rwnd,
        handshake: Handshake::ThreeWay,
        ..TcpConfig::new(Profile::Rfc, reno)
    })
}

/// Source, proxy and destination. Segments arrive at once, when the test lets them.
struct Bench {
    now: Time,
    source: Connection,
    from_source: Connection,
    proxy: Proxy,
    to_destination: Connection,
    destination: Connection,
    /// Segments to the destination are lost.
    cut: bool,
}

impl Bench {
    fn new(buffer: u32, config_of_proxy: ProxyConfig) -> Self {
        let mut bench = Self {
            now: Time::ZERO,
            source: Connection::new(ConnectionConfig {
                freezes: config_of_proxy.towards_source.freezes_source(),
                ..config(1 << 20)
            }),
            from_source: Connection::new(config(buffer)),
            proxy: Proxy::new(config_of_proxy),
            to_destination: Connection::new(config(1 << 20)),
            destination: Connection::new(config(1 << 20)),
            cut: false,
        };
        config_of_proxy.listen(&mut bench.from_source, MSS);
        bench.destination.open_passive();
        bench.source.open_active();
        bench
    }

    fn work(&mut self) {
        let Self {
            proxy,
            from_source,
            to_destination,
            ..
        } = self;
        proxy.work(self.now, from_source, to_destination);
    }

    /// Exchanges segments until nobody has any; returns those of the proxy to the source.
    fn settle(&mut self) -> Vec<Segment> {
        let mut told = Vec::new();
        loop {
            let mut moved = false;
            self.work();
            while let Some(out) = self.source.poll_transmit(self.now) {
                let way = Way::default();
                self.from_source.on_segment(self.now, &out.segment, way);
                self.work();
                moved = true;
            }
            while let Some(out) = self.from_source.poll_transmit(self.now) {
                told.push(out.segment);
                let way = Way::default();
                self.source.on_segment(self.now, &out.segment, way);
                moved = true;
            }
            while let Some(out) = self.to_destination.poll_transmit(self.now) {
                if !self.cut {
                    let way = Way::default();
                    self.destination.on_segment(self.now, &out.segment, way);
                }
                moved = true;
            }
            self.destination.read(u64::MAX);
            while let Some(out) = self.destination.poll_transmit(self.now) {
                if !self.cut {
                    let way = Way::default();
                    self.to_destination.on_segment(self.now, &out.segment, way);
                    self.work();
                }
                moved = true;
            }
            if !moved {
                return told;
            }
        }
    }

    /// Lets all timers that are due by `until` expire, one after the other.
    fn run_until(&mut self, until: Time) -> Vec<Segment> {
        let mut told = self.settle();
        loop {
            let timers = [
                self.source.next_timer(),
                self.from_source.next_timer(),
                self.proxy.next_timer(),
                self.to_destination.next_timer(),
                self.destination.next_timer(),
            ];
            let Some(next) = timers.into_iter().flatten().min().filter(|&t| t <= until) else {
                self.now = until;
                return told;
            };
            self.now = self.now.max(next);
            for end in [
                &mut self.source,
                &mut self.from_source,
                &mut self.to_destination,
                &mut self.destination,
            ] {
                end.on_timer(self.now);
            }
            told.extend(self.settle());
        }
    }
}

#[test]
fn the_connection_onward_begins_when_the_first_one_is_there() {
    let mut bench = Bench::new(1 << 16, ProxyConfig::default());
    assert_eq!(bench.to_destination.state(), State::Closed);
    bench.settle();
    assert_eq!(bench.from_source.state(), State::Established);
    assert_eq!(bench.destination.state(), State::Established);
}

#[test]
fn bytes_go_through_and_the_close_after_them() {
    let mut bench = Bench::new(1 << 16, ProxyConfig::default());
    bench.settle();
    bench.source.write(50_500);
    bench.source.close();
    bench.run_until(ms(2000));
    assert_eq!(bench.destination.received(), 50_500);
    assert_eq!(bench.destination.state(), State::CloseWait);
    assert_eq!(bench.proxy.buffered(&bench.from_source), 0);
}

/// While the way onward is cut the source may send what there is room for, and not a byte more.
#[test]
fn the_window_closes_when_the_buffer_is_full() {
    let mut bench = Bench::new(10_000, ProxyConfig::default());
    bench.settle();
    bench.cut = true;
    bench.source.write(100_000);
    let told = bench.run_until(ms(20_000));
    assert_eq!(bench.source.acknowledged(), 10_000);
    assert_eq!(bench.proxy.buffered(&bench.from_source), 10_000);
    assert_eq!(bench.destination.received(), 0);
    assert_eq!(told.last().map(|s| s.window), Some(0));
    bench.cut = false;
    let told = bench.run_until(ms(100_000));
    assert!(told.iter().any(|s| s.window > 0), "the window opens again");
    assert_eq!(bench.destination.received(), 100_000);
}

#[test]
fn a_proxy_that_is_told_to_grants_two_segments_at_most() {
    let config = ProxyConfig {
        towards_source: TowardsSource::Window(2),
        ..ProxyConfig::default()
    };
    let mut bench = Bench::new(1 << 20, config);
    let mut told = bench.settle();
    bench.source.write(100_000);
    told.extend(bench.run_until(ms(1000)));
    assert_eq!(bench.destination.received(), 100_000);
    assert_eq!(told.iter().map(|s| s.window).max(), Some(2 * MSS));
}

/// M-TCP as the source sees it: what is acknowledged has arrived, but for the last byte, which comes when
/// the destination has been quiet for a while.
#[test]
fn the_last_byte_is_kept_back_until_the_destination_is_quiet() {
    let mut bench = Bench::new(1 << 16, m_tcp());
    bench.settle();
    bench.source.write(10_000);
    bench.settle();
    bench.run_until(ms(40)); // the destination's delayed ACK is 100 ms at least
    let acknowledged = bench.source.acknowledged();
    assert!(
        acknowledged < bench.destination.received(),
        "{acknowledged}"
    );
    bench.run_until(ms(1000));
    assert_eq!(bench.destination.received(), 10_000);
    assert_eq!(bench.source.acknowledged(), 10_000);
    assert_eq!(bench.source.sender().counters().timeouts, 0);
}

#[test]
fn the_source_hears_of_nothing_that_has_not_arrived() {
    let mut bench = Bench::new(1 << 16, m_tcp());
    bench.settle();
    bench.cut = true;
    bench.source.write(5_000);
    bench.settle();
    assert!(bench.from_source.received() > 0, "the proxy has got it");
    assert_eq!(bench.source.acknowledged(), 0);
}

/// An outage: the source is stopped by a window of zero, keeps its windows, and goes on at once.
#[test]
fn a_disconnection_freezes_both_halves_and_thaws_them() {
    let mut bench = Bench::new(1 << 20, m_tcp());
    bench.settle();
    bench.source.write(200_000);
    bench.run_until(ms(2000));
    assert_eq!(bench.source.acknowledged(), 200_000);
    let cwnd = |c: &Connection| c.sender().window().cwnd;
    bench.cut = true;
    bench.source.write(30_000);
    bench.settle();
    let before = (cwnd(&bench.source), cwnd(&bench.to_destination));
    let told = bench.run_until(ms(32_000));
    assert!(told.iter().any(|s| s.window == 0), "the window is shut");
    let timeouts = |c: &Connection| c.sender().counters().timeouts;
    assert_eq!(
        (timeouts(&bench.source), timeouts(&bench.to_destination)),
        (0, 0)
    );
    bench.cut = false;
    bench.destination.announce();
    let told = bench.settle();
    assert!(told.iter().any(|s| s.window > 0), "the window is open");
    assert_eq!(bench.destination.received(), 230_000, "at once");
    bench.run_until(ms(33_000));
    assert_eq!(bench.source.acknowledged(), 230_000);
    let after = (cwnd(&bench.source), cwnd(&bench.to_destination));
    assert!(
        after.0 >= before.0 && after.1 >= before.1,
        "{before:?} {after:?}"
    );
}

/// A proxy takes along all bytes of its receive buffer, those in order and those out of order.
#[test]
fn what_came_out_of_order_moves_too() {
    let mut bench = Bench::new(1 << 16, ProxyConfig::default());
    bench.settle();
    bench.cut = true;
    bench.source.write(5_000);
    bench.settle();
    assert_eq!(bench.proxy.holds(&bench.from_source), 5_000);
    bench.source.write(3_000);
    let mut sent = 0;
    while let Some(out) = bench.source.poll_transmit(bench.now) {
        sent += 1;
        if sent > 1 {
            let way = Way::default();
            bench.from_source.on_segment(bench.now, &out.segment, way);
        }
    }
    assert_eq!(sent, 3);
    assert_eq!(bench.proxy.buffered(&bench.from_source), 5_000);
    assert_eq!(bench.proxy.holds(&bench.from_source), 7_000);
}

/// A proxy of M-TCP that moves with its destination stops the source until that is heard again.
#[test]
fn the_source_stands_still_while_the_proxy_moves() {
    let mut bench = Bench::new(1 << 20, m_tcp());
    bench.settle();
    bench.source.write(200_000);
    bench.run_until(ms(2000));
    bench.cut = true;
    bench.source.write(5_000);
    bench.settle();
    bench
        .proxy
        .leave(bench.now, &mut bench.from_source, &mut bench.to_destination);
    let told = bench.run_until(ms(2000));
    assert_eq!(told.last().map(|s| s.window), Some(0));
    assert_eq!(bench.proxy.next_timer(), None);
    bench.cut = false;
    bench.destination.announce();
    let told = bench.settle();
    assert!(told.iter().any(|s| s.window > 0), "the window is open");
    assert_eq!(bench.destination.received(), 205_000);
}

/// With nothing in flight no answer would open the window again.
#[test]
fn a_source_that_has_nothing_under_way_is_not_stopped() {
    let mut bench = Bench::new(1 << 20, m_tcp());
    bench.settle();
    bench.source.write(5_000);
    bench.run_until(ms(2000));
    bench
        .proxy
        .leave(bench.now, &mut bench.from_source, &mut bench.to_destination);
    bench.source.write(5_000);
    bench.run_until(ms(4000));
    assert_eq!(bench.source.acknowledged(), 10_000);
    assert_eq!(bench.source.sender().counters().timeouts, 0);
}

fn m_tcp() -> ProxyConfig {
    ProxyConfig {
        towards_source: TowardsSource::EndToEnd(EndToEnd::default()),
        ..ProxyConfig::default()
    }
}
