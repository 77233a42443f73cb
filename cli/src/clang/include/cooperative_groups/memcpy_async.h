// Copies by a group (CUDA C++ Programming Guide, "Cooperative Groups", "memcpy_async", "wait and
// wait_prior").
//
// From global to shared memory they go on beside the threads from sm_80 on, in pieces of 16, 8 or 4
// bytes as the addresses are aligned; else the threads copy. Who reads before `wait` has a race.
// Each call is one stage. What a size or a layout says of alignment is not needed: the addresses
// are looked at.
#pragma once
#define _COOPERATIVE_GROUPS_MEMCPY_ASYNC
#include "../cooperative_groups.h"

namespace cooperative_groups {
namespace __v1 {
namespace __warpsim {

template <unsigned bytes> struct Piece;
template <> struct Piece<1> {
    typedef unsigned char type;
};
template <> struct Piece<4> {
    typedef unsigned type;
};
template <> struct Piece<8> {
    typedef unsigned long long type;
};
template <> struct Piece<16> {
    typedef ulonglong2 type;
};

// Whole pieces of so many bytes, and how many bytes they are.
template <unsigned bytes, class Group>
__warpsim_device size_t copy_pieces(const Group &group, char *to, const char *from, size_t all,
                                    bool beside) {
    for (size_t i = group.thread_rank() * (size_t)bytes; i + bytes <= all;
         i += group.size() * (size_t)bytes) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
        if (bytes > 1 && beside) {
            unsigned at = (unsigned)__cvta_generic_to_shared(to + i);
            if (bytes == 16)
                asm volatile("cp.async.cg.shared.global [%0], [%1], 16;"
                                 :
                                 : "r"(at), "l"(from + i)
                                 : "memory");
            else
                asm volatile("cp.async.ca.shared.global [%0], [%1], %2;"
                                 :
                                 : "r"(at), "l"(from + i), "n"(bytes == 8 ? 8 : 4)
                                 : "memory");
            continue;
        }
#endif
        typedef typename Piece<bytes>::type T;
        *(T *)(to + i) = *(const T *)(from + i);
    }
    return all / bytes * bytes;
}
template <class Group>
__warpsim_device void copy(const Group &group, void *to, const void *from, size_t bytes) {
    char *there = (char *)to;
    const char *here = (const char *)from;
    bool beside = __isShared(to) && __isGlobal(from);
    size_t low = (size_t)to | (size_t)from, done;
    if (low % 16 == 0)
        done = copy_pieces<16>(group, there, here, bytes, beside);
    else if (low % 8 == 0)
        done = copy_pieces<8>(group, there, here, bytes, beside);
    else if (low % 4 == 0)
        done = copy_pieces<4>(group, there, here, bytes, beside);
    else
        done = 0;
    copy_pieces<1>(group, there + done, here + done, bytes - done, false);
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    asm volatile("cp.async.commit_group;" : : : "memory");
#endif
}

} // namespace __warpsim

// Of so many bytes.
template <class Group, class T, class Size>
__warpsim_member void memcpy_async(const Group &group, T *to, const T *from, const Size &bytes) {
    __warpsim::copy(group, to, from, (size_t)bytes);
}
// Of so many elements as both layouts have.
template <class Group, class T, class To, class From>
__warpsim_member void memcpy_async(const Group &group, T *to, const To &to_layout, const T *from,
                                   const From &from_layout) {
    size_t to_count = (size_t)to_layout, from_count = (size_t)from_layout;
    __warpsim::copy(group, to, from, (to_count < from_count ? to_count : from_count) * sizeof(T));
}

// For all but the last stages, and for all; then for all threads of the group.
template <unsigned stages, class Group> __warpsim_member void wait_prior(const Group &group) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_group %0;" : : "n"(stages) : "memory");
#endif
    group.sync();
}
template <class Group> __warpsim_member void wait(const Group &group) { wait_prior<0>(group); }

} // namespace __v1
using namespace __v1;
} // namespace cooperative_groups
