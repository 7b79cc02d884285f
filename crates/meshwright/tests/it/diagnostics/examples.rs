//! What provokes each diagnostic of programs in Rust, and the same mended. `tests/diagnostics` shows the bodies.

use meshwright::nn::losses::mse;
use meshwright::prelude::*;

pub fn e0801() -> Result<(), Error> {
    trace("f", |t| t.input("x", f32, [4]) + t.input("y", f32, [3]))?;
    Ok(())
}

pub fn e0801_mended() -> Result<(), Error> {
    trace("f", |t| t.input("x", f32, [4]) + t.input("y", f32, [4]))?;
    Ok(())
}

pub fn e0802() -> Result<(), Error> {
    trace("f", |t| t.input("x", f32, [4]) + t.input("y", bf16, [4]))?;
    Ok(())
}

pub fn e0802_mended() -> Result<(), Error> {
    trace("f", |t| t.input("x", f32, [4]) + t.input("y", bf16, [4]).cast(f32))?;
    Ok(())
}

pub fn e0803() -> Result<(), Error> {
    trace("f", |t| t.input("x", f32, [4, 2]).sum(2))?;
    Ok(())
}

pub fn e0803_mended() -> Result<(), Error> {
    trace("f", |t| t.input("x", f32, [4, 2]).sum(-1))?;
    Ok(())
}

pub fn e0804() -> Result<(), Error> {
    trace("f", |t| einsum("bd,df->bg", [t.input("x", f32, [4, 2]), t.param("w", [2, 3])]))?;
    Ok(())
}

pub fn e0804_mended() -> Result<(), Error> {
    trace("f", |t| einsum("bd,df->bf", [t.input("x", f32, [4, 2]), t.param("w", [2, 3])]))?;
    Ok(())
}

pub fn e0805() -> Result<(), Error> {
    let mesh = Mesh::new([("data", 4), ("model", 2)])?;
    trace("f", |t| t.input("x", f32, [8, 4]).mesh_split(&mesh, ["data", "modle"]))?;
    Ok(())
}

pub fn e0805_mended() -> Result<(), Error> {
    let mesh = Mesh::new([("data", 4), ("model", 2)])?;
    trace("f", |t| t.input("x", f32, [8, 4]).mesh_split(&mesh, ["data", "model"]))?;
    Ok(())
}

pub fn e0807() -> Result<(), Error> {
    let mut kept = None;
    trace("first", |t| {
        let x = t.input("x", f32, [4]);
        kept = Some(x);
        x.tanh()
    })?;
    trace("second", |t| t.input("y", f32, [4]) + kept.expect("traced above"))?;
    Ok(())
}

pub fn e0807_mended() -> Result<(), Error> {
    trace("both", |t| {
        let x = t.input("x", f32, [4]);
        (x.tanh(), t.input("y", f32, [4]) + x)
    })?;
    Ok(())
}

pub fn e0808() -> Result<(), Error> {
    trace("f", |t| t.input("x", f32, [4]) + t.input("x", f32, [4]))?;
    Ok(())
}

pub fn e0808_mended() -> Result<(), Error> {
    trace("f", |t| t.input("x", f32, [4]) + t.input("y", f32, [4]))?;
    Ok(())
}

pub fn e0811() -> Result<(), Error> {
    trace("f", |t| grad(t.param("w", [4]), |w| w.square()))?;
    Ok(())
}

pub fn e0811_mended() -> Result<(), Error> {
    trace("f", |t| grad(t.param("w", [4]), |w| w.square().sum(..)))?;
    Ok(())
}

pub fn e0812() -> Result<(), Error> {
    let mesh = Mesh::new([("x", 2)])?;
    trace("f", |t| t.input("a", f32, [4]).auto_to_manual(&mesh, &["x"], ["x"]).tanh())?;
    Ok(())
}

pub fn e0812_mended() -> Result<(), Error> {
    let mesh = Mesh::new([("x", 2)])?;
    trace("f", |t| {
        let piece = t.input("a", f32, [4]).auto_to_manual(&mesh, &["x"], ["x"]).tanh();
        piece.manual_to_auto(&mesh, &["x"], ["x"])
    })?;
    Ok(())
}

pub fn e0813() -> Result<(), Error> {
    let layer = trace("layer", |t| t.input("x", f32, [2]) * t.param("w", [2]))?;
    trace("f", |t| -> Tensor { layer.call([t.input("x", f32, [2])]) })?;
    Ok(())
}

pub fn e0813_mended() -> Result<(), Error> {
    let layer = trace("layer", |t| t.input("x", f32, [2]) * t.param("w", [2]))?;
    trace("f", |t| -> Tensor { layer.call([t.input("x", f32, [2]), t.param("w", [2])]) })?;
    Ok(())
}

pub fn e0814() -> Result<(), Error> {
    trace("f", |t| mse(t.input("x", f32, [8, 1]), t.input("y", f32, [8])))?;
    Ok(())
}

pub fn e0814_mended() -> Result<(), Error> {
    trace("f", |t| mse(t.input("x", f32, [8, 1]).squeeze(1), t.input("y", f32, [8])))?;
    Ok(())
}

pub fn e0820() -> Result<(), Error> {
    let double = trace("double", |t| t.input("x", f32, [2]) * 2.0)?;
    double.partition()?.load(1)?.run(&[])?;
    Ok(())
}

pub fn e0820_mended() -> Result<(), Error> {
    let double = trace("double", |t| t.input("x", f32, [2]) * 2.0)?;
    double.partition()?.load(1)?.run(&[("x", &Array::filled([2], 1.0f32))])?;
    Ok(())
}
