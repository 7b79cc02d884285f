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
        let larger =
            kind.map(|kind| format!("`{}`", Ask::Text("target", &written(kind, &shape_for(kind, devices)))));
        let help = larger.unwrap_or_else(|| "another machine".into());
        Err(Diagnostic::error(TARGET, format!("the mesh has {devices} devices, the target has {there}"))
            .note(format!("it is {}: {}", self.machine.name, self.machine.network.text()))
            .help(format!("take a smaller mesh, or {help}")))
    }
}

/// `32x32` as numbers of 1 or more.
fn sizes(shape: &str) -> Option<Vec<i64>> {
    const MOST: i64 = 1 << 20;
    shape.split('x').map(|size| size.parse().ok().filter(|size| (1..=MOST).contains(size))).collect()
}

/// As a kind is built in this shape.
fn network(kind: &Kind, sizes: &[i64]) -> Option<Network> {
    match kind.build {
        Build::Torus { directions, closes, cores, most } => {
            if sizes.is_empty() || sizes.len() > directions || sizes.iter().any(|size| *size > most) {
                return None;
            }
            let ring = |size: &i64| Tier::new(TierKind::Ring { closed: size % closes == 0 }, *size);
            let chips = sizes.iter().map(ring);
            let cores = (cores > 1).then(|| Tier::new(TierKind::Chip, cores));
            Some(Network::new(chips.chain(cores).collect()))
        }
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
    let near = suggest(name, names.iter().copied()).map_or(String::new(), |near| format!("{near} "));
    Diagnostic::error(TARGET, format!("there is no machine `{name}`")).help(format!(
        "{near}the machines known are {}; `this` is the one you are on, behind `meshwright bench machine`{}, and a \
         path a file that it wrote",
        names.join(", "),
        Ask::Either { line: "", python: " in a terminal" }
    ))
}

fn too_many(kind: &Kind, devices: i64) -> Diagnostic {
    let message =
        format!("no pod of `{}` has the shape {}", kind.name, written(kind, &shape_for(kind, devices)));
    Diagnostic::error(TARGET, message)
        .note(format!("that is what the {devices} devices of the mesh would take"))
        .help("take a smaller mesh, or write the shape behind the name")
}

fn misshapen(kind: &Kind, shape: &str) -> Diagnostic {
    let message = format!("`{}` cannot have the shape `{shape}`", kind.name);
    let help = match kind.build {
        Build::Torus { directions: 2, most, .. } => {
            format!("write its chips as `{}:ROWSxCOLUMNS`, each at most {most}", kind.name)
        }
        Build::Torus { most, .. } => format!("write its chips as `{}:AxBxC`, each at most {most}", kind.name),
        Build::Hosts { each } => {
            format!("write GPUs of a host and hosts as `{}:{each}x4`, or GPUs of one host", kind.name)
        }
    };
    Diagnostic::error(TARGET, message).help(help)
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
        assert!(said("tpu-v3:32x32x2").unwrap().contains("ROWSxCOLUMNS"));
        assert!(said("tpu-v3:64x32").unwrap().contains("at most 32"));
        assert!(said("h100:0x4").unwrap().contains("h100:8x4"));
        let small = Target::parse("tpu-v3:4x4").and_then(|target| target.machine(64)).unwrap_err();
        assert!(small.help.unwrap().contains("tpu-v3:8x4"), "a larger one is proposed");
    }
}
