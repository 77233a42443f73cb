//! Blocks on several host threads give the same results as on one, bit for bit.
//!
//! Kernels are made of random statements. Most of them let blocks see each other: plain loads and
//! stores that race, atomics with used and with unused results, sums of floats, flags, locks, the
//! last block that is done, faults and prints in between. The oracle is the same launch on one
//! thread, which does not run ahead.

use std::fmt::Write as _;

use proptest::prelude::*;
use warpsim::check::Checking;
use warpsim::host::{
    Argument, Device, DeviceProfile, Launch, Model, Settings, SharedInit, Simulator, Threads,
};
use warpsim::observe::Observer;
use warpsim::report::{Outcome, Report};

/// Words of the buffer; the last ones are for flags and locks.
const WORDS: u64 = 4096;
const FLAG: u64 = 4 * (WORDS - 1);
const COUNT: u64 = 4 * (WORDS - 2);
const LOCK: u64 = 4 * (WORDS - 3);
const LAST: u64 = 4 * (WORDS - 4);

/// An index into the buffer: (thread * a + block * b + c + value * d) below a power of two.
#[derive(Clone, Copy, Debug)]
pub(super) struct Index {
    pub(super) a: u32,
    pub(super) b: u32,
    pub(super) c: u32,
    pub(super) d: u32,
    pub(super) bits: u32,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Statement {
    Load(Index, u32),
    Store(Index, u32),
    Vector(Index, bool),
    /// An atomic, its result used or not.
    Atomic(Index, u32, bool),
    Reduce(Index, u32),
    Doubled(Index),
    Shared,
    Guarded(Index),
    Diverge(Index),
    Clock,
    /// Blocks one after the other.
    Chain,
    /// A look at what a later block sets, this many times; twice as often in the fourth block.
    Glance(u32),
    /// The last block waits for what nobody sets.
    Stuck,
    /// The text that lies at the beginning of the buffer, which all blocks write after that.
    PrintMemory,
    /// Waits for the last block.
    Await,
    Lock(Index),
    LastBlock,
    Print,
    /// A fault of few threads: `trap`, or an address outside.
    Fault(u32, bool),
    Loop(Index),
}

fn index() -> impl Strategy<Value = Index> {
    let far = (Just(1), Just(64), 0..64_u32, Just(0), Just(11));
    let any = (0..5_u32, 0..70_u32, 0..64_u32, 0..2_u32, 0..11_u32);
    prop_oneof![3 => far.boxed(), 2 => any.boxed()].prop_map(|(a, b, c, d, bits)| Index {
        a,
        b,
        c,
        d,
        bits,
    })
}

fn statement() -> impl Strategy<Value = Statement> {
    use Statement as S;
    prop_oneof![
        4 => (index(), 0..4_u32).prop_map(|(i, w)| S::Load(i, w)),
        4 => (index(), 0..4_u32).prop_map(|(i, w)| S::Store(i, w)),
        1 => (index(), any::<bool>()).prop_map(|(i, s)| S::Vector(i, s)),
        2 => (index(), 0..8_u32, any::<bool>()).prop_map(|(i, o, u)| S::Atomic(i, o, u)),
        4 => (index(), 0..6_u32).prop_map(|(i, o)| S::Reduce(i, o)),
        1 => index().prop_map(S::Doubled),
        1 => Just(S::Shared),
        1 => index().prop_map(S::Guarded),
        1 => index().prop_map(S::Diverge),
        1 => Just(S::Clock),
        1 => Just(S::Chain),
        1 => (1..4_u32).prop_map(S::Glance),
        1 => index().prop_map(S::Lock),
        1 => Just(S::LastBlock),
        1 => Just(S::Print),
        1 => Just(S::PrintMemory),
        1 => index().prop_map(S::Loop),
    ]
}

/// The statements of a kernel: rarely with one that faults, or waits for a later block.
pub(super) fn statements() -> impl Strategy<Value = Vec<Statement>> {
    let rare = prop_oneof![
        8 => Just(None),
        1 => (1..40_u32, any::<bool>()).prop_map(|(n, trap)| Some(Statement::Fault(n, trap))),
        1 => Just(Some(Statement::Await)),
        1 => Just(Some(Statement::Stuck)),
    ];
    (prop::collection::vec(statement(), 1..7), rare, any::<prop::sample::Index>()).prop_map(
        |(mut statements, rare, at)| {
            let at = at.index(statements.len() + 1);
            statements.splice(at..at, rare);
            statements
        },
    )
}

pub(super) fn text(statements: &[Statement]) -> String {
    let mut body = String::new();
    for (n, statement) in statements.iter().enumerate() {
        write_statement(&mut body, n, *statement).unwrap();
    }
    format!(
        ".version 7.0 .target sm_70 .address_size 64
         .extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);
         .global .align 1 .b8 format[6] = {{37, 117, 32, 37, 117, 0}};
         .global .align 1 .b8 words[4] = {{37, 115, 32, 0}};
         .visible .entry k(.param .u64 out) {{
           .local .align 8 .b8 depot[16];
           .shared .align 8 .b32 s[64];
           .reg .pred %p, %q; .reg .b16 %h; .reg .b32 %x, %y, %z, %t, %b, %n, %i, %k; .reg .b64 %a, %o, %l, %w, %f;
           .reg .f32 %g;
           .param .b64 p0; .param .b64 p1; .param .b32 r;
           ld.param.u64 %a, [out];
           mov.u32 %t, %tid.x; mov.u32 %b, %ctaid.x; mov.u32 %n, %nctaid.x;
           mad.lo.u32 %x, %b, 37, %t; mov.u32 %y, 1; mov.u32 %z, 0;
           {body}
           and.b32 %i, %t, 31; mad.lo.u32 %i, %b, 32, %i; and.b32 %i, %i, 1023;
           mul.wide.u32 %o, %i, 4; add.u64 %o, %a, %o; red.global.xor.b32 [%o+8192], %x;
           ret;
         }}"
    )
}

/// The address of an element of this many bytes into `%o`.
fn address(out: &mut String, Index { a, b, c, d, bits }: Index, bytes: u32) -> std::fmt::Result {
    let mask = (1_u32 << bits) - 1;
    writeln!(
        out,
        "mad.lo.u32 %i, %t, {a}, {c}; mad.lo.u32 %i, %b, {b}, %i; mad.lo.u32 %i, %x, {d}, %i;
         and.b32 %i, %i, {mask}; mul.lo.u32 %i, %i, {bytes}; and.b32 %i, %i, 8191;
         cvt.u64.u32 %o, %i; add.u64 %o, %a, %o;"
    )
}

fn write_statement(out: &mut String, n: usize, statement: Statement) -> std::fmt::Result {
    let bytes = |width: u32| 1 << (width % 4);
    match statement {
        Statement::Load(index, width) => {
            address(out, index, bytes(width))?;
            match bytes(width) {
                8 => writeln!(out, "ld.global.u64 %w, [%o]; cvt.u32.u64 %y, %w; add.u32 %x, %x, %y;"),
                4 => writeln!(out, "ld.volatile.global.u32 %y, [%o]; xor.b32 %x, %x, %y;"),
                bytes => writeln!(out, "ld.global.u{} %y, [%o]; add.u32 %x, %x, %y;", 8 * bytes),
            }
        }
        Statement::Store(index, width) => {
            address(out, index, bytes(width))?;
            match bytes(width) {
                8 => writeln!(out, "mul.wide.u32 %w, %x, 77; st.global.u64 [%o], %w;"),
                bytes => writeln!(out, "st.global.u{} [%o], %x;", 8 * bytes),
            }
        }
        Statement::Vector(index, stores) => {
            address(out, index, 16)?;
            match stores {
                true => writeln!(out, "st.global.v4.u32 [%o], {{%x, %t, %b, %y}};"),
                false => writeln!(out, "ld.global.v2.u32 {{%y, %k}}, [%o]; xor.b32 %x, %y, %k;"),
            }
        }
        Statement::Atomic(index, operation, is_used) => {
            address(out, index, 4)?;
            match operation {
                0 => writeln!(out, "atom.global.add.u32 %k, [%o], %x;")?,
                1 => writeln!(out, "atom.global.exch.b32 %k, [%o], %x;")?,
                2 => writeln!(out, "atom.global.cas.b32 %k, [%o], %y, %x;")?,
                3 => writeln!(out, "atom.global.inc.u32 %k, [%o], 5;")?,
                4 => writeln!(out, "atom.global.max.s32 %k, [%o], %x;")?,
                5 => writeln!(out, "cvt.rn.f32.u32 %g, %x; atom.global.add.f32 %g, [%o], %g; mov.b32 %k, %g;")?,
                6 => writeln!(out, "atom.add.u32 %k, [%o], 3;")?,
                _ => writeln!(out, "atom.global.dec.u32 %k, [%o], %x;")?,
            }
            // `%k` is read elsewhere or not. The machine has to find that out.
            if is_used { writeln!(out, "mad.lo.u32 %x, %k, 3, %x;") } else { Ok(()) }
        }
        Statement::Reduce(index, operation) => {
            address(out, index, 4)?;
            match operation {
                0 => writeln!(out, "red.global.add.u32 [%o], %x;"),
                1 => writeln!(out, "cvt.rn.f32.u32 %g, %x; mul.f32 %g, %g, 0f3dcccccd; red.global.add.f32 [%o], %g;"),
                2 => writeln!(out, "red.global.min.u32 [%o], %x;"),
                3 => writeln!(out, "red.global.inc.u32 [%o], %x;"),
                4 => writeln!(out, "red.or.b32 [%o], %x;"),
                _ => writeln!(out, "cvt.rn.f32.u32 %g, %t; @%p red.global.add.f32 [%o], %g;"),
            }
        }
        Statement::Doubled(index) => {
            address(out, index, 8)?;
            writeln!(out, "mul.wide.u32 %w, %x, 99; red.global.add.u64 [%o], %w;")
        }
        Statement::Shared => writeln!(
            out,
            "mov.u64 %l, s; mul.wide.u32 %o, %t, 4; add.u64 %l, %l, %o; ld.shared.u32 %y, [%l]; bar.sync 0;
             add.u32 %x, %x, %y; st.shared.u32 [%l], %x; bar.sync 0; mov.u64 %l, s; ld.shared.u32 %y, [%l+8];
             xor.b32 %x, %x, %y; bar.sync 0;"
        ),
        Statement::Guarded(index) => {
            address(out, index, 4)?;
            writeln!(out, "and.b32 %k, %x, 3; setp.eq.u32 %p, %k, 1; @%p st.global.u32 [%o], %t;")
        }
        Statement::Diverge(index) => {
            address(out, index, 4)?;
            writeln!(
                out,
                "and.b32 %k, %t, 1; setp.eq.u32 %p, %k, 1; @%p bra odd{n}; st.global.u32 [%o], %x; bra.uni met{n};
                 odd{n}: ld.global.u32 %x, [%o]; met{n}: add.u32 %x, %x, 1;"
            )
        }
        Statement::Clock => writeln!(
            out,
            "mov.u32 %k, %clock; add.u32 %x, %x, %k; mov.u32 %k, %smid; xor.b32 %x, %x, %k;"
        ),
        Statement::Chain => writeln!(
            out,
            "wait{n}: ld.volatile.global.u32 %k, [%a+{FLAG}]; setp.lt.u32 %p, %k, %b; @%p bra wait{n};
             add.u32 %k, %b, 1; red.global.max.u32 [%a+{FLAG}], %k;"
        ),
        Statement::Glance(times) => writeln!(
            out,
            "mov.u32 %i, 0; look{n}: ld.volatile.global.u32 %k, [%a+{LAST}]; add.u32 %i, %i, 1;
             setp.eq.u32 %p, %k, 0; setp.eq.u32 %q, %b, 3; selp.u32 %y, {}, {times}, %q; setp.lt.and.u32 %p, %i, %y, %p; @%p bra look{n}; add.u32 %x, %x, %i;
             sub.u32 %k, %n, 1; setp.eq.u32 %p, %k, %b; @%p st.global.u32 [%a+{LAST}], %n;",
            2 * times
        ),
        Statement::Stuck => writeln!(
            out,
            "sub.u32 %k, %n, 1; setp.ne.u32 %p, %k, %b; @%p bra free{n};
             stuck{n}: ld.volatile.global.u32 %k, [%a+{COUNT}]; setp.ne.u32 %p, %k, 77; @%p bra stuck{n}; free{n}:"
        ),
        Statement::PrintMemory => writeln!(
            out,
            "setp.ne.u32 %q, %t, 1; @%q bra quiet{n}; mov.u64 %l, depot; cvta.local.u64 %l, %l;
             add.u64 %w, %a, 8; st.u64 [%l], %w; mov.u64 %f, words; cvta.global.u64 %f, %f;
             {{ st.param.b64 [p0], %f; st.param.b64 [p1], %l; call (r), vprintf, (p0, p1); }}
             add.u32 %k, %b, 66; st.global.u32 [%a+8], %k; quiet{n}:"
        ),
        Statement::Await => writeln!(
            out,
            "sub.u32 %k, %n, 1; setp.eq.u32 %p, %k, %b; @%p st.volatile.global.u32 [%a+{LAST}], %n;
             await{n}: ld.volatile.global.u32 %k, [%a+{LAST}]; setp.eq.u32 %p, %k, 0; @%p bra await{n};"
        ),
        Statement::Lock(index) => {
            address(out, index, 4)?;
            writeln!(
                out,
                "setp.ne.u32 %q, %t, 0; @%q bra out{n};
                 lock{n}: atom.global.cas.b32 %k, [%a+{LOCK}], 0, 1; setp.ne.u32 %p, %k, 0; @%p bra lock{n};
                 ld.global.u32 %k, [%o]; mad.lo.u32 %k, %k, 3, %b; st.global.u32 [%o], %k; membar.gl;
                 atom.global.exch.b32 %k, [%a+{LOCK}], 0; out{n}: bar.sync 0;"
            )
        }
        Statement::LastBlock => writeln!(
            out,
            "membar.gl; bar.sync 0; setp.ne.u32 %q, %t, 0; @%q bra done{n};
             sub.u32 %i, %n, 1; atom.global.inc.u32 %k, [%a+{COUNT}], %i; setp.ne.u32 %p, %k, %i; @%p bra done{n};
             ld.global.u32 %k, [%a+64]; ld.global.u32 %y, [%a+256]; add.u32 %k, %k, %y;
             st.global.u32 [%a+{LAST}], %k; done{n}: bar.sync 0;"
        ),
        Statement::Print => writeln!(
            out,
            "setp.ne.u32 %q, %t, 1; @%q bra mute{n}; mov.u64 %l, depot; cvta.local.u64 %l, %l;
             st.u32 [%l], %b; st.u32 [%l+4], %x; mov.u64 %f, format; cvta.global.u64 %f, %f;
             {{ st.param.b64 [p0], %f; st.param.b64 [p1], %l; call (r), vprintf, (p0, p1); }} mute{n}:"
        ),
        Statement::Fault(every, traps) => {
            writeln!(out, "rem.u32 %k, %x, {every}; setp.eq.u32 %p, %k, {};", every / 2)?;
            match traps {
                true => writeln!(out, "@%p trap;"),
                false => writeln!(out, "@%p st.global.u32 [%a+1000000], %x;"),
            }
        }
        Statement::Loop(index) => {
            address(out, index, 4)?;
            writeln!(
                out,
                "and.b32 %i, %x, 7; again{n}: ld.global.u32 %k, [%o]; add.u32 %k, %k, %i; st.global.u32 [%o], %k;
                 sub.u32 %i, %i, 1; setp.gt.s32 %p, %i, 0; @%p bra again{n};"
            )
        }
    }
}

/// All but the statements.
#[derive(Clone, Debug)]
pub(super) struct Setting {
    pub(super) blocks: u32,
    pub(super) threads: u32,
    pub(super) multiprocessors: u32,
    pub(super) resident: u32,
    pub(super) model: Model,
    pub(super) shared_init: SharedInit,
    pub(super) max_steps: u64,
}

pub(super) fn setting() -> impl Strategy<Value = Setting> {
    let model = prop_oneof![4 => Just(Model::Independent), 1 => Just(Model::Lockstep)];
    let shared = prop_oneof![
        3 => Just(SharedInit::Zero),
        1 => Just(SharedInit::Random(5)),
        1 => Just(SharedInit::Leftover),
    ];
    let limit = prop_oneof![9 => Just(60_000_u64), 1 => 100..4000_u64];
    (2..40_u32, 1..65_u32, 1..6_u32, 1..4_u32, model, shared, limit).prop_map(
        |(blocks, threads, multiprocessors, resident, model, shared_init, max_steps)| Setting {
            blocks,
            threads,
            multiprocessors,
            resident,
            model,
            shared_init,
            max_steps,
        },
    )
}

/// Two launches in a row on this many threads: their reports, and the contents of memory.
fn run(
    module: &warpsim::ptx::Module,
    setting: &Setting,
    threads: Threads,
) -> (Vec<Report>, Vec<u8>) {
    run_with(module, setting, |settings| settings.threads = threads)
}

/// The same with other settings.
pub(super) fn run_with(
    module: &warpsim::ptx::Module,
    setting: &Setting,
    set: impl FnOnce(&mut Settings),
) -> (Vec<Report>, Vec<u8>) {
    run_told(module, setting, set, None)
}

/// The same, watched by somebody.
pub(super) fn run_told(
    module: &warpsim::ptx::Module,
    setting: &Setting,
    set: impl FnOnce(&mut Settings),
    mut observer: Option<&mut dyn Observer>,
) -> (Vec<Report>, Vec<u8>) {
    let mut profile = DeviceProfile::h200();
    profile.multiprocessors = setting.multiprocessors;
    profile.blocks_per_multiprocessor = setting.resident;
    let mut gpu = Simulator::new(profile);
    let settings = gpu.settings_mut();
    settings.model = setting.model;
    settings.shared_init = setting.shared_init;
    settings.max_steps = setting.max_steps;
    set(settings);
    let handle = gpu.load(module).unwrap();
    let buffer = gpu.allocate(WORDS * 4).unwrap();
    let first: Vec<u8> = (0..2048_u32).flat_map(|i| (i * 7).to_le_bytes()).collect();
    gpu.upload(buffer, &first).unwrap();
    let shape = Launch::new(setting.blocks, setting.threads);
    let reports = (0..2).map(|launch| {
        if launch == 1 && setting.shared_init == SharedInit::Zero {
            // What the first left in shared memory shows.
            gpu.settings_mut().shared_init = SharedInit::Leftover;
        }
        let arguments = [Argument::Pointer(buffer)];
        match observer.as_deref_mut() {
            Some(one) => gpu.launch_observed(handle, "k", &shape, &arguments, one).unwrap(),
            None => gpu.launch(handle, "k", &shape, &arguments).unwrap(),
        }
    });
    let reports = reports.collect();
    let mut bytes = vec![0; WORDS as usize * 4];
    gpu.download(buffer, &mut bytes).unwrap();
    (reports, bytes)
}

fn agree(text: &str, setting: &Setting) {
    let module = warpsim::ptx::parse("k.ptx", text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let (reports, bytes) = run(&module, setting, Threads::ONE);
    for count in [2, 3, 8] {
        let (others, other) = run(&module, setting, Threads::up_to(count).for_any_work());
        assert_eq!(reports, others, "{count} threads\n{text}");
        let differs = bytes.iter().zip(&other).position(|(a, b)| a != b);
        assert_eq!(differs, None, "{count} threads: the first byte that differs\n{text}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(warpsim_effort::cases(100, 5000)))]

    #[test]
    fn any_number_of_threads_gives_what_one_gives(statements in statements(), setting in setting()) {
        agree(&text(&statements), &setting);
    }
}

pub(super) fn usual() -> Setting {
    Setting {
        blocks: 33,
        threads: 64,
        multiprocessors: 3,
        resident: 4,
        model: Model::Independent,
        shared_init: SharedInit::Zero,
        max_steps: 10_000_000,
    }
}

#[test]
fn each_way_in_which_blocks_see_each_other_gives_the_same_on_several_threads() {
    let near = Index { a: 1, b: 3, c: 5, d: 0, bits: 7 };
    let far = Index { a: 1, b: 64, c: 0, d: 0, bits: 11 };
    use Statement as S;
    let ways = [
        vec![S::Load(far, 2), S::Store(far, 2)],
        vec![S::Load(near, 2), S::Store(near, 2)],
        vec![S::Store(near, 0), S::Store(near, 1)],
        vec![S::Atomic(near, 0, true)],
        vec![S::Reduce(near, 1), S::Reduce(near, 1)],
        vec![S::Reduce(near, 0), S::Store(near, 2)],
        vec![S::Store(near, 2), S::Reduce(near, 0)],
        vec![S::Reduce(near, 0), S::Load(near, 2)],
        vec![S::Doubled(near), S::Load(near, 3)],
        vec![S::Lock(near), S::LastBlock],
        vec![S::Chain, S::Print],
        vec![S::Await, S::Print],
        vec![S::Print, S::Fault(33, true)],
        vec![S::Print, S::Fault(33, false)],
        vec![S::Glance(3), S::Clock],
        vec![S::Glance(3000)],
        vec![S::Load(far, 2), S::Stuck],
        vec![S::PrintMemory],
    ];
    for way in ways {
        agree(&text(&way), &usual());
    }
}

#[test]
fn what_is_lost_of_many_prints_is_the_same() {
    // Each block prints more than the buffer holds, without coming to the end of its rounds.
    let body = text(&[Statement::Print]);
    let body =
        body.replace("mov.u32 %z, 0;", "mov.u32 %z, 0; again:").replace("@%q bra mute0;", "");
    let again = "add.u32 %z, %z, 1; setp.lt.u32 %p, %z, 140; @%p bra again; ret;";
    let body = body.replace("ret;", again);
    let setting = Setting { blocks: 5, threads: 512, ..usual() };
    let module = warpsim::ptx::parse("k.ptx", &body).unwrap();
    let (one, _) = run(&module, &setting, Threads::ONE);
    assert!(
        one[0].printed.lost > 4 * 65536 && one[0].outcome == Outcome::Completed,
        "{:?}",
        one[0].counts
    );
    let (two, _) = run(&module, &setting, Threads::up_to(2).for_any_work());
    assert!(one == two);
}

/// How much each thread does depends on when its turn comes. So the number of steps of a drawn
/// schedule is known only when its run has ended. So is the number left for the next.
#[test]
fn schedules_that_are_drawn_give_the_same_on_several_threads() {
    let text = ".version 7.0 .target sm_70 .address_size 64
        .visible .entry k(.param .u64 out) { .reg .pred %p; .reg .b32 %t, %i, %n; .reg .b64 %a;
        ld.param.u64 %a, [out]; atom.global.add.u32 %t, [%a], 1;
        rem.u32 %n, %t, 13; mul.lo.u32 %n, %n, 30; mov.u32 %i, 0;
        again: add.u32 %i, %i, 1; setp.lt.u32 %p, %i, %n; @%p bra again; exit; }";
    let module = warpsim::ptx::parse("k.ptx", text).unwrap();
    let drawn = |max_steps, count| {
        let setting = Setting { blocks: 4, max_steps, ..usual() };
        let (reports, _) = run_with(&module, &setting, |settings| {
            settings.threads = Threads::up_to(count).for_any_work();
            settings.checking = Some(Checking::default());
        });
        reports
    };
    let mut cut_short = 0;
    for max_steps in [45_000, 110_000, 160_000, 10_000_000] {
        let expected = drawn(max_steps, 1);
        for count in [2, 3, 8] {
            assert_eq!(drawn(max_steps, count), expected, "{count} threads, {max_steps} steps");
        }
        let checked = expected[0].checked.clone().unwrap();
        // The last of several is cut short by what those before have taken.
        cut_short += u32::from(checked.schedules.len() > 8 && !checked.unfinished.is_empty());
    }
    assert!(cut_short > 0, "all that are drawn run to their end");
}
