//! A failure as a test that can be pasted into a file: plain host code, and an assertion.
//!
//! The test needs nothing of this module. It states the launch, the data and the schedule.

use super::case::{Case, Cells, Value};
use super::expected::Mismatch;
use super::judge::{Difference, Wrong};
use super::kernel::Kernel;
use super::source::{Place, Text};
use crate::drawing::element::{ElementType, is_foreign, literal, path};
use crate::drawing::structs::Passed;
use crate::host::{DeviceProfile, Model, SharedInit};
use crate::ptx;
use crate::report::Outcome;

/// The most lines of PTX that the test itself contains when no file is known.
const LINES: usize = 60;

/// What the test does again.
#[derive(Clone, Copy)]
pub(super) struct Replay<'a> {
    pub(super) kernel: &'a Kernel,
    pub(super) case: &'a Case,
    pub(super) schedule: &'a str,
}

impl Replay<'_> {
    /// The text of the test.
    pub(super) fn test(&self, property: &str, wrong: &Wrong) -> String {
        let name: String = self
            .kernel
            .name
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
            .collect();
        let mut lines = vec![
            "#[test]".to_owned(),
            format!("fn {name}_{property}() -> Result<(), Box<dyn std::error::Error>> {{"),
        ];
        let body = [imports(wrong), self.host_code(), self.arguments(), self.assertion(wrong)];
        lines.extend(body.into_iter().flatten().map(|line| match line.as_str() {
            "" => line,
            _ => format!("    {line}"),
        }));
        lines.push("    Ok(())\n}\n".to_owned());
        lines.join("\n")
    }

    /// The device, the module and the launch.
    fn host_code(&self) -> Vec<String> {
        let kernel = self.kernel;
        let mut lines = module(kernel);
        lines.extend(device(&kernel.profile));
        if kernel.model != Model::default() {
            lines.push(format!(
                "gpu.settings_mut().model = warpsim::host::Model::{:?};",
                kernel.model
            ));
        }
        if kernel.shared_init != SharedInit::default() {
            lines.push(format!(
                "gpu.settings_mut().shared_init = warpsim::host::SharedInit::{:?};",
                kernel.shared_init
            ));
        }
        lines.push("let module = gpu.load(&module)?;".to_owned());
        let launch = self.case.launch;
        lines.push(format!(
            "let launch = Launch {{ grid: {:?}, block: {:?}, shared: {}, {}..Launch::default() }};",
            launch.grid,
            launch.block,
            launch.shared,
            if launch.cooperative { "cooperative: true, " } else { "" }
        ));
        lines.push(String::new());
        lines
    }

    /// A buffer for each argument that has one, and the list of arguments.
    fn arguments(&self) -> Vec<String> {
        let mut lines = Vec::new();
        let mut list = Vec::new();
        for (index, value) in self.case.arguments.iter().enumerate() {
            match value {
                Value::Buffer(cells) => {
                    let ty = path(cells.ty);
                    lines.push(format!("let cells{index}: Vec<{ty}> = {};", vector(cells)));
                    lines.push(bytes_of(index));
                    lines.push(format!(
                        "let argument{index} = gpu.allocate(bytes{index}.len() as u64)?;"
                    ));
                    lines.push(format!("gpu.upload(argument{index}, &bytes{index})?;"));
                    list.push(format!("Argument::Pointer(argument{index})"));
                }
                Value::Scalar { ty, bits } => {
                    list.push(argument(*ty, *bits));
                }
                Value::Again(of) => {
                    // Arguments that are given again are named after the first.
                    lines.push(format!("let argument{index} = argument{of};"));
                    list.push(format!("Argument::Pointer(argument{index})"));
                }
            }
        }
        let of = |number: usize| list.get(number).map_or("", String::as_str);
        let passed =
            self.kernel.structs.passed(list.len()).into_iter().map(|passed| match passed {
                Passed::Whole(number) => of(number).to_owned(),
                Passed::Struct(bytes, fields) => {
                    let field = |(at, number): &(u64, usize)| format!("({at}, {})", of(*number));
                    let fields: Vec<String> = fields.iter().map(field).collect();
                    format!("Argument::structure({bytes}, [{}])", fields.join(", "))
                }
            });
        let passed: Vec<String> = passed.collect();
        lines.push(format!("let arguments: Vec<Argument> = vec![{}];", passed.join(", ")));
        lines.push(String::new());
        lines
    }

    fn assertion(&self, wrong: &Wrong) -> Vec<String> {
        match wrong {
            Wrong::Found(findings) => {
                let code = findings.first().map(|finding| format!("{:?}", finding.code));
                self.no_findings(&code.unwrap_or_default())
            }
            Wrong::Stopped { outcome, .. } => self.completes(*outcome),
            Wrong::Differs(difference) => self.same(difference),
            Wrong::Mismatch(mismatch) => self.as_expected(mismatch),
        }
    }

    /// The launch, under one schedule.
    fn launch(&self) -> Vec<String> {
        vec![
            format!("gpu.settings_mut().schedule = {:?}.parse()?;", self.schedule),
            format!(
                "let report = gpu.launch(module, {:?}, &launch, &arguments)?;",
                self.kernel.name
            ),
        ]
    }

    fn no_findings(&self, code: &str) -> Vec<String> {
        let mut lines = vec![
            "let checking = Checking::default().with_schedules(Schedules::AsSet);".to_owned(),
            "gpu.settings_mut().checking = Some(checking);".to_owned(),
        ];
        lines.extend(self.launch());
        lines.push(format!(
            "let found = report.findings.iter().find(|finding| finding.code == warpsim::report::Code::{code});"
        ));
        lines.push("if let Some(found) = found {".to_owned());
        lines.push(format!("    panic!(\"{{}}\", found.told({:?}));", self.kernel.file()));
        lines.push("}".to_owned());
        lines
    }

    fn completes(&self, outcome: Outcome) -> Vec<String> {
        let mut lines = Vec::new();
        if outcome == Outcome::Limit {
            lines.push(format!("gpu.settings_mut().max_steps = {};", self.kernel.max_steps));
        }
        lines.extend(self.launch());
        let completed = Outcome::Completed;
        lines.push(format!(
            "let found: Vec<String> = report.findings.iter().map(|f| f.told({:?}).to_string()).collect();",
            self.kernel.file()
        ));
        lines.push(format!(
            "assert_eq!(report.outcome, warpsim::report::Outcome::{completed:?}, \"\\n{{}}\", found.join(\"\\n\"));"
        ));
        lines
    }

    fn same(&self, difference: &Difference) -> Vec<String> {
        let Difference { first, argument, .. } = difference;
        vec![
            "let mut results = Vec::new();".to_owned(),
            format!("for schedule in [{first:?}, {:?}] {{", self.schedule),
            "    let mut gpu = gpu.fork();".to_owned(),
            "    gpu.settings_mut().schedule = schedule.parse()?;".to_owned(),
            format!("    gpu.launch(module, {:?}, &launch, &arguments)?;", self.kernel.name),
            format!("    let mut bytes = bytes{}.clone();", self.owner(*argument)),
            format!("    gpu.download(argument{argument}, &mut bytes)?;"),
            format!("    results.push({});", self.cells_of("bytes", *argument)),
            "}".to_owned(),
            "assert_eq!(results[0], results[1]);".to_owned(),
        ]
    }

    fn as_expected(&self, mismatch: &Mismatch) -> Vec<String> {
        let (argument, ty) = (mismatch.argument, path(mismatch.cells.ty));
        let owner = self.owner(argument);
        let mut lines = self.launch();
        lines.extend([
            "assert_eq!(report.outcome, warpsim::report::Outcome::Completed);".to_owned(),
            format!("let mut bytes = bytes{owner}.clone();"),
            format!("gpu.download(argument{argument}, &mut bytes)?;"),
            format!("let found = {};", self.cells_of("bytes", argument)),
            format!("let expected: Vec<{ty}> = {};", vector(&mismatch.cells)),
        ]);
        match mismatch.tolerance {
            None => lines.push("assert_eq!(found, expected);".to_owned()),
            Some(tolerance) => {
                let (absolute, relative) = (tolerance.absolute, tolerance.relative);
                lines.extend([
                    "for (cell, (found, expected)) in found.iter().zip(&expected).enumerate() {"
                        .to_owned(),
                    "    let (found, expected) = (f64::from(*found), f64::from(*expected));"
                        .to_owned(),
                    format!("    let tolerance = {absolute:?} + {relative:?} * expected.abs();"),
                    "    let distance = (found - expected).abs();".to_owned(),
                    "    assert!(distance <= tolerance, \"cell {cell}: {found}, not {expected}\");"
                        .to_owned(),
                    "}".to_owned(),
                ]);
            }
        }
        lines
    }

    /// The argument that a buffer belongs to.
    fn owner(&self, argument: usize) -> usize {
        match self.case.arguments.get(argument) {
            Some(Value::Again(of)) if *of < argument => self.owner(*of),
            _ => argument,
        }
    }

    /// Rust that reads bytes as cells of an argument.
    fn cells_of(&self, bytes: &str, argument: usize) -> String {
        let ty = self.case.cells(argument).map(|cells| cells.ty);
        let (name, size) = ty.map_or(("u8".to_owned(), 1), |ty| (path(ty), ty.size()));
        format!(
            "{bytes}.as_chunks::<{size}>().0.iter().map(|cell| {name}::from_le_bytes(*cell)).collect::<Vec<_>>()"
        )
    }
}

/// What the test uses.
fn imports(wrong: &Wrong) -> Vec<String> {
    let (checking, schedules) = match wrong {
        Wrong::Found(_) => ("Checking, ", "Schedules, "),
        _ => ("", ""),
    };
    vec![
        format!("use warpsim::host::{{Argument, {checking}Device, Launch, {schedules}Simulator}};"),
        String::new(),
    ]
}

/// A device with this profile.
fn device(profile: &DeviceProfile) -> Vec<String> {
    if *profile == DeviceProfile::default() {
        return vec!["let mut gpu = Simulator::default();".to_owned()];
    }
    let sizes = [
        ("multiprocessors", profile.multiprocessors),
        ("blocks_per_multiprocessor", profile.blocks_per_multiprocessor),
        ("threads_per_multiprocessor", profile.threads_per_multiprocessor),
        ("threads_per_block", profile.threads_per_block),
        ("shared_per_multiprocessor", profile.shared_per_multiprocessor),
        ("shared_per_block", profile.shared_per_block),
        ("reserved_shared", profile.reserved_shared),
        ("reserved_shared_end", profile.reserved_shared_end),
        ("stack", profile.stack),
    ];
    let mut lines = vec![
        "let mut profile = warpsim::host::DeviceProfile::default();".to_owned(),
        format!("profile.name = {:?}.to_owned();", profile.name),
    ];
    lines.extend(sizes.map(|(name, size)| format!("profile.{name} = {size};")));
    lines.extend([
        format!("profile.global_memory = {};", profile.global_memory),
        "let mut gpu = Simulator::new(profile);".to_owned(),
    ]);
    lines
}

/// Rust for an argument that is a number.
fn argument(ty: ElementType, bits: u64) -> String {
    let literal = literal(ty, bits);
    match is_foreign(ty) {
        true => format!("Argument::Bytes({literal}.to_le_bytes().to_vec())"),
        false => format!("Argument::{}({literal})", path(ty).to_uppercase()),
    }
}

/// Rust that makes the bytes of a buffer.
fn bytes_of(argument: usize) -> String {
    format!(
        "let bytes{argument}: Vec<u8> = cells{argument}.iter().flat_map(|cell| cell.to_le_bytes()).collect();"
    )
}

/// The texts, and the module of them.
fn module(kernel: &Kernel) -> Vec<String> {
    let named = kernel.sources.named(&kernel.name);
    if let [(file, Text { text, .. })] = &named[..] {
        let is_alone = ptx::parse(file, text).is_ok_and(|module| !ptx::needs_toolchain(&module));
        if is_alone {
            let mut lines =
                named.iter().map(|(_, source)| text_of("ptx", source)).collect::<Vec<_>>();
            lines.push(format!("let module = warpsim::ptx::parse({file:?}, ptx)?;"));
            return lines;
        }
    }
    let name = |number: usize| match number {
        0 => "ptx".to_owned(),
        number => format!("ptx{}", number + 1),
    };
    let numbered = || named.iter().enumerate();
    let mut lines: Vec<String> =
        numbered().map(|(number, (_, source))| text_of(&name(number), source)).collect();
    let files =
        numbered().map(|(number, (file, _))| format!("({file:?}, {}.as_bytes())", name(number)));
    let files: Vec<String> = files.collect();
    lines.push(format!("let module = warpsim::ptx::link(&[{}])?;", files.join(", ")));
    lines
}

/// A text, under a name.
fn text_of(name: &str, Text { text, place }: &Text) -> String {
    match place {
        Place::Included(path) => format!("let {name} = include_str!({path:?});"),
        Place::Read(path) => format!("let {name} = &std::fs::read_to_string({path:?})?;"),
        Place::Given if text.lines().count() > LINES => {
            let from = if name == "ptx" { "Kernel::from_ptx" } else { "Kernel::link_ptx" };
            format!("let {name} = include_str!(\"...\"); // the text given to `{from}`")
        }
        Place::Given => {
            // As many hashes as no string in the text ends with.
            let hashes = (1..9).map(|n| "#".repeat(n)).find(|h| !text.contains(&format!("\"{h}")));
            let hashes = hashes.unwrap_or_default();
            format!("let {name} = r{hashes}\"{text}\"{hashes};")
        }
    }
}

/// Rust for the cells of a buffer, short where most are the same.
fn vector(cells: &Cells) -> String {
    let Cells { ty, bits } = cells;
    let Some(first) = bits.first() else { return "vec![]".to_owned() };
    if bits.len() > 1 && bits.iter().all(|other| other == first) {
        return format!("vec![{}; {}]", literal(*ty, *first), bits.len());
    }
    let literals: Vec<String> = bits.iter().map(|bits| literal(*ty, *bits)).collect();
    format!("vec![{}]", literals.join(", "))
}
