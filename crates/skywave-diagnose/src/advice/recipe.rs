//! Commands that give a host a sender: for all connections, for one route, in one program; how to take it back, and how to
//! keep it over a restart.

use serde::Serialize;

use super::host::{Host, On};
use super::libraries::{LIBRARIES, Law};
use super::route::Attributes;
use super::senders::{By, Sender};

/// File of settings that are kept.
const SYSCTL_FILE: &str = "/etc/sysctl.d/90-skywave.conf";

/// How a queue discipline is kept.
pub(super) const HOOK: &str = "the same command in a hook of the network's start";

/// Commands to type for one purpose, such as a change to another congestion control.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Recipe {
    /// Purpose in words, such as the name of the sender that the steps give to a host.
    pub of: String,
    /// Steps that serve the purpose: those whose scope begins with "first" are needed, of the others mostly one.
    pub steps: Vec<Step>,
    /// Remarks on the steps and their effect, each a clause.
    pub notes: Vec<String>,
}

/// Command to type, or some lines of a program or configuration, with how to undo and keep it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Step {
    /// Place where the step acts, in words, as "one route" or "the router".
    pub scope: String,
    /// Command to type, or lines of a program or configuration.
    pub run: String,
    /// Command that takes the step back; `None` if none is needed.
    pub undo: Option<String>,
    /// Command, or words, that make the step last over a restart; `None` if none are needed.
    pub keep: Option<String>,
}

impl Step {
    /// A step that nothing has to take back or keep: a change in a program.
    pub(super) fn once(scope: &str, run: impl Into<String>) -> Self {
        Self {
            scope: scope.to_owned(),
            run: run.into(),
            undo: None,
            keep: None,
        }
    }

    /// A setting of the kernel; `before` is the value that it has or had by default.
    pub(super) fn sysctl(scope: &str, name: &str, value: &str, before: &str) -> Self {
        let quoted = |value: &str| {
            if value.contains(' ') {
                format!("\"{value}\"")
            } else {
                value.to_owned()
            }
        };
        Self {
            scope: scope.to_owned(),
            run: format!("sysctl -w {name}={}", quoted(value)),
            undo: Some(format!("sysctl -w {name}={}", quoted(before))),
            keep: Some(format!("echo '{name} = {value}' >> {SYSCTL_FILE}")),
        }
    }

    /// A queue discipline at the root of a device.
    pub(super) fn queue(scope: &str, device: &str, discipline: &str) -> Self {
        Self {
            scope: scope.to_owned(),
            run: format!("tc qdisc replace dev {device} root {discipline}"),
            undo: Some(format!("tc qdisc del dev {device} root")),
            keep: Some(HOOK.to_owned()),
        }
    }

    /// Attributes of the route to the other side.
    pub(super) fn route(attributes: &Attributes) -> Self {
        let (run, undo) = attributes.commands();
        let mut keep = Vec::new();
        if let Some(law) = &attributes.congctl {
            keep.push(format!("TCPCongestionControlAlgorithm={law}"));
        }
        if let Some((cwnd, rwnd)) = attributes.initial {
            keep.push(format!(
                "InitialCongestionWindow={cwnd} InitialAdvertisedReceiveWindow={rwnd}"
            ));
        }
        if let Some(ms) = attributes.rto_min_ms {
            keep.push(format!("TCPRetransmissionTimeoutSec={ms}ms"));
        }
        Self {
            scope: "one route".to_owned(),
            run,
            undo: Some(undo),
            keep: Some(format!("networkd, [Route]: {}", keep.join(" "))),
        }
    }
}

impl Recipe {
    /// Commands that make `host` use `sender`. `attributes` are the other attributes that are advised for the route,
    /// since one `ip route` command must name them all.
    pub fn of_sender(sender: &Sender, host: &Host, attributes: &Attributes) -> Self {
        let (steps, notes) = match sender.by {
            By::Kernel(law) => of_kernel(law, host, attributes),
            By::Send => (
                vec![
                    Step::once("first, at the other side", "skywave recv --listen 0.0.0.0:4747 --into inbox --code"),
                    Step::once("here", "skywave send FILE HOST:4747 --code CODE"),
                ],
                vec!["moves files and folders; a program of your own has the law by skywave_quic::Law".to_owned()],
            ),
            By::Quic(law) => of_quic(law, host),
        };
        Self {
            of: sender.name.to_owned(),
            steps,
            notes,
        }
    }
}

fn of_kernel(law: &str, host: &Host, attributes: &Attributes) -> (Vec<Step>, Vec<String>) {
    let now = host.default_law();
    if law == now {
        return (Vec::new(), vec!["there is nothing to type".to_owned()]);
    }
    let mut steps = Vec::new();
    let mut notes = Vec::new();
    let built_in = matches!(law, "cubic" | "reno");
    let must_load = match &host.laws {
        Some(laws) => laws.must_load(law),
        None => !built_in,
    };
    if must_load {
        steps.push(Step {
            scope: "first".to_owned(),
            run: format!("modprobe tcp_{law}"),
            undo: None,
            keep: Some(format!(
                "echo tcp_{law} > /etc/modules-load.d/90-skywave.conf"
            )),
        });
    }
    let setting = "net.ipv4.tcp_congestion_control";
    steps.push(Step::sysctl("all new connections", setting, law, now));
    steps.push(Step::route(&Attributes {
        congctl: Some(law.to_owned()),
        ..attributes.clone()
    }));
    steps.push(Step::once(
        "one program",
        format!(
            "setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, \"{law}\", {})",
            law.len()
        ),
    ));
    if host.laws.as_ref().is_some_and(|laws| !laws.allows(law)) {
        notes.push(format!(
            "programs without privileges may not choose it: sysctl -w net.ipv4.tcp_allowed_congestion_control=\"{} {law}\"",
            host.laws.as_ref().map_or(String::new(), |laws| laws.allowed.join(" "))
        ));
    }
    notes.push(
        "nginx and other servers take the setting for connections that come after it".to_owned(),
    );
    if law.starts_with("bbr") && !host.lacks_queue("fq") {
        notes.push(
            "tc qdisc replace dev DEV root fq paces with less work than TCP's own timer".to_owned(),
        );
    }
    (steps, notes)
}

fn of_quic(law: Law, host: &Host) -> (Vec<Step>, Vec<String>) {
    let libraries: Vec<_> = match host.on {
        On::Quic(library) => vec![library],
        _ => LIBRARIES.iter().take(3).collect(),
    };
    let steps = libraries.into_iter().filter_map(|library| {
        let option = library.option(law)?;
        Some(Step::once(library.name, option))
    });
    (
        steps.collect(),
        vec!["options change between versions of a library".to_owned()],
    )
}

#[cfg(test)]
mod tests;
