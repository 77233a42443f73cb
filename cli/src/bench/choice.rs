//! The choice of workloads: `NAME`, `NAME@SIZE`, `NAME+check`, `tasks:NAME`, `variant:KERNEL`,
//! `variants`.

use std::fmt;

use warpsim::host::{Device, DeviceError, ModuleHandle};
use warpsim::ptx::{self, Module, SyntaxError};
use warpsim::schedule::Direction;

use super::job::{Job, Measured, Progress};
use super::size::NoSuchSize;
use super::tasks::{self, TASKS};
use super::variants::{self, VARIANTS, Variant};
use super::workloads::{self, WORKLOADS, Workload};

/// A workload to measure.
pub(crate) struct Choice {
    /// What was asked for, and what its row is called.
    pub(crate) name: String,
    /// Whether it is checked for races meanwhile.
    pub(crate) is_checked: bool,
    kernels: Kernels,
}

/// Which kernels, and how large.
enum Kernels {
    Workload(&'static Workload, u64),
    Variant(&'static Variant, variants::Size),
}

/// A name that is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum NoSuchWorkload {
    /// No workload is called so.
    Name(String),
    /// No variant is called so.
    Variant(String),
    /// A variant has no sizes.
    SizeOfVariant(String),
    /// The workload cannot have this size.
    Size(NoSuchSize),
}

impl fmt::Display for NoSuchWorkload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoSuchWorkload::Name(name) => write!(f, "there is no workload `{name}`"),
            NoSuchWorkload::Variant(name) => write!(f, "there is no variant `{name}`"),
            NoSuchWorkload::SizeOfVariant(name) => {
                write!(f, "the variant `{name}` has one size")
            }
            NoSuchWorkload::Size(size) => size.fmt(f),
        }
    }
}

impl NoSuchWorkload {
    /// What there is.
    pub(crate) fn help(&self) -> String {
        match self {
            NoSuchWorkload::Name(_) => {
                let all: Vec<&str> = WORKLOADS.iter().map(|w| w.name).collect();
                let tasks: Vec<&str> = TASKS.iter().map(|w| w.name).collect();
                format!(
                    "use {}, {}, `variants` or `variant:KERNEL`; `NAME@SIZE` sets another size, \
                     `NAME+check` checks for races",
                    all.join(", "),
                    tasks.join(", ")
                )
            }
            NoSuchWorkload::Variant(_) => {
                let all: Vec<&str> = VARIANTS.iter().map(|v| v.name).collect();
                format!("there are {}", all.join(", "))
            }
            NoSuchWorkload::SizeOfVariant(_) => "leave out `@` and the size".to_owned(),
            NoSuchWorkload::Size(_) => "`NAME` alone has its usual size".to_owned(),
        }
    }
}

impl Choice {
    /// What the names choose, in their order; all six workloads for no name.
    pub(crate) fn of(names: &[String], is_small: bool) -> Result<Vec<Choice>, NoSuchWorkload> {
        let mut chosen = Vec::new();
        for name in names {
            match name.as_str() {
                "variants" => {
                    chosen.extend(VARIANTS.iter().map(|v| Choice::variant(v, is_small, false)));
                }
                other => chosen.push(Choice::one(other, is_small)?),
            }
        }
        if names.is_empty() {
            for workload in &WORKLOADS {
                chosen.push(Choice::one(workload.name, is_small)?);
            }
        }
        Ok(chosen)
    }

    fn variant(variant: &'static Variant, is_small: bool, is_checked: bool) -> Choice {
        let size = if is_small { variants::Size::SMALL } else { variants::Size::USUAL };
        let check = if is_checked { "+check" } else { "" };
        let name = format!("variant:{}{check}", variant.name);
        Choice { name, is_checked, kernels: Kernels::Variant(variant, size) }
    }

    fn one(name: &str, is_small: bool) -> Result<Choice, NoSuchWorkload> {
        let (plain, is_checked) = match name.strip_suffix("+check") {
            Some(plain) => (plain, true),
            None => (name, false),
        };
        let (plain, size) = match plain.split_once('@') {
            Some((plain, size)) => (plain, Some(size)),
            None => (plain, None),
        };
        if let Some(variant) = plain.strip_prefix("variant:") {
            let found = VARIANTS.iter().find(|v| v.name == variant);
            let found = found.ok_or_else(|| NoSuchWorkload::Variant(variant.to_owned()))?;
            return match size {
                Some(_) => Err(NoSuchWorkload::SizeOfVariant(variant.to_owned())),
                None => Ok(Choice::variant(found, is_small, is_checked)),
            };
        }
        let found = WORKLOADS.iter().chain(&TASKS).find(|w| w.name == plain);
        let found = found.ok_or_else(|| NoSuchWorkload::Name(plain.to_owned()))?;
        let size = match size {
            Some(text) => found.sizes.parse(text).map_err(NoSuchWorkload::Size)?,
            None if is_small => found.sizes.small,
            None => found.sizes.usual,
        };
        Ok(Choice { name: name.to_owned(), is_checked, kernels: Kernels::Workload(found, size) })
    }

    /// What it does, in a few words.
    pub(crate) fn summary(&self) -> &'static str {
        match &self.kernels {
            Kernels::Workload(workload, _) => workload.summary,
            Kernels::Variant(variant, _) => variant.summary,
        }
    }

    /// The schedule under which it runs, if it is not the default.
    pub(crate) fn schedule(&self) -> Option<Direction> {
        match &self.kernels {
            Kernels::Workload(..) => None,
            Kernels::Variant(variant, _) => variant.schedule,
        }
    }

    /// Whether it is about the order of launches, for which they are watched.
    pub(crate) fn is_of_tasks(&self) -> bool {
        match &self.kernels {
            Kernels::Workload(workload, _) => workload.name.starts_with("tasks:"),
            Kernels::Variant(..) => false,
        }
    }

    /// The variant that this is.
    pub(crate) fn variant_name(&self) -> Option<&'static str> {
        match &self.kernels {
            Kernels::Workload(..) => None,
            Kernels::Variant(variant, _) => Some(variant.name),
        }
    }

    /// The name and the text of the module that it launches kernels of.
    pub(crate) fn module(&self) -> Result<Module, SyntaxError> {
        match &self.kernels {
            Kernels::Workload(..) if self.is_of_tasks() => ptx::parse("tasks.ptx", tasks::TEXT),
            Kernels::Workload(..) => ptx::parse("workloads.ptx", workloads::TEXT),
            Kernels::Variant(..) => ptx::parse("variants.ptx", variants::TEXT),
        }
    }

    /// Uploads the input and computes what must come out.
    fn prepare(&self, device: &mut dyn Device, module: ModuleHandle) -> Result<Job, DeviceError> {
        match &self.kernels {
            Kernels::Workload(workload, size) => workload.prepare(device, *size),
            Kernels::Variant(variant, size) => variant.prepare(device, module, *size),
        }
    }

    /// Runs it this many times on a device that holds its module, or fewer times if it is stopped.
    /// `None` if it is stopped before the first run.
    pub(crate) fn measure(
        &self,
        device: &mut dyn Device,
        module: ModuleHandle,
        repetitions: u32,
        progress: &mut dyn Progress,
    ) -> Result<Option<Measured>, DeviceError> {
        self.prepare(device, module)?.measure(device, module, repetitions, progress)
    }
}

#[cfg(test)]
mod tests {
    use warpsim::host::Simulator;

    use super::*;

    /// Goes on for ever.
    struct Silent;

    impl Progress for Silent {
        fn goes_on(&self) -> bool {
            true
        }
        fn repeated(&mut self, _lane_instructions: u64, _seconds: f64) {}
    }

    fn chosen(names: &[&str], is_small: bool) -> Vec<Choice> {
        let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
        Choice::of(&names, is_small).unwrap()
    }

    fn measured(choice: &Choice) -> Measured {
        let mut device = Simulator::default();
        let handle = device.load(&choice.module().unwrap()).unwrap();
        choice.measure(&mut device, handle, 2, &mut Silent).unwrap().unwrap()
    }

    #[test]
    fn each_workload_is_right_and_executes_about_what_its_algorithm_counts() {
        for choice in
            chosen(&["find_max", "block_reduce", "trapezoid", "xorshift", "collatz"], false)
        {
            let measured = measured(&choice);
            assert!(measured.right && measured.stopped.is_none(), "{}", choice.name);
            let ratio =
                measured.executed.lane_instructions as f64 / measured.lane_instructions as f64;
            // The machine does not count lanes that a guard excludes: branches not taken.
            assert!((0.95..1.001).contains(&ratio), "{}: {ratio}", choice.name);
        }
    }

    #[test]
    fn other_sizes_are_right_too_and_their_counts_go_with_the_work() {
        let sizes = ["find_max@10000", "block_reduce@3", "trapezoid@4096", "xorshift@17"];
        for choice in chosen(&[&sizes[..], &["collatz@8192", "matmul@64"]].concat(), false) {
            let measured = measured(&choice);
            assert!(measured.right && measured.stopped.is_none(), "{}", choice.name);
            let ratio =
                measured.executed.lane_instructions as f64 / measured.lane_instructions as f64;
            assert!((0.8..1.4).contains(&ratio), "{}: {ratio}", choice.name);
        }
    }

    #[test]
    fn each_variant_is_right() {
        for choice in chosen(&["variants"], true) {
            let measured = measured(&choice);
            assert!(measured.right && measured.stopped.is_none(), "{}", choice.name);
            assert_eq!(measured.lane_instructions, measured.executed.lane_instructions);
        }
    }

    #[test]
    fn a_wrong_result_is_noticed_in_each_word_that_a_kernel_writes() {
        for choice in chosen(&["variants"], true).iter().chain(&chosen(&[], true)) {
            let mut device = Simulator::default();
            let handle = device.load(&choice.module().unwrap()).unwrap();
            let job = choice.prepare(&mut device, handle).unwrap();
            for (kernel, launch, arguments) in &job.launches {
                device.launch(handle, kernel, launch, arguments).unwrap();
            }
            let read = job.read(&mut device).unwrap();
            assert!((job.check)(&read), "{}", choice.name);
            for (index, bytes) in read.iter().enumerate() {
                // The trapezoid rule is right to 11 decimals: its double is wrong in the upper
                // bytes.
                let first = if choice.name == "trapezoid" { 6 } else { 0 };
                for at in [first, bytes.len() / 2, bytes.len() - 1].map(|at| at.max(first)) {
                    let mut wrong = read.clone();
                    wrong[index][at] ^= 64;
                    assert!(!(job.check)(&wrong), "{}: byte {at} of {index}", choice.name);
                }
            }
        }
    }

    #[test]
    fn it_stops_before_a_repetition_when_it_is_told_to() {
        struct Once(u32);
        impl Progress for Once {
            fn goes_on(&self) -> bool {
                self.0 > 0
            }
            fn repeated(&mut self, _lane_instructions: u64, _seconds: f64) {
                self.0 -= 1;
            }
        }
        let choice = chosen(&["variant:empty"], true).remove(0);
        let mut device = Simulator::default();
        let handle = device.load(&choice.module().unwrap()).unwrap();
        let mut measure = |allowed| {
            let mut progress = Once(allowed);
            let measured = choice.measure(&mut device, handle, 5, &mut progress).unwrap();
            (measured.is_some(), progress.0)
        };
        assert_eq!(measure(0), (false, 0));
        assert_eq!(measure(2), (true, 0));
        assert_eq!(measure(9), (true, 4));
    }

    #[test]
    fn a_name_that_is_none_is_told_with_those_that_are() {
        let refused = |name: &str| Choice::of(&[name.to_owned()], false).map(|_| ()).unwrap_err();
        assert!(refused("w1").help().contains("find_max, block_reduce"));
        assert!(refused("variant:xs33").help().contains("xs32, xs64"));
        assert_eq!(refused("variant:xs32@4").to_string(), "the variant `xs32` has one size");
        assert!(refused("matmul@100").to_string().contains("a multiple of 16"));
        assert_eq!(chosen(&["find_max@2^10+check"], false)[0].name, "find_max@2^10+check");
    }

    #[test]
    fn each_workload_has_its_name_and_its_kernels_in_the_module() {
        let names: Vec<&str> = WORKLOADS.iter().map(|w| w.name).collect();
        let expected = ["find_max", "block_reduce", "trapezoid", "xorshift", "collatz", "matmul"];
        assert_eq!(names, expected);
        let kernels =
            |name| warpsim::host::kernels(&chosen(&[name], false)[0].module().unwrap()).len();
        assert_eq!((kernels("matmul"), kernels("variants")), (7, 55));
        let module = chosen(&["variants"], false)[0].module().unwrap();
        let names: Vec<&str> = VARIANTS.iter().map(|v| v.name).collect();
        assert_eq!(warpsim::host::kernels(&module), names);
    }
}
