// EXPECTED: warp
// RUN: int run(const float* x, float* out, int n, cudaStream_t stream)
// N: 32
// A full __syncwarp for one half, while the other half waits at a barrier of the block.
#include <cuda_runtime.h>

__global__ void halves(const float* x, float* out) {
  __shared__ float s[32];
  int t = threadIdx.x;
  s[t] = x[t];
  if (t < 16) {
    __syncwarp();  // BUG
    s[t] += 1;
  }
  __syncthreads();
  out[t] = s[31 - t];
}

extern "C" int run(const float* x, float* out, int n, cudaStream_t stream) {
  halves<<<1, 32, 0, stream>>>(x, out);
  return cudaGetLastError();
}
