//! Launches, data and schedules as proptest strategies, for tests written with proptest.
//!
//! ```
//! use proptest::prelude::*;
//! use warpsim::property::{buffer, buffers, launch, launch_shapes, schedules};
//!
//! proptest!(|(launch in launch_shapes(launch().blocks(1..=4).threads(1..=64)),
//!             schedule in schedules(),
//!             cells in buffers(buffer::<i32>().lengths(0..=9).any(), launch()))| {
//!     prop_assert!(launch.grid[0] <= 4 && cells.len() < 10);
//!     prop_assert!(schedule.parse::<Box<dyn warpsim::schedule::Schedule>>().is_ok());
//! });
//! ```

use std::sync::Arc;

use proptest::prelude::{Just, any};
use proptest::strategy::{NewTree, Strategy};
use proptest::test_runner::{Reason, TestRunner};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use crate::argument::{ArgumentChoice, Buffers};
use crate::case::{Case, Cells, Value};
use crate::drawing::draw::Inputs;
use crate::drawing::element::Element;
use crate::drawing::shrink::CaseTree;
use crate::host::Launch;
use crate::launch::LaunchShapes;

impl Strategy for Inputs {
    type Tree = CaseTree;
    type Value = Case;

    fn new_tree(&self, runner: &mut TestRunner) -> NewTree<Inputs> {
        // A separate generator, so that what one case draws does not depend on another's size.
        let mut random = ChaCha8Rng::seed_from_u64(runner.rng().next_u64());
        let inputs = Arc::new(self.clone());
        let rejected = |mistake: crate::Mistake| Reason::from(mistake.to_string());
        let draw = inputs.draw(&mut random).map_err(rejected)?;
        let case = inputs.resolve(&draw).map_err(rejected)?;
        Ok(CaseTree::new(inputs, draw, case))
    }
}

/// Launches and the data for them, drawn and made smaller together. The arguments belong to the
/// kernel, in order.
pub fn cases(
    launch: LaunchShapes,
    arguments: impl IntoIterator<Item = ArgumentChoice>,
) -> impl Strategy<Value = Case> {
    Inputs { launch, arguments: arguments.into_iter().collect() }
}

/// Launches.
pub fn launch_shapes(launch: LaunchShapes) -> impl Strategy<Value = Launch> {
    cases(launch, []).prop_map(|case| case.launch)
}

/// The contents of a buffer, for launches of these shapes. The smallest shape matters if the length
/// follows the launch and there is no launch. In that case give the shape of one launch.
pub fn buffers<T: Element>(
    buffers: Buffers<T>,
    launch: LaunchShapes,
) -> impl Strategy<Value = Vec<T>> {
    let cells = |case: Case| match case.arguments.into_iter().next() {
        Some(Value::Buffer(Cells { bits, .. })) => bits.into_iter().map(T::from_bits).collect(),
        _ => Vec::new(),
    };
    cases(launch, [buffers.into()]).prop_map(cells)
}

/// Schedules, as they print; `in-order` is the simplest, the
/// adversarial ones come next.
pub fn schedules() -> impl Strategy<Value = String> {
    let fixed = |text: &str| Just(text.to_owned());
    proptest::prop_oneof![
        fixed("in-order"),
        fixed("reverse"),
        fixed("adversarial"),
        fixed("adversarial:back"),
        any::<u32>().prop_map(|seed| format!("random:{seed}")),
        any::<u32>().prop_map(|seed| format!("pct:{seed}")),
    ]
}
