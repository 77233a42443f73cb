//! CUDA C++ on a simulated device (feature `cuda`), where NVRTC is found. Elsewhere the tests say
//! that they were skipped.

use std::error::Error;
use std::io::Write;

use warpsim::cuda::{self, LoadCudaError, Mode, Nvrtc, NvrtcError, Search};
use warpsim::prelude::*;

/// Each compiler that is here. The line about none is not for the harness, which keeps what tests
/// print when they pass.
fn compilers(test: &str) -> Vec<Nvrtc> {
    let mut found = Vec::new();
    for given in warpsim_effort::compilers() {
        let search = Search::of_process(given.as_deref());
        match Nvrtc::find(&search) {
            Ok(nvrtc) => found.push(nvrtc),
            Err(error @ NvrtcError::NotFound { given: None }) => {
                let line =
                    format!("{test}: skipped: {error}; scripts/fetch-nvrtc.sh fetches one\n");
                std::io::stderr().write_all(line.as_bytes()).unwrap();
            }
            // A path that was given and leads nowhere is a mistake, and nothing to skip.
            Err(error) => panic!("{error}"),
        }
    }
    found
}

/// Each block turns the order of its cells around.
const TURN: &str = "
template <typename T, unsigned N> __global__ void turn(const T *in, T *out) {
  __shared__ T cells[N];
  cells[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = cells[N - 1 - threadIdx.x];
}
template __global__ void turn<int, 64>(const int *, int *);
template __global__ void turn<short, 64>(const short *, short *);";

#[test]
fn a_simulator_takes_a_source_and_kernels_by_their_names_in_it() {
    for nvrtc in compilers("a simulator takes a source") {
        for mode in [Mode::Optimised, Mode::Naive] {
            let options = CompileOptions::default().with_mode(mode);
            let module = cuda::module(&nvrtc, "turn.cu", TURN, &options).unwrap();
            turned(&mut Simulator::default(), |gpu| gpu.load(&module).unwrap());
        }
    }
}

/// The sum of 256 numbers.
const REDUCE: &str = "
template <typename T, unsigned N> __global__ void reduce4(const T *in, T *out) {
  __shared__ T cells[N];
  unsigned t = threadIdx.x;
  cells[t] = in[t];
  for (unsigned half = N / 2; half > 0; half /= 2) {
    __syncthreads();
    if (t < half) cells[t] += cells[t + half];
  }
  if (t == 0) *out = cells[0];
}
template __global__ void reduce4<int, 256>(const int *, int *);
template __global__ void reduce4<float, 256>(const float *, float *);";

fn sum(numbers: &[u8; 1024]) -> Result<[u8; 4], Box<dyn Error>> {
    let mut gpu = Simulator::default();
    let module = gpu.load_cuda("kernels/reduce.cu", REDUCE, &CompileOptions::default())?;
    let (input, output) = (gpu.allocate(1024)?, gpu.allocate(4)?);
    gpu.upload(input, numbers)?;
    let arguments = [Argument::Pointer(input), Argument::Pointer(output)];
    gpu.launch(module, "reduce4<int, 256>", &Launch::new(1, 256), &arguments)?;
    let mut sum = [0; 4];
    gpu.download(output, &mut sum)?;
    Ok(sum)
}

#[test]
fn one_call_finds_a_compiler_and_loads_a_source_or_says_what_to_install() {
    let mut numbers = [0; 1024];
    for (number, cell) in (1..=256_u32).zip(numbers.chunks_exact_mut(4)) {
        cell.copy_from_slice(&number.to_le_bytes());
    }
    match sum(&numbers) {
        Ok(sum) => assert_eq!(u32::from_le_bytes(sum), 256 * 257 / 2),
        Err(error) => {
            let words =
                "no CUDA compiler found (libnvrtc); `pip install nvidia-cuda-nvrtc` installs it";
            assert_eq!(error.to_string(), words);
        }
    }
}

/// The expected numbers are the squares of 0 to 63, the last first.
fn turned(gpu: &mut Simulator, load: impl FnOnce(&mut Simulator) -> ModuleHandle) {
    gpu.settings_mut().checking = Some(Checking::default());
    let module = load(gpu);
    let (input, output) = (gpu.allocate(256).unwrap(), gpu.allocate(256).unwrap());
    let squares = |numbers: &mut dyn Iterator<Item = u32>| -> Vec<u8> {
        numbers.flat_map(|i| (i * i).to_le_bytes()).collect()
    };
    gpu.upload(input, &squares(&mut (0..64))).unwrap();
    let arguments = [Argument::Pointer(input), Argument::Pointer(output)];
    let launch = Launch::new(1, 64);
    let report = gpu.launch(module, "turn<int, 64>", &launch, &arguments).unwrap();
    assert_eq!(report.findings, []);
    let mut turned = vec![0; 256];
    gpu.download(output, &mut turned).unwrap();
    assert_eq!(turned, squares(&mut (0..64).rev()));
    gpu.launch(module, "turn<int16_t, 64u>", &launch, &arguments).unwrap();
    let refused = gpu.launch(module, "turn", &launch, &arguments).unwrap_err().to_string();
    assert!(
        refused.starts_with("several kernels have the name `turn`: turn<int, 64u>"),
        "{refused}"
    );
}

#[test]
fn errors_of_a_source_come_back_as_messages() {
    for nvrtc in compilers("errors of a source") {
        let source = "__global__ void k() { nothing(); }";
        let error = cuda::module(&nvrtc, "bad.cu", source, &CompileOptions::default()).unwrap_err();
        let LoadCudaError::Compile(NvrtcError::Source { messages, .. }) = error else {
            panic!("{error}")
        };
        assert_eq!((messages[0].file.as_deref(), messages[0].line), (Some("bad.cu"), Some(1)));
    }
}
