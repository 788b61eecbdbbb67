//! A gigabyte between two endpoints of our TCP in one thread, without a network: what the machine takes of it.
//!
//! `cargo run --release -p skywave-wire --example tcp_speed -- cubic`

use std::time::Instant;

use skywave_core::tcp::wire::Endpoints;
use skywave_core::tcp::{Profile, preset};
use skywave_core::{Duration, Time};
use skywave_wire::tcp::{Endpoint, EndpointConfig, Listener, Role};

const BYTES: u64 = 1 << 30;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let name = std::env::args()
        .nth(1)
        .unwrap_or_else(|| "linux".to_owned());
    let composition = &preset(&name).ok_or("no such preset")?.composition;
    let config = || EndpointConfig::new(Role::Host, Profile::Linux, composition.clone());
    let [mut client, mut server] = [Endpoint::new(config(), 1), Endpoint::new(config(), 2)];
    server.listen(Listener {
        address: None,
        port: Some(80),
        backlog: 1,
        asks: true,
    })?;
    let ends = Endpoints {
        source: ([10, 0, 0, 1], 5000).into(),
        destination: ([10, 0, 0, 2], 80).into(),
    };
    let mut now = Time::from_nanos(1);
    let id = client.connect(now, ends)?;
    let began = Instant::now();
    let (mut packet, mut block) = (Vec::new(), vec![0; 1 << 16]);
    let (mut written, mut read, mut accepted, mut packets) = (0, 0, None, 0_u64);
    while read < BYTES {
        // The clock of the protocol moves by as long as a packet takes at 10 Gb/s.
        now += Duration::from_micros(1);
        client.poll(now);
        server.poll(now);
        while written < BYTES {
            let n = client.write(id, &block[..]);
            written += n as u64;
            if n == 0 {
                break;
            }
        }
        for _ in 0..64 {
            if !client.transmit(now, &mut packet) {
                break;
            }
            packets += 1;
            server.receive(now, &packet)?;
        }
        while client.poll_event().is_some() {}
        if accepted.is_none() {
            while server.poll_event().is_some() {}
            accepted = server.accept(now, ends);
        }
        if let Some(accepted) = accepted {
            loop {
                let n = server.read(accepted, &mut block);
                read += n as u64;
                if n == 0 {
                    break;
                }
            }
        }
        while server.transmit(now, &mut packet) {
            client.receive(now, &packet)?;
        }
        while server.poll_event().is_some() {}
    }
    let took = began.elapsed().as_secs_f64();
    println!(
        "{name}: {:.2} Gb/s, {packets} packets, {:.2} µs each",
        BYTES as f64 * 8e-9 / took,
        took * 1e6 / packets as f64
    );
    Ok(())
}
