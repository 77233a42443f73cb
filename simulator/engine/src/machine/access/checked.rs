//! Carries out admitted accesses: reads elements and bytes from a state space, or writes them (PTX
//! ISA 5.1 "State Spaces").
//!
//! [`Execution::admit`], or an equal check, has found that the bytes exist and that the access may
//! use the space. A violation found here is a bug of warpsim, and gives an error rather than a
//! zero.

use super::addresses::Addresses;
use crate::internal;
use crate::internal::InternalError;
use crate::lanes::{LANES, Mask, lanes_of};
use crate::machine::memory::{Values, gather, scatter};
use crate::machine::state::execution::Execution;
use crate::machine::state::warp::Warp;
use crate::ptx::Space;

impl Execution<'_, '_> {
    /// Reads bytes of one lane, wherever they lie. They have been checked.
    pub(in crate::machine) fn read_bytes(
        &mut self,
        warp: &Warp,
        lane: usize,
        space: Space,
        address: u64,
        into: &mut [u8],
    ) -> Result<(), InternalError> {
        match space {
            Space::Shared => self.common.shared.read_bytes(address, into),
            Space::Const => self.environment.constants.read_bytes(address, into),
            Space::Param => self.environment.parameters.read_bytes(address, into),
            Space::Local => warp.local.read_bytes(lane, address, into),
            Space::Global => {
                self.global.note_bytes(address, into.len() as u64);
                let found = self.global.find_ref(address, into.len() as u64);
                let allocation = found.map_err(|_| not_there(address))?;
                allocation.pages.read_bytes(address - allocation.base, into);
            }
            Space::Tex => return Err(not_accessed(space)),
        }
        Ok(())
    }

    /// Reads an element for each lane. The access has been admitted.
    pub(in crate::machine) fn read(
        &mut self,
        warp: &Warp,
        space: Space,
        found: &Addresses,
        mask: Mask,
        width: u32,
    ) -> Result<Values, InternalError> {
        Ok(match space {
            Space::Shared => gather(&self.common.shared, found, mask, width),
            Space::Const => gather(&self.environment.constants, found, mask, width),
            Space::Param => gather(&self.environment.parameters, found, mask, width),
            Space::Local => {
                let read = |lane| warp.local.read(lane, found[lane], width);
                std::array::from_fn(|lane| if mask >> lane & 1 == 1 { read(lane) } else { 0 })
            }
            Space::Global => return self.read_global(found, mask, width),
            Space::Tex => return Err(not_accessed(space)),
        })
    }

    /// Writes an element for each lane. The access has been admitted.
    pub(in crate::machine) fn write(
        &mut self,
        warp: &mut Warp,
        space: Space,
        found: &Addresses,
        mask: Mask,
        width: u32,
        values: &Values,
    ) -> Result<(), InternalError> {
        match space {
            Space::Shared => scatter(&mut self.common.shared, found, mask, width, values),
            Space::Local => lanes_of(mask)
                .for_each(|lane| warp.local.write(lane, found[lane], width, values[lane])),
            Space::Global => return self.write_global(found, mask, width, values),
            Space::Const | Space::Param | Space::Tex => return Err(not_accessed(space)),
        }
        Ok(())
    }

    /// Reads an element for one lane. The access has been admitted.
    pub(in crate::machine) fn read_lane(
        &mut self,
        warp: &Warp,
        space: Space,
        (lane, address): (usize, u64),
        width: u32,
    ) -> Result<u64, InternalError> {
        Ok(match space {
            Space::Shared => self.common.shared.read(address, width),
            Space::Const => self.environment.constants.read(address, width),
            Space::Param => self.environment.parameters.read(address, width),
            Space::Local => warp.local.read(lane, address, width),
            Space::Global => {
                let found = self.global.find(address, u64::from(width));
                let allocation = found.map_err(|_| not_there(address))?;
                allocation.pages.read(address - allocation.base, width)
            }
            Space::Tex => return Err(not_accessed(space)),
        })
    }

    /// Writes an element for one lane. The access has been admitted.
    pub(in crate::machine) fn write_lane(
        &mut self,
        warp: &mut Warp,
        space: Space,
        (lane, address): (usize, u64),
        width: u32,
        value: u64,
    ) -> Result<(), InternalError> {
        match space {
            Space::Shared => self.common.shared.write(address, width, value),
            Space::Local => warp.local.write(lane, address, width, value),
            Space::Global => {
                let found = self.global.find(address, u64::from(width));
                let allocation = found.map_err(|_| not_there(address))?;
                allocation.pages.write(address - allocation.base, width, value);
            }
            Space::Const | Space::Param | Space::Tex => return Err(not_accessed(space)),
        }
        Ok(())
    }

    fn read_global(
        &mut self,
        found: &Addresses,
        mask: Mask,
        width: u32,
    ) -> Result<Values, InternalError> {
        let mut out = [0; LANES];
        let mut rest = mask;
        while rest != 0 {
            let first = found[rest.trailing_zeros() as usize];
            let allocation = self.global.find(first, u64::from(width));
            let allocation = allocation.map_err(|_| not_there(first))?;
            let (here, offsets) = within(found, rest, allocation.base, allocation.bytes);
            let values = gather(&allocation.pages, &offsets, here, width);
            if here == mask {
                return Ok(values);
            }
            lanes_of(here).for_each(|lane| out[lane] = values[lane]);
            rest &= !here;
        }
        Ok(out)
    }

    fn write_global(
        &mut self,
        found: &Addresses,
        mask: Mask,
        width: u32,
        values: &Values,
    ) -> Result<(), InternalError> {
        let mut rest = mask;
        while rest != 0 {
            let first = found[rest.trailing_zeros() as usize];
            let allocation = self.global.find(first, u64::from(width));
            let allocation = allocation.map_err(|_| not_there(first))?;
            let (here, offsets) = within(found, rest, allocation.base, allocation.bytes);
            scatter(&mut allocation.pages, &offsets, here, width, values);
            rest &= !here;
        }
        Ok(())
    }
}

/// An access to global memory has been admitted, but no allocation has the address.
#[cold]
fn not_there(address: u64) -> InternalError {
    internal!("an admitted access to {address:#x}, where no memory is")
}

/// An access to a space that no such access can reach has been admitted.
#[cold]
fn not_accessed(space: Space) -> InternalError {
    internal!("an admitted access to .{}", space.keyword())
}

/// The lanes of `mask` whose address lies in an allocation, and all offsets into it.
#[inline(always)]
fn within(found: &Addresses, mask: Mask, base: u64, bytes: u64) -> (Mask, Addresses) {
    let mut offsets = [0; LANES];
    let mut here = 0;
    for lane in 0..LANES {
        offsets[lane] = found[lane].wrapping_sub(base);
        here |= ((offsets[lane] < bytes) as u32) << lane;
    }
    (here & mask, offsets)
}
