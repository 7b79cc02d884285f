//! Strided views: every movement of elements is a copy from one view to another.
//!
//! A view says where the element at each index lies: `offset + sum(index[d] * strides[d])`. It is checked once against
//! the number of elements it looks into; after that, walking it cannot leave them.

use crate::fault::Fault;
use crate::tensor::{Data, each_class, each_pair};

/// Where the elements of a (part of a) row-major tensor lie.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct View {
    pub dims: Vec<usize>,
    pub strides: Vec<i64>,
    pub offset: i64,
}

/// Dims as counts; negative ones (which a tensor never has) become 0.
pub(crate) fn sizes(dims: &[i64]) -> Vec<usize> {
    dims.iter().map(|dim| usize::try_from(*dim).unwrap_or(0)).collect()
}

/// Strides of a row-major tensor.
pub(crate) fn row_major(dims: &[usize]) -> Vec<i64> {
    let mut strides = vec![1i64; dims.len()];
    for d in (1..dims.len()).rev() {
        strides[d - 1] = strides[d].saturating_mul(i64::try_from(dims[d]).unwrap_or(i64::MAX));
    }
    strides
}

impl View {
    /// The whole of a row-major tensor.
    pub fn whole(dims: &[i64]) -> View {
        let dims = sizes(dims);
        View { strides: row_major(&dims), dims, offset: 0 }
    }

    pub fn count(&self) -> usize {
        self.dims.iter().product()
    }

    /// An error if the view reaches outside of `len` elements.
    pub fn check(&self, len: usize) -> Result<(), Fault> {
        if self.dims.contains(&0) {
            return Ok(());
        }
        let (mut low, mut high) = (i128::from(self.offset), i128::from(self.offset));
        for (dim, stride) in self.dims.iter().zip(&self.strides) {
            let reach = (*dim as i128 - 1) * i128::from(*stride);
            low += reach.min(0);
            high += reach.max(0);
        }
        if low >= 0 && high < len as i128 {
            return Ok(());
        }
        Err(Fault::unsound(format!("reads elements {low} to {high} of {len}")))
    }

    /// Call `f` with the offset of the first element of each run along the last dim.
    pub fn each_row(&self, mut f: impl FnMut(i64)) {
        let outer = self.dims.len().saturating_sub(1);
        let mut walk = IndexCounter::new(&self.dims[..outer]);
        let mut at = self.offset;
        loop {
            f(at);
            let Some(dim) = walk.advance() else { return };
            at += self.strides[dim];
            for inner in dim + 1..outer {
                at -= self.strides[inner] * (self.dims[inner] as i64 - 1);
            }
        }
    }

    /// Length and stride of the runs of [`View::each_row`].
    pub fn row(&self) -> (usize, i64) {
        match (self.dims.last(), self.strides.last()) {
            (Some(len), Some(stride)) => (*len, *stride),
            _ => (1, 0),
        }
    }

    /// Offsets of all elements in row-major order.
    pub fn each(&self, mut f: impl FnMut(usize)) {
        if self.dims.contains(&0) {
            return;
        }
        let (len, stride) = self.row();
        self.each_row(|start| {
            for i in 0..len as i64 {
                f((start + i * stride) as usize);
            }
        });
    }
}

/// Counts through indices in row-major order.
#[derive(Clone)]
pub(crate) struct IndexCounter<'a> {
    dims: &'a [usize],
    pub index: Vec<usize>,
}

impl<'a> IndexCounter<'a> {
    /// At index zero. The caller makes sure that no dim is zero, or never looks at the index.
    pub fn new(dims: &'a [usize]) -> Self {
        IndexCounter { dims, index: vec![0; dims.len()] }
    }

    /// Go to the next index; the dim that was counted up (all after it went back to 0), or `None` at the end.
    pub fn advance(&mut self) -> Option<usize> {
        for d in (0..self.dims.len()).rev() {
            self.index[d] += 1;
            if self.index[d] < self.dims[d] {
                return Some(d);
            }
            self.index[d] = 0;
        }
        None
    }
}

/// All indices of a shape in row-major order.
pub(crate) fn each_index(
    dims: &[usize],
    mut f: impl FnMut(&[usize]) -> Result<(), Fault>,
) -> Result<(), Fault> {
    if dims.contains(&0) {
        return Ok(());
    }
    let mut walk = IndexCounter::new(dims);
    loop {
        f(&walk.index)?;
        if walk.advance().is_none() {
            return Ok(());
        }
    }
}

/// The elements a view shows, in row-major order.
pub(crate) fn read(data: &Data, view: &View) -> Result<Data, Fault> {
    view.check(data.len())?;
    Ok(each_class!(data, v => read_slice(v, view)))
}

fn read_slice<T: Copy>(from: &[T], view: &View) -> Vec<T> {
    let mut out = Vec::with_capacity(view.count());
    if view.dims.contains(&0) {
        return out;
    }
    let (len, stride) = view.row();
    view.each_row(|start| match stride {
        1 => out.extend_from_slice(&from[start as usize..start as usize + len]),
        0 => out.extend(std::iter::repeat_n(from[start as usize], len)),
        _ => out.extend((0..len as i64).map(|i| from[(start + i * stride) as usize])),
    });
    out
}

/// Copy the elements `source` shows of `from` to where `target` shows in `to`. Both views have the same dims.
pub(crate) fn copy(to: &mut Data, target: &View, from: &Data, source: &View) -> Result<(), Fault> {
    if target.dims != source.dims {
        return Err(Fault::unsound(format!("copies {:?} to {:?}", source.dims, target.dims)));
    }
    target.check(to.len())?;
    source.check(from.len())?;
    each_pair!(to, from, a, b => copy_slice(a, target, b, source))
        .ok_or_else(|| Fault::unsound("copies between element types".to_string()))
}

fn copy_slice<T: Copy>(to: &mut [T], target: &View, from: &[T], source: &View) {
    let ((len, to_stride), (_, from_stride)) = (target.row(), source.row());
    each_row_pair(target, source, |to_start, from_start| {
        for i in 0..len as i64 {
            to[(to_start + i * to_stride) as usize] = from[(from_start + i * from_stride) as usize];
        }
    });
}

/// Call `f` with the offsets of the runs along the last dim of two views with the same dims; never if there are none.
pub(crate) fn each_row_pair(a: &View, b: &View, mut f: impl FnMut(i64, i64)) {
    if a.dims.contains(&0) {
        return;
    }
    let outer = a.dims.len().saturating_sub(1);
    let mut walk = IndexCounter::new(&a.dims[..outer]);
    let (mut at, mut bt) = (a.offset, b.offset);
    loop {
        f(at, bt);
        let Some(dim) = walk.advance() else { return };
        at += a.strides[dim];
        bt += b.strides[dim];
        for inner in dim + 1..outer {
            let back = a.dims[inner] as i64 - 1;
            at -= a.strides[inner] * back;
            bt -= b.strides[inner] * back;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_transposed_view_reads_columns() {
        let data = Data::Int(vec![1, 2, 3, 4, 5, 6]);
        let view = View { dims: vec![3, 2], strides: vec![1, 3], offset: 0 };
        assert_eq!(read(&data, &view).unwrap(), Data::Int(vec![1, 4, 2, 5, 3, 6]));
    }

    #[test]
    fn a_view_that_leaves_its_elements_is_refused() {
        let view = View { dims: vec![2], strides: vec![-1], offset: 0 };
        assert!(read(&Data::Int(vec![1, 2]), &view).is_err());
        let empty = View { dims: vec![0, 5], strides: vec![100, 1], offset: 99 };
        assert_eq!(read(&Data::Int(vec![]), &empty).unwrap(), Data::Int(vec![]));
    }

    #[test]
    fn scalars_have_one_row() {
        assert_eq!(read(&Data::Int(vec![7]), &View::whole(&[])).unwrap(), Data::Int(vec![7]));
    }
}
