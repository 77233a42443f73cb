//! Warps that run ahead together give the same results as one turn at a time, bit for bit.
//!
//! The kernels come from [`super::parallel`], with blocks of several warps: random statements that
//! let threads see each other, the clock, divergence, barriers, locks, faults, prints, endless
//! loops. The oracle is the same launch without gangs.

use proptest::prelude::*;
use warpsim::check::Checking;
use warpsim::host::{Model, SharedInit, Threads};

use super::parallel::{Index, Setting, Statement, run_with, statements, text, usual};

/// Blocks of one to seven warps; steps enough for gangs, or hardly.
pub(super) fn setting() -> impl Strategy<Value = Setting> {
    let limit = prop_oneof![3 => Just(400_000_u64), 1 => 130_000..160_000_u64];
    let shared = prop_oneof![Just(SharedInit::Zero), Just(SharedInit::Leftover)];
    (1..5_u32, 1..220_u32, 1..3_u32, 1..3_u32, shared, limit).prop_map(
        |(blocks, threads, multiprocessors, resident, shared_init, max_steps)| Setting {
            blocks,
            threads,
            multiprocessors,
            resident,
            model: Model::Independent,
            shared_init,
            max_steps,
        },
    )
}

pub(super) fn agree(text: &str, setting: &Setting, checking: Option<&Checking>) {
    let module = warpsim::ptx::parse("k.ptx", text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let run = |gangs| {
        run_with(&module, setting, |settings| {
            settings.gangs = gangs;
            settings.threads = Threads::ONE;
            settings.checking = checking.cloned();
        })
    };
    let ((reports, bytes), (others, other)) = (run(false), run(true));
    assert_eq!(reports, others, "{text}");
    let differs = bytes.iter().zip(&other).position(|(a, b)| a != b);
    assert_eq!(differs, None, "the first byte that differs\n{text}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(warpsim_effort::cases(10, 5_000)))]

    #[test]
    fn a_gang_leaves_what_single_turns_leave(statements in statements(), setting in setting()) {
        agree(&text(&statements), &setting, None);
    }

    #[test]
    fn a_gang_is_found_to_do_what_single_turns_do(statements in statements(), setting in setting()) {
        agree(&text(&statements), &setting, Some(&Checking::default()));
    }
}

/// What all warps of a block do alike, again and again.
#[derive(Clone, Copy, Debug)]
pub(super) enum Step {
    /// An access to global or shared memory: bytes of an element, elements, whether it stores.
    Access {
        shared: bool,
        bytes: u32,
        elements: u32,
        stores: bool,
        generic: bool,
    },
    /// Words at this distance from each other, from the word of the first thread on.
    Stride(u32),
    /// Each half of a warp has words in a row, or one word.
    Rows(bool),
    /// The address comes from memory.
    Chase,
    /// Only some threads go on to the next step: of few warps, or of each.
    Guard(u32),
    /// The others are somewhere else.
    Part(u32),
    /// Some threads, chosen by `who`, access memory so often. The others arrive at the barrier
    /// behind it.
    Before {
        who: u32,
        some: u32,
        accesses: u32,
        id: u32,
    },
    /// Some warps leave.
    Leave(u32),
    Barrier,
    Named(u32),
    Clock,
    Divide,
    /// Accesses from one register, one after the other: their offsets; to shared memory, or else to
    /// global memory; whether the register is written to in between.
    Again {
        offsets: [u32; 4],
        shared: bool,
        changes: bool,
    },
    /// Lanes of a warp meet at one of several operations. Their mask is a constant, or is in a
    /// register. Only lanes with a true guard come there.
    Meet(u32, bool, bool),
    Fence,
    /// An indexed branch of this many ways. Two of them lead to one place. The index differs from
    /// lane to lane, or from warp to warp, or is one for all. Only lanes with a true guard take it.
    /// Now and then an index is too large.
    Switch {
        ways: u32,
        by: u32,
        guarded: bool,
        beyond: bool,
    },
    /// An `if`, perhaps with an `else`, that lanes of each warp take or not. It has only register
    /// operations. One of them changes the predicate.
    Choose(u32, bool),
    /// A call of a function with local memory, which accesses memory of others, too, and from which
    /// some threads return early; only those for which a guard holds call.
    Call(bool),
    /// Words of local memory, of constants, and of a vector in local memory; now and then an index
    /// is too large.
    Own(u32, bool),
    /// An atomic: its type, operation, whether it has a result, and the distance between the words
    /// of threads.
    Atomic {
        which: usize,
        shared: bool,
        kept: bool,
        apart: u32,
    },
}

/// Atomics on `[%o]` and `[%l]`: the operation with its type, and the operands behind the address.
/// Atomics of 64 bits have a result in `%c`, the others in `%y`.
const ATOMICS: [(&str, &str); 10] = [
    ("add.u32", "%x"),
    ("max.s32", "%x"),
    ("inc.u32", "%t"),
    ("exch.b32", "%x"),
    ("cas.b32", "%y, %x"),
    ("xor.b32", "%x"),
    ("add.f32", "%x"),
    ("add.u64", "%w"),
    ("min.u64", "%w"),
    ("cas.b64", "%c, %w"),
];

pub(super) fn step() -> impl Strategy<Value = Step> {
    let bytes = prop_oneof![4 => Just(4_u32), 1 => Just(8), 1 => Just(1), 1 => Just(2)];
    let elements = prop_oneof![5 => Just(1_u32), 1 => Just(2)];
    let access = (any::<bool>(), bytes, elements, any::<bool>(), prop::bool::weighted(0.2));
    prop_oneof![
        8 => access.prop_map(|(shared, bytes, elements, stores, generic)| Step::Access {
            shared, bytes, elements, stores, generic,
        }),
        2 => (0..5_u32).prop_map(Step::Stride),
        2 => any::<bool>().prop_map(Step::Rows),
        1 => Just(Step::Chase),
        2 => (1..300_u32).prop_map(Step::Guard),
        2 => (1..300_u32).prop_map(Step::Part),
        2 => (0..5_u32, 1..300_u32, prop_oneof![9 => 1..5_u32, 1 => Just(70)], 0..2_u32)
            .prop_map(|(who, some, accesses, id)| Step::Before { who, some, accesses, id }),
        1 => (60..300_u32).prop_map(Step::Leave),
        3 => Just(Step::Barrier),
        1 => (0..16_u32).prop_map(Step::Named),
        1 => Just(Step::Clock),
        3 => (prop::array::uniform4(0..1100_u32), any::<bool>(), prop::bool::weighted(0.2)).prop_map(
            |(offsets, shared, changes)| Step::Again {
                offsets: offsets.map(|offset| 4 * offset.min(1023)), shared, changes,
            }),
        1 => Just(Step::Divide),
        3 => (0..7_u32, prop::bool::weighted(0.8), prop::bool::weighted(0.15))
            .prop_map(|(which, constant, guarded)| Step::Meet(which, constant, guarded)),
        1 => Just(Step::Fence),
        2 => (1..7_u32, 0..3_u32, prop::bool::weighted(0.2), prop::bool::weighted(0.1))
            .prop_map(|(ways, by, guarded, beyond)| Step::Switch { ways, by, guarded, beyond }),
        2 => prop::bool::weighted(0.2).prop_map(Step::Call),
        3 => (1..9_u32, any::<bool>()).prop_map(|(some, other)| Step::Choose(some, other)),
        2 => (0..9_u32, prop::bool::weighted(0.05)).prop_map(|(by, beyond)| Step::Own(by, beyond)),
        3 => (0..ATOMICS.len(), any::<bool>(), any::<bool>(), 0..3_u32).prop_map(
            |(which, shared, kept, apart)| Step::Atomic { which, shared, kept, apart }),
    ]
}

/// A kernel of these steps, this many times over. `%o` and `%l` are addresses in global and in
/// shared memory.
pub(super) fn repeated(steps: &[Step], times: u32) -> String {
    let body: String = steps.iter().enumerate().map(|(n, step)| one(n, *step)).collect();
    format!(
        ".version 7.0 .target sm_70 .address_size 64
         .const .align 4 .b8 known[64] = {{1, 2, 3, 4, 5, 6, 7, 8, 9}};
         .func (.param .b32 r) f(.param .b32 x, .param .b64 a) {{
           .local .align 4 .b8 own[32]; .reg .pred %p; .reg .b32 %x, %y; .reg .b64 %a;
           ld.param.u32 %x, [x]; ld.param.u64 %a, [a]; st.local.u32 [own+4], %x; mul.lo.u32 %y, %x, 3;
           st.param.u32 [r], %y; setp.gt.s32 %p, %y, 0; @%p ret;
           ld.global.u32 %y, [%a]; ld.local.u32 %x, [own+4]; add.u32 %x, %x, %y; st.param.u32 [r], %x; ret; }}
         .visible .entry k(.param .u64 out) {{
           .shared .align 16 .b8 s[8192]; .local .align 8 .b8 own[40];
           .reg .pred %p, %q, %g; .reg .b16 %h; .reg .b32 %x, %y, %t, %b, %i, %k; .reg .b64 %a, %o, %l, %s, %w, %c;
           ld.param.u64 %a, [out]; mov.u32 %t, %tid.x; mov.u32 %b, %ctaid.x; mov.u64 %s, s;
           mad.lo.u32 %x, %b, 37, %t; mov.u32 %y, 3; mov.u32 %i, 0; mov.u64 %c, 0; setp.eq.u32 %g, %t, %t;
           mul.wide.u32 %o, %t, 16; add.u64 %l, %s, %o; add.u64 %o, %a, %o;
           again:
           {body}
           mad.lo.u32 %x, %x, 5, %y; add.u32 %i, %i, 1; setp.lt.u32 %p, %i, {times}; @%p bra again;
           leave: mul.wide.u32 %o, %t, 4; add.u64 %o, %a, %o; red.global.xor.b32 [%o], %x; exit;
         }}"
    )
}

fn one(n: usize, step: Step) -> String {
    let address = |index: String| {
        format!(
            "{index} and.b32 %k, %k, 2047; mul.wide.u32 %w, %k, 4; add.u64 %o, %a, %w; add.u64 %l, %s, %w;"
        )
    };
    match step {
        Step::Access { shared, bytes, elements, stores, generic } => {
            let base = if shared { "%l" } else { "%o" };
            // A vector is where its size divides the address.
            let whole = bytes * elements;
            let aligned = format!("and.b64 {base}, {base}, {};", -i64::from(whole));
            let (turned, space, back) = match (generic, shared) {
                (false, true) => (String::new(), ".shared", String::new()),
                (false, false) => (String::new(), ".global", String::new()),
                (true, true) => (format!("cvta.shared.u64 {base}, {base};"), "", format!("cvta.to.shared.u64 {base}, {base};")),
                (true, false) => (format!("cvta.global.u64 {base}, {base};"), "", format!("cvta.to.global.u64 {base}, {base};")),
            };
            let (name, first) = if bytes == 8 { ("u64", "%c") } else { ("u32", "%y") };
            let ty = if bytes >= 4 { name.to_owned() } else { format!("u{}", 8 * bytes) };
            let second = if bytes == 8 { "%w" } else { "%k" };
            let (vector, list) = match elements {
                1 => ("", first.to_owned()),
                _ => (".v2", format!("{{{first}, {second}}}")),
            };
            let stored = match elements {
                1 if bytes == 8 => "%c".to_owned(),
                1 => "%x".to_owned(),
                _ if bytes == 8 => "{%c, %o}".to_owned(),
                _ => "{%x, %t}".to_owned(),
            };
            let access = match stores {
                true => format!("@%g st{space}{vector}.{ty} [{base}], {stored};"),
                false => format!("@%g ld{space}{vector}.{ty} {list}, [{base}];"),
            };
            format!("{aligned} {turned} {access} {back} cvt.u32.u64 %k, %c; add.u32 %y, %y, %k;\n")
        }
        Step::Stride(stride) => address(format!("mad.lo.u32 %k, %t, {stride}, %i;")),
        Step::Rows(one) => address(format!(
            "shr.u32 %k, %t, 4; mul.lo.u32 %k, %k, 40; and.b32 %y, %t, {}; add.u32 %k, %k, %y;",
            if one { 0 } else { 15 }
        )),
        Step::Chase => "and.b64 %o, %o, -8; ld.global.u64 %o, [%o]; and.b64 %o, %o, 8184; add.u64 %o, %o, %a;\n".into(),
        Step::Guard(some) => format!("rem.u32 %k, %x, {some}; setp.lt.u32 %g, %k, {};\n", some / 2 + 1),
        Step::Part(some) => format!(
            "setp.ge.u32 %p, %t, {some}; @%p bra past{n}; ld.shared.u32 %y, [%s+64]; st.shared.u32 [%l], %x; add.u32 %x, %x, %y; past{n}:\n"
        ),
        Step::Before { who, some, accesses, id } => {
            let others = match who {
                0 => format!("setp.ge.u32 %p, %t, {some};"),
                1 => format!("setp.lt.u32 %p, %t, {some};"),
                2 => "shr.u32 %k, %t, 5; and.b32 %k, %k, 1; setp.ne.u32 %p, %k, 0;".to_owned(),
                3 => format!("and.b32 %k, %t, 3; setp.ne.u32 %p, %k, 2; @!%p setp.ge.u32 %p, %t, {some};"),
                _ => format!("add.u32 %k, %t, %i; rem.u32 %k, %k, 97; setp.ge.u32 %p, %k, {some};"),
            };
            // Of those whose order shows, and others.
            let access = |at: u32| match at % 6 {
                0 => "ld.shared.u32 %y, [%l+64]; add.u32 %x, %x, %y;",
                1 => "atom.shared.exch.b32 %y, [%s+8], %x; add.u32 %x, %x, %y;",
                2 => "st.shared.u32 [%l], %x;",
                // Lanes of a warp access memory of two kinds.
                5 => "cvta.shared.u64 %o, %l; and.b32 %k, %t, 1; setp.eq.u32 %q, %k, 0; @%q mov.u64 %o, %a;
                    ld.u32 %y, [%o]; add.u32 %x, %x, %y; mov.u64 %o, %a;",
                3 => "atom.global.exch.b32 %y, [%a+8], %x; add.u32 %x, %x, %y;",
                _ => "@%g st.global.u32 [%a], %x;",
            };
            let body: String = (0..accesses).map(|at| access(at + some)).collect();
            format!(
                "{others} and.b32 %k, %t, 1023; mul.wide.u32 %w, %k, 4; add.u64 %l, %s, %w;
                 @%p bra past{n}; {body} past{n}: bar.sync {id};\n"
            )
        }
        Step::Leave(some) => format!("setp.ge.u32 %p, %t, {some}; @%p bra leave;\n"),
        Step::Barrier => "bar.sync 0;\n".into(),
        Step::Named(id) => format!("bar.sync {id};\n"),
        Step::Clock => "mov.u32 %k, %clock; add.u32 %x, %x, %k;\n".into(),
        Step::Divide => "div.u32 %x, %x, 7; add.u32 %x, %x, %t;\n".into(),
        Step::Meet(which, constant, guarded) => {
            let guard = if guarded { "@%g" } else { "" };
            let mask = if constant { "-1" } else { "%k" };
            let operation = match which {
                0 => format!("{guard} shfl.sync.idx.b32 %x, %x, %y, 31, {mask};"),
                1 => format!("{guard} shfl.sync.down.b32 %x|%p, %x, 3, 31, {mask}; @%p add.u32 %x, %x, 1;"),
                2 => format!("{guard} shfl.sync.bfly.b32 %y, %x, 5, 0x181f, {mask}; add.u32 %x, %x, %y;"),
                3 => format!("setp.gt.u32 %p, %x, %y; {guard} vote.sync.ballot.b32 %y, %p, {mask};"),
                4 => format!("setp.gt.u32 %p, %x, %y; {guard} vote.sync.any.pred %p, %p, {mask}; @%p add.u32 %x, %x, %t;"),
                5 => format!("{guard} bar.warp.sync {mask};"),
                _ => format!("{guard} match.any.sync.b32 %y, %t, {mask};"),
            };
            format!("mov.u32 %k, -1; {operation}\n")
        }
        Step::Fence => "membar.gl;\n".into(),
        Step::Choose(some, other) => {
            let end = if other {
                format!("bra past{n}; other{n}: shr.u32 %x, %x, 1; setp.ne.u32 %p, %x, 7;")
            } else {
                format!("other{n}:")
            };
            format!(
                "rem.u32 %k, %x, 11; setp.ge.u32 %p, %k, {some}; @%p bra other{n};
                 mad.lo.u32 %x, %x, 3, %t; setp.lt.u32 %p, %x, 99; {end} past{n}: selp.u32 %k, 5, 9, %p; add.u32 %x, %x, %k;\n"
            )
        }
        Step::Call(guarded) => {
            let guard = if guarded { "@%g" } else { "" };
            format!(
                "{{ .param .b32 r; .param .b32 x; .param .b64 a; st.param.b32 [x], %x; st.param.b64 [a], %a;
                 {guard} call (r), f, (x, a); ld.param.b32 %k, [r]; }} add.u32 %x, %x, %k;\n"
            )
        }
        Step::Own(by, beyond) => format!(
            "mul.lo.u32 %k, %t, {by}; rem.u32 %k, %k, {}; mul.wide.u32 %w, %k, 4; mov.u64 %o, own; add.u64 %o, %o, %w;
             st.local.u32 [%o], %x; ld.local.u32 %k, [own+4]; add.u32 %x, %x, %k; mov.u64 %o, known; add.u64 %w, %o, %w;
             ld.const.u32 %k, [%w]; add.u32 %x, %x, %k; and.b64 %o, %a, -16;\n",
            if beyond { 11 } else { 10 }
        ),
        Step::Atomic { which, shared, kept, apart } => {
            let (operation, operands) = ATOMICS[which];
            let (base, first, space) = if shared { ("%l", "%s", "shared") } else { ("%o", "%a", "global") };
            let wide = operation.ends_with("64");
            let index = ["0", "%t", "%x"][apart as usize];
            let name = match (kept, wide) {
                (true, true) => "atom.SPACE.OP %c,",
                (true, false) => "atom.SPACE.OP %y,",
                (false, _) => "atom.SPACE.OP _,",
            };
            let name = name.replace("SPACE", space).replace("OP", operation);
            format!(
                "mov.u32 %k, {index}; and.b32 %k, %k, 511; mul.wide.u32 %w, %k, 8; add.u64 {base}, {first}, %w;
                 @%g {name} [{base}], {operands}; cvt.u32.u64 %k, %c; add.u32 %x, %x, %k;\n"
            )
        }
        Step::Switch { ways, by, guarded, beyond } => {
            let number = match by {
                0 => "mov.u32 %k, %x;",
                1 => "shr.u32 %k, %t, 5; add.u32 %k, %k, %i;",
                _ => "mov.u32 %k, %i;",
            };
            let targets: Vec<String> = (0..ways).map(|way| format!("to{n}_{}", way % 5)).collect();
            let guard = if guarded { "@%g" } else { "" };
            let places: String = (0..ways.min(5))
                .map(|way| match way {
                    1 => format!("to{n}_1: st.shared.u32 [%l], %x; bra past{n};\n"),
                    2 => format!("to{n}_2: ld.global.u32 %y, [%a+64]; bra past{n};\n"),
                    way => format!("to{n}_{way}: mad.lo.u32 %x, %x, {way}, %t; bra past{n};\n"),
                })
                .collect();
            format!(
                "{number} rem.u32 %k, %k, {}; targets{n}: .branchtargets {}; {guard} brx.idx %k, targets{n};
                 add.u32 %x, %x, 1; bra past{n};\n{places} past{n}:\n",
                ways + u32::from(beyond),
                targets.join(", "),
            )
        }
        Step::Again { offsets: [a, b, c, d], shared, changes } => {
            let (base, first, space) = if shared { ("%l", "%s", "shared") } else { ("%o", "%a", "global") };
            let change = if changes { format!("add.u64 {base}, {base}, 4;") } else { String::new() };
            format!(
                "sub.u64 %w, {base}, {first}; and.b64 %w, %w, 4092; add.u64 {base}, {first}, %w;
                 ld.{space}.u32 %y, [{base}+{a}]; add.u32 %x, %x, %y; st.{space}.u32 [{base}+{b}], %x; {change}
                 ld.{space}.u32 %k, [{base}+{c}]; bar.sync 0; st.{space}.u32 [{base}+{d}], %k; add.u32 %y, %y, %k;\n"
            )
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(warpsim_effort::cases(40, 5_000)))]

    /// Takes turns at the warps' places, and looks at the state of the machine between them.
    #[test]
    fn warps_that_do_the_same_again_and_again_leave_what_single_turns_leave(
        steps in prop::collection::vec(step(), 1..7),
        times in 1..300_u32,
        setting in setting(),
    ) {
        let setting = Setting { threads: setting.threads * 3 % 1025, max_steps: 4 * setting.max_steps, ..setting };
        agree(&repeated(&steps, times), &Setting { threads: setting.threads.max(1), ..setting }, None);
    }
}

/// Warps that execute much between turns would be beyond the limit before anybody looks.
#[test]
fn a_limit_of_steps_ends_a_gang_where_it_ends_single_turns() {
    let text = ".version 7.0 .target sm_70 .address_size 64
        .visible .entry k(.param .u64 out) { .reg .pred %p; .reg .b32 %i, %j, %t; .reg .b64 %a, %o;
        ld.param.u64 %a, [out]; mov.u32 %t, %tid.x; mul.wide.u32 %o, %t, 4; add.u64 %a, %a, %o; mov.u32 %i, 0;
        again: mov.u32 %j, 0;
        more: add.u32 %j, %j, 1; setp.lt.u32 %p, %j, 1200; @%p bra more;
        st.global.u32 [%a], %j; add.u32 %i, %i, 1; setp.lt.u32 %p, %i, 5; @%p bra again; exit; }";
    // It takes some 580,000.
    for max_steps in [136_000, 140_000, 230_000, 300_000, 420_000, 570_000, 600_000] {
        agree(text, &Setting { blocks: 1, threads: 1024, max_steps, ..usual() }, None);
    }
}

#[test]
fn each_thing_that_warps_do_comes_out_the_same_in_a_gang() {
    let near = Index { a: 1, b: 3, c: 5, d: 0, bits: 7 };
    use Statement as S;
    let ways = [
        vec![S::Load(near, 2), S::Store(near, 2)],
        vec![S::Atomic(near, 0, true), S::Clock],
        vec![S::Shared, S::Shared],
        vec![S::Diverge(near), S::Shared],
        vec![S::Loop(near), S::Clock],
        vec![S::Lock(near), S::LastBlock],
        vec![S::Await, S::Print],
        vec![S::Loop(near), S::Fault(33, true)],
        vec![S::Diverge(near), S::Fault(33, false)],
        vec![S::Glance(3000)],
        vec![S::Load(near, 2), S::Stuck],
    ];
    for way in ways {
        for threads in [32, 50, 96, 250] {
            agree(&text(&way), &Setting { threads, blocks: 3, ..usual() }, None);
        }
    }
}
