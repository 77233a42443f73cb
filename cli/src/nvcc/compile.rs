//! From a source to an object: device code becomes PTX in a fat binary, and host code becomes an
//! object that registers it.
//!
//! CUDA sources go through clang twice, with our headers. C and C++ sources go to the host's
//! compiler, which finds our headers, too.

use std::fs;
use std::path::Path;

use sha2::{Digest, Sha256};
use warpsim_driver_core::{container, fat_binary};

use super::architecture::Architecture;
use super::options::{Dependencies, Phase};
use super::request::{Kind, Request};
use super::steps::{Step, Steps};
use super::toolkit::Toolkit;
use crate::clang;
use crate::failure::Failure;
use crate::output::Output;

/// The standard of C++ that nvcc takes where none is said.
const STANDARD: &str = "gnu++17";

/// What compiles, and where.
pub(super) struct Compiler<'a> {
    pub(super) request: &'a Request,
    pub(super) toolkit: &'a Toolkit,
    pub(super) clang: &'a Path,
    pub(super) host: &'a Path,
    pub(super) steps: Steps,
    pub(super) scratch: &'a Path,
}

impl Compiler<'_> {
    /// Compiles a source so far as is asked; the file that comes of it.
    ///
    /// # Errors
    /// A compiler refuses it, or a file cannot be written.
    pub(super) fn run(
        &self,
        (source, kind): (&Path, Kind),
        to: &Path,
        output: &mut Output,
    ) -> Result<(), Failure> {
        match (self.request.phase, kind) {
            (Phase::Preprocess | Phase::HostText | Phase::Dependencies(_), _) => {
                self.preprocess((source, kind), to, output)
            }
            (Phase::Ptx | Phase::FatBinary | Phase::Cubin, Kind::Cuda | Kind::Ptx) => {
                let text = self.device_text((source, kind), output)?;
                self.write(to, &self.packed(&text))
            }
            (Phase::Ptx | Phase::FatBinary | Phase::Cubin, Kind::Cpp | Kind::C) => Ok(()),
            (Phase::Link | Phase::Compile | Phase::Archive | Phase::DeviceLink, Kind::Cuda) => {
                self.object_of_cuda(source, to, output)
            }
            (
                Phase::Link | Phase::Compile | Phase::Archive | Phase::DeviceLink,
                Kind::Cpp | Kind::C,
            ) => self.object_of_host(source, kind, to, output),
            (Phase::Link | Phase::Compile | Phase::Archive | Phase::DeviceLink, Kind::Ptx) => {
                Err(Failure::usage_with_help(
                    format!("{}: PTX does not become an object", source.display()),
                    "-fatbin or -cubin makes a file that a program loads with cuModuleLoad",
                ))
            }
            (_, Kind::Linkable) => Ok(()),
        }
    }

    /// PTX in the form that is asked for.
    fn packed(&self, text: &[u8]) -> Vec<u8> {
        match self.request.phase {
            Phase::Cubin => container(text),
            Phase::FatBinary => fat_binary(text),
            Phase::Ptx
            | Phase::Link
            | Phase::Compile
            | Phase::Archive
            | Phase::DeviceLink
            | Phase::Preprocess
            | Phase::HostText
            | Phase::Dependencies(_) => text.to_vec(),
        }
    }

    fn write(&self, path: &Path, bytes: &[u8]) -> Result<(), Failure> {
        if !self.steps.runs {
            return Ok(());
        }
        fs::write(path, bytes)
            .map_err(|error| Failure::usage(format!("cannot write {}: {error}", path.display())))
    }

    /// The PTX of a source's device code.
    fn device_text(
        &self,
        (source, kind): (&Path, Kind),
        output: &mut Output,
    ) -> Result<Vec<u8>, Failure> {
        let read = |path: &Path| {
            fs::read(path)
                .map_err(|error| Failure::usage(format!("cannot read {}: {error}", path.display())))
        };
        if kind == Kind::Ptx {
            return read(source);
        }
        let ptx = self.scratch.join("device.ptx");
        let architecture = self.architecture(output)?.name();
        let mut step = self.clang(source, true)?;
        step.add(["--cuda-device-only".to_owned(), format!("--cuda-gpu-arch={architecture}")]);
        step.add(["-Xclang", "-target-feature", "-Xclang", clang::feature(&architecture)]);
        let has_variables = self.request.flags.device_debug;
        let kind = match has_variables {
            true => "-debug-info-kind=constructor",
            false => "-debug-info-kind=line-tables-only",
        };
        step.add(["-Xclang", kind, "-w"]);
        step.add([if has_variables { "-O0" } else { "-O2" }]);
        step.add(["-S", "-o"]).add_path(&ptx).add_path(source);
        self.steps.compile((&step, source), self.scratch, output)?;
        if !self.steps.runs {
            return Ok(Vec::new());
        }
        let text = String::from_utf8_lossy(&read(&ptx)?).into_owned();
        let text = match has_variables {
            true => clang::finished_with_variables(&text),
            false => clang::finished(&text),
        };
        Ok(without_kept_kernels(&with_static_variables(&text)).into_bytes())
    }

    /// The architecture that device code is compiled for. If clang does not know it yet, this is
    /// reported, and the device's is used instead.
    fn architecture(&self, output: &mut Output) -> Result<Architecture, Failure> {
        let asked = self.request.architecture();
        if asked.number <= Architecture::OF_DEVICE.number {
            return Ok(asked);
        }
        let mut clang = std::process::Command::new(self.clang);
        clang.args(["-x", "cuda", "--cuda-device-only", "-nocudainc", "-nocudalib"]);
        clang.args(["-fsyntax-only", "/dev/null"]);
        clang.arg(format!("--cuda-gpu-arch={}", asked.name()));
        let tried = clang.stdin(std::process::Stdio::null()).output().map_err(|error| {
            Failure::usage(format!("cannot start {}: {error}", self.clang.display()))
        })?;
        if tried.status.success() {
            return Ok(asked);
        }
        let (asked, instead) = (asked.name(), Architecture::OF_DEVICE);
        let name = instead.name();
        output.message(&format!(
            "nvcc: note: {asked}: this clang does not have it; using {name} instead"
        ));
        Ok(instead)
    }

    fn object_of_cuda(&self, source: &Path, to: &Path, output: &mut Output) -> Result<(), Failure> {
        let text = self.device_text((source, Kind::Cuda), output)?;
        let binary = self.scratch.join("device.fatbin");
        self.write(&binary, &fat_binary(&text))?;
        let mut step = self.clang(source, false)?;
        step.add(["--cuda-host-only", "-Xclang", "-fcuda-include-gpubinary", "-Xclang"]);
        step.add_path(&binary);
        self.add_host_options(&mut step, &self.taken_by_clang()?);
        // Warning options of the host's compiler are no mistake.
        step.add(["-Wno-unknown-warning-option"]);
        self.add_dependencies(&mut step, to);
        step.add(["-c", "-o"]).add_path(to).add_path(source);
        self.steps.compile((&step, source), self.scratch, output)
    }

    fn object_of_host(
        &self,
        source: &Path,
        kind: Kind,
        to: &Path,
        output: &mut Output,
    ) -> Result<(), Failure> {
        let mut step = self.host_step(kind);
        self.add_host_options(&mut step, &self.request.host);
        self.add_dependencies(&mut step, to);
        step.add(["-c", "-o"]).add_path(to).add_path(source);
        self.steps.run(&step, output)
    }

    fn preprocess(
        &self,
        (source, kind): (&Path, Kind),
        to: &Path,
        output: &mut Output,
    ) -> Result<(), Failure> {
        let mut step = match kind {
            Kind::Cuda => {
                let mut step = self.clang(source, false)?;
                step.add(["--cuda-host-only"]);
                step
            }
            Kind::Cpp | Kind::C => self.host_step(kind),
            Kind::Ptx | Kind::Linkable => return Ok(()),
        };
        match self.request.phase {
            Phase::Dependencies(which) => {
                step.add([if which == Dependencies::All { "-M" } else { "-MM" }]);
                step.add(self.targets());
            }
            Phase::Preprocess
            | Phase::HostText
            | Phase::Link
            | Phase::Compile
            | Phase::Archive
            | Phase::DeviceLink
            | Phase::Ptx
            | Phase::FatBinary
            | Phase::Cubin => {
                step.add(["-E"]);
            }
        }
        let named = self.request.output.as_deref().or(self.request.dependency_file.as_deref());
        let own = (self.request.phase == Phase::HostText).then_some(to);
        if let Some(to) = own.or(named) {
            step.add(["-o"]).add_path(to);
        }
        step.add_path(source);
        self.steps.run(&step, output)
    }

    /// clang for CUDA, with what both passes need to agree on.
    fn clang(&self, source: &Path, is_device: bool) -> Result<Step, Failure> {
        let request = self.request;
        let flags = request.flags;
        let mut step = Step::new(self.clang);
        step.add(clang::language(&self.toolkit.include()));
        step.add([format!("-std={}", request.standard.as_deref().unwrap_or(STANDARD))]);
        step.add(["-D__NVCC__=1".to_owned()]);
        step.add([format!("-D__CUDA_ARCH_LIST__={}", request.architectures.list())]);
        // Only for device code: in the host's pass clang reports that it does not use it.
        let flushes = is_device && (flags.fast_math || flags.flushes_denormals);
        // NVIDIA's libraries take relocatable code for leave to launch kernels from kernels.
        for (is_asked, words) in [
            (flags.relocatable, "-D__CUDACC_RDC__=1"),
            (flags.relocatable, "-DCCCL_DISABLE_CDP=1"),
            (flags.relocatable, "-DCUB_DISABLE_CDP=1"),
            (flags.extended_lambda, "-D__CUDACC_EXTENDED_LAMBDA__=1"),
            (flags.relaxed_constexpr, "-D__CUDACC_RELAXED_CONSTEXPR__=1"),
            (flags.device_debug, "-D__CUDACC_DEBUG__=1"),
            (flushes, "-fgpu-flush-denormals-to-zero"),
            (flags.is_not_fused, "-ffp-contract=off"),
            (flags.relocatable, "-fgpu-rdc"),
        ] {
            step.add(is_asked.then_some(words));
        }
        if flags.relocatable {
            // The driver's own option does not reach both passes, and without it the driver makes
            // one up.
            let unit = format!("-cuid={}", self.unit(source));
            step.add(["--no-offload-new-driver", unit.as_str(), "-Xclang", unit.as_str()]);
        }
        if request.default_stream.as_deref() == Some("per-thread") {
            step.add(["-fgpu-default-stream=per-thread", "-DCUDA_API_PER_THREAD_DEFAULT_STREAM=1"]);
        }
        step.add(request.preprocessor.iter().map(String::as_str));
        self.add_cccl(&mut step);
        if is_device {
            // Options that change the language or the declarations, but not code of the host.
            let of_both = |word: &&String| {
                let starts = ["-D", "-U", "-I", "-std", "-fopenmp", "-m", "-pthread"];
                starts.iter().any(|start| word.starts_with(start))
            };
            step.add(self.taken_by_clang()?.iter().filter(of_both).map(String::as_str));
        }
        Ok(step)
    }

    /// A name for a file's part of a program, in which variables of two files may have one name.
    fn unit(&self, source: &Path) -> String {
        let path = std::path::absolute(source).unwrap_or_else(|_| source.to_owned());
        let mut hash = Sha256::new();
        hash.update(path.as_os_str().as_encoded_bytes());
        hash.update(self.request.preprocessor.join("\n"));
        hash.finalize().iter().take(8).map(|byte| format!("{byte:02x}")).collect()
    }

    /// The options for the host's compiler that clang knows.
    ///
    /// # Errors
    /// The host's compiler does not know one either.
    fn taken_by_clang(&self) -> Result<Vec<String>, Failure> {
        let is_known = |word: &String| {
            let starts = ["-W", "-D", "-I", "-U", "-O", "-g", "-std", "-fPIC", "-fpic", "-pthread"];
            starts.iter().any(|start| word.starts_with(start))
        };
        let mut words = self.request.host.clone();
        if words.iter().all(is_known) {
            return Ok(words);
        }
        let refused = refused_by(self.clang, &words)?;
        words.retain(|word| !refused.contains(word));
        // Build systems try options, and learn by the failure that there is none of a name.
        if refused.is_empty() || self.host == self.clang {
            return Ok(words);
        }
        match refused_by(self.host, &refused)?.first() {
            None => Ok(words),
            Some(word) => Err(Failure::usage(format!(
                "unknown option '{word}': neither nvcc nor the host's compiler ({}) has it",
                self.host.display()
            ))),
        }
    }

    /// The compiler of host code, with what it needs of the request.
    fn host_step(&self, kind: Kind) -> Step {
        let mut step = Step::new(self.host);
        step.add(["-x", if kind == Kind::C { "c" } else { "c++" }, "-D__NVCC__=1"]);
        let standard = self.request.standard.as_deref().filter(|_| kind != Kind::C);
        step.add(standard.map(|standard| format!("-std={standard}")));
        step.add(self.request.preprocessor.iter().map(String::as_str));
        step.add(["-isystem".to_owned(), self.toolkit.include().display().to_string()]);
        self.add_cccl(&mut step);
        step
    }

    fn add_cccl(&self, step: &mut Step) {
        if let Some(folder) = self.toolkit.cccl() {
            step.add(["-isystem"]).add_path(&folder);
        }
    }

    fn add_host_options(&self, step: &mut Step, host: &[String]) {
        let flags = self.request.flags;
        // Findings name lines of the host, too.
        step.add([if flags.debug { "-g" } else { "-g1" }]);
        for (is_asked, word) in [
            (flags.no_exceptions, "-fno-exceptions"),
            (flags.profile, "-pg"),
            (flags.no_warnings, "-w"),
            (flags.warnings_as_errors, "-Werror"),
        ] {
            step.add(is_asked.then_some(word));
        }
        let level = self.request.level.as_deref();
        step.add(level.map(|level| format!("-O{level}")));
        step.add(host.iter().map(String::as_str));
    }

    fn add_dependencies(&self, step: &mut Step, object: &Path) {
        let Some(which) = self.request.dependencies else { return };
        step.add([if which == Dependencies::All { "-MD" } else { "-MMD" }]);
        let file = self.request.dependency_file.clone();
        let file = file.unwrap_or_else(|| object.with_extension("d"));
        step.add(["-MF"]).add_path(&file);
        let targets = self.targets();
        match targets.is_empty() {
            true => step.add(["-MT"]).add_path(object),
            false => step.add(targets),
        };
    }

    /// How rules for make name the targets.
    fn targets(&self) -> Vec<String> {
        let targets = self.request.dependency_targets.iter();
        let named = targets.flat_map(|target| ["-MT".to_owned(), target.clone()]);
        let phony = self.request.flags.dependency_phony.then(|| "-MP".to_owned());
        named.chain(phony).collect()
    }
}

/// The words that a compiler of the host does not know as options: it names each, and compiles
/// nothing.
fn refused_by(compiler: &Path, words: &[String]) -> Result<Vec<String>, Failure> {
    let asked = std::process::Command::new(compiler)
        .args(["-###", "-x", "c++", "-fsyntax-only", "/dev/null"])
        .args(words)
        .env("LC_ALL", "C")
        .stdin(std::process::Stdio::null())
        .output();
    let name = compiler.display();
    let asked = asked.map_err(|error| Failure::usage(format!("cannot start {name}: {error}")))?;
    let said = String::from_utf8_lossy(&asked.stderr);
    let is_refused = |word: &&String| {
        let quoted = format!("'{word}'");
        said.lines().any(|line| line.contains("error: ") && line.contains(&quoted))
    };
    Ok(words.iter().filter(is_refused).cloned().collect())
}

/// Variables of one file to which clang gives a unique name (`-fgpu-rdc`): uses that clang has left
/// under the old name get the new one.
fn with_static_variables(ptx: &str) -> String {
    /// The text between the old name and the number of the file.
    const MARK: &str = "__static__";
    let name_in = |line: &str| {
        let declared = line.contains(".global") || line.contains(".const");
        let words = line.split([' ', '\t', ',', ';', '[', '(']);
        words.filter(|_| declared).find(|word| word.contains(MARK)).map(str::to_owned)
    };
    let mut text = ptx.to_owned();
    for new in ptx.lines().filter_map(name_in) {
        let old = new.split(MARK).next().unwrap_or_default();
        let is_declared = |line: &str| line.trim_start().starts_with(".extern") && uses(line, old);
        if text.lines().any(is_declared) {
            let lines = text.lines().filter(|line| !is_declared(line));
            text = lines.fold(String::with_capacity(text.len()), |mut text, line| {
                text += &renamed(line, old, &new);
                text.push('\n');
                text
            });
        }
    }
    text
}

/// Kernels of other files that the host's code launches: clang keeps their names by a variable, and
/// declares them as functions, which they are not.
fn without_kept_kernels(ptx: &str) -> String {
    const KEEPER: &str = "__clang_gpu_used_external";
    let Some(keeper) = ptx.lines().find(|line| uses(line, KEEPER)) else { return ptx.to_owned() };
    let names = keeper.split_once('{').and_then(|(_, rest)| rest.split_once('}'));
    let names = names.map_or("", |(names, _)| names).split(',').map(str::trim);
    let mut lines: Vec<&str> = ptx.lines().filter(|line| *line != keeper).collect();
    for name in names.filter(|name| !name.is_empty()) {
        let at: Vec<usize> = (0..lines.len()).filter(|at| uses(lines[*at], name)).collect();
        // One that something else uses is a function, or a variable.
        if let [only] = at[..]
            && lines[only].trim_start().starts_with(".extern .func")
            && let Some(length) = lines[only..].iter().position(|line| line.trim().ends_with(';'))
        {
            lines.drain(only..=only + length);
        }
    }
    lines.iter().map(|line| format!("{line}\n")).collect()
}

/// Whether a PTX name may contain this letter.
fn is_of_name(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || matches!(letter, '_' | '$' | '%')
}

/// The places where a name is a whole word in a line.
fn places<'a>(line: &'a str, name: &'a str) -> impl Iterator<Item = usize> + 'a {
    line.match_indices(name).map(|(at, _)| at).filter(move |at| {
        let before = line[..*at].chars().next_back();
        let behind = line[at + name.len()..].chars().next();
        !before.is_some_and(is_of_name) && !behind.is_some_and(is_of_name)
    })
}

fn uses(line: &str, name: &str) -> bool {
    places(line, name).next().is_some()
}

fn renamed(line: &str, old: &str, new: &str) -> String {
    let (mut text, mut from) = (String::with_capacity(line.len()), 0);
    for at in places(line, old) {
        text += &line[from..at];
        text += new;
        from = at + old.len();
    }
    text + &line[from..]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_of_other_files_are_declared_no_more_and_functions_are() {
        let rest = ".visible .entry mine()\n{\n\tcall called, ();\n}\n";
        let called = ".extern .func called\n()\n;\n";
        let ptx = format!(
            ".extern .func other\n(\n\t.param .b64 other_param_0\n)\n;\n{called}\
             .global .align 8 .u64 __clang_gpu_used_external[2] = {{other, called}};\n{rest}"
        );
        assert_eq!(without_kept_kernels(&ptx), format!("{called}{rest}"));
        assert_eq!(without_kept_kernels(rest), rest);
    }

    #[test]
    fn uses_of_a_variable_of_one_file_get_the_name_that_it_is_defined_under() {
        let ptx = ".extern .global .align 4 .u32 _ZL3own;\n\
                   .visible .global .align 4 .u32 _ZL3own__static__a8b6 = 5;\n\
                   ld.global.u32 %r1, [_ZL3own];\nld.global.u32 %r1, [_ZL3own2];\n";
        let wanted = ".visible .global .align 4 .u32 _ZL3own__static__a8b6 = 5;\n\
                      ld.global.u32 %r1, [_ZL3own__static__a8b6];\n\
                      ld.global.u32 %r1, [_ZL3own2];\n";
        assert_eq!(with_static_variables(ptx), wanted);
        assert_eq!(with_static_variables(wanted), wanted);
    }
}
