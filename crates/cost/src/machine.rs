//! A machine as planning sees it: rates of one device and of its links.

/// Rates in units per second, latencies in seconds.
#[derive(Clone, PartialEq, Debug)]
pub struct Machine {
    /// Floating-point operations of one device on matrix products.
    pub flops: f64,
    /// Bytes of one device's memory.
    pub memory: f64,
    /// Bytes a device can send while it receives as many.
    pub link: f64,
    /// Time before the first byte of a collective.
    pub latency: f64,
    /// Time to start one op.
    pub launch: f64,
    /// Whether a device computes while it sends.
    pub overlaps: bool,
    /// Bytes from which on what an einsum puts together may be worth a loop: many collectives in the place of one. That
    /// of XLA by default.
    pub loops_from: f64,
}

/// Devices by name, and the bytes of memory that each has. A TPU's device is a core up to v3, and a chip from v4 on.
pub const MEMORIES: [(&str, i64); 10] = [
    ("tpu-v2", 8 << 30),
    ("tpu-v3", 16 << 30),
    ("tpu-v4", 32 << 30),
    ("tpu-v5e", 16 << 30),
    ("tpu-v5p", 95 << 30),
    ("tpu-v6e", 32 << 30),
    ("a100-40", 40_000_000_000),
    ("a100-80", 80_000_000_000),
    ("h100", 80_000_000_000),
    ("h200", 141_000_000_000),
];

impl Machine {
    /// Devices that are threads of one process: planned as the default machine, but who computes is who copies.
    pub fn in_process() -> Self {
        Machine { overlaps: false, ..Machine::default() }
    }
}

impl Default for Machine {
    /// An accelerator of the class the papers used: 100 TFLOP/s, 1 TB/s of memory, 100 GB/s of links.
    fn default() -> Self {
        Machine {
            flops: 1e14,
            memory: 1e12,
            link: 1e11,
            latency: 1e-6,
            launch: 1e-7,
            overlaps: true,
            loops_from: 268_435_456.0,
        }
    }
}
