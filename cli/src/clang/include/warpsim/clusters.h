// Functions of thread block clusters, for sm_90 and later (CUDA C++ Programming Guide, "Thread
// Block Clusters", and the functions that `cooperative_groups::cluster_group` is made of).
// `__cluster_dims__` is missing: clang has no such attribute before version 22, and a kernel that
// asks for it does not compile.
#pragma once

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
#define __warpsim_asked(name, text)                                                                \
    __warpsim_device unsigned name() {                                                             \
        unsigned v;                                                                                \
        __asm__(text : "=r"(v));                                                                   \
        return v;                                                                                  \
    }
#define __warpsim_asked3(name, register)                                                           \
    __warpsim_device dim3 name() {                                                                 \
        unsigned x, y, z;                                                                          \
        __asm__("mov.u32 %0, %%" #register ".x;" : "=r"(x));                                       \
        __asm__("mov.u32 %0, %%" #register ".y;" : "=r"(y));                                       \
        __asm__("mov.u32 %0, %%" #register ".z;" : "=r"(z));                                       \
        return dim3(x, y, z);                                                                      \
    }
__warpsim_asked(__clusterDimIsSpecified,
                "{ .reg .pred p; mov.pred p, %%is_explicit_cluster; selp.u32 %0, 1, 0, p; }")
__warpsim_asked(__clusterRelativeBlockRank, "mov.u32 %0, %%cluster_ctarank;")
__warpsim_asked(__clusterSizeInBlocks, "mov.u32 %0, %%cluster_nctarank;")
__warpsim_asked3(__clusterDim, cluster_nctaid)
__warpsim_asked3(__clusterRelativeBlockIdx, cluster_ctaid)
__warpsim_asked3(__clusterGridDimInClusters, nclusterid)
__warpsim_asked3(__clusterIdx, clusterid)
#undef __warpsim_asked
#undef __warpsim_asked3

// The address in another block's shared memory of what `p` is in this one's; and of which block an
// address is.
template <class T> __warpsim_device T *__cluster_map_shared_rank(T *p, unsigned rank) {
    T *there;
    __asm__("mapa.u64 %0, %1, %2;" : "=l"(there) : "l"(p), "r"(rank));
    return there;
}
__warpsim_device unsigned __cluster_query_shared_rank(const void *p) {
    unsigned rank;
    __asm__("getctarank.u64 %0, %1;" : "=r"(rank) : "l"(p));
    return rank;
}
__warpsim_device void __cluster_barrier_arrive() {
    __asm__ volatile("barrier.cluster.arrive;" : : : "memory");
}
__warpsim_device void __cluster_barrier_arrive_relaxed() {
    __asm__ volatile("barrier.cluster.arrive.relaxed;" : : : "memory");
}
__warpsim_device void __cluster_barrier_wait() {
    __asm__ volatile("barrier.cluster.wait;" : : : "memory");
}
__warpsim_device void __threadfence_cluster() {
    __asm__ volatile("fence.acq_rel.cluster;" : : : "memory");
}
#define __warpsim_space(name, space)                                                               \
    __warpsim_device unsigned name(const void *p) {                                                \
        unsigned is;                                                                               \
        __asm__("{ .reg .pred is; isspacep." space " is, %1; selp.u32 %0, 1, 0, is; }"             \
                : "=r"(is)                                                                         \
                : "l"(p));                                                                         \
        return is;                                                                                 \
    }
__warpsim_space(__isCtaShared, "shared::cta")
__warpsim_space(__isClusterShared, "shared::cluster")
#undef __warpsim_space
#endif
