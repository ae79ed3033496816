// VALUES: copy
// RUN: int run(const float* x, float* out, int n, cudaStream_t stream)
// N: 250
// Halves of one word that two threads change in place, in global and in shared memory.
#include <cuda_fp16.h>

__global__ void fill(const float* x, half* h, int n) {
  int i = threadIdx.x;
  if (i < n) h[i] = __float2half(x[i]);
}

__global__ void twice(half* h, int n) {
  __shared__ half s[256];
  int i = threadIdx.x;
  if (i < n) h[i] = __hadd(h[i], h[i]);
  s[i] = i < n ? h[i] : __float2half(0);
  s[i] = __hadd(s[i], s[i]);
  if (i < n) h[i] = s[i];
}

__global__ void compare(const float* x, const half* h, float* out, int n) {
  int i = threadIdx.x;
  if (i < n) out[i] = fabsf(__half2float(h[i]) - 4 * x[i]) < 0.01f ? x[i] : -9;
}

extern "C" int run(const float* x, float* out, int n, cudaStream_t stream) {
  half* h;
  cudaMalloc(&h, n * sizeof(half));
  fill<<<1, 256, 0, stream>>>(x, h, n);
  twice<<<1, 256, 0, stream>>>(h, n);
  compare<<<1, 256, 0, stream>>>(x, h, out, n);
  cudaFree(h);
  return cudaGetLastError();
}
