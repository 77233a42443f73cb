// The first block hands a value to the second one, which is seen only after the flag.
#include <cuda/atomic>

__global__ void flags(int *flag, int *data, int *out) {
    cuda::atomic_ref<int, cuda::thread_scope_device> ready(*flag);
    if (blockIdx.x == 0) {
        *data = 123;
        ready.store(1, cuda::memory_order_release);
    } else {
        while (ready.load(cuda::memory_order_seq_cst) == 0) {}
        *out = *data + ready.fetch_add(5, cuda::memory_order_acq_rel);
    }
}
