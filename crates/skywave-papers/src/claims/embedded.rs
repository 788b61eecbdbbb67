//! The built-in papers, compiled into the program: the folders of `experiments/` with a
//! `claims.toml`, which the build script lists.

/// A paper's files.
pub(super) struct Embedded {
    /// Its folder in `experiments/`.
    pub(super) name: &'static str,
    /// The text of `claims.toml`.
    pub(super) claims: &'static str,
    /// Name and text of each experiment.
    pub(super) experiments: &'static [(&'static str, &'static str)],
}

/// All of them, in the order of their names, in which they are reproduced.
pub(super) const PAPERS: &[Embedded] = include!(concat!(env!("OUT_DIR"), "/papers.rs"));
