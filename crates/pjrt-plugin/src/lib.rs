//! A plugin of PJRT for tests: as many devices as one asks for, all of them run by the interpreter. It is no
//! accelerator, and no figure comes from it.
//!
//! It takes StableHLO text, partitions it as `meshwright partition` does (a program around a manual region has nothing
//! left to partition), and runs what comes of it on simulated devices. It is strict, and fails on purpose:
//!
//! * a handle is a number, never an address: one that is stale or of another kind is an error, counted ([`handles`]),
//!   and every handle that is alive is counted too;
//! * options make compilers, devices and memories fail ([`settings`]), and transfers take their time, so that a caller
//!   that lets go of its bytes too soon is seen by the address sanitizer;
//! * two variables of the environment make it look like a plugin of another time ([`version`]).
//!
//! ```text
//! C --entry--> a copy of the arguments, as far as both sides know them --Serve--> results, or an error with a code
//! ```
//! Unsafe code is in `border` (arguments, what a caller lends) and where a call reads or writes what is lent: `buffer`,
//! `client`, `compile`, `exchange`, `executable`, `event`, `settings`, `topology`. A panic ends at the border, as an
//! error.

mod border;
mod buffer;
mod client;
mod compile;
mod compile_options;
mod compiled;
mod device;
mod elements;
mod errors;
mod event;
mod exchange;
mod executable;
mod fault;
pub mod handles;
pub mod settings;
mod topology;
pub mod version;

use meshwright_pjrt::abi::Api;
use std::sync::OnceLock;

/// As clients and topologies call it.
pub const PLATFORM: &str = "meshwright_interpreter";
/// What runs there, in words.
pub const PLATFORM_VERSION: &str = concat!(
    "a test plugin over the interpreter of Meshwright ",
    env!("CARGO_PKG_VERSION"),
    ", no accelerator"
);

macro_rules! table {
    ($($field:ident: $args:ident,)*) => {
        Api {
            error_destroy: Some(errors::destroy),
            error_message: Some(errors::message),
            error_for_each_payload: Some(errors::for_each_payload),
            $($field: Some(border::entry::<meshwright_pjrt::abi::$args>),)*
            ..Api::EMPTY
        }
    };
}

const TABLE: Api = table! {
    error_get_code: ErrorGetCode,
    plugin_initialize: PluginInitialize,
    plugin_attributes: PluginAttributes,
    event_destroy: EventDestroy,
    event_is_ready: EventIsReady,
    event_error: EventError,
    event_await: EventAwait,
    event_on_ready: EventOnReady,
    client_create: ClientCreate,
    client_destroy: ClientDestroy,
    client_platform_name: ClientPlatformName,
    client_process_index: ClientProcessIndex,
    client_platform_version: ClientPlatformVersion,
    client_devices: ClientDevices,
    client_addressable_devices: ClientAddressableDevices,
    client_lookup_device: ClientLookupDevice,
    client_lookup_addressable_device: ClientLookupAddressableDevice,
    client_addressable_memories: ClientAddressableMemories,
    client_compile: ClientCompile,
    client_default_device_assignment: ClientDefaultDeviceAssignment,
    client_buffer_from_host_buffer: ClientBufferFromHostBuffer,
    client_topology_description: ClientTopologyDescription,
    device_description_id: DeviceDescriptionId,
    device_description_process_index: DeviceDescriptionProcessIndex,
    device_description_attributes: DeviceDescriptionAttributes,
    device_description_kind: DeviceDescriptionKind,
    device_description_debug_string: DeviceDescriptionDebugString,
    device_description_to_string: DeviceDescriptionToString,
    device_get_description: DeviceGetDescription,
    device_is_addressable: DeviceIsAddressable,
    device_local_hardware_id: DeviceLocalHardwareId,
    device_addressable_memories: DeviceAddressableMemories,
    device_default_memory: DeviceDefaultMemory,
    device_memory_stats: DeviceMemoryStats,
    memory_id: MemoryId,
    memory_kind: MemoryKind,
    memory_kind_id: MemoryKindId,
    memory_debug_string: MemoryDebugString,
    memory_to_string: MemoryToString,
    memory_addressable_by_devices: MemoryAddressableByDevices,
    executable_destroy: ExecutableDestroy,
    executable_name: ExecutableName,
    executable_num_replicas: ExecutableNumReplicas,
    executable_num_partitions: ExecutableNumPartitions,
    executable_num_outputs: ExecutableNumOutputs,
    executable_size_of_generated_code_in_bytes: ExecutableSizeOfGeneratedCodeInBytes,
    executable_get_cost_analysis: ExecutableGetCostAnalysis,
    executable_output_memory_kinds: ExecutableOutputMemoryKinds,
    executable_output_element_types: ExecutableOutputElementTypes,
    executable_output_dimensions: ExecutableOutputDimensions,
    executable_optimized_program: ExecutableOptimizedProgram,
    executable_serialize: ExecutableSerialize,
    executable_fingerprint: ExecutableFingerprint,
    executable_get_compiled_memory_stats: ExecutableGetCompiledMemoryStats,
    executable_deserialize_and_load: ExecutableDeserializeAndLoad,
    loaded_executable_destroy: LoadedExecutableDestroy,
    loaded_executable_get_executable: LoadedExecutableGetExecutable,
    loaded_executable_addressable_devices: LoadedExecutableAddressableDevices,
    loaded_executable_delete: LoadedExecutableDelete,
    loaded_executable_is_deleted: LoadedExecutableIsDeleted,
    loaded_executable_execute: LoadedExecutableExecute,
    loaded_executable_fingerprint: LoadedExecutableFingerprint,
    buffer_destroy: BufferDestroy,
    buffer_element_type: BufferElementType,
    buffer_dimensions: BufferDimensions,
    buffer_unpadded_dimensions: BufferUnpaddedDimensions,
    buffer_dynamic_dimension_indices: BufferDynamicDimensionIndices,
    buffer_on_device_size_in_bytes: BufferOnDeviceSizeInBytes,
    buffer_device: BufferDevice,
    buffer_memory: BufferMemory,
    buffer_delete: BufferDelete,
    buffer_is_deleted: BufferIsDeleted,
    buffer_copy_to_device: BufferCopyToDevice,
    buffer_copy_to_memory: BufferCopyToMemory,
    buffer_to_host_buffer: BufferToHostBuffer,
    buffer_is_on_cpu: BufferIsOnCpu,
    buffer_ready_event: BufferReadyEvent,
    topology_description_create: TopologyDescriptionCreate,
    topology_description_destroy: TopologyDescriptionDestroy,
    topology_description_platform_name: TopologyDescriptionPlatformName,
    topology_description_platform_version: TopologyDescriptionPlatformVersion,
    topology_description_get_device_descriptions: TopologyDescriptionGetDeviceDescriptions,
    topology_description_attributes: TopologyDescriptionAttributes,
    topology_description_serialize: TopologyDescriptionSerialize,
    compile: Compile,
};

/// The table of functions: what a caller of PJRT looks for in a library.
#[unsafe(no_mangle)]
pub extern "C" fn GetPjrtApi() -> *const Api {
    static SHOWN: OnceLock<Api> = OnceLock::new();
    SHOWN.get_or_init(|| version::dressed(TABLE))
}

/// How many handles are alive.
#[unsafe(no_mangle)]
pub extern "C" fn MeshwrightLiveHandles() -> usize {
    handles::live()
}

/// How many calls named a handle that was not alive, or of another kind.
#[unsafe(no_mangle)]
pub extern "C" fn MeshwrightStaleHandles() -> usize {
    handles::stale()
}
