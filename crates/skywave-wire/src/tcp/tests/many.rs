//! Thousands of connections at once.

use std::collections::HashMap;

use skywave_core::Duration;

use super::network::{App, Faults, Network, config};
use crate::tcp::{Event, StreamId};

#[test]
fn two_thousand_connections_at_once_lose_nothing() {
    const NUMBER: u64 = 2000;
    const BYTES: u64 = 20_000;
    let faults = Faults {
        loss: 0.01,
        jitter: Duration::from_millis(2),
        ..Faults::NONE
    };
    let mut network = Network::new([config("dcr"), config("cubic")], faults, 3);
    let mut apps: HashMap<(usize, StreamId), App> = HashMap::new();
    for port in 0..NUMBER {
        let id = network.connect(1000 + port as u16);
        // Every stream has the same bytes, since the other end does not know which it is.
        apps.insert((0, id), App::new(0, id, (1, BYTES), (1, BYTES)));
    }
    network.pump();
    let end = network.now + Duration::from_secs(600);
    let mut most = 0;
    let mut left = 2 * NUMBER;
    while left > 0 {
        assert!(network.step(end), "stands still at {:?}", network.now);
        most = most.max(network.ends[1].connections());
        for n in 0..2 {
            for event in std::mem::take(&mut network.events[n]) {
                let (Event::Accepted(id) | Event::Changed(id)) = event else {
                    continue;
                };
                if n == 1 {
                    network.ends[1].take(id);
                    let new = || App::new(1, id, (1, BYTES), (1, BYTES));
                    apps.entry((1, id)).or_insert_with(new);
                }
                if let Some(app) = apps.get_mut(&(n, id)) {
                    app.go_on(&mut network);
                    if app.finished {
                        left -= 1;
                        apps.remove(&(n, id));
                    }
                }
            }
        }
        network.pump();
    }
    assert_eq!(most as u64, NUMBER);
    network.wait(Duration::from_secs(10));
    let totals = network.ends[0].totals();
    assert_eq!((totals.connections, totals.bytes), (NUMBER, NUMBER * BYTES));
}
