//! The space of paths that is searched unless another one is given, compiled into the program.

/// Text of the space.
pub const SPACE: &str = include_str!("../../../experiments/worst/space.toml");

/// File of the space in the repository, as messages name it.
pub const SPACE_FILE: &str = "experiments/worst/space.toml";
