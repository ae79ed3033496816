// Barriers, shuffles and votes.
#pragma once
#include <cstring>

#include "emulator/atomics.h"
#include "emulator/interface.h"
#include "emulator/keywords.h"

// A barrier is known by its line: the compiler may copy the call into several branches.
CUDA_EMULATOR_INLINE void __syncthreads(int line = __builtin_LINE()) {
  cuda_emulator::block_barrier(cuda_emulator::Barrier::plain, 0, line);
}
CUDA_EMULATOR_INLINE int __syncthreads_count(int predicate, int line = __builtin_LINE()) {
  return cuda_emulator::block_barrier(cuda_emulator::Barrier::count, predicate != 0, line);
}
CUDA_EMULATOR_INLINE int __syncthreads_and(int predicate, int line = __builtin_LINE()) {
  return cuda_emulator::block_barrier(cuda_emulator::Barrier::all, predicate != 0, line);
}
CUDA_EMULATOR_INLINE int __syncthreads_or(int predicate, int line = __builtin_LINE()) {
  return cuda_emulator::block_barrier(cuda_emulator::Barrier::any, predicate != 0, line);
}
CUDA_EMULATOR_INLINE void __syncwarp(unsigned mask = 0xffffffffu) {
  cuda_emulator::warp_barrier(mask);
}

// Threads run one at a time, so each sees what the others stored.
inline void __threadfence() { cuda_emulator::synchronise(); }
inline void __threadfence_block() { cuda_emulator::synchronise(); }
inline void __threadfence_system() { cuda_emulator::synchronise(); }
inline void __nanosleep(unsigned) {
  cuda_emulator::give_up_turn();
}

namespace cuda_emulator {

template <class T>
CUDA_EMULATOR_INLINE uint64_t to_bits(T value) {
  static_assert(sizeof(T) <= 8, "a shuffle moves values of at most 8 bytes");
  uint64_t bits = 0;
  memcpy(&bits, &value, sizeof(T));
  return bits;
}

template <class T>
CUDA_EMULATOR_INLINE T from_bits(uint64_t bits) {
  T value;
  memcpy(&value, &bits, sizeof(T));
  return value;
}

template <class T>
CUDA_EMULATOR_INLINE T shuffle(unsigned mask, T value, Shuffle kind, int argument, int width) {
  return from_bits<T>(warp_shuffle(mask, to_bits(value), kind, argument, width));
}

template <class T, class Combine>
CUDA_EMULATOR_INLINE T warp_reduce(unsigned mask, T value, Combine combine) {
  unsigned arrived = 0;
  uint64_t values[32];
  copy_unchecked(values, warp_exchange(mask, to_bits(value), &arrived), sizeof values);
  T result = value;
  for (unsigned i = 0; i < 32; i++) {
    if ((arrived >> i & 1) && i != lane()) result = combine(result, from_bits<T>(values[i]));
  }
  return result;
}

}  // namespace cuda_emulator

template <class T>
CUDA_EMULATOR_INLINE T __shfl_sync(unsigned mask, T value, int source, int width = 32) {
  return cuda_emulator::shuffle(mask, value, cuda_emulator::Shuffle::from_lane, source, width);
}
template <class T>
CUDA_EMULATOR_INLINE T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32) {
  return cuda_emulator::shuffle(mask, value, cuda_emulator::Shuffle::up, (int)delta, width);
}
template <class T>
CUDA_EMULATOR_INLINE T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32) {
  return cuda_emulator::shuffle(mask, value, cuda_emulator::Shuffle::down, (int)delta, width);
}
template <class T>
CUDA_EMULATOR_INLINE T __shfl_xor_sync(unsigned mask, T value, int lane_mask, int width = 32) {
  return cuda_emulator::shuffle(mask, value, cuda_emulator::Shuffle::exclusive_or, lane_mask,
                                width);
}

CUDA_EMULATOR_INLINE unsigned __ballot_sync(unsigned mask, int predicate) {
  return cuda_emulator::warp_ballot(mask, predicate);
}
CUDA_EMULATOR_INLINE int __any_sync(unsigned mask, int predicate) {
  return cuda_emulator::warp_ballot(mask, predicate) != 0;
}
CUDA_EMULATOR_INLINE int __all_sync(unsigned mask, int predicate) {
  return cuda_emulator::warp_ballot(mask, !predicate) == 0;
}
CUDA_EMULATOR_INLINE unsigned __activemask() {
  return cuda_emulator::active_lanes();
}
template <class T>
CUDA_EMULATOR_INLINE unsigned __match_any_sync(unsigned mask, T value) {
  return cuda_emulator::warp_match(mask, cuda_emulator::to_bits(value));
}

template <class T>
CUDA_EMULATOR_INLINE T __reduce_add_sync(unsigned mask, T value) {
  using Sum = cuda_emulator::wrapping<T>;
  return cuda_emulator::warp_reduce(mask, value, [](T a, T b) { return T(Sum(a) + Sum(b)); });
}
template <class T>
CUDA_EMULATOR_INLINE T __reduce_min_sync(unsigned mask, T value) {
  return cuda_emulator::warp_reduce(mask, value, [](T a, T b) { return b < a ? b : a; });
}
template <class T>
CUDA_EMULATOR_INLINE T __reduce_max_sync(unsigned mask, T value) {
  return cuda_emulator::warp_reduce(mask, value, [](T a, T b) { return a < b ? b : a; });
}
CUDA_EMULATOR_INLINE unsigned __reduce_and_sync(unsigned mask, unsigned value) {
  return cuda_emulator::warp_reduce(mask, value, [](unsigned a, unsigned b) { return a & b; });
}
CUDA_EMULATOR_INLINE unsigned __reduce_or_sync(unsigned mask, unsigned value) {
  return cuda_emulator::warp_reduce(mask, value, [](unsigned a, unsigned b) { return a | b; });
}
CUDA_EMULATOR_INLINE unsigned __reduce_xor_sync(unsigned mask, unsigned value) {
  return cuda_emulator::warp_reduce(mask, value, [](unsigned a, unsigned b) { return a ^ b; });
}
