// EXPECTED: race
// RUN: int run(const float* x, float* out, int n, cudaStream_t stream)
// N: 256
// A block reads what the block before it stores in the same launch.
#include <cuda_runtime.h>

__global__ void chain(const float* x, float* out) {
  int t = threadIdx.x, at = blockIdx.x * 64 + t;
  float before = blockIdx.x > 0 ? out[at - 64] : 0.0f;  // BUG
  out[at] = before + x[at];  // BUG
}

extern "C" int run(const float* x, float* out, int n, cudaStream_t stream) {
  chain<<<n / 64, 64, 0, stream>>>(x, out);
  return cudaGetLastError();
}
