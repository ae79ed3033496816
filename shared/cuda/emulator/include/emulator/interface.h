// What a compiled kernel file asks of the runtime. Both sides include this file.
#pragma once
#include <cstddef>
#include <cstdint>

#include "emulator/types.h"

namespace cuda_emulator {

struct LaunchRequest {
  const char* kernel;    // the name that messages use
  const void* address;   // the kernel's address if it was launched through a pointer, else null
  dim3 grid;
  dim3 block;
  size_t dynamic_shared;  // bytes
  const void* stream;
  void (*body)(void*);    // runs one thread
  void* arguments;        // what to hand to `body`
  size_t num_argument_bytes;
};

// Runs every thread of the grid before it returns; errors go to cudaGetLastError.
void run(const LaunchRequest& request);

// Calls a launcher by way of `invoke(data)`; `stream` is what it is given, or null. Returns what the
// launcher returns, or an error if its host code uses device memory.
int call_launcher(int (*invoke)(void*), void* data, const void* stream);

// A new stream's handle: never null, and never one that was given before.
void* create_stream();

// How a shared variable is made: the bytes of an item, and up to three extents of arrays of arrays.
struct Shape {
  size_t item_bytes;
  size_t extents[3];
};

// Shared memory of the block that runs: one address a `key`, filled with 0xFF when a block begins.
void* shared_variable(const void* key, size_t num_bytes, const char* name, Shape shape);

// The start of the dynamic shared memory: the same address for every block and every launch.
void* dynamic_shared_memory(const char* name, size_t item_bytes);

enum class Barrier { plain, count, all, any };

// Waits for every thread of the block that has not ended; combines the threads' predicates.
int block_barrier(Barrier kind, int predicate, int line);

// An atomic is about to change the memory at an address; an exchange does not ask what was there.
void note_atomic(void* address, size_t num_bytes, bool is_exchange);
// What follows may be in order with other threads' accesses, by a lock or a fence: such are not told apart.
void synchronise();
// An atomic has changed nothing: likely a spin, in which the thread that it waits for must get its turn.
void note_poll();
// Copies that are no access of the kernel's own.
void copy_unchecked(void* to, const void* from, size_t num_bytes);

enum class Shuffle { from_lane, up, down, exclusive_or };

void warp_barrier(unsigned mask);
uint64_t warp_shuffle(unsigned mask, uint64_t value, Shuffle kind, int argument, int width);
unsigned warp_ballot(unsigned mask, int predicate);
unsigned warp_match(unsigned mask, uint64_t value);
// The values of all lanes, valid until the caller's next warp operation; *arrived: whose are valid.
const uint64_t* warp_exchange(unsigned mask, uint64_t value, unsigned* arrived);
unsigned active_lanes();
unsigned lane();

// Lets the other threads go on: a thread that spins on a lock calls it.
void give_up_turn();

[[noreturn]] void trap(const char* file, int line);
// In a kernel a fault; in host code the same message and abort(), like the C library's.
[[noreturn]] void assertion_failed(const char* condition, const char* file, int line);

// The error state, as cudaError_t numbers.
int last_error(bool clear);
// Only an error that stays until the process ends, such as an illegal address.
int sticky_error();

// The host may touch memory that is managed; other memory is the kernels' and the copies' alone.
int allocate_device(void** address, size_t num_bytes, bool is_managed);
int free_device(void* address);
int copy_memory(void* to, const void* from, size_t num_bytes);
int set_memory(void* to, int value, size_t num_bytes);

// How much dynamic shared memory a kernel may use, after cudaFuncSetAttribute.
int allow_dynamic_shared(const char* kernel, const void* address, int num_bytes);

const char* error_name(int code);
const char* error_string(int code);

}  // namespace cuda_emulator
