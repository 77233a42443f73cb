//! Odd corners of the language: modules that NVIDIA's assembler takes are parsed, printed, read
//! back the same, and lowered (PTX ISA 4, 5, 7.1, 9.7.12, 11).
//!
//! Each was shown to `ptxas` of CUDA 13 for sm_90, which found nothing wrong with it.

use warpsim::host::{Argument, Device, Launch, Simulator};
use warpsim::lower::kernels;
use warpsim::ptx::{parse, print};

const HEAD: &str = ".version 9.0\n.target sm_90\n.address_size 64\n";

/// The texts behind the head.
const ACCEPTED: &[&str] = &[
    r#".pragma "nounroll"; .visible .entry k() { .pragma "nounroll"; ret; }"#,
    r#".visible .entry k() .pragma "nounroll"; { ret; }"#,
    r#".visible .entry k() { .pragma "nounroll", "enable_smem_spilling"; ret; }"#,
    r#".visible .entry k() { .pragma "frequency 99"; L: bra.uni M; M: ret; }"#,
    r#".visible .entry k() { .reg .b32 r; .reg .b64 a; .pragma "used_bytes_mask 0x1"; ld.global.b32 r, [a]; ret; }"#,
    r#".visible .entry k() { .pragma "what is this"; ret; }"#,
    ".weak .entry k() { ret; }",
    ".entry k() { ret; }",
    ".weak .global .align 4 .u32 g = 3; .weak .func f() { ret; } .visible .entry k() { call f; ret; }",
    ".common .global .align 4 .b8 g[16]; .visible .entry k() { .reg .b32 r; ld.global.b32 r, [g]; ret; }",
    ".visible .global .align 4 .u32 g; .visible .const .align 4 .u32 c = 4; .visible .entry k() { ret; }",
    ".global .attribute(.managed) .align 4 .u32 g; .visible .entry k() { ret; }",
    ".visible .entry k() .maxntid 32 { ret; }",
    ".visible .entry k() .maxntid 8,8,2 .minnctapersm 2 .maxnreg 32 { ret; }",
    ".visible .entry k() .maxntid 16, 4 { ret; }",
    ".visible .entry k() .explicitcluster .reqnctapercluster 1,1,1 { ret; }",
    ".visible .entry k() .maxclusterrank 8 { ret; }",
    ".visible .entry k() .reqntid 32 .reqnctapercluster 1 .blocksareclusters { ret; }",
    ".visible .func f() .noreturn { exit; } .visible .entry k() { call f; ret; }",
    ".visible .func f() .noreturn; .visible .func f() .noreturn { trap; } .visible .entry k() { call f; ret; }",
    ".visible .func f() .abi_preserve 8 .abi_preserve_control 4 { ret; } .visible .entry k() { call f; ret; }",
    ".visible .func (.param .b32 r) g(.param .b32 x); .visible .func (.param .b32 r) f(.param .b32 x) { .reg .b32 a; ld.param.b32 a,[x]; st.param.b32 [r],a; ret; } .alias g, f; .visible .entry k() { .param .b32 p, q; st.param.b32 [p], 1; call (q), g, (p); ret; }",
    ".func f() { ret; } .visible .entry k() { .reg .b64 a; mov.u64 a, f; P: .callprototype _ (); call a, (), P; ret; }",
    ".func f() { ret; } .visible .entry k() { .reg .b64 a; mov.u64 a, f; P: .callprototype _; call a, P; ret; }",
    ".func (.param .b32 r) f(.param .align 8 .b8 x[16], .param .f64 y) { ret; } .visible .entry k() { .reg .b64 a; .param .b32 r; .param .align 8 .b8 x[16]; .param .f64 y; mov.u64 a, f; P: .callprototype (.param .b32 _) _ (.param .align 8 .b8 _[16], .param .f64 _); call.uni (r), a, (x, y), P; ret; }",
    ".func f() .noreturn { exit; } .visible .entry k() { .reg .b64 a; mov.u64 a, f; P: .callprototype _ () .noreturn; call a, (), P; }",
    ".func f() { ret; } .func g() { ret; } .visible .entry k() { .reg .b64 a; mov.u64 a, f; T: .calltargets f, g; call a, (), T; ret; }",
    ".visible .entry k() { .reg .b32 i; mov.u32 i, 1; T: .branchtargets A, B; brx.idx i, T; A: ret; B: ret; }",
    ".visible .entry k() { .reg .b32 i; mov.u32 i, 1; T: .branchtargets A, B, A; brx.idx.uni i, T; A: ret; B: ret; }",
    ".visible .entry k() { .reg .b64 i; mov.u64 i, 0xFFFFFFFFFFFFFFFF; mov.s64 i, -0x8000000000000000; mov.u64 i, 18446744073709551615U; mov.u64 i, 01777777777777777777777; mov.u64 i, 0b1010; mov.u64 i, (.u64)-1; mov.u64 i, (.s64)5U; ret; }",
    ".visible .entry k() { .reg .f32 f; add.f32 f, f, 1.0+2.0*3.0; mov.f32 f, 1.0/3.0; ret; }",
    ".visible .entry k() { .reg .b32 i; add.s32 i, i, -1; add.u32 i, i, 4294967295; add.s32 i, i, 0x80000000; mul.lo.u32 i, i, 0xdeadbeefU; ret; }",
    ".visible .entry k(.param .b32 a[4]) { .reg .b32 x; ld.param.b32 x, [a+12]; ld.param.b32 x, a[3]; ld.param.b32 x, [a+4*2]; ret; }",
    ".visible .entry k(.param .u64 .ptr .global .align 16 a, .param .u64 .ptr .shared b, .param .u64 .ptr c, .param .u64 .ptr .const .align 4 d) { ret; }",
    ".visible .entry k() { L: { L: bra M; M: bra N; } N: bra O; O: ret; }",
    ".visible .entry k() { .reg .b32 %r<3>; { .reg .b64 %r<2>; mov.b64 %r1, 5; { .reg .f32 %r1; mov.f32 %r1, 1.0; } } mov.b32 %r1, 5; ret; }",
    ".visible .entry k() { .reg .pred p; @p ret; @!p bra L; L: @p exit; ret; }",
    r#".file 1 "a.cu", 1234567, 89
.file 2 "dir with space/b.cuh"
.visible .entry k() { .loc 1 5 3 ret; }"#,
    ".section .debug_abbrev { .b8 1, 2
.b16 3
.b32 .debug_info
.b64 L+4
L:
.b8 0x10 }
.visible .entry k() { ret; }",
    ".visible .entry $k_1$() { .reg .b32 %_x, _y, $z; mov.b32 %_x, 1; ret; }",
    ".visible .entry k() { .reg .u32 x; add.u32 x,x,WARP_SZ; mov.u32 x, WARP_SZ-1; ret; }",
    ".const .f32 c[] = {1.0, 2.0}; .global .v4 .f32 v = {1.0,2.0,3.0,4.0}; .global .v2 .u8 w[2] = {{1,2},{3,4}}; .global .b8 s[] = {104,105,0}; .visible .entry k() { ret; }",
    ".global .u32 a[2][3] = {{1,2,3},{4,5,6}}; .global .u64 p = a; .global .u64 q = a+4; .global .u64 r = generic(a)+8; .global .u32 b = 1+2*3; .visible .entry k() { ret; }",
    ".visible .entry k() { .reg .b32 a; .reg .pred p, q; setp.eq.u32 p|q, a, 1; setp.eq.and.u32 p|_, a, 1, !q; selp.b32 a, a, 0, p; @!q mov.b32 a, 1; ret; }",
    ".visible .entry k() { .reg .b64 a; mov.u64 a, k; ret; }",
    ".visible .entry k() { .reg .b32 a; cvt.u32.u16 a, 5; ret; }",
    ".visible .entry k() { .local .align 4 .b8 __local_depot0[16]; .reg .b64 %SP, %SPL; mov.u64 %SPL, __local_depot0; cvta.local.u64 %SP, %SPL; ret; }",
    ".visible .entry k() { bra 	L;
L:
	ret; }",
    ".extern .shared .align 16 .b8 dyn[]; .visible .entry k() { .reg .b32 a; mov.b32 a, dyn+16; ret; }",
];

/// A module of the text, with a place for its variables and functions.
fn lowered(text: &str) -> Result<(), String> {
    let module = parse("corner.ptx", text).map_err(|error| error.to_string())?;
    let printed = print(&module);
    let again = parse("printed.ptx", &printed).map_err(|error| format!("printed: {error}"))?;
    if print(&again) != printed {
        return Err("it prints differently the second time".to_owned());
    }
    let mut gpu = Simulator::default();
    let loaded = gpu.load(&module).map_err(|error| error.to_string())?;
    for kernel in kernels(&module) {
        gpu.program(loaded, kernel).map_err(|error| error.to_string())?;
    }
    Ok(())
}

#[test]
fn what_the_assembler_takes_is_read_printed_and_lowered() {
    assert!(ACCEPTED.len() > 40);
    let texts = ACCEPTED.iter().map(|text| format!("{HEAD}{text}\n"));
    let wrong: Vec<String> = texts
        .filter_map(|text| lowered(&text).err().map(|error| format!("{text}: {error}")))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A line of a mebibyte, an expression of ten thousand terms, and numbers at the ends of their
/// ranges.
#[test]
fn long_lines_and_long_expressions_are_read() {
    let blanks = " ".repeat(1 << 20);
    let sum = vec!["1"; 10_000].join("+");
    let body = format!(
        ".reg .b32 %r; .reg .b64 %d;{blanks}mov.u32 %r, {sum}; mov.u64 %d, 0xffffffffffffffff; \
         mov.s64 %d, -0x8000000000000000; mov.u64 %d, 01777777777777777777777; ret;"
    );
    let text = format!("{HEAD}.visible .entry k() {{ {body} }}\n");
    lowered(&text).unwrap();
    let module = parse("long.ptx", &text).unwrap();
    assert!(print(&module).contains("10000"), "the sum is folded");
}

/// Predicates may be passed and given back where no calling convention forbids it: `.reg` of a
/// function is of any type (PTX ISA 7.1), though NVIDIA's assembler makes no code for it with its
/// own.
#[test]
fn predicates_are_parameters_and_results() {
    let text = format!(
        "{HEAD}.func (.reg .pred r, .reg .b32 s) between(.reg .b32 x, .reg .pred p) {{
           .reg .pred q; setp.gt.u32 q, x, 0; setp.ne.and.u32 r, x, 4, q; selp.b32 s, 20, 10, p; ret; }}
         .visible .entry k(.param .u64 out) {{
           .reg .pred %p<3>; .reg .b32 %r<3>; .reg .b64 %d<3>;
           ld.param.u64 %d1, [out]; mov.u32 %r1, %tid.x; mad.wide.u32 %d1, %r1, 4, %d1;
           setp.gt.u32 %p1, %r1, 2; setp.lt.and.u32 %p1, %r1, 7, %p1;
           call (%p2, %r2), between, (%r1, %p1);
           @%p2 add.u32 %r2, %r2, 1;
           st.global.u32 [%d1], %r2; ret; }}"
    );
    let mut gpu = Simulator::default();
    let module = gpu.load(&parse("k.ptx", &text).unwrap()).unwrap();
    let out = gpu.allocate(32).unwrap();
    gpu.launch(module, "k", &Launch::new(1, 8), &[Argument::Pointer(out)]).unwrap();
    let mut bytes = [0; 32];
    gpu.download(out, &mut bytes).unwrap();
    let words: Vec<u32> =
        bytes.chunks(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect();
    assert_eq!(words, [10, 11, 11, 21, 20, 21, 21, 11]);
}
