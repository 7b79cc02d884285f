//! Makes the n-th file operation of a process fail, for tests: preloaded, it replaces functions of the C library.
//!
//! ```text
//! LD_PRELOAD=libmeshwright_faults.so          (Linux with glibc)
//! MESHWRIGHT_FAULT=fsync:3:28                 the third fsync fails with ENOSPC; `3+` for it and all after it
//! MESHWRIGHT_FAULT=rename:2:kill              the process is killed when it comes to its second rename
//! MESHWRIGHT_FAULT_MARK=/tmp/fired            a file that appears when one fails
//! ```
//!
//! Only files that the process opens by a relative path or below `MESHWRIGHT_FAULT_ROOT` count, so that the loader and
//! the system's own files work. The process itself is unchanged: each of its readers and writers meets the fault where
//! a full disk, a lost mount or a file system without locks would be met.

#[cfg(all(target_os = "linux", target_env = "gnu"))]
mod hooks {
    use libc::{c_char, c_int, c_void, mode_t, off_t, size_t, ssize_t};
    use std::ffi::CStr;
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

    /// A kind of operation that can fail.
    #[derive(Clone, Copy, PartialEq, Eq)]
    enum Kind {
        Open,
        Write,
        Sync,
        Rename,
        Unlink,
        MakeDir,
        Lock,
        Map,
    }

    /// The fault that the environment asks for.
    struct Fault {
        kind: Kind,
        nth: u32,
        /// Every later operation of the kind fails as well.
        stays: bool,
        /// `None`: the process is killed.
        errno: Option<c_int>,
        root: &'static [u8],
        mark: Option<&'static CStr>,
    }

    static COUNT: AtomicU32 = AtomicU32::new(0);

    /// Open files that count, a bit each.
    static COUNTED: [AtomicU64; 16] = [const { AtomicU64::new(0) }; 16];

    fn fault() -> Option<&'static Fault> {
        static FAULT: OnceLock<Option<Fault>> = OnceLock::new();
        FAULT.get_or_init(asked).as_ref()
    }

    fn variable(name: &CStr) -> Option<&'static CStr> {
        // SAFETY: the process does not change its environment before it has threads.
        let value = unsafe { libc::getenv(name.as_ptr()) };
        // SAFETY: variables of the environment end with a zero byte and stay.
        if value.is_null() { None } else { Some(unsafe { CStr::from_ptr(value) }) }
    }

    fn asked() -> Option<Fault> {
        let mut words = variable(c"MESHWRIGHT_FAULT")?.to_str().ok()?.split(':');
        let kind = match words.next()? {
            "open" => Kind::Open,
            "write" => Kind::Write,
            "fsync" => Kind::Sync,
            "rename" => Kind::Rename,
            "unlink" => Kind::Unlink,
            "mkdir" => Kind::MakeDir,
            "flock" => Kind::Lock,
            "mmap" => Kind::Map,
            _ => return None,
        };
        let nth = words.next()?;
        let root = variable(c"MESHWRIGHT_FAULT_ROOT").map_or(&b""[..], CStr::to_bytes);
        Some(Fault {
            kind,
            nth: nth.trim_end_matches('+').parse().ok()?,
            stays: nth.ends_with('+'),
            errno: words.next()?.parse().ok(),
            root,
            mark: variable(c"MESHWRIGHT_FAULT_MARK"),
        })
    }

    /// Whether this operation is the one to fail. Then `errno` is set.
    fn fails(kind: Kind) -> bool {
        let Some(fault) = fault().filter(|fault| fault.kind == kind) else { return false };
        let at = COUNT.fetch_add(1, Ordering::SeqCst) + 1;
        let is_due = at == fault.nth || fault.stays && at > fault.nth;
        if is_due {
            if let Some(mark) = fault.mark {
                leave(mark);
            }
            // SAFETY: every thread has its `errno`, and the signal is this process's own.
            unsafe {
                match fault.errno {
                    Some(errno) => *libc::__errno_location() = errno,
                    None => _ = libc::kill(libc::getpid(), libc::SIGKILL),
                }
            }
        }
        is_due
    }

    /// Makes an empty file.
    fn leave(mark: &CStr) {
        // SAFETY: the path ends with a zero byte.
        unsafe {
            let flags = libc::O_CREAT | libc::O_WRONLY | libc::O_CLOEXEC;
            let file = libc::syscall(libc::SYS_openat, libc::AT_FDCWD, mark.as_ptr(), flags, 0o600);
            libc::syscall(libc::SYS_close, file);
        }
    }

    /// # Safety
    /// `path` ends with a zero byte.
    unsafe fn counts(path: *const c_char) -> bool {
        let Some(fault) = fault() else { return false };
        // SAFETY: the caller's.
        let path = unsafe { CStr::from_ptr(path) }.to_bytes();
        !path.starts_with(b"/") || !fault.root.is_empty() && path.starts_with(fault.root)
    }

    fn bit(file: c_int) -> Option<(&'static AtomicU64, u64)> {
        let file = usize::try_from(file).ok()?;
        Some((COUNTED.get(file / 64)?, 1 << (file % 64)))
    }

    fn is_counted(file: c_int) -> bool {
        bit(file).is_some_and(|(word, bit)| word.load(Ordering::SeqCst) & bit != 0)
    }

    fn set_counted(file: c_int, counts: bool) {
        if let Some((word, bit)) = bit(file) {
            if counts {
                word.fetch_or(bit, Ordering::SeqCst)
            } else {
                word.fetch_and(!bit, Ordering::SeqCst)
            };
        }
    }

    /// Defines a function that fails if it is due, and else calls the C library's of its name.
    macro_rules! hook {
        ($($name:ident($($arg:ident: $ty:ty),*) -> $result:ty, $kind:expr, $counts:expr, $wrong:expr, $then:expr;)*) => {
            $(
                /// # Safety
                /// As the C library's function of this name.
                #[unsafe(no_mangle)]
                pub unsafe extern "C" fn $name($($arg: $ty),*) -> $result {
                    static NEXT: OnceLock<usize> = OnceLock::new();
                    // SAFETY: the name ends with a zero byte, and the caller keeps the function's promises.
                    unsafe {
                        let counts: bool = $counts;
                        if counts && fails($kind) {
                            return $wrong;
                        }
                        let name = concat!(stringify!($name), "\0");
                        let next = *NEXT.get_or_init(|| libc::dlsym(libc::RTLD_NEXT, name.as_ptr().cast()) as usize);
                        let next: unsafe extern "C" fn($($ty),*) -> $result = std::mem::transmute(next);
                        let result = next($($arg),*);
                        let then: fn(bool, &$result) = $then;
                        then(counts, &result);
                        result
                    }
                }
            )*
        };
    }

    const OPENED: fn(bool, &c_int) = |counts, file| set_counted(*file, counts);

    hook! {
        open(path: *const c_char, flags: c_int, mode: mode_t) -> c_int, Kind::Open, counts(path), -1, OPENED;
        open64(path: *const c_char, flags: c_int, mode: mode_t) -> c_int, Kind::Open, counts(path), -1, OPENED;
        write(file: c_int, from: *const c_void, bytes: size_t) -> ssize_t, Kind::Write, is_counted(file), -1, |_, _| ();
        fsync(file: c_int) -> c_int, Kind::Sync, is_counted(file), -1, |_, _| ();
        fdatasync(file: c_int) -> c_int, Kind::Sync, is_counted(file), -1, |_, _| ();
        rename(from: *const c_char, to: *const c_char) -> c_int, Kind::Rename, counts(from), -1, |_, _| ();
        unlink(path: *const c_char) -> c_int, Kind::Unlink, counts(path), -1, |_, _| ();
        unlinkat(dir: c_int, path: *const c_char, flags: c_int) -> c_int, Kind::Unlink, counts(path), -1, |_, _| ();
        rmdir(path: *const c_char) -> c_int, Kind::Unlink, counts(path), -1, |_, _| ();
        mkdir(path: *const c_char, mode: mode_t) -> c_int, Kind::MakeDir, counts(path), -1, |_, _| ();
        flock(file: c_int, operation: c_int) -> c_int, Kind::Lock, is_counted(file), -1, |_, _| ();
    }

    /// # Safety
    /// As the C library's `close`.
    #[unsafe(no_mangle)]
    pub unsafe extern "C" fn close(file: c_int) -> c_int {
        set_counted(file, false);
        // SAFETY: the caller's.
        unsafe { libc::syscall(libc::SYS_close, file) as c_int }
    }

    /// # Safety
    /// As the C library's `mmap`. Memory of no file counts.
    #[unsafe(no_mangle)]
    pub unsafe extern "C" fn mmap(
        at: *mut c_void,
        bytes: size_t,
        access: c_int,
        flags: c_int,
        file: c_int,
        offset: off_t,
    ) -> *mut c_void {
        if flags & libc::MAP_ANONYMOUS != 0 && fails(Kind::Map) {
            return libc::MAP_FAILED;
        }
        // SAFETY: the caller's.
        unsafe { libc::syscall(libc::SYS_mmap, at, bytes, access, flags, file, offset) as *mut c_void }
    }
}
