//! The kernel under test, and how to try it: a builder that reads like a sentence.

use std::path::Path;

use super::argument::ArgumentChoice;
use super::case::Case;
use super::evidence::Evidence;
use super::expected::Expected;
use super::failure::{Failure, Mistake};
use super::judge::Property;
use super::launch::{LaunchShapes, launch};
use super::run::{Bench, Ran};
use super::search;
use super::shards::Share;
use super::source::{Sources, Text};
use crate::drawing::draw::Inputs;
use crate::drawing::structs::Structs;
use crate::host::{DeviceProfile, Model, Settings, SharedInit};
use crate::report::Code;

/// A kernel, the launches and data to try it on, and the schedules to try them under.
///
/// A method with the name of a property tries it: [`Kernel::race_free`] and so on.
#[derive(Clone, Debug)]
pub struct Kernel {
    pub(super) sources: Sources,
    pub(super) name: String,
    pub(super) inputs: Inputs,
    pub(super) structs: Structs,
    pub(super) only: Option<Case>,
    pub(super) cases: u32,
    pub(super) seed: u64,
    pub(super) schedules: Vec<String>,
    pub(super) drawn_schedules: u32,
    pub(super) tries: u32,
    pub(super) allowed: Vec<Code>,
    pub(super) model: Model,
    pub(super) shared_init: SharedInit,
    pub(super) profile: DeviceProfile,
    pub(super) max_steps: u64,
    pub(super) share: Share,
}

/// Warp instructions after which a run is given up.
const STEPS: u64 = 20_000_000;

/// Cases to try while making one smaller.
const TRIES: u32 = 1000;

impl Kernel {
    /// A kernel of a module that is given as text.
    pub fn from_ptx(text: &str, kernel: &str) -> Kernel {
        Kernel::new(Text::given(text), kernel)
    }

    /// A kernel of a module in a file. A relative path starts where tests run: at the package.
    pub fn from_file(path: impl AsRef<Path>, kernel: &str) -> Kernel {
        Kernel::new(Text::read(path.as_ref()), kernel)
    }

    fn new(text: Result<Text, Mistake>, kernel: &str) -> Kernel {
        let fixed = ["in-order", "reverse", "adversarial", "adversarial:back"];
        Kernel {
            sources: Sources::new(text),
            name: kernel.to_owned(),
            inputs: Inputs { launch: launch(), arguments: Vec::new() },
            structs: Structs::default(),
            only: None,
            cases: 32,
            seed: 0,
            schedules: fixed.map(str::to_owned).to_vec(),
            drawn_schedules: 1,
            tries: TRIES,
            allowed: Vec::new(),
            model: Model::default(),
            shared_init: SharedInit::default(),
            profile: DeviceProfile::default(),
            max_steps: STEPS,
            share: Share::Whole,
        }
    }

    /// Says that the text given last is the text of this file, as `include_str!` in the same test
    /// would name it. Messages and tests to be pasted then name the file instead of repeating the
    /// text.
    pub fn included_from(mut self, path: &str) -> Kernel {
        self.sources.include_last(path);
        self
    }

    /// Links a further module, given as text: it defines what others declare `.extern`, and the
    /// other way round, as [`crate::ptx::link`] says.
    ///
    /// ```
    /// use warpsim::property::{Kernel, buffer, expect, launch};
    ///
    /// let kernel = ".version 7.0 .target sm_70 .address_size 64
    ///     .extern .func (.param .b32 r) next(.param .b32 x);
    ///     .visible .entry all(.param .u64 cells) {
    ///       .reg .u64 %a, %o; .reg .u32 %t, %v; .param .b32 p, q;
    ///       ld.param.u64 %a, [cells]; mov.u32 %t, %tid.x; mul.wide.u32 %o, %t, 4; add.u64 %a, %a, %o;
    ///       ld.global.u32 %v, [%a]; st.param.b32 [p], %v; call.uni (q), next, (p);
    ///       ld.param.b32 %v, [q]; st.global.u32 [%a], %v; ret;
    ///     }";
    /// let library = ".version 7.0 .target sm_70 .address_size 64
    ///     .visible .func (.param .b32 r) next(.param .b32 x) {
    ///       .reg .u32 %v; ld.param.b32 %v, [x]; add.u32 %v, %v, 1; st.param.b32 [r], %v; ret;
    ///     }";
    /// let all = Kernel::from_ptx(kernel, "all")
    ///     .link_ptx(library)
    ///     .launch(launch().threads(1..=64))
    ///     .argument(buffer::<u32>().one_per_thread().any())
    ///     .cases(4);
    /// all.race_free()?;
    /// all.matches(|case| {
    ///     let cells = case.buffer::<u32>(0)?;
    ///     Ok(expect().buffer(0, cells.into_iter().map(|cell| cell.wrapping_add(1))))
    /// })?;
    /// # Ok::<(), warpsim::property::Failure>(())
    /// ```
    pub fn link_ptx(mut self, text: &str) -> Kernel {
        self.sources.link(Text::given(text));
        self
    }

    /// Links a further module, which is in a file. A relative path starts where tests run: at the
    /// package.
    pub fn link_file(mut self, path: impl AsRef<Path>) -> Kernel {
        self.sources.link(Text::read(path.as_ref()));
        self
    }

    /// The launches to try. One block of 32 threads, when nothing is said.
    pub fn launch(mut self, launch: LaunchShapes) -> Kernel {
        self.inputs.launch = launch;
        self
    }

    /// What to give for the next parameter. One call for each, in order.
    pub fn argument(mut self, choice: impl Into<ArgumentChoice>) -> Kernel {
        self.inputs.arguments.push(choice.into());
        self
    }

    /// What to give for the next parameter, a struct of this many bytes that is passed by value:
    /// what to put at each offset. The rest is zero. Each field has its own number, as if it were
    /// an argument.
    ///
    /// ```
    /// use warpsim::property::{Kernel, buffer, launch, scalar};
    ///
    /// // struct Cells { unsigned *first; unsigned length; };  __global__ void clear(Cells cells)
    /// let text = ".version 7.0 .target sm_70 .address_size 64
    ///     .visible .entry clear(.param .align 8 .b8 cells[16]) {
    ///       .reg .u64 %a, %o; .reg .u32 %t, %b, %d, %n; .reg .pred %p;
    ///       ld.param.u64 %a, [cells]; ld.param.u32 %n, [cells+8];
    ///       mov.u32 %t, %tid.x; mov.u32 %b, %ctaid.x; mov.u32 %d, %ntid.x;
    ///       mad.lo.u32 %t, %b, %d, %t; setp.ge.u32 %p, %t, %n; @%p ret;
    ///       mul.wide.u32 %o, %t, 4; add.u64 %a, %a, %o; st.global.u32 [%a], 0; ret;
    ///     }";
    /// let cells = buffer::<u32>().lengths(0..=40).any();
    /// Kernel::from_ptx(text, "clear")
    ///     .launch(launch().blocks_to_cover(0))
    ///     .structure(16, [(0, cells.into()), (8, scalar::<u32>().length_of(0).into())])
    ///     .race_free()?;
    /// # Ok::<(), warpsim::property::Failure>(())
    /// ```
    pub fn structure(
        mut self,
        bytes: u64,
        fields: impl IntoIterator<Item = (u64, ArgumentChoice)>,
    ) -> Kernel {
        let first = self.inputs.arguments.len();
        let (offsets, choices): (Vec<u64>, Vec<ArgumentChoice>) = fields.into_iter().unzip();
        self.inputs.arguments.extend(choices);
        self.structs.push(first, bytes, offsets);
        self
    }

    /// How many launches to draw, with their data: 32, when nothing is said.
    pub fn cases(self, cases: u32) -> Kernel {
        Kernel { cases, ..self }
    }

    /// What the drawing starts from: 0, when nothing is said. The same seed draws the same cases.
    pub fn seed(self, seed: u64) -> Kernel {
        Kernel { seed, ..self }
    }

    /// Tries one case only: a case that a failure has shown.
    pub fn only(self, case: Case) -> Kernel {
        Kernel { only: Some(case), ..self }
    }

    /// The schedules to try every case under, instead of `in-order`, `reverse`, `adversarial` and
    /// `adversarial:back`. They are what a [`crate::schedule::Schedule`] prints.
    pub fn under<'a>(self, schedules: impl IntoIterator<Item = &'a str>) -> Kernel {
        let schedules = schedules.into_iter().map(str::to_owned).collect();
        Kernel { schedules, drawn_schedules: 0, ..self }
    }

    /// How many further `random` and how many `pct` schedules to draw for each case. The default is
    /// one of each, and none after [`Kernel::under`].
    pub fn drawn_schedules(self, each: u32) -> Kernel {
        Kernel { drawn_schedules: each, ..self }
    }

    /// How many smaller cases to try when one fails: 1000, when nothing is said. 0 shows the case
    /// as it was drawn.
    pub fn shrink_tries(self, tries: u32) -> Kernel {
        Kernel { tries, ..self }
    }

    /// Lets findings of this kind pass. Evidence says so.
    pub fn allow(mut self, code: Code) -> Kernel {
        self.allowed.push(code);
        self
    }

    /// The execution model: independent threads, when nothing is said.
    pub fn model(self, model: Model) -> Kernel {
        Kernel { model, ..self }
    }

    /// What shared memory holds when a block starts: zeros, when nothing is said.
    pub fn shared_init(self, shared_init: SharedInit) -> Kernel {
        Kernel { shared_init, ..self }
    }

    /// The device: an H200, when nothing is said.
    pub fn device(self, profile: DeviceProfile) -> Kernel {
        Kernel { profile, ..self }
    }

    /// Warp instructions after which a run is given up, which is a failure of any property: 20
    /// million, when nothing is said.
    pub fn max_steps(self, max_steps: u64) -> Kernel {
        Kernel { max_steps, ..self }
    }

    /// The launches and data as a proptest strategy, for a test that does more with them.
    pub fn inputs(&self) -> Inputs {
        self.inputs.clone()
    }

    /// Runs a case under a schedule, and checks it.
    ///
    /// # Errors
    /// When the launch cannot start.
    pub fn run(&self, case: &Case, schedule: &str) -> Result<Ran, Failure> {
        Ok(self.bench()?.run(case, schedule, true)?)
    }

    /// No race, and no unordered pair of accesses, in any run. `unordered` is the warning that
    /// volatile or atomic accesses leave the result to the schedule. Stores of one value that
    /// nothing orders, `same-value`, are races here; mere notes do not count.
    ///
    /// # Errors
    /// A race, made as small as possible; or a run that did not end.
    pub fn race_free(&self) -> Result<Evidence, Failure> {
        search::search(self, Property::RaceFree)
    }

    /// No finding at all, of those that `warpsim check` counts: error or warning.
    ///
    /// # Errors
    /// A finding, its launch and data made as small as possible.
    pub fn clean(&self) -> Result<Evidence, Failure> {
        search::search(self, Property::Clean)
    }

    /// Every buffer holds the same bytes after every schedule that is tried.
    ///
    /// # Errors
    /// Two schedules that lead to different results; or a run that did not end.
    pub fn deterministic(&self) -> Result<Evidence, Failure> {
        search::search(self, Property::Deterministic)
    }

    /// Every thread exits: no deadlock, no livelock, no limit, and nothing else that stops a run.
    ///
    /// # Errors
    /// A run that ended otherwise.
    pub fn terminates(&self) -> Result<Evidence, Failure> {
        search::search(self, Property::Terminates)
    }

    /// The buffers hold what an oracle says, after every schedule that is tried. The oracle is
    /// given the launch and the data as they were before.
    ///
    /// # Errors
    /// A launch after which they do not; or a run that did not end.
    pub fn matches(
        &self,
        oracle: impl Fn(&Case) -> Result<Expected, Mistake>,
    ) -> Result<Evidence, Failure> {
        search::search(self, Property::Matches(&oracle))
    }

    /// The file of the kernel's module as messages name it.
    pub(super) fn file(&self) -> String {
        let first = self.sources.named(&self.name).into_iter().next();
        first.map_or_else(|| format!("{}.ptx", self.name), |(name, _)| name)
    }

    /// A device with the module.
    pub(super) fn bench(&self) -> Result<Bench, Mistake> {
        let module = self.sources.module(&self.name)?;
        let mut settings = Settings::default();
        settings.model = self.model;
        settings.shared_init = self.shared_init;
        settings.max_steps = self.max_steps;
        let bench = Bench::new(&module, &self.name, self.profile.clone(), settings)?;
        Ok(bench.with_structs(self.structs.clone()))
    }
}
