//! The C interface by itself: what both sides know of a struct, handles that are null or stale, bad arguments, and
//! arrays in other orders.

mod support;

use meshwright_pjrt::CompileOptions;
use meshwright_pjrt::abi::{self, Arguments, ErrorCode};
use support::raw::{self, call, client, compile, device, end_client, execute, fetch, program, put, wait};
use support::{Counted, LAYERS};

macro_rules! each_refuses_null {
    ($($args:ident)*) => {$({
        let mut empty = abi::$args::EMPTY;
        let (code, message) = call(&mut empty).expect_err(stringify!($args));
        assert_eq!(code, ErrorCode::INVALID_ARGUMENT, "{}: {message}", stringify!($args));
        assert!(message.ends_with("is null"), "{}: {message}", stringify!($args));
    })*};
}

#[test]
fn a_handle_that_is_null_is_refused_by_every_function() {
    let _counted = Counted::new(0);
    each_refuses_null! {
        ErrorGetCode EventDestroy EventIsReady EventError EventAwait EventOnReady
        ClientDestroy ClientPlatformName ClientProcessIndex ClientPlatformVersion ClientDevices ClientAddressableDevices
        ClientLookupDevice ClientLookupAddressableDevice ClientAddressableMemories ClientCompile
        ClientDefaultDeviceAssignment ClientBufferFromHostBuffer ClientTopologyDescription
        DeviceDescriptionId DeviceDescriptionProcessIndex DeviceDescriptionAttributes DeviceDescriptionKind
        DeviceDescriptionDebugString DeviceDescriptionToString
        DeviceGetDescription DeviceIsAddressable DeviceLocalHardwareId DeviceAddressableMemories DeviceDefaultMemory
        DeviceMemoryStats MemoryId MemoryKind MemoryKindId MemoryDebugString MemoryToString MemoryAddressableByDevices
        ExecutableDestroy ExecutableName ExecutableNumReplicas ExecutableNumPartitions ExecutableNumOutputs
        ExecutableSizeOfGeneratedCodeInBytes ExecutableGetCostAnalysis ExecutableOutputMemoryKinds
        ExecutableOutputElementTypes ExecutableOutputDimensions ExecutableOptimizedProgram ExecutableSerialize
        ExecutableFingerprint ExecutableGetCompiledMemoryStats ExecutableDeserializeAndLoad
        LoadedExecutableDestroy LoadedExecutableGetExecutable LoadedExecutableAddressableDevices LoadedExecutableDelete
        LoadedExecutableIsDeleted LoadedExecutableExecute LoadedExecutableFingerprint
        BufferDestroy BufferElementType BufferDimensions BufferUnpaddedDimensions BufferDynamicDimensionIndices
        BufferOnDeviceSizeInBytes BufferDevice BufferMemory BufferDelete BufferIsDeleted BufferCopyToDevice BufferCopyToMemory
        BufferToHostBuffer BufferIsOnCpu BufferReadyEvent
        TopologyDescriptionDestroy TopologyDescriptionPlatformName TopologyDescriptionPlatformVersion
        TopologyDescriptionGetDeviceDescriptions TopologyDescriptionAttributes TopologyDescriptionSerialize Compile
    }
}

#[test]
fn structs_of_older_and_newer_callers_are_read_as_far_as_both_know_them() {
    let _counted = Counted::new(0);
    let opened = client(2);
    let at = device(opened, 1);
    let stats = |struct_size| abi::DeviceMemoryStats {
        struct_size,
        device: at,
        bytes_in_use: -7,
        peak_bytes_in_use_is_set: 9,
        ..abi::DeviceMemoryStats::EMPTY
    };
    // One that knows no more than the first number.
    let mut old = stats(4 * size_of::<usize>());
    call(&mut old).unwrap();
    assert_eq!((old.bytes_in_use, old.peak_bytes_in_use_is_set), (0, 9));
    // One that says more than is known here: what follows is left alone.
    #[repr(C)]
    struct Newer {
        known: abi::DeviceMemoryStats,
        more: [u8; 64],
    }
    let mut newer = Newer { known: stats(size_of::<Newer>()), more: [5; 64] };
    // SAFETY: a struct that begins with its size and is as long as it says.
    raw::taken(unsafe { raw::api().device_memory_stats.unwrap()((&raw mut newer).cast()) }).unwrap();
    assert_eq!((newer.known.bytes_in_use, newer.known.peak_bytes_in_use_is_set, newer.more), (0, 1, [5; 64]));
    // What is too short to be one at all.
    for size in [0, 8] {
        let (code, message) = call(&mut stats(size)).unwrap_err();
        assert_eq!(code, ErrorCode::INVALID_ARGUMENT);
        assert!(message.contains(&format!("{size} bytes")), "{message}");
    }
    // SAFETY: null, which is refused.
    let none = raw::taken(unsafe { raw::api().client_create.unwrap()(std::ptr::null_mut()) });
    assert_eq!(none.unwrap_err().0, ErrorCode::INVALID_ARGUMENT);
    end_client(opened);
}

#[test]
fn a_handle_that_was_destroyed_or_is_of_another_kind_is_told() {
    let _counted = Counted::new(2);
    let opened = client(1);
    let buffer = put(device(opened, 0), opened, &[2], &[1.0, 2.0]);
    let destroy = || call(&mut abi::BufferDestroy { buffer, ..abi::BufferDestroy::EMPTY });
    destroy().unwrap();
    assert!(destroy().unwrap_err().1.contains("`buffer` is no live buffer"));
    let cast = call(&mut abi::BufferDelete { buffer: opened.cast(), ..abi::BufferDelete::EMPTY });
    assert!(cast.unwrap_err().1.contains("of another kind"));
    end_client(opened);
}

const DOUBLE: &str =
    "func.func public @main(%x: tensor<2x3xf32> {tf.aliasing_output = 0 : i32}) -> tensor<2x3xf32> {
  %y = stablehlo.add %x, %x : tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}";

fn one() -> Vec<u8> {
    CompileOptions { devices: vec![0] }.encoded()
}

#[test]
fn programs_that_are_none_are_refused_with_their_reason() {
    let _counted = Counted::new(0);
    let opened = client(2);
    let refused = |format, code: &[u8], options: &[u8]| {
        compile(opened, &program(format, code), options).expect_err("a program")
    };
    let cases = [
        (refused(c"hlo", DOUBLE.as_bytes(), &one()), ErrorCode::UNIMPLEMENTED, "in the format `hlo`"),
        (refused(c"mlir", b"ML\xefR\x06more", &one()), ErrorCode::UNIMPLEMENTED, "as bytecode"),
        (refused(c"mlir", b"\xff\xfe", &one()), ErrorCode::INVALID_ARGUMENT, "not UTF-8"),
        (refused(c"mlir", b"module {", &one()), ErrorCode::INVALID_ARGUMENT, "program:1"),
        (
            refused(c"mlir", DOUBLE.as_bytes(), b"\x1a\x7f"),
            ErrorCode::INVALID_ARGUMENT,
            "CompileOptionsProto",
        ),
        (
            refused(c"mlir", LAYERS.as_bytes(), &one()),
            ErrorCode::INVALID_ARGUMENT,
            "a mesh of 8 devices, and is compiled for 1 partitions",
        ),
        (
            refused(c"mlir", DOUBLE.as_bytes(), &CompileOptions { devices: vec![7] }.encoded()),
            ErrorCode::INVALID_ARGUMENT,
            "device 7 does not exist: there are 0 to 1",
        ),
        // Two replicas: field 4 of field 3.
        (refused(c"mlir", DOUBLE.as_bytes(), &[0x1a, 2, 0x20, 2]), ErrorCode::UNIMPLEMENTED, "2 replicas"),
    ];
    for ((code, message), expected, part) in cases {
        assert!(code == expected && message.contains(part), "{code:?} {message}");
    }
    end_client(opened);
}

#[test]
fn arguments_that_do_not_fit_are_refused_and_donated_arrays_are_gone() {
    let _counted = Counted::new(0);
    let opened = client(2);
    let loaded = compile(opened, &program(c"mlir", DOUBLE.as_bytes()), &one()).unwrap();
    let (first, second) = (device(opened, 0), device(opened, 1));
    let (six, numbers) = ([2, 3], [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    let x = put(first, opened, &six, &numbers);
    let flat = put(first, opened, &[6], &numbers);
    let there = put(second, opened, &six, &numbers);
    let told = |args: &[Vec<*mut abi::Buffer>], count| execute(loaded, args, count, &[]).unwrap_err().1;
    assert_eq!(told(&[vec![x, x]], 2), "the program takes 1 arrays, 2 are given");
    assert_eq!(told(&[vec![x], vec![x]], 1), "the program has 1 devices here, 2 are given");
    assert_eq!(told(&[vec![flat]], 1), "argument 0 is f32[6], the program takes f32[2,3]");
    assert_eq!(told(&[vec![there]], 1), "argument 0 lies on device 1, it is given to device 0");

    let kept = execute(loaded, &[vec![x]], 1, &[0]).unwrap();
    let made = execute(loaded, &[vec![x]], 1, &[]).unwrap();
    let doubled: Vec<f32> = numbers.iter().map(|number| 2.0 * number).collect();
    assert_eq!((fetch(kept[0], &[1, 0], 6), fetch(made[0], &[1, 0], 6)), (Ok(doubled.clone()), Ok(doubled)));
    let again = execute(loaded, &[vec![x]], 1, &[]).unwrap_err();
    assert_eq!(again, (ErrorCode::FAILED_PRECONDITION, "the array was donated to a program before".into()));
    assert!(fetch(x, &[1, 0], 6).unwrap_err().1.contains("donated"));
    let mut gone = abi::BufferIsDeleted { buffer: x, ..abi::BufferIsDeleted::EMPTY };
    call(&mut gone).unwrap();
    assert_eq!(gone.is_deleted, 1);

    let executable = loaded;
    call(&mut abi::LoadedExecutableDelete { executable, ..abi::LoadedExecutableDelete::EMPTY }).unwrap();
    assert_eq!(told(&[vec![made[0]]], 1), "the program was deleted before");
    call(&mut abi::LoadedExecutableDestroy { executable, ..abi::LoadedExecutableDestroy::EMPTY }).unwrap();
    for buffer in [x, flat, there, kept[0], made[0]] {
        call(&mut abi::BufferDestroy { buffer, ..abi::BufferDestroy::EMPTY }).unwrap();
    }
    end_client(opened);
}

#[test]
fn arrays_come_and_go_in_any_order_of_their_dims() {
    let _counted = Counted::new(0);
    let opened = client(2);
    // Column by column at the caller's, each with a hole behind it.
    let columns = [1.0f32, 4.0, -1.0, 2.0, 5.0, -1.0, 3.0, 6.0, -1.0];
    let (dims, strides) = ([2i64, 3], [4i64, 12]);
    let mut args = abi::ClientBufferFromHostBuffer {
        client: opened,
        data: columns.as_ptr().cast(),
        kind: abi::BufferType::F32,
        dims: dims.as_ptr(),
        num_dims: 2,
        byte_strides: strides.as_ptr(),
        num_byte_strides: 2,
        device: device(opened, 0),
        ..abi::ClientBufferFromHostBuffer::EMPTY
    };
    call(&mut args).unwrap();
    wait(args.done_with_host_buffer).unwrap();
    let x = args.buffer;
    assert_eq!(fetch(x, &[1, 0], 6).unwrap(), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    assert_eq!(fetch(x, &[0, 1], 6).unwrap(), [1.0, 4.0, 2.0, 5.0, 3.0, 6.0]);
    assert_eq!(fetch(x, &[0, 0], 6).unwrap_err().1, "[0, 0] is not an order of the 2 dims of f32[2,3]");
    assert_eq!(fetch(x, &[1, 0], 5).unwrap_err().1, "f32[2,3] has 24 bytes, there is room for 20");

    let mut copy = abi::BufferCopyToDevice {
        buffer: x,
        dst_device: device(opened, 1),
        ..abi::BufferCopyToDevice::EMPTY
    };
    call(&mut copy).unwrap();
    let y = copy.dst_buffer;
    call(&mut abi::BufferDelete { buffer: x, ..abi::BufferDelete::EMPTY }).unwrap();
    assert_eq!(fetch(x, &[1, 0], 6).unwrap_err().0, ErrorCode::FAILED_PRECONDITION);
    assert_eq!(fetch(y, &[1, 0], 6).unwrap(), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    let mut on = abi::BufferDevice { buffer: y, ..abi::BufferDevice::EMPTY };
    call(&mut on).unwrap();
    assert_eq!(on.device, device(opened, 1));
    for buffer in [x, y] {
        call(&mut abi::BufferDestroy { buffer, ..abi::BufferDestroy::EMPTY }).unwrap();
    }
    end_client(opened);
}

#[test]
fn a_program_that_was_stored_runs_again() {
    let _counted = Counted::new(0);
    let opened = client(1);
    let loaded = compile(opened, &program(c"mlir", DOUBLE.as_bytes()), &one()).unwrap();
    let mut looked = abi::LoadedExecutableGetExecutable {
        loaded_executable: loaded,
        ..abi::LoadedExecutableGetExecutable::EMPTY
    };
    call(&mut looked).unwrap();
    let mut stored =
        abi::ExecutableSerialize { executable: looked.executable, ..abi::ExecutableSerialize::EMPTY };
    call(&mut stored).unwrap();
    let mut restored = abi::ExecutableDeserializeAndLoad {
        client: opened,
        serialized_executable: stored.serialized_bytes,
        serialized_executable_size: stored.serialized_bytes_size,
        ..abi::ExecutableDeserializeAndLoad::EMPTY
    };
    call(&mut restored).unwrap();
    restored.serialized_executable_size = 5;
    assert!(call(&mut restored).unwrap_err().1.contains("no serialized program"));
    // SAFETY: the owner of the bytes, once.
    unsafe { stored.deleter.unwrap()(stored.serialized_executable) };
    let x = put(device(opened, 0), opened, &[2, 3], &[1.0; 6]);
    let made = execute(restored.loaded_executable, &[vec![x]], 1, &[]).unwrap();
    assert_eq!(fetch(made[0], &[1, 0], 6).unwrap(), [2.0; 6]);
    for executable in [loaded, restored.loaded_executable] {
        call(&mut abi::LoadedExecutableDestroy { executable, ..abi::LoadedExecutableDestroy::EMPTY })
            .unwrap();
    }
    call(&mut abi::ExecutableDestroy { executable: looked.executable, ..abi::ExecutableDestroy::EMPTY })
        .unwrap();
    for buffer in [x, made[0]] {
        call(&mut abi::BufferDestroy { buffer, ..abi::BufferDestroy::EMPTY }).unwrap();
    }
    end_client(opened);
}
