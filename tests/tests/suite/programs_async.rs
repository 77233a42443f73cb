//! The program `async`: right under both orders of streams where nothing is missing, else wrong
//! under one of them, and found under both.

use warpsim::host::{Simulator, StreamOrder};
use warpsim::observe::TaskRaces;
use warpsim::report::{Code, Finding};
use warpsim_programs::{Form, Soundness, Variant, find};

fn simulator(order: StreamOrder) -> Simulator {
    let mut simulator = Simulator::default();
    simulator.settings_mut().stream_order = order;
    simulator
}

/// Whether a variant gives the right numbers.
fn is_right(variant: &Variant, order: StreamOrder, count: i32) -> bool {
    let program = find("async").unwrap();
    let module = program.module(Form::Optimised).unwrap();
    let input: Vec<i32> = (1..=count).collect();
    let result = program.run(&mut simulator(order), &module, variant, &input).unwrap();
    result == program.oracle(variant, &input)
}

/// The races between operations.
fn races(variant: &Variant, order: StreamOrder) -> Vec<Finding> {
    let program = find("async").unwrap();
    let (module, input) = (program.module(Form::Optimised).unwrap(), program.example_input());
    let mut simulator = simulator(order);
    let mut races = TaskRaces::default();
    program.run(&mut simulator.watched(&mut races), &module, variant, &input).unwrap();
    races.take_findings()
}

#[test]
fn a_missing_event_goes_wrong_under_one_order_and_is_found_under_both() {
    for variant in find("async").unwrap().variants {
        let is_sound = variant.soundness == Soundness::Synchronised;
        assert!(is_right(variant, StreamOrder::AsIssued, 4096), "{}", variant.name);
        let reversed = is_right(variant, StreamOrder::Reversed, 4096);
        assert_eq!(reversed, is_sound, "{}", variant.name);
        for order in [StreamOrder::AsIssued, StreamOrder::Reversed] {
            let races = races(variant, order);
            assert_eq!(races.is_empty(), is_sound, "{} {order:?}", variant.name);
            assert!(races.iter().all(|race| race.code == Code::Race));
        }
    }
}

#[test]
fn pieces_that_are_short_or_missing_are_right_too() {
    let events = find("async").unwrap().variant("events").unwrap();
    for count in [0, 1, 2, 3, 5, 1025] {
        for order in [StreamOrder::AsIssued, StreamOrder::Reversed] {
            assert!(is_right(events, order, count), "{count} {order:?}");
        }
    }
}
