// Distances in a graph, level by level. With RACY two threads that find the same node both put it into the next level, since
// looking and marking are two steps.
#include <cstdio>
#include <queue>
#include <vector>

struct Graph {
    std::vector<int> first, to;
};

static Graph ring_with_chords(int nodes)
{
    Graph graph;
    graph.first.push_back(0);
    for (int node = 0; node < nodes; ++node) {
        for (int other : {(node + 1) % nodes, (node + nodes - 1) % nodes, node * 7 % nodes})
            graph.to.push_back(other);
        graph.first.push_back((int)graph.to.size());
    }
    return graph;
}

__global__ void advance(const int *first, const int *to, const int *level, int count, int *distance, int depth, int *next,
                        int *next_count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    int node = level[i];
    for (int edge = first[node]; edge < first[node + 1]; ++edge) {
        int other = to[edge];
#ifdef RACY
        if (distance[other] == -1) { // RACE
            distance[other] = depth; // RACE
#else
        if (atomicCAS(&distance[other], -1, depth) == -1) {
#endif
            next[atomicAdd(next_count, 1)] = other;
        }
    }
}

int main()
{
    const int nodes = 600;
    Graph graph = ring_with_chords(nodes);
    int *first, *to, *level, *next, *distance, *next_count;
    cudaMalloc(&first, graph.first.size() * sizeof(int));
    cudaMalloc(&to, graph.to.size() * sizeof(int));
    cudaMalloc(&level, 4 * nodes * sizeof(int));
    cudaMalloc(&next, 4 * nodes * sizeof(int));
    cudaMalloc(&distance, nodes * sizeof(int));
    cudaMalloc(&next_count, sizeof(int));
    cudaMemcpy(first, graph.first.data(), graph.first.size() * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(to, graph.to.data(), graph.to.size() * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemset(distance, 0xff, nodes * sizeof(int));
    int start = 5, count = 1, zero = 0;
    cudaMemcpy(level, &start, sizeof start, cudaMemcpyHostToDevice);
    cudaMemcpy(distance + start, &zero, sizeof zero, cudaMemcpyHostToDevice);
    for (int depth = 1; count > 0; ++depth) {
        cudaMemset(next_count, 0, sizeof(int));
        advance<<<(count + 127) / 128, 128>>>(first, to, level, count, distance, depth, next, next_count);
        cudaMemcpy(&count, next_count, sizeof count, cudaMemcpyDeviceToHost);
        std::swap(level, next);
    }
    std::vector<int> found(nodes), wanted(nodes, -1);
    cudaMemcpy(found.data(), distance, nodes * sizeof(int), cudaMemcpyDeviceToHost);
    for (void *memory : {first, to, level, next, distance, next_count})
        cudaFree(memory);
    std::queue<int> waiting({start});
    wanted[start] = 0;
    while (!waiting.empty()) {
        int node = waiting.front();
        waiting.pop();
        for (int edge = graph.first[node]; edge < graph.first[node + 1]; ++edge)
            if (wanted[graph.to[edge]] == -1) {
                wanted[graph.to[edge]] = wanted[node] + 1;
                waiting.push(graph.to[edge]);
            }
    }
    std::printf("%d distances are %s\n", nodes, found == wanted ? "right" : "wrong");
    return found == wanted ? 0 : 1;
}
