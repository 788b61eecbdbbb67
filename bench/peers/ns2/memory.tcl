# Largest resident memory of this process so far in KiB, or "null" where /proc does not tell it. What
# the system tells the parent of a process includes the parent's own memory.
proc peak_kib {} {
    if {[catch {open /proc/self/status} file]} {
        return null
    }
    set status [read $file]
    close $file
    if {[regexp {VmHWM:\s+(\d+)} $status -> peak]} {
        return $peak
    }
    return null
}
