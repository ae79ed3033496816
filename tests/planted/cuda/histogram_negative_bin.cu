// EXPECTED: memory
// RUN: int run(const float* x, float* out, int n, cudaStream_t stream)
// N: 500
// Negative values have negative bins.
#include <cuda_runtime.h>

__global__ void clear(float* bins, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) bins[i] = 0;
}
__global__ void histogram(const float* x, float* bins, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int bin = (int)(x[i] * 8);
  atomicAdd(&bins[bin], 1.0f);  // BUG
}

extern "C" int run(const float* x, float* out, int n, cudaStream_t stream) {
  clear<<<1, 128, 0, stream>>>(out, n);
  histogram<<<(n + 127) / 128, 128, 0, stream>>>(x, out, n);
  return cudaGetLastError();
}
