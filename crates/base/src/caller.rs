//! Who asks, and how they ask: messages name what can be asked for as who reads them would type it.
//!
//! ```text
//!                                              on the command line       in Python
//! Ask::Option("memory-limit", "BYTES")         --memory-limit BYTES      memory_limit=BYTES
//! Ask::Text("target", "tpu-v4:2x2x1")          --target tpu-v4:2x2x1     target="tpu-v4:2x2x1"
//! Ask::Sizes("mesh", [("x", 4), ("y", 2)])     --mesh x=4,y=2            mesh={"x": 4, "y": 2}
//! Ask::Flag("instead")                         --instead                 instead=True
//! Ask::Either { line, python }                 line                      python
//! ```
//!
//! A process has one caller, as it has one way in: whoever makes the way says so once. Programs do not depend on it,
//! texts for people do.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};

/// Who reads messages, and acts on them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Caller {
    CommandLine,
    Python,
}

static IS_PYTHON: AtomicBool = AtomicBool::new(false);

impl Caller {
    /// The caller of this process.
    pub fn here() -> Caller {
        if IS_PYTHON.load(Ordering::Relaxed) { Caller::Python } else { Caller::CommandLine }
    }

    /// From now on this process is called so.
    pub fn set(self) {
        IS_PYTHON.store(self == Caller::Python, Ordering::Relaxed);
    }
}

/// Something that can be asked for. It displays as what the caller of this process types.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ask<'a> {
    /// An option by its name on the command line, with a number, or a word that stands for one.
    Option(&'a str, &'a str),
    /// An option whose value is a text.
    Text(&'a str, &'a str),
    /// An option that is on or off: on.
    Flag(&'a str),
    /// An option that takes sizes by their names.
    Sizes(&'a str, &'a [(String, usize)]),
    /// What has no name in common.
    Either { line: &'a str, python: &'a str },
}

/// Several of them, as the caller types them in one go.
pub fn asked(all: &[Ask<'_>]) -> String {
    let between = match Caller::here() {
        Caller::CommandLine => " ",
        Caller::Python => ", ",
    };
    joined(all, between, Ask::to_string)
}

fn joined<T>(all: &[T], between: &str, one: impl Fn(&T) -> String) -> String {
    all.iter().map(one).collect::<Vec<_>>().join(between)
}

impl Ask<'_> {
    fn write(&self, caller: Caller, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let argument = |name: &str| name.replace('-', "_");
        match (self, caller) {
            (Ask::Option(name, value) | Ask::Text(name, value), Caller::CommandLine) => {
                write!(f, "--{name} {value}")
            }
            (Ask::Option(name, value), Caller::Python) => write!(f, "{}={value}", argument(name)),
            (Ask::Text(name, value), Caller::Python) => write!(f, "{}={value:?}", argument(name)),
            (Ask::Sizes(name, sizes), Caller::CommandLine) => {
                write!(f, "--{name} {}", joined(sizes, ",", |(axis, size)| format!("{axis}={size}")))
            }
            (Ask::Sizes(name, sizes), Caller::Python) => {
                let sizes = joined(sizes, ", ", |(axis, size)| format!("{axis:?}: {size}"));
                write!(f, "{}={{{sizes}}}", argument(name))
            }
            (Ask::Flag(name), Caller::CommandLine) => write!(f, "--{name}"),
            (Ask::Flag(name), Caller::Python) => write!(f, "{}=True", argument(name)),
            (Ask::Either { line, .. }, Caller::CommandLine) => f.write_str(line),
            (Ask::Either { python, .. }, Caller::Python) => f.write_str(python),
        }
    }
}

impl fmt::Display for Ask<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(Caller::here(), f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_caller_reads_what_it_types() {
        struct By<'a>(Ask<'a>, Caller);
        impl fmt::Display for By<'_> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.write(self.1, f)
            }
        }
        let sizes = [("x".to_string(), 4), ("y".to_string(), 2)];
        let rows = [
            (Ask::Sizes("mesh", &sizes), "--mesh x=4,y=2", "mesh={\"x\": 4, \"y\": 2}"),
            (Ask::Option("memory-limit", "BYTES"), "--memory-limit BYTES", "memory_limit=BYTES"),
            (Ask::Text("target", "h100:8x4"), "--target h100:8x4", "target=\"h100:8x4\""),
            (Ask::Flag("priorities-alone"), "--priorities-alone", "priorities_alone=True"),
            (Ask::Either { line: "a", python: "b" }, "a", "b"),
        ];
        for (ask, line, python) in rows {
            assert_eq!(By(ask, Caller::CommandLine).to_string(), line);
            assert_eq!(By(ask, Caller::Python).to_string(), python);
        }
        assert_eq!(Caller::here(), Caller::CommandLine);
    }
}
