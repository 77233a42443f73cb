//! Operations for which lanes of a warp wait for each other, executed for all warps of a gang in
//! place.
//!
//! All lanes of each warp are present, so none waits, and the result depends only on the registers
//! of the warp.
//!
//! This equals [`crate::machine::sync::warp_operation`], which executes the other cases, one warp
//! at a time. `warps_that_do_the_same_again_and_again_leave_what_single_turns_leave`
//! (`simulator/tests/suite/gangs.rs`) compares them.

use crate::internal;
use crate::internal::InternalError;
use crate::lanes::{Gang, LANES, Mask, Registers, Slot, permute};
use crate::lower::{Meeting, ShuffleMode, WarpAction, WarpOperation};
use crate::machine::state::execution::Execution;

impl Execution<'_, '_> {
    /// Executes an operation of all warps. `masks` must hold all lanes that have not ended. Returns
    /// whether it did so; if not, nothing has happened.
    pub(super) fn lanes_meet_in_place(
        &self,
        operation: &WarpOperation,
        gang: &mut Gang<'_, '_>,
        masks: &[Mask],
    ) -> Result<bool, InternalError> {
        let WarpOperation { mask, action } = operation;
        // The mask is the same in all lanes, so that they wait for each other, and none waits for
        // ended ones.
        let named = match mask {
            None => Mask::MAX,
            Some(slot) if slot.is_constant() => {
                let named = self.environment.program.constants.w32.get(slot.index());
                named.ok_or_else(|| internal!("there is no constant {}", slot.index()))?[0]
            }
            Some(_) => return Ok(false),
        };
        let names_all = masks.iter().all(|lanes| lanes & !named == 0);
        let is_redux = matches!(action, WarpAction::Redux { .. });
        if self.observer.is_some() || is_redux && !names_all || action.registers_given() > 1 {
            return Ok(false);
        }
        if *action == WarpAction::Sync {
            return Ok(true);
        }
        if let WarpAction::Shuffle { mode, d, p, a, b, c } = *action {
            shuffle(gang, mode, (b, c), (a, d, p))?;
            return Ok(true);
        }
        for warp in 0..masks.len() {
            let met = gang.lend(warp, |registers, lanes| {
                let mut given = [[0; LANES]];
                let given = &mut given[..action.registers_given()];
                if lanes != 0 {
                    action.give(registers, lanes, given)?;
                    operation.finish(registers, lanes, &Meeting { together: lanes, given })?;
                }
                Ok::<(), InternalError>(())
            });
            met.ok_or_else(|| internal!("a gang has no warp {warp}"))??;
        }
        Ok(true)
    }
}

/// Gives lanes the values of their sources in `a`, and whether those are in range. The sources are
/// read before they are overwritten.
fn shuffle(
    gang: &mut Gang<'_, '_>,
    mode: ShuffleMode,
    (b, c): (Slot, Slot),
    (a, d, p): (Slot, Slot, Option<Slot>),
) -> Result<(), InternalError> {
    let warps = gang.members().len();
    // Usually they are the same in all warps.
    let alike = if b.is_constant() && c.is_constant() { warps } else { 1 };
    let lost = || internal!("a gang of {warps} warps has not as many");
    for first in (0..warps).step_by(alike) {
        let mut part = gang.part(first..first + alike).ok_or_else(lost)?;
        let [b, c] = [b, c].map(|slot| part.of_warp::<u32>(0, slot).map(|(values, _)| values));
        let (sources, inside) = mode.sources(b.ok_or_else(lost)?, c.ok_or_else(lost)?);
        permute(&mut part, a, d, &sources);
        let Some(p) = p else { continue };
        for warp in 0..alike {
            let set = |registers: &mut Registers, lanes| registers.set_predicate(p, lanes, inside);
            part.lend(warp, set).ok_or_else(lost)?;
        }
    }
    Ok(())
}
