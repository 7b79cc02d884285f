//! Devices by name: a compiler works for them whether they are there or not.

use crate::abi::{self, Arguments};
use crate::call::{call, list, named_values, text};
use crate::compiled::Compiled;
use crate::error::{PluginError, Trouble};
use crate::library::Plugin;
use crate::named::NamedValue;
use crate::options::CompileOptions;
use std::ptr::NonNull;

/// The devices of a machine, as a plugin describes them.
pub struct Topology {
    plugin: &'static Plugin,
    handle: NonNull<abi::TopologyDescription>,
}

/// A device, there or not.
#[derive(Clone, PartialEq, Debug)]
pub struct DeviceInfo {
    pub id: i64,
    /// The process that it is of.
    pub process: i64,
    /// Such as `TPU v4`.
    pub kind: String,
    pub attributes: Vec<(String, NamedValue)>,
}

impl Topology {
    /// The machine that the plugin knows by this name, such as `v4:2x2x1`.
    pub fn named(
        plugin: &'static Plugin,
        name: &str,
        options: &[(String, NamedValue)],
    ) -> Result<Topology, PluginError> {
        let lent = NamedValue::all_lent(options);
        let mut args = abi::TopologyDescriptionCreate {
            topology_name: name.as_ptr().cast(),
            topology_name_size: name.len(),
            create_options: lent.as_ptr(),
            num_options: lent.len(),
            ..abi::TopologyDescriptionCreate::EMPTY
        };
        // SAFETY: no handles; name and options outlive the call.
        unsafe { call(plugin.api(), &mut args) }.map_err(|trouble| plugin.failed(trouble))?;
        match NonNull::new(args.topology) {
            Some(handle) => Ok(Topology { plugin, handle }),
            None => Err(plugin.failed(Trouble::Answer {
                function: "PJRT_TopologyDescription_Create",
                what: "with no topology",
            })),
        }
    }

    /// Such as `tpu`.
    pub fn platform(&self) -> Result<String, PluginError> {
        let topology = self.handle.as_ptr();
        let mut args =
            abi::TopologyDescriptionPlatformName { topology, ..abi::TopologyDescriptionPlatformName::EMPTY };
        // SAFETY: the handle is alive, and what is told lives as long.
        let told = unsafe {
            call(self.plugin.api(), &mut args).map(|()| text(args.platform_name, args.platform_name_size))
        };
        told.map_err(|trouble| self.plugin.failed(trouble))
    }

    /// What runs there, in the plugin's words.
    pub fn platform_version(&self) -> Result<String, PluginError> {
        let topology = self.handle.as_ptr();
        let mut args = abi::TopologyDescriptionPlatformVersion {
            topology,
            ..abi::TopologyDescriptionPlatformVersion::EMPTY
        };
        // SAFETY: the handle is alive, and what is told lives as long.
        let told = unsafe {
            call(self.plugin.api(), &mut args)
                .map(|()| text(args.platform_version, args.platform_version_size))
        };
        told.map_err(|trouble| self.plugin.failed(trouble))
    }

    pub fn devices(&self) -> Result<Vec<DeviceInfo>, PluginError> {
        let topology = self.handle.as_ptr();
        let mut args = abi::TopologyDescriptionGetDeviceDescriptions {
            topology,
            ..abi::TopologyDescriptionGetDeviceDescriptions::EMPTY
        };
        // SAFETY: the handle is alive; the descriptions live as long.
        let told = unsafe {
            call(self.plugin.api(), &mut args).and_then(|()| {
                let devices = list(args.descriptions, args.num_descriptions);
                devices.iter().map(|device| described(self.plugin, *device)).collect()
            })
        };
        told.map_err(|trouble| self.plugin.failed(trouble))
    }

    /// Compile a program, StableHLO text, for these devices.
    pub fn compile(&self, program: &str, options: &CompileOptions) -> Result<Compiled<'static>, PluginError> {
        let options = self.plugin.encoded(options);
        let program = lent_program(program);
        let mut args = abi::Compile {
            topology: self.handle.as_ptr(),
            program: &program,
            compile_options: options.as_ptr().cast(),
            compile_options_size: options.len(),
            ..abi::Compile::EMPTY
        };
        // SAFETY: the handle is alive; program and options outlive the call.
        unsafe { call(self.plugin.api(), &mut args) }.map_err(|trouble| self.plugin.failed(trouble))?;
        // SAFETY: the executable was made by this call for nobody else.
        unsafe { Compiled::owned(self.plugin, args.executable, "PJRT_Compile") }
    }
}

impl Drop for Topology {
    fn drop(&mut self) {
        let topology = self.handle.as_ptr();
        let mut args = abi::TopologyDescriptionDestroy { topology, ..abi::TopologyDescriptionDestroy::EMPTY };
        // SAFETY: ours, and used for the last time. Nobody is left who could be told of an error.
        let _ = unsafe { call(self.plugin.api(), &mut args) };
    }
}

/// A program as the interface has it; it points into the text.
pub fn lent_program(text: &str) -> abi::Program {
    const FORMAT: &str = "mlir";
    abi::Program {
        // Nothing is written there: the type has room for those who want a program back.
        code: text.as_ptr().cast_mut().cast(),
        code_size: text.len(),
        format: FORMAT.as_ptr().cast(),
        format_size: FORMAT.len(),
        ..abi::Program::EMPTY
    }
}

/// What is told of a device.
///
/// # Safety
/// The description is alive and of this plugin.
pub unsafe fn described(
    plugin: &Plugin,
    device_description: *mut abi::DeviceDescription,
) -> Result<DeviceInfo, Trouble> {
    let api = plugin.api();
    let mut id = abi::DeviceDescriptionId { device_description, ..abi::DeviceDescriptionId::EMPTY };
    let mut process = abi::DeviceDescriptionProcessIndex {
        device_description,
        ..abi::DeviceDescriptionProcessIndex::EMPTY
    };
    let mut kind = abi::DeviceDescriptionKind { device_description, ..abi::DeviceDescriptionKind::EMPTY };
    let mut more =
        abi::DeviceDescriptionAttributes { device_description, ..abi::DeviceDescriptionAttributes::EMPTY };
    // SAFETY: the description is alive, and what is told lives as long.
    unsafe {
        call(api, &mut id)?;
        call(api, &mut process)?;
        call(api, &mut kind)?;
        let attributes = match call(api, &mut more) {
            Ok(()) => named_values(more.attributes, more.num_attributes),
            Err(_) => Vec::new(),
        };
        Ok(DeviceInfo {
            id: id.id.into(),
            process: process.process_index.into(),
            kind: text(kind.device_kind, kind.device_kind_size),
            attributes,
        })
    }
}
