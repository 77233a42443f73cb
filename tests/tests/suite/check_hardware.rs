//! What checking says of the kernels that were run on an NVIDIA H200, in every form that the
//! compilers gave them: above all of the races that the hardware tools do not see.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use warpsim::host::{Argument, Checking, Device, Launch, Model, Schedules, Simulator};
use warpsim::report::{Code, Report, Severity};
use warpsim_tests::launching::{form, forms};

/// The codes of the findings at warning or above.
fn codes(report: &Report) -> BTreeSet<Code> {
    let loud = report.findings.iter().filter(|f| f.severity >= Severity::Warning);
    loud.map(|f| f.code).collect()
}

struct Run {
    gpu: Simulator,
    path: PathBuf,
}

impl Run {
    fn new(path: &Path, model: Model) -> Run {
        let mut gpu = Simulator::default();
        gpu.settings_mut().checking = Some(Checking::default());
        gpu.settings_mut().max_steps = 50_000_000;
        gpu.settings_mut().model = model;
        Run { gpu, path: path.to_owned() }
    }

    fn words(&mut self, count: usize) -> Argument {
        let pointer = self.gpu.allocate(count as u64 * 4).expect("memory");
        self.gpu.upload(pointer, &vec![0; count * 4]).expect("in range");
        Argument::Pointer(pointer)
    }

    fn launch(&mut self, kernel: &str, launch: &Launch, arguments: &[Argument]) -> Report {
        let text = std::fs::read_to_string(&self.path).expect("readable");
        let module = warpsim::ptx::parse(&self.path.to_string_lossy(), &text).expect("valid PTX");
        let module = self.gpu.load(&module).expect("loads");
        let report = self.gpu.launch(module, kernel, launch, arguments);
        report.unwrap_or_else(|error| panic!("{kernel}: {error}"))
    }
}

/// Checks a kernel whose one argument is its output, in every form.
fn found(kernel: &str, threads: u32, expected: &[&[Code]]) {
    for path in forms("h200_kernels.ptx") {
        let mut run = Run::new(&path, Model::Independent);
        let out = run.words(1024);
        let report = run.launch(kernel, &Launch::new(1, threads), &[out]);
        let codes: Vec<Code> = codes(&report).into_iter().collect();
        let here = form(&path);
        assert!(expected.contains(&&*codes), "{kernel} {here}: {codes:?} {:#?}", report.findings);
    }
}

#[test]
fn races_on_global_memory_that_the_tools_do_not_see_are_found() {
    found("sums6", 64, &[&[Code::Race]]);
    // One word gets the number of the thread, and the next one gets the same from all. Both are in
    // one line of the source, which is reported once if the compiler does not make one store of it.
    found("gsame", 64, &[&[Code::Race], &[Code::Race, Code::SameValue]]);
    for path in forms("h200_kernels.ptx") {
        let mut run = Run::new(&path, Model::Independent);
        let out = run.words(2 * 4096);
        let (a, b) = (Argument::F64(-1.0), Argument::F64(1.0));
        let arguments = [out, a, b, Argument::I32(1024)];
        let report = run.launch("evalg", &Launch::new(16, 64), &arguments);
        assert_eq!(codes(&report), [Code::Race].into(), "{}: {report:#?}", form(&path));
    }
}

#[test]
fn volatile_makes_an_access_happen_and_orders_nothing() {
    found("sums6v", 1024, &[&[Code::Unordered]]);
    found("divg", 32, &[&[Code::Unordered]]);
}

#[test]
fn threads_that_do_not_meet_are_found() {
    found(
        "badshfl",
        32,
        &[
            &[Code::ShuffleInactiveLane],
            &[Code::SyncMask],
            &[Code::ShuffleInactiveLane, Code::SyncMask],
        ],
    );
    // The sum is read plainly while others add to it.
    found("partbar", 64, &[&[Code::Race, Code::BarrierDivergence]]);
    found("evenbar", 32, &[&[Code::BarrierDivergence, Code::Deadlock]]);
}

#[test]
fn clean_kernels_have_no_finding() {
    for (kernel, threads) in
        [("sums6a", 64), ("shfl", 32), ("cnt", 96), ("incdec", 32), ("syncw", 32)]
    {
        found(kernel, threads, &[&[]]);
    }
    found("earlyexit", 64, &[&[]]);
    found("earlyexit", 96, &[&[]]);
}

#[test]
fn one_schedule_is_enough_where_all_do_the_same_and_where_one_was_asked_for() {
    let path = forms("h200_kernels.ptx").remove(0);
    let schedules = |kernel: &str, checking: Checking| {
        let mut run = Run::new(&path, Model::Independent);
        run.gpu.settings_mut().checking = Some(checking);
        let out = run.words(64);
        run.launch(kernel, &Launch::new(1, 32), &[out]).checked.expect("checked")
    };
    let merged = schedules("spin2", Checking::default());
    assert_eq!(merged.schedules, ["in-order", "adversarial", "adversarial:back"]);
    assert!(!merged.every_schedule);
    let alike = schedules("sums6", Checking::default());
    assert_eq!((&*alike.schedules, alike.every_schedule), (&["in-order".to_owned()][..], true));
    let asked = Checking::default().with_schedules(Schedules::AsSet);
    assert_eq!(schedules("spin2", asked).schedules, ["in-order"]);
}
