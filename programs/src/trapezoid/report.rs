//! The results of the five ways, the results of the first under other schedules, and the number of
//! lanes that are idle while the others add.

use warpsim::host::{Device, Simulator};
use warpsim::report::Counts;

use super::addressing;
use super::{POINTS, PROGRAM, WHOLE, integrate};
use crate::columns::columns;
use crate::program::{Asked, Form, RunError};

/// Schedules under which the first way is run.
const SCHEDULES: [&str; 5] = ["in-order", "reverse", "random:1", "random:2", "random:3"];
/// The most points for schedules that go lane by lane.
const FEW: i32 = 2048;

/// What the program finds out about itself.
pub(super) fn report(device: &mut dyn Device, asked: &Asked) -> Result<String, RunError> {
    let n = asked.n.map_or(POINTS, |n| n as i32);
    let module = device.load(&PROGRAM.module(Form::Optimised)?)?;
    let mut sums = vec![words(["variant", "integral", "off by"])];
    let mut costs =
        vec![words(["variant", "branches", "divergent", "instructions of warps", "lanes idle"])];
    for variant in PROGRAM.variants {
        let right = right(n);
        let (integral, counts) = integrate(device, module, variant, n)?;
        let off = (integral - right).abs();
        sums.push(vec![variant.name.to_owned(), format!("{integral:.12}"), format!("{off:.0e}")]);
        if variant.name != WHOLE && counts.warp_instructions > 0 {
            costs.push(cost(variant.name, counts));
        }
    }
    let mut text = format!("{n} points on {}:\n\n{}", device.name(), columns(&sums));
    text += &format!("\n{}", under_schedules(n.min(FEW))?);
    if costs.len() > 1 {
        text += &format!("\nadding up {n} numbers:\n\n{}", columns(&costs));
        text += &format!("\n{}", addressing::table(n as usize)?);
    }
    Ok(text)
}

/// The right integral at this many points.
fn right(n: i32) -> f64 {
    let [first, ..] = PROGRAM.variants else { return f64::NAN };
    PROGRAM.oracle(first, &[n]).floats().iter().sum()
}

fn words<const N: usize>(words: [&str; N]) -> Vec<String> {
    words.map(str::to_owned).to_vec()
}

/// How many lanes were idle while an instruction of their warp was executed, and how often lanes
/// diverged at a branch.
fn cost(name: &str, counts: Counts) -> Vec<String> {
    let slots = 32 * counts.warp_instructions;
    let idle = slots.saturating_sub(counts.lane_instructions);
    vec![
        name.to_owned(),
        counts.branches.to_string(),
        counts.divergent_branches.to_string(),
        counts.warp_instructions.to_string(),
        format!("{:.1} %", 100.0 * idle as f64 / slots as f64),
    ]
}

/// Without a wait the result depends on which thread comes first.
fn under_schedules(n: i32) -> Result<String, RunError> {
    let Some(variant) = PROGRAM.variant(WHOLE) else {
        return Err(RunError::NothingToTell("a variant over the whole grid"));
    };
    let module = PROGRAM.module(Form::Optimised)?;
    let mut rows = vec![words(["schedule", "integral"])];
    for schedule in SCHEDULES {
        let mut simulator = Simulator::default();
        let parsed = schedule.parse();
        simulator.settings_mut().schedule =
            parsed.map_err(|_| RunError::NothingToTell("a schedule of this name"))?;
        let module = simulator.load(&module)?;
        let (integral, _) = integrate(&mut simulator, module, variant, n)?;
        rows.push(vec![schedule.to_owned(), format!("{integral:.12}")]);
    }
    Ok(format!(
        "{WHOLE} under schedules of the simulator, {n} points ({:.12} is right):\n\n{}",
        right(n),
        columns(&rows)
    ))
}
