//! Machines by name: `cpu:8` is one of eight devices.

use crate::border::{Lent, Serve, text};
use crate::device::Description;
use crate::fault::Fault;
use crate::handles::{Handle, find, issue, release};
use crate::settings::Settings;
use crate::{PLATFORM, PLATFORM_VERSION};
use meshwright_pjrt::abi::{self, ErrorCode};
use std::sync::Arc;

pub struct Topology {
    pub name: String,
    pub settings: Settings,
    descriptions: Lent<Vec<*mut abi::DeviceDescription>>,
}

/// Most devices that a name may ask for.
const MOST: usize = 1 << 16;

impl Topology {
    pub fn open(settings: Settings) -> Arc<Topology> {
        let descriptions = (0..settings.devices).map(|id| issue(Arc::new(Description::new(id, 0)))).collect();
        let name = format!("cpu:{}", settings.devices);
        Arc::new(Topology { name, settings, descriptions: Lent(descriptions) })
    }

    /// Its descriptions die with it.
    pub fn close(&self) {
        for description in &self.descriptions.0 {
            let _ = release(*description, "device_description");
        }
    }
}

/// The number of devices in a name.
fn devices(name: &str) -> Option<usize> {
    let count = name.strip_prefix("cpu:")?.parse().ok()?;
    (1..=MOST).contains(&count).then_some(count)
}

impl Handle for abi::TopologyDescription {
    type Of = Topology;
    const KIND: &'static str = "topology";
}

impl Serve for abi::TopologyDescriptionCreate {
    unsafe fn serve(&mut self) -> Result<(), Fault> {
        // SAFETY: as the caller promises.
        let name = unsafe { text(self.topology_name, self.topology_name_size, "topology_name") }?;
        // SAFETY: as above.
        let settings = unsafe { Settings::read(self.create_options, self.num_options) }?;
        let count = devices(name).ok_or_else(|| {
            let message =
                format!("no machine `{name}`: they are `cpu:N`, of 1 to {MOST} devices, as `cpu:8`");
            Fault::new(ErrorCode::NOT_FOUND, message)
        })?;
        self.topology = issue(Topology::open(Settings { devices: count, ..settings }));
        Ok(())
    }
}

impl Serve for abi::TopologyDescriptionDestroy {
    unsafe fn serve(&mut self) -> Result<(), Fault> {
        release(self.topology, "topology")?.close();
        Ok(())
    }
}

impl Serve for abi::TopologyDescriptionPlatformName {
    unsafe fn serve(&mut self) -> Result<(), Fault> {
        find(self.topology, "topology")?;
        (self.platform_name, self.platform_name_size) = (PLATFORM.as_ptr().cast(), PLATFORM.len());
        Ok(())
    }
}

impl Serve for abi::TopologyDescriptionPlatformVersion {
    unsafe fn serve(&mut self) -> Result<(), Fault> {
        find(self.topology, "topology")?;
        self.platform_version = PLATFORM_VERSION.as_ptr().cast();
        self.platform_version_size = PLATFORM_VERSION.len();
        Ok(())
    }
}

impl Serve for abi::TopologyDescriptionGetDeviceDescriptions {
    unsafe fn serve(&mut self) -> Result<(), Fault> {
        let found = find(self.topology, "topology")?;
        let descriptions = &found.descriptions.0;
        (self.descriptions, self.num_descriptions) = (descriptions.as_ptr(), descriptions.len());
        Ok(())
    }
}

impl Serve for abi::TopologyDescriptionAttributes {
    unsafe fn serve(&mut self) -> Result<(), Fault> {
        find(self.topology, "topology")?;
        (self.attributes, self.num_attributes) = (std::ptr::null(), 0);
        Ok(())
    }
}

impl Serve for abi::TopologyDescriptionSerialize {
    unsafe fn serve(&mut self) -> Result<(), Fault> {
        let name = find(self.topology, "topology")?.name.clone().into_bytes();
        let owner = Arc::new(name);
        (self.serialized_bytes, self.serialized_bytes_size) = (owner.as_ptr().cast(), owner.len());
        self.serialized_topology = issue(owner);
        self.deleter = Some(delete);
        Ok(())
    }
}

impl Handle for abi::SerializedTopology {
    type Of = Vec<u8>;
    const KIND: &'static str = "serialized topology";
}

/// # Safety
/// None is asked for: a handle is a number.
unsafe extern "C" fn delete(owner: *mut abi::SerializedTopology) {
    let _ = release(owner, "serialized_topology");
}
