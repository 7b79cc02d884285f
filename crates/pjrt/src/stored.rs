//! A compiled program as a file keeps it: what the plugin serialized, behind what it was compiled by and from.
//!
//! ```text
//! mark, fingerprint of all that follows, three texts behind their lengths (platform, version of what runs there, how
//! it was planned), marks of the program and of its devices, the plugin's bytes
//! ```
//! A plugin may read bytes of another version of itself, and run what they no longer mean: so the versions must agree.
//! A plugin need not look at what it is given either: bytes that are not those that were written are not handed to it.

use crate::options::CompileOptions;
use meshwright_runtime::fingerprint;
use std::fmt;

/// A compiled program, to be loaded by the plugin that made it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stored {
    /// Such as `cuda`, and its version in the plugin's words.
    pub platform: String,
    pub version: String,
    /// How the program was planned, in its caller's words: who plans it so again has the same program.
    pub plan: String,
    /// Of the text that was compiled ([`mark_of`]).
    pub mark: u64,
    /// Of what the compiler was told of devices ([`mark_of_devices`]).
    pub devices: u64,
    pub bytes: Vec<u8>,
}

/// Why a stored program is not loaded.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Misfit {
    /// These bytes are none.
    Foreign,
    /// They were one.
    Damaged,
    Platform {
        stored: String,
        here: String,
    },
    Version {
        stored: String,
        here: String,
    },
    Program {
        stored: u64,
        here: u64,
    },
    /// It is of this program, for devices that the plugin numbers otherwise.
    Devices,
}

impl fmt::Display for Misfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Misfit::Foreign => f.write_str("it is no program that `meshwright compile --save` wrote"),
            Misfit::Damaged => {
                f.write_str("it is damaged: its bytes are not those that `meshwright compile --save` wrote")
            }
            Misfit::Platform { stored, here } => {
                write!(f, "it was compiled for `{stored}`, the plugin is for `{here}`")
            }
            Misfit::Version { stored, here } => {
                write!(f, "it was compiled by another version of the plugin: `{stored}`, not `{here}`")
            }
            Misfit::Program { stored, here } => {
                write!(f, "it was compiled from program {stored:016x}, not from this one, {here:016x}")
            }
            Misfit::Devices => f.write_str("it was compiled for other devices than those that are here"),
        }
    }
}

const MARK: &[u8] = b"meshwright stored program, 3\n";

/// A number that tells programs apart by their text.
pub fn mark_of(text: &str) -> u64 {
    fingerprint::of_bytes(&[text.as_bytes()])
}

/// The same of what the compiler is told beside it.
pub fn mark_of_devices(options: &CompileOptions) -> u64 {
    fingerprint::of_bytes(&[&options.encoded()])
}

impl Stored {
    pub fn to_bytes(&self) -> Vec<u8> {
        let text = |text: &str| [&(text.len() as u64).to_le_bytes(), text.as_bytes()].concat();
        let texts = [&self.platform, &self.version, &self.plan].map(|of| text(of)).concat();
        let rest = [&texts[..], &self.mark.to_le_bytes(), &self.devices.to_le_bytes(), &self.bytes].concat();
        [MARK, &fingerprint::of_bytes(&[&rest]).to_le_bytes(), &rest].concat()
    }

    pub fn read(bytes: &[u8]) -> Result<Stored, Misfit> {
        let named = bytes.strip_prefix(MARK).and_then(|rest| rest.split_first_chunk());
        let Some((sum, rest)) = named else { return Err(Misfit::Foreign) };
        if fingerprint::of_bytes(&[rest]) != u64::from_le_bytes(*sum) {
            return Err(Misfit::Damaged);
        }
        let read = || {
            let (platform, rest) = text(rest)?;
            let (version, rest) = text(rest)?;
            let (plan, rest) = text(rest)?;
            let (mark, rest) = rest.split_first_chunk()?;
            let (devices, rest) = rest.split_first_chunk()?;
            let [mark, devices] = [mark, devices].map(|number| u64::from_le_bytes(*number));
            Some(Stored { platform, version, plan, mark, devices, bytes: rest.to_vec() })
        };
        read().ok_or(Misfit::Foreign)
    }

    /// Whether it is of this program: what can be known before a device is opened.
    pub fn check_program(&self, text: &str) -> Result<(), Misfit> {
        let here = mark_of(text);
        if self.mark == here { Ok(()) } else { Err(Misfit::Program { stored: self.mark, here }) }
    }

    /// Whether it is for this platform, this version of it, and these devices.
    pub fn check_place(&self, platform: &str, version: &str, to: &CompileOptions) -> Result<(), Misfit> {
        let told = |text: &str| text.to_string();
        if self.platform != platform {
            return Err(Misfit::Platform { stored: self.platform.clone(), here: told(platform) });
        }
        if self.version != version {
            return Err(Misfit::Version { stored: self.version.clone(), here: told(version) });
        }
        if self.devices != mark_of_devices(to) {
            return Err(Misfit::Devices);
        }
        Ok(())
    }
}

fn text(bytes: &[u8]) -> Option<(String, &[u8])> {
    let (length, rest) = bytes.split_first_chunk()?;
    let (text, rest) = rest.split_at_checked(usize::try_from(u64::from_le_bytes(*length)).ok()?)?;
    Some((String::from_utf8(text.to_vec()).ok()?, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_stored_reads_back_and_fits_its_own_plugin_and_program_alone() {
        let to = |devices: &[i64]| CompileOptions { devices: devices.to_vec() };
        let stored = Stored {
            platform: "p".into(),
            version: "1, \u{3b1}".into(),
            plan: "so".into(),
            mark: mark_of("text"),
            devices: mark_of_devices(&to(&[0, 1])),
            bytes: vec![0, 9],
        };
        let bytes = stored.to_bytes();
        assert_eq!(Stored::read(&bytes), Ok(stored.clone()));
        let misfit = |at: usize| if at < MARK.len() { Misfit::Foreign } else { Misfit::Damaged };
        for at in 0..bytes.len() {
            let cut = if at < MARK.len() + 8 { Misfit::Foreign } else { Misfit::Damaged };
            assert_eq!(Stored::read(&bytes[..at]), Err(cut), "cut at {at}");
            let mut changed = bytes.clone();
            changed[at] ^= 4;
            assert_eq!(Stored::read(&changed), Err(misfit(at)), "changed at {at}");
        }
        assert_eq!(stored.check_program("text"), Ok(()));
        assert!(matches!(stored.check_program("other"), Err(Misfit::Program { .. })));
        let place = |platform: &str, version: &str, devices: &[i64]| {
            stored.check_place(platform, version, &to(devices))
        };
        let version = &stored.version;
        assert_eq!(place("p", version, &[0, 1]), Ok(()));
        assert!(matches!(place("q", version, &[0, 1]), Err(Misfit::Platform { .. })));
        assert!(matches!(place("p", "2", &[0, 1]), Err(Misfit::Version { .. })));
        assert_eq!(place("p", version, &[1, 0]), Err(Misfit::Devices));
    }
}
