// The checks that -fsanitize=alignment puts into a kernel file call these functions where they fail.
// A GPU has no unaligned access; in host code, which may have, a failed check means nothing.
#include <cstring>

#include "runtime.h"
#include "sanitizer.h"

namespace cuda_emulator {

namespace {

struct TypeMismatch {
  SourceLocation location;
  const TypeDescriptor* type;
  unsigned char log_alignment;
  unsigned char access;
};

struct Assumption {
  SourceLocation location;
  SourceLocation assumed_at;
  const TypeDescriptor* type;
};

constexpr unsigned char is_load = 0;
constexpr unsigned char is_store = 1;

const char* verb(const TypeMismatch& mismatch) {
  if (mismatch.access == is_store) return "writes";
  bool is_const = strncmp(mismatch.type->name, "'const ", 7) == 0;
  return mismatch.access == is_load || is_const ? "reads" : "uses";
}

[[noreturn]] void fail_alignment(const SourceLocation& location, const char* verb,
                                 size_t alignment, uintptr_t address) {
  char place[160];
  write_place(location, place, sizeof place);
  const char* name = buffer_name(address);
  const char* quote = name == nullptr ? "" : "`";
  fail_at(place, "memory", cudaErrorMisalignedAddress,
          "%s %zu bytes%s%s%s%s at an address that is no multiple of %zu", verb, alignment,
          name == nullptr ? "" : " of ", quote, name == nullptr ? "" : name, quote, alignment);
}

void check_access(const TypeMismatch& mismatch, uintptr_t address) {
  size_t alignment = size_t(1) << mismatch.log_alignment;
  bool is_aligned = address % alignment == 0;  // else what fails is another check
  if (current == nullptr || is_aligned) return;
  fail_alignment(mismatch.location, verb(mismatch), alignment, address);
}

void check_assumption(const Assumption& assumption, uintptr_t address, size_t alignment) {
  if (current == nullptr) return;
  fail_alignment(assumption.location, "expects", alignment, address);
}

}  // namespace

}  // namespace cuda_emulator

extern "C" {

void __ubsan_handle_type_mismatch_v1(cuda_emulator::TypeMismatch* data, uintptr_t address) {
  cuda_emulator::check_access(*data, address);
}

void __ubsan_handle_type_mismatch_v1_abort(cuda_emulator::TypeMismatch* data, uintptr_t address) {
  cuda_emulator::check_access(*data, address);
}

void __ubsan_handle_alignment_assumption(cuda_emulator::Assumption* data, uintptr_t address,
                                         uintptr_t alignment, uintptr_t) {
  cuda_emulator::check_assumption(*data, address, alignment);
}

void __ubsan_handle_alignment_assumption_abort(cuda_emulator::Assumption* data, uintptr_t address,
                                               uintptr_t alignment, uintptr_t) {
  cuda_emulator::check_assumption(*data, address, alignment);
}
}
