//! The table against an H200: `tests/recordings/register-operations.json`.
//!
//! Results that the ISA defines are compared bit for bit, by a digest over all sets of operands.
//! Approximate functions are compared in value.

use std::collections::BTreeMap;

use super::harness::{PLAIN, Setting, Words, bits, destination_type, form, run_form};
use super::kernels::{LOP3_TABLE, forms, has_second_result, source_types};
use super::operands::{SETS, SOURCES, operands};
use crate::isa::lookup;
use crate::lanes::{LANES, Role};
use crate::ptx::Type;

const RECORDING: &str = include_str!("../../../../../tests/recordings/register-operations.json");

/// Forms that an H200 lacks, and forms of bf16 with 8-bit integers. Registers of the latter can be
/// neither loaded nor stored like the others.
pub(super) fn is_not_recorded(form: &str) -> bool {
    let mut names = form.split('.');
    let (opcode, modifiers) = (names.next().unwrap_or_default(), names.collect::<Vec<_>>());
    let newer = lookup(opcode, &modifiers).unwrap().opcode.level(&modifiers).target > 90;
    newer || ["bf16.u8", "bf16.s8", "u8.bf16", "s8.bf16"].iter().any(|end| form.ends_with(end))
}

/// Forms where we do not follow the hardware, with the reason.
const DIFFERENT: &[(&str, &str)] = &[
    ("fns.b32", "for an offset of -2^31 an H200 gives 0; there is no such bit"),
    ("madc.hi.sat.s32", "for a c of -2^31 the sum of an H200 wraps"),
    ("cvt.rna.satfinite.tf32.f32", "an H200 takes one from the tenth bit of a NaN's payload"),
];

/// The recorded digests by form, and the recorded words of approximate forms.
fn recording() -> (BTreeMap<&'static str, u64>, BTreeMap<&'static str, Vec<u64>>) {
    let (mut digests, mut words) = (BTreeMap::new(), BTreeMap::new());
    for line in RECORDING.lines() {
        let mut strings = line.split('"').skip(1).step_by(2);
        let (Some(form), Some(value)) = (strings.next(), strings.next()) else { continue };
        let hex = |text: &str| u64::from_str_radix(text, 16).unwrap();
        if line.trim_start().starts_with("\"approx ") {
            let list = value.split(' ').map(hex).collect();
            words.insert(form.trim_start_matches("approx "), list);
        } else if form.contains('.') && line.contains("\": \"") && value.len() == 16 {
            digests.insert(form, hex(value));
        }
    }
    (digests, words)
}

/// Both results of a form for every set of operands, as the kernels store them.
fn results(text: &str) -> [Vec<u64>; 2] {
    let form = form(text);
    let types = source_types(text);
    let words = operands(&types);
    let second_result = has_second_result(text);
    let mut results = [Vec::new(), Vec::new()];
    for first in (0..SETS).step_by(LANES) {
        let lanes = |source: usize| -> Words { std::array::from_fn(|l| words[source][first + l]) };
        let mut sources: Vec<Words> = (0..types.len()).map(lanes).collect();
        if text.starts_with("lop3") {
            sources[3] = [LOP3_TABLE; LANES];
        }
        let carries = lanes(SOURCES - 1);
        let carry = (0..LANES).fold(0, |mask, lane| mask | (carries[lane] as u32 & 1) << lane);
        let ours = run_form(form, &sources, Setting { carry, ..PLAIN });
        results[0].extend(ours.d.map(|word| stored(form.0, word)));
        let second = |lane: usize| (ours.d2 >> lane & 1) as u64;
        results[1].extend((0..LANES).map(|lane| if second_result { second(lane) } else { 0 }));
    }
    results
}

/// A narrow integer as a wider register holds it.
fn stored(roles: &[Role], word: u64) -> u64 {
    match roles.first() {
        Some(Role::WideD(Type::S8)) => word as i8 as u32 as u64,
        Some(Role::WideD(Type::S16)) => word as i16 as u32 as u64,
        _ => word,
    }
}

/// A digest of both results: a sum, so that any order of computing gives it.
fn digest(results: &[Vec<u64>; 2]) -> u64 {
    let mixed = |(i, word): (usize, &u64)| {
        let z = word.wrapping_add((i as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    };
    results.iter().flatten().enumerate().map(mixed).fold(0, u64::wrapping_add)
}

/// Whether the ISA leaves the bits of a form's results open.
fn is_approximate(text: &str) -> bool {
    let exact = text == "rsqrt.approx.f64";
    (text.contains(".approx") || text.starts_with("div.full")) && !exact
}

#[test]
fn every_form_whose_bits_are_defined_gives_the_bits_of_an_h200() {
    let (digests, _) = recording();
    let wrong: Vec<String> = forms()
        .into_iter()
        .filter(|form| !is_approximate(form) && !is_not_recorded(form))
        .filter(|form| DIFFERENT.iter().all(|(different, _)| different != form))
        .filter(|form| digests.get(form.as_str()) != Some(&digest(&results(form))))
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn the_recording_has_every_form_of_the_table_and_no_other() {
    let (digests, words) = recording();
    let recorded: Vec<&str> = digests
        .keys()
        .chain(words.keys())
        .copied()
        .collect::<std::collections::BTreeSet<_>>()
        .into_iter()
        .collect();
    let table = forms();
    let table: Vec<&str> =
        table.iter().map(String::as_str).filter(|form| !is_not_recorded(form)).collect();
    assert_eq!(recorded, table);
}

#[test]
fn the_forms_said_to_differ_from_an_h200_do() {
    let (digests, _) = recording();
    for (form, why) in DIFFERENT {
        assert_ne!(digests[form], digest(&results(form)), "{form}: {why}");
    }
}

/// How far an approximate result may be from the hardware's: both lie within the ISA's bound of
/// the true value, so twice that.
enum Bound {
    /// Of the difference.
    Absolute(f64),
    /// Of the difference, relative to the result.
    Relative(f64),
    /// Of one of them.
    Either(f64, f64),
}

impl Bound {
    /// Whether a result is near enough to the hardware's.
    fn admits(self, ours: f64, theirs: f64) -> bool {
        let (distance, size) = ((ours - theirs).abs(), theirs.abs());
        let within = match self {
            Bound::Absolute(bound) => distance <= bound,
            Bound::Relative(bound) => distance <= bound * size,
            Bound::Either(absolute, relative) => {
                distance <= absolute || distance <= relative * size
            }
        };
        within || ours == theirs || (ours.is_nan() && theirs.is_nan())
    }
}

fn bound(form: &str) -> Bound {
    let half = if form.contains("bf16") { 2f64.powi(-7) } else { 2f64.powi(-9) };
    match form.split('.').next().unwrap() {
        // The ISA bounds sines of moderate arguments; for larger ones it is the reduction that
        // decides, which we share.
        "sin" | "cos" => Bound::Absolute(2.0 * 2f64.powf(-20.5)),
        "lg2" => Bound::Either(2.0 * 2f64.powi(-22), 2.0 * 2f64.powf(-22.6)),
        "tanh" | "ex2" if form.contains("f16") => Bound::Relative(2.0 * half),
        "tanh" => Bound::Relative(2.0 * 2f64.powi(-11)),
        "rcp" | "rsqrt" if form.ends_with("f64") => Bound::Relative(2f64.powi(-19)),
        _ => Bound::Relative(2.0 * 2f64.powi(-22)),
    }
}

/// The values in a word of a type.
fn values(ty: Type, word: u64) -> Vec<f64> {
    use half::{bf16, f16};
    let (lower, upper) = (word as u16, (word >> 16) as u16);
    match ty {
        Type::F16 => vec![f16::from_bits(lower).to_f64()],
        Type::Bf16 => vec![bf16::from_bits(lower).to_f64()],
        Type::F16x2 => vec![f16::from_bits(lower).to_f64(), f16::from_bits(upper).to_f64()],
        Type::Bf16x2 => vec![bf16::from_bits(lower).to_f64(), bf16::from_bits(upper).to_f64()],
        Type::F64 => vec![f64::from_bits(word)],
        _ => vec![f32::from_bits(word as u32) as f64],
    }
}

#[test]
fn approximate_forms_are_as_near_to_an_h200_as_the_isa_asks() {
    let (_, recorded) = recording();
    let approximate: Vec<_> = forms().into_iter().filter(|f| is_approximate(f)).collect();
    assert_eq!(recorded.len(), approximate.len());
    for form_text in &approximate {
        let ty = destination_type(form(form_text).0);
        let ours = &results(form_text)[0];
        for (set, theirs) in recorded[form_text.as_str()].iter().enumerate() {
            for (a, b) in values(ty, ours[set]).into_iter().zip(values(ty, *theirs)) {
                let near = bound(form_text).admits(a, b);
                assert!(near, "{form_text}, set {set}: {a:e} here, {b:e} there");
            }
        }
    }
}

#[test]
fn the_digest_of_a_form_changes_with_any_bit_of_its_results() {
    let right = results("add.u32");
    for bit in 0..64 {
        let mut wrong = right.clone();
        wrong[0][517] ^= 1 << bit;
        assert_ne!(digest(&right), digest(&wrong));
    }
    assert!(Role::CarryIn.source().is_none() && bits(Type::Pred) == 1);
}
