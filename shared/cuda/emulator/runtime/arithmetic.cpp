// Indices that leave an array whose size the compiler knows, and integers that overflow: the checks of
// -fsanitize=bounds, signed-integer-overflow and integer-divide-by-zero call these functions where they
// fail. In host code a failed check means nothing.
#include "runtime.h"
#include "sanitizer.h"

namespace cuda_emulator {

namespace {

struct OutOfBounds {
  SourceLocation location;
  const TypeDescriptor* array;
  const TypeDescriptor* index;
};

struct Overflow {
  SourceLocation location;
  const TypeDescriptor* type;
};

bool is_wide(const TypeDescriptor& type) {
  return (1u << (type.info >> 1)) > 32;
}

// A value of up to 64 bits is handed over as it is; a narrower signed one is extended here.
long long value_of(const TypeDescriptor& type, uintptr_t handed) {
  bool is_signed = type.info & 1;
  if (is_wide(type) || !is_signed) return (long long)handed;
  return (long long)(int32_t)handed;
}

void leave_array(const OutOfBounds& data, uintptr_t index) {
  if (current == nullptr) return;
  char place[160];
  write_place(data.location, place, sizeof place);
  fail_at(place, "memory", cudaErrorIllegalAddress, "uses the index %lld in an array of the type %s",
          value_of(*data.index, index), data.array->name);
}

void overflow(const Overflow& data, const char* what, uintptr_t a, const char* sign, uintptr_t b) {
  if (current == nullptr) return;
  char place[160];
  write_place(data.location, place, sizeof place);
  fail_at(place, "arithmetic", cudaErrorLaunchFailure,
          "%s %lld %s %lld, which does not fit into %s: compute it in int64_t or size_t", what,
          value_of(*data.type, a), sign, value_of(*data.type, b), data.type->name);
}

void divide(const Overflow& data, uintptr_t a, uintptr_t b) {
  if (current == nullptr) return;
  char place[160];
  write_place(data.location, place, sizeof place);
  const char* format = b == 0 ? "divides an integer by zero (%lld / %lld)"
                              : "divides %lld by %lld, which does not fit into its type";
  fail_at(place, "arithmetic", cudaErrorLaunchFailure, format, value_of(*data.type, a),
          value_of(*data.type, b));
}

}  // namespace

}  // namespace cuda_emulator

extern "C" {
using cuda_emulator::OutOfBounds;
using cuda_emulator::Overflow;

void __ubsan_handle_out_of_bounds(OutOfBounds* data, uintptr_t index) {
  cuda_emulator::leave_array(*data, index);
}
void __ubsan_handle_add_overflow(Overflow* data, uintptr_t a, uintptr_t b) {
  cuda_emulator::overflow(*data, "computes", a, "+", b);
}
void __ubsan_handle_sub_overflow(Overflow* data, uintptr_t a, uintptr_t b) {
  cuda_emulator::overflow(*data, "computes", a, "-", b);
}
void __ubsan_handle_mul_overflow(Overflow* data, uintptr_t a, uintptr_t b) {
  cuda_emulator::overflow(*data, "computes", a, "*", b);
}
void __ubsan_handle_negate_overflow(Overflow* data, uintptr_t a) {
  cuda_emulator::overflow(*data, "computes", 0, "-", a);
}
void __ubsan_handle_divrem_overflow(Overflow* data, uintptr_t a, uintptr_t b) {
  cuda_emulator::divide(*data, a, b);
}
}
