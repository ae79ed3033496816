// EXPECTED: launch
// RUN: int run(const float* x, float* out, int n, cudaStream_t stream)
// N: 16384
// 64 KB of dynamic shared memory need cudaFuncSetAttribute first.
#include <cuda_runtime.h>

__global__ void reverse(const float* x, float* out, int n) {
  extern __shared__ float s[];
  for (int i = threadIdx.x; i < n; i += blockDim.x) s[i] = x[i];
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x) out[i] = s[n - 1 - i];
}

extern "C" int run(const float* x, float* out, int n, cudaStream_t stream) {
  reverse<<<1, 256, n * sizeof(float), stream>>>(x, out, n);  // BUG
  return cudaGetLastError();
}
