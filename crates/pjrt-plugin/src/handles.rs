//! Handles: numbers that stand for objects as long as nobody destroyed them. A number is never given twice, so a stale
//! handle is always told from a live one.

use crate::fault::Fault;
use std::any::Any;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A type of the interface that stands for an object of ours.
pub trait Handle {
    type Of: Any + Send + Sync;
    const KIND: &'static str;
}

struct Live {
    kind: &'static str,
    object: Arc<dyn Any + Send + Sync>,
}

struct Table {
    last: usize,
    live: BTreeMap<usize, Live>,
}

static TABLE: Mutex<Table> = Mutex::new(Table { last: 0, live: BTreeMap::new() });
static STALE: AtomicUsize = AtomicUsize::new(0);

/// Whoever panicked left the table whole: nothing panics between two changes of it.
fn table() -> MutexGuard<'static, Table> {
    TABLE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// How many handles are alive.
pub fn live() -> usize {
    table().live.len()
}

/// How many calls named a handle that was not alive, or of another kind.
pub fn stale() -> usize {
    STALE.load(Ordering::Relaxed)
}

/// A handle for an object.
pub fn issue<H: Handle>(object: Arc<H::Of>) -> *mut H {
    /// Handles look like addresses of aligned objects: callers may keep bits in them.
    const STEP: usize = 64;
    let mut table = table();
    table.last += STEP;
    let number = table.last;
    table.live.insert(number, Live { kind: H::KIND, object });
    std::ptr::without_provenance_mut(number)
}

/// The object of a handle.
pub fn find<H: Handle>(handle: *const H, what: &str) -> Result<Arc<H::Of>, Fault> {
    let object =
        table().live.get(&handle.addr()).filter(|live| live.kind == H::KIND).map(|live| live.object.clone());
    known::<H>(object, handle, what)
}

/// The object of a handle, which is a handle no longer. It lives on as long as others hold it.
pub fn release<H: Handle>(handle: *const H, what: &str) -> Result<Arc<H::Of>, Fault> {
    let mut table = table();
    let is_there = table.live.get(&handle.addr()).is_some_and(|live| live.kind == H::KIND);
    let object = table.live.remove(&handle.addr()).filter(|_| is_there);
    drop(table);
    known::<H>(object.map(|live| live.object), handle, what)
}

fn known<H: Handle>(
    object: Option<Arc<dyn Any + Send + Sync>>,
    handle: *const H,
    what: &str,
) -> Result<Arc<H::Of>, Fault> {
    if handle.is_null() {
        return Err(Fault::bad(format!("`{what}` is null")));
    }
    object.and_then(|object| object.downcast().ok()).ok_or_else(|| {
        count_stale(format!("`{what}` is no live {}: it was destroyed, or is of another kind", H::KIND))
    })
}

/// The fault of a call that names what is no more.
pub fn count_stale(message: impl Into<String>) -> Fault {
    STALE.fetch_add(1, Ordering::Relaxed);
    Fault::bad(message.into())
}
