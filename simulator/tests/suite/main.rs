//! Tests of the engine and the analyses that drive them as host code does.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]
mod analyses;
mod arrivals;
mod asynchronous;
mod bank_conflicts;
mod convergence;
#[cfg(feature = "cuda")]
mod cuda;
mod examples;
mod faults;
mod fresh_blocks;
mod gangs;
mod last_writer;
mod listener;
mod old_modules;
mod overruns;
mod parallel;
mod parameters;
mod printing;
mod schedule;
mod spinning;
mod statistics;
mod statistics_on_gpu;
mod third_threads;
mod told;
mod trace_stream;
mod trials;
mod uninitialized;
mod unused_reads;
