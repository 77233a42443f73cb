//! Properties of every form of the table: inactive lanes keep their registers, and constants give
//! the same results as registers.

use super::harness::{
    BEFORE, PLAIN, RegisterForm, Setting, Words, bits, destination_type, form, run_form,
};
use super::kernels::{has_second_result, source_types};
use super::operands::operands;
use crate::isa::{Action, opcodes};
use crate::lanes::{LANES, Mask};

/// One text for each register form of the table, with its first choices.
fn one_of_each() -> Vec<String> {
    let mut texts = Vec::new();
    for opcode in opcodes() {
        for form in opcode.forms.iter().filter(|f| matches!(f.action, Action::Lanes { .. })) {
            let words = form.pattern.spelled();
            texts.push(format!("{}.{}", opcode.name, words[0].join(".")));
            texts.push(format!("{}.{}", opcode.name, words[words.len() - 1].join(".")));
        }
    }
    texts
}

/// Operands of a form: the same in all lanes, or different ones.
fn sources(text: &str, first: usize, uniform: bool) -> Vec<Words> {
    let words = operands(&source_types(text));
    let lane = |lane: usize| first + if uniform { 0 } else { lane };
    let count = source_types(text).len();
    words[..count].iter().map(|words| std::array::from_fn(|l| words[lane(l)])).collect()
}

/// What a narrow destination showed of [`BEFORE`].
fn before(form: RegisterForm) -> u64 {
    match bits(destination_type(form.0)) {
        64 => BEFORE.0,
        width => BEFORE.0 & ((1 << width) - 1),
    }
}

#[test]
fn inactive_lanes_keep_their_registers_and_active_ones_do_as_in_a_full_warp() {
    const MASKS: [Mask; 4] = [0x0ff0_3c5a, 1, 1 << 31, 0];
    let carry = 0x1234_5678;
    for text in one_of_each() {
        let form = form(&text);
        let sources = sources(&text, 96, false);
        let full = run_form(form, &sources, Setting { carry, ..PLAIN });
        for mask in MASKS {
            let part = run_form(form, &sources, Setting { carry, mask, ..PLAIN });
            for lane in 0..LANES {
                let active = mask >> lane & 1 == 1;
                let kept = match bits(destination_type(form.0)) {
                    1 => (BEFORE.1 >> lane & 1) as u64,
                    _ => before(form),
                };
                let right = if active { full.d[lane] } else { kept };
                assert_eq!(part.d[lane], right, "{text}, lane {lane} of {mask:#x}");
            }
            if has_second_result(&text) {
                let untouched = if text.contains("setp") { BEFORE.1 } else { carry };
                let right = full.d2 & mask | untouched & !mask;
                assert_eq!(part.d2, right, "{text}, {mask:#x}");
            }
        }
    }
}

#[test]
fn constants_give_what_registers_of_the_same_value_give() {
    for text in one_of_each() {
        let form = form(&text);
        for set in [0, 33, 70, 511] {
            let sources = sources(&text, set, true);
            let registers = run_form(form, &sources, PLAIN);
            let constants = run_form(form, &sources, Setting { constants: true, ..PLAIN });
            assert_eq!(constants.d, registers.d, "{text}, set {set}");
            if has_second_result(&text) {
                assert_eq!(constants.d2, registers.d2, "{text}, set {set}");
            }
        }
    }
}
