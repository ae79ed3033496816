// EXPECTED: unwritten
// RUN: int run(const float* x, float* out, int n, cudaStream_t stream)
// N: 1000
// The number of blocks is rounded down.
#include <cuda_runtime.h>

__global__ void twice(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 2 * x[i];
}

extern "C" int run(const float* x, float* out, int n, cudaStream_t stream) {
  twice<<<n / 256, 256, 0, stream>>>(x, out, n);  // BUG
  return cudaGetLastError();
}
