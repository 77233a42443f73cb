//! Merged shards of `explore` say what one run says, byte for byte. Files that are not all shards
//! of one campaign, each once, as they were written, are refused.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

use std::fs;
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use warpsim_campaign::{Shard, ShardFile};
use warpsim_cli::{Captured, capture};

/// A folder of a test's own, empty.
fn folder(name: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("shards-{name}"));
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).unwrap();
    path
}

fn swap() -> String {
    concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cmd/input/swap.ptx").to_owned()
}

fn words(text: &str) -> Vec<String> {
    text.split(' ').map(str::to_owned).collect()
}

/// Explores a kernel of `swap.ptx` with these options.
fn explore(kernel: &str, options: &[String]) -> Vec<String> {
    let launch = words(&format!("explore {} --kernel {kernel} --block 64 --arg s32[64]", swap()));
    [launch, options.to_vec()].concat()
}

fn path(folder: &Path, shard: Shard) -> PathBuf {
    folder.join(format!("{}-of-{}.json", shard.number(), shard.of()))
}

/// Runs all shards of a command line; their files, in order.
fn shards(line: &[String], of: u64, folder: &Path) -> Vec<PathBuf> {
    let run = |shard: Shard| {
        let file = path(folder, shard);
        let part = words(&format!("--shard {shard} --shard-out {}", file.display()));
        let ran = capture([line.to_vec(), part].concat());
        assert_eq!((ran.exit, ran.stdout.as_str()), (0, ""), "{}", ran.stderr);
        assert!(ran.stderr.contains(&format!("note: shard {shard}, ")), "{}", ran.stderr);
        file
    };
    Shard::all(of).map(run).collect()
}

fn merge(files: &[PathBuf]) -> Captured {
    let files = files.iter().map(|file| file.display().to_string());
    capture(std::iter::once("merge".to_owned()).chain(files))
}

/// The same without how long it took.
fn untimed(ran: Captured) -> Captured {
    let Some((before, rest)) = ran.stdout.split_once("\"seconds\":") else { return ran };
    let rest = rest.trim_start_matches(|c: char| c.is_ascii_digit() || ".e-".contains(c));
    Captured { stdout: format!("{before}{rest}"), ..ran }
}

/// What a merge that is refused says.
fn refused(files: &[PathBuf]) -> String {
    let ran = merge(files);
    assert_eq!((ran.exit, ran.stdout.as_str()), (2, ""), "{}", ran.stderr);
    ran.stderr
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(warpsim_effort::cases(12, 200)) })]

    #[test]
    fn merged_shards_say_what_one_run_says(
        is_racy: bool,
        schedules in 1..60_u64,
        seed in 0..100_u64,
        strategy in prop::sample::select(vec!["all", "random", "pct"]),
        format in prop::sample::select(vec!["text", "json", "text --values all --explain"]),
        order in (1..8_usize).prop_flat_map(|of| Just((0..of).collect::<Vec<_>>()).prop_shuffle()),
    ) {
        let kernel = if is_racy { "swap_volatile" } else { "swap_barrier" };
        let options = format!(
            "--schedules {schedules} --seed {seed} --strategy {strategy} --format {format}"
        );
        let line = explore(kernel, &words(&options));
        let whole = untimed(capture(line.clone()));
        prop_assert_eq!(whole.exit, u8::from(is_racy), "{}", whole.stderr);
        let files = shards(&line, order.len() as u64, &folder("property"));
        let shuffled: Vec<PathBuf> = order.iter().map(|at| files[*at].clone()).collect();
        prop_assert_eq!(untimed(merge(&shuffled)), whole);
    }
}

#[test]
fn several_launches_are_merged_one_by_one() {
    let line = explore("swap_volatile", &words("--launches 3 --schedules 20"));
    let files = shards(&line, 3, &folder("launches"));
    assert_eq!(merge(&files), capture(line));
}

#[test]
fn missing_and_repeated_shards_are_named() {
    let folder = folder("missing");
    let files = shards(&explore("swap_barrier", &words("--schedules 10")), 5, &folder);
    let some = [files[1].clone(), files[4].clone()];
    assert_eq!(refused(&some), "error: there is no file of shards 1, 3 to 4 of 5\n");
    let copy = folder.join("copy.json");
    fs::copy(&files[2], &copy).unwrap();
    let both = format!("{}, {}", files[2].display(), copy.display());
    let twice = format!("error: there is more than one file of shard 3/5 ({both})\n");
    assert_eq!(refused(&[files.clone(), vec![copy]].concat()), twice);
}

#[test]
fn shards_of_different_campaigns_are_refused_with_the_difference() {
    let of = |name: &str, kernel: &str, options: &str, of: u64| {
        shards(&explore(kernel, &words(options)), of, &folder(name))
    };
    let files = of("one", "swap_barrier", "--schedules 10", 2);
    let with = |other: PathBuf| refused(&[files[0].clone(), other]);
    let seed = with(of("seed", "swap_barrier", "--schedules 10 --seed 1", 2).remove(1));
    assert!(
        seed.contains(" belongs to another campaign than ") && seed.contains("--seed"),
        "{seed}"
    );
    let more = with(of("more", "swap_barrier", "--schedules 11", 2).remove(1));
    assert!(more.contains("the number of cases is 11, not 10"), "{more}");
    let kernel = with(of("kernel", "swap_volatile", "--schedules 10", 2).remove(1));
    assert!(kernel.contains("swap_volatile"), "{kernel}");
    let finer = with(of("finer", "swap_barrier", "--schedules 10", 3).remove(1));
    assert!(finer.contains("the number of shards is 3, not 2"), "{finer}");
}

#[test]
fn a_file_that_is_cut_off_changed_or_something_else_is_told_as_such() {
    let folder = folder("damaged");
    let files = shards(&explore("swap_barrier", &words("--schedules 10")), 2, &folder);
    let text = fs::read_to_string(&files[1]).unwrap();
    let told = |text: &str| {
        fs::write(&files[1], text).unwrap();
        refused(&files)
    };
    for length in [0, 1, text.len() / 2, text.len() - 2] {
        assert!(told(&text[..length]).contains("it is cut off"), "{length}");
    }
    assert!(told(&text.replace("\"cut\":0", "\"cut\":1")).contains(" is damaged: "));
    assert!(told("{}").contains("it does not say its `schema`"));
    let none = refused(&[folder.join("none.json")]);
    assert!(none.starts_with("error: cannot read "), "{none}");
}

/// Writes a shard again whose result was changed, with a digest that fits: a shard that is wrong,
/// and not a file that is damaged.
fn rewritten(file: &Path, change: impl FnOnce(&mut serde_json::Value)) {
    let mut shard = ShardFile::read(file).unwrap();
    change(&mut shard.result);
    shard.write(file).unwrap();
}

#[test]
fn a_shard_that_is_off_by_one_is_told() {
    let line = explore("swap_barrier", &words("--schedules 10"));
    let files = shards(&line, 2, &folder("off-by-one"));
    let whole = fs::read(&files[1]).unwrap();
    rewritten(&files[1], |parts| parts[0]["numbers"]["start"] = 6.into());
    let told = refused(&files);
    assert!(told.contains("begins or ends at schedule number 6 instead of 5"), "{told}");
    fs::write(&files[1], whole).unwrap();
    rewritten(&files[1], |parts| parts[0]["told"][0]["count"] = 4.into());
    let told = refused(&files);
    assert!(told.contains("its runs are not as many as its schedules"), "{told}");
}

#[test]
fn a_program_or_an_argument_that_has_changed_since_is_told() {
    let folder = folder("changed");
    let text = fs::read_to_string(swap()).unwrap();
    let (program, input) = (folder.join("swap.ptx"), folder.join("input.bin"));
    fs::write(&program, &text).unwrap();
    fs::write(&input, [0; 256]).unwrap();
    let (file, data) = (program.display(), input.display());
    let line = format!(
        "explore {file} --kernel swap_barrier --block 64 --arg s32[64]=file:{data} --schedules 9"
    );
    let files = shards(&words(&line), 2, &folder);
    assert_eq!(merge(&files).exit, 0);
    fs::write(&input, [1; 256]).unwrap();
    let told = refused(&files);
    assert!(
        told.contains("belongs to another launch: the memory before it is different"),
        "{told}"
    );
    fs::write(&program, text.replace("bar.sync 0", "bar.sync 1")).unwrap();
    let told = refused(&files);
    assert!(
        told.contains("another campaign than its command line describes now: modules is"),
        "{told}"
    );
}

#[test]
fn what_cannot_be_cut_is_refused() {
    let of = |options: &str| {
        let ran = capture(explore("swap_barrier", &words(options)));
        assert_eq!((ran.exit, ran.stdout.as_str()), (2, ""), "{}", ran.stderr);
        ran.stderr
    };
    let shard = "--shard 1/2 --shard-out none.json";
    let tree = of(&format!("--strategy exhaustive {shard}"));
    assert!(tree.contains("an exhaustive search cannot be cut into shards"), "{tree}");
    assert!(of(&format!("--dump 0=x.npy {shard}")).contains("--shard writes no buffers"));
    assert!(of("--shard 1/2").contains("--shard-out"));
    assert!(of("--shard-out none.json").contains("--shard"));
    for wrong in ["0/2", "3/2", "1", "1/0", "a/b"] {
        let told = of(&format!("--shard {wrong} --shard-out none.json"));
        assert!(told.contains("is not a shard: use K/N with K from 1 to N"), "{told}");
    }
    let all = ["explore", "-", "--shard", "1/2", "--shard-out", "none.json"];
    let told = capture(all).stderr;
    assert!(told.contains("--shard cannot read standard input"), "{told}");
}

/// The files of two shards whose command line is another one, as somebody would forge them: with
/// digests that fit.
fn forged(name: &str, change: impl Fn(&mut Vec<serde_json::Value>)) -> Vec<PathBuf> {
    let folder = folder(name);
    let files = shards(&explore("swap", &words("--schedules 12")), 2, &folder);
    for file in &files {
        let mut shard = ShardFile::read(file).unwrap();
        let command = shard.campaign.facts.get_mut("command").unwrap();
        change(command.as_array_mut().unwrap());
        shard.write(file).unwrap();
    }
    files
}

/// A file of a shard may be somebody else's: its command line writes nothing, and loads nothing.
#[test]
fn the_command_line_of_a_shard_harms_nobody_who_merges_it() {
    let victim = folder("victim").join("victim.txt");
    fs::write(&victim, "precious").unwrap();
    let target = victim.display().to_string();
    let with = |words: &[&str]| {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        move |command: &mut Vec<serde_json::Value>| {
            command.extend(words.iter().cloned().map(serde_json::Value::from));
        }
    };
    let dump = format!("0={target}");
    let said = refused(&forged("dump", with(&["--dump", &dump])));
    assert!(said.contains("--shard writes no buffers"), "{said}");
    let said = refused(&forged("out", with(&["--shard", "1/1", "--shard-out", &target])));
    assert!(said.contains("has --shard, which a shard's command line cannot have"), "{said}");
    let library = forged("library", with(&["--nvrtc", &target]));
    let said = refused(&library);
    assert!(said.contains("names a library to load (--nvrtc)"), "{said}");
    assert!(said.contains("warpsim merge --nvrtc PATH"), "{said}");
    let headers = forged("headers", with(&["-I", "/somebody/else"]));
    let said = refused(&headers);
    assert!(said.contains("warpsim merge -I /somebody/else"), "{said}");
    // Who says it himself is believed; PTX needs no compiler.
    let own = ["merge", "-I", "/somebody/else"].map(str::to_owned).into_iter();
    let own = own.chain(headers.iter().map(|file| file.display().to_string()));
    let ran = capture(own);
    assert!(!ran.stderr.contains("were made with"), "{}", ran.stderr);
    assert_eq!(fs::read_to_string(&victim).unwrap(), "precious");
}

#[cfg(unix)]
#[test]
fn a_shard_goes_to_a_device_or_through_a_link_and_replaces_neither() {
    use std::os::unix::fs::symlink;

    let folder = folder("special");
    let (target, link) = (folder.join("target"), folder.join("link"));
    fs::write(&target, "old").unwrap();
    symlink(&target, &link).unwrap();
    for file in [Path::new("/dev/null"), &link] {
        let part = words(&format!("--schedules 4 --shard 1/1 --shard-out {}", file.display()));
        let ran = capture(explore("swap", &part));
        assert_eq!(ran.exit, 0, "{}", ran.stderr);
    }
    assert!(!fs::symlink_metadata("/dev/null").unwrap().is_file());
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert!(ShardFile::read(&target).is_ok());
}

#[cfg(unix)]
#[test]
fn a_device_is_no_file_of_a_shard() {
    let said = refused(&[PathBuf::from("/dev/zero")]);
    assert!(said.contains("this is a device, not a file"), "{said}");
}
