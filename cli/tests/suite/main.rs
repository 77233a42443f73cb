//! The command, as a process of its own.

mod cli_dap;
mod cli_describe;
mod cli_examples;
mod cli_files;
#[cfg(unix)]
mod cli_found;
#[cfg(unix)]
mod cli_interrupt;
mod cli_json;
mod cli_kernels;
mod cli_link;
mod cli_page;
mod cli_preferences;
mod cli_record;
mod cli_shards;
mod cli_step;
mod cli_structs;
mod cli_terminal;
mod docs_commands;
mod exec;
mod exec_advice;
#[cfg(target_os = "linux")]
mod exec_blas;
#[cfg(target_os = "linux")]
mod exec_compilers;
mod exec_cudarc;
#[cfg(target_os = "linux")]
mod exec_device_names;
#[cfg(target_os = "linux")]
mod exec_ends;
mod exec_failed;
mod exec_fft;
mod exec_groups;
#[cfg(target_os = "linux")]
mod exec_headers;
mod exec_lifetimes;
mod exec_management;
#[cfg(target_os = "linux")]
mod exec_own_memory;
#[cfg(target_os = "linux")]
mod exec_page;
mod exec_programs;
mod exec_python;
mod exec_race_groups;
#[cfg(target_os = "linux")]
mod exec_signals;
mod exec_sparse;
mod exec_static_runtime;
mod exec_stats;
mod exec_timeline;
#[cfg(unix)]
mod mcp;
mod nvcc;
