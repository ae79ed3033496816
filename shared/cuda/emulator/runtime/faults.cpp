// What went wrong in a call, and the error state that cudaGetLastError tells.
#include <dlfcn.h>

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "runtime.h"

extern uint3 threadIdx;
extern uint3 blockIdx;

namespace cuda_emulator {

namespace {

Fault fault;
Fault held;  // waits for what the other threads do
int sticky = cudaSuccess;
int last = cudaSuccess;
const void* other_place = nullptr;
const void* host_place = nullptr;

void place(const char* kernel) {
  snprintf(fault.kernel, sizeof fault.kernel, "%s", kernel);
  fault.in_thread = current != nullptr;
  const unsigned thread[] = {threadIdx.x, threadIdx.y, threadIdx.z};
  const unsigned block[] = {blockIdx.x, blockIdx.y, blockIdx.z};
  memcpy(fault.thread, thread, sizeof thread);
  memcpy(fault.block, block, sizeof block);
  fault.place = place_in_library(current == nullptr ? host_place : current->place);
  fault.other = place_in_library(other_place);
}

// Fixed buffers and no allocation: a signal handler comes here too.
void write_text(const char* where, const char* format, va_list values) {
  size_t used = 0;
  if (fault.in_thread) {
    used = (size_t)snprintf(fault.text, sizeof fault.text,
                            "%s%s: thread (%u,%u,%u) of block (%u,%u,%u) ", fault.kernel, where,
                            fault.thread[0], fault.thread[1], fault.thread[2], fault.block[0],
                            fault.block[1], fault.block[2]);
  } else {
    used = (size_t)snprintf(fault.text, sizeof fault.text, "\3");
  }
  vsnprintf(fault.text + used, sizeof fault.text - used, format, values);
}

// `where` is empty, or follows the kernel's name: ", gelu.cu:23".
void record(const char* kind, const char* kernel, const char* where, const char* format,
            va_list values) {
  if (fault.kind != nullptr) return;
  fault.kind = kind;
  place(kernel);
  write_text(where, format, values);
}

// Where the caller names no place, the line of the last access stands for it.
const char* where_of(const char* where) {
  if (where[0] != '\0' || current == nullptr) return where;
  return "\1";
}

}  // namespace

size_t place_in_library(const void* place) {
  static const uintptr_t start = [] {
    Dl_info info;
    return dladdr(&fault, &info) == 0 ? 0 : (uintptr_t)info.dli_fbase;
  }();
  return place == nullptr ? 0 : (uintptr_t)place - start - 1;
}

void record_fault(const char* kind, int error, const char* format, ...) {
  va_list values;
  va_start(values, format);
  record(kind, running_kernel(), "", format, values);
  va_end(values);
  if (sticky == cudaSuccess) sticky = error;
}

void fail(const char* kind, int error, const char* format, ...) {
  if (strcmp(kind, "race") != 0) settle_held_fault();
  va_list values;
  va_start(values, format);
  record(kind, running_kernel(), where_of(""), format, values);
  va_end(values);
  if (sticky == cudaSuccess) sticky = error;
  leave_kernel();
}

void hold_fault(const char* kind, const char* format, ...) {
  if (held.kind != nullptr || fault.kind != nullptr) return;
  va_list values;
  va_start(values, format);
  record(kind, running_kernel(), where_of(""), format, values);
  va_end(values);
  held = fault;
  fault.kind = nullptr;
}

void settle_held_fault() {
  if (held.kind == nullptr) return;
  fault = held;
  held.kind = nullptr;
  if (sticky == cudaSuccess) sticky = cudaErrorLaunchFailure;
  leave_kernel();
}

void drop_held_fault() {
  held.kind = nullptr;
}

void fail_at(const char* where, const char* kind, int error, const char* format, ...) {
  settle_held_fault();
  va_list values;
  va_start(values, format);
  record(kind, running_kernel(), where_of(where), format, values);
  va_end(values);
  if (sticky == cudaSuccess) sticky = error;
  leave_kernel();
}

int refuse(const char* kind, const char* kernel, int error, const char* format, ...) {
  va_list values;
  va_start(values, format);
  record(kind, kernel, "", format, values);
  va_end(values);
  last = error;
  return error;
}

int sticky_error() {
  return sticky;
}

int last_error(bool clear) {
  if (sticky != cudaSuccess) return sticky;
  int error = last;
  if (clear) last = cudaSuccess;
  return error;
}

void set_other_place(const void* place) {
  other_place = place;
}

void set_host_place(const void* place) {
  if (current == nullptr) host_place = place;
}

void forget_faults() {
  host_place = nullptr;
  held.kind = nullptr;
  other_place = nullptr;
  fault.kind = nullptr;
  sticky = last = cudaSuccess;
}

void record_host_fault(const char* kind, int error, const char* format, ...) {
  va_list values;
  va_start(values, format);
  record(kind, "", "", format, values);
  va_end(values);
  if (sticky == cudaSuccess) sticky = error;
}

void trap(const char* file, int line) {
  if (current != nullptr) {
    fail("trap", cudaErrorLaunchFailure, "executes __trap() at %s:%d", file, line);
  }
  abort();
}

void assertion_failed(const char* condition, const char* file, int line) {
  if (current != nullptr) {
    fail("assert", cudaErrorAssert, "fails the assertion `%s` at %s:%d", condition, file, line);
  }
  fprintf(stderr, "%s:%d: assertion failed: %s\n", file, line, condition);
  abort();
}

const char* error_name(int code) {
  switch (code) {
#define CUDA_EMULATOR_CASE(Name, Code, Text) \
  case Code: return #Name;
    CUDA_EMULATOR_ERRORS(CUDA_EMULATOR_CASE)
#undef CUDA_EMULATOR_CASE
    default: return "unrecognized error code";
  }
}

const char* error_string(int code) {
  switch (code) {
#define CUDA_EMULATOR_CASE(Name, Code, Text) \
  case Code: return Text;
    CUDA_EMULATOR_ERRORS(CUDA_EMULATOR_CASE)
#undef CUDA_EMULATOR_CASE
    default: return "unrecognized error code";
  }
}

}  // namespace cuda_emulator

// ---- for the grader --------------------------------------------------------------------------
extern "C" {

__attribute__((visibility("default"))) const cuda_emulator::Fault* cuda_emulator_fault() {
  using namespace cuda_emulator;
  return fault.kind == nullptr ? nullptr : &fault;
}
}
