//! The devices that are there.

use crate::abi::{self, Arguments};
use crate::call::{call, list, text};
use crate::error::{PluginError, Trouble};
use crate::keys::{Callbacks, KeyError};
use crate::library::Plugin;
use crate::named::NamedValue;
use crate::rendezvous::Peers;
use crate::topology::{DeviceInfo, described};
use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A plugin's devices, opened.
pub struct Client {
    plugin: &'static Plugin,
    handle: NonNull<abi::Client>,
    /// Nobody waits for its devices any more, who may be at work for ever: it is left to the end of the process, with
    /// all that it has.
    is_abandoned: AtomicBool,
    /// What the plugin's callbacks are called with.
    callbacks: Option<Callbacks>,
    peers: Option<Arc<Peers>>,
}

impl std::fmt::Debug for Client {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "a client of {:?}", self.plugin)
    }
}

// SAFETY: the interface says that clients may be used from all threads.
unsafe impl Send for Client {}
// SAFETY: as above.
unsafe impl Sync for Client {}

/// Bytes of a device, as its allocator counts them. What it does not tell is `None`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DeviceMemory {
    pub in_use: i64,
    pub peak: Option<i64>,
    pub limit: Option<i64>,
}

impl Client {
    pub fn new(plugin: &'static Plugin, options: &[(String, NamedValue)]) -> Result<Client, PluginError> {
        Client::opened(plugin, options, None)
    }

    /// The devices of all processes of a job; those of this one are its own to use. Every process opens them at once.
    pub fn among(
        plugin: &'static Plugin,
        options: &[(String, NamedValue)],
        peers: &Arc<Peers>,
    ) -> Result<Client, PluginError> {
        let number = |count: usize| NamedValue::Int(i64::try_from(count).unwrap_or(i64::MAX));
        let (process, processes) = (peers.job().process, peers.job().processes);
        let own = [("node_id", number(process)), ("num_nodes", number(processes))];
        let mut all = options.to_vec();
        // Who says it himself has his reasons.
        let is_unsaid = |name: &str| options.iter().all(|(said, _)| said != name);
        all.extend(own.into_iter().filter(|(name, _)| is_unsaid(name)).map(|(name, v)| (name.into(), v)));
        Client::opened(plugin, &all, Some(peers))
    }

    fn opened(
        plugin: &'static Plugin,
        options: &[(String, NamedValue)],
        peers: Option<&Arc<Peers>>,
    ) -> Result<Client, PluginError> {
        let lent = NamedValue::all_lent(options);
        let mut args = abi::ClientCreate {
            create_options: lent.as_ptr(),
            num_options: lent.len(),
            ..abi::ClientCreate::EMPTY
        };
        let callbacks = peers.map(|peers| Callbacks::new(peers.clone()));
        if let Some(callbacks) = &callbacks {
            callbacks.lend(&mut args);
        }
        // SAFETY: no handles; the options outlive the call, what callbacks are called with outlives the client.
        unsafe { call(plugin.api(), &mut args) }.map_err(|trouble| plugin.failed(trouble))?;
        let Some(handle) = NonNull::new(args.client) else {
            let trouble = Trouble::Answer { function: "PJRT_Client_Create", what: "with no client" };
            return Err(plugin.failed(trouble));
        };
        let (is_abandoned, peers) = (AtomicBool::new(false), peers.cloned());
        Ok(Client { plugin, handle, is_abandoned, callbacks, peers })
    }

    /// The processes that have devices here, if there are several.
    pub fn peers(&self) -> Option<&Arc<Peers>> {
        self.peers.as_ref()
    }

    /// An error if another process is lost.
    pub(crate) fn check_peers(&self) -> Result<(), Trouble> {
        let lost = |error: KeyError| Trouble::Lost(error.to_string());
        self.peers.as_ref().map_or(Ok(()), |peers| peers.check().map_err(lost))
    }

    pub(crate) fn abandon(&self) {
        self.is_abandoned.store(true, Ordering::Relaxed);
    }

    pub(crate) fn is_abandoned(&self) -> bool {
        self.is_abandoned.load(Ordering::Relaxed)
    }

    pub(crate) fn plugin(&self) -> &'static Plugin {
        self.plugin
    }

    pub(crate) fn api(&self) -> &abi::Api {
        self.plugin.api()
    }

    pub(crate) fn handle(&self) -> *mut abi::Client {
        self.handle.as_ptr()
    }

    pub(crate) fn device(&self, at: usize) -> Result<Option<*mut abi::Device>, PluginError> {
        Ok(self.handles()?.get(at).copied())
    }

    pub(crate) fn failed(&self, trouble: Trouble) -> PluginError {
        self.plugin.failed(trouble)
    }

    /// Such as `cuda`.
    pub fn platform(&self) -> Result<String, PluginError> {
        let client = self.handle.as_ptr();
        let mut args = abi::ClientPlatformName { client, ..abi::ClientPlatformName::EMPTY };
        // SAFETY: the handle is alive, and what is told lives as long.
        let told = unsafe {
            call(self.plugin.api(), &mut args).map(|()| text(args.platform_name, args.platform_name_size))
        };
        told.map_err(|trouble| self.failed(trouble))
    }

    /// What runs there, in the plugin's words.
    pub fn platform_version(&self) -> Result<String, PluginError> {
        let client = self.handle.as_ptr();
        let mut args = abi::ClientPlatformVersion { client, ..abi::ClientPlatformVersion::EMPTY };
        // SAFETY: the handle is alive, and what is told lives as long.
        let told = unsafe {
            call(self.plugin.api(), &mut args)
                .map(|()| text(args.platform_version, args.platform_version_size))
        };
        told.map_err(|trouble| self.failed(trouble))
    }

    /// The devices of this process, in the plugin's order.
    fn handles(&self) -> Result<&[*mut abi::Device], PluginError> {
        let client = self.handle.as_ptr();
        let mut args = abi::ClientAddressableDevices { client, ..abi::ClientAddressableDevices::EMPTY };
        // SAFETY: the handle is alive; the devices live as long.
        let told = unsafe {
            call(self.plugin.api(), &mut args)
                .map(|()| list(args.addressable_devices, args.num_addressable_devices))
        };
        told.map_err(|trouble| self.failed(trouble))
    }

    /// The devices of this process.
    pub fn devices(&self) -> Result<Vec<DeviceInfo>, PluginError> {
        // SAFETY: they are this client's.
        self.handles()?.iter().map(|device| unsafe { self.info(*device) }).collect()
    }

    /// The devices of all processes.
    pub fn all_devices(&self) -> Result<Vec<DeviceInfo>, PluginError> {
        let client = self.handle.as_ptr();
        let mut args = abi::ClientDevices { client, ..abi::ClientDevices::EMPTY };
        // SAFETY: the handle is alive; the devices live as long.
        let told =
            unsafe { call(self.plugin.api(), &mut args).map(|()| list(args.devices, args.num_devices)) };
        let devices = told.map_err(|trouble| self.failed(trouble))?;
        // SAFETY: as above.
        devices.iter().map(|device| unsafe { self.info(*device) }).collect()
    }

    /// What is told of a device.
    ///
    /// # Safety
    /// The device is one of this client.
    pub(crate) unsafe fn info(&self, device: *mut abi::Device) -> Result<DeviceInfo, PluginError> {
        let mut args = abi::DeviceGetDescription { device, ..abi::DeviceGetDescription::EMPTY };
        // SAFETY: the device is alive as the client is, and so is its description.
        let told = unsafe {
            call(self.plugin.api(), &mut args).and_then(|()| described(self.plugin, args.device_description))
        };
        told.map_err(|trouble| self.failed(trouble))
    }

    /// The memory of each device of this process.
    pub fn memory(&self) -> Result<Vec<DeviceMemory>, PluginError> {
        let one = |device: &*mut abi::Device| {
            let mut args = abi::DeviceMemoryStats { device: *device, ..abi::DeviceMemoryStats::EMPTY };
            // SAFETY: the device is alive as the client is.
            let told = unsafe { call(self.plugin.api(), &mut args) };
            told.map_err(|trouble| self.failed(trouble))?;
            let set = |value: i64, is_set: u8| (is_set != 0).then_some(value);
            Ok(DeviceMemory {
                in_use: args.bytes_in_use,
                peak: set(args.peak_bytes_in_use, args.peak_bytes_in_use_is_set),
                limit: set(args.bytes_limit, args.bytes_limit_is_set),
            })
        };
        self.handles()?.iter().map(one).collect()
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        if self.is_abandoned() {
            return std::mem::forget(self.callbacks.take());
        }
        let client = self.handle.as_ptr();
        let mut args = abi::ClientDestroy { client, ..abi::ClientDestroy::EMPTY };
        // SAFETY: ours, and used for the last time. Nobody is left who could be told of an error.
        let _ = unsafe { call(self.plugin.api(), &mut args) };
    }
}
