// Graphs for C++ (CUDA Runtime API reference, version 12.9, "C++ API Routines"): symbols by their
// names, results of older versions, objects of any type, and the edges with data by the names that
// they have in version 13.
#pragma once

#define __warpsim_depends \
    cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *depends, size_t n
template <class T>
__warpsim_host cudaError_t cudaGraphAddMemcpyNodeToSymbol(__warpsim_depends, const T &symbol,
                                                          const void *from, size_t bytes,
                                                          size_t offset, enum cudaMemcpyKind kind) {
    return cudaGraphAddMemcpyNodeToSymbol(node, graph, depends, n, (const void *)&symbol, from,
                                          bytes, offset, kind);
}
template <class T>
__warpsim_host cudaError_t cudaGraphAddMemcpyNodeFromSymbol(__warpsim_depends, void *to,
                                                            const T &symbol, size_t bytes,
                                                            size_t offset,
                                                            enum cudaMemcpyKind kind) {
    return cudaGraphAddMemcpyNodeFromSymbol(node, graph, depends, n, to, (const void *)&symbol,
                                            bytes, offset, kind);
}
#undef __warpsim_depends
template <class T>
__warpsim_host cudaError_t cudaGraphMemcpyNodeSetParamsToSymbol(cudaGraphNode_t node,
                                                                const T &symbol, const void *from,
                                                                size_t bytes, size_t offset,
                                                                enum cudaMemcpyKind kind) {
    return cudaGraphMemcpyNodeSetParamsToSymbol(node, (const void *)&symbol, from, bytes, offset,
                                                kind);
}
template <class T>
__warpsim_host cudaError_t cudaGraphMemcpyNodeSetParamsFromSymbol(cudaGraphNode_t node, void *to,
                                                                  const T &symbol, size_t bytes,
                                                                  size_t offset,
                                                                  enum cudaMemcpyKind kind) {
    return cudaGraphMemcpyNodeSetParamsFromSymbol(node, to, (const void *)&symbol, bytes, offset,
                                                  kind);
}
template <class T>
__warpsim_host cudaError_t cudaGraphExecMemcpyNodeSetParamsToSymbol(
    cudaGraphExec_t exec, cudaGraphNode_t node, const T &symbol, const void *from, size_t bytes,
    size_t offset, enum cudaMemcpyKind kind) {
    return cudaGraphExecMemcpyNodeSetParamsToSymbol(exec, node, (const void *)&symbol, from, bytes,
                                                    offset, kind);
}
template <class T>
__warpsim_host cudaError_t cudaGraphExecMemcpyNodeSetParamsFromSymbol(cudaGraphExec_t exec,
                                                                      cudaGraphNode_t node,
                                                                      void *to, const T &symbol,
                                                                      size_t bytes, size_t offset,
                                                                      enum cudaMemcpyKind kind) {
    return cudaGraphExecMemcpyNodeSetParamsFromSymbol(exec, node, to, (const void *)&symbol, bytes,
                                                      offset, kind);
}

// What version 11 asked for: the node that failed, and a text that says why, which is empty here.
__warpsim_host cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph,
                                                cudaGraphNode_t *failed, char *log, size_t bytes) {
    if (failed) *failed = 0;
    if (log && bytes) *log = 0;
    return cudaGraphInstantiate(exec, graph, 0ull);
}
__warpsim_host cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
                                               cudaGraphNode_t *failed,
                                               enum cudaGraphExecUpdateResult *result) {
    cudaGraphExecUpdateResultInfo all;
    cudaError_t error = cudaGraphExecUpdate(exec, graph, &all);
    if (failed) *failed = all.errorNode;
    if (result) *result = all.result;
    return error;
}

// The object is deleted where nothing holds it any longer.
template <class T>
__warpsim_host cudaError_t cudaUserObjectCreate(cudaUserObject_t *object, T *held, unsigned holders,
                                                unsigned flags) {
    return cudaUserObjectCreate(
        object, (void *)held, [](void *p) { delete static_cast<T *>(p); }, holders, flags);
}
template <class T>
__warpsim_host cudaError_t cudaUserObjectCreate(cudaUserObject_t *object, T *held, unsigned holders,
                                                cudaUserObjectFlags flags) {
    return cudaUserObjectCreate(object, held, holders, (unsigned)flags);
}
