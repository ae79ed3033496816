// EXPECTED: memory
// RUN: int run(const float* x, float* out, int n, cudaStream_t stream)
// N: 1000
// The bound includes the element behind the last one.
#include <cuda_runtime.h>

__global__ void gelu(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > n) return;
  float v = x[i];  // BUG
  out[i] = v / (1.0f + expf(-1.702f * v));
}

extern "C" int run(const float* x, float* out, int n, cudaStream_t stream) {
  gelu<<<(n + 255) / 256, 256, 0, stream>>>(x, out, n);
  return cudaGetLastError();
}
