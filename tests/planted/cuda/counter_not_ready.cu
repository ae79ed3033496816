// EXPECTED: race
// RUN: int run(const float* x, float* out, int n, cudaStream_t stream)
// N: 256
// The counter is set to 0 by one thread, and used by the others at once.
#include <cuda_runtime.h>

__global__ void count(const float* x, float* out) {
  __shared__ int positive;
  if (threadIdx.x == 0) positive = 0;  // BUG
  if (x[threadIdx.x] > 0) atomicAdd(&positive, 1);  // BUG
  __syncthreads();
  out[threadIdx.x] = positive;
}

extern "C" int run(const float* x, float* out, int n, cudaStream_t stream) {
  count<<<1, 256, 0, stream>>>(x, out);
  return cudaGetLastError();
}
