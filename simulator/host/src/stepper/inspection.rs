//! Looking at a launch that has stopped: places, call stacks, registers, variables and memory.
//!
//! Nothing here moves the launch.

use std::sync::Arc;

use super::Stepper;
use crate::launch::Launch;
use crate::lower::{Pc, Place, Symbol};
use crate::machine::{Block, Warp};
use crate::names;
use crate::observe::{Pending, width};
use crate::ptx::{Space, Type};

/// One activation of the call stack of a thread.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Activation {
    /// The function's name in the PTX text.
    pub function: Arc<str>,
    /// The next operation in the innermost activation, and the call in the others.
    pub pc: Pc,
}

/// A variable with memory: a shared one of a block, or a global one of the module.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Variable {
    /// Its name in the source.
    pub name: String,
    /// [`Space::Shared`] or [`Space::Global`].
    pub space: Space,
    /// Its address in that space.
    pub address: u64,
    /// Its size in bytes. That of an `extern` array is all of dynamic shared memory.
    pub bytes: u64,
    /// The type of its elements, where the program knows it.
    pub ty: Option<Type>,
}

impl Stepper<'_> {
    /// The shape of the launch.
    pub fn launch(&self) -> Option<&Launch> {
        self.machine.as_ref().map(|machine| &machine.environment().launch)
    }

    /// The launch's kernel by its name in the PTX text.
    pub fn kernel(&self) -> Option<&str> {
        self.program()?.functions.first().map(|kernel| &*kernel.name)
    }

    /// A block; `None` when it has not started or has ended.
    pub fn block(&self, block: u64) -> Option<&Block> {
        self.machine.as_ref()?.block(block)
    }

    /// A warp; `None` when its block has not started or has ended.
    pub fn warp(&self, block: u64, warp: u32) -> Option<&Warp> {
        self.block(block)?.warps.get(warp as usize)
    }

    /// The next operation of a lane. `None` when it has not begun or has exited.
    pub fn pc(&self, block: u64, warp: u32, lane: usize) -> Option<Pc> {
        Some(self.warp(block, warp)?.fragment_of(lane)?.pc)
    }

    /// Where a lane is: its next instruction. `None` when it has exited.
    pub fn place(&self, block: u64, warp: u32, lane: usize) -> Option<&Place> {
        self.program()?.places.get(self.pc(block, warp, lane)? as usize)
    }

    /// The call stack of a lane, from the function it is in to the kernel. Empty when it has not
    /// begun or has exited.
    ///
    /// ```
    /// # use warpsim::host::{Device, Launch, Simulator};
    /// let text = ".version 7.0 .target sm_70 .address_size 64
    ///     .func f() { ret; }
    ///     .entry k() { call f; ret; }";
    /// # let mut gpu = Simulator::default();
    /// # let module = gpu.load(&warpsim::ptx::parse("k.ptx", text)?)?;
    /// let mut stepper = gpu.stepper(module, "k", &Launch::new(1, 32), &[])?;
    /// stepper.step();
    /// let stack = stepper.call_stack(0, 0, 3);
    /// let names: Vec<&str> = stack.iter().map(|activation| &*activation.function).collect();
    /// assert_eq!(names, ["f", "k"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn call_stack(&self, block: u64, warp: u32, lane: usize) -> Vec<Activation> {
        let (Some(program), Some(warp)) = (self.program(), self.warp(block, warp)) else {
            return Vec::new();
        };
        let Some(fragment) = warp.fragment_of(lane) else { return Vec::new() };
        let mut stack = Vec::new();
        let mut at = Some((fragment.frame, fragment.pc));
        while let Some((frame, pc)) = at {
            let Some(frame) = warp.frames.get(usize::from(frame)) else { break };
            let Some(function) = program.functions.get(frame.function) else { break };
            stack.push(Activation { function: Arc::clone(&function.name), pc });
            at = frame.caller.map(|caller| (caller, frame.call));
        }
        stack
    }

    /// The shared variables of the program, and the module's global ones, by their names in the
    /// source.
    pub fn variables(&self) -> Vec<Variable> {
        let Some(machine) = self.machine.as_ref() else { return Vec::new() };
        let shared = machine.environment().program.shared.iter().map(|symbol| Variable {
            name: names::variable(&symbol.name).into_owned(),
            space: Space::Shared,
            address: symbol.address,
            bytes: self.shared_bytes(symbol),
            ty: Some(symbol.ty),
        });
        let global = machine.global().allocations().iter().filter(|a| !a.freed).filter_map(|a| {
            Some(Variable {
                name: names::variable(a.name.as_deref()?).into_owned(),
                space: Space::Global,
                address: a.base,
                bytes: a.bytes,
                ty: None,
            })
        });
        shared.chain(global).collect()
    }

    /// A variable by its name: the name in the PTX text, or the one in the source.
    pub fn variable(&self, name: &str) -> Option<Variable> {
        let all = self.variables();
        let in_source = |name: &str| all.iter().find(|variable| variable.name == name).cloned();
        in_source(name).or_else(|| in_source(&names::variable(name)))
    }

    /// The bytes of a shared variable.
    fn shared_bytes(&self, symbol: &Symbol) -> u64 {
        let Some(machine) = self.machine.as_ref().filter(|_| symbol.size == 0) else {
            return symbol.size;
        };
        let environment = machine.environment();
        let end = environment.program.shared_bytes(environment.launch.shared);
        u64::from(end).saturating_sub(symbol.address)
    }

    /// A block's shared variable as cells of a type, by its name: the name in the PTX text, or that
    /// in the source. `extern` arrays have all of dynamic shared
    /// memory. `None` when the block has not started or has ended, or there is no such variable.
    pub fn shared(&self, block: u64, name: &str, ty: Type) -> Option<Vec<u64>> {
        let memory = &self.block(block)?.common.shared;
        let symbols = &self.program()?.shared;
        let symbol = symbols
            .iter()
            .find(|s| &*s.name == name)
            .or_else(|| symbols.iter().find(|s| names::variable(&s.name) == name))?;
        let end = if symbol.size == 0 { memory.bytes() } else { symbol.address + symbol.size };
        let step = u64::from(width(ty));
        let cells = (end - symbol.address) / step;
        let cell = |i: u64| {
            // The variable need not be aligned to the cells that it is read as.
            let mut bytes = [0; 8];
            memory.read_bytes(symbol.address + i * step, &mut bytes[..step as usize]);
            u64::from_le_bytes(bytes)
        };
        Some((0..cells).map(cell).collect())
    }

    /// Bytes of a block's shared memory; `None` when the block has not started or has ended, or
    /// they are not all in it.
    pub fn shared_memory(&self, block: u64, address: u64, bytes: usize) -> Option<Vec<u8>> {
        let memory = &self.block(block)?.common.shared;
        let end = address.checked_add(bytes as u64)?;
        (end <= memory.bytes()).then(|| {
            let mut out = vec![0; bytes];
            memory.read_bytes(address, &mut out);
            out
        })
    }

    /// Bytes of global memory; `None` when they do not lie in one allocation.
    pub fn global(&self, address: u64, bytes: usize) -> Option<Vec<u8>> {
        let memory = self.machine.as_ref()?.global();
        let allocation = memory.find_ref(address, bytes as u64).ok()?;
        let mut out = vec![0; bytes];
        allocation.pages.read_bytes(address - allocation.base, &mut out);
        Some(out)
    }

    /// The stores of a warp whose values are still only in registers.
    pub fn pending(&self, block: u64, warp: u32) -> Vec<Pending> {
        self.trace.pending(block, warp)
    }
}
