// What compilers hand over where a check of -fsanitize fails, field for field as in their own runtime
// (ubsan_handlers.h).
#pragma once
#include <cstdint>
#include <cstdio>

namespace cuda_emulator {

struct SourceLocation {
  const char* file;
  uint32_t line;
  uint32_t column;
};

struct TypeDescriptor {
  uint16_t kind;
  uint16_t info;
  char name[1];  // goes on: 'const float4', with the quotes
};

// ", gelu.cu:23". A header of the emulator, which has its full path, is no place that the student knows.
inline void write_place(const SourceLocation& location, char* text, size_t capacity) {
  text[0] = '\0';
  if (location.file == nullptr || location.file[0] == '/') return;
  snprintf(text, capacity, ", %s:%u", location.file, location.line);
}

}  // namespace cuda_emulator
