//! Why work that waits for the disk comes to nothing.

use std::io;

use rustix::io::Errno;
use skywave_wire::transfer::NoRoom;

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

impl From<NoRoom> for Trouble {
    fn from(error: NoRoom) -> Self {
        Self::Refused(error.into())
    }
}

impl From<io::Error> for Trouble {
    fn from(error: io::Error) -> Self {
        if is_crowded(&error) {
            return Self::Later;
        }
        let room = error
            .get_ref()
            .and_then(|error| error.downcast_ref::<NoRoom>());
        Self::Refused(room.map_or_else(|| Refusal::io(&error), |room| room.clone().into()))
    }
}

/// Too many files are open.
pub(crate) fn is_crowded(error: &io::Error) -> bool {
    let errno = Errno::from_io_error(error);
    matches!(errno, Some(Errno::MFILE | Errno::NFILE))
}
