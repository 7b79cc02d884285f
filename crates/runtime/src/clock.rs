//! CPU time of this process: what a shared machine measures more fairly than wall time.

/// User and system seconds of all threads so far; 0 where the system does not tell.
#[cfg(unix)]
pub fn cpu_seconds() -> f64 {
    // SAFETY: the struct is plain numbers, which the call fills in.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        match libc::getrusage(libc::RUSAGE_SELF, &mut usage) {
            0 => usage,
            _ => return 0.0,
        }
    };
    let seconds = |time: libc::timeval| time.tv_sec as f64 + time.tv_usec as f64 * 1e-6;
    seconds(usage.ru_utime) + seconds(usage.ru_stime)
}

#[cfg(not(unix))]
pub fn cpu_seconds() -> f64 {
    0.0
}
