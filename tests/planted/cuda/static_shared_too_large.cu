// EXPECTED: launch
// RUN: int run(const float* x, float* out, int n, cudaStream_t stream)
// N: 128
// Two tiles of 32 KB are more than the 48 KB of static shared memory.
#include <cuda_runtime.h>

__global__ void tiles(const float* x, float* out) {
  __shared__ float a[64][128], b[64][128];
  a[0][threadIdx.x] = x[threadIdx.x];
  b[0][threadIdx.x] = 2 * x[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = a[0][127 - threadIdx.x] + b[0][127 - threadIdx.x];
}

extern "C" int run(const float* x, float* out, int n, cudaStream_t stream) {
  tiles<<<1, 128, 0, stream>>>(x, out);  // BUG
  return cudaGetLastError();
}
