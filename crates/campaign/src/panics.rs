//! Panics as messages.

use std::any::Any;
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook};

thread_local! {
    static PLACE: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Keeps panics off the standard error stream and remembers where they come from, for the whole process. A campaign
/// reports the panics that it caught; call this once before it. A build that aborts catches nothing and keeps its hook.
pub fn silence() {
    if cfg!(panic = "abort") {
        return;
    }
    set_hook(Box::new(|info| {
        let place = info.location().map(|place| format!("{}:{}", place.file(), place.line()));
        PLACE.with(|slot| *slot.borrow_mut() = place);
    }));
}

/// Run something; a panic becomes its message and, where [`silence`] was called, its place.
pub fn caught<T>(run: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(run)).map_err(|payload| {
        let place = PLACE.with(|slot| slot.borrow_mut().take());
        let text = text(payload.as_ref());
        place.map_or(text.clone(), |place| format!("{text} at {place}"))
    })
}

fn text(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().map(|text| text.to_string());
    text.or_else(|| payload.downcast_ref::<String>().cloned())
        .unwrap_or("a panic without a message".to_string())
}
