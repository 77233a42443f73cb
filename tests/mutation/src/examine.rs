//! The way of one mutant: parsed, printed, parsed again, rewritten by the passes, lowered, run.

use warpsim::check::Checking;
use warpsim::host::{
    Argument, Device, DeviceProfile, Launch, Model, Parameter, Simulator, kernel_parameters,
};
use warpsim::lower::kernels;
use warpsim::passes::{self, PassError};
use warpsim::ptx::{self, Module, Type};

use super::random::Random;

/// How far a mutant got.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reached {
    /// It is no PTX.
    Text,
    /// It is, but cannot be loaded.
    Parsed,
    /// It can, but has no kernel that can be launched.
    Loaded,
    /// A kernel was launched.
    Launched,
}

/// Bytes of the buffers that kernels get.
const BUFFER: usize = 4096;

/// Sends a mutant the whole way. How it is launched follows from its number.
///
/// # Errors
/// What we print is not what we read.
pub fn examine(text: &str, number: u64) -> Result<Reached, String> {
    let mut random = Random::new(number, 1);
    let Ok(module) = ptx::parse("mutant.ptx", text) else { return Ok(Reached::Text) };
    if print_again(&module)? != module {
        return Err("what is printed is another module".to_owned());
    }
    let mut reached = Reached::Parsed;
    let cached = rewritten(&module)?;
    let model = if random.once_in(3) { Model::Lockstep } else { Model::Independent };
    let checked = random.once_in(4);
    for module in [Some(&module), cached.as_ref()].into_iter().flatten() {
        let mut gpu = Simulator::new(DeviceProfile::h200());
        let settings = gpu.settings_mut();
        settings.max_steps = 3000;
        settings.model = model;
        settings.checking = checked.then(Checking::default);
        let Ok(handle) = gpu.load(module) else { continue };
        reached = reached.max(Reached::Loaded);
        let names = kernels(module);
        let Some(name) = random.one_of(&names) else { continue };
        let Some(arguments) = arguments(&mut gpu, module, name, &mut random) else { continue };
        let launch = Launch { shared: 1024, ..Launch::new(2, 40) };
        if gpu.launch(handle, name, &launch, &arguments).is_ok() {
            reached = reached.max(Reached::Launched);
        }
    }
    Ok(reached)
}

/// The printed text can be read, and prints as the same text.
fn print_again(module: &Module) -> Result<Module, String> {
    let printed = ptx::print(module);
    let again = ptx::parse("printed.ptx", &printed)
        .map_err(|error| format!("what is printed is no PTX: {error}\n{printed}"))?;
    match ptx::print(&again) == printed {
        true => Ok(again),
        false => Err(format!("what is printed prints differently:\n{printed}")),
    }
}

/// The module after every pass.
fn rewritten(module: &Module) -> Result<Option<Module>, String> {
    let mut after = None;
    for pass in passes::NAMES.iter().filter_map(|name| passes::by_name(name)) {
        let made = match pass(after.as_ref().unwrap_or(module)) {
            Ok(rewritten) => rewritten.module,
            Err(PassError::Internal(error)) => return Err(error.to_string()),
            Err(PassError::DefinedTwice { .. }) => return Ok(None),
        };
        print_again(&made)?;
        after = Some(made);
    }
    Ok(after)
}

/// Arguments for a kernel: buffers where a pointer may be meant, small numbers elsewhere.
fn arguments(
    gpu: &mut Simulator,
    module: &Module,
    kernel: &str,
    random: &mut Random,
) -> Option<Vec<Argument>> {
    let parameters = kernel_parameters(module, kernel).ok()?;
    parameters.iter().map(|parameter| argument(gpu, parameter, random)).collect()
}

fn argument(gpu: &mut Simulator, parameter: &Parameter, random: &mut Random) -> Option<Argument> {
    let mut bytes = vec![0; usize::try_from(parameter.size).ok()?];
    if matches!(parameter.ty, Type::U64 | Type::B64 | Type::S64) || parameter.is_array {
        for word in bytes.chunks_exact_mut(8).take(8) {
            let buffer = gpu.allocate(BUFFER as u64).ok()?;
            let cells: Vec<u8> =
                (0..BUFFER).map(|i| (i / 4 % 64) as u8 * u8::from(i % 4 == 0)).collect();
            gpu.upload(buffer, &cells).ok()?;
            word.copy_from_slice(&buffer.0.to_le_bytes());
        }
    } else if let Some(first) = bytes.first_mut() {
        *first = random.below(70) as u8;
    }
    Some(Argument::Bytes(bytes))
}
