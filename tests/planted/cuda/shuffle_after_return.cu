// EXPECTED: warp
// RUN: int run(const float* x, float* out, int n, cudaStream_t stream)
// N: 50
// The lanes behind the end have returned, and the full mask still names them.
#include <cuda_runtime.h>

__global__ void sums(const float* x, float* out, int n) {
  int t = threadIdx.x;
  if (t >= n) return;
  float v = x[t];
  for (int o = 16; o > 0; o /= 2) v += __shfl_down_sync(0xffffffff, v, o);  // BUG
  out[t] = v;
}

extern "C" int run(const float* x, float* out, int n, cudaStream_t stream) {
  sums<<<1, 64, 0, stream>>>(x, out, n);
  return cudaGetLastError();
}
