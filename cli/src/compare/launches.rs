//! Runs both sides launch by launch, and compares them after each.

use warpsim::host::{Device as _, Simulator};
use warpsim::observe::LastWriter;
use warpsim::report::{Outcome, Report, Site};

use super::How;
use super::cells::Differences;
use super::objects::{Object, objects};
use super::outcomes::{Kind, is_unnoticed};
use super::several::{self, Several};
use super::sides::{Ended, Known, Theirs, pieces};
use crate::args::LaunchOptions;
use crate::failure::Failure;
use crate::launch::{Prepared, refused};
use crate::output::Output;

/// The verdict of a comparison, from best to worst.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Verdict {
    /// Both did the same.
    Equal,
    /// Theirs is another of the results that the simulator reaches.
    OneOfSeveral,
    /// The simulator stopped at an access outside a buffer, and the GPU did not notice.
    Unnoticed,
    /// They differ.
    Different,
}

impl Verdict {
    /// The name in JSON.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Verdict::Equal => "equal",
            Verdict::OneOfSeveral => "one-of-several",
            Verdict::Unnoticed => "unnoticed",
            Verdict::Different => "different",
        }
    }

    /// Whether nothing is wrong.
    pub(crate) fn is_clean(self) -> bool {
        self <= Verdict::OneOfSeveral
    }
}

/// A buffer or a variable, compared.
#[derive(Clone, Debug)]
pub(crate) struct ObjectCompared {
    pub(crate) object: Object,
    /// Whether there was anything to compare with.
    pub(crate) known: Known,
    pub(crate) differences: Differences,
    /// Who wrote each of the first cells that differ, on the simulator, in this launch.
    pub(crate) writers: Vec<Option<Site>>,
}

/// What an object holds on the other side.
pub(super) struct Held {
    pub(super) object: Object,
    pub(super) bytes: Vec<u8>,
}

/// A launch, compared.
#[derive(Clone, Debug)]
pub(crate) struct LaunchCompared {
    /// From 1.
    pub(crate) number: u32,
    pub(crate) passes: Vec<String>,
    /// Its result on the simulator.
    pub(crate) ours: Report,
    /// Its result on the other side.
    pub(crate) theirs: Ended,
    pub(crate) verdict: Verdict,
    pub(crate) objects: Vec<ObjectCompared>,
    /// The results of other schedules, if they were tried.
    pub(crate) several: Option<Several>,
}

/// All launches, compared as far as they agree.
#[derive(Clone, Debug)]
pub(crate) struct Compared {
    pub(crate) launches: Vec<LaunchCompared>,
}

impl Compared {
    /// The worst verdict of all launches.
    pub(crate) fn verdict(&self) -> Verdict {
        // There is one at least: `--launches` is 1 or more.
        self.launches.iter().map(|launch| launch.verdict).max().unwrap_or(Verdict::Equal)
    }

    /// Cells that were compared, and cells that differ, of all launches together.
    pub(crate) fn cells(&self) -> (u64, u64) {
        let all = self.launches.iter().flat_map(|launch| &launch.objects);
        all.map(|object| &object.differences).fold((0, 0), |(compared, differing), d| {
            (compared + d.compared, differing + d.differing)
        })
    }
}

/// Runs the launches on both sides, up to the first after which they cannot go on together.
pub(crate) fn compare(
    ours: &mut Prepared<Simulator>,
    theirs: &mut dyn Theirs,
    options: &LaunchOptions,
    how: &How,
    output: &Output,
) -> Result<Compared, Failure> {
    let objects = objects(ours, &options.globals);
    let mut launches = Vec::new();
    for number in 1..=options.launches {
        // What the passes of this launch made current is part of the memory before it.
        ours.enter(options, number)?;
        let before = ours.device.fork();
        let launched = ours.launch(options, number, output)?;
        let ended = theirs.launch(number, output)?;
        let mut launch = OnBoth { ours, theirs, how, before, objects: &objects };
        let compared = launch.compare(number, launched.passes, launched.report, ended, output)?;
        let goes_on = compared.verdict.is_clean() && compared.theirs.outcome == Outcome::Completed;
        launches.push(compared);
        if !goes_on {
            break;
        }
    }
    Ok(Compared { launches })
}

/// A launch that both sides have made.
pub(super) struct OnBoth<'a> {
    pub(super) ours: &'a mut Prepared<Simulator>,
    pub(super) theirs: &'a mut dyn Theirs,
    pub(super) how: &'a How,
    /// The simulator as it was before.
    pub(super) before: Simulator,
    pub(super) objects: &'a [Object],
}

impl OnBoth<'_> {
    fn compare(
        &mut self,
        number: u32,
        passes: Vec<String>,
        ours: Report,
        theirs: Ended,
        output: &Output,
    ) -> Result<LaunchCompared, Failure> {
        let completed = ours.outcome == Outcome::Completed && theirs.outcome == Outcome::Completed;
        let reads = theirs.outcome == Outcome::Completed;
        let mut held = Vec::new();
        let mut objects = if reads { self.compare_objects(&mut held)? } else { Vec::new() };
        if !completed {
            // The memory that a launch leaves when it stops half-way is no result.
            objects.clear();
        }
        let same_end = Kind::of(ours.outcome) == Kind::of(theirs.outcome);
        let same_cells = objects.iter().all(|object| object.differences.differing == 0);
        let mut several = None;
        let verdict = if same_end && same_cells {
            Verdict::Equal
        } else if is_unnoticed(&ours, theirs.outcome) {
            Verdict::Unnoticed
        } else {
            self.find_writers(&mut objects, output)?;
            several = several::search(self, theirs.outcome, &held, output)?;
            match several.as_ref().is_some_and(Several::is_reached) {
                true => Verdict::OneOfSeveral,
                false => Verdict::Different,
            }
        };
        Ok(LaunchCompared { number, passes, ours, theirs, verdict, objects, several })
    }

    fn compare_objects(&mut self, held: &mut Vec<Held>) -> Result<Vec<ObjectCompared>, Failure> {
        let objects = self.objects;
        objects.iter().map(|object| self.compare_object(object, held)).collect()
    }

    /// Compares an object, a piece at a time, and keeps what it holds on the other side: each byte
    /// is read from there once.
    fn compare_object(
        &mut self,
        object: &Object,
        held: &mut Vec<Held>,
    ) -> Result<ObjectCompared, Failure> {
        let tolerance = self.how.tolerances.of(object.parameter);
        let mut differences = Differences::default();
        let (mut known, mut all) = (Known::Here, Vec::new());
        let start = object.pointer(self.ours)?;
        for (offset, bytes) in pieces(object) {
            let (mut mine, mut other) = (vec![0; bytes], vec![0; bytes]);
            known = self.theirs.read(object, offset, &mut other)?;
            if known != Known::Here {
                break;
            }
            self.ours.device.download(start.offset(offset), &mut mine)?;
            differences.add(object.element, &mine, &other, tolerance, self.how.keep);
            all.append(&mut other);
        }
        if known == Known::Here {
            held.push(Held { object: object.clone(), bytes: all });
        }
        Ok(ObjectCompared { object: object.clone(), known, differences, writers: Vec::new() })
    }

    /// Runs the launch again, watched, to see who wrote the first cells that differ.
    fn find_writers(
        &mut self,
        objects: &mut [ObjectCompared],
        output: &Output,
    ) -> Result<(), Failure> {
        let mut addresses: Vec<Vec<u64>> = Vec::new();
        for ObjectCompared { object, differences, .. } in objects.iter() {
            let start = object.pointer(self.ours)?;
            let size = object.element.size() as u64;
            let place = |index: u64| start.offset(index.saturating_mul(size)).0;
            addresses.push(differences.first.iter().map(|d| place(d.index)).collect());
        }
        let sizes = objects.iter().map(|compared| compared.object.element.size() as u64);
        let cells = addresses
            .iter()
            .zip(sizes)
            .flat_map(|(cells, size)| cells.iter().map(move |address| (*address, size)));
        let mut watching = LastWriter::of(cells);
        if addresses.iter().all(Vec::is_empty) {
            return Ok(());
        }
        let Some(variant) = self.ours.current() else { return Ok(()) };
        let (launch, arguments) = (&self.ours.launch, &self.ours.arguments);
        self.before
            .fork()
            .launch_observed(variant.handle, &self.ours.kernel, launch, arguments, &mut watching)
            .map_err(|error| refused(error, &variant.module, output))?;
        for (compared, cells) in objects.iter_mut().zip(&addresses) {
            compared.writers = cells.iter().map(|address| watching.site(*address)).collect();
        }
        Ok(())
    }
}
