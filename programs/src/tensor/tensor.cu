// A product of matrices on tensor cores: D (16 by 8, f32) = A (16 by k, halves by rows) * B (k by 8, halves by columns), by one
// warp. Tiles of 16 columns of A and 16 rows of B are copied to shared memory while the ones before are multiplied: two stages,
// each filled by cp.async. What a stage holds may be read once the copies have been waited for.

#define K 16

__device__ __forceinline__ void copy16(unsigned to, const void *from)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
}

__device__ __forceinline__ void fill(unsigned stage, const unsigned short *a, const unsigned short *b, int k, int step)
{
    int lane = threadIdx.x;
    int at = (lane / 2) * k + step * K + (lane % 2) * 8;
    copy16(stage + 16 * lane, a + at);
    if (lane < 16)
        copy16(stage + 512 + 16 * lane, b + at);
    asm volatile("cp.async.commit_group;" ::: "memory");
}

__device__ __forceinline__ void multiply(unsigned stage, float *d)
{
    int lane = threadIdx.x;
    unsigned a[4], b[2];
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(a[0]), "=r"(a[1]), "=r"(a[2]), "=r"(a[3])
                 : "r"(stage + 32 * (lane % 16) + 16 * (lane / 16))
                 : "memory");
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];"
                 : "=r"(b[0]), "=r"(b[1])
                 : "r"(stage + 512 + 32 * (lane % 8) + 16 * (lane / 8 % 2))
                 : "memory");
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

template <bool WAITS>
__device__ __forceinline__ void product(const unsigned short *a, const unsigned short *b, float *out, int k)
{
    __shared__ __align__(16) unsigned short stages[2][24 * K];
    unsigned first = (unsigned)__cvta_generic_to_shared(stages);
    int lane = threadIdx.x, steps = k / K;
    float d[4] = {0.0f, 0.0f, 0.0f, 0.0f};
    fill(first, a, b, k, 0);
    for (int step = 0; step < steps; step++) {
        unsigned stage = first + step % 2 * sizeof(stages[0]);
        if (step + 1 < steps) {
            fill(first + (step + 1) % 2 * sizeof(stages[0]), a, b, k, step + 1);
            if (WAITS)
                asm volatile("cp.async.wait_group 1;" ::: "memory");
        } else if (WAITS) {
            asm volatile("cp.async.wait_group 0;" ::: "memory");
        }
        __syncwarp();
        multiply(stage, d);
        __syncwarp(); // the next round fills this stage again
    }
    int row = lane / 4, column = lane % 4 * 2;
    out[row * 8 + column] = d[0];
    out[row * 8 + column + 1] = d[1];
    out[(row + 8) * 8 + column] = d[2];
    out[(row + 8) * 8 + column + 1] = d[3];
}

extern "C" __global__ void tensor_waits(const unsigned short *a, const unsigned short *b, float *out, int k)
{
    product<true>(a, b, out, k);
}

extern "C" __global__ void tensor_no_wait(const unsigned short *a, const unsigned short *b, float *out, int k)
{
    product<false>(a, b, out, k);
}
