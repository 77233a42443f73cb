//! Command lines as Makefiles and CMake write them.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

use super::*;

fn of(line: &str) -> Result<Request, Mistake> {
    read(&words::split(line))
}

fn file(name: &str, kind: Kind) -> Input {
    Input::File(name.into(), kind)
}

#[test]
fn a_line_of_cmake_is_read() {
    let line = "-forward-unknown-to-host-compiler -ccbin=/usr/bin/g++ -DN=4 -I/a -isystem /b -O3 \
                -DNDEBUG -std=c++17 \"--generate-code=arch=compute_80,code=[compute_80,sm_80]\" \
                -Xcompiler=-fPIC -Wall -MD -MT x.cu.o -MF x.cu.o.d -x cu -rdc=true -c x.cu -o x.cu.o";
    let request = of(line).unwrap();
    assert_eq!(request.phase, Phase::Compile);
    assert_eq!(request.inputs, [file("x.cu", Kind::Cuda)]);
    assert_eq!(request.output, Some("x.cu.o".into()));
    assert_eq!(request.preprocessor, ["-D", "N=4", "-I", "/a", "-isystem", "/b", "-D", "NDEBUG"]);
    assert_eq!(request.host, ["-fPIC", "-Wall"]);
    assert_eq!(request.standard.as_deref(), Some("c++17"));
    assert_eq!(request.dependencies, Some(Dependencies::All));
    assert_eq!(request.dependency_targets, ["x.cu.o"]);
    assert!(request.flags.relocatable);
    assert_eq!(request.architecture().number, 80);
}

#[test]
fn a_line_of_a_makefile_is_read() {
    let line = "-g -G -m64 -arch sm_70 -Xptxas -v,-dlcm=ca --compiler-options '-Wall -fopenmp' \
                -L/c,/d main.cu util.o libx.a -lm,pthread -o prog --cudart shared -t 0";
    let request = of(line).unwrap();
    assert_eq!(request.phase, Phase::Link);
    let files = [
        Input::LibraryFolder("/c".into()),
        Input::LibraryFolder("/d".into()),
        file("main.cu", Kind::Cuda),
        file("util.o", Kind::Linkable),
        file("libx.a", Kind::Linkable),
        Input::Library("m".into()),
        Input::Library("pthread".into()),
    ];
    assert_eq!(request.inputs, files);
    assert_eq!(request.host, ["-Wall", "-fopenmp"]);
    assert_eq!(request.runtime, Runtime::Shared);
    assert!(request.flags.debug && request.flags.device_debug);
    assert_eq!(request.sources().count(), 1);
}

#[test]
fn the_language_holds_for_the_files_behind_it() {
    let request = of("a.cpp -x cu b.cpp c.o d").unwrap();
    let kinds = [
        file("a.cpp", Kind::Cpp),
        file("b.cpp", Kind::Cuda),
        file("c.o", Kind::Linkable),
        file("d", Kind::Cuda),
    ];
    assert_eq!(request.inputs, kinds);
}

#[test]
fn mistakes_say_what_and_what_else_there_is() {
    let said = |line: &str| of(line).unwrap_err().to_string();
    assert_eq!(said("-dlinkk a.o"), "unknown option '-dlinkk'; did you mean -dlink, -link?");
    assert!(said("-Wall a.cu").starts_with("unknown option '-Wall'"));
    assert_eq!(said("a.cu -o"), "option '-o' needs a value");
    assert!(said("-rdc=yes a.cu").contains("true, false"));
    assert!(said("-cudart dynamic").contains("static, shared, none"));
    assert!(said("notes.txt").contains("do not know how to handle 'notes.txt'"));
    assert!(said("@/no/such/file").contains("/no/such/file"));
    assert!(said("-optix-ir a.cu").contains("OptiX IR"));
}

#[test]
fn files_of_options_are_read_and_one_that_leads_to_itself_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (one, other) = (folder.path().join("one.rsp"), folder.path().join("other.rsp"));
    fs::write(&one, "-I\"/a b\"\n-lm").unwrap();
    let request = of(&format!("--options-file {} @{} x.cu", one.display(), one.display())).unwrap();
    assert_eq!(request.preprocessor, ["-I", "/a b", "-I", "/a b"]);
    fs::write(&other, format!("@{}", other.display())).unwrap();
    assert!(matches!(of(&format!("@{}", other.display())), Err(Mistake::NestedTooDeep { .. })));
}
