//! A step of a trace with less text: values that lanes share are written once.
//!
//! A list of 32 lanes becomes one value where all active lanes have it, and `{"from", "by"}` where
//! the numbers of the active lanes lie on a line. Everything else stays a list, with `null` for
//! lanes that take no part.

use serde_json::{Value, json};
use warpsim::lanes::LANES;

/// Shortens the lists of lanes of a step in which these lanes are active.
pub fn compact(step: &mut Value, active: u32) {
    let each = |step: &mut Value, list: &str, values: &str| {
        let rows = step.get_mut(list).and_then(Value::as_array_mut).into_iter().flatten();
        for row in rows {
            if let Some(lanes) = row.get_mut(values) {
                shorten(lanes, active);
            }
        }
    };
    each(step, "reads", "bits");
    each(step, "writes", "bits");
    each(step, "memory", "addresses");
}

/// Shortens a list of lanes; anything else stays as it is.
fn shorten(lanes: &mut Value, active: u32) {
    let Some(all) = lanes.as_array() else { return };
    let there = |lane: usize| all.get(lane).is_some_and(|value| !value.is_null());
    // A list that leaves active lanes out says which; so does one without lanes.
    if active == 0 || (0..LANES).any(|lane| there(lane) != (active >> lane & 1 == 1)) {
        return;
    }
    let values: Vec<(usize, &Value)> =
        all.iter().enumerate().filter(|(_, value)| !value.is_null()).collect();
    let Some((_, first)) = values.first() else { return };
    if values.iter().all(|(_, value)| value == first) {
        *lanes = (*first).clone();
    } else if let Some((from, by)) = line(&values) {
        *lanes = match first {
            Value::String(_) => json!({ "from": format!("{from:#x}"), "by": by }),
            _ => json!({ "from": from, "by": by }),
        };
    }
}

/// A number, or the text of one in hexadecimal.
fn number(value: &Value) -> Option<i64> {
    match value {
        Value::String(text) => i64::from_str_radix(text.strip_prefix("0x")?, 16).ok(),
        other => other.as_i64(),
    }
}

/// The line on which the numbers of lanes lie: its value at lane 0, which is not below 0, and its
/// step.
fn line(values: &[(usize, &Value)]) -> Option<(i64, i64)> {
    let [(lane, first), (next, second), ..] = values else { return None };
    let (first, second) = (number(first)?, number(second)?);
    let apart = i64::try_from(next - lane).ok()?;
    let rise = second.checked_sub(first)?;
    let by = rise / apart;
    if by * apart != rise {
        return None;
    }
    let from = first.checked_sub(by.checked_mul(i64::try_from(*lane).ok()?)?)?;
    let at = |lane: usize| from.checked_add(by.checked_mul(i64::try_from(lane).ok()?)?);
    let fits =
        values.iter().all(|(lane, value)| number(value).is_some_and(|v| at(*lane) == Some(v)));
    (fits && from >= 0).then_some((from, by))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The list of lanes that a compact value represents.
    fn spread(compact: &Value, active: u32) -> Vec<Value> {
        let is_active = |lane: usize| active >> lane & 1 == 1;
        let of = |lane: usize| match compact {
            Value::Array(all) => all[lane].clone(),
            Value::Object(line) => {
                let at =
                    number(&line["from"]).unwrap() + line["by"].as_i64().unwrap() * lane as i64;
                if line["from"].is_string() { json!(format!("{at:#x}")) } else { json!(at) }
            }
            same => same.clone(),
        };
        (0..LANES).map(|lane| if is_active(lane) { of(lane) } else { Value::Null }).collect()
    }

    fn lanes() -> impl Strategy<Value = (u32, Vec<i64>)> {
        let masks = prop_oneof![Just(u32::MAX), Just(1), any::<u32>()];
        let values = prop_oneof![
            (0..1_i64 << 40, -64..64_i64)
                .prop_map(|(from, by)| (0..32).map(|lane| from + by * lane).collect()),
            prop::collection::vec(0..3_i64, LANES),
            (0..1_i64 << 40).prop_map(|value| vec![value; LANES]),
        ];
        (masks, values)
    }

    proptest! {
        #[test]
        fn a_shortened_list_of_lanes_stands_for_the_same_lanes(
            (active, values) in lanes(),
            in_hexadecimal in any::<bool>(),
        ) {
            let of = |lane: usize| match active >> lane & 1 {
                1 if in_hexadecimal => json!(format!("{:#x}", values[lane])),
                1 => json!(values[lane]),
                _ => Value::Null,
            };
            let full: Vec<Value> = (0..LANES).map(of).collect();
            let mut short = Value::Array(full.clone());
            shorten(&mut short, active);
            prop_assert_eq!(spread(&short, active), full);
        }
    }

    #[test]
    fn equal_lanes_and_lines_are_written_once_and_what_takes_no_part_stays_a_list() {
        let list = |of: &dyn Fn(usize) -> Value| Value::Array((0..LANES).map(of).collect());
        let mut same = list(&|_| json!("0x7"));
        shorten(&mut same, u32::MAX);
        assert_eq!(same, json!("0x7"));
        let mut line = list(&|lane| json!(64 + 4 * lane));
        shorten(&mut line, u32::MAX);
        assert_eq!(line, json!({"from": 64, "by": 4}));
        let part = list(&|lane| if lane < 8 { json!(1) } else { Value::Null });
        let mut shortened = part.clone();
        shorten(&mut shortened, u32::MAX);
        assert_eq!(shortened, part);
    }
}
