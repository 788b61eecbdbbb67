//! From text to values with places: TOML, its mistakes, serde, and the files that a scenario names.

pub(crate) mod de;
pub(crate) mod depth;
pub(crate) mod document;
pub(crate) mod error;
pub(crate) mod fault;
pub(crate) mod files;
pub(crate) mod mistakes;
pub(crate) mod names;
pub(crate) mod preset;
pub(crate) mod spanned;
pub(crate) mod tree;
