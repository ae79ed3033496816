// EXPECTED: race
// RUN: int run(const float* x, float* out, int n, cudaStream_t stream)
// N: 1024
// Each block stores its sum in the same element.
#include <cuda_runtime.h>

__global__ void sum(const float* x, float* out) {
  float v = x[blockIdx.x * 32 + threadIdx.x];
  for (int o = 16; o > 0; o /= 2) v += __shfl_xor_sync(0xffffffff, v, o);
  if (threadIdx.x == 0) out[0] = v;  // BUG
}

extern "C" int run(const float* x, float* out, int n, cudaStream_t stream) {
  sum<<<n / 32, 32, 0, stream>>>(x, out);
  return cudaGetLastError();
}
