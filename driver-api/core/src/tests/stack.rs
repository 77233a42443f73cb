//! The limit of a thread's stack (`CU_LIMIT_STACK_SIZE`): how deep functions may call themselves,
//! as on an H100.

use super::*;
use crate::CudaError;

/// `k` calls `f`, which calls itself as often as its argument says, with 16 bytes of stack each
/// time.
const RECURSION: &str = ".version 8.0 .target sm_80 .address_size 64
    .func f(.param .b32 n);
    .func f(.param .b32 n) {
      .reg .pred %p; .reg .b32 %r, %s;
      ld.param.u32 %r, [n]; setp.eq.u32 %p, %r, 0; @%p bra done;
      { .param .b32 a; sub.u32 %s, %r, 1; st.param.b32 [a], %s; call.uni f, (a); }
      done: ret;
    }
    .visible .entry k(.param .u32 depth) {
      .reg .b32 %r; ld.param.u32 %r, [depth];
      { .param .b32 a; st.param.b32 [a], %r; call.uni f, (a); }
      ret;
    }";

/// `CU_LIMIT_STACK_SIZE`.
const STACK: u32 = 0;

/// The result of a launch of that depth under these limits. Each limit is set before a launch of
/// depth 0.
fn ended(limits: &[u64], depth: u32) -> Result<(), CudaError> {
    let (driver, _, mut caller) = driver(Options::default());
    let mut call = driver.enter(&mut caller).unwrap();
    let module = call.load_module(RECURSION.as_bytes(), None).unwrap();
    let kernel = call.module_function(module, "k").unwrap();
    let stream = call.stream(0, LEGACY).unwrap();
    for limit in limits {
        call.set_limit(STACK, *limit).unwrap();
        assert_eq!(call.limit(STACK), Ok(*limit));
        call.launch(&request(kernel, 1, &0_u32.to_le_bytes()), stream).unwrap();
    }
    call.launch(&request(kernel, 1, &depth.to_le_bytes()), stream).unwrap();
    call.synchronise_context()
}

/// Depths and limits measured on an H100, whose driver optimised the code.
#[test]
fn calls_go_as_deep_as_the_limit_lets_them() {
    for (limits, deepest) in [(&[][..], 63), (&[2048], 127), (&[4096], 255), (&[4096, 1024], 63)] {
        assert_eq!(ended(limits, deepest), Ok(()), "{limits:?}");
        assert_eq!(ended(limits, deepest + 1), Err(CudaError::IllegalAddress), "{limits:?}");
    }
}

#[test]
fn a_limit_is_that_of_launches_after_it() {
    let (driver, _, mut caller) = driver(Options::default());
    let mut call = driver.enter(&mut caller).unwrap();
    assert_eq!(call.limit(STACK), Ok(1024));
    let module = call.load_module(RECURSION.as_bytes(), None).unwrap();
    let kernel = call.module_function(module, "k").unwrap();
    let stream = call.stream(0, LEGACY).unwrap();
    call.set_limit(STACK, 4096).unwrap();
    call.launch(&request(kernel, 1, &200_u32.to_le_bytes()), stream).unwrap();
    // Nothing has waited for the launch when its limit is taken back.
    call.set_limit(STACK, 1024).unwrap();
    call.launch(&request(kernel, 1, &0_u32.to_le_bytes()), stream).unwrap();
    assert_eq!(call.synchronise_context(), Ok(()));
}
