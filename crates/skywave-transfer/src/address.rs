//! Addresses as people write them.

use std::io;
use std::net::{SocketAddr, SocketAddrV6};

/// Address and port in `text`, such as `192.0.2.7:4747` or `[2001:db8::7]:4747`; `None` if `text` is something else,
/// such as a host's name. An IPv6 address may have its zone, by the network interface's number or, on Linux, its name
/// (RFC 4007 section 11), as in `[fe80::1%eth0]:4747`.
///
/// # Errors
/// When this host has no network interface of the zone's name; on other systems than Linux, for any name.
pub fn address(text: &str) -> io::Result<Option<SocketAddr>> {
    if let Ok(address) = text.parse() {
        return Ok(Some(address));
    }
    let zoned = || {
        let (inside, port) = text.strip_prefix('[')?.split_once("]:")?;
        let (ip, zone) = inside.split_once('%')?;
        Some((ip.parse().ok()?, zone, port.parse().ok()?))
    };
    let Some((ip, zone, port)) = zoned() else {
        return Ok(None);
    };
    let index = index_of(zone)
        .map_err(|error| io::Error::new(error.kind(), format!("no network `{zone}`: {error}")))?;
    Ok(Some(SocketAddrV6::new(ip, port, 0, index).into()))
}

/// The number of a network interface.
fn index_of(name: &str) -> io::Result<u32> {
    #[cfg(target_os = "linux")]
    {
        let any = std::net::UdpSocket::bind("127.0.0.1:0")?;
        Ok(rustix::net::netdevice::name_to_index(&any, name)?)
    }
    #[cfg(not(target_os = "linux"))]
    Err(io::Error::other(format!("{name}: expected its number")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zones_are_names_or_numbers() {
        let read = |text| address(text).expect("a zone");
        let zoned =
            |index| SocketAddrV6::new("fe80::1".parse().expect("an address"), 4747, 0, index);
        assert_eq!(read("[fe80::1%7]:4747"), Some(zoned(7).into()));
        assert_eq!(read("192.0.2.7:1"), Some(([192, 0, 2, 7], 1).into()));
        for name in [
            "box.example.org:4747",
            "fe80::1%lo:4747",
            "[fe80::1%lo]",
            "[box%lo]:1",
            "",
        ] {
            assert_eq!(read(name), None, "{name}");
        }
        if cfg!(target_os = "linux") {
            assert_eq!(read("[fe80::1%lo]:4747"), Some(zoned(1).into()));
        }
        let none = address("[fe80::1%no-such]:4747").expect_err("no such zone");
        assert!(
            none.to_string().starts_with("no network `no-such`"),
            "{none}"
        );
    }
}
