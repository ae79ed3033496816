// EXPECTED: arithmetic
// RUN: int run(const float* x, float* out, int n, cudaStream_t stream)
// N: 32
// A block of 32 has no groups of 64.
#include <cuda_runtime.h>

__global__ void groups(const float* x, float* out) {
  int groups = blockDim.x / 64;
  out[threadIdx.x] = x[(int)threadIdx.x / groups];  // BUG
}

extern "C" int run(const float* x, float* out, int n, cudaStream_t stream) {
  groups<<<1, 32, 0, stream>>>(x, out);
  return cudaGetLastError();
}
