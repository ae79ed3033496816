// EXPECTED: memory
// RUN: int run(const float* x, float* out, int n, cudaStream_t stream)
// N: 777
// The last thread reads its right neighbour, which is none.
#include <cuda_runtime.h>

__global__ void difference(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float right = x[i + 1];  // BUG
    out[i] = i == n - 1 ? 0.0f : right - x[i];
  }
}

extern "C" int run(const float* x, float* out, int n, cudaStream_t stream) {
  difference<<<(n + 127) / 128, 128, 0, stream>>>(x, out, n);
  return cudaGetLastError();
}
