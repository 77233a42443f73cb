//! What `trapezoid` is there to show.

use warpsim::host::Simulator;
use warpsim_effort::Effort;
use warpsim_programs::{Asked, Form, Program, Told, find};

/// The integral to nine digits, from outside: adaptive quadrature and 65536 points in exact sums
/// agree in them.
const INTEGRAL: f64 = -0.347_022_118;

fn trapezoid() -> &'static Program {
    find("trapezoid").unwrap()
}

/// The result of a variant under a schedule.
fn under(schedule: &str, variant: &str, form: Form, points: i32) -> f64 {
    let mut simulator = Simulator::default();
    simulator.settings_mut().schedule = schedule.parse().unwrap();
    let module = trapezoid().module(form).unwrap();
    let variant = trapezoid().variant(variant).unwrap();
    trapezoid().run(&mut simulator, &module, variant, &[points]).unwrap().floats()[0]
}

#[test]
fn every_variant_that_waits_has_the_integral_to_nine_digits() {
    let all = [Form::Naive, Form::Optimised];
    let forms = Effort::asked().pick(&all[1..], &all[..]);
    for form in forms {
        for variant in ["global", "shared", "launches", "sequential"] {
            let found = under("in-order", variant, *form, 65536);
            assert!((found - INTEGRAL).abs() < 1e-9, "{variant} {form:?}: {found}");
        }
    }
}

#[test]
fn the_variant_that_does_not_wait_is_wrong_and_differently_under_different_schedules() {
    let right = under("in-order", "sequential", Form::Optimised, 1024);
    let schedules = ["in-order", "random:1", "random:2", "random:3"];
    let mut found = schedules.map(|s| under(s, "whole-grid", Form::Optimised, 1024)).to_vec();
    assert!(found.iter().all(|found| (found - right).abs() > 1e-3), "{found:?}");
    found.sort_by(f64::total_cmp);
    found.dedup();
    assert_eq!(found.len(), schedules.len(), "{found:?}");
    let wrong = under("in-order", "whole-grid", Form::Optimised, 65536);
    assert!((wrong - INTEGRAL).abs() > 1e-3, "{wrong}");
}

/// Divergent branches, instructions of warps and per cent of idle lanes of a variant, by the
/// report.
fn cost(report: &str, variant: &str) -> [f64; 3] {
    let (_, costs) = report.split_once("adding up").unwrap();
    let row = costs.lines().find(|line| line.starts_with(variant)).unwrap();
    let words: Vec<&str> = row.split_whitespace().collect();
    [2, 3, 4].map(|column| words[column].parse().unwrap())
}

#[test]
fn sequential_addressing_parts_fewer_lanes_and_leaves_fewer_idle() {
    let Told::Report(reporting) = trapezoid().told else { panic!("it has a report") };
    let asked = Asked { n: Some(2048), ..Asked::default() };
    let report = (reporting.report)(&mut Simulator::default(), &asked).unwrap();
    let (shared, sequential) = (cost(&report, "shared"), cost(&report, "sequential"));
    // Of 8 blocks of 8 warps: when threads j, j + 2 jump, ... add, lanes diverge in every warp for
    // jumps of 1 to 16, and in warp 0 alone, or every second or fourth warp, after that; when
    // threads 0 to jump - 1 add, only in warp 0, for jumps of 16 to 1.
    assert_eq!((shared[0], sequential[0]), (8.0 * (5.0 * 8.0 + 4.0 + 2.0 + 1.0 + 1.0), 8.0 * 6.0));
    assert!(sequential[1] < 0.75 * shared[1] && sequential[2] < 0.25 * shared[2], "{report}");
}
