// EXPECTED: memory
// RUN: int run(const float* x, float* out, int n, cudaStream_t stream)
// N: 100
// The launcher itself stores in device memory.
#include <cuda_runtime.h>

__global__ void sum(const float* x, float* out, int n) {
  int i = threadIdx.x;
  if (i < n) atomicAdd(out, x[i]);
}

extern "C" int run(const float* x, float* out, int n, cudaStream_t stream) {
  out[0] = 0;  // BUG
  sum<<<1, 128, 0, stream>>>(x, out, n);
  return cudaGetLastError();
}
