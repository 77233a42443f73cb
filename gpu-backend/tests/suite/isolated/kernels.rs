//! The kernels of these tests.

use warpsim::ptx::{Module, parse};

const HEAD: &str = ".version 7.0\n.target sm_70\n.address_size 64\n";

fn module(name: &str, text: &str) -> Module {
    parse(name, &format!("{HEAD}{text}")).expect("it is valid PTX")
}

/// `increment(p)`: each thread adds 1 to its word.
pub(crate) fn increment() -> Module {
    module(
        "increment.ptx",
        ".visible .entry increment(.param .u64 p) {
            .reg .u64 %a, %o; .reg .u32 %t, %v;
            ld.param.u64 %a, [p];
            mov.u32 %t, %tid.x;
            mul.wide.u32 %o, %t, 4;
            add.u64 %a, %a, %o;
            ld.global.u32 %v, [%a];
            add.u32 %v, %v, 1;
            st.global.u32 [%a], %v;
            ret;
        }",
    )
}

/// `empty()`.
pub(crate) fn empty() -> Module {
    module("empty.ptx", ".visible .entry empty() { ret; }")
}

/// `endless()`: a loop without an end.
pub(crate) fn endless() -> Module {
    module("endless.ptx", ".visible .entry endless() { again: bra again; }")
}

/// `stray()`: writes to an address where nothing is.
pub(crate) fn stray() -> Module {
    module(
        "stray.ptx",
        ".visible .entry stray() { .reg .u64 %a; mov.u64 %a, 64; st.global.u32 [%a], 7; ret; }",
    )
}

/// `stuck()`: lane 0 waits at a barrier that the rest of its warp, at another one, never reaches.
pub(crate) fn stuck() -> Module {
    module(
        "stuck.ptx",
        ".visible .entry stuck() {
            .reg .pred %p; .reg .u32 %t;
            mov.u32 %t, %tid.x;
            setp.eq.u32 %p, %t, 0;
            @%p bra other;
            bar.sync 1, 64;
            ret;
        other:
            bar.sync 2, 64;
            ret;
        }",
    )
}

/// `all(out, ...)`: stores one argument of each kind, one after the other, at `out`.
pub(crate) fn arguments() -> Module {
    module(
        "arguments.ptx",
        ".visible .entry all(.param .u64 out, .param .u8 a, .param .s16 b, .param .u32 c,
                             .param .s64 d, .param .f32 e, .param .f64 f,
                             .param .align 4 .b8 g[4]) {
            .reg .u64 %o, %l; .reg .u32 %r; .reg .u16 %h; .reg .f32 %f; .reg .f64 %d;
            ld.param.u64 %o, [out];
            ld.param.u8 %h, [a];  st.global.u8 [%o], %h;
            ld.param.u16 %h, [b]; st.global.u16 [%o+2], %h;
            ld.param.u32 %r, [c]; st.global.u32 [%o+4], %r;
            ld.param.u64 %l, [d]; st.global.u64 [%o+8], %l;
            ld.param.f32 %f, [e]; st.global.f32 [%o+16], %f;
            ld.param.u32 %r, [g]; st.global.u32 [%o+20], %r;
            ld.param.f64 %d, [f]; st.global.f64 [%o+24], %d;
            ret;
        }",
    )
}

/// Two variables: `table`, four words, and `factor`, a constant.
pub(crate) fn variables() -> Module {
    module(
        "variables.ptx",
        ".visible .global .align 4 .u32 table[4] = {3, 5, 7, 11};
         .visible .const .align 4 .u32 factor = 2;
         .visible .entry empty() { ret; }",
    )
}

/// `cached(out)`: all threads store their number to one word of shared memory; thread 1 tells what
/// it reads back. When lanes of one instruction store to one cell the lowest wins, so that is 0; a
/// compiler that keeps what was stored in a register makes it 1.
pub(crate) fn cached() -> Module {
    module(
        "cached.ptx",
        ".visible .entry cached(.param .u64 out) {
            .reg .u64 %o; .reg .u32 %t, %v, %s; .reg .pred %p; .shared .align 4 .u32 cell;
            ld.param.u64 %o, [out];
            mov.u32 %t, %tid.x;
            mov.u32 %s, cell;
            st.shared.u32 [%s], %t;
            ld.shared.u32 %v, [%s];
            setp.eq.u32 %p, %t, 1;
            @%p st.global.u32 [%o], %v;
            ret;
        }",
    )
}
