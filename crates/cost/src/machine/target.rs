//! A machine by name and shape: `tpu-v3:32x32`, `tpu-v4:16x16x8`, `h100:8x4`.
//!
//! Of a TPU the shape is that of its chips, in as many directions as its links have; of GPUs it is those of a host, and
//! hosts. Without a shape it is as many as a mesh asks for, as near to a cube as they can lie.

use super::Machine;
use super::table::{Build, KINDS, Kind, find};
use crate::network::{Network, Tier, TierKind};
use meshwright_base::arrange::Arrange;
use meshwright_base::nearest::suggest;
use meshwright_base::{Ask, Code, Diagnostic};

/// A target that cannot be.
pub const TARGET: Code = Code(1180);

/// What a plan is made for.
#[derive(Clone, PartialEq, Debug)]
pub struct Target {
    machine: Box<Machine>,
    kind: Option<&'static str>,
    /// As it was given; empty if it was not.
    sizes: Vec<i64>,
}

impl Target {
    /// Of a machine that was measured or written down.
    pub fn of(machine: Machine) -> Target {
        Target { machine: Box::new(machine), kind: None, sizes: Vec::new() }
    }

    /// Read `NAME` or `NAME:SHAPE`.
    pub fn parse(text: &str) -> Result<Target, Diagnostic> {
        let (name, shape) = text.split_once(':').map_or((text, None), |(name, shape)| (name, Some(shape)));
        let kind = find(name).ok_or_else(|| unknown(name))?;
        let device = kind.device();
        let Some(shape) = shape else {
            return Ok(Target { machine: Box::new(device), kind: Some(kind.name), sizes: Vec::new() });
        };
        let sizes = sizes(shape).ok_or_else(|| misshapen(kind, shape))?;
        let network = network(kind, &sizes).ok_or_else(|| misshapen(kind, shape))?;
        let machine = Box::new(Machine { network, ..device });
        Ok(Target { machine, kind: Some(kind.name), sizes })
    }

    /// One device of it.
    pub fn device(&self) -> &Machine {
        &self.machine
    }

    /// Its kind, and its shape for a mesh of so many devices; `None` of a machine that has no name to be known by.
    pub fn shape(&self, devices: i64) -> Option<(&'static str, Vec<i64>)> {
        let kind = self.kind.and_then(find)?;
        let sizes = if self.sizes.is_empty() { shape_for(kind, devices) } else { self.sizes.clone() };
        Some((kind.name, sizes))
    }

    /// The machine for a mesh of so many devices.
    pub fn machine(&self, devices: i64) -> Result<Machine, Diagnostic> {
        let kind = self.kind.and_then(find);
        if let (true, Some(kind)) = (self.sizes.is_empty(), kind) {
            let network = network(kind, &shape_for(kind, devices)).ok_or_else(|| too_many(kind, devices))?;
            return Ok(Machine { network, ..(*self.machine).clone() });
        }
        let there = self.machine.network.devices();
        if there >= devices {
            return Ok((*self.machine).clone());
        }
        let help = match kind.map(|kind| least_for(kind, devices)) {
            Some(Some(larger)) => format!("take a smaller mesh, or `{}`", Ask::Text("target", &larger)),
            Some(None) => format!("take a smaller mesh: no `{}` has so many", self.machine.name),
            None => "take a smaller mesh, or another machine".into(),
        };
        Err(Diagnostic::error(TARGET, format!("the mesh has {devices} devices, the target has {there}"))
            .note(format!("it is {}: {}", self.machine.name, self.machine.network.text()))
            .help(help))
    }
}

/// The least machine of a kind that its compiler takes, and that has so many devices: `tpu-v3:8x4`.
fn least_for(kind: &Kind, devices: i64) -> Option<String> {
    match kind.build {
        Build::Torus { directions, cores, most, chips, .. } => {
            let least = (devices.max(1) + cores - 1) / cores;
            let shape = (least..=chips).find_map(|count| {
                let shapes = shapes(directions, most, count);
                shapes
                    .into_iter()
                    .filter(|sizes| is_of_hosts(sizes))
                    .min_by_key(|sizes| sizes.iter().sum::<i64>())
            });
            shape.map(|sizes| written(kind, &sizes))
        }
        Build::Hosts { .. } => {
            let sizes = shape_for(kind, devices);
            network(kind, &sizes).is_some().then(|| written(kind, &sizes))
        }
    }
}

/// Whether hosts, each of 2 by 2 chips in the first two directions, make up a grid of chips: there is a part of a host
/// where a direction has one chip. So libtpu has it.
fn is_of_hosts(sizes: &[i64]) -> bool {
    sizes.iter().take(2).all(|size| *size == 1 || size % 2 == 0)
}

/// Grids of so many chips, the longest direction first.
fn shapes(directions: usize, most: i64, chips: i64) -> Vec<Vec<i64>> {
    if directions == 0 {
        return if chips == 1 { vec![Vec::new()] } else { Vec::new() };
    }
    let first = (1..=most.min(chips)).rev().filter(|size| chips % size == 0);
    let behind = |size: i64| {
        let rest = shapes(directions - 1, size, chips / size).into_iter();
        rest.map(move |rest| [vec![size], rest].concat())
    };
    first.flat_map(behind).collect()
}

/// What can be named as a target.
#[derive(Clone, PartialEq, Debug)]
pub struct Nameable {
    pub name: &'static str,
    /// What a device of it is.
    pub device: &'static str,
    pub machine: Machine,
    /// Shapes of each size that a pod has, twice as large each time; or a host, and several.
    pub shapes: Vec<String>,
}

/// All of them.
pub fn nameable() -> Vec<Nameable> {
    let one = |kind: &Kind| {
        let (name, device) = (kind.name, kind.device);
        Nameable { name, device, machine: kind.device(), shapes: doubled(kind) }
    };
    KINDS.iter().map(one).collect()
}

/// Shapes that a kind's compiler takes, each of twice as many devices as the one before.
fn doubled(kind: &Kind) -> Vec<String> {
    let (first, last) = match kind.build {
        Build::Torus { cores, chips, .. } => (4 * cores, chips * cores),
        Build::Hosts { each } => (each, 16 * each),
    };
    let counts =
        std::iter::successors(Some(first), |count| Some(2 * count)).take_while(|count| *count <= last);
    let shape = |count| least_for(kind, count)?.split_once(':').map(|(_, shape)| shape.to_string());
    counts.filter_map(shape).collect()
}

/// What shapes of a kind there are, as a sentence.
fn shapes_told(kind: &Kind) -> String {
    let listed = doubled(kind).join(", ");
    match kind.build {
        Build::Torus { directions, most, chips, .. } => {
            let form = if directions == 2 { "ROWSxCOLUMNS" } else { "AxBxC" };
            format!(
                "write its chips as `{}:{form}`, each at most {most} and all at most {chips}, the first two 1 or even, such \
                 as {listed}",
                kind.name
            )
        }
        Build::Hosts { each } => format!(
            "write GPUs of a host, {MOST_OF_A_HOST} at most, and hosts as `{}:{each}x4`, or GPUs of one host, such as \
             {listed}; all are {MOST_GPUS} at most",
            kind.name
        ),
    }
}

/// What is said of a shape that the compiler of a kind does not take; `None` of what is no kind.
pub fn shapes_of(name: &str) -> Option<String> {
    find(name).map(shapes_told)
}

/// More is no size.
const MOST: i64 = 1 << 20;
/// GPUs behind one switch, and of a whole machine: those that are sold have as many at most.
const MOST_OF_A_HOST: i64 = 72;
const MOST_GPUS: i64 = 1 << 17;

/// `32x32` as numbers of 1 or more.
fn sizes(shape: &str) -> Option<Vec<i64>> {
    shape.split('x').map(|size| size.parse().ok().filter(|size| (1..=MOST).contains(size))).collect()
}

/// How many there are of a shape: no text is too long to count.
fn count(sizes: &[i64]) -> i64 {
    sizes.iter().fold(1, |all, size| all.saturating_mul(*size))
}

/// As a kind is built in this shape.
fn network(kind: &Kind, sizes: &[i64]) -> Option<Network> {
    match kind.build {
        Build::Torus { directions, closes, cores, most, chips } => {
            let is_within = sizes.iter().all(|size| *size <= most) && count(sizes) <= chips;
            if sizes.is_empty() || sizes.len() > directions || !is_within {
                return None;
            }
            let ring = |size: &i64| Tier::new(TierKind::Ring { closed: size % closes == 0 }, *size);
            let chips = sizes.iter().map(ring);
            let cores = (cores > 1).then(|| Tier::new(TierKind::Chip, cores));
            Some(Network::new(chips.chain(cores).collect()))
        }
        Build::Hosts { .. } if count(sizes) > MOST_GPUS || sizes.first() > Some(&MOST_OF_A_HOST) => None,
        Build::Hosts { .. } => match *sizes {
            [each] => Some(Network::new(vec![Tier::new(TierKind::Switch, each)])),
            [each, hosts] => {
                Some(Network::new(vec![Tier::new(TierKind::Hosts, hosts), Tier::new(TierKind::Switch, each)]))
            }
            _ => None,
        },
    }
}

/// The shape that holds so many devices with the shortest ways.
fn shape_for(kind: &Kind, devices: i64) -> Vec<i64> {
    match kind.build {
        Build::Torus { directions, cores, .. } => {
            let mut chips = (devices.max(1) + cores - 1) / cores;
            let mut sizes = vec![1; directions];
            let mut factor = 2;
            let mut factors = Vec::new();
            while chips > 1 && factor * factor <= chips {
                if chips % factor == 0 {
                    factors.push(factor);
                    chips /= factor;
                } else {
                    factor += 1;
                }
            }
            factors.push(chips);
            for factor in factors.into_iter().rev() {
                if let Some(least) = sizes.iter_mut().min() {
                    *least *= factor;
                }
            }
            sizes.arrange_by_key(|size| std::cmp::Reverse(*size));
            sizes
        }
        Build::Hosts { each } => {
            if devices <= each {
                vec![devices.max(1)]
            } else {
                vec![each, (devices + each - 1) / each]
            }
        }
    }
}

fn written(kind: &Kind, sizes: &[i64]) -> String {
    let sizes: Vec<String> = sizes.iter().map(i64::to_string).collect();
    format!("{}:{}", kind.name, sizes.join("x"))
}

fn unknown(name: &str) -> Diagnostic {
    let names: Vec<&str> = KINDS.iter().map(|kind| kind.name).collect();
    let of_tpus = names.iter().find(|known| known.strip_prefix("tpu-") == Some(name));
    let near = of_tpus.map(|known| format!("did you mean `{known}`?"));
    let near = near
        .or_else(|| suggest(name, names.iter().copied()))
        .map_or(String::new(), |near| format!("{near} "));
    Diagnostic::error(TARGET, format!("there is no machine `{name}`")).help(format!(
        "{near}the machines known are {}, with a shape behind them as in tpu-v4:2x2x1 (`meshwright doctor`{term} lists \
         them); `this` is the one you are on, behind `meshwright bench machine`{term}, and a path a file that it wrote",
        names.join(", "),
        term = Ask::Either { line: "", python: " in a terminal" }
    ))
}

fn too_many(kind: &Kind, devices: i64) -> Diagnostic {
    let message =
        format!("no pod of `{}` has the shape {}", kind.name, written(kind, &shape_for(kind, devices)));
    Diagnostic::error(TARGET, message)
        .note(format!("that is what the {devices} devices of the mesh would take"))
        .help(format!("take a smaller mesh, or {}", shapes_told(kind)))
}

fn misshapen(kind: &Kind, shape: &str) -> Diagnostic {
    let message = format!("`{}` cannot have the shape `{shape}`", kind.name);
    Diagnostic::error(TARGET, message).help(shapes_told(kind))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn devices(text: &str) -> i64 {
        Target::parse(text).and_then(|target| target.machine(1)).map_or(0, |made| made.network.devices())
    }

    #[test]
    fn a_shape_is_of_chips_and_of_hosts() {
        assert_eq!(devices("tpu-v3:32x32"), 2048);
        assert_eq!(devices("tpu-v4:16x16x8"), 2048);
        assert_eq!(devices("h100:8x4"), 32);
        assert_eq!(devices("a100-80:8"), 8);
    }

    #[test]
    fn a_direction_is_closed_if_it_is_full() {
        let rings = |text: &str| {
            let made = Target::parse(text).and_then(|target| target.machine(1)).expect("a target");
            made.network
                .tiers
                .iter()
                .map(|tier| tier.kind == TierKind::Ring { closed: true })
                .collect::<Vec<_>>()
        };
        assert_eq!(rings("tpu-v3:16x32"), [false, true, false]);
        assert_eq!(rings("tpu-v4:4x2x8"), [true, false, true]);
    }

    #[test]
    fn without_a_shape_it_is_as_near_to_a_cube_as_it_can_be() {
        let shape = |name: &str, devices| {
            let made = Target::parse(name).and_then(|target| target.machine(devices)).expect("a target");
            made.network.tiers.iter().map(|tier| tier.size).collect::<Vec<_>>()
        };
        assert_eq!(shape("tpu-v3", 2048), [32, 32, 2]);
        assert_eq!(shape("tpu-v3", 128), [8, 8, 2]);
        assert_eq!(shape("tpu-v4", 64), [4, 4, 4]);
        assert_eq!(shape("h100", 32), [4, 8]);
        assert_eq!(shape("h100", 4), [4]);
    }

    #[test]
    fn what_cannot_be_is_told_with_a_way_out() {
        let said =
            |text: &str| Target::parse(text).err().map(|told| format!("{} {:?}", told.message, told.help));
        assert!(said("tpu-v33").unwrap().contains("did you mean `tpu-v3`?"));
        assert!(said("v4:2x2x1").unwrap().contains("did you mean `tpu-v4`?"));
        assert!(said("tpu-v3:32x32x2").unwrap().contains("ROWSxCOLUMNS"));
        assert!(said("tpu-v3:64x32").unwrap().contains("at most 32"));
        assert!(said("tpu-v4:64x64x2").unwrap().contains("all at most 4096"));
        assert!(said("h100:0x4").unwrap().contains("h100:8x4"));
        assert!(said("h100:73").unwrap().contains("72 at most"));
        assert!(said("h100:8x1000000").unwrap().contains("131072 at most"));
        assert!(said("h100:64x2048").is_none());
        for long in [format!("h100:8{}", "x1048576".repeat(4)), format!("tpu-v3:32{}", "x32".repeat(20))] {
            assert!(said(&long).is_some(), "{long}");
        }
        let small = Target::parse("tpu-v3:4x4").and_then(|target| target.machine(64)).unwrap_err();
        assert!(small.help.unwrap().contains("tpu-v3:8x4"), "a larger one is proposed");
    }

    #[test]
    fn what_is_proposed_is_taken() {
        for kind in &KINDS {
            for devices in [1, 3, 6, 7, 12, 30, 100, 2047, 4000] {
                let Some(proposed) = least_for(kind, devices) else {
                    let Build::Torus { chips, cores, .. } = kind.build else { panic!("{}", kind.name) };
                    assert!(devices > chips * cores, "{} {devices}", kind.name);
                    continue;
                };
                let read = Target::parse(&proposed);
                assert!(read.is_ok_and(|target| target.machine(devices).is_ok()), "{proposed} {devices}");
            }
        }
        // Hosts have 2 by 2 chips: 6 lie in none but a row of 3 hosts.
        assert_eq!(least_for(&KINDS[1], 12).as_deref(), Some("tpu-v3:6x1"));
        let none = Target::parse("tpu-v4:2x2x1").and_then(|target| target.machine(1_000_000)).unwrap_err();
        assert_eq!(none.help.unwrap(), "take a smaller mesh: no `tpu-v4` has so many");
    }
}
