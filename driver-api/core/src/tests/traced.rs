//! Launches that are traced for a page: which, under which schedule, and that they change nothing.

use super::*;
use crate::Spot;

/// Counts up a word; all threads of a block, with nothing between them, or one.
const COUNT: &str = ".version 8.0 .target sm_80 .address_size 64
    .visible .entry racy(.param .u64 p) {
      .reg .b64 %a; .reg .b32 %r;
      ld.param.u64 %a, [p]; ld.global.u32 %r, [%a]; add.u32 %r, %r, 1;
      st.global.u32 [%a], %r; ret;
    }
    .visible .entry good(.param .u64 p) {
      .reg .b64 %a; .reg .b32 %r; .reg .pred %p;
      mov.u32 %r, %tid.x; setp.ne.u32 %p, %r, 0; @%p ret;
      ld.param.u64 %a, [p]; ld.global.u32 %r, [%a]; add.u32 %r, %r, 1;
      st.global.u32 [%a], %r; ret;
    }";

/// Launches kernels with two warps; what was traced, and the word that they count up.
fn traces(options: Options, kernels: &[&str]) -> (Vec<String>, u32) {
    let (driver, host, mut caller) = driver(options);
    let mut call = driver.enter(&mut caller).unwrap();
    let module = call.load_module(COUNT.as_bytes(), None).unwrap();
    let stream = call.stream(0, LEGACY).unwrap();
    let memory = call.allocate(16).unwrap();
    call.copy(Spot::Device(memory), Spot::Host(OWN), 16, stream, true).unwrap();
    for kernel in kernels {
        let function = call.module_function(module, kernel).unwrap();
        call.launch(&request(function, 64, &memory.to_le_bytes()), stream).unwrap();
    }
    call.synchronise_context().unwrap();
    call.copy(Spot::Host(OWN), Spot::Device(memory), 16, stream, true).unwrap();
    drop(call);
    let mut memory = host.0.lock().unwrap();
    let word = u32::from_le_bytes(memory.piece(OWN, 4).try_into().unwrap());
    (memory.told.clone(), word)
}

#[test]
fn the_first_launch_and_the_first_one_with_findings_of_each_kernel_are_traced() {
    let page = Some("/page".into());
    let checked = Options { check: true, page, ..Options::default() };
    let kernels = ["good", "good", "racy", "good", "racy"];
    let (told, word) = traces(checked.clone(), &kernels);
    let [first, racy] = &told[..] else { panic!("{told:?}") };
    assert_eq!(first, "/page 1 good completed 0 in-order");
    assert!(racy.starts_with("/page 3 racy completed 2 "), "{racy}");
    let (none, same) = traces(Options { page: None, ..checked.clone() }, &kernels);
    assert_eq!((none, same), (Vec::new(), word));
    // Two threads read and write one word: the writes race, and so do a read and a write.
    // A first launch with findings is traced once.
    let (told, _) = traces(checked, &["racy", "good", "racy"]);
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told[0].starts_with("/page 1 racy completed 2 "), "{told:?}");
}

#[test]
fn without_a_check_the_first_launch_is_traced_and_unchosen_ones_are_not() {
    let page = Some(std::path::PathBuf::from("/page"));
    let plain = Options { page, ..Options::default() };
    let (told, _) = traces(plain.clone(), &["racy", "good"]);
    assert_eq!(told, ["/page 1 racy completed 0 in-order"]);
    let choice = crate::Choice { only: vec!["good".to_owned()], ..crate::Choice::default() };
    let only = Options { check: true, choice, ..plain };
    let (told, _) = traces(only, &["racy", "good"]);
    assert_eq!(told, ["/page 2 good completed 0 in-order"]);
}
