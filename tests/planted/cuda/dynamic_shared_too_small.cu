// EXPECTED: memory
// RUN: int run(const float* x, float* out, int n, cudaStream_t stream)
// N: 200
// The dynamic shared memory has n bytes, not n floats.
#include <cuda_runtime.h>

__global__ void reverse(const float* x, float* out, int n) {
  extern __shared__ float buffer[];
  buffer[threadIdx.x] = x[threadIdx.x];  // BUG
  __syncthreads();
  out[threadIdx.x] = buffer[n - 1 - threadIdx.x];
}

extern "C" int run(const float* x, float* out, int n, cudaStream_t stream) {
  reverse<<<1, n, n, stream>>>(x, out, n);
  return cudaGetLastError();
}
