//! `warpsim FILE` lists the kernels of a file. For each it says whether it runs here, and suggests
//! a command line.

use std::path::Path;

use serde::Serialize;
use warpsim::host::{Device, DeviceError, Simulator, kernel_parameters, kernels};
use warpsim::internal;
use warpsim::names;
use warpsim::ptx::Module;

use crate::args::{DescribeArgs, Format};
use crate::cuda;
use crate::failure::{Exit, Failure};
use crate::findings::plural;
use crate::input;
use crate::json;
use crate::launch::refused;
use crate::output::{Output, Style};
use crate::replay::quoted;
use crate::suggestion::Suggestion;

/// The description of a kernel.
#[derive(Serialize)]
struct Kernel {
    /// Its name in the PTX.
    name: String,
    /// Its name in the source.
    readable: String,
    parameters: Vec<ParameterRow>,
    runs: bool,
    /// Why it does not run, where it does not.
    #[serde(skip_serializing_if = "Option::is_none")]
    missing: Option<Missing>,
    /// A command line, word by word.
    command: Vec<String>,
}

#[derive(Serialize)]
struct ParameterRow {
    name: String,
    r#type: &'static str,
    bytes: u64,
}

impl ParameterRow {
    /// The type, and a name that says more than the parameter's number.
    fn text(&self) -> String {
        match self.name.contains("_param_") {
            true => self.r#type.to_owned(),
            false => format!("{} {}", self.r#type, self.name),
        }
    }
}

#[derive(Serialize)]
struct Missing {
    message: String,
    ptx_line: Option<u32>,
    #[serde(skip)]
    drawn: String,
}

/// The document.
#[derive(Serialize)]
struct Description<'a> {
    schema: u32,
    file: &'a str,
    version: String,
    targets: Vec<&'a str>,
    kernels: &'a [Kernel],
}

pub(super) fn run(args: &DescribeArgs, output: &mut Output) -> Result<Exit, Failure> {
    if let Some(advice) = of_other_kind(&args.file) {
        return Err(advice);
    }
    let module = input::read(&args.file, &args.compiler, output)?;
    let kernels = all(&module, args, output)?;
    let file = args.file.display().to_string();
    match args.format {
        Format::Json => {
            let version = format!("{}.{}", module.version.major, module.version.minor);
            let targets = module.target.iter().map(|name| &*name.text).collect();
            let description =
                Description { schema: 1, file: &file, version, targets, kernels: &kernels };
            output.line(&json::to_string(&description)?)?;
        }
        Format::Text => print(&module, &file, &kernels, output)?,
    }
    Ok(match kernels.iter().all(|kernel| kernel.runs) {
        true => Exit::CLEAN,
        false => Exit::UNSUPPORTED,
    })
}

/// What to do with a file that holds no kernels as text.
fn of_other_kind(file: &Path) -> Option<Failure> {
    let name = file.display().to_string();
    let ending = file.extension().and_then(|ending| ending.to_str()).unwrap_or("");
    let exec = |program: &str| {
        Failure::usage_with_help(
            format!("{name} is a program, not a module"),
            format!("warpsim exec --check -- {program}"),
        )
    };
    let begin = || {
        let mut begin = [0; 4];
        let read = std::fs::File::open(file)
            .and_then(|mut file| std::io::Read::read_exact(&mut file, &mut begin));
        read.map(|()| begin).ok()
    };
    match ending {
        "py" => Some(exec(&format!("python3 {}", quoted(&name)))),
        "ptx" | "cu" => None,
        _ if begin() == Some(*b"\x7fELF") && ending != "cubin" => {
            let program = if file.is_absolute() || name.contains('/') {
                quoted(&name)
            } else {
                quoted(&format!("./{name}"))
            };
            Some(exec(&program))
        }
        _ => None,
    }
}

/// Every kernel of a module, in the module's order.
fn all(module: &Module, args: &DescribeArgs, output: &Output) -> Result<Vec<Kernel>, Failure> {
    let mut device = Simulator::default();
    let loaded = device.load(module);
    let mut rows = Vec::new();
    let names = kernels(module);
    let is_one = names.len() == 1;
    for name in names {
        let runs = match &loaded {
            Ok(handle) => device.program(*handle, name).map(|_| ()),
            Err(error) => Err(error.clone()),
        };
        let missing = match runs {
            Ok(()) => None,
            Err(error) => Some(missing(error, module, output)),
        };
        let parameters = kernel_parameters(module, name).map_err(Failure::from)?;
        let row = |parameter: warpsim::host::Parameter| ParameterRow {
            r#type: parameter.ty.keyword(),
            bytes: parameter.size,
            name: parameter.name,
        };
        let readable = names::readable(name).into_owned();
        rows.push(Kernel {
            command: command(module, &args.file, (name, &readable), is_one)?,
            name: name.to_owned(),
            readable,
            parameters: parameters.into_iter().map(row).collect(),
            runs: missing.is_none(),
            missing,
        });
    }
    Ok(rows)
}

fn missing(error: DeviceError, module: &Module, output: &Output) -> Missing {
    match refused(error, module, output) {
        Failure::Unsupported { drawn, message, line } => Missing { message, ptx_line: line, drawn },
        Failure::Rendered(drawn) => {
            let message = drawn.lines().next().unwrap_or(&drawn).to_owned();
            Missing { message, ptx_line: None, drawn }
        }
        other => {
            let message = other.to_string();
            Missing { drawn: message.clone(), message, ptx_line: None }
        }
    }
}

/// A command line that checks a kernel.
fn command(
    module: &Module,
    file: &Path,
    (name, readable): (&str, &str),
    is_one: bool,
) -> Result<Vec<String>, Failure> {
    let mut words = vec!["warpsim".to_owned(), "check".to_owned(), file.display().to_string()];
    if !is_one {
        // The part before the parameters is enough if only one kernel has it.
        let short = readable.split('(').next().unwrap_or(readable);
        let is_enough = warpsim::host::kernel_named(module, short) == Ok(name);
        words.extend(["--kernel".to_owned(), if is_enough { short } else { name }.to_owned()]);
    }
    let suggestion = Suggestion::of(module, name);
    let suggestion =
        suggestion.ok_or_else(|| internal!("the module has lost its kernel {name}"))?;
    words.extend(suggestion.options);
    Ok(words)
}

fn print(
    module: &Module,
    file: &str,
    kernels: &[Kernel],
    output: &mut Output,
) -> Result<(), Failure> {
    let targets: Vec<&str> = module.target.iter().map(|name| &*name.text).collect();
    let version = format!("PTX {}.{}", module.version.major, module.version.minor);
    let count = match kernels.len() {
        0 => "no kernels".to_owned(),
        several => plural(several, "kernel"),
    };
    let of = if cuda::is_cuda(Path::new(file)) { "compiles to " } else { "" };
    output.line(&format!("{file}: {of}{version} for {}, {count}", targets.join(", ")))?;
    for kernel in kernels {
        output.line("")?;
        let colour = output.colour();
        let (words, style) = match kernel.runs {
            true => ("runs here", Style::Good),
            false => ("does not run here", Style::Error),
        };
        let parameters: Vec<String> = kernel.parameters.iter().map(ParameterRow::text).collect();
        // A name of the source has the parameters that the source has.
        let head = match kernel.readable.contains('(') {
            true => kernel.readable.clone(),
            false => format!("{}({})", kernel.readable, parameters.join(", ")),
        };
        output.line(&format!("{head}: {}", style.paint(words, colour)))?;
        match &kernel.missing {
            None => {
                let words: Vec<String> = kernel.command.iter().map(|word| quoted(word)).collect();
                output.line(&format!("  try: {}", words.join(" ")))?;
            }
            Some(missing) => {
                for line in missing.drawn.trim_end().lines() {
                    output.line(&format!("  {line}"))?;
                }
            }
        }
    }
    if let Some(exec) = program(Path::new(file)) {
        output.line(&format!("\nIt also has a main(): {exec} runs the whole program."))?;
    }
    Ok(())
}

/// The command line for the whole program of a `.cu` file that has one.
fn program(file: &Path) -> Option<String> {
    let text = cuda::is_cuda(file).then(|| std::fs::read_to_string(file).ok()).flatten()?;
    let has_main = text.lines().any(|line| {
        let words: Vec<&str> = line.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
        words.first() == Some(&"int") && words.contains(&"main") && line.contains('(')
    });
    has_main.then(|| format!("warpsim exec --check {}", quoted(&file.display().to_string())))
}
