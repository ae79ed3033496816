// What the parts of the runtime share. One OS thread runs everything, so nothing here is locked.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "emulator/device.h"
#include "emulator/interface.h"

namespace cuda_emulator {

// ---- fibers.cpp: stacks, and switching between them -------------------------------------------
typedef void* Context;
constexpr size_t stack_size = 256 << 10;

char* take_stack();
void give_back_stack(char* stack);
void give_back_all_stacks();
bool is_stack_guard(uintptr_t address);
Context new_context(char* stack, void (*entry)());
extern "C" void cuda_emulator_switch(Context* save, Context next);

// ---- scheduler.cpp: the threads of one block ---------------------------------------------------
enum class State : uint8_t { fresh, ready, gave_up_turn, at_barrier, in_warp_operation, done };

struct Warp;

// One access of a thread, as `traffic.cpp` counts it.
struct Access {
  uintptr_t address;
  uint32_t size;
  uint32_t site;
};

struct Thread {
  Context context;
  char* stack;
  uint3 index;
  Warp* warp;
  unsigned lane;
  State state;
  int predicate;           // at a barrier
  Barrier barrier;         // at a barrier
  int barrier_line;        // at a barrier
  int barrier_result;      // after a barrier
  unsigned mask;           // in a warp operation
  const char* operation;   // in a warp operation: its name, the same address for the same one
  uint64_t value;          // in a warp operation: what this lane hands in
  uint32_t number;         // in the launch, counted from 1
  const void* place;       // the instruction of the file that called the runtime last
  uint32_t num_accesses;   // so far
  bool is_synchronised;    // with others, by a lock or a fence
  bool is_exchanging;      // an atomic that does not ask what was there
  bool is_polling;         // a load that is volatile
  uintptr_t loaded;        // by its last access; 0: that was no load
  const void* load_place;
  uint32_t num_polls;      // such loads, and atomics that change nothing
  std::vector<Access> log;
};

struct Warp {
  Thread* threads;
  unsigned num_threads;
  uint64_t values[32];  // what the lanes handed in, as of the last release
  unsigned arrived;     // the lanes whose values are valid
  uint16_t turn;        // intervals between its warp operations, since the block began
};

extern Thread* current;  // the thread that runs, null in host code

void prepare_threads(dim3 block, void (*body)(void*), void* arguments);
void run_block(uint3 block_index);
void abandon_threads();
// Counts an access of the thread that runs; one that never ends has too many.
constexpr uint32_t max_accesses = 1u << 25;
[[noreturn]] void fail_endless();
inline void spend_access() {
  if (++current->num_accesses > max_accesses) fail_endless();
}
void wait_in_warp(unsigned mask, uint64_t value, const char* operation, const void* place);
// The index of a thread that a number belongs to; its block's in `block`.
uint3 index_of(uint32_t number, uint3* block);

// ---- launch.cpp ----------------------------------------------------------------------------------
// Ends the launch; `current` never runs again.
[[noreturn]] void leave_kernel();
const char* running_kernel();
void begin_call_launches();

// Whether the address belongs to the arguments of the launch that runs.
bool is_launch_argument(uintptr_t address);

// ---- access.cpp: every access of a kernel ------------------------------------------------------
enum class Kind : uint8_t { load, store, atomic };

void on_access(uintptr_t address, size_t num_bytes, Kind kind, const void* place);
void on_volatile_load(uintptr_t address, size_t num_bytes, const void* place);
const char* verb(Kind kind);

// ---- races.cpp: who used a word of memory last -------------------------------------------------
// Blocks run one after another and threads in turn, so what is compared is what a GPU leaves open:
// two threads are in order if a barrier lies between them, or a warp operation within one warp.
struct Cell {
  uint32_t writer, write_epoch;  // a thread's number; the interval between two barriers
  uint32_t reader, read_epoch;
  const void* write_place;
  const void* read_place;
  uint16_t write_turn, read_turn;
  uint8_t write_bytes, read_bytes;  // of the word, as bits
  uint8_t known_bytes;              // that anybody has written
  uint8_t readers : 2;              // 0: one, 1: several of one warp, 2: of several warps
  uint8_t is_atomic : 1;            // the write
  uint8_t is_released : 1;          // the write, by a thread that is synchronised
};
constexpr size_t word = 4;

// What is accessed, for messages.
struct Target {
  const char* name;
  uintptr_t start;
  size_t num_bytes;
  size_t item_bytes;
  size_t extents[3];  // of an array of arrays, 0 where there is no more
};

extern uint32_t epoch;  // intervals between barriers, over all launches
extern uint32_t launch_epoch;
extern uint32_t block_epoch;
extern bool store_is_pending;

void begin_launch_races();
// A load right before an atomic on the same address: `old = *p` in front of a loop of atomicCAS, which checks it.
void note_guess(const void* place);
void begin_block_races();
void pass_barrier();
// `cells` belong to the words from `start` on; `is_shared` cells to the block that runs.
void check_races(Cell* cells, const Target& target, uintptr_t address, size_t num_bytes, Kind kind,
                 bool is_shared, bool must_be_written);
// Lane 0 of a warp has its first number.
inline bool is_own_warp(uint32_t number) {
  return number - current->number + current->lane < 32u;
}

// The cell names the first reader of an interval, and whether there were others: of the same bytes, as threads that
// each have a byte of their own are none of each other's business.
inline void record_read(Cell& cell, uint8_t bytes) {
  const Thread& self = *current;
  bool is_apart = cell.reader != self.number && !(cell.read_bytes & bytes);
  bool is_later = cell.readers < 2 && is_own_warp(cell.reader) && cell.read_turn < self.warp->turn;
  if (cell.read_epoch != epoch || is_apart || is_later) {
    cell.read_epoch = epoch;
    cell.reader = self.number;
    cell.readers = 0;
    cell.read_bytes = bytes;
    cell.read_place = self.place;
  } else if (cell.reader != self.number) {
    cell.readers = cell.readers == 2 || !is_own_warp(cell.reader) ? 2 : 1;
    cell.read_bytes &= bytes;
  } else if (cell.readers == 0) {
    cell.read_bytes |= bytes;
  }
  cell.read_turn = self.warp->turn;
}

// The usual load of a word of shared memory, of what this block wrote before the last barrier: it is recorded here.
inline bool is_plain_load(Cell& cell, uintptr_t address, size_t num_bytes, Kind kind) {
  bool is_plain = kind == Kind::load && num_bytes == word && address % word == 0 &&
                  cell.write_epoch >= block_epoch && cell.write_epoch < epoch &&
                  cell.known_bytes == 0xf;
  if (is_plain) record_read(cell, 0xf);
  return is_plain;
}

// A store that came upon another thread's must leave the value that was there.
void check_store();
inline void settle_store() {
  if (store_is_pending) check_store();
}
// "tile[1][0]", or "x[1000]".
void write_element(const Target& target, uintptr_t address, size_t size, char* text, size_t capacity);

// ---- traffic.cpp: what is moved ----------------------------------------------------------------
void count_access(const Target& target, uintptr_t address, size_t num_bytes, Kind kind,
                  bool is_shared, const void* place);
void count_warp(Warp& warp);
// A lane whose log has grown to this waits for the others, so that what they have in common can be counted and dropped.
constexpr size_t max_log = 1 << 14;
void count_barrier();
void begin_call_traffic();
extern bool is_counting;

// ---- heap.cpp ----------------------------------------------------------------------------------
// Whether a kernel has this memory from malloc or new; ends the launch if an access leaves the block.
bool on_heap_access(uintptr_t address, size_t num_bytes, Kind kind);

// ---- shared_memory.cpp ---------------------------------------------------------------------------
// `total_limit` bounds the static and the dynamic memory together.
void begin_launch_shared(size_t dynamic_bytes, size_t total_limit);
void begin_block_shared();
constexpr size_t arena_size = 128 << 10;  // static variables, with gaps between them
extern char shared_arena[arena_size];
extern char shared_dynamic[max_shared_opt_in];
inline bool is_shared(uintptr_t address) {
  return address - (uintptr_t)shared_arena < arena_size ||
         address - (uintptr_t)shared_dynamic < (size_t)max_shared_opt_in;
}
void on_shared_access(uintptr_t address, size_t num_bytes, Kind kind, const void* place);

// ---- call.cpp ------------------------------------------------------------------------------------
// Ends the launcher's call if its host code used device memory; else it returns.
void leave_launcher(uintptr_t address);

// ---- streams.cpp ---------------------------------------------------------------------------------
void begin_call_streams(const void* stream);
void note_stream(const void* stream, const char* kernel);

// ---- device_memory.cpp ---------------------------------------------------------------------------
// Closed memory cannot be touched, except what is managed. It is closed while a launcher runs.
void close_memory();
void open_memory();

// While one exists, memory that was closed is open.
class OpenMemory {
 public:
  OpenMemory() { open_memory(); }
  ~OpenMemory() { close_memory(); }
  OpenMemory(const OpenMemory&) = delete;
};

// An access of a kernel to the buffer whose window holds the address; whether there is one.
bool on_buffer_access(uintptr_t address, size_t num_bytes, Kind kind, const void* place);
// Whether the address belongs to a buffer that only kernels may touch.
bool is_device_only(uintptr_t address);
// Writes what lies at or near an address: "null", "400 bytes past the end of `x`"...
void describe_address(uintptr_t address, char* text, size_t capacity);
// The name of the buffer that an address belongs to, or null.
const char* buffer_name(uintptr_t address);

// ---- faults.cpp ----------------------------------------------------------------------------------
struct Fault {
  const char* kind;  // null: no fault
  char kernel[128];
  int in_thread;  // whether `thread` and `block` mean something
  unsigned thread[3];
  unsigned block[3];
  size_t place;  // the instruction, from the start of the library; 0: not known
  size_t other;  // of the other thread of a race
  char text[640];  // "\1" and "\2" stand where the lines of both belong, "\3" for that of host code
};

// Records the first fault of a call; `format` is what follows "thread (..) of block (..) ".
void record_fault(const char* kind, int error, const char* format, ...)
    __attribute__((format(printf, 3, 4)));
// The same from a kernel's thread, which then ends with its launch.
[[noreturn]] void fail(const char* kind, int error, const char* format, ...)
    __attribute__((format(printf, 3, 4)));
// Prepares the fault of the thread that runs. It becomes one at the next barrier, unless the other threads
// show until then that it is another.
void hold_fault(const char* kind, const char* format, ...) __attribute__((format(printf, 2, 3)));
void settle_held_fault();
void drop_held_fault();
// The same; `where` is empty or a place in the file: ", gelu.cu:23".
[[noreturn]] void fail_at(const char* where, const char* kind, int error, const char* format, ...)
    __attribute__((format(printf, 4, 5)));
// The same as record_fault, where the launcher and no kernel is at fault.
void record_host_fault(const char* kind, int error, const char* format, ...)
    __attribute__((format(printf, 3, 4)));
// A place in the file, counted from the library's start; a return address lies behind its call.
size_t place_in_library(const void* place);
// Names the other instruction of a fault that is about to be recorded.
void set_other_place(const void* place);
// The instruction of host code that called the runtime last.
void set_host_place(const void* place);
void forget_faults();
// An error that the next cudaGetLastError clears, with a fault that explains it.
int refuse(const char* kind, const char* kernel, int error, const char* format, ...)
    __attribute__((format(printf, 4, 5)));

// ---- signals.cpp ---------------------------------------------------------------------------------
// While one exists, a bad access or a division by zero in a kernel is a fault, and so is a use of
// device memory on the host. One may be inside another.
class SignalGuard {
 public:
  SignalGuard();
  ~SignalGuard();
  SignalGuard(const SignalGuard&) = delete;
};

}  // namespace cuda_emulator
