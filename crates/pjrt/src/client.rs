//! The devices that are there.

use crate::abi::{self, Arguments};
use crate::call::{call, list, text};
use crate::error::{PluginError, Trouble};
use crate::library::Plugin;
use crate::named::NamedValue;
use crate::topology::{DeviceInfo, described};
use std::ptr::NonNull;

/// A plugin's devices, opened.
#[derive(Debug)]
pub struct Client {
    plugin: &'static Plugin,
    handle: NonNull<abi::Client>,
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
        let lent = NamedValue::all_lent(options);
        let mut args = abi::ClientCreate {
            create_options: lent.as_ptr(),
            num_options: lent.len(),
            ..abi::ClientCreate::EMPTY
        };
        // SAFETY: no handles; the options outlive the call.
        unsafe { call(plugin.api(), &mut args) }.map_err(|trouble| plugin.failed(trouble))?;
        match NonNull::new(args.client) {
            Some(handle) => Ok(Client { plugin, handle }),
            None => {
                Err(plugin.failed(Trouble::Answer { function: "PJRT_Client_Create", what: "with no client" }))
            }
        }
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
        let one = |device: &*mut abi::Device| {
            let mut args = abi::DeviceGetDescription { device: *device, ..abi::DeviceGetDescription::EMPTY };
            // SAFETY: the device is alive as the client is, and so is its description.
            let told = unsafe {
                call(self.plugin.api(), &mut args)
                    .and_then(|()| described(self.plugin, args.device_description))
            };
            told.map_err(|trouble| self.failed(trouble))
        };
        self.handles()?.iter().map(one).collect()
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
        let client = self.handle.as_ptr();
        let mut args = abi::ClientDestroy { client, ..abi::ClientDestroy::EMPTY };
        // SAFETY: ours, and used for the last time. Nobody is left who could be told of an error.
        let _ = unsafe { call(self.plugin.api(), &mut args) };
    }
}
