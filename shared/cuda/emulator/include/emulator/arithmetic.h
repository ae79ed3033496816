// Arithmetic that CUDA has and the C library lacks. The fast intrinsics are as exact as the C
// library's functions, so their real errors do not show.
#pragma once
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <cmath>
#include <cstdint>

using std::isfinite;
using std::isinf;
using std::isnan;

// The overloads that CUDA has and no more: what is ambiguous for nvcc is ambiguous here.
#define CUDA_EMULATOR_MIN_MAX(A, B, Result)                                 \
  inline Result min(A a, B b) {                                             \
    return (Result)b < (Result)a ? (Result)b : (Result)a;                   \
  }                                                                         \
  inline Result max(A a, B b) {                                             \
    return (Result)a < (Result)b ? (Result)b : (Result)a;                   \
  }
#define CUDA_EMULATOR_INTEGER_MIN_MAX(Signed, Unsigned)     \
  CUDA_EMULATOR_MIN_MAX(Signed, Signed, Signed)             \
  CUDA_EMULATOR_MIN_MAX(Unsigned, Unsigned, Unsigned)       \
  CUDA_EMULATOR_MIN_MAX(Signed, Unsigned, Unsigned)         \
  CUDA_EMULATOR_MIN_MAX(Unsigned, Signed, Unsigned)
CUDA_EMULATOR_INTEGER_MIN_MAX(int, unsigned)
CUDA_EMULATOR_INTEGER_MIN_MAX(long, unsigned long)
CUDA_EMULATOR_INTEGER_MIN_MAX(long long, unsigned long long)
#undef CUDA_EMULATOR_INTEGER_MIN_MAX
#undef CUDA_EMULATOR_MIN_MAX

// As on a GPU, a NaN loses against a number.
inline float min(float a, float b) { return fminf(a, b); }
inline float max(float a, float b) { return fmaxf(a, b); }
inline double min(double a, double b) { return fmin(a, b); }
inline double max(double a, double b) { return fmax(a, b); }
inline double min(float a, double b) { return fmin(a, b); }
inline double max(float a, double b) { return fmax(a, b); }
inline double min(double a, float b) { return fmin(a, b); }
inline double max(double a, float b) { return fmax(a, b); }

inline float rsqrtf(float x) { return 1.0f / sqrtf(x); }
inline double rsqrt(double x) { return 1.0 / sqrt(x); }
inline float rsqrt(float x) { return rsqrtf(x); }
inline float rcbrtf(float x) { return 1.0f / cbrtf(x); }
inline double rcbrt(double x) { return 1.0 / cbrt(x); }
inline float normcdff(float x) { return 0.5f * erfcf(-x * 0.70710678118654752f); }
inline double normcdf(double x) { return 0.5 * erfc(-x * 0.70710678118654752); }
inline float sinpif(float x) { return (float)sin(M_PI * x); }
inline float cospif(float x) { return (float)cos(M_PI * x); }
inline float fdividef(float a, float b) { return a / b; }
inline float rhypotf(float a, float b) { return 1.0f / hypotf(a, b); }
#ifndef __GLIBC__
inline float exp10f(float x) { return powf(10.0f, x); }
inline double exp10(double x) { return pow(10.0, x); }
inline void sincosf(float x, float* s, float* c) { *s = sinf(x), *c = cosf(x); }
inline void sincos(double x, double* s, double* c) { *s = sin(x), *c = cos(x); }
#endif

inline float __expf(float x) { return expf(x); }
inline float __logf(float x) { return logf(x); }
inline float __log2f(float x) { return log2f(x); }
inline float __log10f(float x) { return log10f(x); }
inline float __powf(float x, float y) { return powf(x, y); }
inline float __sinf(float x) { return sinf(x); }
inline float __cosf(float x) { return cosf(x); }
inline float __tanf(float x) { return tanf(x); }
inline float __tanhf(float x) { return tanhf(x); }
#ifndef __APPLE__  // whose <math.h> has these two
inline float __exp10f(float x) { return exp10f(x); }
inline void __sincosf(float x, float* s, float* c) { *s = sinf(x), *c = cosf(x); }
#endif
inline float __fdividef(float a, float b) { return a / b; }
inline float __saturatef(float x) { return fminf(fmaxf(x, 0.0f), 1.0f); }

inline float __fadd_rn(float a, float b) { return a + b; }
inline float __fsub_rn(float a, float b) { return a - b; }
inline float __fmul_rn(float a, float b) { return a * b; }
inline float __fdiv_rn(float a, float b) { return a / b; }
inline float __fmaf_rn(float a, float b, float c) { return fmaf(a, b, c); }
inline float __frcp_rn(float x) { return 1.0f / x; }
inline float __fsqrt_rn(float x) { return sqrtf(x); }
inline float __frsqrt_rn(float x) { return rsqrtf(x); }
inline double __dadd_rn(double a, double b) { return a + b; }
inline double __dmul_rn(double a, double b) { return a * b; }
inline double __ddiv_rn(double a, double b) { return a / b; }
inline double __fma_rn(double a, double b, double c) { return fma(a, b, c); }

inline int __float2int_rn(float x) { return (int)rintf(x); }
inline int __float2int_rz(float x) { return (int)x; }
inline int __float2int_rd(float x) { return (int)floorf(x); }
inline int __float2int_ru(float x) { return (int)ceilf(x); }
inline unsigned __float2uint_rn(float x) { return (unsigned)rintf(x); }
inline unsigned __float2uint_rz(float x) { return (unsigned)x; }
inline float __int2float_rn(int x) { return (float)x; }
inline float __uint2float_rn(unsigned x) { return (float)x; }
inline float __double2float_rn(double x) { return (float)x; }
inline int __double2int_rn(double x) { return (int)rint(x); }
inline int __double2int_rz(double x) { return (int)x; }

namespace cuda_emulator {
template <class To, class From>
To bit_cast(From from) {
  static_assert(sizeof(To) == sizeof(From), "the sizes must agree");
  To to;
  memcpy(&to, &from, sizeof(To));
  return to;
}
}  // namespace cuda_emulator

inline int __float_as_int(float x) { return cuda_emulator::bit_cast<int>(x); }
inline unsigned __float_as_uint(float x) { return cuda_emulator::bit_cast<unsigned>(x); }
inline float __int_as_float(int x) { return cuda_emulator::bit_cast<float>(x); }
inline float __uint_as_float(unsigned x) { return cuda_emulator::bit_cast<float>(x); }
inline long long __double_as_longlong(double x) { return cuda_emulator::bit_cast<long long>(x); }
inline double __longlong_as_double(long long x) { return cuda_emulator::bit_cast<double>(x); }

inline int __popc(unsigned x) { return __builtin_popcount(x); }
inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
inline int __clz(int x) { return x == 0 ? 32 : __builtin_clz((unsigned)x); }
inline int __clzll(long long x) { return x == 0 ? 64 : __builtin_clzll((unsigned long long)x); }
inline int __ffs(int x) { return __builtin_ffs(x); }
inline int __ffsll(long long x) { return __builtin_ffsll(x); }
inline int __mul24(int a, int b) { return (int)((unsigned)a * (unsigned)b); }
inline unsigned __umul24(unsigned a, unsigned b) { return a * b; }
inline int __mulhi(int a, int b) { return (int)(((long long)a * b) >> 32); }
inline unsigned __umulhi(unsigned a, unsigned b) { return (unsigned)(((uint64_t)a * b) >> 32); }
inline unsigned __brev(unsigned x) {
  unsigned reversed = 0;
  for (int i = 0; i < 32; i++) reversed |= (x >> i & 1u) << (31 - i);
  return reversed;
}

// Loads and stores with cache hints: the hint changes no value.
#define CUDA_EMULATOR_LOAD(Name) \
  template <class T>             \
  T Name(const T* address) {     \
    return *address;             \
  }
CUDA_EMULATOR_LOAD(__ldg)
CUDA_EMULATOR_LOAD(__ldca)
CUDA_EMULATOR_LOAD(__ldcg)
CUDA_EMULATOR_LOAD(__ldcs)
CUDA_EMULATOR_LOAD(__ldcv)
CUDA_EMULATOR_LOAD(__ldlu)
#undef CUDA_EMULATOR_LOAD
#define CUDA_EMULATOR_STORE(Name)  \
  template <class T, class U>      \
  void Name(T* address, U value) { \
    *address = value;              \
  }
CUDA_EMULATOR_STORE(__stwb)
CUDA_EMULATOR_STORE(__stcg)
CUDA_EMULATOR_STORE(__stcs)
CUDA_EMULATOR_STORE(__stwt)
#undef CUDA_EMULATOR_STORE

// No clock: time means nothing here.
inline long long clock64() { return 0; }
