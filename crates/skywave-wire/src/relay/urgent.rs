//! A relay's thread before all others.

use thread_priority::unix::{set_thread_priority_and_policy, thread_native_id};
use thread_priority::{
    RealtimeThreadSchedulePolicy, ThreadPriority, ThreadPriorityValue, ThreadSchedulePolicy,
};

/// Above every ordinary thread, below what a system has at its own real-time priorities.
const PRIORITY: u8 = 10;

/// Asks the kernel to run this thread before all ordinary ones (`SCHED_FIFO`), as `chrt -f 10` does. Returns whether
/// the kernel does so: it requires root's rights, or a limit of real-time priority (`RLIMIT_RTPRIO`). Threads and
/// processes that this thread starts inherit the priority.
pub fn urgent() -> bool {
    let Ok(priority) = ThreadPriorityValue::try_from(PRIORITY) else {
        return false;
    };
    let policy = ThreadSchedulePolicy::Realtime(RealtimeThreadSchedulePolicy::Fifo);
    let priority = ThreadPriority::Crossplatform(priority);
    set_thread_priority_and_policy(thread_native_id(), priority, policy).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Priority and policy of this thread (proc_pid_stat(5), fields 40 and 41).
    fn of_this_thread() -> [u32; 2] {
        let line = std::fs::read_to_string("/proc/thread-self/stat").unwrap();
        // The name may have spaces; field 3 follows it.
        let (_, fields) = line.rsplit_once(") ").unwrap();
        let fields: Vec<&str> = fields.split(' ').collect();
        [fields[37], fields[38]].map(|field| field.parse().unwrap())
    }

    #[test]
    fn what_it_tells_is_so() {
        let before = of_this_thread();
        let thread = std::thread::spawn(|| (urgent(), of_this_thread()));
        let (is_urgent, after) = thread.join().unwrap();
        let fifo = 1;
        let expected = if is_urgent {
            [u32::from(PRIORITY), fifo]
        } else {
            before
        };
        assert_eq!(after, expected);
        assert_eq!(of_this_thread(), before);
    }
}
