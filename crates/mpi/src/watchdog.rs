//! A watchdog for the end of a rank: a process that is stopped then is ended by the kernel.
//!
//! While MPI runs, peers notice a rank that is stopped ([`within`](crate::within), and collectives). Once MPI has ended
//! nobody waits for a rank but `mpirun`, which waits for ever. So a rank sets a timer of the kernel to kill it, and a
//! thread puts it off again and again. Slow work goes on as long as it takes, as writing results does; a stopped
//! process puts off nothing.

use std::time::Duration;

/// How often the end is put off.
const BEAT: Duration = Duration::from_millis(250);

/// What peers have beyond the deadline to say that they waited, if they still do.
const GRACE: Duration = Duration::from_secs(2);

/// From now on this process does not outlive being stopped for longer than the deadline, and the time that others take
/// to end.
pub fn start(deadline: Duration) {
    let Some(timer) = kernel::Timer::new() else { return };
    let put_off = move || {
        while timer.set(deadline.saturating_add(GRACE)) {
            std::thread::sleep(BEAT);
        }
    };
    // Without a thread to spare there is no watchdog.
    let _ = std::thread::Builder::new().name("watchdog".into()).spawn(put_off);
}

#[cfg(target_os = "linux")]
mod kernel {
    use std::mem::zeroed;
    use std::time::Duration;

    /// Sends SIGKILL to this process, whatever it does then, and goes with it.
    pub struct Timer(libc::timer_t);

    // SAFETY: a handle of the process, which only its owner uses.
    unsafe impl Send for Timer {}

    impl Timer {
        pub fn new() -> Option<Timer> {
            // SAFETY: plain numbers, of which zero is one.
            let (mut event, mut timer) = unsafe { (zeroed::<libc::sigevent>(), zeroed::<libc::timer_t>()) };
            event.sigev_notify = libc::SIGEV_SIGNAL;
            event.sigev_signo = libc::SIGKILL;
            // SAFETY: both places live.
            let code = unsafe { libc::timer_create(libc::CLOCK_MONOTONIC, &mut event, &mut timer) };
            (code == 0).then_some(Timer(timer))
        }

        /// Goes off so long from now, unless it is set again before; whether it was set.
        pub fn set(&self, after: Duration) -> bool {
            // SAFETY: plain numbers, of which zero is one.
            let mut times = unsafe { zeroed::<libc::itimerspec>() };
            times.it_value.tv_sec = libc::time_t::try_from(after.as_secs()).unwrap_or(libc::time_t::MAX);
            times.it_value.tv_nsec = after.subsec_nanos() as libc::c_long;
            // SAFETY: the timer was made and is never deleted; nobody asks for the time that was left.
            unsafe { libc::timer_settime(self.0, 0, &times, std::ptr::null_mut()) == 0 }
        }
    }
}

/// Other systems have no such timer.
#[cfg(not(target_os = "linux"))]
mod kernel {
    use std::time::Duration;

    pub struct Timer;

    impl Timer {
        pub fn new() -> Option<Timer> {
            None
        }

        pub fn set(&self, _: Duration) -> bool {
            false
        }
    }
}
