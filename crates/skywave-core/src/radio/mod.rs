//! Radios: who they are, how frames are modulated, and what reaches whom.

mod address;
mod frame_error;
mod mobility;
mod mode;
mod position;
mod propagation;
mod receiver;

pub use address::Address;
pub use frame_error::{Decoder, survives};
pub use mobility::{
    Command, Mobility, Movements, RandomWaypoint, RandomWaypointConfig, SetdestError,
    SetdestErrorKind, Track, TrackFollower, parse_setdest,
};
pub use mode::{Mode, Preamble};
pub use position::Position;
pub use propagation::{
    Heard, Hearing, PathLoss, Propagation, Ranges, Thresholds, channel_noise_mw, db_to_ratio,
    dbm_to_mw, ratio_to_db, thermal_noise_mw,
};
pub use receiver::{Received, Receiver, Reception, Sensing, Signal};
