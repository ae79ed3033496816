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

}  // namespace

#define CUDA_EMULATOR_HOOKS(Size)                                                         \
  void __tsan_read##Size(void* a) { see(a, Size, Kind::load, __builtin_return_address(0)); }   \
  void __tsan_write##Size(void* a) { see(a, Size, Kind::store, __builtin_return_address(0)); } \
  void __tsan_unaligned_read##Size(void* a) {                                             \
    see(a, Size, Kind::load, __builtin_return_address(0));                                \
  }                                                                                       \
  void __tsan_unaligned_write##Size(void* a) {                                            \
    see(a, Size, Kind::store, __builtin_return_address(0));                               \
  }

extern "C" {

void __tsan_init() {}
CUDA_EMULATOR_HOOKS(1)
CUDA_EMULATOR_HOOKS(2)
CUDA_EMULATOR_HOOKS(4)
CUDA_EMULATOR_HOOKS(8)
CUDA_EMULATOR_HOOKS(16)

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
