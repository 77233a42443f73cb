//! Rust programs on cudarc, run by `warpsim exec`: one that asks for much, and the book's.
//!
//! The test runs its own binary as the program: cargo has built it with cudarc already.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test fails by panicking, in its helpers too"
)]
#![allow(clippy::print_stdout, reason = "a program prints")]

use std::process::{Command, Output, Stdio};

use cudarc::driver::{CudaContext, LaunchConfig, PushKernelArg};
use cudarc::nvrtc::Ptx;

use crate::exec::text;

/// The program of the chapter for users of cudarc, unchanged.
#[expect(unsafe_code, reason = "cudarc's launches are unsafe")]
mod of_the_book {
    include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/for-cudarc/main.rs"));

    /// All of it.
    pub(super) fn run() -> Result<(), Box<dyn Error>> {
        main()
    }
}

/// Says that this process is the program, and not the test.
const CLIENT: &str = "WARPSIM_TEST_EXEC_CLIENT";

fn is_client() -> bool {
    std::env::var_os(CLIENT).is_some()
}

/// `warpsim exec --check` of a test in this binary, which has these first arguments.
fn exec_this(arguments: &[&str], test: &str) -> Output {
    let own = std::env::current_exe().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_warpsim"));
    command.args(["exec", "--check", "--"]).arg(own).args(arguments);
    command.args([test, "--exact", "--nocapture"]);
    command.env(CLIENT, "1").stdin(Stdio::null()).output().unwrap()
}

#[test]
fn a_rust_program_on_cudarc_runs_unchanged() {
    if is_client() {
        return client().unwrap();
    }
    let run = exec_this(&[], "exec_cudarc::a_rust_program_on_cudarc_runs_unchanged");
    let (out, err) = (text(&run.stdout), text(&run.stderr));
    assert_eq!(run.status.code(), Some(0), "{out}{err}");
    assert!(out.contains("the client is done"), "{out}");
    assert_eq!(err, "warpsim exec: no findings in 2 launches\n");
}

/// The program takes its PTX file from the first argument, which is no name of a test.
#[test]
fn the_program_of_the_book_does_what_its_chapter_says() {
    if is_client() {
        return of_the_book::run().unwrap();
    }
    let run = |file: &str| {
        let file = format!("{}/../docs/for-cudarc/{file}", env!("CARGO_MANIFEST_DIR"));
        exec_this(&[&file], "exec_cudarc::the_program_of_the_book_does_what_its_chapter_says")
    };
    let clean = run("swaps.ptx");
    let (out, err) = (text(&clean.stdout), text(&clean.stderr));
    assert_eq!(clean.status.code(), Some(0), "{out}{err}");
    assert!(out.contains("right\n"), "{out}");
    assert_eq!(err, "warpsim exec: no findings in 1 launch\n");
    let racy = run("swaps_racy.ptx");
    let err = text(&racy.stderr);
    assert_eq!(racy.status.code(), Some(1), "{err}");
    assert!(err.contains("error[race]: write-read race on global memory"), "{err}");
}

/// What a user of cudarc writes: a vector doubled in a stream, between two events, and an error.
fn client() -> Result<(), cudarc::driver::DriverError> {
    let text = ".version 7.0\n.target sm_70\n.address_size 64\n\
        .visible .entry twice(.param .u64 p, .param .u64 n) {\n\
          .reg .u64 %a, %o; .reg .u32 %t, %b, %c; .reg .f32 %v; .reg .pred %p; .reg .u64 %n, %i;\n\
          ld.param.u64 %a, [p]; ld.param.u64 %n, [n];\n\
          mov.u32 %b, %ctaid.x; mov.u32 %c, %ntid.x; mov.u32 %t, %tid.x;\n\
          mad.wide.u32 %i, %b, %c, 0; cvt.u64.u32 %o, %t; add.u64 %i, %i, %o;\n\
          setp.ge.u64 %p, %i, %n; @%p bra DONE;\n\
          shl.b64 %o, %i, 2; add.u64 %a, %a, %o;\n\
          ld.global.f32 %v, [%a]; add.f32 %v, %v, %v; st.global.f32 [%a], %v;\n\
        DONE: ret;\n}";
    let context = CudaContext::new(0)?;
    assert!(context.name()?.starts_with("warpsim"));
    assert_eq!(context.compute_capability()?, (9, 0));
    let module = context.load_module(Ptx::from_src(text))?;
    let twice = module.load_function("twice")?;
    assert!(module.load_function("thrice").is_err());
    let stream = context.new_stream()?;
    let numbers: Vec<f32> = (0u16..1000).map(f32::from).collect();
    let mut on_device = stream.clone_htod(&numbers)?;
    let start = stream.record_event(Some(cudarc::driver::sys::CUevent_flags::CU_EVENT_DEFAULT))?;
    for _ in 0..2 {
        let mut launch = stream.launch_builder(&twice);
        let count = numbers.len();
        launch.arg(&mut on_device).arg(&count);
        // SAFETY: these are the kernel's parameters, and it stays in the buffer.
        #[expect(unsafe_code, reason = "cudarc's launches are unsafe")]
        unsafe { launch.launch(LaunchConfig::for_num_elems(1000)) }?;
    }
    let end = stream.record_event(Some(cudarc::driver::sys::CUevent_flags::CU_EVENT_DEFAULT))?;
    let doubled = stream.clone_dtoh(&on_device)?;
    assert!(numbers.iter().zip(&doubled).all(|(number, four_times)| 4.0 * number == *four_times));
    assert!(start.elapsed_ms(&end)? >= 0.0);
    println!("the client is done");
    Ok(())
}
