//! Finding routes: sections 6.3 to 6.7.

use super::network::{Network, config};

#[test]
fn rings_grow_until_the_destination_answers() {
    let mut network = Network::chain(4, config());
    network.send(1, 4);
    network.run_out();
    // The wait is 2 * 40 ms * (TTL + 2).
    network.expect(
        "0.000 1 -> all RREQ id 1 1#1 seeks 4#? hops 0 ttl 1
         0.240 1 -> all RREQ id 2 1#2 seeks 4#? hops 0 ttl 3
         0.241 2 -> all RREQ id 2 1#2 seeks 4#? hops 1 ttl 2
         0.242 3 -> all RREQ id 2 1#2 seeks 4#? hops 2 ttl 1
         0.243 4 -> 3 RREP to 1: 4#0 hops 0 for 6000 ms ttl 35
         0.244 3 -> 2 RREP to 1: 4#0 hops 1 for 6000 ms ttl 34
         0.245 2 -> 1 RREP to 1: 4#0 hops 2 for 6000 ms ttl 33
         0.246 1 -> 2 #1 ttl 64
         0.247 2 -> 3 #1 ttl 63
         0.248 3 -> 4 #1 ttl 62
         0.249 4 has #1 from 1",
    );
}
