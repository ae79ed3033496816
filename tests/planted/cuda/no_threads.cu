// EXPECTED: launch
// RUN: int run(const float* x, float* out, int n, cudaStream_t stream)
// N: 100
// The arguments of the launch are the wrong way round, and one of them is 0.
#include <cuda_runtime.h>

__global__ void twice(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 2 * x[i];
}

extern "C" int run(const float* x, float* out, int n, cudaStream_t stream) {
  int blocks = (n + 127) / 128, threads = n / 128;
  twice<<<blocks, threads, 0, stream>>>(x, out, n);  // BUG
  return cudaGetLastError();
}
