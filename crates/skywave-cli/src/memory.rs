//! Memory that is free for this program: on the machine, and in the container or the job that it runs in.

use std::fs;
use std::path::Path;

/// Where the kernel shows control groups of version 2.
const GROUPS: &str = "/sys/fs/cgroup";

/// Free memory in bytes, where the system tells.
pub(crate) fn available() -> Option<f64> {
    let groups = fs::read_to_string("/proc/self/cgroup").ok();
    let group = groups.as_deref().and_then(own_group);
    let in_group = group.and_then(|group| in_groups(Path::new(GROUPS), group));
    of_machine().into_iter().chain(in_group).reduce(f64::min)
}

fn of_machine() -> Option<f64> {
    let text = fs::read_to_string("/proc/meminfo").ok()?;
    let kib = field(&text, "MemAvailable:")?;
    Some(kib * 1024.0)
}

/// The path of this process's group in the text of /proc/self/cgroup.
fn own_group(text: &str) -> Option<&str> {
    text.lines().find_map(|line| line.strip_prefix("0::/"))
}

/// Bytes that a control group and all groups around it still allow: each of them may have a limit.
fn in_groups(root: &Path, group: &str) -> Option<f64> {
    let own = root.join(group);
    let around = own.ancestors().take_while(|dir| dir.starts_with(root));
    around.filter_map(left).reduce(f64::min)
}

/// Bytes that one control group still allows; `None` if it has no limit. The kernel counts cached files as used, but
/// drops inactive ones when a process needs the memory.
fn left(group: &Path) -> Option<f64> {
    let read = |name: &str| fs::read_to_string(group.join(name)).ok();
    let number = |name: &str| read(name)?.trim().parse::<f64>().ok();
    let most = number("memory.max")?; // or "max"
    let files = read("memory.stat").and_then(|text| field(&text, "inactive_file"));
    let used = number("memory.current").unwrap_or(0.0) - files.unwrap_or(0.0);
    Some((most - used).max(0.0))
}

/// The number after a name at the beginning of a line.
fn field(text: &str, name: &str) -> Option<f64> {
    let rest = text.lines().find_map(|line| line.strip_prefix(name))?;
    rest.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tightest_group_decides() {
        let root = tempfile::tempdir().unwrap();
        let job = root.path().join("slurm/job_7");
        fs::create_dir_all(&job).unwrap();
        let write = |dir: &Path, name, text| fs::write(dir.join(name), text).unwrap();
        assert_eq!(in_groups(root.path(), "slurm/job_7"), None);
        write(&job, "memory.max", "max\n");
        assert_eq!(in_groups(root.path(), "slurm/job_7"), None);
        // A job without a limit of its own, in a group that has one.
        let around = job.parent().unwrap();
        write(around, "memory.max", "4000000000\n");
        write(around, "memory.current", "1500000000\n");
        write(
            around,
            "memory.stat",
            "anon 700000000\ninactive_file 500000000\n",
        );
        assert_eq!(in_groups(root.path(), "slurm/job_7"), Some(3e9));
        write(&job, "memory.max", "2000000000\n");
        write(&job, "memory.current", "2100000000\n");
        assert_eq!(in_groups(root.path(), "slurm/job_7"), Some(0.0));
        // Inside a container its own group is the root.
        write(root.path(), "memory.max", "1000000000\n");
        assert_eq!(in_groups(root.path(), ""), Some(1e9));
    }

    #[test]
    fn a_process_of_both_versions_is_in_a_group_of_version_2() {
        let text = "12:memory:/old\n0::/slurm/job_7\n";
        assert_eq!(own_group(text), Some("slurm/job_7"));
        assert_eq!(own_group("12:memory:/old\n"), None);
    }
}
