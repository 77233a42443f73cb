//! The launch that a person steps through: it is the one that was asked for, and it is carried out
//! once, whatever the person did with the copy.

use super::*;
use crate::Spot;

/// Adds 1 to a word.
const COUNT: &str = ".version 8.0 .target sm_80 .address_size 64
    .visible .entry count(.param .u64 p) {
      .reg .b64 %a; .reg .b32 %r;
      ld.param.u64 %a, [p]; ld.global.u32 %r, [%a]; add.u32 %r, %r, 1;
      st.global.u32 [%a], %r; ret;
    }
    .visible .entry other(.param .u64 p) { ret; }";

#[test]
fn a_person_steps_through_the_launch_that_was_asked_for_and_its_effects_come_once() {
    let debug = Debugged {
        kernel: "count".to_owned(),
        launch: 2,
        commands: Vec::new(),
        reached: None,
        adapter: None,
    };
    let (driver, host, mut caller) = driver(Options { debug: Some(debug), ..Options::default() });
    let mut call = driver.enter(&mut caller).unwrap();
    let module = call.load_module(COUNT.as_bytes(), None).unwrap();
    let count = call.module_function(module, "count").unwrap();
    let other = call.module_function(module, "other").unwrap();
    let stream = call.stream(0, LEGACY).unwrap();
    let memory = call.allocate(16).unwrap();
    // The program's own memory is zero.
    call.copy(Spot::Device(memory), Spot::Host(OWN), 16, stream, true).unwrap();
    for kernel in [other, count, other, count, count] {
        call.launch(&request(kernel, 1, &memory.to_le_bytes()), stream).unwrap();
    }
    call.synchronise_context().unwrap();
    call.copy(Spot::Host(OWN), Spot::Device(memory), 16, stream, true).unwrap();
    drop(call);
    let mut memory = host.0.lock().unwrap();
    assert_eq!(memory.piece(OWN, 4), 3u32.to_le_bytes());
    let told = memory.told.clone();
    assert_eq!(told, ["count 2 Some(\"completed\") 1"]);
}
