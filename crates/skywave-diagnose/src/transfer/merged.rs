//! Several captures as one, packets in the order of their times.

use std::io::Read;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use skywave_lab::capture::{Frame, ReadError, Remark, read as frames};

use super::read::{Capture, Reader};

/// Packets that a reader hands over at once: waking the merger for each of them takes longer than reading it.
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
            // Nobody takes packets any more once another file was found to be damaged.
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
