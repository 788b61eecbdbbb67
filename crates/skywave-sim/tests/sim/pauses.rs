//! What a law makes of time in which nothing is sent.

use std::sync::Arc;

use skywave_core::link::LossConfig;
use skywave_core::quic;
use skywave_core::tcp::{PRESETS, TcpConfig};
use skywave_core::{Duration, Rate, Time};
use skywave_sim::simulate;
use skywave_sim::spec::{Dist, FlowSpec, PauseFrom, Traffic, Transport};

use crate::common::{detailed, ftp, link, tcp, wire};

/// Transfers with pauses, over 20 ms each way.
struct Transfers {
    /// Bytes of each.
    size: f64,
    /// Times and values.
    cwnd: Vec<(f64, f64)>,
    acked: Vec<(f64, f64)>,
}

impl Transfers {
    /// Each of `megabytes`, at `mbps`; of all packets number `lost` is lost.
    fn run(transport: &Transport, pause: f64, (megabytes, mbps, lost): (f64, f64, u64)) -> Self {
        let size = megabytes * 1e6;
        let flow = FlowSpec {
            transport: transport.clone(),
            traffic: Traffic::Requests {
                size: Dist::Constant(size),
                think: Dist::Constant(pause),
                pause_from: PauseFrom::End,
            },
            ..ftp("f", 0, 1, tcp("reno"))
        };
        let mut out = wire(mbps, 20.0, 2000);
        let back = out.clone();
        out.loss = vec![LossConfig::Packets(vec![lost])];
        let links = vec![link("out", 0, 1, out), link("back", 1, 0, back)];
        let seconds = 2 * pause as u64 + 100;
        let outcome = simulate(&detailed(&["A", "B"], links, flow, seconds));
        let series = |quantity| {
            let mut series = outcome.series.iter();
            series
                .find(|s| s.quantity == quantity)
                .expect("a series")
                .points
                .clone()
        };
        Self {
            size,
            cwnd: series("cwnd"),
            acked: series("acked"),
        }
    }

    /// When all of the first `n` transfers is acknowledged.
    fn end(&self, n: f64) -> f64 {
        let end = self.acked.iter().find(|(_, bytes)| *bytes >= n * self.size);
        end.expect("it ends").0
    }

    /// The window in the second transfer.
    fn second(&self, pause: f64) -> Vec<f64> {
        let (from, to) = (self.end(1.0) + pause, self.end(2.0));
        let within = self.cwnd.iter().filter(|(at, _)| (from..=to).contains(at));
        within.map(|(_, cwnd)| *cwnd).collect()
    }
}

fn of_tcp(preset: &str, change: impl FnOnce(&mut TcpConfig)) -> Transport {
    let mut config = tcp(preset);
    config.rwnd = 64_000_000;
    change(&mut config);
    Transport::Tcp(Arc::new(config))
}

fn of_quic(preset: &str) -> Transport {
    let mut config = quic::preset(preset).unwrap().config();
    config.receive_buffer = 64_000_000;
    Transport::Quic {
        config: Arc::new(config),
        header: 28,
    }
}

/// RFC 9438, sections 4.2 and 5.8: the clock of CUBIC's curve stands still in a minute's pause and in the slow start
/// after it. W_max is 1208 segments, and K is 9.7 s away.
#[test]
fn cubic_grows_after_a_pause_as_before_it() {
    let kept = |config: &mut TcpConfig| config.restart_after_idle = false;
    let cases = [
        ("restart", of_tcp("cubic", |_| {})),
        ("no restart", of_tcp("cubic", kept)),
        ("QUIC", of_quic("quic-cubic")),
    ];
    for (name, transport) in cases {
        let cwnd = Transfers::run(&transport, 60.0, (7.0, 100.0, 1200)).second(60.0);
        let largest = cwnd.iter().copied().fold(0.0, f64::max);
        assert!((845.0..950.0).contains(&largest), "{name}: {largest}");
    }
}

/// How long a pause was says nothing of the path, once it is longer than every span of time for which a law keeps what
/// it has measured (10 s for round trips). Laws that draw from the time of an ACK draw another way.
#[test]
fn the_length_of_a_pause_changes_nothing() {
    let draws = |name: &str| name.contains("bbr");
    let tcp = PRESETS
        .iter()
        .map(|p| (p.name.to_owned(), of_tcp(p.name, |_| {})));
    let kept = PRESETS.iter().map(|p| {
        let kept = of_tcp(p.name, |config| config.restart_after_idle = false);
        (format!("{} without a restart", p.name), kept)
    });
    let quic = PRESETS.iter().map(|p| {
        let config = quic::Config {
            receive_buffer: 64_000_000,
            ..quic::Config::new(p.composition.congestion.clone())
        };
        let (config, header) = (Arc::new(config), 28);
        (
            format!("QUIC with the law of {}", p.name),
            Transport::Quic { config, header },
        )
    });
    for (name, transport) in tcp.chain(kept).chain(quic) {
        let [short, long] = [11.0, 300.0].map(|pause| {
            let transfers = Transfers::run(&transport, pause, (1.0, 20.0, 200));
            let length = transfers.end(2.0) - transfers.end(1.0) - pause;
            (length, transfers.second(pause))
        });
        if draws(&name) {
            let ratio = long.0 / short.0;
            assert!(
                (0.9..1.1).contains(&ratio),
                "{name}: {} and {} s",
                short.0,
                long.0
            );
        } else {
            assert_eq!(short.1, long.1, "{name}");
            assert!(
                (short.0 - long.0).abs() < 1e-6,
                "{name}: {} and {} s",
                short.0,
                long.0
            );
        }
    }
}

/// The mean window in the second half of a minute over 100 Mb/s and 20 ms each way, of a flow that does not fill
/// them: its receiver has room for 20 packets, or its application writes as much as these carry.
fn window_of(transport: Transport, traffic: Traffic) -> f64 {
    let flow = FlowSpec {
        transport,
        traffic,
        ..ftp("f", 0, 1, tcp("reno"))
    };
    let links = vec![
        link("out", 0, 1, wire(100.0, 20.0, 2000)),
        link("back", 1, 0, wire(100.0, 20.0, 2000)),
    ];
    let mut spec = detailed(&["A", "B"], links, flow, 60);
    spec.measure.0 = Time::ZERO + Duration::from_secs(30);
    spec.series = false;
    simulate(&spec).flows[0].cwnd_mean.expect("a window")
}

/// What limits a sender beside its window, the receiver's room, the application or a pace that the law asks for itself,
/// does not let the window grow without end (RFC 9002 section 7.8; RFC 7661): it says nothing of the path.
#[test]
fn a_window_that_limits_nothing_does_not_grow() {
    const ROOM: f64 = 20.0;
    let calls = Traffic::Cbr {
        rate: Rate::from_bps(5_000_000),
        packet: 1400,
        jitter: 0.1,
    };
    for preset in PRESETS.iter() {
        let tcp = |room: u32| of_tcp(preset.name, |config| config.rwnd = room * config.mss);
        let quic = |room: u32| {
            let config = quic::Config::new(preset.composition.congestion.clone());
            let receive_buffer = room * u32::from(config.mss);
            let config = quic::Config {
                receive_buffer,
                ..config
            };
            let (config, header) = (Arc::new(config), 28);
            Transport::Quic { config, header }
        };
        let (few, many) = (ROOM as u32, 30_000);
        let cases = [
            (
                "TCP, by the receiver",
                window_of(tcp(few), Traffic::Ftp),
                4.0,
            ),
            (
                "QUIC, by the receiver",
                window_of(quic(few), Traffic::Ftp),
                4.0,
            ),
            // A burst may have filled the window, and BBR keeps the rate of one.
            (
                "TCP, by the application",
                window_of(tcp(many), calls.clone()),
                16.0,
            ),
            (
                "QUIC, by the application",
                window_of(quic(many), calls.clone()),
                16.1,
            ),
        ];
        for (limited, window, times) in cases {
            let name = preset.name;
            assert!(
                window <= times * ROOM,
                "{name}, limited in {limited}: {window}"
            );
        }
    }
}
