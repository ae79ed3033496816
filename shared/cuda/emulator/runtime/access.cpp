// Every access of a kernel to memory: where it may go, and which checks then apply.
#include <link.h>

#include <cstdio>
#include <cstring>

#include "runtime.h"

namespace cuda_emulator {

namespace {

struct Range {
  uintptr_t start, end;
};

// The library itself: `__constant__` and `__device__` variables, tables, the text of messages.
int find_library(dl_phdr_info* info, size_t, void* data) {
  Range& range = *static_cast<Range*>(data);
  Range found = {~uintptr_t(0), 0};
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const auto& header = info->dlpi_phdr[i];
    if (header.p_type != PT_LOAD) continue;
    uintptr_t start = info->dlpi_addr + header.p_vaddr;
    if (start < found.start) found.start = start;
    if (start + header.p_memsz > found.end) found.end = start + header.p_memsz;
  }
  uintptr_t own = (uintptr_t)&on_access;
  if (own < found.start || own >= found.end) return 0;
  range = found;
  return 1;
}

bool is_in_library(uintptr_t address) {
  static const Range range = [] {
    Range found = {0, 0};
    dl_iterate_phdr(find_library, &found);
    return found;
  }();
  return address >= range.start && address < range.end;
}

[[noreturn]] void fail_elsewhere(uintptr_t address, Kind kind) {
  char where[300];
  describe_address(address, where, sizeof where);
  fail("memory", cudaErrorIllegalAddress, "%s %s", verb(kind), where);
}

}  // namespace

const char* verb(Kind kind) {
  return kind == Kind::load ? "reads" : kind == Kind::store ? "writes" : "updates";
}

void on_access(uintptr_t address, size_t num_bytes, Kind kind, const void* place) {
  Thread& self = *current;
  if (address - (uintptr_t)self.stack < stack_size) return;  // its own variables
  settle_store();
  self.place = place;
  if (self.log.size() >= max_log) give_up_turn();
  spend_access();
  if (kind == Kind::atomic && address == self.loaded) note_guess(self.load_place);
  self.loaded = kind == Kind::load ? address : 0;
  self.load_place = place;
  if (is_shared(address)) return on_shared_access(address, num_bytes, kind, place);
  if (on_buffer_access(address, num_bytes, kind, place)) return;
  if (is_in_library(address) || is_launch_argument(address)) return;
  if (on_heap_access(address, num_bytes, kind)) return;
  fail_elsewhere(address, kind);
}

void on_volatile_load(uintptr_t address, size_t num_bytes, const void* place) {
  current->place = place;
  note_poll();
  current->is_polling = true;
  on_access(address, num_bytes, Kind::load, place);
  current->is_polling = false;
}

void note_atomic(void* address, size_t num_bytes, bool is_exchange) {
  const void* place = __builtin_return_address(0);
  if (current == nullptr) return;
  current->is_exchanging = is_exchange;
  on_access((uintptr_t)address, num_bytes, Kind::atomic, place);
  current->is_exchanging = false;
}

void copy_unchecked(void* to, const void* from, size_t num_bytes) {
  memcpy(to, from, num_bytes);
}

void write_element(const Target& target, uintptr_t address, size_t size, char* text,
                   size_t capacity) {
  size_t item = target.item_bytes == 0 ? size : target.item_bytes;
  intptr_t index = ((intptr_t)address - (intptr_t)target.start) / (intptr_t)item;
  const size_t* e = target.extents;
  size_t length = (size_t)snprintf(text, capacity, "%s", target.name);
  if (index >= 0 && e[1] > 0) {
    size_t inner = e[1] * (e[2] > 0 ? e[2] : 1);
    length += (size_t)snprintf(text + length, capacity - length, "[%td]", index / (intptr_t)inner);
    index %= (intptr_t)inner;
    if (e[2] > 0) {
      length += (size_t)snprintf(text + length, capacity - length, "[%td]", index / (intptr_t)e[2]);
      index %= (intptr_t)e[2];
    }
  }
  snprintf(text + length, capacity - length, "[%td]", index);
}

}  // namespace cuda_emulator
