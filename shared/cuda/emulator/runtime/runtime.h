// What the parts of the runtime share. One OS thread runs everything, so nothing here is locked.
#pragma once
#include <cstddef>
#include <cstdint>
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

struct Thread {
  Context context;
  char* stack;
  uint3 index;
  Warp* warp;
  unsigned lane;
  State state;
  int predicate;           // at a barrier
  Barrier barrier;         // at a barrier
  int barrier_result;      // after a barrier
  unsigned mask;           // in a warp operation
  const char* operation;   // in a warp operation: its name, the same address for the same one
  uint64_t value;          // in a warp operation: what this lane hands in
};

struct Warp {
  Thread* threads;
  unsigned num_threads;
  uint64_t values[32];  // what the lanes handed in, as of the last release
  unsigned arrived;     // the lanes whose values are valid
};

extern Thread* current;  // the thread that runs, null in host code

void prepare_threads(dim3 block, void (*body)(void*), void* arguments);
void run_block(uint3 block_index);
void abandon_threads();
void wait_in_warp(unsigned mask, uint64_t value, const char* operation);

// ---- launch.cpp ----------------------------------------------------------------------------------
// Ends the launch; `current` never runs again.
[[noreturn]] void leave_kernel();
const char* running_kernel();
void begin_call_launches();

// ---- shared_memory.cpp ---------------------------------------------------------------------------
void begin_launch_shared(size_t dynamic_bytes);
void begin_block_shared();

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
  char text[640];
};

// Records the first fault of a call; `format` is what follows "thread (..) of block (..) ".
void record_fault(const char* kind, int error, const char* format, ...)
    __attribute__((format(printf, 3, 4)));
// The same from a kernel's thread, which then ends with its launch.
[[noreturn]] void fail(const char* kind, int error, const char* format, ...)
    __attribute__((format(printf, 3, 4)));
// The same; `where` is empty or a place in the file: ", gelu.cu:23".
[[noreturn]] void fail_at(const char* where, const char* kind, int error, const char* format, ...)
    __attribute__((format(printf, 4, 5)));
// The same as record_fault, where the launcher and no kernel is at fault.
void record_host_fault(const char* kind, int error, const char* format, ...)
    __attribute__((format(printf, 3, 4)));
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
