//! What a plugin was set going: a transfer, a run. It is waited for by who wants to know, and by who lets go of memory
//! that the plugin still reads or writes.
//!
//! A wait looks now and then whether somebody asked to stop, or another process of the job is lost. Then nobody waits
//! any more: memory that is lent, and the client with all it has, are left to the end of the process.

use crate::abi::{self, Arguments};
use crate::call::{call, taken};
use crate::client::Client;
use crate::error::{PluginError, Trouble};
use crate::library::Plugin;
use meshwright_runtime::{Buffer, interrupt};
use std::ffi::c_void;
use std::ptr::NonNull;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Something under way.
pub struct Pending {
    client: Arc<Client>,
    /// `None` once it is known how it went.
    event: Option<NonNull<abi::Event>>,
    /// What was called.
    function: &'static str,
    /// Memory that is lent to the plugin meanwhile.
    lent: Option<Arc<Buffer>>,
}

// SAFETY: the interface says that events may be used from all threads.
unsafe impl Send for Pending {}

impl Pending {
    /// # Safety
    /// The event is null, or of this client, and nobody else will destroy it.
    pub unsafe fn new(
        client: &Arc<Client>,
        event: *mut abi::Event,
        function: &'static str,
        lent: Option<Arc<Buffer>>,
    ) -> Pending {
        Pending { client: client.clone(), event: NonNull::new(event), function, lent }
    }

    /// Wait for its end, and be told how it went. Asked again, it says that all is well.
    pub fn wait(&mut self) -> Result<(), PluginError> {
        let Some(event) = self.event.take() else { return Ok(()) };
        // SAFETY: the event is alive, ours, and destroyed below at the earliest.
        if let Err(trouble) = unsafe { over(&self.client, event) } {
            self.client.abandon();
            std::mem::forget(self.lent.take());
            return Err(self.client.failed(trouble));
        }
        // SAFETY: as above; it is not used after this.
        let outcome = unsafe { ended(&self.client, event, self.function) };
        self.lent = None;
        outcome
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        let Some(event) = self.event.take() else { return };
        if self.client.is_abandoned() {
            return std::mem::forget(self.lent.take());
        }
        if self.lent.is_some() {
            // Memory is lent: it is waited for, whatever came of it.
            // SAFETY: the event is alive and ours; it is not used after this.
            let _ = unsafe { ended(&self.client, event, self.function) };
        } else {
            let mut end = abi::EventDestroy { event: event.as_ptr(), ..abi::EventDestroy::EMPTY };
            // SAFETY: as above. Nobody is left who could be told of an error.
            let _ = unsafe { call(self.client.api(), &mut end) };
        }
    }
}

/// How it went, waited for without looking up; the event is destroyed.
///
/// # Safety
/// The event is alive and of this client, and nobody uses it after this.
unsafe fn ended(
    client: &Client,
    event: NonNull<abi::Event>,
    function: &'static str,
) -> Result<(), PluginError> {
    let event = event.as_ptr();
    let mut wait = abi::EventAwait { event, ..abi::EventAwait::EMPTY };
    let mut end = abi::EventDestroy { event, ..abi::EventDestroy::EMPTY };
    // SAFETY: as the caller promises.
    let waited = unsafe {
        let waited = call(client.api(), &mut wait);
        let _ = call(client.api(), &mut end);
        waited
    };
    waited.map_err(|trouble| match trouble {
        // The wait went well: it is what was waited for that did not.
        Trouble::Refused { code, message, .. } => client.failed(Trouble::Refused { function, code, message }),
        other => client.failed(other),
    })
}

/// How often a wait looks whether somebody asked to stop.
const LOOK: Duration = Duration::from_millis(20);

/// How often it looks whether another process of the job is lost.
const CHECK: Duration = Duration::from_secs(1);

/// Wait until an event has happened; an error if nobody should wait any more.
///
/// # Safety
/// The event is alive and of this client.
unsafe fn over(client: &Client, event: NonNull<abi::Event>) -> Result<(), Trouble> {
    let event = event.as_ptr();
    let mut now = abi::EventIsReady { event, ..abi::EventIsReady::EMPTY };
    // SAFETY: as the caller promises.
    let asked = unsafe { call(client.api(), &mut now) };
    if asked.is_err() || now.is_ready != 0 {
        return Ok(());
    }
    let bell = Arc::new(Bell { plugin: client.plugin(), has_rung: Mutex::new(false), rings: Condvar::new() });
    let mut tell = abi::EventOnReady {
        event,
        callback: Some(ring),
        user_arg: Arc::into_raw(bell.clone()).cast_mut().cast::<c_void>(),
        ..abi::EventOnReady::EMPTY
    };
    // SAFETY: as the caller promises; the function takes what it is given with it, whenever it is called.
    if unsafe { call(client.api(), &mut tell) }.is_err() {
        // SAFETY: who refused will not call.
        drop(unsafe { Arc::from_raw(tell.user_arg.cast::<Bell>()) });
        return Ok(());
    }
    let mut checked = Instant::now();
    let mut has_rung = bell.lock();
    while !*has_rung {
        if interrupt::asked() {
            return Err(Trouble::Interrupted);
        }
        if checked.elapsed() > CHECK {
            client.check_peers()?;
            checked = Instant::now();
        }
        has_rung = bell.rings.wait_timeout(has_rung, LOOK).unwrap_or_else(PoisonError::into_inner).0;
    }
    Ok(())
}

/// Rings when an event has happened. Who listens and the plugin each hold it.
struct Bell {
    plugin: &'static Plugin,
    has_rung: Mutex<bool>,
    rings: Condvar,
}

impl Bell {
    fn lock(&self) -> MutexGuard<'_, bool> {
        self.has_rung.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// # Safety
/// `user_arg` is a bell that was given away for this one call; `error` is null, or the callee's.
unsafe extern "C" fn ring(error: *mut abi::Error, user_arg: *mut c_void) {
    // SAFETY: as the caller promises.
    let bell = unsafe { Arc::from_raw(user_arg.cast::<Bell>()) };
    // SAFETY: as above. How it went is asked of the event itself.
    let _ = unsafe { taken(bell.plugin.api(), "PJRT_Event_OnReady", error) };
    *bell.lock() = true;
    bell.rings.notify_all();
}
