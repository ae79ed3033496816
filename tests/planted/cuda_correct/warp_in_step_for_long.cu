// VALUES: copy
// RUN: int run(const float* x, float* out, int n, cudaStream_t stream)
// N: 32
// A warp that goes on by __syncwarp() alone, more often than 16 bits can count.
#include <cuda_runtime.h>

__global__ void pass_on(const float* x, float* out) {
  __shared__ int s[32];
  int t = threadIdx.x;
  s[t] = 0;
  __syncwarp();
  for (int i = 0; i < 40000; i++) {
    int v = s[(t + 1) % 32];
    __syncwarp();
    s[t] = v + 1;
    __syncwarp();
  }
  out[t] = s[t] == 40000 ? x[t] : -9;
}

extern "C" int run(const float* x, float* out, int n, cudaStream_t stream) {
  pass_on<<<1, 32, 0, stream>>>(x, out);
  return cudaGetLastError();
}
