// EXPECTED: barrier
// RUN: int run(const float* x, float* out, int n, cudaStream_t stream)
// N: 128
// Half the block waits at one barrier, half at another.
#include <cuda_runtime.h>

__global__ void swap(const float* x, float* out) {
  __shared__ float s[128];
  int t = threadIdx.x;
  if (t < 64) {
    s[t] = x[t + 64];
    __syncthreads();  // BUG
  } else {
    s[t] = x[t - 64];
    __syncthreads();  // BUG
  }
  out[t] = s[127 - t];
}

extern "C" int run(const float* x, float* out, int n, cudaStream_t stream) {
  swap<<<1, 128, 0, stream>>>(x, out);
  return cudaGetLastError();
}
