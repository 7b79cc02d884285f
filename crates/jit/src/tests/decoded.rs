//! A disassembler reads what was asked for: every instruction with random registers and places, in both encodings, and
//! those that are no instructions of vectors. What whole loops compute is tested in `kernels`, where tiles are.

use super::Draw;
use crate::asm::*;
use iced_x86::{Decoder, DecoderOptions, Formatter, Instruction, NasmFormatter};

/// How operands are written.
#[derive(Clone, Copy, PartialEq)]
enum Shape {
    /// The result, and the last operand.
    One,
    /// The result, the first and the last operand.
    Two,
    /// The last operand, and what is stored there.
    Store,
    /// What is stored where the first operand says.
    StoreWhere,
    /// The first operand's place is the result's, and the result's says which shift.
    Shift,
}

use Shape::{One, Shift, Store, StoreWhere, Two};

/// An instruction with its names for lanes of 32 bits and of 64, where it has them.
struct Row {
    inst: Inst,
    names: [&'static str; 2],
    shape: Shape,
    imm: bool,
    /// Kinds of registers of the result and the last operand, if they are not whole vectors.
    kinds: [&'static str; 2],
}

fn row(inst: Inst, single: &'static str, double: &'static str, shape: Shape) -> Row {
    Row { inst, names: [single, double], shape, imm: false, kinds: ["v", "v"] }
}

impl Row {
    fn imm(self) -> Row {
        Row { imm: true, ..self }
    }

    fn kinds(self, to: &'static str, last: &'static str) -> Row {
        Row { kinds: [to, last], ..self }
    }
}

/// What both sets have under one name.
fn of_both() -> Vec<Row> {
    vec![
        row(LOAD, "vmovups", "vmovupd", One),
        row(STORE, "vmovups", "vmovupd", Store),
        row(STORE_PAST_CACHES, "vmovntps", "vmovntpd", Store),
        row(MOVE, "vmovaps", "vmovapd", One),
        row(REPEAT, "vbroadcastss", "vbroadcastsd", One).kinds("v", "x"),
        row(ADD, "vaddps", "vaddpd", Two),
        row(SUB, "vsubps", "vsubpd", Two),
        row(MUL, "vmulps", "vmulpd", Two),
        row(DIV, "vdivps", "vdivpd", Two),
        row(MIN_OR_SECOND, "vminps", "vminpd", Two),
        row(MAX_OR_SECOND, "vmaxps", "vmaxpd", Two),
        row(SQRT, "vsqrtps", "vsqrtpd", One),
        row(FMA_213, "vfmadd213ps", "vfmadd213pd", Two),
        row(FMA_231, "vfmadd231ps", "vfmadd231pd", Two),
        row(FMS_231, "vfmsub231ps", "vfmsub231pd", Two),
        row(FNMA_231, "vfnmadd231ps", "vfnmadd231pd", Two),
        row(FNMA_213, "vfnmadd213ps", "vfnmadd213pd", Two),
        row(SHIFT_LEFT, "vpsllvd", "vpsllvq", Two),
        row(SHIFT_RIGHT, "vpsrlvd", "vpsrlvq", Two),
        row(INT_ADD, "vpaddd", "vpaddq", Two),
        row(INT_SUB, "vpsubd", "vpsubq", Two),
        row(INT_MUL, "vpmulld", "", Two),
        row(SIGNED_MIN, "vpminsd", "", Two),
        row(SIGNED_MAX, "vpmaxsd", "", Two),
        row(UNSIGNED_MIN, "vpminud", "", Two),
        row(UNSIGNED_MAX, "vpmaxud", "", Two),
        row(SHIFT_SIGNED_RIGHT, "vpsravd", "", Two),
        row(FLOAT_OF_INT, "vcvtdq2ps", "", One),
        row(WITHIN_QUARTERS, "vpermilps", "", One).imm(),
        row(SHIFTS, "vpslld", "vpsllq", Shift).imm(),
    ]
}

fn of_avx2() -> Vec<Row> {
    vec![
        row(COMPARE, "vcmpltps", "vcmpltpd", Two).imm(),
        row(TO_WHOLE, "vroundps", "vroundpd", One).imm(),
        row(AND, "vpand", "vpand", Two),
        row(OR, "vpor", "vpor", Two),
        row(XOR, "vpxor", "vpxor", Two),
        row(BLEND, "vblendvps", "vblendvpd", Two).imm(),
        row(INT_EQUAL, "vpcmpeqd", "vpcmpeqq", Two),
        row(INT_GREATER, "vpcmpgtd", "vpcmpgtq", Two),
        row(LOAD_WHERE, "vmaskmovps", "vmaskmovpd", Two).kinds("v", "memory"),
        row(STORE_WHERE, "vmaskmovps", "vmaskmovpd", StoreWhere).kinds("v", "memory"),
        row(PERMUTE, "vpermps", "", Two),
        row(PERMUTE_64, "vpermq", "vpermq", One).imm(),
        row(PACK_32, "vpackusdw", "vpackusdw", Two),
        row(PACK_16, "vpackuswb", "vpackuswb", Two),
        row(PICK_BYTES, "vpshufb", "vpshufb", Two).kinds("x", "x"),
        row(STORE_HALF, "vmovups", "vmovups", Store).kinds("x", "memory"),
        row(STORE_64, "vmovq", "vmovq", Store).kinds("x", "memory"),
        row(STORE_32, "vmovd", "vmovd", Store).kinds("x", "memory"),
        row(OF_REGISTER, "vmovd", "vmovd", One).kinds("x", "general"),
        row(REPEAT_FIRST, "vpbroadcastd", "", One).kinds("v", "x"),
        row(BITS_OF_LANES, "vmovmskps", "", One).kinds("general", "y"),
        row(INT_OF_FLOAT, "vcvttps2dq", "", One),
        row(WIDEN_16, "vpmovzxwd", "", One).kinds("v", "x"),
        row(WIDEN_8, "vpmovzxbd", "vpmovzxbq", One).kinds("v", "x"),
        row(WIDEN_SIGNED_8, "vpmovsxbd", "", One).kinds("v", "x"),
        row(WIDEN_SIGNED_16, "vpmovsxwd", "", One).kinds("v", "x"),
        row(OF_F16, "vcvtph2ps", "", One).kinds("v", "x"),
        row(TO_F16, "vcvtps2ph", "", Store).imm().kinds("v", "x"),
        row(REPEAT_16, "vpbroadcastw", "", One).kinds("v", "x"),
        row(STORE_ONE, "vmovss", "", Store).kinds("x", "memory"),
    ]
}

fn of_avx512() -> Vec<Row> {
    vec![
        row(COMPARE, "vcmpltps", "vcmpltpd", Two).imm().kinds("k", "v"),
        row(COMPARE_SIGNED, "vpcmpltd", "vpcmpltq", Two).imm().kinds("k", "v"),
        row(COMPARE_UNSIGNED, "vpcmpltud", "vpcmpltuq", Two).imm().kinds("k", "v"),
        row(TEST, "vptestmd", "vptestmq", Two).kinds("k", "v"),
        row(LANES_OF_MASK, "vpmovm2d", "vpmovm2q", One).kinds("v", "k"),
        row(TO_WHOLE, "vrndscaleps", "vrndscalepd", One).imm(),
        row(AND, "vpandd", "vpandq", Two),
        row(OR, "vpord", "vporq", Two),
        row(XOR, "vpxord", "vpxorq", Two),
        row(BITWISE, "vpternlogd", "vpternlogq", Two).imm(),
        row(RANGE, "vrangeps", "vrangepd", Two).imm(),
        row(SCALE, "vscalefps", "vscalefpd", Two),
        row(EXPONENT, "vgetexpps", "vgetexppd", One),
        row(FRACTION, "vgetmantps", "vgetmantpd", One).imm(),
        row(BY_KIND, "vfixupimmps", "vfixupimmpd", Two).imm(),
        row(PICK, "vpermt2ps", "vpermt2pd", Two),
        row(PICK_16, "vpermw", "vpermw", Two),
        row(QUARTERS, "vshuff32x4", "", Two).imm(),
        row(INT_MUL, "", "vpmullq", Two),
        row(SIGNED_MIN, "", "vpminsq", Two),
        row(SHIFT_SIGNED_RIGHT, "", "vpsravq", Two),
        row(DOUBLE_OF_INT, "vcvtdq2pd", "vcvtqq2pd", One).kinds("v", "half"),
        row(DOUBLE_OF_UNSIGNED, "vcvtudq2pd", "vcvtuqq2pd", One).kinds("v", "half"),
        row(FLOAT_OF_UNSIGNED, "vcvtudq2ps", "", One),
        row(OTHER_FLOAT, "vcvtps2pd", "", One).kinds("v", "y"),
        row(OTHER_FLOAT, "", "vcvtpd2ps", One).kinds("y", "v"),
        row(WIDEN_SIGNED, "vpmovsxdq", "", One).kinds("v", "y"),
        row(WIDEN_UNSIGNED, "vpmovzxdq", "", One).kinds("v", "y"),
        row(NARROW_64, "vpmovqd", "", Store).kinds("v", "y"),
        row(NARROW_16, "vpmovdw", "", Store).kinds("v", "y"),
        row(NARROW_8, "vpmovdb", "vpmovqb", Store).kinds("v", "x"),
        row(WIDEN_16, "vpmovzxwd", "", One).kinds("v", "y"),
        row(WIDEN_8, "vpmovzxbd", "vpmovzxbq", One).kinds("v", "x"),
        row(WIDEN_SIGNED_8, "vpmovsxbd", "", One).kinds("v", "x"),
        row(WIDEN_SIGNED_16, "vpmovsxwd", "", One).kinds("v", "y"),
        row(OF_F16, "vcvtph2ps", "", One).kinds("v", "y"),
        row(TO_F16, "vcvtps2ph", "", Store).imm().kinds("v", "y"),
        row(REPEAT_16, "vpbroadcastw", "", One).kinds("v", "x"),
        row(REPEAT_REGISTER, "vpbroadcastd", "", One).kinds("v", "general"),
        row(HALF, "vextractf32x8", "", Store).imm().kinds("v", "y"),
        row(JOIN, "vinsertf32x8", "", Two).imm().kinds("v", "y"),
        row(STORE_ONE, "vmovss", "", Store).kinds("x", "memory"),
    ]
}

const GENERAL: [&str; 16] = [
    "eax", "ecx", "edx", "ebx", "esp", "ebp", "esi", "edi", "r8d", "r9d", "r10d", "r11d", "r12d", "r13d",
    "r14d", "r15d",
];

fn register(target: Target, kind: &str, number: u8) -> String {
    let whole = if target == Target::Avx2 { "y" } else { "z" };
    match kind {
        "v" | "half" => format!("{whole}mm{number}"),
        "general" => GENERAL[usize::from(number)].to_string(),
        "k" => format!("k{number}"),
        kind => format!("{kind}mm{number}"),
    }
}

/// A place in memory and its text.
fn place(draw: &mut Draw, target: Target, double: bool, one: bool) -> (Rm, String) {
    let at = (draw.below(1 << 16) * 4) as i32 + 4096;
    let plain = |text: String| format!("[{text}]");
    match draw.below(if one { 4 } else { 3 }) {
        0 => {
            let (width, from) = ([1, 2, 4, 8][draw.below(4)], draw.below(100) as u8);
            let scale = if width == 1 { String::new() } else { format!("*{width}") };
            let distance = width * i32::from(from);
            let distance = if distance == 0 { "+0".to_string() } else { format!("+{distance:X}h") };
            (Rm::Stream(width as u8, from), plain(format!("rax+rcx{scale}{}", short(&distance))))
        }
        1 if target == Target::Avx2 => {
            (Rm::Before(at), plain(format!("rdx+r8*{}+{at:X}h", if double { 8 } else { 4 })))
        }
        2 if target == Target::Avx2 => {
            let bytes = draw.below(64) as i32;
            (Rm::Aside(bytes), plain(format!("rsp-{}", short(&format!("{:X}h", 64 - bytes)))))
        }
        3 if target == Target::Avx512 => {
            (Rm::Constant(at), format!("[rdx+{at:X}h]{{1to{}}}", if double { 8 } else { 16 }))
        }
        3 => (Rm::Constant(at), plain(format!("rdx+{at:X}h"))),
        _ => (Rm::Constants(at), plain(format!("rdx+{at:X}h"))),
    }
}

/// Small distances are written as one digit.
fn short(distance: &str) -> String {
    let value = i64::from_str_radix(distance.trim_start_matches('+').trim_end_matches('h'), 16).unwrap_or(0);
    let sign = if distance.starts_with('+') { "+" } else { "" };
    if value < 10 { format!("{sign}{value}") } else { distance.to_string() }
}

fn text(bytes: &[u8]) -> Vec<String> {
    let mut decoder = Decoder::with_ip(64, bytes, 0, DecoderOptions::NONE);
    let mut formatter = NasmFormatter::new();
    let options = formatter.options_mut();
    options.set_memory_size_options(iced_x86::MemorySizeOptions::Never);
    options.set_show_zero_displacements(true);
    options.set_add_leading_zero_to_hex_numbers(false);
    options.set_use_pseudo_ops(true);
    let mut found = Vec::new();
    let mut instruction = Instruction::default();
    while decoder.can_decode() {
        decoder.decode_out(&mut instruction);
        let mut line = String::new();
        formatter.format(&instruction, &mut line);
        found.push(line);
    }
    found
}

/// One instruction with random operands: what was asked for, and what is read.
fn one(row: &Row, target: Target, double: bool, draw: &mut Draw) -> (String, Vec<String>) {
    let mut asm = Asm::new(target, double, false);
    let registers = usize::from(target.registers());
    let number = |draw: &mut Draw, kind: &str| match kind {
        "k" => 1 + draw.below(7) as u8,
        "general" => draw.below(16) as u8,
        _ => draw.below(registers) as u8,
    };
    let [kind, last_kind] = row.kinds;
    let last_kind = match (last_kind, double) {
        ("half", true) => "v",
        ("half", false) => "y",
        (kind, _) => kind,
    };
    let (to, a) = (number(draw, kind), number(draw, "v"));
    let in_memory = match (row.shape, last_kind) {
        (_, "memory") => true,
        (_, "k" | "general") | (Shift, _) => false,
        (Store, "v") => true,
        _ => kind != "general" && draw.below(2) == 0,
    };
    let wide = row.shape == Two && last_kind == "v" && ![PICK_16, LOAD_WHERE].contains(&row.inst);
    let (rm, last) = if in_memory {
        place(draw, target, double, wide)
    } else {
        let number = number(draw, last_kind);
        (Rm::Vector(number), register(target, last_kind, number))
    };
    let imm = if row.names[0].starts_with("vcmplt") { 0x11 } else { 1 };
    let imm = if row.inst == BLEND { number(draw, "v") << 4 } else { imm };
    asm.emit(
        row.inst,
        if row.shape == Shift { 6 } else { to },
        if row.shape == One || row.shape == Store { 0 } else { a },
        rm,
    );
    if row.imm {
        asm.code.push(imm);
    }
    assert!(!asm.missing, "{} is missing", row.names[0]);
    let first_kind = if kind == "x" { "x" } else { "v" };
    let [to, a] = [register(target, kind, to), register(target, first_kind, a)];
    let mut operands = match row.shape {
        One => vec![to, last],
        Two => vec![to, a, last],
        Store => vec![last, to],
        StoreWhere => vec![last, a, to],
        Shift => vec![a, last],
    };
    if row.inst == BLEND {
        operands.push(register(target, "v", imm >> 4));
    } else if row.imm && !row.names[usize::from(double)].contains("cmplt") {
        operands.push(imm.to_string());
    }
    let name = match row.names[0] {
        "vcmpltps" if double => "vcmplt_oqpd",
        "vcmpltps" => "vcmplt_oqps",
        _ => row.names[usize::from(double)],
    };
    (format!("{name} {}", operands.join(",")), text(&asm.code))
}

#[test]
fn masks_are_read_as_they_were_asked_for() {
    let mut draw = Draw(2);
    for _ in 0..200 {
        let mut asm = Asm::new(Target::Avx512, false, false);
        let [to, a, b] = [(); 3].map(|()| draw.below(32) as u8);
        let (mask, zero) = (1 + draw.below(7) as u8, draw.below(2) == 0);
        asm.masked(ADD, to, a, Rm::Vector(b), mask, zero);
        let zeros = if zero { "{z}" } else { "" };
        assert_eq!(text(&asm.code), [format!("vaddps zmm{to}{{k{mask}}}{zeros},zmm{a},zmm{b}")]);
    }
}

#[test]
fn other_instructions_are_read_as_they_were_meant() {
    type Write = fn(&mut Asm);
    let all: [(Write, &[&str]); 14] = [
        (Asm::enter, &["push rbx"]),
        (Asm::leave, &["vzeroupper", "pop rbx", "ret"]),
        (Asm::rewind, &["xor ecx,ecx"]),
        (|asm| asm.address(3), &["mov rax,[rdi+18h]"]),
        (|asm| asm.prefetch(true, 4, 640), &["prefetcht0 [rax+rcx*4+280h]"]),
        (|asm| asm.prefetch(false, 2, 64), &["prefetcht1 [rax+rcx*2+40h]"]),
        (|asm| asm.fill_mask(6), &["kxnorw k6,k6,k6"]),
        (|asm| asm.drop_lanes(7, 2), &["kandnw k7,k2,k7"]),
        (|asm| asm.flip_mask(6), &["knotw k6,k6"]),
        (|asm| asm.keep_mask(10, 2), &["kmovw r10d,k2"]),
        (|asm| asm.keep_lanes(9, 13), &["vmovmskps r9d,ymm13"]),
        (|asm| asm.lanes_of_rest(9, 8), &["mov r8,rcx", "sub r8,rsi", "vmovups ymm9,[rdx+r8*4+A0h]"]),
        (
            |asm| asm.copy_rest(2, (8, 16), false),
            &[
                "lea rax,[rax+rcx*2]",
                "mov r8,rsi",
                "sub r8,rcx",
                "cmp r8,10h",
                "jle short 0000000000000016h",
                "mov r8d,10h",
                "cmp r8,8",
                "jle near 0000000000000034h",
                "dec r8",
                "movzx ebx,[rax+r8*2+0]",
                "mov [rsp+r8*2-40h],bx",
                "jmp 0000000000000016h",
            ],
        ),
        (
            |asm| asm.copy_rest(1, (0, 8), true),
            &[
                "lea rax,[rax+rcx]",
                "mov r8,rsi",
                "sub r8,rcx",
                "cmp r8,8",
                "jle short 0000000000000016h",
                "mov r8d,8",
                "cmp r8,0",
                "jle near 0000000000000033h",
                "dec r8",
                "movzx ebx,[rsp+r8-40h]",
                "mov [rax+r8+0],bl",
                "jmp 0000000000000016h",
            ],
        ),
    ];
    for (write, wanted) in all {
        let target = if wanted[0].starts_with('k') { Target::Avx512 } else { Target::Avx2 };
        let mut asm = Asm::new(target, false, false);
        write(&mut asm);
        assert_eq!(text(&asm.code), wanted);
    }
}

#[test]
fn a_disassembler_reads_what_was_asked_for() {
    let (mut draw, mut wrong) = (Draw(1), Vec::new());
    for target in [Target::Avx2, Target::Avx512] {
        let own = if target == Target::Avx2 { of_avx2() } else { of_avx512() };
        let sides = of_both()
            .into_iter()
            .chain(own)
            .flat_map(|row| [false, true].map(|double| (row.again(), double)));
        for (row, double) in sides.filter(|(row, double)| !row.names[usize::from(*double)].is_empty()) {
            for _ in 0..40 {
                let (wanted, found) = one(&row, target, double, &mut draw);
                if found != [wanted.clone()] {
                    wrong.push(format!("{target:?}: {found:?}, not {wanted}"));
                    break;
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

impl Row {
    fn again(&self) -> Row {
        Row { ..*self }
    }
}
