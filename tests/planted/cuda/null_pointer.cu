// EXPECTED: memory
// RUN: int run(const float* x, float* out, int n, cudaStream_t stream)
// N: 64
// Scratch memory that was never allocated.
#include <cuda_runtime.h>

__global__ void partial(const float* x, float* scratch, int n) {
  if (threadIdx.x < n) scratch[threadIdx.x] = 2 * x[threadIdx.x];  // BUG
}
__global__ void finish(const float* scratch, float* out, int n) {
  if (threadIdx.x < n) out[threadIdx.x] = scratch[threadIdx.x];
}

extern "C" int run(const float* x, float* out, int n, cudaStream_t stream) {
  float* scratch = nullptr;
  partial<<<1, 64, 0, stream>>>(x, scratch, n);
  finish<<<1, 64, 0, stream>>>(scratch, out, n);
  return cudaGetLastError();
}
