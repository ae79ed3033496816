// half and half2.
#pragma once
#include "emulator/reduced_float.h"

typedef cuda_emulator::Reduced<cuda_emulator::HalfFormat> __half;
typedef cuda_emulator::Reduced2<cuda_emulator::HalfFormat> __half2;
typedef __half half;
typedef __half2 half2;

inline float __half2float(__half a) { return a; }
inline __half __float2half(float a) { return a; }
inline __half __float2half_rn(float a) { return a; }
inline __half __double2half(double a) { return a; }
inline __half __int2half_rn(int a) { return a; }
inline __half __ushort_as_half(unsigned short a) {
  __half h;
  h.bits = a;
  return h;
}
inline unsigned short __half_as_ushort(__half a) { return a.bits; }
inline __half2 __halves2half2(__half a, __half b) { return {a, b}; }
inline __half2 make_half2(__half a, __half b) { return {a, b}; }
inline __half2 __half2half2(__half a) { return {a, a}; }
inline __half2 __float2half2_rn(float a) { return {a, a}; }
inline __half2 __floats2half2_rn(float a, float b) { return {a, b}; }
inline __half2 __float22half2_rn(float2 a) { return {a.x, a.y}; }
inline float2 __half22float2(__half2 a) { return make_float2(a.x, a.y); }
inline __half __low2half(__half2 a) { return a.x; }
inline __half __high2half(__half2 a) { return a.y; }
