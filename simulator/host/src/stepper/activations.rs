//! Looking at the activations of a thread's call stack: registers, local memory, and parameters.
//!
//! Activations are counted from the innermost, which is 0. Nothing here moves the launch.

use std::sync::Arc;

use super::{RegisterValue, Stepper};
use crate::lower::Function;
use crate::machine::{Frame, space_of};
use crate::ptx::Space;
use warpsim_engine::lower::window;

/// A `.local` variable of an activation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LocalVariable {
    /// Its address in the thread's local memory.
    pub address: u64,
    /// Its size in bytes.
    pub bytes: u64,
}

impl Stepper<'_> {
    /// What a lane's register holds, by its name in the text. `None` when there is no such register
    /// in the function that the lane is in, or it has exited.
    pub fn register(
        &self,
        block: u64,
        warp: u32,
        lane: usize,
        name: &str,
    ) -> Option<RegisterValue> {
        self.register_in(block, warp, lane, 0, name)
    }

    /// The same for an activation of the lane's call stack.
    pub fn register_in(
        &self,
        block: u64,
        warp: u32,
        lane: usize,
        level: usize,
        name: &str,
    ) -> Option<RegisterValue> {
        let (function, frame) = self.activation(block, warp, lane, level)?;
        let register = function.registers.iter().find(|r| &*r.name == name)?;
        Some(RegisterValue::read(&frame.registers, register, lane))
    }

    /// The registers of an activation of a lane's call stack, and what they hold.
    ///
    /// ```
    /// # use warpsim::host::{Device, Launch, Simulator};
    /// let text = ".version 7.0 .target sm_70 .address_size 64
    ///     .func f() { .reg .u32 %a; mov.u32 %a, 1; ret; }
    ///     .entry k() { .reg .u32 %a; mov.u32 %a, 2; call f; ret; }";
    /// # let mut gpu = Simulator::default();
    /// # let module = gpu.load(&warpsim::ptx::parse("k.ptx", text)?)?;
    /// let mut stepper = gpu.stepper(module, "k", &Launch::new(1, 32), &[])?;
    /// stepper.go_to(3);
    /// let a = |level| stepper.registers_of(0, 0, 5, level).first().map(|(_, value)| value.bits);
    /// assert_eq!([a(0), a(1), a(2)], [Some(1), Some(2), None]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn registers_of(
        &self,
        block: u64,
        warp: u32,
        lane: usize,
        level: usize,
    ) -> Vec<(Arc<str>, RegisterValue)> {
        let activation = self.activation(block, warp, lane, level);
        let Some((function, frame)) = activation else { return Vec::new() };
        let value = |register| RegisterValue::read(&frame.registers, register, lane);
        function.registers.iter().map(|r| (Arc::clone(&r.name), value(r))).collect()
    }

    /// The function of an activation, and the activation.
    fn activation(
        &self,
        block: u64,
        warp: u32,
        lane: usize,
        level: usize,
    ) -> Option<(&Function, &Frame)> {
        let warp = self.warp(block, warp)?;
        let mut frame = warp.frames.get(usize::from(warp.fragment_of(lane)?.frame))?;
        for _ in 0..level {
            frame = warp.frames.get(usize::from(frame.caller?))?;
        }
        Some((self.program()?.functions.get(frame.function)?, frame))
    }

    /// A `.local` variable of an activation of a lane's call stack, by its name in the text.
    pub fn local_variable(
        &self,
        block: u64,
        warp: u32,
        lane: usize,
        level: usize,
        name: &str,
    ) -> Option<LocalVariable> {
        let (function, frame) = self.activation(block, warp, lane, level)?;
        let symbol = function.locals.iter().find(|symbol| &*symbol.name == name)?;
        let address = u64::from(frame.local_base) + symbol.address;
        Some(LocalVariable { address, bytes: symbol.size })
    }

    /// Where the local memory of an activation of a lane's call stack begins.
    pub fn local_base(&self, block: u64, warp: u32, lane: usize, level: usize) -> Option<u64> {
        let (_, frame) = self.activation(block, warp, lane, level)?;
        Some(u64::from(frame.local_base))
    }

    /// Bytes of a lane's local memory; `None` when it has not begun or has exited, or the bytes lie
    /// beyond its activations.
    pub fn local_memory(
        &self,
        block: u64,
        warp: u32,
        lane: usize,
        address: u64,
        bytes: usize,
    ) -> Option<Vec<u8>> {
        let (_, innermost) = self.activation(block, warp, lane, 0)?;
        let end = address.checked_add(bytes as u64)?;
        (end <= u64::from(innermost.top(lane))).then(|| {
            let mut out = vec![0; bytes];
            if let Some(warp) = self.warp(block, warp) {
                warp.local.read_bytes(lane, address, &mut out);
            }
            out
        })
    }

    /// Bytes of the kernel's parameters; `None` when they are not all there.
    pub fn parameter_memory(&self, offset: u64, bytes: usize) -> Option<Vec<u8>> {
        let environment = self.machine.as_ref()?.environment();
        let end = offset.checked_add(bytes as u64)?;
        (end <= u64::from(environment.program.parameter_bytes)).then(|| {
            let mut out = vec![0; bytes];
            environment.parameters.read_bytes(offset, &mut out);
            out
        })
    }

    /// The state space of a generic address, and the address in it.
    pub fn space_of(&self, address: u64) -> (Space, u64) {
        let base = match space_of(address) {
            Space::Shared => window::SHARED,
            Space::Local => window::LOCAL,
            Space::Const => window::CONST,
            Space::Param => window::PARAM + window::KERNEL_PARAM,
            Space::Global | Space::Tex => return (Space::Global, address),
        };
        (space_of(address), address - base)
    }
}
