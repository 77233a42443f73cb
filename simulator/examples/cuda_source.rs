//! CUDA C++ in a test: NVRTC compiles it, the simulator runs it. Without NVRTC it says how to get
//! it.
//!
//!     cargo run -p warpsim --features cuda --example cuda_source

#![allow(clippy::print_stdout, reason = "a command-line program")]

use warpsim::cuda::LoadCudaError;
use warpsim::prelude::*;

const SOURCE: &str = r#"
extern "C" __global__ void saxpy(float a, const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}"#;

pub(crate) fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut gpu = Simulator::default();
    let module = match gpu.load_cuda("saxpy.cu", SOURCE, &CompileOptions::default()) {
        Err(LoadCudaError::Compile(error)) => {
            println!("not compiled: {error}");
            return Ok(());
        }
        module => module?,
    };
    let [x, y] = [gpu.allocate(4 * 100)?, gpu.allocate(4 * 100)?];
    let floats = |value: f32| value.to_le_bytes().repeat(100);
    gpu.upload(x, &floats(2.0))?;
    gpu.upload(y, &floats(1.0))?;
    let arguments =
        [Argument::F32(3.0), Argument::Pointer(x), Argument::Pointer(y), Argument::I32(100)];
    gpu.launch(module, "saxpy", &Launch::new(4, 32), &arguments)?;
    let mut after = vec![0; 4 * 100];
    gpu.download(y, &mut after)?;
    assert_eq!(after, floats(7.0));
    Ok(())
}
