// EXPECTED: launch
// RUN: int run(const float* x, float* out, int n, cudaStream_t stream)
// N: 2048
// A block has more than 1024 threads.
#include <cuda_runtime.h>

__global__ void twice(const float* x, float* out) { out[threadIdx.x] = 2 * x[threadIdx.x]; }

extern "C" int run(const float* x, float* out, int n, cudaStream_t stream) {
  twice<<<1, n, 0, stream>>>(x, out);  // BUG
  return cudaGetLastError();
}
