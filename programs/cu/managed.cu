// A list in managed memory, which host and device walk by turns. With RACY the host reads before the kernel has ended.
#include <cstdio>
#include <new>

struct Managed {
    void *operator new(size_t bytes)
    {
        void *p = nullptr;
        if (cudaMallocManaged(&p, bytes) != cudaSuccess)
            throw std::bad_alloc();
        return p;
    }
    void operator delete(void *p) { cudaFree(p); }
};

struct Node : Managed {
    int value;
    Node *next;
    Node(int value, Node *next) : value(value), next(next) {}
};

__global__ void twice(Node *list)
{
    int place = 0;
    for (Node *node = list; node; node = node->next, ++place)
        if (place == threadIdx.x)
            node->value *= 2; // RACE
}

int main()
{
    Node *list = nullptr;
    for (int value = 20; value > 0; --value)
        list = new Node(value, list);
    twice<<<1, 32>>>(list);
#ifdef RACY
    // The copy is in another stream, which does not wait.
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    int first;
    cudaMemcpyAsync(&first, &list->value, sizeof first, cudaMemcpyDeviceToHost, stream);
#endif
    if (cudaError_t error = cudaDeviceSynchronize()) {
        std::printf("%s\n", cudaGetErrorName(error));
        return 2;
    }
    int sum = 0;
    while (Node *node = list) {
        sum += node->value;
        list = node->next;
        delete node;
    }
    std::printf("the values sum to %d\n", sum);
    return sum == 420 ? 0 : 1;
}
