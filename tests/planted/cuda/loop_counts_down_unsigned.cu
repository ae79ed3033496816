// EXPECTED: timeout
// RUN: int run(const float* x, float* out, int n, cudaStream_t stream)
// N: 64
// An unsigned counter is never less than 0.
#include <cuda_runtime.h>

__global__ void last_negative(const float* x, float* out, int n) {
  float found = 0;
  for (unsigned i = n - 1; i >= 0; i--) {
    float v = x[i % n];  // BUG
    if (v > 2.0f) {
      found = v;
      break;
    }
  }
  out[threadIdx.x] = found;
}

extern "C" int run(const float* x, float* out, int n, cudaStream_t stream) {
  last_negative<<<1, 64, 0, stream>>>(x, out, n);
  return cudaGetLastError();
}
