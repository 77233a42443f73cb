//! A module as the driver holds it, and the facts from its text.

use std::ffi::{CStr, CString};
use std::rc::Rc;

use warpsim::host::{
    Argument, DeviceError, Launch, Pointer, check_shape, check_shared, kernel_named,
    packed_arguments, variable_named,
};
use warpsim::ptx::{Item, Module, Space};

use crate::error::GpuError;
use crate::ffi::{FunctionAttribute as A, RawFunction, RawModule, zero_ended};
use crate::gpu::outcome;
use crate::gpu::text::Text;
use crate::jit::JitLevel;

/// A loaded module.
#[derive(Debug)]
pub(super) struct Loaded {
    module: Module,
    raw: Rc<RawModule>,
    /// Where its variables lie: name, address, bytes.
    variables: Vec<(String, Pointer, u64)>,
}

impl Loaded {
    /// Compiles a module's text, and links the texts when there are several.
    pub(super) fn new(module: &Module, texts: &[Text], jit: JitLevel) -> Result<Loaded, GpuError> {
        let raw = Rc::new(match texts {
            [text] => RawModule::load(&zero_ended(&text.ptx)?, jit)?,
            texts => linked(texts, jit)?,
        });
        let variables = variable_names(module)
            .into_iter()
            // The driver's compiler leaves out variables that nothing uses.
            .filter_map(|name| raw.variable(&name).ok().map(|(at, n)| (name, Pointer(at), n)))
            .collect();
        Ok(Loaded { module: module.clone(), raw, variables })
    }

    /// The bytes of a kernel's parameters.
    pub(super) fn packed(
        &self,
        kernel: &str,
        arguments: &[Argument],
    ) -> Result<Vec<u8>, DeviceError> {
        packed_arguments(&self.module, kernel, arguments)
    }

    pub(super) fn function(&self, kernel: &str) -> Result<RawFunction, GpuError> {
        self.raw.function(kernel_named(&self.module, kernel).unwrap_or(kernel))
    }

    /// Where a variable lies.
    pub(super) fn variable(&self, name: &str) -> Result<(Pointer, u64), DeviceError> {
        let name = variable_named(&self.module, name)?;
        if let Some((_, at, bytes)) = self.variables.iter().find(|(known, ..)| known == name) {
            return Ok((*at, *bytes));
        }
        // It is in the text: the driver says why it is not there.
        match self.raw.variable(name) {
            Ok((at, bytes)) => Ok((Pointer(at), bytes)),
            Err(error) => Err(outcome::in_words(&error)),
        }
    }

    /// Whether all these bytes are of one of its variables.
    pub(super) fn holds(&self, pointer: Pointer, bytes: u64) -> bool {
        self.variables.iter().any(|(_, at, size)| {
            let offset = pointer.0.checked_sub(at.0);
            offset.and_then(|o| o.checked_add(bytes)).is_some_and(|end| end <= *size)
        })
    }
}

/// What the driver links of texts.
fn linked(texts: &[Text], jit: JitLevel) -> Result<RawModule, GpuError> {
    let owned = texts.iter().map(|text| Ok((zero_ended(&text.name)?, zero_ended(&text.ptx)?)));
    let owned = owned.collect::<Result<Vec<(CString, CString)>, GpuError>>()?;
    let given: Vec<(&CStr, &CStr)> =
        owned.iter().map(|(name, ptx)| (name.as_c_str(), ptx.as_c_str())).collect();
    RawModule::link(&given, jit, |at, error| match error.code() {
        Some(code) => GpuError::NotLinked {
            files: texts.iter().map(|text| text.name.clone()).collect(),
            refused: at.and_then(|at| texts.get(at)).map(|text| text.name.clone()),
            code,
            words: error.to_string(),
        },
        None => error,
    })
}

/// The module's `.global` and `.const` variables.
fn variable_names(module: &Module) -> Vec<String> {
    let variables = module.items.iter().filter_map(|item| match item {
        Item::Variable(v) if matches!(v.space, Space::Global | Space::Const) => {
            Some(v.name.text.to_string())
        }
        _ => None,
    });
    variables.collect()
}

/// What a GPU's blocks can have at most.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    pub(super) threads_per_block: u32,
    pub(super) shared_per_block: u32,
}

impl Limits {
    /// Refuses shapes that no kernel can be launched with.
    pub(super) fn check(self, launch: &Launch) -> Result<(), DeviceError> {
        check_shape(launch, self.threads_per_block)?;
        check_shared(0, launch.shared, self.shared_per_block)
    }

    /// Refuses what this kernel, as it was compiled, leaves no room for. The rest, such as
    /// `.reqntid`, is the driver's to refuse.
    pub(super) fn check_kernel(
        self,
        function: &RawFunction,
        launch: &Launch,
    ) -> Result<(), DeviceError> {
        let asked = |attribute| function.attribute(attribute).map_err(|e| outcome::in_words(&e));
        check_shared(asked(A::StaticShared)?, launch.shared, self.shared_per_block)?;
        let most = asked(A::ThreadsPerBlock)?;
        let threads: u64 = launch.block.iter().map(|n| u64::from(*n)).product();
        if threads > most.into() {
            let reason = format!(
                "a block of {threads} threads, the kernel's registers or its .maxntid allow {most}"
            );
            return Err(DeviceError::ImpossibleLaunch { reason });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The limits of an H200.
    const LIMITS: Limits = Limits { threads_per_block: 1024, shared_per_block: 227 << 10 };

    #[test]
    fn launches_that_no_kernel_allows_are_refused_with_the_limit() {
        let launch = Launch::new(1, 1024);
        assert_eq!(LIMITS.check(&Launch { shared: 227 << 10, ..launch }), Ok(()));
        let refused = |launch, reason: &str| {
            let reason = reason.to_owned();
            assert_eq!(LIMITS.check(&launch), Err(DeviceError::ImpossibleLaunch { reason }));
        };
        refused(
            Launch { shared: (227 << 10) + 1, ..launch },
            "232449 bytes of shared memory for a block, the most is 232448",
        );
        refused(
            Launch { block: [32, 33, 1], ..launch },
            "a block of 1056 threads, the most is 1024",
        );
        refused(Launch { block: [1, 1, 65], ..launch }, "the block is 65 in z, the most is 64");
        refused(
            Launch { grid: [1, 0, 1], ..launch },
            "the grid has no extent in y: use at least 1",
        );
    }
}
