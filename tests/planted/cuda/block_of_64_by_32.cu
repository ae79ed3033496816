// EXPECTED: launch
// RUN: int run(const float* x, float* out, int n, cudaStream_t stream)
// N: 2048
// A block of 64 x 32 has more than 1024 threads.
#include <cuda_runtime.h>

__global__ void twice(const float* x, float* out) {
  int i = threadIdx.y * 64 + threadIdx.x;
  out[i] = 2 * x[i];
}

extern "C" int run(const float* x, float* out, int n, cudaStream_t stream) {
  dim3 block(64, 32);
  twice<<<1, block, 0, stream>>>(x, out);  // BUG
  return cudaGetLastError();
}
