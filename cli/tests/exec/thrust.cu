// Thrust, of CUDA's C++ Core Libraries: a vector on the device, sorted, added up, and scanned.
#include <thrust/device_vector.h>
#include <thrust/host_vector.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
#include <cstdio>

struct Square {
    __host__ __device__ int operator()(int x) const { return x * x; }
};

int main() {
    const int n = 1000;
    thrust::host_vector<int> values(n);
    for (int i = 0; i < n; i++)
        values[i] = i * 37 % n;
    thrust::device_vector<int> v = values;
    thrust::sort(v.begin(), v.end());
    int sum = thrust::reduce(v.begin(), v.end(), 0);
    thrust::transform(v.begin(), v.end(), v.begin(), Square());
    thrust::inclusive_scan(v.begin(), v.end(), v.begin());
    values = v;
    int wrong = sum != n * (n - 1) / 2;
    for (int i = 0, squares = 0; i < n; i++) {
        squares += i * i;
        wrong += values[i] != squares;
    }
    std::printf("%d of %d are wrong\n", wrong, n);
    return wrong != 0;
}
