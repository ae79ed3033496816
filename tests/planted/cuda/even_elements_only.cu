// EXPECTED: unwritten
// RUN: int run(const float* x, float* out, int n, cudaStream_t stream)
// N: 256
// Each thread computes two elements and stores one.
#include <cuda_runtime.h>

__global__ void pairs(const float* x, float* out) {
  int i = 2 * threadIdx.x;
  float a = 2 * x[i], b = 2 * x[i + 1];
  out[i] = a;
  out[i] = b;  // BUG
}

extern "C" int run(const float* x, float* out, int n, cudaStream_t stream) {
  pairs<<<1, n / 2, 0, stream>>>(x, out);
  return cudaGetLastError();
}
