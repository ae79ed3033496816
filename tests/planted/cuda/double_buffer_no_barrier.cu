// EXPECTED: race
// RUN: int run(const float* x, float* out, int n, cudaStream_t stream)
// N: 1024
// Two buffers take turns, but nothing keeps a fast thread from being two turns ahead.
#include <cuda_runtime.h>

__global__ void smooth(const float* x, float* out, int n) {
  __shared__ float buffer[2][128];
  int t = threadIdx.x;
  float sum = 0;
  for (int k = 0; k < n / 128; k++) {
    buffer[k % 2][t] = x[k * 128 + t];  // BUG
    if (k % 2 == 0) __syncthreads();
    sum += buffer[k % 2][127 - t];  // BUG
  }
  for (int k = 0; k < n / 128; k++) out[k * 128 + t] = sum;
}

extern "C" int run(const float* x, float* out, int n, cudaStream_t stream) {
  smooth<<<1, 128, 0, stream>>>(x, out, n);
  return cudaGetLastError();
}
