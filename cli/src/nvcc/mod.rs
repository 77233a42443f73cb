//! `warpsim nvcc`, and the command under the name `nvcc`: a stand-in for NVIDIA's compiler driver
//! ("NVIDIA CUDA Compiler Driver NVCC", version 12.9), so that CUDA projects build as they are.
//!
//! | module | what it does |
//! |---|---|
//! | `options`, `words` | the options, and how their values are written |
//! | `request`, `architecture` | what a command line asks for |
//! | `compile` | from a source to PTX or to an object |
//! | `device_link` | device code of several objects, linked |
//! | `link` | from objects to a program |
//! | `toolkit`, `cccl` | the folder with headers and libraries; where NVIDIA's C++ libraries are |
//! | `steps` | the programs that are started, as `-v` and `-dryrun` show them |
//!
//! clang compiles CUDA C++, with our headers. The host's compiler (`-ccbin`, else `c++`) compiles C
//! and C++, and links. Objects hold PTX in fat binaries, as NVIDIA's do, so both can be mixed.
//!
//! Where it deviates: device code is compiled for one architecture (`architecture`). There is no
//! machine code, so options about it change nothing. `-rdc` code is linked to PTX. Each compiler
//! prints its own messages.

mod architecture;
mod cccl;
mod compile;
mod device_link;
mod link;
mod options;
mod request;
mod steps;
mod toolkit;
mod words;

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use self::architecture::ALL;
use self::compile::Compiler;
use self::options::{OPTIONS, Phase};
use self::request::{Kind, Request};
use self::steps::{Step, Steps};
pub(crate) use self::toolkit::{Toolkit, library_names};
use crate::clang;
use crate::failure::{Exit, Failure};
use crate::output::Output;

/// The name under which the command is this.
const NAME: &str = "nvcc";

/// The option that writes a toolkit's folder, which NVIDIA's has not.
const INSTALL: &str = "--install";

/// Whether the command was started under the compiler's name.
pub(crate) fn is_asked_for(arguments: &[OsString]) -> bool {
    let name = arguments.first().map(Path::new).and_then(Path::file_name);
    name.is_some_and(|name| name == NAME)
}

/// Runs it under the compiler's name.
pub(crate) fn run_as_program(arguments: &[OsString], output: &mut Output) -> Exit {
    let program = arguments.first().map(PathBuf::from);
    let words = arguments.get(1..).unwrap_or_default();
    match run(program.as_deref(), words, output).and_then(|exit| output.flush().map(|()| exit)) {
        Ok(exit) => exit,
        Err(failure) => {
            // As in Makefiles, anything but 0 is a failure, and nvcc gives 1.
            failure.report(output);
            Exit::FINDING
        }
    }
}

/// Runs it with these arguments.
///
/// # Errors
/// The command line is wrong, there is no compiler, or one refuses its input.
pub(crate) fn run(
    program: Option<&Path>,
    arguments: &[OsString],
    output: &mut Output,
) -> Result<Exit, Failure> {
    let words = in_unicode(arguments)?;
    if let Some(folder) = words.iter().position(|word| word == INSTALL) {
        return install(words.get(folder + 1), output);
    }
    let words =
        [from_environment("NVCC_PREPEND_FLAGS"), words, from_environment("NVCC_APPEND_FLAGS")]
            .concat();
    let request = request::read(&words).map_err(|mistake| {
        Failure::usage_with_help(mistake.to_string(), "`nvcc --help` lists the options")
    })?;
    for note in &request.notes {
        output.message(&format!("nvcc: note: {note}"));
    }
    let flags = request.flags;
    if flags.version || flags.help || flags.list_architectures || flags.list_codes {
        return output.print(&answer(&request)).map(|()| Exit::CLEAN);
    }
    let toolkit = Toolkit::of(program)?;
    let steps = Steps { shows: flags.verbose || flags.dry_run, runs: !flags.dry_run };
    show_places(&request, &toolkit, steps, output);
    if request.inputs.is_empty() {
        return Err(Failure::usage_with_help(
            "no input files",
            "nvcc FILE.cu -o PROGRAM; `nvcc --help` lists the options",
        ));
    }
    Job { request: &request, toolkit: &toolkit, steps, clang: None }.run(output)?;
    Ok(Exit::CLEAN)
}

/// Builds what these arguments ask for with a clang that was chosen already.
///
/// # Errors
/// The command line is wrong, or a compiler refuses its input.
pub(crate) fn build(
    arguments: &[OsString],
    clang: &Path,
    output: &mut Output,
) -> Result<(), Failure> {
    let request = request::read(&in_unicode(arguments)?)
        .map_err(|mistake| Failure::usage(mistake.to_string()))?;
    let toolkit = Toolkit::of(None)?;
    let steps = Steps { shows: false, runs: true };
    Job { request: &request, toolkit: &toolkit, steps, clang: Some(clang) }.run(output)
}

/// The words of an environment variable, to put in front of or behind the words of the command
/// line.
fn from_environment(name: &str) -> Vec<String> {
    env::var(name).map_or_else(|_| Vec::new(), |value| words::split(&value))
}

fn in_unicode(arguments: &[OsString]) -> Result<Vec<String>, Failure> {
    let word = |word: &OsString| {
        let unicode = word.to_str().map(str::to_owned);
        unicode.ok_or_else(|| Failure::usage(format!("'{}' is not UTF-8", word.to_string_lossy())))
    };
    arguments.iter().map(word).collect()
}

fn install(folder: Option<&String>, output: &mut Output) -> Result<Exit, Failure> {
    let Some(folder) = folder else {
        return Err(Failure::usage_with_help("no folder", "warpsim nvcc --install DIR"));
    };
    let root = std::path::absolute(folder)
        .map_err(|error| Failure::usage(format!("{folder}: {error}")))?;
    Toolkit::install(&root)?;
    let root = root.display();
    output.print(&format!(
        "{root} is a CUDA toolkit now:\n  PATH={root}/bin:$PATH make NVCC=nvcc\n  \
         cmake -DCMAKE_CUDA_COMPILER={root}/bin/nvcc ...\n  CUDA_HOME={root} ...\n\
         Programs run by `warpsim exec --check -- PROGRAM`.\n"
    ))?;
    Ok(Exit::CLEAN)
}

/// What nvcc prints about itself.
fn answer(request: &Request) -> String {
    let flags = request.flags;
    if flags.version {
        let (release, version) = (toolkit::RELEASE, toolkit::VERSION);
        return format!(
            "nvcc: NVIDIA (R) Cuda compiler driver (warpsim {}'s stand-in for it)\n\
             Cuda compilation tools, release {release}, V{version}\n",
            env!("CARGO_PKG_VERSION")
        );
    }
    if flags.list_architectures || flags.list_codes {
        let prefix = if flags.list_codes { "sm" } else { "compute" };
        return ALL.iter().map(|number| format!("{prefix}_{number}\n")).collect();
    }
    let mut text = String::from(
        "Usage: nvcc [options] FILE...\n\n\
         warpsim's stand-in for NVIDIA's compiler driver: CUDA C++ becomes programs that run under\n\
         `warpsim exec`. Options are NVIDIA's; those about machine code change nothing.\n\n\
         `warpsim nvcc --install DIR` makes a toolkit's folder for build systems.\n\nOptions:\n",
    );
    for option in OPTIONS {
        let short = match option.short {
            "" => String::new(),
            short => format!(", -{short}"),
        };
        text += &format!("  --{}{short}\n", option.long);
    }
    text
}

/// What build systems read of `-v`: where the toolkit is, and how it links.
fn show_places(request: &Request, toolkit: &Toolkit, steps: Steps, output: &mut Output) {
    let root = toolkit.root.display();
    let path = env::var("PATH").unwrap_or_default();
    for line in [
        "_NVVM_BRANCH_=nvvm".to_owned(),
        "_SPACE_= ".to_owned(),
        "_CUDART_=cudart".to_owned(),
        format!("_HERE_={root}/bin"),
        format!("_THERE_={root}/bin"),
        "_TARGET_SIZE_=".to_owned(),
        "_TARGET_DIR_=".to_owned(),
        format!("TOP={root}"),
        format!("NVVMIR_LIBRARY_DIR={root}/nvvm/libdevice"),
        format!("PATH={root}/bin:{path}"),
        format!("INCLUDES=\"-I{}\"", toolkit.include().display()),
        format!("LIBRARIES={}", words::quoted(&link::folder_of(toolkit))),
        format!("_ARCHITECTURE_=-arch compute_{}", request.architecture().number),
    ] {
        steps.say(&line, output);
    }
}

/// A command line that compiles or links something.
struct Job<'a> {
    request: &'a Request,
    toolkit: &'a Toolkit,
    steps: Steps,
    /// The clang, if it was chosen already.
    clang: Option<&'a Path>,
}

impl Job<'_> {
    fn run(&self, output: &mut Output) -> Result<(), Failure> {
        let request = self.request;
        let scratch = toolkit::scratch()?;
        let sources: Vec<(&Path, Kind)> = request.sources().collect();
        for (source, _) in &sources {
            if self.steps.runs && !source.is_file() {
                return Err(Failure::usage(format!(
                    "cannot read {}: no such file",
                    source.display()
                )));
            }
        }
        let is_last = !matches!(request.phase, Phase::Link | Phase::Archive | Phase::DeviceLink);
        if is_last && request.output.is_some() && sources.len() > 1 {
            return Err(Failure::usage_with_help(
                "-o names one file, but there are several outputs",
                "leave -o out, or name one source; -odir DIR says where outputs go",
            ));
        }
        let clang = match sources.iter().any(|(_, kind)| *kind == Kind::Cuda)
            || matches!(request.phase, Phase::Link | Phase::DeviceLink)
        {
            true => {
                self.clang.map_or_else(|| clang_of_trial(output), |clang| Ok(clang.to_owned()))?
            }
            false => PathBuf::new(),
        };
        let host = self.host_compiler(&clang)?;
        let compiler = Compiler {
            request,
            toolkit: self.toolkit,
            clang: &clang,
            host: &host,
            steps: self.steps,
            scratch: scratch.path(),
        };
        let mut objects = Vec::new();
        for (number, (source, kind)) in sources.iter().enumerate() {
            let object = match is_last {
                true => self.output_of(source),
                false => scratch.path().join(format!("{number}.o")),
            };
            compiler.run((source, *kind), &object, output)?;
            objects.push(object);
        }
        match request.phase {
            Phase::Link => self.link(&compiler, &objects, output),
            Phase::DeviceLink => self.link_device(&compiler, &objects, output),
            Phase::Archive => self.archive(&objects, output),
            Phase::Compile
            | Phase::Ptx
            | Phase::FatBinary
            | Phase::Cubin
            | Phase::Preprocess
            | Phase::HostText
            | Phase::Dependencies(_) => Ok(()),
        }
    }

    /// The compiler of host code: `-ccbin`, else the first that there is, else clang.
    fn host_compiler(&self, clang: &Path) -> Result<PathBuf, Failure> {
        let named = self.request.host_compiler.clone();
        let named = named.or_else(|| env::var_os("NVCC_CCBIN").map(PathBuf::from));
        if let Some(named) = named {
            // A folder has it under its usual name.
            return Ok(if named.is_dir() { named.join("g++") } else { named });
        }
        let folders = env::var_os("PATH").unwrap_or_default();
        let folders: Vec<PathBuf> = env::split_paths(&folders).collect();
        let found = ["g++", "c++", "clang++"]
            .iter()
            .find_map(|name| folders.iter().map(|f| f.join(name)).find(|path| path.is_file()));
        match found {
            Some(found) => Ok(found),
            None if !clang.as_os_str().is_empty() => Ok(clang.to_owned()),
            None => Err(Failure::Missing {
                message: "no compiler of C++ for host code".to_owned(),
                help: Some("install g++, or name one by -ccbin".to_owned()),
            }),
        }
    }

    /// Where the output of one source goes.
    fn output_of(&self, source: &Path) -> PathBuf {
        if let Some(output) = &self.request.output {
            return output.clone();
        }
        let ending = match self.request.phase {
            Phase::Ptx => "ptx",
            Phase::FatBinary => "fatbin",
            Phase::Cubin => "cubin",
            Phase::HostText => "cu.cpp.ii",
            Phase::Link
            | Phase::Compile
            | Phase::Archive
            | Phase::DeviceLink
            | Phase::Preprocess
            | Phase::Dependencies(_) => "o",
        };
        let name = PathBuf::from(source.file_name().unwrap_or_default()).with_extension(ending);
        match &self.request.output_folder {
            Some(folder) => folder.join(name),
            None => name,
        }
    }

    fn output_or(&self, usual: &str) -> PathBuf {
        self.request.output.clone().unwrap_or_else(|| usual.into())
    }

    fn link(
        &self,
        compiler: &Compiler<'_>,
        objects: &[PathBuf],
        output: &mut Output,
    ) -> Result<(), Failure> {
        let linked = compiler.scratch.join("linked.o");
        let is_linked = self.link_parts(compiler, objects, &linked, output)?;
        let to = self.output_or("a.out");
        let openmp = openmp_of(compiler.clang);
        let tools = (self.toolkit, compiler.host, openmp.as_deref());
        let linked = is_linked.then_some(linked.as_path());
        let step = link::step(self.request, tools, objects, linked, &to);
        self.steps.run(&step, output)?;
        match self.request.flags.run && self.steps.runs {
            true => run_program(&to, &self.request.run_arguments),
            false => Ok(()),
        }
    }

    fn link_device(
        &self,
        compiler: &Compiler<'_>,
        objects: &[PathBuf],
        output: &mut Output,
    ) -> Result<(), Failure> {
        let to = self.output_or("a_dlink.o");
        if self.link_parts(compiler, objects, &to, output)? || !self.steps.runs {
            return Ok(());
        }
        // Build systems want an object anyway.
        let nothing = compiler.scratch.join("nothing.c");
        let written = std::fs::write(&nothing, "");
        written.map_err(|error| Failure::usage(format!("{}: {error}", nothing.display())))?;
        let mut step = Step::new(compiler.clang);
        step.add(["-x", "c", "-fPIC", "-c", "-o"]).add_path(&to).add_path(&nothing);
        self.steps.run(&step, output)
    }

    /// Links relocatable device code; whether there is some.
    fn link_parts(
        &self,
        compiler: &Compiler<'_>,
        objects: &[PathBuf],
        to: &Path,
        output: &mut Output,
    ) -> Result<bool, Failure> {
        if !self.steps.runs {
            return Ok(false);
        }
        let of_sources = objects.iter().map(|o| request::Input::File(o.clone(), Kind::Linkable));
        let inputs: Vec<_> = of_sources.chain(self.request.inputs.iter().cloned()).collect();
        device_link::link(
            &inputs,
            (self.toolkit, compiler.clang),
            (compiler.scratch, to),
            (self.steps, output),
        )
    }

    fn archive(&self, objects: &[PathBuf], output: &mut Output) -> Result<(), Failure> {
        let program = self.request.archiver_program.clone();
        let mut step = Step::new(&program.unwrap_or_else(|| "ar".into()));
        step.add(["rcs"]);
        step.add(self.request.archiver.iter().map(String::as_str));
        step.add_path(&self.output_or("a.a"));
        objects.iter().for_each(|object| _ = step.add_path(object));
        for input in &self.request.inputs {
            if let request::Input::File(file, Kind::Linkable) = input {
                step.add_path(file);
            }
        }
        self.steps.run(&step, output)
    }
}

/// The clang that passes its trial.
fn clang_of_trial(output: &mut Output) -> Result<PathBuf, Failure> {
    let is_allowed = env::var_os("WARPSIM_ALLOW_COMPILER").is_some_and(|value| value == "1");
    let chosen = clang::chosen(is_allowed, output)?;
    chosen.ok_or_else(|| Failure::Missing {
        message: "no clang to compile CUDA C++ (clang++)".to_owned(),
        help: Some(clang::INSTALL.to_owned()),
    })
}

/// clang's library of OpenMP, where it is installed.
fn openmp_of(clang: &Path) -> Option<PathBuf> {
    let asked = Command::new(clang).arg("-print-file-name=libomp.so").output().ok()?;
    // Without it clang answers with the name alone.
    let path = PathBuf::from(String::from_utf8_lossy(&asked.stdout).trim());
    path.is_absolute().then_some(path)
}

/// `-run`: the program that was made, on the simulated device.
fn run_program(program: &Path, arguments: &[String]) -> Result<(), Failure> {
    let failed = |error: std::io::Error| Failure::usage(format!("{}: {error}", program.display()));
    let command = env::current_exe().map_err(failed)?;
    let path = std::path::absolute(program).map_err(failed)?;
    let status = Command::new(command).args(["exec", "--"]).arg(path).args(arguments).status();
    match status.map_err(failed)?.success() {
        true => Ok(()),
        false => Err(Failure::usage(format!("{}: it failed", program.display()))),
    }
}
