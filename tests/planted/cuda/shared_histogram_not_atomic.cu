// EXPECTED: race
// RUN: int run(const float* x, float* out, int n, cudaStream_t stream)
// N: 256
// Counts in shared memory are incremented by several threads.
#include <cuda_runtime.h>

__global__ void histogram(const float* x, float* out) {
  __shared__ int bins[8];
  int t = threadIdx.x;
  if (t < 8) bins[t] = 0;
  __syncthreads();
  bins[(int)((x[t] + 1) * 3.5f)]++;  // BUG
  __syncthreads();
  out[t] = bins[t % 8];
}

extern "C" int run(const float* x, float* out, int n, cudaStream_t stream) {
  histogram<<<1, 256, 0, stream>>>(x, out);
  return cudaGetLastError();
}
