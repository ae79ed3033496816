// EXPECTED: memory
// RUN: int run(const float* x, float* out, int n, cudaStream_t stream)
// N: 1000
// No thread asks whether its index is inside.
#include <cuda_runtime.h>

__global__ void gelu(const float* x, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[i];  // BUG
  out[i] = 0.5f * v * (1.0f + tanhf(0.79788456f * (v + 0.044715f * v * v * v)));
}

extern "C" int run(const float* x, float* out, int n, cudaStream_t stream) {
  gelu<<<(n + 255) / 256, 256, 0, stream>>>(x, out);
  return cudaGetLastError();
}
