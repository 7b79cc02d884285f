//! The table of functions. Those whose arguments nobody here needs keep their place, as [`Unbound`].

use super::*;

/// A function of the table: null is "done".
pub type Entrypoint<A> = unsafe extern "C" fn(*mut A) -> *mut Error;

/// Arguments that tell which function takes them.
pub trait Call: Arguments {
    const NAME: &'static str;
    /// The name by one pointer, for those who may hold no more.
    const SAID: &'static &'static str = &Self::NAME;
    fn function(api: &Api) -> Option<Entrypoint<Self>>;
}

macro_rules! args_of {
    () => {
        Unbound
    };
    ($args:ident) => {
        $args
    };
}

macro_rules! call_of {
    ($field:ident $c:ident) => {};
    ($field:ident $c:ident $args:ident) => {
        impl Call for $args {
            const NAME: &'static str = stringify!($c);
            fn function(api: &Api) -> Option<Entrypoint<Self>> {
                api.$field
            }
        }
    };
}

macro_rules! table {
    ($($field:ident = $c:ident($($args:ident)?),)*) => {
        /// The table of functions. A plugin of an older version has a shorter one: its `struct_size` says so.
        #[repr(C)]
        #[derive(Clone, Copy)]
        pub struct Api {
            pub struct_size: usize,
            pub extension_start: *mut Extension,
            pub version: ApiVersion,
            pub error_destroy: Option<unsafe extern "C" fn(*mut ErrorDestroy)>,
            pub error_message: Option<unsafe extern "C" fn(*mut ErrorMessage)>,
            $(pub $field: Option<Entrypoint<args_of!($($args)?)>>,)*
        }

        impl Api {
            /// No function at all.
            pub const EMPTY: Api = Api {
                struct_size: size_of::<Api>(),
                extension_start: std::ptr::null_mut(),
                version: ApiVersion { major_version: MAJOR, minor_version: MINOR, ..ApiVersion::EMPTY },
                error_destroy: None,
                error_message: None,
                $($field: None,)*
            };
        }

        $(call_of!($field $c $($args)?);)*
    };
}

table! {
    error_get_code = PJRT_Error_GetCode(ErrorGetCode),
    plugin_initialize = PJRT_Plugin_Initialize(PluginInitialize),
    plugin_attributes = PJRT_Plugin_Attributes(PluginAttributes),
    event_destroy = PJRT_Event_Destroy(EventDestroy),
    event_is_ready = PJRT_Event_IsReady(EventIsReady),
    event_error = PJRT_Event_Error(EventError),
    event_await = PJRT_Event_Await(EventAwait),
    event_on_ready = PJRT_Event_OnReady(EventOnReady),
    client_create = PJRT_Client_Create(ClientCreate),
    client_destroy = PJRT_Client_Destroy(ClientDestroy),
    client_platform_name = PJRT_Client_PlatformName(ClientPlatformName),
    client_process_index = PJRT_Client_ProcessIndex(ClientProcessIndex),
    client_platform_version = PJRT_Client_PlatformVersion(ClientPlatformVersion),
    client_devices = PJRT_Client_Devices(ClientDevices),
    client_addressable_devices = PJRT_Client_AddressableDevices(ClientAddressableDevices),
    client_lookup_device = PJRT_Client_LookupDevice(ClientLookupDevice),
    client_lookup_addressable_device = PJRT_Client_LookupAddressableDevice(ClientLookupAddressableDevice),
    client_addressable_memories = PJRT_Client_AddressableMemories(ClientAddressableMemories),
    client_compile = PJRT_Client_Compile(ClientCompile),
    client_default_device_assignment = PJRT_Client_DefaultDeviceAssignment(ClientDefaultDeviceAssignment),
    client_buffer_from_host_buffer = PJRT_Client_BufferFromHostBuffer(ClientBufferFromHostBuffer),
    device_description_id = PJRT_DeviceDescription_Id(DeviceDescriptionId),
    device_description_process_index = PJRT_DeviceDescription_ProcessIndex(DeviceDescriptionProcessIndex),
    device_description_attributes = PJRT_DeviceDescription_Attributes(DeviceDescriptionAttributes),
    device_description_kind = PJRT_DeviceDescription_Kind(DeviceDescriptionKind),
    device_description_debug_string = PJRT_DeviceDescription_DebugString(DeviceDescriptionDebugString),
    device_description_to_string = PJRT_DeviceDescription_ToString(DeviceDescriptionToString),
    device_get_description = PJRT_Device_GetDescription(DeviceGetDescription),
    device_is_addressable = PJRT_Device_IsAddressable(DeviceIsAddressable),
    device_local_hardware_id = PJRT_Device_LocalHardwareId(DeviceLocalHardwareId),
    device_addressable_memories = PJRT_Device_AddressableMemories(DeviceAddressableMemories),
    device_default_memory = PJRT_Device_DefaultMemory(DeviceDefaultMemory),
    device_memory_stats = PJRT_Device_MemoryStats(DeviceMemoryStats),
    memory_id = PJRT_Memory_Id(MemoryId),
    memory_kind = PJRT_Memory_Kind(MemoryKind),
    memory_debug_string = PJRT_Memory_DebugString(MemoryDebugString),
    memory_to_string = PJRT_Memory_ToString(MemoryToString),
    memory_addressable_by_devices = PJRT_Memory_AddressableByDevices(MemoryAddressableByDevices),
    executable_destroy = PJRT_Executable_Destroy(ExecutableDestroy),
    executable_name = PJRT_Executable_Name(ExecutableName),
    executable_num_replicas = PJRT_Executable_NumReplicas(ExecutableNumReplicas),
    executable_num_partitions = PJRT_Executable_NumPartitions(ExecutableNumPartitions),
    executable_num_outputs = PJRT_Executable_NumOutputs(ExecutableNumOutputs),
    executable_size_of_generated_code_in_bytes =
        PJRT_Executable_SizeOfGeneratedCodeInBytes(ExecutableSizeOfGeneratedCodeInBytes),
    executable_get_cost_analysis = PJRT_Executable_GetCostAnalysis(ExecutableGetCostAnalysis),
    executable_output_memory_kinds = PJRT_Executable_OutputMemoryKinds(ExecutableOutputMemoryKinds),
    executable_optimized_program = PJRT_Executable_OptimizedProgram(ExecutableOptimizedProgram),
    executable_serialize = PJRT_Executable_Serialize(ExecutableSerialize),
    loaded_executable_destroy = PJRT_LoadedExecutable_Destroy(LoadedExecutableDestroy),
    loaded_executable_get_executable = PJRT_LoadedExecutable_GetExecutable(LoadedExecutableGetExecutable),
    loaded_executable_addressable_devices =
        PJRT_LoadedExecutable_AddressableDevices(LoadedExecutableAddressableDevices),
    loaded_executable_delete = PJRT_LoadedExecutable_Delete(LoadedExecutableDelete),
    loaded_executable_is_deleted = PJRT_LoadedExecutable_IsDeleted(LoadedExecutableIsDeleted),
    loaded_executable_execute = PJRT_LoadedExecutable_Execute(LoadedExecutableExecute),
    executable_deserialize_and_load = PJRT_Executable_DeserializeAndLoad(ExecutableDeserializeAndLoad),
    loaded_executable_fingerprint = PJRT_LoadedExecutable_Fingerprint(LoadedExecutableFingerprint),
    buffer_destroy = PJRT_Buffer_Destroy(BufferDestroy),
    buffer_element_type = PJRT_Buffer_ElementType(BufferElementType),
    buffer_dimensions = PJRT_Buffer_Dimensions(BufferDimensions),
    buffer_unpadded_dimensions = PJRT_Buffer_UnpaddedDimensions(BufferUnpaddedDimensions),
    buffer_dynamic_dimension_indices = PJRT_Buffer_DynamicDimensionIndices(BufferDynamicDimensionIndices),
    buffer_get_memory_layout = PJRT_Buffer_GetMemoryLayout(),
    buffer_on_device_size_in_bytes = PJRT_Buffer_OnDeviceSizeInBytes(BufferOnDeviceSizeInBytes),
    buffer_device = PJRT_Buffer_Device(BufferDevice),
    buffer_memory = PJRT_Buffer_Memory(BufferMemory),
    buffer_delete = PJRT_Buffer_Delete(BufferDelete),
    buffer_is_deleted = PJRT_Buffer_IsDeleted(BufferIsDeleted),
    buffer_copy_to_device = PJRT_Buffer_CopyToDevice(BufferCopyToDevice),
    buffer_to_host_buffer = PJRT_Buffer_ToHostBuffer(BufferToHostBuffer),
    buffer_is_on_cpu = PJRT_Buffer_IsOnCpu(BufferIsOnCpu),
    buffer_ready_event = PJRT_Buffer_ReadyEvent(BufferReadyEvent),
    buffer_unsafe_pointer = PJRT_Buffer_UnsafePointer(),
    buffer_increase_external_reference_count = PJRT_Buffer_IncreaseExternalReferenceCount(),
    buffer_decrease_external_reference_count = PJRT_Buffer_DecreaseExternalReferenceCount(),
    buffer_opaque_device_memory_data_pointer = PJRT_Buffer_OpaqueDeviceMemoryDataPointer(),
    copy_to_device_stream_destroy = PJRT_CopyToDeviceStream_Destroy(),
    copy_to_device_stream_add_chunk = PJRT_CopyToDeviceStream_AddChunk(),
    copy_to_device_stream_total_bytes = PJRT_CopyToDeviceStream_TotalBytes(),
    copy_to_device_stream_granule_size = PJRT_CopyToDeviceStream_GranuleSize(),
    copy_to_device_stream_current_bytes = PJRT_CopyToDeviceStream_CurrentBytes(),
    topology_description_create = PJRT_TopologyDescription_Create(TopologyDescriptionCreate),
    topology_description_destroy = PJRT_TopologyDescription_Destroy(TopologyDescriptionDestroy),
    topology_description_platform_name =
        PJRT_TopologyDescription_PlatformName(TopologyDescriptionPlatformName),
    topology_description_platform_version =
        PJRT_TopologyDescription_PlatformVersion(TopologyDescriptionPlatformVersion),
    topology_description_get_device_descriptions =
        PJRT_TopologyDescription_GetDeviceDescriptions(TopologyDescriptionGetDeviceDescriptions),
    topology_description_serialize = PJRT_TopologyDescription_Serialize(TopologyDescriptionSerialize),
    topology_description_attributes = PJRT_TopologyDescription_Attributes(TopologyDescriptionAttributes),
    compile = PJRT_Compile(Compile),
    executable_output_element_types = PJRT_Executable_OutputElementTypes(ExecutableOutputElementTypes),
    executable_output_dimensions = PJRT_Executable_OutputDimensions(ExecutableOutputDimensions),
    buffer_copy_to_memory = PJRT_Buffer_CopyToMemory(BufferCopyToMemory),
    client_create_view_of_device_buffer = PJRT_Client_CreateViewOfDeviceBuffer(),
    executable_fingerprint = PJRT_Executable_Fingerprint(ExecutableFingerprint),
    client_topology_description = PJRT_Client_TopologyDescription(ClientTopologyDescription),
    executable_get_compiled_memory_stats =
        PJRT_Executable_GetCompiledMemoryStats(ExecutableGetCompiledMemoryStats),
    memory_kind_id = PJRT_Memory_Kind_Id(MemoryKindId),
    execute_context_create = PJRT_ExecuteContext_Create(),
    execute_context_destroy = PJRT_ExecuteContext_Destroy(),
    buffer_copy_raw_to_host = PJRT_Buffer_CopyRawToHost(),
    transfer_manager_destroy = PJRT_AsyncHostToDeviceTransferManager_Destroy(),
    transfer_manager_transfer_data = PJRT_AsyncHostToDeviceTransferManager_TransferData(),
    client_create_buffers_for_async_host_to_device = PJRT_Client_CreateBuffersForAsyncHostToDevice(),
    transfer_manager_retrieve_buffer = PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer(),
    transfer_manager_device = PJRT_AsyncHostToDeviceTransferManager_Device(),
    transfer_manager_buffer_count = PJRT_AsyncHostToDeviceTransferManager_BufferCount(),
    transfer_manager_buffer_size = PJRT_AsyncHostToDeviceTransferManager_BufferSize(),
    transfer_manager_set_buffer_error = PJRT_AsyncHostToDeviceTransferManager_SetBufferError(),
    transfer_manager_add_metadata = PJRT_AsyncHostToDeviceTransferManager_AddMetadata(),
    client_dma_map = PJRT_Client_DmaMap(),
    client_dma_unmap = PJRT_Client_DmaUnmap(),
    client_create_uninitialized_buffer = PJRT_Client_CreateUninitializedBuffer(),
    client_update_global_process_info = PJRT_Client_UpdateGlobalProcessInfo(),
    topology_description_deserialize = PJRT_TopologyDescription_Deserialize(),
    client_create_alias_buffer = PJRT_Client_CreateAliasBuffer(),
    client_fulfill_alias_buffer = PJRT_Client_FulfillAliasBuffer(),
    loaded_executable_get_device_assignment = PJRT_LoadedExecutable_GetDeviceAssignment(),
    client_create_error_buffer = PJRT_Client_CreateErrorBuffer(),
    transfer_manager_transfer_literal = PJRT_AsyncHostToDeviceTransferManager_TransferLiteral(),
    buffer_copy_raw_to_host_future = PJRT_Buffer_CopyRawToHostFuture(),
    device_poison_execution = PJRT_Device_PoisonExecution(),
    device_create_async_tracking_event = PJRT_Device_CreateAsyncTrackingEvent(),
    async_tracking_event_destroy = PJRT_AsyncTrackingEvent_Destroy(),
    executable_get_compile_options = PJRT_Executable_GetCompileOptions(),
    buffer_donate_with_control_dependency = PJRT_Buffer_DonateWithControlDependency(),
    event_create = PJRT_Event_Create(),
    event_set = PJRT_Event_Set(),
    device_get_attributes = PJRT_Device_GetAttributes(),
    client_load = PJRT_Client_Load(),
    loaded_executable_addressable_device_logical_ids = PJRT_LoadedExecutable_AddressableDeviceLogicalIds(),
    buffer_bitcast = PJRT_Buffer_Bitcast(),
    error_for_each_payload = PJRT_Error_ForEachPayload(),
    topology_description_fingerprint = PJRT_TopologyDescription_Fingerprint(),
    executable_parameter_memory_kinds = PJRT_Executable_ParameterMemoryKinds(),
    device_clear_memory_stats = PJRT_Device_ClearMemoryStats(),
    topology_description_make_canonical_shape =
        PJRT_TopologyDescription_MakeCanonicalShapeForMemorySpace(),
    topology_description_get_memory_space_kind_ids = PJRT_TopologyDescription_GetMemorySpaceKindIds(),
}

// SAFETY: pointers to functions and to extensions of a library that stays loaded; nobody writes through them.
unsafe impl Send for Api {}
// SAFETY: as above.
unsafe impl Sync for Api {}
