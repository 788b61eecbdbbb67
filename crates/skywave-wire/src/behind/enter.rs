//! The helper: enters the namespaces that hold everything else, and waits.

use std::ffi::OsString;
use std::io::ErrorKind;

use nix::sched::{CloneFlags, unshare};
use rustix::process::{getegid, geteuid};
use rustix::thread::{
    CapabilitySet, capabilities, configure_capability_in_ambient_set, set_capabilities,
};

use super::trouble::{self, Trouble};
use super::{INSIDE, Setup, first, programs, refusal};
use crate::exit::FAILED;

/// Second argument of the helper.
pub(super) const STAGE: &str = "enter";

/// Capabilities that the processes inside need: to make networks and mounts, and to take ports
/// below 1024.
const NEEDED: CapabilitySet = CapabilitySet::SYS_ADMIN
    .union(CapabilitySet::NET_ADMIN)
    .union(CapabilitySet::NET_RAW)
    .union(CapabilitySet::NET_BIND_SERVICE);

/// Arguments of the helper, without the program's name.
pub(super) fn arguments(setup: &Setup) -> Vec<OsString> {
    let mut arguments = vec![INSIDE.into(), STAGE.into()];
    arguments.extend(first::arguments(setup));
    arguments
}

/// Runs the helper with `arguments`, those after its stage. Returns its exit code.
pub(super) fn run(arguments: &[OsString]) -> u8 {
    trouble::report(|_| {
        enter()?;
        let start = Trouble::step("start itself again");
        let first = super::again(INSIDE).ok_or_else(|| ErrorKind::NotFound.into());
        let mut first = first.map_err(&start)?;
        first.args([INSIDE, first::STAGE]).args(arguments);
        // The first process reports by itself how the command ended; this one only has to exist
        // until then.
        let ended = first.status().map_err(&start)?;
        let code = ended.code().and_then(|code| u8::try_from(code).ok());
        Ok(code.unwrap_or(FAILED))
    })
}

/// Moves to new namespaces; processes that are started from now on are in a PID namespace of its own.
fn enter() -> Result<(), Trouble> {
    let around = CloneFlags::CLONE_NEWNS | CloneFlags::CLONE_NEWPID;
    if may() {
        unshare(around).map_err(Trouble::step("make namespaces"))?;
    } else {
        let (user, group) = (geteuid().as_raw(), getegid().as_raw());
        unshare(CloneFlags::CLONE_NEWUSER).map_err(refused)?;
        // Without this the kernel takes no groups from ordinary users.
        map("setgroups", "deny")?;
        map("uid_map", &format!("{user} {user} 1"))?;
        map("gid_map", &format!("{group} {group} 1"))?;
        unshare(around).map_err(refused)?;
        keep_capabilities().map_err(Trouble::step("keep capabilities"))?;
    }
    programs::die_with_parent()
}

/// Whether this user may make namespaces without a user namespace around them.
fn may() -> bool {
    capabilities(None).is_ok_and(|sets| sets.effective.contains(NEEDED))
}

fn refused(error: nix::errno::Errno) -> Trouble {
    Trouble::Refused(refusal::reason(&error.into()))
}

/// Writes one of the tables that say who is who in this user namespace. Everybody stays who he is.
fn map(name: &str, text: &str) -> Result<(), Trouble> {
    let written = std::fs::write(format!("/proc/self/{name}"), text);
    written.map_err(|error| Trouble::Refused(refusal::reason(&error)))
}

/// Lets the programs that are started have the capabilities over this user namespace: ordinary users
/// lose them otherwise.
fn keep_capabilities() -> rustix::io::Result<()> {
    let mut sets = capabilities(None)?;
    sets.inheritable |= NEEDED;
    set_capabilities(None, sets)?;
    for capability in NEEDED.iter() {
        configure_capability_in_ambient_set(capability, true)?;
    }
    Ok(())
}
