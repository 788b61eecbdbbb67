//! The parameters of a MAC.

use crate::link::{Limit, QueueConfig};
use crate::radio::{Mode, Preamble};
use crate::time::Duration;

/// Slot, interframe spaces and contention window of an 802.11 standard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timing {
    /// Length of a slot of the backoff.
    pub slot: Duration,
    /// Short interframe space (SIFS), between the frames of one exchange.
    pub sifs: Duration,
    /// First contention window, in slots: a backoff is uniform on 0 to this.
    pub cw_min: u32,
    /// The largest contention window, in slots.
    pub cw_max: u32,
    /// Time from the beginning of a signal until a station notices it: stations whose slots begin together
    /// collide, however near they are. Less than a slot.
    pub cca: Duration,
}

impl Timing {
    /// Timing of 802.11b (HR/DSSS; 802.11-2016 table 16-4).
    pub const fn dsss() -> Self {
        Self {
            slot: Duration::from_micros(20),
            sifs: Duration::from_micros(10),
            cw_min: 31,
            cw_max: 1023,
            cca: Duration::from_micros(15),
        }
    }

    /// Timing of 802.11g without 802.11b's stations (ERP-OFDM, short slots; 802.11-2016 table 18-5).
    pub const fn erp() -> Self {
        Self {
            slot: Duration::from_micros(9),
            sifs: Duration::from_micros(10),
            cw_min: 15,
            cw_max: 1023,
            cca: Duration::from_micros(4),
        }
    }

    /// Timing of 802.11g with slots of 20 µs, as in a network that 802.11b's stations may join, and in any
    /// independent (ad-hoc) one.
    pub const fn erp_long_slot() -> Self {
        Self {
            slot: Duration::from_micros(20),
            cca: Duration::from_micros(15),
            ..Self::erp()
        }
    }

    /// DCF interframe space (DIFS): a channel that has been idle for this long is free.
    pub fn difs(&self) -> Duration {
        self.sifs + self.slot * 2
    }
}

/// Settings of the MAC of an 802.11 station.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// Slot, interframe spaces and contention window.
    pub timing: Timing,
    /// Modulation and rate of unicast data frames.
    pub data_mode: Mode,
    /// Modulation and rate of broadcast frames.
    pub broadcast_mode: Mode,
    /// Modulation and rate of RTS and CTS.
    pub control_mode: Mode,
    /// Modulation and rate of ACKs. The standard's is the fastest basic rate that is not above the data's
    /// (802.11-2016 section 10.7.6.5.2); ns-2 has one rate for all control frames.
    pub ack_mode: Mode,
    /// Modulation and rate of the ACK whose airtime is part of an EIFS. The standard's is the slowest mandatory one,
    /// 1 Mb/s in 802.11g too (802.11-2016 section 10.3.7), and so is ns-3's; our default for 802.11g is 6 Mb/s, as if
    /// no 802.11b station were about.
    pub eifs_mode: Mode,
    /// Preamble of DSSS and CCK frames.
    pub preamble: Preamble,
    /// Frame size in bytes, MAC header included, above which RTS and CTS go before a unicast data frame; `None` for
    /// never.
    pub rts_threshold: Option<u32>,
    /// Frame size in bytes, MAC header included, above which [`Self::long_retries`] is the limit of attempts instead
    /// of [`Self::short_retries`]. (The standard's is the RTS threshold.)
    pub long_above: u32,
    /// Most unanswered attempts before a packet is given up: those of its RTS, and, together with these, of its data
    /// frame if that is up to [`Self::long_above`]. For a longer frame a CTS begins the count of RTS anew.
    pub short_retries: u32,
    /// Most unanswered attempts of a data frame above [`Self::long_above`], without RTS, before its packet is given up.
    pub long_retries: u32,
    /// Whether a station that hears an RTS and then nothing ends the reservation early, instead of waiting for the
    /// rest of the exchange. (ns-2's stations wait.)
    pub nav_reset: bool,
    /// Whether a packet that found the channel idle needs no backoff even if the channel is taken before it
    /// is sent. (ns-3's stations; the standard's draw one, 802.11-2016 section 10.3.4.2.)
    pub keep_access: bool,
    /// Discipline of the queue, with its limit, which does not count the packet in service.
    pub queue: QueueConfig,
    /// Bytes that a frame has beside its packet: MAC header, frame check sequence and LLC/SNAP header.
    pub overhead: u32,
}

impl Config {
    /// Settings of 802.11g in an ad-hoc network: data at 24 Mb/s, control frames at 6 Mb/s, slots of 20 µs, no RTS, a
    /// queue of 256 KB.
    pub const fn ieee80211g() -> Self {
        Self {
            timing: Timing::erp_long_slot(),
            data_mode: Mode::Ofdm24,
            broadcast_mode: Mode::Ofdm6,
            control_mode: Mode::Ofdm6,
            ack_mode: Mode::Ofdm6,
            eifs_mode: Mode::Ofdm6,
            preamble: Preamble::Long,
            rts_threshold: None,
            long_above: 2347,
            short_retries: 7,
            long_retries: 4,
            nav_reset: true,
            keep_access: false,
            queue: QueueConfig::DropTail(Limit::Bytes(256_000)),
            overhead: 36,
        }
    }

    /// Settings of 802.11b: data at 11 Mb/s, control frames at 1 Mb/s, long preambles; no RTS, a queue of 256 KB.
    pub const fn ieee80211b() -> Self {
        Self {
            timing: Timing::dsss(),
            data_mode: Mode::Cck11,
            broadcast_mode: Mode::Dsss1,
            control_mode: Mode::Dsss1,
            ack_mode: Mode::Dsss1,
            eifs_mode: Mode::Dsss1,
            ..Self::ieee80211g()
        }
    }

    /// Bytes of the frame around a packet.
    pub(super) fn frame_bytes(&self, packet: u32) -> u32 {
        packet + self.overhead
    }

    /// Whether the frame around a packet has the long retry limit.
    pub(super) fn is_long(&self, packet: u32) -> bool {
        self.frame_bytes(packet) > self.long_above
    }

    /// Extended interframe space (EIFS): after a frame that was not understood, the channel counts as free only when
    /// it has been idle for this long, so that an ACK to that frame may pass.
    pub fn eifs(&self) -> Duration {
        let ack = self
            .eifs_mode
            .airtime(super::frame::ACK_BYTES, self.preamble);
        self.timing.sifs + ack + self.timing.difs()
    }
}
