// EXPECTED: arithmetic
// RUN: int run(const float* x, float* out, int n, cudaStream_t stream)
// N: 64
// The product is computed in 32 bits, and only then made 64 bits wide.
#include <cuda_runtime.h>

__global__ void rows(const float* x, float* out, int n, int stride) {
  long long at = (int)threadIdx.x * stride;  // BUG
  out[threadIdx.x] = x[(unsigned long long)at % n];
}

extern "C" int run(const float* x, float* out, int n, cudaStream_t stream) {
  rows<<<1, 64, 0, stream>>>(x, out, n, 1 << 26);
  return cudaGetLastError();
}
