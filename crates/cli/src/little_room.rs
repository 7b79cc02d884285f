//! Starting in little address space (`ulimit -v`).
//!
//! The allocator reserves 1 GiB of addresses at its first allocation, before `main`, if it gets them. With a limit of
//! 1.5 GiB the stack of the working thread then finds no room, while with 1 GiB, where the reservation fails, it does.
//! The reservation cannot be taken back, so the process starts again with a smaller one.

/// The environment variable with the size of the reservation.
const RESERVE: &str = "MIMALLOC_ARENA_RESERVE";
const SMALL: &str = "64M";

/// Replaces this process by one that reserves less, before any work is done. Returns if it already has, or if that
/// fails.
#[cfg(unix)]
pub fn start_again() {
    use std::os::unix::process::CommandExt;
    if std::env::var_os(RESERVE).is_some() {
        return;
    }
    let mut args = std::env::args_os();
    if let (Ok(binary), Some(name)) = (std::env::current_exe(), args.next()) {
        // If this fails, the caller reports why the first start failed.
        let _ = std::process::Command::new(binary).arg0(name).args(args).env(RESERVE, SMALL).exec();
    }
}

#[cfg(not(unix))]
pub fn start_again() {}
