//! Random kernels of barriers inside ifs and loops, against a judge. The judge walks the statements
//! of each thread separately, and knows no branches, no warps and no schedule.

use proptest::prelude::*;

use super::*;

const THREADS: u32 = 40;

#[derive(Clone, Debug)]
enum Statement {
    Barrier,
    /// The thread counts one up.
    Mark,
    /// Done by the threads for which it holds.
    If(Condition, Vec<Statement>),
    /// Done so often.
    Loop(Trips, Vec<Statement>),
    /// The threads for which it holds store something and return.
    Return(Condition),
}

#[derive(Clone, Copy, Debug)]
enum Condition {
    Always,
    Below(u32),
    /// The thread's number and the counter of the innermost loop agree in their lowest bit.
    LikeCounter,
    /// The counter of the innermost loop is odd.
    OddCounter,
    /// What the thread has counted is odd.
    OddMark,
}

#[derive(Clone, Copy, Debug)]
enum Trips {
    Same(u32),
    /// Two below a thread, and one from it on.
    TwoBelow(u32),
}

impl Condition {
    fn holds(self, thread: u32, counter: u32, marks: u32) -> bool {
        match self {
            Condition::Always => true,
            Condition::Below(n) => thread < n,
            Condition::LikeCounter => (thread ^ counter) & 1 == 0,
            Condition::OddCounter => counter & 1 == 1,
            Condition::OddMark => marks & 1 == 1,
        }
    }

    /// Sets the predicate of this number to whether it does not hold.
    fn test(self, counter: u32, number: u32) -> String {
        match self {
            Condition::Always => format!("setp.eq.u32 %c{number}, 0, 1;"),
            Condition::Below(n) => format!("setp.ge.u32 %c{number}, %t, {n};"),
            Condition::LikeCounter => format!(
                "xor.b32 %a{number}, %t, %k{counter};\nand.b32 %b{number}, %a{number}, 1;\n\
                 setp.ne.u32 %c{number}, %b{number}, 0;"
            ),
            Condition::OddCounter => format!(
                "and.b32 %b{number}, %k{counter}, 1;\nsetp.eq.u32 %c{number}, %b{number}, 0;"
            ),
            Condition::OddMark => {
                format!("and.b32 %b{number}, %m, 1;\nsetp.eq.u32 %c{number}, %b{number}, 0;")
            }
        }
    }
}

impl Trips {
    fn count(self, thread: u32) -> u32 {
        match self {
            Trips::Same(n) => n,
            Trips::TwoBelow(n) => 1 + u32::from(thread < n),
        }
    }
}

/// PTX for statements inside of the loop of this number, 0 outside of all. Each has its own
/// registers, as compilers give them. With `shared` it uses the registers of others.
fn write(
    statements: &[Statement],
    (counter, shared): (u32, bool),
    labels: &mut u32,
    out: &mut String,
) {
    for statement in statements {
        *labels += 1;
        let label = *labels;
        let own = if shared { 1 } else { label };
        match statement {
            Statement::Barrier => *out += "bar.sync 0;\n",
            Statement::Mark => *out += "add.u32 %m, %m, 1;\n",
            Statement::If(condition, body) => {
                *out += &format!("{}\n@%c{own} bra L{label};\n", condition.test(counter, own));
                write(body, (counter, shared), labels, out);
                *out += &format!("L{label}:\nst.global.u32 [%o], {label};\n");
            }
            Statement::Loop(trips, body) => {
                let last = match trips {
                    Trips::Same(n) => format!("mov.u32 %b{own}, {n};"),
                    Trips::TwoBelow(n) => {
                        format!("setp.lt.u32 %d{own}, %t, {n};\nselp.u32 %b{own}, 2, 1, %d{own};")
                    }
                };
                *out += &format!("mov.u32 %k{label}, 0;\nH{label}:\n{last}\n");
                *out +=
                    &format!("setp.ge.u32 %c{own}, %k{label}, %b{own};\n@%c{own} bra L{label};\n");
                write(body, (label, shared), labels, out);
                *out += &format!("add.u32 %k{label}, %k{label}, 1;\nbra H{label};\nL{label}:\n");
            }
            Statement::Return(condition) => {
                *out += &format!("{}\n@%c{own} bra L{label};\n", condition.test(counter, own));
                *out += &format!("st.global.u32 [%o], 99;\nret;\nL{label}:\n");
            }
        }
    }
}

/// The position of a statement: for each enclosing statement its place and the trip.
type Position = Vec<(usize, u32)>;

/// What one thread does.
#[derive(Default)]
struct Walk {
    barriers: Vec<Position>,
    marks: u32,
    /// Where it returned before the end.
    returned: Option<Position>,
}

impl Walk {
    fn go(&mut self, statements: &[Statement], at: &Position, thread: u32, counter: u32) {
        for (place, statement) in statements.iter().enumerate() {
            let inside = |trip| [&at[..], &[(place, trip)]].concat();
            match statement {
                _ if self.returned.is_some() => return,
                Statement::Barrier => self.barriers.push(inside(0)),
                Statement::Mark => self.marks += 1,
                Statement::If(condition, body) if condition.holds(thread, counter, self.marks) => {
                    self.go(body, &inside(0), thread, counter);
                }
                Statement::Return(condition) if condition.holds(thread, counter, self.marks) => {
                    self.returned = Some(inside(0));
                }
                Statement::If(..) | Statement::Return(_) => {}
                Statement::Loop(trips, body) => {
                    for trip in 0..trips.count(thread) {
                        self.go(body, &inside(trip), thread, trip);
                    }
                }
            }
        }
    }
}

/// Whether every thread reaches every barrier that another waits at, unless it has returned.
fn converges(statements: &[Statement]) -> bool {
    let walks: Vec<Walk> = (0..THREADS)
        .map(|thread| {
            let mut walk = Walk::default();
            walk.go(statements, &Vec::new(), thread, 0);
            walk
        })
        .collect();
    let is_there = |walk: &Walk, barrier: &Position| {
        walk.barriers.contains(barrier) || walk.returned.as_ref().is_some_and(|at| at < barrier)
    };
    let mut barriers = walks.iter().flat_map(|walk| &walk.barriers);
    barriers.all(|barrier| walks.iter().all(|walk| is_there(walk, barrier)))
}

fn condition() -> impl Strategy<Value = Condition> {
    prop_oneof![
        3 => Just(Condition::Always),
        3 => prop::sample::select(vec![0, 7, 32, 36, 40]).prop_map(Condition::Below),
        1 => Just(Condition::LikeCounter),
        2 => Just(Condition::OddCounter),
        2 => Just(Condition::OddMark),
    ]
}

fn statements() -> impl Strategy<Value = Vec<Statement>> {
    let trips = prop_oneof![
        3 => (0u32..3).prop_map(Trips::Same),
        1 => prop::sample::select(vec![5, 32]).prop_map(Trips::TwoBelow),
    ];
    let leaf = prop_oneof![
        3 => Just(Statement::Barrier),
        2 => Just(Statement::Mark),
        1 => condition().prop_map(Statement::Return),
    ];
    let one = leaf.prop_recursive(3, 12, 3, move |inner| {
        let body = prop::collection::vec(inner, 1..4);
        prop_oneof![
            2 => (condition(), body.clone()).prop_map(|(c, b)| Statement::If(c, b)),
            1 => (trips.clone(), body).prop_map(|(t, b)| Statement::Loop(t, b)),
        ]
    });
    prop::collection::vec(one, 1..5)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: warpsim_effort::cases(96, 2000), ..ProptestConfig::default() })]

    #[test]
    fn the_verdict_is_that_of_a_judge_without_schedule(statements in statements(), shared: bool) {
        let mut body = ".reg .pred %c<999>, %d<999>; .reg .u32 %a<999>, %b<999>, %k<999>, %m;\nmov.u32 %k0, 0;\nmov.u32 %m, 0;\n"
            .to_owned();
        write(&statements, (0, shared), &mut 0, &mut body);
        body += "st.global.u32 [%o], 1;";
        let module = kernel("", &body);
        let expected = if converges(&statements) { CLEAN } else { DIVERGES };
        for (model, schedule) in MODELS.iter().flat_map(|m| SCHEDULES.map(|s| (*m, s))) {
            let (_, findings) = run(&module, "k", THREADS, model, schedule);
            prop_assert_eq!(codes(&findings), expected, "{:?} {}\n{}", model, schedule, body);
        }
    }
}
