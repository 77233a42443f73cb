// Reductions and scans of groups (CUDA C++ Programming Guide, "Cooperative Groups", "Data Transfer
// and Manipulation").
//
// Values are combined in the order of CUDA's headers: a tile's by halves, others' by doubling
// distances, where the operation has the later value first. Sums of integers, too, go by shuffles,
// so that lanes that should take part and do not are found. `reduce_update_async` and
// `reduce_store_async` are complete when they return.
#pragma once
#include "tiles.h"

namespace cooperative_groups {
namespace __v1 {

#define __warpsim_operation(name, ...)                                                             \
    template <class T> struct name {                                                               \
        __warpsim_member T operator()(T a, T b) const { return __VA_ARGS__; }                      \
    };
__warpsim_operation(plus, a + b) __warpsim_operation(less, b < a ? b : a)
    __warpsim_operation(greater, a < b ? b : a) __warpsim_operation(bit_and, a &b)
        __warpsim_operation(bit_or, a | b) __warpsim_operation(bit_xor, a ^ b)
#undef __warpsim_operation

            namespace __warpsim {

    // Halves after halves of these lanes, which are a tile.
    template <unsigned n, class T, class F> __warpsim_device T fold(unsigned lanes, T v, F &f) {
        for (unsigned by = n / 2; by > 0; by /= 2) v = f(v, shuffle_bfly(lanes, v, by, n));
        return v;
    }
    // The values of all threads up to each one, by doubling distances.
    template <class Group, class T, class F>
    __warpsim_device T add_up(const Group &group, T v, F &f) {
        for (unsigned by = 1; by < group.size(); by *= 2) {
            T other = group.shfl_up(v, by);
            if (group.thread_rank() >= by) v = f(v, other);
        }
        return v;
    }
    // The value of the thread before, and of the first thread another one.
    template <class Group, class T> __warpsim_device T moved_up(const Group &group, T v, T first) {
        T other = group.shfl_up(v, 1);
        return group.thread_rank() == 0 ? first : other;
    }
    template <class T, class F> struct Fold {
        F &f;
        unsigned warps;
        __warpsim_member T operator()(T v) const {
            for (unsigned by = warps / 2; by > 0; by /= 2)
                v = f(v, shuffle_bfly(0xffffffff, v, by, warps));
            return v;
        }
    };

    // What the kinds of groups do.
    template <class Group> struct Collective {
        static_assert(sizeof(Group) == 0, "collectives are of tiles and of coalesced groups");
    };
    template <class Group> struct OfWarp {
        template <class T, class F>
        static __warpsim_member T inclusive(const Group &group, T v, F &f) {
            return add_up(group, v, f);
        }
        template <class T, class F>
        static __warpsim_member T exclusive(const Group &group, T v, F &f) {
            return moved_up(group, add_up(group, v, f), T());
        }
    };
    template <> struct Collective<coalesced_group> : OfWarp<coalesced_group> {
        template <class T, class F>
        static __warpsim_member T reduce(const coalesced_group &group, T v, F &f) {
            if (group.size() == 32) return fold<32>(group.__warpsim_mask(), v, f);
            return group.shfl(add_up(group, v, f), group.size() - 1);
        }
    };
    template <class Group, unsigned n, bool has_warps> struct OfTile : OfWarp<Group> {
        template <class T, class F>
        static __warpsim_member T reduce(const Group &group, T v, F &f) {
            return fold<n>(group.__warpsim_mask(), v, f);
        }
    };
    // Each warp has a value of its last thread; then the values of warps are combined like those of
    // threads.
    template <class T, class F> struct Before {
        F &f;
        unsigned warps, warp;
        __warpsim_member T operator()(T v) const {
            for (unsigned by = 1; by < warps; by *= 2) {
                T other = shuffle_up(0xffffffff, v, by, warps);
                if (lane() % warps >= by) v = f(v, other);
            }
            return shuffle_idx(0xffffffff, v, warp == 0 ? 0 : warp - 1);
        }
    };
    template <class Group, unsigned n> struct OfTile<Group, n, true> {
        typedef thread_block_tile<32, thread_block> Warp;
        template <class T, class F> static __warpsim_member T reduce(const Group &, T v, F &f) {
            return Group::__warpsim_gather(fold<32>(0xffffffff, v, f), Fold<T, F>{f, n / 32});
        }
        template <class T, class F> static __warpsim_member T inclusive(const Group &, T v, F &f) {
            auto warp = tiled_partition<32>(this_thread_block());
            v = add_up(warp, v, f);
            T before = Group::__warpsim_gather(v, Before<T, F>{f, n / 32, Group::__warpsim_warp()});
            return Group::__warpsim_warp() == 0 ? v : f(v, before);
        }
        template <class T, class F>
        static __warpsim_member T exclusive(const Group &group, T v, F &f) {
            auto warp = tiled_partition<32>(this_thread_block());
            v = add_up(warp, v, f);
            T before = Group::__warpsim_gather(v, Before<T, F>{f, n / 32, Group::__warpsim_warp()});
            v = moved_up(warp, v, T());
            if (Group::__warpsim_warp() == 0) return v;
            return warp.thread_rank() == 0 ? before : f(v, before);
        }
    };
    template <unsigned n, class Parent> struct Collective<thread_block_tile<n, Parent>>
        : OfTile<thread_block_tile<n, Parent>, n, (n > 32)> {};

    // An order of memory as an argument of functions whose type for it has another name in each
    // library: the relaxed one.
    struct Relaxed {
        template <class Order> __warpsim_member operator Order() const { return Order(0); }
    };
    // How an atomic object takes a value, and what it had before. What is no operation of its own
    // goes through compare-exchange.
    template <class F> struct Update {
        template <class Atomic, class T> static __warpsim_member T to(Atomic &at, T v, F &f) {
            T old = at.load(Relaxed());
            while (!at.compare_exchange_weak(old, f(old, v), Relaxed(), Relaxed())) {
            }
            return old;
        }
    };
#define __warpsim_update(name, function)                                                           \
    template <class V> struct Update<name<V>> {                                                    \
        template <class Atomic, class T, class F>                                                  \
        static __warpsim_member T to(Atomic &at, T v, F &) {                                       \
            return at.function(v, Relaxed());                                                      \
        }                                                                                          \
    };
    __warpsim_update(plus, fetch_add) __warpsim_update(less, fetch_min)
        __warpsim_update(greater, fetch_max) __warpsim_update(bit_and, fetch_and)
            __warpsim_update(bit_or, fetch_or) __warpsim_update(bit_xor, fetch_xor)
#undef __warpsim_update
                template <class Atomic, class T, class F>
                __warpsim_device T update(Atomic & at, T v, F & f) {
        return Update<bare_t<F>>::to(at, v, f);
    }

} // namespace __warpsim

// `reduce`: the same value for all threads of the group.
template <class Group, class T, class F>
__warpsim_member auto reduce(const Group &group, T &&v, F &&f) -> __warpsim::bare_t<T> {
    typedef __warpsim::bare_t<T> V;
    static_assert(__warpsim::is_same<__warpsim::bare_t<decltype(f(v, v))>, V>::value,
                  "the operation gives a value of the type that it takes");
    return __warpsim::Collective<Group>::reduce(group, V(v), f);
}

// One thread combines the group's value with an atomic object's, or stores it.
template <class Group, class Atomic, class T, class F>
__warpsim_member void reduce_update_async(const Group &group, Atomic &&at, T &&v, F &&f) {
    __warpsim::bare_t<T> all = reduce(group, v, f);
    if (group.thread_rank() == 0) __warpsim::update(at, all, f);
}
namespace __warpsim {
template <class Atomic, class T> __warpsim_device void put(Atomic &at, const T &v) {
    at.store(v, Relaxed());
}
template <class V, class T> __warpsim_device void put(V *&at, const T &v) { *at = v; }
template <class V, class T> __warpsim_device void put(V *const &at, const T &v) { *at = v; }
} // namespace __warpsim
template <class Group, class Place, class T, class F>
__warpsim_member void reduce_store_async(const Group &group, Place &&at, T &&v, F &&f) {
    __warpsim::bare_t<T> all = reduce(group, v, f);
    if (group.thread_rank() == 0) __warpsim::put(at, all);
}

// Scans: what the threads have up to each one, with it or without it.
#define __warpsim_scan(name, kind)                                                                 \
    template <class Group, class T, class F>                                                       \
    __warpsim_member auto name(const Group &group, T &&v, F &&f) -> __warpsim::bare_t<T> {         \
        typedef __warpsim::bare_t<T> V;                                                            \
        static_assert(__warpsim::is_same<__warpsim::bare_t<decltype(f(v, v))>, V>::value,          \
                      "the operation gives a value of the type that it takes");                    \
        return __warpsim::Collective<Group>::kind(group, V(v), f);                                 \
    }                                                                                              \
    template <class Group, class T> __warpsim_member auto name(const Group &group, T &&v)          \
        -> __warpsim::bare_t<T> {                                                                  \
        return name(group, v, plus<__warpsim::bare_t<T>>());                                       \
    }
__warpsim_scan(inclusive_scan, inclusive) __warpsim_scan(exclusive_scan, exclusive)
#undef __warpsim_scan

    // The last thread combines the group's value with an atomic object's; all go on from what that
    // had before.
    template <class Group, class Atomic, class T, class F>
    __warpsim_member auto inclusive_scan_update(const Group &group, Atomic &&at, T &&v, F &&f)
        -> __warpsim::bare_t<T> {
    __warpsim::bare_t<T> with = inclusive_scan(group, v, f), old = with;
    if (group.thread_rank() == group.size() - 1) old = __warpsim::update(at, with, f);
    return f(group.shfl(old, group.size() - 1), with);
}
template <class Group, class Atomic, class T, class F>
__warpsim_member auto exclusive_scan_update(const Group &group, Atomic &&at, T &&v, F &&f)
    -> __warpsim::bare_t<T> {
    __warpsim::bare_t<T> with = inclusive_scan(group, v, f), old = with;
    if (group.thread_rank() == group.size() - 1) old = __warpsim::update(at, with, f);
    old = group.shfl(old, group.size() - 1);
    __warpsim::bare_t<T> before = exclusive_scan(group, v, f);
    return group.thread_rank() == 0 ? old : f(old, before);
}
#define __warpsim_sum(name)                                                                        \
    template <class Group, class Atomic, class T>                                                  \
    __warpsim_member auto name(const Group &group, Atomic &&at, T &&v) -> __warpsim::bare_t<T> {   \
        return name(group, at, v, plus<__warpsim::bare_t<T>>());                                   \
    }
__warpsim_sum(inclusive_scan_update) __warpsim_sum(exclusive_scan_update)
#undef __warpsim_sum

} // namespace __v1
using namespace __v1;
} // namespace cooperative_groups
