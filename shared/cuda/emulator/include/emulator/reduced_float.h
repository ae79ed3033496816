// 16-bit floating types. Each operation computes in float and rounds once, to nearest even: for
// + - * / that is what the GPU's own 16-bit arithmetic gives.
#pragma once
#include <type_traits>

#include "cuda_runtime.h"

namespace cuda_emulator {

struct HalfFormat {
  static uint16_t encode(float value) {
    uint32_t bits = __float_as_uint(value);
    uint32_t sign = bits >> 16 & 0x8000u;
    bits &= 0x7fffffffu;
    if (bits > 0x7f800000u) return uint16_t(sign | 0x7fffu);   // NaN
    if (bits >= 0x47800000u) return uint16_t(sign | 0x7c00u);  // 65536 or more: infinity
    if (bits < 0x38800000u) {
      // Below 2^-14: adding 0.5 leaves the rounded subnormal in the low bits of the sum.
      return uint16_t(sign | (__float_as_uint(__uint_as_float(bits) + 0.5f) - 0x3f000000u));
    }
    uint32_t odd = bits >> 13 & 1u;
    return uint16_t(sign | ((bits - 0x38000000u + 0xfffu + odd) >> 13));
  }
  static float decode(uint16_t code) {
    uint32_t sign = uint32_t(code & 0x8000u) << 16;
    uint32_t rest = uint32_t(code & 0x7fffu) << 13;
    if (rest >= 0x0f800000u) return __uint_as_float(sign | rest | 0x7f800000u);
    float magnitude = __uint_as_float(rest) * 5.192296858534828e33f;  // 2^112
    return __uint_as_float(sign | __float_as_uint(magnitude));
  }
};

struct BrainFormat {
  static uint16_t encode(float value) {
    uint32_t bits = __float_as_uint(value);
    if ((bits & 0x7fffffffu) > 0x7f800000u) return 0x7fffu;  // NaN
    return uint16_t((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
  }
  static float decode(uint16_t code) { return __uint_as_float(uint32_t(code) << 16); }
};

template <class Format>
struct Reduced {
  uint16_t bits;
  Reduced() = default;
  template <class T, class = std::enable_if_t<std::is_arithmetic<T>::value>>
  Reduced(T value) : bits(Format::encode((float)value)) {}
  operator float() const { return Format::decode(bits); }
  template <class T>
  Reduced& operator+=(T value) { return *this = Reduced(float(*this) + float(value)); }
  template <class T>
  Reduced& operator-=(T value) { return *this = Reduced(float(*this) - float(value)); }
  template <class T>
  Reduced& operator*=(T value) { return *this = Reduced(float(*this) * float(value)); }
  template <class T>
  Reduced& operator/=(T value) { return *this = Reduced(float(*this) / float(value)); }
};

template <class Format>
struct alignas(4) Reduced2 {
  Reduced<Format> x, y;
};

}  // namespace cuda_emulator

// Only for two operands of one type: with a float, the language's own float arithmetic applies.
#define CUDA_EMULATOR_OPERATOR(Symbol, Name)                                         \
  template <class F>                                                                 \
  cuda_emulator::Reduced<F> operator Symbol(cuda_emulator::Reduced<F> a,             \
                                            cuda_emulator::Reduced<F> b) {           \
    return float(a) Symbol float(b);                                                 \
  }                                                                                  \
  template <class F>                                                                 \
  cuda_emulator::Reduced2<F> operator Symbol(cuda_emulator::Reduced2<F> a,           \
                                             cuda_emulator::Reduced2<F> b) {         \
    return {a.x Symbol b.x, a.y Symbol b.y};                                         \
  }                                                                                  \
  template <class F>                                                                 \
  cuda_emulator::Reduced<F> __h##Name(cuda_emulator::Reduced<F> a,                   \
                                      cuda_emulator::Reduced<F> b) {                 \
    return a Symbol b;                                                               \
  }                                                                                  \
  template <class F>                                                                 \
  cuda_emulator::Reduced2<F> __h##Name##2(cuda_emulator::Reduced2<F> a,              \
                                          cuda_emulator::Reduced2<F> b) {            \
    return a Symbol b;                                                               \
  }
CUDA_EMULATOR_OPERATOR(+, add)
CUDA_EMULATOR_OPERATOR(-, sub)
CUDA_EMULATOR_OPERATOR(*, mul)
CUDA_EMULATOR_OPERATOR(/, div)
#undef CUDA_EMULATOR_OPERATOR

template <class F>
cuda_emulator::Reduced<F> operator-(cuda_emulator::Reduced<F> a) { return -float(a); }
template <class F>
cuda_emulator::Reduced<F> __hneg(cuda_emulator::Reduced<F> a) { return -float(a); }
template <class F>
cuda_emulator::Reduced<F> __habs(cuda_emulator::Reduced<F> a) { return fabsf(a); }
template <class F>
cuda_emulator::Reduced<F> __hfma(cuda_emulator::Reduced<F> a, cuda_emulator::Reduced<F> b,
                                 cuda_emulator::Reduced<F> c) {
  return fmaf(a, b, c);
}
template <class F>
cuda_emulator::Reduced2<F> __hfma2(cuda_emulator::Reduced2<F> a, cuda_emulator::Reduced2<F> b,
                                   cuda_emulator::Reduced2<F> c) {
  return {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)};
}

#define CUDA_EMULATOR_COMPARE(Name, Symbol)                                            \
  template <class F>                                                                   \
  bool Name(cuda_emulator::Reduced<F> a, cuda_emulator::Reduced<F> b) {                \
    return float(a) Symbol float(b);                                                   \
  }
CUDA_EMULATOR_COMPARE(__heq, ==)
CUDA_EMULATOR_COMPARE(__hne, !=)
CUDA_EMULATOR_COMPARE(__hlt, <)
CUDA_EMULATOR_COMPARE(__hle, <=)
CUDA_EMULATOR_COMPARE(__hgt, >)
CUDA_EMULATOR_COMPARE(__hge, >=)
#undef CUDA_EMULATOR_COMPARE

#define CUDA_EMULATOR_UNARY(Name, Function)                                            \
  template <class F>                                                                   \
  cuda_emulator::Reduced<F> Name(cuda_emulator::Reduced<F> a) {                        \
    return Function(float(a));                                                         \
  }
CUDA_EMULATOR_UNARY(hexp, expf)
CUDA_EMULATOR_UNARY(hexp2, exp2f)
CUDA_EMULATOR_UNARY(hlog, logf)
CUDA_EMULATOR_UNARY(hsqrt, sqrtf)
CUDA_EMULATOR_UNARY(hrsqrt, rsqrtf)
CUDA_EMULATOR_UNARY(hsin, sinf)
CUDA_EMULATOR_UNARY(hcos, cosf)
CUDA_EMULATOR_UNARY(htanh, tanhf)
CUDA_EMULATOR_UNARY(hrcp, 1.0f /)
#undef CUDA_EMULATOR_UNARY

template <class F>
bool __hisnan(cuda_emulator::Reduced<F> a) { return isnan(float(a)); }
template <class F>
cuda_emulator::Reduced<F> __hmax(cuda_emulator::Reduced<F> a, cuda_emulator::Reduced<F> b) {
  return fmaxf(a, b);
}
template <class F>
cuda_emulator::Reduced<F> __hmin(cuda_emulator::Reduced<F> a, cuda_emulator::Reduced<F> b) {
  return fminf(a, b);
}
template <class F>
cuda_emulator::Reduced2<F> __hmax2(cuda_emulator::Reduced2<F> a, cuda_emulator::Reduced2<F> b) {
  return {__hmax(a.x, b.x), __hmax(a.y, b.y)};
}
template <class F>
float __low2float(cuda_emulator::Reduced2<F> a) { return a.x; }
template <class F>
float __high2float(cuda_emulator::Reduced2<F> a) { return a.y; }
template <class F>
cuda_emulator::Reduced2<F> h2exp(cuda_emulator::Reduced2<F> a) { return {hexp(a.x), hexp(a.y)}; }
