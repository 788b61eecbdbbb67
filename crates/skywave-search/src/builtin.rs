//! The space of paths that is searched unless another one is given, compiled into the program.

/// Text (TOML) of the built-in space of paths, which is searched unless another one is given.
pub const SPACE: &str = include_str!("../../../experiments/worst/space.toml");

/// File of the built-in space of paths in the repository, as messages name it.
pub const SPACE_FILE: &str = "experiments/worst/space.toml";
