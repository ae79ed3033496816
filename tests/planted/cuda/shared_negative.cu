// EXPECTED: memory
// RUN: int run(const float* x, float* out, int n, cudaStream_t stream)
// N: 256
// Thread 0 reads the element before a shared array.
#include <cuda_runtime.h>

__global__ void difference(const float* x, float* out) {
  __shared__ float before[32], buffer[256];
  int t = threadIdx.x;
  if (t < 32) before[t] = 0;
  buffer[t] = x[t];
  __syncthreads();
  out[t] = buffer[t] - buffer[t - 1] + before[t % 32];  // BUG
}

extern "C" int run(const float* x, float* out, int n, cudaStream_t stream) {
  difference<<<1, 256, 0, stream>>>(x, out);
  return cudaGetLastError();
}
