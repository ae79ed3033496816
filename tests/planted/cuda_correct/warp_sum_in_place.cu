// VALUES: sum
// RUN: int run(const float* x, float* out, int n, cudaStream_t stream)
// N: 32
// A lane reads its own element again after the __syncwarp() that separates it from the others' reads.
#include <cuda_runtime.h>

__global__ void sum(const float* x, float* out) {
  __shared__ volatile float s[32];
  int t = threadIdx.x;
  s[t] = x[t];
  __syncwarp();
  for (int o = 16; o > 0; o /= 2) {
    float v = s[(t + o) % 32];
    __syncwarp();
    s[t] = s[t] + v;
    __syncwarp();
  }
  if (t == 0) out[0] = s[0];
}

extern "C" int run(const float* x, float* out, int n, cudaStream_t stream) {
  sum<<<1, 32, 0, stream>>>(x, out);
  return cudaGetLastError();
}
