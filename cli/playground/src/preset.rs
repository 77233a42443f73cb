//! A launch to begin with: the first launch of a program's own host code.
//!
//! The host code of the program runs up to the launch of the variant's kernel. The shape and the
//! arguments of that launch, and the contents of the buffers at that time, become the fields of the
//! page.
//!
//! In which direction it can be wrong: a buffer of more than 2048 cells that follow no rule becomes
//! one of random cells, and a struct with pointers in it becomes bytes.

use serde_json::{Value, json};
use warpsim::element::ElementType;
use warpsim::host::{
    Argument, Device, DeviceError, Extent, Launch, ModuleHandle, Pointer, Relay, Simulator,
};
use warpsim_formats::spec::Spec;
use warpsim_formats::suggestion::Suggestion;
use warpsim_programs::{Form, Program, Variant};

use crate::refusal::Refusal;

/// Cells that a field lists one by one.
const LISTED: usize = 2048;

/// The first launch of a variant's kernel.
pub(crate) fn of(program: &Program, variant: &Variant, form: Form) -> Result<Value, Refusal> {
    let module = program.module(form)?;
    let suggestion = Suggestion::of(&module, variant.kernel).unwrap_or_default();
    let suggested = suggestion.options.as_chunks::<2>().0.iter();
    let suggested = suggested.filter(|[option, _]| option == "--arg").map(|[_, value]| value);
    let elements = suggested.map(|text| element_of(text)).collect();
    let mut watching = Watching {
        gpu: Simulator::default(),
        kernel: variant.kernel,
        elements,
        allocated: Vec::new(),
        seen: None,
    };
    let input = (program.inputs.checked)();
    // It ends at the launch that is looked for, or before, where there is none.
    let ended = program.run(&mut watching, &module, variant, &input);
    match (watching.seen, ended) {
        (Some(launch), _) => Ok(launch),
        (None, Err(error)) => Err(error.into()),
        (None, Ok(_)) => {
            Err(Refusal::usage(format!("the program launches no `{}`", variant.kernel)))
        }
    }
}

/// The type of the cells of a buffer that is suggested.
fn element_of(text: &str) -> ElementType {
    match Spec::parse(text) {
        Ok(Spec::Buffer(buffer)) => buffer.element,
        _ => ElementType::I32,
    }
}

/// A simulator that writes down a launch instead of carrying it out.
struct Watching<'a> {
    gpu: Simulator,
    kernel: &'a str,
    /// The type of the cells behind each parameter.
    elements: Vec<ElementType>,
    allocated: Vec<(Pointer, u64)>,
    seen: Option<Value>,
}

impl Watching<'_> {
    /// An argument as a field of the page.
    fn spec(
        &mut self,
        index: usize,
        argument: &Argument,
        known: &mut Vec<(Pointer, usize)>,
    ) -> Result<String, DeviceError> {
        Ok(match argument {
            Argument::U8(value) => value.to_string(),
            Argument::I8(value) => value.to_string(),
            Argument::U16(value) => value.to_string(),
            Argument::I16(value) => value.to_string(),
            Argument::U32(value) => value.to_string(),
            Argument::I32(value) => value.to_string(),
            Argument::U64(value) => value.to_string(),
            Argument::I64(value) => value.to_string(),
            Argument::F32(value) => format!("{value:?}"),
            Argument::F64(value) => format!("{value:?}"),
            Argument::Bytes(bytes) | Argument::Struct { bytes, .. } => {
                let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
                format!("bytes:{digits}")
            }
            Argument::Pointer(pointer) => return self.buffer(index, *pointer, known),
        })
    }

    /// The buffer that an address lies in.
    fn buffer(
        &mut self,
        index: usize,
        pointer: Pointer,
        known: &mut Vec<(Pointer, usize)>,
    ) -> Result<String, DeviceError> {
        let is_in = |(base, bytes): &&(Pointer, u64)| {
            pointer.0 >= base.0 && pointer.0 - base.0 < (*bytes).max(1)
        };
        let Some(&(base, bytes)) = self.allocated.iter().find(is_in) else {
            return Ok("null".to_owned());
        };
        let offset = pointer.0 - base.0;
        if let Some((_, first)) = known.iter().find(|(known, _)| *known == base) {
            return Ok(format!("@{first}+{offset}"));
        }
        known.push((base, index));
        let mut contents = vec![0; usize::try_from(bytes).unwrap_or(0)];
        self.gpu.download(base, &mut contents)?;
        let element = self.elements.get(index).copied().unwrap_or(ElementType::I32);
        let start = if offset > 0 { format!("+{offset}") } else { String::new() };
        let length = contents.len() / element.size();
        Ok(format!("{}[{length}]{start}{}", element.name(), initial(element, &contents)))
    }
}

/// How a field writes what a buffer holds.
fn initial(element: ElementType, contents: &[u8]) -> String {
    let cells: Vec<u64> = element.numbers(contents).collect();
    if cells.iter().all(|bits| *bits == 0) {
        return String::new();
    }
    let integers: Option<Vec<i128>> = cells.iter().map(|bits| element.integer(*bits)).collect();
    if let Some([first, second, ..]) = integers.as_deref()
        && let Some(all) = integers.as_deref()
    {
        let step = second - first;
        if all.windows(2).all(|pair| matches!(pair, [a, b] if b - a == step)) {
            return match step {
                0 => format!("=fill:{first}"),
                1 => format!("=iota:{first}"),
                _ => format!("=iota:{first}:{step}"),
            };
        }
    }
    if cells.len() > LISTED {
        return "=rand:1".to_owned();
    }
    let texts: Vec<String> = cells.iter().map(|bits| element.text(*bits)).collect();
    format!("=list:{}", texts.join(","))
}

impl Relay for Watching<'_> {
    fn title(&self) -> String {
        self.gpu.name()
    }

    fn place(&self, module: ModuleHandle, name: &str) -> Result<(Pointer, u64), DeviceError> {
        self.gpu.variable(module, name)
    }

    fn hand_on<R>(
        &mut self,
        ask: impl FnOnce(&mut dyn Device) -> Result<R, DeviceError>,
    ) -> Result<R, DeviceError> {
        ask(&mut self.gpu)
    }

    fn allocated(&mut self, pointer: Pointer, bytes: u64) {
        self.allocated.push((pointer, bytes));
    }

    fn freed(&mut self, pointer: Pointer) {
        self.allocated.retain(|(base, _)| *base != pointer);
    }

    /// Writes the launch down, and ends the program, if it is the one that is looked for.
    fn before_launch(
        &mut self,
        kernel: &str,
        launch: &Launch,
        arguments: &[Argument],
    ) -> Result<(), DeviceError> {
        if kernel != self.kernel || self.seen.is_some() {
            return Ok(());
        }
        let mut args: Vec<String> = Vec::new();
        let mut known: Vec<(Pointer, usize)> = Vec::new();
        for (index, argument) in arguments.iter().enumerate() {
            args.push(self.spec(index, argument, &mut known)?);
        }
        self.seen = Some(json!({
            "kernel": kernel,
            "grid": Extent(launch.grid).to_string(),
            "block": Extent(launch.block).to_string(),
            "shared": launch.shared,
            "args": args,
        }));
        Err(DeviceError::Lost)
    }
}
