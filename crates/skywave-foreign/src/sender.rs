//! The senders, by name.

use std::fmt;
use std::sync::Arc;

use noq_proto::congestion as noq_laws;
use quinn_proto::congestion as quinn_laws;
use skywave_quic::Law;
use thiserror::Error;

use crate::{noq, quinn};

/// A QUIC sender of another library: which library, noq or quinn, and which congestion control law its connections
/// have.
#[derive(Clone)]
pub struct Sender {
    name: String,
    laws: Arc<dyn Fn(u64) -> Laws + Send + Sync>,
}

/// A library's laws.
pub(crate) enum Laws {
    Noq(noq::Laws),
    Quinn(quinn::Laws),
}

/// Error of [`parse`]: a name that none of the [`senders`] has.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("no other library's sender is called \"{asked}\"; there are {}", senders().collect::<Vec<_>>().join(", "))]
pub struct Unknown {
    /// Name that was given to [`parse`].
    pub asked: String,
}

/// A sender's name, and what makes its laws by a seed.
type Named = (&'static str, fn(u64) -> Laws);

const SENDERS: [Named; 6] = [
    ("noq:cubic", |_| noq(noq_laws::CubicConfig::default())),
    ("noq:reno", |_| noq(noq_laws::NewRenoConfig::default())),
    ("noq:bbr3", |seed| noq(noq::SeededBbr3(seed))),
    ("quinn:cubic", |_| quinn(quinn_laws::CubicConfig::default())),
    (
        "quinn:reno",
        |_| quinn(quinn_laws::NewRenoConfig::default()),
    ),
    ("quinn:bbr", |_| quinn(quinn_laws::BbrConfig::default())),
];

fn noq(laws: impl noq_laws::ControllerFactory + Send + Sync + 'static) -> Laws {
    Laws::Noq(noq::Laws::Any(Arc::new(laws)))
}

fn quinn(laws: impl quinn_laws::ControllerFactory + Send + Sync + 'static) -> Laws {
    Laws::Quinn(Arc::new(laws))
}

/// Names of all senders that [`parse`] knows, each a library and its congestion control law, such as `noq:bbr3`.
pub fn senders() -> impl Iterator<Item = &'static str> {
    SENDERS.iter().map(|(name, _)| *name)
}

/// Sender by its name, in the form `library:law`, such as `quinn:cubic`.
///
/// # Errors
/// [`Unknown`] if none of [`senders`] has it.
pub fn parse(name: &str) -> Result<Sender, Unknown> {
    let found = SENDERS.iter().find(|(known, _)| *known == name);
    let (name, laws) = found.ok_or_else(|| Unknown {
        asked: name.to_owned(),
    })?;
    Ok(Sender {
        name: (*name).to_owned(),
        laws: Arc::new(laws),
    })
}

impl Sender {
    /// Sender `noq:ours:{name}`: the QUIC library noq with `law`, a congestion control of this project. The receiver
    /// reports when packets arrive if the law needs one-way delays.
    pub fn ours(name: &str, law: Law) -> Self {
        Self {
            name: format!("noq:ours:{name}"),
            laws: Arc::new(move |_| Laws::Noq(noq::Laws::Ours(Box::new(law.clone())))),
        }
    }

    /// Sender that runs the QUIC library noq with the congestion controllers that the factory `laws` makes, one for
    /// each connection; its name is `noq:{name}`.
    pub fn noq(name: &str, laws: Arc<dyn noq_laws::ControllerFactory + Send + Sync>) -> Self {
        Self {
            name: format!("noq:{name}"),
            laws: Arc::new(move |_| Laws::Noq(noq::Laws::Any(laws.clone()))),
        }
    }

    /// Sender that runs the QUIC library quinn with the congestion controllers that the factory `laws` makes, one for
    /// each connection; its name is `quinn:{name}`.
    pub fn quinn(name: &str, laws: Arc<dyn quinn_laws::ControllerFactory + Send + Sync>) -> Self {
        Self {
            name: format!("quinn:{name}"),
            laws: Arc::new(move |_| Laws::Quinn(laws.clone())),
        }
    }

    /// Name of the sender in the form `library:law`, such as `noq:bbr3` or `noq:ours:skywave`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The laws of one connection, whose random numbers the seed decides.
    pub(crate) fn laws(&self, seed: u64) -> Laws {
        (self.laws)(seed)
    }
}

impl fmt::Debug for Sender {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Sender").field(&self.name).finish()
    }
}
