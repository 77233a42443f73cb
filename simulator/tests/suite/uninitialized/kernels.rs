//! Running kernels of one line a test.

use warpsim::check::{Analyses, Checking, Schedules};
use warpsim::host::{Argument, Device, Launch, Model, ModuleHandle, Pointer, Simulator};
use warpsim::observe::Uninitialized;
use warpsim::report::{Finding, Severity};

/// A kernel with shared array `s` (256 bytes), local array `l` (256 bytes) where it is used, a
/// buffer of the host in `%out` (4096 bytes, uploaded), `%t` (`%tid.x`), and registers `%r` (32
/// bits), `%h` (16), `%d` (64), `%f` (f32), `%p`.
#[derive(Debug)]
pub(super) struct Kernel {
    body: String,
    functions: String,
    threads: u32,
    model: Model,
}

impl Kernel {
    pub(super) fn new(body: &str) -> Kernel {
        let (body, functions) = (body.to_owned(), String::new());
        Kernel { body, functions, threads: 1, model: Model::Independent }
    }

    pub(super) fn functions(mut self, text: &str) -> Kernel {
        self.functions = text.to_owned();
        self
    }

    pub(super) fn threads(mut self, threads: u32) -> Kernel {
        self.threads = threads;
        self
    }

    pub(super) fn text(&self) -> String {
        format!(
            ".version 8.0\n.target sm_80\n.address_size 64\n{}\n\
             .visible .entry k(.param .u64 out, .param .u64 more) {{\n\
             .shared .align 16 .b8 s[256];\n{}\n\
             .reg .u64 %out, %more;\n.reg .u32 %t;\n.reg .b32 %r<20>;\n.reg .b16 %h<8>;\n\
             .reg .b64 %d<20>;\n.reg .f32 %f<8>;\n.reg .pred %p<8>;\n\
             ld.param.u64 %out, [out];\nld.param.u64 %more, [more];\nmov.u32 %t, %tid.x;\n\
             {}\nret;\n}}\n",
            self.functions,
            if self.has_local() { ".local .align 16 .b8 l[256];" } else { "" },
            self.body
        )
    }

    fn has_local(&self) -> bool {
        self.body.split(|c: char| !c.is_alphanumeric()).any(|word| word == "l")
    }

    /// All findings of one launch. `check` must find the same, after a quick look.
    pub(super) fn findings(&self) -> Vec<Finding> {
        let (mut gpu, buffers) = self.device();
        let mut watching = Uninitialized::default();
        self.launch(&mut gpu, &mut watching, &buffers);
        let findings = watching.findings();
        let (mut gpu, buffers) = self.device();
        let analyses = Analyses::default().only(&["uninitialized"]);
        let checking = Checking::default().with_analyses(analyses);
        gpu.settings_mut().checking = Some(checking.with_schedules(Schedules::AsSet));
        let (module, launch, arguments) = self.prepared(&mut gpu, &buffers);
        let checked = gpu.launch(module, "k", &launch, &arguments).unwrap();
        assert_eq!(serious(&checked.findings), serious(&findings), "{}", self.text());
        findings
    }

    /// A device with the two buffers.
    fn device(&self) -> (Simulator, [Pointer; 2]) {
        let mut gpu = Simulator::default();
        gpu.settings_mut().model = self.model;
        let out = gpu.allocate(4096).unwrap();
        gpu.upload(out, &[0; 4096]).unwrap();
        let fresh = gpu.allocate(4096).unwrap();
        (gpu, [out, fresh])
    }

    fn prepared(
        &self,
        gpu: &mut Simulator,
        of: &[Pointer],
    ) -> (ModuleHandle, Launch, Vec<Argument>) {
        let text = self.text();
        let module = warpsim::ptx::parse("k.ptx", &text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        let module = gpu.load(&module).unwrap_or_else(|e| panic!("{e}\n{text}"));
        let arguments = of.iter().map(|p| Argument::Pointer(*p)).collect();
        (module, Launch::new(1, self.threads), arguments)
    }

    pub(super) fn launch(&self, gpu: &mut Simulator, by: &mut Uninitialized, of: &[Pointer]) {
        let text = self.text();
        let (module, launch, arguments) = self.prepared(gpu, of);
        let report = gpu.launch_observed(module, "k", &launch, &arguments, by);
        let report = report.unwrap_or_else(|e| panic!("{e}\n{text}"));
        assert_eq!(report.findings, [], "{text}");
    }

    /// The opcodes of the use and of the load, for each finding at warning or above.
    pub(super) fn uses(&self) -> Vec<String> {
        serious(&self.findings())
    }
}

/// `use <- load` of each finding at warning or above.
pub(super) fn serious(findings: &[Finding]) -> Vec<String> {
    let serious = findings.iter().filter(|finding| finding.severity > Severity::Note);
    let sites = |finding: &Finding| -> Vec<String> {
        finding.sites.iter().map(|site| site.operation.clone()).collect()
    };
    serious.map(|finding| sites(finding).join(" <- ")).collect()
}

/// Asserts that a body has exactly these findings.
pub(super) fn check(body: &str, expected: &[&str]) {
    assert_eq!(Kernel::new(body).uses(), expected, "{body}");
}
