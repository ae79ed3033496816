// Atomics. Only one thread runs at a time, so a plain read and a plain write are atomic.
#pragma once
#include "emulator/interface.h"
#include "emulator/keywords.h"

namespace cuda_emulator {

template <class T, class Update>
CUDA_EMULATOR_INLINE T atomic_update(T* address, Update update, bool is_exchange = false) {
  note_atomic((void*)address, sizeof(T), is_exchange);
  T old;
  copy_unchecked(&old, (const void*)address, sizeof(T));
  T next = update(old);
  copy_unchecked((void*)address, &next, sizeof(T));
  if (!is_exchange && next == old) note_poll();
  return old;
}

// An atomic that changed nothing is likely a spin: the thread that it waits for must get its turn.
CUDA_EMULATOR_INLINE void spin_if(bool unchanged) {
  if (unchanged) give_up_turn();
}

// What integers are added as: they wrap around, here as on a GPU.
template <class T>
struct Wrapping {
  using Type = T;
};
template <>
struct Wrapping<int> {
  using Type = unsigned;
};
template <>
struct Wrapping<long> {
  using Type = unsigned long;
};
template <>
struct Wrapping<long long> {
  using Type = unsigned long long;
};
template <class T>
using wrapping = typename Wrapping<T>::Type;

}  // namespace cuda_emulator

template <class T, class U>
CUDA_EMULATOR_INLINE T atomicAdd(T* address, U value) {
  return cuda_emulator::atomic_update(address, [&](T old) { return T(cuda_emulator::wrapping<T>(old) + cuda_emulator::wrapping<T>(T(value))); });
}
template <class T, class U>
CUDA_EMULATOR_INLINE T atomicSub(T* address, U value) {
  return cuda_emulator::atomic_update(address, [&](T old) { return T(cuda_emulator::wrapping<T>(old) - cuda_emulator::wrapping<T>(T(value))); });
}
template <class T, class U>
CUDA_EMULATOR_INLINE T atomicMin(T* address, U value) {
  return cuda_emulator::atomic_update(address, [&](T old) { return T(value) < old ? T(value) : old; });
}
template <class T, class U>
CUDA_EMULATOR_INLINE T atomicMax(T* address, U value) {
  return cuda_emulator::atomic_update(address, [&](T old) { return old < T(value) ? T(value) : old; });
}
template <class T, class U>
CUDA_EMULATOR_INLINE T atomicAnd(T* address, U value) {
  return cuda_emulator::atomic_update(address, [&](T old) { return T(old & T(value)); });
}
template <class T, class U>
CUDA_EMULATOR_INLINE T atomicOr(T* address, U value) {
  return cuda_emulator::atomic_update(address, [&](T old) { return T(old | T(value)); });
}
template <class T, class U>
CUDA_EMULATOR_INLINE T atomicXor(T* address, U value) {
  return cuda_emulator::atomic_update(address, [&](T old) { return T(old ^ T(value)); });
}
CUDA_EMULATOR_INLINE unsigned atomicInc(unsigned* address, unsigned limit) {
  return cuda_emulator::atomic_update(
      address, [&](unsigned old) { return old >= limit ? 0u : old + 1; });
}
CUDA_EMULATOR_INLINE unsigned atomicDec(unsigned* address, unsigned limit) {
  return cuda_emulator::atomic_update(
      address, [&](unsigned old) { return old == 0 || old > limit ? limit : old - 1; });
}
template <class T, class U>
CUDA_EMULATOR_INLINE T atomicExch(T* address, U value) {
  T old = cuda_emulator::atomic_update(address, [&](T) { return T(value); }, true);
  cuda_emulator::synchronise();
  cuda_emulator::spin_if(old == T(value));
  return old;
}
template <class T, class U, class V>
CUDA_EMULATOR_INLINE T atomicCAS(T* address, U compare, V value) {
  T old = cuda_emulator::atomic_update(
      address, [&](T current) { return current == T(compare) ? T(value) : current; });
  cuda_emulator::synchronise();
  cuda_emulator::spin_if(!(old == T(compare)));
  return old;
}
