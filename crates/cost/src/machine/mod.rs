//! A machine as data: what one device computes and moves in a second, and the network between devices.
//!
//! Whatever is known as a number is a [`Coefficient`] with a value, how far off it may be, and where it comes from.
//! Estimates read coefficients and nothing else, so all of them can be shown, measured, fitted and shaken: an interval
//! is the estimate at shaken coefficients ([`interval`](crate::interval)). What is not a number (which types a product
//! takes, how devices are wired, what runs beside what) stands beside them.
//!
//! A *device* is what runs one copy of a program: a core up to TPU v3, a chip from v4 on (or a core of v4), a GPU, a
//! thread.

pub mod source;
pub mod table;
pub mod target;

pub use source::Source;

use crate::network::Network;
use crate::pattern::Pattern;
use meshwright_ir::DType;
use std::borrow::Cow;
use std::ops::Index;

/// A number about a machine.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Coefficient {
    /// Flops per second of products at their peak, in the type that the peak is stated in.
    Products,
    /// The share of that peak that large products reach.
    ProductShare,
    /// The share of that which is left to products with batch dims.
    BatchedShare,
    /// Rows of a product at which it takes twice as long per flop as one of many.
    HalfRows,
    /// The same for columns.
    HalfColumns,
    /// The same for what is summed over.
    HalfDepth,
    /// Bytes per second of a device's memory at its peak.
    Memory,
    /// The share of that which loops reach.
    MemoryShare,
    /// Elementwise operations per second, in 32 bits.
    Elements,
    /// How many of them a function takes, as an exponential.
    Function,
    /// How many of them one step of a sum along a dim takes that cannot be done side by side.
    Running,
    /// How many of them a quotient or a root takes.
    Division,
    /// Seconds that a loop over rows takes for each of them.
    Row,
    /// Seconds more that a loop takes which works on tiles, into which its operands are collected.
    Tiles,
    /// Seconds for each run of elements that is collected or copied by itself.
    Run,
    /// Seconds to call the code of a loop once more, for each array that it is told the place of.
    Call,
    /// Seconds for each number that is counted up into a tile.
    Counted,
    /// Seconds for each row that is folded in tiles.
    Folded,
    /// Seconds for each window that is looked up.
    Window,
    /// Seconds more for each product of matrices.
    Each,
    /// The same for one whose right operand is turned first.
    Turned,
    /// Bytes per second of products of which most is masked.
    Masked,
    /// Seconds more for each run of bytes that is read from memory by itself.
    Far,
    /// Bytes per second of drawn bits.
    Drawn,
    /// Seconds to start a program.
    Begin,
    /// Seconds more for each array that a program is given or gives.
    Array,
    /// Seconds to start an op.
    Launch,
    /// Seconds more for a step that workers share.
    Handing,
    /// Bytes per second of what another worker wrote a short while ago.
    Crossed,
    /// Seconds more for a collective at which workers wait for each other.
    Meeting,
    /// Seconds to start a collective.
    Start,
    /// Bytes per second of one link one way: between neighbours of a torus, or of a device's port into its switch.
    Link,
    /// The share of that which collectives reach.
    LinkShare,
    /// The same of all-to-alls, whose messages wait for no others.
    ExchangeShare,
    /// Of what an all-to-all saves where a ring is closed, the share that it gets: 1 if all goes the shorter way round,
    /// 0 if it takes as long as on a line.
    RingShare,
    /// Seconds over one link.
    Hop,
    /// Bytes per second one way and device to other hosts.
    Outer,
    /// Seconds to another host.
    OuterHop,
    /// Bytes per second between cores of one chip, or threads of one process.
    Inner,
}

impl Coefficient {
    pub const ALL: [Coefficient; 39] = [
        Coefficient::Products,
        Coefficient::ProductShare,
        Coefficient::BatchedShare,
        Coefficient::HalfRows,
        Coefficient::HalfColumns,
        Coefficient::HalfDepth,
        Coefficient::Memory,
        Coefficient::MemoryShare,
        Coefficient::Elements,
        Coefficient::Function,
        Coefficient::Running,
        Coefficient::Division,
        Coefficient::Row,
        Coefficient::Tiles,
        Coefficient::Run,
        Coefficient::Call,
        Coefficient::Counted,
        Coefficient::Folded,
        Coefficient::Window,
        Coefficient::Each,
        Coefficient::Turned,
        Coefficient::Masked,
        Coefficient::Far,
        Coefficient::Drawn,
        Coefficient::Begin,
        Coefficient::Array,
        Coefficient::Launch,
        Coefficient::Handing,
        Coefficient::Crossed,
        Coefficient::Meeting,
        Coefficient::Start,
        Coefficient::Link,
        Coefficient::LinkShare,
        Coefficient::ExchangeShare,
        Coefficient::RingShare,
        Coefficient::Hop,
        Coefficient::Outer,
        Coefficient::OuterHop,
        Coefficient::Inner,
    ];

    /// Its name in files and messages.
    pub fn name(self) -> &'static str {
        match self {
            Coefficient::Products => "products",
            Coefficient::ProductShare => "product_share",
            Coefficient::BatchedShare => "batched_share",
            Coefficient::HalfRows => "half_rows",
            Coefficient::HalfColumns => "half_columns",
            Coefficient::HalfDepth => "half_depth",
            Coefficient::Memory => "memory",
            Coefficient::MemoryShare => "memory_share",
            Coefficient::Elements => "elements",
            Coefficient::Function => "function",
            Coefficient::Running => "running",
            Coefficient::Division => "division",
            Coefficient::Row => "row",
            Coefficient::Tiles => "tiles",
            Coefficient::Run => "run",
            Coefficient::Call => "call",
            Coefficient::Counted => "counted",
            Coefficient::Folded => "folded",
            Coefficient::Window => "window",
            Coefficient::Each => "each",
            Coefficient::Turned => "turned",
            Coefficient::Masked => "masked",
            Coefficient::Far => "far",
            Coefficient::Drawn => "drawn",
            Coefficient::Begin => "begin",
            Coefficient::Array => "array",
            Coefficient::Launch => "launch",
            Coefficient::Handing => "handing",
            Coefficient::Crossed => "crossed",
            Coefficient::Meeting => "meeting",
            Coefficient::Start => "start",
            Coefficient::Link => "link",
            Coefficient::LinkShare => "link_share",
            Coefficient::ExchangeShare => "exchange_share",
            Coefficient::RingShare => "ring_share",
            Coefficient::Hop => "hop",
            Coefficient::Outer => "outer",
            Coefficient::OuterHop => "outer_hop",
            Coefficient::Inner => "inner",
        }
    }

    /// What it would be if nothing but peaks were in the way; `None` for a peak itself.
    fn perfect(self) -> Option<f64> {
        match self {
            Coefficient::ProductShare
            | Coefficient::BatchedShare
            | Coefficient::MemoryShare
            | Coefficient::LinkShare
            | Coefficient::ExchangeShare
            | Coefficient::RingShare => Some(1.0),
            Coefficient::HalfRows | Coefficient::HalfColumns | Coefficient::HalfDepth => Some(0.0),
            Coefficient::Running
            | Coefficient::Row
            | Coefficient::Tiles
            | Coefficient::Run
            | Coefficient::Call
            | Coefficient::Counted
            | Coefficient::Folded
            | Coefficient::Window
            | Coefficient::Each
            | Coefficient::Turned
            | Coefficient::Begin
            | Coefficient::Array
            | Coefficient::Launch
            | Coefficient::Far
            | Coefficient::Handing
            | Coefficient::Meeting
            | Coefficient::Start
            | Coefficient::Hop
            | Coefficient::OuterHop => Some(0.0),
            Coefficient::Products
            | Coefficient::Memory
            | Coefficient::Elements
            | Coefficient::Function
            | Coefficient::Division
            | Coefficient::Masked
            | Coefficient::Drawn
            | Coefficient::Crossed
            | Coefficient::Link
            | Coefficient::Outer
            | Coefficient::Inner => None,
        }
    }
}

/// A value, by which share it may be off, and who says so.
#[derive(Clone, PartialEq, Debug)]
pub struct Known {
    pub value: f64,
    /// Nine times of ten the true value lies between `value / (1 + within)` and `value * (1 + within)`.
    pub within: f64,
    pub source: Source,
}

impl Known {
    pub const fn new(value: f64, within: f64, source: Source) -> Known {
        Known { value, within, source }
    }

    /// Whether no source states it.
    pub fn is_assumed(&self) -> bool {
        matches!(self.source, Source::Assumed(_))
    }
}

/// Which collectives run while a device computes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Overlap {
    /// Who computes is who copies.
    Nothing,
    /// What goes to a neighbour: an einsum's pieces in a loop.
    Permutes,
    All,
}

impl Overlap {
    pub fn hides(self, pattern: Pattern) -> bool {
        match self {
            Overlap::Nothing => false,
            Overlap::Permutes => pattern == Pattern::Permute,
            Overlap::All => true,
        }
    }
}

/// What the compiler of a machine does to a program before it runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Habits {
    /// Loops over elements that follow each other are one.
    pub fuses: bool,
    /// What only products read is kept in the 16 bits to which they round it.
    pub rounds: bool,
}

impl Habits {
    pub const PLAIN: Habits = Habits { fuses: false, rounds: false };
}

/// What is known of a machine.
#[derive(Clone, PartialEq, Debug)]
pub struct Machine {
    pub name: Cow<'static, str>,
    /// Bytes of one device's memory that a program can have: what its compiler keeps for itself is not among them.
    pub capacity: i64,
    /// By coefficient.
    pub known: [Known; Coefficient::ALL.len()],
    /// Products of these types, by the rate of the peak; others run at the rate of the nearest wider one.
    pub types: Cow<'static, [(DType, f64)]>,
    /// Rows, columns and depth of a product come in multiples of this.
    pub tile: i64,
    /// Loops over at most so many bytes move them at so many times the memory's rate, the smallest first.
    pub caches: Cow<'static, [(f64, f64)]>,
    /// Cores that all devices share, where these are threads of one process.
    pub workers: Option<i64>,
    pub overlap: Overlap,
    /// Whether loops over elements that follow each other are one, so that what is between takes no memory.
    pub fuses: bool,
    /// Bytes from which on what an einsum puts together may be worth a loop: many collectives in the place of one.
    pub loops_from: f64,
    pub network: Network,
}

impl Index<Coefficient> for Machine {
    type Output = f64;

    #[inline]
    fn index(&self, of: Coefficient) -> &f64 {
        &self.known[of as usize].value
    }
}

impl Machine {
    /// All that is known of a coefficient.
    pub fn known(&self, of: Coefficient) -> &Known {
        &self.known[of as usize]
    }

    /// The same machine with another value; how far off it may be, and who said so, stay.
    #[must_use]
    pub fn with(mut self, of: Coefficient, value: f64) -> Machine {
        self.known[of as usize].value = value;
        self
    }

    /// The same machine where something else is known.
    #[must_use]
    pub fn knowing(mut self, of: Coefficient, known: Known) -> Machine {
        self.known[of as usize] = known;
        self
    }

    /// The same machine if peaks were all that counts: what a roofline is drawn for.
    #[must_use]
    pub fn perfect(&self) -> Machine {
        let mut made = Machine { tile: 1, caches: Cow::Borrowed(&[]), ..self.clone() };
        for of in Coefficient::ALL {
            if let Some(value) = of.perfect() {
                made = made.with(of, value);
            }
        }
        made
    }

    /// What its compiler does. Arrays of 128 x 128 multiply numbers of 16 bits.
    pub fn habits(&self) -> Habits {
        Habits { fuses: self.fuses, rounds: self.fuses && self.tile >= 128 }
    }

    /// By which habits a program's memory is counted here: where no machine was named, nothing is fused.
    pub fn holds(&self) -> Habits {
        if self.name == Machine::default().name { Habits::PLAIN } else { self.habits() }
    }

    /// Whether a device computes while it sends to a neighbour.
    pub fn overlaps(&self) -> bool {
        self.overlap.hides(Pattern::Permute)
    }

    /// Bytes per second of a loop that goes over so many.
    pub fn moves(&self, bytes: f64) -> f64 {
        let times = self.caches.iter().find(|(most, _)| bytes <= *most).map_or(1.0, |(_, times)| *times);
        self[Coefficient::Memory] * self[Coefficient::MemoryShare] * times
    }

    /// Peak flops per second of products of a type.
    pub fn peak(&self, dtype: DType) -> f64 {
        self[Coefficient::Products] * self.type_rate(dtype)
    }

    fn type_rate(&self, dtype: DType) -> f64 {
        let known =
            |wanted: DType| self.types.iter().find(|(dtype, _)| *dtype == wanted).map(|(_, rate)| *rate);
        let least = || self.types.iter().map(|(_, rate)| *rate).fold(1.0, f64::min);
        known(dtype).or_else(|| self.wider(dtype)).unwrap_or_else(least)
    }

    /// The rate of the narrowest known type that is as wide.
    fn wider(&self, dtype: DType) -> Option<f64> {
        let wide = self.types.iter().filter(|(known, _)| known.bits() >= dtype.bits());
        wide.min_by_key(|(known, _)| known.bits()).map(|(_, rate)| *rate)
    }

    /// Devices that are threads of one process: planned as the default machine, but who computes is who copies.
    pub fn in_process() -> Self {
        Machine { overlap: Overlap::Nothing, ..Machine::default() }
    }
}

impl Default for Machine {
    /// An accelerator of the class the papers used: 100 TFLOP/s, 1 TB/s of memory, 100 GB/s of links, all as one.
    fn default() -> Self {
        table::plain()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coefficients_stand_where_they_are_looked_up_and_have_names_of_their_own() {
        for (at, of) in Coefficient::ALL.into_iter().enumerate() {
            assert_eq!(of as usize, at, "{of:?}");
            assert_eq!(Coefficient::ALL.iter().filter(|other| other.name() == of.name()).count(), 1);
        }
    }

    #[test]
    fn a_type_without_a_rate_runs_as_the_next_wider_one() {
        let machine =
            Machine { types: vec![(DType::BF16, 1.0), (DType::F32, 0.5)].into(), ..Machine::default() };
        assert_eq!(machine.peak(DType::F16), machine.peak(DType::BF16));
        assert_eq!(machine.peak(DType::S32), machine.peak(DType::F32));
        assert_eq!(machine.peak(DType::C128), machine.peak(DType::F32));
    }

    #[test]
    fn a_perfect_machine_keeps_its_peaks() {
        let machine = Machine::default().with(Coefficient::Launch, 1.0).with(Coefficient::MemoryShare, 0.5);
        let perfect = machine.perfect();
        assert_eq!(perfect[Coefficient::Launch], 0.0);
        assert_eq!(perfect[Coefficient::MemoryShare], 1.0);
        assert_eq!(perfect[Coefficient::Products], machine[Coefficient::Products]);
    }
}
