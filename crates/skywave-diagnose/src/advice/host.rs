//! The host that sends, and what it has: congestion controls, queue disciplines, and the sender that it uses today.
//!
//! Nothing is loaded or changed to find out; a module that is on the disk counts as one that can be loaded.

use std::fs;
use std::path::Path;

use super::libraries::{LIBRARIES, Library};
use super::senders::SENDERS;

/// Names that a Linux kernel has for its laws.
const KERNEL_LAWS: [&str; 18] = [
    "bbr",
    "bbr3",
    "bic",
    "cdg",
    "cubic",
    "dctcp",
    "highspeed",
    "htcp",
    "hybla",
    "illinois",
    "lp",
    "nv",
    "reno",
    "scalable",
    "vegas",
    "veno",
    "westwood",
    "yeah",
];

/// Sending host that advice is for, and what is known of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Host {
    /// Operating system of the host, or QUIC library of its program.
    pub on: On,
    /// Congestion controls of the host's kernel; `None` if they are not known.
    pub laws: Option<Laws>,
    /// Congestion control that the host's connections use today unless their program chooses another; `None` if it is
    /// not known.
    pub current: Option<Current>,
    /// Names of the queue disciplines (of `tc`) that the host's kernel has or can load; `None` if they are not known.
    pub queues: Option<Vec<String>>,
}

/// Sender (congestion control) that a host uses today, before any advice is followed, and the source of this knowledge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Current {
    /// Name of the congestion control: for TCP as the kernel has it, such as `cubic`; for a QUIC library or
    /// `skywave send` the [`Sender::id`](super::Sender::id), such as `quic-cubic`.
    pub name: String,
    /// Source of the name: `/proc/sys`, the option `--today`, or the name of the user's file (iperf3's JSON) that tells
    /// it.
    pub from: String,
}

/// Operating system of a host, or QUIC library of its program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum On {
    /// Unknown: senders that most hosts have are considered.
    Any,
    /// Linux.
    Linux,
    /// A program with this QUIC library.
    Quic(&'static Library),
}

/// Congestion controls of a Linux kernel, by the names that the kernel gives them, such as `cubic`.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Laws {
    /// Names of the congestion controls that can be chosen without loading a module.
    pub available: Vec<String>,
    /// Names of the congestion controls that programs without privileges may choose; empty if they may choose any, or
    /// if this is not known.
    pub allowed: Vec<String>,
    /// Names of the congestion controls that the kernel's files list as modules or as built in, loaded ones too, and of
    /// other modules `tcp_*` (`diag`); empty if the files are not known.
    pub loadable: Vec<String>,
}

/// Error for a text that describes no host, or names no sender that can be simulated; its message says what was
/// expected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{given}` is no {what}: expected {expected}")]
pub struct BadHost {
    given: String,
    what: &'static str,
    expected: String,
}

impl Laws {
    /// Whether the kernel has the congestion control `law`, or can load it as a module.
    pub fn has(&self, law: &str) -> bool {
        self.available.iter().any(|has| has == law) || self.must_load(law)
    }

    /// Whether the kernel must load the congestion control `law` as a module first; false too if it does not have it at
    /// all.
    pub fn must_load(&self, law: &str) -> bool {
        !self.available.iter().any(|has| has == law) && self.loadable.iter().any(|has| has == law)
    }

    /// Whether programs without privileges may choose the congestion control `law`.
    pub fn allows(&self, law: &str) -> bool {
        self.allowed.is_empty() || self.allowed.iter().any(|has| has == law)
    }
}

impl Host {
    /// Host of which nothing is known.
    pub fn any() -> Self {
        Self::new(On::Any)
    }

    fn new(on: On) -> Self {
        Self {
            on,
            laws: None,
            current: None,
            queues: None,
        }
    }

    /// Host that a user names by a text `on` as for [`Self::parse`]; `linux` means this machine, whose files are read.
    /// `today`, if given, is the [`Sender::id`](super::Sender::id) of the sender that the host uses today. An error if
    /// `on` describes no host or `today` names no sender.
    pub fn named(on: &str, today: Option<&str>) -> Result<Self, BadHost> {
        let host = match on {
            "linux" => Self::read(Path::new("/")),
            text => Self::parse(text)?,
        };
        let Some(today) = today else {
            return Ok(host);
        };
        let known: Vec<&str> = SENDERS.iter().map(|sender| sender.id).collect();
        if !known.contains(&today) {
            return Err(BadHost {
                given: today.to_owned(),
                what: "sender that can be simulated",
                expected: format!("one of {}", known.join(", ")),
            });
        }
        let host = Self {
            current: None,
            ..host
        };
        Ok(host.or_today(today, "--today"))
    }

    /// Parses the description of a host: `any` (nothing is known), `linux` (its congestion controls are not known; no
    /// file is read), `linux:cubic,bbr` (its kernel has these) or `quic:noq` (its program has this QUIC library, one of
    /// [`LIBRARIES`]). An error for any other text or name.
    pub fn parse(text: &str) -> Result<Self, BadHost> {
        let bad = |expected: String| BadHost {
            given: text.to_owned(),
            what: "host",
            expected,
        };
        let (kind, list) = match text.split_once(':') {
            Some((kind, list)) => (kind, Some(list)),
            None => (text, None),
        };
        match (kind, list) {
            ("any", None) => Ok(Self::any()),
            ("linux", None) => Ok(Self::new(On::Linux)),
            ("linux", Some(list)) => {
                let names = list.split([',', ' ']).map(str::trim);
                let available: Vec<String> = names
                    .filter(|name| !name.is_empty())
                    .map(str::to_owned)
                    .collect();
                let is_known = |name: &String| KERNEL_LAWS.contains(&name.as_str());
                if available.is_empty() || !available.iter().all(is_known) {
                    let known = KERNEL_LAWS.join(", ");
                    return Err(bad(format!(
                        "`linux:` and laws of Linux, such as `linux:cubic,bbr`: {known}"
                    )));
                }
                Ok(Self {
                    laws: Some(Laws {
                        available,
                        ..Laws::default()
                    }),
                    ..Self::new(On::Linux)
                })
            }
            ("quic", Some(name)) => Library::named(name)
                .map(|library| Self::new(On::Quic(library)))
                .ok_or_else(|| {
                    let known: Vec<&str> = LIBRARIES.iter().map(|library| library.name).collect();
                    bad(format!("`quic:` and one of {}", known.join(", ")))
                }),
            _ => Err(bad(
                "`any`, `linux`, `linux:cubic,bbr` or `quic:LIBRARY`".into()
            )),
        }
    }

    /// Linux host whose file system is at `root` (`/` for this machine): its congestion controls and queue disciplines
    /// are read from there. Properties that cannot be read stay `None`.
    pub fn read(root: &Path) -> Self {
        let line = |path: &str| {
            let text = fs::read_to_string(root.join(path)).ok()?;
            Some(text.trim().to_owned())
        };
        let tcp = |name: &str| line(&format!("proc/sys/net/ipv4/{name}"));
        let release = line("proc/sys/kernel/osrelease");
        let modules = release.as_deref().and_then(|release| {
            let list = |name: &str| line(&format!("lib/modules/{release}/{name}"));
            // Either of them alone says too little.
            Some(format!(
                "{}\n{}",
                list("modules.dep")?,
                list("modules.builtin")?
            ))
        });
        let modules = modules.as_deref();
        let laws = tcp("tcp_available_congestion_control").map(|available| Laws {
            available: words(&available),
            allowed: words(&tcp("tcp_allowed_congestion_control").unwrap_or_default()),
            loadable: modules.map_or_else(Vec::new, |list| named(list, "/net/ipv4/tcp_")),
        });
        Self {
            laws,
            current: tcp("tcp_congestion_control").map(|name| Current {
                name,
                from: "/proc/sys".to_owned(),
            }),
            queues: modules.map(|list| named(list, "/net/sched/sch_")),
            ..Self::new(On::Linux)
        }
    }

    /// Name of the sender that connections use unless their program chooses another: [`Self::current`] if it is known,
    /// else `cubic`.
    pub fn default_law(&self) -> &str {
        self.current
            .as_ref()
            .map_or("cubic", |current| &current.name)
    }

    /// Host with `name` ([`Current::name`]) as the sender that it uses today, unless [`Self::current`] is known
    /// already; `from` says in words where the name is from.
    #[must_use]
    pub fn or_today(mut self, name: &str, from: &str) -> Self {
        self.current.get_or_insert_with(|| Current {
            name: name.to_owned(),
            from: from.to_owned(),
        });
        self
    }

    /// Whether the kernel is known to lack the queue discipline `name`; false if its modules are not known.
    pub fn lacks_queue(&self, name: &str) -> bool {
        self.queues
            .as_ref()
            .is_some_and(|queues| !queues.iter().any(|has| has == name))
    }
}

fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

/// The names of modules between `prefix` and their endings, in a list of modules' files, each once.
fn named(list: &str, prefix: &str) -> Vec<String> {
    let files = list.lines().map(|line| {
        let file = line.split(':').next().unwrap_or_default();
        file.split_once(prefix)
            .map(|(_, name)| name.split('.').next().unwrap_or_default().to_owned())
    });
    let mut names: Vec<String> = files.flatten().collect();
    names.sort();
    names.dedup();
    names
}

#[cfg(test)]
mod tests;
