// Cooperative groups: the block, and tiles of a warp. A grid-wide group is not emulated.
#pragma once
#include "cuda_runtime.h"

namespace cooperative_groups {

class thread_block {
 public:
  static void sync(int line = __builtin_LINE()) { __syncthreads(line); }
  static unsigned size() { return blockDim.x * blockDim.y * blockDim.z; }
  static unsigned num_threads() { return size(); }
  static unsigned thread_rank() {
    return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  }
  static dim3 group_index() { return blockIdx; }
  static dim3 thread_index() { return threadIdx; }
  static dim3 group_dim() { return blockDim; }
  static dim3 dim_threads() { return blockDim; }
};

inline thread_block this_thread_block() {
  return {};
}

template <unsigned Size, class Parent = thread_block>
class thread_block_tile {
  static_assert(Size >= 1 && Size <= 32 && (Size & (Size - 1)) == 0,
                "a tile has 1, 2, 4, 8, 16 or 32 threads");

 public:
  static constexpr unsigned size() { return Size; }
  static constexpr unsigned num_threads() { return Size; }
  static unsigned thread_rank() { return cuda_emulator::lane() % Size; }
  static unsigned meta_group_rank() { return thread_block::thread_rank() / Size; }
  static unsigned meta_group_size() { return (thread_block::size() + Size - 1) / Size; }
  CUDA_EMULATOR_INLINE static void sync() { __syncwarp(mask()); }

  template <class T>
  T shfl(T value, int source) const {
    return __shfl_sync(mask(), value, source, Size);
  }
  template <class T>
  T shfl_up(T value, unsigned delta) const {
    return __shfl_up_sync(mask(), value, delta, Size);
  }
  template <class T>
  T shfl_down(T value, unsigned delta) const {
    return __shfl_down_sync(mask(), value, delta, Size);
  }
  template <class T>
  T shfl_xor(T value, int lane_mask) const {
    return __shfl_xor_sync(mask(), value, lane_mask, Size);
  }
  static int any(int predicate) { return __any_sync(mask(), predicate); }
  static int all(int predicate) { return __all_sync(mask(), predicate); }
  static unsigned ballot(int predicate) { return __ballot_sync(mask(), predicate) >> first_lane(); }

  // The lanes of this tile, as a mask of the warp.
  static unsigned mask() {
    unsigned ones = Size == 32 ? 0xffffffffu : (1u << Size % 32) - 1;
    return ones << first_lane();
  }

 private:
  static unsigned first_lane() { return cuda_emulator::lane() / Size * Size; }
};

template <unsigned Size, class Parent>
thread_block_tile<Size, Parent> tiled_partition(const Parent&) {
  return {};
}

CUDA_EMULATOR_INLINE void sync(const thread_block&, int line = __builtin_LINE()) {
  __syncthreads(line);
}
template <unsigned Size, class Parent>
void sync(const thread_block_tile<Size, Parent>& tile) {
  tile.sync();
}

template <class T>
struct plus {
  T operator()(T a, T b) const { return a + b; }
};
template <class T>
struct less {
  T operator()(T a, T b) const { return b < a ? b : a; }
};
template <class T>
struct greater {
  T operator()(T a, T b) const { return a < b ? b : a; }
};

template <unsigned Size, class Parent, class T, class Combine>
T reduce(const thread_block_tile<Size, Parent>& tile, T value, Combine combine) {
  return cuda_emulator::warp_reduce(tile.mask(), value, combine);
}

}  // namespace cooperative_groups
