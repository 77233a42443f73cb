//! The search: batches on the simulator and on a GPU, several at a time, and what differs.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use warpsim_campaign::Shard;
use warpsim_gpu::{Isolated, IsolatedSettings, JitLevel};

use super::approximate::measure;
use super::batch::Batch;
use super::forms::Forms;
use super::operands;
use super::program::{Family, Program, Written};
use super::recording::Recorded;
use super::report::{Difference, Report};
use super::run::{Failure, Left, Target, digest_of_all, digests_of, simulated};
use super::shrink::{conformance_file, small, summary};

/// Programs of a batch.
pub const BATCH: u64 = 32;

/// What to search.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The seed of all programs and operands.
    pub seed: u64,
    /// How many programs at most.
    pub programs: u64,
    /// The shard of them that is searched; all where there is none.
    pub shard: Option<Shard>,
    /// For how long at most.
    pub time: Duration,
    /// The families.
    pub families: Vec<Family>,
    /// How many batches at once.
    pub jobs: usize,
    /// The driver's optimisation levels, in turn.
    pub levels: Vec<JitLevel>,
    /// The forms that programs are drawn from.
    pub forms: Forms,
    /// Where small programs are written.
    pub out: Option<PathBuf>,
    /// Whether what the GPU answered is kept for a recording.
    pub record: bool,
}

impl Plan {
    /// The numbers of all batches.
    pub fn batches(&self) -> u64 {
        self.programs.div_ceil(BATCH)
    }

    /// The numbers of the batches that are searched.
    pub fn own_batches(&self) -> Range<u64> {
        match self.shard {
            Some(shard) => shard.cases(self.batches()),
            None => 0..self.batches(),
        }
    }

    /// The same with the families that can be drawn from its forms.
    ///
    /// # Errors
    /// There are no forms, or none for one of the families that were asked for by name.
    pub fn drawable(mut self, asked: &[Family]) -> Result<Plan, String> {
        let Forms { exact, approximate, single, branched, images, .. } = &self.forms;
        let entries = [single, branched, images].iter().map(|list| list.len()).sum::<usize>();
        if exact.is_empty() && approximate.is_empty() && entries == 0 {
            return Err("there is no form to draw from".to_owned());
        }
        self.families.retain(|family| family.can_be_drawn_from(&self.forms));
        match asked.iter().find(|family| !self.families.contains(family)) {
            Some(family) => Err(format!("there is no form for programs of `{}`", family.name())),
            None => Ok(self),
        }
    }
}

/// How far it is, for those who watch.
#[derive(Debug, Default)]
pub struct Progress {
    next: AtomicU64,
    programs: [AtomicU64; Family::ALL.len()],
    results: AtomicU64,
    differences: AtomicU64,
}

impl Progress {
    /// One that begins with the batch of this number.
    pub fn from(first: u64) -> Progress {
        Progress { next: AtomicU64::new(first), ..Progress::default() }
    }

    /// Whether somebody has reached the end of these batches.
    pub fn is_past(&self, batches: &Range<u64>) -> bool {
        self.next.load(Ordering::Relaxed) >= batches.end
    }

    /// A line: programs by family, results, differences.
    pub fn line(&self) -> String {
        let load = |n: &AtomicU64| n.load(Ordering::Relaxed);
        let families = Family::ALL.iter().zip(&self.programs);
        let families: Vec<String> =
            families.map(|(family, n)| format!("{} {}", family.name(), load(n))).collect();
        let all: u64 = self.programs.iter().map(load).sum();
        format!(
            "{all} programs ({}), {} results, {} differences",
            families.join(", "),
            load(&self.results),
            load(&self.differences)
        )
    }
}

/// The result of one search.
#[derive(Debug, Default)]
pub struct Searched {
    /// The report.
    pub report: Report,
    /// What the GPU answered, by family and number.
    pub recorded: BTreeMap<(Family, u64), Recorded>,
}

/// Which batch comes at which turn: families in turn, as often as their share.
fn turn(families: &[Family], number: u64) -> (Family, u64) {
    let shares: u64 = families.iter().map(|f| f.share()).sum();
    let (round, place) = (number / shares, number % shares);
    // The place of a family's k-th batch in a round: batches are spread evenly.
    let mut order: Vec<(u64, Family, u64)> = Vec::new();
    for family in families {
        let share = family.share();
        order.extend((0..share).map(|k| ((2 * k + 1) * 1000 / (2 * share), *family, k)));
    }
    order.sort();
    let (_, family, k) = order[place as usize];
    (family, round * family.share() + k)
}

/// Searches until all programs are done or the time is over.
///
/// # Errors
/// There is no GPU.
pub fn search(plan: &Plan, progress: &Progress) -> Result<Searched, String> {
    let table = operands::table(plan.seed);
    let start = Instant::now();
    let all = Mutex::new(Searched::default());
    let shrunk = Mutex::new(BTreeMap::new());
    let worker = || -> Result<(), String> {
        let settings = IsolatedSettings::default().with_timeout(Duration::from_secs(20));
        let gpu = Isolated::start(settings).map_err(|e| e.to_string())?;
        let facts = gpu.facts().clone();
        let mut worker = Worker {
            plan,
            table: &table,
            target: Target::new(gpu, table.clone()),
            end: start + plan.time,
            batches: 0,
            found: Searched::default(),
            progress,
            shrunk: &shrunk,
        };
        worker.found.report.device = facts.name;
        worker.found.report.driver =
            facts.driver.unwrap_or_else(|| format!("CUDA {}.{}", facts.cuda.0, facts.cuda.1));
        worker.work();
        if let Ok(mut all) = all.lock() {
            all.report.device.clone_from(&worker.found.report.device);
            all.report.driver.clone_from(&worker.found.report.driver);
            all.report.add(worker.found.report);
            all.recorded.extend(worker.found.recorded);
        }
        Ok(())
    };
    let ended: Vec<Result<(), String>> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..plan.jobs).map(|_| scope.spawn(worker)).collect();
        workers.into_iter().map(|w| w.join().unwrap_or(Err("a worker panicked".into()))).collect()
    });
    if let Some(Err(why)) = ended.iter().find(|e| e.is_err())
        && ended.iter().all(Result::is_err)
    {
        return Err(why.clone());
    }
    let mut searched = all.into_inner().unwrap_or_default();
    let report = &mut searched.report;
    (report.seed, report.jobs) = (plan.seed, plan.jobs);
    report.seconds = start.elapsed().as_secs_f64();
    report.differences.sort_by_key(|d| (d.family, d.index));
    Ok(searched)
}

struct Worker<'a> {
    plan: &'a Plan,
    table: &'a [u64],
    target: Target<Isolated>,
    end: Instant,
    batches: u64,
    found: Searched,
    progress: &'a Progress,
    /// How many programs were made small, by form.
    shrunk: &'a Mutex<BTreeMap<String, u32>>,
}

impl Worker<'_> {
    fn work(&mut self) {
        while Instant::now() < self.end {
            let number = self.progress.next.fetch_add(1, Ordering::Relaxed);
            if number >= self.plan.own_batches().end {
                return;
            }
            let (family, batch) = turn(&self.plan.families, number);
            let level = self.plan.levels[(batch % self.plan.levels.len() as u64) as usize];
            self.target.device.settings_mut().jit = level;
            // Modules stay loaded until all are cleared.
            self.batches += 1;
            if self.batches.is_multiple_of(24) {
                let _ = self.target.device.clear();
                self.target.lost();
            }
            let first = batch * BATCH;
            let programs = (first..first + BATCH)
                .map(|index| family.program(&self.plan.forms, self.plan.seed, index));
            let numbers: Vec<u64> = (first..first + BATCH).collect();
            self.batch(family, &numbers, &Batch::of(programs.collect()), level);
        }
    }

    fn batch(&mut self, family: Family, numbers: &[u64], batch: &Batch, level: JitLevel) {
        let ours = match simulated(batch, self.table) {
            Ok(ours) => ours,
            Err(why) => return self.divide(family, numbers, batch, level, "simulator", &why),
        };
        if family == Family::Approximate {
            return match self.target.words(batch) {
                Ok(theirs) => self.measure(numbers, batch, &ours, &theirs, level),
                Err(why) => self.divide(family, numbers, batch, level, "GPU", &why),
            };
        }
        let digests = digests_of(batch, &ours);
        let theirs = match self.target.digests(batch) {
            Ok(theirs) => theirs,
            Err(why) => return self.divide(family, numbers, batch, level, "GPU", &why),
        };
        let stopped = theirs.iter().enumerate().find_map(|(at, left)| match left {
            Left::Stopped(why) => Some((at, why)),
            Left::Digests(_) | Left::NotRun => None,
        });
        if let Some((stopped, why)) = stopped {
            self.difference(family, numbers[stopped], level, "stopped", why, None);
            let others = (0..numbers.len()).filter(|i| *i != stopped);
            let rest: Vec<u64> = others.clone().map(|i| numbers[i]).collect();
            let programs: Vec<Program> = others.map(|i| batch.programs[i].clone()).collect();
            if !rest.is_empty() {
                self.batch(family, &rest, &Batch::of(programs), level);
            }
            return;
        }
        for (i, left) in theirs.iter().enumerate() {
            let Left::Digests(theirs) = left else { continue };
            let (written, ours) = (&batch.written[i], &digests[i]);
            self.count(family, &batch.programs[i], written, level);
            if self.plan.record {
                let recorded =
                    Recorded::new(numbers[i], &batch.programs[i].write("k").text, theirs);
                self.found.recorded.insert((family, numbers[i]), recorded);
            }
            let Some(section) = (0..ours.len()).find(|s| ours[*s] != theirs[*s]) else { continue };
            let label = written.sections[section].label.clone();
            let what = format!(
                "section {section} of {}, digest {:016x} of all, not {:016x}",
                ours.len(),
                digest_of_all(ours),
                digest_of_all(theirs)
            );
            let (small, file) = self.make_small(family, numbers[i], &batch.programs[i], &label);
            let what = small.unwrap_or(what);
            self.difference(family, numbers[i], level, &label, &what, file);
        }
    }

    /// Runs the halves of a batch that failed; one program that failed is a difference.
    fn divide(
        &mut self,
        family: Family,
        numbers: &[u64],
        batch: &Batch,
        level: JitLevel,
        who: &str,
        why: &Failure,
    ) {
        self.target.lost();
        if let Some(halves) = batch.halves() {
            let (left, right) = numbers.split_at(numbers.len() / 2);
            for (numbers, half) in [left, right].into_iter().zip(&halves) {
                self.batch(family, numbers, half, level);
            }
            return;
        }
        let (kind, words) = match why {
            Failure::Refused(words) => ("refused by the", words),
            Failure::Device(words) => ("failed on the", words),
        };
        let form = batch.written[0].sections.first().map_or("", |s| &s.label);
        let form = if batch.written[0].sections.len() == 1 { form } else { "" };
        let words: String = words.chars().take(600).collect();
        let label = format!("{kind} {who} {form}");
        let program = &batch.programs[0];
        let parts = program.parts();
        // Which instruction it is: halves of the program, too.
        if matches!(why, Failure::Refused(_)) && parts > 1 && self.tries(&label) {
            let halves = [program.without(0..parts / 2), program.without(parts / 2..parts)];
            for half in halves {
                self.batch(family, &numbers[..1], &Batch::of(vec![half]), level);
            }
        }
        let file = self.plan.out.as_ref().and_then(|out| {
            let name = format!("refused-{}-{}.ptx", family.name(), numbers[0]);
            let text = format!("// {words}\n{}", batch.text()).replace("\n\n", "\n");
            std::fs::write(out.join(&name), text).ok().map(|()| name)
        });
        self.difference(family, numbers[0], level, &label, &words, file);
    }

    fn measure(
        &mut self,
        numbers: &[u64],
        batch: &Batch,
        ours: &[u64],
        theirs: &[u64],
        level: JitLevel,
    ) {
        let mut at = 0;
        for (i, written) in batch.written.iter().enumerate() {
            let words = at..at + written.words();
            at = words.end;
            let distances = &mut self.found.report.distances;
            let (ours, theirs) = (&ours[words.clone()], &theirs[words]);
            measure(&batch.programs[i], ours, theirs, self.table, distances);
            let _ = numbers;
            self.count(Family::Approximate, &batch.programs[i], written, level);
        }
    }

    fn count(&mut self, family: Family, program: &Program, written: &Written, level: JitLevel) {
        let ran = self.found.report.families.entry(family).or_default();
        ran.programs += 1;
        ran.results += written.words() as u64;
        *ran.levels.entry(name_of(level)).or_default() += 1;
        self.progress.programs[family as usize].fetch_add(1, Ordering::Relaxed);
        self.progress.results.fetch_add(written.words() as u64, Ordering::Relaxed);
        for form in forms_of(program, written) {
            *self.found.report.forms.entry(form).or_default() += 1;
        }
    }

    fn difference(
        &mut self,
        family: Family,
        index: u64,
        level: JitLevel,
        form: &str,
        what: &str,
        file: Option<String>,
    ) {
        self.progress.differences.fetch_add(1, Ordering::Relaxed);
        let (form, what) = (form.to_owned(), what.to_owned());
        let level = name_of(level);
        self.found.report.differences.push(Difference { family, index, level, form, what, file });
    }

    /// Whether to look at a difference of this form more closely: the first two are.
    fn tries(&self, form: &str) -> bool {
        let Ok(mut shrunk) = self.shrunk.lock() else { return false };
        let count = shrunk.entry(form.to_owned()).or_default();
        *count += 1;
        *count <= 3
    }

    fn make_small(
        &mut self,
        family: Family,
        index: u64,
        program: &Program,
        form: &str,
    ) -> (Option<String>, Option<String>) {
        let Some(out) = self.plan.out.clone() else { return (None, None) };
        if !self.tries(form) {
            return (None, None);
        }
        let target = &mut self.target;
        let mut last = self.table.to_vec();
        let mut both = |batch: &Batch, table: &[u64]| {
            if last != table {
                target.with_table(table.to_vec());
                last = table.to_vec();
            }
            Some((simulated(batch, table).ok()?, target.words(batch).ok()?))
        };
        let small = small(program, self.table, &mut both, Duration::from_secs(8));
        self.target.with_table(self.table.to_vec());
        let _ = self.target.device.clear();
        let plain: String =
            form.chars().map(|c| if c.is_alphanumeric() { c } else { '_' }).collect();
        let name = format!("{}-{plain}-{index}.ptx", family.name());
        let why = format!("First `{form}`, program {}:{}:{index}.", family.name(), self.plan.seed);
        let text = match &small {
            Some(small) => conformance_file(small, family, &why),
            None => format!(
                "// {why} It did not differ again.\n{}",
                Batch::of(vec![program.clone()]).text()
            ),
        };
        let file = std::fs::write(out.join(&name), text).ok().map(|()| name);
        (small.as_ref().map(summary), file)
    }
}

/// The instructions of a program that are compared, by form.
pub fn forms_of(program: &Program, written: &Written) -> Vec<String> {
    match program {
        Program::Straight(program) => program.steps.iter().map(|s| s.form.text.clone()).collect(),
        Program::Single(program) => program.steps.iter().map(|s| s.form.clone()).collect(),
        Program::Structured(_) => written.text.lines().filter_map(mnemonic).collect(),
    }
}

/// The opcode with its modifiers of a line that is an instruction.
fn mnemonic(line: &str) -> Option<String> {
    let line = line.strip_prefix("  ")?;
    let line = match line.strip_prefix('@') {
        Some(guarded) => guarded.split_once(' ')?.1,
        None => line,
    };
    let first = line.split([' ', ';']).next()?;
    let is_opcode = first.starts_with(|c: char| c.is_ascii_lowercase());
    (is_opcode && !first.ends_with(':')).then(|| first.to_owned())
}

/// `default`, or the number of the level.
pub fn name_of(level: JitLevel) -> String {
    level.level().map_or("default".to_owned(), |level| level.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_family_has_its_share_of_the_turns_and_no_batch_comes_twice() {
        let round: u64 = Family::ALL.iter().map(|family| family.share()).sum();
        let turns: Vec<(Family, u64)> = (0..3 * round).map(|n| turn(&Family::ALL, n)).collect();
        for family in Family::ALL {
            let mut batches: Vec<u64> =
                turns.iter().filter(|(f, _)| *f == family).map(|(_, batch)| *batch).collect();
            batches.sort();
            assert_eq!(batches, (0..3 * family.share()).collect::<Vec<u64>>());
        }
    }

    #[test]
    fn an_instruction_is_told_by_its_mnemonic() {
        assert_eq!(mnemonic("  @!%q2 add.u32 %v1, %v2, 3;").as_deref(), Some("add.u32"));
        assert_eq!(mnemonic("  exit;").as_deref(), Some("exit"));
        assert_eq!(mnemonic("  L12:"), None);
        assert_eq!(mnemonic("  .reg .b32 %x;"), None);
        assert_eq!(mnemonic("  targets3: .branchtargets L1, L2;"), None);
    }
}
