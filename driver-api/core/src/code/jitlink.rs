//! nvJitLink's linker (nvJitLink documentation, NVIDIA, versions 12 and 13). It links PTX, and
//! containers with PTX, to one PTX text. The text goes on in a container of ours in place of a
//! cubin.
//!
//! No device takes part: a linker exists on its own, without the driver's lock and without a
//! context.
//!
//! Intermediate code for link-time optimisation (LTO-IR) is NVIDIA's alone. It goes to a
//! [`Compiler`], which is NVIDIA's own library if there is one, and comes back as PTX.
//!
//! Deviations: options for the machine's code (`-maxrregcount`, `-O`, `-split-compile`, ...) change
//! nothing. Logs are ours, without the figures of an assembler. Host objects and libraries are not
//! looked into. The device runtime's library (`libcudadevrt.a`) is recognised without that.

use warpsim::ptx;

use crate::code::image;

macro_rules! results {
    ($($variant:ident = $number:literal, $what:literal;)*) => {
        /// Why a call of nvJitLink failed (`nvJitLinkResult`).
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u32)]
        pub enum JitLinkError {
            $(#[doc = $what] $variant = $number,)*
        }

        impl JitLinkError {
            /// Its number in `nvJitLink.h`.
            pub const fn number(self) -> u32 {
                self as u32
            }
        }
    };
}

results! {
    UnrecognizedOption = 1, "An option that there is not.";
    MissingArch = 2, "No `-arch`.";
    InvalidInput = 3, "An argument that means nothing, or a call out of turn.";
    PtxCompile = 4, "PTX that is wrong.";
    NvvmCompile = 5, "LTO-IR that cannot be compiled.";
    Internal = 6, "A bug of ours.";
    UnrecognizedInput = 8, "An input that is none of the known ones.";
    Finalize = 9, "Inputs that do not fit together.";
    NullInput = 10, "A null pointer.";
    IncompatibleOptions = 11, "Options that do not go together.";
    IncorrectInputType = 12, "An input that is not what it is said to be.";
    UnrecognizedArch = 16, "An architecture that there is not.";
    LtoNotEnabled = 18, "LTO-IR without `-lto`.";
}

/// The declared kind of an input (`nvJitLinkInputType`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "named as in `nvJitLink.h`")]
pub enum JitLinkInput {
    Cubin,
    Ptx,
    LtoIr,
    FatBinary,
    Object,
    Library,
    Index,
    Any,
}

impl JitLinkInput {
    /// The kind with this number.
    pub fn of_number(number: u32) -> Option<JitLinkInput> {
        use JitLinkInput as I;
        Some(match number {
            1 => I::Cubin,
            2 => I::Ptx,
            3 => I::LtoIr,
            4 => I::FatBinary,
            5 => I::Object,
            6 => I::Library,
            7 => I::Index,
            10 => I::Any,
            0 | 8 | 9 | 11.. => return None,
        })
    }
}

/// A compiler from LTO-IR to PTX.
pub trait Compiler {
    /// The PTX of all inputs, each with its name, for options such as `-arch=sm_90`; or the
    /// compiler's message.
    ///
    /// # Errors
    /// There is no compiler, or it refuses the inputs.
    fn compile(&self, options: &[String], inputs: &[(String, Vec<u8>)]) -> Result<Vec<u8>, String>;
}

/// What the options of a linker say.
#[derive(Clone, Debug, Default)]
struct Asked {
    arch: String,
    lto: bool,
    ptx: bool,
    /// All of them, for a compiler of LTO-IR.
    all: Vec<String>,
}

/// Options that change nothing here. Those that end in `=` take a value.
const OPTIONS: [&str; 23] = [
    "-time",
    "-verbose",
    "-g",
    "-lineinfo",
    "-optimize-unused-variables",
    "-no-cache",
    "-r",
    "-O0",
    "-O1",
    "-O3",
    "-relocatable-device-code=",
    "-maxrregcount=",
    "-ftz=",
    "-prec-div=",
    "-prec-sqrt=",
    "-fma=",
    "-kernels-used=",
    "-variables-used=",
    "-Xptxas=",
    "-Xnvvm=",
    "-split-compile=",
    "-split-compile-extended=",
    "-jump-table-density=",
];

impl Asked {
    fn read(options: &[String]) -> Result<Asked, JitLinkError> {
        let mut asked = Asked { all: options.to_vec(), ..Asked::default() };
        for option in options {
            let name = option.split_inclusive('=').next();
            match (option.as_str(), option.strip_prefix("-arch=")) {
                ("-lto", _) => asked.lto = true,
                ("-ptx", _) => asked.ptx = true,
                (_, Some(arch)) => arch.clone_into(&mut asked.arch),
                (_, None) if name.is_some_and(|name| OPTIONS.contains(&name)) => {}
                (_, None) => return Err(JitLinkError::UnrecognizedOption),
            }
        }
        if asked.arch.is_empty() {
            return Err(JitLinkError::MissingArch);
        }
        let virtual_arch = asked.arch.strip_prefix("compute_");
        let number = virtual_arch.or_else(|| asked.arch.strip_prefix("sm_"));
        let number = number.map(|number| number.trim_end_matches(['a', 'f']).parse::<u32>());
        match number {
            Some(Ok(50..)) if !asked.lto && (asked.ptx || virtual_arch.is_some()) => {
                Err(JitLinkError::IncompatibleOptions)
            }
            Some(Ok(50..)) => Ok(asked),
            Some(Ok(_) | Err(_)) | None => Err(JitLinkError::UnrecognizedArch),
        }
    }
}

/// A linker with its inputs so far.
#[derive(Debug)]
pub struct JitLinker {
    asked: Asked,
    texts: Vec<(String, Vec<u8>)>,
    intermediate: Vec<(String, Vec<u8>)>,
    /// Whether the device runtime's library is among the inputs.
    has_runtime: bool,
    linked: Option<Vec<u8>>,
    log: String,
}

/// What a library of objects begins with (`ar.h`).
const ARCHIVE: &[u8] = b"!<arch>\n";

/// What LTO-IR begins with.
const LTO_IR: u32 = 0x7f4e_43ed;

impl JitLinker {
    /// `nvJitLinkCreate`.
    ///
    /// # Errors
    /// An option is unknown, or the architecture is missing.
    ///
    /// ```
    /// use warpsim_driver_core::{JitLinkError, JitLinker};
    ///
    /// assert!(JitLinker::new(&["-arch=sm_90".to_owned()]).is_ok());
    /// assert_eq!(JitLinker::new(&[]).err(), Some(JitLinkError::MissingArch));
    /// ```
    pub fn new(options: &[String]) -> Result<JitLinker, JitLinkError> {
        let asked = Asked::read(options)?;
        let (texts, intermediate) = (Vec::new(), Vec::new());
        let (has_runtime, linked, log) = (false, None, String::new());
        Ok(JitLinker { asked, texts, intermediate, has_runtime, linked, log })
    }

    /// `nvJitLinkAddData`.
    ///
    /// # Errors
    /// The input has no PTX and no LTO-IR. The log says why.
    pub fn add(&mut self, kind: JitLinkInput, data: &[u8], name: &str) -> Result<(), JitLinkError> {
        use JitLinkInput as I;
        let is = |magic: u32| data.starts_with(&magic.to_le_bytes());
        if data.is_empty() {
            return Err(self.failed(JitLinkError::InvalidInput, name, "it is empty"));
        }
        let holds_ptx = is(image::FAT_BINARY) || is(image::CONTAINER);
        match kind {
            I::LtoIr | I::Any if is(LTO_IR) => return self.add_intermediate(data, name),
            I::Library | I::Any if data.starts_with(ARCHIVE) => return self.add_library(name),
            I::Ptx | I::Any if is_ptx(data) => {}
            // A container of ours, in place of machine code, may have any of these types.
            I::Cubin | I::LtoIr | I::FatBinary | I::Object | I::Any if holds_ptx => {}
            I::Cubin | I::FatBinary | I::Object | I::Any if is(image::ELF) => {}
            I::Any => {
                return Err(self.failed(JitLinkError::UnrecognizedInput, name, "an unknown input"));
            }
            I::Cubin | I::Ptx | I::LtoIr | I::FatBinary | I::Object | I::Library | I::Index => {
                let why = "its contents do not match its declared type";
                return Err(self.failed(JitLinkError::IncorrectInputType, name, why));
            }
        }
        let texts = image::texts(data)
            .map_err(|error| self.failed(JitLinkError::InvalidInput, name, &error.to_string()))?;
        for text in texts {
            if let Err(error) = ptx::parse_bytes(name, &text) {
                return Err(self.failed(JitLinkError::PtxCompile, name, &error.to_string()));
            }
            self.texts.push((name.to_owned(), text));
        }
        Ok(())
    }

    fn add_intermediate(&mut self, data: &[u8], name: &str) -> Result<(), JitLinkError> {
        if !self.asked.lto {
            return Err(self.failed(JitLinkError::LtoNotEnabled, name, "LTO-IR needs -lto"));
        }
        self.intermediate.push((name.to_owned(), data.to_vec()));
        Ok(())
    }

    fn add_library(&mut self, name: &str) -> Result<(), JitLinkError> {
        // What that has is known to what links PTX, and is defined there.
        if name.contains("cudadevrt") {
            self.has_runtime = true;
            return Ok(());
        }
        let why = "a library of objects: warpsim does not look for PTX in it";
        Err(self.failed(JitLinkError::InvalidInput, name, why))
    }

    fn failed(&mut self, error: JitLinkError, name: &str, why: &str) -> JitLinkError {
        self.log += &format!("error: {name}: {why}\n");
        error
    }

    /// `nvJitLinkComplete`: all inputs become one text.
    ///
    /// # Errors
    /// LTO-IR cannot be compiled, inputs do not fit together, or it was called before. The log says
    /// why.
    pub fn complete(&mut self, compiler: &dyn Compiler) -> Result<(), JitLinkError> {
        if self.linked.is_some() {
            return Err(JitLinkError::InvalidInput);
        }
        let mut texts = self.texts.clone();
        if self.asked.ptx && !texts.is_empty() {
            let why = "-ptx needs LTO-IR in all inputs";
            return Err(self.failed(JitLinkError::IncorrectInputType, "link", why));
        }
        if !self.intermediate.is_empty() {
            match compiler.compile(&self.asked.all, &self.intermediate) {
                Ok(text) => texts.insert(0, ("LTO-IR".to_owned(), text)),
                Err(why) => return Err(self.failed(JitLinkError::NvvmCompile, "LTO-IR", &why)),
            }
        }
        let text = match texts.as_slice() {
            [] => EMPTY.to_vec(),
            [(_, text)] if !self.has_runtime => text.clone(),
            several => {
                let files: Vec<(&str, &[u8])> =
                    several.iter().map(|(name, text)| (name.as_str(), text.as_slice())).collect();
                let linked = ptx::link(&files)
                    .map_err(|e| self.failed(JitLinkError::Finalize, "link", &e.to_string()))?;
                ptx::print(&linked).into_bytes()
            }
        };
        self.linked = Some(text);
        Ok(())
    }

    /// `nvJitLinkGetLinkedCubin`: a container of ours.
    ///
    /// # Errors
    /// Nothing was linked, or PTX was asked for.
    pub fn cubin(&self) -> Result<Vec<u8>, JitLinkError> {
        match &self.linked {
            Some(text) if !self.asked.ptx => Ok(image::container(text)),
            Some(_) | None => Err(JitLinkError::InvalidInput),
        }
    }

    /// `nvJitLinkGetLinkedPtx`: the text, with a zero at its end.
    ///
    /// # Errors
    /// Nothing was linked, or `-ptx` was not asked for.
    pub fn text(&self) -> Result<Vec<u8>, JitLinkError> {
        match &self.linked {
            Some(text) if self.asked.ptx => Ok([text.as_slice(), &[0]].concat()),
            Some(_) | None => Err(JitLinkError::InvalidInput),
        }
    }

    /// `nvJitLinkGetErrorLog`, without the zero at its end.
    pub fn log(&self) -> &str {
        &self.log
    }
}

/// What becomes of no inputs.
const EMPTY: &[u8] = b".version 7.0\n.target sm_70\n.address_size 64\n";

/// Whether it looks like PTX: it contains the directive that begins each module.
fn is_ptx(data: &[u8]) -> bool {
    data.windows(8).take(1 << 16).any(|window| window == b".version")
}

#[cfg(test)]
mod tests;
