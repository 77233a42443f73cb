//! Kernels that fail, each in a child process that it ruins, and a kernel that succeeds right
//! after.

use std::time::Duration;

use libtest_mimic::Failed;
use warpsim::host::{Argument, Device, DeviceError, Launch};
use warpsim::report::{Outcome, Report};
use warpsim_gpu::{Isolated, IsolatedSettings};

use super::{Result, same};

/// Kernels, named after their outcomes. `divided` hung on an H200: lanes of one warp wait at two
/// different barriers. In `outside_its_mask`, lanes 24 to 31 are not in the mask that they give; it
/// is a fault because not all lanes give the same mask. When they do, an H200 does not look at it.
const KERNELS: &str = "
    .version 7.0 .target sm_80 .address_size 64
    .visible .entry good(.param .u64 out) {
      .reg .u64 %p; ld.param.u64 %p, [out]; st.global.u32 [%p], 42; ret;
    }
    .visible .entry null() { .reg .u64 %p; mov.u64 %p, 0; st.global.u32 [%p], 1; ret; }
    .visible .entry misaligned(.param .u64 out) {
      .reg .u64 %p; ld.param.u64 %p, [out]; st.global.u32 [%p+2], 1; ret;
    }
    .visible .entry outside_its_mask(.param .u64 out) {
      .reg .u32 %t, %x, %m; .reg .u64 %p; .reg .pred %q;
      mov.u32 %t, %tid.x; ld.param.u64 %p, [out];
      setp.lt.u32 %q, %t, 16; selp.u32 %m, 0xffff, 0xff0000, %q;
      redux.sync.add.s32 %x, %t, %m; st.global.u32 [%p], %x; ret;
    }
    .visible .entry traps() { trap; ret; }
    .visible .entry endless(.param .u64 out) {
      .reg .u64 %p; ld.param.u64 %p, [out];
      again: st.volatile.global.u32 [%p], 1; bra again;
    }
    .visible .entry divided(.param .u64 out) {
      .shared .align 4 .u32 count;
      .reg .u64 %p; .reg .u32 %t, %x; .reg .pred %q;
      ld.param.u64 %p, [out]; mov.u32 %t, %tid.x; setp.eq.u32 %q, %t, 0;
      @%q st.shared.u32 [count], 0;
      bar.sync 0;
      setp.lt.u32 %q, %t, 16;
      @%q bra low;
      red.shared.add.u32 [count], 100; bar.sync 0; bra done;
      low: red.shared.add.u32 [count], 1; bar.sync 0;
      done: ld.shared.u32 %x, [count]; st.global.u32 [%p], %x; ret;
    }";

fn start() -> std::result::Result<Isolated, Failed> {
    let settings = IsolatedSettings::default().with_timeout(Duration::from_secs(4));
    Ok(Isolated::start(settings)?)
}

/// Launches a kernel with some memory, if it takes any.
fn launch(gpu: &mut Isolated, kernel: &str) -> std::result::Result<(Report, u32), Failed> {
    let parsed = warpsim::ptx::parse("faults.ptx", KERNELS)?;
    let module = gpu.load(&parsed)?;
    let out = gpu.allocate(64)?;
    gpu.upload(out, &[0; 64])?;
    let takes = warpsim::host::kernel_parameters(&parsed, kernel)?.len();
    let arguments = vec![Argument::Pointer(out); takes];
    let report = gpu.launch(module, kernel, &Launch::new(1, 32), &arguments)?;
    let mut word = [0; 4];
    match report.outcome {
        Outcome::Completed => gpu.download(out, &mut word)?,
        _ => same(gpu.download(out, &mut word), Err(DeviceError::Lost))?,
    }
    Ok((report, u32::from_le_bytes(word)))
}

/// Launches a kernel that does not end well, then the one that does.
fn ends(kernel: &str, outcome: Outcome, words: &str) -> Result {
    let mut gpu = start()?;
    let (report, _) = launch(&mut gpu, kernel)?;
    let said = report.findings.first().map_or("nothing", |f| f.explanation.as_str());
    println!("{kernel}: {:?}: {said}", report.outcome);
    if report.outcome != outcome || !said.contains(words) {
        return Err(format!("{:?}: {said}", report.outcome).into());
    }
    let (report, word) = launch(&mut gpu, "good")?;
    same((report.outcome, word), (Outcome::Completed, 42))
}

pub(crate) fn null() -> Result {
    ends("null", Outcome::Fault, "CUDA_ERROR_ILLEGAL_ADDRESS")
}

pub(crate) fn misaligned() -> Result {
    ends("misaligned", Outcome::Fault, "CUDA_ERROR_MISALIGNED_ADDRESS")
}

pub(crate) fn outside_its_mask() -> Result {
    ends("outside_its_mask", Outcome::Fault, "CUDA_ERROR_ILLEGAL_INSTRUCTION")
}

pub(crate) fn traps() -> Result {
    ends("traps", Outcome::Fault, "CUDA_ERROR_")
}

pub(crate) fn endless() -> Result {
    ends("endless", Outcome::Hung, "")
}

pub(crate) fn divided() -> Result {
    ends("divided", Outcome::Hung, "")
}
