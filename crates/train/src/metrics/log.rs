//! Metrics on disk: lines of JSON and event files, appended and flushed step by step.
//!
//! A resumed run goes on in the same JSON file. What it already holds of the steps that are now run again is cut off
//! first, so a step stands there once. TensorBoard gets a new file per start, as its own writers do.

use super::{Metrics, event_scalars, event_start};
use meshwright_ground::{Code, Diagnostic};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

pub(crate) const LOG: Code = Code(1301);

/// Open files; either may be missing.
#[derive(Debug, Default)]
pub struct Log {
    json: Option<(PathBuf, File)>,
    events: Option<(PathBuf, File)>,
}

impl Log {
    /// `step` is where the run goes on: lines of it and of later steps are cut off. `time` is in seconds since 1970.
    pub fn open(
        json: Option<&Path>,
        events: Option<&Path>,
        step: u64,
        time: f64,
    ) -> Result<Self, Diagnostic> {
        let json = json.map(|path| named(path, open_json(path, step))).transpose()?;
        let events = match events {
            None => None,
            Some(directory) => {
                let path =
                    directory.join(format!("events.out.tfevents.{}.{}", time as u64, std::process::id()));
                Some(named(&path, open_events(&path, time))?)
            }
        };
        Ok(Log { json, events })
    }

    pub fn write(&mut self, metrics: &Metrics) -> Result<(), Diagnostic> {
        let json = self.json.iter_mut().map(|(path, file)| (path, file, metrics.json_line().into_bytes()));
        let events = self.events.iter_mut().map(|(path, file)| (path, file, event_scalars(metrics)));
        for (path, file, bytes) in json.chain(events) {
            file.write_all(&bytes).map_err(|error| unwritable(path, &error))?;
        }
        Ok(())
    }
}

fn named(path: &Path, file: io::Result<File>) -> Result<(PathBuf, File), Diagnostic> {
    file.map(|file| (path.to_path_buf(), file)).map_err(|error| unwritable(path, &error))
}

fn open_json(path: &Path, step: u64) -> io::Result<File> {
    make_parent(path)?;
    let text = match fs::read_to_string(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
        read => read?,
    };
    let kept = kept(&text, step).ok_or_else(|| io::Error::other("it holds something else already"))?;
    let file = OpenOptions::new().create(true).append(true).open(path)?;
    file.set_len(kept as u64)?;
    Ok(file)
}

/// How many bytes are of steps before this one, not counting a line cut short by a kill. `None` if nothing may be cut
/// off: whole lines that are no metrics, or another run's where this one begins.
fn kept(text: &str, step: u64) -> Option<usize> {
    let step_of = |line: &str| serde_json::from_str::<serde_json::Value>(line).ok()?["step"].as_u64();
    let whole = text.split_inclusive('\n').filter(|line| line.ends_with('\n'));
    let steps: Vec<(u64, usize)> =
        whole.map(|line| Some((step_of(line)?, line.len()))).collect::<Option<_>>()?;
    // A full disk or a kill may have left the beginning of the first line alone.
    const BEGIN: &str = "{\"step\":";
    let is_begun = text.starts_with(BEGIN) || BEGIN.starts_with(text);
    let is_ours = text.is_empty() || step > 0 && (!steps.is_empty() || is_begun);
    is_ours.then(|| steps.iter().take_while(|(at, _)| *at < step).map(|(_, bytes)| bytes).sum())
}

fn open_events(path: &Path, time: f64) -> io::Result<File> {
    make_parent(path)?;
    let mut file = OpenOptions::new().create(true).append(true).open(path)?;
    file.write_all(&event_start(time))?;
    Ok(file)
}

fn make_parent(path: &Path) -> io::Result<()> {
    path.parent().map_or(Ok(()), fs::create_dir_all)
}

fn unwritable(path: &Path, error: &io::Error) -> Diagnostic {
    Diagnostic::error(LOG, format!("cannot write metrics to `{}`: {error}", path.display()))
        .help("make room, or name another file in `[metrics]`")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_resumed_run_has_every_step_once() {
        let root = std::env::temp_dir().join(format!("meshwright-log-{}", std::process::id()));
        let _ = fs::remove_dir_all(&root);
        let (json, events) = (root.join("a/m.jsonl"), root.join("events"));
        let metrics = |step| Metrics { step, time: 1.0, values: vec![("loss".into(), step as f64)] };
        let run = |from: u64, to: u64, time: f64| {
            let mut log = Log::open(Some(&json), Some(&events), from, time).unwrap();
            (from..to).for_each(|step| log.write(&metrics(step)).unwrap());
        };
        run(0, 5, 1.0);
        fs::write(&json, fs::read_to_string(&json).unwrap() + "{\"step\": 5, \"lo").unwrap();
        run(3, 6, 2.0);
        let expected: String = (0..6).map(|step| metrics(step).json_line()).collect();
        assert_eq!(fs::read_to_string(&json).unwrap(), expected);
        assert_eq!(fs::read_dir(&events).unwrap().count(), 2);
        assert!(
            Log::open(Some(&events), None, 0, 0.0).unwrap_err().message.starts_with("cannot write metrics")
        );
        let refused = |step| Log::open(Some(&json), None, step, 0.0).unwrap_err().message;
        assert!(refused(0).ends_with("it holds something else already"), "another run's metrics stay");
        fs::write(&json, "notes\n").unwrap();
        assert!(refused(3).ends_with("it holds something else already"));
        assert_eq!(fs::read_to_string(&json).unwrap(), "notes\n");
        for torn in ["{\"st", "{\"step\":1,\"lo"] {
            fs::write(&json, torn).unwrap();
            run(1, 2, 3.0);
            assert_eq!(fs::read_to_string(&json).unwrap(), metrics(1).json_line(), "{torn}");
        }
        Log::open(None, None, 0, 0.0).unwrap().write(&metrics(1)).unwrap();
    }
}
