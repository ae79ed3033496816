// EXPECTED: race
// RUN: int run(const float* x, float* out, int n, cudaStream_t stream)
// N: 128
// A thread reads its neighbour's result in global memory without a barrier.
#include <cuda_runtime.h>

__global__ void twice(const float* x, float* out) {
  int t = threadIdx.x;
  out[t] = 2 * x[t];  // BUG
  float left = t > 0 ? out[t - 1] : 0.0f;  // BUG
  __syncthreads();
  out[t] += left;
}

extern "C" int run(const float* x, float* out, int n, cudaStream_t stream) {
  twice<<<1, 128, 0, stream>>>(x, out);
  return cudaGetLastError();
}
