//! Where a file goes that cannot be read again: once a write has failed, nothing can come out of it any more.

use std::future::pending;
use std::io::{self, Write};

use tokio::sync::oneshot;

use crate::Target;

/// Tells of the first write that fails.
struct Told {
    to: Box<dyn Write + Send>,
    failed: Option<oneshot::Sender<io::Error>>,
}

impl Told {
    fn note<T>(&mut self, result: io::Result<T>) -> io::Result<T> {
        if let Err(error) = &result
            && error.kind() != io::ErrorKind::Interrupted
            && let Some(failed) = self.failed.take()
        {
            let same = error.raw_os_error().map(io::Error::from_raw_os_error);
            let _ = failed.send(same.unwrap_or_else(|| error.kind().into()));
        }
        result
    }
}

impl Write for Told {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.to.write(bytes);
        self.note(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        let flushed = self.to.flush();
        self.note(flushed)
    }
}

/// The same target, and why nothing can come out of it, as soon as that is so.
pub(crate) fn told(target: Target) -> (Target, impl Future<Output = io::Error>) {
    let (sender, failed) = oneshot::channel();
    let target = match target {
        Target::Output(to) => Target::Output(Box::new(Told {
            to,
            failed: Some(sender),
        })),
        folder @ Target::Folder(..) => folder,
    };
    let failed = async {
        match failed.await {
            Ok(error) => error,
            Err(_) => pending().await,
        }
    };
    (target, failed)
}
