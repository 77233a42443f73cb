//! Modules of several files, and launches that pass structs or synchronise a grid: the GPU and its
//! stand-in both run them.

use warpsim::host::{Argument, Device, Launch, Pointer};
use warpsim::ptx::{self, LinkError, Module};
use warpsim::report::Outcome;

/// A kernel that adds with a function of another file to a variable of it. Both have their own
/// `step`.
const MAIN: &str = ".version 7.0\n.target sm_70\n.address_size 64
    .extern .global .u32 total;
    .extern .func add(.param .b64 sum, .param .b32 value);
    .weak .func (.param .b32 r) which() { st.param.b32 [r], 1; ret; }
    .common .global .u32 shared_by_both[2];
    .global .u32 step = 2;
    .visible .entry sum(.param .u64 out)
    {
      .reg .b32 %i, %s; .reg .b64 %a, %o;
      mov.u32 %i, %tid.x;
      ld.global.u32 %s, [step]; mul.lo.u32 %s, %s, %i;
      cvta.global.u64 %a, total;
      { .param .b64 p0; .param .b32 p1; st.param.b64 [p0], %a; st.param.b32 [p1], %s;
        call.uni add, (p0, p1); }
      bar.sync 0;
      ld.param.u64 %o, [out]; mul.wide.u32 %a, %i, 4; add.s64 %o, %o, %a;
      ld.global.u32 %s, [total]; st.global.u32 [%o], %s;
      ld.global.u32 %s, [shared_by_both+4]; st.global.u32 [%o+16], %s;
      { .param .b32 q; call.uni (q), which; ld.param.b32 %s, [q]; }
      st.global.u32 [%o+32], %s;
      ret;
    }";

const LIBRARY: &str = ".version 7.1\n.target sm_75\n.address_size 64
    .visible .global .u32 total = 5;
    .visible .global .u32 shared_by_both[2] = {8, 9};
    .global .u32 step = 100;
    .visible .func (.param .b32 r) which() { st.param.b32 [r], 2; ret; }
    .visible .func add(.param .b64 sum, .param .b32 value)
    {
      .reg .b32 %v, %s; .reg .b64 %a;
      ld.param.u64 %a, [sum]; ld.param.u32 %v, [value];
      ld.global.u32 %s, [step]; add.u32 %v, %v, %s; sub.u32 %v, %v, 100;
      red.add.u32 [%a], %v;
      ret;
    }";

/// Both files.
pub(crate) fn linked() -> Result<Module, Box<LinkError>> {
    ptx::link(&[("main.ptx", MAIN.as_bytes()), ("library.ptx", LIBRARY.as_bytes())])
}

/// The first file with one that defines nothing of what it declares, which warpsim refuses where it
/// is launched.
pub(crate) fn unresolved() -> Result<Module, Box<LinkError>> {
    let other = ".version 7.0\n.target sm_70\n.address_size 64\n.visible .func nothing() { ret; }";
    ptx::link(&[("main.ptx", MAIN.as_bytes()), ("other.ptx", other.as_bytes())])
}

/// What four threads of it leave: the sum of 0, 2, 4 and 6 and the 5 that was there, the second
/// word of the variable that only one file initialises, and the number of the function that is not
/// weak.
pub(crate) fn runs_linked(gpu: &mut dyn Device) -> Result<(), Box<dyn std::error::Error>> {
    let module = gpu.load(&linked()?)?;
    let out = gpu.allocate(48)?;
    let report = gpu.launch(module, "sum", &Launch::new(1, 4), &[Argument::Pointer(out)])?;
    let found = (report.outcome, words(gpu, out, 12)?);
    let (total, bytes) = gpu.variable(module, "total")?;
    let total = (bytes, words(gpu, total, 1)?);
    let rows = [[17; 4], [9; 4], [2; 4]].concat();
    same(&(found, total), &((Outcome::Completed, rows), (4, vec![17])))
}

/// `struct { unsigned *from; unsigned n; unsigned *to; }`, by value.
const STRUCTS: &str = ".version 7.0\n.target sm_70\n.address_size 64
    .visible .entry twice(.param .align 8 .b8 s[24])
    {
      .reg .b64 %f, %t, %o; .reg .b32 %i, %n, %v; .reg .pred %p;
      ld.param.u64 %f, [s]; ld.param.u32 %n, [s+8]; ld.param.u64 %t, [s+16];
      mov.u32 %i, %tid.x; setp.ge.u32 %p, %i, %n; @%p ret;
      mul.wide.u32 %o, %i, 4; add.s64 %f, %f, %o; add.s64 %t, %t, %o;
      ld.global.u32 %v, [%f]; shl.b32 %v, %v, 1; st.global.u32 [%t], %v;
      ret;
    }";

/// Three of four numbers are doubled through pointers in a struct.
pub(crate) fn runs_structs(gpu: &mut dyn Device) -> Result<(), Box<dyn std::error::Error>> {
    let module = gpu.load(&ptx::parse("structs.ptx", STRUCTS)?)?;
    let (from, to) = (gpu.allocate(16)?, gpu.allocate(16)?);
    let bytes: Vec<u8> = [3_u32, 5, 7, 9].iter().flat_map(|word| word.to_le_bytes()).collect();
    gpu.upload(from, &bytes)?;
    gpu.upload(to, &[0; 16])?;
    let argument = of_structs(from, to);
    let report = gpu.launch(module, "twice", &Launch::new(1, 4), &[argument])?;
    let found = (report.outcome, words(gpu, to, 4)?);
    same(&found, &(Outcome::Completed, vec![6, 10, 14, 0]))
}

/// The argument of [`runs_structs`].
pub(crate) fn of_structs(from: Pointer, to: Pointer) -> Argument {
    let pointers = [(0, Argument::Pointer(from)), (16, Argument::Pointer(to))];
    Argument::structure(24, pointers.into_iter().chain([(8, Argument::U32(3))]))
}

/// As compilers write `grid.sync()`, with what CUDA's device runtime library defines of it.
const COOPERATIVE: &str = ".version 7.0\n.target sm_70\n.address_size 64
    .extern .func (.param .b64 r) cudaCGGetIntrinsicHandle(.param .b32 scope);
    .extern .func (.param .b32 r) cudaCGSynchronize(.param .b64 handle, .param .b32 flags);
    .visible .entry turns(.param .u64 cells, .param .u64 out, .param .u32 rounds)
    {
      .reg .b64 %c, %o, %h, %a; .reg .b32 %b, %n, %r, %next, %v, %k; .reg .pred %p;
      ld.param.u64 %c, [cells]; ld.param.u64 %o, [out]; ld.param.u32 %k, [rounds];
      mov.u32 %b, %ctaid.x; mov.u32 %n, %nctaid.x; mov.u32 %r, 0;
      { .param .b32 p; .param .b64 q; st.param.b32 [p], 1;
        call.uni (q), cudaCGGetIntrinsicHandle, (p); ld.param.b64 %h, [q]; }
    again:
      // Each block writes its own cell, all wait, and each adds that of the next.
      mad.lo.u32 %v, %r, 100, %b; mul.wide.u32 %a, %b, 4; add.s64 %a, %c, %a;
      st.global.u32 [%a], %v;
      { .param .b64 p0; .param .b32 p1; .param .b32 q; st.param.b64 [p0], %h; st.param.b32 [p1], 0;
        call.uni (q), cudaCGSynchronize, (p0, p1); ld.param.b32 %v, [q]; }
      add.u32 %next, %b, 1; rem.u32 %next, %next, %n; mul.wide.u32 %a, %next, 4;
      add.s64 %a, %c, %a; ld.global.u32 %v, [%a];
      mul.wide.u32 %a, %b, 4; add.s64 %a, %o, %a; red.global.add.u32 [%a], %v;
      { .param .b64 p0; .param .b32 p1; .param .b32 q; st.param.b64 [p0], %h; st.param.b32 [p1], 0;
        call.uni (q), cudaCGSynchronize, (p0, p1); ld.param.b32 %v, [q]; }
      add.u32 %r, %r, 1; setp.lt.u32 %p, %r, %k; @%p bra again;
      ret;
    }";

/// 60 blocks, 20 times: a block reads what the next one has written in that round.
pub(crate) fn runs_cooperative(gpu: &mut dyn Device) -> Result<(), Box<dyn std::error::Error>> {
    const BLOCKS: u32 = 60;
    const ROUNDS: u32 = 20;
    let module = gpu.load(&ptx::link(&[("turns.ptx", COOPERATIVE.as_bytes())])?)?;
    let bytes = u64::from(4 * BLOCKS);
    let (cells, out) = (gpu.allocate(bytes)?, gpu.allocate(bytes)?);
    gpu.upload(out, &vec![0; 4 * BLOCKS as usize])?;
    let arguments = [Argument::Pointer(cells), Argument::Pointer(out), Argument::U32(ROUNDS)];
    let launch = Launch { cooperative: true, ..Launch::new(BLOCKS, 1) };
    let report = gpu.launch(module, "turns", &launch, &arguments)?;
    let found = (report.outcome, words(gpu, out, BLOCKS as usize)?);
    // The hundreds of all rounds, and the number of the next block in each.
    let hundreds = 100 * (ROUNDS * (ROUNDS - 1) / 2);
    let expected = (0..BLOCKS).map(|block| hundreds + ROUNDS * ((block + 1) % BLOCKS));
    same(&found, &(Outcome::Completed, expected.collect()))
}

fn words(
    gpu: &mut dyn Device,
    from: Pointer,
    count: usize,
) -> Result<Vec<u32>, Box<dyn std::error::Error>> {
    let mut bytes = vec![0; 4 * count];
    gpu.download(from, &mut bytes)?;
    Ok(bytes.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)).collect())
}

fn same<T: PartialEq + std::fmt::Debug>(
    found: &T,
    expected: &T,
) -> Result<(), Box<dyn std::error::Error>> {
    if found == expected { Ok(()) } else { Err(format!("{found:?}, not {expected:?}").into()) }
}
