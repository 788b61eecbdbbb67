//! A transfer, until it is done or Ctrl-C.

use std::io;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use skywave_transfer::key::PublicKey;
use skywave_transfer::{Error, Outcome};

use crate::failure::Failure;
use crate::interrupt;

/// Between two looks whether to stop.
const LOOK: Duration = Duration::from_millis(20);
/// Time for the last packets: they tell the other side that this one is gone.
const FAREWELL: Duration = Duration::from_millis(100);

/// Does the work; nothing if it was interrupted.
pub(crate) fn run(
    work: impl Future<Output = Result<Outcome, Error>>,
) -> Result<Option<Result<Outcome, Error>>, Failure> {
    let stop = interrupt::flag();
    open_many();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()?;
    let done = runtime.block_on(async {
        let interrupted = async {
            while !stop.load(Ordering::SeqCst) {
                tokio::time::sleep(LOOK).await;
            }
        };
        let done = tokio::select! {
            done = work => Some(done),
            () = interrupted => None,
        };
        if done.is_none() {
            tokio::time::sleep(FAREWELL).await;
        }
        done
    });
    // Not waiting for the disk, nor for standard input: what has come is kept.
    runtime.shutdown_background();
    Ok(done)
}

/// Waits until nobody reads standard output any more.
pub(crate) async fn unread() -> io::Error {
    loop {
        let stdout = io::stdout();
        let mut polled = [PollFd::new(&stdout, PollFlags::empty())];
        let ended = PollFlags::ERR | PollFlags::HUP;
        if poll(&mut polled, Some(&Timespec::default())).is_ok()
            && polled[0].revents().intersects(ended)
        {
            return io::ErrorKind::BrokenPipe.into();
        }
        tokio::time::sleep(LOOK).await;
    }
}

/// Lets this process open as many files as it ever may: each that a peer has begun is one.
fn open_many() {
    let limit = getrlimit(Resource::Nofile);
    // It works with fewer, too: whoever comes late waits.
    let _ = setrlimit(
        Resource::Nofile,
        Rlimit {
            current: limit.maximum,
            ..limit
        },
    );
}

/// How a side ends that had files to move; `this` is its key.
pub(crate) fn ended(
    done: Option<Result<Outcome, Error>>,
    this: PublicKey,
    folder: Option<&Path>,
    verb: &'static str,
) -> Result<Outcome, Failure> {
    match done {
        None => Err(Failure::interrupted(
            "interrupted; the same command goes on from there",
        )),
        Some(Ok(Outcome { failed, done, .. })) if failed > 0 => {
            let all = failed + done;
            let why = format!("{failed} of {all} files were not {verb}");
            Err(Failure::failed(why))
        }
        Some(Ok(outcome)) => Ok(outcome),
        Some(Err(Error::Output(error))) => Err(Failure::from(error)),
        Some(Err(Error::Bind(address, error))) => {
            let why = format!("cannot listen at {address}: {error}");
            Err(Failure::failed(why))
        }
        Some(Err(Error::Folder(error))) => Err(no_folder(folder.unwrap_or(Path::new("-")), &error)),
        Some(Err(error @ (Error::NotAllowed | Error::WantsCode))) => {
            let code = match error {
                Error::WantsCode => ": name it with --code",
                _ => "",
            };
            Err(Failure::failed(format!(
                "{error}{code}; to be let in by a key, give the other side this host's, for its option --allow {this}"
            )))
        }
        Some(Err(error)) => Err(Failure::failed(error)),
    }
}

/// The failure of a folder that files cannot be put into.
pub(super) fn no_folder(path: &Path, error: &io::Error) -> Failure {
    let why = match error.kind() {
        io::ErrorKind::NotFound => "it is not there".to_owned(),
        io::ErrorKind::NotADirectory => "it is a file".to_owned(),
        io::ErrorKind::PermissionDenied => "it may not be written to".to_owned(),
        _ => error.to_string(),
    };
    Failure::file(
        path,
        format_args!("{why}; expected a folder to put files into"),
    )
}
