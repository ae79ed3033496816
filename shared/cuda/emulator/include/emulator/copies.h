// Sends what a kernel file copies through the C library to the checks first, also where the compiler itself
// makes a call of it from the copy of a struct. Stands before the library's own declarations.
#pragma once
#ifdef CUDA_EMULATOR_CHECKED
#include <stddef.h>

extern "C" {
void* memcpy(void*, const void*, size_t) noexcept __asm__("cuda_emulator_memcpy");
void* memmove(void*, const void*, size_t) noexcept __asm__("cuda_emulator_memmove");
void* memset(void*, int, size_t) noexcept __asm__("cuda_emulator_memset");
}
#endif
