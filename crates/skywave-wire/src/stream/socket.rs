//! Datagrams with the time at which they reached this host.
//!
//! WTCP's rate control measures how far apart packets arrive: the system's own time stamps do not suffer
//! from a thread that is woken late.

use std::io::{self, IoSliceMut};
use std::net::{SocketAddr, UdpSocket};
use std::os::fd::{AsFd, BorrowedFd};
use std::time::{Duration as StdDuration, Instant, SystemTime, UNIX_EPOCH};

use quinn_udp::{RecvMeta, Transmit, UdpSocketState};
use skywave_core::{Duration, Time};

use crate::system;

/// Reads of the system at once.
const BATCH: usize = 16;
/// A time stamp that is older than this is of a clock that was set meanwhile.
const OLDEST: StdDuration = StdDuration::from_secs(1);

/// A socket that does not block.
pub(super) struct Socket {
    udp: UdpSocket,
    state: UdpSocketState,
    /// Bytes of the longest datagram that is not cut off.
    longest: usize,
}

/// Room for datagrams.
pub(super) struct Buffers {
    bytes: Vec<u8>,
    metas: [RecvMeta; BATCH],
}

impl Socket {
    /// Opens a socket at `address`, for datagrams of at most `longest` bytes.
    pub(super) fn bind(address: SocketAddr, longest: usize) -> io::Result<Self> {
        let udp = UdpSocket::bind(address)?;
        let state = UdpSocketState::new((&udp).into())?;
        system::enlarge_buffers(&udp);
        Ok(Self {
            udp,
            state,
            longest,
        })
    }

    /// Where it is.
    pub(super) fn address(&self) -> io::Result<SocketAddr> {
        self.udp.local_addr()
    }

    /// Room for what one call reads.
    pub(super) fn buffers(&self) -> Buffers {
        // The system may hand over several datagrams of one sender as one.
        let each = self.longest * self.state.gro_segments().max(1);
        Buffers {
            bytes: vec![0; BATCH * each],
            metas: [RecvMeta::default(); BATCH],
        }
    }

    /// Hands over what has come, at most a batch, with its time of arrival since `origin` and sender. True if there may
    /// be more.
    pub(super) fn receive(
        &self,
        origin: Instant,
        buffers: &mut Buffers,
        mut take: impl FnMut(Time, SocketAddr, &[u8]),
    ) -> io::Result<bool> {
        let Buffers { bytes, metas } = buffers;
        let each = bytes.len() / BATCH;
        let mut chunks = bytes.chunks_exact_mut(each);
        let mut slices: [IoSliceMut<'_>; BATCH] =
            std::array::from_fn(|_| IoSliceMut::new(chunks.next().unwrap_or_default()));
        let read = self.state.recv((&self.udp).into(), &mut slices, metas)?;
        let (now, wall) = (system::since(origin), SystemTime::now());
        for (slice, meta) in slices.iter().zip(&metas[..read]) {
            let ago = meta.timestamp.and_then(|at| age(wall, at));
            let at = ago.map_or(now, |ago| before(now, ago));
            for datagram in slice[..meta.len].chunks(meta.stride.max(1)) {
                take(at, meta.addr, datagram);
            }
        }
        Ok(read == BATCH)
    }

    /// Sends a datagram.
    pub(super) fn send(&self, to: SocketAddr, datagram: &[u8]) -> io::Result<()> {
        let transmit = Transmit {
            destination: to,
            ecn: None,
            contents: datagram,
            segment_size: None,
            src_ip: None,
        };
        self.state.try_send((&self.udp).into(), &transmit)
    }
}

/// How long ago that was by the system's clock.
fn age(wall: SystemTime, at: StdDuration) -> Option<StdDuration> {
    let ago = wall.duration_since(UNIX_EPOCH.checked_add(at)?).ok()?;
    (ago < OLDEST).then_some(ago)
}

fn before(now: Time, ago: StdDuration) -> Time {
    let since_start = now.since(Time::ZERO);
    let ago = Duration::from_nanos(ago.as_nanos() as u64);
    Time::ZERO + since_start.saturating_sub(ago)
}

impl AsFd for Socket {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.udp.as_fd()
    }
}
