//! The requests to the driver's linker, on machines without a GPU: `driver.c` takes the place of
//! the driver.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::{env, io};

use libtest_mimic::{Failed, Trial};
use warpsim::host::Device;
use warpsim_gpu::{Gpu, JitLevel};

use crate::programs;

/// The environment variable that makes this program load a linked module, and say what came of it.
const CHILD: &str = "WARPSIM_TEST_DRIVER";

/// Whether this process is that program.
pub(crate) fn is_asked() -> bool {
    env::var_os(CHILD).is_some()
}

/// Loads the linked module at the level that is asked for.
pub(crate) fn be_a_child() -> ExitCode {
    let load = || -> Result<(), Box<dyn std::error::Error>> {
        let mut gpu = Gpu::open(0)?;
        gpu.set_jit(JitLevel::from(env::var(CHILD)?.parse::<u8>().ok()));
        gpu.load(&programs::linked()?)?;
        Ok(())
    };
    let said = load().map_or_else(|error| error.to_string(), |()| "loaded".to_owned());
    match io::Write::write_all(&mut io::stdout(), said.as_bytes()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

/// The tests.
pub(crate) fn trials() -> Vec<Trial> {
    vec![
        Trial::test("each_file_is_given_to_the_driver_s_linker", || {
            says("", "4", "create level 4\n{main}{library}complete\nload binary\n{end}loaded")?;
            says("", "", "create\n{main}{library}complete\nload binary\n{end}loaded")
        }),
        Trial::test("what_the_driver_s_linker_says_is_an_error_of_its_own", || {
            says(
                "complete",
                "",
                "create\n{main}{library}complete\n{end}the driver does not link main.ptx, library.ptx\n  \
                 cuLinkComplete: {words}\n  error   : Undefined reference to 'add' in 'main.ptx'",
            )
        }),
        Trial::test("a_file_that_the_driver_refuses_is_named_without_a_gpu", || {
            says(
                "library.ptx",
                "",
                "create\n{main}{library}{end}the driver does not accept library.ptx for linking\n  \
                 cuLinkAddData: {words}\n  ptxas application ptx input, line 5; error",
            )
        }),
    ]
}

/// The library, made anew for each test.
fn driver(folder: &Path) -> Result<(), Failed> {
    let source = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/suite/driver.c");
    let mut compiler = Command::new("cc");
    let library = folder.join("libcuda.so");
    let status = compiler.args(["-shared", "-fPIC", "-o"]).args([&library, &source]).status()?;
    if status.success() { Ok(()) } else { Err("the C compiler made no library".into()) }
}

/// Whether the driver and this program say `expected` when the driver refuses `refused`.
fn says(refused: &str, level: &str, expected: &str) -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    driver(folder.path())?;
    let mut child = Command::new(env::current_exe()?);
    child.env(CHILD, level).env("REFUSE", refused).env("LD_LIBRARY_PATH", folder.path());
    let output = child.output()?;
    let said = String::from_utf8_lossy(&output.stdout);
    let expected = expected
        .replace("{main}", "add main.ptx kind 1 whole 1: .visible .entry sum(.pa\n")
        .replace("{library}", "add library.ptx kind 1 whole 1: .visible .global .u32 t\n")
        .replace("{words}", "a PTX JIT compilation failed (CUDA_ERROR_INVALID_PTX)")
        .replace("{end}", "destroy, options there\n");
    match said == expected {
        true => Ok(()),
        false => {
            Err(format!("{said}\nnot\n{expected}\n{}", String::from_utf8_lossy(&output.stderr))
                .into())
        }
    }
}
