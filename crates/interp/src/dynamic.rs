//! Slices at computed places; starts clamp so that the slice lies inside.

use crate::fault::Fault;
use crate::tensor::{Data, Tensor};
use crate::view::{View, copy, read, sizes};
use meshwright_ir::op::Dynamic;

pub(crate) fn eval(op: &Dynamic, args: Vec<Tensor>) -> Result<Data, Fault> {
    match op {
        Dynamic::Slice { sizes } => slice(sizes, &args),
        Dynamic::UpdateSlice => update(args),
    }
}

/// The view of a slice of `dims` at clamped starts.
fn slice_view(x: &Tensor, dims: &[i64], starts: &[Tensor]) -> Result<View, Fault> {
    let mut view = View::whole(x.dims());
    if starts.len() != x.dims().len() || dims.len() != starts.len() {
        return Err(Fault::unsound(format!("has {} starts for {}", starts.len(), x.ty())));
    }
    for (d, start) in starts.iter().enumerate() {
        let start =
            start.get(0).and_then(|s| s.to_i64()).ok_or_else(|| Fault::unsound("has no integer start"))?;
        let last = x.dims()[d].saturating_sub(dims[d]).max(0);
        view.offset = view.offset.saturating_add(view.strides[d].saturating_mul(start.clamp(0, last)));
    }
    view.dims = sizes(dims);
    Ok(view)
}

fn slice(dims: &[i64], args: &[Tensor]) -> Result<Data, Fault> {
    let (x, starts) = args.split_first().ok_or_else(|| Fault::unsound("has no operand"))?;
    read(x.data(), &slice_view(x, dims, starts)?)
}

fn update(mut args: Vec<Tensor>) -> Result<Data, Fault> {
    if args.len() < 2 {
        return Err(Fault::unsound("needs an operand and an update"));
    }
    let starts = args.split_off(2);
    let (Some(update), Some(x)) = (args.pop(), args.pop()) else {
        return Err(Fault::unsound("needs an operand and an update"));
    };
    let view = slice_view(&x, update.dims(), &starts)?;
    let mut data = x.into_data();
    copy(&mut data, &view, update.data(), &View::whole(update.dims()))?;
    Ok(data)
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshwright_ir::DType;

    fn ints(dims: &[i64], values: &[i64]) -> Tensor {
        Tensor::from_ints(DType::S32, dims, values).unwrap()
    }

    #[test]
    fn starts_clamp_at_both_ends() {
        let x = ints(&[4], &[1, 2, 3, 4]);
        let at = |start: i64| eval(&Dynamic::Slice { sizes: vec![2] }, vec![x.clone(), ints(&[], &[start])]);
        assert_eq!(at(99).unwrap(), Data::Int(vec![3, 4]));
        assert_eq!(at(-5).unwrap(), Data::Int(vec![1, 2]));
        let args = vec![x.clone(), ints(&[3], &[7, 8, 9]), ints(&[], &[2])];
        assert_eq!(eval(&Dynamic::UpdateSlice, args).unwrap(), Data::Int(vec![1, 7, 8, 9]));
        assert_eq!(x.to_ints().unwrap(), [1, 2, 3, 4], "the operand stays as it was");
    }
}
