//! What the page asks for.

use serde::Deserialize;

/// A request, by its word in `do`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(tag = "do", rename_all = "lowercase")]
pub enum Request {
    /// The programs that come with warpsim.
    Programs,
    /// One of them: its texts, and a launch to begin with.
    Program {
        /// Its name.
        program: String,
        /// The variant; the first unless it is given.
        variant: Option<String>,
        /// `naive` or `optimised`; the first that there is unless it is given.
        form: Option<String>,
    },
    /// The story that a program tells.
    Story {
        /// Its name.
        program: String,
    },
    /// The kernels of a text, each with a suggested launch; or the error in the text.
    Kernels {
        /// The PTX.
        text: String,
    },
    /// One run.
    Run(Work),
    /// A run under several schedules, watched for mistakes.
    Check(Work),
    /// Many schedules, and their results compared.
    Explore {
        /// The launch.
        #[serde(flatten)]
        work: Work,
        /// The most schedules.
        #[serde(default = "some_schedules")]
        schedules: u64,
        /// The seed of the first random one.
        #[serde(default)]
        seed: u64,
    },
    /// One run, step by step, as the document of the page of a trace.
    Trace(Work),
}

/// A launch of a kernel.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Work {
    /// The PTX.
    pub text: String,
    /// The kernel; the only one unless it is given.
    pub kernel: Option<String>,
    /// Blocks: one to three numbers with commas between.
    pub grid: String,
    /// Threads of a block, likewise.
    pub block: String,
    /// Bytes of dynamic shared memory.
    pub shared: u32,
    /// A SPEC for each parameter.
    pub args: Vec<String>,
    /// The compiler's passes that change the text first.
    pub passes: Vec<String>,
    /// The schedule; `in-order` unless it is given.
    pub schedule: Option<String>,
    /// `independent` or `lockstep`.
    pub model: Option<String>,
    /// Warp instructions after which the launch is given up.
    pub max_steps: Option<u64>,
    /// The built-in program that the text comes from, if it does.
    pub program: Option<String>,
    /// The variant of that program.
    pub variant: Option<String>,
}

fn some_schedules() -> u64 {
    100
}
