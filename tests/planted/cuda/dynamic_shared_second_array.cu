// EXPECTED: memory
// RUN: int run(const float* x, float* out, int n, cudaStream_t stream)
// N: 128
// Room for one array; the second one begins behind it.
#include <cuda_runtime.h>

__global__ void both(const float* x, float* out, int n) {
  extern __shared__ float first[];
  float* second = first + n;
  int t = threadIdx.x;
  first[t] = x[t];
  second[t] = 2 * x[t];  // BUG
  __syncthreads();
  out[t] = first[n - 1 - t] + second[n - 1 - t];
}

extern "C" int run(const float* x, float* out, int n, cudaStream_t stream) {
  both<<<1, n, n * sizeof(float), stream>>>(x, out, n);
  return cudaGetLastError();
}
