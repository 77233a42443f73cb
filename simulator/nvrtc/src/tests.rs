//! Logs as NVRTC 12.9 and 13.0 write them, and trees of folders made up for the purpose. The
//! compiler itself is in `tests/suite/compiler.rs`.

use std::fs;
use std::path::{Path, PathBuf};

use crate::messages::{parse, refused_option};
use crate::{Found, Message, MessageKind, Nvrtc, NvrtcError, OptionError, Place, Search, Severity};

const LOG: &str = "err.cu(3): error: identifier \"undefined_thing\" is undefined
      a[0] = undefined_thing;
             ^

err.cu(2): warning #177-D: variable \"unused\" was declared but never referenced
      int unused = 3;
          ^

Remark: The warnings can be suppressed with \"-diag-suppress <warning-number>\"

dir (old)/x.h(1): warning #549-D: variable \"y\" is used before its value is set
  template<class T> __device__ T twice(T x) { int y; return x + y; }
                                                                ^
          detected during instantiation of \"T twice(T) [with T=int]\" at line 4 of warn.cu

1 error detected in the compilation of \"err.cu\".
";

fn message(severity: Severity, file: &str, line: u32, column: u32, text: &str) -> Message {
    let (number, notes) = (None, Vec::new());
    let (file, line, column) = (Some(file.to_owned()), Some(line), Some(column));
    let (kind, text) = (MessageKind::Other, text.to_owned());
    Message { severity, kind, file, line, column, number, text, notes }
}

fn undefined(name: &str) -> MessageKind {
    MessageKind::UndefinedIdentifier { name: name.to_owned() }
}

#[test]
fn a_log_becomes_messages_with_their_places_and_nothing_else() {
    let thing = "identifier \"undefined_thing\" is undefined";
    let unused = "variable \"unused\" was declared but never referenced";
    let unset = "variable \"y\" is used before its value is set";
    let during =
        "detected during instantiation of \"T twice(T) [with T=int]\" at line 4 of warn.cu";
    let expected = [
        Message {
            kind: undefined("undefined_thing"),
            ..message(Severity::Error, "err.cu", 3, 12, thing)
        },
        Message {
            number: Some("177-D".to_owned()),
            ..message(Severity::Warning, "err.cu", 2, 9, unused)
        },
        Message {
            number: Some("549-D".to_owned()),
            notes: vec![during.to_owned()],
            ..message(Severity::Warning, "dir (old)/x.h", 1, 63, unset)
        },
    ];
    assert_eq!(parse(LOG), expected);
}

#[test]
fn a_header_that_is_not_there_is_an_error_at_the_end_of_its_line() {
    let log = "main.cu(1): catastrophic error: cannot open source file \"my.h\"
  #include \"my.h\"
                 ^

1 catastrophic error detected in the compilation of \"main.cu\".
Compilation terminated.
";
    let text = "cannot open source file \"my.h\"";
    let kind = MessageKind::MissingHeader { name: "my.h".to_owned() };
    let expected = Message { kind, ..message(Severity::Error, "main.cu", 1, 16, text) };
    assert_eq!(parse(log), [expected]);
}

#[test]
fn what_a_message_is_about_is_told_from_its_words_and_nothing_that_is_not_known_is_guessed() {
    let header = |name: &str| MessageKind::MissingHeader { name: name.to_owned() };
    for (text, kind) in [
        ("catastrophic error: cannot open source file \"a b.h\"", header("a b.h")),
        // Without any folder to look in.
        (
            "catastrophic error: could not open source file \"x.h\" (no directories in search list)",
            header("x.h"),
        ),
        ("error: identifier \"std::f\" is undefined", undefined("std::f")),
        (
            "error: __cluster_dims__ is not supported for this GPU architecture",
            MessageKind::NotForArchitecture,
        ),
        ("error: expected a \";\"", MessageKind::Other),
        ("error: identifier \"x\" is odd", MessageKind::Other),
        ("error: namespace \"std\" has no member \"vector\"", MessageKind::Other),
    ] {
        let messages = parse(&format!("x.cu(1): {text}\n"));
        assert_eq!(messages.iter().map(|m| &m.kind).collect::<Vec<_>>(), [&kind], "{text}");
    }
}

/// As NVRTC 12.4, 12.9 and 13.0 write them.
#[test]
fn a_refused_option_has_its_name_and_errors_of_a_source_are_none() {
    let value = |option: &str| OptionError::Value { option: option.to_owned() };
    let definition = "X Y=3".to_owned();
    let option = "-Ofc=max".to_owned();
    for (log, kind) in [
        ("nvrtc: error: unrecognized option -Ofc=max found\n", OptionError::Unknown { option }),
        (
            "nvrtc: error: invalid value for --gpu-architecture (-arch)\n",
            value("--gpu-architecture"),
        ),
        (
            "nvrtc: error: invalid argument for option --Ofast-compile (-Ofc): xxx\n",
            value("--Ofast-compile"),
        ),
        (
            "Command-line error: invalid or no value specified with --nv_arch flag\n\n1 catastrophic \
             error detected in this compilation.\nCompilation terminated.\n",
            value("--nv_arch"),
        ),
        (
            "Command-line error: invalid macro definition: X Y=3\n\nCompilation terminated.\n",
            OptionError::Macro { definition },
        ),
        ("nvrtc: error: something new\n", OptionError::Other),
    ] {
        assert_eq!(refused_option(log).map(|(kind, _)| kind), Some(kind), "{log}");
    }
    assert_eq!(refused_option(LOG), None);
    assert_eq!(refused_option(""), None);
}

#[test]
fn a_column_counts_characters_where_the_compiler_counts_bytes() {
    let log = "x.cu(1): error: identifier \"oops\" is undefined
  __global__ void k(int *p) { /* größe → x */ p[0] = oops; }
                                                         ^

1 error detected in the compilation of \"x.cu\".
";
    let text = "identifier \"oops\" is undefined";
    let expected =
        Message { kind: undefined("oops"), ..message(Severity::Error, "x.cu", 1, 52, text) };
    assert_eq!(parse(log), [expected]);
}

#[test]
fn a_message_without_a_place_is_kept_and_nonsense_is_none() {
    let [only] = parse("error: something else\n").try_into().expect("one message");
    assert_eq!(
        (only.severity, only.file, only.text.as_str()),
        (Severity::Error, None, "something else")
    );
    for log in [
        "",
        "\n\n",
        "^",
        "x(",
        "x(1): ",
        "x(a): error: y",
        "x(99999999999): error: y",
        "): error: ",
    ] {
        assert_eq!(parse(log), [], "{log:?}");
    }
}

/// A folder that is removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str, files: &[&str]) -> Folder {
        let root = std::env::temp_dir().join(format!("warpsim-find-{}-{name}", std::process::id()));
        for file in files.iter().map(|file| root.join(file)) {
            fs::create_dir_all(file.parent().expect("a folder")).expect("made");
            fs::write(file, "").expect("written");
        }
        Folder(fs::canonicalize(root).expect("there"))
    }

    fn found(&self, search: &Search) -> Vec<(Place, String)> {
        let relative =
            |path: &Path| path.strip_prefix(&self.0).unwrap_or(path).display().to_string();
        let found = search.found().unwrap_or_default();
        found.iter().map(|f| (f.place, relative(&f.library))).collect()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

const CU13: &str = "venv/lib/python3.11/site-packages/nvidia/cu13/lib/libnvrtc.so.13";
const CU12: &str = "venv/lib/python3.11/site-packages/nvidia/cuda_nvrtc/lib/libnvrtc.so.12";
const TOOLKIT: &str = "cuda/targets/x86_64-linux/lib/libnvrtc.so.12";
const PATH: &str = "path/libnvrtc.so.9";
const LOADER: &str = "loader/libnvrtc.so.12";

fn everything() -> Vec<&'static str> {
    let beside = [
        "path/libnvrtc.so.x",
        "path/libnvrtc_static.a",
        "venv/lib/python3.11/site-packages/nvidia/cu13/lib/libnvrtc.alt.so.13",
        "venv/lib/python3.11/site-packages/nvidia/cu13/lib/libnvrtc-builtins.so.13.0",
        "venv/lib/python3.11/site-packages/nvidia/cu13/include/nvrtc.h",
        "venv/lib/python3.11/site-packages/nvidia/cuda_runtime/include/cuda_runtime.h",
    ];
    [CU13, CU12, TOOLKIT, PATH, LOADER].into_iter().chain(beside).collect()
}

#[test]
fn libraries_are_found_in_the_order_of_their_places() {
    let folder = Folder::new("order", &everything());
    let search = Search {
        given: None,
        library_path: vec![folder.0.join("path"), folder.0.join("nowhere")],
        packages: vec![folder.0.join("venv/lib/python3.11/site-packages")],
        ask_python: false,
        toolkits: vec![folder.0.join("cuda")],
        system: vec![folder.0.join("loader"), folder.0.join("path")],
    };
    let expected = [
        (Place::LibraryPath, PATH),
        // The folder of CUDA 12's wheel comes after the folder of CUDA 13's wheel, by its number.
        (Place::Wheel, CU13),
        (Place::Wheel, CU12),
        (Place::Toolkit, TOOLKIT),
        (Place::System, LOADER),
    ];
    let expected = expected.map(|(place, path)| (place, path.to_owned()));
    assert_eq!(folder.found(&search), expected);
}

#[test]
fn a_path_that_is_given_is_a_file_a_folder_an_environment_or_a_toolkit_and_the_only_place() {
    let folder = Folder::new("given", &everything());
    for (given, library) in [
        (CU13, CU13),
        ("path", PATH),
        ("venv", CU13),
        ("venv/lib/python3.11/site-packages", CU13),
        ("cuda", TOOLKIT),
    ] {
        let given = Some(folder.0.join(given));
        let search =
            Search { given, library_path: vec![folder.0.join("path")], ..Search::default() };
        let found = folder.found(&search);
        assert_eq!(found.first(), Some(&(Place::Given, library.to_owned())));
    }
    let given = Some(folder.0.join("nowhere"));
    let search = Search {
        given: given.clone(),
        library_path: vec![folder.0.join("path")],
        ..Search::default()
    };
    assert_eq!(search.found(), Err(NvrtcError::NotFound { given }));
    assert_eq!(Search::default().found(), Err(NvrtcError::NotFound { given: None }));
}

#[test]
fn what_lies_beside_a_library_is_found_with_it() {
    let folder = Folder::new("beside", &everything());
    let found = |library: &str| Found { library: folder.0.join(library), place: Place::Wheel };
    let builtins = folder.0.join(CU13).with_file_name("libnvrtc-builtins.so.13.0");
    assert_eq!(found(CU13).builtins(), [builtins]);
    // The wheel of CUDA 13's compiler has an `include`, but not CUDA's headers.
    assert_eq!(found(CU13).headers(), [] as [PathBuf; 0]);
    let runtime = "venv/lib/python3.11/site-packages/nvidia/cuda_runtime/include";
    assert_eq!(found(CU12).headers(), [folder.0.join(runtime)]);
}

#[test]
fn a_file_that_is_no_library_cannot_be_opened_and_says_so() {
    let folder = Folder::new("empty", &["libnvrtc.so.13"]);
    let search = Search { given: Some(folder.0.clone()), ..Search::default() };
    let error = Nvrtc::find(&search).expect_err("it is empty");
    assert!(matches!(error, NvrtcError::CannotOpen { .. }), "{error}");
    assert!(error.to_string().contains("libnvrtc.so.13 cannot be opened: "), "{error}");
}
