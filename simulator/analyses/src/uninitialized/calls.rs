//! Calls and returns: fresh activations, and the undefined bytes of arguments and results.

use warpsim_language::internal;

use super::origin::OriginId;
use super::registers::Doubt;
use super::warp::Watch;
use crate::lanes::{LANES, Mask, lanes_of};
use crate::lower::{Call, Callee, Home, Kind, Register, Transfer};

impl Watch<'_, '_> {
    /// Lanes enter or leave a function.
    pub(super) fn transfer(&mut self, kind: &Kind) {
        match kind.effect().transfer() {
            Some(Transfer::Call(call)) => self.call(call),
            Some(Transfer::Return) => self.leave(),
            None => {}
        }
    }

    fn call(&mut self, call: &Call) {
        let active = self.event.active;
        match call.callee {
            Callee::Direct(function) => self.enter(call, function, active),
            Callee::Indirect(slot) => {
                let addresses = self.event.registers.w64(slot);
                let known = &self.event.program.function_addresses;
                for lane in lanes_of(active) {
                    let found = known.iter().find(|(address, _)| *address == addresses[lane]);
                    if let Some((_, function)) = found {
                        self.enter(call, *function, 1 << lane);
                    }
                }
            }
        }
    }

    /// The local memory and the registers of an activation hold nothing when it begins. Registers
    /// still count as defined; see the module's documentation.
    fn enter(&mut self, call: &Call, function: usize, lanes: Mask) {
        let found = self.event.program.functions.get(function);
        let missing =
            || internal!("function {function} is called, which the program does not have");
        let Some(function) = self.bug.known(found, missing) else { return };
        let (depth, callee) = (self.depth, self.depth.saturating_add(1));
        let base = self.event.callee_base;
        self.warp.enter(callee, lanes);
        for lane in lanes_of(lanes) {
            let top = base.saturating_add(function.local_bytes);
            self.warp.activation(callee).call[lane] = self.event.pc;
            if let Some(local) = self.warp.local.get_mut(lane) {
                local.forget(base.into(), top.into());
            }
        }
        self.hand_over(depth, &call.arguments, callee, &function.params, lanes);
    }

    fn leave(&mut self) {
        let program = self.event.program;
        // Lanes that return from the kernel go nowhere.
        let (lanes, Some(caller)) = (self.event.active, self.depth.checked_sub(1)) else { return };
        let found = program.functions.get(self.event.function);
        let missing = || internal!("lanes return from a function that the program does not have");
        let Some(function) = self.bug.known(found, missing) else { return };
        let calls: [u32; LANES] = self.warp.activation(self.depth).call;
        for lane in lanes_of(lanes) {
            let call =
                program.operations.get(calls[lane] as usize).map(|operation| &operation.kind);
            let Some(Kind::Call(call)) = call else {
                self.bug.note(internal!("lanes return to {}, where no call is", calls[lane]));
                return;
            };
            let one = 1 << lane;
            self.hand_over(self.depth, &function.returns, caller, &call.results, one);
        }
        self.warp.enter(self.depth, lanes);
        lanes_of(lanes).for_each(|lane| self.warp.depth[lane] = caller);
    }

    fn hand_over(&mut self, from: u16, sources: &[Home], to: u16, targets: &[Home], lanes: Mask) {
        if !self.warp.has_doubts_or_parameters() {
            return;
        }
        for (source, target) in sources.iter().zip(targets) {
            for lane in lanes_of(lanes) {
                let bytes = self.home(from, *source, lane);
                self.set_home(to, *target, lane, &bytes);
            }
        }
    }

    /// Where each byte of a value came from, if it is undefined.
    fn home(&mut self, depth: u16, home: Home, lane: usize) -> Vec<Option<OriginId>> {
        let of_register = |register: Register, bytes: u32| {
            let doubt = self.warp.get(depth, register, lane);
            let missing = doubt.missing(bytes);
            (0..bytes).map(|i| (missing >> i & 1 == 1).then_some(doubt.origin)).collect()
        };
        match home {
            Home::W32(slot, bytes) => of_register(Register::data(slot, false), bytes),
            Home::W64(slot) => of_register(Register::data(slot, true), 8),
            Home::Predicate(slot) => of_register(Register::predicate(slot), 1),
            Home::Param { offset, size } => {
                let parameters = &self.warp.activation(depth).parameters;
                let at = |i: u32| (lane as u8, u64::from(offset) + u64::from(i));
                (0..size).map(|i| parameters.get(&at(i)).copied()).collect()
            }
        }
    }

    fn set_home(&mut self, depth: u16, home: Home, lane: usize, bytes: &[Option<OriginId>]) {
        let register = match home {
            Home::W32(slot, _) => Register::data(slot, false),
            Home::W64(slot) => Register::data(slot, true),
            Home::Predicate(slot) => Register::predicate(slot),
            Home::Param { offset, .. } => {
                let parameters = &mut self.warp.activation(depth).parameters;
                for (i, origin) in bytes.iter().enumerate() {
                    let at = (lane as u8, u64::from(offset) + i as u64);
                    match origin {
                        Some(origin) => parameters.insert(at, *origin),
                        None => parameters.remove(&at),
                    };
                }
                return;
            }
        };
        let undefined = bytes.iter().take(8).enumerate().filter(|(_, origin)| origin.is_some());
        let undefined = undefined.fold(0, |mask, (i, _)| mask | 1 << i);
        let upper = !super::written::all(bytes.len() as u32);
        let filler = upper & super::written::all(register.bytes());
        let origin = bytes.iter().flatten().next().copied().unwrap_or(0);
        self.warp.set(depth, register, lane, Doubt { undefined, filler, origin });
    }
}
