//! Clients: the devices that a process opened.

use crate::border::{Lent, Serve};
use crate::device::Device;
use crate::exchange::Exchange;
use crate::fault::Fault;
use crate::handles::{Handle, find, issue, release};
use crate::settings::Settings;
use crate::topology::Topology;
use crate::{PLATFORM, PLATFORM_VERSION};
use meshwright_pjrt::abi::{self, NamedKind, NamedValue};
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

pub struct Client {
    pub settings: Settings,
    /// Those of all processes.
    pub devices: Vec<Arc<Device>>,
    /// With the other processes, if there are some.
    pub exchange: Option<Exchange>,
    /// Runs of all its programs.
    pub runs: AtomicU64,
    /// Those that are under way.
    under_way: Mutex<usize>,
    one_ended: Condvar,
    device_handles: Lent<Vec<*mut abi::Device>>,
    here_handles: Lent<Vec<*mut abi::Device>>,
    memory_handles: Lent<Vec<*mut abi::Memory>>,
    topology: Lent<*mut abi::TopologyDescription>,
}

impl Client {
    fn open(settings: Settings, exchange: Option<Exchange>) -> Result<Arc<Client>, Fault> {
        let counts = match &exchange {
            Some(exchange) => counts(&settings, exchange)?,
            None => vec![settings.devices],
        };
        let all =
            counts.iter().enumerate().flat_map(|(process, count)| (0..*count).map(move |at| (process, at)));
        let all: Vec<Arc<Device>> =
            all.enumerate().map(|(id, place)| Device::open(id, place, &settings)).collect();
        let here = || all.iter().filter(|device| device.is_here);
        let topology = Topology::open(Settings { devices: all.len(), ..settings.clone() });
        Ok(Arc::new(Client {
            device_handles: Lent(all.iter().map(|device| device.handle()).collect()),
            here_handles: Lent(here().map(|device| device.handle()).collect()),
            memory_handles: Lent(here().map(|device| device.memory_handle()).collect()),
            topology: Lent(issue(topology)),
            settings,
            devices: all,
            exchange,
            runs: AtomicU64::new(0),
            under_way: Mutex::new(0),
            one_ended: Condvar::new(),
        }))
    }

    fn under_way(&self) -> MutexGuard<'_, usize> {
        self.under_way.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Do the work of a run: beside the caller, where runs take their time.
    pub fn work(self: Arc<Self>, run: impl FnOnce() + Send + 'static) {
        if self.settings.execute.is_zero() {
            return run();
        }
        *self.under_way() += 1;
        thread::spawn(move || {
            run();
            *self.under_way() -= 1;
            self.one_ended.notify_all();
        });
    }

    /// Whoever closes a client waits for what it has under way.
    fn close(&self) {
        let mut runs = self.under_way();
        while *runs > 0 {
            runs = self.one_ended.wait(runs).unwrap_or_else(PoisonError::into_inner);
        }
        drop(runs);
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

/// How many devices each process has.
fn counts(settings: &Settings, exchange: &Exchange) -> Result<Vec<usize>, Fault> {
    let key = |process: usize| format!("devices of process {process}");
    exchange.put(&key(settings.process), settings.devices.to_string().as_bytes())?;
    let count = |process| {
        let said = String::from_utf8_lossy(&exchange.get(&key(process))?).into_owned();
        said.parse().map_err(|_| Fault::bad(format!("process {process} has `{said}` devices")))
    };
    (0..settings.processes).map(count).collect()
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
        let exchange = (settings.processes > 1).then(|| Exchange::of(self)).transpose()?;
        self.client = issue(Client::open(settings, exchange)?);
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
        self.process_index = find(self.client, "client")?.settings.process as i32;
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
        self.addressable_devices = client.here_handles.0.as_ptr();
        self.num_addressable_devices = client.here_handles.0.len();
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
        let at = usize::try_from(self.local_hardware_id).ok();
        let found = at.and_then(|at| client.here_handles.0.get(at));
        self.addressable_device = *found.ok_or_else(|| {
            let (id, count) = (self.local_hardware_id, client.here_handles.0.len());
            Fault::bad(format!("device {id} is not here: there are {count}"))
        })?;
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
