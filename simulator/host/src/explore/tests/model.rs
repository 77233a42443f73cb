//! Tiny programs, their PTX, and all their possible results. Every interleaving of their operations
//! is tried, one after the other on one memory, without any reduction and without the simulator.

use std::collections::{BTreeSet, HashSet};
use std::fmt::Write;

/// An operation of a thread on shared variables, which are zero at first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Op {
    /// Writes a value.
    Store(usize, u32),
    /// Reads; what was read is a result of the program.
    Load(usize),
    /// Adds atomically; the old value is a result.
    Add(usize, u32),
    /// Meets all others.
    Barrier,
    /// Reads again and again, until it reads this.
    Await(usize, u32),
    /// Exchanges 0 for 1, again and again, until it succeeds.
    Lock(usize),
}

pub(super) type Threads = Vec<Vec<Op>>;

/// The words of the results: the variables, then for each thread one for each operation.
pub(super) fn words(threads: &Threads, variables: usize) -> usize {
    variables + threads.iter().map(Vec::len).sum::<usize>()
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct State {
    at: Vec<usize>,
    memory: Vec<u32>,
}

/// All final states of the program. `None` when it can stop with threads waiting.
pub(super) fn outcomes(threads: &Threads, variables: usize) -> BTreeSet<Option<Vec<u32>>> {
    let mut seen = HashSet::new();
    let mut found = BTreeSet::new();
    let start = State { at: vec![0; threads.len()], memory: vec![0; words(threads, variables)] };
    let mut open = vec![start];
    while let Some(state) = open.pop() {
        if !seen.insert(state.clone()) {
            continue;
        }
        let next: Vec<State> =
            (0..threads.len()).filter_map(|t| step(threads, variables, &state, t)).collect();
        let ended = (0..threads.len()).all(|t| state.at[t] == threads[t].len());
        if next.is_empty() {
            found.insert(ended.then_some(state.memory));
        }
        open.extend(next);
    }
    found
}

/// One operation of one thread, when it can go on.
fn step(threads: &Threads, variables: usize, state: &State, thread: usize) -> Option<State> {
    let op = *threads[thread].get(state.at[thread])?;
    let mut next = state.clone();
    next.at[thread] += 1;
    let result =
        variables + threads[..thread].iter().map(Vec::len).sum::<usize>() + state.at[thread];
    match op {
        Op::Store(x, v) => next.memory[x] = v,
        Op::Load(x) => next.memory[result] = state.memory[x],
        Op::Add(x, v) => {
            next.memory[result] = state.memory[x];
            next.memory[x] += v;
        }
        Op::Await(x, v) => return (state.memory[x] == v).then_some(next),
        Op::Lock(x) => {
            next.memory[x] = 1;
            return (state.memory[x] == 0).then_some(next);
        }
        Op::Barrier => {
            // The last to come takes everybody along; the others have no separate step.
            let number = |t: usize| {
                threads[t][..state.at[t]].iter().filter(|op| **op == Op::Barrier).count()
            };
            let waits = |t: usize| {
                threads[t].get(state.at[t]) == Some(&Op::Barrier) && number(t) == number(thread)
            };
            let gone = |t: usize| state.at[t] == threads[t].len();
            if !(0..threads.len()).all(|t| waits(t) || gone(t)) {
                return None;
            }
            for t in (0..threads.len()).filter(|t| waits(*t)) {
                next.at[t] = state.at[t] + 1;
            }
        }
    }
    Some(next)
}

/// The same as a kernel. Each thread keeps its results in registers and writes them at its end.
pub(super) fn ptx(threads: &Threads, variables: usize, shared: bool) -> String {
    let space = if shared { "shared" } else { "global" };
    let results = words(threads, variables);
    let mut text = format!(
        ".version 7.0 .target sm_70 .address_size 64\n\
         .visible .entry k(.param .u64 out) {{\n\
         .reg .u64 %o; .reg .u64 %v; .reg .u32 %t; .reg .u32 %b; .reg .u32 %x; .reg .pred %p;\n\
         .reg .u32 %r<{}>; .shared .align 4 .b8 s[{}];\n\
         ld.param.u64 %o, [out]; mov.u32 %t, %tid.x; mov.u32 %b, %ctaid.x; add.u32 %t, %t, %b;\n",
        results + 1,
        variables * 4 + 4,
    );
    let _ = writeln!(text, "{}", if shared { "mov.u64 %v, s;" } else { "mov.u64 %v, %o;" });
    let mut result = variables;
    for (t, ops) in threads.iter().enumerate() {
        let _ = writeln!(text, "setp.ne.u32 %p, %t, {t}; @%p bra after{t};");
        let first = result;
        for op in ops {
            let r = result;
            let _ = match op {
                Op::Store(x, v) => {
                    writeln!(text, "mov.u32 %x, {v}; st.{space}.u32 [%v+{}], %x;", x * 4)
                }
                Op::Load(x) => writeln!(text, "ld.{space}.u32 %r{r}, [%v+{}];", x * 4),
                Op::Add(x, v) => {
                    writeln!(text, "atom.{space}.add.u32 %r{r}, [%v+{}], {v};", x * 4)
                }
                Op::Barrier => writeln!(text, "barrier.sync 0;"),
                Op::Await(x, v) => writeln!(
                    text,
                    "again{r}: ld.volatile.{space}.u32 %x, [%v+{}]; setp.ne.u32 %p, %x, {v}; \
                     @%p bra again{r};",
                    x * 4
                ),
                Op::Lock(x) => writeln!(
                    text,
                    "again{r}: atom.{space}.cas.b32 %x, [%v+{}], 0, 1; setp.ne.u32 %p, %x, 0; \
                     @%p bra again{r};",
                    x * 4
                ),
            };
            result += 1;
        }
        for (r, op) in (first..).zip(ops) {
            if matches!(op, Op::Load(_) | Op::Add(..)) {
                let _ = writeln!(text, "st.global.u32 [%o+{}], %r{r};", r * 4);
            }
        }
        let _ = writeln!(text, "bra end;\nafter{t}:");
    }
    text + "end: ret; }"
}
