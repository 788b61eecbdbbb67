//! Links that break: sections 6.11 and 6.12.

use super::network::{Network, config};

#[test]
fn a_break_is_told_to_those_who_send_through_it() {
    let mut network = Network::chain(4, config());
    network.send(1, 4);
    network.run(1000);
    network.skip();
    network.link(3, 4, false);
    network.send(1, 4);
    network.run(2000);
    network.expect(
        "1.000 1 -> 2 #2 ttl 64
         1.001 2 -> 3 #2 ttl 63
         1.002 3 -> 4 #2 ttl 62
         1.006 3 -> 2 RERR 4#1 ttl 1
         1.006 3 drops #2: LinkBroken
         1.007 2 -> 1 RERR 4#1 ttl 1",
    );
}

#[test]
fn after_a_break_the_ring_begins_where_the_destination_was() {
    let mut network = Network::chain(4, config());
    network.send(1, 4);
    network.run(1000);
    network.link(3, 4, false);
    network.send(1, 4);
    network.run(2000);
    network.skip();
    network.send(1, 4);
    network.run_out();
    // 3 hops and TTL_INCREMENT, then TTL_THRESHOLD, then the whole network, twice, the second time
    // with twice the wait.
    network.expect(
        "2.000 1 -> all RREQ id 3 1#3 seeks 4#1 hops 0 ttl 5
         2.001 2 -> all RREQ id 3 1#3 seeks 4#1 hops 1 ttl 4
         2.002 3 -> all RREQ id 3 1#3 seeks 4#1 hops 2 ttl 3
         2.560 1 -> all RREQ id 4 1#4 seeks 4#1 hops 0 ttl 7
         2.561 2 -> all RREQ id 4 1#4 seeks 4#1 hops 1 ttl 6
         2.562 3 -> all RREQ id 4 1#4 seeks 4#1 hops 2 ttl 5
         3.280 1 -> all RREQ id 5 1#5 seeks 4#1 hops 0 ttl 35
         3.281 2 -> all RREQ id 5 1#5 seeks 4#1 hops 1 ttl 34
         3.282 3 -> all RREQ id 5 1#5 seeks 4#1 hops 2 ttl 33
         6.080 1 -> all RREQ id 6 1#6 seeks 4#1 hops 0 ttl 35
         6.081 2 -> all RREQ id 6 1#6 seeks 4#1 hops 1 ttl 34
         6.082 3 -> all RREQ id 6 1#6 seeks 4#1 hops 2 ttl 33
         11.680 1 drops #3: NoRoute",
    );
}
