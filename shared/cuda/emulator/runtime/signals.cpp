// Turns the signal of a bad access, or of a division by zero, in a kernel into a fault.
#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif
#include <csignal>
#include <cstring>
#if defined(__x86_64__) && defined(__linux__)
#include <ucontext.h>
#endif

#include "runtime.h"

namespace cuda_emulator {

namespace {

constexpr int signals[] = {SIGSEGV, SIGBUS, SIGFPE};
constexpr int num_signals = 3;
struct sigaction previous[num_signals];
stack_t previous_stack;
int num_guards = 0;
alignas(64) char handler_stack[64 << 10];

const char* verb(void* machine_context) {
#if defined(__x86_64__) && defined(__linux__)
  constexpr greg_t write_bit = 2;  // of the page fault's error code
  const ucontext_t* context = static_cast<ucontext_t*>(machine_context);
  return context->uc_mcontext.gregs[REG_ERR] & write_bit ? "writes" : "reads";
#else
  (void)machine_context;
  return "accesses";
#endif
}

// What a fault names is the instruction itself, and no return address behind it.
void note_instruction(void* machine_context) {
#if defined(__x86_64__) && defined(__linux__)
  const ucontext_t* context = static_cast<ucontext_t*>(machine_context);
  current->place = reinterpret_cast<const void*>(context->uc_mcontext.gregs[REG_RIP] + 1);
#else
  (void)machine_context;
#endif
}

// The processor names no address when it is not a valid one, or misaligned for a vector move.
bool has_no_address(const siginfo_t* info) {
#ifdef SI_KERNEL
  return info->si_code == SI_KERNEL;
#else
  return info->si_code == BUS_ADRALN;
#endif
}

[[noreturn]] void fail_access(const siginfo_t* info, void* machine_context) {
  if (has_no_address(info)) {
    fail("memory", cudaErrorIllegalAddress,
         "uses an address that is misaligned (a float4 needs a multiple of 16 bytes) or that no "
         "memory can have");
  }
  uintptr_t address = (uintptr_t)info->si_addr;
  if (is_stack_guard(address)) {
    fail("memory", cudaErrorIllegalAddress,
         "needs more than %zu KB for its local variables and calls", stack_size >> 10);
  }
  char where[300];
  describe_address(address, where, sizeof where);
  fail("memory", cudaErrorIllegalAddress, "%s %s", verb(machine_context), where);
}

void restore() {
  for (int i = 0; i < num_signals; i++) sigaction(signals[i], &previous[i], nullptr);
}

void handle(int signal, siginfo_t* info, void* machine_context) {
  if (current == nullptr) {
    if (signal != SIGFPE) leave_launcher((uintptr_t)info->si_addr);
    restore();  // the instruction runs again and meets the handler from before
    return;
  }
  note_instruction(machine_context);
  if (signal == SIGFPE) {
    fail("arithmetic", cudaErrorLaunchFailure, "divides an integer by zero");
  }
  fail_access(info, machine_context);
}

}  // namespace

SignalGuard::SignalGuard() {
  if (num_guards++ > 0) return;
  stack_t stack = {};
  stack.ss_sp = handler_stack;
  stack.ss_size = sizeof handler_stack;
  sigaltstack(&stack, &previous_stack);
  struct sigaction action = {};
  action.sa_sigaction = handle;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  for (int i = 0; i < num_signals; i++) sigaction(signals[i], &action, &previous[i]);
}

SignalGuard::~SignalGuard() {
  if (--num_guards > 0) return;
  restore();
  sigaltstack(&previous_stack, nullptr);
}

}  // namespace cuda_emulator
