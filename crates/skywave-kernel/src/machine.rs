//! Needs of congestion control laws in the kernel, and what of them this machine has and lacks.

use std::fs;
use std::path::{Path, PathBuf};

/// First Linux in which an ACK tells a congestion control its flags: `cong_control` has four arguments from then on.
const OLDEST: (u32, u32) = (6, 10);

/// Capabilities by their numbers (capability.h).
const CAPABILITIES: [(&str, u32); 5] = [
    ("CAP_NET_ADMIN", 12),
    ("CAP_SYS_ADMIN", 21),
    ("CAP_SYS_NICE", 23),
    ("CAP_PERFMON", 38),
    ("CAP_BPF", 39),
];

/// Verdict on one need of congestion control laws in the kernel: whether this machine meets it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The need is met.
    Good,
    /// The need is not wholly met, but laws can be loaded: something works worse, or must be done in another way.
    Weak,
    /// The need is not met, so that no law can be loaded into the kernel.
    Bad,
}

/// Finding about one need of congestion control laws in the kernel, such as rights or kernel version: a line of
/// `skywave doctor`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Need that was checked, in a word or two, such as "kernel" or "rights".
    pub subject: &'static str,
    /// Verdict on whether this machine meets the need.
    pub verdict: Verdict,
    /// State that was found, in words, and what helps if that is not enough.
    pub what: String,
}

impl Finding {
    fn new(subject: &'static str, verdict: Verdict, what: impl Into<String>) -> Self {
        Self {
            subject,
            verdict,
            what: what.into(),
        }
    }
}

/// Findings on whether this machine can load a congestion control law into the kernel (kernel version, BTF,
/// capabilities, JIT, lockdown, cgroup, priority), from `/proc` and `/sys`, and by making a control group below that of
/// this process and removing it at once, if rights allow; [`trial`] loads a program to find out.
pub fn findings() -> Vec<Finding> {
    let read = |path: &str| {
        fs::read_to_string(path)
            .map(|text| text.trim().to_owned())
            .ok()
    };
    let status = read("/proc/self/status").unwrap_or_default();
    let held = effective(&status);
    let user = read("/proc/self/uid_map").unwrap_or_default();
    vec![
        kernel(read("/proc/sys/kernel/osrelease").as_deref()),
        types(Path::new("/sys/kernel/btf/vmlinux").exists()),
        rights(
            held,
            is_first(&user),
            read("/proc/sys/kernel/unprivileged_bpf_disabled").as_deref(),
        ),
        compiler(read("/proc/sys/net/core/bpf_jit_enable").as_deref()),
        lockdown(read("/sys/kernel/security/lockdown").as_deref()),
        groups(held, own_group().as_deref()),
        priority(held),
    ]
}

/// Finding of a trial, which loads a congestion control into the kernel for a moment and removes it; if the kernel
/// refuses it, the finding has the reason.
pub fn trial() -> Finding {
    const SUBJECT: &str = "trial";
    #[cfg(all(target_os = "linux", feature = "load"))]
    let tried = crate::Law::new("doctor", skywave_core::tcp::CongestionConfig::Reno)
        .map_err(|error| error.to_string())
        .and_then(|law| crate::Attached::new(law).map_err(|error| error.to_string()))
        .map(drop);
    #[cfg(not(all(target_os = "linux", feature = "load")))]
    let tried: Result<(), String> = Err(crate::AttachError::NotBuilt.to_string());
    match tried {
        Ok(()) => Finding::new(SUBJECT, Verdict::Good, "the kernel takes a law"),
        Err(why) => Finding::new(SUBJECT, Verdict::Bad, why),
    }
}

fn kernel(release: Option<&str>) -> Finding {
    let release = release.unwrap_or("unknown");
    let (major, minor) = OLDEST;
    let (verdict, what) = match version(release) {
        Some(found) if found >= OLDEST => (Verdict::Good, format!("Linux {release}")),
        _ => (
            Verdict::Bad,
            format!("{release}: it takes Linux {major}.{minor} or later"),
        ),
    };
    Finding::new("kernel", verdict, what)
}

/// The first two numbers of a release.
fn version(release: &str) -> Option<(u32, u32)> {
    let mut numbers = release.split(|c: char| !c.is_ascii_digit());
    Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
}

fn types(there: bool) -> Finding {
    if there {
        Finding::new("types", Verdict::Good, "/sys/kernel/btf/vmlinux")
    } else {
        let what = "no /sys/kernel/btf/vmlinux: it takes a kernel with CONFIG_DEBUG_INFO_BTF";
        Finding::new("types", Verdict::Bad, what)
    }
}

/// Bits of the capabilities in force, from `/proc/self/status`.
fn effective(status: &str) -> u64 {
    let line = status.lines().find_map(|line| line.strip_prefix("CapEff:"));
    line.and_then(|bits| u64::from_str_radix(bits.trim(), 16).ok())
        .unwrap_or(0)
}

fn has(held: u64, name: &str) -> bool {
    let found = CAPABILITIES.iter().find(|(known, _)| *known == name);
    found.is_some_and(|(_, bit)| held >> bit & 1 == 1)
}

/// Whether a user namespace, of which this is the `uid_map`, is the machine's own.
fn is_first(uid_map: &str) -> bool {
    let numbers: Vec<&str> = uid_map.split_whitespace().collect();
    numbers == ["0", "0", "4294967295"]
}

fn rights(held: u64, is_first: bool, disabled: Option<&str>) -> Finding {
    let lists = ["CAP_BPF", "CAP_PERFMON"].map(|name| (name, has(held, name)));
    let enough = has(held, "CAP_SYS_ADMIN") || lists.iter().all(|(_, has)| *has);
    let (verdict, what) = match (is_first, enough) {
        (false, _) => (
            Verdict::Bad,
            "this is a user namespace, whose rights do not count: run it outside".to_owned(),
        ),
        (true, true) => (
            Verdict::Good,
            "may load programs into the kernel".to_owned(),
        ),
        (true, false) => {
            let missing = lists.iter().filter(|(_, has)| !has).map(|(name, _)| *name);
            let missing: Vec<&str> = missing.collect();
            (
                Verdict::Bad,
                format!(
                    "{} missing: run it as root, or once `sudo setcap cap_bpf,cap_perfmon,cap_net_admin+ep $(command -v skywave)` \
                     (kernel.unprivileged_bpf_disabled = {})",
                    missing.join(" and "),
                    disabled.unwrap_or("unknown")
                ),
            )
        }
    };
    Finding::new("rights", verdict, what)
}

fn compiler(enabled: Option<&str>) -> Finding {
    match enabled {
        // Where it cannot be read it is for root to read, and on by default.
        Some("0") => Finding::new(
            "JIT",
            Verdict::Bad,
            "off: `sysctl -w net.core.bpf_jit_enable=1`",
        ),
        _ => Finding::new("JIT", Verdict::Good, "on"),
    }
}

fn lockdown(mode: Option<&str>) -> Finding {
    match mode {
        Some(mode) if mode.contains("[confidentiality]") => Finding::new(
            "lockdown",
            Verdict::Bad,
            "confidentiality: programs may not read the kernel's memory",
        ),
        _ => Finding::new("lockdown", Verdict::Good, "none that forbids it"),
    }
}

fn groups(held: u64, own: Option<&Path>) -> Finding {
    let may = has(held, "CAP_SYS_ADMIN") || has(held, "CAP_NET_ADMIN");
    match own {
        None => Finding::new(
            "groups",
            Verdict::Weak,
            "no cgroup v2 is mounted: `attach LAW -- COMMAND` does not work, choosing the law by its name does",
        ),
        Some(_) if !may => Finding::new(
            "groups",
            Verdict::Weak,
            "CAP_NET_ADMIN missing: `attach LAW -- COMMAND` does not work, choosing the law by its name does",
        ),
        Some(own) if !takes_groups(own) => Finding::new(
            "groups",
            Verdict::Weak,
            format!(
                "this user may not make groups in {}: `attach LAW -- COMMAND` does not work, choosing the law by its name does",
                own.display()
            ),
        ),
        Some(own) => Finding::new(
            "groups",
            Verdict::Good,
            format!("cgroup v2, {}", own.display()),
        ),
    }
}

/// Whether this user may make a group below another one: tried, and undone.
fn takes_groups(parent: &Path) -> bool {
    let folder = folder_below(parent);
    fs::create_dir(&folder).is_ok() && fs::remove_dir(&folder).is_ok()
}

fn priority(held: u64) -> Finding {
    if has(held, "CAP_SYS_NICE") {
        Finding::new(
            "priority",
            Verdict::Good,
            "may run before ordinary programs",
        )
    } else {
        Finding::new(
            "priority",
            Verdict::Weak,
            "CAP_SYS_NICE missing: on a busy machine answers are late",
        )
    }
}

/// Beginning of the names of the groups that commands have; the process' number follows.
pub(crate) const PREFIX: &str = "skywave-";

/// Folder of this process' group for a command, below another group's.
pub(crate) fn folder_below(parent: &Path) -> PathBuf {
    parent.join(format!("{PREFIX}{}", std::process::id()))
}

/// Path in the file system of the folder of this process's control group (cgroup v2), mount point included; `None` if
/// none is mounted or `/proc` cannot be read.
pub fn own_group() -> Option<PathBuf> {
    let mounts = fs::read_to_string("/proc/self/mounts").ok()?;
    let own = fs::read_to_string("/proc/self/cgroup").ok()?;
    group_of(&mounts, &own)
}

fn group_of(mounts: &str, own: &str) -> Option<PathBuf> {
    let root = mounts.lines().find_map(|line| {
        let mut fields = line.split(' ');
        let (place, kind) = (fields.nth(1)?, fields.next()?);
        (kind == "cgroup2").then_some(place)
    })?;
    let path = own.lines().find_map(|line| line.strip_prefix("0::/"))?;
    Some(Path::new(root).join(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_kernels_are_refused() {
        for (release, verdict) in [
            ("6.18.44-fc-v657", Verdict::Good),
            ("6.10.0", Verdict::Good),
            ("6.9.12", Verdict::Bad),
            ("5.15", Verdict::Bad),
            ("", Verdict::Bad),
        ] {
            assert_eq!(kernel(Some(release)).verdict, verdict, "{release}");
        }
    }

    #[test]
    fn rights_are_read_from_the_status() {
        let both = effective("Name:\tx\nCapEff:\t000000c000000000\n");
        assert_eq!(rights(both, true, None).verdict, Verdict::Good);
        assert_eq!(rights(both, false, None).verdict, Verdict::Bad);
        let one = effective("CapEff:\t0000008000000000");
        let finding = rights(one, true, Some("2"));
        assert_eq!(finding.verdict, Verdict::Bad);
        assert!(
            finding.what.starts_with("CAP_PERFMON missing"),
            "{finding:?}"
        );
        assert!(is_first("         0          0 4294967295\n"));
        assert!(!is_first("0 1000 1"));
    }

    #[test]
    fn the_group_is_below_the_mount() {
        let mounts = "cgroup /c1 cgroup rw 0 0\ncgroup2 /sys/fs/cgroup/unified cgroup2 rw 0 0\n";
        let own = "1:cpu:/a\n0::/user.slice/b\n";
        let expected = Path::new("/sys/fs/cgroup/unified/user.slice/b");
        assert_eq!(group_of(mounts, own).as_deref(), Some(expected));
        assert_eq!(group_of("", own), None);
    }
}
