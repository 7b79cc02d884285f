//! A convolution split along the rows of its images: neighbours exchange the rows at the seams (halo exchange).
//!
//!     cargo run --release --example spatial_convolution

#![allow(clippy::print_stdout)]

use meshwright::prelude::*;

pub fn main() -> Result<(), Error> {
    let mesh = Mesh::new([("rows", 4)])?;
    let rules = Rules::of(&mesh, [("height", "rows")]);
    let model = |t: Trace| {
        let image = t.input("image", f32, [("batch", 1), ("height", 16), ("width", 8), ("channels", 2)]);
        image.conv(t.param("kernel", [3, 3, 2, 4]), &Window::same(2)).relu()
    };
    let (alone, split) = (trace("alone", model)?, trace_with("split", &rules, model)?);
    let numbers = |n: i64| (0..n).map(|i| (i * 29 % 23) as f32 - 11.0).collect::<Vec<_>>();
    let image = Array::new([1, 16, 8, 2], &numbers(256))?;
    let kernel = Array::new([3, 3, 2, 4], &numbers(72))?;
    let inputs = [("image", &image), ("kernel", &kernel)];

    let partitioned = split.partition()?;
    println!("{}", partitioned.explain());
    let one = alone.partition()?.load(1)?.run(&inputs)?.get("result")?;
    let four = partitioned.load(4)?.run(&inputs)?.get("result")?;
    assert_eq!(one, four, "whole numbers are exact");
    println!("the same on 1 and on 4 devices");
    Ok(())
}
