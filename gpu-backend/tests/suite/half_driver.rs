//! A driver whose library is there and lacks its functions. Another library takes its name, so this
//! is for systems on which that can be done.

use libtest_mimic::Trial;

#[cfg(target_os = "linux")]
pub(crate) use linux::{be_a_child, is_asked};

/// The tests of this system.
pub(crate) fn trials() -> Vec<Trial> {
    vec![
        #[cfg(target_os = "linux")]
        Trial::test("a_driver_without_functions_is_an_error_and_nothing_else_is_said", linux::test),
    ]
}

#[cfg(target_os = "linux")]
mod linux {
    use std::io::Write;
    use std::process::{Command, ExitCode};
    use std::{env, fs, io, os, process};

    use libtest_mimic::Failed;
    use warpsim_gpu::Gpu;

    /// The environment variable that makes this program open a GPU, and say what comes of it.
    const CHILD: &str = "WARPSIM_TEST_HALF_DRIVER";

    /// Whether this process is that program.
    pub(crate) fn is_asked() -> bool {
        env::var_os(CHILD).is_some()
    }

    /// Opens a GPU, and says what comes of it.
    pub(crate) fn be_a_child() -> ExitCode {
        let said = match Gpu::open(0) {
            Ok(_) => "it is opened".to_owned(),
            Err(error) => error.to_string(),
        };
        let said = io::stdout().write_all(said.as_bytes());
        if said.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
    }

    pub(super) fn test() -> Result<(), Failed> {
        let folder = env::temp_dir().join(format!("warpsim-half-driver-{}", process::id()));
        fs::create_dir_all(&folder)?;
        let output = some_library()
            .and_then(|library| os::unix::fs::symlink(library, folder.join("libcuda.so")))
            .and_then(|()| {
                let mut child = Command::new(env::current_exe()?);
                child.env(CHILD, "1").env("LD_LIBRARY_PATH", &folder).output()
            });
        fs::remove_dir_all(&folder)?;
        let output = output?;
        let said = String::from_utf8_lossy(&output.stdout);
        let aside = String::from_utf8_lossy(&output.stderr);
        let expected = "the NVIDIA driver (libcuda) has no function cuInit: is it too old?";
        match said == expected && aside.is_empty() {
            true => Ok(()),
            false => Err(format!("{said}\n{aside}").into()),
        }
    }

    /// A library that this process has loaded: the C library.
    fn some_library() -> io::Result<String> {
        let maps = fs::read_to_string("/proc/self/maps")?;
        let paths = maps.lines().filter_map(|line| line.find('/').map(|at| line.split_at(at).1));
        let found = paths.into_iter().find(|path| path.contains("/libc.so"));
        found.map(str::to_owned).ok_or_else(|| io::Error::other("the C library is not found"))
    }
}
