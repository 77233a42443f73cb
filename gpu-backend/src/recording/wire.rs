//! The fields of a run in the file, and their meaning.
//!
//! A run is flat in the file, so that it can be read in a line. It has the fields of a kernel's
//! launch, or the fields of a program, and never a mixture. The types of [`Run`] express this.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};
use warpsim::element::ElementType;
use warpsim::host::{ArgumentPlace, Launch};

use super::bits;
use super::file::Made;
use super::run::{Compiled, Contents, Ended, Left, ProgramCall, Run, Simulated, Submission, Work};

/// A run, field by field.
#[derive(Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WireRun {
    #[serde(skip_serializing_if = "Option::is_none")]
    kernel: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    grid: Option<[u32; 3]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    block: Option<[u32; 3]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    shared: Option<u32>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    cooperative: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    args: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    globals: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    links: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    launches: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    passes: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    program: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    form: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    variant: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    input: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    jit_opt: Option<Vec<Option<u8>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    jit_opt_of_launches: Option<Vec<u8>>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    racy: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    simulated: Option<WireSimulated>,
    outcome: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    words: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    made: Option<Made>,
    pub(super) buffers: Vec<WireLeft>,
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct WireSimulated {
    passes: Vec<String>,
    shared_init: String,
}

/// A buffer, field by field.
#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WireLeft {
    param: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    offset: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    launch: Option<u32>,
    #[serde(rename = "type")]
    ty: ElementType,
    len: u64,
    sha256: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    bits: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    parts: Option<String>,
}

/// A list that is left out when it is empty.
fn some<T>(list: Vec<T>) -> Option<Vec<T>> {
    Some(list).filter(|list| !list.is_empty())
}

impl From<Run> for WireRun {
    fn from(run: Run) -> WireRun {
        let mut wire = WireRun {
            racy: run.racy,
            outcome: run.outcome.name().to_owned(),
            words: run.words,
            made: run.made,
            buffers: run.buffers.into_iter().map(WireLeft::from).collect(),
            simulated: run
                .simulated
                .map(|s| WireSimulated { passes: s.passes, shared_init: s.shared_init }),
            ..WireRun::default()
        };
        match run.work {
            Work::Launch(work) => {
                wire.kernel = Some(work.kernel);
                let Launch { grid, block, shared, cooperative } = work.launch;
                wire.cooperative = cooperative;
                (wire.grid, wire.block) = (Some(grid), Some(block));
                wire.shared = Some(shared).filter(|bytes| *bytes != 0);
                wire.args = Some(work.args);
                wire.links = some(work.links);
                (wire.globals, wire.passes) = (some(work.globals), some(work.passes));
                wire.launches = Some(work.launches).filter(|n| *n != 1);
            }
            Work::Program(call) => {
                (wire.program, wire.form) = (Some(call.program), Some(call.form));
                (wire.variant, wire.input) = (Some(call.variant), Some(call.input));
            }
        }
        match run.compiled {
            Compiled::At(levels) => wire.jit_opt = Some(levels),
            Compiled::InTurn(levels) => wire.jit_opt_of_launches = Some(levels),
        }
        wire
    }
}

impl TryFrom<WireRun> for Run {
    type Error = String;

    fn try_from(mut wire: WireRun) -> Result<Run, String> {
        let outcome = Ended::by_name(&wire.outcome).ok_or_else(|| {
            format!("the outcome `{}` is not completed, fault or hung", wire.outcome)
        })?;
        let buffers: Result<Vec<Left>, String> =
            std::mem::take(&mut wire.buffers).into_iter().map(Left::try_from).collect();
        let compiled = compiled(&mut wire)?;
        let simulated = wire.simulated.take();
        let (racy, words, made) = (wire.racy, wire.words.take(), wire.made.take());
        let work = work(wire)?;
        if let (Compiled::InTurn(levels), Work::Launch(launch)) = (&compiled, &work)
            && levels.len() != launch.launches as usize
        {
            return Err("`jit_opt_of_launches` does not have one level for each launch".to_owned());
        }
        let buffers = buffers?;
        check_launches(&work, outcome, &buffers)?;
        Ok(Run {
            work,
            compiled,
            racy,
            simulated: simulated
                .map(|s| Simulated { passes: s.passes, shared_init: s.shared_init }),
            outcome,
            words,
            buffers,
            made,
        })
    }
}

fn compiled(wire: &mut WireRun) -> Result<Compiled, String> {
    let compiled = match (wire.jit_opt.take(), wire.jit_opt_of_launches.take()) {
        (Some(levels), None) if !levels.is_empty() => Compiled::At(levels),
        (None, Some(levels)) if !levels.is_empty() => Compiled::InTurn(levels),
        _ => return Err("a run has either `jit_opt` or `jit_opt_of_launches`".to_owned()),
    };
    let highest = match &compiled {
        Compiled::At(levels) => levels.iter().copied().flatten().max(),
        Compiled::InTurn(levels) => levels.iter().copied().max(),
    };
    match highest {
        Some(level) if level > 4 => Err(format!("a level is 0 to 4, not {level}")),
        _ => Ok(compiled),
    }
}

/// That each buffer is of a launch that there was and that left memory, and that none is there
/// twice. A program has one result, after its last launch.
fn check_launches(work: &Work, outcome: Ended, buffers: &[Left]) -> Result<(), String> {
    let last = match work {
        Work::Launch(submission) => Some(submission.launches),
        Work::Program(_) => None,
    };
    let mut known = HashSet::new();
    for Left { param, launch, .. } in buffers {
        let within = |what: String| Err(format!("the buffer of parameter {param}: {what}"));
        match (*launch, last) {
            (Some(number), Some(last)) if number == 0 || number > last => {
                return within(format!("`launch` is {number}, and there are launches 1 to {last}"));
            }
            (Some(_), None) => return within("a program's result has no `launch`".to_owned()),
            (launch, last) if outcome != Ended::Completed && launch.or(last) == last => {
                return within(format!("memory is lost after `{}`", outcome.name()));
            }
            _ => {}
        }
        if !known.insert((param, launch.or(last))) {
            return within("it occurs twice after the same launch".to_owned());
        }
    }
    Ok(())
}

fn work(wire: WireRun) -> Result<Work, String> {
    let of_launch = wire.grid.is_some()
        || wire.block.is_some()
        || wire.shared.is_some()
        || wire.cooperative
        || wire.args.is_some()
        || wire.globals.is_some()
        || wire.links.is_some()
        || wire.launches.is_some()
        || wire.passes.is_some();
    match (wire.kernel, wire.program, wire.form, wire.variant, wire.input) {
        (Some(kernel), None, None, None, None) => Ok(Work::Launch(Submission {
            launch: Launch {
                grid: wire.grid.ok_or_else(|| format!("the launch of `{kernel}` has no `grid`"))?,
                block: wire
                    .block
                    .ok_or_else(|| format!("the launch of `{kernel}` has no `block`"))?,
                shared: wire.shared.unwrap_or(0),
                cooperative: wire.cooperative,
            },
            args: wire.args.unwrap_or_default(),
            globals: wire.globals.unwrap_or_default(),
            links: wire.links.unwrap_or_default(),
            launches: wire.launches.unwrap_or(1),
            passes: wire.passes.unwrap_or_default(),
            kernel,
        })),
        (None, Some(program), Some(form), Some(variant), Some(input)) if !of_launch => {
            Ok(Work::Program(ProgramCall { program, form, variant, input }))
        }
        _ => Err("a run is either of a kernel, with `kernel`, `grid`, `block`, `args`, or of a \
                  program, with `program`, `form`, `variant`, `input`"
            .to_owned()),
    }
}

impl From<Left> for WireLeft {
    fn from(left: Left) -> WireLeft {
        let (bits, parts) = match left.contents {
            Contents::Bits(text) => (Some(text), None),
            Contents::Parts(text) => (None, Some(text)),
        };
        let Left { param, launch, ty, len, sha256, .. } = left;
        let ArgumentPlace { argument: param, offset } = param;
        WireLeft { param, offset, launch, ty, len, sha256, bits, parts }
    }
}

impl TryFrom<WireLeft> for Left {
    type Error = String;

    fn try_from(wire: WireLeft) -> Result<Left, String> {
        let WireLeft { param, offset, launch, ty, len, sha256, bits, parts } = wire;
        let param = ArgumentPlace { argument: param, offset };
        let within = |what: String| format!("the buffer of parameter {param}: {what}");
        let contents = match (bits, parts) {
            (Some(text), None) => {
                let bytes = bits::bytes(&text, ty).map_err(within)?;
                if bytes.len() as u64 != len.saturating_mul(ty.size() as u64) {
                    let found = bytes.len() / ty.size();
                    return Err(within(format!("`len` is {len}, and `bits` has {found} cells")));
                }
                if super::sha256(&bytes) != sha256 {
                    return Err(within("`bits` and `sha256` do not agree".to_owned()));
                }
                Contents::Bits(text)
            }
            (None, Some(text)) => {
                let parts = text.split_ascii_whitespace().count() as u64;
                if parts != len.div_ceil(bits::PART as u64) {
                    return Err(within(format!("`len` is {len}, and there are {parts} parts")));
                }
                Contents::Parts(text)
            }
            _ => return Err(within("it needs either `bits` or `parts`, not both".to_owned())),
        };
        Ok(Left { param, launch, ty, len, sha256, contents })
    }
}
