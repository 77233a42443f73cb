//! `barrier-divergence`.

use super::*;

/// `if (t < n) { inside } after`.
fn below(n: u32, inside: &str, after: &str) -> String {
    format!("setp.ge.u32 %p1, %t, {n};\n@%p1 bra join;\n{inside}\njoin:\n{after}")
}

const STORE: &str = "st.global.u32 [%o], 1;";

#[test]
fn a_barrier_that_every_thread_comes_to_is_clean() {
    expect(&format!("bar.sync 0;\n{STORE}\nbar.sync 0;\n{STORE}"), 96, CLEAN);
    expect(&below(40, STORE, "bar.sync 0;\nst.global.u32 [%o], 2;"), 64, CLEAN);
}

#[test]
fn a_warp_or_a_lane_that_goes_on_without_a_barrier_passes_it_by() {
    for n in [1, 16, 32, 63] {
        expect(&below(n, "bar.sync 0;", STORE), 64, DIVERGES);
    }
    expect(&below(64, "bar.sync 0;", STORE), 64, CLEAN);
    expect(&below(0, "bar.sync 0;", STORE), 64, CLEAN);
}

#[test]
fn threads_with_nothing_left_to_do_are_not_missed() {
    for n in [1, 16, 32, 40] {
        expect(&below(n, "bar.sync 0;\nst.global.u32 [%o], 1;", ""), 64, CLEAN);
        let idle =
            "add.u32 %r1, %t, 1;\nsetp.eq.u32 %p2, %r1, 3;\n@%p2 bra end;\nmov.u32 %r2, 1;\nend:";
        expect(&below(n, "bar.sync 0;\nst.global.u32 [%o], 1;", idle), 64, CLEAN);
    }
}

/// The findings of a kernel under each schedule and model: severities, and the lines.
fn said(body: &str, threads: u32) -> Vec<Vec<(Severity, Vec<u32>)>> {
    let module = kernel(".file 1 \"k.cu\"\n.file 2 \"other.cu\"", body);
    let each = MODELS.iter().flat_map(|model| SCHEDULES.map(|schedule| (*model, schedule)));
    let of = |finding: &Finding| {
        let line = |site: &warpsim::report::Site| site.source.as_ref().map_or(0, |s| s.line);
        (finding.severity, finding.sites.iter().map(line).collect())
    };
    each.map(|(model, schedule)| {
        let (_, findings) = run(&module, "k", threads, model, schedule);
        assert!(findings.iter().all(|f| f.code.name() == "barrier-divergence"));
        findings.iter().map(of).collect()
    })
    .collect()
}

#[test]
fn whether_others_returned_or_a_condition_held_them_back_is_a_note_once_for_a_kernel() {
    let wait = "bar.sync 0;\nst.global.u32 [%o], 1;\nbar.sync 0;";
    for n in [1, 16, 32, 40] {
        for findings in said(&below(n, wait, ""), 64) {
            assert_eq!(findings, [(Severity::Note, vec![0, 0])]);
        }
    }
    // Nobody leaves, or nobody waits; or PTX says that it is a return.
    for n in [0, 64] {
        assert!(said(&below(n, wait, ""), 64).iter().all(Vec::is_empty));
    }
    let returns = format!("setp.ge.u32 %p1, %t, 40;\n@%p1 ret;\n{wait}");
    assert!(said(&returns, 64).iter().all(Vec::is_empty));
}

/// `if (t < 40) { inside }` at line 3, column 5, with the end of the kernel at line 9.
fn with_lines(inside: &str) -> String {
    format!(".loc 1 3 5\nsetp.ge.u32 %p1, %t, 40;\n@%p1 bra join;\n{inside}\njoin:\n.loc 1 9 1")
}

#[test]
fn a_barrier_that_lines_show_inside_a_condition_is_a_warning() {
    let deeper = ".loc 1 4 9\nst.global.u32 [%o], 1;\n.loc 1 5 9\nbar.sync 0;";
    for inside in [deeper, ".loc 1 3 21\nbar.sync 0;", "bar.sync 0;"] {
        for findings in said(&with_lines(inside), 64) {
            assert_eq!(findings.len(), 1, "{inside}");
            assert_eq!(findings[0].0, Severity::Warning, "{inside}");
        }
    }
}

#[test]
fn a_barrier_that_lines_show_behind_a_condition_is_a_note() {
    let beside = ".loc 1 5 5\nbar.sync 0;";
    let beside_then_deeper = ".loc 1 5 5\nmov.u32 %r1, 0;\n.loc 1 6 9\nbar.sync 0;";
    let deeper_then_beside = ".loc 1 6 9\nbar.sync 0;\n.loc 1 8 5\nst.global.u32 [%o], 1;";
    let unrolled = ".loc 1 6 9\nbar.sync 0;\n.loc 1 6 9\nbar.sync 0;";
    let one_line = "st.global.u32 [%o], 1;\nbar.sync 0;\nst.global.u32 [%o], 2;";
    let around = "mov.u32 %r1, 0;\nagain:\n.loc 1 6 9\nbar.sync 0;\nadd.u32 %r1, %r1, 1;\n\
                  setp.lt.u32 %p2, %r1, 3;\n@%p2 bra again;";
    let other_file = ".loc 2 6 9\nbar.sync 0;";
    for inside in [beside, beside_then_deeper, deeper_then_beside, unrolled, one_line, other_file] {
        for findings in said(&with_lines(inside), 64) {
            assert_eq!(findings.len(), 1, "{inside}");
            assert_eq!(findings[0].0, Severity::Note, "{inside}");
        }
    }
    // Under lockstep the lanes of a warp that leave the loop wait for the others of it.
    for findings in said(&with_lines(around), 64) {
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].0, Severity::Note);
    }
    // The loop itself lets them go, each after as many trips as its number; or all after as many.
    let trips = |most: &str| {
        format!(
            "mov.u32 %r1, 0;\nagain:\nsetp.ge.u32 %p1, %r1, {most};\n@%p1 bra join;\nbar.sync 0;\n\
             add.u32 %r1, %r1, 1;\nbra again;\njoin:"
        )
    };
    for findings in said(&trips("%t"), 64) {
        assert_eq!(findings, [(Severity::Note, vec![0, 0])]);
    }
    assert!(said(&trips("5"), 64).iter().all(Vec::is_empty));
    // A return inside a condition that all meet: they diverge at the return.
    let nested = ".loc 1 3 5\nsetp.ge.u32 %p2, %t, 99;\n@%p2 bra join;\n.loc 1 4 9\n\
                  setp.ge.u32 %p1, %t, 40;\n@%p1 bra join;\n.loc 1 6 9\nbar.sync 0;\njoin:\n.loc 1 9 1";
    for findings in said(nested, 64) {
        assert_eq!(findings, [(Severity::Note, vec![4, 6])]);
    }
}

#[test]
fn an_early_return_is_clean_even_when_it_stores_first() {
    for n in [16, 32, 40] {
        let early = format!(
            "setp.ge.u32 %p1, %t, {n};\n@%p1 bra early;\nbar.sync 0;\n{STORE}\nbar.sync 0;\nbra end;\n\
             early:\nst.global.u32 [%o], 7;\nend:"
        );
        expect(&early, 64, CLEAN);
        let guarded = format!("setp.ge.u32 %p1, %t, {n};\n@%p1 exit;\nbar.sync 0;\n{STORE}");
        expect(&guarded, 64, CLEAN);
    }
}

#[test]
fn both_sides_of_a_branch_with_a_barrier_each_wait_at_different_instructions() {
    for n in [16, 32] {
        let body = format!(
            "setp.ge.u32 %p1, %t, {n};\n@%p1 bra other;\nbar.sync 0;\nbra join;\nother:\nbar.sync 0;\n\
             join:\n{STORE}"
        );
        expect(&body, 64, DIVERGES);
        let ends = body.replace(STORE, "");
        expect(&ends, 64, DIVERGES);
        expect(&ends, 32, if n == 16 { DIVERGES } else { CLEAN });
    }
}

#[test]
fn lanes_of_a_warp_at_different_instructions_deadlock_and_are_a_finding_too() {
    let body = format!(
        "setp.ge.u32 %p1, %t, 16;\n@%p1 bra other;\nbar.sync 0;\nbra join;\nother:\nbar.sync 0;\n\
         join:\n{STORE}"
    );
    for schedule in SCHEDULES {
        let (outcome, findings) = run(&kernel("", &body), "k", 32, Model::Independent, schedule);
        assert_eq!(outcome, Outcome::Deadlock);
        assert_eq!(codes(&findings), DIVERGES);
    }
}

/// `for (i = first; i < last; i += step) { body } after`, with the test before the body or after
/// it.
fn repeat(
    first: &str,
    last: &str,
    step: u32,
    body: &str,
    after: &str,
    tested_first: bool,
) -> String {
    let test = format!("setp.ge.u32 %p1, %r1, {last};");
    if tested_first {
        format!(
            "mov.u32 %r1, {first};\nagain:\n{test}\n@%p1 bra done;\n{body}\n\
             add.u32 %r1, %r1, {step};\nbra again;\ndone:\n{after}"
        )
    } else {
        format!(
            "mov.u32 %r1, {first};\nagain:\n{body}\nadd.u32 %r1, %r1, {step};\n{test}\n\
             @!%p1 bra again;\n{after}"
        )
    }
}

#[test]
fn a_loop_with_a_barrier_needs_the_same_trips_for_all() {
    for tested_first in [false, true] {
        let uniform = repeat("0", "5", 1, "bar.sync 0;", STORE, tested_first);
        expect(&uniform, 64, CLEAN);
        for step in [32, 40, 50] {
            let strided = repeat("%t", "100", step, "bar.sync 0;", STORE, tested_first);
            expect(&strided, 64, DIVERGES);
            let last =
                repeat("%t", "100", step, "bar.sync 0;\nst.global.u32 [%o], 1;", "", tested_first);
            expect(&last, 64, CLEAN);
        }
    }
}

#[test]
fn warps_that_wait_at_one_barrier_in_different_trips_pass_each_other_by() {
    let trips = |first: &str| {
        let skip = "setp.ne.u32 %p1, %r1, %r2;\n@%p1 bra past;\nbar.sync 0;\npast:";
        let next = "add.u32 %r1, %r1, 1;\nsetp.lt.u32 %p2, %r1, 2;\n@%p2 bra again;";
        format!("mov.u32 %r1, 0;\n{first}\nagain:\n{skip}\n{next}\n{STORE}")
    };
    expect(&trips("shr.u32 %r2, %t, 5;"), 64, DIVERGES);
    expect(&trips("mov.u32 %r2, 1;"), 64, CLEAN);
}

#[test]
fn loops_of_different_length_between_barriers_are_clean() {
    let inner = "mov.u32 %r2, 0;\ninner:\nadd.u32 %r2, %r2, 1;\nst.global.u32 [%o], %r2;\n\
                 setp.le.u32 %p2, %r2, %t;\n@%p2 bra inner;\nbar.sync 0;";
    expect(&repeat("0", "4", 1, inner, STORE, true), 40, CLEAN);
    // The inner loop may be left for good, to a place beyond the barrier; nobody does.
    let leaves = "mov.u32 %r2, 0;\ninner:\nsetp.ge.u32 %p2, %r2, %t;\n@%p2 bra out;\n\
                  setp.gt.u32 %p3, %r2, 1000;\n@%p3 bra done;\nadd.u32 %r2, %r2, 1;\nbra inner;\n\
                  out:\nbar.sync 0;";
    let kept = kernel("", &repeat("0", "4", 1, leaves, STORE, true));
    expect_under(&[Model::Independent], &kept, 40, CLEAN);
    // Under lockstep the lanes of a warp do not rejoin before the place where they might go. So
    // they reach the barrier one after the other.
    expect_under(&[Model::Lockstep], &kept, 40, DIVERGES);
    let one_does = leaves.replace("1000", "30");
    expect(&repeat("0", "4", 1, &one_does, STORE, true), 40, DIVERGES);
}

#[test]
fn a_return_out_of_a_loop_is_clean_and_a_break_past_a_barrier_is_not() {
    let breaks = "setp.eq.u32 %p2, %r1, %l;\n@%p2 bra TARGET;\nbar.sync 0;";
    let at = |target: &str| repeat("0", "4", 1, &breaks.replace("TARGET", target), STORE, true);
    expect(&at("done"), 64, DIVERGES);
    expect(&format!("{}\nend:", at("end")), 64, CLEAN);
    expect(&at("skip").replace("bar.sync 0;", "bar.sync 0;\nskip:"), 64, DIVERGES);
}

#[test]
fn a_condition_that_is_the_same_for_all_threads_parts_nobody() {
    let body = "and.b32 %r3, %r1, 1;\nsetp.eq.u32 %p2, %r3, 0;\n@%p2 bra skip;\nbar.sync 0;\nskip:";
    expect(&repeat("0", "6", 1, body, STORE, true), 64, CLEAN);
    // Each lane skips once, but not at the same time.
    let skips = "setp.eq.u32 %p2, %r1, %l;\n@%p2 bra skip;\nbar.sync 0;\nskip:";
    expect(&repeat("0", "32", 1, skips, STORE, true), 64, DIVERGES);
}

#[test]
fn a_guarded_barrier_is_passed_by_where_the_guard_does_not_hold() {
    for n in [16, 32] {
        let body = format!("setp.lt.u32 %p1, %t, {n};\n@%p1 bar.sync 0;\n{STORE}");
        expect(&body, 64, DIVERGES);
        expect(&body.replace(STORE, ""), 64, CLEAN);
    }
    expect(&format!("setp.lt.u32 %p1, %t, 64;\n@%p1 bar.sync 0;\n{STORE}"), 64, CLEAN);
}

const MEET: &str = ".func meet() { bar.sync 0; ret; }";

#[test]
fn a_branch_of_the_caller_parts_threads_before_a_barrier_of_the_callee() {
    for n in [16, 32] {
        let module = kernel(MEET, &below(n, "call meet, ();", STORE));
        expect_under(&MODELS, &module, 64, DIVERGES);
        let guarded = format!("setp.lt.u32 %p1, %t, {n};\n@%p1 call meet, ();\n{STORE}");
        expect_under(&MODELS, &kernel(MEET, &guarded), 64, DIVERGES);
    }
    let twice = "call meet, ();\ncall meet, ();\nst.global.u32 [%o], 1;";
    expect_under(&MODELS, &kernel(MEET, twice), 64, CLEAN);
}

#[test]
fn a_return_from_a_function_before_its_barrier_passes_by_unless_the_kernel_is_over() {
    let early = ".func early() { .reg .pred %p; .reg .u32 %t; mov.u32 %t, %tid.x;\n\
                 setp.ge.u32 %p, %t, 40;\n@%p bra end;\nbar.sync 0;\nend: ret; }";
    expect_under(&MODELS, &kernel(early, &format!("call early, ();\n{STORE}")), 64, DIVERGES);
    expect_under(&MODELS, &kernel(early, "call early, ();"), 64, CLEAN);
    let outer = format!("{early}\n.func outer() {{ call early, (); ret; }}");
    expect_under(&MODELS, &kernel(&outer, "call outer, ();"), 64, CLEAN);
    expect_under(&MODELS, &kernel(&outer, &format!("call outer, ();\n{STORE}")), 64, DIVERGES);
}

#[test]
fn however_the_function_returns() {
    for rest in ["@%p ret;\nbar.sync 0;\nret;", "@%p bra out;\nbar.sync 0;\nret;\nout: ret;"] {
        let early = format!(
            ".func early() {{ .reg .pred %p; .reg .u32 %t; mov.u32 %t, %tid.x;\n\
             setp.ge.u32 %p, %t, 40;\n{rest} }}"
        );
        expect_under(&MODELS, &kernel(&early, &format!("call early, ();\n{STORE}")), 64, DIVERGES);
        expect_under(&MODELS, &kernel(&early, "call early, ();"), 64, CLEAN);
        let all = early.replace("40", "64");
        expect_under(&MODELS, &kernel(&all, &format!("call early, ();\n{STORE}")), 64, CLEAN);
    }
}

#[test]
fn a_recursive_function_with_a_barrier_is_looked_at_too() {
    let recursive = ".func down(.reg .u32 %n) { .reg .pred %p; .reg .u32 %m;\n\
                     setp.eq.u32 %p, %n, 0;\n@%p bra end;\nbar.sync 0;\nsub.u32 %m, %n, 1;\n\
                     call down, (%m);\nend: ret; }";
    let uniform = kernel(recursive, &format!("mov.u32 %r1, 3;\ncall down, (%r1);\n{STORE}"));
    expect_under(&MODELS, &uniform, 64, CLEAN);
    let uneven = format!("shr.u32 %r1, %t, 5;\ncall down, (%r1);\n{STORE}");
    expect_under(&MODELS, &kernel(recursive, &uneven), 64, DIVERGES);
}

#[test]
fn calls_of_different_length_before_a_barrier_are_clean() {
    let maybe = ".func maybe(.reg .u32 %n) { .reg .pred %p;\nsetp.eq.u32 %p, %n, 0;\n@%p bra end;\n\
                 bar.sync 0;\nend: ret; }";
    let body = "mov.u32 %r2, 0;\nagain:\nadd.u32 %r2, %r2, 1;\nmov.u32 %r3, 0;\ncall maybe, (%r3);\n\
                setp.le.u32 %p2, %r2, %t;\n@%p2 bra again;\nmov.u32 %r3, 1;\ncall maybe, (%r3);\n\
                st.global.u32 [%o], 1;";
    expect_under(&MODELS, &kernel(maybe, body), 40, CLEAN);
}

#[test]
fn named_barriers_are_for_whole_warps() {
    let pair = "shr.u32 %r1, %t, 5;\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 bra first;\nbar.sync 1, 64;\n\
                bra join;\nfirst:\nbar.sync 1, 64;\njoin:\nst.global.u32 [%o], 1;";
    expect(pair, 64, CLEAN);
    let arrive = pair.replace("first:\nbar.sync", "first:\nbar.arrive");
    expect(&arrive, 64, CLEAN);
    expect(&below(32, "bar.sync 1, 32;", STORE), 96, CLEAN);
    expect(&below(40, "bar.sync 1, 64;", STORE), 64, DIVERGES);
    let halves = pair.replace("shr.u32 %r1, %t, 5", "shr.u32 %r1, %l, 4");
    expect(&halves, 64, DIVERGES);
}

#[test]
fn a_count_that_is_not_of_whole_warps_is_a_finding() {
    for count in ["33", "16", "%t"] {
        let body = format!("bar.sync 1, {count};\n{STORE}");
        for (model, schedule) in [(Model::Independent, "in-order"), (Model::Lockstep, "in-order")] {
            let (outcome, findings) = run(&kernel("", &body), "k", 64, model, schedule);
            assert_eq!((outcome, &*codes(&findings)), (Outcome::Fault, DIVERGES), "{count}");
        }
    }
    expect(&format!("bar.sync 1, 64;\n{STORE}"), 64, CLEAN);
}

#[test]
fn reductions_are_barriers_too() {
    let all = format!("setp.eq.u32 %p1, %t, 3;\nbar.red.popc.u32 %r1, 0, %p1;\n{STORE}");
    expect(&all, 96, CLEAN);
    let some = below(40, "setp.eq.u32 %p2, %t, 3;\nbar.red.popc.u32 %r1, 0, %p2;", STORE);
    expect(&some, 64, DIVERGES);
}

#[test]
fn one_finding_for_a_pair_of_places_with_both_sites_and_a_count() {
    let body = repeat("0", "6", 1, &below(32, "bar.sync 0;", STORE), STORE, true);
    let (_, findings) = run(&kernel("", &body), "k", 64, Model::Independent, "in-order");
    assert_eq!(findings.len(), 1, "{findings:?}");
    assert_eq!(findings[0].count, 6);
    let [passing, waiting] = &findings[0].sites[..] else { panic!("two sites") };
    assert_eq!((passing.warp, &*passing.operation), (1, "st.global.u32"));
    assert_eq!((waiting.warp, &*waiting.operation), (0, "bar.sync"));
    assert!(findings[0].notes.iter().any(|note| note.contains("split at `bra`")));
}
