//! Clients: the devices that a process opened.

use crate::border::{Lent, Serve};
use crate::device::Device;
use crate::fault::Fault;
use crate::handles::{Handle, find, issue, release};
use crate::settings::Settings;
use crate::topology::Topology;
use crate::{PLATFORM, PLATFORM_VERSION};
use meshwright_pjrt::abi::{self, NamedKind, NamedValue};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

pub struct Client {
    pub settings: Settings,
    pub devices: Vec<Arc<Device>>,
    /// Runs of all its programs.
    pub runs: AtomicU64,
    device_handles: Lent<Vec<*mut abi::Device>>,
    memory_handles: Lent<Vec<*mut abi::Memory>>,
    topology: Lent<*mut abi::TopologyDescription>,
}

impl Client {
    fn open(settings: Settings) -> Arc<Client> {
        let devices: Vec<Arc<Device>> = (0..settings.devices).map(|id| Device::open(id, &settings)).collect();
        Arc::new(Client {
            device_handles: Lent(devices.iter().map(|device| device.handle()).collect()),
            memory_handles: Lent(devices.iter().map(|device| device.memory_handle()).collect()),
            topology: Lent(issue(Topology::open(settings.clone()))),
            settings,
            devices,
            runs: AtomicU64::new(0),
        })
    }

    fn close(&self) {
        self.devices.iter().for_each(|device| device.close());
        if let Ok(topology) = release(self.topology.0, "topology") {
            topology.close();
        }
    }

    /// The device of this number.
    pub fn device(&self, id: i64) -> Result<Arc<Device>, Fault> {
        let found = usize::try_from(id).ok().and_then(|id| self.devices.get(id));
        found.cloned().ok_or_else(|| {
            let message = format!("device {id} does not exist: there are 0 to {}", self.devices.len() - 1);
            Fault::bad(message)
        })
    }
}

impl Handle for abi::Client {
    type Of = Client;
    const KIND: &'static str = "client";
}

impl Serve for abi::PluginInitialize {
    unsafe fn serve(&mut self) -> Result<(), Fault> {
        Ok(())
    }
}

impl Serve for abi::PluginAttributes {
    unsafe fn serve(&mut self) -> Result<(), Fault> {
        const NAME: &str = "test_plugin";
        const VALUES: &[NamedValue] = &[NamedValue {
            name: NAME.as_ptr().cast(),
            name_size: NAME.len(),
            kind: NamedKind::BOOL,
            value: abi::Named { flag: 1 },
            value_size: 1,
            ..<NamedValue as abi::Arguments>::EMPTY
        }];
        static LENT: Lent<&[NamedValue]> = Lent(VALUES);
        (self.attributes, self.num_attributes) = (LENT.0.as_ptr(), LENT.0.len());
        Ok(())
    }
}

impl Serve for abi::ClientCreate {
    unsafe fn serve(&mut self) -> Result<(), Fault> {
        // SAFETY: as the caller promises.
        let settings = unsafe { Settings::read(self.create_options, self.num_options) }?;
        self.client = issue(Client::open(settings));
        Ok(())
    }
}

impl Serve for abi::ClientDestroy {
    unsafe fn serve(&mut self) -> Result<(), Fault> {
        release(self.client, "client")?.close();
        Ok(())
    }
}

impl Serve for abi::ClientPlatformName {
    unsafe fn serve(&mut self) -> Result<(), Fault> {
        find(self.client, "client")?;
        (self.platform_name, self.platform_name_size) = (PLATFORM.as_ptr().cast(), PLATFORM.len());
        Ok(())
    }
}

impl Serve for abi::ClientProcessIndex {
    unsafe fn serve(&mut self) -> Result<(), Fault> {
        find(self.client, "client")?;
        self.process_index = 0;
        Ok(())
    }
}

impl Serve for abi::ClientPlatformVersion {
    unsafe fn serve(&mut self) -> Result<(), Fault> {
        find(self.client, "client")?;
        self.platform_version = PLATFORM_VERSION.as_ptr().cast();
        self.platform_version_size = PLATFORM_VERSION.len();
        Ok(())
    }
}

impl Serve for abi::ClientDevices {
    unsafe fn serve(&mut self) -> Result<(), Fault> {
        let client = find(self.client, "client")?;
        (self.devices, self.num_devices) = (client.device_handles.0.as_ptr(), client.device_handles.0.len());
        Ok(())
    }
}

impl Serve for abi::ClientAddressableDevices {
    unsafe fn serve(&mut self) -> Result<(), Fault> {
        let client = find(self.client, "client")?;
        self.addressable_devices = client.device_handles.0.as_ptr();
        self.num_addressable_devices = client.device_handles.0.len();
        Ok(())
    }
}

impl Serve for abi::ClientLookupDevice {
    unsafe fn serve(&mut self) -> Result<(), Fault> {
        self.device = find(self.client, "client")?.device(self.id.into())?.handle();
        Ok(())
    }
}

impl Serve for abi::ClientLookupAddressableDevice {
    unsafe fn serve(&mut self) -> Result<(), Fault> {
        let client = find(self.client, "client")?;
        self.addressable_device = client.device(self.local_hardware_id.into())?.handle();
        Ok(())
    }
}

impl Serve for abi::ClientAddressableMemories {
    unsafe fn serve(&mut self) -> Result<(), Fault> {
        let client = find(self.client, "client")?;
        self.addressable_memories = client.memory_handles.0.as_ptr();
        self.num_addressable_memories = client.memory_handles.0.len();
        Ok(())
    }
}

impl Serve for abi::ClientTopologyDescription {
    unsafe fn serve(&mut self) -> Result<(), Fault> {
        self.topology = find(self.client, "client")?.topology.0;
        Ok(())
    }
}

impl Serve for abi::ClientDefaultDeviceAssignment {
    unsafe fn serve(&mut self) -> Result<(), Fault> {
        let client = find(self.client, "client")?;
        let wanted = i64::from(self.num_replicas) * i64::from(self.num_partitions);
        let count = usize::try_from(wanted).ok().filter(|count| (1..=client.devices.len()).contains(count));
        let count = count.ok_or_else(|| {
            Fault::bad(format!("{wanted} devices are asked for, there are {}", client.devices.len()))
        })?;
        if self.default_assignment.is_null() || self.default_assignment_size < count {
            let message = format!("there is room for {} of {count} devices", self.default_assignment_size);
            return Err(Fault::bad(message));
        }
        for id in 0..count {
            // SAFETY: there is room for so many, as the caller says.
            unsafe { self.default_assignment.add(id).write(id as i32) };
        }
        Ok(())
    }
}
