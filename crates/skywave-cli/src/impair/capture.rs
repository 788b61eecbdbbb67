//! A capture of real packets: each as it comes to the links, with what became of it.
//!
//! The relay's thread formats packets, another one writes, so that a slow disk does not make packets late. What is
//! written at once, every tenth of a second at least, ends with a packet: between two writes the file is whole. Who
//! reads it during one, or what was killed then, may have a part of its last packet. Beyond [`WRITES`] pieces that wait
//! for the disk the relay waits too, and says so by its lateness.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path as FilePath, PathBuf};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;
use std::time::{SystemTime, UNIX_EPOCH};

use skywave_core::Time;
use skywave_core::link::QueueConfig;
use skywave_lab::capture::Remark;
use skywave_lab::capture::pcapng::{Captured, Interface, Section, Way, Writer};
use skywave_wire::exit::FAILED;
use skywave_wire::relay::{Cause, Course, Direction, End, RelayConfig, Watch};

use super::held::{Held, Record};
use super::path;
use crate::failure::Failure;

/// Bytes of each packet that are kept at least: IPv4's and TCP's headers with all options have 120, IPv6's and TCP's 100.
pub(crate) const HEADERS: u32 = 128;

/// Memory for packets that wait for their ends, bytes: ten seconds of 100 Mb/s with all payloads.
const HELD: usize = 128 << 20;

/// Bytes that are written at once, if there are as many.
const PIECE: usize = 1 << 16;

/// Pieces that wait to be written at most.
const WRITES: usize = 1024;

/// Exit code where a file cannot be written.
pub(crate) const UNWRITTEN: u8 = if cfg!(target_os = "linux") { FAILED } else { 1 };

/// A capture that is being taken.
pub(crate) struct Capture {
    path: PathBuf,
    /// The file, until a thread has it.
    file: Option<File>,
    disk: Option<Disk>,
    writer: Writer<Vec<u8>>,
    held: Held,
    /// Bytes kept of each packet.
    keep: usize,
    /// When the links' time began, nanoseconds since the beginning of 1970.
    began_ns: Option<u64>,
    /// Comment that names the link, and the queue of it; by the relay's number of the link.
    links: Vec<(Option<String>, QueueConfig)>,
}

/// The thread that writes.
struct Disk {
    pieces: SyncSender<Vec<u8>>,
    thread: JoinHandle<io::Result<()>>,
}

impl Capture {
    /// Begins the file; `snaplen` is the number of bytes that are kept of each packet, 0 for all.
    pub(crate) fn create(
        file: &FilePath,
        snaplen: u32,
        config: &RelayConfig,
    ) -> Result<Self, Failure> {
        let failed = |error| unwritten(file, &error);
        let (keep, snap_length) = match snaplen {
            0 => (usize::MAX, 0),
            bytes => (bytes.max(HEADERS) as usize, bytes.max(HEADERS)),
        };
        let [there, back] = [0, 1].map(|way| path::links(config, way));
        let interface = Interface {
            name: "near",
            description: &format!("outbound by {there}, inbound by {back}"),
            snap_length,
        };
        let section = Section {
            hardware: "real packets, simulated links",
            application: concat!("Skywave ", env!("CARGO_PKG_VERSION")),
            comment: &format!(
                "Skywave: packets as they come to the links, before the first queue; comments say what became of \
                 them. Seed {}.",
                config.seed
            ),
        };
        let mut writer = Writer::new(Vec::new(), &section, &interface).map_err(failed)?;
        let mut created = File::create(file).map_err(failed)?;
        let header = std::mem::take(writer.get_mut());
        created.write_all(&header).map_err(failed)?;
        let several = config.routes.iter().any(|route| route.len() > 1);
        let links = config.hops.iter().map(|hop| {
            let name = several.then(|| format!("at link {}", hop.name));
            (name, hop.link.queue)
        });
        Ok(Self {
            path: file.to_owned(),
            file: Some(created),
            disk: None,
            writer,
            held: Held::new(HELD),
            keep,
            began_ns: None,
            links: links.collect(),
        })
    }

    /// Starts the thread that writes; it has the priority and the blocked signals that this one has now.
    pub(super) fn start(&mut self) {
        if let Some(file) = self.file.take() {
            let (pieces, written) = sync_channel(WRITES);
            let thread = std::thread::spawn(move || write(file, &written));
            self.disk = Some(Disk { pieces, thread });
        }
    }

    /// Writes what is left: packets under way too, which say so.
    pub(super) fn finish(mut self) -> Result<(), Failure> {
        while let Some(record) = self.held.leave() {
            self.write(&record);
        }
        self.hand_over();
        let Some(Disk { pieces, thread }) = self.disk else {
            return Ok(());
        };
        drop(pieces);
        let written = thread
            .join()
            .unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        written.map_err(|error| unwritten(&self.path, &error))
    }

    /// Writes the packets whose turn it is.
    fn go_on(&mut self) {
        while let Some(record) = self.held.next() {
            self.write(&record);
        }
    }

    fn write(&mut self, record: &Record) {
        let comments = comments(&self.links, record.end);
        let packet = Captured {
            at_ns: record.at_ns,
            bytes: &record.bytes,
            length: record.length,
            way: Some(match record.direction {
                Direction::Forward => Way::Outbound,
                Direction::Back => Way::Inbound,
            }),
            comments: &comments,
        };
        // Memory takes everything.
        let _ = self.writer.packet(&packet);
        if self.writer.get_mut().len() >= PIECE {
            self.hand_over();
        }
    }

    /// Gives the thread what is there; one that could not write has ended, and says why when it is asked.
    fn hand_over(&mut self) {
        let piece = std::mem::take(self.writer.get_mut());
        if let Some(disk) = &self.disk
            && !piece.is_empty()
        {
            let _ = disk.pieces.send(piece);
        }
    }
}

/// The failure of a capture that could not be written, or not all of it.
fn unwritten(file: &FilePath, error: &io::Error) -> Failure {
    let why = format!("cannot write the capture {}: {error}", file.display());
    Failure::new(UNWRITTEN, why)
}

fn write(mut file: File, pieces: &Receiver<Vec<u8>>) -> io::Result<()> {
    pieces.iter().try_for_each(|piece| file.write_all(&piece))
}

/// Comments on a packet with this end, in the order in which things happened.
fn comments(links: &[(Option<String>, QueueConfig)], end: Option<(Course, End)>) -> Vec<&str> {
    let Some((course, end)) = end else {
        return vec![Remark::UnderWay.text()];
    };
    let (lost, link) = match end {
        End::Sent => (None, None),
        End::Unsent | End::Lost(Cause::Memory) => (Some(Remark::LostRelay), None),
        End::NeverSent => (Some(Remark::NeverSent), None),
        End::Lost(Cause::Corrupt) => (Some(Remark::Damaged), None),
        End::Lost(Cause::Link(link, cause)) => {
            let (name, queue) = &links[link];
            (Some(Remark::of_drop(cause, queue)), name.as_deref())
        }
    };
    let remarks = [
        course.retransmitted.then_some(Remark::Retransmitted),
        course.duplicated.then_some(Remark::Duplicated),
        lost,
    ];
    let mut comments: Vec<&str> = Vec::new();
    for remark in remarks.into_iter().flatten() {
        comments.push(remark.text());
    }
    comments.extend(link);
    comments
}

impl Watch for Capture {
    fn comes(&mut self, at: Time, direction: Direction, packet: &[u8]) {
        let at_ns = at.as_nanos();
        let began_ns = *self.began_ns.get_or_insert_with(|| {
            let now = SystemTime::now().duration_since(UNIX_EPOCH);
            let now = now.map_or(0, |now| now.as_nanos());
            u64::try_from(now).unwrap_or(u64::MAX).saturating_sub(at_ns)
        });
        self.held.push(Record {
            at_ns: began_ns.saturating_add(at_ns),
            direction,
            length: packet.len() as u32,
            bytes: packet[..packet.len().min(self.keep)].into(),
            end: None,
        });
        self.go_on();
    }

    fn ends(&mut self, number: u64, course: Course, end: End) {
        self.held.ends(number, course, end);
        self.go_on();
    }

    fn tick(&mut self) {
        self.hand_over();
    }
}

#[cfg(test)]
mod tests;
