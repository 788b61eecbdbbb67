//! Why work that waits for the disk comes to nothing.

use std::io;

use rustix::io::Errno;

use crate::wire::message::Refusal;

/// Why a job came to nothing.
#[derive(Debug)]
pub(crate) enum Trouble {
    Refused(Refusal),
    /// Somebody else has to let go of something first.
    Later,
}

impl From<Refusal> for Trouble {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

impl From<io::Error> for Trouble {
    fn from(error: io::Error) -> Self {
        if is_crowded(&error) {
            return Self::Later;
        }
        let refusal = error
            .get_ref()
            .and_then(|error| error.downcast_ref::<Refusal>());
        Self::Refused(refusal.map_or_else(|| Refusal::io(&error), Refusal::clone))
    }
}

/// Too many files are open.
pub(crate) fn is_crowded(error: &io::Error) -> bool {
    let errno = Errno::from_io_error(error);
    matches!(errno, Some(Errno::MFILE | Errno::NFILE))
}
