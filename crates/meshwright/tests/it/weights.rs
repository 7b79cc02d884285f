//! Weights as files: what was there stays, what does not fit is all told, nothing is half loaded.

use meshwright::prelude::*;
use std::path::PathBuf;

/// A folder of this test's own.
struct Home(PathBuf);

impl Home {
    fn new(name: &str) -> Home {
        let path = std::env::temp_dir().join(format!("meshwright-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Home(path)
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        drop(std::fs::remove_dir_all(&self.0));
    }
}

fn program(cuts: &Mesh) -> Program {
    let made = trace("f", |t| {
        let w = t.param_of("w", bf16, [4, 2]).mesh_split(cuts, [0, -1]);
        let (n, b) = (t.param_of("n", i32, ()), t.param("b", [2]));
        (t.input("x", bf16, [3, 4]).matmul(w), n + 1, b + 1.0)
    });
    made.unwrap()
}

fn filled(devices: i64) -> Result<Loaded, Error> {
    let mesh = Mesh::new([("x", devices)])?;
    let mut loaded = program(&mesh).partition()?.load(devices as usize)?;
    loaded.set("w", &Array::rounded(bf16, [4, 2], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.5])?)?;
    loaded.set("n", &Array::filled((), 7i32))?;
    loaded.set("b", &Array::filled([2], 0.5f32))?;
    Ok(loaded)
}

#[test]
fn weights_are_the_same_on_other_devices_from_one_file_and_from_several() -> Result<(), Error> {
    let home = Home::new("weights");
    let (file, folder) = (home.0.join("all.safetensors"), home.0.join("shards"));
    let before = filled(4)?;
    before.save(&file)?;
    before.save_sharded(&folder, 10)?;
    before.save_sharded(&folder, 10)?; // replaces the first
    let names = |path| std::fs::read_dir(path).unwrap().count();
    assert_eq!((names(&home.0), names(&folder)), (2, 4), "nothing else is left behind");
    for path in [&file, &folder] {
        let mut after = program(&Mesh::new([("x", 2)])?).partition()?.load(2)?;
        assert!(after.load(path)?.is_empty());
        for name in ["w", "n", "b"] {
            assert_eq!(after.get(name)?, before.get(name)?);
        }
    }
    Ok(())
}

#[test]
fn all_that_does_not_fit_is_told_and_nothing_is_loaded() -> Result<(), Error> {
    let home = Home::new("misfits");
    let file = home.0.join("all.safetensors");
    filled(1)?.save(&file)?;
    let other = trace("g", |t| {
        (
            t.param("w", [4, 2]) * 2.0,
            t.param("b", [3]) * 2.0,
            t.param("c", [2]) * 2.0,
            t.param_of("n", i32, ()) + 1,
        )
    })?;
    let mut loaded = other.partition()?.load(1)?;
    let text = loaded.load(&file).unwrap_err().to_string();
    for part in [
        "`w` is bf16[4,2], the program takes f32[4,2]",
        "`b` is f32[2], the program takes f32[3]",
        "`c` (f32[2]) is missing",
        "nothing was loaded",
        "--> crates/meshwright/tests/it/weights.rs:",
    ] {
        assert!(text.contains(part), "{text}\nshould say: {part}");
    }
    assert!(loaded.get("n").is_err(), "n fits, but is not loaded");
    let part = trace("h", |t| t.param("b", [2]) * 2.0)?;
    assert_eq!(part.partition()?.load(1)?.load(&file)?, ["n", "w"]);
    Ok(())
}

#[test]
fn a_damaged_file_is_refused_and_a_failed_save_leaves_what_was_there() -> Result<(), Error> {
    let home = Home::new("damaged");
    let file = home.0.join("all.safetensors");
    let mut loaded = filled(1)?;
    loaded.save(&file)?;
    let whole = std::fs::read(&file).unwrap();
    for cut in [0, 4, 8, 30, whole.len() - 1] {
        std::fs::write(&file, &whole[..cut]).unwrap();
        let text = loaded.load(&file).unwrap_err().to_string();
        assert!(text.contains("is damaged"), "{cut}: {text}");
    }
    let nowhere = home.0.join("none").join("all.safetensors");
    assert!(loaded.save(&nowhere).unwrap_err().to_string().contains("cannot write"));
    let text = loaded.save_sharded(&home.0, 10).unwrap_err().to_string();
    assert!(text.contains("holds no weights") && file.exists(), "{text}");
    Ok(())
}

#[test]
fn narrow_floats_are_rounded_and_widened() -> Result<(), Error> {
    let numbers = [0.1, -1.5, 3.0e38, f64::INFINITY];
    for (dtype, expected) in [
        (bf16, [0.100_097_656_25, -1.5, 3.004_055e38, f64::INFINITY]),
        (f16, [0.099_975_585_937_5, -1.5, f64::INFINITY, f64::INFINITY]),
        (f8e5m2, [0.093_75, -1.5, f64::INFINITY, f64::INFINITY]),
    ] {
        let found = Array::rounded(dtype, [4], &numbers)?.numbers();
        let close = |(a, b): (&f64, &f64)| a == b || (a - b).abs() <= 1e-3 * b.abs();
        assert!(found.iter().zip(&expected).all(close), "{dtype}: {found:?}");
    }
    assert_eq!(Array::new([3], &[-1i8, 0, 5])?.numbers(), [-1.0, 0.0, 5.0]);
    assert!(Array::rounded(i32, [1], &[1.0]).unwrap_err().to_string().contains("not to s32"));
    Ok(())
}
