// EXPECTED: race
// RUN: int run(const float* x, float* out, int n, cudaStream_t stream)
// N: 512
// The array of the maxima is reused for the sums while some threads still read it.
#include <cuda_runtime.h>

__global__ void softmax(const float* x, float* out) {
  __shared__ float s[128];
  int t = threadIdx.x;
  float v = x[blockIdx.x * 128 + t];
  s[t] = v;
  for (int d = 64; d > 0; d /= 2) {
    __syncthreads();
    if (t < d) s[t] = fmaxf(s[t], s[t + d]);
  }
  __syncthreads();
  float e = expf(v - s[0]);  // BUG
  s[t] = e;  // BUG
  for (int d = 64; d > 0; d /= 2) {
    __syncthreads();
    if (t < d) s[t] += s[t + d];
  }
  __syncthreads();
  out[blockIdx.x * 128 + t] = e / s[0];
}

extern "C" int run(const float* x, float* out, int n, cudaStream_t stream) {
  softmax<<<4, 128, 0, stream>>>(x, out);
  return cudaGetLastError();
}
