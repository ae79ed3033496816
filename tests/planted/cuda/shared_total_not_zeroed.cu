// EXPECTED: uninitialised
// RUN: int run(const float* x, float* out, int n, cudaStream_t stream)
// N: 128
// Threads add to a shared total that was never set to 0.
#include <cuda_runtime.h>

__global__ void sum(const float* x, float* out) {
  __shared__ float total;
  atomicAdd(&total, x[threadIdx.x]);  // BUG
  __syncthreads();
  out[threadIdx.x] = total;
}

extern "C" int run(const float* x, float* out, int n, cudaStream_t stream) {
  sum<<<1, 128, 0, stream>>>(x, out);
  return cudaGetLastError();
}
