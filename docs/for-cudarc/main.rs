use std::error::Error;

use cudarc::driver::{CudaContext, LaunchConfig, PushKernelArg};
use cudarc::nvrtc::Ptx;

/// Reverses 1000 numbers with the kernel `swaps` of the PTX file that the first argument names.
fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("which PTX file?")?;
    let context = CudaContext::new(0)?;
    let swaps = context.load_module(Ptx::from_file(path))?.load_function("swaps")?;
    let stream = context.default_stream();
    let numbers: Vec<f32> = (0u16..1000).map(f32::from).collect();
    let mut on_device = stream.clone_htod(&numbers)?;
    let count = numbers.len();
    let mut launch = stream.launch_builder(&swaps);
    launch.arg(&mut on_device).arg(&count);
    // SAFETY: these are the kernel's parameters, and it stays in the buffer.
    unsafe { launch.launch(LaunchConfig::for_num_elems(1000)) }?;
    let reversed = stream.clone_dtoh(&on_device)?;
    println!("{}", if reversed.iter().eq(numbers.iter().rev()) { "right" } else { "wrong" });
    Ok(())
}
