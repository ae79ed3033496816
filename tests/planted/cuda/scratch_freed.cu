// EXPECTED: memory
// RUN: int run(const float* x, float* out, int n, cudaStream_t stream)
// N: 256
// Scratch memory is freed before the second kernel reads it.
#include <cuda_runtime.h>

__global__ void square(const float* x, float* scratch) { scratch[threadIdx.x] = x[threadIdx.x] * x[threadIdx.x]; }
__global__ void copy(const float* scratch, float* out) {
  out[threadIdx.x] = scratch[threadIdx.x];  // BUG
}

extern "C" int run(const float* x, float* out, int n, cudaStream_t stream) {
  float* scratch;
  cudaMalloc(&scratch, n * sizeof(float));
  square<<<1, 256, 0, stream>>>(x, scratch);
  cudaStreamSynchronize(stream);
  cudaFree(scratch);
  copy<<<1, 256, 0, stream>>>(scratch, out);
  return cudaGetLastError();
}
