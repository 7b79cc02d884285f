//! Machines by name, as the compilers of plugins call them.
//!
//! TPUs go by a name and chips: `tpu-v4:4x4` has a third direction there. CUDA's plugin knows no names: it is told what
//! a card is, as XLA describes one, and how many cards a host has and how many hosts there are.

use crate::failure::{Failure, Fault};
use crate::plugins::Kind;
use meshwright_base::{Code, Diagnostic};
use meshwright_cost::Target;
use meshwright_pjrt::NamedValue;

/// A machine that no plugin has a name for.
const UNNAMED: Code = Code(738);

pub struct Machine {
    /// The plugin that compiles for it.
    pub kind: Kind,
    /// As `--target` names it.
    pub name: String,
    /// What the plugin calls it by: nothing where it has no name for it.
    pub called: String,
    options: Vec<(&'static str, String)>,
    /// Whether a program may have fewer devices: the compiler for v5e and v6e ends the process then.
    pub has_parts: bool,
}

impl Machine {
    pub fn of(target: &Target, devices: i64) -> Result<Machine, Failure> {
        let shape = target.shape(devices);
        let found = shape.and_then(|(kind, sizes)| match kind.strip_prefix("tpu-") {
            Some(kind) => Some(tpu(kind, &sizes)),
            None => Some(gpus(kind, card(kind)?, &sizes)),
        });
        found.ok_or_else(|| {
            let message = format!("no plugin compiles for `{}` by its name", target.device().name);
            let help = "name TPUs or GPUs, such as `--target tpu-v4:2x2x1` or `--target h100:8`; or drop `--target`, and \
                        compile for the plugin's devices";
            Failure::new(Fault::Usage, Diagnostic::error(UNNAMED, message).help(help))
        })
    }

    /// What the plugin is told of it, and what it is told besides, which goes first.
    pub fn options(&self, asked: &[(String, NamedValue)]) -> Vec<(String, NamedValue)> {
        let is_asked = |name: &str| asked.iter().any(|(said, _)| said == name);
        let own = self.options.iter().filter(|(name, _)| !is_asked(name));
        let own = own.map(|(name, text)| (name.to_string(), NamedValue::Text(text.clone())));
        asked.iter().cloned().chain(own).collect()
    }
}

fn by(sizes: impl IntoIterator<Item = i64>) -> String {
    sizes.into_iter().map(|size| size.to_string()).collect::<Vec<_>>().join("x")
}

fn tpu(kind: &str, sizes: &[i64]) -> Machine {
    // What a chip of v4 is, by one of the names that the compiler has for it: one device, or one for each core.
    let (generation, chip) = match kind {
        "v4" => ("v4", Some("megacore")),
        "v4-core" => ("v4", Some("default")),
        kind => (kind, None),
    };
    let directions = if matches!(generation, "v4" | "v5p") { 3 } else { 2 };
    let shape = by(sizes.iter().copied().chain(std::iter::repeat(1)).take(directions.max(sizes.len())));
    Machine {
        kind: Kind::Tpu,
        name: format!("tpu-{kind}:{shape}"),
        called: format!("{generation}:{shape}"),
        options: chip.map(|chip| ("chip_config_name", chip.to_string())).into_iter().collect(),
        has_parts: !matches!(generation, "v5e" | "v6e"),
    }
}

/// Data sheets, and tables of CUDA's programming guide by compute capability.
struct Card {
    /// As the card calls itself.
    name: &'static str,
    /// Compute capability.
    major: u32,
    multiprocessors: u32,
    /// Lanes of one for `f32`.
    lanes: u32,
    /// Bytes of shared memory of one, and of a block that asks for all it can have.
    shared: u32,
    shared_of_a_block: u32,
    l2: u64,
    gigahertz: f64,
    memory: u64,
    /// Bytes a second.
    bandwidth: f64,
}

const A100: Card = Card {
    name: "NVIDIA A100-SXM4-80GB",
    major: 8,
    multiprocessors: 108,
    lanes: 64,
    shared: 164 << 10,
    shared_of_a_block: 163 << 10,
    l2: 40 << 20,
    gigahertz: 1.41,
    memory: 80 << 30,
    bandwidth: 2.039e12,
};
const H100: Card = Card {
    name: "NVIDIA H100 80GB HBM3",
    major: 9,
    multiprocessors: 132,
    lanes: 128,
    shared: 228 << 10,
    shared_of_a_block: 227 << 10,
    l2: 50 << 20,
    gigahertz: 1.98,
    memory: 80 << 30,
    bandwidth: 3.35e12,
};

fn card(kind: &str) -> Option<Card> {
    match kind {
        "a100-40" => {
            Some(Card { name: "NVIDIA A100-SXM4-40GB", memory: 40 << 30, bandwidth: 1.555e12, ..A100 })
        }
        "a100-80" => Some(A100),
        "h100" => Some(H100),
        "h200" => Some(Card { name: "NVIDIA H200", memory: 141 << 30, bandwidth: 4.8e12, ..H100 }),
        _ => None,
    }
}

impl Card {
    /// As XLA's `GpuTargetConfigProto` says it in text.
    fn text(&self) -> String {
        let Card {
            name,
            major,
            multiprocessors,
            lanes,
            shared,
            shared_of_a_block,
            l2,
            gigahertz,
            memory,
            bandwidth,
        } = self;
        format!(
            "gpu_device_info {{ threads_per_block_limit: 1024 threads_per_warp: 32 shared_memory_per_block: 49152 \
             shared_memory_per_core: {shared} threads_per_core_limit: 2048 core_count: {multiprocessors} \
             fpus_per_core: {lanes} block_dim_limit_x: 2147483647 block_dim_limit_y: 65535 block_dim_limit_z: 65535 \
             memory_bandwidth: {bandwidth:.0} l2_cache_size: {l2} clock_rate_ghz: {gigahertz} \
             device_memory_size: {memory} shared_memory_per_block_optin: {shared_of_a_block} \
             cuda_compute_capability {{ major: {major} }} registers_per_core_limit: 65536 \
             registers_per_block_limit: 65536 }} platform_name: \"CUDA\" dnn_version_info {{ major: 9 minor: 10 }} \
             device_description_str: \"{name}\""
        )
    }
}

fn gpus(kind: &str, card: Card, sizes: &[i64]) -> Machine {
    let of_a_host = sizes.first().copied().unwrap_or(1);
    let hosts = sizes.get(1).copied().unwrap_or(1);
    Machine {
        kind: Kind::Cuda,
        name: format!("{kind}:{}", by(sizes.iter().copied())),
        called: String::new(),
        options: vec![("target_config", card.text()), ("topology", by([1, hosts, of_a_host]))],
        has_parts: true,
    }
}
