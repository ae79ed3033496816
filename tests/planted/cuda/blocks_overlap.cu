// EXPECTED: race
// RUN: int run(const float* x, float* out, int n, cudaStream_t stream)
// N: 1000
// Blocks are one element closer than they are wide: their edges meet.
#include <cuda_runtime.h>

__global__ void fill(const float* x, float* out, int n) {
  int i = blockIdx.x * (blockDim.x - 1) + threadIdx.x;
  if (i < n) out[i] = x[i] + blockIdx.x;  // BUG
}

extern "C" int run(const float* x, float* out, int n, cudaStream_t stream) {
  fill<<<(n + 126) / 127 + 1, 128, 0, stream>>>(x, out, n);
  return cudaGetLastError();
}
