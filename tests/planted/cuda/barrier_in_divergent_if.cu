// EXPECTED: barrier
// RUN: int run(const float* x, float* out, int n, cudaStream_t stream)
// N: 100
// Only the threads inside the array reach the barrier.
#include <cuda_runtime.h>

__global__ void reverse(const float* x, float* out, int n) {
  __shared__ float s[128];
  int t = threadIdx.x;
  if (t < n) {
    s[t] = x[t];
    __syncthreads();  // BUG
    out[t] = s[n - 1 - t];
  }
}

extern "C" int run(const float* x, float* out, int n, cudaStream_t stream) {
  reverse<<<1, 128, 0, stream>>>(x, out, n);
  return cudaGetLastError();
}
