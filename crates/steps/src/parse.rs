//! Reading the text of steps, for tests: what a step computes is not known of it, only what it touches.

use crate::body::{Body, Branch, BufInfo, Effects, Item, Kind, Loop, Named, On, StepId, Steps, Test};
use crate::check::{PlacedAt, Places};
use crate::line::Life;
use crate::region::{Access, BufId, Counter, Extent, Region, Strided};
use meshwright_base::{Id, IdMap};

/// A step of which only the accesses are known.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Opaque {
    word: &'static str,
    accesses: Vec<Access>,
    has_effect: bool,
    /// What it may write over.
    over: Vec<BufId>,
}

/// Words with a meaning of their own; all others are one.
const WORDS: [&str; 8] = ["rename", "part", "begin", "copy", "fused", "dot", "fill", "collective"];

impl Effects for Opaque {
    fn accesses(&self) -> Vec<Access> {
        self.accesses.clone()
    }

    fn has_effect(&self) -> bool {
        self.has_effect
    }

    fn kind(&self) -> &'static str {
        self.word
    }

    fn renames(&self) -> Option<(BufId, BufId)> {
        let [from, to] = &self.accesses[..] else { return None };
        (self.word == "rename").then_some((from.region.buf, to.region.buf))
    }

    fn finds(&self) -> Option<BufId> {
        let found = self.accesses.last().filter(|_| self.word == "part");
        found.map(|access| access.region.buf)
    }

    fn may_share(&self, from: BufId, _: BufId) -> bool {
        self.over.contains(&from)
    }
}

struct Reader {
    lines: std::vec::IntoIter<(usize, String)>,
    steps: Steps<Opaque>,
    places: Places,
}

/// The steps of a text, and where it says that buffers lie.
pub fn parse(text: &str) -> Result<(Steps<Opaque>, Places), String> {
    let code =
        |(at, line): (usize, &'_ str)| (at + 1, line.split("//").next().unwrap_or("").trim().to_string());
    let lines: Vec<(usize, String)> =
        text.lines().enumerate().map(code).filter(|line| !line.1.is_empty()).collect();
    let steps = Steps::new(IdMap::new(), IdMap::new(), Body::new());
    let places = Places { of: IdMap::new(), arena: 0, donated: Vec::new(), lives: IdMap::new() };
    let mut reader = Reader { lines: lines.into_iter(), steps, places };
    while let Some((at, line)) = reader.lines.next() {
        if line == "{" {
            reader.steps.body = reader.body()?;
            if let Some((at, _)) = reader.lines.next() {
                return Err(format!("line {at}: nothing may follow the body"));
            }
            return Ok(reader.finish());
        }
        reader
            .buffer(&line)
            .ok_or_else(|| format!("line {at}: expected `%N = KIND, B bytes`, found `{line}`"))?;
    }
    Err("the text has no body: add `{` and `}`".to_string())
}

fn buf(text: &str) -> Option<BufId> {
    text.trim().strip_prefix('%')?.parse().ok().filter(|at| *at < 1 << 20).map(BufId::from_index)
}

impl Reader {
    fn finish(self) -> (Steps<Opaque>, Places) {
        let Reader { steps, mut places, .. } = self;
        for buf in steps.bufs.keys() {
            places.of[buf] =
                match (steps.bufs[steps.shared.root(buf)].kind, places.of[steps.shared.root(buf)]) {
                    (Kind::Input(at), _) => PlacedAt::Input(at),
                    (Kind::Result(at), _) => PlacedAt::Result(at),
                    (Kind::Constant(at), _) => PlacedAt::Constant(at),
                    (_, at) => at,
                };
        }
        (steps, places)
    }

    fn buffer(&mut self, line: &str) -> Option<()> {
        let (name, rest) = line.split_once(" = ")?;
        let own = buf(name)?;
        while self.steps.bufs.len() <= own.index() {
            self.steps.bufs.push(BufInfo { bytes: 0, kind: Kind::Arena, name: String::new() });
            self.places.of.push(PlacedAt::Nowhere);
            self.places.lives.push(None);
        }
        let mut fields = rest.split(", ");
        self.steps.bufs[own].kind = self.kind(fields.next()?)?;
        for field in fields {
            match field.split_once(' ')? {
                (bytes, "bytes") => self.steps.bufs[own].bytes = bytes.parse().ok()?,
                ("in", root) => self.steps.shared.put(own, buf(root)?),
                ("at", at) => self.places.of[own] = PlacedAt::Arena(at.parse().ok()?),
                ("alive", life) => {
                    let (first, last) = life.split_once(" to ")?;
                    self.places.lives[own] =
                        Some(Life { first: first.parse().ok()?, last: last.parse().ok()? });
                }
                _ => return None,
            }
        }
        if let PlacedAt::Arena(at) = self.places.of[own] {
            self.places.arena = self.places.arena.max(at + self.steps.bufs[own].bytes);
        }
        Some(())
    }

    fn kind(&mut self, text: &str) -> Option<Kind> {
        if let Some(of) = text.strip_prefix("part of ") {
            return buf(of).map(Kind::PartOf);
        }
        let mut words = text.split(' ');
        let kind = words.next()?;
        let number = words.next().map_or(Some(0), |word| word.parse::<usize>().ok())?;
        let given = words.next() == Some("given");
        if kind == "input" {
            self.places.donated.resize(self.places.donated.len().max(number + 1), false);
            self.places.donated[number] = given;
        }
        Some(match kind {
            "arena" => Kind::Arena,
            "input" => Kind::Input(number),
            "result" => Kind::Result(number),
            "constant" => Kind::Constant(number),
            _ => return None,
        })
    }

    fn item(&mut self, line: &str) -> Result<Option<Item>, String> {
        let name = String::new();
        let Some(head) = line.strip_suffix('{') else { return Ok(self.step(line).map(Item::Step)) };
        let (word, rest) = head.trim().split_once(' ').unwrap_or((head.trim(), ""));
        Ok(match word {
            "loop" => {
                let body = self.body()?;
                trips(rest).map(|test| Item::Loop(Loop { name, test, body }))
            }
            "while" => {
                let (head, after) = self.until()?;
                let body = self.body()?;
                buf(after.trim_end_matches('{'))
                    .map(|pred| Item::Loop(Loop { name, test: Test::While { head, pred }, body }))
            }
            "if" | "switch" => {
                let arms = self.arms()?;
                let on = |buf: BufId| if word == "if" { On::Pred(buf) } else { On::Index(buf) };
                buf(rest).map(|at| Item::Branch(Branch { name, on: on(at), arms }))
            }
            _ => None,
        })
    }

    /// Items up to a line that begins with `}`, and what else it says.
    fn until(&mut self) -> Result<(Body, String), String> {
        let mut body = Body::new();
        while let Some((at, line)) = self.lines.next() {
            if let Some(after) = line.strip_prefix('}') {
                return Ok((body, after.trim().to_string()));
            }
            let wrong = || format!("line {at}: expected a step, a loop or a branch, found `{line}`");
            body.push(self.item(&line)?.ok_or_else(wrong)?);
        }
        Err("a body does not end: add `}`".to_string())
    }

    fn body(&mut self) -> Result<Body, String> {
        match self.until()? {
            (body, after) if after.is_empty() => Ok(body),
            (_, after) => Err(format!("a body ends with `}}`, not with `}} {after}`")),
        }
    }

    fn arms(&mut self) -> Result<Vec<Body>, String> {
        let mut arms = Vec::new();
        loop {
            let (arm, after) = self.until()?;
            arms.push(arm);
            match &*after {
                "" => return Ok(arms),
                "else {" | "{" => {}
                other => {
                    return Err(format!(
                        "an arm ends with `}}`, `}} {{` or `}} else {{`, not with `}} {other}`"
                    ));
                }
            }
        }
    }

    fn step(&mut self, line: &str) -> Option<StepId> {
        let line = without_detail(line);
        let mut parts = line.split(" over ");
        let (text, over) = (parts.next()?, parts.map(buf).collect::<Option<Vec<_>>>()?);
        let (reads, writes) = match text.split_once("-> ") {
            Some((reads, writes)) => (reads.trim(), writes),
            None => (text, ""),
        };
        let (word, reads) = reads.split_once(' ').unwrap_or((reads, ""));
        let has_effect = word.ends_with('!');
        let name = word.trim_end_matches('!');
        let word = WORDS.into_iter().find(|known| *known == name).unwrap_or("other");
        let list = |text: &str| -> Option<Vec<Region>> {
            text.split(", ").map(str::trim).filter(|one| !one.is_empty()).map(region).collect()
        };
        let reads = list(reads)?.into_iter().map(|region| Access::read(region.buf, region.extent));
        let writes = list(writes)?.into_iter().map(|region| Access::write(region.buf, region.extent));
        let accesses: Vec<Access> = reads.chain(writes).collect();
        let known =
            accesses.iter().map(|access| access.region.buf).all(|buf| buf.index() < self.steps.bufs.len());
        let work = Opaque { word, accesses, has_effect, over };
        known.then(|| self.steps.arena.push(Named { work, name: name.to_string() }))
    }
}

/// The line without what stands in parentheses behind its word.
fn without_detail(line: &str) -> String {
    match line.split_once('(').zip(line.split_once(')')) {
        Some(((word, _), (_, rest))) if !word.contains(' ') => format!("{word}{rest}"),
        _ => line.to_string(),
    }
}

fn trips(text: &str) -> Option<Test> {
    let (counter, trips) = text.trim().strip_prefix('c')?.split_once(" < ")?;
    let counter: Counter = counter.parse().ok()?;
    Some(Test::Trips { counter, trips: trips.parse().ok()? })
}

fn region(text: &str) -> Option<Region> {
    let Some((name, extent)) = text.split_once('[') else {
        return Some(Region { buf: buf(text)?, extent: Extent::All });
    };
    let extent = extent.strip_suffix(']')?;
    if extent == "?" {
        return Some(Region { buf: buf(name)?, extent: Extent::Somewhere });
    }
    let (places, width) = extent.split_once(" : ")?;
    let mut places = places.split(" + ");
    let offset = places.next()?.parse().ok()?;
    let dim = |text: &str| {
        let (size, stride) = text.split_once(" x ")?;
        Some((size.parse().ok()?, stride.parse().ok()?))
    };
    let dims = places.map(dim).collect::<Option<Vec<_>>>()?;
    let strided = Strided { offset, dims, width: width.parse().ok()? };
    Some(Region { buf: buf(name)?, extent: Extent::Strided(strided.normal()) })
}
