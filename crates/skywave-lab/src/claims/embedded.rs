//! The built-in papers, compiled into the program.

/// A paper's files.
pub(super) struct Embedded {
    /// Its folder in `experiments/`.
    pub(super) name: &'static str,
    /// The text of `claims.toml`.
    pub(super) claims: &'static str,
    /// Name and text of each experiment.
    pub(super) experiments: &'static [(&'static str, &'static str)],
}

macro_rules! paper {
    ($name:literal: $($experiment:literal)*) => {
        Embedded {
            name: $name,
            claims: include_str!(concat!("../../../../experiments/", $name, "/claims.toml")),
            experiments: &[
                $(($experiment, include_str!(concat!(
                    "../../../../experiments/", $name, "/", $experiment, ".toml"
                )))),*
            ],
        }
    };
}

/// All of them, in the order in which they are reproduced.
pub(super) const PAPERS: &[Embedded] = &[paper!("cerl":
    "eq3"
    "fig10a"
    "fig10b"
    "fig11a"
    "fig11b"
    "fig13"
    "fig14"
    "fig15"
    "fig16"
    "fig17"
    "fig18"
    "fig19"
    "fig20"
    "fig21"
    "fig4"
    "fig4-loss"
    "fig6"
    "fig7a"
    "fig7a-ends"
    "fig7b"
    "fig8a"
    "fig8b"
    "fig9a"
    "fig9b"
)];
