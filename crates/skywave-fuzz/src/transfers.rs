//! Operations as a packet capture of TCP connections, read as transfers, to each of which a model of its path is
//! fitted.
//!
//! Numbers of all kinds are hostile: they jump, wrap and go back, as do times; answers tell of what was never sent, and
//! packets are as long as only a network card cuts them up.

use arbitrary::{Arbitrary, Result, Unstructured};
use skywave_diagnose::fit::path::{self, PathFit};
use skywave_diagnose::fit::{Estimate, Known};
use skywave_diagnose::transfer::{self, Capture, Cause, Fate, Transfer};

/// Most packets of a capture, and segments into which a network card may cut them.
const MOST: usize = 1000;
const MOST_SEGMENTS: usize = 30_000;
/// Bytes by which options make segments smaller than the ends agreed upon.
const OPTIONS: usize = 12;
/// Magic number of a pcap file in nanoseconds, and its link type: IP at once.
const MAGIC: u32 = 0xa1b2_3c4d;
const RAW_IP: u32 = 101;
/// Bytes of an IPv4 header, and of a TCP one without options.
const IP: usize = 20;
const TCP: usize = 20;

const FIN: u8 = 1;
const SYN: u8 = 2;
const RST: u8 = 4;
const ACK: u8 = 16;

/// Kind of a packet.
#[derive(Clone, Copy, Debug)]
struct Operation {
    /// End that sends it.
    side: usize,
    flags: u8,
    /// Number of the packet from that of the byte that its sender would send next.
    jump: i32,
    payload: u16,
    /// Bytes of the other end that it acknowledges, from the highest that was sent.
    behind: i32,
    /// SACK blocks, as their ends before the number that it acknowledges.
    blocks: usize,
    ends: [i16; 8],
    options: u8,
    mss: u16,
    window: u16,
    /// Nanoseconds since the packet before; negative ones are a clock set back.
    elapsed_ns: i64,
    /// IP says nothing of its length, as before a network card cuts it up.
    is_unsaid: bool,
}

impl Operation {
    fn read(bytes: &mut Unstructured<'_>) -> Result<Self> {
        let kind = u8::arbitrary(bytes)?;
        let shape = u8::arbitrary(bytes)?;
        let is_plain = shape & 3 != 0;
        let ticks = i64::from(u16::arbitrary(bytes)?);
        let mut operation = Self {
            side: usize::from(kind & 1),
            flags: if kind & 6 == 6 { SYN } else { 0 } | ACK,
            jump: 0,
            payload: match kind >> 3 & 3 {
                0 => 0,
                1 => 1448,
                2 => 200,
                _ => u16::arbitrary(bytes)?,
            },
            behind: 0,
            blocks: 0,
            ends: [0; 8],
            options: kind >> 5,
            mss: 1460,
            window: u16::MAX,
            elapsed_ns: ticks * 1000,
            is_unsaid: shape & 0x80 != 0,
        };
        if is_plain {
            // One segment is lost now and then.
            operation.jump = if shape & 0x1c == 4 { 1448 } else { 0 };
            operation.behind = i32::from(shape >> 5 & 3) * 1448;
            return Ok(operation);
        }
        operation.flags = match shape >> 2 & 7 {
            0 => SYN,
            1 => SYN | ACK,
            2 => RST | ACK,
            3 => FIN | ACK,
            4 => 0,
            _ => ACK,
        };
        operation.jump = far(bytes)?;
        operation.behind = far(bytes)?;
        operation.blocks = usize::from(shape >> 5 & 3);
        for end in &mut operation.ends[..2 * operation.blocks] {
            *end = i16::arbitrary(bytes)?;
        }
        operation.mss = u16::arbitrary(bytes)?;
        operation.window = u16::arbitrary(bytes)?;
        // Up to weeks, as where a clock is set.
        let unit_ns = if operation.is_unsaid { 1_000_000 } else { 1000 };
        operation.elapsed_ns = i64::from(i32::arbitrary(bytes)?) * unit_ns;
        Ok(operation)
    }
}

/// A number that is mostly small, or any.
fn far(bytes: &mut Unstructured<'_>) -> Result<i32> {
    let number = i32::arbitrary(bytes)?;
    Ok(match number & 3 {
        0 => number,
        1 => number >> 20,
        2 => (number >> 24) * 1448,
        _ => 0,
    })
}

/// A capture as it is written.
struct Written {
    file: Vec<u8>,
    at_ns: i64,
    /// Numbers that each end sends next.
    next: [u32; 2],
    /// Payload bytes that each end sent.
    payload: [u64; 2],
    segments: usize,
    least_mss: u16,
}

impl Written {
    fn new(bytes: &mut Unstructured<'_>) -> Result<Self> {
        let mut file = MAGIC.to_le_bytes().to_vec();
        file.extend([2, 0, 4, 0]);
        file.extend([0; 8]);
        file.extend(u32::MAX.to_le_bytes());
        file.extend(RAW_IP.to_le_bytes());
        Ok(Self {
            file,
            at_ns: i64::from(u32::arbitrary(bytes)?) * 1_000_000,
            next: [u32::arbitrary(bytes)?, u32::arbitrary(bytes)?],
            payload: [0; 2],
            segments: 0,
            least_mss: 1460,
        })
    }

    /// Adds a packet; none once there are too many segments.
    fn add(&mut self, operation: &Operation) {
        let Operation { side, flags, .. } = *operation;
        let options = self.options(operation);
        let headers = IP + TCP + options.len();
        let payload = usize::from(operation.payload).min(usize::from(u16::MAX) - headers);
        if flags & SYN != 0 {
            self.least_mss = self.least_mss.min(operation.mss);
        }
        let least = usize::from(self.least_mss).saturating_sub(OPTIONS).max(1);
        self.segments += payload / least + 1;
        if self.segments > MOST_SEGMENTS {
            return;
        }
        let seq = self.next[side].wrapping_add_signed(operation.jump);
        let after = seq.wrapping_add(payload as u32 + u32::from(flags & (SYN | FIN) != 0));
        self.next[side] = after;
        self.payload[side] += payload as u64;
        self.at_ns = (self.at_ns + operation.elapsed_ns).max(0);

        let length = headers + payload;
        self.frame(length as u32, headers as u32);
        let [source, destination] = if side == 0 { [1, 2] } else { [2, 1] };
        let said = if operation.is_unsaid {
            0
        } else {
            length as u16
        };
        self.file.extend([0x45, 0]);
        self.file.extend(said.to_be_bytes());
        self.file.extend([0, 0, 0x40, 0, 64, 6, 0, 0]);
        self.file.extend([10, 0, 0, source, 10, 0, 0, destination]);
        self.file.extend([0, source, 0, destination]);
        self.file.extend(seq.to_be_bytes());
        self.file.extend(self.acked(operation).to_be_bytes());
        self.file.push((((TCP + options.len()) / 4) << 4) as u8);
        self.file.push(flags);
        self.file.extend(operation.window.to_be_bytes());
        self.file.extend([0; 4]);
        self.file.extend(options);
    }

    /// The header of a packet in the file.
    fn frame(&mut self, length: u32, kept: u32) {
        let seconds = (self.at_ns / 1_000_000_000) as u32;
        let nanoseconds = (self.at_ns % 1_000_000_000) as u32;
        for number in [seconds, nanoseconds, kept, length] {
            self.file.extend(number.to_le_bytes());
        }
    }

    fn acked(&self, operation: &Operation) -> u32 {
        self.next[1 - operation.side].wrapping_add_signed(operation.behind.wrapping_neg())
    }

    fn options(&self, operation: &Operation) -> Vec<u8> {
        let mut options = Vec::new();
        if operation.flags & SYN != 0 {
            options.extend([2, 4]);
            options.extend(operation.mss.to_be_bytes());
            options.extend([1, 3, 3, operation.window as u8]);
        }
        if operation.options & 1 != 0 {
            options.extend([1, 1, 8, 10]);
            options.extend(((self.at_ns / 1_000_000) as u32).to_be_bytes());
            options.extend([0; 4]);
        }
        let blocks = &operation.ends[..2 * operation.blocks];
        // There is room for three beside timestamps, and beside what a SYN has for two.
        let blocks = &blocks[..blocks
            .len()
            .min(if operation.flags & SYN != 0 { 4 } else { 6 })];
        if !blocks.is_empty() {
            options.extend([1, 1, 5, (2 + 4 * blocks.len()) as u8]);
            let acked = self.acked(operation);
            for &end in blocks {
                let end = acked.wrapping_add_signed(i32::from(end));
                options.extend(end.to_be_bytes());
            }
        }
        options
    }
}

/// Reads TCP packets out of `data`, writes them as a packet capture, and reads the capture as transfers. Panics if a
/// measure of a transfer, or of the path model fitted to it, is not finite, or if more bytes arrived than were sent.
pub fn run(data: &[u8]) {
    let mut bytes = Unstructured::new(data);
    let Ok(mut written) = Written::new(&mut bytes) else {
        return;
    };
    for _ in 0..MOST {
        if bytes.is_empty() {
            break;
        }
        let Ok(operation) = Operation::read(&mut bytes) else {
            break;
        };
        written.add(&operation);
    }
    let capture = match transfer::read(&written.file[..]) {
        Ok(capture) => capture,
        Err(error) => panic!("a whole file: {error}"),
    };
    check_capture(&capture, written.payload);
    for transfer in &capture.transfers {
        check_transfer(transfer);
        if let Some(fit) = path::fit(transfer) {
            check_fit(transfer, &fit);
        }
    }
}

fn check_capture(capture: &Capture, payload: [u64; 2]) {
    assert!(!capture.is_cut_off && capture.summary.other == 0);
    for (side, sent) in payload.into_iter().enumerate() {
        let own = capture
            .transfers
            .iter()
            .filter(|transfer| usize::from(transfer.from.port) == side + 1);
        let delivered: u64 = own.map(|transfer| transfer.delivered).sum();
        assert!(delivered <= sent, "{delivered} of {sent} bytes arrived");
    }
}

fn check_transfer(transfer: &Transfer) {
    assert!(is_time(transfer.begins_s) && is_time(transfer.duration_s));
    assert!(!transfer.sent.is_empty());
    assert!(
        transfer
            .handshake
            .is_none_or(|opening| is_time(opening.rtt_s))
    );
    assert!(transfer.sent.is_sorted_by_key(|sent| sent.at_ns));
    let binned: u64 = transfer
        .bins
        .iter()
        .map(|bin| u64::from(bin.delivered))
        .sum();
    assert_eq!(binned, transfer.delivered);
    for sent in &transfer.sent {
        assert!(sent.at_s() <= transfer.duration_s, "{sent:?}");
        match sent.fate {
            Fate::Timed => assert!(sent.rtt_s().is_some_and(is_time), "{sent:?}"),
            Fate::Unknown => assert_eq!(sent.answer_after_s(), None, "{sent:?}"),
            // The first transmission of what came twice has no answer, or that of its repetition.
            Fate::Lost | Fate::Delivered => {
                assert!(sent.rtt_s().is_none() && sent.answer_after_s().is_none_or(is_time));
            }
        }
        assert!(sent.fate != Fate::Timed || sent.again.is_none_or(|cause| cause != Cause::Timeout));
    }
}

fn check_fit(transfer: &Transfer, fit: &PathFit) {
    fit.base_s.told().into_iter().for_each(check_estimate);
    assert!(is_time(fit.at_least_bps) && is_time(fit.packet));
    assert_eq!(fit.kinds.len(), transfer.sent.len());
    for (sent, kind) in transfer.sent.iter().zip(&fit.kinds) {
        assert_eq!(kind.is_some(), sent.fate == Fate::Lost);
    }
    assert!(fit.queued.is_none_or(is_time));
    for outage in &fit.outages.all {
        assert!(is_time(outage.from_s) && outage.from_s <= outage.to_s && is_time(outage.to_s));
    }
    if let Known::Told(path::RateModel::Constant(rate, _)) = &fit.rate {
        check_estimate(rate);
        assert!(rate.value > 0.0);
    }
    if let Known::Told(path::RateModel::Recorded(rates)) = &fit.rate {
        assert!(rates.opportunities_ms.is_sorted());
        assert!(is_time(rates.typical_bps) && (0.0..=1.0).contains(&rates.filled));
    }
    if let Some(policer) = &fit.policer {
        check_estimate(&policer.bps);
        check_estimate(&policer.burst);
    }
}

/// An estimate lies within its interval.
fn check_estimate(estimate: &Estimate) {
    let Estimate { value, low, high } = *estimate;
    assert!(
        is_time(low) && low <= value && value <= high && is_time(high),
        "{estimate:?}"
    );
}

/// A finite number that is not negative.
fn is_time(number: f64) -> bool {
    number.is_finite() && number >= 0.0
}
