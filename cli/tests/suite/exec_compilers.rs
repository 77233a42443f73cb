//! The clang that `warpsim exec FILE.cu` takes: the newest that passes its trial. Also what our
//! headers protect from every optimiser.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]
#![allow(clippy::print_stdout, reason = "a test that is skipped says so")]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;

/// `warpsim ARGUMENTS`.
fn warpsim(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_warpsim"));
    command.args(arguments);
    command
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn program(name: &str) -> String {
    format!("{}/tests/exec/{name}.cu", env!("CARGO_MANIFEST_DIR"))
}

/// What `warpsim devices` says, in such an environment.
fn devices(environment: impl Fn(&mut Command)) -> Value {
    let mut command = warpsim(&["devices", "--format", "json"]);
    environment(&mut command);
    serde_json::from_slice(&command.output().unwrap().stdout).unwrap()
}

/// The clangs of this machine that compile at all, with whether they pass.
fn clangs() -> Vec<(String, bool)> {
    let all = devices(|_| ())["clangs"].as_array().unwrap().clone();
    let usable = all.iter().filter(|clang| clang["verdict"] != "unusable");
    usable.map(|c| (c["path"].as_str().unwrap().to_owned(), c["verdict"] == "passes")).collect()
}

/// One that passes; `None`, and a message, where there is none.
fn passing() -> Option<String> {
    let passing = clangs().into_iter().find(|(_, passes)| *passes).map(|(path, _)| path);
    if passing.is_none() {
        println!("skipped: no clang that passes its trial");
    }
    passing
}

/// A folder with a compiler of these lines, under a name of clang's.
fn compiler(name: &str, lines: &str) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    fs::write(&path, format!("#!/bin/sh\n{lines}\n")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    (folder, path)
}

/// A clang that says that it is of version 99, counts in a file how often it compiles, and changes
/// the PTX that the true one writes.
fn faulty(clang: &str, count: &Path, edit: &str) -> (TempDir, PathBuf) {
    let lines = format!(
        r#"[ "$1" = --version ] && {{ echo "planted clang version 99.1.0"; exit; }}
echo compiles >> '{count}'
'{clang}' "$@" || exit
while [ $# -gt 1 ]; do
    case "$1 $2" in "-o "*.ptx) sed -i '{edit}' "$2";; esac
    shift
done"#,
        count = count.display()
    );
    compiler("clang++-99", &lines)
}

/// Runs `exec` on a program with one compiler and its own cache folder.
fn exec(clang: &Path, cache: &Path, arguments: &[&str]) -> Output {
    let mut command = warpsim(&["exec"]);
    command.args(arguments).env("WARPSIM_CLANG", clang).env("XDG_CACHE_HOME", cache);
    command.output().unwrap()
}

#[test]
fn barriers_order_accesses_for_every_clang_that_is_here_also_for_those_that_fail_elsewhere() {
    let clangs = clangs();
    if clangs.is_empty() {
        println!("skipped: no clang");
    }
    for (path, _) in clangs {
        let file = program("barriers");
        let mut command = warpsim(&["exec", "--check", "--allow-compiler", &file]);
        let run = command.env("WARPSIM_CLANG", &path).output().unwrap();
        let (out, err) = (text(&run.stdout), text(&run.stderr));
        assert_eq!(out.lines().count(), 10, "{path}: {out}{err}");
        assert!(out.lines().all(|line| line.ends_with(": 0 wrong")), "{path}: {out}{err}");
        assert!(err.ends_with("warpsim exec: no findings in 10 launches\n"), "{path}: {err}");
        assert_eq!(run.status.code(), Some(0), "{path}");
    }
}

/// Barriers are functions of our headers, which have no lines.
#[test]
fn what_is_found_at_a_barrier_is_told_at_the_line_of_the_program() {
    let Some(clang) = passing() else { return };
    let file = program("divergent_barrier");
    let source = fs::read_to_string(&file).unwrap();
    let line = |mark: &str| source.lines().position(|line| line.contains(mark)).unwrap() + 1;
    let run = |options: &[&str]| {
        let mut command = warpsim(&["exec", "--check"]);
        let run = command.args(options).arg(&file).env("WARPSIM_CLANG", &clang).output().unwrap();
        text(&run.stderr)
    };
    assert_eq!(run(&[]), "warpsim exec: no findings in 2 launches\n");
    let found = run(&["-D", "WRONG"]);
    assert!(found.contains("barrier-divergence]"), "{found}");
    assert!(found.contains("[race]"), "{found}");
    for mark in ["// DIVERGES", "// READS"] {
        let place = format!("divergent_barrier.cu:{}", line(mark));
        assert!(found.contains(&place), "{place}: {found}");
    }
    assert!(!found.contains("threads.h"), "{found}");
}

#[test]
fn a_compiler_that_writes_wrong_code_is_refused_by_what_it_does_wrong_unless_it_is_allowed() {
    let Some(clang) = passing() else { return };
    let (cache, counts) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let count = counts.path().join("count");
    let (_folder, path) = faulty(&clang, &count, "s/shr\\.s64/shr.u64/");
    let compiled = || fs::read_to_string(&count).unwrap_or_default().lines().count();
    let file = program("barriers");
    let run = exec(&path, cache.path(), &["--check", &file]);
    let err = text(&run.stderr);
    assert_eq!((run.status.code(), text(&run.stdout).as_str()), (Some(4), ""), "{err}");
    assert!(err.contains("no clang that compiles CUDA C++ correctly"), "{err}");
    assert!(err.contains("as in `x < 0 ? 7 : 0` of a `long long` (`signs` at -O2: out["), "{err}");
    assert!(err.contains("apt install clang-19") && err.contains("--allow-compiler"), "{err}");
    assert!(err.contains("(clang 99.1.0): fails its trial"), "{err}");
    assert_eq!(compiled(), 2, "it compiles the trial at both levels, and nothing else");
    // Its verdict is kept.
    let again = exec(&path, cache.path(), &["--check", &file]);
    assert_eq!(text(&again.stderr), err);
    assert_eq!(compiled(), 2);
    // For a command that compiles device code alone, too, where it is clang that does.
    if devices(|_| ())["compilers"]["found"].as_array().unwrap().is_empty() {
        let mut check = warpsim(&["check", &file, "--kernel", "scalar"]);
        check.env("WARPSIM_CLANG", &path).env("XDG_CACHE_HOME", cache.path());
        let refused = check.output().unwrap();
        assert_eq!(refused.status.code(), Some(4), "{}", text(&refused.stderr));
        assert!(text(&refused.stderr).contains("(clang 99.1.0): fails its trial"));
    }
    // It is used where that is asked for, and the output says so.
    let allowed = exec(&path, cache.path(), &["--allow-compiler", &file]);
    let err = text(&allowed.stderr);
    assert!(err.starts_with("warning: --allow-compiler uses "), "{err}");
    assert!(err.contains("(clang 99.1.0): fails its trial"), "{err}");
    assert_eq!(text(&allowed.stdout).lines().count(), 10);
    assert_eq!(compiled(), 5, "device, host and link of the program");
}

/// Twins: one compiler is the other with a fault.
#[test]
fn the_newest_compiler_that_passes_is_taken_and_devices_says_why_not_a_newer_one() {
    let Some(clang) = passing() else { return };
    let (cache, counts) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let count = counts.path().join("count");
    let (wrong, _) = faulty(&clang, &count, "s/bar\\.sync 0;//");
    let right = faulty(&clang, &count, "s/clang version 99/clang version 99/").0;
    let older = right.path().join("clang++-98");
    let text_of = fs::read_to_string(right.path().join("clang++-99")).unwrap();
    fs::remove_file(right.path().join("clang++-99")).unwrap();
    fs::write(&older, text_of.replace("99.1.0", "98.0.1")).unwrap();
    fs::set_permissions(&older, fs::Permissions::from_mode(0o755)).unwrap();
    let (_none, broken) = compiler("clang++-97", "echo clang version 97.0.0; exit 1");
    let folders = [
        wrong.path(),
        right.path(),
        broken.parent().unwrap(),
        Path::new("/usr/bin"),
        Path::new("/bin"),
    ];
    let path = std::env::join_paths(folders).unwrap();
    let said = devices(|command| {
        command.env("PATH", &path).env("XDG_CACHE_HOME", cache.path()).env_remove("WARPSIM_CLANG");
    });
    let all = said["clangs"].as_array().unwrap();
    let of = |index: usize, field: &str| all[index][field].as_str().unwrap_or_default().to_owned();
    assert_eq!((of(0, "version").as_str(), of(0, "verdict").as_str()), ("99.1.0", "fails"));
    assert!(of(0, "path").ends_with("/clang++-99"));
    let wrongs: Vec<&str> = all[0]["mistakes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|m| m["wrong"].as_str().unwrap())
        .collect();
    assert!(
        wrongs.iter().any(|wrong| wrong.contains("moves loads across __syncthreads()")),
        "{said}"
    );
    assert_eq!((of(1, "version").as_str(), of(1, "verdict").as_str()), ("98.0.1", "passes"));
    assert_eq!((of(2, "version").as_str(), of(2, "verdict").as_str()), ("97.0.0", "unusable"));
    assert!(of(2, "note").contains("does not build"), "{said}");
    let chosen: Vec<bool> = all.iter().map(|clang| clang["chosen"].as_bool().unwrap()).collect();
    assert!(chosen[1] && chosen.iter().filter(|chosen| **chosen).count() == 1, "{said}");
    assert_eq!(said["clang"]["path"], older.to_str().unwrap());
    // And `exec` does the same.
    let mut command = warpsim(&["exec", &program("barriers")]);
    command.env("PATH", &path).env("XDG_CACHE_HOME", cache.path()).env_remove("WARPSIM_CLANG");
    let before = fs::read_to_string(&count).unwrap().lines().count();
    let run = command.output().unwrap();
    assert_eq!(run.status.code(), Some(0), "{}{}", text(&run.stdout), text(&run.stderr));
    let compiled = fs::read_to_string(&count).unwrap().lines().count() - before;
    assert_eq!(compiled, 3, "device, host and link, by one that counts");
}

#[test]
fn a_verdict_that_is_broken_is_not_believed_and_one_that_cannot_be_kept_is_no_error() {
    let Some(clang) = passing() else { return };
    let (cache, counts) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let count = counts.path().join("count");
    let (_folder, path) = faulty(&clang, &count, "s/shr\\.s64/shr.u64/");
    let fails = |cache: &Path| {
        let said = devices(|command| {
            command
                .env("WARPSIM_CLANG", &path)
                .env("XDG_CACHE_HOME", cache)
                .env("TMPDIR", counts.path());
        });
        assert_eq!(said["clangs"][0]["verdict"], "fails", "{said}");
        assert_eq!(said["clang"], Value::Null);
    };
    fails(cache.path());
    let kept = fs::read_dir(cache.path().join("warpsim/compilers")).unwrap().next().unwrap();
    let kept = kept.unwrap().path();
    let whole = fs::read_to_string(&kept).unwrap();
    // As one who wants the verdict of another compiler would write it: without a mistake.
    let name = kept.file_name().unwrap().to_str().unwrap();
    for broken in [String::new(), format!("\n{name}\n[]"), whole[..whole.len() - 1].to_owned()] {
        fs::write(&kept, &broken).unwrap();
        fails(cache.path());
        assert_eq!(fs::read_to_string(&kept).unwrap(), whole, "it is written anew");
    }
    // A file is where the folder is to be: it is kept beside temporary files instead, for this user
    // alone.
    let file = counts.path().join("file");
    fs::write(&file, "").unwrap();
    fails(&file);
    let own = fs::read_dir(counts.path()).unwrap().flatten();
    let own = own.map(|entry| entry.path()).find(|path| path.join("compilers").is_dir()).unwrap();
    assert_eq!(fs::metadata(&own).unwrap().permissions().mode() & 0o777, 0o700);
    // A folder that others may write to is not believed, and not written to.
    let count_of = || fs::read_to_string(&count).unwrap().lines().count();
    fs::set_permissions(&own, fs::Permissions::from_mode(0o777)).unwrap();
    let before = count_of();
    fails(&file);
    assert_eq!(count_of(), before + 2);
}

#[test]
fn none_stands_for_no_clang() {
    let said = devices(|command| {
        command.env("WARPSIM_CLANG", "none");
    });
    assert_eq!(
        (said["clang"].clone(), said["clangs"].clone()),
        (Value::Null, Value::Array(vec![]))
    );
    let file = program("barriers");
    let run = warpsim(&["exec", &file]).env("WARPSIM_CLANG", "none").output().unwrap();
    assert_eq!(run.status.code(), Some(4));
    assert!(text(&run.stderr).contains("no clang to compile the file"), "{}", text(&run.stderr));
}
