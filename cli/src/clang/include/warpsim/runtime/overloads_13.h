// The forms that functions have in version 13 (CUDA Runtime API reference, version 13), under the names
// that they have in version 12, too: C++ tells the two apart by their arguments.
#pragma once

__warpsim_host cudaError_t cudaGraphAddNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                            const cudaGraphNode_t *depends,
                                            const cudaGraphEdgeData *data, size_t n,
                                            struct cudaGraphNodeParams *all) {
    return cudaGraphAddNode_v2(node, graph, depends, data, n, all);
}
__warpsim_host cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                                    const cudaGraphNode_t *to,
                                                    const cudaGraphEdgeData *data, size_t n) {
    return cudaGraphAddDependencies_v2(graph, from, to, data, n);
}
__warpsim_host cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph,
                                                       const cudaGraphNode_t *from,
                                                       const cudaGraphNode_t *to,
                                                       const cudaGraphEdgeData *data, size_t n) {
    return cudaGraphRemoveDependencies_v2(graph, from, to, data, n);
}
__warpsim_host cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from,
                                             cudaGraphNode_t *to, cudaGraphEdgeData *data,
                                             size_t *n) {
    return cudaGraphGetEdges_v2(graph, from, to, data, n);
}
__warpsim_host cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t *all,
                                                        cudaGraphEdgeData *data, size_t *n) {
    return cudaGraphNodeGetDependencies_v2(node, all, data, n);
}
__warpsim_host cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node,
                                                          cudaGraphNode_t *all,
                                                          cudaGraphEdgeData *data, size_t *n) {
    return cudaGraphNodeGetDependentNodes_v2(node, all, data, n);
}
__warpsim_host cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream,
                                                               cudaGraphNode_t *all,
                                                               const cudaGraphEdgeData *data,
                                                               size_t n, unsigned flags = 0) {
    return cudaStreamUpdateCaptureDependencies_v2(stream, all, data, n, flags);
}
__warpsim_host cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream,
                                                    enum cudaStreamCaptureStatus *status,
                                                    unsigned long long *id, cudaGraph_t *graph,
                                                    const cudaGraphNode_t **all,
                                                    const cudaGraphEdgeData **data, size_t *n) {
    return cudaStreamGetCaptureInfo_v3(stream, status, id, graph, all, data, n);
}
__warpsim_host cudaError_t cudaMemPrefetchAsync(const void *p, size_t bytes,
                                                struct cudaMemLocation where, unsigned flags,
                                                cudaStream_t stream = 0) {
    return cudaMemPrefetchAsync_v2(p, bytes, where, flags, stream);
}
__warpsim_host cudaError_t cudaMemAdvise(const void *p, size_t bytes, enum cudaMemoryAdvise advice,
                                         struct cudaMemLocation where) {
    return cudaMemAdvise_v2(p, bytes, advice, where);
}
// Which of the copies failed is told no more.
__warpsim_host cudaError_t cudaMemcpyBatchAsync(void *const *to, const void *const *from,
                                                const size_t *bytes, size_t n,
                                                struct cudaMemcpyAttributes *all, size_t *indices,
                                                size_t n_attributes, cudaStream_t stream) {
    size_t failed;
    return cudaMemcpyBatchAsync((void **)to, (void **)from, (size_t *)bytes, n, all, indices,
                                n_attributes, &failed, stream);
}
__warpsim_host cudaError_t cudaMemcpy3DBatchAsync(size_t n, struct cudaMemcpy3DBatchOp *all,
                                                  unsigned long long flags, cudaStream_t stream) {
    size_t failed;
    return cudaMemcpy3DBatchAsync(n, all, &failed, flags, stream);
}
