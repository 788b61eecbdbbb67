//! Why a law cannot be attached.

use thiserror::Error;

/// Reason why a congestion control law cannot be attached to the kernel's TCP.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum AttachError {
    /// Build of Skywave without an eBPF program for the kernel: without the feature `load`, or not for Linux.
    #[error(
        "this build cannot load programs into the kernel: build it with \
         `cargo build --release -p skywave-cli --features kernel` (needs the headers of libelf and zlib)"
    )]
    NotBuilt,
    /// Refusal of the eBPF program by the kernel.
    #[error("the kernel does not take the program: {what}{}", if *.rights { ": it needs root, or CAP_BPF and CAP_PERFMON" } else { "" })]
    Load {
        /// Reason that the kernel gave.
        what: String,
        /// Whether rights are missing.
        rights: bool,
    },
    /// Name of a congestion control that the kernel has already: another `skywave attach` runs with this law.
    #[error(
        "the kernel has a congestion control `{0}` already: `skywave attach` runs elsewhere with this law"
    )]
    Taken(String),
    /// Name of a map or function that the compiled eBPF program lacks: it was not built from `bpf/law.bpf.c`.
    #[error("the program for the kernel has no `{0}`: it was not built from bpf/law.bpf.c")]
    Part(&'static str),
    /// Trouble with the control group of the command whose connections get the law: there is none, or it takes neither
    /// the command's processes nor the eBPF program.
    #[error("the command cannot have a control group with the law: {0}")]
    Group(String),
    /// Reason why the kernel's messages cannot be read, or memory shared with it cannot be mapped.
    #[error("the kernel's messages cannot be read: {0}")]
    Listen(String),
}
