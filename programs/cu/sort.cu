// A bitonic sort of anything that can be compared, with a comparison that the caller gives. With RACY blocks compare pairs of
// which another block has one.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

struct Particle {
    float weight;
    int number;
};

template <class T, class Before> __global__ void exchange(T *items, unsigned stride, unsigned length, Before before)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef RACY
    unsigned low = i;
#else
    unsigned low = 2 * i - (i & (stride - 1));
#endif
    unsigned high = low + stride;
#ifdef RACY
    if (high >= gridDim.x * blockDim.x)
        return;
#endif
    bool ascending = (low & length) == 0;
    T a = items[low], b = items[high];
    if (before(b, a) == ascending) {
        items[low] = b; // RACE
        items[high] = a; // RACE
    }
}

template <class T, class Before> void sort(std::vector<T> &items, Before before)
{
    unsigned n = (unsigned)items.size();
    T *on_device;
    cudaMalloc(&on_device, n * sizeof(T));
    cudaMemcpy(on_device, items.data(), n * sizeof(T), cudaMemcpyHostToDevice);
    for (unsigned length = 2; length <= n; length *= 2)
        for (unsigned stride = length / 2; stride > 0; stride /= 2)
            exchange<<<n / 128, 64>>>(on_device, stride, length, before);
    cudaMemcpy(items.data(), on_device, n * sizeof(T), cudaMemcpyDeviceToHost);
    cudaFree(on_device);
}

int main()
{
    std::srand(3);
    std::vector<Particle> particles(512);
    for (int i = 0; i < 512; ++i)
        particles[i] = {std::rand() / 1e6f, i};
    auto lighter = [] __host__ __device__(const Particle &a, const Particle &b) {
        return a.weight < b.weight || (a.weight == b.weight && a.number < b.number);
    };
    sort(particles, lighter);
    bool is_sorted = std::is_sorted(particles.begin(), particles.end(), lighter);
    std::printf("512 particles are %s\n", is_sorted ? "sorted" : "not sorted");
    return is_sorted ? 0 : 1;
}
