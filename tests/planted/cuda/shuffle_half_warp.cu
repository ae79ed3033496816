// EXPECTED: warp
// RUN: int run(const float* x, float* out, int n, cudaStream_t stream)
// N: 64
// A shuffle with the full mask, in a branch for half a warp.
#include <cuda_runtime.h>

__global__ void sums(const float* x, float* out) {
  float v = x[threadIdx.x];
  if (threadIdx.x % 32 < 16)
    v += __shfl_down_sync(0xffffffff, v, 8);  // BUG
  __syncthreads();
  out[threadIdx.x] = v;
}

extern "C" int run(const float* x, float* out, int n, cudaStream_t stream) {
  sums<<<1, 64, 0, stream>>>(x, out);
  return cudaGetLastError();
}
