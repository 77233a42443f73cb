//! `warpsim mcp`: a server of the Model Context Protocol on standard input and output, for programs
//! that write kernels. It is built on the protocol's official Rust SDK.
//!
//! | file | what it has |
//! |---|---|
//! | `tools` | the tools, their arguments and their answers |
//! | `process` | a run of this command in a process with limits |
//!
//! A kernel runs in its own process, with limits for time, memory and output. None of its code runs
//! on the CPU. The compiler of CUDA C++ reads the files that a source includes.

mod process;
mod tools;

use rmcp::ServiceExt;
use rmcp::transport::stdio;

use crate::failure::{Exit, Failure};

/// Answers requests until the client closes the connection.
pub(super) fn run() -> Result<Exit, Failure> {
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    let runtime = runtime.worker_threads(2).enable_all().build().map_err(failed)?;
    runtime.block_on(async {
        let service = tools::Server.serve(stdio()).await.map_err(failed)?;
        service.waiting().await.map_err(failed)?;
        Ok(Exit::CLEAN)
    })
}

fn failed(error: impl std::fmt::Display) -> Failure {
    Failure::usage_with_help(
        format!("the connection failed: {error}"),
        "a client starts `warpsim mcp` and speaks the protocol through its standard input",
    )
}
