//! A Rust program on cudarc, run unchanged by `warpsim exec`.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]
#![allow(clippy::print_stdout, reason = "the program prints")]

use std::process::Command;

use cudarc::driver::{CudaContext, LaunchConfig, PushKernelArg};
use cudarc::nvrtc::Ptx;

use super::exec::text;

/// Says that this process is the program, and not the test.
const CLIENT: &str = "WARPSIM_TEST_EXEC_CLIENT";

#[test]
fn a_rust_program_on_cudarc_runs_unchanged() {
    if std::env::var_os(CLIENT).is_some() {
        return client().unwrap();
    }
    let test = std::env::current_exe().unwrap();
    let program = [
        test.to_str().unwrap(),
        "--exact",
        "--nocapture",
        "exec_rust::a_rust_program_on_cudarc_runs_unchanged",
    ];
    let warpsim = env!("CARGO_BIN_EXE_warpsim");
    let arguments = [&["exec", "--check", "--"], &program[..]].concat();
    let run = Command::new(warpsim).args(arguments).env(CLIENT, "1").output().unwrap();
    let (out, err) = (text(&run.stdout), text(&run.stderr));
    assert_eq!(run.status.code(), Some(0), "{out}{err}");
    assert!(out.contains("the client is done"), "{out}");
    assert_eq!(err, "warpsim exec: no findings in 2 launches\n");
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
