//! Which block barriers could go: what would change without each of them.
//!
//! A barrier of the source is taken out, with all its instances in the PTX (a loop may have been
//! unrolled, a function inlined). The launch is then checked again: under every schedule that
//! checking merges, as written and after the register-caching pass. The barrier is reported when
//! neither the findings nor the memory afterwards nor the end of the launch change. That is
//! evidence for this launch and these inputs, and no proof: other inputs may need it. Each barrier
//! is tried alone; removing two may be wrong even if removing either one is not. A `bar.red` is
//! never tried, because it gives a result.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::checking::other_schedules;
use super::device::{Argument, Device};
use super::error::DeviceError;
use super::simulator::Simulator;
use crate::check::{Checking, Schedules};
use crate::launch::Launch;
use crate::passes;
use crate::ptx::{Function, InstId, Instruction, Item, Module, Source, SourceMap};
use crate::report::{Code, Finding, Report, Severity, Site};

/// What became of the barriers of a launch.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Advice {
    /// The barriers that were tried: source lines, or lines of the PTX.
    pub tried: u32,
    /// The schedules under which each was tried.
    pub schedules: Vec<String>,
    /// A note for each barrier without which nothing changed.
    pub findings: Vec<Finding>,
}

/// Barriers of one place of the source.
struct Candidate {
    instances: BTreeSet<InstId>,
    site: Site,
}

/// The result of a run, as far as it is compared.
struct Run {
    report: Report,
    gpu: Simulator,
}

impl Run {
    fn codes(&self) -> BTreeSet<(Code, Vec<u32>)> {
        let lines = |f: &Finding| f.sites.iter().map(|s| s.ptx_line).collect();
        self.report.findings.iter().map(|f| (f.code, lines(f))).collect()
    }

    fn is_like(&self, other: &Run) -> bool {
        self.report.outcome == other.report.outcome
            && self.codes() == other.codes()
            && self.gpu.global() == other.gpu.global()
    }
}

impl Simulator {
    /// Finds the barriers of a kernel whose removal changes nothing for this launch. The device is
    /// left as it was; `module` is loaded into copies of it.
    ///
    /// # Errors
    /// When the launch cannot start.
    pub fn advise(
        &mut self,
        module: &Module,
        kernel: &str,
        launch: &Launch,
        arguments: &[Argument],
    ) -> Result<Advice, DeviceError> {
        let candidates = candidates(module, kernel);
        let schedules: Vec<String> = [self.settings().schedule.clone()]
            .into_iter()
            .chain(other_schedules())
            .map(|schedule| schedule.to_string())
            .collect();
        let mut advice = Advice { tried: candidates.len() as u32, schedules, findings: Vec::new() };
        let known = self.results(module, kernel, launch, arguments)?;
        for candidate in candidates {
            let without = without(module, &candidate.instances);
            let results = self.results(&without, kernel, launch, arguments)?;
            if results.len() == known.len() && results.iter().zip(&known).all(|(a, b)| a.is_like(b))
            {
                advice.findings.push(finding(candidate.site, &advice.schedules));
            }
        }
        Ok(advice)
    }

    /// The results under every schedule, as written and after the pass.
    fn results(
        &mut self,
        module: &Module,
        kernel: &str,
        launch: &Launch,
        arguments: &[Argument],
    ) -> Result<Vec<Run>, DeviceError> {
        let cached = passes::register_cache(module)?.module;
        let mut results = Vec::new();
        for module in [module, &cached] {
            let first = self.settings().schedule.clone();
            for schedule in [first].into_iter().chain(other_schedules()) {
                let mut gpu = self.fork();
                gpu.settings_mut().schedule = schedule;
                gpu.settings_mut().checking =
                    Some(Checking::default().with_schedules(Schedules::AsSet));
                let module = gpu.load(module)?;
                let report = gpu.launch(module, kernel, launch, arguments)?;
                results.push(Run { report, gpu });
            }
        }
        Ok(results)
    }
}

fn finding(site: Site, schedules: &[String]) -> Finding {
    let explanation = format!(
        "nothing changes without this barrier: neither the findings nor the memory after the launch, as \
         written and after register caching, under {}",
        schedules.join(", ")
    );
    let mut finding = Finding::new(Severity::Note, Code::RedundantBarrier, explanation);
    finding.sites = vec![site];
    finding.notes = vec![
        "this holds for the launch, the inputs and the schedules that were tried; others may need it"
            .to_owned(),
        "each barrier was taken out alone: taking out two may be wrong".to_owned(),
    ];
    finding
}

/// The barriers of a kernel, and of the functions of its module, by place of the source.
fn candidates(module: &Module, kernel: &str) -> Vec<Candidate> {
    let map = SourceMap::of(module);
    let mut found: Vec<Candidate> = Vec::new();
    let is_reached = |f: &&Function| !f.is_entry || &*f.name.text == kernel;
    let instructions = module.functions().filter(is_reached).flat_map(Function::instructions);
    for instruction in instructions.filter(|one| is_plain_barrier(one)) {
        let site = site(instruction, &map, &module.source);
        let same = |c: &&mut Candidate| match (&c.site.source, &site.source) {
            (Some(a), Some(b)) => (&a.file, a.line, a.column) == (&b.file, b.line, b.column),
            _ => false,
        };
        match found.iter_mut().find(same) {
            Some(candidate) => {
                candidate.instances.insert(instruction.id);
            }
            None => {
                let instances = [instruction.id].into();
                found.push(Candidate { instances, site });
            }
        }
    }
    found
}

/// `bar.sync` and `barrier.sync` without a count.
fn is_plain_barrier(instruction: &Instruction) -> bool {
    matches!(&*instruction.opcode.text, "bar" | "barrier")
        && instruction.modifiers.iter().any(|m| &*m.text == "sync")
        && !instruction.modifiers.iter().any(|m| &*m.text == "warp")
        && instruction.operands.len() == 1
}

/// The barrier as a place: no thread in particular.
fn site(instruction: &Instruction, map: &SourceMap, source: &Source) -> Site {
    let modifiers = instruction.modifiers.iter().map(|m| format!(".{}", m.text));
    Site {
        operation: format!("{}{}", instruction.opcode.text, modifiers.collect::<String>()),
        thread: [0; 3],
        block: [0; 3],
        warp: 0,
        lane: 0,
        ptx_line: map.ptx_line(instruction.id).unwrap_or(0),
        ptx_file: source.other_file(instruction.span.start).map(|file| file.to_string()),
        source: map.position(instruction.id).cloned(),
    }
}

/// The module without some instructions.
fn without(module: &Module, instances: &BTreeSet<InstId>) -> Module {
    let mut module = module.clone();
    for item in &mut module.items {
        if let Item::Function(function) = item
            && let Some(body) = &mut function.body
        {
            Arc::make_mut(body).retain_instructions(|one| !instances.contains(&one.id));
        }
    }
    module
}
