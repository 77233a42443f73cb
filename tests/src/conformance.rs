//! Conformance files: a PTX program with its launches and what they must leave, in comments of the
//! same file.
//!
//! `tests/conformance/README.md` says how they are written. The expected values come from the PTX
//! ISA, never from a run.

use std::path::Path;

use warpsim::element::{ElementType, parse_integer};
use warpsim::host::{
    Argument, Device, DeviceError, DeviceProfile, Extent, ImageText, ImageTextError, Launch, Model,
    Pointer, Simulator,
};
use warpsim::passes;
use warpsim::ptx::{Module, Type};

/// One launch that a file describes.
#[derive(Clone, Debug)]
pub struct Case {
    kernel: String,
    launch: Launch,
    models: Vec<Model>,
    schedules: Vec<String>,
    passes: Vec<String>,
    arguments: Vec<Given>,
    expected: Vec<(usize, Vec<u8>, ElementType)>,
    outcome: String,
    finding: Option<String>,
}

/// An argument: a value, a buffer, a texture or a surface, as bytes.
#[derive(Clone, Debug)]
enum Given {
    Value(ElementType, Vec<u8>),
    Buffer(ElementType, Vec<u8>),
    Texture(ImageText, Vec<u8>),
    Surface(ImageText, Vec<u8>),
}

impl Given {
    /// As `--arg` of the command takes it.
    fn spec(&self) -> String {
        match self {
            Given::Buffer(ty, bytes) => {
                let cells = cells(*ty, bytes);
                format!("{ty}[{}]=list:{}", cells.len(), cells.join(","))
            }
            Given::Value(ty, bytes) => match &cells(*ty, bytes)[..] {
                [cell] => cell.clone(),
                _ => {
                    let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
                    format!("bytes:{digits}")
                }
            },
            Given::Texture(image, bytes) => image_spec("tex", image, bytes),
            Given::Surface(image, bytes) => image_spec("surf", image, bytes),
        }
    }

    /// `tex:TYPE[SIZES],WORDS = NUMBERS`, or with `surf:`; none when it begins otherwise.
    fn image(text: &str) -> Option<Result<Given>> {
        let (kind, rest) = text.split_once(':')?;
        let given = match kind {
            "tex" => Given::Texture,
            "surf" => Given::Surface,
            _ => return None,
        };
        Some(image_of(rest).map(|(image, bytes)| given(image, bytes)))
    }

    /// What the device has of it: the argument, and where its bytes lie.
    fn on(&self, gpu: &mut Simulator) -> std::result::Result<(Argument, Pointer), DeviceError> {
        let image = match self {
            Given::Value(_, bytes) => return Ok((Argument::Bytes(bytes.clone()), Pointer::NULL)),
            Given::Buffer(_, bytes) => {
                let pointer = gpu.allocate(bytes.len() as u64)?;
                gpu.upload(pointer, bytes)?;
                return Ok((Argument::Pointer(pointer), pointer));
            }
            Given::Texture(image, bytes) => gpu.texture(&image.texels, image.sampler, bytes),
            Given::Surface(image, bytes) => gpu.surface(&image.texels, bytes),
        }?;
        Ok((Argument::U64(image.handle), image.texels))
    }
}

/// Cells as a SPEC has them.
fn cells(ty: ElementType, bytes: &[u8]) -> Vec<String> {
    ty.numbers(bytes).map(|bits| as_spec(ty, bits)).collect()
}

fn image_spec(kind: &str, image: &ImageText, bytes: &[u8]) -> String {
    let cells = cells(image.texels.element(), bytes).join(",");
    let words: String = image.words().iter().map(|word| format!(",{word}")).collect();
    format!("{kind}:{}=list:{cells}{words}", image.head())
}

/// Texels with their channels, row after row.
fn image_of(text: &str) -> Result<(ImageText, Vec<u8>)> {
    let (image, values) = text.split_once(" = ").ok_or("TYPE[SIZES],WORDS = VALUES is missing")?;
    let image: ImageText = image.parse().map_err(|e: ImageTextError| e.to_string())?;
    let bytes = numbers(type_named(image.texels.element().name())?, values)?;
    image.texels.check(&bytes).map_err(|error| error.to_string())?;
    Ok((image, bytes))
}

/// One way to run a case.
#[derive(Clone, Debug)]
pub struct Variant {
    /// The execution model.
    pub model: Model,
    /// The schedule's text.
    pub schedule: String,
    /// The pass that is applied first.
    pub pass: Option<String>,
}

impl std::fmt::Display for Variant {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.model.name(), self.schedule)?;
        self.pass.iter().try_for_each(|pass| write!(f, " {pass}"))
    }
}

/// Schedules under which a program that promises to be deterministic must give the same.
const ANY: [&str; 5] = ["in-order", "reverse", "random:1", "random:2", "random:3"];

type Result<T> = std::result::Result<T, String>;

/// The type of this name. Integers have no sign here: their bits are what counts.
fn type_named(name: &str) -> Result<ElementType> {
    let ty = Type::from_keyword(name).and_then(|ty| ElementType::try_from(ty).ok());
    match ty.ok_or_else(|| format!("`{name}` is no type"))? {
        ElementType::I8 => Ok(ElementType::U8),
        ElementType::I16 => Ok(ElementType::U16),
        ElementType::I32 => Ok(ElementType::U32),
        ElementType::I64 => Ok(ElementType::U64),
        ty => Ok(ty),
    }
}

/// A number as in a SPEC; floats by their bits.
fn as_spec(ty: ElementType, bits: u64) -> String {
    match ty {
        ElementType::F32 => format!("0f{}", ty.hex(bits)),
        ElementType::F64 => format!("0d{}", ty.hex(bits)),
        ty => ty.text(bits),
    }
}

/// One number: an integer, a float, or the bits of either as `0x...`.
fn number(ty: ElementType, text: &str) -> Result<Vec<u8>> {
    let bad = || format!("`{text}` is no number of {ty}");
    let bits = match text.strip_prefix("0x") {
        Some(hex) => u64::from_str_radix(hex, 16).map_err(|_| bad())?,
        None if ty.is_float() => ty.parse(text).map_err(|error| error.to_string())?,
        None => ty.of_integer(parse_integer(text).ok_or_else(bad)?),
    };
    Ok(ty.bytes(bits).collect())
}

/// `1, 2*8, 0..7, 0..14:2`: numbers, repetitions, and ranges with both ends.
fn numbers(ty: ElementType, text: &str) -> Result<Vec<u8>> {
    let mut out = Vec::new();
    for piece in text.split([',', ' ']).map(str::trim).filter(|p| !p.is_empty()) {
        if let Some((value, times)) = piece.split_once('*') {
            let times: usize = times.parse().map_err(|_| format!("`{piece}`: how often?"))?;
            out.extend(number(ty, value)?.repeat(times));
        } else if let Some((from, to)) = piece.split_once("..") {
            let (to, step) = to.split_once(':').unwrap_or((to, "1"));
            let end = |n: &str| n.parse::<i64>().map_err(|_| format!("`{piece}` is no range"));
            let (from, to, step) = (end(from)?, end(to)?, end(step)?);
            let count = (to - from) / step;
            for i in 0..=count {
                out.extend(number(ty, &(from + i * step).to_string())?);
            }
        } else {
            out.extend(number(ty, piece)?);
        }
    }
    Ok(out)
}

/// Cells as people read them; floats with their bits.
fn shown(ty: ElementType, bytes: &[u8]) -> String {
    let cells = ty.numbers(bytes).map(|bits| match ty.is_float() {
        true => format!("{}/{bits:#x}", ty.text(bits)),
        false => ty.text(bits),
    });
    cells.collect::<Vec<String>>().join(" ")
}

/// The cases of a file, in order.
///
/// # Errors
/// A line that is not understood, with the line.
pub fn cases(text: &str) -> Result<Vec<Case>> {
    let mut cases: Vec<Case> = Vec::new();
    for line in text.lines() {
        let Some((word, rest)) = line.strip_prefix("// ").and_then(|l| l.split_once(": ")) else {
            continue;
        };
        let within = |e: String| format!("{line}: {e}");
        if word == "RUN" {
            cases.push(Case::of_run(rest).map_err(within)?);
        } else if let Some(case) = cases.last_mut() {
            case.add(word, rest.trim()).map_err(within)?;
        }
    }
    if cases.is_empty() { Err("no `// RUN:` line".to_owned()) } else { Ok(cases) }
}

impl Case {
    fn of_run(text: &str) -> Result<Case> {
        let mut case = Case {
            kernel: "k".to_owned(),
            launch: Launch::new(1, 32),
            models: vec![Model::Independent, Model::Lockstep],
            schedules: ANY.iter().map(|s| (*s).to_owned()).collect(),
            passes: Vec::new(),
            arguments: Vec::new(),
            expected: Vec::new(),
            outcome: "completed".to_owned(),
            finding: None,
        };
        for setting in text.split_whitespace() {
            let (name, value) = setting.split_once('=').ok_or("NAME=VALUE is missing")?;
            let shape = || {
                let extent = value.parse::<Extent>().map_err(|error| format!("{name}: {error}"));
                extent.map(|Extent(sizes)| sizes)
            };
            match name {
                "kernel" => case.kernel = value.to_owned(),
                "grid" => case.launch.grid = shape()?,
                "block" => case.launch.block = shape()?,
                "shared" => case.launch.shared = value.parse().map_err(|_| "how many bytes?")?,
                "model" => case.models.retain(|m| m.name() == value),
                "schedules" => case.schedules = value.split(',').map(str::to_owned).collect(),
                "pass" => case.passes.push(value.to_owned()),
                _ => return Err(format!("`{name}` is no setting")),
            }
        }
        if case.models.is_empty() { Err("no such model".to_owned()) } else { Ok(case) }
    }

    fn add(&mut self, word: &str, rest: &str) -> Result<()> {
        match word {
            "ARG" => {
                if let Some(image) = Given::image(rest) {
                    self.arguments.push(image?);
                    return Ok(());
                }
                let (ty, values) = rest.split_once('=').ok_or("TYPE = VALUE is missing")?;
                let (ty, buffer) = match ty.trim().strip_suffix("[]") {
                    Some(ty) => (ty, true),
                    None => (ty.trim(), false),
                };
                let ty = type_named(ty)?;
                let bytes = numbers(ty, values)?;
                let given = if buffer { Given::Buffer } else { Given::Value };
                self.arguments.push(given(ty, bytes));
            }
            "EXPECT" => {
                let (which, values) = rest.split_once('=').ok_or("N TYPE = VALUES is missing")?;
                let (which, ty) = which.trim().split_once(' ').ok_or("N TYPE is missing")?;
                let ty = type_named(ty)?;
                let which = which.parse().map_err(|_| "which argument?")?;
                self.expected.push((which, numbers(ty, values)?, ty));
            }
            "OUTCOME" => self.outcome = rest.to_owned(),
            "FINDING" => self.finding = Some(rest.to_owned()),
            // Any other comment is for people.
            _ => {}
        }
        Ok(())
    }

    /// Whether a GPU can run it: whether it is not for the lockstep model alone.
    pub fn is_for_hardware(&self) -> bool {
        self.models.contains(&Model::Independent)
    }

    /// Whether it promises the same result whichever thread runs first.
    pub fn is_deterministic(&self) -> bool {
        self.schedules.len() > 1
    }

    /// The kernel's name.
    pub fn kernel(&self) -> &str {
        &self.kernel
    }

    /// The passes after which it runs, too.
    pub fn passes(&self) -> &[String] {
        &self.passes
    }

    /// The launch in the options of `warpsim run`, without the kernel.
    pub fn options(&self) -> Vec<String> {
        let launch = self.launch;
        let mut words = Vec::new();
        let mut add = |name: &str, value: String| words.extend([name.to_owned(), value]);
        add("--grid", Extent(launch.grid).to_string());
        add("--block", Extent(launch.block).to_string());
        add("--shared", launch.shared.to_string());
        self.arguments.iter().for_each(|given| add("--arg", given.spec()));
        words
    }

    /// The ways to run it.
    pub fn variants(&self) -> Vec<Variant> {
        let mut out = Vec::new();
        let passes = std::iter::once(None).chain(self.passes.iter().cloned().map(Some));
        for pass in passes {
            for model in &self.models {
                let with = |schedule: &String| Variant {
                    model: *model,
                    schedule: schedule.clone(),
                    pass: pass.clone(),
                };
                out.extend(self.schedules.iter().map(with));
            }
        }
        out
    }

    /// Runs it one way and compares what it left.
    ///
    /// # Errors
    /// What was different.
    pub fn check(&self, module: &Module, variant: &Variant) -> Result<()> {
        let module = match &variant.pass {
            None => module.clone(),
            Some(name) => {
                let pass = passes::by_name(name).ok_or("no such pass")?;
                pass(module).map_err(|e| e.to_string())?.module
            }
        };
        let schedule = variant
            .schedule
            .parse()
            .map_err(|e: warpsim::schedule::ScheduleError| e.to_string())?;
        let mut gpu = Simulator::new(DeviceProfile::h200());
        let settings = gpu.settings_mut();
        (settings.model, settings.schedule) = (variant.model, schedule);
        settings.max_steps = 20_000_000;
        self.run(&mut gpu, &module)
    }

    fn run(&self, gpu: &mut Simulator, module: &Module) -> Result<()> {
        let wrong = |e: DeviceError| e.to_string();
        let handle = gpu.load(module).map_err(wrong)?;
        let (mut arguments, mut buffers) = (Vec::new(), Vec::new());
        for given in &self.arguments {
            let (argument, bytes) = given.on(gpu).map_err(wrong)?;
            arguments.push(argument);
            buffers.push(bytes);
        }
        let report = gpu.launch(handle, &self.kernel, &self.launch, &arguments).map_err(wrong)?;
        if report.outcome.name() != self.outcome {
            let why = report.findings.first().map_or("", |f| &f.explanation);
            return Err(format!("outcome {}, not {}: {why}", report.outcome, self.outcome));
        }
        let finding = report.findings.first().map(|f| {
            let lane = f.sites.first().map_or(0, |site| site.lane);
            format!("{} lane {lane}", f.code.name())
        });
        if let Some(expected) = &self.finding
            && finding.as_ref() != Some(expected)
        {
            return Err(format!("found {finding:?}, not {expected}"));
        }
        self.compare(gpu, &buffers)
    }

    fn compare(&self, gpu: &Simulator, buffers: &[Pointer]) -> Result<()> {
        for (which, expected, ty) in &self.expected {
            let pointer = *buffers.get(*which).ok_or("there is no such argument")?;
            let mut found = vec![0; expected.len()];
            gpu.peek(pointer, &mut found).map_err(|e| e.to_string())?;
            if found != *expected {
                let (found, expected) = (shown(*ty, &found), shown(*ty, expected));
                return Err(format!("argument {which}\n   found {found}\nexpected {expected}"));
            }
        }
        Ok(())
    }
}

/// Reads a file.
///
/// # Errors
/// It is not there, is no PTX, or its comments are not understood.
pub fn read(path: &Path) -> Result<(Module, Vec<Case>)> {
    let text = std::fs::read_to_string(path).map_err(|e| e.to_string())?;
    let cases = cases(&text)?;
    let module = warpsim::ptx::parse(&path.to_string_lossy(), &text).map_err(|e| e.to_string())?;
    Ok((module, cases))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROGRAM: &str = "
        .version 8.3 .target sm_90 .address_size 64
        .entry k(.param .u64 out) {
          .reg .u64 %p; .reg .u32 %v;
          ld.param.u64 %p, [out];
          mov.u32 %v, 7;
          st.global.u32 [%p], %v;
          ret;
        }";

    /// What the first case of a head says about the program.
    fn verdict(head: &str) -> Result<()> {
        let case = cases(head)?.remove(0);
        let module = warpsim::ptx::parse("k.ptx", PROGRAM).map_err(|e| e.to_string())?;
        case.check(&module, &case.variants()[0])
    }

    #[test]
    fn what_the_program_leaves_is_compared_with_what_is_expected() {
        let head = "// RUN: block=1\n// ARG: u32[] = 0 5\n";
        assert_eq!(verdict(&format!("{head}// EXPECT: 0 u32 = 7 5")), Ok(()));
        assert_eq!(verdict(&format!("{head}// EXPECT: 0 u32 = 7..7 5*1")), Ok(()));
        let wrong = verdict(&format!("{head}// EXPECT: 0 u32 = 7 6"));
        assert_eq!(wrong, Err("argument 0\n   found 7 5\nexpected 7 6".to_owned()));
    }

    #[test]
    fn a_texture_is_given_to_the_command_as_the_head_says() {
        let head = "// RUN: block=1\n// ARG: tex:f32x2[2],layers=2,linear = 1..8\n// ARG: surf:s8[3x1] = -1 0 1";
        let words = cases(head).unwrap().remove(0).options();
        let texture = "tex:f32x2[2]=list:0f3f800000,0f40000000,0f40400000,0f40800000,0f40a00000,0f40c00000,0f40e00000,0f41000000,layers=2,linear";
        assert_eq!(words[6..], ["--arg", texture, "--arg", "surf:s8[3x1]=list:-1,0,1"]);
    }

    #[test]
    fn an_outcome_or_a_finding_that_does_not_come_is_a_failure() {
        let head = "// RUN: block=1\n// ARG: u32[] = 0\n";
        assert!(verdict(&format!("{head}// OUTCOME: trap")).is_err());
        assert!(verdict(&format!("{head}// FINDING: trap lane 0")).is_err());
    }

    #[test]
    fn a_head_that_is_not_understood_is_a_failure() {
        assert!(verdict("// nothing: at all").is_err());
        assert!(verdict("// RUN: blocks=1").is_err());
        assert!(verdict("// RUN: block=1\n// ARG: u31[] = 0").is_err());
        assert!(verdict("// RUN: block=1\n// ARG: u32[] = zero").is_err());
        assert!(verdict("// RUN: block=1\n// ARG: tex:f32[4] = 1 2 3").is_err());
        assert!(verdict("// RUN: block=1\n// ARG: tex:f32[4],around = 0*4").is_err());
        assert!(verdict("// RUN: block=1\n// EXPECT: 3 u32 = 0").is_err());
    }
}
