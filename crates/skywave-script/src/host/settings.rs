//! The variables of a system that decide how its connections are made.

use skywave_core::time::Duration;

use crate::report::Skip;

/// Operating system whose defaults and behaviour a script expects; the names of the variables that the script sets
/// tell which it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum System {
    /// Linux, with the values that google/packetdrill's suite begins with.
    Linux,
    /// FreeBSD.
    FreeBsd,
}

/// Variables of an operating system, as `sysctl` sets them, that decide how connections of the modelled host behave.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Operating system that the host models: these variables are its own, and it decides what they do not, such as
    /// error codes and how windows are rounded.
    pub system: System,
    /// Largest IP packet that the device sends (MTU), bytes.
    pub mtu: u32,
    /// Whether connections run over IPv6; otherwise over IPv4.
    pub ipv6: bool,
    /// Whether SYNs offer timestamps.
    pub timestamps: bool,
    /// Whether SYNs offer window scaling.
    pub window_scaling: bool,
    /// Whether SYNs offer SACK.
    pub sack: bool,
    /// Whether duplicate data that arrives is reported by DSACK (RFC 2883).
    pub dsack: bool,
    /// Use of ECN: 0 for none; 1 if connections offer and accept it; 2 if they only accept it.
    pub ecn: u32,
    /// Initial size of a socket's receive buffer, bytes of data.
    pub receive_buffer: u32,
    /// Largest size of a receive buffer, bytes: it decides the window scale.
    pub largest_buffer: u32,
    /// Initial size of a socket's send buffer, bytes: of payload as in FreeBSD, in Linux with the overhead of what
    /// stores it.
    pub send_buffer: u64,
    /// Size up to which Linux lets a send buffer grow with the congestion window, bytes.
    pub largest_send_buffer: u64,
    /// Number of unsent bytes at which a Linux socket takes no more from its application (`tcp_notsent_lowat`).
    pub unsent_limit: u64,
    /// Least number of segments that Linux hands to a device at once, if there are as many, however low the pacing rate
    /// (`tcp_min_tso_segs`).
    pub fewest_at_once: u32,
    /// Whether any reset in the window ends a connection, even without exactly the expected sequence number. The
    /// modelled host then lets any SYN in the window do so, too.
    pub insecure_reset: bool,
    /// Whether any SYN in the window ends a connection, where a challenge ACK would answer it otherwise. The modelled
    /// host then lets any reset in the window do so, too.
    pub insecure_syn: bool,
    /// Whether segments with both SYN and FIN are ignored where no connection has received a SYN yet.
    pub drop_syn_fin: bool,
    /// Whether segments to closed ports get no answer; otherwise they get a reset.
    pub blackhole: bool,
    /// Longest delay of an acknowledgement in FreeBSD; the modelled Linux acknowledges each segment at once.
    pub ack_delay: Duration,
    /// Retransmission timeout before the first RTT sample.
    pub initial_rto: Duration,
    /// Least time by which the retransmission timeout is above the smoothed RTT.
    pub rto_slop: Duration,
    /// Whether the congestion window falls back to its initial size after more than an RTO without sending (slow start
    /// after idle).
    pub restart_after_idle: bool,
    /// Time by which the loss detector's timers expire later than its rules say, as by the ticks of a kernel's clock.
    pub timer_slack: Duration,
    /// Payload bytes of one segment where an arriving packet of the script stands for several (its option `--mss`):
    /// bounds the host's estimate of the peer's MSS (`rcv_mss`). `None` if each packet is a single segment.
    pub arriving_mss: Option<u32>,
    /// Number of times that a SYN, or a SYN-ACK, is sent again before a connection is given up; `None` for no bound.
    pub syn_retries: Option<u32>,
    /// Time that FreeBSD gives a connection that it opens to become established; then `connect` fails.
    pub keep_init: Duration,
    /// Whether an ICMP message may end a connection that is being opened.
    pub icmp_may_reset: bool,
}

impl Settings {
    /// Default values of a system's variables, before a script sets any.
    pub fn new(system: System) -> Self {
        let linux = Self {
            system,
            mtu: 1500,
            ipv6: false,
            timestamps: true,
            window_scaling: true,
            sack: true,
            dsack: true,
            ecn: 0,
            receive_buffer: 270_000,
            largest_buffer: 15 << 20,
            send_buffer: 256 << 10,
            largest_send_buffer: 4 << 20,
            unsent_limit: u32::MAX.into(),
            fewest_at_once: 2,
            insecure_reset: false,
            insecure_syn: false,
            drop_syn_fin: false,
            blackhole: false,
            ack_delay: Duration::from_millis(40),
            initial_rto: Duration::from_secs(1),
            rto_slop: Duration::from_millis(200),
            restart_after_idle: false,
            timer_slack: Duration::from_millis(2),
            arriving_mss: None,
            syn_retries: Some(5),
            keep_init: Duration::from_secs(75),
            icmp_may_reset: true,
        };
        match system {
            System::Linux => linux,
            System::FreeBsd => Self {
                ecn: 2,
                receive_buffer: 65_536,
                largest_buffer: 2 << 20,
                send_buffer: 32_768,
                restart_after_idle: true,
                syn_retries: None,
                timer_slack: Duration::ZERO,
                ..linux
            },
        }
    }

    /// Sets a variable by its name.
    pub(crate) fn set(&mut self, name: &str, value: &str) -> Result<(), Skip> {
        let unknown = || Skip::new("system variable", format!("{name}={value}"));
        let last = value.split_whitespace().next_back().unwrap_or_default();
        let number = |text: &str| text.parse::<u32>().map_err(|_| unknown());
        let milliseconds = || number(value).map(|n| Duration::from_millis(n.into()));
        let on = || number(value).map(|n| n != 0);
        match name {
            "net.inet.tcp.rfc1323" => {
                let n = number(value)?;
                self.window_scaling = matches!(n, 1 | 2);
                self.timestamps = matches!(n, 1 | 3);
            }
            "net.inet.tcp.sack.enable" | "net.ipv4.tcp_sack" => self.sack = on()?,
            "net.ipv4.tcp_dsack" => self.dsack = on()?,
            "net.ipv4.tcp_timestamps" => self.timestamps = on()?,
            "net.ipv4.tcp_window_scaling" => self.window_scaling = on()?,
            "net.inet.tcp.ecn.enable" | "net.ipv4.tcp_ecn" => {
                self.ecn = number(value)?;
                if self.ecn > 2 {
                    return Err(Skip::new("accurate ECN", ""));
                }
            }
            "net.inet.tcp.recvspace" => self.receive_buffer = number(value)?,
            "net.inet.tcp.sendspace" => self.send_buffer = number(value)?.into(),
            "kern.ipc.maxsockbuf" => self.largest_buffer = number(value)?,
            "net.ipv4.tcp_rmem" => {
                let second = value.split_whitespace().nth(1).unwrap_or(last);
                // Half of it is for what buffers count beside their data.
                self.receive_buffer = number(second)? / 2;
                self.largest_buffer = number(last)?;
            }
            "net.ipv4.tcp_wmem" => {
                let second = value.split_whitespace().nth(1).unwrap_or(last);
                self.send_buffer = number(second)?.into();
                self.largest_send_buffer = number(last)?.into();
            }
            "net.ipv4.tcp_notsent_lowat" => self.unsent_limit = number(value)?.into(),
            "net.ipv4.tcp_min_tso_segs" => self.fewest_at_once = number(value)?,
            "net.inet.tcp.insecure_rst" => self.insecure_reset = on()?,
            "net.inet.tcp.insecure_syn" => self.insecure_syn = on()?,
            "net.inet.tcp.drop_synfin" => self.drop_syn_fin = on()?,
            "net.inet.tcp.blackhole" => self.blackhole = on()?,
            "net.inet.tcp.icmp_may_rst" => self.icmp_may_reset = on()?,
            "net.inet.tcp.delacktime" => self.ack_delay = milliseconds()?,
            "net.inet.tcp.rexmit_initial" => self.initial_rto = milliseconds()?,
            "net.inet.tcp.rexmit_slop" => self.rto_slop = milliseconds()?,
            "net.ipv4.tcp_slow_start_after_idle" => self.restart_after_idle = on()?,
            "net.ipv4.tcp_syn_retries" => self.syn_retries = Some(number(value)?),
            "net.inet.tcp.keepinit" => self.keep_init = milliseconds()?,
            // These have the value that the connection has anyway, or bear on nothing that is modelled.
            "net.inet.tcp.rexmit_drop_options" | "net.inet.tcp.syncookies_only" if value == "0" => {
            }
            "net.ipv4.tcp_reordering" if value == "3" => {}
            "net.inet.tcp.fastopen.client_enable"
            | "net.inet.tcp.fastopen.server_enable"
            | "net.inet.tcp.hostcache.purgenow"
            | "net.inet.tcp.hostcache.purge"
            | "net.inet.tcp.syncookies"
            | "net.inet.tcp.pmtud_blackhole_detection"
            | "net.inet.tcp.path_mtu_discovery"
            | "net.ipv4.tcp_fastopen"
            | "net.ipv4.tcp_fastopen_key"
            | "net.ipv4.tcp_tso_win_divisor"
            | "net.ipv4.tcp_early_retrans"
            | "net.ipv4.tcp_recovery"
            | "net.ipv4.tcp_no_metrics_save"
            | "net.ipv4.tcp_pacing_ss_ratio"
            | "net.ipv4.tcp_pacing_ca_ratio"
            | "net.ipv4.tcp_syncookies"
            | "net.ipv4.tcp_synack_retries"
            | "net.ipv4.tcp_congestion_control" => {}
            _ => return Err(unknown()),
        }
        Ok(())
    }

    /// Bytes of the headers of a segment without options.
    pub(crate) fn headers(&self) -> u32 {
        if self.ipv6 { 60 } else { 40 }
    }

    /// The largest payload that a segment may have, options left out.
    pub(crate) fn mss(&self) -> u32 {
        self.mtu.saturating_sub(self.headers()).max(1)
    }

    /// The window scale that SYNs offer: FreeBSD's is the least with which a header tells of the largest buffer.
    pub(crate) fn window_shift(&self, buffer: Option<u32>) -> u8 {
        let largest = match (self.system, buffer) {
            (System::Linux, Some(buffer)) => buffer,
            _ => self.largest_buffer,
        };
        (0..14)
            .find(|shift| u64::from(largest) <= 65_535 << shift)
            .unwrap_or(14)
    }
}
