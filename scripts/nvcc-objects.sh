#!/usr/bin/env bash
# Objects that NVIDIA's nvcc made and those of `warpsim nvcc`, linked into one program and run: two
# files that call each other's device functions, in all four combinations.
#
#     scripts/nvcc-objects.sh FOLDER
#
# FOLDER gets a Python environment with NVIDIA's compiler (`nvidia-cuda-nvcc`, CUDA 13) and the
# objects. It needs `warpsim` on the PATH, clang, g++ and Python 3. The results, 3(3(3x+1)+1)+1 of 0
# and of 31, are computed by hand.
set -euo pipefail

folder=${1:?"usage: scripts/nvcc-objects.sh FOLDER"}
mkdir -p "$folder"
cd "$folder"
if [ ! -x nvidia/bin/pip ]; then
    python3 -m venv nvidia
    nvidia/bin/pip install --quiet nvidia-cuda-nvcc nvidia-cuda-crt nvidia-nvvm nvidia-cuda-runtime
fi
toolkit=$(echo "$PWD"/nvidia/lib/python3*/site-packages/nvidia/cu13)

cat > scale.cu <<'CUDA'
__device__ float scale(float x) { return 3 * x + 1; }
__global__ void once(float* y) { y[threadIdx.x] = scale(y[threadIdx.x]); }
void launch_once(float* y, int n) { once<<<1, n>>>(y); }
CUDA
cat > main.cu <<'CUDA'
#include <cstdio>
extern __device__ float scale(float x);
void launch_once(float* y, int n);
__global__ void twice(float* y) { y[threadIdx.x] = scale(scale(y[threadIdx.x])); }
int main() {
    float host[32], *device;
    for (int i = 0; i < 32; i++) host[i] = i;
    cudaMalloc(&device, sizeof host);
    cudaMemcpy(device, host, sizeof host, cudaMemcpyHostToDevice);
    twice<<<1, 32>>>(device);
    launch_once(device, 32);
    cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost);
    cudaFree(device);
    printf("%s %g %g\n", cudaGetErrorString(cudaGetLastError()), host[0], host[31]);
}
CUDA

for file in scale main; do
    "$toolkit/bin/nvcc" -I"$toolkit/include" -dc -gencode arch=compute_80,code=compute_80 \
        "$file.cu" -o "$file.nvidia.o"
    warpsim nvcc -dc "$file.cu" -o "$file.warpsim.o"
done
wrong=0
for first in nvidia warpsim; do
    for second in nvidia warpsim; do
        warpsim nvcc "scale.$first.o" "main.$second.o" -o "program.$first.$second"
        printed=$(timeout 60 warpsim exec --check -- "./program.$first.$second" 2> errors || true)
        [ "$printed" = "no error 13 850" ] && grep -q "no findings" errors || wrong=$((wrong + 1))
        echo "scale.cu by $first, main.cu by $second: $printed"
    done
done
echo "4 combinations, $wrong wrong"
[ "$wrong" = 0 ]
