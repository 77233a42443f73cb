//! `warpsim programs check`: every variant of a program in every form and under both models.
//! Variants that promise to be right have no findings; the others have some.

use std::collections::BTreeSet;

use warpsim::check::Checking;
use warpsim::host::{Model, Simulator};
use warpsim::report::{Code, Severity};
use warpsim_programs::{Form, Program, RunError, Soundness, Variant};

use super::watched::Watched;
use crate::failure::{Exit, Failure};
use crate::output::{Output, Style};
use crate::render::table;

/// What a variant promises to be found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Promise {
    /// Nothing.
    Clean,
    /// One of these kinds, and what follows from it.
    Finds(&'static [Code]),
    /// It makes no promise.
    Open,
}

pub(super) fn run(program: &'static Program, output: &mut Output) -> Result<Exit, Failure> {
    let mut table = table(["variant", "form", "model", "findings", "as it should be"]);
    let mut all_kept = true;
    for variant in program.variants {
        for (form, _) in program.ptx {
            for model in [Model::Independent, Model::Lockstep] {
                let found = found(program, variant, *form, model, output)?;
                let promise = promise(variant.soundness, *form, model);
                let kept = is_kept(promise, &found);
                all_kept &= kept != Some(false);
                let names: Vec<&str> = found.iter().map(|code| code.name()).collect();
                let names = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
                let verdict = worded(kept, output.colour());
                table.add_row([variant.name, form.name(), model.name(), &names, &verdict]);
            }
        }
    }
    output.line(&format!("{}: {}\n", program.name, program.summary))?;
    output.line(&table.trim_fmt())?;
    Ok(if all_kept { Exit::CLEAN } else { Exit::FINDING })
}

/// The kinds of findings, except mere notes.
fn found(
    program: &Program,
    variant: &Variant,
    form: Form,
    model: Model,
    output: &Output,
) -> Result<BTreeSet<Code>, Failure> {
    let module = program.module(form).map_err(|e| super::failed(&e, None, output))?;
    let mut simulator = Simulator::default();
    simulator.settings_mut().model = model;
    simulator.settings_mut().checking = Some(Checking::default());
    let mut device = Watched::new(simulator);
    match program.run(&mut device, &module, variant, &(program.inputs.checked)()) {
        // What stopped it is among the findings.
        Ok(_) | Err(RunError::Stopped { .. }) => (),
        Err(error) => return Err(super::failed(&error, Some(&module), output)),
    }
    let findings = device.into_findings().into_iter();
    Ok(findings.filter(|f| f.severity >= Severity::Warning).map(|f| f.code).collect())
}

/// The findings expected if lanes may diverge and nothing prevents it.
const CONFLICTS: &[Code] = &[Code::Race, Code::Unordered];

fn promise(soundness: Soundness, form: Form, model: Model) -> Promise {
    let is_right = soundness.is_right(form, false);
    match (soundness, model) {
        (Soundness::Synchronised, _) => Promise::Clean,
        (Soundness::Faulty(codes), _) => Promise::Finds(codes),
        (Soundness::WarpSynchronous | Soundness::AsWritten, Model::Independent) => {
            Promise::Finds(CONFLICTS)
        }
        (Soundness::Unmasked, Model::Independent) => Promise::Open,
        (
            Soundness::WarpSynchronous | Soundness::AsWritten | Soundness::Unmasked,
            Model::Lockstep,
        ) => match is_right {
            Some(true) => Promise::Clean,
            Some(false) | None => Promise::Open,
        },
    }
}

/// Whether the findings keep the promise; `None` if nothing was promised.
fn is_kept(promise: Promise, found: &BTreeSet<Code>) -> Option<bool> {
    match promise {
        Promise::Clean => Some(found.is_empty()),
        Promise::Finds(codes) => Some(codes.iter().any(|code| found.contains(code))),
        Promise::Open => None,
    }
}

fn worded(kept: Option<bool>, colour: bool) -> String {
    match kept {
        Some(true) => Style::Good.paint("yes", colour),
        Some(false) => Style::Error.paint("NO", colour),
        None => "(promises nothing)".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_promise_is_broken_by_what_is_found_and_by_what_is_not() {
        let none = BTreeSet::new();
        let race = BTreeSet::from([Code::Race]);
        let other = BTreeSet::from([Code::OutOfBounds]);
        assert_eq!(is_kept(Promise::Clean, &none), Some(true));
        assert_eq!(is_kept(Promise::Clean, &race), Some(false));
        assert_eq!(is_kept(Promise::Finds(CONFLICTS), &race), Some(true));
        assert_eq!(is_kept(Promise::Finds(CONFLICTS), &none), Some(false));
        assert_eq!(is_kept(Promise::Finds(CONFLICTS), &other), Some(false));
        assert_eq!(is_kept(Promise::Open, &other), None);
    }

    #[test]
    fn what_relies_on_lockstep_promises_nothing_without_it() {
        let volatile = Soundness::WarpSynchronous;
        let naive = Form::Naive;
        assert_eq!(promise(volatile, naive, Model::Lockstep), Promise::Clean);
        assert_eq!(promise(volatile, naive, Model::Independent), Promise::Finds(CONFLICTS));
        let plain = Soundness::AsWritten;
        assert_eq!(promise(plain, naive, Model::Lockstep), Promise::Clean);
        assert_eq!(promise(plain, Form::Optimised, Model::Lockstep), Promise::Open);
        assert_eq!(promise(Soundness::Synchronised, naive, Model::Independent), Promise::Clean);
    }

    #[test]
    fn what_is_wrong_on_purpose_promises_its_finding_under_both_models() {
        const STUCK: &[Code] = &[Code::Deadlock];
        for model in [Model::Independent, Model::Lockstep] {
            let promise = promise(Soundness::Faulty(STUCK), Form::Optimised, model);
            assert_eq!(promise, Promise::Finds(STUCK));
            assert_eq!(is_kept(promise, &BTreeSet::from([Code::Deadlock])), Some(true));
            assert_eq!(is_kept(promise, &BTreeSet::from([Code::Race])), Some(false));
        }
    }
}
