//! The plugin's table of functions, called without anything of ours between.

use super::symbol;
use meshwright_pjrt::abi::{self, Api, Arguments, BufferType, Call, ErrorCode};
use std::ffi::CStr;

pub type Told = Result<(), (ErrorCode, String)>;

pub fn api() -> &'static Api {
    let entry: *mut std::ffi::c_void = symbol(abi::ENTRY);
    // SAFETY: what is exported under this name is a function of this type; its table lives as long as the library.
    unsafe { &*std::mem::transmute::<*mut std::ffi::c_void, abi::Entry>(entry)() }
}

/// Call the function that takes these arguments.
pub fn call<A: Call>(args: &mut A) -> Told {
    let function = A::function(api()).unwrap_or_else(|| panic!("{}", A::NAME));
    // SAFETY: every test gives arguments whose pointers hold what they say.
    taken(unsafe { function(args) })
}

/// Code and text of an error, which is destroyed.
pub fn taken(error: *mut abi::Error) -> Told {
    if error.is_null() {
        return Ok(());
    }
    let mut message = abi::ErrorMessage { error, ..abi::ErrorMessage::EMPTY };
    let mut code = abi::ErrorGetCode { error, ..abi::ErrorGetCode::EMPTY };
    let mut end = abi::ErrorDestroy { error, ..abi::ErrorDestroy::EMPTY };
    let table = api();
    // SAFETY: a live error, destroyed when its text was copied.
    unsafe {
        table.error_message.unwrap()(&mut message);
        let text = std::slice::from_raw_parts(message.message.cast::<u8>(), message.message_size).to_vec();
        assert!(table.error_get_code.unwrap()(&mut code).is_null());
        table.error_destroy.unwrap()(&mut end);
        Err((code.code, String::from_utf8(text).unwrap()))
    }
}

/// A client with so many devices.
pub fn client(devices: i64) -> *mut abi::Client {
    let name = "devices";
    let option = abi::NamedValue {
        name: name.as_ptr().cast(),
        name_size: name.len(),
        kind: abi::NamedKind::INT64,
        value: abi::Named { int64: devices },
        value_size: 1,
        ..abi::NamedValue::EMPTY
    };
    let mut args = abi::ClientCreate { create_options: &option, num_options: 1, ..abi::ClientCreate::EMPTY };
    call(&mut args).unwrap();
    args.client
}

pub fn end_client(client: *mut abi::Client) {
    call(&mut abi::ClientDestroy { client, ..abi::ClientDestroy::EMPTY }).unwrap();
}

/// A device of a client.
pub fn device(client: *mut abi::Client, id: i32) -> *mut abi::Device {
    let mut args = abi::ClientLookupDevice { client, id, ..abi::ClientLookupDevice::EMPTY };
    call(&mut args).unwrap();
    args.device
}

pub fn program(format: &'static CStr, code: &[u8]) -> abi::Program {
    abi::Program {
        code: code.as_ptr().cast_mut().cast(),
        code_size: code.len(),
        format: format.as_ptr(),
        format_size: format.to_bytes().len(),
        ..abi::Program::EMPTY
    }
}

pub fn compile(
    client: *mut abi::Client,
    program: &abi::Program,
    options: &[u8],
) -> Result<*mut abi::LoadedExecutable, (ErrorCode, String)> {
    let mut args = abi::ClientCompile {
        client,
        program,
        compile_options: options.as_ptr().cast(),
        compile_options_size: options.len(),
        ..abi::ClientCompile::EMPTY
    };
    call(&mut args).map(|()| args.executable)
}

/// Numbers put on a device, dense.
pub fn put(
    device: *mut abi::Device,
    client: *mut abi::Client,
    dims: &[i64],
    values: &[f32],
) -> *mut abi::Buffer {
    let mut args = abi::ClientBufferFromHostBuffer {
        client,
        data: values.as_ptr().cast(),
        kind: BufferType::F32,
        dims: dims.as_ptr(),
        num_dims: dims.len(),
        device,
        ..abi::ClientBufferFromHostBuffer::EMPTY
    };
    call(&mut args).unwrap();
    wait(args.done_with_host_buffer).unwrap();
    args.buffer
}

/// Wait for an event, and be rid of it.
pub fn wait(event: *mut abi::Event) -> Told {
    let waited = call(&mut abi::EventAwait { event, ..abi::EventAwait::EMPTY });
    call(&mut abi::EventDestroy { event, ..abi::EventDestroy::EMPTY }).unwrap();
    waited
}

/// The numbers of an array on a device, in an order of its dims.
pub fn fetch(src: *mut abi::Buffer, order: &[i64], count: usize) -> Result<Vec<f32>, (ErrorCode, String)> {
    let tiled = abi::TiledLayout {
        minor_to_major: order.as_ptr(),
        minor_to_major_size: order.len(),
        ..abi::TiledLayout::EMPTY
    };
    let mut layout = abi::MemoryLayout { tiled, ..abi::MemoryLayout::EMPTY };
    let mut values = vec![0f32; count];
    let mut args = abi::BufferToHostBuffer {
        src,
        host_layout: &mut layout,
        dst: values.as_mut_ptr().cast(),
        dst_size: count * size_of::<f32>(),
        ..abi::BufferToHostBuffer::EMPTY
    };
    call(&mut args)?;
    wait(args.event)?;
    Ok(values)
}

/// Run a program of one result; `args` of each device.
pub fn execute(
    executable: *mut abi::LoadedExecutable,
    args: &[Vec<*mut abi::Buffer>],
    count: usize,
    kept: &[i64],
) -> Result<Vec<*mut abi::Buffer>, (ErrorCode, String)> {
    let lists: Vec<*const *mut abi::Buffer> = args.iter().map(|of| of.as_ptr()).collect();
    let mut room = vec![[std::ptr::null_mut()]; args.len()];
    let outputs: Vec<*mut *mut abi::Buffer> = room.iter_mut().map(|one| one.as_mut_ptr()).collect();
    let mut events = vec![std::ptr::null_mut(); args.len()];
    let mut options = abi::ExecuteOptions {
        non_donatable_input_indices: kept.as_ptr(),
        num_non_donatable_input_indices: kept.len(),
        ..abi::ExecuteOptions::EMPTY
    };
    let mut execute = abi::LoadedExecutableExecute {
        executable,
        options: &mut options,
        argument_lists: lists.as_ptr(),
        num_devices: args.len(),
        num_args: count,
        output_lists: outputs.as_ptr(),
        device_complete_events: events.as_mut_ptr(),
        ..abi::LoadedExecutableExecute::EMPTY
    };
    call(&mut execute)?;
    let waited: Vec<Told> = events.into_iter().map(wait).collect();
    waited.into_iter().collect::<Told>()?;
    Ok(room.into_iter().map(|[buffer]| buffer).collect())
}
