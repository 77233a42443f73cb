//! `warpsim explore --shard K/N`: writes the schedules of one shard to a file. A merge reads the
//! files of all shards as if they were one run.
//!
//! Each file holds the command line, and the merge carries it out. It reads the program and the
//! arguments again and does the run in order. It takes the results of the schedules from the files
//! instead of running them, so the same code prints the same words. It checks that program,
//! arguments and memory match the shards.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::Parser;
use serde_json::Value;
use warpsim::explore::{Part, PartError, explore_part};
use warpsim::host::Simulator;
use warpsim::ptx::{self, Module};
use warpsim_campaign::{Campaign, CampaignError, Shard, ShardFile, gather};
use warpsim_gpu::recording::sha256;

use super::super::launches::Launches;
use super::{answer, checking, exploration, request};
use crate::args::{Command, CommandLine, ExploreArgs, FindingFormat, MergeArgs, StrategyName};
use crate::failure::{Exit, Failure};
use crate::input::is_standard_input;
use crate::launch::{Prepared, refused};
use crate::output::Output;
use crate::replay;

/// The kind of campaign that a shard of `explore` is of.
const KIND: &str = "explore";

/// The fact that is the command line, word for word.
const COMMAND: &str = "command";

/// Explores the schedules of a shard and writes their results.
pub(super) fn run(
    args: &ExploreArgs,
    shard: Shard,
    file: &Path,
    output: &mut Output,
) -> Result<Exit, Failure> {
    refuse_unsharded(args)?;
    let checking = checking(args);
    let numbers = shard.cases(exploration(args)?.schedules);
    let mut known = None;
    let mut parts: Vec<Part> = Vec::new();
    Launches::<Simulator>::run(
        &args.launch,
        (&args.report, args.findings.format == FindingFormat::Json),
        output,
        |prepared, number, _, output| {
            if known.is_none() {
                known = Some(campaign(args, prepared, output)?);
            }
            prepared.device.settings_mut().checking = Some(checking.clone());
            let index = prepared.enter(&args.launch, number)?;
            let request = request(prepared, index);
            let Prepared { device, variants, .. } = prepared;
            let part = explore_part(device, &request, &exploration(args)?, numbers.clone())
                .map_err(|error| no_part(error, &variants[index].module, output))?;
            parts.push(part);
            // The launch itself is not checked.
            device.settings_mut().checking = None;
            Ok(())
        },
    )?;
    let Some(campaign) = known else { return Err(warpsim::internal!("no launch").into()) };
    ShardFile::new(&campaign, shard, &parts)?.write(file)?;
    let (done, all) = (numbers.end - numbers.start, campaign.cases);
    let file = file.display();
    output.note(&format!("shard {shard}, {done} of {all} schedules: written to {file}"));
    Ok(Exit::CLEAN)
}

/// Refuses what cannot be cut, or cannot be read again for the merge.
fn refuse_unsharded(args: &ExploreArgs) -> Result<(), Failure> {
    let files = || std::iter::once(&args.launch.file).chain(&args.launch.links);
    if files().any(|file| is_standard_input(file)) {
        return Err(Failure::usage(
            "--shard cannot read standard input: the merge reads the program again; give a file",
        ));
    }
    if !args.report.dump.is_empty() {
        return Err(Failure::usage_with_help(
            "--shard writes no buffers",
            "leave out --dump; `warpsim run --dump` writes the buffers of the in-order run",
        ));
    }
    match args.strategy {
        StrategyName::All | StrategyName::Random | StrategyName::Pct => Ok(()),
        StrategyName::Exhaustive | StrategyName::ExhaustiveWarps => Err(Failure::usage_with_help(
            "an exhaustive search cannot be cut into shards: it finds each schedule from the one before",
            "leave out --shard, or choose --strategy all, random or pct",
        )),
    }
}

/// What identifies the campaign of a command line.
fn campaign(args: &ExploreArgs, prepared: &Prepared, output: &Output) -> Result<Campaign, Failure> {
    let modules = prepared.variants.iter();
    let modules = modules.map(|variant| sha256(ptx::print(&variant.module).as_bytes()));
    let modules: Vec<String> = modules.collect();
    let words = output.arguments().iter().all(|word| word.to_str().is_some());
    if !words {
        return Err(Failure::usage("--shard needs a command line in UTF-8"));
    }
    let exploration = exploration(args)?;
    Ok(Campaign::new(KIND, exploration.schedules)
        .with(COMMAND, replay::shared(output))
        .with("modules", modules)
        .with("kernel", prepared.kernel.clone())
        .with("launch", prepared.launch.to_string())
        .with("launches", args.launch.launches)
        .with("strategy", args.strategy.name())
        .with("seed", exploration.seed))
}

/// The contents of the files of shards, for the code that reports the result.
pub(super) struct Merging {
    campaign: Campaign,
    /// One of the files, for messages.
    file: PathBuf,
    /// The parts of each shard, one a launch.
    shards: Vec<(Shard, std::vec::IntoIter<Part>)>,
}

impl Merging {
    /// The parts of a launch.
    pub(super) fn of_launch(
        &mut self,
        args: &ExploreArgs,
        prepared: &Prepared,
        number: u32,
        output: &Output,
    ) -> Result<Vec<Part>, Failure> {
        let own = campaign(args, prepared, output)?;
        if let Some([name, there, here]) = own.difference(&self.campaign) {
            let file = self.file.display();
            return Err(Failure::usage_with_help(
                format!(
                    "{file} belongs to another campaign than its command line describes now: \
                     {name} is {there}, not {here}"
                ),
                "the merge reads the program and the arguments again: use the same ones as for the \
                 shards",
            ));
        }
        let of_shard = |(shard, parts): &mut (Shard, std::vec::IntoIter<Part>)| {
            let none = || Failure::usage(format!("shard {shard} did not explore launch {number}"));
            parts.next().ok_or_else(none)
        };
        self.shards.iter_mut().map(of_shard).collect()
    }

    /// There are no more launches.
    pub(super) fn end(self) -> Result<(), Failure> {
        match self.shards.into_iter().find(|(_, parts)| parts.len() > 0) {
            None => Ok(()),
            Some((shard, _)) => Err(Failure::usage(format!(
                "shard {shard} explored launches that the command line no longer has"
            ))),
        }
    }
}

/// Prints the result of the shards in these files, as if it had been one run.
pub(in crate::commands) fn merge(merge: &MergeArgs, output: &mut Output) -> Result<Exit, Failure> {
    let gathered = gather::<Vec<Part>>(KIND, &merge.files)?;
    let Some(file) = merge.files.first().cloned() else {
        return Err(CampaignError::NoFiles.into());
    };
    let words = gathered.campaign.fact(COMMAND).cloned().unwrap_or(Value::Null);
    let bad = || Failure::usage(format!("{} has no command line of `explore`", file.display()));
    let words: Vec<String> = serde_json::from_value(words).map_err(|_| bad())?;
    let name = output.arguments().first().cloned().unwrap_or_else(|| OsString::from("warpsim"));
    let line: Vec<OsString> =
        std::iter::once(name).chain(words.into_iter().map(OsString::from)).collect();
    let Ok(CommandLine { command: Command::Explore(mut args), color: _ }) =
        CommandLine::try_parse_from(&line)
    else {
        return Err(bad());
    };
    harmless(&mut args, merge, &file)?;
    output.answer(line);
    let shards = gathered.results.into_iter().map(|(shard, parts)| (shard, parts.into_iter()));
    let shards = Merging { campaign: gathered.campaign, file, shards: shards.collect() };
    answer(&args, Some(shards), output)
}

/// Makes a command line from a file harmless for the person who merges it: the file may belong to
/// another user.
///
/// It names the program and the contents of buffers, which are read. It writes no file, as no
/// command line of a shard does, loads no library, and looks for headers where the merge's own
/// command line says.
fn harmless(args: &mut ExploreArgs, merge: &MergeArgs, file: &Path) -> Result<(), Failure> {
    refuse_unsharded(args)?;
    let bad = |option: &str| {
        Failure::usage(format!(
            "the command line in {} has {option}, which a shard's command line cannot have",
            file.display()
        ))
    };
    if args.shard.shard.is_some() || args.shard.shard_out.is_some() {
        return Err(bad("--shard"));
    }
    let compiler = &mut args.launch.compiler;
    let says_less = |said: &[PathBuf]| !said.is_empty() && merge.includes.as_slice() != said;
    if says_less(&compiler.includes) {
        let folders: Vec<String> =
            compiler.includes.iter().map(|folder| format!("-I {}", folder.display())).collect();
        return Err(Failure::usage_with_help(
            format!("the shards in {} were made with {}", file.display(), folders.join(" ")),
            format!(
                "if you trust these folders, name them yourself: warpsim merge {} ...",
                folders.join(" ")
            ),
        ));
    }
    if compiler.nvrtc.is_some() && merge.nvrtc.is_none() {
        return Err(Failure::usage_with_help(
            format!("the command line in {} names a library to load (--nvrtc)", file.display()),
            "name the compiler in your own command line: warpsim merge --nvrtc PATH ...",
        ));
    }
    compiler.nvrtc.clone_from(&merge.nvrtc);
    compiler.includes.clone_from(&merge.includes);
    Ok(())
}

/// Why parts are none, or do not come together.
pub(super) fn no_part(error: PartError, module: &Module, output: &Output) -> Failure {
    match error {
        PartError::Device(error) => refused(error, module, output),
        PartError::Interrupted => Failure::Interrupted(error.to_string()),
        other => Failure::usage(other.to_string()),
    }
}
