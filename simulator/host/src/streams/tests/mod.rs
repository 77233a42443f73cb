//! Streams and events against their documented rules.

mod frees;
mod order;
mod page_locked;
mod queues;
mod tasks;

use crate::{Argument, Device, DeviceError, Launch, ModuleHandle, Pointer, Simulator, StreamOrder};

/// `twice` doubles a word in place; `plus` adds the word at `b` to that at `a`; `through` writes to
/// where the pointer at `p` points; `mark` has thread t write byte t, `look` has it read that byte;
/// `count` and `count_block` add atomically, at device and at block scope; `signal` stores 1 for
/// everybody to see, `poll` loads so.
const TEXT: &str = "
    .version 7.0 .target sm_70 .address_size 64
    .visible .entry twice(.param .u64 p) {
      .reg .u64 %a; .reg .u32 %v;
      ld.param.u64 %a, [p];
      ld.global.u32 %v, [%a];
      add.u32 %v, %v, %v;
      st.global.u32 [%a], %v;
      ret;
    }
    .visible .entry plus(.param .u64 a, .param .u64 b) {
      .reg .u64 %a, %b; .reg .u32 %v, %w;
      ld.param.u64 %a, [a];
      ld.param.u64 %b, [b];
      ld.global.u32 %v, [%a];
      ld.global.u32 %w, [%b];
      add.u32 %v, %v, %w;
      st.global.u32 [%a], %v;
      ret;
    }
    .visible .entry through(.param .u64 p) {
      .reg .u64 %a, %b;
      ld.param.u64 %a, [p];
      ld.global.u64 %b, [%a];
      st.global.u32 [%b], 1;
      ret;
    }
    .visible .entry mark(.param .u64 p) {
      .reg .u64 %a, %o; .reg .u32 %t;
      ld.param.u64 %a, [p];
      mov.u32 %t, %tid.x;
      cvt.u64.u32 %o, %t;
      add.u64 %a, %a, %o;
      st.global.u8 [%a], %t;
      ret;
    }
    .visible .entry look(.param .u64 p) {
      .reg .u64 %a, %o; .reg .u32 %t;
      ld.param.u64 %a, [p];
      mov.u32 %t, %tid.x;
      cvt.u64.u32 %o, %t;
      add.u64 %a, %a, %o;
      ld.global.u8 %t, [%a];
      ret;
    }
    .visible .entry count(.param .u64 p) {
      .reg .u64 %a;
      ld.param.u64 %a, [p];
      red.relaxed.gpu.global.add.u32 [%a], 1;
      ret;
    }
    .visible .entry count_block(.param .u64 p) {
      .reg .u64 %a;
      ld.param.u64 %a, [p];
      red.relaxed.cta.global.add.u32 [%a], 1;
      ret;
    }
    .visible .entry signal(.param .u64 p) {
      .reg .u64 %a;
      ld.param.u64 %a, [p];
      st.volatile.global.u32 [%a], 1;
      ret;
    }
    .visible .entry poll(.param .u64 p) {
      .reg .u64 %a; .reg .u32 %v;
      ld.param.u64 %a, [p];
      ld.volatile.global.u32 %v, [%a];
      ret;
    }";

/// A device that carries out unordered operations in this order, and the module.
fn device(order: StreamOrder) -> (Simulator, ModuleHandle) {
    let mut gpu = Simulator::default();
    gpu.settings_mut().stream_order = order;
    let module = gpu.load(&crate::ptx::parse("streams.ptx", TEXT).unwrap()).unwrap();
    (gpu, module)
}

const BOTH: [StreamOrder; 2] = [StreamOrder::AsIssued, StreamOrder::Reversed];

fn one_thread() -> Launch {
    Launch::new(1, 1)
}

fn pointers<const N: usize>(pointers: [Pointer; N]) -> [Argument; N] {
    pointers.map(Argument::Pointer)
}

fn word(gpu: &mut Simulator, at: Pointer) -> Result<u32, DeviceError> {
    let mut bytes = [0; 4];
    gpu.download(at, &mut bytes)?;
    Ok(u32::from_le_bytes(bytes))
}
