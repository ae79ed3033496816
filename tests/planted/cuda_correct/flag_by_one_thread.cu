// VALUES: doublings
// RUN: int run(const float* x, float* out, int n, cudaStream_t stream)
// N: 256
// One thread decides, all read its flag, and a barrier keeps it until all have read.
#include <cuda_runtime.h>

__global__ void grow(const float* x, float* out) {
  __shared__ bool go_on;
  __shared__ float s[256];
  int t = threadIdx.x;
  s[t] = fabsf(x[t]);
  int steps = 0;
  while (true) {
    __syncthreads();
    if (t == 0) {
      float sum = 0;
      for (int i = 0; i < 256; i++) sum += s[i];
      go_on = sum < 1000.0f;
    }
    __syncthreads();
    if (!go_on) break;
    s[t] *= 2;
    steps++;
  }
  out[t] = steps;
}

extern "C" int run(const float* x, float* out, int n, cudaStream_t stream) {
  grow<<<1, 256, 0, stream>>>(x, out);
  return cudaGetLastError();
}
