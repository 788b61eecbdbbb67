//! Diagnosis of a link: from files with records to what they tell of it.

use std::io;
use std::path::{Path, PathBuf};

use skywave_lab::capture::{ReadError, Summary};

use crate::advice::Finding;
use crate::fit::path::{self, Idle, PathFit, QueueModel, RateModel};
use crate::fit::probes::ProbeFit;
use crate::fit::throughput;
use crate::fit::{Choice, Known};
use crate::goodness::{Goodness, goodness};
use crate::link::{Fits, Link, contradictions};
use crate::record::{self, Mistake, Probes, Record, Throughput};
use crate::transfer::{self, Beside, Capture, Transfer};
use crate::why::{Verdict, Why, is_deep, why};

use source::Source;

/// Transfers of a capture whose paths are fitted: those with the most bytes.
const FITTED: usize = 8;
/// Packets of payload without which a transfer tells nothing of its path.
const FEWEST: usize = 20;

/// Result of reading the records of one link (captures, pings, throughput tests, traces of rates): the estimated link,
/// the fits, the transfers and why they were slow.
#[derive(Clone, Debug)]
pub struct Diagnosis {
    /// Link estimated from all records together.
    pub link: Link,
    /// Models fitted to each record (pings, a transfer, a throughput test) by itself, and the traces of rates.
    pub fits: Fits,
    /// TCP transfers in the captures, each with the name of its file; those with the most bytes first.
    pub transfers: Vec<Observed>,
    /// Counts of the packets and connections of each capture, beside the name of its file (`a + b` for captures that
    /// were read as one).
    pub captures: Vec<(String, Summary)>,
    /// Comparisons of the last third of records with a link fitted to their first two thirds.
    pub goodness: Vec<Goodness>,
    /// Congestion control that a record names (iperf3's JSON does), and the name of the record's file; `None` if no
    /// record names one.
    pub sender: Option<(String, String)>,
    /// Remarks on the records, each a sentence.
    pub notes: Vec<String>,
}

/// Transfer of a capture, with its path and why it was not faster.
#[derive(Clone, Debug)]
pub struct Observed {
    /// Name of the capture's file, without its folder (`a + b` for captures that were read as one).
    pub file: String,
    /// Data of one direction of a TCP connection.
    pub transfer: Transfer,
    /// Network path fitted to the transfer; `None` unless the capture was taken near the sender, shows at least 20
    /// transmissions and a round trip, and the transfer is one of the eight largest of this kind.
    pub path: Option<PathFit>,
    /// Reasons why the transfer was not faster.
    pub why: Why,
}

/// Reason why records cannot be read, or tell nothing.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file that cannot be opened or read.
    #[error("cannot read {}: {source}", path.display())]
    Io {
        /// Path of the file.
        path: PathBuf,
        /// Error of the operating system.
        source: io::Error,
    },
    /// A capture that is damaged.
    #[error("{}: {source}", path.display())]
    Capture {
        /// Path of the file.
        path: PathBuf,
        /// Damage that was found in the capture.
        source: ReadError,
    },
    /// A capture whose packets are not in the order of their times.
    #[error(
        "{}: the times of its packets go back {backward} times: sort them first (reordercap IN OUT, of Wireshark; \
         captures are put together by mergecap)",
        path.display()
    )]
    OutOfOrder {
        /// Path of the file.
        path: PathBuf,
        /// Packets that are before the packet ahead of them.
        backward: u64,
    },
    /// A file that is no record, or one with a mistake.
    #[error("{}: {source}", path.display())]
    Record {
        /// Path of the file.
        path: PathBuf,
        /// Mistake that was found in the record.
        source: Mistake,
    },
    /// A text file of more than 1 GiB, which is not read.
    #[error("{}: more than 1 GiB of text; expected a log of one link", path.display())]
    TooLong {
        /// Path of the file.
        path: PathBuf,
    },
    /// A pipe with more than 1 GiB, which is not read.
    #[error("{}: more than 1 GiB through a pipe; write it into a file, and name that", path.display())]
    TooLongPiped {
        /// Path of the pipe.
        path: PathBuf,
    },
    /// A scenario among records or in a pipe, although a scenario is diagnosed alone and from its file.
    #[error("{}: a scenario is diagnosed alone, from its file, without records beside it", path.display())]
    ScenarioAmongRecords {
        /// Path of the file.
        path: PathBuf,
    },
    /// Records without anything that tells of a link, and without a capture that has packets; the text has remarks on
    /// them.
    #[error("nothing in these records tells of a link: {0}")]
    Nothing(String),
}

impl Diagnosis {
    /// Reads records of one link, fits each, and puts together what they tell. The path `-` is standard input, which,
    /// like any pipe, may have 1 GiB. An error if a file cannot be read, or
    /// if nothing tells of a link and no capture has packets; with such a capture [`Self::is_empty`] is true instead.
    pub fn of(files: &[PathBuf]) -> Result<Self, Error> {
        let mut transfers = Vec::new();
        let mut read = Vec::new();
        let mut told = Told::default();
        let sources = Source::all(files)?;
        let mut seen = Vec::new();
        for source in &sources {
            // A pipe has no place.
            let place = source.path.canonicalize();
            let place = place.unwrap_or_else(|_| source.path.to_owned());
            if seen.contains(&place) {
                let name = source.name.clone();
                told.notes
                    .push(format!("{name} was given twice, and counts once."));
                continue;
            }
            seen.push(place);
            if let Some(capture) = told.add(source)? {
                read.push((source, capture));
            }
        }
        let Told {
            mut fits,
            probes,
            tests,
            sender,
            mut notes,
        } = told;
        let bases = fits.probes.iter().filter_map(|(_, fit)| fit.base.told());
        let base_s = bases.map(|base| base.least().value).reduce(f64::min);
        let tests = tests.into_iter();
        fits.throughputs = tests
            .map(|(name, test)| (name, throughput::fit(&test, base_s)))
            .collect();
        let mut captures = Vec::new();
        let mut halved = Vec::new();
        for (name, capture, lacks_way_back) in joined(read)? {
            if lacks_way_back && capture.transfers.iter().any(|t| t.delivered > 0) {
                notes.push(format!(
                    "{name} shows each acknowledgement when it enters the way back, as Skywave's own captures do: its \
                     round trips lack that way. Pings of the same link tell the base round trip."
                ));
                halved.push(name.clone());
            }
            if capture.is_cut_off {
                notes.push(format!(
                    "{name} ends within a packet; what is there was read."
                ));
            }
            if capture.cut > 0 {
                notes.push(format!(
                    "{name} has not the whole headers of {} TCP packets (snap length), mostly acknowledgements that tell \
                     of losses: these were left out, so that losses, what was sent again and the rate are uncertain. \
                     `tcpdump -s 128` keeps them.",
                    capture.cut
                ));
            }
            let is_unanswered = capture.transfers.iter().all(|t| t.delivered == 0);
            if !capture.transfers.is_empty() && is_unanswered {
                notes.push(format!(
                    "{name} shows one direction: bring the capture of the other one beside it, and more is told."
                ));
            }
            captures.push((name.clone(), capture.summary));
            transfers.extend(capture.transfers.into_iter().map(|transfer| Observed {
                file: name.clone(),
                why: why(&transfer, None),
                transfer,
                path: None,
            }));
        }
        transfers.sort_by_key(|observed| std::cmp::Reverse(observed.transfer.delivered));
        let idle = Idle::of(fits.probes.iter().map(|(_, fit)| fit));
        // The first transfer that had its path to itself.
        let mut alone = None;
        for index in 0..transfers.len() {
            let Observed { file, transfer, .. } = &transfers[index];
            if fits.paths.len() < FITTED
                && transfer.is_near_sender
                && transfer.sent.len() >= FEWEST
                && let Some(mut fit) = path::fit_beside(transfer, idle)
            {
                let same = transfers.iter().filter(|other| other.file == *file);
                match transfer.beside(same.map(|other| &other.transfer)) {
                    Some(beside) => {
                        let is_first = fits.paths.iter().all(|(known, _)| known != file);
                        notes.extend(is_first.then(|| together(file, transfer, beside)));
                        fit.share(transfer, beside);
                    }
                    None => {
                        alone.get_or_insert(index);
                    }
                }
                if halved.contains(file) {
                    fit.base_s = Known::unknown("the capture lacks the way back");
                }
                fits.paths.push((file.clone(), fit.clone()));
                transfers[index].why = why(transfer, Some(&fit));
                transfers[index].path = Some(fit);
            }
        }
        let far = transfers
            .iter()
            .find(|observed| observed.transfer.delivered > 0 && !observed.transfer.is_near_sender);
        if let (true, Some(far)) = (fits.paths.is_empty(), far) {
            notes.push(if halved.contains(&far.file) {
                format!(
                    "nothing of the link is told from {}: without the times of the way back it is not known whether it \
                     was taken at the sender.",
                    far.file
                )
            } else {
                format!(
                    "{} was taken near the receiver: what was lost before it is not in it. A capture at the sender \
                     tells more.",
                    far.file
                )
            });
        }
        if fits.is_empty() && captures.iter().all(|(_, summary)| summary.packets == 0) {
            notes.push(
                "no transfer with round trips, no probes, no throughput, no rates".to_owned(),
            );
            return Err(Error::Nothing(notes.join("; ")));
        }
        notes.extend(contradictions(&fits));
        let fitted = alone.map(|index| &transfers[index]);
        let fitted = fitted.map(|observed| (observed.file.as_str(), &observed.transfer));
        Ok(Self {
            captures,
            link: Link::of(&fits),
            goodness: goodness(&probes, fitted, &fits),
            fits,
            transfers,
            sender,
            notes,
        })
    }
}

impl Diagnosis {
    /// Whether no record tells anything of the link, as with captures of one direction, or without TCP.
    pub fn is_empty(&self) -> bool {
        self.fits.is_empty()
    }

    /// Transfers that a page tells of: up to three with the most bytes, none with less than 1 % of the largest one's.
    pub fn largest(&self) -> impl Iterator<Item = &Observed> {
        const MOST: usize = 3;
        const SMALL: f64 = 0.01;
        let first = self.transfers.first();
        let most = first.map_or(0.0, |first| first.transfer.delivered as f64);
        let largest = self.transfers.iter().take(MOST);
        largest.filter(move |other| other.transfer.delivered as f64 >= SMALL * most)
    }

    /// File names, without folders, of the records that the diagnosis uses: of captures (once for each transfer), then
    /// of probes such as pings, of throughput tests, and of traces of rates.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let transfers = self.transfers.iter().map(|observed| observed.file.as_str());
        let probes = self.fits.probes.iter().map(|(name, _)| name.as_str());
        let tests = self.fits.throughputs.iter().map(|(name, _)| name.as_str());
        let rates = self.fits.rates.iter().map(|(name, _)| name.as_str());
        transfers.chain(probes).chain(tests).chain(rates)
    }
}

/// Knowledge of the link's rate on which advice can be based.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Basis {
    /// The rate is known.
    Told,
    /// Only a lower bound of the rate is known.
    Least,
    /// No record tells of any rate.
    Nothing,
}

impl Diagnosis {
    /// Knowledge of the link's rate that advice would be based on.
    pub fn basis(&self) -> Basis {
        match (&self.link.rate.known, self.link.at_least_bps) {
            (Known::Told(_), _) => Basis::Told,
            (Known::Unknown(_), Some(bps)) if bps > 0.0 => Basis::Least,
            _ => Basis::Nothing,
        }
    }

    /// Whether packets were lost of which no model was found: neither of a queue, nor of the channel.
    pub fn has_untold_losses(&self) -> bool {
        let mut lost = self
            .fits
            .throughputs
            .iter()
            .filter_map(|(_, fit)| fit.lost.told());
        self.link.losses.known.told().is_none()
            && self.link.queue.known.told().is_none()
            && lost.any(|share| share.value > 0.0)
    }

    /// Trouble with the link and with its largest transfer that settings may mend: a policer, a deep queue, and what
    /// held the transfer up.
    pub fn findings(&self) -> Vec<Finding> {
        let link = &self.link;
        let base_s = link.base_s.known.told().map_or(0.0, |base| base.value);
        let rate_bps = match link.rate.known.told() {
            Some(RateModel::Constant(rate, _)) => Some(rate.value),
            Some(RateModel::Recorded(recorded)) => Some(recorded.typical_bps),
            None => link.at_least_bps,
        };
        let mut findings = Vec::new();
        if let Some(policer) = link.policer.as_ref().and_then(|found| found.known.told()) {
            let rate_bps = policer.bps.value;
            findings.push(Finding::Policer { rate_bps });
        }
        let queue = link.queue.known.told().map(Choice::best);
        if let (Some(QueueModel::DropTail { bytes }), Some(rate_bps)) = (queue, rate_bps)
            && is_deep(bytes.value * 8.0 / rate_bps, base_s)
        {
            findings.push(Finding::DeepQueue {
                ours: false,
                rate_bps,
            });
        }
        let bdp_bytes = rate_bps.unwrap_or(0.0) * base_s / 8.0;
        // The transfer with the most bytes tells what holds this link's transfers up.
        findings.extend(self.transfers.first().and_then(|o| match o.why.verdict {
            Verdict::ReceiveWindow => Some(Finding::ReceiveWindow { bdp_bytes }),
            Verdict::SendBuffer => Some(Finding::SendBuffer { bdp_bytes }),
            Verdict::ShortFlow => Some(Finding::ShortFlows),
            Verdict::Application => Some(Finding::Application),
            Verdict::SlowReceiver => Some(Finding::SlowReceiver),
            Verdict::Timeouts => Some(Finding::Timeouts { rtt_s: base_s }),
            Verdict::Spurious => Some(Finding::Reordering),
            _ => None,
        }));
        findings
    }
}

/// Whether a file is a scenario with a link rather than a record; an error if it cannot be read. A pipe, which can be
/// read only once, is none.
pub fn is_scenario(path: &Path) -> Result<bool, Error> {
    if source::is_piped(path)? {
        return Ok(false);
    }
    let source = Source::new(path)?;
    if source.capture()?.is_some() {
        return Ok(false);
    }
    let text = source.text()?;
    Ok(matches!(record::read(&text), Ok(records) if records.contains(&Record::Link)))
}

/// Captures with the names of their files, and whether they lack the way back. Those that have one direction each, as our
/// own have, are read as one.
fn joined(captures: Vec<(&Source<'_>, Capture)>) -> Result<Vec<(String, Capture, bool)>, Error> {
    let is_half = |capture: &Capture| capture.transfers.iter().all(|t| t.delivered == 0);
    if captures.len() < 2 || !captures.iter().all(|(_, capture)| is_half(capture)) {
        let named = captures
            .into_iter()
            .map(|(source, capture)| Ok((source.name.clone(), capture, lack_way_back(&[source])?)));
        return named.collect();
    }
    let sources: Vec<&Source<'_>> = captures.iter().map(|(source, _)| *source).collect();
    let files = sources.iter().map(|source| source.capture());
    let files: Vec<Option<_>> = files.collect::<Result<_, _>>()?;
    let files = files.into_iter().flatten().collect();
    let whole = transfer::read_merged(files).map_err(|source| Error::Capture {
        path: sources[0].path.to_owned(),
        source,
    })?;
    let names: Vec<String> = sources.iter().map(|source| source.name.clone()).collect();
    Ok(vec![(names.join(" + "), whole, lack_way_back(&sources)?)])
}

/// Whether captures, read as one, are our own and show acknowledgements at the other end of the link: those of the relay,
/// or of two nodes of a simulation, as the comment at the beginning of the file tells.
fn lack_way_back(files: &[&Source<'_>]) -> Result<bool, Error> {
    let mut nodes = Vec::new();
    for source in files {
        let first = source.beginning()?;
        let told = String::from_utf8_lossy(&first);
        if told.contains("Skywave: packets as they come to the links") {
            return Ok(true);
        }
        let at_node = told
            .split_once("Packets as they are offered to link ")
            .and_then(|(_, rest)| rest.split_once(" at node "))
            .and_then(|(_, node)| node.split_once(", before its queue"));
        nodes.extend(at_node.map(|(node, _)| node.to_owned()));
    }
    Ok(nodes.iter().any(|node| *node != nodes[0]))
}

/// Note that a transfer of a capture shared its path.
fn together(file: &str, transfer: &Transfer, beside: Beside) -> String {
    format!(
        "{file}: while the transfer from {} went on, other connections of its host carried {:.0} % of the bytes. What \
         they share cannot be told from one of them: a capture with one busy connection (iperf3 without -P) tells the \
         rate, the queue and the causes of losses.",
        transfer.from,
        beside.share * 100.0
    )
}

/// Records that have been read so far, but captures.
#[derive(Default)]
struct Told {
    fits: Fits,
    /// Probes with the names of their files.
    probes: Vec<(String, Probes)>,
    /// Throughput tests, which are fitted beside the probes.
    tests: Vec<(String, Throughput)>,
    sender: Option<(String, String)>,
    notes: Vec<String>,
}

impl Told {
    /// Adds what a record tells; gives a capture, which has to be seen beside the others.
    fn add(&mut self, source: &Source<'_>) -> Result<Option<Capture>, Error> {
        let (path, name) = (source.path, source.name.clone());
        if let Some(capture) = source.capture()? {
            let capture = transfer::read(capture).map_err(|source| Error::Capture {
                path: path.to_owned(),
                source,
            })?;
            if capture.is_out_of_order() {
                return Err(Error::OutOfOrder {
                    path: path.to_owned(),
                    backward: capture.backward,
                });
            }
            return Ok(Some(capture));
        }
        let text = source.text()?;
        let records = record::read(&text).map_err(|source| Error::Record {
            path: path.to_owned(),
            source,
        })?;
        for record in records {
            match record {
                Record::Probes(probes) => {
                    if !probes.is_timed {
                        self.notes.push(format!(
                            "{name} has no times: its probes were taken to be evenly spaced (`ping -D` prints times)."
                        ));
                    }
                    if probes.probes.iter().all(|probe| probe.fate.rtt().is_none()) {
                        self.notes.push(format!(
                            "{name}: none of its {} probes came back: the link was down, or nobody answers there. It \
                             tells no more, and was left out.",
                            probes.probes.len()
                        ));
                        continue;
                    }
                    let fit = ProbeFit::new(&probes);
                    self.fits.probes.push((name.clone(), fit));
                    self.probes.push((name.clone(), probes));
                }
                Record::Throughput(test) => {
                    if let (None, Some(law)) = (&self.sender, &test.congestion) {
                        self.sender = Some((law.clone(), name.clone()));
                    }
                    self.notes.push(throughput::sentence(&name, &test));
                    self.tests.push((name.clone(), test));
                }
                Record::Rates(rates) => self.fits.rates.push((name.clone(), rates)),
                Record::Qlog(_) => self.notes.push(format!(
                    "{name}: a qlog's packets are not fitted; bring a capture or pings beside it."
                )),
                // What begins as one was read as one.
                Record::Capture => {}
                Record::Link => {
                    return Err(Error::ScenarioAmongRecords {
                        path: path.to_owned(),
                    });
                }
            }
        }
        Ok(None)
    }
}

mod source;
#[cfg(test)]
mod tests;
