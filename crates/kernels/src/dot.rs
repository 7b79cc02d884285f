//! Contractions: batched, strided matrix products.
//!
//! Floats go to kernels that take any strides, other types to those of `plain`. How the work is cut depends on sizes
//! only.

use crate::gemm::any::{self, Right, Work};
use crate::gemm::{Next, Strided, Target, gemm, gemm_packed, pack, packed_len, reads_in_place};
use crate::step::{At, Bases, BufId};
use crate::view::{Walk, row_major};
use meshwright_ir::DType;
use meshwright_runtime::Workers;
use meshwright_steps::{Access, Extent};

mod plain;

/// An operand or the result: where element (batch, row, column) lies.
#[derive(Clone, PartialEq, Debug)]
pub struct Matrix {
    pub buf: BufId,
    pub offset: isize,
    /// Per batch dim.
    pub batch: Vec<isize>,
    pub row: isize,
    pub column: isize,
}

impl Matrix {
    /// One after another, row by row.
    pub fn dense(buf: BufId, batch: &[usize], (rows, columns): (usize, usize)) -> Matrix {
        let one = (rows * columns) as isize;
        let batch = row_major(batch).into_iter().map(|stride| stride * one).collect();
        Matrix { buf, offset: 0, batch, row: columns as isize, column: 1 }
    }
}

/// `to[batch, m, n] = sum over k of lhs[batch, m, k] * rhs[batch, k, n]`; columns of the result lie side by side.
#[derive(Clone, PartialEq, Debug)]
pub struct DotStep {
    /// Of the results.
    pub dtype: DType,
    /// Of the operands: another one only where products of `bf16` go to tiles.
    pub operands: DType,
    pub batch: Vec<usize>,
    pub m: usize,
    pub n: usize,
    pub k: usize,
    pub lhs: Matrix,
    pub rhs: Matrix,
    pub to: Matrix,
    /// Whether the result is what a copy would have put somewhere: nobody reads it by this step's rows.
    pub placed: bool,
}

/// Flops of a piece, about.
const PIECE: usize = 1 << 28;
/// Rows or columns of a piece of a large product, about.
const SIDE: usize = 1024;
/// Columns from which pieces of columns are wide enough.
const WIDE: usize = 256;

impl Matrix {
    /// The bytes of these products' matrices, `dims` rows and columns.
    fn extent(&self, width: usize, batch: &[usize], dims: [usize; 2]) -> Extent {
        let dims: Vec<usize> = batch.iter().copied().chain(dims).collect();
        let strides: Vec<isize> = self.batch.iter().copied().chain([self.row, self.column]).collect();
        Extent::of_view(width, self.offset, &dims, &strides)
    }
}

/// How products are cut into pieces.
struct DotCut {
    /// Products, and those of a piece.
    count: usize,
    per: usize,
    /// Whether rows are cut, or columns; how many there are, and how many of them a piece has.
    by_rows: bool,
    side: usize,
    share: usize,
    cuts: usize,
}

impl DotStep {
    pub fn accesses(&self) -> Vec<Access> {
        let DotStep { m, n, k, lhs, rhs, to, .. } = self;
        let (read, made) = (self.operands.bytes(), self.dtype.bytes());
        vec![
            Access::read(lhs.buf, lhs.extent(read, &self.batch, [*m, *k])),
            Access::read(rhs.buf, rhs.extent(read, &self.batch, [*k, *n])),
            Access::write(to.buf, to.extent(made, &self.batch, [*m, *n])),
        ]
    }

    pub fn flops(&self) -> usize {
        2 * self.batch.iter().product::<usize>() * self.m * self.n * self.k
    }

    /// The same products with rows and columns of each result exchanged, dense.
    pub fn transposed(&self) -> DotStep {
        let exchange = |x: &Matrix| Matrix { row: x.column, column: x.row, ..x.clone() };
        let to = Matrix::dense(self.to.buf, &self.batch, (self.n, self.m));
        DotStep {
            m: self.n,
            n: self.m,
            lhs: exchange(&self.rhs),
            rhs: exchange(&self.lhs),
            to,
            ..self.clone()
        }
    }

    /// Where a result lies in its buffer.
    pub fn place(&self, batch: usize, row: usize, column: usize) -> isize {
        let at = self.to.offset + Walk::new(&self.batch, &self.to.batch, batch).at;
        at + row as isize * self.to.row + column as isize
    }

    /// Several products to a piece, or one product cut along its longer side.
    fn cut(&self) -> DotCut {
        let count: usize = self.batch.iter().product();
        let one = 2 * self.m * self.n * self.k;
        let per = (PIECE / 4 / one.max(1)).clamp(1, count.max(1));
        let by_rows = self.cuts_rows();
        let side = if by_rows { self.m } else { self.n };
        // An even number of pieces shares out evenly among two or four workers; each packs the other operand anew.
        let most = (side / SIDE).clamp(2, 16);
        let cuts = if per > 1 { 1 } else { (one / PIECE).clamp(1, most).next_multiple_of(2) };
        let share = side.div_ceil(cuts).next_multiple_of(64);
        let cuts = side.div_ceil(share.max(1)).max(1);
        DotCut { count, per, by_rows, side, share, cuts }
    }

    pub fn pieces(&self) -> usize {
        let DotCut { count, per, cuts, .. } = self.cut();
        count.div_ceil(per) * cuts
    }

    pub fn run(&self, bases: &Bases, workers: &dyn Workers) {
        let DotCut { count, per, by_rows, side, share, cuts } = self.cut();
        let groups = count.div_ceil(per);
        let (lhs, rhs, to) =
            (At(bases.at(self.lhs.buf)), At(bases.at(self.rhs.buf)), At(bases.at(self.to.buf)));
        workers.each(groups * cuts, &|piece| {
            let (lhs, rhs, to) = (lhs, rhs, to);
            let (group, cut) = (piece / cuts, piece % cuts);
            let (from, until) = (cut * share, ((cut + 1) * share).min(side));
            let (rows, columns) = if by_rows { (from..until, 0..self.n) } else { (0..self.m, from..until) };
            let end = ((group + 1) * per).min(count);
            for batch in group * per..end {
                let batches = (batch, Some(batch + 1).filter(|next| *next < end));
                self.block((lhs.0, rhs.0, to.0), batches, rows.clone(), columns.clone());
            }
        });
    }

    /// Whether pieces are of rows: each packs all of the right operand. Of columns: each reads the left one, which must
    /// be copied or transposed unless it lies well.
    fn cuts_rows(&self) -> bool {
        if reads_in_place(self.lhs.row, self.lhs.column) && self.n >= WIDE {
            self.m > 4 * self.n
        } else {
            self.m >= self.n
        }
    }

    /// Some rows of one of the products.
    pub fn part(&self, bases: &Bases, batch: usize, rows: std::ops::Range<usize>) {
        let all = (bases.at(self.lhs.buf), bases.at(self.rhs.buf), bases.at(self.to.buf));
        self.block(all, (batch, None), rows, 0..self.n);
    }

    /// Bytes of all packed right operands, if that is a number.
    pub fn packed_bytes(&self) -> Option<usize> {
        let one = packed_len(self.n, self.k).checked_mul(4)?;
        self.batch.iter().try_fold(one, |bytes, size| bytes.checked_mul(*size))
    }

    /// Where one of them lies.
    pub fn packed_at(&self, bases: &Bases, packed: BufId, batch: usize) -> *mut f32 {
        bases.at(packed).cast::<f32>().wrapping_add(batch * packed_len(self.n, self.k))
    }

    /// Pack the right operand of one of the products of `f32`.
    pub(crate) fn pack_right(&self, bases: &Bases, batch: usize, to: *mut f32) {
        let at = self.rhs.offset + Walk::new(&self.batch, &self.rhs.batch, batch).at;
        let at = bases.at(self.rhs.buf).cast::<f32>().cast_const().wrapping_offset(at);
        let b = Strided { at, row: self.rhs.row, column: self.rhs.column };
        // SAFETY: the view lies in its buffer; the caller has the room.
        unsafe { pack(self.n, self.k, b, to) };
    }

    /// Some rows of one of the products of `f32`, whose right operand was packed.
    pub(crate) fn part_packed(
        &self,
        bases: &Bases,
        batch: usize,
        rows: std::ops::Range<usize>,
        right: *const f32,
    ) {
        let at = self.lhs.offset + Walk::new(&self.batch, &self.lhs.batch, batch).at;
        let at = bases.at(self.lhs.buf).cast::<f32>().cast_const().wrapping_offset(at);
        let at = at.wrapping_offset(rows.start as isize * self.lhs.row);
        let a = Strided { at, row: self.lhs.row, column: self.lhs.column };
        let to = bases.at(self.to.buf).cast::<f32>().wrapping_offset(self.place(batch, rows.start, 0));
        let c = Target { at: to, row: self.to.row, column: 1, add: false };
        // SAFETY: views of the operands lie in their buffers, the rows in the result.
        unsafe { gemm_packed(rows.len(), self.n, self.k, a, right, c) };
    }

    /// What some depths of one of the products of `f32` add to its results; the first ones set them. Bits are those of
    /// all depths at once where parts end at multiples of [`DEPTH`](crate::gemm::DEPTH) and come in order.
    pub fn deepen(&self, bases: &Bases, batch: usize, depths: std::ops::Range<usize>) {
        let at = |matrix: &Matrix, step: isize| {
            let at = matrix.offset + Walk::new(&self.batch, &matrix.batch, batch).at;
            let first = bases.at(matrix.buf).cast::<f32>().cast_const();
            let at = first.wrapping_offset(at + depths.start as isize * step);
            Strided { at, row: matrix.row, column: matrix.column }
        };
        let (a, b) = (at(&self.lhs, self.lhs.column), at(&self.rhs, self.rhs.row));
        let to = bases.at(self.to.buf).cast::<f32>().wrapping_offset(self.place(batch, 0, 0));
        let c = Target { at: to, row: self.to.row, column: 1, add: depths.start > 0 };
        // SAFETY: views of the operands lie in their buffers, the result in its own.
        unsafe { gemm((self.m, self.n, depths.len()), a, b, c, None) };
    }

    /// A block of one of the products; the same block of another one may come next.
    fn block(
        &self,
        (lhs, rhs, to): (*mut u8, *mut u8, *mut u8),
        (batch, next): (usize, Option<usize>),
        rows: std::ops::Range<usize>,
        columns: std::ops::Range<usize>,
    ) {
        let at = |matrix: &Matrix, batch| matrix.offset + Walk::new(&self.batch, &matrix.batch, batch).at;
        let left = |batch| at(&self.lhs, batch) + rows.start as isize * self.lhs.row;
        let right = |batch| at(&self.rhs, batch) + columns.start as isize * self.rhs.column;
        let (a, b) = (left(batch), right(batch));
        let c = self.place(batch, rows.start, columns.start);
        let size = (rows.len(), columns.len());
        match self.dtype {
            // SAFETY: views of the operands lie in their buffers, the block in the result.
            DType::F32 => unsafe {
                let (lhs, rhs) = (lhs.cast::<f32>().cast_const(), rhs.cast::<f32>().cast_const());
                let next = next.map(|batch| Next {
                    left: lhs.wrapping_offset(left(batch)),
                    right: rhs.wrapping_offset(right(batch)),
                });
                let a = Strided { at: lhs.offset(a), row: self.lhs.row, column: self.lhs.column };
                let b = Strided { at: rhs.offset(b), row: self.rhs.row, column: self.rhs.column };
                let c = Target { at: to.cast::<f32>().offset(c), row: self.to.row, column: 1, add: false };
                gemm((size.0, size.1, self.k), a, b, c, next);
            },
            DType::F64 => self.double((lhs, rhs, to), (a, b, c), size),
            DType::S32 | DType::U32 => self.plain::<u32>((lhs, rhs, to), (a, b, c), size),
            DType::S64 | DType::U64 => self.plain::<u64>((lhs, rhs, to), (a, b, c), size),
            DType::C64 => self.plain::<[f32; 2]>((lhs, rhs, to), (a, b, c), size),
            _ => self.plain::<[f64; 2]>((lhs, rhs, to), (a, b, c), size),
        }
    }

    fn double(
        &self,
        (lhs, rhs, to): (*mut u8, *mut u8, *mut u8),
        (a, b, c): (isize, isize, isize),
        (m, n): (usize, usize),
    ) {
        // SAFETY: views of the operands lie in their buffers, the block in the result.
        unsafe {
            if self.k == 0 {
                let row = |row: usize| to.cast::<f64>().offset(c + row as isize * self.to.row);
                return (0..m).for_each(|i| std::slice::from_raw_parts_mut(row(i), n).fill(0.0));
            }
            let a = Strided {
                at: lhs.cast::<f64>().offset(a).cast_const(),
                row: self.lhs.row,
                column: self.lhs.column,
            };
            let b = Strided {
                at: rhs.cast::<f64>().offset(b).cast_const(),
                row: self.rhs.row,
                column: self.rhs.column,
            };
            let c = Target { at: to.cast::<f64>().offset(c), row: self.to.row, column: 1, add: false };
            any::run(&Work { size: (m, n, self.k), a, b: Right::Lies(b), c });
        }
    }

    fn plain<T: plain::Number>(
        &self,
        (lhs, rhs, to): (*mut u8, *mut u8, *mut u8),
        (a, b, c): (isize, isize, isize),
        (m, n): (usize, usize),
    ) {
        let strided = |at: *mut u8, first: isize, matrix: &Matrix| Strided {
            at: at.cast::<T>().wrapping_offset(first).cast_const(),
            row: matrix.row,
            column: matrix.column,
        };
        let (a, b) = (strided(lhs, a, &self.lhs), strided(rhs, b, &self.rhs));
        let to = to.cast::<T>().wrapping_offset(c);
        let c = Target { at: to, row: self.to.row, column: 1, add: false };
        // SAFETY: views of the operands lie in their buffers, the block in the result.
        unsafe { plain::product((m, n, self.k), a, b, c) };
    }
}
