// EXPECTED: launch
// RUN: int run(const float* x, float* out, int n, cudaStream_t stream)
// N: 11264
// 44 KB dynamic and 8 KB static are together more than 48 KB.
#include <cuda_runtime.h>

__global__ void reverse(const float* x, float* out, int n) {
  extern __shared__ float s[];
  __shared__ float more[2048];
  for (int i = threadIdx.x; i < n; i += blockDim.x) s[i] = x[i];
  for (int i = threadIdx.x; i < 2048; i += blockDim.x) more[i] = 1;
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x) out[i] = s[n - 1 - i] * more[i % 2048];
}

extern "C" int run(const float* x, float* out, int n, cudaStream_t stream) {
  reverse<<<1, 256, n * sizeof(float), stream>>>(x, out, n);  // BUG
  return cudaGetLastError();
}
