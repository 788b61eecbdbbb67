//! Words of a host that waits for others.

use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};

use skywave_transfer::key::PublicKey;

/// The words of a host that listens: its address, its key, the code for the other side, and a hint if only this host
/// can reach the address.
pub(crate) fn words(address: SocketAddr, key: PublicKey, code: Option<&str>) -> String {
    let mut lines = vec![format!("listening at {address}; this host's key is {key}")];
    lines.extend(code.map(|code| format!("the code for the other side is {code}")));
    if address.ip().is_loopback() {
        let mut all = address;
        all.set_ip(match address {
            SocketAddr::V4(_) => Ipv4Addr::UNSPECIFIED.into(),
            SocketAddr::V6(_) => Ipv6Addr::UNSPECIFIED.into(),
        });
        lines.push(format!(
            "only this host reaches that address; --listen {all} is open to others"
        ));
    }
    let lines: Vec<String> = lines.iter().map(|l| format!("skywave: {l}")).collect();
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use skywave_transfer::key::SecretKey;

    use super::*;

    #[test]
    fn who_listens_for_this_host_only_says_so() {
        let key = SecretKey::from_bytes([4; 32]).public();
        let last = |address: &str| {
            let all = words(address.parse().expect("an address"), key, Some("3k7d-x9qm"));
            all.lines().last().expect("a line").to_owned()
        };
        for (address, open) in [
            ("127.0.0.1:4747", "0.0.0.0:4747"),
            ("[::1]:4747", "[::]:4747"),
        ] {
            assert!(last(address).ends_with(&format!("--listen {open} is open to others")));
        }
        assert!(last("192.0.2.7:4747").ends_with("3k7d-x9qm"));
    }
}
