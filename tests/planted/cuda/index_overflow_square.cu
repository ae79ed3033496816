// EXPECTED: arithmetic
// RUN: int run(const float* x, float* out, int n, cudaStream_t stream)
// N: 64
// The square of an index leaves 32 bits.
#include <cuda_runtime.h>

__global__ void squares(const float* x, float* out, int n) {
  int i = 46300 + threadIdx.x * 100;
  int at = i * i;  // BUG
  out[threadIdx.x] = x[(unsigned)at % n];
}

extern "C" int run(const float* x, float* out, int n, cudaStream_t stream) {
  squares<<<1, 64, 0, stream>>>(x, out, n);
  return cudaGetLastError();
}
