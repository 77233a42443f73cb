//! The parameters of kernels and functions (PTX ISA 5.1.6): their places, and the copies of
//! parameters whose address is taken.
//!
//! A function's parameter whose address is taken lives in local memory, and the function accesses
//! it there. Its address is an address of local memory, also where `ld.param` or `cvta.param` takes
//! it. A kernel's parameters are at addresses that local memory does not have
//! ([`window::KERNEL_PARAM`](crate::lower::module::placement::window::KERNEL_PARAM)).

use crate::lower::operations::access::{Base, Load, Store, Target};
use crate::lower::operations::operand::Home;
use std::sync::Arc;

use super::error::{LowerError, LowerErrorKind};
use super::function::{CopiedParam, Current, FunctionLowering};
use super::program::*;
use super::scope::{Location, Variable};
use crate::internal;
use crate::lower::module::layout::Packing;
use crate::lower::operations::operation::*;
use crate::ptx::{self, Space, Type};

impl<'m> FunctionLowering<'m, '_> {
    pub(super) fn kernel_parameters(&mut self) -> Result<(), LowerError> {
        let mut packing = Packing::default();
        for parameter in &self.function.params {
            let (size, align) = parameter_shape(parameter)?;
            let offset = packing.add(size, align);
            let (location, element) = (Location::Absolute(offset), parameter.ty.bytes());
            let variable = Variable { space: Space::Param, location, size, element };
            let name = &parameter.name;
            self.scopes.declare_variable(&name.text, variable, name.span)?;
            let offset = self.fits(packing.end, offset)?;
            let name = Arc::clone(&name.text);
            let size = size as u32;
            self.kernel_parameters.push(KernelParameter { name, ty: parameter.ty, offset, size });
        }
        Ok(())
    }

    pub(super) fn function_parameters(&mut self) -> Result<(), LowerError> {
        for parameter in &self.function.returns {
            let homes = self.parameter(parameter)?;
            self.returns.extend(homes);
        }
        for parameter in &self.function.params {
            let homes = self.parameter(parameter)?;
            self.params.extend(homes);
        }
        Ok(())
    }

    /// Where a parameter arrives: one place, or one for each element of a vector register.
    fn parameter(&mut self, parameter: &'m ptx::Parameter) -> Result<Vec<Home>, LowerError> {
        let name = &parameter.name;
        if parameter.register {
            if parameter.ty == Type::B128 {
                let what = format!(".reg .b128 {}", name.text);
                let reason = "NVIDIA's assembler takes no such parameter; write `.param .b128`";
                return Err(self.unsupported(what, reason, name.span));
            }
            self.scopes.declare_register(name, parameter.ty, None, parameter.vector)?;
            let slots = self.registers_named(&name.text)?;
            return Ok(slots.into_iter().map(|slot| Home::of(parameter.ty, slot)).collect());
        }
        let (size, align) = parameter_shape(parameter)?;
        let offset = self.param_bytes(size, align)?;
        let location = Location::FrameParam(offset);
        let element = parameter.ty.bytes();
        let variable = Variable { space: Space::Param, location, size, element };
        self.scopes.declare_variable(&name.text, variable, name.span)?;
        Ok(vec![Home::Param { offset, size: size as u32 }])
    }

    /// The place in local memory of the copy of a parameter whose address is taken (PTX ISA
    /// 9.7.9.4, `mov`); `None` when it is no parameter of this function.
    pub(super) fn copied_param(
        &mut self,
        from: u32,
        variable: &Variable,
    ) -> Result<Option<u32>, LowerError> {
        let home = Home::Param { offset: from, size: variable.size as u32 };
        if !self.params.contains(&home) {
            return Ok(None);
        }
        let known = |c: &&CopiedParam| c.from == from && u64::from(c.size) == variable.size;
        if let Some(known) = self.copied_params.iter().find(known) {
            return Ok(Some(known.to));
        }
        let size = variable.size;
        let declared =
            |p: &&ptx::Parameter| !p.register && parameter_shape(p).is_ok_and(|s| s.0 == size);
        let aligns = self.function.params.iter().filter(declared).filter_map(|p| p.align);
        let align = aligns.max().unwrap_or(16).into();
        let address = self.reserve_local(size, u64::max(align, 16));
        let to = self.fits(self.local.end, address)?;
        self.copied_params.push(CopiedParam { from, to, size: size as u32 });
        Ok(Some(to))
    }

    /// Refuses a call that passes on a copied parameter.
    fn refuse_passing_on(
        &self,
        arguments: &[Home],
        results: &[Home],
        copied: &[CopiedParam],
    ) -> Result<(), LowerError> {
        let mut homes = arguments.iter().chain(results);
        if !homes.any(|home| copied.iter().any(|c| c.is_at(*home))) {
            return Ok(());
        }
        let what = format!("a call in {}", self.function.name.text);
        let reason = "it passes on a parameter whose address is taken";
        Err(self.unsupported(what, reason, self.function.name.span))
    }

    /// Puts the copies of parameters before all other operations. Both sides are aligned to the
    /// size of a piece. The body's accesses to such a parameter by its name go to the copy.
    ///
    /// # Errors Such a parameter is passed on unchanged.
    pub(super) fn copy_params(&mut self) -> Result<(), LowerError> {
        let copied = std::mem::take(&mut self.copied_params);
        if copied.is_empty() {
            return Ok(());
        }
        let first = self.places.first().cloned();
        let first = first.ok_or_else(|| internal!("no instruction takes an address"))?;
        let mut body = std::mem::take(&mut self.operations);
        for operation in &mut body {
            match operation.kind.open() {
                Some(Open::Parameter(target)) => redirect(target, &copied),
                Some(Open::Call { arguments, results }) => {
                    self.refuse_passing_on(arguments, results, &copied)?;
                }
                Some(Open::Jump(_)) | None => {}
            }
        }
        self.current = Current::default();
        for CopiedParam { from, to, size } in copied {
            let mut done = 0;
            while done < size {
                let at = (from + done) | (to + done) | (size - done).next_power_of_two();
                let width = 1 << at.trailing_zeros().min((size - done).ilog2()).min(3);
                self.copy_bytes(from + done, to + done, width);
                done += width;
            }
        }
        let added = self.operations.len();
        self.places.splice(0..0, std::iter::repeat_n(first, added));
        self.operations.extend(body);
        self.labels.values_mut().for_each(|at| *at += added);
        self.jumps.iter_mut().for_each(|(at, _)| *at += added);
        Ok(())
    }

    fn copy_bytes(&mut self, from: u32, to: u32, width: u32) {
        let target = |space, base, offset: u32| Target {
            base,
            offset: offset.into(),
            ..Target::weak(Some(space), width, 1)
        };
        let wide = width == 8;
        let slot = self.temporary(if wide { Type::B64 } else { Type::B32 });
        let source = target(Space::Param, Base::FrameParam, from);
        let load = Load { target: source, destinations: vec![Some(slot)], wide, signed: false };
        self.emit(Kind::Load(Box::new(load)));
        let target = target(Space::Local, Base::Frame, to);
        self.emit(Kind::Store(Box::new(Store { target, sources: vec![slot], wide })));
        self.free_temporaries();
    }
}

impl CopiedParam {
    fn is_at(&self, home: Home) -> bool {
        matches!(home, Home::Param { offset, size } if (offset, size) == (self.from, self.size))
    }
}

/// Redirects an access by the name of a copied parameter to its copy.
fn redirect(target: &mut Target, copied: &[CopiedParam]) {
    if target.base != Base::FrameParam {
        return;
    }
    let holds = |c: &&CopiedParam| {
        let offset = target.offset.checked_sub(c.from.into());
        offset.is_some_and(|offset| (0..c.size.into()).contains(&offset))
    };
    if let Some(copy) = copied.iter().find(holds) {
        target.space = Some(Space::Local);
        target.base = Base::Frame;
        target.offset += i64::from(copy.to) - i64::from(copy.from);
    }
}

/// Size and alignment of a parameter in memory.
pub(super) fn parameter_shape(parameter: &ptx::Parameter) -> Result<(u64, u64), LowerError> {
    let name = parameter.name.text.to_string();
    let wrong = |reason: &str| {
        let kind = LowerErrorKind::Variable { name: name.clone(), reason: reason.into() };
        LowerError::at(kind, parameter.span)
    };
    let element = parameter.ty.bytes().ok_or_else(|| wrong("a predicate cannot be passed"))?;
    let count = match parameter.array {
        None => 1,
        Some(count) => count.unwrap_or(0),
    };
    let size = u64::from(element).checked_mul(count).filter(|size| *size < 1 << 24);
    let size = size.ok_or_else(|| wrong("it is too large"))?;
    let align = u64::from(parameter.align.unwrap_or(element));
    if !align.is_power_of_two() {
        return Err(wrong("its alignment is no power of two"));
    }
    Ok((size, align))
}
