//! A TUN device whose other end is the kernel, which passes packets on that are larger than its links take.

use std::io::{self, ErrorKind};
use std::net::{IpAddr, UdpSocket};
use std::os::fd::{AsFd, BorrowedFd};
use std::thread;
use std::time::{Duration, Instant};

use skywave_core::Time;
use skywave_core::tcp::wire::{CHECKSUM, WireError};
use tun_rs::{DeviceBuilder, SyncDevice};

use crate::relay::{TunError, tun};
use crate::tcp::{Endpoint, Form};

/// Bytes of the header before each packet: `struct virtio_net_hdr` (OASIS VIRTIO 1.2, section 5.1.6).
const HEADER: usize = 10;
/// Flags: what the checksum's field has is the pseudo header's sum; or the checksum is right.
const NEEDS_CSUM: u8 = 1;
const DATA_VALID: u8 = 2;
/// Kinds of what is to be cut.
const GSO_TCPV4: u8 = 1;
const GSO_TCPV6: u8 = 4;

/// The longest wait until an address can be used, and the time from one look to the next.
const LONGEST_WAIT: Duration = Duration::from_secs(5);
const NEXT_LOOK: Duration = Duration::from_millis(1);

/// Bytes that a packet and its header have at most.
pub(super) const LONGEST: usize = HEADER + (1 << 16);

/// A TUN device for a [`Host`](super::Host): packets of up to 64 KiB go between it and the kernel, which cuts them into
/// segments and joins segments where its links need that, as with TSO and GRO.
pub struct Device(SyncDevice);

impl std::fmt::Debug for Device {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Device").finish_non_exhaustive()
    }
}

impl Device {
    /// Makes a TUN device of this name for packets of `mtu` bytes; `kernel` has the kernel's own addresses at the
    /// device, each with the prefix length of the network behind it. The process needs root or the capability
    /// `CAP_NET_ADMIN`.
    pub fn open(name: &str, mtu: u16, kernel: &[(IpAddr, u8)]) -> Result<Self, TunError> {
        let mut builder = DeviceBuilder::new().name(name).mtu(mtu).offload(true);
        for &(address, bits) in kernel {
            builder = match address {
                IpAddr::V4(address) => builder.ipv4(address, bits, None),
                IpAddr::V6(address) => builder.ipv6(address, bits),
            };
        }
        let device = tun(builder, name)?;
        for &(address, _) in kernel {
            usable(address).map_err(|source| TunError::other(name, source))?;
        }
        Ok(Self(device))
    }

    pub(super) fn mtu(&self) -> io::Result<u16> {
        self.0.mtu()
    }

    /// Reads a packet with its header; `None` if there is none.
    pub(super) fn read(&self, buffer: &mut [u8]) -> io::Result<Option<usize>> {
        match rustix::io::read(&self.0, buffer).map_err(io::Error::from) {
            Ok(length) => Ok(Some(length)),
            Err(error) => match error.kind() {
                ErrorKind::WouldBlock | ErrorKind::Interrupted => Ok(None),
                _ => Err(error),
            },
        }
    }

    /// Writes a packet after its header. One that the kernel does not take is lost, and is sent again.
    pub(super) fn write(&self, form: Form, packet: &[u8]) {
        let head = header(form, packet);
        let parts = [io::IoSlice::new(&head), io::IoSlice::new(packet)];
        let _ = rustix::io::writev(&self.0, &parts);
    }
}

/// Waits until the kernel's programs can use an address: IPv6 looks for duplicates first (RFC 4862 section 5.4), which
/// takes a moment even where nobody can have the same.
fn usable(address: IpAddr) -> io::Result<()> {
    let until = Instant::now() + LONGEST_WAIT;
    loop {
        match UdpSocket::bind((address, 0)) {
            Err(error) if error.kind() == ErrorKind::AddrNotAvailable && Instant::now() < until => {
                thread::sleep(NEXT_LOOK);
            }
            result => return result.map(drop),
        }
    }
}

impl AsFd for Device {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

fn header(form: Form, packet: &[u8]) -> [u8; HEADER] {
    let mut out = [0; HEADER];
    let Form::Unsummed { ip, headers, piece } = form else {
        return out;
    };
    out[0] = NEEDS_CSUM;
    if piece.is_some() {
        let is_v4 = packet.first().is_some_and(|byte| byte >> 4 == 4);
        out[1] = if is_v4 { GSO_TCPV4 } else { GSO_TCPV6 };
    }
    let words = [headers, piece.unwrap_or(0), ip, CHECKSUM as u16];
    for (place, word) in out[2..].chunks_exact_mut(2).zip(words) {
        place.copy_from_slice(&word.to_ne_bytes());
    }
    out
}

/// Gives an endpoint a packet that was read with its header.
pub(super) fn deliver(end: &mut Endpoint, now: Time, read: &[u8]) -> Result<(), WireError> {
    let (head, packet) = read.split_at(HEADER.min(read.len()));
    let checked = NEEDS_CSUM | DATA_VALID;
    if head.first().is_some_and(|flags| flags & checked != 0)
        && end.receive_unsummed(now, packet).is_ok()
    {
        return Ok(());
    }
    end.receive(now, packet)
}
