// Runs the threads of a block: each until it waits or ends, warp after warp, always in one order.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "runtime.h"

// CUDA's built-in variables; kernels see them as constants.
uint3 threadIdx;
uint3 blockIdx;
dim3 blockDim;
dim3 gridDim;

namespace cuda_emulator {

Thread* current = nullptr;

namespace {

std::vector<Thread> threads;
std::vector<Warp> warps;
void (*thread_body)(void*) = nullptr;
void* thread_arguments = nullptr;
Context scheduler;

void entry() {
  thread_body(thread_arguments);
  settle_store();
  current->state = State::done;
  Context never_used;
  cuda_emulator_switch(&never_used, scheduler);
  abort();
}

void wait(State state) {
  Thread* self = current;
  settle_store();
  self->state = state;
  cuda_emulator_switch(&self->context, scheduler);
}

void resume(Thread& thread) {
  if (thread.state == State::fresh) {
    thread.stack = take_stack();
    thread.context = new_context(thread.stack, entry);
  }
  thread.state = State::ready;
  threadIdx = thread.index;
  current = &thread;
  cuda_emulator_switch(&scheduler, thread.context);
  current = nullptr;
  if (thread.state == State::done) give_back_stack(thread.stack);
}

bool is_in(unsigned mask, unsigned lane) {
  return mask >> lane & 1;
}

bool meets(const Thread& thread, const Thread& other) {
  return other.state == State::in_warp_operation && other.mask == thread.mask &&
         other.operation == thread.operation;
}

// Whether all lanes of the thread's mask are there; a lane that has ended counts as arrived.
bool is_complete(const Warp& warp, const Thread& thread) {
  if (thread.mask == 0) return false;  // it asks who is there
  for (unsigned i = 0; i < warp.num_threads; i++) {
    const Thread& other = warp.threads[i];
    if (is_in(thread.mask, i) && other.state != State::done && !meets(thread, other)) return false;
  }
  return true;
}

void release_group(Warp& warp, const Thread& member) {
  unsigned mask = member.mask;
  const char* operation = member.operation;
  for (unsigned i = 0; i < warp.num_threads; i++) {
    Thread& thread = warp.threads[i];
    if (!is_in(mask, i) || thread.state != State::in_warp_operation) continue;
    if (thread.operation != operation) continue;
    warp.values[i] = thread.value;
    warp.arrived |= 1u << i;
    thread.state = State::ready;
  }
}

// Releases every complete group. Several may be: lanes of disjoint masks share the snapshot.
bool release_warp_operations(Warp& warp) {
  bool released = false;
  for (unsigned i = 0; i < warp.num_threads; i++) {
    Thread& thread = warp.threads[i];
    if (thread.state != State::in_warp_operation || !is_complete(warp, thread)) continue;
    if (!released) warp.arrived = 0;
    release_group(warp, thread);
    if (++warp.turn == 0) epoch++;  // all turns are used up
    released = true;
  }
  return released;
}

// Nobody else can go on: the lanes that ask in one place who is active are.
bool release_active(Warp& warp) {
  const Thread* first = nullptr;
  unsigned active = 0;
  for (unsigned i = 0; i < warp.num_threads; i++) {
    Thread& thread = warp.threads[i];
    if (thread.state != State::in_warp_operation || thread.mask != 0) continue;
    if (first == nullptr) first = &thread;
    if (thread.place == first->place) active |= 1u << i;
  }
  for (unsigned i = 0; i < warp.num_threads; i++) {
    if (!is_in(active, i)) continue;
    warp.threads[i].value = active;
    warp.threads[i].state = State::ready;
  }
  return active != 0;
}

void append_lanes(const Warp& warp, State state, const char* what, char* text, size_t capacity) {
  size_t length = strlen(text);
  unsigned count = 0;
  for (unsigned i = 0; i < warp.num_threads; i++) {
    if (warp.threads[i].state != state) continue;
    const char* before = count++ == 0 ? what : ",";
    if (length + 40 > capacity) return;
    length += (size_t)snprintf(text + length, capacity - length, "%s%u", before, i);
  }
}

[[noreturn]] void fail_stuck(Warp& warp, Thread& thread) {
  char lanes[400] = "";
  append_lanes(warp, State::in_warp_operation, "; waiting in a warp operation: lanes ", lanes,
               sizeof lanes);
  append_lanes(warp, State::at_barrier, "; waiting at __syncthreads(): lanes ", lanes,
               sizeof lanes);
  append_lanes(warp, State::done, "; ended: lanes ", lanes, sizeof lanes);
  current = &thread;
  threadIdx = thread.index;
  fail("warp", cudaErrorLaunchFailure,
       "waits in %s with the mask 0x%08x, but not all lanes of this mask get there%s",
       thread.operation, thread.mask, lanes);
}

// A lane that gave up its turn may still come; all others that are missing never will.
void check_stuck(Warp& warp) {
  Thread* waiting = nullptr;
  for (unsigned i = 0; i < warp.num_threads; i++) {
    Thread& thread = warp.threads[i];
    if (thread.state == State::gave_up_turn) return;
    if (thread.state == State::in_warp_operation && waiting == nullptr) waiting = &thread;
  }
  if (waiting != nullptr) fail_stuck(warp, *waiting);
}

void run_lanes(Warp& warp) {
  for (unsigned i = 0; i < warp.num_threads; i++) {
    Thread& thread = warp.threads[i];
    if (thread.state == State::fresh || thread.state == State::ready) resume(thread);
  }
}

// Returns whether a lane gave up its turn and wants another.
bool run_warp(Warp& warp) {
  for (unsigned i = 0; i < warp.num_threads; i++) {
    Thread& thread = warp.threads[i];
    if (thread.state == State::gave_up_turn) thread.state = State::ready;
  }
  do {
    run_lanes(warp);
  } while (release_warp_operations(warp) || release_active(warp));
  check_stuck(warp);
  if (is_counting) count_warp(warp);
  for (unsigned i = 0; i < warp.num_threads; i++) {
    if (warp.threads[i].state == State::gave_up_turn) return true;
  }
  return false;
}

void run_until_all_wait() {
  bool again = true;
  while (again) {
    again = false;
    for (Warp& warp : warps) again |= run_warp(warp);
  }
}

struct Votes {
  int count = 0;
  int all = 1;
  int any = 0;
};

int result_of(Barrier kind, const Votes& votes) {
  switch (kind) {
    case Barrier::count: return votes.count;
    case Barrier::all: return votes.all;
    case Barrier::any: return votes.any;
    default: return 0;
  }
}

// All threads that have not ended must wait at one barrier of the file: two lines are two barriers.
void check_same_barrier(const Thread& first, Thread& thread) {
  if (thread.barrier_line == first.barrier_line) return;
  current = &thread;
  threadIdx = thread.index;
  fail("barrier", cudaErrorLaunchFailure,
       "waits at __syncthreads() in line %d while thread (%u,%u,%u) waits at the one in line %d: "
       "all threads of a block must come to the same one",
       thread.barrier_line, first.index.x, first.index.y, first.index.z, first.barrier_line);
}

// Every thread waits or has ended. Returns whether any waited.
bool release_barrier() {
  Votes votes;
  Thread* first = nullptr;
  for (Thread& thread : threads) {
    if (thread.state != State::at_barrier) continue;
    if (first == nullptr) first = &thread;
    check_same_barrier(*first, thread);
    votes.count += thread.predicate;
    votes.all &= thread.predicate;
    votes.any |= thread.predicate;
  }
  for (Thread& thread : threads) {
    if (thread.state != State::at_barrier) continue;
    thread.barrier_result = result_of(thread.barrier, votes);
    thread.state = State::ready;
  }
  if (first != nullptr) {
    pass_barrier();
    count_barrier();
  }
  return first != nullptr;
}

}  // namespace

uint32_t first_number(uint3 block) {
  uint64_t linear = ((uint64_t)block.z * gridDim.y + block.y) * gridDim.x + block.x;
  return uint32_t(linear * threads.size() + 1);
}

uint3 index_of(uint32_t number, uint3* block) {
  uint32_t count = (uint32_t)threads.size();
  uint32_t linear = (number - 1) / count;
  *block = uint3{linear % gridDim.x, linear / gridDim.x % gridDim.y, linear / gridDim.x / gridDim.y};
  return threads[(number - 1) % count].index;
}

void prepare_threads(dim3 block, void (*body)(void*), void* arguments) {
  unsigned count = block.x * block.y * block.z;
  thread_body = body;
  thread_arguments = arguments;
  threads.assign(count, Thread());
  warps.assign((count + 31) / 32, Warp());
  for (unsigned i = 0; i < count; i++) {
    Thread& thread = threads[i];
    thread.index = uint3{i % block.x, i / block.x % block.y, i / block.x / block.y};
    thread.lane = i % 32;
    thread.warp = &warps[i / 32];
    if (thread.lane == 0) thread.warp->threads = &thread;
    thread.warp->num_threads++;
  }
}

void run_block(uint3 block_index) {
  blockIdx = block_index;
  begin_block_shared();
  begin_block_races();
  uint32_t number = first_number(block_index);
  for (Warp& warp : warps) warp.turn = 0;
  for (Thread& thread : threads) {
    thread.state = State::fresh;
    thread.number = number++;
    thread.num_accesses = 0;
    thread.is_synchronised = false;
    thread.is_exchanging = false;
    thread.is_polling = false;
    thread.num_polls = 0;
    thread.loaded = 0;
  }
  do {
    run_until_all_wait();
    settle_held_fault();
  } while (release_barrier());
}

void abandon_threads() {
  current = nullptr;
  give_back_all_stacks();
}

int block_barrier(Barrier kind, int predicate, int line) {
  if (current == nullptr) return 0;  // host code that calls a __host__ __device__ function
  Thread* self = current;
  self->barrier = kind;
  self->predicate = predicate;
  self->barrier_line = line;
  self->place = __builtin_return_address(0);
  wait(State::at_barrier);
  return self->barrier_result;
}

unsigned active_lanes() {
  if (current == nullptr) return 1;
  Thread* self = current;
  self->place = __builtin_return_address(0);
  self->mask = 0;
  self->operation = "__activemask()";
  wait(State::in_warp_operation);
  return (unsigned)self->value;
}

void wait_in_warp(unsigned mask, uint64_t value, const char* operation, const void* place) {
  Thread* self = current;
  self->place = place;
  if (!is_in(mask, self->lane)) {
    fail("warp", cudaErrorLaunchFailure,
         "calls %s with the mask 0x%08x, which leaves out its own lane %u", operation, mask,
         self->lane);
  }
  self->mask = mask;
  self->value = value;
  self->operation = operation;
  wait(State::in_warp_operation);
}

void fail_endless() {
  fail("timeout", cudaErrorLaunchTimeout,
       "has accessed memory %u times and goes on: a loop that does not end", max_accesses);
}

// Every so often is enough.
void note_poll() {
  if (current == nullptr) return;
  constexpr uint32_t period = 64;
  if (++current->num_polls % period == 0) give_up_turn();
}

void give_up_turn() {
  if (current == nullptr) return;
  spend_access();
  wait(State::gave_up_turn);
}

}  // namespace cuda_emulator
