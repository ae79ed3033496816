// Device memory: each buffer in a window of reserved addresses, so that no bad index reaches
// another buffer, and with its end against a page that cannot be touched.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <map>
#include <string>

#include "runtime.h"

namespace cuda_emulator {

namespace {

constexpr size_t min_window = size_t(1) << 30;
constexpr size_t start_alignment = 256;
constexpr int fill = 0xff;
constexpr unsigned char canary = 0xa5;
constexpr uintptr_t null_page_end = 1 << 16;
// Filling touches every page. A larger buffer is there to span addresses, not to be full.
constexpr size_t max_filled = size_t(256) << 20;

struct Buffer {
  std::string name;
  size_t window_size;
  char* pages;  // what may be touched: from `pages` to `pages_end`, which holds the buffer
  char* pages_end;
  char* start;
  size_t num_bytes;
  bool is_free;
  bool is_managed;  // the host may touch it too
  bool is_written;  // all of it, by a copy from outside
  size_t item_bytes;
  Cell* cells;  // null before the first access
  Target target;

  char* end() const { return start + num_bytes; }
};

std::map<uintptr_t, Buffer> buffers;  // by the window's first address
unsigned num_allocated = 0;
int num_open = 1;  // memory is closed at 0

size_t round_up(size_t value, size_t unit) {
  return (value + unit - 1) / unit * unit;
}

constexpr int num_recent = 4;
Buffer* recent[num_recent];  // buffers never move: a map keeps its nodes
int next_recent = 0;

// The buffer whose window holds the address, or null.
Buffer* find(const void* address) {
  auto after = buffers.upper_bound((uintptr_t)address);
  if (after == buffers.begin()) return nullptr;
  auto candidate = std::prev(after);
  uintptr_t offset = (uintptr_t)address - candidate->first;
  return offset < candidate->second.window_size ? &candidate->second : nullptr;
}

void fill_pages(Buffer& buffer) {
  memset(buffer.pages, canary, size_t(buffer.start - buffer.pages));
  memset(buffer.end(), canary, size_t(buffer.pages_end - buffer.end()));
  if (buffer.num_bytes <= max_filled) memset(buffer.start, fill, buffer.num_bytes);
}

void protect(const Buffer& buffer, int protection) {
  if (buffer.is_free || buffer.is_managed) return;
  mprotect(buffer.pages, size_t(buffer.pages_end - buffer.pages), protection);
}

void protect_all(int protection) {
  for (const auto& entry : buffers) protect(entry.second, protection);
}

// The buffer lies in the middle of its window, its end as near to a page's end as it can.
Buffer place(char* window, size_t window_size, size_t num_bytes, const char* name) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  size_t room = round_up(std::max<size_t>(num_bytes, 1), page);
  Buffer buffer;
  buffer.name = name;
  buffer.window_size = window_size;
  buffer.pages = window + round_up((window_size - room) / 2, page);
  buffer.pages_end = buffer.pages + room;
  buffer.start = buffer.pages + (room - num_bytes) / start_alignment * start_alignment;
  buffer.num_bytes = num_bytes;
  buffer.is_free = false;
  buffer.is_managed = false;
  buffer.is_written = false;
  buffer.item_bytes = 0;
  buffer.cells = nullptr;
  return buffer;
}

Buffer* find_recent(uintptr_t address) {
  for (Buffer* buffer : recent) {
    if (buffer != nullptr && address - (uintptr_t)buffer->start < buffer->num_bytes) return buffer;
  }
  Buffer* found = find((void*)address);
  if (found != nullptr) recent[next_recent++ % num_recent] = found;
  return found;
}

// Shared with nobody, but a shared mapping: a limit on the process's data does not count it.
void make_cells(Buffer& buffer) {
  size_t size = (buffer.num_bytes / word + 2) * sizeof(Cell);
  int flags = MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE;
  void* memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, flags, -1, 0);
  buffer.cells = memory == MAP_FAILED ? nullptr : static_cast<Cell*>(memory);
}

[[noreturn]] void fail_outside(const Buffer& buffer, uintptr_t address, size_t num_bytes, Kind kind) {
  if (buffer.is_free) {
    fail("memory", cudaErrorIllegalAddress, "%s the buffer `%s` after it was freed", verb(kind),
         buffer.name.c_str());
  }
  char element[120];
  write_element(buffer.target, address, num_bytes, element, sizeof element);
  size_t item = buffer.item_bytes == 0 ? num_bytes : buffer.item_bytes;
  size_t count = buffer.num_bytes / item;
  fail("memory", cudaErrorIllegalAddress, "%s %s: `%s` has %zu element%s", verb(kind), element,
       buffer.name.c_str(), count, count == 1 ? "" : "s");
}

// A copy has written this much from an address on.
void note_written(void* address, size_t num_bytes) {
  Buffer* buffer = find(address);
  if (buffer != nullptr && address == buffer->start && num_bytes >= buffer->num_bytes) {
    buffer->is_written = true;
  } else if (buffer != nullptr && buffer->num_bytes <= max_filled) {
    if (buffer->cells == nullptr) make_cells(*buffer);
    if (buffer->cells == nullptr) return;
    size_t first = size_t(static_cast<char*>(address) - buffer->start) / word;
    for (size_t i = 0; i <= num_bytes / word; i++) buffer->cells[first + i].known_bytes = 0xf;
  }
}

void* allocate(size_t num_bytes, const char* name, bool is_managed) {
  size_t window_size = round_up(num_bytes + min_window / 2, min_window);
  int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  void* window = mmap(nullptr, window_size, PROT_NONE, flags, -1, 0);
  if (window == MAP_FAILED) return nullptr;
  Buffer buffer = place(static_cast<char*>(window), window_size, num_bytes, name);
  size_t room = size_t(buffer.pages_end - buffer.pages);
  if (mprotect(buffer.pages, room, PROT_READ | PROT_WRITE) != 0) {
    munmap(window, window_size);
    return nullptr;
  }
  fill_pages(buffer);
  buffer.is_managed = is_managed;
  Buffer& kept = buffers[(uintptr_t)window] = buffer;
  kept.target = Target{kept.name.c_str(), (uintptr_t)kept.start, num_bytes, 0, {}};
  if (num_open == 0) protect(buffer, PROT_NONE);
  return buffer.start;
}

// The window stays reserved, so that a later use of the buffer is seen as what it is.
void release(Buffer& buffer) {
  size_t room = size_t(buffer.pages_end - buffer.pages);
  if (buffer.cells != nullptr) munmap(buffer.cells, (buffer.num_bytes / word + 2) * sizeof(Cell));
  buffer.cells = nullptr;
  for (Buffer*& each : recent) each = nullptr;
  madvise(buffer.pages, room, MADV_DONTNEED);
  mprotect(buffer.pages, room, PROT_NONE);
  buffer.is_free = true;
}

// How many bytes past the end were changed: up to the last one that differs.
size_t overrun(const Buffer& buffer) {
  size_t slack = size_t(buffer.pages_end - buffer.end());
  const unsigned char* bytes = reinterpret_cast<const unsigned char*>(buffer.end());
  while (slack > 0 && bytes[slack - 1] == canary) slack--;
  return slack;
}

size_t underrun(const Buffer& buffer) {
  const unsigned char* first = reinterpret_cast<const unsigned char*>(buffer.pages);
  const unsigned char* start = reinterpret_cast<const unsigned char*>(buffer.start);
  while (first < start && *first == canary) first++;
  return size_t(start - first);
}

// Host memory is taken on trust.
bool is_inside(const void* address, size_t num_bytes) {
  const Buffer* buffer = find(address);
  if (buffer == nullptr) return true;
  const char* first = static_cast<const char*>(address);
  return !buffer->is_free && first >= buffer->start && first + num_bytes <= buffer->end();
}

int check_range(const char* function, const void* address, size_t num_bytes) {
  if (address == nullptr) {
    return refuse("memory", "", cudaErrorInvalidValue, "%s gets a null pointer", function);
  }
  if (is_inside(address, num_bytes)) return cudaSuccess;
  const Buffer& buffer = *find(address);
  return refuse("memory", "", cudaErrorInvalidValue,
                "%s of %zu bytes from byte %td on leaves the buffer `%s`, which has %zu bytes",
                function, num_bytes, static_cast<const char*>(address) - buffer.start,
                buffer.name.c_str(), buffer.is_free ? 0 : buffer.num_bytes);
}

}  // namespace

void close_memory() {
  if (--num_open == 0) protect_all(PROT_NONE);
}

void open_memory() {
  if (num_open++ == 0) protect_all(PROT_READ | PROT_WRITE);
}

bool on_buffer_access(uintptr_t address, size_t num_bytes, Kind kind, const void* place) {
  Buffer* buffer = find_recent(address);
  if (buffer == nullptr) return false;
  uintptr_t start = (uintptr_t)buffer->start;
  if (buffer->is_free || address < start || address + num_bytes > start + buffer->num_bytes) {
    fail_outside(*buffer, address, num_bytes, kind);
  }
  const Target& target = buffer->target;
  if (buffer->num_bytes <= max_filled) {
    if (buffer->cells == nullptr) make_cells(*buffer);
    bool must_be_written = !buffer->is_written && !buffer->is_managed;
    if (buffer->cells != nullptr) {
      check_races(buffer->cells, target, address, num_bytes, kind, false, must_be_written);
    }
  }
  if (is_counting) count_access(target, address, num_bytes, kind, false, place);
  return true;
}

bool is_device_only(uintptr_t address) {
  const Buffer* buffer = find((void*)address);
  return buffer != nullptr && !buffer->is_managed;
}

void describe_address(uintptr_t address, char* text, size_t capacity) {
  const Buffer* buffer = find((void*)address);
  if (address < null_page_end) {
    snprintf(text, capacity, "through a null pointer");
  } else if (buffer == nullptr) {
    snprintf(text, capacity, "where no device memory is: a wild index, or a host pointer");
  } else if (buffer->is_free) {
    snprintf(text, capacity, "the buffer `%s` after it was freed", buffer->name.c_str());
  } else if (address >= (uintptr_t)buffer->start) {
    snprintf(text, capacity, "%zu bytes past the end of the buffer `%s`, which has %zu bytes",
             (size_t)(address - (uintptr_t)buffer->end()), buffer->name.c_str(),
             buffer->num_bytes);
  } else {
    snprintf(text, capacity, "%zu bytes before the start of the buffer `%s`",
             (size_t)((uintptr_t)buffer->start - address), buffer->name.c_str());
  }
}

const char* buffer_name(uintptr_t address) {
  const Buffer* buffer = find((void*)address);
  return buffer == nullptr ? nullptr : buffer->name.c_str();
}

int allocate_device(void** address, size_t num_bytes, bool is_managed) {
  if (sticky_error() != cudaSuccess) return sticky_error();
  char name[40];
  snprintf(name, sizeof name, "cudaMalloc #%u", ++num_allocated);
  *address = num_bytes == 0 ? nullptr : allocate(num_bytes, name, is_managed);
  return *address == nullptr && num_bytes > 0 ? cudaErrorMemoryAllocation : cudaSuccess;
}

int free_device(void* address) {
  if (address == nullptr) return cudaSuccess;
  Buffer* buffer = find(address);
  if (buffer == nullptr || buffer->is_free || buffer->start != address) {
    return refuse("memory", "", cudaErrorInvalidValue,
                  "cudaFree gets an address that cudaMalloc did not give, or that is free already");
  }
  release(*buffer);
  return cudaSuccess;
}

int copy_memory(void* to, const void* from, size_t num_bytes) {
  if (sticky_error() != cudaSuccess) return sticky_error();
  if (num_bytes == 0) return cudaSuccess;
  if (int error = check_range("cudaMemcpy", to, num_bytes)) return error;
  if (int error = check_range("cudaMemcpy", from, num_bytes)) return error;
  OpenMemory open;
  memmove(to, from, num_bytes);
  note_written(to, num_bytes);
  return cudaSuccess;
}

int set_memory(void* to, int value, size_t num_bytes) {
  if (sticky_error() != cudaSuccess) return sticky_error();
  if (num_bytes == 0) return cudaSuccess;
  if (int error = check_range("cudaMemset", to, num_bytes)) return error;
  OpenMemory open;
  memset(to, value, num_bytes);
  note_written(to, num_bytes);
  return cudaSuccess;
}

}  // namespace cuda_emulator

// ---- for the grader ---------------------------------------------------------------------------
extern "C" {

__attribute__((visibility("default"))) void* cuda_emulator_allocate(size_t num_bytes,
                                                                     const char* name,
                                                                     size_t item_bytes) {
  void* address = cuda_emulator::allocate(num_bytes, name, false);
  if (address == nullptr) return nullptr;
  cuda_emulator::Buffer* buffer = cuda_emulator::find(address);
  buffer->item_bytes = buffer->target.item_bytes = item_bytes;
  return address;
}

// The grader has written a buffer, or it is an output, of which nothing is known yet.
__attribute__((visibility("default"))) void cuda_emulator_set_written(void* address, int is_written) {
  cuda_emulator::Buffer* buffer = cuda_emulator::find(address);
  if (buffer != nullptr) buffer->is_written = is_written != 0;
}

__attribute__((visibility("default"))) int cuda_emulator_free(void* address) {
  using namespace cuda_emulator;
  Buffer* buffer = find(address);
  if (buffer == nullptr || buffer->is_free || buffer->start != address) return 1;
  release(*buffer);
  return 0;
}

// Calls `report(name, bytes past the end, bytes before the start)` for each damaged buffer.
__attribute__((visibility("default"))) void cuda_emulator_overruns(
    void (*report)(const char* name, size_t past_end, size_t before_start)) {
  using namespace cuda_emulator;
  for (const auto& entry : buffers) {
    const Buffer& buffer = entry.second;
    if (buffer.is_free) continue;
    size_t past_end = overrun(buffer);
    size_t before_start = underrun(buffer);
    if (past_end + before_start > 0) report(buffer.name.c_str(), past_end, before_start);
  }
}
}
