//! The `warpsim` command.

fn main() -> std::process::ExitCode {
    warpsim_cli::main()
}
