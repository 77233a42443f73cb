//! Kernels that start kernels, as nvcc 13 writes them for CUDA's second kind of dynamic
//! parallelism.

use super::*;
use crate::{CudaError, Spot};

/// `child` adds a number to a word as often as it has threads; `parent` starts it twice: the first
/// to follow the grid, with the number 100, the second beside the grid, with the sum so far in its
/// high digits.
const PARENT: &str = ".version 7.8 .target sm_90 .address_size 64
    .extern .func (.param .b64 r) __cudaCDP2GetParameterBufferV2(.param .b64 a,
        .param .align 4 .b8 b[12], .param .align 4 .b8 c[12], .param .b32 d);
    .extern .func (.param .b32 r) __cudaCDP2LaunchDeviceV2(.param .b64 a, .param .b64 b);
    .visible .entry child(.param .u64 p, .param .u16 n) {
      .reg .u64 %a; .reg .u16 %n; .reg .u32 %v, %old;
      ld.param.u64 %a, [p]; ld.param.u16 %n, [n]; cvt.u32.u16 %v, %n;
      atom.global.add.u32 %old, [%a], %v;
      setp.ne.u32 %p, %old, 0;
      @%p atom.global.exch.b32 %old, [%a+4], %v;
      ret;
    }
    .visible .entry parent(.param .u64 p, .param .u64 f) {
      .reg .u64 %a, %k, %b; .reg .u32 %e;
      ld.param.u64 %a, [p]; ld.param.u64 %k, [f];
      STARTS
      ret;
    }";

/// What nvcc writes for a launch of this many threads, with a number, in a stream.
fn start(threads: u32, number: u16, stream: u64) -> String {
    format!(
        "{{ .param .b64 a; st.param.b64 [a], %k;
           .param .align 4 .b8 g[12];
           st.param.b32 [g], 1; st.param.b32 [g+4], 1; st.param.b32 [g+8], 1;
           .param .align 4 .b8 b[12];
           st.param.b32 [b], {threads}; st.param.b32 [b+4], 1; st.param.b32 [b+8], 1;
           .param .b32 s; st.param.b32 [s], 0;
           .param .b64 r;
           call.uni (r), __cudaCDP2GetParameterBufferV2, (a, g, b, s);
           ld.param.b64 %b, [r]; }}
         st.u64 [%b], %a;
         st.u16 [%b+8], {number};
         {{ .param .b64 a; st.param.b64 [a], %b;
           .param .b64 t; st.param.b64 [t], {stream};
           .param .b32 r;
           call.uni (r), __cudaCDP2LaunchDeviceV2, (a, t);
           ld.param.b32 %e, [r]; }}"
    )
}

/// Launches `parent` with the address of a kernel in its own code, or another number; the words.
fn launched(own: bool, check: bool) -> Result<[u32; 2], CudaError> {
    let address = if own { "mov.u64 %k, child;" } else { "" };
    let starts = format!("{address}\n{}\n{}", start(32, 100, 3), start(3, 1, 0));
    let text =
        PARENT.replace("STARTS", &starts).replace(".reg .u16 %n;", ".reg .u16 %n; .reg .pred %p;");
    let (driver, fake, mut caller) = driver(Options { check, ..Options::default() });
    let mut call = driver.enter(&mut caller).unwrap();
    let module = call.load_module(text.as_bytes(), None).unwrap();
    let parent = call.module_function(module, "parent").unwrap();
    let words = call.allocate(8).unwrap();
    let stream = call.stream(0, LEGACY).unwrap();
    fake.0.lock().unwrap().piece(OWN, 8).fill(0);
    call.copy(Spot::Device(words), Spot::Host(OWN), 8, stream, true).unwrap();
    let arguments: Vec<u8> = [words, 8].iter().flat_map(|word| word.to_le_bytes()).collect();
    call.launch(&request(parent, 1, &arguments), stream)?;
    call.copy(Spot::Host(OWN), Spot::Device(words), 8, stream, true).unwrap();
    let bytes = fake.0.lock().unwrap().piece(OWN, 8).to_vec();
    let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
    Ok([word(0), word(4)])
}

#[test]
fn a_kernel_starts_kernels_and_those_that_follow_the_grid_come_last() {
    for check in [false, true] {
        // 3 threads add 1, then 32 add 100: what the last of all found there was not 0.
        assert_eq!(launched(true, check).unwrap(), [3 + 32 * 100, 100]);
    }
}

#[test]
fn an_address_that_is_no_kernels_starts_nothing_and_is_an_error() {
    assert_eq!(launched(false, false), Err(CudaError::InvalidHandle));
}
