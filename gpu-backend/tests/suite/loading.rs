//! Which libraries are loaded. A driver that is there and lacks its functions is an error. Files in
//! the current directory are never loaded or run. Other libraries take their names, so this is for
//! systems on which that can be done.

use libtest_mimic::Trial;

#[cfg(target_os = "linux")]
pub(crate) use linux::{be_a_child, is_asked};

/// The tests of this system.
pub(crate) fn trials() -> Vec<Trial> {
    vec![
        #[cfg(target_os = "linux")]
        Trial::test(
            "a_driver_without_functions_is_an_error_and_nothing_else_is_said",
            linux::half_driver,
        ),
        #[cfg(target_os = "linux")]
        Trial::test("nothing_in_the_current_directory_is_loaded_or_run", linux::current_directory),
    ]
}

#[cfg(target_os = "linux")]
mod linux {
    use std::io::Write;
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::path::Path;
    use std::process::{Command, ExitCode, Output};
    use std::{env, fs, io};

    use libtest_mimic::Failed;
    use warpsim_gpu::{Gpu, probe};
    use warpsim_nvrtc::{Nvrtc, Search};

    /// The environment variable that makes this program look for something, and say what it found.
    const CHILD: &str = "WARPSIM_TEST_LOADING";

    /// Whether this process is that program.
    pub(crate) fn is_asked() -> bool {
        env::var_os(CHILD).is_some()
    }

    /// Looks, and says what it found.
    pub(crate) fn be_a_child() -> ExitCode {
        let task = env::var(CHILD).unwrap_or_default();
        let said = match task.as_str() {
            "open" => Gpu::open(0).map_or_else(|error| error.to_string(), |_| "opened".to_owned()),
            "look" => {
                let (gpus, compiler) = (probe::gpus().is_ok(), Search::of_process(None).found());
                let nvrtc = Nvrtc::find(&Search::of_process(None)).is_ok();
                format!("{gpus} {nvrtc} {compiler:?}")
            }
            given => format!("{:?}", Nvrtc::find(&Search::of_process(Some(Path::new(given))))),
        };
        let said = io::stdout().write_all(said.as_bytes());
        if said.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
    }

    fn child(task: &str) -> io::Result<Command> {
        let mut child = Command::new(env::current_exe()?);
        child.env(CHILD, task).env_remove("WARPSIM_NVRTC");
        Ok(child)
    }

    pub(super) fn half_driver() -> Result<(), Failed> {
        let folder = tempfile::tempdir()?;
        symlink(some_library()?, folder.path().join("libcuda.so"))?;
        let output = child("open")?.env("LD_LIBRARY_PATH", folder.path()).output()?;
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

    /// A library that leaves a file in the current directory when it is loaded.
    const TRACE: &str = "#include <stdio.h>
__attribute__((constructor)) static void leave(void) { FILE *f = fopen(\"loaded\", \"a\"); fclose(f); }
";

    /// Where such a library lies: in the current directory, and where variables that name it lead.
    const LIBRARIES: [&str; 10] = [
        "libcuda.so",
        "libcuda.so.1",
        "libnvrtc.so",
        "libnvrtc.so.12",
        "libnvrtc.so.13",
        "libnvrtc-builtins.so.13.0",
        "lib64/libnvrtc.so.13",
        "lib/libnvrtc.so.13",
        "lib/python3.11/site-packages/nvidia/cu13/lib/libnvrtc.so.13",
        ".local/lib/python3.11/site-packages/nvidia/cu13/lib/libnvrtc.so.13",
    ];

    fn traps(folder: &Path) -> Result<(), Failed> {
        let (source, library) = (folder.join("trace.c"), folder.join(LIBRARIES[0]));
        fs::write(&source, TRACE)?;
        let mut compiler = Command::new("cc");
        let compiler = compiler.args(["-shared", "-fPIC", "-o"]).args([&library, &source]);
        let status = compiler.status()?;
        if !status.success() {
            return Err("the C compiler, which Rust's linker is, made no library".into());
        }
        for name in &LIBRARIES[1..] {
            let path = folder.join(name);
            fs::create_dir_all(path.parent().ok_or("no folder")?)?;
            fs::copy(&library, path)?;
        }
        for name in ["python3", "bin/python3"] {
            let path = folder.join(name);
            fs::create_dir_all(path.parent().ok_or("no folder")?)?;
            fs::write(&path, "#!/bin/sh\n: > loaded\n")?;
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755))?;
        }
        for name in ["site.py", "sysconfig.py"] {
            fs::write(folder.join(name), "open('loaded', 'a').close()\n")?;
        }
        Ok(())
    }

    pub(super) fn current_directory() -> Result<(), Failed> {
        let folder = tempfile::tempdir()?;
        traps(folder.path())?;
        let trace = folder.path().join("loaded");
        let path = env::var("PATH").unwrap_or_default();
        for here in ["", "."] {
            let mut child = child("look")?;
            for variable in ["CUDA_PATH", "CUDA_HOME", "CONDA_PREFIX", "VIRTUAL_ENV", "HOME"] {
                child.env(variable, here);
            }
            child.env("LD_LIBRARY_PATH", format!("{here}:/nowhere:{here}"));
            child.env("PATH", format!("{here}:{path}"));
            let output = child.current_dir(folder.path()).output()?;
            let (said, _) = words(&output);
            if trace.exists() || said.contains(&*folder.path().to_string_lossy()) {
                return Err(format!("with `{here}` for the current directory: {said}").into());
            }
        }
        // A library with an explicit path is loaded, so a loaded library does leave the trace.
        let output = child("./libnvrtc.so.13")?.current_dir(folder.path()).output()?;
        match trace.exists() {
            true => Ok(()),
            false => {
                Err(format!("a library that was given is not loaded: {:?}", words(&output)).into())
            }
        }
    }

    fn words(output: &Output) -> (String, String) {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (text(&output.stdout), text(&output.stderr))
    }
}
