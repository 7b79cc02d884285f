//! Steps as text, for people and tests.
//!
//! ```text
//! %0 = input 0, 64 bytes            // parameter 0 tensor<16xf32>
//! %4 = arena, 64 bytes, at 128, alive 0 to 7     from which place of the flat list to which it keeps its bytes
//! %5 = part of %4, 16 bytes
//! %6 = result 0, 64 bytes, in %4    in the same bytes as %4
//! {
//!   loop c0 < 3 {
//!     fused(2 ops, 3 tiles) %0, %4[0 + 4 x 16 : 4] -> %6 over %4      reads, writes, and what it may write over
//!   }
//!   dot(1x[8x4x8]) %0[0 : 128], %1[0 : 128] -> %2[0 : 256]  // dot_general    kind(detail), bytes touched, what for
//!   convolution %0, %1 -> %5[256 : 2048]       whole buffers have no bytes named; `[?]`: known when it runs
//!   rename %3 -> %7                            nothing runs, the value is called so from here on
//!   while {
//!     ..
//!   } %7 {
//!     collective! %4 -> %6          runs even if nobody reads what it writes
//!   }
//!   if %7 {
//!   } else {
//!   }
//!   switch %8 {
//!   } {
//!   }
//! }
//! ```
//!
//! Buffers that nothing touches are left out. Where lives are known, each line says behind `//` which place of the flat
//! list ([`crate::Line`]) it is.

use crate::body::{Body, Branch, BufInfo, Effects, Item, Kind, Loop, On, StepId, Steps, Test};
use crate::check::{PlacedAt, Places};
use crate::line::Life;
use crate::region::{Access, BufId, Mode};
use meshwright_base::{Id, IdMap};
use std::fmt::Write;

struct Writer<'a, W> {
    steps: &'a Steps<W>,
    out: String,
    depth: usize,
    /// The place of the next line in the flat list, where that is said.
    place: Option<usize>,
}

impl<W: Effects> Steps<W> {
    /// The text; `places`: where buffers lie, if that is known.
    pub fn text(&self, places: Option<&Places>) -> String {
        let place = places.filter(|places| places.lives.values().any(Option::is_some)).map(|_| 0);
        let mut writer = Writer { steps: self, out: String::new(), depth: 0, place };
        writer.buffers(places);
        writer.line("{");
        writer.body(&self.body);
        writer.line("}");
        writer.out
    }

    /// Buffers that anything touches, and those of the caller.
    fn touched(&self) -> IdMap<BufId, bool> {
        let mut touched: IdMap<BufId, bool> = IdMap::filled(self.bufs.len(), false);
        let accesses = self.order().into_iter().flat_map(|step| self.work(step).accesses());
        accesses.map(|access| access.region.buf).chain(self.tests()).for_each(|buf| touched[buf] = true);
        for (buf, info) in self.bufs.iter() {
            touched[buf] |= matches!(info.kind, Kind::Input(_) | Kind::Result(_));
        }
        for buf in self.bufs.keys().filter(|buf| touched[*buf]).collect::<Vec<_>>() {
            touched[self.shared.root(buf)] = true;
        }
        touched
    }
}

impl<W: Effects> Writer<'_, W> {
    fn line(&mut self, text: &str) {
        let _ = writeln!(self.out, "{:1$}{text}", "", 2 * self.depth);
    }

    /// The place of a line that stands for so many of them.
    fn here(&mut self, points: usize) -> String {
        let Some(place) = &mut self.place else { return String::new() };
        *place += points;
        format!("{}: ", *place - points)
    }

    /// A line that ends something, with its place.
    fn close(&mut self, text: &str) {
        let here = self.here(1);
        let here = here.strip_suffix(": ").map_or(String::new(), |here| format!("  // {here}"));
        self.line(&format!("{text}{here}"));
    }

    fn buffers(&mut self, places: Option<&Places>) {
        let touched = self.steps.touched();
        for (buf, BufInfo { bytes, kind, name }) in self.steps.bufs.iter().filter(|(buf, _)| touched[*buf]) {
            let kind = match kind {
                Kind::Arena => "arena".to_string(),
                Kind::Input(at) => format!("input {at}"),
                Kind::Result(at) => format!("result {at}"),
                Kind::Constant(at) => format!("constant {at}"),
                Kind::PartOf(of) => format!("part of %{}", of.index()),
            };
            let root = self.steps.shared.root(buf);
            let shared = if root == buf { String::new() } else { format!(", in %{}", root.index()) };
            let at = match places.map(|places| places.of[buf]) {
                Some(PlacedAt::Arena(at)) if root == buf => format!(", at {at}"),
                _ => String::new(),
            };
            let life = match places.and_then(|places| *places.lives.get(buf)?) {
                Some(Life { first, last }) if root == buf => format!(", alive {first} to {last}"),
                _ => String::new(),
            };
            self.line(&format!("%{} = {kind}, {bytes} bytes{shared}{at}{life}  // {name}", buf.index()));
        }
    }

    fn body(&mut self, body: &Body) {
        self.depth += 1;
        for item in body {
            match item {
                Item::Step(step) => self.step(*step),
                Item::Loop(one) => self.turns(one),
                Item::Branch(branch) => self.arms(branch),
            }
        }
        self.depth -= 1;
    }

    fn turns(&mut self, one: &Loop) {
        match &one.test {
            Test::Trips { counter, trips } => {
                // It is set, then looked at.
                let here = self.here(2);
                self.line(&format!("loop c{counter} < {trips} {{  // {here}{}", one.name))
            }
            Test::While { head, pred } => {
                self.line(&format!("while {{  // {}", one.name));
                self.body(head);
                self.close(&format!("}} %{} {{", pred.index()));
            }
        }
        self.body(&one.body);
        self.close("}");
    }

    fn arms(&mut self, branch: &Branch) {
        let (word, on, between) = match branch.on {
            On::Pred(pred) => ("if", pred, "} else {"),
            On::Index(index) => ("switch", index, "} {"),
        };
        let here = self.here(1);
        self.line(&format!("{word} %{} {{  // {here}{}", on.index(), branch.name));
        for (at, arm) in branch.arms.iter().enumerate() {
            if at > 0 {
                self.close(between);
            }
            self.body(arm);
        }
        self.close("}");
    }

    fn step(&mut self, step: StepId) {
        let work = self.steps.work(step);
        let accesses = work.accesses();
        let list = |mode: Mode| {
            let regions =
                accesses.iter().filter(|access| access.mode == mode).map(|access| access.region.to_string());
            regions.collect::<Vec<_>>().join(", ")
        };
        let mut text = format!("{}{}", work.word(), if work.has_effect() { "!" } else { "" });
        let detail = work.detail();
        if !detail.is_empty() {
            let _ = write!(text, "({detail})");
        }
        for (before, list) in [(" ", list(Mode::Read)), (" -> ", list(Mode::Write))] {
            if !list.is_empty() {
                let _ = write!(text, "{before}{list}");
            }
        }
        for from in self.written_over(work, &accesses) {
            let _ = write!(text, " over %{}", from.index());
        }
        let here = self.here(1);
        self.line(&format!("{text}  // {here}{}", self.steps.arena[step].name));
    }

    /// What the step reads, where one of its results lies too.
    fn written_over(&self, work: &W, accesses: &[Access]) -> Vec<BufId> {
        let of = |mode: Mode| {
            accesses.iter().filter(move |access| access.mode == mode).map(|access| access.region.buf)
        };
        let shares = |from: BufId, to: BufId| {
            from != to
                && self.steps.shared.root(from) == self.steps.shared.root(to)
                && work.may_share(from, to)
        };
        let mut over: Vec<BufId> =
            of(Mode::Read).filter(|from| of(Mode::Write).any(|to| shares(*from, to))).collect();
        over.dedup();
        if work.renames().is_some() { Vec::new() } else { over }
    }
}
