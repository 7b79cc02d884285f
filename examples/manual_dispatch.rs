//! GShard's dispatch by a gather with manual partitioning (section 3.2): each device looks up the tokens of its own
//! groups, which the compiler could not know from the indices alone.
//!
//!     cargo run --release --example manual_dispatch

#![allow(clippy::print_stdout)]

use meshwright::prelude::*;

const GROUPS: i64 = 16;
const TOKENS: i64 = 4;
const MODEL: i64 = 3;
const EXPERTS: i64 = 2;
const CAPACITY: i64 = 5;

pub fn main() -> Result<(), Error> {
    let mesh = Mesh::new([("x", 8)])?;
    let program = trace("dispatch", |t| {
        let input = t.input("input", f32, [GROUPS, TOKENS, MODEL]);
        let s_indices = t.input("s_indices", i32, [EXPERTS, GROUPS, CAPACITY, 1]); // places in TOKENS
        let input = input.auto_to_manual(&mesh, &["x"], ("x", (), ())); // [G / 8, S, M]
        let s_indices = s_indices.auto_to_manual(&mesh, &["x"], ((), "x", (), ())); // [E, G / 8, C, 1]
        let g_indices = iota(i32, s_indices.dims(), 1);
        let data = input.gather_nd(concat([g_indices, s_indices], 3)); // [E, G / 8, C, M]
        data.manual_to_auto(&mesh, &["x"], ((), "x", (), ()))
    })?;
    let partitioned = program.partition()?;
    println!("{}", partitioned.explain());

    let numbers: Vec<f32> = (0..GROUPS * TOKENS * MODEL).map(|i| i as f32).collect();
    let places: Vec<i32> = (0..EXPERTS * GROUPS * CAPACITY).map(|i| (i * 7 % TOKENS) as i32).collect();
    let input = Array::new([GROUPS, TOKENS, MODEL], &numbers)?;
    let s_indices = Array::new([EXPERTS, GROUPS, CAPACITY, 1], &places)?;
    let data = partitioned.load(8)?.run(&[("input", &input), ("s_indices", &s_indices)])?.get("result")?;
    for (row, found) in data.to_vec::<f32>()?.chunks_exact(MODEL as usize).enumerate() {
        let group = row as i64 / CAPACITY % GROUPS;
        let token = group * TOKENS + i64::from(places[row]);
        assert_eq!(found[0], numbers[(token * MODEL) as usize], "row {row}");
    }
    println!("every slot holds its token");
    Ok(())
}
