//! Several captures as one, packets in the order of their times.

use std::io::Read;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use skywave_lab::capture::{Frame, ReadError, Remark, read as frames};

use super::read::{Capture, Reader};

/// Packets that a reader hands over at once: with one at a time, waking the other side takes longer than
/// reading.
const BATCH: usize = 256;
/// Batches that wait between a reader and the merger.
const WAITING: usize = 4;

/// A packet with bytes of its own.
struct Owned {
    at_ns: u64,
    link_type: i32,
    length: u32,
    bytes: Vec<u8>,
    remarks: Vec<Remark>,
}

/// Reads captures that belong together, such as those of the two directions of a link, as if they were one:
/// packets in the order of their times. An error if one is damaged.
pub fn read_merged(inputs: Vec<impl Read + Send>) -> Result<Capture, ReadError> {
    thread::scope(|scope| {
        let mut sources = Vec::new();
        let mut readers = Vec::new();
        for input in inputs {
            let (sender, receiver) = sync_channel(WAITING);
            readers.push(scope.spawn(move || send(input, &sender)));
            sources.push(receiver);
        }
        let mut capture = merge(&sources).finish();
        drop(sources);
        for reader in readers {
            // A reader does not panic; if it did, so should this.
            let is_complete = reader
                .join()
                .unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
            capture.is_cut_off |= !is_complete;
        }
        Ok(capture)
    })
}

fn send(input: impl Read + Send, to: &SyncSender<Vec<Owned>>) -> Result<bool, ReadError> {
    let mut batch = Vec::with_capacity(BATCH);
    let complete = frames(input, |frame| {
        batch.push(Owned {
            at_ns: frame.at_ns,
            link_type: frame.link_type,
            length: frame.length,
            bytes: frame.bytes.to_vec(),
            remarks: frame.remarks.clone(),
        });
        if batch.len() == BATCH {
            // Fails only if the merger has panicked, which is told where it is joined.
            let _ = to.send(std::mem::replace(&mut batch, Vec::with_capacity(BATCH)));
        }
    });
    let _ = to.send(batch);
    complete
}

fn merge(sources: &[Receiver<Vec<Owned>>]) -> Reader {
    let mut reader = Reader::default();
    let mut sources: Vec<_> = sources
        .iter()
        .map(|source| source.iter().flatten())
        .collect();
    let mut next: Vec<Option<Owned>> = sources.iter_mut().map(Iterator::next).collect();
    let earliest = |next: &[Option<Owned>]| {
        let times = next.iter().enumerate();
        let times = times.filter_map(|(index, owned)| Some((owned.as_ref()?.at_ns, index)));
        times.min().map(|(_, index)| index)
    };
    while let Some(index) = earliest(&next) {
        let following = sources[index].next();
        if let Some(owned) = std::mem::replace(&mut next[index], following) {
            reader.add(&Frame {
                at_ns: owned.at_ns,
                link_type: owned.link_type,
                length: owned.length,
                bytes: &owned.bytes,
                remarks: owned.remarks,
            });
        }
    }
    reader
}

#[cfg(test)]
mod tests {
    use skywave_lab::capture::ReadError;

    use super::*;

    /// A capture of `packets` raw packets, one each second.
    fn pcap(packets: u32) -> Vec<u8> {
        let mut bytes = vec![0xA1, 0xB2, 0xC3, 0xD4, 0, 2, 0, 4];
        bytes.extend([0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 101]);
        for second in 0..packets {
            for field in [second, 0, 1, 1] {
                bytes.extend(field.to_be_bytes());
            }
            bytes.push(0);
        }
        bytes
    }

    #[test]
    fn captures_of_any_length_are_merged_whole() {
        let many = BATCH as u32 * (WAITING as u32 + 2) + 1;
        for lengths in [[many, 1], [0, many], [BATCH as u32, 0], [many, many]] {
            let inputs = lengths.map(pcap);
            let capture = read_merged(inputs.iter().map(|input| &input[..]).collect()).unwrap();
            assert_eq!(capture.summary.packets, u64::from(lengths[0] + lengths[1]));
            assert!(!capture.is_cut_off);
        }
        let (whole, mut short) = (pcap(many), pcap(many));
        short.pop();
        let capture = read_merged(vec![&whole[..], &short[..]]).unwrap();
        assert!(capture.is_cut_off);
        let merged = read_merged(vec![&whole[..], &b"no capture"[..]]);
        assert!(matches!(merged, Err(ReadError::NotACapture)));
    }
}
