//! The layout, held against sizes that plugins of version 117 were seen to ask for.

use super::*;

#[test]
fn sizes_are_those_of_plugins() {
    let seen = [
        ("NamedValue", NamedValue::SIZE, 56),
        ("Program", Program::SIZE, 48),
        ("TiledLayout", TiledLayout::SIZE, 56),
        ("MemoryLayout", MemoryLayout::SIZE, 76),
        ("ErrorGetCode", ErrorGetCode::SIZE, 28),
        ("PluginInitialize", PluginInitialize::SIZE, 16),
        ("EventIsReady", EventIsReady::SIZE, 25),
        ("KeyValueGetArguments", KeyValueGetArguments::SIZE, 80),
        ("ClientCreate", ClientCreate::SIZE, 88),
        ("ClientBufferFromHostBuffer", ClientBufferFromHostBuffer::SIZE, 120),
        ("DeviceMemoryStats", DeviceMemoryStats::SIZE, 201),
        ("ExecutableGetCompiledMemoryStats", ExecutableGetCompiledMemoryStats::SIZE, 144),
        ("ExecutableSerialize", ExecutableSerialize::SIZE, 56),
        ("ExecuteOptions", ExecuteOptions::SIZE, 144),
        ("LoadedExecutableExecute", LoadedExecutableExecute::SIZE, 80),
        ("ExecutableDeserializeAndLoad", ExecutableDeserializeAndLoad::SIZE, 72),
        ("BufferElementType", BufferElementType::SIZE, 28),
        ("BufferToHostBuffer", BufferToHostBuffer::SIZE, 56),
        ("TopologyDescriptionCreate", TopologyDescriptionCreate::SIZE, 56),
        ("Compile", Compile::SIZE, 64),
        ("Api", size_of::<Api>(), 1144),
    ];
    for (name, size, expected) in seen {
        assert_eq!(size, expected, "{name}");
    }
}

#[test]
fn functions_stand_where_the_interface_has_them() {
    let first = 40;
    let slot = |offset: usize| (offset - first) / 8;
    assert_eq!(slot(std::mem::offset_of!(Api, error_destroy)), 0);
    assert_eq!(slot(std::mem::offset_of!(Api, client_create)), 10);
    assert_eq!(slot(std::mem::offset_of!(Api, compile)), 89);
    assert_eq!(slot(std::mem::offset_of!(Api, executable_get_compiled_memory_stats)), 96);
    assert_eq!(slot(std::mem::offset_of!(Api, topology_description_get_memory_space_kind_ids)), 137);
}

#[test]
fn what_is_empty_says_its_size() {
    assert_eq!((ErrorGetCode::EMPTY.struct_size, ErrorGetCode::EMPTY.code), (28, ErrorCode::OK));
    assert_eq!((Api::EMPTY.struct_size, Api::EMPTY.compile.is_none()), (1144, true));
    assert_eq!(Compile::NAME, "PJRT_Compile");
}
