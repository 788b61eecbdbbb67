//! Failures of verbs, how they are reported, and the exit code.

use std::io::{self, IsTerminal};
use std::net::SocketAddr;
use std::path::PathBuf;

use skywave_kernel::AttachError;
use skywave_lab::capture;
use skywave_lab::experiment::{self, MergeError};
#[cfg(feature = "pdf")]
use skywave_lab::report::NoSuchFont;
use skywave_lab::report::WriteError;
use skywave_lab::scenario::ScenarioError;
use skywave_lab::threads::NoThreads;
use skywave_papers::claims::ClaimsError;
use skywave_papers::file::FileError;
use skywave_papers::maps::MapError;
use skywave_papers::rank::RankError;
use skywave_papers::validate::SetError;
use skywave_papers::validate::live::LiveError;
use skywave_search::SearchError;
use skywave_transfer::key::PublicKey;
use thiserror::Error;

use crate::gap::{GapError, KernelError};
use crate::impair::ImpairError;
use crate::keys::KeyFailure;

/// Why a verb did not do what it was asked to.
#[derive(Debug, Error)]
pub(crate) enum Failure {
    /// A scenario file is wrong.
    #[error(transparent)]
    Scenario(#[from] ScenarioError),
    /// Claims of a paper that are wrong or do not exist.
    #[error(transparent)]
    Claims(#[from] ClaimsError),
    /// Maps of a paper that are wrong or do not exist.
    #[error(transparent)]
    Maps(#[from] MapError),
    /// Figures of all papers.
    #[error("`--only` chooses among the figures of one paper: name it instead of `all`")]
    OnlyOfAll,
    /// A page of Markdown whose blocks cannot be replaced.
    #[error("{}: {why}", .page.display())]
    Page {
        /// The page.
        page: PathBuf,
        /// Mistake in the page, in words.
        why: String,
    },
    /// A folder is no paper.
    #[error("{}: a folder without claims.toml is no paper; to check scenarios, name the files: {}", .0.display(), crate::output::for_shell(.0) + "/*.toml")]
    NoPaper(PathBuf),
    /// A scenario was asked for, and this is something else.
    #[error("{}: this is {what}, not a scenario; it is for `skywave {verb} {}`", path.display(), crate::output::for_shell(given))]
    NoScenario {
        /// The file or folder.
        path: PathBuf,
        /// The kind of file that it is, with its article.
        what: &'static str,
        /// The verb that takes it.
        verb: &'static str,
        /// Argument that fits the other verb.
        given: PathBuf,
    },
    /// A study of paths is wrong.
    #[error(transparent)]
    Rank(#[from] RankError),
    /// A figure cannot have the font that it should.
    #[cfg(feature = "pdf")]
    #[error(transparent)]
    Font(#[from] NoSuchFont),
    /// Memory is too small for the runs.
    #[error("{}: this takes about {takes} of memory, most of it for {keys}; expected at most {most} (--memory raises it)", file.display())]
    Memory {
        /// The scenario.
        file: PathBuf,
        /// Memory that the runs need, in words.
        takes: String,
        /// Memory that they may take, in words.
        most: String,
        /// The keys that decide it.
        keys: &'static str,
    },
    /// Shards cannot be merged.
    #[error(transparent)]
    Merge(#[from] MergeError),
    /// Simulations could not be run or kept.
    #[error(transparent)]
    Experiment(#[from] experiment::Error),
    /// Set of reference rows that is wrong or does not exist.
    #[error(transparent)]
    Set(#[from] SetError),
    /// Fewer rows agree than are required, in these sets.
    #[error("too few rows agree in {}", .0.join(", "))]
    Disagrees(Vec<String>),
    /// Cases that laws fail, where none may.
    #[error("{} failed: {}", skywave_lab::report::number::counted(.0.len(), "case"), .0.join("; "))]
    Fails(Vec<String>),
    /// ns-2 could not be asked.
    #[error(transparent)]
    Live(#[from] LiveError),
    /// A space could not be searched.
    #[error(transparent)]
    Search(SearchError),
    /// A search was interrupted.
    #[error("interrupted: {done} runs are kept in {}; the same command goes on from there", dir.display())]
    SearchInterrupted {
        /// Runs that are kept.
        done: usize,
        /// Where they are kept.
        dir: PathBuf,
    },
    /// Captures could not be made.
    #[error(transparent)]
    Capturing(#[from] capture::Error),
    /// Records of a link could not be read.
    #[error(transparent)]
    Diagnose(#[from] skywave_diagnose::diagnosis::Error),
    /// Senders could not be compared over a link.
    #[error(transparent)]
    Advice(#[from] skywave_diagnose::advice::AdviceError),
    /// Real packets could not be impaired, or were otherwise than asked.
    #[error(transparent)]
    Impair(#[from] ImpairError),
    /// A program that was run ended with this code, which is not 0; it has told the user itself.
    #[error("the program ended with code {0}")]
    Program(u8),
    /// Python, which is needed, could not be started.
    #[error("{}: {}; --dask and --store need Python with `pip install 'skywave[dask]'`: expected it as `python3`, or its name in SKYWAVE_PYTHON", program.display(), of_program(source))]
    Python {
        /// The program.
        program: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// A path could not be compared with its simulation.
    #[error(transparent)]
    Gap(#[from] GapError),
    /// The kernel's TCP could not be compared with its simulation.
    #[error(transparent)]
    Kernel(#[from] KernelError),
    /// The kernel did not take a law.
    #[error(transparent)]
    Attach(#[from] AttachError),
    /// A file could not be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// A key, or a file of keys, is wrong.
    #[error(transparent)]
    Key(#[from] KeyFailure),
    /// A file with several keys where one is wanted.
    #[error("{0}: several keys: expected the receiver's alone")]
    SeveralPeers(String),
    /// An address is none.
    #[error("{text}: {why}; expected HOST:PORT, such as 203.0.113.7:4747")]
    Address {
        /// Text given as the address.
        text: String,
        /// Mistake in the address, in words.
        why: String,
    },
    /// Files cannot be put into a folder.
    #[error("{}: {}; expected a folder to put files into", path.display(), of_folder(source))]
    Folder {
        /// The folder.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// A new file cannot be in a folder that is none.
    #[error("cannot write {}: there is no folder {}", path.display(), dir.display())]
    NoFolder {
        /// The file.
        path: PathBuf,
        /// The folder.
        dir: PathBuf,
    },
    /// A new file would take the place of another one.
    #[error("{}: it is there already, and stays as it is; choose another name", .0.display())]
    Exists(PathBuf),
    /// A socket could not be opened.
    #[error("cannot listen at {address}: {source}")]
    Bind {
        /// Where.
        address: SocketAddr,
        /// Why not.
        source: io::Error,
    },
    /// Arguments do not fit together.
    #[error("{0}")]
    Usage(String),
    /// Something that is named cannot be sent.
    #[error("{}: {why}", path.display())]
    Source {
        /// The argument that names it.
        path: PathBuf,
        /// Why not.
        why: String,
    },
    /// Files could not be moved over QUIC.
    #[error(transparent)]
    Transfer(skywave_transfer::Error),
    /// The other side does not know this host's key.
    #[error(
        "{why}; to be let in by a key, give the other side this host's, for its option --allow {this}"
    )]
    NotLetIn {
        /// Refusal in the other side's words.
        why: String,
        /// Public key of this host.
        this: PublicKey,
    },
    /// Some files could not.
    #[error("{failed} of {all} files were not {verb}")]
    Files {
        /// Files that the receiver does not have.
        failed: usize,
        /// All files.
        all: usize,
        /// Participle of what was to be done with the files: `sent`, `received`.
        verb: &'static str,
    },
    /// Ctrl-C while sending.
    #[error("interrupted; the same command goes on from there")]
    SendInterrupted,
    /// Ctrl-C while receiving.
    #[error("stopped; files that arrived: {arrived}")]
    RecvInterrupted {
        /// Files that have arrived.
        arrived: usize,
    },
    /// Scripts did not go as they should.
    #[error("{} failed", skywave_lab::report::number::counted(*.0, "script"))]
    Scripts(usize),
    /// Standard output is gone: the reader has seen enough.
    #[error("standard output was closed")]
    Closed,
    /// Ctrl-C.
    #[error("interrupted: {done} of {total} runs are kept in {}; the same command goes on from there", dir.display())]
    Interrupted {
        /// Runs finished.
        done: usize,
        /// Runs of the experiment.
        total: usize,
        /// Where they are kept.
        dir: PathBuf,
    },
}

impl Failure {
    /// Tells the user and gives the exit code.
    pub(crate) fn report(&self) -> u8 {
        match self {
            Self::Scenario(error) => tell(&error.render(io::stderr().is_terminal())),
            Self::Claims(
                ClaimsError::Scenario(error)
                | ClaimsError::File(FileError::Mistake { shown: error, .. }),
            )
            | Self::Rank(
                RankError::Scenario(error)
                | RankError::File(FileError::Mistake { shown: error, .. }),
            )
            | Self::Set(
                SetError::Scenario(error) | SetError::File(FileError::Mistake { shown: error, .. }),
            )
            | Self::Live(LiveError::Set(SetError::Scenario(error))) => {
                tell(&error.render(io::stderr().is_terminal()));
            }
            Self::Closed | Self::Program(_) => {}
            other => tell(&format!("skywave: {other}\n")),
        }
        match self {
            Self::Impair(error) => error.code(),
            Self::Program(code) => *code,
            Self::Attach(_) => skywave_wire::exit::FAILED,
            Self::Gap(error) if error.is_usage() => 2,
            Self::Gap(error) if error.is_stopped() => 130,
            Self::Kernel(error) => error.code(),
            Self::Scenario(_)
            | Self::Claims(_)
            | Self::Maps(_)
            | Self::OnlyOfAll
            | Self::Page { .. }
            | Self::NoPaper(_)
            | Self::NoScenario { .. }
            | Self::Rank(_)
            | Self::Set(_)
            | Self::Key(_)
            | Self::SeveralPeers(_)
            | Self::Address { .. }
            | Self::Usage(_)
            | Self::Memory { .. }
            | Self::Folder { .. }
            | Self::Exists(_)
            | Self::Search(SearchError::Space(_))
            | Self::Capturing(capture::Error::UnknownLink { .. })
            | Self::Live(LiveError::NoSetting { .. } | LiveError::Set(_)) => 2,
            #[cfg(feature = "pdf")]
            Self::Font(_) => 2,
            Self::Interrupted { .. }
            | Self::SendInterrupted
            | Self::SearchInterrupted { .. }
            | Self::RecvInterrupted { .. }
            | Self::Capturing(capture::Error::Cancelled)
            | Self::Live(LiveError::Interrupted) => 130,
            Self::Experiment(_)
            | Self::Search(_)
            | Self::Merge(_)
            | Self::Capturing(_)
            | Self::Diagnose(_)
            | Self::Advice(_)
            | Self::Python { .. }
            | Self::Gap(_)
            | Self::Write(_)
            | Self::NoFolder { .. }
            | Self::Bind { .. }
            | Self::Source { .. }
            | Self::Transfer(_)
            | Self::NotLetIn { .. }
            | Self::Files { .. }
            | Self::Scripts(_)
            | Self::Closed
            | Self::Disagrees(_)
            | Self::Fails(_)
            | Self::Live(_) => 1,
        }
    }
}

impl From<SearchError> for Failure {
    fn from(error: SearchError) -> Self {
        match error {
            SearchError::Experiment(error) => Self::Experiment(error),
            other => Self::Search(other),
        }
    }
}

impl From<NoThreads> for Failure {
    fn from(error: NoThreads) -> Self {
        Self::Experiment(error.into())
    }
}

/// Tells the user, if there is anybody.
fn tell(text: &str) {
    crate::print::last(text);
}

fn of_program(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "there is no such program".to_owned(),
        _ => error.to_string(),
    }
}

fn of_folder(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "it is not there".to_owned(),
        io::ErrorKind::NotADirectory => "it is a file".to_owned(),
        io::ErrorKind::PermissionDenied => "it may not be written to".to_owned(),
        _ => error.to_string(),
    }
}

/// Errors of writing to standard output.
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            return Self::Closed;
        }
        Self::Write(WriteError {
            path: PathBuf::from("standard output"),
            source: error,
        })
    }
}
