//! A network namespace with one device, whose other end is the relay's.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind};
use std::net::Ipv4Addr;
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

/// As of an Ethernet.
const MTU: u16 = 1500;

/// A network of its own.
#[derive(Debug)]
pub(super) struct Network {
    /// By which processes can enter it.
    pub(super) namespace: File,
    /// Its packets, whole IP packets.
    pub(super) device: OwnedFd,
}

impl Network {
    /// Makes a network with a loopback device and a link from `here` to `there`, and moves this thread
    /// into it.
    pub(super) fn new(here: Ipv4Addr, there: Ipv4Addr) -> Result<Self, Trouble> {
        unshare(CloneFlags::CLONE_NEWNET)
            .map_err(|error| Trouble::Refused(refusal::reason(&error.into())))?;
        let namespace = File::open("/proc/thread-self/ns/net");
        let namespace = namespace.map_err(Trouble::step("find the program's network"))?;
        loopback_up().map_err(Trouble::step("start the loopback device"))?;
        allow_ping();
        let device = device(here, there)?;
        Ok(Self { namespace, device })
    }
}

fn device(here: Ipv4Addr, there: Ipv4Addr) -> Result<OwnedFd, Trouble> {
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
    no_ipv6().map_err(Trouble::step("switch IPv6 off on the link"))?;
    let up = device.enabled(true);
    up.map_err(Trouble::step("start the link's device"))?;
    let file = device.as_fd().try_clone_to_owned();
    file.map_err(Trouble::step("keep the link's device"))
}

/// Keeps the system's own packets (router solicitations, multicast) off the link.
fn no_ipv6() -> io::Result<()> {
    let setting = format!("/proc/sys/net/ipv6/conf/{DEVICE}/disable_ipv6");
    match fs::write(setting, "1") {
        // A kernel without IPv6.
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        result => result,
    }
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
