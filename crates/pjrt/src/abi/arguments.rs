//! The structs of arguments, in the order of the table of functions. Who is called writes what the caller left empty.

use super::*;
use std::mem::{offset_of, size_of};

macro_rules! arguments {
    ($($(#[$doc:meta])* $name:ident { $($(#[$of:meta])* $field:ident: $ty:ty,)* })*) => {$(
        $(#[$doc])*
        #[repr(C)]
        #[derive(Clone, Copy)]
        pub struct $name {
            pub struct_size: usize,
            pub extension_start: *mut Extension,
            $($(#[$of])* pub $field: $ty,)*
        }

        impl Arguments for $name {
            const SIZE: usize = {
                let ends = [2 * size_of::<usize>(), $(offset_of!($name, $field) + size_of::<$ty>()),*];
                ends[ends.len() - 1]
            };
            const EMPTY: Self = $name {
                struct_size: Self::SIZE,
                extension_start: std::ptr::null_mut(),
                $($field: <$ty as Field>::NONE,)*
            };
        }
    )*};
}

arguments! {
    ApiVersion {
        major_version: c_int,
        minor_version: c_int,
    }
    NamedValue {
        name: *const c_char,
        name_size: usize,
        kind: NamedKind,
        value: Named,
        /// Elements of a list, bytes of a string, else 1.
        value_size: usize,
    }
    Program {
        /// The caller's, despite its type.
        code: *mut c_char,
        code_size: usize,
        /// `mlir` or `hlo`.
        format: *const c_char,
        format_size: usize,
    }

    /// An order of dims, and tiles; a layout by strides has its own struct in this place.
    TiledLayout {
        minor_to_major: *const i64,
        minor_to_major_size: usize,
        tile_dims: *const i64,
        tile_dim_sizes: *const usize,
        num_tiles: usize,
    }
    MemoryLayout {
        tiled: TiledLayout,
        kind: LayoutKind,
    }

    ErrorDestroy {
        error: *mut Error,
    }
    ErrorMessage {
        error: *const Error,
        message: *const c_char,
        message_size: usize,
    }
    ErrorGetCode {
        error: *const Error,
        code: ErrorCode,
    }

    PluginInitialize {}
    PluginAttributes {
        attributes: *const NamedValue,
        num_attributes: usize,
    }

    EventDestroy {
        event: *mut Event,
    }
    EventIsReady {
        event: *mut Event,
        is_ready: u8,
    }
    EventError {
        event: *mut Event,
    }
    EventAwait {
        event: *mut Event,
    }
    EventOnReady {
        event: *mut Event,
        callback: Option<OnReady>,
        user_arg: *mut c_void,
    }

    KeyValueGetArguments {
        key: *const c_char,
        key_size: usize,
        timeout_in_ms: c_int,
        callback_error: *const CallbackError,
        user_arg: *mut c_void,
        value: *mut c_char,
        value_size: usize,
        value_deleter: Option<ValueDeleter>,
    }
    KeyValueTryGetArguments {
        key: *const c_char,
        key_size: usize,
        callback_error: *const CallbackError,
        user_arg: *mut c_void,
        value: *mut c_char,
        value_size: usize,
        value_deleter: Option<ValueDeleter>,
    }
    KeyValuePutArguments {
        key: *const c_char,
        key_size: usize,
        value: *const c_char,
        value_size: usize,
        callback_error: *const CallbackError,
        user_arg: *mut c_void,
    }

    ClientCreate {
        create_options: *const NamedValue,
        num_options: usize,
        kv_get_callback: Option<KeyValueGet>,
        kv_get_user_arg: *mut c_void,
        kv_put_callback: Option<KeyValuePut>,
        kv_put_user_arg: *mut c_void,
        client: *mut Client,
        kv_try_get_callback: Option<KeyValueTryGet>,
        kv_try_get_user_arg: *mut c_void,
    }
    ClientDestroy {
        client: *mut Client,
    }
    ClientPlatformName {
        client: *mut Client,
        platform_name: *const c_char,
        platform_name_size: usize,
    }
    ClientProcessIndex {
        client: *mut Client,
        process_index: c_int,
    }
    ClientPlatformVersion {
        client: *mut Client,
        platform_version: *const c_char,
        platform_version_size: usize,
    }
    ClientDevices {
        client: *mut Client,
        devices: *const *mut Device,
        num_devices: usize,
    }
    ClientAddressableDevices {
        client: *mut Client,
        addressable_devices: *const *mut Device,
        num_addressable_devices: usize,
    }
    ClientLookupDevice {
        client: *mut Client,
        id: c_int,
        device: *mut Device,
    }
    ClientLookupAddressableDevice {
        client: *mut Client,
        local_hardware_id: c_int,
        addressable_device: *mut Device,
    }
    ClientAddressableMemories {
        client: *mut Client,
        addressable_memories: *const *mut Memory,
        num_addressable_memories: usize,
    }
    ClientCompile {
        client: *mut Client,
        program: *const Program,
        compile_options: *const c_char,
        compile_options_size: usize,
        executable: *mut LoadedExecutable,
    }
    ClientDefaultDeviceAssignment {
        client: *mut Client,
        num_replicas: c_int,
        num_partitions: c_int,
        default_assignment_size: usize,
        default_assignment: *mut c_int,
    }
    ClientBufferFromHostBuffer {
        client: *mut Client,
        data: *const c_void,
        kind: BufferType,
        dims: *const i64,
        num_dims: usize,
        /// Null for an array that is dense in row-major order.
        byte_strides: *const i64,
        num_byte_strides: usize,
        host_buffer_semantics: HostSemantics,
        device: *mut Device,
        /// Null for the device's own.
        memory: *mut Memory,
        /// Null for the plugin's choice.
        device_layout: *mut MemoryLayout,
        done_with_host_buffer: *mut Event,
        buffer: *mut Buffer,
    }
    ClientTopologyDescription {
        client: *mut Client,
        topology: *mut TopologyDescription,
    }

    DeviceDescriptionId {
        device_description: *mut DeviceDescription,
        id: c_int,
    }
    DeviceDescriptionProcessIndex {
        device_description: *mut DeviceDescription,
        process_index: c_int,
    }
    DeviceDescriptionAttributes {
        device_description: *mut DeviceDescription,
        num_attributes: usize,
        attributes: *const NamedValue,
    }
    DeviceDescriptionKind {
        device_description: *mut DeviceDescription,
        device_kind: *const c_char,
        device_kind_size: usize,
    }
    DeviceDescriptionDebugString {
        device_description: *mut DeviceDescription,
        debug_string: *const c_char,
        debug_string_size: usize,
    }
    DeviceDescriptionToString {
        device_description: *mut DeviceDescription,
        to_string: *const c_char,
        to_string_size: usize,
    }

    DeviceGetDescription {
        device: *mut Device,
        device_description: *mut DeviceDescription,
    }
    DeviceIsAddressable {
        device: *mut Device,
        is_addressable: u8,
    }
    DeviceLocalHardwareId {
        device: *mut Device,
        local_hardware_id: c_int,
    }
    DeviceAddressableMemories {
        device: *mut Device,
        memories: *const *mut Memory,
        num_memories: usize,
    }
    DeviceDefaultMemory {
        device: *mut Device,
        memory: *mut Memory,
    }
    /// All but the first have a byte that says whether they are told.
    DeviceMemoryStats {
        device: *mut Device,
        bytes_in_use: i64,
        peak_bytes_in_use: i64,
        peak_bytes_in_use_is_set: u8,
        num_allocs: i64,
        num_allocs_is_set: u8,
        largest_alloc_size: i64,
        largest_alloc_size_is_set: u8,
        bytes_limit: i64,
        bytes_limit_is_set: u8,
        bytes_reserved: i64,
        bytes_reserved_is_set: u8,
        peak_bytes_reserved: i64,
        peak_bytes_reserved_is_set: u8,
        bytes_reservable_limit: i64,
        bytes_reservable_limit_is_set: u8,
        largest_free_block_bytes: i64,
        largest_free_block_bytes_is_set: u8,
        pool_bytes: i64,
        pool_bytes_is_set: u8,
        peak_pool_bytes: i64,
        peak_pool_bytes_is_set: u8,
        peak_allocated_bytes: i64,
        peak_allocated_bytes_is_set: u8,
    }

    MemoryId {
        memory: *mut Memory,
        id: c_int,
    }
    MemoryKind {
        memory: *mut Memory,
        kind: *const c_char,
        kind_size: usize,
    }
    MemoryDebugString {
        memory: *mut Memory,
        debug_string: *const c_char,
        debug_string_size: usize,
    }
    MemoryToString {
        memory: *mut Memory,
        to_string: *const c_char,
        to_string_size: usize,
    }
    MemoryAddressableByDevices {
        memory: *mut Memory,
        devices: *const *mut Device,
        num_devices: usize,
    }
    MemoryKindId {
        memory: *mut Memory,
        kind_id: c_int,
    }

    ExecutableDestroy {
        executable: *mut Executable,
    }
    ExecutableName {
        executable: *mut Executable,
        executable_name: *const c_char,
        executable_name_size: usize,
    }
    ExecutableNumReplicas {
        executable: *mut Executable,
        num_replicas: usize,
    }
    ExecutableNumPartitions {
        executable: *mut Executable,
        num_partitions: usize,
    }
    ExecutableNumOutputs {
        executable: *mut Executable,
        num_outputs: usize,
    }
    ExecutableSizeOfGeneratedCodeInBytes {
        executable: *mut Executable,
        size_in_bytes: i64,
    }
    ExecutableGetCostAnalysis {
        executable: *mut Executable,
        num_properties: usize,
        properties: *const NamedValue,
    }
    ExecutableOutputMemoryKinds {
        executable: *mut Executable,
        num_outputs: usize,
        memory_kinds: *const *const c_char,
        memory_kind_sizes: *const usize,
    }
    ExecutableOptimizedProgram {
        executable: *mut Executable,
        /// Once without its code, for the size; then with room for it.
        program: *mut Program,
    }
    ExecutableSerialize {
        executable: *const Executable,
        serialized_bytes: *const c_char,
        serialized_bytes_size: usize,
        serialized_executable: *mut SerializedExecutable,
        deleter: Option<unsafe extern "C" fn(*mut SerializedExecutable)>,
    }
    ExecutableOutputElementTypes {
        executable: *mut Executable,
        output_types: *const BufferType,
        num_output_types: usize,
    }
    ExecutableOutputDimensions {
        executable: *mut Executable,
        num_outputs: usize,
        /// Dims of all outputs behind one another.
        dims: *const i64,
        dim_sizes: *const usize,
    }
    ExecutableFingerprint {
        executable: *mut Executable,
        executable_fingerprint: *const c_char,
        executable_fingerprint_size: usize,
    }
    ExecutableGetCompiledMemoryStats {
        executable: *mut Executable,
        generated_code_size_in_bytes: i64,
        argument_size_in_bytes: i64,
        output_size_in_bytes: i64,
        alias_size_in_bytes: i64,
        temp_size_in_bytes: i64,
        host_generated_code_size_in_bytes: i64,
        host_argument_size_in_bytes: i64,
        host_output_size_in_bytes: i64,
        host_alias_size_in_bytes: i64,
        host_temp_size_in_bytes: i64,
        peak_memory_in_bytes: i64,
        total_size_in_bytes: i64,
        total_allocation_bytes: i64,
        indefinite_allocations: i64,
        peak_unpadded_heap_bytes: i64,
    }

    LoadedExecutableDestroy {
        executable: *mut LoadedExecutable,
    }
    LoadedExecutableGetExecutable {
        loaded_executable: *mut LoadedExecutable,
        executable: *mut Executable,
    }
    LoadedExecutableAddressableDevices {
        executable: *mut LoadedExecutable,
        addressable_devices: *const *mut Device,
        num_addressable_devices: usize,
    }
    LoadedExecutableDelete {
        executable: *mut LoadedExecutable,
    }
    LoadedExecutableIsDeleted {
        executable: *mut LoadedExecutable,
        is_deleted: u8,
    }
    ExecuteOptions {
        send_callbacks: *mut c_void,
        recv_callbacks: *mut c_void,
        num_send_ops: usize,
        num_recv_ops: usize,
        launch_id: c_int,
        /// Parameters that the program may not use up, whatever it was compiled for.
        non_donatable_input_indices: *const i64,
        num_non_donatable_input_indices: usize,
        context: *mut ExecuteContext,
        call_location: *const c_char,
        num_tasks: usize,
        task_ids: *mut c_int,
        incarnation_ids: *mut i64,
        multi_slice_config: *mut c_void,
        use_major_to_minor_data_layout_for_callbacks: u8,
        hlo_output_callbacks: *mut c_void,
        num_hlo_output_callbacks: usize,
    }
    LoadedExecutableExecute {
        executable: *mut LoadedExecutable,
        options: *mut ExecuteOptions,
        /// Of each device, its arguments.
        argument_lists: *const *const *mut Buffer,
        num_devices: usize,
        num_args: usize,
        /// Of each device, room for its results.
        output_lists: *const *mut *mut Buffer,
        /// Null, or room for one event of each device.
        device_complete_events: *mut *mut Event,
        /// Null for all devices that the program was loaded for.
        execute_device: *mut Device,
    }
    ExecutableDeserializeAndLoad {
        client: *mut Client,
        serialized_executable: *const c_char,
        serialized_executable_size: usize,
        loaded_executable: *mut LoadedExecutable,
        overridden_compile_options: *const c_char,
        overridden_compile_options_size: usize,
        load_options: *mut c_void,
    }
    LoadedExecutableFingerprint {
        executable: *mut LoadedExecutable,
        executable_fingerprint: *const c_char,
        executable_fingerprint_size: usize,
    }

    BufferDestroy {
        buffer: *mut Buffer,
    }
    BufferElementType {
        buffer: *mut Buffer,
        kind: BufferType,
    }
    BufferDimensions {
        buffer: *mut Buffer,
        dims: *const i64,
        num_dims: usize,
    }
    BufferUnpaddedDimensions {
        buffer: *mut Buffer,
        unpadded_dims: *const i64,
        num_dims: usize,
    }
    BufferDynamicDimensionIndices {
        buffer: *mut Buffer,
        dynamic_dim_indices: *const usize,
        num_dynamic_dims: usize,
    }
    BufferOnDeviceSizeInBytes {
        buffer: *mut Buffer,
        on_device_size_in_bytes: usize,
    }
    BufferDevice {
        buffer: *mut Buffer,
        device: *mut Device,
    }
    BufferMemory {
        buffer: *mut Buffer,
        memory: *mut Memory,
    }
    BufferDelete {
        buffer: *mut Buffer,
    }
    BufferIsDeleted {
        buffer: *mut Buffer,
        is_deleted: u8,
    }
    BufferCopyToDevice {
        buffer: *mut Buffer,
        dst_device: *mut Device,
        dst_buffer: *mut Buffer,
    }
    BufferCopyToMemory {
        buffer: *mut Buffer,
        dst_memory: *mut Memory,
        dst_buffer: *mut Buffer,
    }
    BufferToHostBuffer {
        src: *mut Buffer,
        /// Null for the order that the device has it in.
        host_layout: *mut MemoryLayout,
        /// Null to ask how many bytes it takes.
        dst: *mut c_void,
        dst_size: usize,
        event: *mut Event,
    }
    BufferIsOnCpu {
        buffer: *mut Buffer,
        is_on_cpu: u8,
    }
    BufferReadyEvent {
        buffer: *mut Buffer,
        event: *mut Event,
    }

    TopologyDescriptionCreate {
        topology_name: *const c_char,
        topology_name_size: usize,
        create_options: *const NamedValue,
        num_options: usize,
        topology: *mut TopologyDescription,
    }
    TopologyDescriptionDestroy {
        topology: *mut TopologyDescription,
    }
    TopologyDescriptionPlatformName {
        topology: *const TopologyDescription,
        platform_name: *const c_char,
        platform_name_size: usize,
    }
    TopologyDescriptionPlatformVersion {
        topology: *const TopologyDescription,
        platform_version: *const c_char,
        platform_version_size: usize,
    }
    TopologyDescriptionGetDeviceDescriptions {
        topology: *const TopologyDescription,
        descriptions: *const *mut DeviceDescription,
        num_descriptions: usize,
    }
    TopologyDescriptionSerialize {
        topology: *const TopologyDescription,
        serialized_bytes: *const c_char,
        serialized_bytes_size: usize,
        serialized_topology: *mut SerializedTopology,
        deleter: Option<unsafe extern "C" fn(*mut SerializedTopology)>,
    }
    TopologyDescriptionAttributes {
        topology: *const TopologyDescription,
        attributes: *const NamedValue,
        num_attributes: usize,
    }

    /// Compile for a topology, or for the devices of a client.
    Compile {
        topology: *const TopologyDescription,
        program: *const Program,
        compile_options: *const c_char,
        compile_options_size: usize,
        /// May be null.
        client: *mut Client,
        executable: *mut Executable,
    }
}
