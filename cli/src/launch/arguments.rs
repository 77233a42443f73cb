//! The arguments of a command line: as many as the kernel has parameters, and laid out on a device.

use warpsim::host::{Argument, Parameter};
use warpsim::names;
use warpsim::ptx::Module;
use warpsim_formats::arguments;

use super::Buffer;
use super::device::LaunchDevice;
use crate::failure::Failure;
use crate::replay::quoted;
use crate::spec::{Spec, scalar};
use crate::suggestion::Suggestion;

/// One argument for each parameter, or a message that lists the parameters.
pub(super) fn check_count(
    module: &Module,
    kernel: &str,
    parameters: &[Parameter],
    specs: &[Spec],
) -> Result<(), Failure> {
    if parameters.len() == specs.len() {
        return Ok(());
    }
    let list: Vec<String> =
        parameters.iter().enumerate().map(|(k, p)| scalar::describe_in_list(k, p)).collect();
    let takes = match parameters.len() {
        0 => "takes no arguments".to_owned(),
        1 => "takes 1 argument".to_owned(),
        n => format!("takes {n} arguments"),
    };
    let message =
        format!("kernel `{}` {takes}, but {} given", names::readable(kernel), given(specs.len()));
    Err(match list.is_empty() {
        true => Failure::usage(message),
        false => Failure::usage_with_help(
            message,
            format!(
                "give one --arg SPEC for each parameter, in order: {}{}",
                list.join(", "),
                for_example(module, kernel, specs)
            ),
        ),
    })
}

/// A launch of the kernel, for those who have given no arguments.
fn for_example(module: &Module, kernel: &str, specs: &[Spec]) -> String {
    match Suggestion::of(module, kernel).filter(|_| specs.is_empty()) {
        Some(suggestion) => {
            let words: Vec<String> = suggestion.options.iter().map(|word| quoted(word)).collect();
            format!("; for example {}", words.join(" "))
        }
        None => String::new(),
    }
}

fn given(count: usize) -> String {
    match count {
        0 => "none are".to_owned(),
        1 => "1 is".to_owned(),
        n => format!("{n} are"),
    }
}

/// Allocates and fills the buffers and lays out the arguments.
pub(super) fn resolve<D: LaunchDevice>(
    device: &mut D,
    parameters: &[Parameter],
    specs: &[Spec],
) -> Result<(Vec<Argument>, Vec<Buffer>), Failure> {
    Ok(arguments::resolve(device, D::FRESH_IS_ZERO, parameters, specs)?)
}
