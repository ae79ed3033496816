// EXPECTED: uninitialised
// RUN: int run(const float* x, float* out, int n, cudaStream_t stream)
// N: 256
// The two cells at the ends of the tile are read, and nobody loads them.
#include <cuda_runtime.h>

__global__ void blur(const float* x, float* out) {
  __shared__ float s[64 + 2];
  int t = threadIdx.x, i = blockIdx.x * 64 + t;
  s[t + 1] = x[i];
  __syncthreads();
  out[i] = (s[t] + s[t + 1] + s[t + 2]) / 3;  // BUG
}

extern "C" int run(const float* x, float* out, int n, cudaStream_t stream) {
  blur<<<n / 64, 64, 0, stream>>>(x, out);
  return cudaGetLastError();
}
