//! A relay's thread before all others.

use thread_priority::unix::{set_thread_priority_and_policy, thread_native_id};
use thread_priority::{
    RealtimeThreadSchedulePolicy, ThreadPriority, ThreadPriorityValue, ThreadSchedulePolicy,
};

/// Above every ordinary thread, below what a system has at its own real-time priorities.
const PRIORITY: u8 = 10;

/// Has the kernel run this thread before all ordinary ones (`SCHED_FIFO`), as `chrt -f 10` does, and tells whether
/// it does: it takes root's rights, or a limit of real-time priority (`RLIMIT_RTPRIO`). Threads and processes that
/// this thread starts inherit it.
pub fn urgent() -> bool {
    let Ok(priority) = ThreadPriorityValue::try_from(PRIORITY) else {
        return false;
    };
    let policy = ThreadSchedulePolicy::Realtime(RealtimeThreadSchedulePolicy::Fifo);
    let priority = ThreadPriority::Crossplatform(priority);
    set_thread_priority_and_policy(thread_native_id(), priority, policy).is_ok()
}
