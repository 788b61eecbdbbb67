//! Writing the packets of a run into a file a link while it is simulated.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use skywave_core::Time;
use skywave_core::link::LinkConfig;
use skywave_sim::observe::{Observer, Offer};
use skywave_sim::spec::Spec;

use super::packet::{Framing, MAX_HEADERS};
use super::pcapng::{Captured, Interface, Section, Writer};
use super::points::Error;
use super::remark::Remark;
use crate::experiment::file::Draft;

/// Part of each packet that a capture keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Keep {
    /// Headers with their options alone: a simulated packet has nothing else to tell.
    #[default]
    Headers,
    /// First bytes of the packet, this number of them from the IP header on; all headers in any case.
    Bytes(u32),
    /// Whole packet, with its payload, which is zeros.
    All,
}

impl Keep {
    /// Bytes kept of a packet, if its headers are no longer.
    fn bytes(self) -> u32 {
        match self {
            Self::Headers => 0,
            Self::Bytes(bytes) => bytes,
            Self::All => u32::MAX,
        }
    }

    /// Limit of bytes as an interface description says it; 0 is no limit.
    fn snap_length(self) -> u32 {
        match self {
            Self::Headers => MAX_HEADERS as u32,
            Self::Bytes(bytes) => bytes.max(MAX_HEADERS as u32),
            Self::All => 0,
        }
    }
}

/// A link's file.
struct LinkFile {
    path: PathBuf,
    config: Arc<LinkConfig>,
    writer: Writer<Draft>,
}

/// Writes the packets that are offered to some of the links.
pub(super) struct Recorder {
    end: Time,
    keep: Keep,
    flows: Vec<Framing>,
    /// One entry a link of the specification; `None` where nothing is captured.
    files: Vec<Option<LinkFile>>,
    bytes: Vec<u8>,
    failed: Option<Error>,
}

impl Recorder {
    /// Opens the files of `links`, indices with paths. `run` says in words which run it is.
    pub(super) fn create(
        spec: &Spec,
        run: &str,
        links: &[(usize, PathBuf)],
        keep: Keep,
    ) -> Result<Self, Error> {
        let flows = (0..spec.flows.len()).map(|index| {
            Framing::new(index, spec).ok_or_else(|| Error::TooLong {
                flow: spec.flows[index].name.to_string(),
            })
        });
        let flows = flows.collect::<Result<_, _>>()?;
        let mut files: Vec<Option<LinkFile>> = Vec::new();
        files.resize_with(spec.links.len(), || None);
        for (link, path) in links {
            let file = open(spec, run, *link, path, keep);
            files[*link] = Some(file.map_err(|source| Error::write(path, source))?);
        }
        Ok(Self {
            end: spec.duration,
            keep,
            flows,
            files,
            bytes: Vec::new(),
            failed: None,
        })
    }

    /// Gives all files their names.
    pub(super) fn finish(self) -> Result<(), Error> {
        if let Some(error) = self.failed {
            return Err(error);
        }
        for file in self.files.into_iter().flatten() {
            let done = file.writer.into_inner().finish();
            done.map_err(|source| Error::write(&file.path, source))?;
        }
        Ok(())
    }
}

fn open(spec: &Spec, run: &str, link: usize, path: &Path, keep: Keep) -> io::Result<LinkFile> {
    let link = &spec.links[link];
    let (from, to) = (&spec.nodes[link.from], &spec.nodes[link.to]);
    let section = Section {
        hardware: "simulated",
        application: concat!("Skywave ", env!("CARGO_PKG_VERSION")),
        comment: &format!(
            "Skywave, {run}. Packets as they are offered to link {} at node {from}, before its queue \
             and its channel; comments say what becomes of them. Time 0 is the start of the run. \
             Payloads are zeros. Lengths are those of the headers written here, with all options; \
             the simulation may have reckoned with others (the scenario's `header`).",
            link.name
        ),
    };
    let interface = Interface {
        name: &link.name,
        description: &format!("simulated link from {from} to {to}, at {from}"),
        snap_length: keep.snap_length(),
    };
    Ok(LinkFile {
        path: path.to_owned(),
        config: Arc::clone(&link.config),
        writer: Writer::new(Draft::create(path)?, &section, &interface)?,
    })
}

impl Observer for Recorder {
    fn on_offer(&mut self, offer: &Offer<'_>) {
        // Links decide ahead; what lies after the end of the run does not happen.
        if offer.at >= self.end || self.failed.is_some() {
            return;
        }
        let Some(file) = &mut self.files[offer.link] else {
            return;
        };
        let framing = &self.flows[offer.packet.flow as usize];
        let keep = self.keep.bytes() as usize;
        let length = framing.write(offer.packet, keep, &mut self.bytes);
        let remarks = Remark::of(offer, &file.config.queue);
        let comments: Vec<&str> = remarks.map(Remark::text).collect();
        let packet = Captured {
            at_ns: offer.at.as_nanos(),
            bytes: &self.bytes,
            length,
            way: None,
            comments: &comments,
        };
        if let Err(source) = file.writer.packet(&packet) {
            self.failed = Some(Error::write(&file.path, source));
        }
    }
}
