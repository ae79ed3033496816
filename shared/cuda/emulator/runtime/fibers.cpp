// Stacks for the threads of a block, and the switch from one to another.
#if defined(__APPLE__)
#define _XOPEN_SOURCE 700  // or <ucontext.h> refuses
#define _DARWIN_C_SOURCE   // or MAP_ANONYMOUS is hidden then
#endif
#include <cstdio>
#include <cstdlib>
#include <sys/mman.h>
#include <unistd.h>

#include "runtime.h"

#if defined(__x86_64__) && defined(__linux__) && !defined(CUDA_EMULATOR_UCONTEXT)
#define CUDA_EMULATOR_ASSEMBLY 1
#else
#include <ucontext.h>
#endif

namespace cuda_emulator {

namespace {

constexpr size_t num_stacks = 1024;  // one for each thread of the largest block

char* region = nullptr;
std::vector<char*> free_stacks;
size_t num_opened = 0;

size_t guard_size() {
  static const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  return page;
}

size_t slot_size() {
  return stack_size + guard_size();
}

void reserve_region() {
  int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  void* memory = mmap(nullptr, num_stacks * slot_size(), PROT_NONE, flags, -1, 0);
  if (memory == MAP_FAILED) {
    perror("cuda emulator: no address space for stacks");
    abort();
  }
  region = static_cast<char*>(memory);
}

// Each slot is a guard page and, above it, the stack: a stack grows down.
char* open_stack() {
  if (region == nullptr) reserve_region();
  char* stack = region + num_opened++ * slot_size() + guard_size();
  if (mprotect(stack, stack_size, PROT_READ | PROT_WRITE) != 0) {
    perror("cuda emulator: no memory for stacks");
    abort();
  }
  return stack;
}

}  // namespace

char* take_stack() {
  if (free_stacks.empty()) return open_stack();
  char* stack = free_stacks.back();
  free_stacks.pop_back();
  return stack;
}

void give_back_stack(char* stack) {
  free_stacks.push_back(stack);
}

void give_back_all_stacks() {
  free_stacks.clear();
  for (size_t i = num_opened; i-- > 0;) {
    free_stacks.push_back(region + i * slot_size() + guard_size());
  }
}

bool is_stack_guard(uintptr_t address) {
  uintptr_t offset = address - (uintptr_t)region;
  if (region == nullptr || offset >= num_stacks * slot_size()) return false;
  return offset % slot_size() < guard_size();
}

#ifdef CUDA_EMULATOR_ASSEMBLY

// A saved context is a stack pointer; the registers that a call must keep lie above it.
Context new_context(char* stack, void (*entry)()) {
  constexpr int num_saved_registers = 6;
  void** top = reinterpret_cast<void**>(stack + stack_size);
  *--top = nullptr;  // where `entry` would return to: it never does
  *--top = reinterpret_cast<void*>(entry);
  for (int i = 0; i < num_saved_registers; i++) *--top = nullptr;
  return top;
}

}  // namespace cuda_emulator

asm(R"(
.text
.globl cuda_emulator_switch
.hidden cuda_emulator_switch
.type cuda_emulator_switch, @function
cuda_emulator_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size cuda_emulator_switch, .-cuda_emulator_switch
)");

#else  // Any other machine: slower, because each switch asks the system to save the signal mask.

// The new context's description lies at the top of its own stack.
Context new_context(char* stack, void (*entry)()) {
  uintptr_t top = (uintptr_t)(stack + stack_size - sizeof(ucontext_t)) & ~uintptr_t(63);
  ucontext_t* context = reinterpret_cast<ucontext_t*>(top);
  getcontext(context);
  context->uc_stack.ss_sp = stack;
  context->uc_stack.ss_size = top - (uintptr_t)stack;
  context->uc_link = nullptr;
  makecontext(context, entry, 0);
  return context;
}

extern "C" void cuda_emulator_switch(Context* save, Context next) {
  ucontext_t here;  // lives on the stack that is put aside
  *save = &here;
  swapcontext(&here, static_cast<ucontext_t*>(next));
}

}  // namespace cuda_emulator

#endif
