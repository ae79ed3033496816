// EXPECTED: uninitialised
// RUN: int run(const float* x, float* out, int n, cudaStream_t stream)
// N: 128
// Threads add to memory of cudaMalloc that was never set to 0.
#include <cuda_runtime.h>

__global__ void sum(const float* x, float* total) {
  atomicAdd(total, x[threadIdx.x]);  // BUG
}
__global__ void spread(const float* total, float* out) { out[threadIdx.x] = *total; }

extern "C" int run(const float* x, float* out, int n, cudaStream_t stream) {
  float* total;
  cudaMalloc(&total, sizeof(float));
  sum<<<1, 128, 0, stream>>>(x, total);
  spread<<<1, 128, 0, stream>>>(total, out);
  cudaFree(total);
  return cudaGetLastError();
}
