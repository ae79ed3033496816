// What -fsanitize=thread makes a kernel file call before each access, answered by our own checks: the
// compiler's library is not linked. It reports every access, also one of an address just used, and
// leaves out what lies in registers.
#include <cstring>

#include "runtime.h"

using cuda_emulator::Kind;
using cuda_emulator::current;
using cuda_emulator::on_access;

namespace {

inline void see(const void* address, size_t num_bytes, Kind kind, const void* place) {
  if (current != nullptr) on_access((uintptr_t)address, num_bytes, kind, place);
}

inline void see_volatile(const void* address, size_t num_bytes, const void* place) {
  if (current != nullptr) cuda_emulator::on_volatile_load((uintptr_t)address, num_bytes, place);
}

inline void see_atomic(const volatile void* address, size_t num_bytes, const void* place) {
  if (current != nullptr) on_access((uintptr_t)address, num_bytes, Kind::atomic, place);
}

}  // namespace

#define CUDA_EMULATOR_HOOKS(Size)                                                         \
  void __tsan_read##Size(void* a) { see(a, Size, Kind::load, __builtin_return_address(0)); }   \
  void __tsan_write##Size(void* a) { see(a, Size, Kind::store, __builtin_return_address(0)); } \
  void __tsan_unaligned_read##Size(void* a) {                                             \
    see(a, Size, Kind::load, __builtin_return_address(0));                                \
  }                                                                                       \
  void __tsan_unaligned_write##Size(void* a) {                                            \
    see(a, Size, Kind::store, __builtin_return_address(0));                               \
  }                                                                                       \
  void __tsan_volatile_read##Size(void* a) {                                              \
    see_volatile(a, Size, __builtin_return_address(0));                                   \
  }                                                                                       \
  void __tsan_unaligned_volatile_read##Size(void* a) {                                    \
    see_volatile(a, Size, __builtin_return_address(0));                                   \
  }                                                                                       \
  void __tsan_volatile_write##Size(void* a) {                                             \
    see(a, Size, Kind::store, __builtin_return_address(0));                               \
  }                                                                                       \
  void __tsan_unaligned_volatile_write##Size(void* a) {                                   \
    see(a, Size, Kind::store, __builtin_return_address(0));                               \
  }

// What a file does by std::atomic, or the compiler for a `static` variable of a function.
#define CUDA_EMULATOR_FETCH(Bits, T, Name)                                       \
  T __tsan_atomic##Bits##_fetch_##Name(volatile T* a, T value, int) {            \
    see_atomic(a, sizeof(T), __builtin_return_address(0));                       \
    return __atomic_fetch_##Name(a, value, __ATOMIC_SEQ_CST);                    \
  }
#define CUDA_EMULATOR_ATOMICS(Bits, T)                                           \
  T __tsan_atomic##Bits##_load(const volatile T* a, int) {                       \
    if (current != nullptr) cuda_emulator::note_poll();                          \
    see_atomic(a, sizeof(T), __builtin_return_address(0));                       \
    return __atomic_load_n(a, __ATOMIC_SEQ_CST);                                 \
  }                                                                              \
  void __tsan_atomic##Bits##_store(volatile T* a, T value, int) {                \
    see_atomic(a, sizeof(T), __builtin_return_address(0));                       \
    __atomic_store_n(a, value, __ATOMIC_SEQ_CST);                                \
  }                                                                              \
  T __tsan_atomic##Bits##_exchange(volatile T* a, T value, int) {                \
    see_atomic(a, sizeof(T), __builtin_return_address(0));                       \
    return __atomic_exchange_n(a, value, __ATOMIC_SEQ_CST);                      \
  }                                                                              \
  int __tsan_atomic##Bits##_compare_exchange_strong(volatile T* a, T* c, T value, int, int) { \
    see_atomic(a, sizeof(T), __builtin_return_address(0));                       \
    return __atomic_compare_exchange_n(a, c, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
  }                                                                              \
  int __tsan_atomic##Bits##_compare_exchange_weak(volatile T* a, T* c, T value, int, int) { \
    see_atomic(a, sizeof(T), __builtin_return_address(0));                       \
    return __atomic_compare_exchange_n(a, c, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
  }                                                                              \
  CUDA_EMULATOR_FETCH(Bits, T, add)                                              \
  CUDA_EMULATOR_FETCH(Bits, T, sub)                                              \
  CUDA_EMULATOR_FETCH(Bits, T, and)                                              \
  CUDA_EMULATOR_FETCH(Bits, T, or)                                               \
  CUDA_EMULATOR_FETCH(Bits, T, xor)                                              \
  CUDA_EMULATOR_FETCH(Bits, T, nand)

extern "C" {

void __tsan_init() {}
CUDA_EMULATOR_HOOKS(1)
CUDA_EMULATOR_HOOKS(2)
CUDA_EMULATOR_HOOKS(4)
CUDA_EMULATOR_HOOKS(8)
CUDA_EMULATOR_HOOKS(16)
CUDA_EMULATOR_ATOMICS(8, uint8_t)
CUDA_EMULATOR_ATOMICS(16, uint16_t)
CUDA_EMULATOR_ATOMICS(32, uint32_t)
CUDA_EMULATOR_ATOMICS(64, uint64_t)
void __tsan_atomic_thread_fence(int) { cuda_emulator::synchronise(); }
void __tsan_atomic_signal_fence(int) {}

void __tsan_read_range(void* a, size_t num_bytes) {
  if (num_bytes > 0) see(a, num_bytes, Kind::load, __builtin_return_address(0));
}
void __tsan_write_range(void* a, size_t num_bytes) {
  if (num_bytes > 0) see(a, num_bytes, Kind::store, __builtin_return_address(0));
}
void __tsan_vptr_update(void**, void*) {}
void __tsan_vptr_read(void**) {}

// Copies that the compiler leaves to the C library: emulator/copies.h sends them here.
void* cuda_emulator_memcpy(void* to, const void* from, size_t num_bytes) {
  if (num_bytes > 0) {
    see(from, num_bytes, Kind::load, __builtin_return_address(0));
    see(to, num_bytes, Kind::store, __builtin_return_address(0));
  }
  return memcpy(to, from, num_bytes);
}
void* cuda_emulator_memmove(void* to, const void* from, size_t num_bytes) {
  if (num_bytes > 0) {
    see(from, num_bytes, Kind::load, __builtin_return_address(0));
    see(to, num_bytes, Kind::store, __builtin_return_address(0));
  }
  return memmove(to, from, num_bytes);
}
void* cuda_emulator_memset(void* to, int value, size_t num_bytes) {
  if (num_bytes > 0) see(to, num_bytes, Kind::store, __builtin_return_address(0));
  return memset(to, value, num_bytes);
}
}
