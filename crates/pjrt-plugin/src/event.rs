//! Events: something that will have happened, well or not.

use crate::border::Serve;
use crate::fault::Fault;
use crate::handles::{Handle, find, issue, release};
use meshwright_pjrt::abi::{self, ErrorCode, OnReady};
use std::ffi::c_void;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

#[derive(Default)]
pub struct Event {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    outcome: Option<Result<(), Fault>>,
    told: Vec<Told>,
}

/// Whom to tell.
struct Told {
    callback: OnReady,
    user_arg: *mut c_void,
}

// SAFETY: the caller's argument goes back to the caller's function, on whichever thread that is called.
unsafe impl Send for Told {}

impl Told {
    fn tell(self, outcome: &Result<(), Fault>) {
        let error = match outcome {
            Ok(()) => std::ptr::null_mut(),
            Err(fault) => issue(Arc::new(fault.clone())),
        };
        // SAFETY: a function of the caller's with the argument it wanted; the error is its own from now on.
        unsafe { (self.callback)(error, self.user_arg) };
    }
}

impl Event {
    /// One that has happened.
    pub fn done(outcome: Result<(), Fault>) -> Arc<Event> {
        Arc::new(Event {
            state: Mutex::new(State { outcome: Some(outcome), told: Vec::new() }),
            ..Event::default()
        })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// It has happened.
    pub fn set_outcome(&self, outcome: Result<(), Fault>) {
        let mut state = self.state();
        state.outcome = Some(outcome.clone());
        let told = std::mem::take(&mut state.told);
        drop(state);
        self.changed.notify_all();
        told.into_iter().for_each(|told| told.tell(&outcome));
    }

    fn outcome(&self) -> Option<Result<(), Fault>> {
        self.state().outcome.clone()
    }

    /// Its outcome, waited for.
    pub fn waited(&self) -> Result<(), Fault> {
        let mut state = self.state();
        loop {
            if let Some(outcome) = &state.outcome {
                return outcome.clone();
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn when_ready(&self, told: Told) {
        let mut state = self.state();
        let Some(outcome) = state.outcome.clone() else {
            state.told.push(told);
            return;
        };
        drop(state);
        told.tell(&outcome);
    }
}

impl Handle for abi::Event {
    type Of = Event;
    const KIND: &'static str = "event";
}

impl Serve for abi::EventDestroy {
    unsafe fn serve(&mut self) -> Result<(), Fault> {
        release(self.event, "event").map(drop)
    }
}

impl Serve for abi::EventIsReady {
    unsafe fn serve(&mut self) -> Result<(), Fault> {
        self.is_ready = u8::from(find(self.event, "event")?.outcome().is_some());
        Ok(())
    }
}

impl Serve for abi::EventError {
    unsafe fn serve(&mut self) -> Result<(), Fault> {
        let early =
            || Fault::new(ErrorCode::FAILED_PRECONDITION, "the event has not happened yet: wait for it");
        find(self.event, "event")?.outcome().ok_or_else(early)?
    }
}

impl Serve for abi::EventAwait {
    unsafe fn serve(&mut self) -> Result<(), Fault> {
        find(self.event, "event")?.waited()
    }
}

impl Serve for abi::EventOnReady {
    unsafe fn serve(&mut self) -> Result<(), Fault> {
        let callback = self.callback.ok_or_else(|| Fault::bad("`callback` is null"))?;
        find(self.event, "event")?.when_ready(Told { callback, user_arg: self.user_arg });
        Ok(())
    }
}
