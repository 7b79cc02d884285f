//! Metrics on disk: lines of JSON and event files, appended and flushed step by step.
//!
//! A resumed run goes on in the same JSON file. What it already holds of the steps that are now run again is cut off
//! first, so a step stands there once; broken lines are left out, wherever they stand. TensorBoard gets a new file per
//! start, as its own writers do.

use super::{Metrics, event_scalars, event_start};
use crate::disk::{RealDisk, replace};
use meshwright_base::{Code, Diagnostic};
use meshwright_runtime::files::read_regular;
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

    /// What was written is there after a loss of power.
    pub fn sync(&self) -> Result<(), Diagnostic> {
        let files = self.json.iter().chain(&self.events);
        files
            .into_iter()
            .try_for_each(|(path, file)| file.sync_data().map_err(|error| unwritable(path, &error)))
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
    let bytes = match read_regular(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
        read => read?,
    };
    let kept = kept(&bytes, step).ok_or_else(|| io::Error::other("it holds something else already"))?;
    if kept != bytes {
        replace(&RealDisk, path, &kept)?;
    }
    OpenOptions::new().create(true).append(true).open(path)
}

/// The lines of steps before this one. `None` if nothing may be cut off: no line is of metrics, or they are another
/// run's where this one begins.
fn kept(bytes: &[u8], step: u64) -> Option<Vec<u8>> {
    let step_of = |line: &[u8]| serde_json::from_slice::<serde_json::Value>(line).ok()?["step"].as_u64();
    let whole = bytes.split_inclusive(|byte| *byte == b'\n').filter(|line| line.ends_with(b"\n"));
    let lines: Vec<(u64, &[u8])> = whole.filter_map(|line| Some((step_of(line)?, line))).collect();
    // A full disk or a kill may have left the beginning of the first line alone.
    const BEGIN: &[u8] = b"{\"step\":";
    let is_begun = bytes.starts_with(BEGIN) || BEGIN.starts_with(bytes);
    let is_ours = bytes.is_empty() || step > 0 && (!lines.is_empty() || is_begun);
    let before = lines.iter().filter(|(at, _)| *at < step);
    is_ours.then(|| before.flat_map(|(_, line)| line.to_vec()).collect())
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
        let line = |step| vec![("loss".into(), step as f64)];
        let metrics = |step| Metrics { step, time: 1.0, values: line(step), ..Metrics::default() };
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
        // What a loss of power left in the middle of a line, and a line that was cut short before others.
        let lines = |steps: &[u64]| steps.iter().map(|step| metrics(*step).json_line()).collect::<String>();
        let broken: &[u8] = b"\xFF\xFE\0\0{\"step\":2,\"loss\":1}\n{\"step\":3,\"lo\n";
        fs::write(&json, [lines(&[0, 1]).as_bytes(), broken, lines(&[4, 5]).as_bytes()].concat()).unwrap();
        run(5, 6, 4.0);
        assert_eq!(fs::read_to_string(&json).unwrap(), lines(&[0, 1, 4, 5]));
        Log::open(None, None, 0, 0.0).unwrap().write(&metrics(1)).unwrap();
    }
}
