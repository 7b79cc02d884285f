//! From a module to steps, op by op.
//!
//! A value is a view of a buffer, one repeated element, an iota, or a tile of a fused loop that is still open. Nothing
//! moves until a kernel needs it to. Calls are inlined.

mod arg;
mod comparator;
mod control;
mod convolution;
mod dot;
mod elementwise;
mod erf_inv;
mod fuse;
mod home;
mod indexed;
mod layout;
mod movement;
mod numeric;
mod pick;
mod plain;
mod reduce;
mod region;
mod sparse;
mod token;
mod window;

use crate::passes::Placed;
use crate::sparse::Sparsity;
use fuse::Group;
use meshwright_base::{IdMap, cancel};
use meshwright_ir::{BlockId, DType, FuncId, Function, Inst, InstId, Module, Op, SourceId, Type, ValueId};
use meshwright_kernels::copy::{Alias, Copy, Fill, Place};
use meshwright_kernels::step::{BufId, Step};
use meshwright_kernels::view::{View, collapse_together, sizes};
use meshwright_runtime::{Buffer, RunError, RunErrorKind, Site, SiteId};
use meshwright_steps::{Body, Item, Named, StepId, Steps};
use std::collections::BTreeMap;

pub use meshwright_steps::{BufInfo, Kind};

/// Custom calls that hand their operands on unchanged.
const IDENTITIES: [&str; 6] = [
    "Sharding",
    "annotate_device_placement",
    "xla.sdy.FuncResultSharding",
    "MoveToDevice",
    "MoveToHost",
    "LayoutConstraint",
];
/// How deep calls and regions may nest.
const MAX_DEPTH: usize = 200;
/// Steps and buffers at most: calls are inlined, and a hostile module could call itself large.
const MAX_STEPS: usize = 4_000_000;

/// What a value is while the module is lowered.
#[derive(Clone, Debug)]
pub struct Val {
    pub dtype: DType,
    pub dims: Vec<usize>,
    pub at: Where,
}

#[derive(Clone, Debug)]
pub enum Where {
    Buf {
        buf: BufId,
        view: View,
    },
    Splat([u8; 16]),
    Iota {
        dim: usize,
    },
    /// A tile of a fused loop; elements in row-major order.
    Tile {
        group: usize,
        node: usize,
        /// Where it goes if something else needs it.
        buf: BufId,
    },
    Token,
}

impl Val {
    pub fn count(&self) -> usize {
        self.dims.iter().product()
    }
}

/// The program while passes rewrite it.
pub struct Lowered {
    pub steps: Steps<Step>,
    pub constants: Vec<Buffer>,
    pub sites: IdMap<SiteId, Site>,
    pub counters: usize,
    /// Whether steps may join.
    pub fuse: bool,
    /// How many results there are.
    pub results: usize,
    /// Which parameters were given away.
    pub donated: Vec<bool>,
    /// Where everything lies, once that is known.
    pub placed: Placed,
}

impl Lowered {
    pub fn may_write(&self, param: usize) -> bool {
        self.donated.get(param).copied().unwrap_or(false)
    }

    pub fn kind(&self, buf: BufId) -> Kind {
        self.steps.bufs[buf].kind
    }

    pub fn bytes(&self, buf: BufId) -> usize {
        self.steps.bufs[buf].bytes
    }
}

pub(crate) struct Lower<'m> {
    module: &'m Module,
    devices: usize,
    bufs: IdMap<BufId, BufInfo>,
    constants: Vec<Buffer>,
    steps: IdMap<StepId, Named<Step>>,
    /// What runs in order, in the loop or branch that is being lowered.
    body: Body,
    sites: IdMap<SiteId, Site>,
    counters: usize,
    groups: Vec<Group>,
    /// Groups that are still open, ascending.
    open: Vec<usize>,
    depth: usize,
    /// Whether elementwise ops may share a loop.
    fuse: bool,
    /// Arrays of zeros but for some boxes: what lies in them, and where.
    pads: BTreeMap<BufId, Vec<(Val, Vec<usize>)>>,
    /// Views that were copied into dense order in this region, by buffer and bytes of an element, and the copies:
    /// another use may read these.
    copies: BTreeMap<(BufId, usize), Vec<(View, BufId)>>,
    /// Arrays of this region that parts are stored in before they are put together, by their value, and how they lie.
    wholes: BTreeMap<ValueId, (BufId, View)>,
    /// Dense results of products: the step, and how many dims are batch and rows.
    products: BTreeMap<BufId, (StepId, (usize, usize))>,
    /// The instruction being lowered, for errors and names.
    current: String,
    /// Where it came from.
    source: SourceId,
}

/// One activation of a function.
pub(crate) struct Frame<'m> {
    func: &'m Function,
    values: IdMap<ValueId, Option<Val>>,
    /// How often each value is an operand or a result.
    uses: IdMap<ValueId, u32>,
    sparsity: Sparsity,
}

/// Lower the entry function.
pub fn lower(module: &Module, devices: usize, fuse: bool) -> Result<Lowered, RunError> {
    meshwright_ir::check_unfolded(module).map_err(RunError::too_large)?;
    let mut cx = Lower {
        module,
        devices,
        bufs: IdMap::new(),
        constants: Vec::new(),
        steps: IdMap::new(),
        body: Body::new(),
        sites: IdMap::new(),
        counters: 0,
        groups: Vec::new(),
        open: Vec::new(),
        depth: 0,
        fuse,
        pads: BTreeMap::new(),
        copies: BTreeMap::new(),
        wholes: BTreeMap::new(),
        products: BTreeMap::new(),
        current: "parameters".to_string(),
        source: SourceId::unknown(),
    };
    let func = module.main();
    let mut args = Vec::new();
    for (i, param) in func.param_values().iter().enumerate() {
        args.push(cx.input(i, func.ty(*param))?);
    }
    let results = cx.call(module.entry, args)?;
    (cx.current, cx.source) = ("results".to_string(), SourceId::unknown());
    for (i, result) in results.into_iter().enumerate() {
        cx.output(i, &result)?;
    }
    cx.flush_all();
    let Lower { bufs, constants, steps, body, sites, counters, fuse, .. } = cx;
    let donated = func.params.iter().map(|param| param.donation.is_some()).collect();
    let results = func.result_values().len();
    let mut steps = Steps::new(bufs, steps, body);
    steps.retain(&|_, step| !matches!(step, Step::Nothing));
    Ok(Lowered { steps, constants, sites, counters, fuse, results, donated, placed: Placed::default() })
}

impl<'m> Lower<'m> {
    fn input(&mut self, index: usize, ty: &Type) -> Result<Val, RunError> {
        let tensor = ty.as_array();
        let (dtype, dims) = (tensor.dtype, sizes(&tensor.dims));
        let buf = self.buf(dtype, &dims)?;
        self.bufs[buf].kind = Kind::Input(index);
        self.bufs[buf].name = format!("parameter {index} {ty}");
        if *ty == Type::Token {
            return Ok(token::token());
        }
        let view = View::dense(&dims);
        Ok(Val { dtype, dims, at: Where::Buf { buf, view } })
    }

    /// Bring a result to where the caller finds it.
    fn output(&mut self, index: usize, result: &Val) -> Result<(), RunError> {
        if matches!(result.at, Where::Token) {
            let to = self.buf(result.dtype, &[0])?;
            self.bufs[to].kind = Kind::Result(index);
            self.push(Step::Fill(Fill { to, element: [0; 16], width: 1, count: 0 }));
            return Ok(());
        }
        let buf = self.dense(result)?;
        // A result may be the front part of a larger buffer.
        let fits = self.bufs[buf].bytes == result.count() * result.dtype.bytes();
        if fits && self.bufs[buf].kind == Kind::Arena {
            self.bufs[buf].kind = Kind::Result(index);
            return Ok(());
        }
        let to = self.buf(result.dtype, &result.dims)?;
        self.bufs[to].kind = Kind::Result(index);
        let view = View::dense(&result.dims);
        self.copy((buf, &view), (to, &view), result.dtype, Vec::new(), Vec::new(), true);
        Ok(())
    }

    /// An error that names the instruction.
    pub fn refuse(&self, what: impl std::fmt::Display) -> RunError {
        RunError::new(RunErrorKind::NotCompiled, format!("not yet compiled: {what}"))
            .at(self.steps.len(), self.current.clone())
            .at_place(self.module.place(self.source))
            .help("run it on the interpreter")
    }

    pub fn unsound(&self, what: &str) -> RunError {
        let error = RunError::new(RunErrorKind::Unsound, what).at(self.steps.len(), self.current.clone());
        error.at_place(self.module.place(self.source))
    }

    pub fn buf(&mut self, dtype: DType, dims: &[usize]) -> Result<BufId, RunError> {
        let bytes = dims.iter().try_fold(dtype.bytes(), |n, dim| n.checked_mul(*dim));
        let bytes =
            bytes.filter(|n| *n < 1 << 46).ok_or_else(|| self.refuse("a value larger than memory"))?;
        if self.bufs.len() > MAX_STEPS || self.steps.len() > MAX_STEPS {
            return Err(self.refuse(format!("a program of more than {MAX_STEPS} steps")));
        }
        let name = self.current.clone();
        Ok(self.bufs.push(BufInfo { bytes, kind: Kind::Arena, name }))
    }

    pub fn push(&mut self, work: Step) -> StepId {
        let step = self.steps.push(Named { work, name: self.current.clone() });
        self.body.push(Item::Step(step));
        step
    }

    /// What this lowers becomes a body of its own.
    pub fn apart<T>(
        &mut self,
        lower: impl FnOnce(&mut Self) -> Result<T, RunError>,
    ) -> Result<(Body, T), RunError> {
        let around = std::mem::take(&mut self.body);
        let lowered = lower(self);
        let body = std::mem::replace(&mut self.body, around);
        Ok((body, lowered?))
    }

    /// A new dense value.
    pub fn fresh(&mut self, dtype: DType, dims: &[usize]) -> Result<(BufId, Val), RunError> {
        let buf = self.buf(dtype, dims)?;
        let view = View::dense(dims);
        Ok((buf, Val { dtype, dims: dims.to_vec(), at: Where::Buf { buf, view } }))
    }

    /// The value in memory, however it lies there.
    pub fn view(&mut self, val: &Val) -> Result<(BufId, View), RunError> {
        match &val.at {
            Where::Buf { buf, view } => Ok((*buf, view.clone())),
            Where::Splat(element) => {
                // One element, seen everywhere.
                let buf = self.buf(val.dtype, &[])?;
                self.push(Step::Fill(Fill {
                    to: buf,
                    element: *element,
                    width: val.dtype.bytes(),
                    count: 1,
                }));
                Ok((buf, View::dense(&[]).broadcast(&[], &val.dims)))
            }
            Where::Iota { .. } => {
                let buf = self.dense(val)?;
                Ok((buf, View::dense(&val.dims)))
            }
            Where::Tile { group, node, buf } => {
                let Some(home) = self.stored(*group, *node) else {
                    return Ok((*buf, View::dense(&val.dims)));
                };
                if let Some(view) = home.view.reshape(&val.dims) {
                    return Ok((home.buf, view));
                }
                let lies = Val { dims: home.view.dims.clone(), ..val.clone() };
                Ok((self.dense(&lies)?, View::dense(&val.dims)))
            }
            Where::Token => Err(self.unsound("a token is used as a tensor")),
        }
    }

    /// The value in a buffer of its own shape, row major.
    pub fn dense(&mut self, val: &Val) -> Result<BufId, RunError> {
        match &val.at {
            Where::Buf { buf, view } if view.is_dense() => Ok(*buf),
            Where::Buf { buf, view } => {
                let before = self.copied_before(*buf, view, val.dtype).find(|(_, copy)| copy.is_dense());
                if let Some((to, _)) = before {
                    return Ok(to);
                }
                let to = self.buf(val.dtype, &val.dims)?;
                let target = View::dense(&val.dims);
                self.copy((*buf, view), (to, &target), val.dtype, Vec::new(), Vec::new(), true);
                // Parameters are there all the time: a copy would be kept beside them.
                if !matches!(self.bufs[*buf].kind, Kind::Input(_)) {
                    self.copies.entry((*buf, val.dtype.bytes())).or_default().push((view.clone(), to));
                }
                Ok(to)
            }
            Where::Splat(element) => {
                let to = self.buf(val.dtype, &val.dims)?;
                let (width, count) = (val.dtype.bytes(), val.count());
                self.push(Step::Fill(Fill { to, element: *element, width, count }));
                Ok(to)
            }
            Where::Iota { .. } => {
                let tile = self.tile_copy(val)?;
                self.dense(&tile)
            }
            Where::Tile { .. } => {
                let (buf, view) = self.view(val)?;
                if view.is_dense() {
                    Ok(buf)
                } else {
                    self.dense(&Val { at: Where::Buf { buf, view }, ..val.clone() })
                }
            }
            Where::Token => Err(self.unsound("a token is used as a tensor")),
        }
    }

    /// Copies of the elements that a view names, seen with its dims. Nothing is written to a buffer once it is read,
    /// but what loops carry: so copies are known in their own region only.
    pub fn copied_before(
        &self,
        buf: BufId,
        view: &View,
        dtype: DType,
    ) -> impl Iterator<Item = (BufId, View)> {
        let copies = self.copies.get(&(buf, dtype.bytes())).into_iter().flatten();
        copies.filter_map(|(source, to)| Some((*to, in_copy(source, view)?)))
    }

    /// What lies at places that are known when the program runs: seen where it is.
    pub fn part(
        &mut self,
        (of, view): (BufId, &View),
        dtype: DType,
        places: Vec<Place>,
    ) -> Result<(BufId, View), RunError> {
        let to = self.buf(dtype, &view.dims)?;
        self.bufs[to].kind = Kind::PartOf(of);
        self.push(Step::Alias(Alias { to, of, width: dtype.bytes(), offset: view.offset, places }));
        Ok((to, View { offset: 0, ..view.clone() }))
    }

    /// The buffer in whose memory another one lies.
    pub fn memory_of(&self, mut buf: BufId) -> BufId {
        while let Kind::PartOf(of) = self.bufs[buf].kind {
            buf = of;
        }
        buf
    }

    /// Copy a view to a view of the same dims.
    pub fn copy(
        &mut self,
        (from, source): (BufId, &View),
        (to, target): (BufId, &View),
        dtype: DType,
        source_places: Vec<Place>,
        target_places: Vec<Place>,
        whole: bool,
    ) {
        let (dims, strides) = collapse_together(&source.dims, &[&source.strides, &target.strides]);
        let [source_strides, target_strides] = &strides[..] else { return };
        let plain = source_places.is_empty() && target_places.is_empty();
        let whole = whole && plain && source.is_dense() && target.is_dense();
        self.push(Step::Copy(Copy {
            from,
            to,
            width: dtype.bytes(),
            dims,
            source: source_strides.clone(),
            source_offset: source.offset,
            target: target_strides.clone(),
            target_offset: target.offset,
            source_places,
            target_places,
            whole,
            piece: false,
        }));
    }

    fn call(&mut self, callee: FuncId, args: Vec<Val>) -> Result<Vec<Val>, RunError> {
        let func = self.module.funcs.get(callee).ok_or_else(|| self.unsound("calls a missing function"))?;
        let values = IdMap::filled(func.value_count(), None);
        let mut frame = Frame { func, values, uses: uses(func), sparsity: Sparsity::of(func) };
        self.block(&mut frame, func.root(), args)
    }

    /// Lower a block with these arguments; what it returns.
    pub fn block(
        &mut self,
        frame: &mut Frame<'m>,
        block: BlockId,
        args: Vec<Val>,
    ) -> Result<Vec<Val>, RunError> {
        if self.depth >= MAX_DEPTH {
            return Err(self.refuse(format!("regions and calls that nest more than {MAX_DEPTH} deep")));
        }
        self.depth += 1;
        let body = frame.func.block(block);
        if body.params.len() != args.len() {
            return Err(self.unsound("a block is given another number of values than it takes"));
        }
        for (param, arg) in body.params.iter().zip(args) {
            frame.values[*param] = Some(arg);
        }
        let outside = (std::mem::take(&mut self.copies), std::mem::take(&mut self.wholes));
        for inst in &body.insts {
            cancel::look();
            self.inst(frame, *inst)?;
        }
        (self.copies, self.wholes) = outside;
        self.depth -= 1;
        body.results.iter().map(|value| self.get(frame, *value)).collect()
    }

    pub fn get(&self, frame: &Frame<'m>, value: ValueId) -> Result<Val, RunError> {
        let val = frame.values[value].clone();
        val.ok_or_else(|| self.unsound("a value is used before it is defined"))
    }

    fn inst(&mut self, frame: &mut Frame<'m>, id: InstId) -> Result<(), RunError> {
        let func = frame.func;
        let inst = func.inst(id);
        let shown = inst.results.first().map_or(String::new(), |value| format!(" {}", func.ty(*value)));
        self.current = format!("{}{shown}", inst.op.mnemonic());
        self.source = inst.source;
        let ranks = inst.operands.iter().chain(&inst.results).map(|value| func.ty(*value).rank());
        let flat = ranks.max().unwrap_or(0) <= meshwright_kernels::view::MAX_RANK;
        let operands = inst.operands.iter().map(|value| self.get(frame, *value));
        let operands = operands.collect::<Result<Vec<_>, _>>()?;
        let refused = if flat {
            self.op(frame, id, inst, operands)
        } else {
            Err(self.refuse(format!("a value of more than {} dims", meshwright_kernels::view::MAX_RANK)))
        };
        let results = match refused {
            Err(error) if error.kind == RunErrorKind::NotCompiled && plain::may_run_plain(&inst.op) => {
                self.plain(frame, id, inst)?
            }
            other => other?,
        };
        if results.len() != inst.results.len() {
            return Err(self.unsound("an op gives another number of results than it has"));
        }
        for (value, result) in inst.results.iter().zip(results) {
            self.store_at_home(frame, id, *value, &result)?;
            frame.values[*value] = Some(result);
        }
        Ok(())
    }

    /// Result type of an instruction.
    pub fn result(
        &self,
        frame: &Frame<'m>,
        inst: &Inst,
        index: usize,
    ) -> Result<(DType, Vec<usize>), RunError> {
        let value = inst.results.get(index).ok_or_else(|| self.unsound("an op lacks a result"))?;
        let ty = frame.func.ty(*value).as_tensor().ok_or_else(|| self.unsound("a token as a tensor"))?;
        Ok((ty.dtype, sizes(&ty.dims)))
    }

    fn op(
        &mut self,
        frame: &mut Frame<'m>,
        id: InstId,
        inst: &'m Inst,
        operands: Vec<Val>,
    ) -> Result<Vec<Val>, RunError> {
        let one = |val: Result<Val, RunError>| val.map(|val| vec![val]);
        match &inst.op {
            Op::Constant(op) => one(self.constant(&op.0)),
            Op::Iota(op) => {
                let dims = sizes(&op.ty.dims);
                one(Ok(Val { dtype: op.ty.dtype, dims, at: Where::Iota { dim: op.dim } }))
            }
            Op::Unary(op) => one(self.unary(*op, frame, inst, &operands)),
            Op::Binary(op) => one(self.binary(*op, frame, inst, &operands)),
            Op::Compare(op) => one(self.compare(op, &operands)),
            Op::Select => one(self.select(&operands)),
            Op::Clamp => one(self.clamp(&operands)),
            Op::Convert(op) => one(self.convert(op, &operands)),
            Op::Movement(op) => one(self.movement(op, frame, inst, &operands)),
            Op::Dynamic(op) => one(self.dynamic(op, frame, inst, &operands)),
            Op::Gather(op) => one(self.gather(op, frame, inst, &operands)),
            Op::Scatter(op) => self.scatter(op, frame, inst, &operands),
            Op::Dot(op) => one(self.dot(op, frame, inst, &operands)),
            Op::Reduce(op) => self.reduce(op, frame, inst, &operands),
            Op::Map(_) => self.map(frame, inst, &operands),
            Op::ReduceWindow(op) => self.reduce_window(op, frame, inst, &operands),
            Op::Sort(op) => self.sort(op, frame, inst, &operands),
            Op::TopK(op) => self.top_k(op, frame, inst, &operands),
            Op::Fft(op) => self.fft(op, frame, inst, &operands).map(|val| vec![val]),
            Op::Linalg(op) => self.linalg(op, frame, inst, &operands).map(|val| vec![val]),
            Op::Random(op) => self.random(op, &operands),
            Op::Control(op) => self.control(op, frame, inst, operands),
            Op::Scan(op) => self.scan(op, frame, inst, operands),
            Op::Call(op) => self.call(op.callee, operands),
            Op::Collective(op) => self.collective(op, frame, id, inst, &operands),
            Op::PartitionId => one(self.device_number(false)),
            Op::ReplicaId => one(self.device_number(true)),
            Op::OptimizationBarrier => Ok(operands),
            Op::Token(op) => self.token(op, frame, inst, &operands),
            Op::Foreign(op) => self.foreign(op, operands, inst.results.len()),
            Op::Convolution(op) => one(self.convolution(op, frame, inst, &operands)),
            Op::SelectAndScatter(op) => one(self.select_and_scatter(op, frame, inst, &operands)),
            Op::BatchNorm(_) | Op::Sharding(_) => Err(self.refuse(inst.op.mnemonic())),
        }
    }

    fn constant(&mut self, literal: &meshwright_ir::Literal) -> Result<Val, RunError> {
        let (dtype, dims) = (literal.ty().dtype, sizes(&literal.ty().dims));
        if let Some(element) = literal.as_splat() {
            let mut bytes = [0; 16];
            bytes[..element.len()].copy_from_slice(element);
            return Ok(Val { dtype, dims, at: Where::Splat(bytes) });
        }
        let buf = self.buf(dtype, &dims)?;
        self.bufs[buf].kind = Kind::Constant(self.constants.len());
        self.constants.push(Buffer::from_bytes(&literal.to_bytes())?);
        let view = View::dense(&dims);
        Ok(Val { dtype, dims, at: Where::Buf { buf, view } })
    }

    /// Devices are counted replica by replica.
    fn device_number(&mut self, replica: bool) -> Result<Val, RunError> {
        let replicas = self.module.num_replicas.map_or(1, |n| usize::try_from(n).unwrap_or(1)).max(1);
        let partitions = (self.devices / replicas).max(1) as u32;
        let (over, wrap) = if replica { (partitions, u32::MAX) } else { (1, partitions) };
        let (to, val) = self.fresh(DType::U32, &[])?;
        self.push(Step::DeviceNumber { to, over, wrap });
        Ok(val)
    }

    fn collective(
        &mut self,
        op: &meshwright_ir::op::Collective,
        frame: &Frame<'m>,
        id: InstId,
        inst: &Inst,
        operands: &[Val],
    ) -> Result<Vec<Val>, RunError> {
        let site = Site::new(self.module, frame.func, id, op, self.devices)?;
        let narrow = site.operands.iter().find(|ty| !meshwright_runtime::collective::reduces(ty.dtype));
        if let (Some(_), Some(ty)) = (site.reducer, narrow) {
            return Err(self.refuse(format!("a collective sum of {ty}")));
        }
        let operands = operands.iter().map(|val| self.dense(val)).collect::<Result<Vec<_>, _>>()?;
        let (mut results, mut vals) = (Vec::new(), Vec::new());
        for i in 0..inst.results.len() {
            let (dtype, dims) = self.result(frame, inst, i)?;
            let (buf, val) = self.fresh(dtype, &dims)?;
            results.push(buf);
            vals.push(val);
        }
        let site = self.sites.push(site);
        self.push(Step::Join { site, operands, results });
        Ok(vals)
    }

    fn foreign(
        &mut self,
        op: &meshwright_ir::op::Foreign,
        operands: Vec<Val>,
        results: usize,
    ) -> Result<Vec<Val>, RunError> {
        match op {
            meshwright_ir::op::Foreign::Composite(op) => self.call(op.decomposition, operands),
            meshwright_ir::op::Foreign::CustomCall(op)
                if IDENTITIES.contains(&op.target.as_str()) && operands.len() == results =>
            {
                Ok(operands)
            }
            meshwright_ir::op::Foreign::CustomCall(op) => {
                Err(self.refuse(format!("custom call `{}`", op.target)).help(
                    "replace the call by ops; JAX writes most of its own calls as ops when it lowers for another \
                     platform: `lowering_platforms=('tpu',)`",
                ))
            }
        }
    }
}

/// A view of what was copied from another view of the same elements, dim by dim.
fn in_copy(source: &View, view: &View) -> Option<View> {
    if source.offset != view.offset || source.count() != view.count() {
        return None;
    }
    let dense = View::dense(&source.dims);
    let mut left: Vec<usize> = (0..source.dims.len()).collect();
    let mut stride = |(size, stride): (&usize, &isize)| {
        if *size == 1 {
            return Some(0);
        }
        let same = |d: &usize| source.dims[*d] == *size && source.strides[*d] == *stride;
        let at = left.iter().position(same)?;
        Some(dense.strides[left.remove(at)])
    };
    let strides = view.dims.iter().zip(&view.strides).map(&mut stride).collect::<Option<Vec<_>>>()?;
    Some(View { dims: view.dims.clone(), strides, offset: 0 })
}

/// How often each value of a function is an operand, or returned by a block.
fn uses(func: &Function) -> IdMap<ValueId, u32> {
    let mut uses = IdMap::filled(func.value_count(), 0);
    for inst in func.insts_in_order() {
        func.inst(inst).operands.iter().for_each(|value| uses[*value] += 1);
    }
    for block in func.blocks_in_order() {
        func.block(block).results.iter().for_each(|value| uses[*value] += 1);
    }
    uses
}
