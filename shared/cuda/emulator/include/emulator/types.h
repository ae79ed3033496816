// Vector types and dim3, with the sizes and alignments that CUDA gives them.
#pragma once

#define CUDA_EMULATOR_VECTOR_TYPES(Scalar, Name, Align2, Align4)                                  \
  struct Name##1 {                                                                                \
    Scalar x;                                                                                     \
  };                                                                                              \
  struct alignas(Align2) Name##2 {                                                                \
    Scalar x, y;                                                                                  \
  };                                                                                              \
  struct Name##3 {                                                                                \
    Scalar x, y, z;                                                                               \
  };                                                                                              \
  struct alignas(Align4) Name##4 {                                                                \
    Scalar x, y, z, w;                                                                            \
  };                                                                                              \
  inline Name##1 make_##Name##1(Scalar x) {                                                       \
    return Name##1{x};                                                                            \
  }                                                                                               \
  inline Name##2 make_##Name##2(Scalar x, Scalar y) {                                             \
    return Name##2{x, y};                                                                         \
  }                                                                                               \
  inline Name##3 make_##Name##3(Scalar x, Scalar y, Scalar z) {                                   \
    return Name##3{x, y, z};                                                                      \
  }                                                                                               \
  inline Name##4 make_##Name##4(Scalar x, Scalar y, Scalar z, Scalar w) {                         \
    return Name##4{x, y, z, w};                                                                   \
  }

CUDA_EMULATOR_VECTOR_TYPES(signed char, char, 2, 4)
CUDA_EMULATOR_VECTOR_TYPES(unsigned char, uchar, 2, 4)
CUDA_EMULATOR_VECTOR_TYPES(short, short, 4, 8)
CUDA_EMULATOR_VECTOR_TYPES(unsigned short, ushort, 4, 8)
CUDA_EMULATOR_VECTOR_TYPES(int, int, 8, 16)
CUDA_EMULATOR_VECTOR_TYPES(unsigned, uint, 8, 16)
CUDA_EMULATOR_VECTOR_TYPES(long, long, 16, 16)
CUDA_EMULATOR_VECTOR_TYPES(unsigned long, ulong, 16, 16)
CUDA_EMULATOR_VECTOR_TYPES(long long, longlong, 16, 16)
CUDA_EMULATOR_VECTOR_TYPES(unsigned long long, ulonglong, 16, 16)
CUDA_EMULATOR_VECTOR_TYPES(float, float, 8, 16)
CUDA_EMULATOR_VECTOR_TYPES(double, double, 16, 16)
#undef CUDA_EMULATOR_VECTOR_TYPES

struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
  constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  constexpr operator uint3() const { return uint3{x, y, z}; }
};
