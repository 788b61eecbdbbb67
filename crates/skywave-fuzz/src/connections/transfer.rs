//! Two ends exchange data both ways at once, over a network with losses of every kind.

use skywave_core::rng::Stream;
use skywave_core::tcp::TcpConfig;
use skywave_core::tcp::connection::{ConnectionConfig, State};
use skywave_core::{Duration, Time};

use super::end::End;
use super::network::{Fate, Network};

/// Parameters of a data transfer both ways at once between two TCP ends, over a network that loses, delays and
/// duplicates packets at random.
#[derive(Clone, Debug)]
pub struct Transfer {
    /// Configuration of both ends, except for their initial sequence numbers.
    pub tcp: TcpConfig,
    /// Bytes that each end writes, and has to read; an end closes when all that it wrote is acknowledged.
    pub bytes: u64,
    /// Seed of the random losses, delays and copies in the network.
    pub seed: u64,
}

/// Losses, reordering and copies by chance.
struct Lossy(Stream);

impl Lossy {
    /// Probability that a packet is lost; damaged ones (`DAMAGED`), which their host drops, are lost as well.
    const LOST: f64 = 0.005;
    const DAMAGED: f64 = 0.005;
    const COPIED: f64 = 0.01;
    const OVERTAKEN: f64 = 0.02;

    fn delay(&mut self) -> Duration {
        let late = self.0.chance(Self::OVERTAKEN);
        Duration::from_millis(if late { self.0.uniform_int(20, 50) } else { 20 })
    }
}

impl Fate for Lossy {
    fn delays(&mut self) -> [Option<Duration>; 2] {
        let arrives = !self.0.chance(Self::LOST + Self::DAMAGED);
        let copied = self.0.chance(Self::COPIED);
        let first = self.delay();
        let second = self.delay();
        [arrives.then_some(first), copied.then_some(second)]
    }
}

/// Runs `transfer` until both ends are closed; returns the virtual time after which both had read everything.
///
/// # Panics
/// When an end breaks a rule of TCP, data do not arrive, or the transfer does not end.
pub fn transfer(transfer: &Transfer) -> Duration {
    let Transfer { tcp, bytes, seed } = transfer;
    let end = |iss: u32| {
        let tcp = TcpConfig { iss, ..tcp.clone() };
        End::new(ConnectionConfig::from(tcp), true)
    };
    // Both directions pass the end of the sequence space.
    let half = (bytes / 2) as u32;
    let mut network = Network::new([end(half.wrapping_neg()), end(half.wrapping_neg() - 7)]);
    let mut fate = Lossy(Stream::named(*seed, "connections", "fate"));
    let [first, second] = &mut network.ends;
    first.connection.open_active();
    second.connection.open_passive();
    for end in &mut network.ends {
        end.write(*bytes);
    }
    network.pump(&mut fate);
    let mut finished = None;
    // Either end closes when it has been told of the acknowledgement of everything.
    while network.step(Time::MAX, &mut fate) {
        assert!(network.events < 100 + bytes / 10, "goes on for ever");
        let mut closes = false;
        for end in &mut network.ends {
            if !end.closed && end.connection.acknowledged() == *bytes {
                end.close();
                closes = true;
            }
        }
        if closes {
            network.pump(&mut fate);
        }
        if network.ends.iter().all(|end| end.read == *bytes) {
            finished.get_or_insert(network.now);
        }
    }
    for end in &network.ends {
        assert_eq!(end.connection.state(), State::Closed);
        assert_eq!(end.read, *bytes);
    }
    finished.expect("both have everything").since(Time::ZERO)
}
