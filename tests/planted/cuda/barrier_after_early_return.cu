// EXPECTED: barrier
// RUN: int run(const float* x, float* out, int n, cudaStream_t stream)
// N: 1000
// The threads behind the end return, and the rest of their block waits at a barrier.
#include <cuda_runtime.h>

__global__ void neighbours(const float* x, float* out, int n) {
  __shared__ float s[128];
  int t = threadIdx.x, i = blockIdx.x * 128 + t;
  if (i >= n) return;
  s[t] = x[i];
  __syncthreads();  // BUG
  out[i] = s[t] + (t > 0 ? s[t - 1] : 0.0f);
}

extern "C" int run(const float* x, float* out, int n, cudaStream_t stream) {
  neighbours<<<(n + 127) / 128, 128, 0, stream>>>(x, out, n);
  return cudaGetLastError();
}
