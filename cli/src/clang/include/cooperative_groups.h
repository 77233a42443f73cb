// Cooperative groups (CUDA C++ Programming Guide, version 12.9, "Cooperative Groups"). `reduce`,
// scans and `memcpy_async` have headers of their own, as in CUDA. A grid can be synchronised in a
// cooperative launch, as on hardware; in another one the kernel ends. Clusters need sm_90. Not one
// of the functions that CUDA's headers keep to themselves is here. All is in the namespace `__v1`,
// because libcu++ declares groups there.
#pragma once
#define _COOPERATIVE_GROUPS_H_
#include "cooperative_groups/details/tiles.h"

namespace cooperative_groups {
namespace __v1 {

template <class Group> __warpsim_member void sync(const Group &group) { group.sync(); }
template <class Group> __warpsim_member auto thread_rank(const Group &group)
    -> decltype(group.thread_rank()) {
    return group.thread_rank();
}
template <class Group> __warpsim_member auto group_size(const Group &group)
    -> decltype(group.num_threads()) {
    return group.num_threads();
}

// One thread of the group calls the function. Here it is the first one, and on hardware any one.
template <class Group, class F, class... Arguments>
__warpsim_member void invoke_one(const Group &group, F &&f, Arguments &&...arguments) {
    if (group.thread_rank() == 0) static_cast<F &&>(f)(static_cast<Arguments &&>(arguments)...);
}
// And all of them have what it returned.
template <class Group, class F, class... Arguments>
__warpsim_member auto invoke_one_broadcast(const Group &group, F &&f, Arguments &&...arguments)
    -> __warpsim::bare_t<decltype(static_cast<F &&>(f)(static_cast<Arguments &&>(arguments)...))> {
    typedef __warpsim::bare_t<decltype(static_cast<F &&>(f)(
        static_cast<Arguments &&>(arguments)...))>
        T;
    static_assert(!__warpsim::is_same<T, void>::value,
                  "of a function that returns nothing, nothing can be told to others");
    union Told {
        T value;
        char none;
        __warpsim_member Told() : none(0) {}
    } told;
    if (group.thread_rank() == 0)
        told.value = static_cast<F &&>(f)(static_cast<Arguments &&>(arguments)...);
    return group.shfl(told.value, 0);
}

} // namespace __v1
using namespace __v1;
} // namespace cooperative_groups
