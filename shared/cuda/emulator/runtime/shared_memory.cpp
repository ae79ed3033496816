// Shared memory of the one block that runs.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "runtime.h"

namespace cuda_emulator {

alignas(1024) char shared_arena[arena_size];
alignas(1024) char shared_dynamic[max_shared_opt_in];

namespace {

constexpr size_t alignment = 128;
constexpr size_t gap = 128;               // at least, where nobody may write
constexpr int fill = 0xff;               // NaN as a float: a value that nobody stored stands out

struct Variable {
  const void* key;
  size_t offset;
  size_t num_bytes;
  std::string name;
  Target target;
};

constexpr auto& arena = shared_arena;
constexpr auto& dynamic = shared_dynamic;
std::vector<Variable> variables;
size_t num_permanent = 0;  // variables at namespace scope, which come first
size_t arena_end = 0;
size_t static_bytes = 0;
size_t dynamic_bytes = 0;
std::string dynamic_name = "extern __shared__";
Target dynamic_target = {};
Target no_variable = {"shared memory", 0, 0, 0, {}};
const Target* last_target = &no_variable;  // the same one is often used many times in a row
Cell arena_cells[arena_size / word];
Cell dynamic_cells[max_shared_opt_in / word];

size_t end_of(const Variable& variable) {
  return (variable.offset + variable.num_bytes + gap + alignment - 1) / alignment * alignment;
}

void recount() {
  arena_end = variables.empty() ? gap : end_of(variables.back());
  static_bytes = 0;
  for (const Variable& variable : variables) static_bytes += variable.num_bytes;
}

void check_size(const char* name, size_t num_bytes) {
  size_t total = static_bytes + num_bytes;
  if (total <= (size_t)max_shared_default && arena_end + num_bytes + gap <= arena_size) return;
  if (current == nullptr) {
    fprintf(stderr, "__shared__ %s: more than %d bytes\n", name, max_shared_default);
    abort();
  }
  fail("launch", cudaErrorInvalidValue,
       "declares `%s`, which brings static shared memory to %zu bytes; a block has %d", name,
       total, max_shared_default);
}

// The variable that an address lies in, or after.
const Target& target_of(uintptr_t address) {
  if (address - last_target->start < last_target->num_bytes) return *last_target;
  if (address - (uintptr_t)dynamic < sizeof dynamic) return *(last_target = &dynamic_target);
  size_t offset = address - (uintptr_t)arena;
  for (size_t i = variables.size(); i-- > 0;) {
    if (variables[i].offset <= offset) return *(last_target = &variables[i].target);
  }
  return no_variable;
}

[[noreturn]] void fail_outside(const Target& target, uintptr_t address, size_t num_bytes,
                               Kind kind) {
  char element[120];
  write_element(target, address, num_bytes, element, sizeof element);
  size_t item = target.item_bytes == 0 ? num_bytes : target.item_bytes;
  fail("memory", cudaErrorIllegalAddress, "%s %s: the shared array has %zu elements", verb(kind),
       element, target.num_bytes / item);
}

}  // namespace

void on_shared_access(uintptr_t address, size_t num_bytes, Kind kind, const void* place) {
  const Target& target = target_of(address);
  if (address < target.start || address + num_bytes > target.start + target.num_bytes) {
    fail_outside(target, address, num_bytes, kind);
  }
  bool is_dynamic = target.start == (uintptr_t)dynamic;
  Cell* cells = is_dynamic ? dynamic_cells
                           : arena_cells + (target.start - (uintptr_t)arena) / word;
  Cell& first = cells[(address - target.start) / word];
  if (!is_plain_load(first, address, num_bytes, kind)) {
    check_races(cells, target, address, num_bytes, kind, true, true);
  }
  if (is_counting) count_access(target, address, num_bytes, kind, true, place);
}

void* shared_variable(const void* key, size_t num_bytes, const char* name, Shape shape) {
  for (const Variable& variable : variables) {
    if (variable.key == key) return arena + variable.offset;
  }
  recount();
  check_size(name, num_bytes);
  Target target = {name, (uintptr_t)arena + arena_end, num_bytes, shape.item_bytes,
                   {shape.extents[0], shape.extents[1], shape.extents[2]}};
  variables.push_back(Variable{key, arena_end, num_bytes, name, target});
  last_target = &no_variable;  // a vector that grows moves
  if (current == nullptr) num_permanent = variables.size();
  char* address = arena + arena_end;
  memset(address, fill, num_bytes);
  recount();
  return address;
}

void* dynamic_shared_memory(const char* name, size_t item_bytes) {
  if (dynamic_target.item_bytes == 0) {
    dynamic_name = name;
    dynamic_target = Target{dynamic_name.c_str(), (uintptr_t)dynamic, dynamic_bytes, item_bytes, {}};
  }
  return dynamic;
}

void begin_launch_shared(size_t num_bytes) {
  variables.resize(num_permanent);
  recount();
  dynamic_bytes = num_bytes;
  dynamic_target = Target{dynamic_name.c_str(), (uintptr_t)dynamic, num_bytes, 0, {}};
  last_target = &no_variable;
}

void begin_block_shared() {
  memset(arena, fill, arena_end);
  memset(dynamic, fill, dynamic_bytes);
}

}  // namespace cuda_emulator
