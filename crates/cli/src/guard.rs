//! The last net: a panic is our bug, and the user is told what to send us instead of being shown a backtrace.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, PanicHookInfo};

thread_local! {
    /// What the last panic of this thread said, and where.
    static LAST: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Run `work`; a panic in it becomes an error that says what the panic said, and where. Panics print nothing from
/// here on, in any thread.
pub fn catch<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    std::panic::set_hook(Box::new(|info| LAST.set(Some(describe(info)))));
    // Nothing that the panic may have left half changed is looked at again.
    std::panic::catch_unwind(AssertUnwindSafe(work))
        .map_err(|_| LAST.take().unwrap_or_else(|| "a panic in another thread".into()))
}

fn describe(info: &PanicHookInfo<'_>) -> String {
    let said = info.payload_as_str().unwrap_or("a panic without words");
    match info.location() {
        Some(place) => format!("{said} (at {}:{}:{})", place.file(), place.line(), place.column()),
        None => said.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_an_error_with_its_place() {
        assert_eq!(catch(|| 7), Ok(7));
        let error = catch(|| assert_eq!(1, 2, "numbers differ")).unwrap_err();
        assert!(error.contains("numbers differ"), "{error}");
        assert!(error.contains("guard.rs:"), "{error}");
    }
}
