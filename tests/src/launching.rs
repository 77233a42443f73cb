//! Launching kernels in tests: forms of the corpus kernels, typed buffers, launches.

use std::marker::PhantomData;
use std::path::{Path, PathBuf};

use warpsim::host::{
    Argument, Device, DeviceProfile, Launch, Model, ModuleHandle, Pointer, Simulator,
};
use warpsim::observe::Uninitialized;
use warpsim::property::{Cells, Element};
use warpsim::ptx::Module;
use warpsim::report::{Finding, Outcome, Report, Severity};

/// The forms of a corpus file: those in the repository, or all of the larger corpus that
/// `WARPSIM_CORPUS` names.
pub fn forms(file: &str) -> Vec<PathBuf> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus");
    let corpus = std::env::var_os("WARPSIM_CORPUS").map_or(here, PathBuf::from);
    let folders = std::fs::read_dir(&corpus).expect("the corpus is there");
    let mut found: Vec<PathBuf> =
        folders.map(|f| f.expect("readable").path().join(file)).filter(|f| f.exists()).collect();
    found.sort();
    assert!(!found.is_empty(), "no form of {file}");
    found
}

/// The name of a form, which is its folder's name: `nvrtc13-sm80-O3`.
pub fn form(path: &Path) -> String {
    let folder = path.parent().and_then(Path::file_name);
    folder.expect("in a folder").to_string_lossy().into_owned()
}

/// An array in the device's memory.
#[derive(Debug)]
pub struct Buffer<T> {
    /// Where it begins.
    pub pointer: Pointer,
    /// How many cells it has.
    pub len: usize,
    cell: PhantomData<T>,
}

impl<T> Clone for Buffer<T> {
    fn clone(&self) -> Buffer<T> {
        *self
    }
}

impl<T> Copy for Buffer<T> {}

impl<T> From<Buffer<T>> for Argument {
    fn from(buffer: Buffer<T>) -> Argument {
        Argument::Pointer(buffer.pointer)
    }
}

/// A device with one module loaded.
#[derive(Debug)]
pub struct Bench {
    /// The device.
    pub gpu: Simulator,
    /// The module's text as a tree.
    pub module: Module,
    /// The module as loaded.
    pub handle: ModuleHandle,
    /// Whether kernels that must complete may also use what was never written.
    pub undefined_is_fine: bool,
}

impl Bench {
    /// Loads a file, whose kernels must not use what was never written.
    pub fn of_file(path: &Path) -> Bench {
        let text = std::fs::read_to_string(path).expect("readable");
        let bench = Bench::of_text(&path.to_string_lossy(), &text);
        Bench { undefined_is_fine: false, ..bench }
    }

    /// Loads a text.
    pub fn of_text(name: &str, text: &str) -> Bench {
        Bench::of_module(warpsim::ptx::parse(name, text).expect("valid PTX"))
    }

    /// Loads a tree.
    pub fn of_module(module: Module) -> Bench {
        Bench::on(DeviceProfile::h200(), module)
    }

    /// Loads a tree into a device with this profile.
    pub fn on(profile: DeviceProfile, module: Module) -> Bench {
        let mut gpu = Simulator::new(profile);
        gpu.settings_mut().max_steps = 50_000_000;
        let handle = gpu.load(&module).expect("loads");
        Bench { gpu, module, handle, undefined_is_fine: true }
    }

    /// The same under this execution model.
    #[must_use]
    pub fn under(mut self, model: Model) -> Bench {
        self.gpu.settings_mut().model = model;
        self
    }

    /// The same under a schedule.
    #[must_use]
    pub fn scheduled(mut self, schedule: &str) -> Bench {
        let schedule = schedule.parse().expect("a schedule");
        self.gpu.settings_mut().schedule = schedule;
        self
    }

    /// A buffer that holds these values.
    pub fn buffer<T: Element>(&mut self, values: &[T]) -> Buffer<T> {
        let bytes = Cells::new(values.iter().copied()).to_bytes();
        let pointer = self.gpu.allocate(bytes.len() as u64).expect("memory");
        self.gpu.upload(pointer, &bytes).expect("in range");
        Buffer { pointer, len: values.len(), cell: PhantomData }
    }

    /// What a buffer holds.
    pub fn read<T: Element>(&self, buffer: Buffer<T>) -> Vec<T> {
        let mut bytes = vec![0; buffer.len * T::TYPE.size()];
        self.gpu.peek(buffer.pointer, &mut bytes).expect("in range");
        Cells::from_bytes(T::TYPE, &bytes).numbers().expect("of their type")
    }

    /// Launches a kernel.
    pub fn launch(&mut self, kernel: &str, launch: &Launch, arguments: &[Argument]) -> Report {
        match self.gpu.launch(self.handle, kernel, launch, arguments) {
            Ok(report) => report,
            Err(error) => panic!("{kernel} of {}: {error}", self.module.source.name()),
        }
    }

    /// Launches a kernel and gives the uses of values that were never written, notes left out.
    pub fn undefined(
        &mut self,
        kernel: &str,
        launch: &Launch,
        arguments: &[Argument],
    ) -> (Report, Vec<Finding>) {
        let mut watching = Uninitialized::default();
        let (gpu, handle) = (&mut self.gpu, self.handle);
        let report = gpu.launch_observed(handle, kernel, launch, arguments, &mut watching);
        let mut findings = watching.findings();
        findings.retain(|finding| finding.severity > Severity::Note);
        match report {
            Ok(report) => (report, findings),
            Err(error) => panic!("{kernel} of {}: {error}", self.module.source.name()),
        }
    }

    /// Launches a kernel that must complete.
    pub fn run(&mut self, kernel: &str, launch: &Launch, arguments: &[Argument]) {
        let name = self.module.source.name().to_owned();
        let report = if self.undefined_is_fine {
            self.launch(kernel, launch, arguments)
        } else {
            let (report, undefined) = self.undefined(kernel, launch, arguments);
            assert_eq!(undefined, [], "{kernel} of {name}");
            report
        };
        assert_eq!(report.outcome, Outcome::Completed, "{kernel} of {name}: {report:?}");
    }
}
