//! What the tests share: the plugin's library, its counters, programs.
#![allow(dead_code)]

pub mod raw;

use meshwright_base::{Id, SourceText};
use meshwright_compile::{Options, Unobserved, partition};
use meshwright_interp::Tensor;
use meshwright_ir::{Module, Placement, SpmdModule, TensorType, ValueId};
use meshwright_pjrt::{Client, NamedValue, Plugin};
use meshwright_runtime::devices::place_all;
use meshwright_runtime::{Args, DeviceId, HostArray};
use meshwright_shard::{Mesh, Sharding};
use std::env::consts::{DLL_PREFIX, DLL_SUFFIX};
use std::ffi::{CStr, CString, c_void};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The plugin's library: cargo makes it with this test, in the same folder.
pub fn library() -> PathBuf {
    let name = format!("{DLL_PREFIX}meshwright_pjrt_plugin{DLL_SUFFIX}");
    let here = std::env::current_exe().unwrap();
    let found = here.parent().unwrap().join(name);
    assert!(found.is_file(), "{} is not there", found.display());
    found
}

pub fn plugin() -> &'static Plugin {
    Plugin::load(&library()).unwrap()
}

pub fn client(options: &[&str]) -> Arc<Client> {
    let options: Vec<_> = options.iter().map(|option| NamedValue::parse(option).unwrap()).collect();
    Arc::new(Client::new(plugin(), &options).unwrap())
}

/// What the library exports under a name.
pub fn symbol(name: &CStr) -> *mut c_void {
    use std::os::unix::ffi::OsStrExt;
    let path = CString::new(library().as_os_str().as_bytes()).unwrap();
    // SAFETY: texts that end with a zero byte; the library is one of ours.
    let found = unsafe { libc::dlsym(libc::dlopen(path.as_ptr(), libc::RTLD_NOW), name.as_ptr()) };
    assert!(!found.is_null(), "{name:?}");
    found
}

fn counter(name: &CStr) -> usize {
    // SAFETY: the library exports functions of this type by the names below.
    let function: extern "C" fn() -> usize = unsafe { std::mem::transmute(symbol(name)) };
    function()
}

/// Handles of the plugin that are alive.
pub fn live() -> usize {
    counter(c"MeshwrightLiveHandles")
}

/// Calls with a handle that was not alive.
pub fn stale() -> usize {
    counter(c"MeshwrightStaleHandles")
}

/// A test by itself: all tests of a process count the same handles. At its end none is alive, and so many calls named
/// one that was not.
pub struct Counted {
    stale: usize,
    _alone: MutexGuard<'static, ()>,
}

impl Counted {
    pub fn new(stale_calls: usize) -> Counted {
        static ALONE: Mutex<()> = Mutex::new(());
        let alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
        Counted { stale: stale() + stale_calls, _alone: alone }
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            assert_eq!((live(), stale()), (0, self.stale), "handles alive, calls with stale ones");
        }
    }
}

pub fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

pub fn parsed(text: &str) -> Module {
    let module = meshwright_text::parse(&SourceText::new("text", text)).unwrap();
    meshwright_ir::verify(&module).unwrap();
    module
}

pub fn partitioned(text: &str) -> SpmdModule {
    partition(parsed(text), &Options::default(), &mut Unobserved).unwrap().program
}

/// The module as the program of one device.
pub fn one_device(mut module: Module) -> SpmdModule {
    let mesh = module.meshes.push(Mesh::new("one", [("d", 1)], None).unwrap());
    let place = |value: &ValueId| {
        let global: TensorType = module.main().ty(*value).as_array();
        Placement { sharding: Sharding::replicated(mesh, global.rank()), global }
    };
    let params = module.main().param_values().iter().map(place).collect();
    let results = module.main().result_values().iter().map(place).collect();
    SpmdModule::new(module, params, results).unwrap()
}

/// Arrays of whole numbers, cut for the devices.
pub fn placed(program: &SpmdModule, devices: usize, inputs: &[Tensor]) -> Args {
    let local: Vec<_> = (0..devices).map(Id::from_index).collect();
    placed_on(program, &local, inputs)
}

/// The same, for some of the devices.
pub fn placed_on(program: &SpmdModule, local: &[DeviceId], inputs: &[Tensor]) -> Args {
    let arrays: Vec<HostArray> =
        inputs.iter().map(|x| HostArray { ty: x.ty().clone(), bytes: x.to_bytes() }).collect();
    place_all(program, &arrays, local).unwrap()
}

/// Two layers of a network on eight devices, with a sum over four of them.
pub const LAYERS: &str = r#"
sdy.mesh @m = <["x"=2, "y"=4]>
func.func public @main(%a: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>},
                       %b: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"y"}]>},
                       %c: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"y"}, {}]>})
    -> (tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0]
    : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
  %1 = stablehlo.dot_general %0, %c, contracting_dims = [1] x [0]
    : (tensor<4x16xf32>, tensor<16x8xf32>) -> tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}
"#;
