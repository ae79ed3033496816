// EXPECTED: race
// RUN: int run(const float* x, float* out, int n, cudaStream_t stream)
// N: 600
// Counts in global memory are loaded, incremented and stored.
#include <cuda_runtime.h>

__global__ void clear(float* bins, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) bins[i] = 0;
}
__global__ void histogram(const float* x, float* bins, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) bins[(int)((x[i] + 1) * 4)] += 1.0f;  // BUG
}

extern "C" int run(const float* x, float* out, int n, cudaStream_t stream) {
  clear<<<1, 256, 0, stream>>>(out, n);
  histogram<<<(n + 127) / 128, 128, 0, stream>>>(x, out, n);
  return cudaGetLastError();
}
