//! Verdicts on small kernels: each wrong one beside its nearest right neighbour, under every
//! schedule and both models.

mod barriers;
mod corpus;
mod masks;
mod random;
mod shuffles;
mod size;

use warpsim::host::{Argument, Device, Launch, Model, Simulator};
use warpsim::observe::convergence::Convergence;
use warpsim::ptx::Module;
use warpsim::report::{Finding, Outcome, Severity};

pub(super) const SCHEDULES: [&str; 7] =
    ["in-order", "reverse", "random:1", "random:2", "random:3", "adversarial", "adversarial:back"];
pub(super) const MODELS: [Model; 2] = [Model::Independent, Model::Lockstep];

/// A kernel `k(out)` of these instructions, with the functions before it. `%t` is the thread, `%l`
/// the lane, `%o` where the thread may store its result.
pub(super) fn kernel(functions: &str, body: &str) -> Module {
    let text = format!(
        ".version 8.0\n.target sm_90\n.address_size 64\n{functions}\n\
         .visible .entry k(.param .u64 out) {{\n.reg .pred %p<8>; .reg .u32 %t, %l, %r<16>;\n\
         .reg .u64 %o, %d;\nld.param.u64 %o, [out];\nmov.u32 %t, %tid.x;\nmov.u32 %l, %laneid;\n\
         mul.wide.u32 %d, %t, 4;\nadd.u64 %o, %o, %d;\n{body}\nret;\n}}"
    );
    warpsim::ptx::parse("k.ptx", &text).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

/// Runs a kernel and gives what was found.
pub(super) fn run(
    module: &Module,
    name: &str,
    threads: u32,
    model: Model,
    schedule: &str,
) -> (Outcome, Vec<Finding>) {
    let mut gpu = Simulator::default();
    gpu.settings_mut().model = model;
    gpu.settings_mut().schedule = schedule.parse().unwrap();
    gpu.settings_mut().max_steps = 200_000;
    let loaded = gpu.load(module).unwrap();
    let out = gpu.allocate(8192).unwrap();
    let mut convergence = Convergence::new();
    let arguments = [Argument::Pointer(out)];
    let launch = Launch::new(1, threads);
    let report = gpu.launch_observed(loaded, name, &launch, &arguments, &mut convergence).unwrap();
    let mut findings = convergence.findings();
    let own = report.findings.into_iter();
    findings.extend(own.filter(|f| !matches!(f.code.name(), "deadlock" | "livelock" | "limit")));
    (report.outcome, findings)
}

/// The codes of the findings that are more than a note, sorted, each once.
pub(super) fn codes(findings: &[Finding]) -> Vec<&'static str> {
    let serious = findings.iter().filter(|f| f.severity > Severity::Note);
    let mut codes: Vec<&str> = serious.map(|f| f.code.name()).collect();
    codes.sort_unstable();
    codes.dedup();
    codes
}

/// Under every schedule of some models a kernel gets these findings.
pub(super) fn expect_under(models: &[Model], module: &Module, threads: u32, expected: &[&str]) {
    for model in models {
        for schedule in SCHEDULES {
            let (_, findings) = run(module, "k", threads, *model, schedule);
            let texts: Vec<&str> = findings.iter().map(|f| &*f.explanation).collect();
            assert_eq!(codes(&findings), expected, "{model:?} {schedule}: {texts:?}");
        }
    }
}

pub(super) fn expect(body: &str, threads: u32, expected: &[&str]) {
    expect_under(&MODELS, &kernel("", body), threads, expected);
}

pub(super) const DIVERGES: &[&str] = &["barrier-divergence"];
pub(super) const MASK: &[&str] = &["sync-mask"];
pub(super) const SHUFFLE: &[&str] = &["shuffle-inactive-lane"];
pub(super) const CLEAN: &[&str] = &[];
