//! A network namespace with one device, whose other end is the relay's.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind};
use std::net::{Ipv4Addr, Ipv6Addr};
use std::os::fd::{AsFd, OwnedFd};

use nix::sched::{CloneFlags, unshare};
use rustix::net::{
    AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType, recv, send, socket_with,
};
use tun_rs::DeviceBuilder;

use super::refusal;
use super::trouble::Trouble;

/// Name of the device, in both networks.
const DEVICE: &str = "link";

/// Bits that the IPv6 addresses of both ends have in common.
const PREFIX6: u8 = 64;

/// As of an Ethernet.
const MTU: u16 = 1500;

/// A network of its own.
#[derive(Debug)]
pub(super) struct Network {
    /// By which processes can enter it.
    pub(super) namespace: File,
    /// Device of the network's packets, whole IP packets.
    pub(super) device: OwnedFd,
}

impl Network {
    /// Makes a network with a loopback device and a link from `here` to `there`, and with these settings of TCP, each a
    /// name and a value; moves this thread into it.
    pub(super) fn new(
        here: Ipv4Addr,
        here6: Ipv6Addr,
        there: Ipv4Addr,
        settings: &[(&str, &str)],
    ) -> Result<Self, Trouble> {
        unshare(CloneFlags::CLONE_NEWNET)
            .map_err(|error| Trouble::Refused(refusal::reason(&error.into())))?;
        let namespace = File::open("/proc/thread-self/ns/net");
        let namespace = namespace.map_err(Trouble::step("find the program's network"))?;
        loopback_up().map_err(Trouble::step("start the loopback device"))?;
        allow_ping();
        for (name, value) in settings {
            let written = fs::write(format!("/proc/sys/net/ipv4/{name}"), value);
            written.map_err(Trouble::step("set how TCP works in the program's network"))?;
        }
        let device = device(here, here6, there)?;
        Ok(Self { namespace, device })
    }
}

fn device(here: Ipv4Addr, here6: Ipv6Addr, there: Ipv4Addr) -> Result<OwnedFd, Trouble> {
    let tun = OpenOptions::new()
        .read(true)
        .write(true)
        .open("/dev/net/tun");
    if tun.is_err_and(|error| error.kind() == ErrorKind::PermissionDenied) {
        return Err(Trouble::TunFile);
    }
    let device = crate::relay::tun(
        DeviceBuilder::new()
            .name(DEVICE)
            .ipv4(here, 32, Some(there))
            .mtu(MTU)
            .enable(false),
        DEVICE,
    )?;
    let has_ipv6 = quiet_ipv6().map_err(Trouble::step("keep IPv6 quiet on the link"))?;
    let up = device.enabled(true);
    up.map_err(Trouble::step("start the link's device"))?;
    if has_ipv6 {
        let added = device.add_address_v6(here6, PREFIX6);
        added.map_err(Trouble::step("give the link's device its IPv6 address"))?;
    }
    let file = device.as_fd().try_clone_to_owned();
    file.map_err(Trouble::step("keep the link's device"))
}

/// Keeps the system from asking for routers and from taking addresses of its own choice. Returns whether there is
/// IPv6 at all.
fn quiet_ipv6() -> io::Result<bool> {
    // Without an address of the link (addr_gen_mode 1) there is nothing to ask for routers with.
    let settings = [
        ("disable_ipv6", "0"),
        ("addr_gen_mode", "1"),
        ("accept_ra", "0"),
        ("router_solicitations", "0"),
    ];
    for (name, value) in settings {
        match fs::write(format!("/proc/sys/net/ipv6/conf/{DEVICE}/{name}"), value) {
            // A kernel without IPv6.
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(false),
            result => result?,
        }
    }
    Ok(true)
}

/// Lets every user ping, as most systems do; a new network lets none.
fn allow_ping() {
    // Only groups that are mapped can be named. Refused, ping needs the capability that it has here.
    let group = rustix::process::getegid().as_raw();
    let setting = "/proc/sys/net/ipv4/ping_group_range";
    if fs::write(setting, "0 2147483647").is_err() {
        let _ = fs::write(setting, format!("{group} {group}"));
    }
}

/// Packets of this thread's network that had nowhere to go, and those to a name server at the loopback device, where
/// none is.
pub(super) fn strays() -> u32 {
    let read = |path: &str| fs::read_to_string(path).unwrap_or_default();
    let table = read("/proc/thread-self/net/snmp");
    let mut count = counter(&table, "Ip:", "OutNoRoutes");
    if read("/etc/resolv.conf").contains("nameserver 127.") {
        count += counter(&table, "Udp:", "NoPorts");
    }
    let six = read("/proc/thread-self/net/snmp6");
    let six = six
        .lines()
        .find_map(|line| line.strip_prefix("Ip6OutNoRoutes"));
    count + six.and_then(|count| count.trim().parse().ok()).unwrap_or(0)
}

/// A counter of the kernel's table: a line of names, and one of numbers.
fn counter(table: &str, group: &str, name: &str) -> u32 {
    let mut lines = table.lines().filter(|line| line.starts_with(group));
    let (names, numbers) = (lines.next(), lines.next());
    let place = names.and_then(|line| line.split(' ').position(|word| word == name));
    let number = place.and_then(|place| numbers?.split(' ').nth(place)?.parse().ok());
    number.unwrap_or(0)
}

/// Index of the loopback device: it is the first one of each network.
const LOOPBACK: u32 = 1;

/// Starts the loopback device, by a message to the kernel (rtnetlink(7)).
fn loopback_up() -> io::Result<()> {
    const RTM_NEWLINK: u16 = 16;
    const NLM_F_REQUEST: u16 = 1;
    const NLM_F_ACK: u16 = 4;
    const NLMSG_ERROR: u16 = 2;
    const IFF_UP: u32 = 1;

    // struct nlmsghdr
    let mut message = Vec::new();
    message.extend(32_u32.to_ne_bytes());
    message.extend(RTM_NEWLINK.to_ne_bytes());
    message.extend((NLM_F_REQUEST | NLM_F_ACK).to_ne_bytes());
    message.extend([0; 8]);
    // struct ifinfomsg: family and type, index, flags, which of them change
    message.extend([0; 4]);
    message.extend(LOOPBACK.to_ne_bytes());
    message.extend(IFF_UP.to_ne_bytes());
    message.extend(IFF_UP.to_ne_bytes());

    // NETLINK_ROUTE is protocol 0.
    let (family, kind) = (AddressFamily::NETLINK, SocketType::RAW);
    let socket = socket_with(family, kind, SocketFlags::CLOEXEC, None)?;
    send(&socket, &message, SendFlags::empty())?;
    let mut answer = [0; 256];
    let (length, _) = recv(&socket, &mut answer[..], RecvFlags::empty())?;
    // The answer is an error with a negative number, or with 0 for none.
    let is_error = answer[4..6] == NLMSG_ERROR.to_ne_bytes() && length >= 20;
    let number = <[u8; 4]>::try_from(&answer[16..20]).map(i32::from_ne_bytes);
    match number {
        Ok(0) if is_error => Ok(()),
        Ok(number) if is_error => Err(io::Error::from_raw_os_error(-number)),
        _ => Err(ErrorKind::InvalidData.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_are_found_by_name() {
        let table = "Ip: Forwarding OutNoRoutes\nIp: 2 17\nUdp: InDatagrams NoPorts\nUdp: 5 3\n";
        assert_eq!(counter(table, "Ip:", "OutNoRoutes"), 17);
        assert_eq!(counter(table, "Udp:", "NoPorts"), 3);
        assert_eq!(counter(table, "Tcp:", "NoPorts"), 0);
    }
}
