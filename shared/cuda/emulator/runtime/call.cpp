// The call of a launcher: its host code must leave device memory alone.
#include <pthread.h>

#include <csetjmp>
#include <cstdio>

#include "runtime.h"

namespace cuda_emulator {

namespace {

bool is_running = false;
pthread_t caller;
sigjmp_buf call_end;

int run_launcher(int (*invoke)(void*), void* data) {
  SignalGuard guard;
  close_memory();
  is_running = true;
  int result = sigsetjmp(call_end, 1) == 0 ? invoke(data) : sticky_error();
  is_running = false;
  open_memory();
  if (current != nullptr) {  // what followed could use device memory as kernels do
    abandon_threads();
    record_host_fault("launch", cudaErrorLaunchFailure, "the launcher leaves a kernel before it has ended");
    return sticky_error();
  }
  return result;
}

}  // namespace

// Only the launcher's own thread can be left. What it had on its stack is not destroyed.
void leave_launcher(uintptr_t address) {
  if (!is_running || !is_device_only(address)) return;
  const char* format =
      "the launcher reads or writes device memory (`%s`) on the host: only a kernel may";
  if (!pthread_equal(caller, pthread_self())) {
    fprintf(stderr, format, buffer_name(address));
    return;
  }
  record_host_fault("memory", cudaErrorIllegalAddress, format, buffer_name(address));
  siglongjmp(call_end, 1);
}

int call_launcher(int (*invoke)(void*), void* data, const void* stream) {
  forget_faults();
  begin_call_streams(stream);
  begin_call_launches();
  begin_call_traffic();
  caller = pthread_self();
  int result = run_launcher(invoke, data);
  fflush(nullptr);  // what kernels printed arrives before anything that the caller prints
  return result;
}

}  // namespace cuda_emulator
