//! `--stored FILE`: a program that `compile --save` wrote, for who runs the module that it was compiled from.
//!
//! What a plugin compiled is of one plan: for another target, or within other memory, the same module is partitioned
//! otherwise. So the file says how it was planned, the module is planned so again, and what comes of it has to be the
//! program that is stored. All of that is known before a device is opened.

use crate::args::{DumpArgs, EngineArgs};
use crate::commands::plan::planned::{Planned, Room};
use crate::commands::plan::subject::{Change, Subject};
use crate::engine::{BAD_DEVICES, ENGINE, Prepared, failed};
use crate::failure::{Failure, Fault};
use crate::input;
use crate::load::{Loaded, is_partitioned};
use crate::stages::Stages;
use crate::training::axes;
use meshwright_base::Diagnostic;
use meshwright_cost::{Machine, Target};
use meshwright_pjrt::{Misfit, Stored, handed_over, text_of};
use meshwright_runtime::files::read_regular;
use serde_json::{Value, json};

/// How a program was planned.
#[derive(Clone, PartialEq, Debug)]
pub struct PlannedAs {
    /// The machine and its shape; without one, that of the plugin's devices.
    pub target: Option<String>,
    pub room: Room,
    /// Sizes of axes, as they were typed.
    pub mesh: Option<String>,
}

impl PlannedAs {
    pub fn written(&self) -> String {
        let room = match self.room {
            Room::Worth => json!("worth"),
            Room::Any => json!("any"),
            Room::Limit(bytes) => json!(bytes),
        };
        json!({ "target": self.target, "room": room, "mesh": self.mesh }).to_string()
    }

    /// Parses the text of [`written`](PlannedAs::written).
    pub fn read(text: &str) -> Option<PlannedAs> {
        let value: Value = serde_json::from_str(text).ok()?;
        let told = |member: &str| value[member].as_str().map(str::to_string);
        let room = match (value["room"].as_str(), value["room"].as_i64()) {
            (Some("worth"), _) => Room::Worth,
            (Some("any"), _) => Room::Any,
            (_, bytes) => Room::Limit(bytes?),
        };
        Some(PlannedAs { target: told("target"), room, mesh: told("mesh") })
    }

    /// The module, planned so.
    fn plan(&self, loaded: &Loaded) -> Result<Planned, Failure> {
        let target = match &self.target {
            Some(name) => Target::parse(name).map_err(Failure::input)?,
            None => Target::of(Machine::default()),
        };
        let mesh = self.mesh.as_deref().map(axes).transpose()?;
        let loaded = Loaded { module: loaded.module.clone(), text: loaded.text.clone() };
        let change = Change { mesh, ..Change::default() };
        Planned::of(&Subject::File(Box::new(loaded)), &change, &target, self.room).map_err(|mut failure| {
            let told = format!("the stored program was planned so: {}", self.written());
            failure.diagnostics.iter_mut().take(1).for_each(|first| first.notes.push(told.clone()));
            failure
        })
    }
}

/// What is stored in the file that the arguments name, if they name one.
pub fn stored(args: &EngineArgs) -> Result<Option<Stored>, Failure> {
    let Some(path) = &args.stored else { return Ok(None) };
    let name = path.display().to_string();
    let bytes = read_regular(path).map_err(|error| input::unreadable(&name, &error))?;
    let foreign = |misfit: &Misfit| {
        let told = misfit.error();
        let diagnostic = Diagnostic::error(ENGINE, format!("`{name}` is not loaded: {misfit}"));
        Failure::input(diagnostic.help(told.help.unwrap_or_default()))
    };
    Stored::read(&bytes).map(Some).map_err(|misfit| foreign(&misfit))
}

/// The program of a module for a stored one, which has to be the same.
pub fn prepared(
    stored: &Stored,
    loaded: &Loaded,
    devices: Option<u32>,
    dump: &DumpArgs,
) -> Result<Prepared, Failure> {
    Stages::none(dump, "with `--stored` it was compiled before", "drop them, or `--stored`")?;
    let misfit = |misfit: Misfit| failed(&misfit.error());
    let planned = PlannedAs::read(&stored.plan).ok_or_else(|| misfit(Misfit::Foreign))?.plan(loaded)?;
    let count = usize::try_from(planned.devices()).unwrap_or(1).max(1);
    if let Some(asked) = devices.filter(|asked| *asked as usize != count) {
        let message = format!("`--devices {asked}`, but the stored program has {count}");
        let diagnostic = Diagnostic::error(BAD_DEVICES, message).help("drop it");
        return Err(Failure::new(Fault::Usage, diagnostic));
    }
    let text = text_of(&handed_over(&planned.program, count).map_err(|error| failed(&error))?);
    stored.check_program(&text).map_err(misfit)?;
    let was_partitioned = is_partitioned(&loaded.module);
    Ok(Prepared { program: planned.program, devices: count, was_partitioned, notes: String::new() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::in_memory;
    use meshwright_base::SourceText;

    #[test]
    fn how_a_program_was_planned_reads_back() {
        for room in [Room::Worth, Room::Any, Room::Limit(1 << 34)] {
            for target in [None, Some("tpu-v5e:4x4".to_string())] {
                let planned = PlannedAs { target, room, mesh: Some("x=2,y=4".into()) };
                assert_eq!(PlannedAs::read(&planned.written()), Some(planned));
            }
        }
        assert_eq!((PlannedAs::read("so"), PlannedAs::read("{}")), (None, None));
    }

    const MODULE: &str = r#"sdy.mesh @a = <["x"=2]>
func.func @main(%0: tensor<4xf32> {sdy.sharding = #sdy.sharding<@a, [{"x"}]>}) -> tensor<4xf32> {
  return %0 : tensor<4xf32>
}"#;

    fn refusal(loaded: &Loaded, plan: &str, devices: Option<u32>) -> Failure {
        let (platform, version, bytes) = ("p".into(), "1".into(), Vec::new());
        let stored = Stored { platform, version, plan: plan.into(), mark: 0, devices: 0, bytes };
        prepared(&stored, loaded, devices, &DumpArgs::default()).err().expect("it is refused")
    }

    #[test]
    fn a_program_that_was_planned_otherwise_is_refused_with_the_reason() {
        let loaded = in_memory(&SourceText::new("step.mlir", MODULE)).expect("it is a module");
        let planned = |target: Option<&str>, mesh: Option<&str>| {
            let [target, mesh] = [target, mesh].map(|one| one.map(str::to_string));
            PlannedAs { target, room: Room::Any, mesh }.written()
        };
        let plain = planned(None, None);
        for (plan, devices, words) in [
            ("so", None, "it is no program that `meshwright compile --save` wrote"),
            (&planned(Some("nowhere"), None), None, "nowhere"),
            (&planned(None, Some("x=3,z=5")), None, "z"),
            (&plain, Some(3), "`--devices 3`, but the stored program has 2"),
            (&plain, None, "it was compiled from program 0000000000000000, not from this one"),
        ] {
            let found = &refusal(&loaded, plan, devices).diagnostics[0];
            assert!(found.message.contains(words) && found.help.is_some(), "{words}: {found:?}");
            let note =
                found.notes.iter().find(|note| note.starts_with("the stored program was planned so: "));
            assert_eq!(note.is_some(), words == "z", "{found:?}");
        }
    }
}
