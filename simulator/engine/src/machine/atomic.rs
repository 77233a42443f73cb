//! Atomic operations (PTX ISA 9.7.13.5 `atom`, 9.7.13.7 `red`).
//!
//! Lanes of one instruction take their turns in ascending order. What is done to a value says
//! [`crate::lower::AtomicOperation::apply`].

use super::access::{Addresses, By, addresses_of, by_space, named_space, take};
use super::stage::Stage;
use super::stop::Stop;
use super::warp::Warp;
use crate::lanes::{Word, lanes_of};
use crate::lower::Atomic;
use crate::observe::AccessKind;
use crate::ptx::Space;

impl Stage<'_, '_> {
    /// Executes `atom` or `red`.
    pub(super) fn atomic(&mut self, warp: &mut Warp, atomic: &Atomic, by: By) -> Result<(), Stop> {
        let found = addresses_of(&atomic.target, &warp.frames[usize::from(by.frame)]);
        match named_space(&atomic.target) {
            Some(space) => self.atomic_in(warp, atomic, by, space, &found),
            None => by_space(&atomic.target, &found, by.active).try_for_each(
                |(space, active, found)| {
                    self.atomic_in(warp, atomic, By { active, ..by }, space, &found)
                },
            ),
        }
    }

    fn atomic_in(
        &mut self,
        warp: &mut Warp,
        atomic: &Atomic,
        by: By,
        space: Space,
        found: &Addresses,
    ) -> Result<(), Stop> {
        self.admit(warp, &atomic.target, by, space, found, AccessKind::Atomic)?;
        let width = atomic.target.width;
        let registers = &warp.frames[usize::from(by.frame)].registers;
        let b = take(registers, atomic.b, atomic.wide);
        let c = atomic.c.map(|c| take(registers, c, atomic.wide)).unwrap_or_default();
        let flush = space == Space::Global;
        for lane in lanes_of(by.active) {
            let one = 1 << lane;
            let old = self.read(warp, space, found, one, width)[lane];
            let new = atomic.operation.apply(atomic.ty, old, b[lane], c[lane], flush);
            let mut values = [0; crate::lanes::LANES];
            values[lane] = new;
            self.write(warp, space, found, one, width, &values);
            if let Some(d) = atomic.destination {
                let registers = &mut warp.frames[usize::from(by.frame)].registers;
                if atomic.wide {
                    u64::write(registers, d)[lane] = old;
                } else {
                    u32::write(registers, d)[lane] = old as u32;
                }
            }
        }
        Ok(())
    }
}
