// Groups that are parts of others: tiles, coalesced threads, partitions (CUDA C++ Programming
// Guide, "Explicit Groups").
//
// The parent of a tile is a block or a tile. `tiled_partition<64>` of a block of more than 512
// threads waits for all threads of the parent, as the guide allows; no other partition does.
#pragma once
#include "group.h"

namespace cooperative_groups {
namespace __v1 {

template <unsigned size, class Parent = void> class thread_block_tile;

// Threads of a warp, by their lanes. Their ranks are in the order of the lanes.
class coalesced_group : public thread_group {
  public:
    __warpsim_member explicit coalesced_group(unsigned lanes, unsigned meta_rank = 0,
                                              unsigned meta_size = 1, bool is_tile = false)
        : thread_group(__warpsim::Kind::lanes, lanes, __popc(lanes), meta_rank,
                       meta_size, is_tile) {}
    __warpsim_member unsigned __warpsim_mask() const { return lanes; }
    __warpsim_member bool __warpsim_is_tile() const { return is_tile; }
    __warpsim_member void sync() const { __syncwarp(lanes); }
    __warpsim_member unsigned thread_rank() const {
        return __popc(lanes & __warpsim::lanes_below());
    }
    __warpsim_member unsigned num_threads() const { return count; }
    __warpsim_member unsigned size() const { return num_threads(); }
    __warpsim_member unsigned meta_group_rank() const { return meta_rank; }
    __warpsim_member unsigned meta_group_size() const { return meta_size; }
    __warpsim_member int any(int p) const { return __any_sync(lanes, p); }
    __warpsim_member int all(int p) const { return __all_sync(lanes, p); }
    __warpsim_member unsigned ballot(int p) const {
        return __warpsim::ranks(lanes, __ballot_sync(lanes, p));
    }
    template <class T> __warpsim_member unsigned match_any(T v) const {
        return __warpsim::ranks(lanes, __warpsim::match_any(lanes, v));
    }
    template <class T> __warpsim_member unsigned match_all(T v, int &p) const {
        return __warpsim::ranks(lanes, __warpsim::match_all(lanes, v, p));
    }
    template <class T> __warpsim_member T shfl(T v, int from) const {
        return __warpsim::shuffle_idx(lanes, v, __warpsim::nth(lanes, from));
    }
    // Who is asked for a rank that there is not has its own value.
    template <class T> __warpsim_member T shfl_up(T v, unsigned by) const {
        unsigned rank = thread_rank();
        return __warpsim::shuffle_idx(
            lanes, v, rank >= by ? __warpsim::nth(lanes, rank - by) : __warpsim::lane());
    }
    template <class T> __warpsim_member T shfl_down(T v, unsigned by) const {
        unsigned rank = thread_rank() + by;
        return __warpsim::shuffle_idx(
            lanes, v, rank < size() ? __warpsim::nth(lanes, rank) : __warpsim::lane());
    }
};
__warpsim_member coalesced_group coalesced_threads() { return coalesced_group(__activemask()); }

namespace __warpsim {

// The threads of a tile's parent, as tiles divide them.
template <class Parent> struct Parts;
template <> struct Parts<thread_block> {
    static constexpr unsigned most = 1024;
    static __warpsim_member unsigned rank() { return rank_in_block(); }
    static __warpsim_member unsigned threads() { return threads_of_block(); }
};
template <unsigned size, class Parent> struct Parts<thread_block_tile<size, Parent>> {
    static constexpr unsigned most = size;
    static __warpsim_member unsigned rank() { return rank_in_block() % size; }
    static __warpsim_member unsigned threads() { return size; }
};

// A tile of threads of one warp.
template <unsigned n> class Lanes : public thread_group {
  protected:
    static __warpsim_member unsigned first() { return lane() / n * n; }
    static __warpsim_member unsigned mask() { return (0xffffffffu >> (32 - n)) << first(); }
    __warpsim_member Lanes(unsigned meta_rank, unsigned meta_size)
        : thread_group(Kind::lanes, mask(), n, meta_rank, meta_size) {}

  public:
    static __warpsim_member unsigned __warpsim_mask() { return mask(); }
    static __warpsim_member void sync() { __syncwarp(mask()); }
    static __warpsim_member unsigned thread_rank() { return lane() % n; }
    __warpsim_member int any(int p) const { return __any_sync(mask(), p); }
    __warpsim_member int all(int p) const { return __all_sync(mask(), p); }
    __warpsim_member unsigned ballot(int p) const {
        return (__ballot_sync(mask(), p) & mask()) >> first();
    }
    template <class T> __warpsim_member unsigned match_any(T v) const {
        return __warpsim::match_any(mask(), v) >> first();
    }
    template <class T> __warpsim_member unsigned match_all(T v, int &p) const {
        return __warpsim::match_all(mask(), v, p) >> first();
    }
    template <class T> __warpsim_member T shfl(T v, int from) const {
        return shuffle_idx(mask(), v, from, n);
    }
    template <class T> __warpsim_member T shfl_up(T v, unsigned by) const {
        return shuffle_up(mask(), v, by, n);
    }
    template <class T> __warpsim_member T shfl_down(T v, unsigned by) const {
        return shuffle_down(mask(), v, by, n);
    }
    template <class T> __warpsim_member T shfl_xor(T v, unsigned by) const {
        return shuffle_bfly(mask(), v, by, n);
    }
};

struct Any {
    __warpsim_member int operator()(int p) const { return __any_sync(0xffffffff, p); }
};
struct All {
    __warpsim_member int operator()(int p) const { return __all_sync(0xffffffff, p); }
};

// A tile of several warps.
template <unsigned n> class Warps : public thread_group {
    static constexpr unsigned warps = n / 32;
    static __warpsim_member unsigned first_warp() { return rank_in_block() / n * warps; }

  protected:
    __warpsim_member Warps(unsigned meta_rank, unsigned meta_size)
        : thread_group(Kind::warps, 0, n, meta_rank, meta_size) {}

  public:
    static __warpsim_member void sync() { tile_sync(n); }
    static __warpsim_member unsigned thread_rank() { return rank_in_block() % n; }

    static __warpsim_member unsigned __warpsim_warp() { return thread_rank() / 32; }
    // Each warp tells a value, that of its last thread; then `of` is called with those of all, warp
    // by warp in the lanes. What was told may be told anew when all have come out of here.
    template <class T, class Of> static __warpsim_member T __warpsim_gather(T v, Of of) {
        static_assert(sizeof(T) <= 32, "what warps tell each other has at most 32 bytes");
        if (lane() == 31) *(T *)told_by(rank_in_block() / 32) = v;
        sync();
        T all = of(*(const T *)told_by(first_warp() + lane() % warps));
        sync();
        return all;
    }
    // All threads ask for the same one.
    template <class T> __warpsim_member T shfl(T v, unsigned from) const {
        static_assert(sizeof(T) <= 32, "what is shuffled has at most 32 bytes");
        if (thread_rank() == from) *(T *)told_by(first_warp()) = v;
        sync();
        T got = *(const T *)told_by(first_warp());
        sync();
        return got;
    }
    __warpsim_member int any(int p) const {
        return __warpsim_gather(__any_sync(0xffffffff, p), Any());
    }
    __warpsim_member int all(int p) const {
        return __warpsim_gather(__all_sync(0xffffffff, p), All());
    }
};

template <unsigned n, bool has_warps> struct Form {
    typedef Lanes<n> type;
};
template <unsigned n> struct Form<n, true> {
    typedef Warps<n> type;
};
template <unsigned n> class Tile : public Form<n, (n > 32)>::type {
    static_assert(n > 0 && n <= 1024 && (n & (n - 1)) == 0,
                  "the size of a tile is a power of two, of at most 1024");

  protected:
    __warpsim_member Tile(unsigned rank, unsigned size) : Form<n, (n > 32)>::type(rank, size) {}

  public:
    static __warpsim_member constexpr unsigned num_threads() { return n; }
    static __warpsim_member constexpr unsigned size() { return n; }
};

} // namespace __warpsim

// A tile whose type says whose part it is.
template <unsigned n, class Parent> class thread_block_tile : public __warpsim::Tile<n> {
    typedef __warpsim::Parts<Parent> Parts;
    static_assert(n <= Parts::most, "a tile has at most as many threads as its parent");
    template <unsigned size, class Of>
    friend __device__ thread_block_tile<size, Of> tiled_partition(const Of &);

  protected:
    __warpsim_member explicit thread_block_tile(const Parent &)
        : __warpsim::Tile<n>(meta_group_rank(), meta_group_size()) {}

  public:
    static __warpsim_member unsigned meta_group_rank() { return Parts::rank() / n; }
    static __warpsim_member unsigned meta_group_size() { return (Parts::threads() + n - 1) / n; }
};
// A tile that knows it itself.
template <unsigned n> class thread_block_tile<n, void> : public __warpsim::Tile<n> {
    friend __device__ thread_block_tile<1, void> this_thread();
    __warpsim_member thread_block_tile() : __warpsim::Tile<n>(0, 1) {}

  public:
    template <class Parent>
    __warpsim_member thread_block_tile(const thread_block_tile<n, Parent> &tile)
        : __warpsim::Tile<n>(tile.meta_group_rank(), tile.meta_group_size()) {}
    __warpsim_member unsigned meta_group_rank() const { return this->meta_rank; }
    __warpsim_member unsigned meta_group_size() const { return this->meta_size; }
};
__warpsim_member thread_block_tile<1, void> this_thread() { return thread_block_tile<1, void>(); }

template <unsigned n, class Parent>
__warpsim_member thread_block_tile<n, Parent> tiled_partition(const Parent &parent) {
    if (n == 64 && __warpsim::is_pair(n)) {
        parent.sync();
        if (__warpsim::rank_in_block() % n == 0) *__warpsim::pair_word() = 0;
        parent.sync();
    }
    return thread_block_tile<n, Parent>(parent);
}

// Tiles whose size is known when it runs. Of threads that are no tile, a part has those that follow
// each other by rank.
__warpsim_member coalesced_group tiled_partition(const coalesced_group &parent, unsigned n) {
    unsigned threads = parent.size(), rank = parent.thread_rank() / n, lanes = 0;
    if (n == 0 || n > 32 || (n & (n - 1)) != 0) __trap();
    if (threads <= n) return parent;
    for (unsigned i = 0; i < n && rank * n + i < threads; ++i)
        lanes |= 1u << __warpsim::nth(parent.__warpsim_mask(), rank * n + i);
    return coalesced_group(lanes, rank, (threads + n - 1) / n, parent.__warpsim_is_tile());
}
__warpsim_member thread_group tiled_partition(const thread_block &, unsigned n) {
    if (n == 0 || n > 32 || (n & (n - 1)) != 0) __trap();
    unsigned rank = __warpsim::rank_in_block(), threads = __warpsim::threads_of_block();
    unsigned first = rank / n * n, there = threads - first < n ? threads - first : n;
    unsigned lanes = (0xffffffffu >> (32 - there)) << first % 32;
    return coalesced_group(lanes, rank / n, (threads + n - 1) / n, true);
}
__warpsim_member thread_group tiled_partition(const thread_group &parent, unsigned n) {
    if (parent.kind == __warpsim::Kind::block) return tiled_partition(this_thread_block(), n);
    if (parent.kind != __warpsim::Kind::lanes) __trap();
    return tiled_partition(
        coalesced_group(parent.lanes, parent.meta_rank, parent.meta_size, parent.is_tile), n);
}

namespace __warpsim {
template <class Group> struct is_of_warp {
    static constexpr bool value = false;
};
template <> struct is_of_warp<coalesced_group> {
    static constexpr bool value = true;
};
template <unsigned n, class Parent> struct is_of_warp<thread_block_tile<n, Parent>> {
    static constexpr bool value = n <= 32;
};

__warpsim_device coalesced_group halves(unsigned lanes, bool p) {
    unsigned with = __ballot_sync(lanes, p) & lanes;
    if (with == 0 || with == lanes) return coalesced_group(lanes);
    return coalesced_group(p ? with : lanes & ~with, p, 2);
}
// Parts are in the order of their first threads.
template <class T> struct Labels {
    static __warpsim_member coalesced_group part(unsigned lanes, T label) {
        unsigned same = __warpsim::match_any(lanes, label);
        unsigned firsts = __ballot_sync(lanes, lane() == first_of(same)) & lanes;
        unsigned before = firsts & ((1u << first_of(same)) - 1);
        return coalesced_group(same, __popc(before), __popc(firsts));
    }
};
template <> struct Labels<bool> {
    static __warpsim_member coalesced_group part(unsigned lanes, bool p) {
        return halves(lanes, p);
    }
};
} // namespace __warpsim

// Of coalesced threads, or of a tile of a warp's threads, those with the same predicate, and those
// with the same label.
template <class Group>
__warpsim_member coalesced_group binary_partition(const Group &group, bool p) {
    static_assert(__warpsim::is_of_warp<Group>::value,
                  "a group of threads of one warp can be divided");
    return __warpsim::halves(group.__warpsim_mask(), p);
}
template <class Group, class T>
__warpsim_member coalesced_group labeled_partition(const Group &group, T label) {
    static_assert(__warpsim::is_of_warp<Group>::value,
                  "a group of threads of one warp can be divided");
    static_assert(__warpsim::is_label<T>::value,
                  "labels are integers or pointers");
    return __warpsim::Labels<T>::part(group.__warpsim_mask(), label);
}

} // namespace __v1
using namespace __v1;
} // namespace cooperative_groups
