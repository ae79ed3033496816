// EXPECTED: barrier
// RUN: int run(const float* x, float* out, int n, cudaStream_t stream)
// N: 300
// Threads go through a loop with a barrier more or less often.
#include <cuda_runtime.h>

__global__ void chunks(const float* x, float* out, int n) {
  __shared__ float s[128];
  for (int i = threadIdx.x; i < n; i += 128) {
    s[threadIdx.x] = x[i];
    __syncthreads();  // BUG
    out[i] = s[threadIdx.x];
  }
}

extern "C" int run(const float* x, float* out, int n, cudaStream_t stream) {
  chunks<<<1, 128, 0, stream>>>(x, out, n);
  return cudaGetLastError();
}
