// EXPECTED: uninitialised
// RUN: int run(const float* x, float* out, int n, cudaStream_t stream)
// N: 100
// Threads behind the end load nothing, but the whole tile is added up.
#include <cuda_runtime.h>

__global__ void sum(const float* x, float* out, int n) {
  __shared__ float s[128];
  int t = threadIdx.x;
  if (t < n) s[t] = x[t];
  __syncthreads();
  float total = 0;
  for (int i = 0; i < 128; i++) total += s[i];  // BUG
  if (t < n) out[t] = total;
}

extern "C" int run(const float* x, float* out, int n, cudaStream_t stream) {
  sum<<<1, 128, 0, stream>>>(x, out, n);
  return cudaGetLastError();
}
