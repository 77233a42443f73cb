//! The tools `check_kernel`, `run_kernel` and `explain_finding`: their inputs and their answers.

use std::ffi::OsString;
use std::fs;
use std::time::Duration;

use rmcp::handler::server::wrapper::Parameters;
use rmcp::model::{CallToolResult, ContentBlock, Implementation, ServerCapabilities, ServerConfig};
use rmcp::{ErrorData, ServerHandler, schemars, tool, tool_handler, tool_router};
use serde::Deserialize;
use serde_json::{Value, json};

use super::process::{self, Ended};
use crate::explanation::explanation;

/// The version of the answers.
const SCHEMA: u32 = 1;
/// Seconds for a call that names none, and the most that it can name.
const SECONDS: (u64, u64) = (60, 600);
/// Characters of what a run wrote for people.
const TEXT: usize = 16_000;
/// Cells of each buffer that a call gets which names no number.
const CELLS: u32 = 64;

/// In which language a kernel is.
#[derive(Clone, Copy, Debug, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Language {
    Cuda,
    Ptx,
}

/// A kernel and its launch.
#[derive(Debug, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
struct Launch {
    /// The source: CUDA C++ with `__global__` functions, or PTX.
    source: String,
    /// `cuda` or `ptx`; guessed from the source where it is not given.
    language: Option<Language>,
    /// The name of the kernel; needed where the source has several.
    kernel: Option<String>,
    /// Blocks: `X`, `X,Y` or `X,Y,Z`; 1 where it is not given.
    grid: Option<String>,
    /// Threads of a block: `X`, `X,Y` or `X,Y,Z`; 32 where it is not given.
    block: Option<String>,
    /// Bytes of dynamic shared memory.
    shared: Option<u32>,
    /// One for each parameter of the kernel, in order. A scalar: `42`, `1.5`. A buffer:
    /// `TYPE[LEN]` (zeros), `TYPE[LEN]=iota`, `TYPE[LEN]=fill:3`, `TYPE[LEN]=rand:7`,
    /// `TYPE[LEN]=list:1,2`, where TYPE is u8 s8 u16 s16 u32 s32 u64 s64 f16 bf16 f32 or f64.
    #[serde(default)]
    arguments: Vec<String>,
    /// Seconds after which the run is ended: 1 to 600; 60 where it is not given.
    time_limit: Option<u64>,
    /// Warp instructions after which a launch is given up.
    max_steps: Option<u64>,
}

/// A kernel, its launch, and how much of its results to return.
#[derive(Debug, Deserialize, schemars::JsonSchema)]
struct Run {
    #[serde(flatten)]
    launch: Launch,
    /// How many cells of each buffer to return; 64 where it is not given.
    cells: Option<u32>,
}

/// A kind of finding.
#[derive(Debug, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
struct Kind {
    /// The code of the finding, as `race`.
    code: String,
}

/// The server; it keeps nothing between requests.
#[derive(Clone, Debug)]
pub(super) struct Server;

#[tool_router]
impl Server {
    #[tool(
        description = "Check a CUDA or PTX kernel on a simulated GPU, under several schedules: \
                       races, barriers, accesses outside of memory, misaligned addresses, values \
                       never written, deadlocks. Answers with a verdict and findings with lines, \
                       threads and help.",
        annotations(read_only_hint = true, open_world_hint = false)
    )]
    async fn check_kernel(
        &self,
        Parameters(launch): Parameters<Launch>,
    ) -> Result<CallToolResult, ErrorData> {
        answer("check", &launch, &[]).await
    }

    #[tool(
        description = "Run a CUDA or PTX kernel on a simulated GPU. Answers with the buffers as \
                       the kernel left them, and with counts of instructions.",
        annotations(read_only_hint = true, open_world_hint = false)
    )]
    async fn run_kernel(
        &self,
        Parameters(run): Parameters<Run>,
    ) -> Result<CallToolResult, ErrorData> {
        let cells = format!("--values={}", run.cells.unwrap_or(CELLS));
        answer("run", &run.launch, &[cells.into()]).await
    }

    #[tool(
        description = "Explain a kind of finding: its meaning, its usual cause and its fix.",
        annotations(read_only_hint = true, open_world_hint = false)
    )]
    async fn explain_finding(
        &self,
        Parameters(kind): Parameters<Kind>,
    ) -> Result<CallToolResult, ErrorData> {
        Ok(match explanation(&kind.code) {
            Ok(explained) => CallToolResult::structured(json!(explained)),
            Err(error) => CallToolResult::error(vec![ContentBlock::text(error.to_string())]),
        })
    }
}

#[tool_handler]
impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let name = Implementation::new("warpsim", env!("CARGO_PKG_VERSION"));
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(name)
            .with_instructions(
                "Call check_kernel for each kernel that you write, with a launch that is like the \
                 real one; several blocks show races between blocks. If it has findings, fix the \
                 lines that they name, and call it again.",
            )
    }
}

/// The answer to a call that runs the command.
async fn answer(
    command: &str,
    launch: &Launch,
    more: &[OsString],
) -> Result<CallToolResult, ErrorData> {
    let failed = |error: std::io::Error| ErrorData::internal_error(error.to_string(), None);
    let seconds = launch.time_limit.unwrap_or(SECONDS.0);
    if !(1..=SECONDS.1).contains(&seconds) {
        let said = format!("`time_limit` is {seconds}; use 1 to {}", SECONDS.1);
        return Err(ErrorData::invalid_params(said, None));
    }
    let folder = tempfile::tempdir().map_err(failed)?;
    let file = file_name(launch);
    fs::write(folder.path().join(file), &launch.source).map_err(failed)?;
    let mut words = arguments(command, launch, file);
    words.extend_from_slice(more);
    let ended = process::run(&words, folder.path(), Duration::from_secs(seconds)).await;
    let document = match ended.map_err(failed)? {
        Ended::Exit { code, stdout, stderr } => of_exit(code, &stdout, &stderr),
        Ended::Time => limited(&format!("the run was stopped after {seconds} seconds")),
        Ended::Output => limited("the run wrote more than can be returned; ask for fewer cells"),
    };
    Ok(CallToolResult::structured(document))
}

/// The name of the source's file, which findings show.
fn file_name(launch: &Launch) -> &'static str {
    let is_ptx = match launch.language {
        Some(Language::Ptx) => true,
        Some(Language::Cuda) => false,
        None => launch.source.lines().any(|line| line.trim_start().starts_with(".version ")),
    };
    if is_ptx { "kernel.ptx" } else { "kernel.cu" }
}

/// The words of the command line. A value is never a separate word, so none is taken for an option.
fn arguments(command: &str, launch: &Launch, file: &str) -> Vec<OsString> {
    let mut words: Vec<OsString> =
        vec![command.into(), file.into(), "--format=json".into(), "--threads=1".into()];
    let valued = [
        ("kernel", launch.kernel.clone()),
        ("grid", launch.grid.clone()),
        ("block", launch.block.clone()),
        ("shared", launch.shared.map(|bytes| bytes.to_string())),
        ("max-steps", launch.max_steps.map(|steps| steps.to_string())),
    ];
    let valued = valued.into_iter().filter_map(|(name, value)| Some((name, value?)));
    words.extend(valued.map(|(name, value)| format!("--{name}={value}").into()));
    words.extend(launch.arguments.iter().map(|spec| format!("--arg={spec}").into()));
    words
}

/// The answer of a run that ended without being stopped. The command's reference has the exit
/// codes.
fn of_exit(code: Option<i32>, stdout: &str, stderr: &str) -> Value {
    let verdict = match code {
        Some(0) => "clean",
        Some(1) => "findings",
        Some(2) => "refused",
        Some(3) => "unsupported",
        Some(4) => "no compiler",
        Some(101) => "bug in warpsim",
        Some(_) | None => "ended",
    };
    let document: Option<Value> = serde_json::from_str(stdout).ok();
    json!({
        "schema": SCHEMA,
        "verdict": verdict,
        "exit": code,
        "document": document,
        "text": cut(stderr),
    })
}

fn limited(why: &str) -> Value {
    json!({ "schema": SCHEMA, "verdict": "limit", "exit": null, "document": null, "text": why })
}

/// The beginning of a text.
fn cut(text: &str) -> String {
    match text.char_indices().nth(TEXT) {
        Some((end, _)) => format!("{}\n... {} bytes more", &text[..end], text.len() - end),
        None => text.to_owned(),
    }
}
