// EXPECTED: memory
// RUN: int run(const float* x, float* out, int n, cudaStream_t stream)
// N: 4096
// cudaMalloc is asked for elements, not bytes.
#include <cuda_runtime.h>

__global__ void square(const float* x, float* scratch, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) scratch[i] = x[i] * x[i];  // BUG
}
__global__ void copy(const float* scratch, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = scratch[i];
}

extern "C" int run(const float* x, float* out, int n, cudaStream_t stream) {
  float* scratch;
  cudaMalloc(&scratch, n);
  square<<<(n + 255) / 256, 256, 0, stream>>>(x, scratch, n);
  copy<<<(n + 255) / 256, 256, 0, stream>>>(scratch, out, n);
  cudaFree(scratch);
  return cudaGetLastError();
}
