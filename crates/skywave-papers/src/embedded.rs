//! The built-in papers and sets of cases for laws, compiled into the program: the folders of `experiments/` with a
//! `claims.toml`, which the build script lists.

/// A paper's files.
pub(crate) struct Embedded {
    /// Name of the paper's folder in `experiments/`.
    pub(crate) name: &'static str,
    /// The text of `claims.toml`.
    pub(crate) claims: &'static str,
    /// Name and text of each experiment.
    pub(crate) experiments: &'static [(&'static str, &'static str)],
    /// Name and text of each file in its folder of maps.
    pub(crate) maps: &'static [(&'static str, &'static str)],
}

/// The sets of cases for laws, the folders of `experiments/referee/`, in the order of their names.
pub(crate) const SETS: &[Embedded] = include!(concat!(env!("OUT_DIR"), "/sets.rs"));

/// All papers, in the order of their names, in which they are reproduced.
pub(crate) const PAPERS: &[Embedded] = include!(concat!(env!("OUT_DIR"), "/papers.rs"));
