//! What the steps of a compiled program are, for plans and traces: names, families, and how much each does, as data.
//!
//! ```text
//! Step(3), Loop { 16 trips: Step(4), Branch: [Step(5)] or [Step(6), Step(7)] }, Step(8)
//! ```
//!
//! A step is named by its place among all that a device goes over, jumps included ([`TraceEvent`](crate::TraceEvent)
//! has the same numbers). What a step takes is not known here.

use crate::site::SiteId;
use meshwright_ir::DType;
use std::fmt;

/// One step of a program, in words and numbers.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct StepInfo {
    /// What it does, as `dot f32[8,16]`: for people.
    pub name: String,
    /// The family it is counted under: `dot`, `fused`, `reduce`, `copy`, a collective's mnemonic.
    pub kind: &'static str,
    /// Bytes read and written.
    pub bytes: u64,
    pub work: StepWork,
}

/// How much a step does.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct StepWork {
    pub products: Vec<ProductSize>,
    pub loops: Vec<LoopSize>,
    pub runs: RunSize,
    /// Elements of a mask that is looked through.
    pub masked: u64,
    /// Random numbers.
    pub drawn: u64,
    /// The collective that it joins.
    pub site: Option<SiteId>,
    /// Equal pieces that workers share; `None` where it is cut in several ways one after the other.
    pub pieces: Option<u64>,
    /// What it reads and writes, each place once.
    pub touched: Vec<Touched>,
}

/// Bytes of a device that a step reads or writes, wherever these lie.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Touched {
    /// Where they begin, of all that a device holds.
    pub start: u64,
    pub bytes: u64,
}

/// Products of matrices, all of one size.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ProductSize {
    pub batch: u64,
    pub rows: u64,
    pub depth: u64,
    pub columns: u64,
    /// Of the results.
    pub dtype: DType,
    /// Whether columns of the right operand lie apart, so that it is turned before it is used.
    pub is_turned: bool,
}

/// A loop over elements, with what is done to each.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct LoopSize {
    pub elements: u64,
    /// Rows that it begins one after the other: what it folds, or what it goes over together with other loops.
    pub rows: u64,
    /// Operations on each element: sums, choices, changes of bits.
    pub steps: u64,
    /// Quotients and roots of each element.
    pub divisions: u64,
    /// Functions of each element, as exponentials.
    pub functions: u64,
    /// How often its machine code is called.
    pub calls: u64,
    /// Arrays that it is told the places of, each time that it is called.
    pub arrays: u64,
    /// What goes through tiles beside that, if anything does.
    pub tiles: Option<TileWork>,
}

/// What a loop does to operands and rows that its machine code does not take as they lie.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct TileWork {
    /// Runs of elements that lie together in operands that are collected.
    pub runs: u64,
    /// Numbers that are counted up one by one.
    pub counted: u64,
    /// Elements of rows that are folded apart.
    pub folded: u64,
}

/// What is moved: elements that lie together, and how many there are of such runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct RunSize {
    pub count: u64,
    /// Bytes of each.
    pub bytes: u64,
}

/// The order in which steps run. Each step of a program is in it once.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum StepOrder {
    /// By its place in [`Program::steps`](crate::Program::steps).
    Step(usize),
    Loop {
        trips: i64,
        body: Vec<StepOrder>,
    },
    /// As often as the program finds out: the head once more than the body.
    While {
        head: Vec<StepOrder>,
        body: Vec<StepOrder>,
    },
    /// One of these.
    Branch(Vec<Vec<StepOrder>>),
}

impl StepInfo {
    pub fn flops(&self) -> u64 {
        self.work.flops()
    }
}

impl StepWork {
    /// Of products, and operations of loops; a quotient or a function counts as one.
    pub fn flops(&self) -> u64 {
        let products = self.products.iter().map(ProductSize::flops);
        products.chain(self.loops.iter().map(LoopSize::flops)).fold(0, u64::saturating_add)
    }
}

impl ProductSize {
    pub fn flops(&self) -> u64 {
        let sizes = [self.batch, self.rows, self.depth, self.columns];
        sizes.into_iter().fold(2, u64::saturating_mul)
    }
}

impl RunSize {
    /// Bytes of all.
    pub fn total(&self) -> u64 {
        self.count.saturating_mul(self.bytes)
    }
}

impl LoopSize {
    pub fn flops(&self) -> u64 {
        self.elements.saturating_mul(self.steps + self.divisions + self.functions)
    }
}

impl fmt::Display for ProductSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x[{}x{}x{}]", self.batch, self.rows, self.depth, self.columns)
    }
}

/// The steps in an order, in order.
pub fn steps_in(order: &[StepOrder]) -> Vec<usize> {
    let inner = |one: &StepOrder| match one {
        StepOrder::Step(at) => vec![*at],
        StepOrder::Loop { body, .. } => steps_in(body),
        StepOrder::While { head, body } => [steps_in(head), steps_in(body)].concat(),
        StepOrder::Branch(arms) => arms.iter().flat_map(|arm| steps_in(arm)).collect(),
    };
    order.iter().flat_map(inner).collect()
}
