//! Peers that move, packets in other names, and more of everything than there is room for.

use super::*;

/// The side that connected moves, whichever way the data goes; what is sent to where it was is lost.
#[test]
fn a_peer_that_moves_keeps_its_connection() {
    for lose_every in [u64::MAX, 4] {
        for forward in [true, false] {
            let mut world = World::knowing_a();
            // The moves are some round trips apart.
            let limited = || Config::default().limited_to(8e6);
            world.a = Endpoint::new(A, Allowed::Everyone, limited()).unwrap();
            world.b = Endpoint::new(B, Allowed::Everyone, limited()).unwrap();
            let (a, b) = world.connect();
            world.lose_every = lose_every;
            let text = stream(600_000);
            let (mut written, mut read, mut moves) = (0, 0, 0);
            let done = world.run(Duration::from_secs(3000), |w| {
                let ends = [(&mut w.a, a), (&mut w.b, b)];
                let [(from, sent), (to, received)] = if forward {
                    ends
                } else {
                    let [a, b] = ends;
                    [b, a]
                };
                written += from.write(w.now, sent, &text[written..]);
                let mut out = [0; 5000];
                read += to.read(received, &mut out);
                if read / 150_000 > moves && moves < 3 {
                    moves += 1;
                    w.a_at.set_port(77 + moves as u16);
                }
                w.pump();
                read == text.len() && w.b.peer(b).unwrap().1 == w.a_at
            });
            assert!(
                done && moves == 3,
                "{forward} {lose_every}: {read} after {moves} moves"
            );
        }
    }
}

/// A receiver that may connect sends its ACKs in the name of somebody else, who did not ask for anything.
#[test]
fn nobody_is_flooded_in_whose_name_packets_are_sent() {
    let mut world = World::knowing_a();
    let (a, b) = world.connect();
    let text = stream(3_000_000);
    let mut written = 0;
    let victim: SocketAddr = "203.0.113.5:77".parse().unwrap();
    let (mut from_victim, mut read) = (0, 0);
    for round in 0..400 {
        world.run(Duration::from_millis(50), |w| {
            written += w.b.write(w.now, b, &text[written..]);
            let mut out = vec![0; 50_000];
            read += w.a.read(a, &mut out);
            false
        });
        // One of its packets goes another way, the others are as ever.
        let one = world
            .path
            .values_mut()
            .rev()
            .find(|(from, ..)| *from == a_addr());
        if let Some((from, _, bytes)) = one
            && round > 20
        {
            *from = victim;
            from_victim += bytes.len();
        }
    }
    let to_victim = |d: &&(SocketAddr, SocketAddr, Vec<u8>)| d.1 == victim;
    let flood: usize = world.log.iter().filter(to_victim).map(|d| d.2.len()).sum();
    assert!(from_victim > 0 && flood > 0, "the address is asked");
    assert!(flood <= 3 * from_victim, "{flood} bytes for {from_victim}");
    assert_eq!(world.b.peer(b), Some((A.public(), a_addr())));
    assert!(read > 1_000_000, "the transfer goes on: {read}");
}

/// Nothing else comes from the host any more: what is sent there is bounded for ever.
#[test]
fn an_address_that_does_not_answer_gets_three_times_what_came_from_there() {
    let mut world = World::knowing_a();
    let (_, b) = world.connect();
    // It rests, and asks whether the peer is still there: the shortest packet of all.
    let is_sealed = |d: &(SocketAddr, SocketAddr, Vec<u8>)| d.0 == a_addr() && d.2[0] == 5;
    let victim: SocketAddr = "203.0.113.5:77".parse().unwrap();
    assert!(world.run(Duration::from_secs(60), |w| w.path.values().any(is_sealed)));
    let (_, (_, _, bytes)) = world.path.pop_first().unwrap();
    let came = bytes.len();
    world.b.on_datagram(world.now, victim, &bytes);
    world.a_at = "192.0.2.99:9".parse().unwrap(); // cut off
    world.b.write(world.now, b, &stream(3_000_000));
    world.run(Duration::from_secs(600), |_| false);
    let to_victim = |d: &&(SocketAddr, SocketAddr, Vec<u8>)| d.1 == victim;
    let flood: usize = world.log.iter().filter(to_victim).map(|d| d.2.len()).sum();
    assert!(flood > 0 && flood <= 3 * came, "{flood} bytes for {came}");
}

/// Whoever has a cookie, which is for everybody, has others do key exchanges.
#[test]
fn first_messages_cost_a_bounded_number_of_key_exchanges() {
    let mut world = World::new(Allowed::Everyone);
    let stranger = |host: u8, port: u16| SocketAddr::from(([198, 51, 100, host], port));
    let hello = |id| {
        let mut bytes = Vec::new();
        Outer::Hello { id }.encode(&mut bytes);
        bytes
    };
    let mut out = Vec::new();
    let mut answers = 0;
    // 100,000 in ten seconds, a few for each cookie, from many addresses.
    for n in 0..100_000_u32 {
        world.now += Duration::from_micros(100);
        let from = stranger((n / 8 % 200) as u8, 1000 + (n / 1600) as u16);
        let id = n / 8;
        world.b.on_datagram(world.now, from, &hello(id));
        assert_eq!(world.b.poll_reply(&mut out), Some(from));
        let Some(Outer::Cookie { cookie, .. }) = Outer::decode(&out) else {
            panic!("{out:?}");
        };
        let message = &[n as u8; FIRST];
        let mut first = Vec::new();
        Outer::First {
            id,
            cookie,
            message,
        }
        .encode(&mut first);
        // The same message again and again is answered from memory.
        for _ in 0..2 {
            world.b.on_datagram(world.now, from, &first);
            if let Some(to) = world.b.poll_reply(&mut out) {
                assert!(to == from && out.len() <= first.len());
                answers += 1;
            }
        }
    }
    let exchanges = world.b.exchanges.count;
    // A burst, and 200 a second.
    assert!((2000..=128 + 2000).contains(&exchanges), "{exchanges}");
    assert_eq!(answers, 2 * exchanges);
    // An honest host is let in, and those inside are not asked anything.
    world.now += Duration::from_secs(1);
    talk(&mut world, 100_000, 0);
}

/// One host that may connect keeps no other one out.
#[test]
fn a_key_has_so_many_connections() {
    let config = Config {
        max_connections: 5,
        max_per_key: 3,
        ..Config::default()
    };
    let mut world = World::new(Allowed::Everyone);
    world.b = Endpoint::new(B, Allowed::Everyone, config).unwrap();
    let ours: Vec<(Id, Id)> = (0..3).map(|_| world.connect()).collect();
    let refused = |world: &mut World| {
        let id = world.a.connect(world.now, b_addr(), B.public()).unwrap();
        let limit = Duration::from_secs(31);
        assert!(world.run(limit, |w| w.a.failed(id).is_some()));
        world.a.failed(id) == Some(Failed::Refused(Refusal::Full))
    };
    assert!(refused(&mut world));
    // Another host.
    let a = std::mem::replace(
        &mut world.a,
        Endpoint::new(
            SecretKey::from_bytes([6; 32]),
            Allowed::Everyone,
            Config::default(),
        )
        .unwrap(),
    );
    world.connect();
    world.a = a;
    // One that was started again is let in in place of what it left, once that is silent.
    world.a = Endpoint::new(A, Allowed::Everyone, Config::default()).unwrap();
    world.path.clear();
    let later = world.now + Duration::from_secs(40);
    world.run(Duration::from_secs(40), |_| false);
    world.now = world.now.max(later);
    world.connect();
    let gone = |(_, theirs): &&(Id, Id)| world.b.failed(*theirs) == Some(Failed::Idle);
    assert_eq!(ours.iter().filter(gone).count(), 1);
}
