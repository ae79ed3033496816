// Shared memory of the one block that runs.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "runtime.h"

namespace cuda_emulator {

namespace {

constexpr size_t alignment = 128;
constexpr size_t arena_size = 64 << 10;  // static variables, with gaps between them
constexpr int fill = 0xff;               // NaN as a float: a value that nobody stored stands out

struct Variable {
  const void* key;
  size_t offset;
  size_t num_bytes;
};

alignas(1024) char arena[arena_size];
alignas(1024) char dynamic[max_shared_opt_in];
std::vector<Variable> variables;
size_t num_permanent = 0;  // variables at namespace scope, which come first
size_t arena_end = 0;
size_t static_bytes = 0;
size_t dynamic_bytes = 0;

size_t end_of(const Variable& variable) {
  return (variable.offset + variable.num_bytes + alignment - 1) / alignment * alignment;
}

void recount() {
  arena_end = variables.empty() ? 0 : end_of(variables.back());
  static_bytes = 0;
  for (const Variable& variable : variables) static_bytes += variable.num_bytes;
}

void check_size(const char* name, size_t num_bytes) {
  size_t total = static_bytes + num_bytes;
  if (total <= (size_t)max_shared_default && arena_end + num_bytes <= arena_size) return;
  if (current == nullptr) {
    fprintf(stderr, "__shared__ %s: more than %d bytes\n", name, max_shared_default);
    abort();
  }
  fail("launch", cudaErrorInvalidValue,
       "declares `%s`, which brings static shared memory to %zu bytes; a block has %d", name,
       total, max_shared_default);
}

}  // namespace

void* shared_variable(const void* key, size_t num_bytes, const char* name) {
  for (const Variable& variable : variables) {
    if (variable.key == key) return arena + variable.offset;
  }
  check_size(name, num_bytes);
  variables.push_back(Variable{key, arena_end, num_bytes});
  if (current == nullptr) num_permanent = variables.size();
  char* address = arena + arena_end;
  memset(address, fill, num_bytes);
  recount();
  return address;
}

void* dynamic_shared_memory() {
  return dynamic;
}

void begin_launch_shared(size_t num_bytes) {
  variables.resize(num_permanent);
  recount();
  dynamic_bytes = num_bytes;
}

void begin_block_shared() {
  memset(arena, fill, arena_end);
  memset(dynamic, fill, dynamic_bytes);
}

}  // namespace cuda_emulator
