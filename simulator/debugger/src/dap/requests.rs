//! The arguments of requests, as far as they are used.

use serde::Deserialize;
use serde_json::Value;

/// A request that cannot be carried out, in words.
pub(super) type Refusal = String;

/// Reads the arguments of a request.
pub(super) fn arguments<T: for<'de> Deserialize<'de>>(message: &Value) -> Result<T, Refusal> {
    let none = Value::Object(serde_json::Map::new());
    let arguments = message.get("arguments").filter(|a| !a.is_null()).unwrap_or(&none);
    T::deserialize(arguments).map_err(|error| format!("its arguments are wrong: {error}"))
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Initialize {
    #[serde(default = "yes")]
    pub(super) lines_start_at1: bool,
}

fn yes() -> bool {
    true
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Launch {
    pub(super) stop_on_entry: Option<bool>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SetBreakpoints {
    pub(super) source: SourceArgument,
    #[serde(default)]
    pub(super) breakpoints: Vec<SourceBreakpoint>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SourceArgument {
    pub(super) path: Option<String>,
    pub(super) name: Option<String>,
    pub(super) source_reference: Option<i64>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SourceBreakpoint {
    pub(super) line: u32,
    pub(super) condition: Option<String>,
    pub(super) hit_condition: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct SetFunctionBreakpoints {
    pub(super) breakpoints: Vec<FunctionBreakpoint>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct FunctionBreakpoint {
    pub(super) name: String,
    pub(super) condition: Option<String>,
    pub(super) hit_condition: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct SetInstructionBreakpoints {
    pub(super) breakpoints: Vec<InstructionBreakpoint>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct InstructionBreakpoint {
    pub(super) instruction_reference: String,
    #[serde(default)]
    pub(super) offset: i64,
    pub(super) condition: Option<String>,
    pub(super) hit_condition: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct DataBreakpointInfo {
    pub(super) variables_reference: Option<u64>,
    pub(super) name: String,
}

#[derive(Deserialize)]
pub(super) struct SetDataBreakpoints {
    pub(super) breakpoints: Vec<DataBreakpoint>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct DataBreakpoint {
    pub(super) data_id: String,
    pub(super) access_type: Option<String>,
    pub(super) condition: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct BreakpointLocations {
    pub(super) source: SourceArgument,
    pub(super) line: u32,
    pub(super) end_line: Option<u32>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct OfThread {
    pub(super) thread_id: u64,
    pub(super) granularity: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct StackTrace {
    pub(super) thread_id: u64,
    #[serde(default)]
    pub(super) start_frame: usize,
    #[serde(default)]
    pub(super) levels: usize,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Scopes {
    pub(super) frame_id: u64,
}

#[derive(Deserialize)]
pub(super) struct Variables {
    #[serde(rename = "variablesReference")]
    pub(super) reference: u64,
    #[serde(default)]
    pub(super) start: usize,
    #[serde(default)]
    pub(super) count: usize,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Evaluate {
    pub(super) expression: String,
    pub(super) frame_id: Option<u64>,
    pub(super) context: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SourceText {
    pub(super) source_reference: i64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Disassemble {
    pub(super) memory_reference: String,
    #[serde(default)]
    pub(super) offset: i64,
    #[serde(default)]
    pub(super) instruction_offset: i64,
    pub(super) instruction_count: usize,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ReadMemory {
    pub(super) memory_reference: String,
    #[serde(default)]
    pub(super) offset: i64,
    pub(super) count: usize,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Disconnect {
    pub(super) terminate_debuggee: Option<bool>,
}
