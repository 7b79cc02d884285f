//! Steps of a chore: each prints its seconds, and the end lists the slowest.

use std::time::Instant;

/// A step: its name, and its function, which returns whether it passed.
pub type Step<'a> = (&'static str, &'a dyn Fn() -> bool);

/// Runs steps until one fails.
pub fn run_timed(chore: &str, steps: &[Step<'_>]) -> bool {
    let mut times = Vec::new();
    let passed = steps.iter().all(|step| run_step(step, &mut times));
    print_slowest(chore, times);
    passed
}

/// Runs all steps, also after one that fails.
pub fn run_all_timed(chore: &str, steps: &[Step<'_>]) -> bool {
    let mut times = Vec::new();
    let mut passed = true;
    for step in steps {
        passed &= run_step(step, &mut times);
    }
    print_slowest(chore, times);
    passed
}

fn run_step((name, run): &Step<'_>, times: &mut Vec<(f64, &'static str)>) -> bool {
    let start = Instant::now();
    let passed = run();
    let seconds = start.elapsed().as_secs_f64();
    eprintln!("# {name}: {seconds:.1} s{}", if passed { "" } else { ", failed" });
    times.push((seconds, name));
    passed
}

fn print_slowest(chore: &str, mut times: Vec<(f64, &str)>) {
    const SHOWN: usize = 10;
    times.sort_by(|(left, _), (right, _)| right.total_cmp(left));
    let all: f64 = times.iter().map(|(seconds, _)| seconds).sum();
    eprintln!("# {chore}: {all:.1} s; the slowest steps:");
    for (seconds, name) in times.iter().take(SHOWN) {
        eprintln!("#   {seconds:7.1} s  {name}");
    }
}
