//! A disassembler reads what was asked for: every instruction of NEON with random registers, numbers and places in
//! memory, and what goes on around them. In texts, `T`, `A` and `B` are the registers of the result and the operands,
//! `L` their lanes.

use super::Draw;
use crate::asm::*;
use crate::{
    Carry, Fold, From, Loop, Port, Prefetch, ScalarLoop, Test, TileOp, To, compile, compile_scalar_loop,
};
use meshwright_ir::DType;
use meshwright_ir::op::{BinaryOp, Direction, UnaryOp};
use meshwright_shard::Reducer;
use yaxpeax_arch::{Decoder, U8Reader};
use yaxpeax_arm::armv8::a64::InstDecoder;

/// Which sizes of lanes there are.
#[derive(Clone, Copy, PartialEq)]
enum Sizes {
    Both,
    Single,
    Double,
}

use Sizes::{Both, Double, Single};

/// What becomes one instruction.
const ONE: [(Inst, Option<u8>, Sizes, &str); 49] = [
    (ADD, None, Both, "fadd T.L, A.L, B.L"),
    (SUB, None, Both, "fsub T.L, A.L, B.L"),
    (MUL, None, Both, "fmul T.L, A.L, B.L"),
    (DIV, None, Both, "fdiv T.L, A.L, B.L"),
    (LARGER, None, Both, "fmax T.L, A.L, B.L"),
    (SMALLER, None, Both, "fmin T.L, A.L, B.L"),
    (FMA_231, None, Both, "fmla T.L, A.L, B.L"),
    (FNMA_231, None, Both, "fmls T.L, A.L, B.L"),
    (INT_ADD, None, Both, "add T.L, A.L, B.L"),
    (INT_SUB, None, Both, "sub T.L, A.L, B.L"),
    (INT_MUL, None, Single, "mul T.L, A.L, B.L"),
    (SIGNED_MIN, None, Single, "smin T.L, A.L, B.L"),
    (SIGNED_MAX, None, Single, "smax T.L, A.L, B.L"),
    (UNSIGNED_MIN, None, Single, "umin T.L, A.L, B.L"),
    (UNSIGNED_MAX, None, Single, "umax T.L, A.L, B.L"),
    (INT_EQUAL, None, Both, "cmeq T.L, A.L, B.L"),
    (INT_GREATER, None, Both, "cmgt T.L, A.L, B.L"),
    (UNSIGNED_GREATER, None, Both, "cmhi T.L, A.L, B.L"),
    (COMPARE, Some(0x00), Both, "fcmeq T.L, A.L, B.L"),
    (COMPARE, Some(0x11), Both, "fcmgt T.L, B.L, A.L"),
    (COMPARE, Some(0x12), Both, "fcmge T.L, B.L, A.L"),
    (COMPARE, Some(0x1d), Both, "fcmge T.L, A.L, B.L"),
    (COMPARE, Some(0x1e), Both, "fcmgt T.L, A.L, B.L"),
    (AND, None, Both, "and T.16b, A.16b, B.16b"),
    (AND_NOT, None, Both, "bic T.16b, B.16b, A.16b"),
    (OR, None, Both, "orr T.16b, A.16b, B.16b"),
    (XOR, None, Both, "eor T.16b, A.16b, B.16b"),
    (MOVE, None, Both, "mov T.16b, B.16b"),
    (SQRT, None, Both, "fsqrt T.L, B.L"),
    (TO_WHOLE, Some(0), Both, "frintn T.L, B.L"),
    (TO_WHOLE, Some(1), Both, "frintm T.L, B.L"),
    (TO_WHOLE, Some(2), Both, "frintp T.L, B.L"),
    (FLOAT_OF_INT, None, Single, "scvtf T.L, B.L"),
    (FLOAT_OF_UNSIGNED, None, Single, "ucvtf T.L, B.L"),
    (DOUBLE_OF_INT, None, Double, "scvtf T.L, B.L"),
    (DOUBLE_OF_UNSIGNED, None, Double, "ucvtf T.L, B.L"),
    (INT_OF_FLOAT, None, Single, "fcvtzs T.L, B.L"),
    (OF_F16, None, Single, "fcvtl T.4s, B.4h"),
    (TO_F16, Some(0), Single, "fcvtn B.4h, T.4s"),
    (WIDEN_16, None, Single, "ushll T.4s, B.4h, #0x0"),
    (WIDEN_SIGNED_16, None, Single, "sshll T.4s, B.4h, #0x0"),
    (LOAD_UPPER, None, Single, "shll T.4s, B.4h, #0x10"),
    (UPPER_HALVES, None, Single, "uzp2 T.8h, A.8h, B.8h"),
    (HALVES_SWAPPED, None, Both, "ext T.16b, B.16b, B.16b, #0x8"),
    (NEIGHBOURS_SWAPPED, None, Both, "rev64 T.4s, B.4s"),
    (BYTES_OF_TABLE, None, Both, "tbl T.16b, {v26.16b, v27.16b, v28.16b, v29.16b}, B.16b"),
    (BYTES_OF_OTHER_TABLE, None, Both, "tbx T.16b, {v26.16b, v27.16b, v28.16b, v29.16b}, B.16b"),
    (REPEAT_16, None, Both, "ld1r {T.8h}, [x6]"),
    (REPEAT_REGISTER, None, Single, "dup T.4s, w4"),
];

/// What becomes several.
const SEVERAL: [(Inst, Option<u8>, Sizes, &str); 16] = [
    (FMA_213, None, Both, "mov v31.16b, B.16b; fmla v31.L, A.L, T.L; mov T.16b, v31.16b"),
    (FNMA_213, None, Both, "mov v31.16b, B.16b; fmls v31.L, A.L, T.L; mov T.16b, v31.16b"),
    (FMS_231, None, Both, "fneg v31.L, T.L; fmla v31.L, A.L, B.L; mov T.16b, v31.16b"),
    (MIN_OR_SECOND, None, Both, "fcmgt v31.L, B.L, A.L; bsl v31.16b, A.16b, B.16b; mov T.16b, v31.16b"),
    (MAX_OR_SECOND, None, Both, "fcmgt v31.L, A.L, B.L; bsl v31.16b, A.16b, B.16b; mov T.16b, v31.16b"),
    (COMPARE, Some(0x04), Both, "fcmeq T.L, A.L, B.L; mvn T.16b, T.16b"),
    (COMPARE, Some(0x15), Both, "fcmgt T.L, B.L, A.L; mvn T.16b, T.16b"),
    (COMPARE, Some(0x19), Both, "fcmge T.L, A.L, B.L; mvn T.16b, T.16b"),
    (
        COMPARE,
        Some(0x03),
        Both,
        "fcmeq v31.L, A.L, A.L; fcmeq v29.L, B.L, B.L; and T.16b, v31.16b, v29.16b; mvn T.16b, T.16b",
    ),
    (WIDEN_SIGNED_8, None, Single, "sshll T.8h, B.8b, #0x0; sshll T.4s, T.4h, #0x0"),
    (WIDEN_8, None, Single, "ushll T.8h, B.8b, #0x0; ushll T.4s, T.4h, #0x0"),
    (WIDEN_8, None, Double, "ushll T.8h, B.8b, #0x0; ushll T.4s, T.4h, #0x0; ushll T.2d, T.2s, #0x0"),
    (
        SHIFT_LEFT,
        None,
        Single,
        "mov x17, #0x20; dup v31.4s, w17; cmhi v31.4s, v31.4s, B.4s; ushl v29.4s, A.4s, B.4s; \
         and T.16b, v29.16b, v31.16b",
    ),
    (
        SHIFT_LEFT,
        None,
        Double,
        "mov x17, #0x40; dup v31.2d, x17; cmhi v31.2d, v31.2d, B.2d; ushl v29.2d, A.2d, B.2d; \
         and T.16b, v29.16b, v31.16b",
    ),
    (
        SHIFT_RIGHT,
        None,
        Single,
        "mov x17, #0x20; dup v31.4s, w17; cmhi v31.4s, v31.4s, B.4s; neg v29.4s, B.4s; \
         ushl v29.4s, A.4s, v29.4s; and T.16b, v29.16b, v31.16b",
    ),
    (
        SHIFT_SIGNED_RIGHT,
        None,
        Single,
        "mov x17, #0x1f; dup v31.4s, w17; umin v31.4s, v31.4s, B.4s; neg v31.4s, v31.4s; \
         sshl T.4s, A.4s, v31.4s",
    ),
];

fn asm(double: bool) -> Asm {
    Asm::new(Target::Neon, double, false)
}

fn text(code: &[u8]) -> Vec<String> {
    let decoder = InstDecoder::default();
    let line = |word: &[u8]| match decoder.decode(&mut U8Reader::new(word)) {
        Ok(instruction) => instruction.to_string(),
        Err(error) => format!("{error:?} of {word:x?}"),
    };
    code.chunks(4).map(line).collect()
}

fn sizes(sizes: Sizes) -> impl Iterator<Item = bool> {
    [false, true].into_iter().filter(move |double| match sizes {
        Both => true,
        Single => !double,
        Double => *double,
    })
}

fn wanted(text: &str, [to, a, b]: [u8; 3], double: bool) -> Vec<String> {
    let lanes = if double { ".2d" } else { ".4s" };
    let text = text.replace(".L", lanes).replace('T', &format!("v{to}"));
    let text = text.replace('A', &format!("v{a}")).replace('B', &format!("v{b}"));
    text.split("; ").map(str::to_string).collect()
}

fn register(draw: &mut Draw) -> u8 {
    draw.below(usize::from(Target::Neon.registers())) as u8
}

#[test]
fn instructions_on_registers_are_read_as_they_were_asked_for() {
    let mut draw = Draw(1);
    for (inst, imm, which, said) in ONE.into_iter().chain(SEVERAL) {
        for double in sizes(which).flat_map(|double| [double; 40]) {
            let [to, a, other] = [(); 3].map(|()| register(&mut draw));
            // The same register twice may have a name of its own.
            let b = if other == a { (a + 1) % Target::Neon.registers() } else { other };
            let registers = [to, a, b];
            let mut asm = asm(double);
            asm.write(inst, (to, a, Rm::Vector(b)), imm, NO_MASK);
            assert!(!asm.missing, "{said} is missing");
            assert_eq!(text(&asm.code), wanted(said, registers, double), "{said}");
        }
    }
}

#[test]
fn shifts_are_by_any_number() {
    for double in [false, true] {
        for (which, name) in [(TO_THE_LEFT, "shl"), (TO_THE_RIGHT, "ushr"), (TO_THE_RIGHT_SIGNED, "sshr")] {
            for by in 1..if double { 64 } else { 32 } {
                let mut asm = asm(double);
                asm.emit_imm(SHIFTS, which, by % 26, Rm::Vector(7), by);
                let said = format!("{name} A.L, B.L, #{by:#x}");
                assert_eq!(text(&asm.code), wanted(&said, [0, by % 26, 7], double));
            }
        }
    }
}

/// What loops of several kinds are written as, whole.
fn loops() -> Vec<Vec<u8>> {
    let (ty, [a, b, p, out]) = (DType::F32, [0, 1, 2, 3]);
    let input = |(reg, at)| Port { reg, dtype: ty, at };
    let inputs = [(a, From::Memory), (b, From::One)].map(input);
    let ops = [
        TileOp::Unary { op: UnaryOp::Exponential, ty, to: out, a },
        TileOp::Binary { op: BinaryOp::Divide, ty, to: out, a, b },
        TileOp::Binary { op: BinaryOp::Maximum, ty, to: out, a, b },
        TileOp::Unary { op: UnaryOp::Log, ty, to: out, a },
        TileOp::Convert { from: ty, to_ty: DType::BF16, to: out, a },
        TileOp::Convert { from: ty, to_ty: DType::F16, to: out, a },
    ];
    let steps = [(a, 400), (out, -70_000)];
    let code = ops.iter().flat_map(|op| {
        let dtype = if let TileOp::Convert { to_ty, .. } = op { *to_ty } else { ty };
        let outputs = [Port { reg: out, dtype, at: To { memory: true, last: false, past: false } }];
        let folds = [Reducer::Sum, Reducer::Max].map(|reducer| {
            let at = Fold { reducer, to: p, init: Some(0.5) };
            Port { reg: out, dtype, at }
        });
        let folds = |count: usize| if dtype == ty { &folds[..count] } else { &[] };
        let prefetches = [Prefetch { of: a, width: 4, ahead: 1 << 14, near: true }];
        let ops = std::slice::from_ref(op);
        [0, 2].map(|count| {
            let one = Loop {
                ops,
                inputs: &inputs,
                outputs: &outputs,
                folds: folds(count),
                prefetches: &prefetches,
                first: 0,
            };
            compile(Target::Neon, &[one], &steps).map(|code| code.bytes().to_vec())
        })
    });
    code.chain([scalar_loop()]).map(|code| code.unwrap_or_default()).collect()
}

/// A loop of the program: `while x < limit { x = tanh(log(exp(x))) }`.
fn scalar_loop() -> Option<Vec<u8>> {
    let (ty, [x, limit, holds, a, b, next, ended]) = (DType::F32, [0, 1, 2, 3, 4, 5, 6]);
    let ops = [
        TileOp::Compare { direction: Direction::Lt, total: false, ty, to: holds, a: x, b: limit },
        TileOp::Unary { op: UnaryOp::Exponential, ty, to: a, a: x },
        TileOp::Unary { op: UnaryOp::Log, ty, to: b, a },
        TileOp::Unary { op: UnaryOp::Tanh, ty, to: next, a: b },
    ];
    let inputs = [Port { reg: limit, dtype: ty, at: From::One }];
    let carries = [Carry { reg: x, next, dtype: ty }];
    let test = Some(Test { at: 1, holds, carries: &[x], ended });
    let of = ScalarLoop { ops: &ops, inputs: &inputs, carries: &carries, test };
    compile_scalar_loop(Target::Neon, &of).map(|code| code.bytes().to_vec())
}

#[test]
fn whole_loops_are_read_and_leave_registers_of_others_alone() {
    for code in loops() {
        let lines = text(&code);
        assert!(lines.len() > 50, "no code");
        let last = lines.iter().rposition(|line| line == "ret").unwrap();
        for (at, line) in lines[..=last].iter().enumerate() {
            assert!(!line.contains(" of ["), "{line}");
            let mut words = line.split(|c: char| !c.is_alphanumeric());
            let general = |word: &str| word.strip_prefix(['x', 'w']).and_then(|rest| rest.parse().ok());
            assert!(words.all(|word| general(word).is_none_or(|number: u8| number < 18)), "{line}");
            if let Some((_, distance)) = line.split_once('$') {
                let bytes = i64::from_str_radix(&distance.replace("0x", ""), 16).unwrap();
                assert!((0..=last as i64).contains(&(at as i64 + bytes / 4)), "{line} goes elsewhere");
            }
        }
    }
}

/// A place in memory, what computes its address, and its text.
fn place(draw: &mut Draw, bytes: usize) -> (Rm, Vec<String>, String) {
    let distance = |base: &str, at: usize| match (at, base) {
        (0, _) => (Vec::new(), format!("[{base}]")),
        (at, _) if at.is_multiple_of(bytes) && at / bytes < 4096 => {
            (Vec::new(), format!("[{base}, #{at:#x}]"))
        }
        (at, _) => {
            let mut lines = vec![format!("mov x17, #{:#x}", at & 0xffff)];
            lines.extend((at >> 16 > 0).then(|| format!("movk x17, #{:#x}, lsl #16", at >> 16)));
            lines.push(format!("add x17, {base}, x17"));
            (lines, "[x17]".to_string())
        }
    };
    match draw.below(4) {
        0 => {
            let at = draw.below(1 << 19) * 4;
            let (lines, text) = distance("x2", at);
            (Rm::Constants(at as i32), lines, text)
        }
        1 => {
            let (width, from) = ([1usize, 2, 4, 8][draw.below(4)], draw.below(64));
            let shift = if width == 1 { String::new() } else { format!(", lsl #{}", width.trailing_zeros()) };
            let (lines, text) = distance("x7", width * from);
            let lines = [vec![format!("add x7, x6, x4{shift}")], lines].concat();
            (Rm::Stream(width as u8, from as u8), lines, text)
        }
        2 => {
            let at = draw.below(8) * 16;
            let (lines, text) = distance("sp", at);
            (Rm::Aside(at as i32), lines, text)
        }
        _ => (Rm::Element, Vec::new(), "[x6]".to_string()),
    }
}

#[test]
fn loads_and_stores_are_read_as_they_were_asked_for() {
    let rows = [
        (LOAD, Both, 16, "ldr qT, M"),
        (STORE, Both, 16, "str qT, M"),
        (STORE_PAST_CACHES, Both, 16, "str qT, M"),
        (STORE_ONE, Single, 4, "str sT, M"),
        (ADD, Both, 16, "ldr q30, M; fadd T.L, A.L, v30.L"),
        (FMA_213, Both, 16, "ldr q30, M; fmla v30.L, A.L, T.L; mov T.16b, v30.16b"),
        (WIDEN_16, Single, 8, "ldr d30, M; ushll T.4s, v30.4h, #0x0"),
        (WIDEN_8, Single, 4, "ldr s30, M; ushll T.8h, v30.8b, #0x0; ushll T.4s, T.4h, #0x0"),
        (OF_F16, Single, 8, "ldr d30, M; fcvtl T.4s, v30.4h"),
        (TO_F16, Single, 8, "fcvtn v31.4h, T.4s; str d31, M"),
        (LOAD_UPPER, Single, 8, "ldr d30, M; shll T.4s, v30.4h, #0x10"),
        (STORE_UPPER, Single, 8, "shrn v31.4h, T.4s, #0x10; str d31, M"),
        (NARROW_16, Single, 8, "xtn v31.4h, T.4s; str d31, M"),
        (NARROW_8, Single, 4, "xtn v31.4h, T.4s; xtn v31.8b, v31.8h; str s31, M"),
        (NARROW_8, Double, 2, "xtn v31.2s, T.2d; xtn v31.4h, v31.4s; xtn v31.8b, v31.8h; str h31, M"),
    ];
    let mut draw = Draw(2);
    for (inst, which, bytes, said) in rows {
        for double in sizes(which).flat_map(|double| [double; 60]) {
            let registers @ [to, a, _] = [(); 3].map(|()| register(&mut draw));
            let (rm, lines, memory) = place(&mut draw, bytes);
            let mut asm = asm(double);
            asm.emit(inst, to, a, rm);
            assert!(!asm.missing, "{said} is missing");
            let numbered = said.replace("qT", &format!("q{to}")).replace("sT", &format!("s{to}"));
            let mut all = wanted(&numbered, registers, double);
            let at = all.iter().position(|line| line.contains('M')).unwrap_or(0);
            all[at] = all[at].replace('M', &memory);
            all.splice(at..at, lines);
            assert_eq!(text(&asm.code), all, "{said}");
        }
    }
}

#[test]
fn one_number_is_repeated() {
    for (double, lanes) in [(false, "4s"), (true, "2d")] {
        let mut asm = asm(double);
        asm.emit(REPEAT, 9, 0, Rm::Element);
        asm.emit(REPEAT, 9, 0, Rm::Constants(64));
        assert_eq!(text(&asm.code), [format!("ld1r {{v9.{lanes}}}, [x6]"), "ldr q9, [x2, #0x40]".into()]);
    }
}

#[test]
fn choices_are_read_as_they_were_meant() {
    let all: [(u8, u8, u8, u8, &[&str]); 4] = [
        (1, 2, 3, 4, &["mov v1.16b, v2.16b", "bit v1.16b, v3.16b, v4.16b"]),
        (1, 1, 3, 4, &["bit v1.16b, v3.16b, v4.16b"]),
        (1, 2, 1, 4, &["bif v1.16b, v2.16b, v4.16b"]),
        (1, 2, 3, 1, &["bsl v1.16b, v3.16b, v2.16b"]),
    ];
    for (to, one, other, lanes, wanted) in all {
        let mut asm = asm(false);
        asm.blend(to, one, Rm::Vector(other), lanes);
        assert_eq!(text(&asm.code), wanted);
    }
}

#[test]
fn what_there_is_not_is_missing() {
    let long = [INT_MUL, SIGNED_MIN, UNSIGNED_MAX, FLOAT_OF_INT, INT_OF_FLOAT, SHIFT_SIGNED_RIGHT];
    let others = [RANGE, SCALE, PICK, QUARTERS, PERMUTE, PACK_32, LOAD_WHERE, BITWISE];
    let all = long.map(|inst| (inst, true)).into_iter().chain(others.map(|inst| (inst, false)));
    for (inst, double) in all {
        let mut asm = asm(double);
        asm.emit(inst, 1, 2, Rm::Vector(3));
        assert!(asm.missing, "{inst:?}");
    }
    let mut masked = asm(false);
    masked.masked(ADD, 1, 2, Rm::Vector(3), 1, false);
    assert!(masked.missing);
}

#[test]
fn what_goes_on_around_is_read_as_it_was_meant() {
    type Write = fn(&mut Asm);
    let all: [(Write, &[&str]); 12] = [
        (
            Asm::enter,
            &[
                "sub sp, sp, #0x140",
                "stp d8, d9, [sp, #0x100]",
                "stp d10, d11, [sp, #0x110]",
                "stp d12, d13, [sp, #0x120]",
                "stp d14, d15, [sp, #0x130]",
            ],
        ),
        (
            Asm::leave,
            &[
                "ldp d8, d9, [sp, #0x100]",
                "ldp d10, d11, [sp, #0x110]",
                "ldp d12, d13, [sp, #0x120]",
                "ldp d14, d15, [sp, #0x130]",
                "add sp, sp, #0x140",
                "ret",
            ],
        ),
        (Asm::rewind, &["mov x4, #0x0"]),
        (|asm| asm.address(3), &["ldr x6, [x0, #0x18]"]),
        (|asm| asm.prefetch(true, 4, 640), &["add x7, x6, x4, lsl #2", "prfm pldl1keep, [x7, #0x280]"]),
        (|asm| asm.prefetch(false, 1, 64), &["add x7, x6, x4", "prfm pldl2keep, [x7, #0x40]"]),
        (|asm| asm.keep_lanes(10, 13), &["umaxv s31, v13.4s", "fmov w10, s31"]),
        (
            |asm| asm.lanes_of_rest(9, 8),
            &["sub x12, x4, x1", "add x12, x2, x12, lsl #2", "ldr q9, [x12, #0xa0]"],
        ),
        (
            |asm| asm.load_table(Rm::Constants(128)),
            &["mov x17, #0x80", "add x17, x2, x17", "ld1 {v26.16b, v27.16b, v28.16b, v29.16b}, [x17]"],
        ),
        (
            |asm| asm.copy_rest(2, (8, 16), false),
            &[
                "add x7, x6, x4, lsl #1",
                "mov x13, sp",
                "sub x12, x1, x4",
                "mov x14, #0x10",
                "cmp x12, x14",
                "csel x12, x12, x14, lo",
                "cmp x12, #0x8",
                "b.ls $+0x14",
                "sub x12, x12, #0x1",
                "ldrh w14, [x7, x12, lsl #1]",
                "strh w14, [x13, x12, lsl #1]",
                "b $-0x14",
            ],
        ),
        (
            |asm| asm.copy_rest(1, (0, 4), true),
            &[
                "add x7, x6, x4",
                "mov x13, sp",
                "sub x12, x1, x4",
                "mov x14, #0x4",
                "cmp x12, x14",
                "csel x12, x12, x14, lo",
                "cmp x12, #0x0",
                "b.ls $+0x14",
                "sub x12, x12, #0x1",
                "ldrb w14, [x13, x12]",
                "strb w14, [x7, x12]",
                "b $-0x14",
            ],
        ),
        (
            |asm| {
                let step = |asm: &mut Asm, _: usize, _: bool| {
                    let none = asm.jump_if_none(9);
                    asm.land(none);
                    Some(())
                };
                asm.for_rows(&[(5, -70_000)], |asm| asm.looped(8, 1, step));
            },
            &[
                "mov x4, #0x0",
                "and x5, x1, #0xffffffffffffffe0",
                "cmp x4, x5",
                "b.hs $+0x14",
                "cbz x9, $+0x4",
                "add x4, x4, #0x20",
                "cmp x4, x5",
                "b.lo $-0xc",
                "and x5, x1, #0xfffffffffffffffc",
                "cmp x4, x5",
                "b.hs $+0x14",
                "cbz x9, $+0x4",
                "add x4, x4, #0x4",
                "cmp x4, x5",
                "b.lo $-0xc",
                "cmp x4, x1",
                "b.hs $+0x8",
                "cbz x9, $+0x4",
                "subs x3, x3, #0x1",
                "b.eq $+0x1c",
                "ldr x12, [x0, #0x28]",
                "mov x13, #0xffffffffffffee90",
                "movk x13, #0xfffe, lsl #16",
                "add x12, x12, x13",
                "str x12, [x0, #0x28]",
                "b $-0x64",
            ],
        ),
    ];
    for (write, wanted) in all {
        let mut asm = asm(false);
        write(&mut asm);
        assert_eq!(text(&asm.code), wanted);
        assert!(!asm.missing);
    }
}
