// The heap of kernels: what they have from malloc and new is the C library's, and where it lies is kept. The calls of
// the kernel file come here under other names (runtime_objects.py); those of the runtime do not.
#include <cstdlib>
#include <map>
#include <new>

#include "runtime.h"

namespace cuda_emulator {

namespace {

std::map<uintptr_t, size_t> blocks;

void* keep(void* memory, size_t num_bytes) {
  if (current != nullptr && memory != nullptr) blocks[(uintptr_t)memory] = num_bytes;
  return memory;
}

void drop(void* memory) {
  if (current == nullptr || memory == nullptr || blocks.erase((uintptr_t)memory) > 0) return;
  fail("memory", cudaErrorIllegalAddress, "frees what malloc or new did not give in a kernel, or frees it twice");
}

}  // namespace

bool on_heap_access(uintptr_t address, size_t num_bytes, Kind kind) {
  auto after = blocks.upper_bound(address);
  if (after == blocks.begin()) return false;
  auto block = std::prev(after);
  size_t offset = address - block->first;
  if (offset + num_bytes <= block->second) return true;
  constexpr size_t near = 4096;
  if (offset >= block->second + near) return false;
  fail("memory", cudaErrorIllegalAddress, "%s byte %zu of memory from malloc or new, which has %zu bytes", verb(kind),
       offset, block->second);
}

}  // namespace cuda_emulator

extern "C" {
using cuda_emulator::drop;
using cuda_emulator::keep;

void* cuda_emulator_own_malloc(size_t size) { return keep(malloc(size), size); }
void* cuda_emulator_own__Znwm(size_t size) { return keep(::operator new(size), size); }
void* cuda_emulator_own__Znam(size_t size) { return keep(::operator new[](size), size); }
void cuda_emulator_own_free(void* memory) { drop(memory), free(memory); }
void cuda_emulator_own__ZdlPv(void* memory) { drop(memory), ::operator delete(memory); }
void cuda_emulator_own__ZdaPv(void* memory) { drop(memory), ::operator delete[](memory); }
void cuda_emulator_own__ZdlPvm(void* memory, size_t) { cuda_emulator_own__ZdlPv(memory); }
void cuda_emulator_own__ZdaPvm(void* memory, size_t) { cuda_emulator_own__ZdaPv(memory); }
}
