//! Links a program: puts the operations of the kernel and of the functions that it can reach into
//! one vector.

use crate::lower::operations::operand::{EXIT, Pc};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::error::{LowerError, LowerErrorKind};
use super::function::{Lowered, Surroundings, lower_function};
use super::program::*;
use crate::isa::ImpliedModifiers;
use crate::lower::module::placement::Placement;
use crate::lower::module::reach::Reachable;
use crate::lower::module::shared::SharedLayout;
use crate::lower::module::symbols::Symbols;
use crate::lower::operations::again::Again;
use crate::lower::operations::call_stack;
use crate::lower::operations::constants::ConstantBank;
use crate::lower::operations::diamond::Diamonds;
use crate::lower::operations::operation::*;
use crate::lower::operations::run::Runs;
use crate::ptx::{Function as Written, Module, SourceMap, Span};

/// Lowers a kernel and the functions that it can reach. The rest of the module is ignored, so an
/// unsupported instruction in a function that is not called does no harm.
///
/// # Examples
///
/// ```
/// use warpsim_engine::lower::{Kind, Placement, lower};
///
/// let text = ".version 7.0\n.target sm_80\n.address_size 64\n\
///             .entry k() { .reg .u32 %r<2>; mov.u32 %r1, %laneid; ret; }";
/// let module = warpsim::ptx::parse("k.ptx", text)?;
/// let program = lower(&module, "k", &Placement::default())?;
/// assert!(matches!(program.operations[0].kind, Kind::Special32(..)));
/// assert!(matches!(program.operations[1].kind, Kind::Return));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// [`LowerErrorKind`]: invalid PTX, or PTX that warpsim does not support, anywhere in those
/// functions.
pub fn lower(module: &Module, kernel: &str, placement: &Placement) -> Result<Program, LowerError> {
    lower_kernel(module, kernel, placement).map_err(|e| e.in_source(&module.source))
}

fn lower_kernel(
    module: &Module,
    kernel: &str,
    placement: &Placement,
) -> Result<Program, LowerError> {
    if let Some(bits) = module.address_size.filter(|bits| *bits != 64) {
        return Err(LowerError::at(LowerErrorKind::AddressSize(bits), Span::default()));
    }
    let symbols = Symbols::new(module)?;
    let undeclared = || LowerErrorKind::Undeclared(kernel.into());
    let entry = symbols.function(kernel).filter(|f| f.is_entry && f.body.is_some());
    let entry = entry.ok_or_else(|| LowerError::at(undeclared(), Span::default()))?;
    crate::lower::synchronisation::cluster::refuse_clusters(entry)?;
    let reachable = Reachable::from(entry, &symbols);
    let names: HashSet<&str> = reachable.functions.iter().map(|f| &*f.name.text).collect();
    let shared = SharedLayout::new(module, placement.reserved_shared, &names, &reachable.named)?;
    let numbers: HashMap<&str, usize> =
        reachable.functions.iter().enumerate().map(|(i, f)| (&*f.name.text, i)).collect();
    let positions = SourceMap::of(module);
    let around = Surroundings {
        symbols: &symbols,
        placement,
        shared: &shared,
        positions: &positions,
        numbers: &numbers,
        implied: ImpliedModifiers::of(module),
    };
    let mut linker = Linker::default();
    for function in &reachable.functions {
        let lowered = lower_function(&around, function, &mut linker.constants)?;
        linker.add(lowered);
    }
    linker.align_locals();
    // The kernel, which is the first, has an address, but cannot be called there.
    let callable = numbers.iter().filter(|(_, number)| **number != 0);
    let addresses = callable.filter_map(|(name, number)| {
        placement.functions.get(*name).map(|address| (*address, *number))
    });
    let mut function_addresses: Vec<_> = addresses.collect();
    function_addresses.sort_unstable();
    let call_stack =
        call_stack::measure(&mut linker.functions, &linker.operations, &function_addresses);
    let (max_threads, required_block) = block_limits(entry);
    let constants = linker.constants.finish();
    Ok(Program {
        source: module.source.clone(),
        functions: linker.functions,
        runs: Runs::of(&linker.operations, &constants),
        diamonds: Diamonds::of(&linker.operations, &constants),
        again: Again::of(&linker.operations),
        operations: linker.operations,
        places: linker.places,
        constants: Arc::new(constants),
        parameters: linker.parameters,
        parameter_bytes: linker.parameter_bytes,
        shared: shared.symbols,
        local_align: linker.local_align.max(16),
        static_shared_bytes: shared.bytes as u32,
        reserved_shared_bytes: shared.reserved,
        max_threads,
        required_block,
        function_addresses,
        call_stack,
    })
}

#[derive(Default)]
struct Linker {
    constants: ConstantBank,
    functions: Vec<Function>,
    operations: Vec<Operation>,
    places: Vec<Place>,
    parameters: Vec<KernelParameter>,
    parameter_bytes: u32,
    local_align: u64,
}

impl Linker {
    /// Activations lie one after the other in local memory, so each must end where any other may
    /// begin.
    fn align_locals(&mut self) {
        for function in &mut self.functions {
            let bytes = u64::from(function.local_bytes).next_multiple_of(self.local_align.max(16));
            function.local_bytes = bytes as u32;
        }
    }

    /// Appends a function, and converts its program counters to the program's.
    fn add(&mut self, mut lowered: Lowered) {
        let base = self.operations.len() as Pc;
        lowered.function.entry += base;
        lowered.function.end += base;
        for jump in lowered.operations.iter_mut().filter_map(|o| o.kind.jump()) {
            jump.targets.iter_mut().for_each(|target| *target += base);
            if *jump.reconverge != EXIT {
                *jump.reconverge += base;
            }
        }
        if self.functions.is_empty() {
            self.parameters = lowered.kernel_parameters;
            self.parameter_bytes = lowered.kernel_parameter_bytes;
        }
        self.local_align = self.local_align.max(lowered.local_align);
        self.functions.push(lowered.function);
        append(&mut self.operations, lowered.operations);
        append(&mut self.places, lowered.places);
    }
}

/// Moves the elements behind the present ones; the first are not copied.
fn append<T>(all: &mut Vec<T>, mut more: Vec<T>) {
    if all.is_empty() {
        more.shrink_to_fit();
        *all = more;
    } else {
        all.append(&mut more);
    }
}

/// `.maxntid` and `.reqntid` (PTX ISA 11.4).
fn block_limits(kernel: &Written) -> (Option<u32>, Option<[u32; 3]>) {
    let shape = |name: &str| {
        let directive = kernel.directives.iter().find(|d| &*d.name.text == name)?;
        let value =
            |i: usize| directive.values.get(i).map_or(1, |v| u32::try_from(*v).unwrap_or(u32::MAX));
        Some([value(0), value(1), value(2)])
    };
    let threads = |shape: [u32; 3]| shape.into_iter().fold(1, u32::saturating_mul);
    let required = shape("reqntid");
    (required.or_else(|| shape("maxntid")).map(threads), required)
}
