//! Which vector instructions kernels use: what the CPU has, or less if somebody says so.
//!
//! ```text
//! x86-64:   portable < avx2 < avx512 < amx        each has what those before it have
//! AArch64:  portable < neon
//! ```
//!
//! `portable` is what the compiler makes of plain loops for every CPU of its kind: with SSE2 on x86-64, with NEON on
//! AArch64, which as a set of its own is `portable` with loops as machine code. The choice
//! holds for the whole process, because code is made and operands are packed for it; it is selected by the first of
//! [`Isa::select`] and the first program that is loaded, which asks the environment variable [`VARIABLE`]. To find out
//! whether a wrong result comes from a kernel for one kind of CPU, run again with less.

use meshwright_jit::Target;
use meshwright_runtime::{RunError, RunErrorKind};
use std::sync::OnceLock;

/// The environment variable that names an instruction set.
pub const VARIABLE: &str = "MESHWRIGHT_CPU";

/// A set of vector instructions.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Isa {
    /// What every CPU of the target has.
    Portable,
    /// Of AArch64; every such CPU has it.
    Neon,
    /// Of x86-64, with FMA, and changes between `f32` and `f16`.
    Avx2,
    /// Foundation, bytes and words, doublewords and quadwords, shorter vectors; and BMI2.
    Avx512,
    /// Tiles of `bf16`.
    Amx,
}

static SELECTED: OnceLock<Isa> = OnceLock::new();

impl Isa {
    pub const ALL: [Isa; 5] = [Isa::Portable, Isa::Neon, Isa::Avx2, Isa::Avx512, Isa::Amx];

    pub fn name(self) -> &'static str {
        match self {
            Isa::Portable => "portable",
            Isa::Neon => "neon",
            Isa::Avx2 => "avx2",
            Isa::Avx512 => "avx512",
            Isa::Amx => "amx",
        }
    }

    /// Whose vectors loops are compiled for.
    pub fn target(self) -> Option<Target> {
        match self {
            Isa::Portable => None,
            Isa::Neon => Some(Target::Neon),
            Isa::Avx2 => Some(Target::Avx2),
            Isa::Avx512 | Isa::Amx => Some(Target::Avx512),
        }
    }

    pub fn named(name: &str) -> Option<Isa> {
        Isa::ALL.into_iter().find(|isa| isa.name() == name)
    }

    /// The largest that this CPU has and this system allows.
    pub fn of_cpu() -> Isa {
        static ANSWER: OnceLock<Isa> = OnceLock::new();
        *ANSWER.get_or_init(asked)
    }

    /// What kernels of this process use; asks the environment if nothing is selected.
    #[inline]
    pub fn used() -> Isa {
        *SELECTED.get_or_init(|| wanted().unwrap_or_else(|_| Isa::of_cpu()))
    }

    /// Use this set from now on, or else what the environment says, or else all there is. An error if the CPU does not
    /// have it, or if a program was loaded for another one.
    pub fn select(isa: Option<Isa>) -> Result<Isa, RunError> {
        let wanted = match isa {
            Some(isa) => isa.there()?,
            None => wanted()?,
        };
        let selected = *SELECTED.get_or_init(|| wanted);
        if isa.is_some() && selected != wanted {
            let message = format!("kernels use {} already, not {}", selected.name(), wanted.name());
            let help = "choose instructions before the first program is loaded";
            return Err(RunError::new(RunErrorKind::NotCompiled, message).help(help));
        }
        Ok(selected)
    }

    /// The set of this name, if there is one and the CPU has it.
    pub fn usable(name: &str) -> Result<Isa, RunError> {
        match Isa::named(name) {
            Some(isa) => isa.there(),
            None => Err(refused(format!("no instructions are called `{name}`"))),
        }
    }

    /// Whether this CPU has it.
    pub fn is_there(self) -> bool {
        (self != Isa::Neon || Isa::of_cpu() == Isa::Neon) && self <= Isa::of_cpu()
    }

    fn there(self) -> Result<Isa, RunError> {
        if self.is_there() {
            return Ok(self);
        }
        let most = Isa::of_cpu();
        Err(refused(format!("this CPU has no {}: the most it has is {}", self.name(), most.name())))
    }
}

/// What the environment says, or all there is.
fn wanted() -> Result<Isa, RunError> {
    let Some(name) = std::env::var_os(VARIABLE).filter(|name| !name.is_empty()) else {
        return Ok(Isa::of_cpu());
    };
    Isa::usable(&name.to_string_lossy()).map_err(|error| error.note(format!("so says {VARIABLE}")))
}

fn refused(message: String) -> RunError {
    RunError::new(RunErrorKind::NotCompiled, message).help(choices())
}

fn choices() -> String {
    let there: Vec<_> = Isa::ALL.into_iter().filter(|isa| isa.is_there()).map(Isa::name).collect();
    format!("use one of: {}", there.join(", "))
}

#[cfg(target_arch = "x86_64")]
fn asked() -> Isa {
    use std::arch::is_x86_feature_detected as has;
    let avx2 = has!("avx2") && has!("fma") && has!("f16c");
    let avx512 = has!("avx512f") && has!("avx512bw") && has!("avx512dq") && has!("avx512vl") && has!("bmi2");
    match (avx2, avx512, crate::amx::there()) {
        (true, true, true) => Isa::Amx,
        (true, true, false) => Isa::Avx512,
        (true, false, _) => Isa::Avx2,
        (false, ..) => Isa::Portable,
    }
}

// Other systems have rules of their own for code that is made at run time.
#[cfg(all(target_arch = "aarch64", target_os = "linux"))]
fn asked() -> Isa {
    Isa::Neon
}

#[cfg(not(any(target_arch = "x86_64", all(target_arch = "aarch64", target_os = "linux"))))]
fn asked() -> Isa {
    Isa::Portable
}

/// Whether kernels use AVX2 and FMA.
#[cfg(target_arch = "x86_64")]
#[inline]
pub fn avx2() -> bool {
    Isa::used() >= Isa::Avx2
}

/// Whether kernels use AVX-512.
#[cfg(target_arch = "x86_64")]
#[inline]
pub fn avx512() -> bool {
    Isa::used() >= Isa::Avx512
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_back_and_sets_ascend() {
        assert!(Isa::ALL.into_iter().all(|isa| Isa::named(isa.name()) == Some(isa)));
        assert!(Isa::ALL.is_sorted());
        assert_eq!(Isa::named("AVX2"), None);
    }

    #[test]
    fn what_the_cpu_has_not_is_refused_with_what_it_has() {
        let above = Isa::ALL.into_iter().filter(|isa| !isa.is_there());
        for isa in above {
            let refused = isa.there().unwrap_err();
            assert!(refused.to_string().contains(Isa::of_cpu().name()), "{refused}");
        }
        assert_eq!(Isa::Portable.there(), Ok(Isa::Portable));
    }

    #[test]
    fn what_is_selected_stays() {
        let selected = Isa::used();
        assert_eq!(Isa::select(None), Ok(selected));
        assert_eq!(Isa::select(Some(selected)), Ok(selected));
        if selected != Isa::Portable {
            assert!(Isa::select(Some(Isa::Portable)).is_err());
        }
    }
}
