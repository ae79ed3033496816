// EXPECTED: memory
// RUN: int run(const float* x, float* out, int n, cudaStream_t stream)
// N: 64
// The kernel gets the address of an array of the host.
#include <cuda_runtime.h>

__global__ void scale(const float* x, const float* factors, float* out, int n) {
  int i = threadIdx.x;
  if (i < n) out[i] = x[i] * factors[i % 2];  // BUG
}

extern "C" int run(const float* x, float* out, int n, cudaStream_t stream) {
  static const float factors[2] = {0.5f, 2.0f};
  scale<<<1, 64, 0, stream>>>(x, factors, out, n);
  return cudaGetLastError();
}
