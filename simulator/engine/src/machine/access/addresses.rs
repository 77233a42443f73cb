//! The addresses that the lanes of a warp access, and their state spaces (PTX ISA 5.1, 6.4.1
//! "Addresses as Operands").
//!
//! A generic address lies in a window of a state space. One instruction with generic addresses
//! becomes one access for each space that its lanes name.

use crate::lanes::{LANES, Mask, lanes_of};
use crate::lower::{Base, Pc, Target, window};
use crate::machine::state::frame::{Frame, FrameId};
use crate::ptx::Space;

/// An address for each lane; inactive lanes hold arbitrary values.
pub(in crate::machine) type Addresses = [u64; LANES];

/// Who accesses, and at which operation.
#[derive(Clone, Copy, Debug)]
pub(in crate::machine) struct By {
    /// The activation.
    pub frame: FrameId,
    /// The lanes.
    pub active: Mask,
    /// The operation.
    pub pc: Pc,
}

/// The addresses that a target names.
pub(in crate::machine) fn addresses_of(target: &Target, frame: &Frame) -> Addresses {
    let offset = target.offset as u64;
    match target.base {
        Base::Absolute | Base::FrameParam => [offset; LANES],
        Base::Frame => [u64::from(frame.local_base).wrapping_add(offset); LANES],
        Base::W32(slot) => {
            let base = frame.registers.w32(slot);
            std::array::from_fn(|lane| u64::from(base[lane].wrapping_add(offset as u32)))
        }
        Base::W64(slot) => {
            let base = frame.registers.w64(slot);
            let sums = std::array::from_fn(|lane| base[lane].wrapping_add(offset));
            if is_narrow(target.space) { sums.map(narrow) } else { sums }
        }
    }
}

/// Whether the hardware computes addresses of a state space with 32 bits. It does so where an
/// instruction names shared, local, constant or parameter memory. Measured on an H100 at levels 0
/// and 4 of its driver: garbage in the upper half of a register changes nothing, and sums with an
/// offset wrap around. Generic and global addresses use all bits.
fn is_narrow(space: Option<Space>) -> bool {
    match space {
        Some(Space::Shared | Space::Local | Space::Const | Space::Param) => true,
        Some(Space::Global | Space::Tex) | None => false,
    }
}

/// The low half of an address. An address below the beginning of a space stays a number below 0, as
/// messages show it.
fn narrow(address: u64) -> u64 {
    i64::from(address as i32) as u64
}

/// A state space, and where it begins among the addresses in use.
pub(in crate::machine) type Window = (Space, u64);

/// The window that a generic address lies in.
fn generic_window(address: u64) -> Window {
    match address {
        a if a.wrapping_sub(window::SHARED) < window::SIZE => (Space::Shared, window::SHARED),
        a if a.wrapping_sub(window::LOCAL) < window::SIZE => (Space::Local, window::LOCAL),
        a if a.wrapping_sub(window::CONST) < window::SIZE => (Space::Const, window::CONST),
        a if a.wrapping_sub(window::PARAM) < window::SIZE => {
            let (space, base) = param_window(a.wrapping_sub(window::PARAM));
            (space, window::PARAM + base)
        }
        _ => (Space::Global, 0),
    }
}

/// Where an address of the `.param` space from a register leads: to a parameter of the kernel, or
/// to a function's, whose copy lies in the thread's local memory.
fn param_window(address: u64) -> Window {
    match address {
        0..window::KERNEL_PARAM => (Space::Local, 0),
        _ => (Space::Param, window::KERNEL_PARAM),
    }
}

/// The state space of a generic address, and the address in it.
pub(in crate::machine) fn of_generic(address: u64) -> (Space, u64) {
    let (space, base) = generic_window(address);
    (space, address.wrapping_sub(base))
}

/// The state space of a generic address.
pub fn space_of(address: u64) -> Space {
    generic_window(address).0
}

/// The state space of an access, if the instruction alone determines it.
pub(in crate::machine) fn named_space(target: &Target) -> Option<Space> {
    let in_register = matches!(target.base, Base::W32(_) | Base::W64(_));
    target.space.filter(|space| *space != Space::Param || !in_register)
}

/// The window of an address of an access whose instruction does not name its space.
#[inline]
pub(in crate::machine) fn window_of(target: &Target, address: u64) -> Window {
    if target.space.is_none() { generic_window(address) } else { param_window(address) }
}

/// Whether kernels can only read the memory of an access. Only a generic address leads there: a
/// store cannot name these spaces.
pub(in crate::machine) fn is_read_only(target: &Target, space: Space) -> bool {
    matches!(space, Space::Const | Space::Param | Space::Tex) && target.base != Base::FrameParam
}

/// Splits the lanes of an access by the state space of their addresses, and makes the addresses
/// relative to the space.
pub(in crate::machine) fn by_space(
    target: &Target,
    addresses: &Addresses,
    mask: Mask,
) -> impl Iterator<Item = (Space, Mask, Addresses)> {
    let window_of = |address| window_of(target, address);
    let mut rest = mask;
    std::iter::from_fn(move || {
        if rest == 0 {
            return None;
        }
        let (space, base) = window_of(addresses[rest.trailing_zeros() as usize]);
        let same = lanes_of(rest).filter(|lane| window_of(addresses[*lane]) == (space, base));
        let mask = same.fold(0, |mask, lane| mask | 1 << lane);
        rest &= !mask;
        Some((space, mask, addresses.map(|a| a.wrapping_sub(base))))
    })
}

/// The lowest of some lanes, with the state space that it accesses and the address in it.
pub(in crate::machine) fn lowest_address(
    target: &Target,
    frame: &Frame,
    active: Mask,
) -> Option<(usize, Space, u64)> {
    let lane = lanes_of(active).next()?;
    let address = addresses_of(target, frame)[lane];
    Some(match named_space(target) {
        Some(space) => (lane, space, address),
        None => {
            let (space, base) = window_of(target, address);
            (lane, space, address.wrapping_sub(base))
        }
    })
}
